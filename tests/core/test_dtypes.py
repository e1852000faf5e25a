"""Are the two bfloat16 conversions right, bit for bit, and does each number round once?"""

from __future__ import annotations

import copy
import pickle
import sys
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2sad.core import dtypes

ALL_BITS = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
IS_NAN = (ALL_BITS & 0x7FFF) > 0x7F80


def value(bits: int) -> Fraction:
    """What the bfloat16 `bits` stand for; the first number beyond the range for infinity."""
    sign = -1 if bits >> 15 else 1
    if bits & 0x7FFF == 0x7F80:
        return sign * Fraction(2) ** 128
    return Fraction(float(dtypes.bf16_to_f32(np.array(bits, np.uint16))))


def nearest(x: Fraction) -> set[int]:
    """Bits of the bfloat16 nearest to `x`, ties to even, by exact arithmetic."""
    guess = int(dtypes.f32_to_bf16(np.array(clamped(x), np.float32))) & 0x7FFF
    magnitudes = [b for b in range(guess - 2, guess + 3) if 0 <= b <= 0x7F80]
    best = min(magnitudes, key=lambda b: (abs(value(b) - abs(x)), b & 1))
    return {0, 0x8000} if best == 0 else {best | (0x8000 if x < 0 else 0)}


def clamped(x: Fraction) -> float:
    bound = value(0x7F7F)  # the largest finite one
    return float(max(-bound, min(bound, x)))


def test_every_bf16_widens_as_ml_dtypes_does():
    ours = dtypes.bf16_to_f32(ALL_BITS)
    assert ours.dtype == np.float32
    np.testing.assert_array_equal(ours.view(np.uint32), ALL_BITS.astype(np.uint32) << 16)
    theirs = ALL_BITS.view(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(ours.view(np.uint32)[~IS_NAN], theirs.view(np.uint32)[~IS_NAN])
    assert np.isnan(ours[IS_NAN]).all() and np.isnan(theirs[IS_NAN]).all()


def test_every_bf16_survives_float32_and_only_signalling_nan_changes():
    back = dtypes.f32_to_bf16(dtypes.bf16_to_f32(ALL_BITS))
    assert back.dtype == np.uint16
    np.testing.assert_array_equal(back[~IS_NAN], ALL_BITS[~IS_NAN])
    np.testing.assert_array_equal(back[IS_NAN], ALL_BITS[IS_NAN] | 0x0040)


@pytest.mark.parametrize("low", [0x0001, 0x7FFF, 0x8000, 0x8001, 0xFFFF])
def test_float32_around_every_tie_rounds_as_ml_dtypes_does(low):
    between = ((ALL_BITS.astype(np.uint32) << 16) | low).view(np.float32)
    ours = dtypes.f32_to_bf16(between)
    is_nan = np.isnan(between)
    with np.errstate(all="ignore"):
        theirs = between.astype(ml_dtypes.bfloat16).view(np.uint16)
    np.testing.assert_array_equal(ours[~is_nan], theirs[~is_nan])
    # The sign and the upper payload are kept; a payload in the lower half only stays a NaN too.
    np.testing.assert_array_equal(ours[is_nan], ALL_BITS[is_nan] | 0x0040)


def test_float64_rounds_once_beside_every_tie():
    low = ALL_BITS[(ALL_BITS & 0x7FFF) < 0x7F80]
    near = dtypes.bf16_to_f32(low).astype(np.float64)
    far = dtypes.bf16_to_f32((low + 1).astype(np.uint16)).astype(np.float64)
    far[np.isinf(far)] = np.copysign(2.0**128, far[np.isinf(far)])
    middle = (near + far) / 2  # exact: one bit more than bfloat16 has
    even = np.where(low & 1, low + 1, low).astype(np.uint16)
    np.testing.assert_array_equal(dtypes.narrow(middle, dtypes.bfloat16), even)
    outward = np.nextafter(middle, far)
    np.testing.assert_array_equal(dtypes.narrow(outward, dtypes.bfloat16), low + 1)
    inward = np.nextafter(middle, near)
    np.testing.assert_array_equal(dtypes.narrow(inward, dtypes.bfloat16), low)


def test_rounding_through_float32_would_go_wrong_here():
    x = np.array(1 + 2.0**-8 + 2.0**-40)  # just above a tie that float32 would make of it
    assert dtypes.narrow(x, dtypes.bfloat16) == 0x3F81
    assert dtypes.f32_to_bf16(x.astype(np.float32)) == 0x3F80


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=400, deadline=None)
def test_float64_is_rounded_as_by_exact_arithmetic(x):
    found = int(dtypes.narrow(np.array(x), dtypes.bfloat16))
    assert found in nearest(Fraction(x))
    assert found >> 15 == (np.signbit(x))


@pytest.mark.parametrize(("dtype", "low"), [(np.int64, -(2**63)), (np.uint64, 0)])
@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_integers_are_rounded_once(dtype, low, data):
    high = 2**64 if dtype is np.uint64 else 2**63
    exponent = data.draw(st.integers(8, 62))
    tie = (2 * data.draw(st.integers(128, 255)) + 1) << (exponent - 8)
    sign = data.draw(st.sampled_from([1, -1]))
    x = max(low, min(high - 1, sign * (tie + data.draw(st.integers(-1, 1)))))
    found = int(dtypes.narrow(np.array([x], dtype), dtypes.bfloat16)[0])
    assert found in nearest(Fraction(x))


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32])
def test_small_integers_become_bf16_as_ml_dtypes_does(dtype):
    if dtype is np.bool_:
        numbers = np.array([False, True])
    else:
        bounds = np.iinfo(dtype)
        span = np.linspace(bounds.min, bounds.max, 4001).astype(np.int64)
        numbers = span.astype(dtype)
    ours = dtypes.narrow(numbers, dtypes.bfloat16)
    theirs = numbers.astype(np.float64).astype(np.float32).astype(ml_dtypes.bfloat16)
    if dtype is not np.int32:  # up to 16 bits float32 is exact
        np.testing.assert_array_equal(ours, theirs.view(np.uint16))
    for x, bits in zip(numbers.tolist(), ours.tolist(), strict=True):
        assert bits in nearest(Fraction(x))


@pytest.mark.parametrize("bits", [0x7FF0000000000001, 0x7FF8000000000000, 0xFFF8000000000123])
def test_nan_of_float64_keeps_its_sign(bits):
    x = np.array([bits], np.uint64).view(np.float64)
    found = dtypes.narrow(x, dtypes.bfloat16)
    assert np.isnan(dtypes.bf16_to_f32(found)).all()
    assert found[0] >> 15 == bits >> 63


def test_upper_payload_of_float64_nan_is_kept():
    x = np.array([0x7FFA_0000_0000_0000], np.uint64).view(np.float64)
    assert dtypes.narrow(x, dtypes.bfloat16).tolist() == [0x7FD0]


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16, dtypes.float32])
def test_what_is_too_large_becomes_infinite_without_a_warning(dtype):
    found = dtypes.narrow(np.array([1e300, -1e300, np.inf, -0.0, 1e-320]), dtype)
    assert found.dtype == dtype.storage
    expected = np.array([np.inf, -np.inf, np.inf, -0.0, 0.0])
    np.testing.assert_array_equal(dtypes.widen(found), expected)
    np.testing.assert_array_equal(np.signbit(dtypes.widen(found)), np.signbit(expected))


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 3)])
def test_conversions_keep_shapes(shape):
    x = np.ones(shape, np.float32)
    bits = dtypes.f32_to_bf16(x)
    assert bits.shape == shape and bits.dtype == np.uint16
    assert dtypes.bf16_to_f32(bits).shape == shape
    assert dtypes.narrow(x.astype(np.float64), dtypes.bfloat16).shape == shape
    assert dtypes.narrow(np.ones(shape, np.int64), dtypes.bfloat16).shape == shape


def test_conversions_take_strided_arrays():
    x = np.arange(24, dtype=np.float32).reshape(4, 6)[::-2, ::3].T
    np.testing.assert_array_equal(dtypes.bf16_to_f32(dtypes.f32_to_bf16(x)), x)
    bits = ALL_BITS.reshape(256, 256)[::-1, ::2].T
    expected = (bits.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(dtypes.bf16_to_f32(bits), expected)


def test_widen_leaves_wide_dtypes_alone():
    for dtype in dtypes.ALL:
        x = np.zeros(3, dtype.storage)
        assert dtypes.widen(x).dtype == dtype.compute.storage
        assert (dtypes.widen(x) is x) == (not dtype.is_narrow)


def test_names_and_kinds():
    assert [str(d) for d in dtypes.ALL] == [
        "Float16", "BFloat16", "Float32", "Float64", "Int8", "Int16", "Int32", "Int64", "UInt8",
        "Bool",
    ]  # fmt: skip
    assert repr(dtypes.float32) == "s2sad.float32"
    assert len({d.short for d in dtypes.ALL}) == len({d.storage for d in dtypes.ALL}) == 10
    for dtype in dtypes.ALL:
        assert dtype.bits == 8 * dtype.itemsize == 8 * dtype.storage.itemsize
        assert dtype.is_float + dtype.is_integer + (dtype is dtypes.bool_) == 1


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_a_dtype_is_one_object(dtype):
    assert copy.copy(dtype) is dtype and copy.deepcopy([dtype])[0] is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert dtypes.of_array(np.zeros(1, dtype.storage)) is dtype


@pytest.mark.parametrize(
    "name", ["uint32", "uint64", "complex64", "longdouble", "O", "U3", "M8[s]"]
)
def test_foreign_dtypes_are_none_of_ours(name):
    assert dtypes.of_array(np.zeros(1, name)) is None


def test_the_same_integer_under_another_c_name():
    for name in ("longlong", "long", "intc", "byte", "short"):
        dtype = dtypes.of_array(np.zeros(1, name))
        assert dtype is not None and dtype.itemsize == np.dtype(name).itemsize


def test_ml_dtypes_is_known_only_where_it_is_loaded(monkeypatch):
    assert dtypes.ml_bfloat16() == np.dtype(ml_dtypes.bfloat16)
    assert dtypes.is_ml_bfloat16(np.dtype(ml_dtypes.bfloat16))
    monkeypatch.delitem(sys.modules, "ml_dtypes")
    assert dtypes.ml_bfloat16() is None
    assert not dtypes.is_ml_bfloat16(np.dtype(np.float64))  # NumPy takes None for float64
