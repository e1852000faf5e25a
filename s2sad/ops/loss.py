"""How far are scores from the classes that were wanted, and how is a loss reduced?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.autocast import decided
from s2sad.ops.promotion import (
    as_dtype,
    is_tensor,
    require_floats,
    require_integers,
    require_tensor,
    require_tensors,
)
from s2sad.ops.settings import fraction, integer, number
from s2sad.prims.loss import ONE_LABEL
from s2sad.prims.shape import require_shape

REDUCTIONS = ("mean", "sum", "none")


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Cross entropy of logits with classes, or with a distribution over them.

    Parameters
    ----------
    input : Tensor of floats, shape (classes,), (batch, classes) or (batch, classes, ...)
        Logits, in nats.
    target : Tensor
        Integers of the shape of `input` without the axis of classes; or floats of its shape,
        probabilities of the classes.
    weight : Tensor of floats, shape (classes,), optional
        What each class counts.
    ignore_index : int
        A label of this value has no loss and no gradient.
    reduction : {"mean", "sum", "none"}
        With classes the mean is over the weights of the labels that count; with distributions it
        is over all of them, weighted or not.
    label_smoothing : float
        From 0 to 1: the part of what is wanted that is shared by all classes alike.

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 and E0404 for other arguments, E0401 for shapes; at run time E0501
        for a label that names no class.

    Examples
    --------
    >>> import s2sad as ms
    >>> cross_entropy(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1])).asnumpy()
    array(0.6931472, dtype=float32)
    """
    check_reduction(reduction)
    _check_settings(ignore_index, label_smoothing)
    logits, labels, axis, weight = _classified("cross_entropy", input, target, weight)
    if labels.dtype.is_float:
        return _dense(logits, labels, weight, axis, reduction, label_smoothing)
    return _sparse(logits, labels, weight, axis, ignore_index, reduction, label_smoothing)


def check_reduction(reduction: Any) -> None:
    """E0404 for what is no reduction."""
    if reduction not in REDUCTIONS:
        raise fail("E0404", f"reduction is 'mean', 'sum' or 'none', got {reduction!r}")


def nll_loss(
    inputs: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """The loss of log-probabilities with classes: what `cross_entropy` is of logits.

    Parameters
    ----------
    inputs : Tensor of floats, shape (classes,), (batch, classes) or (batch, classes, ...)
        Log-probabilities.
    target : Tensor of integers, of the shape of `inputs` without the axis of classes
    weight, ignore_index, reduction, label_smoothing
        As of `cross_entropy`.

    Raises
    ------
    S2sadError
        Those of `cross_entropy`.

    Examples
    --------
    >>> import s2sad as ms
    >>> nll_loss(ms.Tensor([[-1.0, -2.0], [-3.0, -4.0]]), ms.Tensor([1, 0])).asnumpy()
    array(2.5, dtype=float32)
    """
    check_reduction(reduction)
    _check_settings(ignore_index, label_smoothing)
    inputs, weight = decided("nll_loss", inputs, weight)
    given, labels, axis, weight = _classified("nll_loss", inputs, target, weight)
    scores = as_dtype(given, given.dtype.compute)
    losses = p.neg(picked(scores, labels, axis, ignore_index))
    loss = _weighted(losses, scores, labels, weight, axis, ignore_index, reduction, label_smoothing)
    return as_dtype(loss, given.dtype)


def _classified(name: str, scores: Any, target: Any, weight: Any) -> tuple[Any, Any, int, Any]:
    """Scores, what is wanted, the axis of classes, and the weights in the dtype of the scores."""
    scores, labels = require_floats(scores, name), require_tensor(target, name)
    if not scores.ndim:
        raise fail("E0401", f"{name} needs scores with an axis of classes, got a 0-d Tensor")
    axis = min(scores.ndim - 1, 1)
    if weight is not None:
        weight = as_dtype(require_tensor(weight, name), scores.dtype)
        _check_weight(weight, scores, axis)
    return scores, labels, axis, weight


def _check_settings(ignore_index: Any, smoothing: Any) -> None:
    integer("ignore_index", ignore_index)
    fraction("label_smoothing", smoothing)


def _check_weight(weight: Any, logits: Any, axis: int) -> None:
    if weight.ndim != 1 or weight.shape[0] != logits.shape[axis]:
        raise fail(
            "E0401", f"there is one weight a class: of shape ({logits.shape[axis]},), "
            f"got {tuple(weight.shape)}",
        )  # fmt: skip


def _dense(
    logits: Any,
    targets: Any,
    weight: Any,
    axis: int,
    reduction: str,
    label_smoothing: float,
) -> Any:
    if targets.ndim != logits.ndim:
        raise fail(
            "E0401", f"targets that are floats are probabilities, of the shape {logits.shape}; "
            f"got {targets.shape}", help="classes are integers: `target.astype(int32)`",
        )  # fmt: skip
    targets = as_dtype(targets, logits.dtype)
    if weight is None:
        losses = p.cross_entropy(logits, targets, axis=axis, label_smoothing=label_smoothing)[0]
        return reduced(losses, reduction)
    wanted = targets
    if label_smoothing:
        share = label_smoothing / max(logits.shape[axis], 1)
        wanted = p.add(p.mul(targets, 1.0 - label_smoothing), share)
    wanted = p.mul(wanted, along(weight, logits, axis))
    return reduced(p.cross_entropy(logits, wanted, axis=axis)[0], reduction)


def _sparse(
    logits: Any, labels: Any, weight: Any, axis: int, ignore_index: int, reduction: str,
    label_smoothing: float,
) -> Any:  # fmt: skip
    settings: dict[str, Any] = {"axis": axis, "ignore_index": ignore_index}
    if weight is None:  # smoothing is part of the operation then
        settings["label_smoothing"] = label_smoothing
        label_smoothing = 0.0
    losses, log_probabilities = p.sparse_cross_entropy(logits, labels, **settings)
    return _weighted(
        losses, log_probabilities, labels, weight, axis, ignore_index, reduction, label_smoothing
    )


def picked(scores: Any, labels: Any, axis: int, ignore_index: int | None = None) -> Any:
    """The score of each label's class, 0 where it is `ignore_index`.

    Raises
    ------
    S2sadError
        E0301 for labels that are no integers, E0401 for those of another shape than `scores` has
        without `axis`; at run time E0501 for one that names no class.
    """
    require_integers(labels, "labels")
    rows = (*scores.shape[:axis], *scores.shape[axis + 1 :])
    require_shape(labels.shape, rows, "the labels", ONE_LABEL)
    wide = as_dtype(labels, dtypes.int64)
    # An index may count from the end, a label may not: a negative one goes out of range.
    known = p.where(p.less(wide, 0), p.axis_size(scores, axis=axis), wide)
    if ignore_index is not None:
        known = p.where(p.equal(wide, ignore_index), 0, known)
    found = p.gather_elements(scores, p.expand_dims(known, axis=axis), axis=axis)
    found = p.squeeze(found, axis=axis)
    return found if ignore_index is None else p.where(p.equal(wide, ignore_index), 0, found)


def _weighted(
    losses: Any, log_probabilities: Any, labels: Any, weight: Any, axis: int, ignore_index: int,
    reduction: str, label_smoothing: float,
) -> Any:  # fmt: skip
    """Losses by label, 0 where it is ignored, with weight and smoothing, reduced."""
    known = as_dtype(labels, dtypes.int64)
    counts = p.not_equal(known, ignore_index)
    dtype = losses.dtype
    if weight is None:
        weights = as_dtype(counts, dtype.compute)
    else:
        weight = as_dtype(weight, dtype)
        weights = p.where(counts, p.gather(weight, p.where(counts, known, 0), axis=0), 0)
        losses = p.mul(losses, weights)
    if label_smoothing:
        losses = _smoothed(losses, log_probabilities, counts, weight, axis, label_smoothing)
    if reduction != "mean":
        return reduced(losses, reduction)
    wide = [as_dtype(x, dtype.compute) for x in (losses, weights)]
    mean = p.div(p.reduce_sum(wide[0], axis=None), p.reduce_sum(wide[1], axis=None))
    return as_dtype(mean, dtype)


def _smoothed(
    losses: Any, log_probabilities: Any, counts: Any, weight: Any, axis: int, smoothing: float
) -> Any:
    """`losses`, with the loss against all classes alike in them."""
    if weight is not None:
        log_probabilities = p.mul(log_probabilities, along(weight, log_probabilities, axis))
    everywhere = p.mul(p.neg(p.mean(log_probabilities, axis=axis)), smoothing)
    return p.add(p.mul(losses, 1.0 - smoothing), p.where(counts, everywhere, 0))


def along(weight: Any, logits: Any, axis: int) -> Any:
    """`weight` as a tensor that broadcasts over the classes of `logits`."""
    return p.reshape(weight, shape=tuple(-1 if i == axis else 1 for i in range(logits.ndim)))


def reduced(losses: Any, reduction: str) -> Any:
    """`losses` as they are, their sum or their mean."""
    if reduction == "none":
        return losses
    reduce = p.mean if reduction == "mean" else p.reduce_sum
    return reduce(losses, axis=None, keepdims=False)


def weighted(x: Any, weights: Any, reduction: str) -> Any:
    """`x` times `weights`, reduced: computed in float32 if it is narrower, and rounded once."""
    check_reduction(reduction)
    losses = require_tensor(x, "a loss")
    wide, dtype = losses.dtype.compute, losses.dtype
    weights = as_dtype(weights, wide) if is_tensor(weights) else number("weights", weights)
    return as_dtype(reduced(p.mul(as_dtype(losses, wide), weights), reduction), dtype)


def softmax_cross_entropy(
    logits: Any, labels: Any, sparse: bool = False, reduction: str = "none"
) -> Any:
    """Cross entropy of logits with classes (`sparse`) or distributions, along the last axis.

    Parameters
    ----------
    logits : Tensor of floats, shape (..., classes)
    labels : Tensor
        Integers of shape (...) where `sparse`, else floats of the shape of `logits`.
    sparse : bool
    reduction : {"none", "mean", "sum"}

    Raises
    ------
    S2sadError
        E0301 for labels of the other kind, E0401 for labels of another shape, E0404 for another
        reduction; at run time E0501 for a label that names no class.

    Examples
    --------
    >>> import s2sad as ms
    >>> softmax_cross_entropy(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[0.5, 0.5]])).asnumpy()
    array([0.6931472], dtype=float32)
    """
    check_reduction(reduction)
    logits, labels = require_tensors("softmax_cross_entropy", logits, labels)
    if sparse:
        return reduced(p.sparse_cross_entropy(logits, labels)[0], reduction)
    if not labels.dtype.is_float:
        raise fail(
            "E0301", f"labels that are distributions are floats, got {labels.dtype.name}",
            help="pass sparse=True for classes",
        )  # fmt: skip
    return reduced(p.cross_entropy(logits, as_dtype(labels, logits.dtype))[0], reduction)
