"""How do convolution and pooling slide windows over one, two or three spatial axes?

Arrays have the axes (batch, channel, spatial...). Spatial facts are tuples with one entry an
axis; padding has one pair (before, after) an axis. A window that does not fit is no window: the
sizes of an output round down, and are 0 where not even one fits. Loops run over the positions
inside a kernel, never over elements; a convolution is one matrix product a group.
"""

from __future__ import annotations

import math

import numpy as np

from s2sad.prims.kernels.geometry import (
    Array,
    Pairs,
    Sizes,
    Windows,
    check_channels,
    check_count,
    check_floats,
    divisors,
    members,
    pad,
    stretched,
    windows_over,
)


def conv(
    x: Array, w: Array, *, stride: Sizes, padding: Pairs, dilation: Sizes, groups: int
) -> Array:
    """Convolution as deep learning means it: cross-correlation of `x` with the filters `w`.

    Parameters
    ----------
    x : float32 or float64, shape (N, C, spatial...)
    w : dtype of `x`, shape (M, C / groups, kernel...)
    stride, padding, dilation : tuple
        One entry a spatial axis; padding adds zeros.
    groups : int
        Divides C and M; the filters of a group see the channels of that group.

    Returns
    -------
    Array of the dtype of `x`, shape (N, M, windows...)

    Raises
    ------
    TypeError
        If the dtypes differ or are others.
    ValueError
        If shapes, groups or spatial facts do not fit.

    Examples
    --------
    >>> x, w = np.arange(5.0).reshape(1, 1, 5), np.array([[[1.0, -1.0]]])
    >>> conv(x, w, stride=(2,), padding=((0, 1),), dilation=(1,), groups=1).tolist()
    [[[-1.0, -1.0, 4.0]]]
    """
    windows = windows_over(x, w.shape[2:], stride, padding, dilation)
    check_floats(x, w)
    check_channels(x.shape[1], w.shape[:2], groups)
    count = windows.count(x.shape[2:])
    with np.errstate(all="ignore"):
        product = _filter_matrices(w, groups) @ _columns(x, windows, groups)
    return _batch_first(product.reshape(w.shape[0], x.shape[0], *count))


def conv_input_grad(
    dout: Array,
    w: Array,
    *,
    input_shape: Sizes,
    stride: Sizes,
    padding: Pairs,
    dilation: Sizes,
    groups: int,
) -> Array:
    """Cotangent of `conv`'s input: its transpose in `x`, also called transposed convolution.

    Parameters
    ----------
    dout : float32 or float64, shape (N, M, windows...)
    w : dtype of `dout`, shape (M, C / groups, kernel...)
    input_shape : tuple of int
        The spatial sizes of the input; the stride leaves them open.
    stride, padding, dilation, groups
        As in `conv`.

    Returns
    -------
    Array of the dtype of `dout`, shape (N, C, input_shape...); 0 where no window reaches.

    Raises
    ------
    TypeError, ValueError
        As in `conv`; also if `dout` has not the sizes that `conv` gives for `input_shape`.

    Examples
    --------
    >>> dout, w = np.array([[[1.0, 10.0]]]), np.array([[[2.0, 3.0]]])
    >>> conv_input_grad(
    ...     dout, w, input_shape=(3,), stride=(1,), padding=((0, 0),), dilation=(1,), groups=1
    ... ).tolist()
    [[[2.0, 23.0, 30.0]]]
    """
    windows = windows_over(dout, w.shape[2:], stride, padding, dilation)
    check_floats(dout, w)
    channels = w.shape[1] * groups
    check_channels(channels, (dout.shape[1], w.shape[1]), groups)
    if dout.shape[1] != w.shape[0]:
        raise ValueError(f"expected a channel a filter, got {dout.shape} and {w.shape}")
    count = check_count(dout, windows, input_shape)
    with np.errstate(all="ignore"):
        transposed = _filter_matrices(w, groups).transpose(0, 2, 1)
        columns = transposed @ _channel_matrices(dout, groups)
        columns = columns.reshape(channels, *windows.kernel, dout.shape[0], *count)
        out = np.zeros((channels, dout.shape[0], *windows.padded(input_shape)), dout.dtype)
        for position, slices in windows.positions(count):
            out[(..., *slices)] += columns[(slice(None), *position)]
    return _batch_first(out[(..., *windows.interior(input_shape))])


def conv_filter_grad(
    x: Array,
    dout: Array,
    *,
    kernel_shape: Sizes,
    stride: Sizes,
    padding: Pairs,
    dilation: Sizes,
    groups: int,
) -> Array:
    """Cotangent of `conv`'s filters: its transpose in `w`.

    Parameters
    ----------
    x : float32 or float64, shape (N, C, spatial...)
    dout : dtype of `x`, shape (N, M, windows...)
    kernel_shape : tuple of int
        The spatial sizes of the filters.
    stride, padding, dilation, groups
        As in `conv`.

    Returns
    -------
    Array of the dtype of `x`, shape (M, C / groups, kernel_shape...)

    Raises
    ------
    TypeError, ValueError
        As in `conv`; also if `dout` has not the batch and sizes that `conv` gives.

    Examples
    --------
    >>> x, dout = np.arange(3.0).reshape(1, 1, 3), np.array([[[1.0, 10.0]]])
    >>> conv_filter_grad(
    ...     x, dout, kernel_shape=(2,), stride=(1,), padding=((0, 0),), dilation=(1,), groups=1
    ... ).tolist()
    [[[10.0, 21.0]]]
    """
    windows = windows_over(x, kernel_shape, stride, padding, dilation)
    check_floats(x, dout)
    filters, channels = dout.shape[1], x.shape[1]
    check_channels(channels, (filters, channels // max(groups, 1)), groups)
    check_count(dout, windows, x.shape[2:])
    if x.shape[0] != dout.shape[0]:
        raise ValueError(f"expected one batch size, got {x.shape[0]} and {dout.shape[0]}")
    with np.errstate(all="ignore"):
        columns = _columns(x, windows, groups).transpose(0, 2, 1)
        product = _channel_matrices(dout, groups) @ columns
    return product.reshape(filters, channels // groups, *windows.kernel)


def max_pool(x: Array, *, kernel: Sizes, stride: Sizes, padding: Pairs, dilation: Sizes) -> Array:
    """Maximum of each window; a NaN in the window is its maximum.

    Parameters
    ----------
    x : any float or integer dtype, shape (N, C, spatial...)
    kernel, stride, padding, dilation : tuple
        One entry a spatial axis; padding is the lowest value of the dtype, -inf for floats.

    Returns
    -------
    Array of the dtype of `x`, shape (N, C, windows...). Of equal values (zeros of both signs)
    it is the first in C order.

    Raises
    ------
    TypeError
        If `x` is neither float nor integer.
    ValueError
        If the spatial facts do not fit `x`.

    Examples
    --------
    >>> x = np.array([[[1.0, 4.0, 2.0, 3.0]]])
    >>> max_pool(x, kernel=(2,), stride=(1,), padding=((0, 0),), dilation=(1,)).tolist()
    [[[4.0, 4.0, 3.0]]]
    """
    windows = windows_over(x, kernel, stride, padding, dilation)
    count, lowest = windows.count(x.shape[2:]), _lowest(x.dtype)
    padded = pad(x, windows, lowest)
    best = np.full((*x.shape[:2], *count), lowest, x.dtype)
    with np.errstate(all="ignore"):
        for _, slices in windows.positions(count):
            candidate = padded[(..., *slices)]
            np.copyto(best, candidate, where=_beats(candidate, best))
    return best


def max_pool_argmax(
    x: Array, *, kernel: Sizes, stride: Sizes, padding: Pairs, dilation: Sizes
) -> Array:
    """Where the maximum of each window stands: its first, in C order; the first NaN if any.

    Parameters
    ----------
    x, kernel, stride, padding, dilation
        As in `max_pool`. Padding is never a maximum.

    Returns
    -------
    int64, shape (N, C, windows...)
        Flat index into the spatial axes of `x`, which have no padding.

    Raises
    ------
    TypeError, ValueError
        As in `max_pool`; also if a window sees nothing but padding.

    Examples
    --------
    >>> x = np.array([[[1.0, 4.0, 2.0, 3.0]]])
    >>> max_pool_argmax(x, kernel=(2,), stride=(1,), padding=((0, 0),), dilation=(1,)).tolist()
    [[[1, 1, 3]]]
    """
    windows = windows_over(x, kernel, stride, padding, dilation)
    spatial, lowest = x.shape[2:], _lowest(x.dtype)
    count = members(windows, spatial).shape
    padded = pad(x, windows, lowest)
    places = pad(np.arange(math.prod(spatial)).reshape(spatial), windows, -1)
    best = np.full((*x.shape[:2], *count), lowest, x.dtype)
    index = np.full(best.shape, -1, np.int64)
    with np.errstate(all="ignore"):
        for _, slices in windows.positions(count):
            candidate, place = padded[(..., *slices)], places[slices]
            # The first member wins whatever its value: it may be as low as the padding.
            better = (place >= 0) & ((index < 0) | _beats(candidate, best))
            np.copyto(best, candidate, where=better)
            np.copyto(index, place, where=better)
    return index


def avg_pool(
    x: Array,
    *,
    kernel: Sizes,
    stride: Sizes,
    padding: Pairs,
    count_include_pad: bool,
    divisor: int | None,
) -> Array:
    """Sum of each window over `divisor`, or else over the number of its members.

    Parameters
    ----------
    x : float32 or float64, shape (N, C, spatial...)
    kernel, stride, padding : tuple
        One entry a spatial axis; padding adds nothing to the sum.
    count_include_pad : bool
        Whether padding counts as members.
    divisor : int or None
        Not 0; used instead of the number of members.

    Returns
    -------
    Array of the dtype of `x`, shape (N, C, windows...)

    Raises
    ------
    TypeError
        If `x` has another dtype.
    ValueError
        If the spatial facts do not fit `x`, `divisor` is 0, or a window has no members.

    Examples
    --------
    >>> x = np.array([[[1.0, 3.0, 5.0]]])
    >>> avg_pool(
    ...     x, kernel=(2,), stride=(2,), padding=((1, 0),), count_include_pad=False, divisor=None
    ... ).tolist()
    [[[1.0, 4.0]]]
    """
    windows = windows_over(x, kernel, stride, padding, (1,) * len(kernel))
    check_floats(x)
    count = windows.count(x.shape[2:])
    sizes = divisors(windows, x.shape[2:], count_include_pad, divisor).astype(x.dtype)
    # -0.0 is what addition leaves alone, so a window of negative zeros has the sum -0.0.
    padded = pad(x, windows, -0.0)
    total = np.full((*x.shape[:2], *count), -0.0, x.dtype)
    with np.errstate(all="ignore"):
        for _, slices in windows.positions(count):
            total += padded[(..., *slices)]
        return total / sizes


def avg_pool_input_grad(
    dout: Array,
    *,
    input_shape: Sizes,
    kernel: Sizes,
    stride: Sizes,
    padding: Pairs,
    count_include_pad: bool,
    divisor: int | None,
) -> Array:
    """Cotangent of `avg_pool`'s input: its transpose.

    Parameters
    ----------
    dout : float32 or float64, shape (N, C, windows...)
    input_shape : tuple of int
        The spatial sizes of the input.
    kernel, stride, padding, count_include_pad, divisor
        As in `avg_pool`.

    Returns
    -------
    Array of the dtype of `dout`, shape (N, C, input_shape...); 0 where no window reaches.

    Raises
    ------
    TypeError, ValueError
        As in `avg_pool`; also if `dout` has not the sizes that it gives for `input_shape`.

    Examples
    --------
    >>> facts = dict(kernel=(2,), stride=(1,), padding=((0, 0),), count_include_pad=True)
    >>> dout = np.array([[[1.0, 3.0]]])
    >>> avg_pool_input_grad(dout, input_shape=(3,), divisor=None, **facts).tolist()
    [[[0.5, 2.0, 1.5]]]
    """
    windows = windows_over(dout, kernel, stride, padding, (1,) * len(kernel))
    check_floats(dout)
    count = check_count(dout, windows, input_shape)
    sizes = divisors(windows, input_shape, count_include_pad, divisor).astype(dout.dtype)
    out = np.zeros((*dout.shape[:2], *windows.padded(input_shape)), dout.dtype)
    with np.errstate(all="ignore"):
        share = dout / sizes
        for _, slices in windows.positions(count):
            out[(..., *slices)] += share
    return np.ascontiguousarray(out[(..., *windows.interior(input_shape))])


def _filter_matrices(w: Array, groups: int) -> Array:
    """A matrix a group: shape (groups, M / groups, C / groups * kernel)."""
    return w.reshape(groups, w.shape[0] // groups, math.prod(w.shape[1:]))


def _channel_matrices(x: Array, groups: int) -> Array:
    """From (N, C, spatial...) to a matrix a group: (groups, C / groups, N * spatial)."""
    batch, channels = x.shape[:2]
    size = batch * math.prod(x.shape[2:])
    return x.swapaxes(0, 1).reshape(groups, channels // groups, size)


def _columns(x: Array, windows: Windows, groups: int) -> Array:
    """What each window sees, a matrix a group: (groups, C / groups * kernel, N * windows)."""
    batch, channels = x.shape[:2]
    rows = channels // groups * math.prod(windows.kernel)
    size = batch * math.prod(windows.count(x.shape[2:]))
    return stretched(x, windows).reshape(groups, rows, size)


def _batch_first(x: Array) -> Array:
    """From (channels, N, spatial...) to (N, channels, spatial...)."""
    return np.ascontiguousarray(x.swapaxes(0, 1))


def _lowest(dtype: np.dtype) -> float:
    if np.issubdtype(dtype, np.floating):
        return -math.inf
    if np.issubdtype(dtype, np.integer):
        return int(np.iinfo(dtype).min)
    raise TypeError(f"expected a float or integer dtype, got {dtype}")


def _beats(candidate: Array, best: Array) -> Array:
    """Whether it is greater, or the first NaN: only a NaN differs from itself."""
    return ~((candidate <= best) | (best != best))
