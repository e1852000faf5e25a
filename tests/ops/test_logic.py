"""Truth values and bits against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, refused

LOGICAL = {
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor
}  # fmt: skip
BITWISE = {
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor
}  # fmt: skip


@pytest.mark.parametrize("name", LOGICAL)
@pytest.mark.parametrize("one", [ms.bool_, ms.int8, ms.float32, ms.bfloat16], ids=str)
@pytest.mark.parametrize("other", [ms.bool_, ms.int64, ms.float16], ids=str)
def test_truth(name, one, other):
    function = getattr(ops, name)
    method = ops.METHODS[name]

    def run(x, y):
        return function(x, y), method(x, y), function(x, True), function(0, y)

    x, y = ms.Tensor([[0], [1]], one), ms.Tensor([0, 1], other)
    a, b = np.array([[False], [True]]), np.array([False, True])
    reference = LOGICAL[name]
    expected = reference(a, b), reference(a, b), reference(a, True), reference(False, b)
    for result, wanted in zip(both_forms(run, x, y), expected, strict=True):
        assert result.dtype is ms.bool_
        np.testing.assert_array_equal(result.asnumpy(), wanted)


def test_what_holds():
    def run(x, n, b):
        return ops.logical_not(x), x.logical_not(), ~n, ~b, ops.logical_and(x, x)

    x = ms.Tensor([0.0, -0.0, 1e-30, np.nan, -np.inf])
    found = both_forms(run, x, ms.Tensor([0, 2, -1]), ms.Tensor([True, False]))
    assert {result.dtype for result in found} == {ms.bool_}
    nothing = [True, True, False, False, False]
    expected = [nothing, nothing, [True, False, False], [False, True]]
    assert [r.tolist() for r in found[:4]] == expected
    assert found[4].tolist() == [False, False, True, True, True]


@pytest.mark.parametrize("name", BITWISE)
@pytest.mark.parametrize("dtype", [ms.int8, ms.int32, ms.int64, ms.uint8], ids=str)
def test_bits(name, dtype):
    function = getattr(ops, name)
    method = ops.METHODS[name]

    def run(x, y):
        return function(x, y), method(x, y), function(x, 5), function(6, y)

    x, y = ms.Tensor([[6], [3], [120]], dtype), ms.Tensor([5, 12], dtype)
    a, b = x.asnumpy(), y.asnumpy()
    reference, five, six = BITWISE[name], dtype.storage.type(5), dtype.storage.type(6)
    expected = reference(a, b), reference(a, b), reference(a, five), reference(six, b)
    for result, wanted in zip(both_forms(run, x, y), expected, strict=True):
        assert result.dtype is dtype
        np.testing.assert_array_equal(result.asnumpy(), wanted)


def test_operators():
    def run(x, y, b, c):
        return [
            (x & y, ops.bitwise_and(x, y)), (x | y, ops.bitwise_or(x, y)),
            (x ^ y, ops.bitwise_xor(x, y)), (x & 3, 3 & x), (x | 3, 3 | x), (x ^ 3, 3 ^ x),
            (b & c, ops.logical_and(b, c), b * c), (b | c, ops.logical_or(b, c), b + c),
            (b ^ c, ops.logical_xor(b, c), b != c), (b & True, True & b, b),
            (~b, ops.logical_not(b), ops.bitwise_not(b)), (~(b & c), ~b | ~c),
            (x << 2, x * 4, ops.bitwise_left_shift(x, 2)), (1 << x, 2**x),
            (x >> 1, x // 2, ops.bitwise_right_shift(x, 1)), (64 >> x, 64 // 2**x),
            (ops.bitwise_not(x), -x - 1),
        ]  # fmt: skip

    x, y = ms.Tensor([6, 5, 0]), ms.Tensor([3, 4, 7])
    b, c = ms.Tensor([True, False, True]), ms.Tensor([True, True, False])
    for group in both_forms(run, x, y, b, c):
        for other in group[1:]:
            assert group[0].dtype is other.dtype
            assert group[0].tolist() == other.tolist()


def test_bools_and_integers_meet():
    def run(b, n):
        return b & n, b | 2

    one, other = both_forms(run, ms.Tensor([True, False]), ms.Tensor([3, 3], ms.int8))
    assert (one.dtype, one.tolist()) == (ms.int8, [1, 0])
    assert (other.dtype, other.tolist()) == (ms.int64, [3, 2])


def test_what_has_no_bits():
    def floats(x):
        return x & x

    def a_float(x):
        return ops.cast(x, ms.int32) | 1.0

    def shifted_bools(x):
        return (x > 0) << 1

    def numbers(x):
        return ops.logical_and(True, False) & (x > 0)

    def no_tensor(x):
        return ops.logical_not(True) & (x > 0)

    for function in (floats, a_float):
        refused("E0301", function, ms.Tensor([1.0]))
    for function in (numbers, no_tensor):
        refused("E0304", function, ms.Tensor([1.0]))

    def shifted(x):
        return ops.cast(x, ms.int32) << 0.5

    refused("E0301", shifted, ms.Tensor([1.0]))
    result = both_forms(shifted_bools, ms.Tensor([1.0, -1.0]))
    assert (result.dtype, result.tolist()) == (ms.int64, [2, 0])
