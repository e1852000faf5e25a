"""Are bijectors undone by their inverses, and their derivatives what they say?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.nn.probability import bijector as msb
from s2sad.nn.probability import distribution as msd
from support.forms import both_forms, check_gradients, check_second_gradients, refused

F64 = ms.float64


def wide(value):
    return ms.Tensor(value, F64)


#: A bijector, its function in NumPy, and what it is asked at.
BIJECTORS = {
    "Exp": (msb.Exp(), np.exp, [-2.0, 0.5, 3.0]),
    "ScalarAffine": (msb.ScalarAffine(wide(-2.0), wide(1.0)), lambda x: 1 - 2 * x, [-2.0, 0.5, 3]),
    "PowerTransform": (msb.PowerTransform(wide(2.0)), lambda x: np.sqrt(1 + 2 * x), [-0.3, 0.5, 9]),
    "PowerTransform of 0": (msb.PowerTransform(0.0), np.exp, [-2.0, 0.5, 3.0]),
    "Softplus": (msb.Softplus(wide(2.0)), lambda x: np.logaddexp(0, 2 * x) / 2, [-3.0, 0.5, 30.0]),
    "GumbelCDF": (msb.GumbelCDF(wide(1.0), wide(2.0)), lambda x: np.exp(-np.exp((1 - x) / 2)),
                  [-2.0, 0.5, 9.0]),
    "Invert": (msb.Invert(msb.Exp()), np.log, [0.2, 1.0, 7.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", BIJECTORS)
def test_there_and_back(name):
    bijector, function, at = BIJECTORS[name]
    x = wide(at)
    y = both_forms(lambda v: bijector.forward(v), x)
    np.testing.assert_allclose(y.asnumpy(), function(np.array(at)), rtol=1e-14)
    back = both_forms(lambda v: bijector("inverse", v), y)
    np.testing.assert_allclose(back.asnumpy(), at, rtol=1e-11)
    derivative = ms.grad(lambda v: ops.sum(bijector.forward(v)))(x).asnumpy()
    there = both_forms(lambda v: bijector.forward_log_jacobian(v), x).asnumpy()
    expected = np.log(np.abs(derivative))
    np.testing.assert_allclose(np.broadcast_to(there, 3), expected, rtol=1e-9, atol=1e-15)
    and_back = both_forms(lambda v: bijector.inverse_log_jacobian(v), y).asnumpy()
    np.testing.assert_allclose(and_back, -there, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("name", BIJECTORS)
def test_gradients(name):
    bijector, _, at = BIJECTORS[name]
    x = np.array(at)
    y = bijector.forward(wide(at)).asnumpy()
    for run, value in ((bijector.forward, x), (bijector.inverse, y),
                       (bijector.inverse_log_jacobian, y)):  # fmt: skip
        check_gradients(lambda v, run=run: run(v), value, rtol=1e-5)
        check_second_gradients(lambda v, run=run: ops.sum(run(v)), value, rtol=1e-4, atol=1e-5)


def test_parameters_have_gradients():
    class Bent(nn.Cell):
        def __init__(self):
            super().__init__()
            self.power = ms.Parameter(wide([0.5, 2.0]), name="power")
            self.bend = msb.PowerTransform(self.power)

        def construct(self, x):
            return ops.sum(self.bend.forward(x))

    net = Bent()
    assert len(net.trainable_params()) == 1 and net.trainable_params()[0] is net.power
    (found,) = ms.value_and_grad(net, None, net.trainable_params())(wide(0.7))[1]
    power = np.array([0.5, 2.0])

    def total(power):
        return (1 + 0.7 * power) ** (1 / power)

    expected = (total(power + 1e-6) - total(power - 1e-6)) / 2e-6
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-7)


def test_softplus_far_out():
    soft = msb.Softplus(wide(1.0))
    x = np.array([-700.0, -40.0, 40.0, 700.0])
    np.testing.assert_allclose(soft.forward(wide(x)).asnumpy(), np.logaddexp(0, x), rtol=1e-14)
    y = np.array([1e-300, 1e-17, 1.0, 700.0])
    expected = np.array([np.log(1e-300), np.log(1e-17), np.log(np.expm1(1.0)), 700.0])
    np.testing.assert_allclose(soft.inverse(wide(y)).asnumpy(), expected, rtol=1e-14)
    assert np.isnan(soft.inverse(wide(-1.0)).item()) and soft.inverse(wide(0.0)).item() == -np.inf


def test_shapes_and_names():
    line = msb.ScalarAffine(ms.Tensor([1.0, 2.0]), ms.Tensor(0.0))
    assert (line.batch_shape, line.is_scalar_batch, line.is_constant_jacobian) == (
        (2,),
        False,
        True,
    )
    assert line.shape_mapping((3, 1)) == (3, 2)
    assert line.forward(ops.zeros((0, 2))).shape == (0, 2)
    assert msb.Softplus(2.0).is_scalar_batch and msb.Exp().batch_shape == ()
    assert msb.Invert(msb.Exp()).name == "InvertExp" and msb.Invert(msb.Exp(), "log").name == "log"
    assert "sharpness = 2.0" in repr(msb.Softplus(2.0))


def test_distributions_of_what_it_makes():
    normal = msd.Normal(0.5, 2.0, dtype=F64)
    x = wide([-1.0, 0.25, 3.0])
    made = msb.Exp()(normal)
    assert isinstance(made, msd.TransformedDistribution) and made.batch_shape == ()
    expected = stats.lognorm(2.0, scale=np.exp(0.5))
    for asked, method in (("prob", "pdf"), ("log_cdf", "logcdf"), ("survival_function", "sf")):
        found = both_forms(lambda v, asked=asked: made(asked, v), x[1:])
        np.testing.assert_allclose(
            found.asnumpy(), getattr(expected, method)([0.25, 3.0]), rtol=1e-13
        )
    line = msd.TransformedDistribution(msb.ScalarAffine(wide([2.0, 3.0]), wide(1.0)), normal)
    assert line.broadcast_shape == (2,) and line.mean().tolist() == [2.0, 2.5]
    found = line.log_prob(x[:2], wide(0.0), wide(1.0)).asnumpy()
    expected = stats.norm(1.0, [2.0, 3.0]).logpdf([-1.0, 0.25])
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    ms.set_seed(3)
    numbers = made.sample((4000,))
    assert numbers.shape == (4000,)
    assert stats.kstest(np.log(numbers.asnumpy()), stats.norm(0.5, 2.0).cdf).pvalue > 1e-3
    impossible = msd.TransformedDistribution(msb.Exp(), msd.Exponential(1.0, dtype=F64))
    assert impossible.log_prob(wide(0.5)).item() == -np.inf
    for asked in ("mean", "mode", "var", "entropy"):
        refused("E0220", lambda v, asked=asked: made(asked), x)


def test_what_is_refused():
    x = ms.Tensor([1.0])
    refused("E0220", lambda v: msb.Exp()("backward", v), x)
    refused("E0304", lambda v: msb.Exp().forward(1.0), x)
    refused("E0301", lambda v: msb.Exp().forward(v), ms.Tensor([1]))
    for code, make in (
        ("E0301", lambda: msb.ScalarAffine(2, 1.0)), ("E0303", lambda: msb.Softplus(None)),
        ("E0301", lambda: msb.ScalarAffine(wide(1.0), 1.0)),
        ("E0404", lambda: msb.GumbelCDF(0.0, 0.0)),
        ("E0404", lambda: msb.PowerTransform(-1.0)), ("E0303", lambda: msb.Invert(nn.ReLU())),
        ("E0303", lambda: msb.Bijector()),
    ):  # fmt: skip
        with pytest.raises(S2sadError, match=code):
            make()
