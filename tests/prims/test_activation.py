"""Do activations keep the laws, and are they right where their formulas as written are not?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f16, f32, i64, type_of
from support.laws import Spec, check_laws, distinct, normal, uniform
from support.reverse import gradient

inf, nan = np.inf, np.nan
TANH = {"approximate": "tanh"}


def away_from(kinks, *shape):
    """Numbers between -6 and 8, none nearer than 0.05 to a kink."""
    x = uniform(*shape, low=-6.0, high=8.0)
    for kink in kinks:
        x = np.where(np.abs(x - kink) < 0.05, kink + 0.06, x)
    return x


SPECS = [
    Spec(p.relu6, (away_from([0, 6], 3, 4),)),
    Spec(p.leaky_relu, (away_from([0], 3, 4),), {"slope": 0.2}),
    Spec(p.elu, (away_from([0], 3, 4),), {"alpha": 0.7}),
    Spec(p.selu, (away_from([0], 3, 4),)),
    Spec(p.hard_sigmoid, (away_from([-3, 3], 3, 4),)),
    Spec(p.hard_swish, (away_from([-3, 3], 3, 4),)),
    Spec(p.softplus, (normal(3, 4),)),
    Spec(p.log_sigmoid, (normal(3, 4),)),
    Spec(p.silu, (normal(3, 4),)),
    Spec(p.silu_grad, (normal(3, 4), normal(3, 4))),
    Spec(p.mish, (normal(3, 4),)),
    Spec(p.mish_grad, (normal(3, 4), normal(3, 4))),
    Spec(p.gelu, (normal(3, 4),)),
    Spec(p.gelu, (normal(3, 4),), TANH),
    Spec(p.gelu_grad, (normal(3, 4), normal(3, 4))),
    Spec(p.gelu_grad, (normal(3, 4), normal(3, 4)), TANH),
    Spec(p.softmax, (distinct(3, 4),), {"axis": 0}),
    Spec(p.softmax, (distinct(2, 3, 2),), {"axis": -2}),
    Spec(p.softmax_grad, (uniform(3, 4), normal(3, 4)), {"axis": 1}),
    Spec(p.log_softmax, (distinct(3, 4),), {"axis": 0}),
    Spec(p.log_softmax, (distinct(2, 3, 2),), {"axis": -2}),
    Spec(p.log_softmax_grad, (normal(3, 4), normal(3, 4)), {"axis": 1}),
    *(Spec(prim, (normal(0, 3),)) for prim in (p.gelu, p.silu, p.softmax, p.log_softmax)),
    *(Spec(prim, (normal(3, 0),)) for prim in (p.mish, p.softmax, p.log_softmax)),
    *(Spec(prim, (normal(),)) for prim in (p.gelu, p.silu, p.mish, p.softplus)),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def derivative(prim, x, **attrs):
    """Gradient of the sum of the result, elementwise."""
    x = np.asarray(x)
    program = build_function(lambda v: prim(v, **attrs), [type_of(x)])
    ones = dtypes.narrow(np.ones(x.shape), type_of(x).dtype)
    return evaluate(gradient(program), [x, ones])[0]


def phi(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def tanh_gate(x):
    return special.expit(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))


FORMULAS = {
    p.softplus: (lambda x: np.logaddexp(0, x), special.expit),
    p.log_sigmoid: (special.log_expit, lambda x: special.expit(-x)),
    p.silu: (
        lambda x: x * special.expit(x),
        lambda x: special.expit(x) * (1 + x * special.expit(-x)),
    ),
    p.mish: (
        lambda x: x * np.tanh(np.logaddexp(0, x)),
        lambda x: np.tanh(np.logaddexp(0, x))
        + x * special.expit(x) / np.cosh(np.logaddexp(0, x)) ** 2,
    ),
    p.gelu: (lambda x: x * special.ndtr(x), lambda x: special.ndtr(x) + x * phi(x)),
    p.elu: (lambda x: np.where(x > 0, x, np.expm1(x)), lambda x: np.where(x > 0, 1, np.exp(x))),
    p.selu: (
        lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
        lambda x: 1.0507009873554805 * np.where(x > 0, 1, 1.6732632423543772 * np.exp(x)),
    ),
    p.hard_sigmoid: (
        lambda x: np.clip((x + 3) / 6, 0, 1),
        lambda x: np.where(np.abs(x) < 3, 1 / 6, 0),
    ),
    p.hard_swish: (
        lambda x: x * np.clip((x + 3) / 6, 0, 1),
        lambda x: np.where(np.abs(x) < 3, x / 3 + 0.5, x > 0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("prim", FORMULAS, ids=str)
def test_formulas(prim):
    x = np.concatenate([uniform(200, low=-12.0, high=12.0), uniform(100, low=-38.0, high=300.0)])
    value, slope = FORMULAS[prim]
    with np.errstate(over="ignore"):
        expected, slopes = value(x), slope(x)
    # Far below 0, where results are tiny, they are still exact: nothing cancels.
    np.testing.assert_allclose(prim(x), expected, rtol=3e-12, atol=0)
    np.testing.assert_allclose(derivative(prim, x), slopes, rtol=2e-11, atol=1e-300)


def test_gelu_by_tanh():
    x = uniform(200, low=-9.0, high=20.0)
    np.testing.assert_allclose(p.gelu(x, **TANH), x * tanh_gate(x), rtol=1e-13)
    direct = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    np.testing.assert_allclose(p.gelu(x, **TANH), direct, atol=1e-14)
    inner = 2 * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
    slope = tanh_gate(x) + x * tanh_gate(x) * (1 - tanh_gate(x)) * inner
    np.testing.assert_allclose(derivative(p.gelu, x, **TANH), slope, rtol=1e-11, atol=1e-14)


LIMITS = [
    (p.softplus, {}, [0, inf], [0, 1]),
    (p.log_sigmoid, {}, [-inf, 0], [1, 0]),
    (p.silu, {}, [-0.0, inf], [0, 1]),
    (p.mish, {}, [-0.0, inf], [0, 1]),
    (p.gelu, {}, [-0.0, inf], [0, 1]),
    (p.gelu, TANH, [-0.0, inf], [0, 1]),
    (p.elu, {}, [-1, inf], [0, 1]),
    (p.hard_sigmoid, {}, [0, 1], [0, 0]),
    (p.hard_swish, {}, [0, inf], [0, 1]),
    (p.relu6, {}, [0, 6], [0, 0]),
    (p.leaky_relu, {"slope": 0.1}, [-inf, inf], [0.1, 1]),
]


@pytest.mark.parametrize(("prim", "attrs", "values", "slopes"), LIMITS, ids=str)
@pytest.mark.parametrize("dtype", dtypes.ALL[:4], ids=lambda d: d.short)
def test_limits(prim, attrs, values, slopes, dtype):
    for size in (inf, 1e4):  # 1e4 is far out, and finite in every dtype
        x = dtypes.narrow(np.array([-size, size]), dtype)
        y, dy = (dtypes.widen(a) for a in (prim(x, **attrs), derivative(prim, x, **attrs)))
        expected = np.clip(values, -size, size)
        if prim is p.leaky_relu and size < inf:
            expected[0] = -1e3
        rtol = 0.01 if dtype.is_narrow else 1e-6
        np.testing.assert_allclose(y, expected, rtol=rtol)
        np.testing.assert_allclose(dy, slopes, rtol=rtol)
        assert np.signbit(y[0]) == np.signbit(expected[0])


@pytest.mark.parametrize(("prim", "attrs", "values", "slopes"), LIMITS, ids=str)
def test_second_derivatives_far_out_are_zero(prim, attrs, values, slopes):
    x, ones = np.array([-1e4, 1e4]), np.ones(2)
    program = build_function(lambda v: prim(v, **attrs), [type_of(x)])
    second = gradient(gradient(program), [0])
    assert not evaluate(second, [x, ones, ones])[0].any()


@pytest.mark.parametrize(("prim", "attrs", "values", "slopes"), LIMITS, ids=str)
def test_nan_stays(prim, attrs, values, slopes):
    assert np.isnan(prim(np.array([nan, 1.0]), **attrs)).tolist() == [True, False]


def test_kinks():
    assert derivative(p.relu6, [0.0, -0.0, 6.0, 3.0]).tolist() == [0, 0, 0, 1]
    assert derivative(p.leaky_relu, [0.0, -0.0, -1.0], slope=0.5).tolist() == [0.75, 0.75, 0.5]
    assert derivative(p.elu, [0.0, -0.0], alpha=0.3).tolist() == [1, 1]
    assert derivative(p.hard_sigmoid, [-3.0, 3.0]).tolist() == [0, 0]
    assert derivative(p.hard_swish, [-3.0, 3.0]).tolist() == [0, 1]


@pytest.mark.parametrize(
    "prim", [p.gelu, p.silu, p.mish, p.softplus, p.selu, p.softmax, p.log_softmax]
)
@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16], ids=lambda d: d.short)
def test_narrow_floats_are_rounded_once(prim, dtype):
    x = dtypes.narrow(normal(4, 5) * 3, dtype)
    expected = dtypes.narrow(prim(dtypes.widen(x)), dtype)
    np.testing.assert_array_equal(prim(x), expected)


# Along an axis


def test_softmax_is_that_of_scipy():
    x = normal(4, 5, 3) * 20
    for axis in range(3):
        expected = special.softmax(x, axis), special.log_softmax(x, axis)
        np.testing.assert_allclose(p.softmax(x, axis=axis), expected[0], rtol=1e-12)
        np.testing.assert_allclose(p.log_softmax(x, axis=axis), expected[1], rtol=1e-12)


ROWS = [
    ([1000.0, 0.0, -1000.0], [1, 0, 0], [0, -1000, -2000]),
    ([0.0, -inf, 0.0], [0.5, 0, 0.5], [-np.log(2), -inf, -np.log(2)]),
    ([-inf, -inf], [0.5, 0.5], [-np.log(2)] * 2),
    ([inf, 1.0, inf], [0.5, 0, 0.5], [-np.log(2), -inf, -np.log(2)]),
    ([inf, 1.0, -inf], [1, 0, 0], [0, -inf, -inf]),
    ([nan, 1.0], [nan, nan], [nan, nan]),
]


@pytest.mark.parametrize(("row", "expected", "logs"), ROWS, ids=str)
@pytest.mark.parametrize("dtype", dtypes.ALL[:4], ids=lambda d: d.short)
def test_rows_with_infinities(row, expected, logs, dtype):
    x = dtypes.narrow(np.array(row), dtype)
    rtol = {"f64": 1e-15, "f32": 1e-6}.get(dtype.short, 5e-3)
    np.testing.assert_allclose(dtypes.widen(p.softmax(x)), expected, rtol=rtol)
    np.testing.assert_allclose(dtypes.widen(p.log_softmax(x)), logs, rtol=rtol)


def test_gradients_of_rows_with_infinities_are_finite():
    for row, *_ in ROWS[:-1]:
        x, dout = np.array(row), normal(len(row))
        for prim in (p.softmax, p.log_softmax):
            program = build_function(prim, [type_of(x)])
            (dx,) = evaluate(gradient(program), [x, dout])
            assert np.isfinite(dx).all() and abs(dx.sum()) < 1e-12
    # Probabilities (e**-2, 0, 1) over their sum, weights (1, 5, 2).
    x = np.array([1.0, -inf, 3.0])
    (dx,) = evaluate(
        gradient(build_function(p.softmax, [type_of(x)])), [x, np.array([1.0, 5.0, 2.0])]
    )
    np.testing.assert_allclose(dx, [-0.10499358540350652, 0, 0.10499358540350652], rtol=1e-13)


def test_softmax_of_many_equal_scores_sums_to_one():
    y = p.softmax(np.zeros(100_000, np.float16))
    assert abs(y.astype(np.float64).sum() - 1) < 1e-2 and (y == np.float16(1e-5)).all()


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda x: p.softmax(x, axis=2), "E0403"),
        (lambda x: p.softmax(x, axis=(0, 1)), "E0303"),
        (lambda x: p.log_softmax(p.cast(x, dtype=i64)), "E0301"),
        (lambda x: p.gelu(p.cast(x, dtype=i64)), "E0301"),
        (lambda x: p.relu6(p.cast(x, dtype=i64)), "E0301"),
        (lambda x: p.gelu(x, approximate="sigmoid"), "E0404"),
        (lambda x: p.leaky_relu(x, slope="0.1"), "E0303"),
        (lambda x: p.leaky_relu(x), "E0302"),
        (lambda x: p.elu(x, alpha=True), "E0303"),
    ],
)
def test_what_does_not_fit_is_refused(run, code):
    with pytest.raises(S2sadError) as caught:
        build_function(run, [f32[2, 3]])
    assert caught.value.code == code


def test_sizes_may_be_symbolic():
    batch, classes = symbol("B"), symbol("C")
    for prim in (p.softmax, p.log_softmax, p.gelu):
        program = build_function(prim, [f16[batch, classes]])
        assert program.result_types == (f16[batch, classes],)
