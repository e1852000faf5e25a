"""Where do the windows of a convolution or a pooling lie, and what do they see?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

Array = np.ndarray
Sizes = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


class Windows(NamedTuple):
    """The windows of one operation: kernel sizes, stride, padding and dilation of each axis."""

    kernel: Sizes
    stride: Sizes
    padding: Pairs
    dilation: Sizes

    def count(self, spatial: Sizes) -> Sizes:
        """How many windows fit into an input of these sizes, along each axis."""
        return tuple(
            max(0, (size - dilation * (kernel - 1) - 1) // stride + 1)
            for size, kernel, stride, dilation in zip(
                self.padded(spatial), self.kernel, self.stride, self.dilation, strict=True
            )
        )

    def padded(self, spatial: Sizes) -> Sizes:
        """The sizes with the padding added."""
        return tuple(size + sum(pad) for size, pad in zip(spatial, self.padding, strict=True))

    def interior(self, spatial: Sizes) -> tuple[slice, ...]:
        """Where the input lies in the padded array."""
        return tuple(
            slice(before, before + size)
            for size, (before, _) in zip(spatial, self.padding, strict=True)
        )

    def positions(self, count: Sizes) -> Iterator[tuple[Sizes, tuple[slice, ...]]]:
        """Each position in the kernel, and what all the windows have there in the padded array."""
        for position in itertools.product(*map(range, self.kernel)):
            starts = (p * d for p, d in zip(position, self.dilation, strict=True))
            slices = (
                slice(start, start + stride * n, stride)
                for start, stride, n in zip(starts, self.stride, count, strict=True)
            )
            yield position, tuple(slices)


def windows_over(
    x: Array, kernel: Sizes, stride: Sizes, padding: Pairs, dilation: Sizes
) -> Windows:
    """The windows, once each fact is known to fit the spatial axes of `x`."""
    rank = x.ndim - 2
    facts = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
    for name, fact in facts.items():
        if rank < 1 or len(fact) != rank:
            raise ValueError(f"expected one {name} a spatial axis of {x.shape}, got {fact}")
    for name in ("kernel", "stride", "dilation"):
        if min(facts[name]) < 1:
            raise ValueError(f"expected a {name} of at least 1 everywhere, got {facts[name]}")
    if min(itertools.chain(*padding)) < 0:
        raise ValueError(f"expected a padding of at least 0 everywhere, got {padding}")
    return Windows(tuple(kernel), tuple(stride), tuple(padding), tuple(dilation))


def pad(x: Array, windows: Windows, value: float) -> Array:
    """`x` with its last axes padded by `value`; `x` itself where there is nothing to add."""
    if not any(itertools.chain(*windows.padding)):
        return x
    before = x.ndim - len(windows.padding)
    return np.pad(x, ((0, 0),) * before + windows.padding, constant_values=value)


def stretched(x: Array, windows: Windows) -> Array:
    """What is seen at each position: shape (C, kernel..., N, windows...), zeros in the padding."""
    padded = pad(x, windows, 0)
    along = padded.strides[2:]
    shape = (x.shape[1], *windows.kernel, x.shape[0], *windows.count(x.shape[2:]))
    strides = (
        padded.strides[1],
        *(s * d for s, d in zip(along, windows.dilation, strict=True)),
        padded.strides[0],
        *(s * d for s, d in zip(along, windows.stride, strict=True)),
    )
    view = np.lib.stride_tricks.as_strided(padded, shape, strides, writeable=False)
    return np.ascontiguousarray(view)


def members(windows: Windows, spatial: Sizes) -> Array:
    """How many positions of each window lie in the input, not in padding: int64, (windows...).

    A window with none has neither maximum nor mean, and is refused.
    """
    inside = pad(np.ones(spatial, np.int64), windows, 0)
    count = windows.count(spatial)
    out = np.zeros(count, np.int64)
    for _, slices in windows.positions(count):
        out += inside[slices]
    if (out == 0).any():
        raise ValueError(f"a window of {windows} over {spatial} sees nothing but padding")
    return out


def divisors(
    windows: Windows, spatial: Sizes, count_include_pad: bool, divisor: int | None
) -> Array:
    """What the sum of each window is divided by: 0-d, or of shape (windows...)."""
    if divisor == 0:
        raise ValueError("the divisor must not be 0")
    if divisor is None and not count_include_pad:
        return members(windows, spatial)
    return np.asarray(math.prod(windows.kernel) if divisor is None else divisor)


def check_floats(*arrays: Array) -> None:
    """All the arrays have one dtype, float32 or float64."""
    dtypes = [array.dtype for array in arrays]
    if dtypes[0] not in (np.float32, np.float64) or len(set(dtypes)) > 1:
        raise TypeError(f"expected float32 or float64, the same for all, got {dtypes}")


def check_channels(channels: int, filters: Sizes, groups: int) -> None:
    """Filters of shape `filters` (number, channels of a group) go with `channels` channels."""
    if groups < 1 or filters[0] % groups or channels != filters[1] * groups:
        raise ValueError(
            f"{filters[0]} filters over {filters[1]} channels do not go with "
            f"{channels} channels in {groups} groups"
        )


def check_count(dout: Array, windows: Windows, spatial: Sizes) -> Sizes:
    """The number of windows, once `dout` is known to have that shape."""
    if len(spatial) != len(windows.kernel):
        raise ValueError(f"expected {len(windows.kernel)} spatial sizes, got {spatial}")
    count = windows.count(spatial)
    if dout.shape[2:] != count:
        raise ValueError(f"an input of {spatial} has {count} windows, got dout of {dout.shape}")
    return count
