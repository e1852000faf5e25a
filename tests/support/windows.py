"""Convolution and pooling as loops over every element, in float64: what they mean."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray


def padding_of(
    mode: str, padding: Any, size: int, kernel: int, stride: int, dilation: int
) -> tuple[int, int]:
    """How much is put before and after an axis; `padding` is that of the axis."""
    if mode == "pad":
        return padding if isinstance(padding, tuple) else (padding, padding)
    if mode == "valid":
        return 0, 0
    count = math.ceil(size / stride)
    total = max((count - 1) * stride + dilation * (kernel - 1) + 1 - size, 0)
    return total // 2, total - total // 2


def windows_along(
    size: int, kernel: int, stride: int, ends: tuple[int, int], dilation: int, ceil: bool = False
) -> list[list[int]]:
    """For each window the places that it reads along an axis; outside of the axis is padding.

    With `ceil` one more may reach beyond the end, where something is left to read for it.
    """
    found, start, end = [], -ends[0], size + ends[1]
    while start + dilation * (kernel - 1) < end:
        found.append([start + dilation * k for k in range(kernel)])
        start += stride
    is_rest_left = bool(found) and found[-1][-1] < end - 1
    if ceil and is_rest_left and start < size:
        found.append([start + dilation * k for k in range(kernel)])
    return found


def boxes(*axes: list[list[int]]) -> Iterator[tuple[tuple[int, ...], list[tuple[int, ...]]]]:
    """Each window of several axes: its place, and the places that it reads."""
    for place in np.ndindex(*map(len, axes)):
        lines = [axis[i] for axis, i in zip(axes, place, strict=True)]
        yield place, list(itertools.product(*lines))


def is_inside(place: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    return all(0 <= i < size for i, size in zip(place, sizes, strict=True))


def conv(x: Array, w: Array, axes: list[list[list[int]]], groups: int = 1) -> Array:
    """Cross-correlation of `x` with filters, the windows being those of `axes`."""
    spatial, kernel = x.shape[2:], w.shape[2:]
    out = np.zeros((x.shape[0], w.shape[0], *map(len, axes)))
    for place, read in boxes(*axes):
        for tap, source in zip(np.ndindex(*kernel), read, strict=True):
            if not is_inside(source, spatial):
                continue
            for filter_, channel in np.ndindex(*w.shape[:2]):
                seen = filter_ // (w.shape[0] // groups) * w.shape[1] + channel
                product = x[(slice(None), seen, *source)] * w[(filter_, channel, *tap)]
                out[(slice(None), filter_, *place)] += product
    return out


def conv_transpose(
    x: Array, w: Array, stride: int, cut: tuple[int, int], extra: int, dilation: int, groups: int
) -> Array:
    """What each element of `x` adds, scattered; the facts are the same for every axis."""
    rank, filters = x.ndim - 2, w.shape[0]
    full = [(n - 1) * stride + dilation * (k - 1) + 1 for n, k in
            zip(x.shape[2:], w.shape[2:], strict=True)]  # fmt: skip
    out = np.zeros((x.shape[0], w.shape[1] * groups, *(n + extra for n in full)))
    for place in np.ndindex(*x.shape[2:]):
        for tap in np.ndindex(*w.shape[2:]):
            target = tuple(stride * i + dilation * k for i, k in zip(place, tap, strict=True))
            for filter_, channel in np.ndindex(*w.shape[:2]):
                seen = filter_ // (filters // groups) * w.shape[1] + channel
                product = x[(slice(None), filter_, *place)] * w[(filter_, channel, *tap)]
                out[(slice(None), seen, *target)] += product
    ends = [slice(cut[0], n + extra - cut[1]) for n in full]
    assert len(ends) == rank
    return out[(..., *ends)]


def pool(
    x: Array, axes: list[list[list[int]]], reduce: Callable[[list[Array], int], Array]
) -> Array:
    """`reduce` of the elements of each window, and of how many places it has."""
    out = np.zeros((*x.shape[:2], *map(len, axes)))
    for place, read in boxes(*axes):
        members = [x[(..., *source)] for source in read if is_inside(source, x.shape[2:])]
        out[(..., *place)] = reduce(members, len(read))
    return out
