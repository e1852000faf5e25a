"""What does a filter give that slides over one, two or three spatial axes?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.affine import bias_add
from s2sad.ops.promotion import promote, require_tensor
from s2sad.ops.settings import integer
from s2sad.ops.spatial import (
    Pairs,
    Sizes,
    mode_of,
    padded_by,
    pairs_of,
    require_axes,
    require_fit,
    sizes_of,
)
from s2sad.prims.conv import conv, conv_transpose


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Convolution over one spatial axis; see `conv2d`.

    Parameters
    ----------
    input : Tensor of floats, shape (N, C, L)
    weight : Tensor, shape (M, C / groups, kernel)

    Examples
    --------
    >>> import s2sad as ms
    >>> x, w = ms.Tensor([[[1.0, 2.0, 4.0]]]), ms.Tensor([[[-1.0, 1.0]]])
    >>> conv1d(x, w).asnumpy()
    array([[[1., 2.]]], dtype=float32)
    """
    return convolved("conv1d", 1, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Convolution as deep learning means it: cross-correlation of `input` with filters.

    Parameters
    ----------
    input : Tensor of floats, shape (N, C, H, W)
    weight : Tensor, shape (M, C / groups, kernel height, kernel width)
        The filters; those of a group see the channels of that group.
    bias : Tensor, shape (M,), optional
    stride, dilation : int, or tuple of int, one a spatial axis
    pad_mode : {"valid", "same", "pad"}
        No padding; as much as gives ``ceil(size / stride)`` windows, the odd row below and the odd
        column at the right; or `padding`.
    padding : int, or tuple of int
        One a spatial axis, or two each, before and after; with ``pad_mode="pad"`` only.
    groups : int
        Divides C and M.

    Returns
    -------
    Tensor, shape (N, M, windows...)
        In the dtype in which `input` and `weight` meet.

    Raises
    ------
    S2sadError
        E0301 for integers, E0303 or E0404 for settings of another form or value, E0401 for shapes
        that do not go together, or windows that do not fit.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, w = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), ms.Tensor([[[[1.0, 10.0]]]])
    >>> conv2d(x, w).asnumpy(), conv2d(x, w, pad_mode="same").asnumpy()
    (array([[[[21.],
             [43.]]]], dtype=float32), array([[[[21.,  2.],
             [43.,  4.]]]], dtype=float32))
    """
    return convolved("conv2d", 2, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Convolution over three spatial axes; see `conv2d`.

    Parameters
    ----------
    input : Tensor of floats, shape (N, C, D, H, W)
    weight : Tensor, shape (M, C / groups, kernel...)

    Examples
    --------
    >>> import s2sad as ms
    >>> x, w = ms.Tensor([[[[[1.0, 2.0, 4.0]]]]]), ms.Tensor([[[[[-1.0, 1.0]]]]])
    >>> conv3d(x, w).asnumpy()
    array([[[[[1., 2.]]]]], dtype=float32)
    """
    return convolved("conv3d", 3, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def convolved(
    name: str, rank: int, input: Any, weight: Any, bias: Any, stride: Any, pad_mode: str,
    padding: Any, dilation: Any, groups: int,
) -> Any:  # fmt: skip
    """`conv2d` over `rank` spatial axes, under the name by which messages call it."""
    x, w = _operands(name, rank, input, weight)
    stride = sizes_of("stride", stride, rank)
    dilation = sizes_of("dilation", dilation, rank)
    mode = mode_of(pad_mode, padding)
    _require_channels(name, x.shape, w.shape, 1, integer("groups", groups, 1))
    padding = padded_by(mode, padding, x.shape[2:], w.shape[2:], stride, dilation)
    require_fit(
        f"{name} of shapes {x.shape} and {w.shape}", x.shape, w.shape[2:], padding, dilation
    )
    out = conv(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups)
    return out if bias is None else bias_add(out, bias)


def _operands(name: str, rank: int, input: Any, weight: Any) -> tuple[Any, ...]:
    x, w = require_axes(name, input, rank + 2), require_tensor(weight, name)
    if w.ndim != rank + 2:
        raise fail("E0401", f"the weight of {name} has {rank + 2} axes, got the shape {w.shape}")
    return promote(x, w)


def _require_channels(name: str, x: Any, w: Any, axis: int, groups: int) -> None:
    """The channels of inputs and filters (at their `axis`) fit, as do filters and groups."""
    seen = w[1] * groups if axis == 1 else w[0]
    if dims.same(x[1], seen) is False:
        among = f" times {groups} groups" if axis == 1 and groups > 1 else ""
        raise fail(
            "E0401", f"{name} of shapes {x} and {w}: the input has {x[1]} channels (axis 1), the "
            f"weight takes {w[axis]}{among} (axis {axis})",
            help="ops.moveaxis(x, -1, 1) brings channels from the end to axis 1"
            if dims.same(x[-1], seen) else None,
        )  # fmt: skip
    if dims.same(w[0] % groups, 0) is False:
        raise fail("E0401", f"{name}: {w[0]} filters (axis 0 of {w}) in {groups} groups")


def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """Transposed convolution: each element of `input` adds a multiple of the filter to the output.

    Parameters
    ----------
    input : Tensor of floats, shape (N, M, H, W)
    weight : Tensor, shape (M, C / groups, kernel height, kernel width)
    bias : Tensor, shape (C,), optional
    stride, dilation, groups
        As in `conv2d`.
    padding : int, or tuple of int
        How much is cut off at the ends: one a spatial axis, or two each.
    output_padding : int, or tuple of int, one a spatial axis
        By how much longer the output is below and at the right.

    Returns
    -------
    Tensor, shape (N, C, sizes...)
        A size is ``(n - 1)*stride + dilation*(k - 1) + 1 - before - after + output_padding``.

    Raises
    ------
    S2sadError
        As `conv2d`; E0401 also if nothing is left.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, w = ms.Tensor([[[[1.0, 10.0]]]]), ms.Tensor([[[[2.0, 3.0]]]])
    >>> conv_transpose2d(x, w, stride=(1, 2)).asnumpy()
    array([[[[ 2.,  3., 20., 30.]]]], dtype=float32)
    """
    cut = pairs_of(padding, 2)
    return transposed(
        "conv_transpose2d", 2, input, weight, bias, sizes_of("stride", stride, 2), cut,
        sizes_of("output_padding", output_padding, 2, least=0),
        sizes_of("dilation", dilation, 2), integer("groups", groups, 1),
    )  # fmt: skip


def transposed(
    name: str, rank: int, input: Any, weight: Any, bias: Any, stride: Sizes, cut: Pairs,
    output_padding: Sizes, dilation: Sizes, groups: int,
) -> Any:  # fmt: skip
    """`conv_transpose2d` over `rank` spatial axes, under the name by which messages call it."""
    x, w = _operands(name, rank, input, weight)
    _require_channels(name, x.shape, w.shape, 0, groups)
    out = conv_transpose(
        x, w, stride=stride, padding=cut, output_padding=output_padding, dilation=dilation,
        groups=groups,
    )  # fmt: skip
    return out if bias is None else bias_add(out, bias)
