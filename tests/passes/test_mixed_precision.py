"""Does a program compute in narrow floats where its level says so, and with casts that fit?"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.passes.base import run_passes
from s2sad.passes.mixed_precision import MixedPrecision
from s2sad.passes.pipeline import format_pipeline, parse_pipeline
from tests.passes.rewriting import read

RNG = np.random.default_rng(2)
CLEAN = "canonicalize,cse,dce"

AFFINE = """
def main(x: f32[2, 3], w: f32[3, 4], b: f32[4]):
    t = p.matmul(x, w) + b
    return p.exp(t), p.argmax(t, axis=1)
"""
LOOP = """
def main(x: f32[4], n: i64):
    y = x
    for i in range(0, n, 1):
        y = p.tanh(y) * y
    return y
"""


def arrays(function):
    return [
        RNG.normal(size=t.type.shape).astype(np.float32) if t.type.dtype.is_float
        else np.array(3, t.type.dtype.storage)
        for t in function.body.args
    ]  # fmt: skip


def narrowed(function, level="O3", dtype="f16", then=CLEAN):
    """`function` after the pass, validated, and its operations by name with their first dtype."""
    changed = clone(function)
    text = f"mixed-precision{{level='{level}',dtype={dtype}}},{then}"
    run_passes(changed, parse_pipeline(text), validate=arrays(changed))
    return changed, {
        op.prim.name: op.operands[0].dtype.short
        for op in changed.walk() if op.operands and op.prim.name != "cast" and not op.regions
    }  # fmt: skip


def test_as_text():
    (step,) = parse_pipeline("mixed-precision{level='O2',dtype=bf16}")
    assert step == MixedPrecision("O2", ms.bfloat16)
    assert format_pipeline([step, MixedPrecision()]) == (
        "mixed-precision{level='O2',dtype=bf16},mixed-precision"
    )
    for text in ("mixed-precision{level='O4'}", "mixed-precision{dtype=f32}"):
        with pytest.raises(S2sadError, match="E0404"):
            parse_pipeline(text)


def test_casts_go_around_and_cancel_in_between():
    function, found = narrowed(read(AFFINE))
    assert {found[name] for name in ("matmul", "add", "exp", "argmax")} == {"f16"}
    assert [str(t) for t in function.result_types] == ["f32[2, 4]", "i64[2]"]
    casts = [op for op in function.walk() if op.prim.name == "cast"]
    assert [str(op.result.type) for op in casts].count("f32[2, 4]") == 1 and len(casts) == 4


def test_auto_takes_products_only():
    _, found = narrowed(read(AFFINE), "auto")
    assert found["matmul"] == "f16" and found["add"] == found["exp"] == "f32"


def test_o0_and_twice():
    function = read(AFFINE)
    (report,) = run_passes(clone(function), [MixedPrecision()])
    assert not report.changes
    once = clone(function)
    reports = run_passes(once, [MixedPrecision("O3"), MixedPrecision("O3")])
    assert [bool(report.changes) for report in reports] == [True, False]


@pytest.mark.parametrize(("dtype", "kind"), [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_each_operation_rounds(dtype, kind):
    function, _ = narrowed(read(LOOP), dtype=dtype)
    x = RNG.normal(size=4).astype(np.float32)
    (out,) = evaluate(function, [x, np.array(3)])
    y = x
    for _ in range(3):
        narrow = y.astype(kind)
        tanh = np.tanh(narrow.astype(np.float32)).astype(kind)
        y = (tanh.astype(np.float32) * narrow.astype(np.float32)).astype(kind).astype(np.float32)
    np.testing.assert_array_equal(out, y)


def test_integers_and_other_floats_stay():
    text = """
def main(x: f64[2], n: i32[2], h: f16[2]):
    return p.exp(x), p.add(n, n), p.exp(h)
"""
    (report,) = run_passes(read(text), [MixedPrecision("O3")])
    assert not report.changes


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 4)
        self.ln = nn.LayerNorm((4,))

    def construct(self, x):
        return ops.relu(self.ln(self.fc(x)))


def step():
    """A step of training, before its derivative is taken."""
    ms.set_seed(3)
    net = Net()
    whole = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1)
    )
    compiled = ms.compile(whole)
    compiled(ms.Tensor(np.ones((2, 8), np.float32)), ms.Tensor(np.ones((2, 4), np.float32)))
    return compiled.stages["primal"]


def by_cell(function):
    found: dict[str, set[str]] = {}
    for op in function.walk():
        if op.prim.name not in ("cast", "const") and op.operands and not op.regions:
            cell = op.scope.rpartition(":")[2].rpartition("/")[2]
            found.setdefault(cell, set()).update(
                t.type.dtype.short for t in op.operands if t.type.dtype.is_float
            )
    return found


@pytest.mark.parametrize(
    ("level", "narrow"),
    [("O1", {"Dense"}), ("O2", {"Dense", "Net"}),
     ("O3", {"Dense", "Net", "LayerNorm", "MSELoss"})],
)  # fmt: skip
def test_by_scope_and_with_derivatives(level, narrow):
    function, _ = narrowed(step(), level, then=f"expand-transforms,strip-markers,{CLEAN}")
    found = by_cell(function)
    for cell in ("Dense", "Net", "LayerNorm", "MSELoss"):
        assert found[cell] == {"f16" if cell in narrow else "f32"} or (
            cell in ("LayerNorm", "MSELoss") and level == "O3" and "f16" in found[cell]
        ), (cell, found[cell])
    assert found["SGD"] == {"f32"}  # what is done with gradients
    assert [str(t) for t in function.result_types] == [str(t) for t in step().result_types]


def test_a_wrong_result_is_found():
    step = MixedPrecision("O3")
    wanted = np.float32([1.0, 3.0, 1e6, np.nan])
    assert step.agrees(np.float32([1.001, 3.0, np.inf, 0.0]), wanted)
    assert not step.agrees(np.float32([1.4, 3.0, 1e6, np.nan]), wanted)
    assert not step.agrees(np.float32([1.0, 3.0]), wanted)
    assert not step.agrees(wanted.astype(np.float64), wanted)
