"""Losses of probabilities against formulas in float64, in both forms and as Cells."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import s2sad as ms
from s2sad import nn, ops
from s2sad.ops.probability_loss import dice_loss, focal_loss
from support.forms import both_forms, check_gradients, refused
from support.losses import check_loss, reduced

RNG = np.random.default_rng(0)
LOGITS = RNG.normal(size=(4, 3)) * 2
CHANCES = RNG.uniform(0.05, 0.95, size=(4, 3))
TARGETS = RNG.uniform(0.05, 0.95, size=(4, 3))
HARD = RNG.integers(0, 2, size=(4, 3)).astype(float)
SIGNS = HARD * 2 - 1
WEIGHT, MORE = np.array([1.0, 0.5, 2.0]), np.array([3.0, 1.0, 0.25])
GIVEN = ms.Tensor(WEIGHT)


def bce(x, y, weight=1.0):
    return -weight * (y * np.log(x + 1e-12) + (1 - y) * np.log(1 - x + 1e-12))


def of_logits(x, y, weight=1.0, positive=1.0):
    ones, zeros = special.log_expit(x), special.log_expit(-x)
    return -weight * (positive * y * ones + (1 - y) * zeros)


def tensor(array):
    return None if array is None else ms.Tensor(array)


CASES = {
    "bce": (
        lambda r: (
            lambda x, y: ops.binary_cross_entropy(x, y, reduction=r), nn.BCELoss(reduction=r)
        ),
        bce, (CHANCES, TARGETS), 2,
    ),
    "bce with weight": (
        lambda r: (lambda x, y: ops.binary_cross_entropy(x, y, GIVEN, r), nn.BCELoss(GIVEN, r)),
        lambda x, y: bce(x, y, WEIGHT), (CHANCES, HARD), 1,
    ),
    "soft margin": (
        lambda r: (lambda x, y: ops.soft_margin_loss(x, y, r), nn.SoftMarginLoss(r)),
        lambda x, y: np.log1p(np.exp(-x * y)), (LOGITS, SIGNS), 1,
    ),
    "multilabel soft margin": (
        lambda r: (
            lambda x, y: ops.multilabel_soft_margin_loss(x, y, reduction=r),
            nn.MultiLabelSoftMarginLoss(reduction=r),
        ),
        lambda x, y: of_logits(x, y).mean(-1), (LOGITS, HARD), 1,
    ),
    "kl div": (
        lambda r: (lambda x, y: ops.kl_div(x, y, r), nn.KLDivLoss(r)),
        lambda x, y: special.xlogy(y, y) - y * x, (LOGITS, TARGETS), 2,
    ),
    "kl div of zeros": (
        lambda r: (lambda x, y: ops.kl_div(x, y, r), nn.KLDivLoss(r)),
        lambda x, y: special.xlogy(y, y) - y * x, (LOGITS, TARGETS * HARD), 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_losses(name):
    make, formula, arrays, differentiable = CASES[name]
    check_loss(make, formula, arrays, differentiable=differentiable)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weight"])
@pytest.mark.parametrize("more", [None, MORE], ids=["", "pos_weight"])
def test_binary_cross_entropy_with_logits(weight, more):
    given = tensor(weight), tensor(more)
    w, m = (np.ones(3) if x is None else x for x in (weight, more))
    check_loss(
        lambda r: (
            lambda x, y: ops.binary_cross_entropy_with_logits(x, y, *given, r),
            nn.BCEWithLogitsLoss(r, *given),
        ),
        lambda x, y: of_logits(x, y, w, m), (LOGITS, TARGETS), differentiable=2,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
def test_far_logits_stay_finite(dtype):
    far = 5e4 if dtype is ms.float16 else 1e30
    x = ms.Tensor([far, -far, far, -far], dtype)
    y = ms.Tensor([1.0, 0.0, 0.0, 1.0], dtype)

    def run(x, y):
        return ops.binary_cross_entropy_with_logits(x, y, reduction="none")

    wide = x.astype(ms.float64).tolist()
    found = both_forms(run, x, y)
    assert found.astype(ms.float64).tolist() == [0.0, 0.0, wide[0], wide[0]]
    assert not np.signbit(found.asnumpy()).any()
    assert ms.grad(run)(x, y).tolist() == [0.0, 0.0, 1.0, -1.0]
    assert ms.grad(ms.grad(run))(x, y).tolist() == [0.0] * 4

    def margin(x, y):
        return ops.soft_margin_loss(x, y * 2 - 1, "none")

    assert both_forms(margin, x, y).astype(ms.float64).tolist() == [0.0, 0.0, wide[0], wide[0]]
    assert ms.grad(margin)(x, y).tolist() == [0.0, 0.0, 1.0, -1.0]


def test_small_losses_keep_their_digits():
    x = np.array([20.0, 30.0, 80.0])
    zeros = ops.binary_cross_entropy_with_logits(
        ms.Tensor(-x, ms.float32), ms.Tensor(np.zeros(3), ms.float32), reduction="none"
    )
    np.testing.assert_allclose(zeros.asnumpy(), np.log1p(np.exp(-x)), rtol=1e-5)


def test_certain_probabilities():
    x, y = ms.Tensor([0.0, 1.0, 0.0, 1.0]), ms.Tensor([0.0, 1.0, 1.0, 0.0])

    def run(x, y):
        return ops.binary_cross_entropy(x, y, reduction="none")

    found = both_forms(run, x, y).asnumpy()
    np.testing.assert_allclose(found, [0.0, 0.0, -np.log(1e-12), -np.log(1e-12)], rtol=1e-6)
    assert not np.signbit(found).any()
    gradient = ms.grad(run)(x, y).asnumpy()
    np.testing.assert_allclose(gradient, [1.0, -1.0, -1e12, 1e12], rtol=1e-5)
    narrow = [ms.Tensor(t.asnumpy(), ms.float16) for t in (x, y)]
    assert np.isfinite(both_forms(run, *narrow).asnumpy()).all()


def test_divergence_where_nothing_is_wanted():
    x, y = ms.Tensor([[-np.inf, 0.0]]), ms.Tensor([[0.0, 1.0]])

    def run(x, y):
        return ops.kl_div(x, y, "sum")

    assert both_forms(run, x, y).item() == 0.0
    assert [g.tolist() for g in ms.grad(run, (0, 1))(x, y)] == [[[0.0, -1.0]], [[0.0, 1.0]]]


def test_divergence_by_the_batch():
    def run(x, y):
        return ops.kl_div(x, y, "batchmean")

    found = both_forms(run, ms.Tensor(LOGITS), ms.Tensor(TARGETS)).item()
    losses = special.xlogy(TARGETS, TARGETS) - TARGETS * LOGITS
    np.testing.assert_allclose(found, losses.sum() / 4, rtol=1e-12)
    assert nn.KLDivLoss("batchmean")(ms.Tensor(LOGITS), ms.Tensor(TARGETS)).item() == found
    check_gradients(run, LOGITS, TARGETS)
    np.testing.assert_allclose(
        nn.KLDivLoss()(ms.Tensor(LOGITS), ms.Tensor(TARGETS)).item(), losses.mean(), rtol=1e-12
    )


def test_dice():
    def run(x, y):
        return dice_loss(x, y, 0.25)

    found = both_forms(run, ms.Tensor(CHANCES), ms.Tensor(HARD))
    share = 2 * (CHANCES * HARD).sum() / ((CHANCES**2).sum() + (HARD**2).sum() + 0.25)
    np.testing.assert_allclose(found.item(), 1 - share, rtol=1e-12)
    cell = nn.DiceLoss(0.25)
    assert both_forms(lambda x, y: cell(x, y), ms.Tensor(CHANCES), ms.Tensor(HARD)) == found
    check_gradients(run, CHANCES, TARGETS)


def focal_by_hand(x, labels, weight, gamma):
    logs = special.log_softmax(x, axis=1)
    w = np.ones(x.shape[1]) if weight is None else weight
    if labels.shape[1] == 1 and x.shape[1] > 1:
        logs = np.take_along_axis(logs, labels, 1)[:, 0]
        losses = -((1 - np.exp(logs)) ** gamma) * logs * w[labels[:, 0]]
        return losses.reshape(len(x), -1).mean(1)
    along = w.reshape(1, -1, *(1,) * (x.ndim - 2))
    losses = -((1 - np.exp(logs)) ** gamma) * logs * labels * along
    return losses.reshape(*x.shape[:2], -1).mean(2)


@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 5), (2, 3, 2, 2)], ids=str)
@pytest.mark.parametrize("is_class", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_focal(shape, is_class, weighted):
    x = RNG.normal(size=shape)
    labels = RNG.integers(0, 3, (shape[0], 1, *shape[2:]))
    if not is_class:
        labels = (labels == np.arange(3).reshape(1, 3, *(1,) * (len(shape) - 2))).astype(float)
    weight = WEIGHT if weighted else None
    given = tensor(weight)
    losses = focal_by_hand(x, labels, weight, 1.5)
    for reduction in ("mean", "sum", "none"):
        cell = nn.FocalLoss(given, 1.5, reduction)
        found = both_forms(lambda x, y, cell=cell: cell(x, y), ms.Tensor(x), ms.Tensor(labels))
        np.testing.assert_allclose(found.asnumpy(), reduced(losses, reduction), rtol=1e-11)
    captured = ms.Tensor(labels)
    check_gradients(lambda x: focal_loss(x, captured, given, 2.0), x)


def test_focal_of_what_is_certain():
    x, labels = ms.Tensor([[0.0, 200.0], [0.0, 200.0]]), ms.Tensor([[1], [0]])
    value, gradient = ms.value_and_grad(focal_loss)(x, labels)
    assert value.item() == 100.0 and gradient.tolist() == [[0.0, 0.0], [-0.5, 0.5]]


ERRORS = [
    (lambda x: ops.binary_cross_entropy(x, ops.sum(x)), "E0401"),
    (lambda x: ops.binary_cross_entropy(x, 1.0), "E0304"),
    (lambda x: ops.binary_cross_entropy(x, x, reduction="average"), "E0404"),
    (lambda x: ops.binary_cross_entropy_with_logits(x, ops.sum(x)), "E0401"),
    (lambda x: ops.binary_cross_entropy_with_logits(x, x, "mean"), "E0304"),
    (lambda x: ops.kl_div(x, ops.sum(x)), "E0401"), (lambda x: ops.kl_div(x, x, "all"), "E0404"),
    (lambda x: ops.kl_div(ops.sum(x), ops.sum(x), "batchmean"), "E0401"),
    (lambda x: ops.soft_margin_loss(x, ops.sum(x)), "E0401"),
    (lambda x: ops.multilabel_soft_margin_loss(ops.sum(x), ops.sum(x)), "E0401"),
    (lambda x: dice_loss(x, x, 0.0), "E0404"), (lambda x: focal_loss(x, x), "E0401"),
    (lambda x: focal_loss(ops.reshape(x, (1, 2)), x), "E0401"),
    (lambda x: focal_loss(ops.reshape(x, (2, 1)), ops.reshape(x, (2, 1))), "E0301"),
    (lambda x: focal_loss(ops.reshape(x, (1, 2)), ops.reshape(x, (1, 2)), gamma="a"), "E0303"),
    (lambda x: focal_loss(ops.reshape(x, (1, 2)), ops.reshape(x, (1, 2)), ops.sum(x)), "E0401"),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(ERRORS)))
def test_arguments_that_cannot_be(place):
    refused(ERRORS[place][1], ERRORS[place][0], ms.Tensor([0.25, 0.5]))


@pytest.mark.parametrize("label", [2, -1])
def test_focal_labels_that_name_no_class(label):
    refused("E0501", focal_loss, ms.Tensor([[0.0, 1.0]]), ms.Tensor([[label]]))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: nn.BCELoss(reduction="batchmean"), "E0404"),
        (lambda: nn.KLDivLoss("all"), "E0404"),
        (lambda: nn.BCEWithLogitsLoss(None), "E0404"), (lambda: nn.DiceLoss(0.0), "E0404"),
        (lambda: nn.FocalLoss(gamma="a"), "E0303"),
    ],
)  # fmt: skip
def test_cells_check_when_they_are_made(make, code):
    with pytest.raises(ms.S2sadError, match=code):
        make()
