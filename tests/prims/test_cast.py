"""Is every number cast to the nearest one, rounded once, or cut off in one defined way?"""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import bool_, f32, f64, i8, i32, i64, u8
from support.laws import (
    EDGES,
    Spec,
    booleans,
    check_laws,
    check_values,
    identical,
    integers,
    normal,
)
from support.reverse import gradient, gradients_at

nan, inf = np.nan, np.inf
FLOATS = tuple(dtype for dtype in dtypes.ALL if dtype.is_float)
INTEGERS = tuple(dtype for dtype in dtypes.ALL if dtype.is_integer)

SPECS = [
    *(Spec(p.cast, (normal(2, 3),), {"dtype": dtype}, gradient=dtype is dtypes.float64)
      for dtype in dtypes.ALL),
    *(Spec(p.cast, (EDGES,), {"dtype": dtype}, gradient=False) for dtype in dtypes.ALL),
    *(Spec(p.cast, (integers(2, 3),), {"dtype": dtype}) for dtype in dtypes.ALL),
    *(Spec(p.cast, (booleans(4),), {"dtype": dtype}) for dtype in dtypes.ALL),
    *(Spec(p.cast, (normal(*shape),), {"dtype": f64}) for shape in ((), (0, 3))),
    *(Spec(p.bitcast, (normal(2, 3),), {"dtype": dtype}, gradient=False)
      for dtype in (f64, i64)),
    *(Spec(p.bitcast, (integers(*shape),), {"dtype": dtypes.float64}, gradient=False)
      for shape in ((), (2, 3), (0, 3))),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


#: Binary digits, and the exponents of the least and of the greatest power of two.
FORMATS = {
    "f16": (11, -24, 15),
    "bf16": (8, -133, 127),
    "f32": (24, -149, 127),
    "f64": (53, -1074, 1023),
}


def nearest(exact: Fraction, dtype: dtypes.DType) -> float:
    """`exact` rounded to nearest even in `dtype`, from the definition."""
    digits, least, most = FORMATS[dtype.short]
    if exact == 0:
        return 0.0
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent += abs(exact) >= Fraction(2) ** (exponent + 1)
    exponent -= abs(exact) < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - digits + 1, least)
    rounded = round(exact / unit) * unit  # of a Fraction: half to even
    if abs(rounded) >= Fraction(2) ** (most + 1):
        return inf if exact > 0 else -inf
    return float(rounded)


def value_of(array: np.ndarray) -> float:
    return float(dtypes.widen(np.asarray(array)))


HALFWAY = st.builds(
    lambda top, shift, low: (top << shift) + low,
    st.integers(2**7, 2**12), st.integers(0, 51), st.integers(-1, 1),
)  # fmt: skip
INT64S = st.one_of(st.integers(-(2**63), 2**63 - 1), HALFWAY, HALFWAY.map(lambda n: -n))


@settings(deadline=None)
@given(INT64S, st.sampled_from(FLOATS))
def test_int64_is_rounded_once(number, dtype):
    found = value_of(p.cast(np.array(number), dtype=dtype))
    assert found == nearest(Fraction(number), dtype)


DOUBLES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.builds(
        lambda n, low, exponent: float(np.ldexp(n + low * 2.0**-40, exponent)),
        st.integers(-(2**12), 2**12), st.sampled_from([-1, 0, 1]), st.integers(-150, 120),
    ),
    st.builds(np.ldexp, st.integers(-(2**13), 2**13).map(float), st.integers(-26, 6)).map(float),
)  # fmt: skip


@settings(deadline=None)
@given(DOUBLES, st.sampled_from(FLOATS))
def test_float64_is_rounded_once(number, dtype):
    found = value_of(p.cast(np.array(number), dtype=dtype))
    assert found == nearest(Fraction(number), dtype)
    assert np.signbit(found) == np.signbit(number)


@settings(deadline=None)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_float32_to_bfloat16_agrees_with_ml_dtypes(number):
    found = p.cast(np.float32(number), dtype=dtypes.bfloat16)
    assert found == np.float32(number).astype(ml_dtypes.bfloat16).view(np.uint16)


@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
@pytest.mark.parametrize("target", dtypes.ALL, ids=str)
def test_small_whole_numbers_keep_their_value_between_all_dtypes(source, target):
    numbers = [0, 1] if dtypes.bool_ in (source, target) else [0, 1, 2, 100, 127]
    given = dtypes.narrow(np.array(numbers, np.float32), source)
    found = p.cast(given, dtype=target)
    check_values(found, dtypes.narrow(np.array(numbers, np.float32), target))


@pytest.mark.parametrize("source", FLOATS, ids=str)
@pytest.mark.parametrize("target", FLOATS, ids=str)
def test_special_floats_stay_what_they_are(source, target):
    special = np.array([nan, inf, -inf, -0.0], np.float32)
    found = p.cast(dtypes.narrow(special, source), dtype=target)
    check_values(dtypes.widen(found).astype(np.float32), special)


@pytest.mark.parametrize("source", FLOATS, ids=str)
@pytest.mark.parametrize("target", INTEGERS, ids=str)
def test_floats_are_cut_off_and_held_in_range(source, target):
    bounds = np.iinfo(target.storage)
    numbers = [nan, inf, -inf, -0.0, 0.9, -0.9, 1.5, -1.5, 126.5, 300.0, -300.0, 1e30, -1e30]
    numbers += [float(bounds.max), float(bounds.max) + 1, float(bounds.min), bounds.min - 1.0]
    with np.errstate(over="ignore"):
        array = dtypes.narrow(np.array(numbers), source)

    def exact(value: float) -> int:
        if np.isnan(value):
            return 0
        if np.isinf(value):
            return bounds.max if value > 0 else bounds.min
        return min(max(int(value), bounds.min), bounds.max)

    expected = [exact(float(value)) for value in dtypes.widen(array)]
    check_values(p.cast(array, dtype=target), np.array(expected, target.storage))
    check_values(p.cast(array[0], dtype=target), np.array(0, target.storage))


def test_integers_wrap():
    check_values(p.cast(np.array([300, -1, 2**40 + 3]), dtype=i8), np.array([44, -1, 3], np.int8))
    check_values(p.cast(np.int8(-1), dtype=u8), np.uint8(255))


def test_truth_is_whether_it_is_not_zero():
    floats = np.array([nan, inf, -0.0, 0.0, 1e-320])
    check_values(p.cast(floats, dtype=bool_), np.array([True, True, False, False, True]))
    bits = np.array([0x8000, 0x0001, 0x7FC0], np.uint16)
    check_values(p.cast(bits, dtype=bool_), np.array([False, True, True]))
    check_values(p.cast(np.array([2**40, 0]), dtype=bool_), np.array([True, False]))


def test_gradients_flow_between_floats_only():
    x = np.array([1.0, 2.0])
    check_values(gradients_at(p.cast, x, dtype=f32)[0], np.ones(2))
    check_values(gradients_at(p.cast, x, dtype=i32)[0], np.zeros(2))
    program = gradient(build_function(lambda v: p.cast(v, dtype=f32), [f64[2]]))
    (dx,) = evaluate(program, [x, np.array([0.1, -0.0], np.float32)])
    check_values(dx, np.array([0.1, -0.0], np.float32).astype(np.float64))


def test_bitcast_there_and_back():
    x = np.array([1.0, -0.0, nan, inf], np.float32)
    bits = p.bitcast(x, dtype=i32)
    check_values(bits[:2], np.array([0x3F800000, -(2**31)], np.int32))
    assert identical(p.bitcast(bits, dtype=f32), x)
    half = np.array([0x3F80], np.uint16)  # bfloat16 1.0
    check_values(p.bitcast(half, dtype=dtypes.float16), half.view(np.float16))
    check_values(p.bitcast(np.array(-1, np.int8), dtype=u8), np.uint8(255))


@pytest.mark.parametrize(
    ("operand", "dtype"), [(1.0, f32), (np.float32(1), i64), (True, u8), (np.uint8(1), bool_)]
)
def test_bitcast_needs_equal_sizes_and_no_bool(operand, dtype):
    with pytest.raises(S2sadError, match="E0301"):
        p.bitcast(operand, dtype=dtype)


def test_a_cast_needs_a_dtype():
    with pytest.raises(S2sadError, match="E0303"):
        p.cast(np.array(1.0), dtype="f32")
    with pytest.raises(S2sadError, match="E0303"):
        p.cast(np.array(1.0), dtype=f32[2])
