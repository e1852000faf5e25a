"""How far are numbers from those that were wanted?

They are computed in float32 where operands are narrower, and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from s2sad import prims as p
from s2sad.core.dtypes import DType
from s2sad.ops.autocast import decided
from s2sad.ops.loss import check_reduction, reduced
from s2sad.ops.promotion import as_dtype, promote_floats, require_tensors
from s2sad.ops.settings import flag, positive
from s2sad.prims.shape import require_shape


def widened(name: str, *operands: Any) -> tuple[DType, list[Any]]:
    """The float dtype in which tensors meet, and they in the one that it is computed in.

    Raises
    ------
    S2sadError
        E0304 for what is no tensor.
    """
    given = promote_floats(*decided(name, *require_tensors(name, *operands)))
    dtype = given[0].dtype
    return dtype, [as_dtype(x, dtype.compute) for x in given]


def elementwise(
    name: str,
    formula: Callable[..., Any],
    reduction: str,
    *operands: Any,
    weights: Sequence[Any] = (),
    same: bool = False,
) -> Any:
    """Losses of `formula` on tensors, reduced.

    Parameters
    ----------
    name : str
        Of the loss, for messages.
    formula : callable
        Gets operands and weights in one wide float dtype.
    reduction : {"mean", "sum", "none"}
    *operands : Tensor
        They broadcast, unless `same` says that they have one shape.
    weights : sequence of Tensor
        They have no say in the dtype of the result.

    Raises
    ------
    S2sadError
        E0304 for what is no tensor, E0401 for shapes, E0404 for another reduction.
    """
    check_reduction(reduction)
    dtype, wide = widened(name, *operands)
    for other in wide[1:] if same else ():
        require_shape(other.shape, wide[0].shape, f"both operands of {name}")
    factors = [as_dtype(w, dtype.compute) for w in require_tensors(name, *weights)]
    return as_dtype(reduced(formula(*wide, *factors), reduction), dtype)


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Squared differences.

    Parameters
    ----------
    input, target : Tensor
        They broadcast; integers count as float32.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes that do not broadcast, E0404 for another
        reduction.

    Examples
    --------
    >>> import s2sad as ms
    >>> mse_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])).asnumpy()
    array(2., dtype=float32)
    """
    return elementwise("mse_loss", _squared, reduction, input, target)


def _squared(x: Any, target: Any) -> Any:
    return p.square(p.sub(x, target))


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Absolute differences; arguments as of `mse_loss`.

    Examples
    --------
    >>> import s2sad as ms
    >>> l1_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])).asnumpy()
    array(1., dtype=float32)
    """
    return elementwise("l1_loss", _distance, reduction, input, target)


def _distance(x: Any, target: Any) -> Any:
    return p.abs(p.sub(x, target))


def smooth_l1_loss(input: Any, target: Any, beta: float = 1.0, reduction: str = "none") -> Any:
    """Differences d as ``d**2 / (2 * beta)``, from `beta` on as ``abs(d) - beta / 2``.

    Parameters
    ----------
    input, target : Tensor of one shape
    beta : float
        Positive.
    reduction : {"none", "mean", "sum"}

    Raises
    ------
    S2sadError
        Those of `mse_loss`; E0401 for shapes that differ, E0303 or E0404 for a `beta` that cannot
        be.

    Notes
    -----
    R. Girshick, "Fast R-CNN", 2015.

    Examples
    --------
    >>> import s2sad as ms
    >>> smooth_l1_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([0.5, 4.0])).asnumpy()
    array([0.125, 1.5  ], dtype=float32)
    """
    beta = positive("beta", beta)

    def formula(x: Any, target: Any) -> Any:
        return p.div(_huber(x, target, beta), beta)

    return elementwise("smooth_l1_loss", formula, reduction, input, target, same=True)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Differences d as ``d**2 / 2``, from `delta` on as ``delta * (abs(d) - delta / 2)``.

    Parameters
    ----------
    input, target : Tensor
        They broadcast.
    reduction : {"mean", "sum", "none"}
    delta : float
        Positive.

    Raises
    ------
    S2sadError
        Those of `mse_loss`; E0303 or E0404 for a `delta` that cannot be.

    Notes
    -----
    P. J. Huber, "Robust estimation of a location parameter", 1964.

    Examples
    --------
    >>> import s2sad as ms
    >>> huber_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([0.0, 5.0]), "none", 2.0).asnumpy()
    array([0.5, 4. ], dtype=float32)
    """
    delta = positive("delta", delta)

    def formula(x: Any, target: Any) -> Any:
        return _huber(x, target, delta)

    return elementwise("huber_loss", formula, reduction, input, target)


def _huber(x: Any, target: Any, delta: float) -> Any:
    apart = p.sub(x, target)
    distance = p.abs(apart)
    near = p.mul(p.square(apart), 0.5)
    return p.where(p.less(distance, delta), near, p.mul(p.sub(distance, 0.5 * delta), delta))


def rmse_loss(input: Any, target: Any) -> Any:
    """Root of the mean squared difference, with gradient 0 where it is 0; see `mse_loss`.

    Examples
    --------
    >>> import s2sad as ms
    >>> rmse_loss(ms.Tensor([1.0, 2.0]), ms.Tensor([4.0, 2.0 + 3.0])).asnumpy()
    array(3., dtype=float32)
    """
    dtype, wide = widened("rmse_loss", input, target)
    mean = reduced(_squared(*wide), "mean")
    return as_dtype(p.where(p.equal(mean, 0), 0, p.sqrt(mean)), dtype)


def gaussian_nll_loss(
    x: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """Negative log-density of `target` under normal distributions around `x`.

    Parameters
    ----------
    x, target, var : Tensor
        Means, what was observed, variances; they broadcast, and where `var` has the shape of `x`
        without its last axis there is one a row.
    full : bool
        Whether to add the constant ``log(2 * pi) / 2``.
    eps : float
        Positive: smaller variances count as this, and have no gradient.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        Those of `mse_loss`; E0303 or E0404 for `full` or `eps`.

    Examples
    --------
    >>> import s2sad as ms
    >>> gaussian_nll_loss(ms.Tensor([1.0]), ms.Tensor([3.0]), ms.Tensor([1.0])).asnumpy()
    array(2., dtype=float32)
    """
    constant = 0.5 * math.log(2 * math.pi) if flag("full", full) else 0.0
    least = positive("eps", eps)

    def formula(x: Any, target: Any, var: Any) -> Any:
        if var.ndim == x.ndim - 1 and tuple(var.shape) == tuple(x.shape[:-1]):
            var = p.expand_dims(var, axis=-1)
        var = p.maximum(var, least)
        loss = p.add(p.log(var), p.div(_squared(x, target), var))
        return p.add(p.mul(loss, 0.5), constant)

    return elementwise("gaussian_nll_loss", formula, reduction, x, target, var)


def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Any:
    """Negative log-probability of the counts `target` under Poisson distributions.

    Parameters
    ----------
    input : Tensor
        Logarithms of the means, or the means.
    target : Tensor
        Counts; it broadcasts.
    log_input : bool
        Whether `input` are logarithms.
    full : bool
        Whether to add Stirling's approximation of ``log(target!)``, for targets above 1.
    eps : float
        Positive: added to means before the logarithm is taken.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        Those of `mse_loss`; E0303 or E0404 for the other arguments.

    Examples
    --------
    >>> import s2sad as ms
    >>> poisson_nll_loss(ms.Tensor([0.0, 0.0]), ms.Tensor([3.0, 4.0])).asnumpy()
    array(1., dtype=float32)
    """
    is_log, is_full, least = flag("log_input", log_input), flag("full", full), positive("eps", eps)

    def formula(x: Any, target: Any) -> Any:
        if is_log:
            loss = p.sub(p.exp(x), p.mul(target, x))
        else:
            loss = p.sub(x, p.mul(target, p.log(p.add(x, least))))
        return p.add(loss, _stirling(target)) if is_full else loss

    return elementwise("poisson_nll_loss", formula, reduction, input, target)


def _stirling(n: Any) -> Any:
    many = p.greater(n, 1)
    log = p.log(n)
    above = p.add(p.sub(p.mul(n, log), n), p.mul(p.add(log, math.log(2 * math.pi)), 0.5))
    return p.where(many, above, 0)
