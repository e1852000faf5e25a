"""Sums, means and places of the largest element against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.elementwise import wide
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


# ---- products -------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("keep", [False, True])
def test_products(axis, keep):
    x = array(2, 3, 4)

    def run(x):
        return ops.prod(x, axis, keep), x.prod(axis, keep), x.prod(dim=axis, keepdim=keep)

    expected = np.prod(x, axis=axes_of(axis), keepdims=keep)
    for dtype in FLOATS:
        for result in both_forms(run, ms.Tensor(x, dtype)):
            assert (result.dtype, result.shape) == (dtype, expected.shape)
            tolerance = {ms.float64: 1e-14, ms.float32: 1e-6}.get(dtype, 1e-2)
            np.testing.assert_allclose(wide(result), expected, rtol=tolerance)


@pytest.mark.parametrize("dtype", [*INTEGERS, ms.bool_], ids=str)
def test_products_of_integers_and_bools_are_in_int64(dtype):
    values = [True, True] if dtype is ms.bool_ else [100, 27]

    def run(x):
        return ops.prod(x), x.prod(), ops.prod(x, 0, dtype=ms.float32), x.prod(dtype=ms.int32)

    *found, floats, short = both_forms(run, ms.Tensor(values, dtype))
    assert {result.dtype for result in found} == {ms.int64}
    assert (floats.dtype, short.dtype) == (ms.float32, ms.int32)
    expected = 1 if dtype is ms.bool_ else 2700
    assert [r.item() for r in (*found, floats, short)] == [expected] * 4


def test_gradients_of_products_with_zeros():
    x = np.array([[2.0, 0.0, 3.0, 4.0], [0.0, 5.0, 0.0, 1.0], [1.0, 2.0, 3.0, -4.0]])
    check_gradients(lambda x: ops.prod(x, 1), x)
    check_gradients(lambda x: ops.prod(x), x[:1])


# ---- truth ----------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("name", ["all", "any"])
def test_truth(name, axis, keep):
    function, method = getattr(ops, name), ops.METHODS[name]
    x = np.random.default_rng(0).integers(0, 2, (2, 3, 2))

    def run(x):
        return [
            function(x, axis, keep), method(x, axis, keep), method(x, axis=axis, keep_dims=keep),
            method(x, dim=axis, keepdim=keep), function(x > 0, axis, keep),
        ]  # fmt: skip

    expected = getattr(np, name)(x, axis=axes_of(axis), keepdims=keep)
    for dtype in (ms.int8, ms.float32, ms.bfloat16):
        for result in both_forms(run, ms.Tensor(x, dtype)):
            assert result.dtype is ms.bool_
            np.testing.assert_array_equal(result.asnumpy(), expected)


def test_truth_of_nothing_and_of_nan():
    def run(x, nan):
        return ops.all(x), ops.any(x), ops.all(nan), nan.any(), ops.count_nonzero(nan)

    found = both_forms(run, ms.Tensor(np.zeros((0, 3))), ms.Tensor([np.nan, -1.0]))
    assert [r.item() for r in found] == [True, False, True, True, 2]


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_count_nonzero(axis):
    x = np.random.default_rng(0).integers(0, 2, (2, 3, 2))

    def run(x):
        return [
            ops.count_nonzero(x, axis), x.count_nonzero(axis),
            ops.count_nonzero(x, axis, True, ms.int64), ops.count_nonzero(x > 0, axis),
        ]  # fmt: skip

    expected = np.count_nonzero(x, axis=axes_of(axis))
    one, method, kept, bools = both_forms(run, ms.Tensor(x, ms.float16))
    assert one.dtype is method.dtype is bools.dtype is ms.int32 and kept.dtype is ms.int64
    for result in (one, method, bools):
        np.testing.assert_array_equal(result.asnumpy(), expected)
    np.testing.assert_array_equal(kept.asnumpy().reshape(expected.shape), expected)


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_nansum(axis):
    x = array(2, 3, 4)
    x[0, 1] = np.nan

    def run(x):
        return ops.nansum(x, axis), ops.nansum(x, axis, True, dtype=ms.float32), x.nansum(axis)

    one, kept, method = both_forms(run, ms.Tensor(x))
    np.testing.assert_allclose(one.asnumpy(), np.nansum(x, axes_of(axis)))
    np.testing.assert_allclose(kept.asnumpy(), np.nansum(x, axes_of(axis), keepdims=True))
    assert (one.dtype, kept.dtype) == (ms.float64, ms.float32)
    np.testing.assert_array_equal(method.asnumpy(), one.asnumpy())
    assert ms.grad(ops.nansum)(ms.Tensor([1.0, np.nan])).tolist() == [1.0, 0.0]
    assert both_forms(lambda x: ops.nansum(x), ms.Tensor([1, 2], ms.int8)).item() == 3


# ---- extremes -------------------------------------------------------------------------------

EXTREMES = {"amax": np.max, "amin": np.min}


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("name", EXTREMES)
def test_extremes(name, axis, keep):
    method = ops.METHODS[name[1:]]  # max, min
    function = getattr(ops, name)
    method = ops.METHODS[name]
    x = array(2, 3, 4)

    def run(x):
        return [
            function(x, axis, keep), method(x, axis, keep), method(x, axis, keep),
            method(x, axis=axis, keepdims=keep),
        ]  # fmt: skip

    expected = EXTREMES[name](x, axis=axes_of(axis), keepdims=keep)
    for dtype in [*FLOATS, ms.int32]:
        elements = x if dtype.is_float else x * 4
        wanted = expected if dtype.is_float else expected * 4
        for result in both_forms(run, ms.Tensor(elements, dtype)):
            assert (result.dtype, result.shape) == (dtype, wanted.shape)
            np.testing.assert_array_equal(wide(result), wanted)


@pytest.mark.parametrize("axis", [None, 0, 1, -1], ids=str)
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_and_their_places(name, axis, keep):
    function = getattr(ops, name)
    method = ops.METHODS[name]
    x = np.array([[3, 1, 3], [2, 5, 5]])

    def run(x):
        return (
            function(x, axis, keep),
            method(x, dim=axis, keepdim=keep),
            (method(x, axis, keep, return_indices=True)),
        )

    keep = keep and axis is not None
    value = getattr(np, name)(x, axis=axis, keepdims=keep)
    place = getattr(np, f"arg{name}")(x, axis=axis, keepdims=keep)
    for dtype in [*FLOATS, *INTEGERS]:
        for values, indices in both_forms(run, ms.Tensor(x, dtype)):
            assert (values.dtype, indices.dtype) == (dtype, ms.int64)
            np.testing.assert_array_equal(wide(values), value)
            np.testing.assert_array_equal(indices.asnumpy(), place)


def test_extremes_keep_nan():
    def run(x):
        return [
            ops.amax(x), ops.amin(x), x.max(), x.min(), ops.amax(x, 1), ops.amin(x, 1),
            *ops.max(x, 1), *ops.min(x, 1), ops.amax(x, initial=9.0), ops.argmin(x),
        ]  # fmt: skip

    found = both_forms(run, ms.Tensor([[1.0, np.nan, 3.0], [2.0, -2.0, 0.0]]))
    nan = np.nan
    expected = [nan] * 4 + [
        [nan, 2.0],
        [nan, -2.0],
        [nan, 2.0],
        [1, 0],
        [nan, -2.0],
        [1, 1],
        nan,
        1,
    ]
    for result, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(result.asnumpy(), wanted)


def test_extremes_of_bools_and_of_one():
    def run(b, x):
        return ops.amax(b), ops.amin(b), b.max(), *ops.max(b), *ops.min(b, 0), *ops.max(x)

    *bools, value, index = both_forms(run, ms.Tensor([True, False]), ms.Tensor(2.5))
    assert [r.tolist() for r in bools] == [True, False, True, True, 0, False, 1]
    assert bools[0].dtype is bools[3].dtype is ms.bool_
    assert (value.item(), index.item()) == (2.5, 0)


def test_initial_and_where():
    x = np.array([[1.0, 5.0, 2.0], [4.0, -3.0, 0.5]])
    mask = np.array([[True, False, True], [False, True, True]])

    def run(x, mask):
        return [
            ops.amax(x, 1, initial=3.0), ops.amax(x, 1, initial=-9.0, where=mask),
            x.max(1, initial=-9.0, where=mask), ops.amin(x, 0, initial=0.0),
            x.min(0, initial=9, where=mask), ops.max(x, 1, initial=-9.0, where=mask)[1],
            ops.amax(x, where=True), ops.amax(ops.cast(x, ms.int32), initial=2.5),
        ]  # fmt: skip

    high, low = {"initial": -9.0, "where": mask}, {"initial": 9.0, "where": mask}
    masked = np.max(x, 1, **high)
    expected = [
        [5.0, 4.0], masked, masked, [0.0, -3.0, 0.0], np.min(x, 0, **low), [2, 2], 5.0, 5.0,
    ]  # fmt: skip
    for result, wanted in zip(
        both_forms(run, ms.Tensor(x), ms.Tensor(mask)), expected, strict=True
    ):
        np.testing.assert_array_equal(result.asnumpy(), wanted)

    def without_initial(x):
        return ops.amax(x, where=x > 0)

    refused("E0302", without_initial, ms.Tensor(x))


@pytest.mark.parametrize("name", ["amax", "amin", "max", "min", "argmin"])
def test_extremes_of_nothing(name):
    function = getattr(ops, name)

    def over_all(x):
        return function(x)

    def over_an_empty_axis(x):
        return function(x, 0)

    def over_another(x):
        found = function(x, 1)
        return found if name in ("amax", "amin", "argmin") else found[0]

    x = ms.Tensor(np.zeros((0, 3)))
    refused("E0401", over_all, x)
    refused("E0401", over_an_empty_axis, x)
    assert both_forms(over_another, x).shape == (0,)


def test_the_place_of_one_axis_only():
    def run(x):
        return ops.max(x, (0, 1))

    def too_far(x):
        return ops.amax(x, 2)

    refused("E0303", run, ms.Tensor(array(2, 3)))
    refused("E0403", too_far, ms.Tensor(array(2, 3)))


@pytest.mark.parametrize("axis", [None, 0, 1], ids=str)
def test_argmin(axis):
    x = np.array([[3, 1, 3], [2, 1, 5]])

    def run(x):
        return ops.argmin(x, axis), x.argmin(axis), x.argmin(dim=axis), ops.argmin(x, axis=axis)

    for result in both_forms(run, ms.Tensor(x)):
        assert result.dtype is ms.int32
        assert result.tolist() == np.argmin(x, axis).tolist()
    kept = both_forms(lambda x: ops.argmin(x, 1, True), ms.Tensor(x))
    assert kept.tolist() == [[1], [1]]


def test_gradients_of_extremes():
    x = array(3, 4) + np.arange(12).reshape(3, 4) / 64  # no ties
    for name in ("amax", "amin"):
        for axis in (None, 0, (0, 1)):
            function = getattr(ops, name)
            check_gradients(lambda x, f=function, a=axis: f(x, a), x)
    check_gradients(lambda x: ops.max(x, 1)[0], x)
    check_gradients(lambda x: x.min(0), x)
    check_gradients(lambda x: ops.amax(x, 1, initial=0.3), x)


def test_gradients_of_extremes_at_ties():
    tied = ms.Tensor([3.0, 1.0, 3.0])
    for function in (ops.amax, lambda x: ops.max(x)[0], lambda x: x.max(), lambda x: x.max(0)):
        assert ms.grad(function)(tied).tolist() == [0.5, 0.0, 0.5]
    assert ms.grad(ops.amin)(ms.Tensor([2.0, 1.0, 1.0])).tolist() == [0.0, 0.5, 0.5]


def test_methods_with_arguments_that_do_not_fit():
    def two_names(x):
        return x.max(axis=1, dim=1)

    def another_name(x):
        return x.all(along=1)

    def too_many(x):
        return x.std(1, 0, True, 4)

    def both_degrees(x):
        return x.var(ddof=0, correction=1)

    for function in (two_names, another_name, too_many, both_degrees):
        refused("E0302", function, ms.Tensor(array(2, 3)))


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("keep", [False, True])
def test_ptp(axis, keep):
    x = np.random.default_rng(3).normal(size=(3, 4, 2))
    expected = np.ptp(x, axis, keepdims=keep)
    found = both_forms(lambda x: (x.ptp(axis, keep), x.ptp(axis=axis, keepdims=keep)), ms.Tensor(x))
    for each in found:
        np.testing.assert_array_equal(each.asnumpy(), expected, strict=True)
    check_gradients(lambda x: x.ptp(axis, keep), x)


def test_ptp_at_the_edges():
    assert np.isnan(ms.Tensor([1.0, np.nan]).ptp().item())
    assert ms.Tensor([-100, 100], ms.int8).ptp().tolist() == -56  # as NumPy's, it wraps
    refused("E0301", lambda x: x.ptp(), ms.Tensor([True, False]))
    refused("E0403", lambda x: x.ptp(3), ms.Tensor([1.0]))
    refused("E0401", lambda x: x.ptp(), ms.Tensor(np.zeros(0)))
