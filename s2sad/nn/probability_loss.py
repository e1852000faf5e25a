"""Which losses of probabilities, or of what becomes one, are Cells?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.nn.activation import get_activation
from s2sad.nn.loss import LossBase
from s2sad.ops.probability_loss import dice_loss, focal_loss, multi_class_dice_loss
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import integer, number, positive


class BCELoss(LossBase):
    """Cross entropy of probabilities with those wanted; see `ops.binary_cross_entropy`.

    Parameters
    ----------
    weight : Tensor, optional
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.BCELoss()(ms.Tensor([0.5, 1.0]), ms.Tensor([1.0, 1.0])).asnumpy()
    array(0.3465736, dtype=float32)
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """Cross entropy of the sigmoid; see `ops.binary_cross_entropy_with_logits`.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}
    weight, pos_weight : Tensor, optional

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.BCEWithLogitsLoss("sum")(ms.Tensor([-300.0, 300.0]), ms.Tensor([1.0, 1.0])).asnumpy()
    array(300., dtype=float32)
    """

    def __init__(self, reduction: str = "mean", weight: Any = None, pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.binary_cross_entropy_with_logits(
            logits, labels, self.weight, self.pos_weight, self.reduction
        )


class KLDivLoss(LossBase):
    """How far probabilities are from those whose logarithms are given; see `ops.kl_div`.

    Parameters
    ----------
    reduction : {"mean", "batchmean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.KLDivLoss("sum")(ms.Tensor([-1.0, -2.0]), ms.Tensor([1.0, 0.0])).asnumpy()
    array(1., dtype=float32)
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__("mean" if reduction == "batchmean" else reduction)
        self.reduction = reduction

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.kl_div(logits, labels, self.reduction)


class SoftMarginLoss(LossBase):
    """``log(1 + exp(-target * input))``; see `ops.soft_margin_loss`.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.SoftMarginLoss("none")(ms.Tensor([300.0, -300.0]), ms.Tensor([1, 1])).asnumpy()
    array([  0., 300.], dtype=float32)
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.soft_margin_loss(logits, labels, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """Cross entropy of several classes; see `ops.multilabel_soft_margin_loss`.

    Parameters
    ----------
    weight : Tensor, optional
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.MultiLabelSoftMarginLoss()(ms.Tensor([[300.0, 300.0]]), ms.Tensor([[1, 0]])).asnumpy()
    array(150., dtype=float32)
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Any, target: Any) -> Any:
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class DiceLoss(Cell):
    """1 less the Dice coefficient, ``2 * sum(x * y) / (sum(x**2) + sum(y**2) + smooth)``.

    Parameters
    ----------
    smooth : float
        Positive.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a `smooth` that cannot be; at a call E0304 for what is no Tensor, E0401
        for shapes that differ.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.DiceLoss()(ms.Tensor([1.0, 0.0]), ms.Tensor([0.0, 1.0])).asnumpy()
    array(1., dtype=float32)
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = positive("smooth", smooth)

    def construct(self, logits: Any, label: Any) -> Any:
        return dice_loss(logits, label, self.smooth)


class MultiClassDiceLoss(Cell):
    """Mean of the losses of `DiceLoss` of each class, after an activation.

    Parameters
    ----------
    weights : Tensor, shape (classes, n), optional
        By row i of it the loss of class i is multiplied; the result then has the shape (n,).
    ignore_indiex : int, optional
        A class whose loss counts as 0; the name is MindSpore's.
    activation : str, Cell or None
        Of the logits before all else; see `get_activation`.

    Raises
    ------
    S2sadError
        E0303 or E0304 for an argument of another form, E0401 for weights of other than two axes,
        E0404 for an unknown activation; at a call E0304 for what is no Tensor, E0401 for fewer than
        two axes, or shapes that do not fit.

    Notes
    -----
    Logits and labels have the shape (batch, classes, ...). F. Milletari et al., "V-Net", 2016.

    Examples
    --------
    >>> import s2sad as ms
    >>> logits = ms.Tensor([[0.2, 0.5, 0.7], [0.3, 0.1, 0.5], [0.9, 0.6, 0.3]])
    >>> labels = ms.Tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> round(ms.nn.MultiClassDiceLoss()(logits, labels).item(), 4)
    0.5496
    """

    def __init__(
        self, weights: Any = None, ignore_indiex: int | None = None, activation: Any = "softmax"
    ) -> None:
        super().__init__()
        if weights is not None and require_tensor(weights, "weights").ndim != 2:
            raise fail("E0401", f"weights are a row for each class, got the shape {weights.shape}")
        self.weights = weights
        if ignore_indiex is not None:
            integer("ignore_indiex", ignore_indiex)
        self.ignore_indiex = ignore_indiex
        self.activation = get_activation(activation, "MultiClassDiceLoss")

    def construct(self, logits: Any, label: Any) -> Any:
        if self.activation is not None:
            logits = self.activation(logits)
        return multi_class_dice_loss(logits, label, self.weights, self.ignore_indiex)


class FocalLoss(LossBase):
    """Cross entropy in which what is known well counts little: by ``(1 - probability)**gamma``.

    Parameters
    ----------
    weight : Tensor, shape (classes,), optional
    gamma : float
    reduction : {"mean", "sum", "none"}
        Of the means over all axes behind that of the classes.

    Raises
    ------
    S2sadError
        E0303 when `gamma` is no number, E0404 for another reduction; at a call E0304 for what is no
        Tensor, E0401 for shapes that do not fit, at run time E0501 for a label that names no class.

    Notes
    -----
    T.-Y. Lin et al., "Focal loss for dense object detection", 2017. Logits are of shape (batch,
    classes, ...); labels are classes, of shape (batch, 1, ...), or of the shape of the logits.

    Examples
    --------
    >>> import s2sad as ms
    >>> round(ms.nn.FocalLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1]])).item(), 4)
    0.1733
    """

    def __init__(self, weight: Any = None, gamma: float = 2.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight, self.gamma = weight, float(number("gamma", gamma))

    def construct(self, logits: Any, labels: Any) -> Any:
        return focal_loss(logits, labels, self.weight, self.gamma, self.reduction)
