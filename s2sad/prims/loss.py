"""How far is a distribution given by scores from the class, or the distribution, that was wanted?

The log-probabilities are a result too: the gradient is made of them alone. Both losses are finite
wherever the logarithm of the wanted class is, however far the scores lie apart, and scores of -inf
get the gradient 0 unless their class is wanted. Narrow floats are computed in float32.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir.dims import Dim
from s2sad.ir.graph import Value
from s2sad.ir.primitive import Trait
from s2sad.ir.types import i64
from s2sad.prims.activation import log_softmax, log_softmax_grad
from s2sad.prims.arithmetic import add, div, mul, neg, sub
from s2sad.prims.arrange import expand_dims, squeeze
from s2sad.prims.cast import cast
from s2sad.prims.comparison import equal, less
from s2sad.prims.define import composite
from s2sad.prims.exponential import exp
from s2sad.prims.index import gather_elements
from s2sad.prims.reduce import reduce_sum
from s2sad.prims.rules import axis_of, is_integer, one_dtype, require_kind, tensor
from s2sad.prims.select import where
from s2sad.prims.shape import axis_size, iota, require_shape
from s2sad.prims.statistics import rounded, widened

#: What is said where there are more labels, or fewer.
ONE_LABEL = "there is one label for each row of the logits"


def _canonical(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``canonical=`` of every operation here: it spells the attributes that there are."""
    full = {**attrs, "axis": axis_of(attrs["axis"], tensor(types[0]).ndim)}
    smoothing, ignored = attrs["label_smoothing"], attrs.get("ignore_index")
    if isinstance(smoothing, bool) or not isinstance(smoothing, (int, float)):
        raise fail("E0303", f"label_smoothing is a number, got {smoothing!r}")
    if not 0 <= smoothing <= 1:
        raise fail("E0404", f"label_smoothing is from 0 to 1, got {smoothing}")
    if ignored is not None and (isinstance(ignored, bool) or not isinstance(ignored, int)):
        raise fail("E0303", f"ignore_index is an int, got {ignored!r}")
    return {**full, "label_smoothing": float(smoothing)}


def _spread(smoothing: float, x: Value, axis: int) -> float | Value:
    """What label smoothing gives to each class."""
    classes = x.shape[axis]
    if isinstance(classes, int):
        return smoothing / max(classes, 1)
    return div(smoothing, axis_size(x, axis=axis, dtype=x.dtype))


# Classes


@composite(canonical=_canonical, same=(), traits={Trait.FALLIBLE})
def sparse_cross_entropy(logits, labels, *, axis=-1, ignore_index=None, label_smoothing=0.0):
    """Negative log-probability of the class that each label names.

    Parameters
    ----------
    logits : Tensor of floats, shape (..., n, ...)
        Scores of n classes along `axis`, in nats.
    labels : Tensor of integers, shape (..., ...)
        Classes, 0 to n - 1, or `ignore_index`.
    axis : int
    ignore_index : int, optional
        Labels of this value have no loss and no gradient.
    label_smoothing : float
        The part of what is wanted that is shared by all classes alike.

    Returns
    -------
    loss : Tensor, dtype of `logits`, shape of `labels`
    log_probabilities : Tensor, type of `logits`

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 or E0404 for attributes, E0401 for shapes, E0403 if `axis` is out of
        range; at run time E0501 if a label names no class.

    Notes
    -----
    Adjoint: ``exp(log_probabilities)``, less what is wanted, times the cotangent of the loss.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> logits = np.array([[0.0, 0.0, -np.inf], [0.0, 1000.0, 0.0]])
    >>> p.sparse_cross_entropy(logits, np.array([0, 2]))[0]
    array([6.93147181e-01, 1.00000000e+03])
    """
    require_kind(labels.type, is_integer, "integer labels")
    rows = (*logits.shape[:axis], *logits.shape[axis + 1 :])
    require_shape(labels.shape, rows, "the labels", ONE_LABEL)
    wide = log_softmax(widened(logits), axis=axis)
    wanted, ignored = _wanted(labels, logits, axis, ignore_index)
    picked = gather_elements(wide, expand_dims(wanted, axis=axis), axis=axis)
    loss = neg(squeeze(picked, axis=axis))
    if label_smoothing:
        everywhere = neg(mul(reduce_sum(wide, axis=axis), _spread(label_smoothing, wide, axis)))
        loss = add(mul(loss, 1 - label_smoothing), everywhere)
    if ignored is not None:
        loss = where(ignored, 0, loss)
    return rounded(loss, logits), rounded(wide, logits)


def _wanted(
    labels: Value, logits: Value, axis: int, ignore_index: int | None
) -> tuple[Value, Value | None]:
    """Labels as indices, and which are ignored."""
    wide = cast(labels, dtype=i64)
    ignored = None if ignore_index is None else equal(wide, ignore_index)
    known = wide if ignored is None else where(ignored, 0, wide)
    # Indices may count from the end, labels may not: so a negative one goes out of range.
    size = axis_size(logits, axis=axis)
    return where(less(known, 0), sub(known, size), known), ignored


@sparse_cross_entropy.adjoint
def sparse_cross_entropy_adjoint(logits, labels, out, dout, *, axis, ignore_index, label_smoothing):
    dloss, dlog = dout
    dlogits = None
    if dloss is not None:
        dlogits = sparse_cross_entropy_grad(
            out[1], labels, dloss, axis=axis, ignore_index=ignore_index,
            label_smoothing=label_smoothing,
        )  # fmt: skip
    if dlog is not None:
        through = log_softmax_grad(out[1], dlog, axis=axis)
        dlogits = through if dlogits is None else dlogits + through
    return dlogits, None


@composite(canonical=_canonical, same=())
def sparse_cross_entropy_grad(
    log_probabilities, labels, dloss, *, axis=-1, ignore_index=None, label_smoothing=0.0
):
    """Cotangent of the logits of `sparse_cross_entropy`, given that of the loss.

    Parameters
    ----------
    log_probabilities : Tensor of floats, shape (..., n, ...)
        The second result of `sparse_cross_entropy`.
    labels : Tensor of integers, shape (..., ...)
    dloss : Tensor, dtype of `log_probabilities`, shape of `labels`
    axis, ignore_index, label_smoothing
        As of `sparse_cross_entropy`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.sparse_cross_entropy_grad(np.log(np.array([0.25, 0.75])), np.array(1), np.array(2.0))
    array([ 0.5, -0.5])
    """
    wide = widened(log_probabilities)
    wanted, ignored = _wanted(labels, wide, axis, ignore_index)
    places = iota(dtype=i64, shape=_along(wide, axis), axis=axis)
    is_wanted = equal(expand_dims(wanted, axis=axis), places)
    rest = exp(wide)
    if label_smoothing:
        rest = sub(rest, _spread(label_smoothing, wide, axis))
    off = where(is_wanted, sub(rest, 1 - label_smoothing), rest)
    dlogits = mul(expand_dims(widened(dloss), axis=axis), off)
    if ignored is not None:
        dlogits = where(expand_dims(ignored, axis=axis), 0, dlogits)
    return rounded(dlogits, log_probabilities)


def _along(x: Value, axis: int) -> tuple[Dim, ...]:
    return tuple(size if i == axis else 1 for i, size in enumerate(x.shape))


# Distributions


@composite(canonical=_canonical)
def cross_entropy(logits, targets, *, axis=-1, label_smoothing=0.0):
    """Mean negative log-probability under the distribution that is wanted.

    Parameters
    ----------
    logits : Tensor of floats, shape (..., n, ...)
        Scores of n classes along `axis`, in nats.
    targets : Tensor, type of `logits`
        Probabilities of the classes. Where one is 0 its class does not count, whatever its score.
    axis : int
    label_smoothing : float
        The part of the targets that is shared by all classes alike.

    Returns
    -------
    loss : Tensor, dtype of `logits`, shape of `logits` without `axis`
    log_probabilities : Tensor, type of `logits`

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 or E0404 for attributes, E0401 for shapes, E0403 if `axis` is out of
        range.

    Notes
    -----
    Adjoint: ``exp(log_probabilities) * sum(targets) - targets``, times the cotangent of the loss.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.cross_entropy(np.array([0.0, 0.0, -np.inf]), np.array([0.5, 0.5, 0.0]))[0]
    array(0.69314718)
    """
    one_dtype(logits.type, targets.type)
    require_shape(targets.shape, logits.shape, "the targets")
    wide = log_softmax(widened(logits), axis=axis)
    wanted = _smoothed(widened(targets), label_smoothing, axis)
    loss = neg(reduce_sum(where(equal(wanted, 0), 0, mul(wanted, wide)), axis=axis))
    return rounded(loss, logits), rounded(wide, logits)


def _smoothed(targets: Value, smoothing: float, axis: int) -> Value:
    if not smoothing:
        return targets
    return add(mul(targets, 1 - smoothing), _spread(smoothing, targets, axis))


@cross_entropy.adjoint
def cross_entropy_adjoint(logits, targets, out, dout, *, axis, label_smoothing):
    dloss, dlog = dout
    dlogits, dtargets = None, None
    if dloss is not None:
        dlogits, dtargets = cross_entropy_grad(
            out[1], targets, dloss, axis=axis, label_smoothing=label_smoothing
        )
    if dlog is not None:
        through = log_softmax_grad(out[1], dlog, axis=axis)
        dlogits = through if dlogits is None else dlogits + through
    return dlogits, dtargets


@composite(canonical=_canonical, same=())
def cross_entropy_grad(log_probabilities, targets, dloss, *, axis=-1, label_smoothing=0.0):
    """Cotangents of the logits and targets of `cross_entropy`, given that of the loss.

    Parameters
    ----------
    log_probabilities, targets : Tensors of floats, of one type, shape (..., n, ...)
        The first is the second result of `cross_entropy`.
    dloss : Tensor of the same dtype, shape (..., ...)
    axis, label_smoothing
        As of `cross_entropy`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> y = np.log(np.array([0.25, 0.75]))
    >>> p.cross_entropy_grad(y, np.array([0.5, 0.5]), np.array(2.0))
    (array([-0.5,  0.5]), array([2.77258872, 0.57536414]))
    """
    wide, cotangent = widened(log_probabilities), expand_dims(widened(dloss), axis=axis)
    wanted = _smoothed(widened(targets), label_smoothing, axis)
    given = mul(exp(wide), reduce_sum(wanted, axis=axis, keepdims=True))
    dlogits = mul(cotangent, sub(given, wanted))
    dtargets = mul(neg(cotangent), mul(wide, 1 - label_smoothing))
    return rounded(dlogits, log_probabilities), rounded(dtargets, targets)
