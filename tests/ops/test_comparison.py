"""Comparisons and questions about single numbers, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.elementwise import wide
from support.forms import both_forms, refused

FLOATS = [ms.float16, ms.bfloat16, ms.float32, ms.float64]
ENDS = [1.0, 0.0, np.inf, -np.inf, np.nan]
NAMES = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    function, short = getattr(ops, NAMES[name]), getattr(ops, name)
    one, other = ops.METHODS[NAMES[name]], ops.METHODS[name]

    def run(x, y):
        return function(x, y), short(x, y), one(x, y), other(x, y)

    first, *others = both_forms(run, ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([3, 2, 1]))
    for result in others:
        assert result.dtype is ms.bool_ and result.tolist() == first.tolist()


@pytest.mark.parametrize("number", [-1, 300, 2**40, -(2**40), 2**80, -(2**80), 255, 0])
@pytest.mark.parametrize("dtype", [ms.uint8, ms.int8, ms.int64], ids=str)
def test_integers_that_a_dtype_cannot_hold(number, dtype):
    bounds = np.iinfo(dtype.storage)

    def run(x):
        return [
            x == number, x != number, x < number, x <= number, x > number, x >= number,
            number == x, number < x, ops.less(number, x), ops.equal(x, number),
        ]  # fmt: skip

    values = [bounds.min, 0, 44, bounds.max]
    found = both_forms(run, ms.Tensor(values, dtype))
    expected = [
        [v == number for v in values], [v != number for v in values], [v < number for v in values],
        [v <= number for v in values], [v > number for v in values], [v >= number for v in values],
        [number == v for v in values], [number < v for v in values], [number < v for v in values],
        [v == number for v in values],
    ]  # fmt: skip
    assert [result.tolist() for result in found] == expected


def test_integers_beyond_64_bits_are_no_operands():
    def added(x):
        return x + 2**70

    refused("E0404", added, ms.Tensor([1]))
    assert both_forms(added, ms.Tensor([1.0])).tolist() == [2.0**70]


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
@pytest.mark.parametrize("dtype", [*FLOATS, ms.int8, ms.bool_], ids=str)
def test_questions(name, dtype):
    function = getattr(ops, name)
    method = ops.METHODS[name]

    def run(x):
        return function(x), method(x)

    x = ms.Tensor(ENDS if dtype.is_float else [1, 0], dtype)
    expected = getattr(np, name)(wide(x)).tolist()
    for result in both_forms(run, x):
        assert result.dtype is ms.bool_ and result.tolist() == expected


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_isclose(dtype, equal_nan):
    values = [1.0, 1.00001, 1.01, 0.0, 1e-9, np.inf, -np.inf, np.nan]

    def run(x, y):
        return [
            ops.isclose(x, y, equal_nan=equal_nan), x.isclose(y, 1e-5, 1e-8, equal_nan),
            ops.isclose(x, y, rtol=0.1, equal_nan=equal_nan),
            ops.isclose(x, y, 0.0, 0.5, equal_nan),
        ]  # fmt: skip

    x, y = ms.Tensor(np.array(values)[:, None], dtype), ms.Tensor(values, dtype)
    a, b = wide(x), wide(y)
    near = np.isclose(a, b, equal_nan=equal_nan)
    wider = np.isclose(a, b, rtol=0.1, equal_nan=equal_nan)
    widest = np.isclose(a, b, 0.0, 0.5, equal_nan)
    for result, wanted in zip(both_forms(run, x, y), (near, near, wider, widest), strict=True):
        np.testing.assert_array_equal(result.asnumpy(), wanted)


def test_isclose_of_integers_is_exact():
    def run(x, y):
        return ops.isclose(x, y, 0.0, 0.5), ops.isclose(x, 16777217, 0.0, 0.5)

    x, y = ms.Tensor([16777217, 3]), ms.Tensor([16777216, 3])
    one, other = both_forms(run, x, y)
    assert one.tolist() == [False, True] and other.tolist() == [True, False]


def test_allclose():
    def run(x, y):
        return [
            ops.allclose(x, y), x.allclose(y, rtol=0.5), ops.allclose(x, x),
            ops.allclose(x, x, equal_nan=True), ops.allclose(y, y), ms.mint.allclose(y, y),
        ]  # fmt: skip

    given = ms.Tensor([1.0, np.nan]), ms.Tensor([1.1, 2.0])
    found, compiled = run(*given), ms.compile(run)(*given)
    assert found == [False, False, False, True, True, True]
    assert all(type(each) is bool for each in found)
    assert [(each.dtype, each.shape) for each in compiled] == 6 * [(ms.bool_, ())]
    assert [each.item() for each in compiled] == found


def test_allclose_decides():
    def run(x, y):
        if x.allclose(y):
            return x + 1
        return x

    x = ms.Tensor([1.0, 2.0])
    assert both_forms(run, x, x * 1.000001).tolist() == [2.0, 3.0]
    assert both_forms(run, x, x * 1.1).tolist() == [1.0, 2.0]
    nothing = ms.Tensor(np.zeros((0, 2)))
    assert nothing.allclose(nothing) is True
    refused("E0401", lambda x, y: x.allclose(y), x, ms.Tensor([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_to_num(dtype):
    largest = {ms.float16: 65504.0, ms.bfloat16: (2 - 2.0**-7) * 2.0**127}.get(dtype)
    largest = float(np.finfo(dtype.storage).max) if largest is None else largest

    def run(x):
        return [
            ops.nan_to_num(x), x.nan_to_num(), ops.nan_to_num(x, 7.0, 8.0, 9.0),
            x.nan_to_num(nan=7.0), ops.nan_to_num(x, posinf=float("nan")),
        ]  # fmt: skip

    found = [wide(r) for r in both_forms(run, ms.Tensor(ENDS, dtype))]
    bounded = [1.0, 0.0, largest, -largest, 0.0]
    expected = [
        bounded, bounded, [1.0, 0.0, 8.0, 9.0, 7.0], [*bounded[:4], 7.0],
        [1.0, 0.0, np.nan, -largest, 0.0],
    ]  # fmt: skip
    for result, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_nan_to_num_of_integers_and_its_gradient():
    def run(x):
        return ops.nan_to_num(x)

    result = both_forms(run, ms.Tensor([1, 2], ms.int8))
    assert (result.dtype, result.tolist()) == (ms.int8, [1, 2])
    assert ms.grad(run)(ms.Tensor(ENDS)).tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("function", [ops.isnan, ops.isinf, ops.isfinite, ops.nan_to_num])
def test_of_what_is_no_tensor(function):
    def run(x):
        return function(3.0) + x

    refused("E0304", run, ms.Tensor(1.0))
