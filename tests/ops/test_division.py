"""Quotients and remainders against NumPy and Python, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.elementwise import wide
from support.forms import both_forms, check_gradients, refused

FLOATS = [ms.float16, ms.bfloat16, ms.float32, ms.float64]
INTEGERS = [ms.int8, ms.int16, ms.int32, ms.int64, ms.uint8]
ENDS = np.array([0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 7.0, -7.0, np.inf, -np.inf, np.nan])
ROUNDED = {
    "floor_divide": np.floor_divide, "floor_div": np.floor_divide, "remainder": np.remainder,
    "floor_mod": np.remainder, "fmod": np.fmod,
}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats(name, dtype):
    function = getattr(ops, name)

    def run(x, y):
        return function(x, y), function(x, 2), function(-7.5, y)

    x, y = ms.Tensor(ENDS[:, None], dtype), ms.Tensor(ENDS, dtype)
    a, b = wide(x), wide(y)
    reference = ROUNDED[name]
    with np.errstate(all="ignore"):
        expected = reference(a, b), reference(a, 2.0), reference(-7.5, b)
    for result, wanted in zip(both_forms(run, x, y), expected, strict=True):
        assert result.dtype is dtype
        np.testing.assert_array_equal(wide(result), wanted)
        is_number = ~np.isnan(wanted)
        assert (np.signbit(wide(result)) == np.signbit(wanted))[is_number].all()


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers(dtype):
    bounds = np.iinfo(dtype.storage)
    values = [v for v in (bounds.min, bounds.max, 0, 1, -1, 2, -2, 7, -7, 100) if v >= bounds.min]

    def run(x, y):
        return [
            x // y, x % y, ops.floor_divide(x, y), ops.remainder(x, y), ops.fmod(x, y),
            ops.div(x, y, rounding_mode="floor"), ops.div(x, y, rounding_mode="trunc"),
            x.div(y, rounding_mode="trunc"),
        ]  # fmt: skip

    x, y = ms.Tensor(np.array(values)[:, None], dtype), ms.Tensor(values, dtype)
    found = both_forms(run, x, y)
    assert {result.dtype for result in found} == {dtype}

    def wrapped(number):
        return np.array(number).astype(dtype.storage)

    for i, a in enumerate(values):
        for j, b in enumerate(values):
            down, rest = (a // b, a % b) if b else (0, 0)
            cut = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0
            left = abs(a) % abs(b) * (1 if a > 0 else -1) if b else 0
            expected = [down, rest, down, rest, left, down, cut, cut]
            for result, number in zip(found, expected, strict=True):
                assert result.asnumpy()[i, j] == wrapped(number), (a, b)


def test_operators_and_methods():
    x, y = ms.Tensor([7.5, -7.5]), ms.Tensor([2, -2])

    def run(x, y):
        return [
            (x // y, ops.floor_divide(x, y), x.floor_divide(y), ops.floor_div(x, y)),
            (x % y, ops.remainder(x, y), x.remainder(y), ops.floor_mod(x, y)),
            (x // 2, ops.floor_divide(x, 2)), (7 // y, ops.floor_divide(7, y)),
            (x % 2, ops.remainder(x, 2)), (7 % y, ops.remainder(7, y)),
            (ops.fmod(x, y), x.fmod(y)),
            (x / y, ops.div(x, y), ops.divide(x, y), ops.true_divide(x, y), x.true_divide(y)),
            (1 / x, ops.reciprocal(x), x.reciprocal()),
            (ops.div(x, y, rounding_mode="floor"), x // y),
            (ops.div(x, y, rounding_mode="trunc"), ops.trunc(x / y)),
        ]  # fmt: skip

    for group in both_forms(run, x, y):
        for other in group[1:]:
            assert group[0].dtype is other.dtype
            np.testing.assert_array_equal(group[0].asnumpy(), other.asnumpy())


def test_divmod():
    x = ms.Tensor([-7, 7])
    for pair, expected in [
        (divmod(x, 2), ([-4, 3], [1, 1])), (divmod(x, ms.Tensor([2, -2])), ([-4, -4], [1, -1])),
        (divmod(9, x), ([-2, 1], [-5, 2])),
    ]:  # fmt: skip
        assert tuple(part.tolist() for part in pair) == expected


def test_reciprocal_of_integers():
    def run(x):
        return ops.reciprocal(x)

    result = both_forms(run, ms.Tensor([2, 0, -4]))
    assert result.dtype is ms.float32 and result.tolist() == [0.5, np.inf, -0.25]


def test_arguments_that_do_not_fit():
    def another_mode(x):
        return ops.div(x, x, rounding_mode="ceil")

    def bools(x):
        return (x > 0) // (x > 0)

    refused("E0404", another_mode, ms.Tensor([1.0]))
    refused("E0301", bools, ms.Tensor([1.0]))


X, Y = np.array([7.25, -7.25, 3.5, -1.0]), np.array([2.0, 2.0, -1.5, -3.0])


def test_bools_beside_integers_count_as_integers():
    def run(x, true):
        return ops.fmod(x, True), ops.fmod(x, true), ops.truncate_mod(x, True), ops.fmod(True, x)

    found = both_forms(run, ms.Tensor([-7, 2]), ms.Tensor([True, True]))
    assert [y.tolist() for y in found] == [[0, 0], [0, 0], [0, 0], [1, 1]]


@pytest.mark.parametrize("name", ["remainder", "fmod", "div", "reciprocal"])
def test_gradients(name):
    if name == "reciprocal":
        check_gradients(ops.reciprocal, X)
    else:
        check_gradients(getattr(ops, name), X, Y)


@pytest.mark.parametrize("mode", ["floor", "trunc"])
def test_rounded_quotients_have_no_gradient(mode):
    def run(x, y):
        return ops.div(x, y, rounding_mode=mode)

    for gradient in ms.grad(run, (0, 1))(ms.Tensor(X), ms.Tensor(Y)):
        assert gradient.tolist() == [0.0] * 4


def test_gradients_of_remainders_by_a_number():
    def remainder(x):
        return x % 3

    def quotient(x):
        return x // 3

    x = ms.Tensor([5.0, -5.0, 3.0])
    assert ms.grad(remainder)(x).tolist() == [1.0] * 3
    assert ms.grad(quotient)(x).tolist() == [0.0] * 3
    assert ms.grad(lambda x: ops.fmod(x, 3.0))(x).tolist() == [1.0] * 3
