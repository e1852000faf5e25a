"""By how much do scores and distances miss the margin by which they should differ?

They are computed in float32 where operands are narrower, and rounded once.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.loss import check_reduction, picked, reduced
from s2sad.ops.magnitude import vector_norm
from s2sad.ops.promotion import as_dtype, require_integers, require_tensor
from s2sad.ops.regression_loss import elementwise, widened
from s2sad.ops.settings import flag, integer, number, positive
from s2sad.prims.shape import require_shape


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """Cosine of the angle between vectors.

    Parameters
    ----------
    x1, x2 : Tensor
        They broadcast.
    dim : int
        The axis of the vectors' elements.
    eps : float
        Positive: a smaller product of the lengths counts as this, with gradient 0.

    Returns
    -------
    Tensor
        Of the shape in which they meet, without `dim`.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes that do not broadcast, E0403 for an axis that
        does not exist, E0303 or E0404 for an `eps` that cannot be.

    Examples
    --------
    >>> import s2sad as ms
    >>> cosine_similarity(ms.Tensor([[3.0, 4.0]]), ms.Tensor([[4.0, 3.0]])).asnumpy()
    array([0.96], dtype=float32)
    """
    least = positive("eps", eps)
    dtype, wide = widened("cosine_similarity", x1, x2)
    shape = dims.broadcast(*(x.shape for x in wide))
    one, other = (p.broadcast_to(x, shape=shape) for x in wide)
    return as_dtype(_cosine(one, other, dim, least), dtype)


def _cosine(x: Any, y: Any, axis: int, least: float) -> Any:
    product = p.reduce_sum(p.mul(x, y), axis=axis)
    squares = [p.reduce_sum(p.square(v), axis=axis) for v in (x, y)]
    lengths = p.mul(p.sqrt(squares[0]), p.sqrt(squares[1]))
    # Selected, not the larger one of: at a length of 0 the root has no slope that counts.
    long = p.greater(lengths, least)
    return p.div(product, p.where(long, lengths, least))


def _signs(target: Any, positive_loss: Any, negative_loss: Any) -> Any:
    """One loss where the target is 1, the other where it is -1, and 0 elsewhere."""
    return p.add(
        p.where(p.equal(target, 1), positive_loss, 0),
        p.where(p.equal(target, -1), negative_loss, 0),
    )


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """1 less the cosine of vectors that belong together, else the cosine above `margin`.

    Parameters
    ----------
    input1, input2 : Tensor of one shape, (batch, n), (batch, n, ...) or (n,)
    target : Tensor, of that shape without the axis of the vectors
        1 for those that belong together, -1 for the others.
    margin : float
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes, E0303 or E0404 for the other arguments.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, y = ms.Tensor([[3.0, 4.0], [3.0, 4.0]]), ms.Tensor([[4.0, 3.0], [4.0, 3.0]])
    >>> cosine_embedding_loss(x, y, ms.Tensor([1, -1]), 0.5, "none").asnumpy().round(4)
    array([0.04, 0.46], dtype=float32)
    """
    bound = number("margin", margin)

    def formula(x: Any, y: Any, target: Any) -> Any:
        require_shape(y.shape, x.shape, "both inputs")
        if not x.ndim:
            raise fail("E0401", "cosine_embedding_loss needs vectors, got 0-d Tensors")
        axis = min(x.ndim - 1, 1)
        require_shape(target.shape, (*x.shape[:axis], *x.shape[axis + 1 :]), "the target")
        cosine = _cosine(x, y, axis, 1e-8)
        return _signs(target, p.sub(1.0, cosine), p.relu(p.sub(cosine, bound)))

    return elementwise("cosine_embedding_loss", formula, reduction, input1, input2, target)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """``max(0, margin - target * (input1 - input2))``.

    Parameters
    ----------
    input1, input2 : Tensor
        Scores.
    target : Tensor
        1 where the first is wanted higher, -1 where the second is; all three broadcast.
    margin : float
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes that do not broadcast, E0303 or E0404 for the
        other arguments.

    Examples
    --------
    >>> import s2sad as ms
    >>> scores = ms.Tensor([2.0, 2.0]), ms.Tensor([1.0, 1.0])
    >>> margin_ranking_loss(*scores, ms.Tensor([1, -1]), reduction="none").asnumpy()
    array([0., 1.], dtype=float32)
    """
    bound = number("margin", margin)

    def formula(x: Any, y: Any, target: Any) -> Any:
        return p.relu(p.add(p.mul(p.neg(target), p.sub(x, y)), bound))

    return elementwise("margin_ranking_loss", formula, reduction, input1, input2, target)


def hinge_embedding_loss(
    inputs: Any, targets: Any, margin: float = 1.0, reduction: str = "mean"
) -> Any:
    """Distances of what belongs together, else what is missing to `margin`.

    Parameters
    ----------
    inputs : Tensor
        Distances.
    targets : Tensor
        1 for what belongs together, -1 for the others; it broadcasts.
    margin : float
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        Those of `margin_ranking_loss`.

    Examples
    --------
    >>> import s2sad as ms
    >>> distances = ms.Tensor([0.25, 0.25])
    >>> hinge_embedding_loss(distances, ms.Tensor([1, -1]), reduction="none").asnumpy()
    array([0.25, 0.75], dtype=float32)
    """
    bound = number("margin", margin)

    def formula(x: Any, target: Any) -> Any:
        return _signs(target, x, p.relu(p.sub(bound, x)))

    return elementwise("hinge_embedding_loss", formula, reduction, inputs, targets)


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: int = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """How much nearer than by `margin` a negative example is, compared with a positive one.

    Parameters
    ----------
    anchor, positive, negative : Tensor of one shape, (batch, n), (batch, n, ...) or (n,)
    margin : float
    p : int
        At least 1: the distance is the norm of this order.
    eps : float
        Positive: added to each difference.
    swap : bool
        Whether the negative one's distance is the shorter one of those to anchor and positive.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes, E0303 or E0404 for the other arguments.

    Notes
    -----
    V. Balntas et al., "Learning local feature descriptors with triplets and shallow convolutional
    neural networks", 2016.

    Examples
    --------
    >>> import s2sad as ms
    >>> anchor, near, far = (ms.Tensor([[x, 0.0]]) for x in (0.0, 1.0, 1.5))
    >>> triplet_margin_loss(anchor, near, far).item().__round__(4)
    0.5
    """
    settings = number("margin", margin), integer("p", p, 1), _epsilon(eps)
    is_swapped = flag("swap", swap)

    def formula(x: Any, near: Any, far: Any) -> Any:
        return _triplet(x, near, far, settings, is_swapped)

    operands = anchor, positive, negative
    return elementwise("triplet_margin_loss", formula, reduction, *operands, same=True)


def _epsilon(eps: Any) -> float:
    return positive("eps", eps)


def _triplet(
    x: Any, near: Any, far: Any, settings: tuple[float, int, float], is_swapped: bool
) -> Any:
    margin, order, eps = settings
    if not x.ndim:
        raise fail("E0401", "triplet_margin_loss needs vectors, got 0-d Tensors")
    axis = min(x.ndim - 1, 1)
    to_far = _apart(x, far, order, eps, axis)
    if is_swapped:
        to_far = p.minimum(to_far, _apart(near, far, order, eps, axis))
    return p.relu(p.add(p.sub(_apart(x, near, order, eps, axis), to_far), margin))


def _apart(x: Any, y: Any, order: int, eps: float, axis: int) -> Any:
    """The length of ``x - y`` with `eps` added to each of its elements."""
    return vector_norm(p.add(p.sub(x, y), eps), order, axis)


def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    reduction: str = "mean",
) -> Any:
    """Scores of other classes that come nearer than by `margin` to that of the wanted one.

    Parameters
    ----------
    input : Tensor, shape (batch, classes) or (classes,)
    target : Tensor of integers, shape (batch,) or ()
        Classes.
    p : {1, 2}
        The power of each.
    margin : float
    weight : Tensor, shape (classes,), optional
        What a row counts whose class is wanted.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0301 for classes that are no integers, E0401 for shapes, E0303
        or E0404 for the other arguments; at run time E0501 for a label that names no class.

    Notes
    -----
    ``sum(weight[y] * max(0, margin - x[y] + x[i])**p for i != y) / classes``.

    Examples
    --------
    >>> import s2sad as ms
    >>> multi_margin_loss(ms.Tensor([[1.0, 0.5, 0.0]]), ms.Tensor([0])).item().__round__(4)
    0.1667
    """
    order, bound = integer("p", p, 1), number("margin", margin)
    if order > 2:
        raise fail("E0404", f"p is 1 or 2, got {p}")
    return _multi_margin(input, target, order, bound, weight, reduction)


def _multi_margin(
    input: Any, target: Any, order: int, margin: float, weight: Any, reduction: str
) -> Any:
    check_reduction(reduction)
    dtype, (x,) = widened("multi_margin_loss", input)
    labels = require_tensor(target, "multi_margin_loss")
    if x.ndim not in (1, 2):
        raise fail("E0401", f"multi_margin_loss takes rows of scores, got {x.shape}")
    wanted = p.expand_dims(picked(x, labels, x.ndim - 1), axis=-1)
    losses = p.relu(p.add(p.sub(x, wanted), margin))
    losses = p.square(losses) if order == 2 else losses
    if weight is not None:
        weight = as_dtype(require_tensor(weight, "multi_margin_loss"), x.dtype)
        require_shape(weight.shape, x.shape[-1:], "the weight")
        losses = p.mul(losses, p.expand_dims(p.gather(weight, labels, axis=0), axis=-1))
    losses = p.mean(p.where(_is_class(labels, x), 0, losses), axis=-1)
    return as_dtype(reduced(losses, reduction), dtype)


def _is_class(labels: Any, x: Any) -> Any:
    """Which of the classes, along the last axis of `x`, each label names: a new last axis."""
    return p.one_hot(labels, depth=x.shape[-1], dtype=dtypes.bool_)


def multilabel_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Scores of other classes that come nearer than by 1 to those of the wanted ones.

    Parameters
    ----------
    input : Tensor, shape (batch, classes) or (classes,)
    target : Tensor of integers, of the same shape
        The wanted classes of each row, then -1; what comes after the first -1 does not count.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0301 for classes that are no integers, E0401 for shapes, E0404
        for another reduction; at run time E0501 for a label that names no class.

    Notes
    -----
    ``sum(max(0, 1 - x[y] + x[i]) for y wanted for i not wanted) / classes``.

    Examples
    --------
    >>> import s2sad as ms
    >>> scores, wanted = ms.Tensor([[0.1, 0.2, 0.4, 0.8]]), ms.Tensor([[3, 0, -1, 1]])
    >>> multilabel_margin_loss(scores, wanted).item().__round__(4)
    0.85
    """
    check_reduction(reduction)
    dtype, (x,) = widened("multilabel_margin_loss", input)
    labels = require_integers(require_tensor(target, "multilabel_margin_loss"), "labels")
    if x.ndim not in (1, 2):
        raise fail("E0401", f"multilabel_margin_loss takes rows of scores, got {x.shape}")
    require_shape(labels.shape, x.shape, "the target")
    return as_dtype(reduced(_multilabel(x, as_dtype(labels, dtypes.int64)), reduction), dtype)


def _multilabel(x: Any, labels: Any) -> Any:
    ended = p.cumsum(as_dtype(p.equal(labels, -1), dtypes.int64), axis=-1)
    counts = p.equal(ended, 0)
    size = p.axis_size(x, axis=-1)
    known = p.where(p.less(labels, 0), size, labels)  # not from the end, if it counts
    scores = p.gather_elements(x, p.where(counts, known, 0), axis=-1)
    matches = p.logical_and(_is_class(labels, x), p.expand_dims(counts, axis=-1))
    others = p.logical_not(p.reduce_any(matches, axis=-2))
    apart = p.sub(p.expand_dims(x, axis=-2), p.expand_dims(scores, axis=-1))
    pairs = p.logical_and(p.expand_dims(counts, axis=-1), p.expand_dims(others, axis=-2))
    losses = p.where(pairs, p.relu(p.add(apart, 1.0)), 0)
    return p.mean(p.reduce_sum(losses, axis=-2), axis=-1)
