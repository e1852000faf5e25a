"""Losses with a margin against formulas in float64, in both forms and as Cells."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from support.forms import both_forms, check_gradients, refused
from support.losses import check_loss, reduced

RNG = np.random.default_rng(0)
X, Y, Z = (RNG.normal(size=(5, 4)) for _ in range(3))
ROWS = np.array([1.0, -1.0, -1.0, 1.0, -1.0])
SIGNS = np.where(RNG.uniform(size=(5, 4)) < 0.5, -1.0, 1.0)
LABELS = np.array([0, 3, 1, 1, 2])
WEIGHT = np.array([1.0, 0.5, 2.0, 0.25])


def cosine(x, y, axis):
    lengths = np.linalg.norm(x, axis=axis) * np.linalg.norm(y, axis=axis)
    return (x * y).sum(axis) / np.maximum(lengths, 1e-8)


def embedding(x, y, t, margin):
    c = cosine(x, y, min(x.ndim - 1, 1))
    return np.where(t == 1, 1 - c, np.where(t == -1, np.maximum(c - margin, 0), 0))


def triplet(x, near, far, margin=1.0, order=2, eps=1e-6, swap=False):
    def distance(a, b):
        return (abs(a - b + eps) ** order).sum(min(x.ndim - 1, 1)) ** (1 / order)

    to_far = np.minimum(distance(x, far), distance(near, far)) if swap else distance(x, far)
    return np.maximum(distance(x, near) - to_far + margin, 0)


CASES = {
    "cosine embedding": (
        lambda r: (
            lambda x, y, t: ops.cosine_embedding_loss(x, y, t, 0.1, r),
            nn.CosineEmbeddingLoss(0.1, r),
        ),
        lambda x, y, t: embedding(x, y, t, 0.1), (X, Y, ROWS), 2,
    ),
    "cosine embedding of one vector": (
        lambda r: (
            lambda x, y, t: ops.cosine_embedding_loss(x, y, t, reduction=r),
            nn.CosineEmbeddingLoss(reduction=r),
        ),
        lambda x, y, t: embedding(x, y, t, 0.0), (X[0], Y[0], np.array(1.0)), 2,
    ),
    "margin ranking": (
        lambda r: (
            lambda x, y, t: ops.margin_ranking_loss(x, y, t, 0.3, r), nn.MarginRankingLoss(0.3, r)
        ),
        lambda x, y, t: np.maximum(0.3 - t * (x - y), 0), (X, Y, SIGNS), 2,
    ),
    "hinge embedding": (
        lambda r: (
            lambda x, t: ops.hinge_embedding_loss(x, t, 0.5, r), nn.HingeEmbeddingLoss(0.5, r)
        ),
        lambda x, t: np.where(t == 1, x, np.maximum(0.5 - x, 0)), (X, SIGNS), 1,
    ),
    "triplet": (
        lambda r: (
            lambda x, y, z: ops.triplet_margin_loss(x, y, z, reduction=r),
            nn.TripletMarginLoss(reduction=r),
        ),
        triplet, (X, Y, Z), 3,
    ),
    "triplet, swapped, of order 3": (
        lambda r: (
            lambda x, y, z: ops.triplet_margin_loss(x, y, z, 0.5, 3, 1e-3, True, r),
            nn.TripletMarginLoss(3, True, 1e-3, r, 0.5),
        ),
        lambda x, y, z: triplet(x, y, z, 0.5, 3, 1e-3, True), (X, Y, Z), 3,
    ),
    "triplet of order 1, three axes": (
        lambda r: (
            lambda x, y, z: ops.triplet_margin_loss(x, y, z, p=1, reduction=r),
            nn.TripletMarginLoss(p=1, reduction=r),
        ),
        lambda x, y, z: triplet(x, y, z, order=1),
        (X.reshape(1, 5, 4), Y.reshape(1, 5, 4), Z.reshape(1, 5, 4)), 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_losses(name):
    make, formula, arrays, differentiable = CASES[name]
    check_loss(make, formula, arrays, differentiable=differentiable)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cosine_similarity(axis):
    def run(x, y):
        return ops.cosine_similarity(x, y, axis)

    for y in (Y, Y[:1]):
        found = both_forms(run, ms.Tensor(X), ms.Tensor(y)).asnumpy()
        np.testing.assert_allclose(found, cosine(X, np.broadcast_to(y, X.shape), axis), rtol=1e-12)
    check_gradients(run, X, Y)
    assert ops.cosine_similarity(ms.Tensor(X), ms.Tensor(Y)).shape == (5,)


def test_vectors_of_length_0():
    def run(x, y):
        return ops.cosine_similarity(x, y)

    zero, y = ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]])
    for pair in ((zero, y), (y, zero), (zero, zero)):
        assert both_forms(run, *pair).tolist() == [0.0]
        gradients = ms.grad(run, (0, 1))(*pair)
        assert np.isfinite([g.asnumpy() for g in gradients]).all()

    def triplet_of_equals(x):
        return ops.triplet_margin_loss(x, x, x, eps=1e-30)

    assert both_forms(triplet_of_equals, zero).item() == 1.0
    assert ms.grad(triplet_of_equals)(zero).tolist() == [[0.0, 0.0]]


def multi_by_hand(x, labels, order=1, margin=1.0, weight=None):
    weight = np.ones(x.shape[-1]) if weight is None else weight
    rows = []
    for row, y in zip(np.atleast_2d(x), np.atleast_1d(labels), strict=True):
        losses = weight[y] * np.maximum(margin - row[y] + row, 0) ** order
        rows.append(np.delete(losses, y).sum() / len(row))
    return np.array(rows) if x.ndim == 2 else rows[0]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_multi_margin(order, weighted):
    weight = WEIGHT if weighted else None
    given = None if weight is None else ms.Tensor(weight)
    for reduction in ("mean", "sum", "none"):
        cell = nn.MultiMarginLoss(order, 0.5, reduction, given)
        found = both_forms(lambda x, y, cell=cell: cell(x, y), ms.Tensor(X), ms.Tensor(LABELS))
        expected = reduced(multi_by_hand(X, LABELS, order, 0.5, weight), reduction)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12)
    labels = ms.Tensor(LABELS, ms.int32)
    check_gradients(lambda x: ops.multi_margin_loss(x, labels, order, 0.5, given), X)
    alone = ops.multi_margin_loss(ms.Tensor(X[0]), ms.Tensor(2), order, weight=given)
    np.testing.assert_allclose(alone.item(), multi_by_hand(X[0], 2, order, 1.0, weight))


def multilabel_by_hand(x, labels):
    rows = []
    for row, given in zip(np.atleast_2d(x), np.atleast_2d(labels), strict=True):
        wanted = given[: list(given).index(-1)] if -1 in given else given
        others = [i for i in range(len(row)) if i not in wanted]
        losses = [max(1 - row[y] + row[i], 0) for y in wanted for i in others]
        rows.append(sum(losses) / len(row))
    return np.array(rows) if x.ndim == 2 else rows[0]


MANY = np.array([[3, 0, -1, 1], [-1, 2, 1, 0], [0, 1, 2, 3], [2, 2, -1, -1], [1, -1, 9, -7]])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_multilabel_margin(reduction):
    cell = nn.MultilabelMarginLoss(reduction)
    found = both_forms(lambda x, y: cell(x, y), ms.Tensor(X), ms.Tensor(MANY))
    expected = reduced(multilabel_by_hand(X, MANY), reduction)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12)
    labels = ms.Tensor(MANY, ms.int32)
    check_gradients(lambda x: ops.multilabel_margin_loss(x, labels, reduction), X)
    alone = ops.multilabel_margin_loss(ms.Tensor(X[0]), ms.Tensor(MANY[0]))
    np.testing.assert_allclose(alone.item(), multilabel_by_hand(X[0], MANY[0]))


@pytest.mark.parametrize("label", [4, -1])
def test_labels_that_name_no_class(label):
    labels = ms.Tensor([0, label, 0, 0, 0])
    for weight in (None, ms.Tensor(WEIGHT)):
        refused("E0501", lambda x, y, w=weight: ops.multi_margin_loss(x, y, weight=w),
                ms.Tensor(X), labels)  # fmt: skip
    many = MANY.copy()
    many[0, 0] = 4 if label == 4 else -2
    refused("E0501", ops.multilabel_margin_loss, ms.Tensor(X), ms.Tensor(many))


ERRORS = [
    (lambda x: ops.cosine_similarity(x, x, eps=0.0), "E0404"),
    (lambda x: ops.cosine_similarity(x, x, 2), "E0403"),
    (lambda x: ops.cosine_similarity(x, 1), "E0304"),
    (lambda x: ops.cosine_embedding_loss(x, x, x), "E0401"),
    (lambda x: ops.cosine_embedding_loss(x, ops.sum(x), x), "E0401"),
    (lambda x: ops.cosine_embedding_loss(x, x, x, "a"), "E0303"),
    (lambda x: ops.margin_ranking_loss(x, x, x, None), "E0303"),
    (lambda x: ops.margin_ranking_loss(x, x, 1), "E0304"),
    (lambda x: ops.hinge_embedding_loss(x, x, reduction="all"), "E0404"),
    (lambda x: ops.triplet_margin_loss(x, x, ops.sum(x)), "E0401"),
    (lambda x: ops.triplet_margin_loss(*[ops.sum(x)] * 3), "E0401"),
    (lambda x: ops.triplet_margin_loss(x, x, x, p=0), "E0404"),
    (lambda x: ops.triplet_margin_loss(x, x, x, p=2.0), "E0303"),
    (lambda x: ops.triplet_margin_loss(x, x, x, eps=0), "E0404"),
    (lambda x: ops.triplet_margin_loss(x, x, x, swap=1), "E0303"),
    (lambda x: ops.multi_margin_loss(x, x), "E0301"),
    (lambda x: ops.multi_margin_loss(x, ops.cast(x, ms.int32)), "E0401"),
    (lambda x: ops.multi_margin_loss(ops.sum(x), ops.cast(x, ms.int32)), "E0401"),
    (lambda x: ops.multi_margin_loss(x, ops.cast(x, ms.int32), p=3), "E0404"),
    (lambda x: ops.multilabel_margin_loss(x, x), "E0301"),
    (lambda x: ops.multilabel_margin_loss(x, ops.cast(ops.sum(x), ms.int32)), "E0401"),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(ERRORS)))
def test_arguments_that_cannot_be(place):
    refused(ERRORS[place][1], ERRORS[place][0], ms.Tensor([[0.0, 1.0], [2.0, 3.0]]))
