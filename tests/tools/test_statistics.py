"""Does a line of a table say what is true of an array, also where its numbers are odd?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad.ir.types import StackValue, Token, f32
from s2sad.tools.statistics import HEADS, mean, row

CASES = {
    "floats": (np.array([1.0, 2.0, 6.0]), ["f64[3]", "", "1", "3", "6", "0", "0"]),
    "NaN and inf": (
        np.array([np.nan, -np.inf, 1.0, np.inf], np.float32),
        ["f32[4]", "", "1", "1", "1", "1", "2"],
    ),
    "all NaN": (np.full((2, 2), np.nan), ["f64[2, 2]", "", "", "", "", "4", "0"]),
    "empty": (np.zeros((0, 3), np.float16), ["f16[0, 3]", "", "", "", "", "0", "0"]),
    "empty integers": (np.zeros(0, np.int8), ["i8[0]", "", "", "", "", "", ""]),
    "bfloat16": (np.array([0x3F80, 0x7F80], np.uint16), ["bf16[2]", "", "1", "1", "1", "0", "1"]),
    "integers": (
        np.array([-(2**63), 2**63 - 1]),
        ["i64[2]", "", "-9223372036854775808", "0", "9223372036854775807", "", ""],
    ),
    "bools": (np.array([True, False]), ["bool_[2]", "", "False", "0.5", "True", "", ""]),
    "a scalar": (np.array(0.1, np.float32), ["f32", "0.1", "", "", "", "0", "0"]),
    "minus zero": (np.array(-0.0), ["f64", "-0.0", "", "", "", "0", "0"]),
    "a NaN": (np.array(0x7FC1, np.uint16), ["bf16", "nan", "", "", "", "1", "0"]),
    "an integer": (np.array(7, np.uint8), ["u8", "7", "", "", "", "", ""]),
    "a bool": (np.array(True), ["bool_", "True", "", "", "", "", ""]),
    "the token": (Token, ["Token", "", "", "", "", "", ""]),
    "a stack": (StackValue(f32[2], [0, 0]), ["Stack[f32[2]]", "2 pushed", "", "", "", "", ""]),
}


@pytest.mark.parametrize(("value", "expected"), CASES.values(), ids=CASES)
def test_row(value, expected):
    assert row("x", value) == ["x", *expected]
    assert len(row("x", value)) == len(HEADS)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([1.7e308, 1.7e308], 1.7e308),
        ([-1.7e308, 1.7e308], 0.0),
        ([5e-324, 5e-324], 5e-324),
        ([0.0, -0.0], 0.0),
        ([2.0, 4.0], 3.0),
    ],
)
def test_mean_neither_overflows_nor_vanishes(numbers, expected):
    assert mean(np.array(numbers)) == expected
