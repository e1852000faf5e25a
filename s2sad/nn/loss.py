"""Which losses of classes are Cells, and what do all losses have in common?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.ops.loss import check_reduction, softmax_cross_entropy, weighted
from s2sad.ops.settings import flag


class LossBase(Cell):
    """Base of losses: keeps the reduction, and makes it.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}

    Attributes
    ----------
    reduce, average : bool
        Whether there is a reduction, and whether it is not the sum.

    Raises
    ------
    S2sadError
        E0404 for another reduction.

    Examples
    --------
    >>> import s2sad as ms
    >>> class Cubes(ms.nn.LossBase):
    ...     def construct(self, logits, labels):
    ...         return self.get_loss((logits - labels) ** 3)
    >>> Cubes("sum")(ms.Tensor([1.0, 3.0]), ms.Tensor([0.0, 1.0])).asnumpy()
    array(9., dtype=float32)
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        check_reduction(reduction)
        self.reduction = reduction
        self.reduce, self.average = reduction != "none", reduction != "sum"

    def get_loss(self, x: Any, weights: Any = 1.0) -> Any:
        """Losses times `weights`, reduced; computed in float32 where they are narrower."""
        return weighted(x, weights, self.reduction)

    def get_axis(self, x: Any) -> tuple[int, ...]:
        """All axes of `x`."""
        return tuple(range(x.ndim))


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
        self.sparse = flag("sparse", sparse)

    def construct(self, logits: Any, labels: Any) -> Any:
        return softmax_cross_entropy(logits, labels, self.sparse, self.reduction)


class NLLLoss(LossBase):
    """The loss of log-probabilities with classes; see `ops.nll_loss`.

    Parameters
    ----------
    weight : Tensor, shape (classes,), optional
    ignore_index : int
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.NLLLoss()(ms.Tensor([[-1.0, -2.0]]), ms.Tensor([1])).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self.weight = weight
        self.ignore_index = ignore_index

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)
