"""Sums, means and places of the largest element against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, refused

FLOATS = [ms.float16, ms.bfloat16, ms.float32, ms.float64]
INTEGERS = [ms.int8, ms.int16, ms.int32, ms.int64, ms.uint8]
AXES = [None, 0, 1, -1, (0, 2), [1], (), (-3, -1), (0, 1, 2)]


def array(*shape):
    return np.random.default_rng(0).integers(-8, 8, shape) / 4


def axes_of(dim):
    return None if dim is None or dim == () else tuple(np.atleast_1d(dim))


@pytest.mark.parametrize("dim", AXES, ids=str)
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_axes(name, keep, dim):
    x = array(2, 3, 4)
    function = getattr(ops, name)

    def run(x):
        return function(x, dim, keep)

    for dtype in FLOATS:
        result = both_forms(run, ms.Tensor(x, dtype))
        assert result.dtype is dtype
        expected = getattr(x, name)(axis=axes_of(dim), keepdims=keep)
        assert result.shape == expected.shape
        tolerance = {ms.float64: 1e-15, ms.float32: 1e-7}.get(dtype, 5e-3)
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=tolerance, atol=1e-7)


@pytest.mark.parametrize("dtype", [*INTEGERS, ms.bool_], ids=str)
def test_integers_and_bools_sum_in_int64(dtype):
    x = (
        ms.Tensor(np.ones((200, 2)), dtype)
        if dtype is ms.bool_
        else ms.Tensor([[100, 27]] * 200, dtype)
    )

    def run(x):
        return (
            ops.sum(x),
            ops.sum(x, 0),
            x.sum(),
            ops.sum(x, 1, True, dtype=ms.float32),
            x.sum(0, ms.int32),
        )

    total, by_column, method, by_row, short = both_forms(run, x)
    assert (total.dtype, method.dtype, by_column.dtype) == (ms.int64,) * 3
    assert (by_row.dtype, short.dtype) == (ms.float32, ms.int32)
    expected = x.asnumpy().astype(np.int64)
    assert total.item() == method.item() == expected.sum()
    assert by_column.tolist() == short.tolist() == expected.sum(0).tolist()
    assert by_row.tolist() == expected.sum(1, keepdims=True).tolist()


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_means_of_integers_are_truncated(dtype):
    values = [[-1, -2, -5], [1, 2, 5]] if dtype is not ms.uint8 else [[250, 255, 251], [1, 2, 5]]

    def run(x):
        return (
            ops.mean(x, 1),
            x.mean(axis=1),
            ops.mean(x, axis=0, keep_dims=True),
            x.mean(1, dtype=ms.float32),
        )

    one, method, other, exact = both_forms(run, ms.Tensor(values, dtype))
    mean = np.trunc(np.mean(values, 1)).astype(int).tolist()
    assert one.dtype is method.dtype is dtype and one.tolist() == method.tolist() == mean
    assert other.tolist() == [np.trunc(np.mean(values, 0)).astype(int).tolist()]
    np.testing.assert_allclose(exact.asnumpy(), np.mean(values, 1), rtol=1e-6)
    assert exact.dtype is ms.float32


def test_a_narrow_sum_is_rounded_once():
    x = ms.Tensor(np.full(4096, 1.0), ms.float16)

    def run(x):
        return ops.sum(x), ops.mean(x * 100), ops.sum(x * 100), ops.sum(x * 100, dtype=ms.float32)

    total, mean, over, wide = both_forms(run, x)
    assert (total.item(), mean.item(), over.item()) == (4096.0, 100.0, np.inf)
    assert wide.item() == 409600.0 and wide.dtype is ms.float32


def test_spellings_of_the_methods():
    x = ms.Tensor(array(2, 3, 4))

    def run(x):
        return [
            (x.sum(1, True), x.sum(1, keepdim=True), x.sum(axis=1, keepdims=True),
             x.sum(dim=1, keepdim=True), x.sum(1, None, True), ops.sum(x, 1, True),
             ops.sum(x, dim=1, keepdim=True)),
            (x.sum((0, 1)), x.sum(axis=(0, 1)), x.sum(dim=[0, 1]), ops.sum(x, (0, 1))),
            (x.sum(initial=2.0), ops.sum(x) + 2),
            (x.mean(1, True), x.mean(axis=1, keep_dims=True), x.mean(dim=1, keepdim=True),
             ops.mean(x, 1, True), ops.mean(x, axis=1, keep_dims=True)),
            (x.argmax(1, True), x.argmax(axis=1, keepdims=True), x.argmax(dim=1, keepdim=True),
             ops.argmax(x, 1, True), ops.argmax(x, dim=1, keepdim=True)),
        ]  # fmt: skip

    for group in both_forms(run, x):
        for other in group[1:]:
            np.testing.assert_array_equal(group[0].asnumpy(), other.asnumpy())


def test_arguments_that_do_not_fit():
    x = ms.Tensor(array(2, 3))

    def two_names(x):
        return x.sum(axis=1, dim=1)

    def another_name(x):
        return x.sum(along=1)

    def too_many(x):
        return x.mean(1, True, 3, 4)

    def twice(x):
        return x.argmax(1, axis=0)

    for function in (two_names, another_name, too_many, twice):
        refused("E0302", function, x)


@pytest.mark.parametrize(
    ("dim", "code"),
    [(2, "E0403"), (-3, "E0403"), ((0, 0), "E0403"), ((0, -2), "E0403"), (1.0, "E0303")],
)  # fmt: skip
def test_axes_that_do_not_exist(dim, code):
    def summed(x):
        return ops.sum(x, dim)

    def averaged(x):
        return ops.mean(x, dim)

    for function in (summed, averaged):
        refused(code, function, ms.Tensor(array(2, 3)))


def test_no_elements():
    def run(x):
        return ops.sum(x), ops.sum(x, 0), ops.mean(x), ops.mean(x, 1), ops.sum(x > 0, 1)

    total, columns, mean, rows, counts = both_forms(run, ms.Tensor(np.zeros((0, 3))))
    assert (total.item(), columns.tolist(), rows.shape, counts.shape) == (
        0.0,
        [0.0] * 3,
        (0,),
        (0,),
    )
    assert np.isnan(mean.item())


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
def test_argmax(dtype):
    values = np.array([[3, 1, 3], [2, 5, 5]])

    def run(x):
        return (
            ops.argmax(x),
            ops.argmax(x, 0),
            ops.argmax(x, -1),
            ops.argmax(x, 1, True),
            x.argmax(),
        )

    found = both_forms(run, ms.Tensor(values, dtype))
    assert {result.dtype for result in found} == {ms.int64}
    assert [result.tolist() for result in found] == [4, [0, 1, 1], [0, 1], [[0], [1]], 4]


def test_argmax_corners():
    def run(x):
        return ops.argmax(x, keepdim=True), ops.argmax(x, None, True), x.argmax()

    assert [r.tolist() for r in both_forms(run, ms.Tensor(7.0))] == [0, 0, 0]
    assert [r.tolist() for r in both_forms(run, ms.Tensor([1.0, np.nan, 9.0, np.nan]))] == [1, 1, 1]
    refused("E0401", run, ms.Tensor(np.zeros((0,))))

    def along(x):
        return ops.argmax(x, 2)

    refused("E0403", along, ms.Tensor(np.zeros((2, 2))))

    def of_bools(x):
        return ops.argmax(x > 0)

    refused("E0301", of_bools, ms.Tensor([1.0]))


@pytest.mark.parametrize("function", [ops.sum, ops.mean, ops.argmax])
def test_of_what_is_no_tensor(function):
    def run(x):
        return function(3.0) + x

    refused("E0304", run, ms.Tensor(1.0))


@pytest.mark.parametrize("dim", AXES, ids=str)
@pytest.mark.parametrize("keep", [False, True])
def test_gradients(dim, keep):
    def summed(x):
        return ops.sum(x * x, dim, keep)

    def averaged(x):
        return ops.mean(x * x, dim, keep)

    for function in (summed, averaged):
        check_gradients(function, array(2, 3, 2))
