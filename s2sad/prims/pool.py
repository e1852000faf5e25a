"""How is a window that slides over one, two or three spatial axes reduced to one number?

Tensors have the axes (batch N, channel C, spatial...). Every window must fit into the padded input
(`s2sad.prims.spatial`). Pooling by maximum gives the gradient to the first maximum of a window.
"""

from __future__ import annotations

from typing import Any

from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type, i64
from s2sad.prims.define import composite, primitive
from s2sad.prims.index import gather_elements, scatter_elements
from s2sad.prims.kernels import window as kernels
from s2sad.prims.rules import is_float, is_number, require_kind
from s2sad.prims.shape import Shape, require_shape, reshape, zeros_like
from s2sad.prims.spatial import (
    Pairs,
    canonical_spatial,
    require_counts,
    require_members,
    window_counts,
)

# Pooling by maximum


def _max_pool_type(
    x: Type, *, kernel: Any, stride: Any, padding: Pairs, dilation: Any
) -> TensorType:
    found = require_kind(x, is_number, "numbers")
    counts = window_counts(found.shape[2:], kernel, stride, padding, dilation)
    require_members(found.shape[2:], kernel, stride, padding, dilation)
    return TensorType(found.dtype, (*found.shape[:2], *counts))


@primitive(type=_max_pool_type, canonical=canonical_spatial)
def max_pool(x, *, kernel, stride: Any = 1, padding: Any = 0, dilation: Any = 1):
    """Maximum of each window; a NaN in the window is its maximum.

    Parameters
    ----------
    x : Tensor of numbers, shape (N, C, spatial...)
    kernel, stride, dilation : int or tuple of int, one a spatial axis
    padding : int, or tuple with an int or a pair (before, after) a spatial axis
        Never a maximum.

    Returns
    -------
    Tensor of the dtype of `x`, shape (N, C, windows...)

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 or E0404 for attributes, E0401 if no window fits, E0404 if a window
        sees nothing but padding, E0402 if a symbol leaves that open.

    Notes
    -----
    The gradient goes to the first maximum of a window, in row-major order.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.max_pool(np.array([[[1.0, 4.0, 2.0, 3.0]]]), kernel=2)
    array([[[4., 4., 3.]]])
    """
    return kernels.max_pool(x, kernel=kernel, stride=stride, padding=padding, dilation=dilation)


@max_pool.adjoint
def max_pool_adjoint(x, out, dout, *, kernel, stride, padding, dilation):
    dx = max_pool_grad(x, dout, kernel=kernel, stride=stride, padding=padding, dilation=dilation)
    return (dx,)


@max_pool.tangent
def max_pool_tangent(x, out, tangents, *, kernel, stride, padding, dilation):
    places = max_pool_argmax(x, kernel=kernel, stride=stride, padding=padding, dilation=dilation)
    lines = reshape(tangents[0], shape=in_lines(x.shape))
    found = gather_elements(lines, reshape(places, shape=in_lines(out.shape)), axis=2)
    return reshape(found, shape=out.shape)


def in_lines(shape: Shape) -> Shape:
    """`shape` with its spatial axes as one."""
    return (*shape[:2], dims.size(shape[2:]))


def _argmax_type(x: Type, **attrs: Any) -> TensorType:
    return TensorType(i64.dtype, _max_pool_type(x, **attrs).shape)


@primitive(type=_argmax_type, nondiff="the result is not a float", canonical=canonical_spatial)
def max_pool_argmax(x, *, kernel, stride: Any = 1, padding: Any = 0, dilation: Any = 1):
    """Where the maximum of each window stands: its first, in row-major order; the first NaN if any.

    Parameters
    ----------
    x, kernel, stride, padding, dilation
        As in `max_pool`.

    Returns
    -------
    Tensor, i64, shape (N, C, windows...)
        Place among the elements of the spatial axes of `x`, in row-major order.

    Raises
    ------
    S2sadError
        As `max_pool`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.max_pool_argmax(np.array([[[1.0, 4.0, 2.0, 3.0]]]), kernel=2)
    array([[[1, 1, 3]]])
    """
    return kernels.max_pool_argmax(
        x, kernel=kernel, stride=stride, padding=padding, dilation=dilation
    )


@composite(canonical=canonical_spatial, linear=(1,))
def max_pool_grad(x, dy, *, kernel, stride: Any = 1, padding: Any = 0, dilation: Any = 1):
    """Cotangent of the input of `max_pool`: the first maximum of each window gets all.

    Parameters
    ----------
    x : Tensor of floats, shape (N, C, spatial...)
    dy : Tensor of the same dtype, shape (N, C, windows...)
    kernel, stride, padding, dilation
        As in `max_pool`.

    Returns
    -------
    Tensor, type of `x`

    Raises
    ------
    S2sadError
        As `max_pool`; E0401 also if `dy` has another shape than its result.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> x, dy = np.array([[[1.0, 4.0, 2.0, 3.0]]]), np.array([[[1.0, 10.0, 100.0]]])
    >>> p.max_pool_grad(x, dy, kernel=2)
    array([[[  0.,  11.,   0., 100.]]])
    """
    places = max_pool_argmax(x, kernel=kernel, stride=stride, padding=padding, dilation=dilation)
    lines = in_lines(require_shape(dy.shape, places.shape, "dy"))
    zeros = reshape(zeros_like(x), shape=in_lines(x.shape))
    indices, updates = reshape(places, shape=lines), reshape(dy, shape=lines)
    dx = scatter_elements(zeros, indices, updates, axis=2, reduce="add")
    return reshape(dx, shape=x.shape)


@max_pool_grad.adjoint
def max_pool_grad_adjoint(x, dy, out, dout, *, kernel, stride, padding, dilation):
    places = max_pool_argmax(x, kernel=kernel, stride=stride, padding=padding, dilation=dilation)
    lines = reshape(dout, shape=in_lines(x.shape))
    found = gather_elements(lines, reshape(places, shape=in_lines(dy.shape)), axis=2)
    return None, reshape(found, shape=dy.shape)


# Pooling by mean


def _require_mean(
    spatial: Shape, kernel: Any, stride: Any, padding: Pairs, count_include_pad: bool,
    divisor: int | None,
) -> None:  # fmt: skip
    if divisor is None and not count_include_pad:
        require_members(spatial, kernel, stride, padding, (1,) * len(kernel))


def _avg_pool_type(
    x: Type, *, kernel: Any, stride: Any, padding: Pairs, count_include_pad: bool,
    divisor: int | None,
) -> TensorType:  # fmt: skip
    found = require_kind(x, is_float, "floats")
    counts = window_counts(found.shape[2:], kernel, stride, padding)
    _require_mean(found.shape[2:], kernel, stride, padding, count_include_pad, divisor)
    return TensorType(found.dtype, (*found.shape[:2], *counts))


@primitive(
    type=_avg_pool_type, linear=(0,), canonical=canonical_spatial, traits={Trait.REASSOCIATES}
)
def avg_pool(x, *, kernel, stride: Any = 1, padding: Any = 0, count_include_pad=True, divisor=None):
    """Sum of each window over `divisor`, or else over the number of its members.

    Parameters
    ----------
    x : Tensor of floats, shape (N, C, spatial...)
    kernel, stride : int or tuple of int, one a spatial axis
    padding : int, or tuple with an int or a pair (before, after) a spatial axis
        Adds nothing to the sum.
    count_include_pad : bool
        Whether padding counts as members.
    divisor : int, optional
        Not 0; used instead of the number of members.

    Returns
    -------
    Tensor of the dtype of `x`, shape (N, C, windows...)
        Narrow floats are summed in float32 and rounded once.

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 or E0404 for attributes, E0401 if no window fits, E0404 if a window
        has no members, E0402 if a symbol leaves that open.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> x = np.array([[[1.0, 3.0, 5.0]]])
    >>> p.avg_pool(x, kernel=2, stride=2, padding=((1, 0),), count_include_pad=False)
    array([[[1., 4.]]])
    """
    return kernels.avg_pool(
        x, kernel=kernel, stride=stride, padding=padding, count_include_pad=count_include_pad,
        divisor=divisor,
    )  # fmt: skip


@avg_pool.adjoint
def avg_pool_adjoint(x, out, dout, *, kernel, stride, padding, count_include_pad, divisor):
    dx = avg_pool_grad(
        dout, input_shape=x.shape[2:], kernel=kernel, stride=stride, padding=padding,
        count_include_pad=count_include_pad, divisor=divisor,
    )  # fmt: skip
    return (dx,)


def _avg_pool_grad_type(
    dy: Type, *, input_shape: Shape, kernel: Any, stride: Any, padding: Pairs,
    count_include_pad: bool, divisor: int | None,
) -> TensorType:  # fmt: skip
    found = require_kind(dy, is_float, "floats")
    require_counts(found.shape[2:], window_counts(input_shape, kernel, stride, padding))
    _require_mean(input_shape, kernel, stride, padding, count_include_pad, divisor)
    return TensorType(found.dtype, (*found.shape[:2], *input_shape))


@primitive(
    type=_avg_pool_grad_type, linear=(0,), canonical=canonical_spatial, traits={Trait.REASSOCIATES}
)
def avg_pool_grad(
    dy,
    *,
    input_shape,
    kernel,
    stride: Any = 1,
    padding: Any = 0,
    count_include_pad=True,
    divisor=None,
):
    """Cotangent of the input of `avg_pool`: its transpose.

    Parameters
    ----------
    dy : Tensor of floats, shape (N, C, windows...)
    input_shape : tuple of int, one a spatial axis
    kernel, stride, padding, count_include_pad, divisor
        As in `avg_pool`.

    Returns
    -------
    Tensor of the dtype of `dy`, shape (N, C, input_shape...); 0 where no window reaches

    Raises
    ------
    S2sadError
        As `avg_pool`; E0401 also if `dy` has not the sizes that it gives for `input_shape`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.avg_pool_grad(np.array([[[1.0, 3.0]]]), input_shape=(3,), kernel=2)
    array([[[0.5, 2. , 1.5]]])
    """
    return kernels.avg_pool_input_grad(
        dy, input_shape=input_shape, kernel=kernel, stride=stride, padding=padding,
        count_include_pad=count_include_pad, divisor=divisor,
    )  # fmt: skip


@avg_pool_grad.adjoint
def avg_pool_grad_adjoint(dy, out, dout, *, kernel, stride, padding, count_include_pad, divisor):
    ddy = avg_pool(
        dout, kernel=kernel, stride=stride, padding=padding, count_include_pad=count_include_pad,
        divisor=divisor,
    )  # fmt: skip
    return (ddy,)
