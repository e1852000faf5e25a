"""Are truth tables right, and shifts by any count?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from support.laws import Spec, booleans, check_laws, check_values, integers

LOGICAL = (p.logical_and, p.logical_or, p.logical_xor)
BITS = (p.bit_and, p.bit_or, p.bit_xor)
SHIFTS = (p.shift_left, p.shift_right)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8)

SPECS = [
    *(Spec(prim, (booleans(2, 3), booleans(3))) for prim in (*LOGICAL, *BITS)),
    *(Spec(prim, (booleans(), booleans(0, 2))) for prim in LOGICAL),
    *(Spec(prim, (integers(2, 3), integers(2, 1))) for prim in BITS),
    *(Spec(prim, (integers(), integers())) for prim in BITS),
    *(Spec(prim, (booleans(4),)) for prim in (p.logical_not, p.bit_not)),
    Spec(p.bit_not, (integers(4),)),
    *(Spec(prim, (integers(4, 1), integers(20, low=-3, high=70))) for prim in SHIFTS),
    *(Spec(prim, (integers(low=0), integers(3, low=0))) for prim in SHIFTS),
    *(Spec(prim, (integers(0), integers())) for prim in SHIFTS),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


@pytest.mark.parametrize(
    ("logical", "bit", "expected"),
    [
        (p.logical_and, p.bit_and, [0, 0, 0, 1]),
        (p.logical_or, p.bit_or, [0, 1, 1, 1]),
        (p.logical_xor, p.bit_xor, [0, 1, 1, 0]),
    ],
)
def test_truth_tables(logical, bit, expected):
    x, y = np.array([False, False, True, True]), np.array([False, True, False, True])
    check_values(logical(x, y), np.array(expected, bool))
    check_values(bit(x, y), np.array(expected, bool))


def test_not():
    check_values(p.logical_not(np.array([True, False])), np.array([False, True]))
    check_values(p.bit_not(np.array([True, False])), np.array([False, True]))
    check_values(p.bit_not(np.array([0, 255, 10], np.uint8)), np.array([255, 0, 245], np.uint8))
    check_values(p.bit_not(np.array([-128, 0], np.int8)), np.array([127, -1], np.int8))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_are_those_of_unbounded_integers(dtype):
    """Python's shifts, wrapped; what a machine leaves open is fixed here."""
    bounds, bits = np.iinfo(dtype), 8 * np.dtype(dtype).itemsize
    values = [bounds.min, bounds.max, bounds.max - 1, 0, 1, 5, bounds.min // 2]
    counts = [0, 1, 2, bits - 2, bits - 1, bits, bits + 1, bounds.max]
    counts += [-1, bounds.min] if bounds.min < 0 else []
    x, count = np.array(values, dtype)[:, None], np.array(counts, dtype)

    def left(value: int, by: int) -> int:
        return value << by if 0 <= by < bits else 0

    def right(value: int, by: int) -> int:
        return value >> (by if 0 <= by < bits else bits)

    for prim, shift in ((p.shift_left, left), (p.shift_right, right)):
        exact = [[shift(int(v), int(c)) for c in counts] for v in values]
        wrapped = [[(v - bounds.min) % (1 << bits) + bounds.min for v in row] for row in exact]
        check_values(prim(x, count), np.array(wrapped, dtype))


@pytest.mark.parametrize("prim", [*LOGICAL, *SHIFTS, *BITS])
def test_other_dtypes_are_refused(prim):
    wrong = np.array(True) if prim in SHIFTS else np.array(1.0)
    with pytest.raises(S2sadError, match="E0301"):
        prim(wrong, wrong)


def test_logical_operations_take_no_integers():
    with pytest.raises(S2sadError, match="E0301"):
        p.logical_not(np.array(1))
