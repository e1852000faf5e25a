"""How are activations brought to mean 0 and variance 1, and what does the gradient of that need?

Each normalization is a composite that also returns the statistics that its gradient reads, so the
backward sweep does not compute them again. All of it is computed in float32 where operands are
narrow; the results that have the shape of `x` or of the parameters are rounded once, statistics
stay float32.

With ``h = (x - mean) * rstd`` and ``g = dy * gamma``, all means over the normalized elements,
``dx = rstd * (g - mean(g) - h * mean(g * h))``; `rms_norm` has no mean, thus not its term.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir.graph import Value
from s2sad.prims.arithmetic import add, div, mul, rsqrt, sub
from s2sad.prims.define import composite
from s2sad.prims.reduce import Axes, broadcast_axes, kept_shape, reduce_sum, sum_to
from s2sad.prims.rules import axes_of, one_dtype, tensor
from s2sad.prims.shape import Shape, require_shape, reshape, zeros_like
from s2sad.prims.statistics import element_count, mean, rounded, widened


def _canonical(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``canonical=`` of every operation here: it spells the attributes that there are."""
    full = dict(attrs)
    if "axes" in full:
        full["axes"] = axes_of(full["axes"], tensor(types[0]).ndim)
    if "eps" in full:
        full["eps"] = _epsilon(full["eps"])
    return full


def _epsilon(eps: Any) -> float:
    if isinstance(eps, bool) or not isinstance(eps, (int, float)):
        raise fail("E0303", f"eps is a number, got {eps!r}")
    if not eps >= 0:
        raise fail("E0404", f"eps must not be negative, got {eps}")
    return float(eps)


def _require_parameters(x: Value, *parameters: Value) -> None:
    """The parameters have one shape, which broadcasts to that of `x`, and the dtype of `x`."""
    one_dtype(x.type, *(value.type for value in parameters))
    for value in parameters:
        require_shape(value.shape, parameters[0].shape, "the parameters of a normalization")
    broadcast_axes(parameters[0].shape, x.shape)


# Over the axes of a layer


@composite(canonical=_canonical)
def layer_norm(x, gamma, beta, *, axes, eps):
    """`x` with mean 0 and variance 1 over `axes`, times `gamma`, plus `beta`.

    Parameters
    ----------
    x : Tensor of floats
    gamma, beta : Tensors of the same dtype
        One shape, which broadcasts to that of `x`.
    axes : int or tuple of int
        What is normalized together.
    eps : float
        Added to the variance, which is the mean square distance from the mean.

    Returns
    -------
    y : Tensor, type of `x`
    mean, rstd : Tensors, shape of `x` with size 1 for `axes`
        The mean, and one over the standard deviation; f32 where `x` is narrow.

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 or E0404 if `eps` is no number or negative, E0401 if a parameter
        does not fit, E0403 if an axis is out of range.

    Notes
    -----
    J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer normalization", 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.layer_norm(np.array([1.0, 3.0]), 2.0, 0.5, axes=0, eps=0.0)
    (array([-1.5,  2.5]), array([2.]), array([1.]))
    """
    _require_parameters(x, gamma, beta)
    wide = widened(x)
    centre, _, rstd = _moments(wide, axes, eps)
    y = add(mul(mul(sub(wide, centre), rstd), widened(gamma)), widened(beta))
    return rounded(y, x), centre, rstd


def _moments(x: Value, axes: Axes, eps: float) -> tuple[Value, Value, Value]:
    """Mean, variance, and one over the standard deviation."""
    centre = mean(x, axis=axes, keepdims=True)
    distance = sub(x, centre)
    spread = mean(mul(distance, distance), axis=axes, keepdims=True)
    return centre, spread, rsqrt(add(spread, eps))


@layer_norm.adjoint
def layer_norm_adjoint(x, gamma, beta, out, dout, *, axes):
    dy, dmean, drstd = dout
    if dy is None:
        dy = zeros_like(x)
    dx, dgamma, dbeta = layer_norm_grad(x, gamma, out[1], out[2], dy, axes=axes)
    if dmean is not None or drstd is not None:
        if dmean is None:
            dmean = zeros_like(out[1])
        if drstd is None:
            drstd = zeros_like(out[2])
        dspread = -0.5 * drstd * (out[2] * out[2] * out[2])
        dx = dx + moments_grad(x, out[1], dmean, dspread, axes=axes)
    return dx, dgamma, dbeta


@composite(canonical=_canonical)
def layer_norm_grad(x, gamma, mean, rstd, dy, *, axes):
    """Cotangents of `x`, `gamma` and `beta` of `layer_norm`, given that of its first result.

    Parameters
    ----------
    x, dy : Tensors of floats, of one type
    gamma : Tensor of the same dtype
    mean, rstd : Tensors
        The other results of `layer_norm`.
    axes : tuple of int

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> x, dy = np.array([1.0, 3.0]), np.array([1.0, 0.5])
    >>> p.layer_norm_grad(x, 2.0, np.array([2.0]), np.array([1.0]), dy, axes=0)
    (array([0., 0.]), array(-0.5), array(1.5))
    """
    normal, cotangent = mul(sub(widened(x), mean), rstd), widened(dy)
    dx = _cotangent_within(normal, rstd, mul(cotangent, widened(gamma)), axes, centred=True)
    dgamma = sum_to(mul(cotangent, normal), shape=gamma.shape)
    return rounded(dx, x), rounded(dgamma, gamma), sum_to(dy, shape=gamma.shape)


def _cotangent_within(
    normal: Value, rstd: Value, inner: Value, axes: Axes, *, centred: bool
) -> Value:
    """Cotangent of what was normalized to `normal`, given that of `normal`."""
    along = mul(normal, mean(mul(inner, normal), axis=axes, keepdims=True))
    if centred:
        inner = sub(inner, mean(inner, axis=axes, keepdims=True))
    return mul(rstd, sub(inner, along))


@composite(canonical=_canonical)
def moments_grad(x, mean, dmean, dvariance, *, axes):
    """Cotangent of `x`, given those of its mean and variance over `axes`.

    Parameters
    ----------
    x : Tensor of floats
    mean, dmean, dvariance : Tensors of f64 or f32
        The mean and the cotangents: an element for each element of `x` but for `axes`.
    axes : tuple of int

    Notes
    -----
    ``(dmean + 2 * dvariance * (x - mean)) / n``.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.moments_grad(np.array([1.0, 3.0]), np.array([2.0]), 10.0, 1.0, axes=0)
    array([4., 6.])
    """
    wide, shape = widened(x), kept_shape(x.shape, axes)
    distance = sub(wide, reshape(mean, shape=shape))
    along = mul(distance, mul(reshape(dvariance, shape=shape), 2.0))
    total = add(along, reshape(dmean, shape=shape))
    return rounded(div(total, element_count(wide, axes)), x)


@composite(canonical=_canonical)
def rms_norm(x, gamma, *, axes, eps):
    """`x` with mean square 1 over `axes`, times `gamma`.

    Parameters
    ----------
    x : Tensor of floats
    gamma : Tensor of the same dtype
        Its shape broadcasts to that of `x`.
    axes : int or tuple of int
        What is normalized together.
    eps : float
        Added to the mean square.

    Returns
    -------
    y : Tensor, type of `x`
    rstd : Tensor, shape of `x` with size 1 for `axes`
        One over the root of the mean square; f32 where `x` is narrow.

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 or E0404 if `eps` is no number or negative, E0401 if `gamma` does
        not fit, E0403 if an axis is out of range.

    Notes
    -----
    B. Zhang and R. Sennrich, "Root mean square layer normalization", 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.rms_norm(np.array([3.0, 3.0]), 2.0, axes=0, eps=0.0)
    (array([2., 2.]), array([0.33333333]))
    """
    _require_parameters(x, gamma)
    wide = widened(x)
    rstd = rsqrt(add(mean(mul(wide, wide), axis=axes, keepdims=True), eps))
    return rounded(mul(mul(wide, rstd), widened(gamma)), x), rstd


@rms_norm.adjoint
def rms_norm_adjoint(x, gamma, out, dout, *, axes):
    dy, drstd = dout
    if dy is None:
        dy = zeros_like(x)
    dx, dgamma = rms_norm_grad(x, gamma, out[1], dy, axes=axes)
    if drstd is not None:
        dspread = -0.5 * drstd * (out[1] * out[1] * out[1])
        none = zeros_like(drstd)
        dx = dx + moments_grad(x, none, none, dspread, axes=axes)
    return dx, dgamma


@composite(canonical=_canonical)
def rms_norm_grad(x, gamma, rstd, dy, *, axes):
    """Cotangents of `x` and `gamma` of `rms_norm`, given that of its first result.

    Parameters
    ----------
    x, dy : Tensors of floats, of one type
    gamma : Tensor of the same dtype
    rstd : Tensor
        The other result of `rms_norm`.
    axes : tuple of int

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> x, dy = np.array([3.0, 3.0]), np.array([1.0, 0.5])
    >>> p.rms_norm_grad(x, 3.0, np.array([1 / 3]), dy, axes=0)
    (array([ 0.25, -0.25]), array(1.5))
    """
    normal, cotangent = mul(widened(x), rstd), widened(dy)
    dx = _cotangent_within(normal, rstd, mul(cotangent, widened(gamma)), axes, centred=False)
    dgamma = sum_to(mul(cotangent, normal), shape=gamma.shape)
    return rounded(dx, x), rounded(dgamma, gamma)


# Over a batch, for each channel


def _batch_axes(x: Value) -> Axes:
    if x.ndim < 2:
        raise fail("E0401", f"batch_norm needs axes (N, C, ...), got {x.type}")
    return (0, *range(2, x.ndim))


def _per_channel(value: Value, x: Value) -> Value:
    """`value`, of shape (C,), widened and laid along axis 1 of `x`."""
    return reshape(widened(value), shape=_channel_shape(x))


def _channel_shape(x: Value) -> Shape:
    return kept_shape(x.shape, _batch_axes(x))


def _require_channels(x: Value, *values: Value) -> None:
    _batch_axes(x)
    one_dtype(x.type, *(value.type for value in values))
    for value in values:
        require_shape(value.shape, x.shape[1:2], "a parameter of batch_norm")


@composite(canonical=_canonical)
def batch_norm(x, gamma, beta, *, eps):
    """`x` with mean 0 and variance 1 in each channel, times `gamma`, plus `beta`: in training.

    Parameters
    ----------
    x : Tensor of floats, shape (N, C, ...)
    gamma, beta : Tensors of the same dtype, shape (C,)
    eps : float
        Added to the variance, which is the mean square distance from the mean.

    Returns
    -------
    y : Tensor, type of `x`
    mean, variance, rstd : Tensors, shape (C,)
        Statistics of each channel, and one over the standard deviation; f32 where `x` is narrow.

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 or E0404 if `eps` is no number or negative, E0401 for shapes.

    Notes
    -----
    S. Ioffe and C. Szegedy, "Batch normalization", 2015. Moving statistics are the caller's.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> x, one = np.array([[1.0], [3.0]]), np.ones(1)
    >>> p.batch_norm(x, one, one, eps=0.0)
    (array([[0.],
           [2.]]), array([2.]), array([1.]), array([1.]))
    """
    _require_channels(x, gamma, beta)
    wide = widened(x)
    centre, spread, rstd = _moments(wide, _batch_axes(x), eps)
    scaled = mul(mul(sub(wide, centre), rstd), _per_channel(gamma, x))
    statistics = (reshape(value, shape=gamma.shape) for value in (centre, spread, rstd))
    return rounded(add(scaled, _per_channel(beta, x)), x), *statistics


@batch_norm.adjoint
def batch_norm_adjoint(x, gamma, beta, out, dout):
    dy, dmean, dvariance, drstd = dout
    if dy is None:
        dy = zeros_like(x)
    dx, dgamma, dbeta = batch_norm_grad(x, gamma, out[1], out[3], dy)
    if dmean is not None or dvariance is not None or drstd is not None:
        if dmean is None:
            dmean = zeros_like(out[1])
        if dvariance is None:
            dvariance = zeros_like(out[2])
        if drstd is not None:
            dvariance = dvariance - 0.5 * drstd * (out[3] * out[3] * out[3])
        dx = dx + moments_grad(x, out[1], dmean, dvariance, axes=_batch_axes(x))
    return dx, dgamma, dbeta


@composite()
def batch_norm_grad(x, gamma, mean, rstd, dy):
    """Cotangents of `x`, `gamma` and `beta` of `batch_norm`, given that of its first result.

    Parameters
    ----------
    x, dy : Tensors of floats, of one type, shape (N, C, ...)
    gamma : Tensor of the same dtype, shape (C,)
    mean, rstd : Tensors, shape (C,)
        Results of `batch_norm`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> x, dy, one = np.array([[1.0], [3.0]]), np.array([[1.0], [0.5]]), np.ones(1)
    >>> p.batch_norm_grad(x, 2 * one, 2 * one, one, dy)
    (array([[0.],
           [0.]]), array([-0.5]), array([1.5]))
    """
    axes, wide_rstd = _batch_axes(x), _per_channel(rstd, x)
    normal = mul(sub(widened(x), _per_channel(mean, x)), wide_rstd)
    cotangent = widened(dy)
    inner = mul(cotangent, _per_channel(gamma, x))
    dx = _cotangent_within(normal, wide_rstd, inner, axes, centred=True)
    dgamma = reduce_sum(mul(cotangent, normal), axis=axes)
    return rounded(dx, x), rounded(dgamma, gamma), reduce_sum(dy, axis=axes)


@composite(canonical=_canonical)
def batch_norm_inference(x, gamma, beta, mean, variance, *, eps):
    """`x` less `mean`, over the root of the variance, times `gamma`, plus `beta`, channel-wise.

    Parameters
    ----------
    x : Tensor of floats, shape (N, C, ...)
    gamma, beta, mean, variance : Tensors of the same dtype, shape (C,)
    eps : float
        Added to the variance.

    Returns
    -------
    Tensor, type of `x`

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 or E0404 if `eps` is no number or negative, E0401 for shapes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> one = np.ones(1)
    >>> p.batch_norm_inference(np.array([[1.0], [3.0]]), one, 0 * one, one, 4 * one, eps=0.0)
    array([[0.],
           [1.]])
    """
    _require_channels(x, gamma, beta, mean, variance)
    # A factor a channel first: one product an element is left.
    factor = mul(rsqrt(add(widened(variance), eps)), widened(gamma))
    distance = sub(widened(x), _per_channel(mean, x))
    scaled = mul(distance, _per_channel(factor, x))
    return rounded(add(scaled, _per_channel(beta, x)), x)
