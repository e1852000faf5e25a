"""Losses of numbers against formulas in float64, in both forms and as Cells."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.ops.regression_loss import poisson_nll_loss, rmse_loss
from support.forms import both_forms, refused
from support.losses import check_loss

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(4, 3)) * 2, RNG.normal(size=(4, 3))
VARIANCE = RNG.uniform(0.5, 2.0, size=(4, 3))
COUNTS = RNG.poisson(3, size=(4, 3)).astype(float)


def huber(x, y, delta):
    d = abs(x - y)
    return np.where(d < delta, d**2 / 2, delta * (d - delta / 2))


def gaussian(x, y, var, full=False, eps=1e-6):
    var = np.maximum(var, eps)
    return 0.5 * (np.log(var) + (x - y) ** 2 / var) + (0.5 * np.log(2 * np.pi) if full else 0)


def poisson(x, n, is_log, full, eps=1e-8):
    loss = np.exp(x) - n * x if is_log else x - n * np.log(x + eps)
    safe = np.where(n > 1, n, 2.0)
    rest = safe * np.log(safe) - safe + 0.5 * np.log(2 * np.pi * safe)
    return loss + (np.where(n > 1, rest, 0) if full else 0)


CASES = {
    "mse": (
        lambda r: (lambda x, y: ops.mse_loss(x, y, r), nn.MSELoss(r)),
        lambda x, y: (x - y) ** 2, (X, Y), 2,
    ),
    "mse broadcasts": (
        lambda r: (lambda x, y: ops.mse_loss(x, y, r), nn.MSELoss(r)),
        lambda x, y: (x - y) ** 2, (X, Y[:1]), 2,
    ),
    "l1": (
        lambda r: (lambda x, y: ops.l1_loss(x, y, r), nn.L1Loss(r)),
        lambda x, y: abs(x - y), (X, Y), 2,
    ),
    "mae": (
        lambda r: (lambda x, y: ops.l1_loss(x, y, reduction=r), nn.MAELoss(r)),
        lambda x, y: abs(x - y), (X, Y[0]), 2,
    ),
    "smooth l1": (
        lambda r: (lambda x, y: ops.smooth_l1_loss(x, y, 0.75, r), nn.SmoothL1Loss(0.75, r)),
        lambda x, y: huber(x, y, 0.75) / 0.75, (X, Y), 2,
    ),
    "huber": (
        lambda r: (lambda x, y: ops.huber_loss(x, y, r, 1.5), nn.HuberLoss(r, 1.5)),
        lambda x, y: huber(x, y, 1.5), (X, Y), 2,
    ),
    "gaussian": (
        lambda r: (
            lambda x, y, v: ops.gaussian_nll_loss(x, y, v, reduction=r),
            nn.GaussianNLLLoss(reduction=r),
        ),
        gaussian, (X, Y, VARIANCE), 3,
    ),
    "gaussian, a variance a row": (
        lambda r: (
            lambda x, y, v: ops.gaussian_nll_loss(x, y, v, True, 0.7, r),
            nn.GaussianNLLLoss(full=True, eps=0.7, reduction=r),
        ),
        lambda x, y, v: gaussian(x, y, v[:, None], True, 0.7), (X, Y, VARIANCE[:, 0]), 3,
    ),
    "poisson of logarithms": (
        lambda r: (
            lambda x, n: poisson_nll_loss(x, n, reduction=r), nn.PoissonNLLLoss(reduction=r)
        ),
        lambda x, n: poisson(x, n, True, False), (X, COUNTS), 1,
    ),
    "poisson in full": (
        lambda r: (
            lambda x, n: poisson_nll_loss(x, n, False, True, 1e-4, r),
            nn.PoissonNLLLoss(False, True, 1e-4, r),
        ),
        lambda x, n: poisson(x, n, False, True, 1e-4), (VARIANCE, COUNTS), 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_losses(name):
    make, formula, arrays, differentiable = CASES[name]
    check_loss(make, formula, arrays, differentiable=differentiable)


def test_defaults_are_mindspores():
    x, y = ms.Tensor(X), ms.Tensor(Y)
    for cell in (nn.MSELoss(), nn.L1Loss(), nn.HuberLoss(), nn.MAELoss()):
        assert cell.reduction == "mean" and cell(x, y).shape == ()
    assert nn.SmoothL1Loss()(x, y).shape == ops.smooth_l1_loss(x, y).shape == (4, 3)
    assert (nn.SmoothL1Loss().beta, nn.HuberLoss().delta) == (1.0, 1.0)
    assert nn.HuberLoss("sum", 2.0)(x, y).item() == ops.huber_loss(x, y, "sum", 2.0).item()


def test_root_of_the_mean_square():
    cell = nn.RMSELoss()
    found = both_forms(lambda x, y: (rmse_loss(x, y), cell(x, y)), ms.Tensor(X), ms.Tensor(Y))
    for loss in found:
        np.testing.assert_allclose(loss.item(), np.sqrt(((X - Y) ** 2).mean()), rtol=1e-12)
    gradient = ms.grad(rmse_loss)(ms.Tensor(X), ms.Tensor(Y)).asnumpy()
    np.testing.assert_allclose(gradient, (X - Y) / 12 / found[0].item(), rtol=1e-12)
    same = ms.grad(rmse_loss, (0, 1))(ms.Tensor(X), ms.Tensor(X))
    assert not any(np.any(g.asnumpy()) for g in same)


def test_integers_and_mixed_dtypes():
    n = ms.Tensor([1, 2, 4])
    assert both_forms(lambda n: ops.mse_loss(n, n), n).dtype is ms.float32
    assert ops.mse_loss(n, ms.Tensor([1.0, 2.0, 1.0])).item() == 3.0
    assert ops.l1_loss(n, ms.Tensor([0.0, 0.0, 0.0], ms.float64)).dtype is ms.float64


def test_kinks():
    def run(d):
        zero = d * 0
        return (
            ops.l1_loss(d, zero, "sum") + ops.huber_loss(d, zero, "sum", 1.0)
            + ops.smooth_l1_loss(d, zero, 1.0, "sum")
        )  # fmt: skip

    gradient = ms.grad(run)(ms.Tensor([0.0, 1.0, -1.0, 3.0]))
    assert gradient.tolist() == [0.0, 3.0, -3.0, 3.0]


def test_empty_and_non_finite():
    empty = ms.Tensor(np.zeros((0, 2)), ms.float32)
    assert both_forms(lambda x: ops.mse_loss(x, x, "sum"), empty).item() == 0.0
    assert both_forms(lambda x: ops.mse_loss(x, x, "none"), empty).shape == (0, 2)
    x, zero = ms.Tensor([np.inf, np.nan, 1e30]), ms.Tensor([0.0, 0.0, 0.0])
    for loss in (ops.l1_loss, ops.huber_loss):
        values = both_forms(lambda x, y, loss=loss: loss(x, y, reduction="none"), x, zero).asnumpy()
        assert np.isinf(values[0]) and np.isnan(values[1]) and values[2] == np.float32(1e30)


def test_a_narrow_mean_does_not_overflow():
    x = ms.Tensor(np.full(4096, 200.0), ms.float16)
    assert both_forms(lambda x: ops.mse_loss(x, x * 0), x).item() == 40000.0


ERRORS = [
    (lambda x: ops.mse_loss(x, x, "average"), "E0404"), (lambda x: ops.mse_loss(x, 3.0), "E0304"),
    (lambda x: ops.l1_loss(None, x), "E0304"), (lambda x: ops.mse_loss(x, THREE), "E0401"),
    (lambda x: ops.smooth_l1_loss(x, x, 0.0), "E0404"),
    (lambda x: ops.smooth_l1_loss(x, x, "a"), "E0303"),
    (lambda x: ops.smooth_l1_loss(x, x, float("nan")), "E0404"),
    (lambda x: ops.smooth_l1_loss(x, ops.sum(x)), "E0401"),
    (lambda x: ops.huber_loss(x, x, "mean", -1.0), "E0404"),
    (lambda x: ops.huber_loss(x, x, 1.0), "E0404"),
    (lambda x: ops.gaussian_nll_loss(x, x, x, 1), "E0303"),
    (lambda x: ops.gaussian_nll_loss(x, x, x, eps=0.0), "E0404"),
    (lambda x: poisson_nll_loss(x, x, 1), "E0303"), (lambda x: rmse_loss(x, 1), "E0304"),
]  # fmt: skip
THREE = ms.Tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize("place", range(len(ERRORS)))
def test_arguments_that_cannot_be(place):
    refused(ERRORS[place][1], ERRORS[place][0], ms.Tensor([1.0, 2.0]))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: nn.MSELoss("average"), "E0404"), (lambda: nn.SmoothL1Loss(0.0), "E0404"),
        (lambda: nn.HuberLoss("mean", "a"), "E0303"), (lambda: nn.HuberLoss(1.0), "E0404"),
        (lambda: nn.GaussianNLLLoss(full=1), "E0303"), (lambda: nn.PoissonNLLLoss(eps=-1), "E0404"),
    ],
)  # fmt: skip
def test_cells_check_when_they_are_made(make, code):
    with pytest.raises(ms.S2sadError, match=code):
        make()


# ---- losses of one's own --------------------------------------------------------------------


class Cubes(nn.LossBase):
    def construct(self, logits, labels, weights=1.0):
        return self.get_loss((logits - labels) ** 3, weights)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_get_loss(reduction):
    cell = Cubes(reduction)
    assert (cell.reduce, cell.average) == (reduction != "none", reduction != "sum")
    assert cell.get_axis(ms.Tensor(X)) == (0, 1)
    weights = RNG.normal(size=3)

    def run(x, y, w):
        return cell(x, y, w), cell(x, y), cell(x, y, 2)

    found = both_forms(run, ms.Tensor(X), ms.Tensor(Y), ms.Tensor(weights))
    for loss, w in zip(found, (weights, 1.0, 2.0), strict=True):
        expected = (X - Y) ** 3 * w
        expected = expected if reduction == "none" else getattr(expected, reduction)()
        np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-11)
    narrow = ms.Tensor(np.full(3000, 4.0), ms.float16)
    average = Cubes("mean")
    mean = both_forms(lambda x: average(x, x * 0), narrow)
    assert (mean.dtype, mean.item()) == (ms.float16, 64.0)  # the sum would be beyond float16
