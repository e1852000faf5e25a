"""Is the reference derivative, by which adjoints are judged, itself right?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f64, i64
from support.laws import check_values
from support.reverse import gradient, gradients_at, jvp, vjp

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def derivative(function, *inputs):
    """Cotangents, for ones, of all inputs."""
    result = evaluate(function, inputs)[0]
    return evaluate(gradient(function), [*inputs, np.ones_like(result)])


def test_a_value_read_twice_collects_both_contributions():
    program = build_function(lambda x: p.add(p.mul(x, x), x), [f64[2, 3]])
    check_values(derivative(program, X)[0], 2 * X + 1)


def test_what_is_broadcast_is_summed():
    program = build_function(p.mul, [f64[2, 3], f64[3]])
    dx, dy = derivative(program, X, np.array([1.0, 2.0, 3.0]))
    check_values(dx, np.tile([1.0, 2.0, 3.0], (2, 1)))
    check_values(dy, X.sum(axis=0))


def test_an_input_that_is_returned_has_the_cotangent_of_the_result():
    program = build_function(lambda x, y: x, [f64[2], f64[3]])
    dx, dy = derivative(program, np.ones(2), np.ones(3))
    check_values(dx, np.ones(2))
    check_values(dy, np.zeros(3))


def test_integers_have_no_cotangent():
    program = build_function(lambda n, x: p.mul(x, p.cast(n, dtype=f64)), [i64, f64])
    assert [str(t) for t in vjp(program).result_types] == ["f64", "f64"]
    check_values(derivative(program, np.array(3), np.array(2.0))[0], 3.0)


def test_a_composite_without_adjoint_is_differentiated_through_its_body():
    assert p.expand_dims.is_composite
    assert p.expand_dims.adjoint_rule is None
    (dx,) = gradients_at(p.expand_dims, X, axis=1)
    check_values(dx, np.ones_like(X))
    pushed = jvp(build_function(lambda x: p.expand_dims(x, axis=1), [f64[2, 3]]))
    check_values(evaluate(pushed, [X, 2 * X])[1], 2 * X[:, None])


def test_a_result_without_cotangent_gives_none_to_the_adjoint():
    def second_part(x):
        return p.split(x, sizes=(1, 2), axis=1)[1]

    (dx,) = derivative(build_function(second_part, [f64[2, 3]]), X)
    check_values(dx, np.array([[0.0, 1.0, 1.0]] * 2))


def test_the_derivative_of_a_derivative():
    cube = build_function(lambda x: p.mul(x, p.mul(x, x)), [f64])
    for expected in (12.0, 12.0, 6.0):
        cube = gradient(cube, (0,))
        ones = [1.0] * (len(cube.args) - 1)
        check_values(evaluate(cube, [2.0, *ones])[0], expected)


def test_the_tangent_of_a_chain():
    program = build_function(lambda x, y: p.sin(p.mul(x, y)), [f64, f64])
    found = evaluate(jvp(program), [2.0, 3.0, 0.5, 0.25])[1]
    np.testing.assert_allclose(found, np.cos(6.0) * (0.5 * 3 + 0.25 * 2), rtol=1e-15)
    found = evaluate(jvp(program, (1,)), [2.0, 3.0, 0.25])[1]
    np.testing.assert_allclose(found, np.cos(6.0) * 0.25 * 2, rtol=1e-15)


def test_the_tangent_of_a_broadcast_operand_has_the_shape_of_the_result():
    program = jvp(build_function(p.add, [f64[2, 3], f64[3]]), (1,))
    check_values(
        evaluate(program, [X, np.zeros(3), np.arange(3.0)])[1], np.tile(np.arange(3.0), (2, 1))
    )
    program = jvp(build_function(p.maximum, [f64[2, 3], f64[3]]), (1,))
    check_values(evaluate(program, [X, np.full(3, 9.0), np.ones(3)])[1], np.ones((2, 3)))


def test_no_tangent_flows_through_an_integer():
    program = build_function(lambda x: p.cast(p.cast(x, dtype=i64), dtype=f64), [f64])
    check_values(evaluate(jvp(program), [2.5, 4.0])[1], 0.0)


def test_regions_are_refused():
    def branch(x):
        return p.if_(p.less(x, 1.0), then=lambda: x, orelse=lambda: p.neg(x))

    with pytest.raises(NotImplementedError, match="regions"):
        vjp(build_function(branch, [f64]))
