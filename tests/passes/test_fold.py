"""What is computed while compiling, what is not, and is it what the program would compute?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad.ir.evaluate import evaluate
from s2sad.passes.base import run_passes
from s2sad.passes.canonicalize import Canonicalize
from tests.passes.rewriting import becomes, read, stays

FOLDED = {
    "p.const(2.0, f32) * p.const(3.0, f32)": "p.const(6.0, f32)",
    "p.const(1e300, f64) * p.const(1e300, f64)": "p.const(inf, f64)",
    "p.const(0.0, f32) / p.const(0.0, f32)": "p.const(nan, f32)",
    "p.const(127, i8) + p.const(1, i8)": "p.const(-128, i8)",
    "p.const(7, i8) // p.const(0, i8)": "p.const(0, i8)",
    "p.const(0.1, bf16) + p.const(0.2, bf16)": "p.const(0.30078125, bf16)",
    "p.const((1, 2, 3), i32[3]) < p.const(2, i32)": "p.const((True, False, False), bool_[3])",
    "p.reduce_sum(p.const((1, 2, 3), i32[3]))": "p.const(6, i32)",
    "p.transpose(p.const(1.0, f32[300, 500]))": "p.const(1.0, f32[500, 300])",
    "p.exp(p.const(0.0, f32))": "p.const(1.0, f32)",
    "p.const(2.0, f32[999, 999]) + p.const(-2.0, f32[999, 999])": "p.const(0.0, f32[999, 999])",
    "p.broadcast_to(p.const(2, i8), shape=(999, 999))": "p.const(2, i8[999, 999])",
    "p.slice(p.const(2, i8[5]), start=(5,), stop=(5,))": "p.const(2, i8[0])",
    "p.cast(p.const(300, i64[200, 200]), dtype=u8)": "p.const(44, u8[200, 200])",
    "p.const(1.0, f32[0]) + p.const(2.0, f32[0])": "p.const(3.0, f32[0])",
    "p.mean(p.const((1.0, 3.0), f32[2]))": "p.const(2.0, f32)",
}

KEPT = {
    "a result that is large": "p.broadcast_to(p.const((1, 2), i8[2]), shape=(999, 2))",
    "operands that are many": "p.pad(p.const((1, 2), i8[2]), 0, low=(0,), high=(99,))",
    "what has no operands": "p.iota(dtype=i64, shape=(3,))",
    "what may fail": "p.gather(p.const((1.0, 2.0), f32[2]), p.const(2, i64))",
    "what may fail inside": "p.embedding(p.const(1.0, f32[2, 2]), p.const(0, i64))",
    "a draw": "p.random_uniform(p.const((1, 2, 3), i64[3]), shape=(2,))[0]",
    "a marker": "p.stop_gradient(p.const(1.0, f32))",
    "an argument": "x + p.const(1.0, f32)",
}


def program(result: str) -> str:
    if result.endswith("[0]"):
        return f"def main(x: f32):\n    y, rest = {result[:-3]}\n    return y, rest\n"
    return f"def main(x: f32):\n    return {result}\n"


@pytest.mark.parametrize("before", FOLDED)
def test_folds(before):
    becomes([Canonicalize()], program(before), program(FOLDED[before]))


@pytest.mark.parametrize("result", KEPT.values(), ids=KEPT)
def test_keeps(result):
    stays([Canonicalize()], program(result))


def test_several_results():
    text = "def main():\n    return {}\n"
    becomes(
        [Canonicalize()],
        "def main():\n"
        "    x, y = p.split(p.const((1, 2, 3), i8[3]), sizes=(1, 2), axis=0)\n"
        "    return y, x\n",
        text.format("p.const((2, 3), i8[2]), p.const(1, i8[1])"),
    )


@pytest.mark.parametrize("operation", ["exp", "sin", "tanh", "log1p", "erf", "sigmoid", "lgamma"])
@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_bits_are_those_of_run_time(operation, dtype):
    values = "(0.1, 1.5, 2.25, 3.0, 0.7, 1.9, 0.33)"
    text = f"def main():\n    return p.{operation}(p.const({values}, {dtype}[7]))\n"
    function = read(text)
    (wanted,) = evaluate(function, [])
    run_passes(function, [Canonicalize()])
    assert [op.prim.name for op in function.walk()] == ["const"]
    np.testing.assert_array_equal(evaluate(function, [])[0], wanted)


def test_a_constant_filled_with_one_element_stays_small_in_memory():
    function = read("def main():\n    return p.const(2.0, f32[999, 999]) * p.const(3.0, f32)\n")
    run_passes(function, [Canonicalize()])
    (operation,) = function.walk()
    assert operation.attrs["value"].strides == (0, 0)
