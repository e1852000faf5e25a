"""Losses as Cells."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail


class CrossEntropyLoss(Cell):
    """Cross entropy of logits with class indices; see `ops.cross_entropy`."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.cross_entropy(logits, labels, reduction=self.reduction)


class SoftmaxCrossEntropyWithLogits(Cell):
    """Cross entropy of logits with labels.

    Parameters
    ----------
    sparse : bool
        Whether labels are class indices; one-hot rows are not supported yet.
    reduction : str
        ``"mean"``, ``"sum"`` or ``"none"``.
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__()
        if not sparse:
            raise fail("E0104", "one-hot labels are not supported yet", help="pass sparse=True")
        self.sparse, self.reduction = sparse, reduction

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.cross_entropy(logits, labels, reduction=self.reduction)
