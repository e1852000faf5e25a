"""Which Cells pool?"""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.ops.adaptive_pool import adaptive_max_pool3d
from s2sad.ops.pool import avg_pooled, max_pooled
from s2sad.ops.settings import flag, integer
from s2sad.ops.spatial import mode_of, pairs_of, require_layout, sizes_of


class _Pool(Cell):
    """Windows and how they are padded; subclasses say over how many axes."""

    RANK: ClassVar[int]

    def _set_windows(
        self, kernel_size: Any, stride: Any, pad_mode: str, padding: Any, ceil_mode: bool
    ) -> None:
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.pad_mode = mode_of(pad_mode, padding)
        self.padding = padding
        self.ceil_mode = flag("ceil_mode", ceil_mode)
        self.kernel = sizes_of("kernel_size", self.kernel_size, self.RANK)
        self.steps = sizes_of("stride", self.stride, self.RANK)
        pairs_of(padding, self.RANK)  # refused here, not in a call
        self._need_padding(ceil_mode=(ceil_mode, False))

    def _need_padding(self, **settings: tuple[Any, Any]) -> None:
        """Settings, each with its default, that only go with ``pad_mode="pad"``."""
        for name, (given, default) in settings.items():
            if self.pad_mode != "pad" and given != default:
                raise fail("E0404", f"{name}={given!r} of {self.cls_name} goes with pad_mode='pad'")

    def extend_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"pad_mode={self.pad_mode.upper()}"
        )


class _MaxPool(_Pool):
    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self._set_windows(kernel_size, stride, pad_mode, padding, ceil_mode)
        self.return_indices = flag("return_indices", return_indices)
        self.dilation = sizes_of("dilation", dilation, self.RANK)
        self._need_padding(
            return_indices=(return_indices, False), dilation=(self.dilation, (1,) * self.RANK)
        )

    def construct(self, x: Any) -> Any:
        return max_pooled(
            self.cls_name, self.RANK, x, self.kernel, self.steps, self.pad_mode, self.padding,
            self.dilation, self.return_indices, self.ceil_mode,
        )  # fmt: skip


class MaxPool1d(_MaxPool):
    """Largest element of each window of one axis; see `MaxPool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.MaxPool1d(2)(ms.Tensor([[[1.0, 4.0, 3.0]]])).asnumpy()
    array([[[4., 4.]]], dtype=float32)
    """

    RANK = 1


class MaxPool2d(_MaxPool):
    """Largest element of each window of images, of shape (N, C, H, W) or (C, H, W).

    Parameters
    ----------
    kernel_size : int, or tuple of two int
    stride : int or tuple of two int, optional
        Mind the default, which is 1; None stands for `kernel_size`.
    pad_mode : {"valid", "same", "pad"}
        As of `ops.conv2d`; in large letters too.
    padding, dilation, return_indices, ceil_mode
        As of `ops.max_pool2d`; with ``pad_mode="pad"`` only.
    data_format : {"NCHW"}

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call those of `ops.max_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.MaxPool2d((1, 2))(ms.Tensor([[[[1.0, 4.0, 3.0]]]])).asnumpy()
    array([[[[4., 4.]]]], dtype=float32)
    """

    RANK = 2

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        require_layout("MaxPool2d", data_format, "NCHW")
        super().__init__(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )


class MaxPool3d(_MaxPool):
    """Largest element of each window of volumes, of shape (N, C, D, H, W); see `MaxPool2d`."""

    RANK = 3


class _AvgPool(_Pool):
    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self._set_windows(kernel_size, stride, pad_mode, padding, ceil_mode)
        self.count_include_pad = flag("count_include_pad", count_include_pad)
        self.divisor_override = divisor_override
        if divisor_override is not None:
            integer("divisor_override", divisor_override, 1)
        self._need_padding(divisor_override=(divisor_override, None))

    def construct(self, x: Any) -> Any:
        return avg_pooled(
            self.cls_name, self.RANK, x, self.kernel, self.steps, self.pad_mode, self.padding,
            self.ceil_mode, self.count_include_pad, self.divisor_override,
        )  # fmt: skip


class AvgPool1d(_AvgPool):
    """Mean of each window of one axis; see `AvgPool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.AvgPool1d(2)(ms.Tensor([[[1.0, 4.0, 2.0]]])).asnumpy()
    array([[[2.5, 3. ]]], dtype=float32)
    """

    RANK = 1

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad)


class AvgPool2d(_AvgPool):
    """Mean of each window of images, of shape (N, C, H, W) or (C, H, W).

    Parameters
    ----------
    kernel_size : int, or tuple of two int
    stride : int or tuple of two int, optional
        Mind the default, which is 1; None stands for `kernel_size`.
    pad_mode : {"valid", "same", "pad"}
        As of `ops.conv2d`; with ``"same"`` padding does not count.
    padding, ceil_mode, divisor_override
        As of `ops.avg_pool2d`; with ``pad_mode="pad"`` only.
    count_include_pad : bool
        As of `ops.avg_pool2d`.
    data_format : {"NCHW"}

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call those of `ops.avg_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.AvgPool2d((1, 2), pad_mode="same")(ms.Tensor([[[[1.0, 4.0, 2.0]]]])).asnumpy()
    array([[[[2.5, 3. , 2. ]]]], dtype=float32)
    """

    RANK = 2

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        require_layout("AvgPool2d", data_format, "NCHW")
        super().__init__(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )


class AvgPool3d(_AvgPool):
    """Mean of each window of volumes, of shape (N, C, D, H, W); see `AvgPool2d`.

    With ``pad_mode="same"`` padding counts, unless `count_include_pad` is False.
    """

    RANK = 3


class _Adaptive(Cell):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extend_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """Mean of each of `output_size` windows of one axis; see `ops.adaptive_avg_pool1d`."""

    def construct(self, input: Any) -> Any:
        return ops.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """Mean of each of `output_size` windows; see `ops.adaptive_avg_pool2d`.

    Examples
    --------
    >>> import numpy as np
    >>> import s2sad as ms
    >>> ms.nn.AdaptiveAvgPool2d((None, 2))(ms.Tensor(np.ones((8, 3, 7, 5), np.float32))).shape
    (8, 3, 7, 2)
    """

    def construct(self, input: Any) -> Any:
        return ops.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_Adaptive):
    """Mean of each of `output_size` windows of three axes; see `ops.adaptive_avg_pool3d`."""

    def construct(self, input: Any) -> Any:
        return ops.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(_Adaptive):
    """Largest of each of `output_size` windows of one axis; see `ops.adaptive_max_pool1d`."""

    def construct(self, input: Any) -> Any:
        return ops.adaptive_max_pool1d(input, self.output_size)


class _Largest(_Adaptive):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = flag("return_indices", return_indices)


class AdaptiveMaxPool2d(_Largest):
    """Largest element of each of `output_size` windows; see `ops.adaptive_max_pool2d`."""

    def construct(self, input: Any) -> Any:
        return ops.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_Largest):
    """Largest of each of `output_size` windows of three axes; see `ops.adaptive_max_pool3d`."""

    def construct(self, input: Any) -> Any:
        return adaptive_max_pool3d(input, self.output_size, self.return_indices)
