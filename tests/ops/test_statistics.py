"""Means, variances, medians and their kind against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import s2sad as ms
from s2sad import ops
from support.elementwise import TOLERANCES, wide
from support.forms import both_forms, check_gradients, refused

AXES = [None, 0, -1, (0, 2), [1], ()]


def array(*shape):
    return np.random.default_rng(0).integers(-8, 8, shape) / 4


def axes_of(axis):
    return None if axis is None or axis == () else tuple(np.atleast_1d(axis))


SPREADS = [(axis, 1, keep) for axis in AXES for keep in (False, True)]
SPREADS += [(axis, ddof, False) for axis in (None, (0, 2)) for ddof in (0, True, 2)]


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize(("axis", "ddof", "keep"), SPREADS, ids=str)
def test_spread(name, axis, ddof, keep):
    function, pair = getattr(ops, name), getattr(ops, f"{name}_mean")
    x = array(3, 4, 5)

    def run(x):
        return function(x, axis, ddof, keep), *pair(x, axis, ddof, keep)

    for dtype, tolerance in TOLERANCES.items():
        spread, again, mean = both_forms(run, ms.Tensor(x, dtype))
        expected = getattr(x, name)(axis=axes_of(axis), ddof=int(ddof), keepdims=keep)
        assert spread.dtype is again.dtype is mean.dtype is dtype
        assert spread.shape == expected.shape
        np.testing.assert_allclose(wide(spread), expected, rtol=tolerance)
        np.testing.assert_array_equal(wide(again), wide(spread))
        center = x.mean(axis=axes_of(axis), keepdims=keep)
        np.testing.assert_allclose(wide(mean), center, rtol=tolerance, atol=1e-15)


@pytest.mark.parametrize("name", ["var", "std"])
def test_methods(name):
    function, method = getattr(ops, name), ops.METHODS[name]

    def run(x):
        return [
            (method(x), function(x), function(x, None, 0)),
            (method(x, 1), method(x, axis=1), method(x, axis=1, ddof=0), function(x, 1)),
            (method(x, 1, 1), method(x, axis=1, ddof=1), method(x, dim=1), function(x, 1, 1),
             method(x, dim=1, correction=1)),
            (method(x, 1, 0, True), method(x, 1, 0, keepdims=True), function(x, 1, 0, True)),
            (method(x, 1, keepdim=True), method(x, dim=1, keepdim=True), function(x, 1, 1, True)),
            (method(x, correction=0), method(x)),
            (method(x, dim=1, correction=2), function(x, 1, 2)),
        ]  # fmt: skip

    for group in both_forms(run, ms.Tensor(array(3, 4))):
        for other in group[1:]:
            np.testing.assert_array_equal(group[0].asnumpy(), other.asnumpy())


def test_spread_of_integers_of_one_and_of_none():
    def run(n, one, none):
        return ops.var(n), ops.std(n > 1), ops.var(one), ops.std(one), ops.var(none)

    n = ms.Tensor([1, 2, 4], ms.int8)
    whole, bools, single, root, nothing = both_forms(
        run, n, ms.Tensor([[2.5]]), ms.Tensor(np.zeros((0, 3)))
    )
    assert (whole.dtype, bools.dtype) == (ms.float32, ms.float32)
    np.testing.assert_allclose(whole.item(), np.var([1, 2, 4]), rtol=1e-6)
    np.testing.assert_allclose(bools.item(), np.std([0, 1, 1]), rtol=1e-6)
    assert (single.item(), root.item()) == (0.0, 0.0) and np.isnan(nothing.item())


@pytest.mark.parametrize("name", ["var", "std"])
def test_spread_of_no_more_elements_than_ddof(name):
    function = getattr(ops, name)

    def run(x):
        return function(x, 1, 2), function(x[:, :1], 1, True), function(x, 1, 3)

    same, one, beyond = both_forms(run, ms.Tensor(array(3, 2)))
    assert np.isnan(one.asnumpy()).all()
    for spread in (same, beyond):
        np.testing.assert_array_equal(spread.asnumpy(), [np.inf] * 3)
    opened = ms.compile(run, dynamic=1)
    for rows in (3, 4, 5):  # the last runs the program whose sizes are open
        np.testing.assert_array_equal(
            opened(ms.Tensor(array(rows, 2)))[2].asnumpy(), [np.inf] * rows
        )


def test_spread_of_an_open_axis_that_is_short():
    opened = ms.compile(lambda x: (ops.var(x, ddof=1), ops.std(x, ddof=3)), dynamic=1)
    for size in (4, 5, 2, 1):
        spread, root = opened(ms.Tensor(array(size)))
        assert np.isnan(spread.item()) == (size == 1)
        assert np.isinf(root.item()) == (size == 2)


@pytest.mark.parametrize("axis", [None, 0, (0, 1)], ids=str)
@pytest.mark.parametrize("name", ["var", "std"])
def test_gradients_of_spread(name, axis):
    function = getattr(ops, name)

    def run(x):
        return function(x, axis, 1)

    check_gradients(run, array(3, 4))


def test_gradients_of_spread_where_there_is_none():
    for function in (ops.var, ops.std):
        gradient = ms.grad(function)(ms.Tensor([[2.5]]))
        assert gradient.shape == (1, 1) and gradient.tolist() == [[0.0]]
        assert ms.grad(function)(ms.Tensor([3.0, 3.0])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["var", "std"])
def test_degrees_are_whole(name):
    function = getattr(ops, name)

    def run(x):
        return function(x, None, 0.5)

    refused("E0303", run, ms.Tensor([1.0, 2.0]))


def test_mean_of_bools():
    def run(x):
        return ops.mean(x > 0), (x > 0).mean(0), ops.var_mean(x > 0)[1]

    for result in both_forms(run, ms.Tensor([1.0, -1.0, 2.0, 3.0])):
        assert (result.dtype, result.item()) == (ms.float32, 0.75)


# ---- median ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*TOLERANCES, ms.int8, ms.int64], ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keep", [False, True])
def test_median(dtype, axis, keep):
    rng = np.random.default_rng(1)
    x = ms.Tensor(np.stack([rng.permutation(6) for _ in range(5)]), dtype)

    def run(x):
        return (
            ops.median(x, axis, keep), x.median(axis, keep), x.median(axis=axis, keepdims=keep),
            x.median(dim=axis, keepdim=keep),
        )  # fmt: skip

    for value, index in both_forms(run, x):
        assert (value.dtype, index.dtype) == (dtype, ms.int64)
        elements = wide(x)
        size = elements.shape[axis]
        expected = np.take(np.sort(elements, axis), [(size - 1) // 2], axis)
        places = index.asnumpy() if keep else np.expand_dims(index.asnumpy(), axis)
        np.testing.assert_array_equal(np.take_along_axis(elements, places, axis), expected)
        expected = expected if keep else expected.squeeze(axis)
        np.testing.assert_array_equal(wide(value), expected)


def test_median_of_the_flat_tensor_of_one_and_with_nan():
    def run(x, one, lost):
        return ops.median(x, None), ops.median(one), x.median(), lost.median(dim=1)

    x = ms.Tensor([[5.0, 1.0], [3.0, 4.0]])
    lost = ms.Tensor([[1.0, np.nan, 0.0], [3.0, 1.0, 2.0]])
    flat, one, last, nan = both_forms(run, x, ms.Tensor(7.0), lost)
    assert [r.item() for r in flat] == [3.0, 2] and [r.item() for r in one] == [7.0, 0]
    assert [r.tolist() for r in last] == [[1.0, 3.0], [1, 0]]
    np.testing.assert_array_equal(nan[0].asnumpy(), [np.nan, 2.0])
    assert nan[1].tolist() == [1, 2]


def test_gradient_of_the_median_goes_to_the_element_taken():
    gradient = ms.grad(lambda x: ops.median(x)[0])(ms.Tensor([[3.0, 1.0, 2.0], [5.0, 9.0, 7.0]]))
    assert gradient.tolist() == [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    check_gradients(lambda x: ops.median(x, 0)[0], [[3.0, 1.0], [5.0, 9.0], [4.0, -7.0]])


def test_medians_that_do_not_exist():
    def of_nothing(x):
        return ops.median(x, 0)

    def too_far(x):
        return ops.median(x, 2)

    def bools(x):
        return ops.median(x > 0)

    refused("E0401", of_nothing, ms.Tensor(np.zeros((0, 3))))
    refused("E0403", too_far, ms.Tensor(np.zeros((2, 3))))
    refused("E0301", bools, ms.Tensor([1.0]))


# ---- logsumexp, nanmean ---------------------------------------------------------------------


@pytest.mark.parametrize("dim", [0, -1, (0, 1), [0], ()], ids=str)
@pytest.mark.parametrize("keep", [False, True])
def test_logsumexp(dim, keep):
    x = np.array([[0.5, 1000.0, 1000.0], [-np.inf, -2.0, 0.25]])

    def run(x):
        return ops.logsumexp(x, dim, keep), x.logsumexp(dim, keep), x.logsumexp(dim, keepdim=keep)

    expected = scipy.special.logsumexp(x, axes_of(dim), keepdims=keep)
    for dtype, tolerance in TOLERANCES.items():
        for result in both_forms(run, ms.Tensor(x, dtype)):
            assert (result.dtype, result.shape) == (dtype, expected.shape)
            np.testing.assert_allclose(wide(result), expected, rtol=tolerance)


def test_logsumexp_of_integers_and_its_gradient():
    def run(x):
        return ops.logsumexp(x, 0)

    assert both_forms(run, ms.Tensor([0, 0])).item() == pytest.approx(np.log(2.0), rel=1e-6)
    check_gradients(run, array(3, 2))
    assert ms.grad(run)(ms.Tensor([-np.inf, -np.inf])).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("axis", [None, 0, 1], ids=str)
def test_nanmean(axis):
    x = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 5.0]])

    def run(x):
        return ops.nanmean(x, axis), ops.nanmean(x, axis, True), ops.nanmean(x, dtype=ms.float64)

    with np.errstate(all="ignore"):
        sums = np.nansum(x, axis), np.nansum(x, axis, keepdims=True)
        counts = np.sum(~np.isnan(x), axis), np.sum(~np.isnan(x), axis, keepdims=True)
        expected = sums[0] / counts[0], sums[1] / counts[1]
    *found, total = both_forms(run, ms.Tensor(x, ms.float32))
    for result, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(result.asnumpy(), wanted, rtol=1e-6)
    assert (total.dtype, total.item()) == (ms.float64, 3.0)
    assert ms.grad(ops.nanmean)(ms.Tensor([1.0, np.nan, 3.0])).tolist() == [0.5, 0.0, 0.5]
