"""Larger and smaller elements, and bounds, against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.elementwise import wide
from support.forms import both_forms, check_gradients, refused

FLOATS = [ms.float16, ms.bfloat16, ms.float32, ms.float64]
ENDS = np.array([0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan])
PAIRS = {"maximum": np.maximum, "minimum": np.minimum, "fmax": np.fmax, "fmin": np.fmin}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats(name, dtype):
    function = getattr(ops, name)
    method = ops.METHODS[name]

    def run(x, y):
        return function(x, y), method(x, y), function(x, 1), function(float("nan"), y)

    x, y = ms.Tensor(ENDS[:, None], dtype), ms.Tensor(ENDS, dtype)
    reference = PAIRS[name]
    a, b = wide(x), wide(y)
    expected = reference(a, b), reference(a, b), reference(a, 1.0), reference(np.nan, b)
    for result, wanted in zip(both_forms(run, x, y), expected, strict=True):
        assert result.dtype is dtype
        np.testing.assert_array_equal(wide(result), wanted)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("dtype", [ms.int8, ms.uint8, ms.int64, ms.bool_], ids=str)
def test_integers_and_bools(name, dtype):
    function = getattr(ops, name)

    def run(x, y):
        return function(x, y)

    x, y = ms.Tensor([[0], [1]], dtype), ms.Tensor([0, 1], dtype)
    result = both_forms(run, x, y)
    assert result.dtype is dtype
    assert result.tolist() == PAIRS[name](x.asnumpy(), y.asnumpy()).tolist()


def test_numbers_beyond_a_dtype_do_not_wrap():
    def run(x):
        return [
            ops.maximum(x, -1), ops.maximum(x, 300), ops.minimum(x, -1), ops.minimum(x, 300),
            ops.clamp(x, -5, 300), ops.clamp(x, 300, 400), x.clamp(max=-7), ops.fmax(x, -1),
        ]  # fmt: skip

    found = both_forms(run, ms.Tensor([0, 7, 255], ms.uint8))
    assert {result.dtype for result in found} == {ms.uint8}
    x, low, high = [0, 7, 255], [0] * 3, [255] * 3
    assert [r.tolist() for r in found] == [x, high, low, x, x, high, low, x]


@pytest.mark.parametrize("dtype", [*FLOATS, ms.int32], ids=str)
def test_clamp(dtype):
    def run(x, low, high):
        return [
            (ops.clamp(x, low, high), ops.clip(x, low, high), ops.clip_by_value(x, low, high),
             x.clamp(low, high), x.clip(min=low, max=high),
             ops.clip_by_value(x, clip_value_min=low, clip_value_max=high)),
            (ops.clamp(x, low), x.clamp(min=low), ops.maximum(x, low)),
            (ops.clamp(x, max=high), ops.clip_by_value(x, clip_value_max=high),
             ops.minimum(x, high)),
            (ops.clamp(x, -1, 2), ops.clamp(x, -1, high), ops.clamp(x, low, 2)),
            (ops.clamp(x, 2, -1), ops.clamp(x, max=-1, min=-1)),
        ]  # fmt: skip

    x = ms.Tensor([-3, -1, 0, 2, 9], dtype)
    groups = both_forms(run, x, ms.Tensor(-1, dtype), ms.Tensor(2, dtype))
    expected = [
        [-1, -1, 0, 2, 2], [-1, -1, 0, 2, 9], [-3, -1, 0, 2, 2], [-1, -1, 0, 2, 2], [-1] * 5,
    ]  # fmt: skip
    for group, wanted in zip(groups, expected, strict=True):
        for result in group:
            assert result.dtype is dtype and wide(result).tolist() == wanted


def test_clamp_promotes_keeps_nan_and_takes_bools():
    def run(x, n, b):
        return ops.clamp(x, -1, 1), ops.clamp(n, 0.5, 2), ops.clamp(b, True), ops.clamp(x, b, 2.0)

    x, n, b = ms.Tensor([np.nan, 5.0]), ms.Tensor([0, 7]), ms.Tensor([False, True])
    kept, promoted, bools, mixed = both_forms(run, x, n, b)
    np.testing.assert_array_equal(kept.asnumpy(), [np.nan, 1.0])
    assert promoted.dtype is ms.float32 and promoted.tolist() == [0.5, 2.0]
    assert bools.dtype is ms.bool_ and bools.tolist() == [True, True]
    np.testing.assert_array_equal(mixed.asnumpy(), [np.nan, 2.0])


def test_clamp_takes_several_tensors():
    def run(x, y):
        return ops.clamp((x, y), 0, 1), ops.clip_by_value([x, y], 0, 1)

    found = both_forms(run, ms.Tensor([-1.0, 3.0]), ms.Tensor([0.5]))
    assert [type(part) for part in found] == [tuple, list]
    for part in found:
        assert [result.tolist() for result in part] == [[0.0, 1.0], [0.5]]


def test_arguments_that_do_not_fit():
    def without_bounds(x):
        return ops.clamp(x)

    def of_a_number(x):
        return ops.clamp(0.5, x, 1.0)

    def of_numbers(x):
        return ops.maximum(1, 2) + x

    refused("E0302", without_bounds, ms.Tensor([1.0]))
    refused("E0304", of_a_number, ms.Tensor([1.0]))
    refused("E0304", of_numbers, ms.Tensor([1.0]))


X, Y = np.array([0.5, -1.5, 2.0, 0.25]), np.array([1.0, -2.0, 1.75, 3.0])


@pytest.mark.parametrize("name", PAIRS)
def test_gradients(name):
    check_gradients(getattr(ops, name), X, Y)


def test_gradients_at_ties_bounds_and_nan():
    x, y = ms.Tensor([1.0, np.nan, 0.0]), ms.Tensor([1.0, 2.0, np.nan])
    for function in (ops.maximum, ops.minimum):
        for gradient in ms.grad(function, (0, 1))(x, y):
            assert gradient.tolist() == [0.5, 0.0, 0.0]
    for function in (ops.fmax, ops.fmin):
        by_x, by_y = ms.grad(function, (0, 1))(x, y)
        assert by_x.tolist() == [0.5, 0.0, 1.0] and by_y.tolist() == [0.5, 1.0, 0.0]

    x = ms.Tensor([-2.0, -1.0, 0.0, 1.0, 2.0])
    assert ms.grad(lambda x: ops.clamp(x, -1, 1))(x).tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]
    assert ms.grad(lambda x: ops.clamp(x, min=-1))(x).tolist() == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert ms.grad(lambda x: ops.clamp(x, max=1))(x).tolist() == [1.0, 1.0, 1.0, 1.0, 0.0]


def test_gradients_of_bounds():
    def run(x, low, high):
        return ops.clamp(x, low, high)

    check_gradients(run, [-2.0, 0.5, 3.0], [-1.0, -1.5, -1.25], [1.0, 1.5, 1.25])
