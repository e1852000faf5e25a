"""How far are probabilities, or what becomes one, from those that were wanted?

They are computed in float32 where operands are narrower, and rounded once.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.loss import along, check_reduction, picked, reduced
from s2sad.ops.promotion import as_dtype, constant, require_tensor, type_of
from s2sad.ops.regression_loss import elementwise, widened
from s2sad.ops.settings import number, positive
from s2sad.prims.arrange import static_size
from s2sad.prims.shape import require_shape

#: Added to probabilities before their logarithm is taken.
EPSILON = 1e-12


def binary_cross_entropy(
    logits: Any, labels: Any, weight: Any = None, reduction: str = "mean"
) -> Any:
    """Cross entropy of probabilities with those that were wanted, each of a thing for itself.

    Parameters
    ----------
    logits : Tensor of floats
        Probabilities, 0 to 1, despite MindSpore's name; NaN comes of others.
    labels : Tensor, of the same shape
    weight : Tensor, optional
        It broadcasts to them.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes, E0404 for another reduction.

    Notes
    -----
    ``-weight * (y * log(x + 1e-12) + (1 - y) * log(1 - x + 1e-12))``: a probability of 0 where 1
    was wanted costs 27.6, not infinity. `binary_cross_entropy_with_logits` needs no such bound.

    Examples
    --------
    >>> import s2sad as ms
    >>> ones = ms.Tensor([1.0, 1.0])
    >>> binary_cross_entropy(ms.Tensor([0.5, 1.0]), ones, reduction="none").asnumpy()
    array([0.6931472, 0.       ], dtype=float32)
    """

    def formula(x: Any, y: Any, *weights: Any) -> Any:
        require_shape(y.shape, x.shape, "the labels")
        is_one = p.mul(y, p.log(p.add(x, EPSILON)))
        is_zero = p.mul(p.sub(1.0, y), p.log(p.add(p.sub(1.0, x), EPSILON)))
        return _times(p.sub(p.neg(is_one), is_zero), weights)

    return elementwise(
        "binary_cross_entropy", formula, reduction, logits, labels, weights=_given(weight)
    )  # fmt: skip


def _given(*operands: Any) -> tuple[Any, ...]:
    return tuple(x for x in operands if x is not None)


def _times(losses: Any, weights: tuple[Any, ...]) -> Any:
    return p.mul(losses, weights[0]) if weights else losses


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean"
) -> Any:
    """Cross entropy of the sigmoid of `input` with probabilities, however far `input` lies.

    Parameters
    ----------
    input : Tensor of floats
        Logits, in nats.
    target : Tensor, of the same shape
        Probabilities, 0 to 1.
    weight : Tensor, optional
        What each loss counts; it broadcasts to them.
    pos_weight : Tensor, optional
        What a target of 1 counts against one of 0; it broadcasts to them.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes, E0404 for another reduction.

    Notes
    -----
    ``-weight * (pos_weight * y * log(sigmoid(x)) + (1 - y) * log(sigmoid(-x)))``.

    Examples
    --------
    >>> import s2sad as ms
    >>> logits, wanted = ms.Tensor([0.0, 300.0, -300.0]), ms.Tensor([1.0, 1.0, 1.0])
    >>> binary_cross_entropy_with_logits(logits, wanted, reduction="none").asnumpy()
    array([  0.6931472,   0.       , 300.       ], dtype=float32)
    """

    def formula(x: Any, y: Any, *others: Any) -> Any:
        require_shape(y.shape, x.shape, "the target")
        rest = list(others)
        weights = (rest.pop(0),) if weight is not None else ()
        return _times(_of_logits(x, _times(y, tuple(rest)), p.sub(1.0, y)), weights)

    return elementwise(
        "binary_cross_entropy_with_logits", formula, reduction, input, target,
        weights=_given(weight, pos_weight),
    )  # fmt: skip


def _of_logits(x: Any, ones: Any, zeros: Any) -> Any:
    """Losses of logits where 1 is wanted as much as `ones` says, and 0 as much as `zeros`."""
    is_one = p.mul(ones, p.log_sigmoid(x))
    return p.sub(p.neg(is_one), p.mul(zeros, p.log_sigmoid(p.neg(x))))


def soft_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """``log(1 + exp(-target * input))``, where targets are 1 and -1.

    Parameters
    ----------
    input, target : Tensor of one shape
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes, E0404 for another reduction.

    Examples
    --------
    >>> import s2sad as ms
    >>> soft_margin_loss(ms.Tensor([300.0, -300.0]), ms.Tensor([1, 1]), "none").asnumpy()
    array([  0., 300.], dtype=float32)
    """

    def formula(x: Any, y: Any) -> Any:
        return p.neg(p.log_sigmoid(p.mul(x, y)))

    return elementwise("soft_margin_loss", formula, reduction, input, target, same=True)


def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean"
) -> Any:
    """`binary_cross_entropy_with_logits` of several classes, the mean over them for each row.

    Parameters
    ----------
    input, target : Tensor of one shape, (batch, classes)
        Logits, and which classes are wanted: 1, else 0.
    weight : Tensor, optional
        What each class counts.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes, E0404 for another reduction.

    Examples
    --------
    >>> import s2sad as ms
    >>> multilabel_soft_margin_loss(ms.Tensor([[0.0, 300.0]]), ms.Tensor([[1, 0]])).asnumpy()
    array(150.34657, dtype=float32)
    """

    def formula(x: Any, y: Any, *weights: Any) -> Any:
        require_shape(y.shape, x.shape, "the target")
        if not x.ndim:
            raise fail("E0401", "multilabel_soft_margin_loss needs an axis of classes")
        return p.mean(_times(_of_logits(x, y, p.sub(1.0, y)), weights), axis=-1)

    return elementwise(
        "multilabel_soft_margin_loss", formula, reduction, input, target, weights=_given(weight)
    )  # fmt: skip


def kl_div(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    """How far probabilities are from those whose logarithms are given: Kullback and Leibler's.

    Parameters
    ----------
    logits : Tensor of floats
        Log-probabilities.
    labels : Tensor, of the same shape
        Probabilities. Where one is 0 there is no loss and no gradient.
    reduction : {"mean", "batchmean", "sum", "none"}
        The mean is over all elements; the other one is the sum, by the size of the first axis.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes, E0404 for another reduction.

    Notes
    -----
    ``labels * (log(labels) - logits)``.

    Examples
    --------
    >>> import s2sad as ms
    >>> kl_div(ms.Tensor([[-1.0, -2.0]]), ms.Tensor([[1.0, 0.0]]), "batchmean").asnumpy()
    array(1., dtype=float32)
    """
    if reduction != "batchmean":
        return elementwise("kl_div", _kl_div, reduction, logits, labels, same=True)
    total = elementwise("kl_div", _kl_div, "sum", logits, labels, same=True)
    if not logits.ndim:
        raise fail("E0401", "a mean over the batch needs an axis, got 0-d Tensors")
    return p.div(total, p.axis_size(logits, axis=0, dtype=total.dtype))


def _kl_div(logs: Any, labels: Any) -> Any:
    loss = p.mul(labels, p.sub(p.log(labels), logs))
    return p.where(p.equal(labels, 0), 0, loss)


def dice_loss(logits: Any, labels: Any, smooth: float = 1e-5) -> Any:
    """1 less the Dice coefficient, ``2 * sum(x * y) / (sum(x**2) + sum(y**2) + smooth)``.

    Parameters
    ----------
    logits, labels : Tensor of one shape
    smooth : float
        Positive.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes, E0303 or E0404 for `smooth`.

    Notes
    -----
    F. Milletari et al., "V-Net", 2016.

    Examples
    --------
    >>> import s2sad as ms
    >>> dice_loss(ms.Tensor([1.0, 0.0]), ms.Tensor([0.0, 1.0])).asnumpy()
    array(1., dtype=float32)
    """
    smooth = positive("smooth", smooth)
    dtype, (x, y) = widened("dice_loss", logits, labels)
    require_shape(y.shape, x.shape, "the labels")
    return as_dtype(_dice(x, y, None, smooth), dtype)


def _dice(x: Any, y: Any, axes: Any, smooth: float) -> Any:
    """The loss of `dice_loss`, over the axes `axes` (all when None)."""
    both = p.reduce_sum(p.mul(x, y), axis=axes)
    whole = p.add(p.reduce_sum(p.square(x), axis=axes), p.reduce_sum(p.square(y), axis=axes))
    return p.sub(1.0, p.div(p.mul(both, 2.0), p.add(whole, smooth)))


def multi_class_dice_loss(
    logits: Any, labels: Any, weights: Any = None, ignored: int | None = None
) -> Any:
    """Mean of `dice_loss` of each class, which are axis 1; that of the class `ignored` counts as 0.

    Parameters
    ----------
    logits, labels : Tensor of one shape, (batch, classes, ...)
    weights : Tensor, shape (classes, n), optional
        By row i of it the loss of class i is multiplied; the result then has the shape (n,).
    ignored : int, optional

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes, E0402 for a number of classes that is not
        known where one is `ignored`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, y = ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 1.0]])
    >>> multi_class_dice_loss(x, y).item(), multi_class_dice_loss(x, y, ignored=1).item() < 1e-5
    (0.5000025033950806, True)
    """
    given = (logits, labels) if weights is None else (logits, labels, weights)
    dtype, (x, y, *rows) = widened("multi_class_dice_loss", *given)
    if x.ndim < 2:
        raise fail("E0401", f"classes are axis 1 of the logits, got {type_of(x)}")
    require_shape(y.shape, x.shape, "the labels")
    classes = x.shape[1]
    losses = _dice(x, y, tuple(axis for axis in range(x.ndim) if axis != 1), 1e-5)
    if rows:
        if rows[0].ndim != 2 or dims.same(rows[0].shape[0], classes) is not True:
            raise fail(
                "E0401", f"weights have a row for each of {classes} classes, got {type_of(rows[0])}"
            )
        losses = p.mul(p.expand_dims(losses, axis=1), rows[0])
    if ignored is not None:
        counted = range(static_size(classes, "the number of classes"))
        kept = [place for place in counted if place != ignored]
        losses = p.gather(losses, constant(kept, dtypes.int64), axis=0)
    return as_dtype(p.div(p.reduce_sum(losses, axis=0), classes), dtype)


def focal_loss(
    logits: Any, labels: Any, weight: Any = None, gamma: float = 2.0, reduction: str = "mean"
) -> Any:
    """Cross entropy in which what is known well counts little: by ``(1 - probability)**gamma``.

    Parameters
    ----------
    logits : Tensor of floats, shape (batch, classes) or (batch, classes, ...)
    labels : Tensor
        Classes, integers of shape (batch, 1, ...); or of the shape of `logits`, what is wanted of
        each class.
    weight : Tensor, shape (classes,), optional
    gamma : float
    reduction : {"mean", "sum", "none"}
        Of the means over all axes behind the classes.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0301 for classes that are no integers, E0401 for shapes, E0303
        or E0404 for the other arguments; at run time E0501 for a label that names no class.

    Notes
    -----
    T.-Y. Lin et al., "Focal loss for dense object detection", 2017.

    Examples
    --------
    >>> import s2sad as ms
    >>> focal_loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1]])).item().__round__(4)
    0.1733
    """
    check_reduction(reduction)
    exponent = float(number("gamma", gamma))
    dtype, (x,) = widened("focal_loss", logits)
    wanted = require_tensor(labels, "focal_loss")
    weights = [as_dtype(require_tensor(w, "focal_loss"), x.dtype) for w in _given(weight)]
    _check_focal(x, wanted, weights)
    logs = p.log_softmax(x, axis=1)
    if wanted.shape[1] == 1:
        classes = p.squeeze(wanted, axis=1)
        logs = picked(logs, classes, 1)
        weights = [p.gather(w, classes, axis=0) for w in weights]
        costs = logs
    else:
        weights = [along(w, x, 1) for w in weights]
        costs = p.mul(logs, as_dtype(wanted, x.dtype))
    doubt = p.pow(p.sub(1.0, p.exp(logs)), exponent)
    losses = p.neg(p.mul(doubt, _times(costs, tuple(weights))))
    behind = tuple(range(1 if wanted.shape[1] == 1 else 2, losses.ndim))
    if behind:
        losses = p.mean(losses, axis=behind)
    return as_dtype(reduced(losses, reduction), dtype)


def _check_focal(x: Any, labels: Any, weights: list[Any]) -> None:
    if x.ndim < 2:
        raise fail("E0401", f"focal_loss needs rows of logits, got {x.shape}")
    classes = 1 if labels.ndim == x.ndim and labels.shape[1] == 1 else x.shape[1]
    require_shape(labels.shape, (x.shape[0], classes, *x.shape[2:]), "the labels")
    for weight in weights:
        require_shape(weight.shape, (x.shape[1],), "the weight")
