"""Is every dtype that operands meet in that of MindSpore's table?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.core.diagnostics import S2sadError
from s2sad.ops.promotion import common, dtype_of, with_number
from support.forms import both_forms, refused

NAMES = "bool_ uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()

#: Row and column in the order of NAMES, as observed in MindSpore 2.10.
TABLE = """
bool_    uint8    int8     int16    int32    int64    float16  bfloat16 float32  float64
uint8    uint8    int16    int16    int32    int64    float16  bfloat16 float32  float64
int8     int16    int8     int16    int32    int64    float16  bfloat16 float32  float64
int16    int16    int16    int16    int32    int64    float16  bfloat16 float32  float64
int32    int32    int32    int32    int32    int64    float16  bfloat16 float32  float64
int64    int64    int64    int64    int64    int64    float16  bfloat16 float32  float64
float16  float16  float16  float16  float16  float16  float16  float32  float32  float64
bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 float32  bfloat16 float32  float64
float32  float32  float32  float32  float32  float32  float32  float32  float32  float64
float64  float64  float64  float64  float64  float64  float64  float64  float64  float64
"""
EXPECTED = {
    (row, column): name
    for row, line in zip(NAMES, TABLE.split("\n")[1:-1], strict=True)
    for column, name in zip(NAMES, line.split(), strict=True)
}

#: What a tensor of each dtype becomes with a Python bool, int or float.
WITH_NUMBERS = {
    name: (name, "int64" if name == "bool_" else name, name if "float" in name else "float32")
    for name in NAMES
}

ARITHMETIC = (ops.add, ops.sub, ops.mul)
COMPARISONS = (ops.less, ops.less_equal, ops.greater, ops.greater_equal, ops.equal, ops.not_equal)


def dtype(name):
    return getattr(ms, name)


@pytest.mark.parametrize(("one", "other"), EXPECTED)
def test_two_tensors(one, other):
    expected = dtype(EXPECTED[one, other])
    assert common(dtype(one), dtype(other)) is expected
    x, y = ms.Tensor([1, 0], dtype(one)), ms.Tensor([1, 1], dtype(other))

    def selected(x, y):
        return ops.where(x == y, x, y)

    assert both_forms(selected, x, y).dtype is expected

    def compared(x, y):
        return [compare(x, y) for compare in COMPARISONS]

    assert {result.dtype for result in both_forms(compared, x, y)} == {ms.bool_}

    def computed(x, y):
        return [operation(x, y) for operation in ARITHMETIC]

    if expected is ms.bool_:
        refused("E0301", computed, x, y)
    else:
        assert {result.dtype for result in both_forms(computed, x, y)} == {expected}

    def divided(x, y):
        return x / y

    quotient = both_forms(divided, x, y)
    assert quotient.dtype is (expected if expected.is_float else ms.float32)
    assert quotient.tolist() == [1.0, 0.0]


NUMBERS = [True, 3, 2.5]
SCALARS = [
    np.bool_(True),
    np.int16(3),
    np.uint8(3),
    np.float16(2.5),
    np.float32(2.5),
    np.float64(2.5),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("number", [*NUMBERS, *SCALARS], ids=repr)
def test_a_tensor_and_a_number(name, number):
    plain = number.item() if isinstance(number, np.generic) else number
    expected = dtype(WITH_NUMBERS[name][NUMBERS.index(plain)])
    assert with_number(dtype(name), plain) is expected
    x = ms.Tensor([1, 0], dtype(name))

    def selected(x):
        return ops.where(x == number, x, number), ops.where(x == x, number, x)

    for result in both_forms(selected, x):
        assert result.dtype is expected

    def computed(x):
        return [x + number, number + x, x * number, number * x, x - number, number - x]

    if expected is ms.bool_:
        refused("E0301", computed, x)
        return
    for result, value in zip(
        both_forms(computed, x),
        ([1 + plain, plain], [1 + plain, plain], [plain, 0], [plain, 0], None, None),
        strict=True,
    ):
        assert result.dtype is expected
        assert value is None or result.tolist() == value


def test_what_wraps_and_what_does_not():
    """Facts observed in MindSpore."""

    def facts(i8, u8, i64):
        return [i8 + 300, u8 - 2, i8 * i8, u8 + i8, i64 + 0.5, i64 + 2]

    wide, byte, product, mixed, half, same = both_forms(
        facts, ms.Tensor([1], ms.int8), ms.Tensor([1], ms.uint8), ms.Tensor([2**40 + 1])
    )
    assert (wide.tolist(), wide.dtype) == ([45], ms.int8)
    assert (byte.tolist(), byte.dtype) == ([255], ms.uint8)
    assert (product.tolist(), product.dtype) == ([1], ms.int8)
    assert (mixed.tolist(), mixed.dtype) == ([2], ms.int16)
    assert half.dtype is ms.float32 and same.dtype is ms.int64


def test_an_integer_becomes_a_narrow_float_with_one():
    def meet(n, x):
        return n + x

    found = both_forms(meet, ms.Tensor([2049]), ms.Tensor([0.0], ms.float16))
    assert found.dtype is ms.float16 and found.tolist() == [2048.0]


@pytest.mark.parametrize("other", [None, "text", [1.0], (1.0,), 1j, np.complex64(1), object()])
def test_what_is_no_operand(other):
    x = ms.Tensor([1.0])

    def added(x):
        return x + other

    refused("E0304", added, x)

    def subtracted(x):
        return other - x

    if not isinstance(other, str):
        refused("E0304", subtracted, x)
    with pytest.raises(S2sadError, match="E0304"):
        ops.add(1, 2)


def test_numpys_arrays_meet_tensors_as_the_tensors_that_they_would_make():
    x, array = ms.Tensor([1.0]), np.array([2.0])
    for result in (x + array, array + x, ops.mul(array, x) + 1, x - (-array)):
        assert result.dtype is ms.float64 and result.tolist() == [3.0]

    def added(x):
        return x + array

    compiled = ms.compile(added)
    assert compiled(x).dtype is ms.float64 and compiled(x).tolist() == [3.0]
    array[:] = 5.0  # what compiled code reads by name is what it is now
    assert compiled(x).tolist() == [6.0]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_dtypes(name):
    expected = dtype(name)
    given = [expected, expected.name, str(expected.name)]
    if expected is not ms.bfloat16:
        given += [expected.storage, expected.storage.type, np.dtype(expected.name)]
    assert {dtype_of(x) for x in given} == {expected}


@pytest.mark.parametrize("given", [None, float, int, "f32", "uint16", np.uint16, np.complex64, 3])
def test_what_is_no_dtype(given):
    def cast(x):
        return ops.cast(x, given)

    refused("E0303", cast, ms.Tensor([1.0]))


def test_the_table_is_symmetric():
    for one, other in itertools.combinations(NAMES, 2):
        assert EXPECTED[one, other] == EXPECTED[other, one]
