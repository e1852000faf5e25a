"""Do simplifications work together, end, and leave alone what they must?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.numpy import build
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.evaluate import evaluate
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass, run_passes
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.greedy import Greedy
from s2sad.passes.pipeline import parse_pipeline
from s2sad.passes.rewrite import Rewrite, no
from tests.passes.rewriting import Apply, becomes, read, stays


class SubToAdd(Rewrite):
    """sub(x, y)  =>  add(x, neg(y))."""

    def before(x, y):
        return x - y

    def after(x, y):
        return x + -y


class AddToSub(Rewrite):
    """add(x, neg(y))  =>  sub(x, y)."""

    def before(x, y):
        return x + -y

    def after(x, y):
        return x - y


class Longer(Rewrite):
    """neg(x)  =>  neg(neg(neg(x)))."""

    def before(x):
        return -x

    def after(x):
        return -(-(-x))


def test_what_one_rule_makes_another_takes_up():
    becomes(
        [Canonicalize()],
        """
def main(x: f32[2, 3]):
    y = p.transpose(x) * p.const(1.0, f32)
    z = p.transpose(p.broadcast_to(y, shape=(3, 2)))
    return z - (p.const(2.0, f32) - p.const(2.0, f32)) + p.zeros_like(z)
""",
        """
def main(x: f32[2, 3]):
    return x + p.const(0.0, f32[2, 3])
""",
    )


def test_a_long_chain_is_done_in_two_rounds():
    function = read("def main(x: f32[2, 3]):\n    return x\n")
    value = function.args[0]
    with Rewriter(function).insert_last(function.body).active():
        for _ in range(600):
            value = p.transpose(p.neg(p.neg(value)), perm=(1, 0))
    function.body.set_reads([value])
    run_passes(function, [Canonicalize(rounds=2)])
    assert function.results[0] is function.args[0] and not function.body.operations


def test_constants_go_right_once():
    text = "def main(x: f32[4]):\n    return {}\n"
    becomes([Canonicalize()], text.format("2.0 * x"), text.format("x * 2.0"))
    stays([Canonicalize()], text.format("2.0 - x"))


def test_constants_go_right_in_a_comparison_that_commutes():
    text = "def main(x: f32[4]):\n    return {}\n"
    becomes([Canonicalize()], text.format("p.equal(2.0, x)"), text.format("p.equal(x, 2.0)"))


def test_rules_that_undo_one_another_are_named():
    function = read("def main(x: f32[4], y: f32[4]):\n    return x - y\n")
    with pytest.raises(S2sadError, match="rules undo one another") as caught:
        run_passes(function, [Apply((SubToAdd, AddToSub))])
    assert caught.value.code == "E0901"
    assert "SubToAdd, AddToSub" in str(caught.value)


def test_a_rule_that_grows_without_end_is_named():
    function = read("def main(x: f32[4]):\n    return -x\n")
    with pytest.raises(S2sadError, match="last round: Longer"):
        run_passes(function, [Apply((Longer,))])


def test_rounds_that_do_not_suffice_are_told():
    @dataclass(frozen=True)
    class Backwards(Pass):
        """Each round lets a rule fire at one operation more, from the last on."""

        name: ClassVar[str] = "backwards"

        def run(self, function, rewriter):
            def last(operation, rewriter):
                if (
                    operation.prim is not p.exp
                    or operation.result.uses
                    and not all(
                        getattr(use.user, "prim", p.neg) is p.neg for use in operation.result.uses
                    )
                ):
                    return None
                with rewriter.step("last", operation):
                    place = rewriter.insert_before(operation)
                    value = place.emit(p.neg, operation.operands, {})
                    rewriter.replace_operation(operation, value)
                return "last"

            Greedy(rewriter, [last], rounds=3).run(function)

    text = "def main(x: f32[4]):\n    return p.exp(p.exp({}x{}))\n"
    run_passes(read(text.format("", "")), [Backwards()])
    function = read(text.format("p.exp(p.exp(", "))"))
    with pytest.raises(S2sadError, match="after 3 rounds") as caught:
        run_passes(function, [Backwards()])
    assert "last round: last" in str(caught.value)


def test_markers_stay():
    stays([Canonicalize()], "def main(x: f32[4]):\n    return p.stop_gradient(x)\n")


def test_fused_regions_are_simplified():
    text = """
def main(x: f32[4]):
    @region
    def body(y: f32[4]):
        return {}
    z = p.fused(x, body=body)
    return z
"""
    becomes([Canonicalize()], text.format("-(-p.exp(y)) * 1.0"), text.format("p.exp(y)"))


def test_a_donated_input_that_becomes_another_result_keeps_its_buffer():
    text = """
@function(inputs=("param:w", "x"), donates={"w": 1}, tree="(0, 1)")
def main(w: f32[4], x: f32[4]):
    return w * 1.0, w + x
"""
    function = read(text)
    run_passes(function, [Canonicalize()])
    assert function.results[0] is function.args[0] and function.donates == {0: 1}
    held = np.ones(4, np.float32)
    given, taken = build(function).run([held, held * 2], given=[0])
    assert (given == 1).all() and (taken == 3).all()


def test_programs_of_symbolic_size():
    text = """
B = symbol("B")
def main(x: f32[B, 3], one: f32[3]):
    y = p.reshape(p.reshape(x, shape=(3 * B,)), shape=(B, 3))
    return p.broadcast_to(y, shape=(B, 3)) + p.const(-0.0, f32[3])
"""
    function = read(text)
    run_passes(function, [Canonicalize()])
    assert function.results[0] is function.args[0]


def test_fast_math_adds_rules_that_round(plugged_rule):
    text = "def main(x: f32[4]):\n    return (x + p.const(1.0, f32)) - p.const(1.0, f32)\n"
    plugged_rule(AddSub)
    stays([Canonicalize()], text)
    becomes([Canonicalize(fast_math=True)], text, "def main(x: f32[4]):\n    return x\n")
    assert Canonicalize().exact and not Canonicalize(fast_math=True).exact
    assert str(Canonicalize(fast_math=True)) == "canonicalize{fast_math=True}"
    assert parse_pipeline("canonicalize{fast_math=True}") == (Canonicalize(fast_math=True),)


class AddSub(Rewrite):
    """sub(add(x, y), y)  =>  x, up to rounding."""

    exact = False

    def before(x, y):
        return (x + y) - y

    def where(x, y):
        return x.shape == (4,) or no("it is another")

    def after(x):
        return x


def test_large_programs_take_seconds():
    """20,000 operations; a bound that only a quadratic algorithm breaks."""
    function = read("def main(x: f32[2, 3]):\n    return x\n")
    value = function.args[0]
    with Rewriter(function).insert_last(function.body).active():
        for _ in range(4000):
            value = p.tanh(p.sub(p.mul(p.neg(p.neg(value)), p.const(1.0, value.type)), value))
    function.body.set_reads([value])
    (report,) = run_passes(function, [Canonicalize()])
    assert report.before > 20_000 and report.after == 8_000
    assert report.seconds < 20
    assert evaluate(function, [p.const(0.5, function.args[0].type)])
