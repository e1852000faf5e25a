"""Does a value that was not selected stay out of the gradient, whatever its derivative is?

Each program selects away a NaN or an infinity. Multiplying by zero would let it through.
"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import type_of
from s2sad.passes.base import run_passes
from s2sad.passes.decompose import Decompose, without_adjoint


def gradients(program, *inputs):
    function = build_function(program, [type_of(x) for x in inputs])
    run_passes(function, [Decompose(without_adjoint)])
    joint = differentiate(function, range(len(inputs)))
    return evaluate(joint, inputs)[len(function.results) :]


X = np.array([-1.0, 0.0, 4.0])


def root(x):
    return p.where(x > 0.0, p.sqrt(x), 0.0)


def through_a_chain(x):
    return p.where(x > 0.0, -(p.log(x) * 2.0 + 1.0), 3.0 * x)


def nested(x):
    inner = p.where(x < 10.0, p.div(1.0, p.sqrt(x)), 1.0)
    return p.where(x > 0.0, inner, 0.0)


def inner_mask_too_wide(x):
    inner = p.where(x < 10.0, p.sqrt(x), 1.0)  # sqrt is taken at -1 and 0 here
    return p.where(x > 0.0, inner * inner * 0.5, 0.0)


def clipped(x):
    return p.clip(p.div(1.0, x), -2.0, 2.0)


def larger(x):
    return p.maximum(p.div(-1.0, x * x), -5.0)


def rectified(x):
    return p.relu(p.div(-1.0, x * x))


def power(x):
    return p.where(x > 0.0, p.pow(x, 0.5), 0.0)  # the adjoint of pow selects as well


CASES = [
    (power, [0.0, 0.0, 0.25]),
    (root, [0.0, 0.0, 0.25]),
    (through_a_chain, [3.0, 3.0, -0.5]),
    (nested, [0.0, 0.0, -0.0625]),
    (inner_mask_too_wide, [0.0, 0.0, 0.5]),
    (clipped, [-1.0, 0.0, -0.0625]),
    (larger, [-2.0, 0.0, 2.0 / 64.0]),
    (rectified, [0.0, 0.0, 0.0]),
]


@pytest.mark.parametrize(("program", "expected"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_right_values(program, expected) -> None:
    np.testing.assert_allclose(gradients(program, X)[0], expected, rtol=1e-15)


def test_both_operands_of_a_guarded_division() -> None:
    dx, dy = gradients(
        lambda x, y: p.where(y > 0.0, p.div(x, y), 0.0), np.ones(2), np.array([0.0, 2.0])
    )
    np.testing.assert_array_equal(dx, [0.0, 0.5])
    np.testing.assert_array_equal(dy, [0.0, -0.25])


def test_a_norm_at_the_origin() -> None:
    def norm(m):
        squares = p.reduce_sum(m * m, axis=1)
        return p.where(squares > 0.0, p.sqrt(squares), 0.0)

    found = gradients(norm, np.array([[0.0, 0.0], [3.0, 4.0]]))[0]
    np.testing.assert_allclose(found, [[0.0, 0.0], [0.6, 0.8]], rtol=1e-15)


def test_through_a_sum_back_to_its_terms() -> None:
    def program(m):
        total = p.reduce_sum(p.div(1.0, m), axis=1, keepdims=True)
        return p.where(p.is_finite(total), total, 0.0)

    found = gradients(program, np.array([[0.0, 1.0], [2.0, 4.0]]))[0]
    np.testing.assert_allclose(found, [[0.0, 0.0], [-0.25, -0.0625]], rtol=1e-15)


def test_the_second_derivative() -> None:
    function = build_function(root, [type_of(X)])
    first = differentiate(function, [0])
    run_passes(first, [Decompose(without_adjoint)])
    second = evaluate(differentiate(first, [0], [1]), [X])[-1]
    np.testing.assert_allclose(second, [0.0, 0.0, -1 / 32], rtol=1e-14)


def test_what_is_selected_keeps_its_nan() -> None:
    found = gradients(lambda x: p.where(x > -2.0, p.sqrt(x), 0.0), X)[0]
    assert np.isnan(found[0]) and found[1] == np.inf and found[2] == 0.25


def test_plain_networks_pay_nothing() -> None:
    function = build_function(
        lambda x, w, b: p.relu(p.add(p.matmul(x, w), b)),
        [type_of(np.ones(s)) for s in ((4, 3), (3, 2), (2,))],
    )
    joint = differentiate(function, [1, 2])
    assert sum(op.prim is p.where for op in joint.walk()) == 1
