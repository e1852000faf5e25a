"""How do filters slide over one, two or three spatial axes: convolution?

Tensors have the axes (batch N, channel C, spatial...). Every window must fit into the padded input
(`s2sad.prims.spatial`). The three convolutions are bilinear, and each is an adjoint of the others,
so derivatives of any order stay among them.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.dims import Dim
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type
from s2sad.prims.define import composite, primitive
from s2sad.prims.kernels import window as kernels
from s2sad.prims.rules import is_float, one_dtype, require_kind, tensor
from s2sad.prims.shape import Shape, pad
from s2sad.prims.spatial import (
    Pairs,
    canonical_spatial,
    require_counts,
    spatial_rank,
    window_counts,
)


def _require_axes(x: TensorType, w: TensorType, name: str) -> None:
    spatial_rank(x, name)
    if x.ndim != w.ndim:
        raise fail("E0401", f"{name} needs operands of one rank, got {x} and {w}")


def _require_division(channels: Dim, groups: int, what: str) -> None:
    if groups > 1:
        remainder = channels % groups
        dims.require_same(remainder, 0, f"the remainder of {channels} {what} in {groups} groups, 0")


def _conv_type(
    x: Type, w: Type, *, stride: Any, padding: Pairs, dilation: Any, groups: int
) -> TensorType:
    dtype = one_dtype(require_kind(x, is_float, "floats"), w)
    data, filters = tensor(x), tensor(w)
    _require_axes(data, filters, "conv")
    channels = f"the channels of the input (axis 1) and of the filters (axis 1, {groups} groups)"
    dims.require_same(data.shape[1], filters.shape[1] * groups, channels)
    _require_division(filters.shape[0], groups, "filters")
    counts = window_counts(data.shape[2:], filters.shape[2:], stride, padding, dilation)
    return TensorType(dtype, (data.shape[0], filters.shape[0], *counts))


@primitive(type=_conv_type, linear=(0, 1), canonical=canonical_spatial, traits={Trait.REASSOCIATES})
def conv(x, w, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups=1):
    """Convolution as deep learning means it: cross-correlation of `x` with the filters `w`.

    Parameters
    ----------
    x : Tensor of floats, shape (N, C, spatial...)
        One to three spatial axes.
    w : Tensor of the same dtype, shape (M, C / groups, kernel...)
    stride, dilation : int or tuple of int, one a spatial axis
    padding : int, or tuple with an int or a pair (before, after) a spatial axis
        How many zeros.
    groups : int
        Divides C and M; the filters of a group see the channels of that group.

    Returns
    -------
    Tensor, shape (N, M, windows...)
        Narrow floats are summed in float32 and rounded once.

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 or E0404 for attributes, E0401 if channels, groups or sizes do not
        fit or no window does, E0402 if a symbol leaves that open.

    Notes
    -----
    Adjoints: `conv_input_grad` and `conv_filter_grad`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.conv(np.arange(5.0).reshape(1, 1, 5), np.array([[[1.0, -1.0]]]), stride=2)
    array([[[-1., -1.]]])
    """
    return kernels.conv(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups)


@conv.adjoint
def conv_adjoint(x, w, out, dout, *, stride, padding, dilation, groups):
    dx = conv_input_grad(
        dout, w, input_shape=x.shape[2:], stride=stride, padding=padding, dilation=dilation,
        groups=groups,
    )  # fmt: skip
    dw = conv_filter_grad(
        x, dout, kernel_shape=w.shape[2:], stride=stride, padding=padding, dilation=dilation,
        groups=groups,
    )  # fmt: skip
    return dx, dw


def _conv_input_grad_type(
    dy: Type, w: Type, *, input_shape: Shape, stride: Any, padding: Pairs, dilation: Any,
    groups: int,
) -> TensorType:  # fmt: skip
    dtype = one_dtype(require_kind(dy, is_float, "floats"), w)
    windows, filters = tensor(dy), tensor(w)
    _require_axes(windows, filters, "conv_input_grad")
    what = "the channels of dy (axis 1) and the filters (axis 0)"
    dims.require_same(windows.shape[1], filters.shape[0], what)
    _require_division(filters.shape[0], groups, "filters")
    counts = window_counts(input_shape, filters.shape[2:], stride, padding, dilation)
    require_counts(windows.shape[2:], counts)
    return TensorType(dtype, (windows.shape[0], filters.shape[1] * groups, *input_shape))


@primitive(
    type=_conv_input_grad_type,
    linear=(0, 1),
    canonical=canonical_spatial,
    traits={Trait.REASSOCIATES},
)
def conv_input_grad(
    dy, w, *, input_shape, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups=1
):
    """Cotangent of the input of `conv`: its transpose in `x`, also called transposed convolution.

    Parameters
    ----------
    dy : Tensor of floats, shape (N, M, windows...)
    w : Tensor of the same dtype, shape (M, C / groups, kernel...)
    input_shape : tuple of int, one a spatial axis
        Sizes of the input, which the stride leaves open.
    stride, padding, dilation, groups
        As in `conv`.

    Returns
    -------
    Tensor, shape (N, C, input_shape...); 0 where no window reaches

    Raises
    ------
    S2sadError
        As `conv`; E0401 also if `conv` gives other sizes for `input_shape` than `dy` has.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> w = np.array([[[2.0, 3.0]]])
    >>> p.conv_input_grad(np.array([[[1.0, 10.0]]]), w, input_shape=(3,))
    array([[[ 2., 23., 30.]]])
    """
    return kernels.conv_input_grad(
        dy, w, input_shape=input_shape, stride=stride, padding=padding, dilation=dilation,
        groups=groups,
    )  # fmt: skip


@conv_input_grad.adjoint
def conv_input_grad_adjoint(dy, w, out, dout, *, stride, padding, dilation, groups):
    dw = conv_filter_grad(
        dout, dy, kernel_shape=w.shape[2:], stride=stride, padding=padding, dilation=dilation,
        groups=groups,
    )  # fmt: skip
    return conv(dout, w, stride=stride, padding=padding, dilation=dilation, groups=groups), dw


def _conv_filter_grad_type(
    x: Type, dy: Type, *, kernel_shape: Shape, stride: Any, padding: Pairs, dilation: Any,
    groups: int,
) -> TensorType:  # fmt: skip
    dtype = one_dtype(require_kind(x, is_float, "floats"), dy)
    data, windows = tensor(x), tensor(dy)
    _require_axes(data, windows, "conv_filter_grad")
    what = "the batch sizes (axis 0) of the input and of dy"
    dims.require_same(data.shape[0], windows.shape[0], what)
    _require_division(data.shape[1], groups, "channels")
    _require_division(windows.shape[1], groups, "filters")
    counts = window_counts(data.shape[2:], kernel_shape, stride, padding, dilation)
    require_counts(windows.shape[2:], counts)
    return TensorType(dtype, (windows.shape[1], data.shape[1] // groups, *kernel_shape))


@primitive(
    type=_conv_filter_grad_type,
    linear=(0, 1),
    canonical=canonical_spatial,
    traits={Trait.REASSOCIATES},
)
def conv_filter_grad(
    x, dy, *, kernel_shape, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups=1
):
    """Cotangent of the filters of `conv`: its transpose in `w`.

    Parameters
    ----------
    x : Tensor of floats, shape (N, C, spatial...)
    dy : Tensor of the same dtype, shape (N, M, windows...)
    kernel_shape : tuple of int, one a spatial axis
    stride, padding, dilation, groups
        As in `conv`.

    Returns
    -------
    Tensor, shape (M, C / groups, kernel_shape...)

    Raises
    ------
    S2sadError
        As `conv`; E0401 also if `dy` has another batch size or number of windows.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> x = np.arange(3.0).reshape(1, 1, 3)
    >>> p.conv_filter_grad(x, np.array([[[1.0, 10.0]]]), kernel_shape=(2,))
    array([[[10., 21.]]])
    """
    return kernels.conv_filter_grad(
        x, dy, kernel_shape=kernel_shape, stride=stride, padding=padding, dilation=dilation,
        groups=groups,
    )  # fmt: skip


@conv_filter_grad.adjoint
def conv_filter_grad_adjoint(x, dy, out, dout, *, stride, padding, dilation, groups):
    dx = conv_input_grad(
        dy, dout, input_shape=x.shape[2:], stride=stride, padding=padding, dilation=dilation,
        groups=groups,
    )  # fmt: skip
    return dx, conv(x, dout, stride=stride, padding=padding, dilation=dilation, groups=groups)


@composite(canonical=canonical_spatial)
def conv_transpose(
    x, w, *, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, dilation: Any = 1, groups=1
):
    """Transposed convolution: each element of `x` adds a multiple of the filter to the output.

    Parameters
    ----------
    x : Tensor of floats, shape (N, M, spatial...)
    w : Tensor of the same dtype, shape (M, C / groups, kernel...)
    stride, dilation, groups
        As in `conv`.
    padding : int, or tuple with an int or a pair (before, after) a spatial axis
        How much is cut off at the ends.
    output_padding : int or tuple of int
        By how much longer the output is at its end: cut off less, or zeros where nothing reaches.

    Returns
    -------
    Tensor, shape (N, C, sizes...)
        A size is ``(n - 1)*stride + dilation*(k - 1) + 1 - before - after + output_padding``.

    Raises
    ------
    S2sadError
        As `conv`; E0401 also if nothing is left.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> x, w = np.array([[[1.0, 10.0]]]), np.array([[[2.0, 3.0]]])
    >>> p.conv_transpose(x, w, stride=2, output_padding=1)
    array([[[ 2.,  3., 20., 30.,  0.]]])
    """
    _require_axes(x.tensor_type, w.tensor_type, "conv_transpose")
    cut = tuple((a, max(b - more, 0)) for (a, b), more in zip(padding, output_padding, strict=True))
    beyond = tuple(max(o - b, 0) for (_, b), o in zip(padding, output_padding, strict=True))
    sizes = _transposed_sizes(x.shape[2:], w.shape[2:], stride, cut, dilation)
    y = conv_input_grad(
        x, w, input_shape=sizes, stride=stride, padding=cut, dilation=dilation, groups=groups
    )
    if not any(beyond):
        return y
    return pad(y, 0, low=(0,) * x.ndim, high=(0, 0, *beyond))


def _transposed_sizes(
    spatial: Shape, kernel: Shape, stride: Any, cut: Pairs, dilation: Any
) -> Shape:
    facts = zip(spatial, kernel, stride, cut, dilation, strict=True)
    sizes = tuple((n - 1) * s + d * (k - 1) + 1 - a - b for n, k, s, (a, b), d in facts)
    for axis, size in enumerate(sizes, 2):
        if dims.less(size, 1):
            raise fail("E0401", f"the padding of conv_transpose leaves nothing of axis {axis}")
    return sizes
