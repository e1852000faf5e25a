"""Are tangents right: for each primitive by the rules, through control flow by differences?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.autodiff.forward import push_forward
from s2sad.autodiff.reverse import differentiate
from s2sad.backends.numpy import build
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import StackType, f64, type_of
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.decompose import Decompose, without_adjoint, without_tangent
from support import reverse
from support.control_programs import PROGRAMS, float_results
from support.laws import identical
from support.specs import differentiable_specs

SPECS = differentiable_specs()


def tangent(function: Function, wrt) -> Function:
    run_passes(function, [Decompose(without_tangent)])
    found = push_forward(function, wrt)
    verify(found)
    return found


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_inlined_tangents_are_the_rules(spec) -> None:
    types = [type_of(np.asarray(x)) for x in spec.operands]
    function = build_function(lambda *v: spec.prim(*v, **spec.attrs), types)
    places = reverse.float_places(types)
    dots = [np.full(types[i].shape, 0.5) for i in places]
    inputs = [*map(np.asarray, spec.operands), *dots]
    expected = evaluate(reverse.jvp(function, places), inputs)
    for one, other in zip(evaluate(tangent(function, places), inputs), expected, strict=True):
        if not identical(one, other):  # sums may be taken in another order
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("program", "inputs"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_control_flow(program, inputs) -> None:
    function = build_function(program, [type_of(x) for x in inputs])
    rng = np.random.default_rng(0)
    dots = [rng.normal(size=x.shape) for x in inputs]
    pushed = tangent(function, (0, 1))
    results = evaluate(pushed, [*inputs, *dots])
    step, places = 1e-5, float_results(function)
    ahead = evaluate(function, [x + step * d for x, d in zip(inputs, dots, strict=True)])
    behind = evaluate(function, [x - step * d for x, d in zip(inputs, dots, strict=True)])
    for place, dot in zip(places, results[len(function.results) :], strict=True):
        slope = (ahead[place] - behind[place]) / (2 * step)
        np.testing.assert_allclose(dot, slope, rtol=1e-6, atol=1e-8)
    for one, other in zip(results, build(pushed).run([*inputs, *dots]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_forward_over_reverse_is_the_second_derivative() -> None:
    function = build_function(lambda x: p.reduce_sum(p.exp(x) * x), [f64[3]])
    run_passes(function, [Decompose(without_adjoint)])
    x, direction = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 2.0])
    pushed = tangent(differentiate(function, [0]), (0,))
    found = evaluate(pushed, [x, direction])[-1]
    np.testing.assert_allclose(found, (x + 2) * np.exp(x) * direction, rtol=1e-14)


def test_what_does_not_vary_has_zeros() -> None:
    function = build_function(lambda x, y: (y * y, x), [f64[2], f64[2]])
    found = evaluate(tangent(function, (0,)), [np.ones(2), np.ones(2), np.full(2, 3.0)])
    np.testing.assert_array_equal(found[2], [0.0, 0.0])
    np.testing.assert_array_equal(found[3], [3.0, 3.0])


def test_an_unselected_nan_stays_out() -> None:
    function = build_function(lambda x: p.where(x > 0.0, p.sqrt(x), 0.0), [f64[2]])
    found = evaluate(tangent(function, (0,)), [np.array([-1.0, 4.0]), np.ones(2)])
    np.testing.assert_array_equal(found[1], [0.0, 0.25])


@pytest.mark.parametrize("wrt", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize(("program", "inputs"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_forward_over_reverse_through_control_flow(program, inputs, wrt) -> None:
    function = build_function(program, [type_of(x) for x in inputs])
    run_passes(function, [Decompose(without_adjoint)])
    joint = differentiate(function, (0, 1), float_results(function))
    rng = np.random.default_rng(0)
    dots = [rng.normal(size=inputs[i].shape) for i in wrt]
    results = evaluate(tangent(joint, wrt), [*inputs, *dots])

    def moved(step):
        given = list(inputs)
        for i, dot in zip(wrt, dots, strict=True):
            given[i] = given[i] + step * dot
        return evaluate(joint, given)

    ahead, behind = moved(1e-6), moved(-1e-6)
    for place, dot in zip(float_results(joint), results[len(joint.results) :], strict=True):
        slope = (ahead[place] - behind[place]) / 2e-6
        np.testing.assert_allclose(dot, slope, rtol=1e-6, atol=1e-7)


def test_what_is_left_over() -> None:
    function = build_function(lambda x: p.fused(x, body=lambda x: p.exp(x)), [f64])
    with pytest.raises(S2sadError, match="E0104"):
        push_forward(function, (0,))
    taking = build_function(lambda stack: p.stack_pop(stack), [StackType(f64)])
    with pytest.raises(S2sadError, match="E0104"):
        push_forward(taking, ())
