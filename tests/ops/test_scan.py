"""Running sums, products and extremes against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.elementwise import TOLERANCES, wide
from support.forms import both_forms, check_gradients, check_second_gradients, refused

INTEGERS = [ms.int8, ms.int16, ms.int32, ms.int64, ms.uint8, ms.bool_]
VALUES = np.array([[0.5, -1.5, 2.0, 0.0], [1.25, 3.0, -0.75, 1.0]])
REFERENCES = {"cumsum": np.cumsum, "cumprod": np.cumprod}


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_floats(name, axis, dtype):
    function = getattr(ops, name)
    method = ops.METHODS[name]

    def run(x):
        return function(x, axis), method(x, axis), method(x, dim=axis)

    x = ms.Tensor(VALUES, dtype)
    for result in both_forms(run, x):
        assert result.dtype is dtype
        expected = REFERENCES[name](wide(x), axis)
        np.testing.assert_allclose(wide(result), expected, rtol=TOLERANCES[dtype])


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_and_bools_do_not_wrap_at_once(name, dtype):
    function = getattr(ops, name)

    def run(x):
        return function(x, 0), function(x, 0, ms.int64), function(x, 0, dtype=ms.float32)

    x = ms.Tensor([1, 1, 0, 1] if dtype is ms.bool_ else [100, 27, 100, 3], dtype)
    expected = REFERENCES[name](x.asnumpy().astype(np.int64)).tolist()
    default, long, floats = both_forms(run, x)
    narrow = ms.int64 if name == "cumprod" else ms.int32
    assert default.dtype is (ms.int64 if dtype is ms.int64 else narrow)
    assert (long.dtype, floats.dtype) == (ms.int64, ms.float32)
    assert default.tolist() == long.tolist() == floats.tolist() == expected


def test_methods():
    def run(x):
        return [
            (x.cumsum(), ops.cumsum(ops.reshape(x, (-1,)), 0), x.cumsum(axis=None)),
            (x.cumsum(1), x.cumsum(axis=1), x.cumsum(dim=1), ops.cumsum(x, 1)),
            (x.cumsum(1, ms.float64), x.cumsum(dim=1, dtype=ms.float64)),
            (x.cumprod(1), x.cumprod(dim=1), ops.cumprod(x, 1)),
        ]  # fmt: skip

    for group in both_forms(run, ms.Tensor(VALUES)):
        for other in group[1:]:
            assert group[0].dtype is other.dtype
            np.testing.assert_array_equal(group[0].asnumpy(), other.asnumpy())


@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("dtype", [ms.float32, ms.bfloat16, ms.int8, ms.int64], ids=str)
def test_extremes(name, dtype):
    function = getattr(ops, name)
    method = ops.METHODS[name]

    def run(x):
        return function(x, 1), method(x, axis=-1)

    x = ms.Tensor([[1, 3, 2, 3, 0], [2, 2, 1, 5, 1]], dtype)
    values = wide(x)
    reference = np.maximum if name == "cummax" else np.minimum
    expected = reference.accumulate(values, 1)
    for found, indices in both_forms(run, x):
        assert (found.dtype, indices.dtype) == (dtype, ms.int64)
        np.testing.assert_array_equal(wide(found), expected)
        taken = np.take_along_axis(values, indices.asnumpy(), 1)
        np.testing.assert_array_equal(taken, expected)


def test_nan_beats_all():
    def run(x):
        return ops.cummax(x, 0), ops.cummin(x, 0), ops.cumsum(x, 0)

    (high, _), (low, _), total = both_forms(run, ms.Tensor([1.0, np.nan, 5.0]))
    for result in (high, low, total):
        np.testing.assert_array_equal(result.asnumpy(), [1.0, np.nan, np.nan])


@pytest.mark.parametrize("name", [*REFERENCES, "cummax", "cummin"])
def test_no_elements_and_axes_that_do_not_exist(name):
    function = getattr(ops, name)

    def run(x):
        found = function(x, 0)
        return found if name in REFERENCES else found[0]

    def too_far(x):
        return function(x, 2)

    assert both_forms(run, ms.Tensor(np.zeros((0, 3)))).shape == (0, 3)
    refused("E0403", too_far, ms.Tensor(np.zeros((2, 3))))


def test_arguments_that_do_not_fit():
    def two_names(x):
        return x.cumsum(axis=0, dim=0)

    def bools(x):
        return ops.cummax(x > 0, 0)

    refused("E0302", two_names, ms.Tensor([1.0]))
    refused("E0301", bools, ms.Tensor([1.0]))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", [*REFERENCES, "cummax", "cummin"])
def test_gradients(name, axis):
    function = getattr(ops, name)

    def run(x):
        found = function(x, axis)
        return found if name in REFERENCES else found[0]

    check_gradients(run, VALUES)


# ---- logcumsumexp ---------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("length", [1, 2, 3, 8, 13])
def test_logcumsumexp(axis, dtype, length):
    x = ms.Tensor(np.random.default_rng(length).normal(size=(length, length)) * 5, dtype)
    for result in both_forms(lambda x: (ops.logcumsumexp(x, axis), x.logcumsumexp(axis=axis)), x):
        assert (result.dtype, result.shape) == (dtype, x.shape)
        expected = np.logaddexp.accumulate(wide(x), axis)
        np.testing.assert_allclose(wide(result), expected, rtol=4 * TOLERANCES[dtype], atol=1e-6)


def test_logcumsumexp_at_the_edges():
    def run(x):
        return ops.logcumsumexp(x, -1)

    inf = np.inf
    x = [
        [1000.0, 1000.0, -1000.0, 999.0], [-inf, -inf, 3.0, -inf], [1.0, inf, 2.0, -inf],
        [0.0, np.nan, 1.0, 2.0],
    ]  # fmt: skip
    with np.errstate(invalid="ignore"):
        expected = np.logaddexp.accumulate(np.array(x), -1)
    np.testing.assert_allclose(both_forms(run, ms.Tensor(x, ms.float64)).asnumpy(), expected)
    assert both_forms(run, ms.Tensor(np.zeros((2, 0)))).shape == (2, 0)
    by_x = ms.grad(run)(ms.Tensor([-inf, 0.0, 0.0])).tolist()
    np.testing.assert_allclose(by_x, [1.0, 1.5, 0.5], rtol=1e-6)  # -inf alone moves as it is moved


def test_gradients_of_logcumsumexp():
    x = np.array([[0.5, -1.5, 2.0, 0.0, 0.0], [1.25, 3.0, -0.75, 1.0, 1.0]])
    for axis in (0, 1):
        check_gradients(lambda x, axis=axis: ops.logcumsumexp(x, axis), x)
        check_second_gradients(lambda x, axis=axis: ops.sum(ops.logcumsumexp(x, axis) ** 2), x)


def test_logcumsumexp_of_what_it_is_not_for():
    x = ms.Tensor(VALUES)
    refused("E0301", lambda x: ops.logcumsumexp(x, 0), ms.Tensor([1, 2]))
    refused("E0303", lambda x: ops.logcumsumexp(x, None), x)
    refused("E0403", lambda x: ops.logcumsumexp(x, 2), x)
    refused("E0403", lambda x: ops.logcumsumexp(x, 0), ms.Tensor(1.0))
