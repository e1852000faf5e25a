"""Do the operations of a derivative take the place of each `transform`?"""

from __future__ import annotations

import numpy as np
import pytest

from passes.breaking import DropExp
from passes.rewriting import becomes, read
from s2sad import prims as p
from s2sad.autodiff.forward import has_tangent
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f64, i64
from s2sad.passes.base import run_passes
from s2sad.passes.dce import Dce
from s2sad.passes.expand import ExpandTransforms
from s2sad.passes.pipeline import format_pipeline, parse_pipeline

X = np.array([0.5, -1.0, 2.0])
V = np.array([1.0, 10.0, 100.0])


def expanded(run, *types):
    function = build_function(run, types)
    (report,) = run_passes(function, [ExpandTransforms()])
    assert report.changes == sum(report.titles.values()) > 0
    assert not any(op.prim is p.transform for op in function.walk())
    return function


def test_a_gradient():
    becomes(
        [ExpandTransforms(), Dce()],
        """
def main(x: f64[3]):
    @region
    def body_0(x: f64[3]):
        return p.sin(x)
    dx = p.transform(x, body=body_0, kind="grad", wrt=(0,))
    return dx
""",
        """
def main(x: f64[3]):
    dy = p.const(1.0, f64[3])
    t0 = p.cos(x)
    return p.mul(dy, t0)
""",
    )


def test_each_kind():
    def body(x, y):
        return p.mul(p.mul(x, x), y), p.cast(x, dtype=i64)

    x, y, seed = X, X + 3, V

    def run(kind, wrt, *more):
        types = [f64[3]] * (2 + len(more))
        function = expanded(lambda *v: p.transform(*v, body=body, kind=kind, wrt=wrt), *types)
        return evaluate(function, [x, y, *more])

    out, by_x, by_y = x * x * y, 2 * x * y, x * x
    for found, expected in (
        (run("grad", (1, 0)), (by_y, by_x)),
        (run("value_and_grad", (0,)), (out, x.astype(np.int64), by_x)),
        (run("vjp", (0,), seed), (out, x.astype(np.int64), seed * by_x)),
        (run("jvp", (0,), seed), (out, x.astype(np.int64), seed * by_x)),
        (run("jvp", (1, 0), seed, x), (out, x.astype(np.int64), seed * by_y + x * by_x)),
    ):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-15)


def test_results_that_do_not_count():
    def body(x):
        return p.sin(x), p.mul(x, x), p.exp(x)

    function = expanded(
        lambda x, v: p.transform(x, v, body=body, kind="jvp", wrt=(0,), results=(2, 0)),
        f64[3], f64[3],
    )  # fmt: skip
    *_, by_exp, by_sin = evaluate(function, [X, V])
    np.testing.assert_allclose(by_exp, np.exp(X) * V)
    np.testing.assert_allclose(by_sin, np.cos(X) * V)


def gradient(run):
    return lambda *v: p.transform(*v, body=run, kind="grad", wrt=(0,))


def test_innermost_first_and_wherever_they_stand():
    def cube(x):
        return p.mul(p.mul(x, x), x)

    third = gradient(gradient(gradient(cube)))

    def run(x, n):
        x = p.for_(0, n, 1, x, body=lambda i, h: p.add(h, third(h)))
        return p.if_(
            p.less(n, 3), then=lambda: gradient(cube)(x),
            orelse=lambda: p.custom(
                x, primal=gradient(cube), adjoint=lambda x, y, dy: gradient(p.exp)(x)
            ),
        )  # fmt: skip

    function = expanded(run, f64[3], i64)
    (found,) = evaluate(function, [X, np.array(2)])
    np.testing.assert_allclose(found, 3 * (X + 12) ** 2)


def test_composites_inside_are_prepared():
    def norm(x, w):
        return p.rms_norm(x, w, axes=(0,), eps=0.0)[0]

    w = np.ones(3)
    slope = (np.eye(3) - np.outer(X, X) / (X @ X)) / np.sqrt(np.mean(X * X))
    assert p.rms_norm.adjoint_rule is not None and not has_tangent(p.rms_norm)
    pushed = expanded(
        lambda *v: p.transform(*v, body=norm, kind="jvp", wrt=(0,)), f64[3], f64[3], f64[3]
    )
    np.testing.assert_allclose(evaluate(pushed, [X, w, V])[1], slope @ V, rtol=1e-13)
    deviation = expanded(gradient(lambda x: p.standard_deviation(x, axis=0)), f64[3])
    expected = (X - X.mean()) / (3 * X.std())
    np.testing.assert_allclose(evaluate(deviation, [X])[0], expected, rtol=1e-14)


def test_a_map_becomes_what_it_computes_of_all_rows():
    becomes(
        [ExpandTransforms()],
        """
def main(x: f64[2, 3]):
    @region
    def body_0(x: f64[3]):
        return p.mul(p.reduce_sum(x, axis=(0,)), p.const(2.0, f64))
    return p.transform(x, body=body_0, kind="vmap", in_axes=(0,), out_axes=(0,))
""",
        """
def main(x: f64[2, 3]):
    total = p.reduce_sum(x, axis=(1,))
    return p.mul(total, p.const(2.0, f64))
""",
    )


def test_maps_come_before_derivatives():
    """The derivative of a loop is taken of the loop over all rows: no stack has rows to select."""

    def looped(x):
        return p.while_(x, condition=lambda h: p.less(h, 9.0), body=lambda h: (p.mul(h, h),))

    function = expanded(
        lambda x: p.transform(x, body=gradient(looped), kind="vmap", in_axes=(0,), out_axes=(0,)),
        f64[3],
    )
    (found,) = evaluate(function, [np.array([10.0, 2.0, 4.0])])
    np.testing.assert_allclose(found, [1.0, 4 * 2.0**3, 2 * 4.0])


def test_operations_stand_where_the_source_has_them():
    function = read("""
def main(x: f64[3]):
    @region
    def body_0(x: f64[3]):
        return p.sin(x)                     #@ loss.py:2:4 < step.py:9:8 in Step/net:Net
    return p.transform(x, body=body_0, kind="grad", wrt=(0,))  #@ step.py:9:8 in Step
""")
    run_passes(function, [ExpandTransforms()])
    places = {op.prim.name: (str(op.loc), op.scope) for op in function.walk()}
    assert places == {
        "sin": ("loss.py:2:4 < step.py:9:8", "Step/net:Net"),
        "cos": ("loss.py:2:4 < step.py:9:8", "Step/net:Net"),
        "mul": ("loss.py:2:4 < step.py:9:8", "Step/net:Net"),
        "const": ("step.py:9:8", "Step"),
    }


def test_it_is_written_in_a_pipeline():
    (found,) = parse_pipeline("expand-transforms")
    assert found == ExpandTransforms() and format_pipeline([found]) == "expand-transforms"
    assert str(parse_pipeline("decompose{without-tangent}")[0]) == "decompose{without-tangent}"


@pytest.mark.parametrize("passes", ["expand-transforms,dce", "dce,expand-transforms,cse"])
def test_a_program_is_validated_with_its_derivative(passes):
    function = build_function(gradient(lambda x: p.mul(p.sin(x), x)), [f64[3]])
    run_passes(function, parse_pipeline(passes), validate=[X])
    np.testing.assert_allclose(evaluate(function, [X])[0], np.sin(X) + X * np.cos(X))


def test_what_changes_a_derivative_is_found_before_it_is_expanded(tmp_path):
    function = build_function(gradient(lambda x: p.mul(p.exp(x), x)), [f64[3]])
    with pytest.raises(S2sadError, match="E0903.*drop-exp"):
        run_passes(function, [DropExp(), ExpandTransforms()], validate=[X], folder=tmp_path)
