"""What are values and gradients at infinities, at NaN, at the two zeros, and at kinks and ties?

Differences say nothing there, so the tables below do. A gradient is the limit from inside of the
domain where there is one; at a kink it is what the docstring of the primitive promises; where an
operand is NaN, what selects gives 0 and what computes gives NaN.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import type_of
from support.laws import Spec, check_laws
from support.reverse import gradients_at, jvp

inf, nan = math.inf, math.nan

#: 2 / sqrt(pi), the slope of `erf` at 0.
ERF = 2 / math.sqrt(math.pi)

POINTS = (-inf, -0.0, 0.0, inf, nan)

#: Primitive, attributes, its values at POINTS, its gradients at POINTS.
UNARY: list[tuple[Any, dict[str, Any], list[float], list[float]]] = [
    (p.neg, {}, [inf, 0.0, -0.0, -inf, nan], [-1, -1, -1, -1, -1]),
    (p.abs, {}, [inf, 0.0, 0.0, inf, nan], [-1, 0, 0, 1, 0]),
    (p.square, {}, [inf, 0.0, 0.0, inf, nan], [-inf, -0.0, 0.0, inf, nan]),
    (p.sqrt, {}, [nan, -0.0, 0.0, inf, nan], [nan, -inf, inf, 0.0, nan]),
    (p.rsqrt, {}, [nan, -inf, inf, 0.0, nan], [nan, -inf, -inf, -0.0, nan]),
    (p.exp, {}, [0.0, 1, 1, inf, nan], [0.0, 1, 1, inf, nan]),
    (p.exp2, {}, [0.0, 1, 1, inf, nan], [0.0, math.log(2), math.log(2), inf, nan]),
    (p.expm1, {}, [-1, -0.0, 0.0, inf, nan], [0.0, 1, 1, inf, nan]),
    (p.tanh, {}, [-1, -0.0, 0.0, 1, nan], [0.0, 1, 1, 0.0, nan]),
    (p.sigmoid, {}, [0.0, 0.5, 0.5, 1, nan], [0.0, 0.25, 0.25, 0.0, nan]),
    (p.asinh, {}, [-inf, -0.0, 0.0, inf, nan], [0.0, 1, 1, 0.0, nan]),
    (p.atan, {}, [-math.pi / 2, -0.0, 0.0, math.pi / 2, nan], [0.0, 1, 1, 0.0, nan]),
    (p.sin, {}, [nan, -0.0, 0.0, nan, nan], [nan, 1, 1, nan, nan]),
    (p.cosh, {}, [inf, 1, 1, inf, nan], [-inf, -0.0, 0.0, inf, nan]),
    (p.erf, {}, [-1, -0.0, 0.0, 1, nan], [0.0, ERF, ERF, 0.0, nan]),
    (p.erfc, {}, [2, 1, 1, 0.0, nan], [-0.0, -ERF, -ERF, -0.0, nan]),
    (p.relu, {}, [0.0, 0.0, 0.0, inf, nan], [0.0, 0.0, 0.0, 1, 0.0]),
    (p.relu6, {}, [0.0, 0.0, 0.0, 6, nan], [0.0, 0.0, 0.0, 0.0, 0.0]),
    (p.hard_sigmoid, {}, [0.0, 0.5, 0.5, 1, nan], [0.0, 1 / 6, 1 / 6, 0.0, 0.0]),
    (p.softplus, {}, [0.0, math.log(2), math.log(2), inf, nan], [0.0, 0.5, 0.5, 1, nan]),
    (p.log_sigmoid, {}, [-inf, -math.log(2), -math.log(2), -0.0, nan], [1, 0.5, 0.5, 0.0, nan]),
    (p.silu, {}, [-0.0, -0.0, 0.0, inf, nan], [-0.0, 0.5, 0.5, 1, nan]),
    (p.gelu, {}, [-0.0, -0.0, 0.0, inf, nan], [0.0, 0.5, 0.5, 1, nan]),
    (p.mish, {}, [-0.0, -0.0, 0.0, inf, nan], [0.0, 0.6, 0.6, 1, nan]),
]

#: Primitive, a point of its own, the value there, the gradient there.
ELSEWHERE = [
    (p.log, 0.0, -inf, inf),
    (p.log, inf, inf, 0.0),
    (p.log, nan, nan, nan),
    (p.log2, 0.0, -inf, inf),
    (p.log1p, -1.0, -inf, inf),
    (p.log1p, -0.0, -0.0, 1.0),
    (p.log1p, inf, inf, 0.0),
    (p.atanh, 1.0, inf, inf),
    (p.atanh, -1.0, -inf, inf),
    (p.asin, 1.0, math.pi / 2, inf),
    (p.acosh, 1.0, 0.0, inf),
    (p.acosh, inf, inf, 0.0),
    (p.erfinv, 1.0, inf, inf),
    (p.erfinv, -1.0, -inf, inf),
    (p.lgamma, 0.0, inf, -inf),
    (p.lgamma, inf, inf, inf),
    (p.relu6, 6.0, 6.0, 0.0),
    (p.exp, 1000.0, inf, inf),
    (p.exp, -1000.0, 0.0, 0.0),
    (p.softplus, 1000.0, 1000.0, 1.0),
    (p.softplus, -1000.0, 0.0, 0.0),
    (p.gelu, -1000.0, -0.0, 0.0),
]

#: Primitive, two operands, the value, the gradients of both.
BINARY = [
    (p.maximum, (2.0, 2.0), 2.0, (0.5, 0.5)),
    (p.maximum, (0.0, -0.0), 0.0, (0.5, 0.5)),
    (p.maximum, (inf, inf), inf, (0.5, 0.5)),
    (p.maximum, (inf, -inf), inf, (1.0, 0.0)),
    (p.maximum, (nan, 1.0), nan, (0.0, 0.0)),
    (p.minimum, (2.0, 2.0), 2.0, (0.5, 0.5)),
    (p.minimum, (0.0, -0.0), -0.0, (0.5, 0.5)),
    (p.minimum, (-inf, -inf), -inf, (0.5, 0.5)),
    (p.minimum, (1.0, inf), 1.0, (1.0, 0.0)),
    (p.minimum, (1.0, nan), nan, (0.0, 0.0)),
    (p.pow, (0.0, 0.0), 1.0, (0.0, 0.0)),
    (p.pow, (0.0, 1.0), 0.0, (1.0, 0.0)),
    (p.pow, (0.0, 2.0), 0.0, (0.0, 0.0)),
    (p.pow, (0.0, 0.5), 0.0, (inf, 0.0)),
    (p.pow, (0.0, -1.0), inf, (-inf, -inf)),
    (p.pow, (-1.0, 2.0), 1.0, (-2.0, nan)),
    (p.pow, (-2.0, 3.0), -8.0, (12.0, nan)),
    (p.pow, (-2.0, 0.5), nan, (nan, nan)),
    (p.pow, (inf, 1.0), inf, (1.0, inf)),
    (p.pow, (1.0, inf), 1.0, (inf, 0.0)),
    (p.pow, (nan, 0.0), 1.0, (0.0, nan)),
    (p.div, (1.0, 0.0), inf, (inf, -inf)),
    (p.div, (-1.0, -0.0), inf, (-inf, inf)),
    (p.div, (1.0, inf), 0.0, (0.0, -0.0)),
    (p.div, (inf, 1.0), inf, (1.0, -inf)),
    (p.div, (0.0, 0.0), nan, (inf, nan)),
    (p.atan2, (0.0, 0.0), 0.0, (0.0, -0.0)),
    (p.atan2, (0.0, -1.0), math.pi, (-1.0, -0.0)),
    (p.atan2, (-0.0, -1.0), -math.pi, (-1.0, 0.0)),
    (p.atan2, (1.0, 0.0), math.pi / 2, (0.0, -1.0)),
    (p.atan2, (nan, 1.0), nan, (nan, nan)),
]

LAST = {"axis": -1}

#: Primitive, a row, attributes, the values, the gradients where each value has the cotangent 1.
ROWS = [
    (p.softmax, [-inf, 0.0, 0.0], LAST, [0.0, 0.5, 0.5], [0.0, 0.0, 0.0]),
    (p.softmax, [inf, 0.0], LAST, [1.0, 0.0], [0.0, 0.0]),
    (p.softmax, [nan, 0.0], LAST, [nan, nan], [nan, nan]),
    (p.log_softmax, [-inf, 0.0], LAST, [-inf, 0.0], [1.0, -1.0]),
    (p.log_softmax, [1000.0, 0.0], LAST, [0.0, -1000.0], [-1.0, 1.0]),
    (p.log_sum_exp, [-inf, 0.0, 0.0], LAST, [math.log(2)], [0.0, 0.5, 0.5]),
    (p.log_sum_exp, [-inf, -inf], LAST, [-inf], [0.5, 0.5]),
    (p.log_sum_exp, [inf, 0.0], LAST, [inf], [1.0, 0.0]),
    (p.log_sum_exp, [nan, 0.0], LAST, [nan], [nan, nan]),
    (p.reduce_max, [1.0, 1.0, 0.0], {}, 1.0, [0.5, 0.5, 0.0]),
    (p.reduce_max, [nan, 1.0], {}, nan, [0.0, 0.0]),
    (p.reduce_min, [-inf, -inf], {}, -inf, [0.5, 0.5]),
    (p.reduce_prod, [2.0, 0.0], {}, 0.0, [0.0, 2.0]),
    (p.reduce_prod, [0.0, 0.0], {}, 0.0, [0.0, 0.0]),
    (p.variance, [2.0], {}, 0.0, [0.0]),
    (p.standard_deviation, [2.0], {}, 0.0, [0.0]),
    (p.standard_deviation, [1.0, 1.0], {}, 0.0, [0.0, 0.0]),
    (p.standard_deviation, [nan, 1.0], {}, nan, [nan, nan]),
]


def check(found: Any, expected: Any, what: str) -> None:
    """The same infinities, NaNs and signs of zeros; other numbers but for their last bits."""
    found, expected = np.asarray(found), np.asarray(expected, np.float64)
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0, err_msg=what)
    signs = np.signbit(found) == np.signbit(expected)
    assert (signs | np.isnan(expected)).all(), f"{what}: {found} has a wrong sign, {expected}"


def pushed(prim: Any, operands: list[np.ndarray], **attrs: Any) -> np.ndarray:
    """Tangent of the result where those of all operands are 1."""
    program = build_function(lambda *v: prim(*v, **attrs), [type_of(x) for x in operands])
    return evaluate(jvp(program), [*operands, *map(np.ones_like, operands)])[-1]


@pytest.mark.parametrize(("prim", "attrs", "values", "gradients"), UNARY, ids=lambda x: str(x)[:20])
def test_of_one_operand(prim, attrs, values, gradients):
    x = np.array(POINTS)
    check(prim(x, **attrs), values, f"values of {prim}")
    check(gradients_at(prim, x, **attrs)[0], gradients, f"gradients of {prim}")
    check(pushed(prim, [x], **attrs), gradients, f"tangents of {prim}")


@pytest.mark.parametrize(("prim", "x", "value", "gradient"), ELSEWHERE)
def test_at_a_point_of_its_own(prim, x, value, gradient):
    x = np.array([x])
    check(prim(x), [value], f"{prim} at {x}")
    check(gradients_at(prim, x)[0], [gradient], f"gradient of {prim} at {x}")
    check(pushed(prim, [x]), [gradient], f"tangent of {prim} at {x}")


@pytest.mark.parametrize(("prim", "operands", "value", "gradients"), BINARY)
def test_of_two_operands(prim, operands, value, gradients):
    x, y = (np.array([number]) for number in operands)
    check(prim(x, y), [value], f"{prim} at {operands}")
    for found, wanted in zip(gradients_at(prim, x, y), gradients, strict=True):
        check(found, [wanted], f"gradients of {prim} at {operands}")


def test_clip_at_its_bounds():
    x, low, high = np.array([-inf, -1.0, 1.0, inf, nan]), np.array(-1.0), np.array(1.0)
    check(p.clip(x, low, high), [-1, -1, 1, 1, nan], "values")
    found = gradients_at(p.clip, x, low, high)
    for one, wanted in zip(found, [[0.0, 1.0, 1.0, 0.0, 0.0], 1.0, 1.0], strict=True):
        check(one, wanted, "gradients")


@pytest.mark.parametrize(("prim", "row", "attrs", "values", "gradients"), ROWS)
def test_of_rows(prim, row, attrs, values, gradients):
    x = np.array(row)
    check(prim(x, **attrs), values, f"{prim} of {row}")
    check(gradients_at(prim, x, **attrs)[0], gradients, f"gradient of {prim} of {row}")


def test_norms_of_what_does_not_vary():
    x, gamma, beta = np.full((1, 3), 2.0), np.ones(3), np.zeros(3)
    dx, _, dbeta = gradients_at(p.layer_norm, x, gamma, beta, axes=(1,), eps=1e-5)
    check(dx, [[1 / 3, 1 / 3, 1 / 3]], "layer_norm: of the mean, its second result")
    check(dbeta, [1.0, 1.0, 1.0], "layer_norm")
    dx = gradients_at(p.rms_norm, np.zeros((1, 3)), gamma, axes=(1,), eps=1e-6)[0]
    assert np.isfinite(dx).all()


SPECS = [
    Spec(prim, (np.array(POINTS),), attrs, gradient=False) for prim, attrs, _, _ in UNARY
]  # `check_laws` runs adjoint and tangent there, in each dtype


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def test_the_table_covers_what_has_edges():
    names = {prim.name for prim, *_ in (*UNARY, *ELSEWHERE, *BINARY, *ROWS)}
    assert len(names) >= 25
