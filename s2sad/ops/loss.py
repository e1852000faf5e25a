"""Losses."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import as_dtype, require_tensor

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
    _check_smoothing(label_smoothing)
    if isinstance(ignore_index, bool) or not isinstance(ignore_index, int):
        raise fail("E0303", f"ignore_index is an int, got {ignore_index!r}")
    logits, labels = (
        require_tensor(input, "cross_entropy"),
        require_tensor(target, "cross_entropy"),
    )
    if not logits.ndim:
        raise fail(
            "E0401",
            "cross_entropy needs logits with an axis of classes, got a 0-d Tensor",
        )
    axis = min(logits.ndim - 1, 1)
    if weight is not None:
        weight = as_dtype(require_tensor(weight, "cross_entropy"), logits.dtype)
        _check_weight(weight, logits, axis)
    if labels.dtype.is_float:
        return _dense(logits, labels, weight, axis, reduction, label_smoothing)
    return _sparse(logits, labels, weight, axis, ignore_index, reduction, label_smoothing)


def check_reduction(reduction: Any) -> None:
    """E0404 for what is no reduction."""
    if reduction not in REDUCTIONS:
        raise fail("E0404", f"reduction is 'mean', 'sum' or 'none', got {reduction!r}")


def _check_smoothing(smoothing: Any) -> None:
    if isinstance(smoothing, bool) or not isinstance(smoothing, (int, float)):
        raise fail("E0303", f"label_smoothing is a number, got {smoothing!r}")
    if not 0 <= smoothing <= 1:
        raise fail("E0404", f"label_smoothing is from 0 to 1, got {smoothing}")


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
    targets = as_dtype(targets, logits.dtype)
    if weight is None:
        losses = p.cross_entropy(logits, targets, axis=axis, label_smoothing=label_smoothing)[0]
        return reduced(losses, reduction)
    wanted = targets
    if label_smoothing:
        share = label_smoothing / max(logits.shape[axis], 1)
        wanted = p.add(p.mul(targets, 1.0 - label_smoothing), share)
    wanted = p.mul(wanted, _along(weight, logits, axis))
    return reduced(p.cross_entropy(logits, wanted, axis=axis)[0], reduction)


def _sparse(
    logits: Any, labels: Any, weight: Any, axis: int, ignore_index: int, reduction: str,
    label_smoothing: float,
) -> Any:  # fmt: skip
    settings = {"axis": axis, "ignore_index": ignore_index}
    counts = p.not_equal(as_dtype(labels, dtypes.int64), ignore_index)
    if weight is None:
        losses = p.sparse_cross_entropy(
            logits, labels, label_smoothing=label_smoothing, **settings
        )[0]
        weights = as_dtype(counts, logits.dtype.compute)
    else:
        losses, log_probabilities = p.sparse_cross_entropy(logits, labels, **settings)
        known = p.where(counts, as_dtype(labels, dtypes.int64), 0)
        weights = p.where(counts, p.gather(weight, known, axis=0), 0)
        losses = p.mul(losses, weights)
        if label_smoothing:
            losses = _smoothed(losses, log_probabilities, counts, weight, axis, label_smoothing)
    if reduction != "mean":
        return reduced(losses, reduction)
    wide = [as_dtype(x, logits.dtype.compute) for x in (losses, weights)]
    mean = p.div(p.reduce_sum(wide[0], axis=None), p.reduce_sum(wide[1], axis=None))
    return as_dtype(mean, logits.dtype)


def _smoothed(
    losses: Any,
    log_probabilities: Any,
    counts: Any,
    weight: Any,
    axis: int,
    smoothing: float,
) -> Any:
    """`losses`, with the loss against all classes alike in them."""
    weighted = p.mul(log_probabilities, _along(weight, log_probabilities, axis))
    everywhere = p.neg(p.reduce_sum(weighted, axis=axis))
    everywhere = p.mul(everywhere, smoothing / max(weight.shape[0], 1))
    return p.add(p.mul(losses, 1.0 - smoothing), p.where(counts, everywhere, 0))


def _along(weight: Any, logits: Any, axis: int) -> Any:
    """`weight` as a tensor that broadcasts over the classes of `logits`."""
    return p.reshape(weight, shape=tuple(-1 if i == axis else 1 for i in range(logits.ndim)))


def reduced(losses: Any, reduction: str) -> Any:
    """`losses` as they are, their sum or their mean."""
    if reduction == "none":
        return losses
    reduce = p.mean if reduction == "mean" else p.reduce_sum
    return reduce(losses, axis=None, keepdims=False)


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
    logits = require_tensor(logits, "softmax_cross_entropy")
    labels = require_tensor(labels, "softmax_cross_entropy")
    if sparse:
        return reduced(p.sparse_cross_entropy(logits, labels)[0], reduction)
    if not labels.dtype.is_float:
        raise fail(
            "E0301", f"labels that are distributions are floats, got {labels.dtype.name}",
            help="pass sparse=True for classes",
        )  # fmt: skip
    return reduced(p.cross_entropy(logits, as_dtype(labels, logits.dtype))[0], reduction)
