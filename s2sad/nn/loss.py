"""Losses as Cells."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.ops.loss import REDUCTIONS, softmax_cross_entropy


class LossBase(Cell):
    """Base of losses: keeps the reduction.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0404 for another one.
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in REDUCTIONS:
            raise fail("E0404", f"reduction is 'mean', 'sum' or 'none', got {reduction!r}")
        self.reduction = reduction


class CrossEntropyLoss(LossBase):
    """Cross entropy of logits with classes or distributions; see `ops.cross_entropy`.

    Parameters
    ----------
    weight : Tensor, shape (classes,), optional
    ignore_index : int
    reduction : {"mean", "sum", "none"}
    label_smoothing : float

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.CrossEntropyLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1])).asnumpy()
    array(0.6931472, dtype=float32)
    """

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction)
        self.weight = weight
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of logits with labels, one loss a row unless it is reduced.

    Parameters
    ----------
    sparse : bool
        Whether labels are classes, of shape (batch,), rather than distributions over them, such as
        one-hot rows, of shape (batch, classes).
    reduction : {"none", "mean", "sum"}

    Raises
    ------
    S2sadError
        E0303 for a `sparse` that is no bool, E0404 for another reduction; in a call E0301 for
        labels of the other kind, E0401 for labels of another shape.

    Examples
    --------
    >>> import s2sad as ms
    >>> loss = ms.nn.SoftmaxCrossEntropyWithLogits()
    >>> loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[0.0, 1.0]])).asnumpy()
    array([0.6931472], dtype=float32)
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        if not isinstance(sparse, bool):
            raise fail("E0303", f"sparse is True or False, got {sparse!r}")
        self.sparse = sparse

    def construct(self, logits: Any, labels: Any) -> Any:
        return softmax_cross_entropy(logits, labels, self.sparse, self.reduction)
