"""Do constants leave loops and branches, what loops make of outer values too, and nothing else?"""

from __future__ import annotations

import pytest

from s2sad.ir.compare import difference
from s2sad.passes.base import run_passes
from s2sad.passes.hoist import HoistConstants
from tests.passes.rewriting import read, stays

NESTED = """
def main(x: f32[4], n: i64, c: bool_):
    y = x
    for i in range(0, n, 1):
        if c:
            z = y * p.const(0.5, f32)
        else:
            z = p.const(1.5, f32[4])
        y = z
    w = y
    while True:
        if not p.reduce_sum(w) < p.const(2.5, f32): break
        w = w + p.const(3.5, f32)
    return w
"""
FUSED = """
def main(x: f32[4]):
    @region
    def body(y: f32[4]):
        z = y
        for i in range(0, 3, 1):
            z = z * p.const(0.5, f32)
        return z * p.const(1.5, f32)
    w = p.fused(x, body=body)
    return w
"""


def constants(region):
    return [float(op.attrs["value"].flat[0]) for op in region.operations if op.prim.name == "const"]


def test_out_of_loops_and_branches():
    function = read(NESTED)
    (report,) = run_passes(function, [HoistConstants()])
    assert report.titles == {"move const": 4} and report.before == report.after
    found = constants(function.body)
    assert found == [0.0, 1.0, 0.5, 1.5, 2.5, 3.5]
    loop = next(op for op in function.body.operations if op.prim.name == "for_")
    assert found.index(0.5) < function.body.place(loop)  # but after all that stood before it
    assert difference(function, read(NESTED)) is None
    assert not run_passes(function, [HoistConstants()])[0].changes


STILL = """
def main(x: f32[4, 3], w: f32[3, 3], b: f32, c: bool_, n: i64):
    y = x
    for i in range(0, n, 1):
        z = y
        for j in range(0, n, 1):
            z = z * p.matmul(y, p.transpose(w, perm=(1, 0)))
        if c:
            v = z * p.exp(x)
        else:
            v = z + p.broadcast_to(b, shape=(4, 3))
        y = v * p.broadcast_to(b, shape=(4, 3))
    return y
"""


def names(region):
    return [op.prim.name for op in region.operations]


def test_what_loops_make_of_outer_values():
    function = read(STILL)
    run_passes(function, [HoistConstants()])
    outer = next(op for op in function.body.operations if op.prim.name == "for_")
    inside = outer.regions["body"]
    assert "transpose" in names(function.body)
    assert "matmul" in names(inside)  # of what the outer loop makes
    assert "broadcast_to" in names(inside)  # is larger than what it reads
    branch = next(op for op in inside.operations if op.prim.name == "if_")
    assert "exp" in names(branch.regions["then"])  # may never run


def test_what_may_fail_stays_in_its_loop():
    text = """
def main(x: f32[4], i: i64, n: i64):
    y = x
    for j in range(0, n, 1):
        y = y * p.gather(x, i)
    return y
"""
    stays([HoistConstants()], text)


def test_not_out_of_isolated_regions():
    function = read(FUSED)
    run_passes(function, [HoistConstants()])
    body = function.body.operations[-1].regions["body"]
    assert constants(function.body) == [] and constants(body) == [0.0, 3.0, 1.0, 0.5, 1.5]


@pytest.mark.parametrize(
    "text",
    [
        "def main(x: f32[4]):\n    return x * p.const(0.5, f32)\n",
        FUSED.replace("p.fused", "p.checkpoint"),
    ],
    ids=["where there is no loop", "inside of a marker"],
)
def test_leaves(text):
    stays([HoistConstants()], text)
