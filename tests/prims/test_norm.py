"""Do normalizations keep the laws, give the statistics that they used, and stand large numbers?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import bf16, f16, f32, f64, i64, type_of
from support.laws import Spec, check_laws, normal, positive
from support.reverse import gradient

LAST = {"axes": -1, "eps": 1e-3}
SPECS = [
    Spec(p.layer_norm, (normal(3, 4), normal(4), normal(4)), LAST),
    Spec(p.layer_norm, (normal(2, 3, 4), normal(3, 4), normal(3, 4)), {"axes": (1, 2), "eps": 0.1}),
    Spec(p.layer_norm, (normal(2, 3, 4), normal(3, 1), normal(3, 1)), {"axes": 1, "eps": 0.1}),
    Spec(p.layer_norm, (normal(0, 4), normal(4), normal(4)), LAST),
    Spec(p.layer_norm_grad, (normal(3, 4), normal(4), normal(3, 1), positive(3, 1), normal(3, 4)),
         {"axes": 1}),
    Spec(p.moments_grad, (normal(3, 4), normal(3, 1), normal(3, 1), normal(3)), {"axes": 1}),
    Spec(p.rms_norm, (normal(3, 4), normal(4)), LAST),
    Spec(p.rms_norm, (normal(2, 3, 2), normal(3, 1)), {"axes": (0, 1), "eps": 0.1}),
    Spec(p.rms_norm_grad, (normal(3, 4), normal(4), positive(3, 1), normal(3, 4)), {"axes": 1}),
    Spec(p.batch_norm, (normal(4, 3), normal(3), normal(3)), {"eps": 1e-2}),
    Spec(p.batch_norm, (normal(2, 3, 2, 2), normal(3), normal(3)), {"eps": 1e-2}),
    Spec(p.batch_norm_grad, (normal(2, 3, 2), normal(3), normal(3), positive(3), normal(2, 3, 2))),
    Spec(p.batch_norm_inference, (normal(2, 3, 2), normal(3), normal(3), normal(3), positive(3)),
         {"eps": 1e-2}),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def pulled(run, operands, dout):
    """Gradients of the first result of `run`."""
    types = [type_of(x) for x in operands]
    program = build_function(lambda *v: run(*v)[0], types)
    return evaluate(gradient(program), [*operands, dout])


# Written out in float64


def test_layer_norm_is_the_formula():
    x, gamma, beta = normal(5, 3, 4) * 3 + 2, normal(3, 4), normal(3, 4)
    y, mean, rstd = p.layer_norm(x, gamma, beta, axes=(1, 2), eps=1e-5)
    flat = x.reshape(5, 12)
    np.testing.assert_allclose(mean.ravel(), flat.mean(1), rtol=1e-13)
    np.testing.assert_allclose(rstd.ravel(), 1 / np.sqrt(flat.var(1) + 1e-5), rtol=1e-13)
    assert mean.shape == rstd.shape == (5, 1, 1)
    np.testing.assert_allclose(y, (x - mean) * rstd * gamma + beta, rtol=1e-12)


def test_rms_norm_is_the_formula():
    x, gamma = normal(5, 4), normal(4)
    y, rstd = p.rms_norm(x, gamma, axes=1, eps=1e-5)
    np.testing.assert_allclose(rstd[:, 0], 1 / np.sqrt((x**2).mean(1) + 1e-5), rtol=1e-13)
    np.testing.assert_allclose(y, x * rstd * gamma, rtol=1e-13)


def test_batch_norm_is_the_formula():
    x, gamma, beta = normal(4, 3, 2, 5), normal(3), normal(3)
    y, mean, variance, rstd = p.batch_norm(x, gamma, beta, eps=1e-5)
    np.testing.assert_allclose(mean, x.mean((0, 2, 3)), rtol=1e-12)
    np.testing.assert_allclose(variance, x.var((0, 2, 3)), rtol=1e-12)
    np.testing.assert_allclose(rstd, 1 / np.sqrt(x.var((0, 2, 3)) + 1e-5), rtol=1e-12)
    again = p.batch_norm_inference(x, gamma, beta, mean, variance, eps=1e-5)
    np.testing.assert_allclose(y, again, rtol=1e-11, atol=1e-13)


def test_batch_norm_of_known_numbers():
    x, one = np.array([[1.0], [2.0], [6.0]]), np.ones(1)
    y, mean, variance, _ = p.batch_norm(x, one, 0 * one, eps=1e-5)
    np.testing.assert_allclose(y.ravel(), [-0.92582, -0.46291, 1.38873], rtol=1e-4)
    assert mean == 3 and variance == pytest.approx(14 / 3)


def test_gradient_of_the_formula():
    x, gamma, dy = normal(3, 6), normal(6), normal(3, 6)
    run = lambda x, gamma, beta: p.layer_norm(x, gamma, beta, axes=1, eps=1e-5)  # noqa: E731
    dx, dgamma, dbeta = pulled(run, [x, gamma, normal(6)], dy)
    rstd = 1 / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    h, g = (x - x.mean(1, keepdims=True)) * rstd, dy * gamma
    mean = lambda a: a.mean(1, keepdims=True)  # noqa: E731
    np.testing.assert_allclose(dx, rstd * (g - mean(g) - h * mean(g * h)), rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(dgamma, (dy * h).sum(0), rtol=1e-12)
    np.testing.assert_allclose(dbeta, dy.sum(0), rtol=1e-12)


# Corners


def test_large_numbers_in_float16_do_not_overflow():
    x = np.array([[300.0, -300.0, 1000.0, 0.0]], np.float16)
    one, zero = np.ones(4, np.float16), np.zeros(4, np.float16)
    y, mean, rstd = p.layer_norm(x, one, zero, axes=1, eps=1e-5)
    assert mean.dtype == rstd.dtype == np.float32 and y.dtype == np.float16
    wide = x.astype(np.float64)
    np.testing.assert_allclose(y[0], ((wide - 250) / wide.std())[0], rtol=1e-3)
    assert np.isfinite(p.rms_norm(x, one, axes=1, eps=1e-5)[0]).all()
    assert np.isfinite(p.batch_norm(x.T, one[:1], zero[:1], eps=1e-5)[0]).all()


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16], ids=lambda d: d.short)
def test_narrow_floats_are_rounded_once(dtype):
    x, gamma, beta = (dtypes.narrow(a, dtype) for a in (normal(3, 5), normal(5), normal(5)))
    wide = [dtypes.widen(a) for a in (x, gamma, beta)]
    narrow, expected = p.layer_norm(x, gamma, beta, **LAST), p.layer_norm(*wide, **LAST)
    np.testing.assert_array_equal(narrow[0], dtypes.narrow(expected[0], dtype))
    np.testing.assert_array_equal(narrow[2], expected[2])


def test_a_large_mean_does_not_eat_the_variance():
    x = (np.arange(8.0) + 10_000).astype(np.float32)[None]
    one = np.ones(8, np.float32)
    y = p.layer_norm(x, one, 0 * one, axes=1, eps=0.0)[0]
    np.testing.assert_allclose(y[0], (np.arange(8) - 3.5) / np.arange(8.0).std(), rtol=1e-5)


def test_what_does_not_vary_becomes_beta_and_has_no_gradient():
    x, gamma, beta = np.full((2, 3), 7.0), np.ones(3), np.full(3, 0.5)
    y, _, rstd = p.layer_norm(x, gamma, beta, axes=1, eps=1e-5)
    assert (y == 0.5).all() and rstd == pytest.approx(1e-5**-0.5)
    run = lambda x, gamma, beta: p.layer_norm(x, gamma, beta, axes=1, eps=1e-5)  # noqa: E731
    dx, dgamma, dbeta = pulled(run, [x, gamma, beta], np.ones((2, 3)))
    assert not dx.any() and not dgamma.any() and (dbeta == 2).all()


def test_one_element_and_none():
    one = np.ones(1)
    y, mean, variance, _ = p.batch_norm(np.array([[3.0]]), one, one, eps=1e-5)
    assert y == 1 and mean == 3 and variance == 0
    assert p.layer_norm(np.zeros((0, 3)), np.ones(3), np.ones(3), axes=1, eps=1e-5)[0].shape == (
        0,
        3,
    )
    y, mean, *_ = p.batch_norm(np.zeros((0, 2)), np.ones(2), np.ones(2), eps=1e-5)
    assert y.shape == (0, 2) and np.isnan(mean).all()


@pytest.mark.parametrize(
    ("prim", "types", "attrs", "code"),
    [
        (p.layer_norm, (f32[2, 3], f32[3], f32[3]), {"axes": 2, "eps": 0.1}, "E0403"),
        (p.layer_norm, (f32[2, 3], f32[2], f32[2]), {"axes": 1, "eps": 0.1}, "E0401"),
        (p.layer_norm, (f32[2, 3], f32[3], f32[2, 3]), {"axes": 1, "eps": 0.1}, "E0401"),
        (p.layer_norm, (f32[3], f32[1, 3], f32[1, 3]), {"axes": 0, "eps": 0.1}, "E0401"),
        (p.layer_norm, (f16[2, 3], f32[3], f32[3]), {"axes": 1, "eps": 0.1}, "E0301"),
        (p.layer_norm, (i64[2, 3], i64[3], i64[3]), {"axes": 1, "eps": 0.1}, "E0301"),
        (p.layer_norm, (f32[2, 3], f32[3], f32[3]), {"axes": 1, "eps": -0.1}, "E0404"),
        (p.layer_norm, (f32[2, 3], f32[3], f32[3]), {"axes": 1, "eps": "1"}, "E0303"),
        (p.rms_norm, (f32[2, 3], f64[3]), {"axes": 1, "eps": 0.1}, "E0301"),
        (p.rms_norm, (f32[2, 3], f32[4]), {"axes": 1, "eps": 0.1}, "E0401"),
        (p.batch_norm, (f32[2], f32[2], f32[2]), {"eps": 0.1}, "E0401"),
        (p.batch_norm, (f32[4, 2], f32[4], f32[4]), {"eps": 0.1}, "E0401"),
        (p.batch_norm, (f32[4, 2], f16[2], f16[2]), {"eps": 0.1}, "E0301"),
        (p.batch_norm_inference, (f32[4, 2], *[f32[2]] * 3, f32[1]), {"eps": 0.1}, "E0401"),
    ],
)
def test_what_does_not_fit_is_refused(prim, types, attrs, code):
    with pytest.raises(S2sadError) as caught:
        build_function(lambda *v: prim(*v, **attrs), types)
    assert caught.value.code == code


def test_sizes_may_be_symbolic():
    batch, width = symbol("B"), symbol("W")
    x, row = bf16[batch, width], bf16[width]
    program = build_function(lambda *v: p.layer_norm(*v, **LAST), [x, row, row])
    assert program.result_types == (x, f32[batch, 1], f32[batch, 1])
    assert gradient(program).result_types == (x, row, row)
    x, channel = f32[batch, 3, width], f32[3]
    program = build_function(lambda *v: p.batch_norm(*v, eps=0.1), [x, channel, channel])
    assert program.result_types == (x, channel, channel, channel)
    assert gradient(program).result_types == (x, channel, channel)
