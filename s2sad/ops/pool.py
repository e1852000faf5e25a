"""What does pooling make of each window: its largest element, or its mean?

Every function takes a tensor without its batch axis, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import flag
from s2sad.ops.spatial import (
    AXES,
    Pairs,
    Sizes,
    padded_by,
    require_fit,
    rounded_up,
    sizes_of,
)

# Largest elements


def max_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """Largest element of each window; the first of equal ones gets the gradient.

    Parameters
    ----------
    x : Tensor of numbers, shape (N, C, H, W) or (C, H, W)
    kernel_size, dilation : int, or tuple of two int
    stride : int or tuple of two int, optional
        `kernel_size` by default.
    padding : int, or tuple of int
        One a spatial axis, or two each, before and after. Never a maximum.
    return_indices : bool
        Whether to give the places of the maxima as well.
    ceil_mode : bool
        Whether a last window may reach beyond the end, as long as it begins before it.

    Returns
    -------
    Tensor, shape (N, C, windows...)
        With `return_indices` also a Tensor of int64: places in the spatial axes laid in a row.

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 or E0404 for settings of another form or value, E0401 for another
        number of axes or windows that do not fit.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[[1.0, 4.0, 3.0]]]])
    >>> max_pool2d(x, (1, 2), 1).asnumpy()
    array([[[[4., 4.]]]], dtype=float32)
    """
    return _max("max_pool2d", 2, x, kernel_size, stride, padding, dilation, return_indices,
                ceil_mode)  # fmt: skip


def max_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Largest element of each window of three axes; see `max_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> max_pool3d(ms.ops.ones((1, 1, 2, 2, 2)), 2).shape
    (1, 1, 1, 1, 1)
    """
    return _max("max_pool3d", 3, x, kernel_size, stride, padding, dilation, return_indices,
                ceil_mode)  # fmt: skip


def _max(
    name: str, rank: int, x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
    return_indices: bool, ceil_mode: bool,
) -> Any:  # fmt: skip
    stride = kernel_size if stride is None else stride
    return max_pooled(
        name, rank, x, sizes_of("kernel_size", kernel_size, rank), sizes_of("stride", stride, rank),
        "pad", padding, sizes_of("dilation", dilation, rank), return_indices, ceil_mode,
    )  # fmt: skip


def max_pooled(
    name: str, rank: int, x: Any, kernel: Sizes, stride: Sizes, mode: str, padding: Any,
    dilation: Sizes, return_indices: bool, ceil_mode: bool,
) -> Any:  # fmt: skip
    """`max_pool2d` over `rank` spatial axes, under the name by which messages call it."""

    flag("ceil_mode", ceil_mode)
    flag("return_indices", return_indices)

    def pool(batch: Any) -> Any:
        pairs = _padding(mode, padding, batch, kernel, stride, dilation)
        pairs = _with(pairs, _beyond(ceil_mode, batch, kernel, stride, pairs, dilation))
        _require_fit(name, x, batch, kernel, pairs, dilation)
        facts = {"kernel": kernel, "stride": stride, "padding": pairs, "dilation": dilation}
        values = p.max_pool(batch, **facts)
        return (values, p.max_pool_argmax(batch, **facts)) if return_indices else values

    return batched(name, rank, x, pool)


def _require_fit(
    name: str, x: Any, batch: Any, kernel: Sizes, pairs: Pairs, dilation: Sizes
) -> None:
    what = f"{name} of shape {x.shape} with the kernel {kernel}"
    require_fit(what, batch.shape, kernel, pairs, dilation)


def _padding(
    mode: str, padding: Any, x: Any, kernel: Sizes, stride: Sizes, dilation: Sizes
) -> Pairs:
    return padded_by(mode, padding, x.shape[2:], kernel, stride, dilation)


def _beyond(
    ceil_mode: bool, x: Any, kernel: Sizes, stride: Sizes, pairs: Pairs, dilation: Sizes
) -> Sizes:
    """What `ceil_mode` adds after each axis."""
    if not ceil_mode:
        return (0,) * len(kernel)
    return rounded_up(x.shape[2:], kernel, stride, pairs, dilation)


def _with(pairs: Pairs, more: Sizes) -> Pairs:
    return tuple((a, b + extra) for (a, b), extra in zip(pairs, more, strict=True))


def batched(name: str, rank: int, x: Any, pool: Callable[[Any], Any]) -> Any:
    """`pool` of `x`, which gets a batch axis for it where it has none."""
    if require_tensor(x, name).ndim == rank + 2:
        return pool(x)
    if x.ndim != rank + 1:
        raise fail(
            "E0401", f"{name} takes a tensor of axes {AXES[rank + 2]}, or without N, got the shape "
            f"{x.shape}",
        )  # fmt: skip
    found = pool(p.expand_dims(x, axis=0))
    if isinstance(found, tuple):
        return tuple(p.squeeze(value, axis=0) for value in found)
    return p.squeeze(found, axis=0)


# Means


def avg_pool1d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """Mean of each window of one axis; see `avg_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> avg_pool1d(ms.Tensor([[[1.0, 4.0, 2.0]]]), 2).asnumpy()
    array([[[2.5, 3. ]]], dtype=float32)
    """
    return _mean("avg_pool1d", 1, input_x, kernel_size, stride, padding, ceil_mode,
                 count_include_pad, None)  # fmt: skip


def avg_pool2d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = 0,
) -> Any:
    """Mean of each window.

    Parameters
    ----------
    input_x : Tensor of floats, shape (N, C, H, W) or (C, H, W)
    kernel_size, stride : int, or tuple of two int
    padding : int, or tuple of int
        One a spatial axis, or two each, before and after. Adds nothing to the sum.
    ceil_mode : bool
        Whether a last window may reach beyond the end, as long as it begins before it. What is
        beyond the padding is never counted.
    count_include_pad : bool
        Whether padding counts as elements of a window.
    divisor_override : int, optional
        What the sums are divided by, unless it is 0.

    Returns
    -------
    Tensor, shape (N, C, windows...)

    Raises
    ------
    S2sadError
        E0301 unless `input_x` is of floats, E0303 or E0404 for settings of another form or value,
        E0401 for another number of axes or windows that do not fit.

    Examples
    --------
    >>> import s2sad as ms
    >>> avg_pool2d(ms.Tensor([[[[1.0, 4.0, 2.0]]]]), (1, 2)).asnumpy()
    array([[[[2.5, 3. ]]]], dtype=float32)
    """
    return _mean("avg_pool2d", 2, input_x, kernel_size, stride, padding, ceil_mode,
                 count_include_pad, divisor_override)  # fmt: skip


def avg_pool3d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = 0,
) -> Any:
    """Mean of each window of three axes; see `avg_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> avg_pool3d(ms.ops.ones((1, 1, 2, 2, 2)), 2).shape
    (1, 1, 1, 1, 1)
    """
    return _mean("avg_pool3d", 3, input_x, kernel_size, stride, padding, ceil_mode,
                 count_include_pad, divisor_override)  # fmt: skip


def _mean(
    name: str, rank: int, x: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    count_include_pad: bool, divisor: int | None,
) -> Any:  # fmt: skip
    return avg_pooled(
        name, rank, x, sizes_of("kernel_size", kernel_size, rank), sizes_of("stride", stride, rank),
        "pad", padding, ceil_mode, count_include_pad, None if divisor == 0 else divisor,
    )  # fmt: skip


def avg_pooled(
    name: str, rank: int, x: Any, kernel: Sizes, stride: Sizes, mode: str, padding: Any,
    ceil_mode: bool, count_include_pad: bool, divisor: int | None,
) -> Any:  # fmt: skip
    """`avg_pool2d` over `rank` spatial axes, under the name by which messages call it."""
    close = (1,) * rank
    flag("ceil_mode", ceil_mode)
    flag("count_include_pad", count_include_pad)

    def pool(batch: Any) -> Any:
        pairs = _padding(mode, padding, batch, kernel, stride, close)
        more = _beyond(ceil_mode, batch, kernel, stride, pairs, close)
        _require_fit(name, x, batch, kernel, _with(pairs, more), close)
        is_counted = count_include_pad and (mode != "same" or rank == 3)
        if is_counted and any(more) and divisor is None:
            # Padding counts, what lies beyond does not: the first becomes part of the tensor.
            low, high = zip(*pairs, strict=True)
            batch = p.pad(batch, 0, low=(0, 0, *low), high=(0, 0, *high))
            pairs, is_counted = ((0, 0),) * rank, False
        return p.avg_pool(
            batch, kernel=kernel, stride=stride, padding=_with(pairs, more),
            count_include_pad=is_counted, divisor=divisor,
        )  # fmt: skip

    return batched(name, rank, x, pool)
