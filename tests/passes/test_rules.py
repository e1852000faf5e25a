"""Does each rule do what its law says, refuse what it must, and give the same numbers?"""

from __future__ import annotations

import re

import pytest

from s2sad.passes import rules
from s2sad.passes.rewrite import explain, source_of
from tests.passes.rewriting import Apply, becomes, read, stays
from tests.passes.soundness import OFTEN, fired

BY_NAME = {rule.__name__: rule for rule in rules.ALL}

#: By rule: inputs, what is there before, and what after.
FIRES = {
    "AddZero": ("x: f32[4]", "x + p.const(-0.0, f32)", "x"),
    "SubZero": ("x: f32[4]", "x - 0.0", "x"),
    "AddNeg": ("x: f32[4], y: f32[4]", "-y + x", "x - y"),
    "SubNeg": ("x: f32[4], y: f32[4]", "x - (-y)", "x + y"),
    "SubSelf": ("x: i32[4]", "x - x", "p.const(0, i32[4])"),
    "NegNeg": ("x: f32[4]", "-(-x)", "x"),
    "NegSub": ("x: i32[4], y: i32", "-(x - y)", "y - x"),
    "MulOne": ("x: f32[4]", "1.0 * x", "x"),
    "MulZero": ("x: i32[4]", "x * p.const(0, i32[2, 4])", "p.const(0, i32[2, 4])"),
    "MulNegs": ("x: f32[4], y: f32", "-x * -y", "x * y"),
    "DivNegs": ("x: f32[4], y: f32", "-x / -y", "x / y"),
    "DivOne": ("x: f32[4]", "x / p.const(1.0, f32[4])", "x"),
    "FloorDivOne": ("x: i8[4]", "x // 1", "x"),
    "MaximumSelf": ("x: f32[4]", "p.maximum(x, x)", "x"),
    "MinimumSelf": ("x: f32[4]", "p.minimum(x, x)", "x"),
    "AbsAbs": ("x: f32[4]", "p.abs(p.abs(x))", "p.abs(x)"),
    "AbsNeg": ("x: i8[4]", "p.abs(-x)", "p.abs(x)"),
    "ReluRelu": ("x: f32[4]", "p.relu(p.relu(x))", "p.relu(x)"),
    "SquareNeg": ("x: f32[4]", "p.square(-x)", "p.square(x)"),
    "SquareAbs": ("x: f32[4]", "p.square(p.abs(x))", "p.square(x)"),
    "NotNot": ("x: bool_[4]", "p.logical_not(p.logical_not(x))", "x"),
    "NotEqual": ("x: f32[4]", "p.logical_not(p.equal(x, 1.0))", "p.not_equal(x, 1.0)"),
    "NotNotEqual": ("x: f32[4]", "p.logical_not(p.not_equal(x, 1.0))", "p.equal(x, 1.0)"),
    "NotLess": ("x: i32[4]", "p.logical_not(x < 1)", "x >= 1"),
    "NotLessEqual": ("x: i32[4]", "p.logical_not(x <= 1)", "x > 1"),
    "NotGreater": ("x: i32[4]", "p.logical_not(x > 1)", "x <= 1"),
    "NotGreaterEqual": ("x: i32[4]", "p.logical_not(x >= 1)", "x < 1"),
    "AndTrue": ("x: bool_[4]", "p.logical_and(x, True)", "x"),
    "AndFalse": ("x: bool_[4]", "p.logical_and(False, x)", "p.const(False, bool_[4])"),
    "AndSelf": ("x: bool_[4]", "p.logical_and(x, x)", "x"),
    "OrFalse": ("x: bool_[4]", "p.logical_or(x, False)", "x"),
    "OrTrue": ("x: bool_[4]", "p.logical_or(x, True)", "p.const(True, bool_[4])"),
    "OrSelf": ("x: bool_[4]", "p.logical_or(x, x)", "x"),
    "XorFalse": ("x: bool_[4]", "p.logical_xor(False, x)", "x"),
    "XorTrue": ("x: bool_[4]", "p.logical_xor(x, True)", "p.logical_not(x)"),
    "BitNotNot": ("x: i8[4]", "~~x", "x"),
    "BitAndSelf": ("x: i8[4]", "x & x", "x"),
    "BitOrSelf": ("x: i8[4]", "x | x", "x"),
    "BitXorSelf": ("x: i8[4]", "x ^ x", "p.const(0, i8[4])"),
    "BitOrZero": ("x: i8[4]", "0 | x", "x"),
    "BitXorZero": ("x: i8[4]", "x ^ 0", "x"),
    "BitAndZero": ("x: i8[4]", "x & 0", "p.const(0, i8[4])"),
    "ShiftLeftZero": ("x: i8[4]", "x << 0", "x"),
    "ShiftRightZero": ("x: i8[4]", "x >> 0", "x"),
    "WhereTrue": ("x: f32, y: f32[4]", "p.where(True, x, y)", "p.broadcast_to(x, shape=(4,))"),
    "WhereFalse": ("x: f32, y: f32[4]", "p.where(False, x, y)", "y"),
    "WhereSame": ("c: bool_[4], x: f32", "p.where(c, x, x)", "p.broadcast_to(x, shape=(4,))"),
    "WhereNot": (
        "c: bool_[4], x: f32, y: f32",
        "p.where(p.logical_not(c), x, y)",
        "p.where(c, y, x)",
    ),
    "WhereTruth": ("c: bool_[4]", "p.where(c, p.const(True, bool_), p.const(False, bool_))", "c"),
    "WhereUntruth": (
        "c: bool_[4]",
        "p.where(c, p.const(False, bool_), p.const(True, bool_))",
        "p.logical_not(c)",
    ),
    "WhereWhereFirst": (
        "c: bool_[4], x: f32, y: f32, z: f32",
        "p.where(c, p.where(c, x, y), z)",
        "p.where(c, x, z)",
    ),
    "WhereWhereSecond": (
        "c: bool_[4], x: f32, y: f32, z: f32",
        "p.where(c, x, p.where(c, y, z))",
        "p.where(c, x, z)",
    ),
    "CastSame": ("x: f32[4]", "p.cast(x, dtype=f32)", "x"),
    "CastExact": ("x: i8[4]", "p.cast(p.cast(x, dtype=f16), dtype=f64)", "p.cast(x, dtype=f64)"),
    "CastWraps": ("x: i64[4]", "p.cast(p.cast(x, dtype=i32), dtype=u8)", "p.cast(x, dtype=u8)"),
    "BitcastSame": ("x: f32[4]", "p.bitcast(x, dtype=f32)", "x"),
    "MergeBitcasts": (
        "x: f16[4]",
        "p.bitcast(p.bitcast(x, dtype=i16), dtype=bf16)",
        "p.bitcast(x, dtype=bf16)",
    ),
    "TransposeNothing": ("x: f32[2, 3]", "p.transpose(x, perm=(0, 1))", "x"),
    "MergeTransposes": (
        "x: f32[2, 3, 4]",
        "p.transpose(p.transpose(x, perm=(1, 2, 0)), perm=(0, 2, 1))",
        "p.transpose(x, perm=(1, 0, 2))",
    ),
    "ReshapeNothing": ("x: f32[2, 3]", "p.reshape(x, shape=(2, -1))", "x"),
    "MergeReshapes": (
        "x: f32[2, 3]",
        "p.reshape(p.reshape(x, shape=(6,)), shape=(3, 2))",
        "p.reshape(x, shape=(3, 2))",
    ),
    "BroadcastNothing": ("x: f32[2, 3]", "p.broadcast_to(x, shape=(2, 3))", "x"),
    "MergeBroadcasts": (
        "x: f32[3]",
        "p.broadcast_to(p.broadcast_to(x, shape=(2, 3)), shape=(4, 2, 3))",
        "p.broadcast_to(x, shape=(4, 2, 3))",
    ),
    "SumToNothing": ("x: f32[2, 3]", "p.sum_to(x, shape=(2, 3))", "x"),
    "SliceNothing": ("x: f32[2, 3]", "p.slice(x, start=(0, None), stop=(None, 7))", "x"),
    "MergeSlices": (
        "x: f32[9]",  # elements 1, 3, 5, 7; then 7, 3
        "p.slice(p.slice(x, start=(1,), stop=(9,), step=(2,)), start=(3,), stop=(0,), step=(-2,))",
        "p.slice(x, start=(7,), stop=(2,), step=(-4,))",
    ),
    "PadNothing": ("x: f32[1, 3]", "p.pad(x, 0.0, low=(0, 0), high=(0, 0), interior=(2, 0))", "x"),
    "FlipNothing": ("x: f32[1, 3]", "p.flip(x, axis=(0,))", "x"),
    "MergeFlips": (
        "x: f32[2, 3]",
        "p.flip(p.flip(x, axis=(0, 1)), axis=(1,))",
        "p.flip(x, axis=(0,))",
    ),
    "ConcatOne": ("x: f32[2, 3]", "p.concat(x, axis=1)", "x"),
    "SplitOne": ("x: f32[2, 3]", "p.split(x, sizes=(3,), axis=1)", "x"),
    "ZerosLike": ("x: f32[2, 3]", "p.zeros_like(x)", "p.const(0.0, f32[2, 3])"),
    "OnesLike": ("x: f32[2, 3]", "p.ones_like(x)", "p.const(1.0, f32[2, 3])"),
    "FullLike": ("x: f32[2, 3]", "p.full_like(x, value=2, dtype=i8)", "p.const(2, i8[2, 3])"),
    "AxisSize": ("x: f32[2, 3]", "p.axis_size(x, axis=1)", "p.const(3, i64)"),
}

#: Rule, inputs, what must stay, and a part of the reason that is given.
REFUSES = [
    ("AddZero", "x: f32[4]", "x + 0.0", "-0.0"),
    ("AddZero", "x: i32", "x + p.const(0, i32[2])", "larger shape"),
    ("AddZero", "x: i32[2]", "x + p.const((0, 1), i32[2])", "constant 0"),
    ("SubZero", "x: f32[4]", "x - p.const(-0.0, f32)", "not the constant 0"),
    ("SubSelf", "x: f32[4]", "x - x", "NaN"),
    ("NegSub", "x: f32[4], y: f32", "-(x - y)", "-0.0"),
    ("MulOne", "x: f32[1]", "x * p.const(1.0, f32[4])", "larger shape"),
    ("MulOne", "x: f32[1], y: f32[1]", "x * y", "no factor is the constant 1"),
    ("MulZero", "x: f32[4]", "x * 0.0", "infinite or NaN"),
    ("FloorDivOne", "x: f32[4]", "x // 1.0", "floats"),
    ("AbsNeg", "x: u8[4]", "p.abs(-x)", "wraps"),
    ("NotLess", "x: f32[4]", "p.logical_not(x < 1.0)", "NaN"),
    ("AndTrue", "x: bool_", "p.logical_and(x, p.const(True, bool_[2]))", "larger shape"),
    ("WhereTruth", "c: bool_[4]", "p.where(c, p.const(1.0, f32), p.const(0.0, f32))", "True and"),
    (
        "WhereWhereFirst",
        "c: bool_, x: f32, y: f32[4], z: f32",
        "p.where(c, p.where(c, x, y), z)",
        "larger shape",
    ),
    (
        "WhereWhereSecond",
        "c: bool_, d: bool_, x: f32, y: f32, z: f32",
        "p.where(c, x, p.where(d, y, z))",
        "c is one value here and another there",
    ),
    ("CastExact", "x: i64[4]", "p.cast(p.cast(x, dtype=f64), dtype=i64)", "f64 does not hold all"),
    ("CastExact", "x: i8[4]", "p.cast(p.cast(x, dtype=f32), dtype=u8)", "stops at the bounds"),
    ("CastWraps", "x: i64[4]", "p.cast(p.cast(x, dtype=i8), dtype=i32)", "drops bits"),
    ("TransposeNothing", "x: f32[2, 2]", "p.transpose(x, perm=(1, 0))", "moves an axis"),
    ("ReshapeNothing", "x: f32[2, 3]", "p.reshape(x, shape=(3, 2))", "changes the shape"),
    ("SliceNothing", "x: f32[3]", "p.slice(x, start=(1,), stop=(3,))", "leaves something out"),
    (
        "SliceNothing",
        "x: f32[3]",
        "p.slice(x, start=(None,), stop=(None,), step=(-1,))",
        "leaves something out",
    ),
    ("PadNothing", "x: f32[2]", "p.pad(x, 0.0, low=(0,), high=(0,), interior=(1,))", "adds"),
    ("FlipNothing", "x: f32[2]", "p.flip(x, axis=(0,))", "reverses"),
    ("ZerosLike", "x: f32[B]", "p.zeros_like(x)", "run time"),
    ("SplitOne", "x: f32[3]", "p.split(x, sizes=(1, 2), axis=0)[0]", "2 results"),
]


def program(inputs: str, result: str) -> str:
    head = 'B = symbol("B")\n' if "[B]" in inputs else ""
    if result.endswith("[0]"):
        return f"{head}def main({inputs}):\n    y, rest = {result[:-3]}\n    return y\n"
    return f"{head}def main({inputs}):\n    return {result}\n"


@pytest.mark.parametrize("name", BY_NAME)
def test_rule_fires(name):
    inputs, before, after = FIRES[name]
    (report,) = becomes([Apply((BY_NAME[name],))], program(inputs, before), program(inputs, after))
    assert report.titles[name] == 1
    function = read(program(inputs, before))
    missed = [miss.operation for miss in explain(BY_NAME[name], function)]
    assert function.results[0].owner not in missed


def test_each_rule_has_a_case_and_each_case_a_rule():
    assert list(FIRES) == list(BY_NAME)


@pytest.mark.parametrize(
    ("name", "inputs", "result", "reason"), REFUSES, ids=[f"{x[0]} {x[2]}" for x in REFUSES]
)
def test_rule_refuses_and_says_why(name, inputs, result, reason):
    text = program(inputs, result)
    stays([Apply((BY_NAME[name],))], text)
    misses = explain(BY_NAME[name], read(text))
    assert any(reason in each for miss in misses for each in miss.reasons), list(map(str, misses))


@pytest.mark.parametrize("name", BY_NAME)
def test_both_sides_agree_bit_for_bit(name):
    counts = fired(BY_NAME[name])
    assert sum(counts.values()) >= OFTEN, counts


@pytest.mark.parametrize("name", BY_NAME)
def test_law_is_stated_and_found(name):
    rule = BY_NAME[name]
    assert rule.exact
    assert re.match(r"\S.*  =>  \S.*", rule.__doc__ or ""), rule.__doc__
    assert source_of(rule).file.endswith(f"rules/{rule.__module__.rpartition('.')[2]}.py")
