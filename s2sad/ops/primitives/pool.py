"""Which objects pool?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import adaptive_pool
from s2sad.ops.pool import avg_pooled, max_pooled
from s2sad.ops.primitives.base import Check, primitive
from s2sad.ops.primitives.checks import layout, sizes
from s2sad.ops.settings import flag
from s2sad.ops.spatial import mode_of

ONES = {2: (1, 1), 3: (1, 1, 1)}


def _mode(name: str, given: Any) -> str:
    """A way of padding, without padding of its own."""
    return mode_of(given, 0)


PLANE: dict[str, Check] = {
    "kernel_size": sizes(2), "strides": sizes(2), "pad_mode": _mode,
    "data_format": layout("pooling", "NCHW"),
}  # fmt: skip
VOLUME: dict[str, Check] = {
    "kernel_size": sizes(3), "strides": sizes(3), "pad_mode": _mode,
    "data_format": layout("pooling", "NCDHW"),
}  # fmt: skip


@primitive(**PLANE)
def MaxPool(
    input: Any, *, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid",
    data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """Largest element of each window of images, of shape (N, C, H, W).

    `pad_mode` is "valid" or "same", in small or large letters, as of `ops.conv2d`.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; those of `ops.max_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> MaxPool((1, 2), 1, "VALID")(ms.Tensor([[[[1.0, 4.0, 3.0]]]])).tolist()
    [[[[4.0, 4.0]]]]
    """
    return max_pooled("MaxPool", 2, input, kernel_size, strides, pad_mode, 0, ONES[2], False, False)


@primitive(**PLANE)
def AvgPool(
    x: Any, *, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid",
    data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """Mean of each window of images, of shape (N, C, H, W); see `MaxPool`. Padding never counts.

    Examples
    --------
    >>> import s2sad as ms
    >>> AvgPool((1, 2))(ms.Tensor([[[[1.0, 4.0, 2.0]]]])).tolist()
    [[[[2.5, 3.0]]]]
    """
    return avg_pooled("AvgPool", 2, x, kernel_size, strides, pad_mode, 0, False, True, None)


@primitive(**PLANE)
def MaxPoolWithArgmax(
    x: Any, *, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid",
    data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """What `MaxPool` gives, and where in the plane of its channel each element was.

    Examples
    --------
    >>> import s2sad as ms
    >>> found = MaxPoolWithArgmax((1, 2))(ms.Tensor([[[[1.0, 4.0, 3.0]]]]))
    >>> [x.tolist() for x in found]
    [[[[[4.0, 4.0]]]], [[[[1, 1]]]]]
    """
    return max_pooled(
        "MaxPoolWithArgmax", 2, x, kernel_size, strides, pad_mode, 0, ONES[2], True, False
    )


@primitive(**{**VOLUME, "pad_mode": lambda name, given: given})
def MaxPool3D(
    x: Any, *, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID", pad_list: Any = 0,
    ceil_mode: bool | None = None, data_format: str = "NCDHW",
) -> Any:  # fmt: skip
    """Largest element of each window of volumes, of shape (N, C, D, H, W); see `MaxPool`.

    `pad_list`, an int or one for each side of an axis, goes with ``pad_mode="pad"``.

    Examples
    --------
    >>> import s2sad as ms
    >>> MaxPool3D((1, 1, 2))(ms.Tensor([[[[[1.0, 4.0, 3.0]]]]])).tolist()
    [[[[[4.0, 4.0]]]]]
    """
    return max_pooled(
        "MaxPool3D", 3, x, kernel_size, strides, mode_of(pad_mode, pad_list), pad_list, ONES[3],
        False, bool(ceil_mode),
    )  # fmt: skip


@primitive(
    **{**VOLUME, "pad_mode": lambda name, given: given}, ceil_mode=flag, count_include_pad=flag
)
def AvgPool3D(
    x: Any, *, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", pad: Any = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int = 0,
    data_format: str = "NCDHW",
) -> Any:  # fmt: skip
    """Mean of each window of volumes, of shape (N, C, D, H, W); see `ops.avg_pool3d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> AvgPool3D((1, 1, 2))(ms.Tensor([[[[[1.0, 4.0, 2.0]]]]])).tolist()
    [[[[[2.5, 3.0]]]]]
    """
    return avg_pooled(
        "AvgPool3D", 3, x, kernel_size, strides, mode_of(pad_mode, pad), pad, ceil_mode,
        count_include_pad, divisor_override or None,
    )  # fmt: skip


@primitive()
def AdaptiveAvgPool2D(x: Any, *, output_size: Any) -> Any:
    """Means of as many windows as `output_size` says: `ops.adaptive_avg_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> AdaptiveAvgPool2D((1, 2))(ms.Tensor([[[[1.0, 3.0, 5.0, 7.0]]]])).tolist()
    [[[[2.0, 6.0]]]]
    """
    return adaptive_pool.adaptive_avg_pool2d(x, output_size)


@primitive()
def AdaptiveAvgPool3D(x: Any, *, output_size: Any) -> Any:
    """Means of as many windows as `output_size` says: `ops.adaptive_avg_pool3d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> AdaptiveAvgPool3D(1)(ms.Tensor([[[[[1.0, 3.0, 5.0, 7.0]]]]])).tolist()
    [[[[[4.0]]]]]
    """
    return adaptive_pool.adaptive_avg_pool3d(x, output_size)


@primitive()
def AdaptiveMaxPool2D(x: Any, *, output_size: Any) -> tuple[Any, Any]:
    """Largest elements of as many windows as `output_size` says, and where they were.

    Examples
    --------
    >>> import s2sad as ms
    >>> found = AdaptiveMaxPool2D((1, 2))(ms.Tensor([[[[1.0, 3.0, 5.0, 7.0]]]]))
    >>> [x.tolist() for x in found]
    [[[[[3.0, 7.0]]]], [[[[1, 3]]]]]
    """
    return adaptive_pool.adaptive_max_pool2d(x, output_size, return_indices=True)
