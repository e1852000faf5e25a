"""Which convolutions are Cells, and which Parameters do they have?"""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.nn.affine import set_affine
from s2sad.ops.conv import convolved, transposed
from s2sad.ops.settings import flag, integer
from s2sad.ops.spatial import mode_of, pairs_of, require_layout, sizes_of


class _Conv(Cell):
    """Filters and settings of a convolution; subclasses say over how many axes."""

    RANK: ClassVar[int]
    IS_TRANSPOSED: ClassVar[bool] = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.in_channels = integer("in_channels", in_channels, 1)
        self.out_channels = integer("out_channels", out_channels, 1)
        self.kernel_size = sizes_of("kernel_size", kernel_size, self.RANK)
        self.stride = sizes_of("stride", stride, self.RANK)
        self.dilation = sizes_of("dilation", dilation, self.RANK)
        self.pad_mode = mode_of(pad_mode, padding)
        self.padding = padding
        pairs_of(padding, self.RANK)  # refused here, not in a call
        self.group = integer("group", group, 1)
        for name, count in (("in_channels", in_channels), ("out_channels", out_channels)):
            if count % group:
                raise fail(
                    "E0404", f"group must divide {name}, got {group} and {count}",
                    help="each group takes as many of the channels",
                )  # fmt: skip
        self.has_bias = flag("has_bias", has_bias)
        set_affine(
            self, self._weight_shape(), out_channels, has_bias, weight_init, bias_init, dtype
        )
        self._set_ends(0)

    def _set_ends(self, output_padding: Any) -> None:
        """What a transposed convolution cuts off, and what it adds."""

    def _weight_shape(self) -> tuple[int, ...]:
        first, second = self.out_channels, self.in_channels
        if self.IS_TRANSPOSED:
            first, second = second, first
        between = (1,) if self.RANK == 1 else ()  # MindSpore computes those as if they were 2-d
        return (first, second // self.group, *between, *self.kernel_size)

    def filters(self) -> Any:
        """`weight` with one kernel axis a spatial axis."""
        if self.RANK > 1:
            return self.weight
        return ops.reshape(self.weight, self.weight.shape[:2] + self.kernel_size)

    def construct(self, x: Any) -> Any:
        return convolved(
            self.cls_name, self.RANK, x, self.filters(), self.bias, self.stride, self.pad_mode,
            self.padding, self.dilation, self.group,
        )  # fmt: skip

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
            f"has_bias={self.has_bias}"
        )


class Conv1d(_Conv):
    """Convolution over one spatial axis; see `Conv2d`.

    Attributes
    ----------
    weight : Parameter, shape (out_channels, in_channels / group, 1, kernel)
        With an axis of size 1, as MindSpore stores it.
    bias : Parameter, shape (out_channels,), or None

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Conv1d(1, 1, 2, pad_mode="valid", weight_init="ones")
    >>> net(ms.Tensor([[[1.0, 2.0, 4.0]]])).asnumpy()
    array([[[3., 6.]]], dtype=float32)
    """

    RANK = 1


class Conv2d(_Conv):
    """Convolution of images, of shape (N, C, H, W), with filters that are learned.

    Parameters
    ----------
    in_channels, out_channels : int
    kernel_size, stride, dilation : int, or tuple of two int
    pad_mode : {"same", "valid", "pad"}
        As of `ops.conv2d`. Mind the default: there are ``ceil(size / stride)`` windows.
    padding : int, or tuple of four int
        Above, below, left, right; with ``pad_mode="pad"`` only.
    group : int
        Divides both numbers of channels; the filters of a group see its channels.
    has_bias : bool
    weight_init, bias_init : initializer, optional
        ``HeUniform(sqrt(5))`` and ``U(-1/sqrt(fan_in), 1/sqrt(fan_in))`` by default.
    data_format : {"NCHW"}
    dtype : DType
        Of the parameters.

    Attributes
    ----------
    weight : Parameter, shape (out_channels, in_channels / group, kernel height, kernel width)
    bias : Parameter, shape (out_channels,), or None

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, those of `initializer`; in a call
        those of `ops.conv2d`.

    Examples
    --------
    >>> import numpy as np
    >>> import s2sad as ms
    >>> net = ms.nn.Conv2d(1, 6, 5, pad_mode="valid")
    >>> net(ms.Tensor(np.zeros((32, 1, 28, 28), np.float32))).shape
    (32, 6, 24, 24)
    """

    RANK = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        dtype: DType = dtypes.float32,
    ) -> None:
        require_layout("Conv2d", data_format, "NCHW")
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip


class Conv3d(_Conv):
    """Convolution of volumes, of shape (N, C, D, H, W); see `Conv2d`.

    Attributes
    ----------
    weight : Parameter, shape (out_channels, in_channels / group, kernel...)
    bias : Parameter, shape (out_channels,), or None
    """

    RANK = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: DType = dtypes.float32,
    ) -> None:
        require_layout("Conv3d", data_format, "NCDHW")
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip


class _ConvTranspose(_Conv):
    """A transposed convolution: its ends follow from how it is padded."""

    IS_TRANSPOSED = True

    def _set_ends(self, output_padding: Any) -> None:
        extra = sizes_of("output_padding", output_padding, self.RANK, least=0)
        if self.pad_mode == "pad":
            self.cut, self.output_padding = pairs_of(self.padding, self.RANK), extra
            return
        if any(extra):
            raise fail("E0404", f"output_padding goes with pad_mode='pad', got {output_padding!r}")
        facts = zip(self.kernel_size, self.stride, self.dilation, strict=True)
        # By how much a window reaches beyond the next: with "same" that is cut off.
        over = [d * (k - 1) + 1 - s for k, s, d in facts]
        cut = [max(o, 0) if self.pad_mode == "same" else 0 for o in over]
        self.cut = tuple((c // 2, c - c // 2) for c in cut)
        self.output_padding = tuple(max(-o, 0) for o in over)

    def construct(self, x: Any) -> Any:
        return transposed(
            self.cls_name, self.RANK, x, self.filters(), self.bias, self.stride, self.cut,
            self.output_padding, self.dilation, self.group,
        )  # fmt: skip


class Conv1dTranspose(_ConvTranspose):
    """Transposed convolution over one spatial axis; see `Conv2dTranspose`.

    Attributes
    ----------
    weight : Parameter, shape (in_channels, out_channels / group, 1, kernel)
        With an axis of size 1, as MindSpore stores it.
    bias : Parameter, shape (out_channels,), or None
    """

    RANK = 1


class Conv2dTranspose(_ConvTranspose):
    """Transposed convolution, which makes images larger by `stride`.

    Parameters
    ----------
    in_channels, out_channels : int
    kernel_size, stride, dilation : int, or tuple of two int
    pad_mode : {"same", "valid", "pad"}
        An axis of n elements gets ``n * stride``, or ``n * stride + max(reach - stride, 0)`` where
        ``reach`` is ``dilation * (kernel_size - 1) + 1``, or ``(n - 1) * stride + reach`` less the
        padding, plus `output_padding`.
    padding : int, or tuple of four int
        Cut off above, below, left, right; with ``pad_mode="pad"`` only.
    output_padding : int, or tuple of two int
        With ``pad_mode="pad"`` only.
    group, has_bias, weight_init, bias_init, dtype
        As of `Conv2d`.

    Attributes
    ----------
    weight : Parameter, shape (in_channels, out_channels / group, kernel height, kernel width)
    bias : Parameter, shape (out_channels,), or None

    Raises
    ------
    S2sadError
        As `Conv2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Conv2dTranspose(1, 1, 3, stride=2, weight_init="ones")
    >>> net(ms.Tensor([[[[1.0, 10.0]]]])).asnumpy()
    array([[[[ 1.,  1., 11., 10.],
             [ 1.,  1., 11., 10.]]]], dtype=float32)
    """

    RANK = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip
        self._set_ends(output_padding)


class Conv3dTranspose(_ConvTranspose):
    """Transposed convolution of volumes; see `Conv2dTranspose`.

    Attributes
    ----------
    weight : Parameter, shape (in_channels, out_channels / group, kernel...)
    bias : Parameter, shape (out_channels,), or None
    """

    RANK = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        output_padding: Any = 0,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: DType = dtypes.float32,
    ) -> None:
        require_layout("Conv3dTranspose", data_format, "NCDHW")
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip
        self._set_ends(output_padding)
