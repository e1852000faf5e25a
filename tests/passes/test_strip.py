"""Do markers become what they compute, and does what is computed twice on purpose stay so?"""

from __future__ import annotations

import numpy as np
import pytest

from passes.rewriting import becomes, stays
from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.backends.numpy import build
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f64, i64
from s2sad.passes.base import run_passes
from s2sad.passes.pipeline import parse_pipeline
from s2sad.passes.strip import StripMarkers

X = np.array([0.5, -1.0, 2.0])


def test_what_computes_nothing_goes():
    becomes(
        [StripMarkers()],
        """
def main(x: f64[3], n: i64[3]):
    @region
    def body_0(dx: f64[3]):
        return p.neg(dx)
    y = p.stop_gradient(p.hook(p.sin(x), body=body_0))
    return y, p.stop_gradient(x), p.stop_gradient(n)
""",
        """
def main(x: f64[3], n: i64[3]):
    return p.sin(x), x, n
""",
    )


def test_regions_are_inlined():
    becomes(
        [StripMarkers()],
        """
def main(x: f64[3]):
    @region
    def primal_0(x: f64[3]):
        @region
        def body_0(x: f64[3]):
            return p.stop_gradient(p.mul(x, x))
        return p.neg(p.checkpoint(x, body=body_0, budget=None))
    @region
    def adjoint_0(x: f64[3], y: f64[3], dy: f64[3]):
        return p.stop_gradient(dy)
    return p.custom(x, primal=primal_0, adjoint=adjoint_0)
""",
        """
def main(x: f64[3]):
    return p.neg(p.mul(x, x))
""",
    )


def test_inside_of_loops_and_branches():
    becomes(
        [StripMarkers()],
        """
def main(x: f64[3], n: i64, c: bool_):
    y = x
    for i in range(0, n, 1):
        if c:
            y_1 = p.stop_gradient(p.sin(y))
        else:
            y_1 = y
        y = y_1
    return y
""",
        """
def main(x: f64[3], n: i64, c: bool_):
    y = x
    for i in range(0, n, 1):
        if c:
            y_1 = p.sin(y)
        else:
            y_1 = y
        y = y_1
    return y
""",
    )


def test_barriers_and_maps_stay():
    stays(
        [StripMarkers()],
        """
def main(x: f64[2, 3]):
    @region
    def body_0(x: f64[3]):
        return p.sin(x)
    return p.barrier(p.transform(x, body=body_0, kind="vmap", in_axes=(0,), out_axes=(0,)))
""",
    )


@pytest.mark.parametrize("is_marked", [False, True])
def test_a_checkpoint_computes_again_to_the_end(is_marked):
    def body(x):
        return p.sin(p.exp(x))

    def run(x):
        return p.checkpoint(x, body=body) if is_marked else body(x)

    joint = differentiate(build_function(run, [f64[3]]), [0])
    lists = "strip-markers,canonicalize,cse,dce,decompose{every},canonicalize,join-sums,cse,dce"
    run_passes(joint, parse_pipeline(lists), validate=[X])
    names = [op.prim.name for op in joint.walk()]
    assert names.count("exp") == 1 + is_marked
    value, gradient = build(joint).run([X])
    np.testing.assert_allclose(value, np.sin(np.exp(X)), rtol=1e-15)
    np.testing.assert_allclose(gradient, np.cos(np.exp(X)) * np.exp(X), rtol=1e-15)


def test_effects_and_integers_pass_through():
    def run(x, n):
        return p.custom(
            x, n, primal=lambda x, n: (p.mul(x, p.cast(n, dtype=f64)), p.add(n, 1)),
            adjoint=lambda x, n, y, m, dy: dy,
        )  # fmt: skip

    function = build_function(run, [f64[3], i64])
    before = evaluate(function, [X, np.array(3)])
    run_passes(function, [StripMarkers()])
    assert [op.prim.name for op in function.walk()] == ["cast", "mul", "const", "add"]
    for one, other in zip(evaluate(function, [X, np.array(3)]), before, strict=True):
        np.testing.assert_array_equal(one, other)
