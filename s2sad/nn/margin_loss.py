"""Which losses are Cells that want scores or distances to differ by a margin?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.nn.loss import LossBase
from s2sad.ops.settings import flag, integer, number, positive


class CosineEmbeddingLoss(LossBase):
    """1 less the cosine of what belongs together; see `ops.cosine_embedding_loss`.

    Parameters
    ----------
    margin : float
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> x, y = ms.Tensor([[3.0, 0.0]]), ms.Tensor([[0.0, 2.0]])
    >>> ms.nn.CosineEmbeddingLoss()(x, y, ms.Tensor([1])).asnumpy()
    array(1., dtype=float32)
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = number("margin", margin)

    def construct(self, logits_x1: Any, logits_x2: Any, labels: Any) -> Any:
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    """``max(0, margin - target * (input1 - input2))``; see `ops.margin_ranking_loss`.

    Parameters
    ----------
    margin : float
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> one, other = ms.Tensor([2.0]), ms.Tensor([1.0])
    >>> ms.nn.MarginRankingLoss()(one, other, ms.Tensor([-1])).asnumpy()
    array(1., dtype=float32)
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = number("margin", margin)

    def construct(self, input1: Any, input2: Any, target: Any) -> Any:
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class HingeEmbeddingLoss(LossBase):
    """Distances, or what is missing to the margin; see `ops.hinge_embedding_loss`.

    Parameters
    ----------
    margin : float
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> loss = ms.nn.HingeEmbeddingLoss(reduction="none")
    >>> loss(ms.Tensor([0.25, 0.25]), ms.Tensor([1, -1])).asnumpy()
    array([0.25, 0.75], dtype=float32)
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = number("margin", margin)

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class TripletMarginLoss(LossBase):
    """How much nearer than by the margin a negative example is; see `ops.triplet_margin_loss`.

    Parameters
    ----------
    p : int
    swap : bool
    eps : float
    reduction : {"mean", "sum", "none"}
    margin : float
        A call may give another one.

    Examples
    --------
    >>> import s2sad as ms
    >>> anchor, near, far = (ms.Tensor([[x, 0.0]]) for x in (0.0, 1.0, 1.5))
    >>> round(ms.nn.TripletMarginLoss()(anchor, near, far).item(), 4)
    0.5
    """

    def __init__(
        self,
        p: int = 2,
        swap: bool = False,
        eps: float = 1e-6,
        reduction: str = "mean",
        margin: float = 1.0,
    ) -> None:
        super().__init__(reduction)
        self.p, self.swap, self.eps = integer("p", p, 1), flag("swap", swap), positive("eps", eps)
        self.margin = number("margin", margin)

    def construct(self, x: Any, positive: Any, negative: Any, margin: Any = None) -> Any:
        wanted = self.margin if margin is None else margin
        return ops.triplet_margin_loss(
            x, positive, negative, wanted, self.p, self.eps, self.swap, self.reduction
        )


class MultiMarginLoss(LossBase):
    """Scores that come nearer than by the margin to the wanted one; see `ops.multi_margin_loss`.

    Parameters
    ----------
    p : {1, 2}
    margin : float
    reduction : {"mean", "sum", "none"}
    weight : Tensor, shape (classes,), optional

    Examples
    --------
    >>> import s2sad as ms
    >>> round(ms.nn.MultiMarginLoss()(ms.Tensor([[1.0, 0.5, 0.0]]), ms.Tensor([0])).item(), 4)
    0.1667
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight: Any = None
    ) -> None:
        super().__init__(reduction)
        self.p, self.margin, self.weight = p, number("margin", margin), weight

    def construct(self, x: Any, target: Any) -> Any:
        return ops.multi_margin_loss(x, target, self.p, self.margin, self.weight, self.reduction)


class MultilabelMarginLoss(LossBase):
    """Scores that come nearer than by 1 to the wanted ones; see `ops.multilabel_margin_loss`.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> scores, wanted = ms.Tensor([[0.1, 0.2, 0.4, 0.8]]), ms.Tensor([[3, 0, -1, 1]])
    >>> round(ms.nn.MultilabelMarginLoss()(scores, wanted).item(), 4)
    0.85
    """

    def construct(self, x: Any, target: Any) -> Any:
        return ops.multilabel_margin_loss(x, target, self.reduction)
