"""How is a tensor normalised: over a batch, a layer, groups of channels, or along channels?

Parameters may be of a wider dtype than the input, as in mixed precision: all is computed in the
dtype in which they meet, and the result rounded to that of the input.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.core.precision import deciding, stored
from s2sad.ir import dims
from s2sad.ops.promotion import as_dtype, constant, kind_of, promote, require_tensor
from s2sad.ops.settings import flag, fraction, integer, integers, number
from s2sad.ops.spatial import require_axes
from s2sad.ops.state import assign
from s2sad.prims.rules import axis_of
from s2sad.prims.statistics import element_count

Shape = tuple[Any, ...]


def batch_norm(
    input_x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Any:
    """`input_x` with mean 0 and variance 1 in each channel, times `weight`, plus `bias`.

    Parameters
    ----------
    input_x : Tensor of floats, shape (N, C, ...)
    running_mean, running_var : Parameter or Tensor, shape (C,), or None
        What is normalised with, unless in training.
    weight, bias : Tensor, shape (C,), optional
        1 and 0 by default.
    training : bool
        Whether to normalise with mean and variance of the batch. The running ones, which must be
        Parameters, or None for nobody to know, then follow them:
        ``(1 - momentum) * running + momentum * batch``, where the variance of the batch is the
        unbiased one, of n elements over n - 1. For one element it is 0.
    momentum : float
        How much of the batch goes into the running statistics, from 0 to 1.
    eps : float
        Added to the variance.

    Returns
    -------
    Tensor of the shape of `input_x`, and its dtype where that is of floats

    Raises
    ------
    S2sadError
        E0303 or E0404 for settings of another form or value, E0304 for statistics that are no
        Parameters, or not there where they are needed, E0401 for shapes that do not go together,
        or an empty batch in training.

    Notes
    -----
    S. Ioffe and C. Szegedy, "Batch normalization", 2015. No gradient flows through the running
    statistics.

    Examples
    --------
    >>> import s2sad as ms
    >>> zero, four = ms.Tensor([0.0]), ms.Tensor([4.0])
    >>> batch_norm(ms.Tensor([[2.0], [6.0]]), zero, four, eps=0.0).asnumpy()
    array([[1.],
           [3.]], dtype=float32)
    """
    return batch_normalized(
        "batch_norm", input_x, running_mean, running_var, weight, bias, training, momentum, eps
    )


def batch_normalized(
    what: str, input_x: Any, running_mean: Any, running_var: Any, weight: Any, bias: Any,
    training: bool, momentum: float, eps: float,
) -> Any:  # fmt: skip
    """`batch_norm`, under the name by which messages call it."""
    x = require_axes(what, input_x, *range(2, 6))
    fraction("momentum", momentum)
    parameters = (weight, bias)
    statistics = stored(running_mean), stored(running_var)  # they add up over many batches
    for value in (*parameters, *statistics):
        _require_shape(what, value, x, x.shape[1:2])
    dtype = _meeting(x, *parameters, *(() if flag("training", training) else statistics))
    gamma, beta = _given(weight, 1, x.shape[1:2], dtype), _given(bias, 0, x.shape[1:2], dtype)
    wide = as_dtype(x, dtype)
    if not training:
        mean, variance = (_statistic(what, value, dtype) for value in statistics)
        y = p.batch_norm_inference(wide, gamma, beta, mean, variance, eps=eps)
    else:
        y, mean, variance, _ = p.batch_norm(_not_empty(wide), gamma, beta, eps=eps)
        _follow("running_mean", statistics[0], mean, momentum)
        _follow("running_var", statistics[1], _unbiased(variance, wide), momentum)
    return _as_input(y, x)


def _require_shape(what: str, value: Any, x: Any, shape: Shape) -> None:
    """`value` is None or a tensor of `shape`, which is a part of that of `x`."""
    if value is None:
        return
    found = require_tensor(value, what).shape
    if _differ(found, shape):
        raise fail(
            "E0401", f"{what} has parameters of shape {found}, they must be {shape} for an input "
            f"of shape {x.shape}", help=_to_fit(what, found, x, shape),
        )  # fmt: skip


def _to_fit(what: str, found: Shape, x: Any, shape: Shape) -> str:
    """What may be done with an input that does not fit parameters of the shape `found`."""
    axis = 1 if shape == x.shape[1:2] else x.ndim - 1
    places = [i for i, size in enumerate(x.shape) if found == (size,) and 0 < i != axis]
    if places and len(shape) == 1:
        return f"ops.moveaxis(x, {places[0]}, {axis}) brings the axis of size {found[0]} there"
    if not what[:1].isupper():
        return f"give parameters of shape {shape}"
    return f"such an input takes {what}({shape if what in OF_SHAPES else shape[0]}, ...)"


#: Layers that are made with a shape, and not with a number of channels.
OF_SHAPES = ("LayerNorm", "RMSNorm")


def _differ(one: Shape, other: Shape) -> bool:
    """Whether two shapes are known not to be the same."""
    return len(one) != len(other) or any(
        dims.same(a, b) is False for a, b in zip(one, other, strict=True)
    )


def _meeting(x: Any, *parameters: Any) -> DType:
    """The dtype of floats in which `x` and the parameters that there are meet."""
    found = promote(x, *(value for value in parameters if value is not None))[0].dtype
    return found if found.is_float else dtypes.float32


def _given(value: Any, default: int, shape: Shape, dtype: DType) -> Any:
    if value is None:
        return p.broadcast_to(constant(default, dtype), shape=shape)
    return as_dtype(value, dtype)


def _as_input(y: Any, x: Any) -> Any:
    if deciding.get() is not None:  # what is normalised stays wide there, whatever came in
        return y
    return as_dtype(y, x.dtype) if x.dtype.is_float else y


def _statistic(what: str, value: Any, dtype: DType) -> Any:
    if value is None:
        raise fail("E0304", f"{what} needs running statistics, unless in training")
    return as_dtype(value, dtype)


def _not_empty(x: Any) -> Any:
    if any(size == 0 for size in (x.shape[0], *x.shape[2:])):
        raise fail(
            "E0401", f"an empty batch, of shape {x.shape}, has no mean to normalise with",
            help="leave it out, or call set_train(False)",
        )  # fmt: skip
    return x


def _unbiased(variance: Any, x: Any) -> Any:
    """Variance of the batch, as an estimate of that of all data."""
    count = element_count(as_dtype(x, variance.dtype), (0, *range(2, x.ndim)))
    if isinstance(count, int):
        return p.mul(variance, count / max(count - 1, 1))
    return p.mul(variance, p.div(count, p.sub(count, 1.0)))


def _follow(name: str, running: Any, batch: Any, momentum: float) -> None:
    """Let the Parameter `running` take up some of what was found in a batch."""
    if running is None:
        return
    if not isinstance(running, Parameter):
        raise fail(
            "E0304", f"batch_norm in training writes {name}, which must be a Parameter, not a "
            f"{kind_of(running)}", help=f"{name}=None keeps none",
        )  # fmt: skip
    dtype = running.dtype.compute
    found = as_dtype(p.stop_gradient(batch), dtype)
    kept = p.mul(as_dtype(running, dtype), 1 - momentum)
    assign(running, p.add(kept, p.mul(found, float(momentum))))


def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-05
) -> Any:
    """`input` with mean 0 and variance 1 over its last axes, times `weight`, plus `bias`.

    Parameters
    ----------
    input : Tensor of floats
    normalized_shape : int, or tuple or list of int
        The sizes of the axes that are normalised together, which are the last of `input`.
    weight, bias : Tensor of shape `normalized_shape`, optional
        1 and 0 by default.
    eps : float
        Added to the variance.

    Returns
    -------
    Tensor of the shape of `input`, and its dtype where that is of floats

    Raises
    ------
    S2sadError
        E0303 or E0404 for settings of another form or value, E0401 for shapes that do not go
        together.

    Notes
    -----
    J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer normalization", 2016.

    Examples
    --------
    >>> import s2sad as ms
    >>> layer_norm(ms.Tensor([[1.0, 3.0]]), 2, eps=0.0).asnumpy()
    array([[-1.,  1.]], dtype=float32)
    """
    given = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
    shape = integers("normalized_shape", given, 1)
    x = require_tensor(input, "layer_norm")
    first = x.ndim - len(shape)
    if first < 0 or _differ(x.shape[first:], shape):
        raise fail("E0401", f"layer_norm over {shape} of an input of shape {x.shape}")
    return normalized("layer_norm", x, weight, bias, first, first, eps)


def normalized(
    what: str, x: Any, weight: Any, bias: Any, first: int, first_of_parameters: int, eps: float
) -> Any:
    """`x`, normalised over its axes from `first` on; parameters have the axes from another one.

    `what` is the name by which messages call it.
    """
    return layer_normalized(what, x, weight, bias, first, first_of_parameters, eps)[0]


def layer_normalized(
    what: str, x: Any, weight: Any, bias: Any, first: int, first_of_parameters: int, eps: float
) -> tuple[Any, Any, Any]:
    """What `normalized` gives, the mean, and one over the standard deviation."""
    ndim = require_tensor(x, what).ndim
    first, shape = axis_of(first, ndim), x.shape[axis_of(first_of_parameters, ndim) :]
    for value in (weight, bias):
        _require_shape(what, value, x, shape)
    dtype = _meeting(x, weight, bias)
    y, mean, rstd = p.layer_norm(
        as_dtype(x, dtype), _given(weight, 1, shape, dtype), _given(bias, 0, shape, dtype),
        axes=tuple(range(first, ndim)), eps=eps,
    )  # fmt: skip
    return _as_input(y, x), mean, rstd


def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-05
) -> Any:
    """`input` with mean 0 and variance 1 in each group of channels of each element of the batch.

    Parameters
    ----------
    input : Tensor of floats, shape (N, C, ...)
    num_groups : int
        Divides C.
    weight, bias : Tensor, shape (C,), optional
        What the result is multiplied by, and what is added: 1 and 0 by default.
    eps : float
        Added to the variance.

    Returns
    -------
    Tensor of the shape of `input`, and its dtype where that is of floats

    Raises
    ------
    S2sadError
        E0303 or E0404 for settings of another form or value, E0401 for shapes that do not go
        together, or channels that the groups do not divide.

    Notes
    -----
    Y. Wu and K. He, "Group normalization", 2018.

    Examples
    --------
    >>> import s2sad as ms
    >>> group_norm(ms.Tensor([[1.0, 3.0, 5.0, 9.0]]), 2, eps=0.0).asnumpy()
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    return group_normalized("group_norm", input, num_groups, weight, bias, eps)


def group_normalized(
    what: str, input: Any, num_groups: int, weight: Any, bias: Any, eps: float
) -> Any:
    """`group_norm`, under the name by which messages call it."""
    x, groups = require_tensor(input, what), integer("num_groups", num_groups, 1)
    if x.ndim < 2 or dims.same(x.shape[1] % groups, 0) is False:
        raise fail("E0401", f"{what} with {groups} groups of channels (axis 1) of {x.shape}")
    for value in (weight, bias):
        _require_shape(what, value, x, x.shape[1:2])
    batch, channels, *spatial = x.shape
    dtype = _meeting(x, weight, bias)
    ungrouped = (groups, channels // groups, *(1,) * len(spatial))
    gamma, beta = (
        p.reshape(_given(value, default, x.shape[1:2], dtype), shape=ungrouped)
        for value, default in ((weight, 1), (bias, 0))
    )
    grouped = p.reshape(as_dtype(x, dtype), shape=(batch, groups, channels // groups, *spatial))
    axes = tuple(range(2, grouped.ndim))
    y, _, _ = p.layer_norm(grouped, gamma, beta, axes=axes, eps=eps)
    return _as_input(p.reshape(y, shape=x.shape), x)


def rms_norm(x: Any, gamma: Any, epsilon: float = 1e-06) -> tuple[Any, Any]:
    """`x` with mean square 1 over its last axes, times `gamma`, and what it was multiplied by.

    Parameters
    ----------
    x : Tensor of floats
    gamma : Tensor
        Its axes are the last of `x`: those that are normalised together.
    epsilon : float
        Added to the mean square.

    Returns
    -------
    y : Tensor of the shape of `x`, and its dtype where that is of floats
    rstd : Tensor
        One over the root of the mean square; size 1 for the axes of `gamma`, float32 where `x` is
        narrow.

    Raises
    ------
    S2sadError
        E0303 or E0404 for settings of another form or value, E0401 for shapes that do not go
        together.

    Notes
    -----
    B. Zhang and R. Sennrich, "Root mean square layer normalization", 2019.

    Examples
    --------
    >>> import s2sad as ms
    >>> y, rstd = rms_norm(ms.Tensor([[3.0, 3.0]]), ms.Tensor([1.0, 2.0]), 0.0)
    >>> y.asnumpy(), rstd.asnumpy()
    (array([[1., 2.]], dtype=float32), array([[0.33333334]], dtype=float32))
    """
    first = require_tensor(x, "rms_norm").ndim - require_tensor(gamma, "rms_norm").ndim
    if not 0 <= first < x.ndim:
        raise fail("E0401", f"rms_norm with a gamma of shape {gamma.shape} of {x.shape}")
    _require_shape("rms_norm", gamma, x, x.shape[first:])
    wide, scale = promote(x, gamma)
    y, rstd = p.rms_norm(wide, scale, axes=tuple(range(first, x.ndim)), eps=epsilon)
    return _as_input(y, x), rstd


def lrn(
    x: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Any:
    """`x` over ``(bias + alpha * s) ** beta``, s summing the squares of near channels.

    Parameters
    ----------
    x : Tensor of floats, shape (N, C, H, W)
    depth_radius : int
        How many channels to each side are near.
    bias, alpha, beta : float
    norm_region : {"ACROSS_CHANNELS"}

    Raises
    ------
    S2sadError
        E0303 or E0404 for settings of another form or value, E0401 for another number of axes.

    Notes
    -----
    A. Krizhevsky, I. Sutskever and G. E. Hinton, "ImageNet classification with deep convolutional
    neural networks", 2012.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[[3.0]], [[4.0]]]])
    >>> lrn(x, 1, 0.0).asnumpy().ravel()
    array([0.6, 0.8], dtype=float32)
    """
    if norm_region != "ACROSS_CHANNELS":
        raise fail("E0404", f"norm_region is 'ACROSS_CHANNELS', got {norm_region!r}")
    require_axes("lrn", x, 4)
    radius = integer("depth_radius", depth_radius, 0)
    wide = as_dtype(x, _meeting(x).compute)
    batch, channels, height, width = x.shape
    squares = p.reshape(p.mul(wide, wide), shape=(batch, 1, channels, height * width))
    sums = p.avg_pool(
        squares, kernel=(2 * radius + 1, 1), padding=(radius, 0), divisor=1
    )  # fmt: skip
    scaled = p.mul(p.reshape(sums, shape=x.shape), float(number("alpha", alpha)))
    base = p.add(scaled, float(number("bias", bias)))
    return _as_input(p.div(wide, p.pow(base, float(number("beta", beta)))), x)
