"""Losses against formulas in float64, in both forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, check_gradients, refused, require_same

REDUCTIONS = ["mean", "sum", "none"]
SHAPES = [(4,), (3, 4), (2, 4, 3), (2, 4, 1, 2)]
WEIGHT = np.array([1.0, 0.5, 2.0, 0.25])


def logits_of(shape):
    return np.random.default_rng(0).normal(size=shape) * 2


def labels_of(shape, ignored=None):
    rows = shape[:1] + shape[2:] if len(shape) > 1 else ()
    labels = np.random.default_rng(1).integers(0, 4, rows)
    if ignored is not None and labels.size > 1:
        labels.flat[1] = ignored
    return labels


def targets_of(shape):
    raw = np.random.default_rng(2).uniform(size=shape)
    return raw / raw.sum(axis=min(1, len(shape) - 1), keepdims=True)


def along(vector, ndim, axis):
    return vector.reshape([-1 if i == axis else 1 for i in range(ndim)])


def sparse_by_hand(x, labels, weight, ignored, reduction, smoothing):
    """Sum over classes of what is wanted of each, times what it costs."""
    axis = min(1, x.ndim - 1)
    counts = labels != ignored
    known = np.where(counts, labels, 0)
    onehot = np.moveaxis(np.eye(4)[known], -1, axis)
    w = np.ones(4) if weight is None else weight
    wanted = ((1 - smoothing) * onehot + smoothing / 4) * along(w, x.ndim, axis)
    losses = -(wanted * log_softmax(x, axis=axis)).sum(axis) * counts
    if reduction == "none":
        return losses
    return losses.sum() / ((w[known] * counts).sum() if reduction == "mean" else 1)


def dense_by_hand(x, targets, weight, reduction, smoothing):
    axis = min(1, x.ndim - 1)
    w = np.ones(4) if weight is None else weight
    wanted = ((1 - smoothing) * targets + smoothing / 4) * along(w, x.ndim, axis)
    losses = -(wanted * log_softmax(x, axis=axis)).sum(axis)
    return losses if reduction == "none" else getattr(losses, reduction)()


#: Whether there are weights, the smoothing, the class that is ignored: all pairs of them.
SETTINGS = [(False, 0.0, -100), (True, 0.25, -100), (True, 0.0, 2), (False, 0.25, 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(("weighted", "smoothing", "ignored"), SETTINGS)
def test_classes(shape, reduction, weighted, smoothing, ignored):
    x, labels = logits_of(shape), labels_of(shape, ignored)
    weight = WEIGHT if weighted else None
    tensor = None if weight is None else ms.Tensor(weight)
    cell = nn.CrossEntropyLoss(tensor, ignored, reduction, smoothing)

    def run(x, labels):
        return ops.cross_entropy(x, labels, tensor, ignored, reduction, smoothing), cell(x, labels)

    expected = sparse_by_hand(x, labels, weight, ignored, reduction, smoothing)
    for kind in (np.int32, np.int64):
        one, other = both_forms(run, ms.Tensor(x), ms.Tensor(labels.astype(kind)))
        require_same(one, other)
        assert one.shape == np.shape(expected)
        np.testing.assert_allclose(one.asnumpy(), expected, rtol=1e-12, atol=1e-14)

    captured = ms.Tensor(labels)

    def by_logits(x):
        return ops.cross_entropy(x, captured, tensor, ignored, reduction, smoothing)

    if len(shape) == 2:
        check_gradients(by_logits, x)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.25])
def test_distributions(shape, reduction, weighted, smoothing):
    x, targets = logits_of(shape), targets_of(shape)
    weight = WEIGHT if weighted else None
    tensor = None if weight is None else ms.Tensor(weight)

    def run(x, targets):
        return ops.cross_entropy(
            x, targets, weight=tensor, reduction=reduction, label_smoothing=smoothing
        )

    result = both_forms(run, ms.Tensor(x), ms.Tensor(targets))
    expected = dense_by_hand(x, targets, weight, reduction, smoothing)
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-12, atol=1e-14)
    if len(shape) == 2:
        check_gradients(run, x, targets)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_softmax_cross_entropy_with_logits(reduction):
    x, labels = logits_of((5, 4)), labels_of((5, 4))
    onehot = np.eye(4)[labels]
    sparse = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction=reduction)
    dense = nn.SoftmaxCrossEntropyWithLogits(reduction=reduction)

    def run(x, labels, onehot):
        return sparse(x, labels), dense(x, onehot)

    found = both_forms(run, ms.Tensor(x), ms.Tensor(labels), ms.Tensor(onehot))
    expected = sparse_by_hand(x, labels, None, -100, reduction, 0.0)
    for result in found:
        assert result.shape == np.shape(expected)
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-12)
    targets = targets_of((5, 4))
    soft = dense(ms.Tensor(x), ms.Tensor(targets))
    wanted = dense_by_hand(x, targets, None, reduction, 0.0)
    np.testing.assert_allclose(soft.asnumpy(), wanted, rtol=1e-12)
    check_gradients(dense.construct, x, targets)


def test_defaults_are_mindspores():
    dense = nn.SoftmaxCrossEntropyWithLogits()
    assert (dense.sparse, dense.reduction) == (False, "none")
    x = ms.Tensor(np.zeros((3, 2)), ms.float32)
    loss = dense(x, ms.Tensor(np.eye(2)[[0, 1, 1]]))
    assert loss.dtype is ms.float32 and loss.shape == (3,)
    gradient = ms.grad(dense)(x, ms.Tensor(np.eye(2)[[0, 1, 1]], ms.float32))
    np.testing.assert_allclose(gradient.asnumpy(), 0.5 - np.eye(2)[[0, 1, 1]])  # of the sum
    plain = nn.CrossEntropyLoss()
    assert (plain.weight, plain.ignore_index, plain.reduction, plain.label_smoothing) == (
        None, -100, "mean", 0.0
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_narrow_losses(dtype):
    x, labels = logits_of((200, 4)), labels_of((200, 4))
    logits = ms.Tensor(x + 300, dtype)

    def run(logits, labels):
        return [ops.cross_entropy(logits, labels, reduction=r) for r in ("mean", "sum", "none")]

    mean, total, each = both_forms(run, logits, ms.Tensor(labels))
    assert mean.dtype is total.dtype is each.dtype is dtype
    wide = logits.astype(ms.float64).asnumpy()
    expected = sparse_by_hand(wide, labels, None, -100, "mean", 0.0)
    np.testing.assert_allclose(mean.item(), expected, rtol=2e-2)


def test_a_mean_of_narrow_losses_does_not_overflow():
    logits = ms.Tensor(np.tile([0.0, 600.0], (4096, 1)), ms.float16)

    def run(logits, labels):
        return ops.cross_entropy(logits, labels)

    assert both_forms(run, logits, ms.Tensor(np.zeros(4096, np.int64))).item() == 600.0


def test_infinite_scores():
    def run(x, labels):
        return ops.cross_entropy(x, labels, reduction="none")

    x = ms.Tensor([[0.0, -np.inf], [0.0, -np.inf], [1e30, 0.0]])
    assert both_forms(run, x, ms.Tensor([0, 1, 1])).tolist() == [0.0, np.inf, np.float32(1e30)]
    gradient = ms.grad(run)(x, ms.Tensor([0, 0, 0]))
    assert gradient.tolist() == [[0.0, 0.0]] * 3


def test_all_labels_ignored():
    def run(x, labels):
        return [ops.cross_entropy(x, labels, reduction=r) for r in ("mean", "sum", "none")]

    mean, total, each = both_forms(run, ms.Tensor(logits_of((2, 4))), ms.Tensor([-100, -100]))
    assert np.isnan(mean.item()) and total.item() == 0.0 and each.tolist() == [0.0, 0.0]

    def summed(x, labels):
        return ops.cross_entropy(x, labels, reduction="sum")

    gradient = ms.grad(summed)(ms.Tensor(logits_of((2, 4))), ms.Tensor([-100, -100]))
    assert gradient.tolist() == [[0.0] * 4] * 2


def test_an_empty_batch():
    def run(x, labels):
        return ops.cross_entropy(x, labels, reduction="sum")

    x, labels = ms.Tensor(np.zeros((0, 4))), ms.Tensor(np.zeros(0, np.int64))
    assert both_forms(run, x, labels).item() == 0.0
    assert ms.grad(run)(x, labels).shape == (0, 4)


@pytest.mark.parametrize("label", [4, -1, 100])
@pytest.mark.parametrize("weighted", [False, True])
def test_labels_that_name_no_class(label, weighted):
    weight = ms.Tensor(WEIGHT) if weighted else None

    def run(x, labels):
        return ops.cross_entropy(x, labels, weight)

    refused("E0501", run, ms.Tensor(logits_of((2, 4))), ms.Tensor([0, label]))


def of_reduction(x, labels):
    return ops.cross_entropy(x, labels, reduction="average")


def of_smoothing(x, labels):
    return ops.cross_entropy(x, labels, label_smoothing=1.5)


def of_smoothing_kind(x, labels):
    return ops.cross_entropy(x, labels, label_smoothing=True)


def of_index(x, labels):
    return ops.cross_entropy(x, labels, ignore_index=1.5)


def of_weight(x, labels):
    return ops.cross_entropy(x, labels, x)


def of_rows(x, labels):
    return ops.cross_entropy(x, ops.reshape(labels, (1, -1)))


def of_integers(x, labels):
    return ops.cross_entropy(ops.cast(x, ms.int32), labels)


def of_bools(x, labels):
    return ops.cross_entropy(x, labels > 0)


def of_number(x, labels):
    return ops.cross_entropy(x, 3)


def of_0d(x, labels):
    return ops.cross_entropy(ops.sum(x), ops.sum(labels))


CASES = {
    of_reduction: "E0404", of_smoothing: "E0404", of_smoothing_kind: "E0303", of_index: "E0303",
    of_weight: "E0401", of_rows: "E0401", of_integers: "E0301", of_bools: "E0301",
    of_number: "E0304", of_0d: "E0401",
}  # fmt: skip


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_arguments_that_do_not_fit(function):
    refused(CASES[function], function, ms.Tensor(logits_of((2, 4))), ms.Tensor([0, 1]))


def test_cells_check_when_they_are_made():
    for cell in (nn.CrossEntropyLoss, nn.SoftmaxCrossEntropyWithLogits):
        with pytest.raises(S2sadError, match="E0404"):
            cell(reduction="average")
    with pytest.raises(S2sadError, match="E0303"):
        nn.SoftmaxCrossEntropyWithLogits(1)


def test_labels_of_the_other_kind():
    x, labels = ms.Tensor(logits_of((2, 4))), ms.Tensor([0, 1])

    def classes(x, labels):
        return DENSE(x, labels)

    def distributions(x, labels):
        return SPARSE(x, x)

    refused("E0301", classes, x, labels)
    refused("E0301", distributions, x, labels)


SPARSE, DENSE = nn.SoftmaxCrossEntropyWithLogits(True), nn.SoftmaxCrossEntropyWithLogits()


def test_the_weight_of_a_cell_is_read_at_each_call():
    weight = ms.Tensor(WEIGHT)
    loss = nn.CrossEntropyLoss(weight)
    compiled = ms.compile(loss)
    x, labels = ms.Tensor(logits_of((5, 4))), ms.Tensor(labels_of((5, 4)))
    before = compiled(x, labels).item()
    weight.asnumpy()[...] = [3.0, 1.0, 1.0, 1.0]
    assert compiled(x, labels).item() != before and len(compiled.variants) == 1
    np.testing.assert_allclose(compiled(x, labels).item(), loss.construct(x, labels).item())


# ---- log-probabilities ----------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 4, 1, 2)], ids=str)
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(("weighted", "smoothing", "ignored"), SETTINGS)
def test_log_probabilities(shape, reduction, weighted, smoothing, ignored):
    scores = log_softmax(logits_of(shape), axis=min(1, len(shape) - 1))
    labels = labels_of(shape, ignored)
    weight = WEIGHT if weighted else None
    tensor = None if weight is None else ms.Tensor(weight)

    def run(x, labels):
        return ops.nll_loss(x, labels, tensor, ignored, reduction, smoothing)

    expected = sparse_by_hand(scores, labels, weight, ignored, reduction, smoothing)
    found = both_forms(run, ms.Tensor(scores), ms.Tensor(labels.astype(np.int32)))
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12, atol=1e-14)
    captured = ms.Tensor(labels)
    if len(shape) == 2 and reduction == "mean":
        check_gradients(
            lambda x: ops.nll_loss(x, captured, tensor, ignored, reduction, smoothing), scores
        )
    if not smoothing:
        cell = nn.NLLLoss(tensor, ignored, reduction)
        require_same(both_forms(lambda x, y: cell(x, y), ms.Tensor(scores), captured), found)


def test_an_ignored_label_reads_no_score():
    def run(x, labels):
        return ops.nll_loss(x, labels, WEIGHTS_OF_TWO, reduction="sum")

    x = ms.Tensor([[-np.inf, -1.0], [-np.inf, -2.0]])
    assert both_forms(run, x, ms.Tensor([1, -100])).item() == 3.0
    assert ms.grad(run)(x, ms.Tensor([1, -100])).tolist() == [[0.0, -3.0], [0.0, 0.0]]


WEIGHTS_OF_TWO = ms.Tensor([2.0, 3.0])


@pytest.mark.parametrize("label", [2, -1])
def test_labels_of_log_probabilities_that_name_no_class(label):
    def run(x, labels):
        return ops.nll_loss(x, labels)

    refused("E0501", run, ms.Tensor([[-1.0, -2.0]]), ms.Tensor([label]))


def test_what_is_no_log_probability():
    def of_distributions(x, labels):
        return ops.nll_loss(x, x)

    def of_integers(x, labels):
        return ops.nll_loss(labels, labels)

    def of_rows(x, labels):
        return ops.nll_loss(x, ops.reshape(labels, (1, -1)))

    for function, code in ((of_distributions, "E0301"), (of_integers, "E0301"), (of_rows, "E0401")):
        refused(code, function, ms.Tensor(logits_of((2, 4))), ms.Tensor([0, 1]))
