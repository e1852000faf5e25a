"""Which objects slide filters over images?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops.affine import bias_add
from s2sad.ops.conv import convolved, transposed
from s2sad.ops.primitives.base import primitive
from s2sad.ops.primitives.checks import count, layout, sizes
from s2sad.ops.promotion import require_tensor
from s2sad.ops.spatial import Sizes, mode_of, padded_by
from s2sad.prims.shape import require_shape


def _one(name: str, given: Any) -> int:
    """The only convolution that there is (E0404)."""
    if given != 1:
        raise fail("E0404", f"{name} is 1, got {given!r}")
    return given


def _require_filters(what: str, weight: Any, channels: int, kernel: Sizes) -> None:
    """E0401 unless the filters are those that the settings speak of."""
    shape = require_tensor(weight, what).shape
    if len(shape) == len(kernel) + 2:
        require_shape(shape, (channels, shape[1], *kernel), f"the weight of {what}")


@primitive(
    out_channel=count, kernel_size=sizes(2), mode=_one, stride=sizes(2), dilation=sizes(2),
    group=count, data_format=layout("Conv2D", "NCHW"),
)  # fmt: skip
def Conv2D(
    x: Any, weight: Any, *, out_channel: int, kernel_size: Any, mode: int = 1,
    pad_mode: str = "valid", pad: Any = 0, stride: Any = 1, dilation: Any = 1, group: int = 1,
    data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """Convolution of images of shape (N, C, H, W), as deep learning means it: `ops.conv2d`.

    The shape of `weight` is (out_channel, C / group, kernel_size...); `pad` goes with
    ``pad_mode="pad"``.

    Raises
    ------
    S2sadError
        E0401 for a `weight` of another shape; those of `ops.conv2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, w = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), ms.Tensor([[[[1.0, 10.0]]]])
    >>> Conv2D(1, (1, 2))(x, w).tolist()
    [[[[21.0], [43.0]]]]
    """
    _require_filters("Conv2D", weight, out_channel, kernel_size)
    return convolved("Conv2D", 2, x, weight, None, stride, pad_mode, pad, dilation, group)


@primitive(
    out_channel=count, kernel_size=sizes(3), mode=_one, stride=sizes(3), dilation=sizes(3),
    group=count, data_format=layout("Conv3D", "NCDHW"),
)  # fmt: skip
def Conv3D(
    x: Any, weight: Any, *, out_channel: int, kernel_size: Any, mode: int = 1,
    pad_mode: str = "valid", pad: Any = 0, stride: Any = 1, dilation: Any = 1, group: int = 1,
    data_format: str = "NCDHW",
) -> Any:  # fmt: skip
    """Convolution of volumes of shape (N, C, D, H, W): `ops.conv3d`; see `Conv2D`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, w = ms.Tensor([[[[[1.0, 2.0, 4.0]]]]]), ms.Tensor([[[[[-1.0, 1.0]]]]])
    >>> Conv3D(1, (1, 1, 2))(x, w).tolist()
    [[[[[1.0, 2.0]]]]]
    """
    _require_filters("Conv3D", weight, out_channel, kernel_size)
    return convolved("Conv3D", 3, x, weight, None, stride, pad_mode, pad, dilation, group)


@primitive(
    out_channel=count, kernel_size=sizes(2), mode=_one, stride=sizes(2), dilation=sizes(2),
    group=count, data_format=layout("Conv2DTranspose", "NCHW"),
)  # fmt: skip
def Conv2DTranspose(
    dout: Any, weight: Any, input_size: Any, *, out_channel: int, kernel_size: Any,
    pad_mode: str = "valid", pad: Any = 0, pad_list: Any = None, mode: int = 1, stride: Any = 1,
    dilation: Any = 1, group: int = 1, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """Transposed convolution: the gradient of such a `Conv2D`, of shape `input_size`.

    Shapes are (N, out_channel, H, W) of `dout` and (out_channel, C / group, kernel_size...) of
    `weight`. `pad_list` is not looked at.

    Raises
    ------
    S2sadError
        E0401 for shapes that do not go together; those of `ops.conv_transpose2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> dout, w = ms.Tensor([[[[1.0, 10.0]]]]), ms.Tensor([[[[2.0, 3.0]]]])
    >>> Conv2DTranspose(1, (1, 2), stride=(1, 2))(dout, w, (1, 1, 1, 4)).tolist()
    [[[[2.0, 3.0, 20.0, 30.0]]]]
    """
    return _transposed(
        "Conv2DTranspose", dout, weight, input_size, out_channel, kernel_size, pad_mode, pad,
        stride, dilation, group,
    )  # fmt: skip


@primitive(
    out_channel=count, kernel_size=sizes(2), mode=_one, stride=sizes(2), dilation=sizes(2),
    group=count, data_format=layout("Conv2DBackpropInput", "NCHW"),
)  # fmt: skip
def Conv2DBackpropInput(
    doutput: Any, filter: Any, input_sizes: Any, *, out_channel: int, kernel_size: Any,
    pad_mode: str = "valid", pad: Any = 0, pad_list: Any = None, mode: int = 1, stride: Any = 1,
    dilation: Any = 1, group: int = 1, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """`Conv2DTranspose` under another name.

    Examples
    --------
    >>> import s2sad as ms
    >>> dout, w = ms.Tensor([[[[1.0, 10.0]]]]), ms.Tensor([[[[2.0, 3.0]]]])
    >>> Conv2DBackpropInput(1, (1, 2))(dout, w, (1, 1, 1, 3)).tolist()
    [[[[2.0, 23.0, 30.0]]]]
    """
    return _transposed(
        "Conv2DBackpropInput", doutput, filter, input_sizes, out_channel, kernel_size, pad_mode,
        pad, stride, dilation, group,
    )  # fmt: skip


def _transposed(
    what: str, x: Any, weight: Any, size: Any, out_channel: int, kernel: Sizes, pad_mode: str,
    pad: Any, stride: Sizes, dilation: Sizes, group: int,
) -> Any:  # fmt: skip
    _require_filters(what, weight, out_channel, kernel)
    if not isinstance(size, (tuple, list)) or len(size) != 4:
        raise fail("E0303", f"{what} takes the shape of its result, four ints, got {size!r}")
    mode = mode_of(pad_mode, pad)
    cut = padded_by(mode, pad, tuple(size[2:]), kernel, stride, dilation)
    each = zip(require_tensor(x, what).shape[2:], kernel, stride, dilation, cut, strict=True)
    least = [(n - 1) * s + d * (k - 1) + 1 - sum(ends) for n, k, s, d, ends in each]
    more = tuple(wanted - found for wanted, found in zip(size[2:], least, strict=True))
    if not all(0 <= extra < step for extra, step in zip(more, stride, strict=True)):
        raise fail(
            "E0401", f"{what} of the shape {tuple(x.shape)} has no result of the shape "
            f"{tuple(size)}: it is {tuple(least)} at least, and shorter than that plus the stride",
        )  # fmt: skip
    out = transposed(what, 2, x, weight, None, stride, cut, more, dilation, group)
    require_shape(out.shape, tuple(size), f"the result of {what}")
    return out


@primitive(data_format=layout("BiasAdd", "NCHW", "NCDHW"))
def BiasAdd(input_x: Any, bias: Any, *, data_format: str = "NCHW") -> Any:
    """A number a channel, which is axis 1, added to `input_x`: `ops.bias_add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> BiasAdd()(ms.Tensor([[1.0, 2.0]]), ms.Tensor([0.5, 10.0])).tolist()
    [[1.5, 12.0]]
    """
    return bias_add(input_x, bias)
