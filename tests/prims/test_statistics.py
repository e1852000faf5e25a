"""Are means, variances and sums of exponentials right, also for one element, none and infinite?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f32, i32, type_of
from support.laws import Spec, check_laws, normal
from support.reverse import gradient

B = symbol("B")
NAN, INF = np.nan, np.inf

SPECS = [
    Spec(p.mean, (normal(2, 3),), {"axis": 1}),
    Spec(p.mean, (normal(2, 3),), {"keepdims": True}),
    Spec(p.mean, (normal(),)),
    Spec(p.variance, (normal(2, 4),), {"axis": 1, "ddof": 1}),
    Spec(p.variance, (normal(2, 4),), {"keepdims": True}),
    Spec(p.variance, (normal(1),)),
    Spec(p.standard_deviation, (normal(2, 4),), {"axis": (0,)}),
    Spec(p.standard_deviation, (normal(3, 2),), {"ddof": 1}),
    Spec(p.log_sum_exp, (normal(2, 3),), {"axis": 1}),
    Spec(p.log_sum_exp, (normal(2, 3),), {"keepdims": True}),
    Spec(p.log_sum_exp, (normal(),)),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def grad(prim, x, **attrs):
    program = build_function(lambda v: prim(v, **attrs), [type_of(x)])
    return evaluate(gradient(program), [x, np.ones(program.result_types[0].shape, x.dtype)])[0]


@pytest.mark.parametrize("ddof", [0, 1])
def test_variances_are_those_of_numpy(ddof):
    x = np.random.default_rng(0).normal(1e3, 1, (3, 50))
    np.testing.assert_allclose(p.variance(x, axis=1, ddof=ddof), np.var(x, 1, ddof=ddof))
    np.testing.assert_allclose(p.standard_deviation(x, ddof=ddof), np.std(x, ddof=ddof))


@pytest.mark.parametrize("prim", [p.variance, p.standard_deviation])
def test_one_element_does_not_spread(prim):
    x = np.array([[3.0], [-2.0]])
    np.testing.assert_array_equal(prim(x, axis=1), [0.0, 0.0])
    np.testing.assert_array_equal(grad(prim, x, axis=1), np.zeros((2, 1)))


@pytest.mark.parametrize("prim", [p.variance, p.standard_deviation])
def test_too_few_elements_have_no_unbiased_spread(prim):
    x = np.array([[3.0, 1.0], [-2.0, 4.0]])
    np.testing.assert_array_equal(prim(x[:, :1], axis=1, ddof=1), [NAN, NAN])
    np.testing.assert_array_equal(grad(prim, x[:, :1], axis=1, ddof=1), np.full((2, 1), NAN))
    np.testing.assert_array_equal(prim(x, axis=1, ddof=2), [INF, INF])
    np.testing.assert_array_equal(prim(x, axis=1, ddof=3), [INF, INF])


def test_of_nothing():
    x = np.zeros((2, 0))
    for prim in (p.mean, p.variance, p.standard_deviation):
        np.testing.assert_array_equal(prim(x, axis=1), [NAN, NAN])


def test_equal_elements_have_a_flat_standard_deviation():
    np.testing.assert_array_equal(grad(p.standard_deviation, np.full(3, 0.5)), np.zeros(3))


def test_a_mean_of_narrow_floats_does_not_overflow():
    x = np.full(100, 60000.0, np.float16)
    assert p.mean(x) == 60000
    assert p.variance(np.array([0.0, 200.0], np.float16)) == 10000


@pytest.mark.parametrize(
    ("x", "value", "slope"),
    [
        ([0.0, 0.0], np.log(2), [0.5, 0.5]),
        ([1000.0, -1000.0], 1000.0, [1, 0]),
        ([-1000.0, -1000.0], -1000 + np.log(2), [0.5, 0.5]),
        ([-INF, 1.0], 1.0, [0, 1]),
        ([-INF, -INF], -INF, [0.5, 0.5]),
        ([INF, 1.0, INF], INF, [0.5, 0, 0.5]),
        ([INF, -INF], INF, [1, 0]),
        ([NAN, 1.0], NAN, None),
    ],
)
def test_log_sum_exp_and_its_slope(x, value, slope):
    x = np.array(x)
    np.testing.assert_allclose(p.log_sum_exp(x), value, rtol=1e-15)
    if slope is not None:
        np.testing.assert_allclose(grad(p.log_sum_exp, x), slope, rtol=1e-15)


def test_symbolic_sizes():
    for prim in (p.mean, p.variance, p.standard_deviation, p.log_sum_exp):
        assert prim.infer([f32[B, 2]], prim.complete([f32[B, 2]], {"axis": 0})) == (f32[2],)


def test_errors():
    for prim in (p.mean, p.variance, p.standard_deviation, p.log_sum_exp):
        with pytest.raises(S2sadError) as caught:
            prim.infer([i32[2]], prim.complete([i32[2]], {}))
        assert caught.value.code == "E0301"
    with pytest.raises(S2sadError) as caught:
        p.log_sum_exp(np.zeros(0))
    assert caught.value.code == "E0401"
