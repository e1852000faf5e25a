"""Which objects say how far scores are from what is wanted?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops import loss, margin_loss, probability_loss, regression_loss
from s2sad.ops.activation import log_softmax, softmax
from s2sad.ops.arithmetic import mul, neg, square, sub
from s2sad.ops.comparison import equal, where
from s2sad.ops.creation import one_hot, zeros_like
from s2sad.ops.division import div
from s2sad.ops.index import gather
from s2sad.ops.older import reduce_sum
from s2sad.ops.primitives.base import primitive
from s2sad.ops.promotion import as_dtype, require_floats, require_integers, require_tensor
from s2sad.ops.settings import flag, integer, number
from s2sad.prims.shape import require_shape


def _rows(what: str, logits: Any) -> Any:
    """`logits`, floats of shape (batch, classes)."""
    if require_floats(logits, what).ndim != 2:
        raise fail("E0401", f"{what} takes rows of logits, got the shape {tuple(logits.shape)}")
    return logits


@primitive()
def SoftmaxCrossEntropyWithLogits(logits: Any, labels: Any) -> tuple[Any, Any]:
    """Cross entropy of the softmax of each row with the probabilities `labels`, and its gradient.

    Both have the shape (N, C). The loss has the shape (N,); the gradient, that of the logits, is
    ``softmax(logits) - labels``.

    Raises
    ------
    S2sadError
        E0301 for what is no float, E0304 for what is no Tensor, E0401 for other shapes.

    Examples
    --------
    >>> import s2sad as ms
    >>> found = SoftmaxCrossEntropyWithLogits()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1.0, 0.0]]))
    >>> [x.tolist() for x in found]
    [[0.693147...], [[-0.5, 0.5]]]
    """
    logits = _rows("SoftmaxCrossEntropyWithLogits", logits)
    labels = require_tensor(labels, "SoftmaxCrossEntropyWithLogits")
    require_shape(labels.shape, logits.shape, "the labels")
    found = neg(reduce_sum(mul(labels, log_softmax(logits)), -1))
    return found, sub(softmax(logits), labels)


@primitive(is_grad=flag, sens=number)
def SparseSoftmaxCrossEntropyWithLogits(
    logits: Any, labels: Any, *, is_grad: bool = False, sens: float = 1.0
) -> Any:
    """Mean over the rows of the cross entropy of their softmax with classes; or its gradient.

    `logits` has the shape (N, C), `labels`, of integers, the shape (N,). With `is_grad` it is
    ``(softmax(logits) - one_hot(labels)) / N`` times `sens`.

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0401 for other shapes; at run time E0501 for a label that names no class.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, labels = ms.Tensor([[0.0, 0.0]]), ms.Tensor([0])
    >>> SparseSoftmaxCrossEntropyWithLogits()(x, labels).item()
    0.693147...
    >>> SparseSoftmaxCrossEntropyWithLogits(is_grad=True)(x, labels).tolist()
    [[-0.5, 0.5]]
    """
    logits = _rows("SparseSoftmaxCrossEntropyWithLogits", logits)
    labels = require_tensor(labels, "SparseSoftmaxCrossEntropyWithLogits")
    require_integers(labels, "SparseSoftmaxCrossEntropyWithLogits")
    require_shape(labels.shape, logits.shape[:1], "the labels")
    if not is_grad:
        return loss.cross_entropy(logits, labels)
    wanted = one_hot(labels, logits.shape[1], 1.0, 0.0)
    step = div(sub(softmax(logits), wanted), logits.shape[0])
    return as_dtype(mul(step, sens), logits.dtype)


@primitive()
def SigmoidCrossEntropyWithLogits(logits: Any, label: Any) -> Any:
    """Cross entropy of the sigmoid of `logits` with probabilities, of each element.

    It is `ops.binary_cross_entropy_with_logits` with ``reduction="none"``.

    Examples
    --------
    >>> import s2sad as ms
    >>> SigmoidCrossEntropyWithLogits()(ms.Tensor([-300.0]), ms.Tensor([1.0])).tolist()
    [300.0]
    """
    return probability_loss.binary_cross_entropy_with_logits(logits, label, reduction="none")


@primitive()
def BinaryCrossEntropy(
    logits: Any, labels: Any, weight: Any = None, *, reduction: str = "mean"
) -> Any:
    """Cross entropy of probabilities with probabilities: `ops.binary_cross_entropy`.

    Examples
    --------
    >>> import s2sad as ms
    >>> BinaryCrossEntropy("none")(ms.Tensor([1.0]), ms.Tensor([1.0])).tolist()
    [0.0]
    """
    return probability_loss.binary_cross_entropy(logits, labels, weight, reduction)


@primitive()
def BCEWithLogitsLoss(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, *, reduction: str = "mean"
) -> Any:
    """Cross entropy of a sigmoid: `ops.binary_cross_entropy_with_logits`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, one = ms.Tensor([-300.0]), ms.Tensor([1.0])
    >>> BCEWithLogitsLoss()(x, one, one, one).item()
    300.0
    """
    return probability_loss.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight, reduction
    )


@primitive()
def KLDivLoss(logits: Any, labels: Any, *, reduction: str = "mean") -> Any:
    """Kullback and Leibler's divergence, of log-probabilities: `ops.kl_div`.

    Examples
    --------
    >>> import s2sad as ms
    >>> KLDivLoss("sum")(ms.Tensor([-1.0]), ms.Tensor([1.0])).item()
    1.0
    """
    return probability_loss.kl_div(logits, labels, reduction)


@primitive()
def SmoothL1Loss(
    prediction: Any, target: Any, *, beta: float = 1.0, reduction: str = "none"
) -> Any:
    """Square of small distances, size of large ones: `ops.smooth_l1_loss`.

    Examples
    --------
    >>> import s2sad as ms
    >>> SmoothL1Loss()(ms.Tensor([1.0, 3.0]), ms.Tensor([1.5, 1.0])).tolist()
    [0.125, 1.5]
    """
    return regression_loss.smooth_l1_loss(prediction, target, beta, reduction)


@primitive()
def L2Loss(input_x: Any) -> Any:
    """Half the sum of the squares of all elements.

    Raises
    ------
    S2sadError
        E0301 unless `input_x` is of floats.

    Examples
    --------
    >>> import s2sad as ms
    >>> L2Loss()(ms.Tensor([1.0, 3.0])).item()
    5.0
    """
    return mul(reduce_sum(square(require_floats(input_x, "L2Loss"))), 0.5)


@primitive(ignore_index=integer)
def NLLLoss(
    logits: Any, labels: Any, weight: Any, *, reduction: str = "mean", ignore_index: int = -100
) -> tuple[Any, Any]:
    """Loss of log-probabilities, of shape (N, C), by classes, and what the labels weigh together.

    The first is `ops.nll_loss`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, weight = ms.Tensor([[-1.0, -2.0], [-3.0, -4.0]]), ms.Tensor([1.0, 3.0])
    >>> [found.item() for found in NLLLoss()(x, ms.Tensor([0, 1]), weight)]
    [3.25, 4.0]
    """
    found = loss.nll_loss(logits, labels, weight, ignore_index, reduction)
    is_ignored = equal(labels, ignore_index)
    weights = gather(weight, where(is_ignored, zeros_like(labels), labels), 0)
    return found, reduce_sum(where(is_ignored, zeros_like(weights), weights))


@primitive()
def SoftMarginLoss(logits: Any, labels: Any, *, reduction: str = "mean") -> Any:
    """``log(1 + exp(-labels * logits))``: `ops.soft_margin_loss`.

    Examples
    --------
    >>> import s2sad as ms
    >>> SoftMarginLoss("sum")(ms.Tensor([-300.0]), ms.Tensor([1.0])).item()
    300.0
    """
    return probability_loss.soft_margin_loss(logits, labels, reduction)


@primitive()
def MultiMarginLoss(
    x: Any, target: Any, weight: Any = None, *, p: int = 1, margin: float = 1.0,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """By how much other classes come near the wanted one: `ops.multi_margin_loss`.

    Examples
    --------
    >>> import s2sad as ms
    >>> MultiMarginLoss()(ms.Tensor([[1.0, 1.5]]), ms.Tensor([0])).item()
    0.75
    """
    return margin_loss.multi_margin_loss(x, target, p, margin, weight, reduction)
