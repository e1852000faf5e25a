"""Does inlining templates on the tree give the derivative that running the rules gives?

The reference runs adjoint rules on values; the product inlines their source. Both must emit the
same operations, so results are compared bit for bit, for each primitive and for whole programs.
"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.core import location
from s2sad.core.diagnostics import S2sadError
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import f32, f64, i64, type_of
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.decompose import Decompose, without_adjoint
from support import reverse
from support.laws import identical, normal, positive
from support.specs import differentiable_specs

SPECS = differentiable_specs()


def joint(function: Function, wrt: tuple[int, ...]) -> Function:
    """The joint program of `function`, cotangents as inputs."""
    run_passes(function, [Decompose(without_adjoint)])
    results = reverse.float_places(function.result_types)
    found = differentiate(function, wrt, results, seeded=True)
    verify(found)
    return found


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_inlined_adjoints_are_the_rules(spec) -> None:
    types = [type_of(np.asarray(x)) for x in spec.operands]
    function = build_function(lambda *v: spec.prim(*v, **spec.attrs), types)
    places = reverse.float_places(types)
    expected = reverse.vjp(function, places)
    douts = [np.full(t.shape, 0.5) for t in expected.input_types[len(types) :]]
    inputs = [*map(np.asarray, spec.operands), *douts]
    found = evaluate(joint(function, places), inputs)
    for one, other in zip(found, evaluate(expected, inputs), strict=True):
        assert identical(one, other)


def chain(x, w, b):
    """A program with a value used three times, a broadcast and an unused result."""
    h = p.tanh(p.add(p.matmul(x, w), b))
    unused = p.exp(h)
    return p.reduce_sum(p.mul(h, p.sigmoid(h)), axis=None, keepdims=False), p.mul(unused, h)


def test_a_program_as_a_whole() -> None:
    types = [f64[4, 3], f64[3, 5], f64[5]]
    function = build_function(chain, types, names=["x", "w", "b"])
    expected = reverse.vjp(function)
    inputs = [normal(4, 3), normal(3, 5), normal(5), np.array(1.0), normal(4, 5)]
    found = evaluate(joint(function, (0, 1, 2)), inputs)
    for one, other in zip(found, evaluate(expected, inputs), strict=True):
        assert identical(one, other)


def test_seeds_are_ones_when_not_given() -> None:
    function = build_function(chain, [f64[4, 3], f64[3, 5], f64[5]])
    inputs = [normal(4, 3), normal(3, 5), normal(5)]
    seeded = joint(function, (1,))
    unseeded = differentiate(function, (1,))
    ones = [np.array(1.0), np.ones((4, 5))]
    for one, other in zip(
        evaluate(unseeded, inputs), evaluate(seeded, [*inputs, *ones]), strict=True
    ):
        assert identical(one, other)


def test_only_what_is_asked_for_is_differentiated() -> None:
    function = build_function(chain, [f64[4, 3], f64[3, 5], f64[5]])
    found = joint(function, (2,))
    assert [str(t) for t in found.result_types] == ["f64", "f64[4, 5]", "f64[5]"]
    assert sum(op.prim is p.matmul for op in found.walk()) == 1  # no cotangent of x or w


def test_an_input_that_does_not_count_has_zeros() -> None:
    function = build_function(lambda x, y: p.mul(x, x), [f64[2], f32[3]])
    found = evaluate(joint(function, (0, 1)), [np.ones(2), np.ones(3, np.float32), np.ones(2)])
    assert identical(found[2], np.zeros(3, np.float32))
    np.testing.assert_array_equal(found[1], [2.0, 2.0])


def test_a_result_given_twice_gets_both_seeds() -> None:
    def twice(x):
        y = p.mul(x, x)
        return y, y

    found = evaluate(
        joint(build_function(twice, [f64]), (0,)), [np.array(3.0)] + [np.array(1.0)] * 2
    )
    assert found[2] == 12.0


def test_a_result_without_a_derivative_stops_there() -> None:
    function = build_function(lambda x: (p.stop_gradient(x), p.floor(x), p.mul(x, x)), [f64])
    found = evaluate(differentiate(function, [0]), [np.array(1.5)])
    assert found[-1] == 3.0


def test_an_input_given_back_gets_its_seed() -> None:
    function = build_function(lambda x: (x, p.add(x, x)), [f64])
    found = evaluate(joint(function, (0,)), [np.array(3.0), np.array(5.0), np.array(1.0)])
    assert found[2] == 7.0


def test_the_derivative_of_the_derivative() -> None:
    function = build_function(lambda x: p.reduce_sum(p.mul(p.exp(x), x)), [f64[3]])
    first = joint(function, (0,))
    second = joint(first, (0,))
    x = positive(3)
    found = evaluate(second, [x, np.array(1.0), np.array(0.0), np.ones(3)])
    np.testing.assert_allclose(found[-1], (x + 2) * np.exp(x), rtol=1e-14)


def test_operations_keep_the_place_that_they_stem_from() -> None:
    place = Location("net.py", 7, 4)

    def program(x):
        with location.at(place), location.within("net:Net"):
            return p.tanh(x)

    found = joint(build_function(program, [f64[2]]), (0,))
    backward = [op for op in found.walk() if op.prim is p.sub]
    assert backward and all(op.loc == place and op.scope == "net:Net" for op in backward)


def test_cotangents_are_named_after_their_values() -> None:
    function = build_function(lambda x, w: p.mul(p.exp(x), w), [f64, f64], names=["x", "w"])
    text = str(joint(function, (0, 1)))
    assert "dx: f64 = " in text and "dw: f64 = " in text


def test_names_of_users_do_not_collide() -> None:
    def program(dx, accumulate, p_, ones):
        return p.mul(p.mul(dx, accumulate), p.mul(p_, ones))

    names = ["dx", "accumulate", "p", "ones"]
    function = build_function(program, [f64] * 4, names=names)
    found = evaluate(joint(function, (0, 1, 2, 3)), [np.array(float(n)) for n in (2, 3, 5, 7, 1)])
    assert [float(x) for x in found[1:]] == [105.0, 70.0, 42.0, 30.0]


def test_what_is_not_differentiated_is_refused_with_its_place() -> None:
    with location.at(Location("net.py", 3, 8)):
        function = build_function(lambda x: p.fused(x, body=lambda x: (p.exp(x),)), [f64])
    with pytest.raises(S2sadError) as caught:
        differentiate(function, [0])
    assert caught.value.code == "E0104" and caught.value.diagnostic.location.line == 3


def test_integers_have_no_cotangent() -> None:
    function = build_function(
        lambda x, i: p.gather(x, i, axis=0), [f64[3], i64[2]], names=["x", "i"]
    )
    found = evaluate(joint(function, (0,)), [np.zeros(3), np.array([1, 1]), np.ones(2)])
    np.testing.assert_array_equal(found[1], [0.0, 2.0, 0.0])
