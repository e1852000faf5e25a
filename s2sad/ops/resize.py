"""How is what lies on a grid, such as a picture, made larger or smaller?

One spatial axis is resized after the other. Along an axis each new element is a sum of a few old
ones, the *taps*: which ones, and with which weights, is known before there are data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.adaptive_pool import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from s2sad.ops.promotion import as_dtype, constant
from s2sad.ops.settings import flag, integer, positive
from s2sad.ops.spatial import require_axes, sizes_of
from s2sad.prims.arrange import static_size

AREA = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}
#: How many spatial axes a mode is for.
RANKS = {
    "nearest": (1, 2, 3), "nearest-exact": (1, 2, 3), "area": (1, 2, 3), "linear": (1,),
    "bilinear": (2,), "trilinear": (3,), "bicubic": (2,),
}  # fmt: skip
#: The modes that ask where corners lie.
SMOOTH = ("linear", "bilinear", "trilinear", "bicubic")
#: Slope of the cubic at its outer nodes.
SLOPE = -0.75

#: Indices into the old axis and their weights, one each for a new element.
Tap = tuple[np.ndarray, np.ndarray]


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """`input` on another grid: its spatial axes get the sizes `size`.

    Parameters
    ----------
    input : Tensor, shape (N, C, L), (N, C, H, W) or (N, C, D, H, W)
        Of floats, and of anything where the mode is one of the nearest.
    size : int, or tuple or list of int, one a spatial axis, optional
    scale_factor : float, or tuple or list of float, optional
        In place of `size`: an axis of n elements gets ``floor(n * scale_factor)``.
    mode : {"nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area"}
        "linear" is for one spatial axis, "bilinear" and "bicubic" for two, "trilinear" for three.
        "area" is the mean of what a new element covers.
    align_corners : bool, optional
        Whether the middles of the outermost elements stay where they are, else the outer edges do.
        For modes that end in "linear" or "cubic".
    recompute_scale_factor : bool, optional
        Whether elements lie by the ratio of the sizes, which are rounded, else by `scale_factor`.

    Returns
    -------
    Tensor, shape (N, C, size...), dtype of `input`

    Raises
    ------
    S2sadError
        E0301 where floats are needed, E0302 for both or none of `size` and `scale_factor`, E0303 or
        E0404 for a setting of another form or value, E0401 for axes that are not the mode's, E0402
        for an axis of a size that is not known.

    Notes
    -----
    Of m elements over n, number i lies at ``(i + 0.5) * n / m - 0.5`` of the old axis, with aligned
    corners at ``i * (n - 1) / (m - 1)``; the linear modes take what lies before 0 as 0. "nearest"
    rounds ``i * n / m`` down. Cubic: R. Keys, "Cubic convolution interpolation", 1981, with a
    slope of -0.75.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[1.0, 2.0, 4.0]]])
    >>> interpolate(x, 6).asnumpy()
    array([[[1., 1., 2., 2., 4., 4.]]], dtype=float32)
    >>> interpolate(x, 5, mode="linear", align_corners=True).asnumpy()
    array([[[1. , 1.5, 2. , 3. , 4. ]]], dtype=float32)
    """
    x = require_axes("interpolate", input, 3, 4, 5)
    align = _checked_mode(mode, x, align_corners)
    axes = _axes(x, size, scale_factor, recompute_scale_factor)
    if mode == "area":
        return AREA[len(axes)](x, tuple(axis.size for axis in axes))
    if mode in SMOOTH and not x.dtype.is_float:
        raise fail("E0301", f"interpolate with mode {mode!r} takes floats, got {x.dtype.name}")
    wide = as_dtype(x, x.dtype.compute) if mode in SMOOTH else x
    for place, axis in enumerate(axes, 2):
        if x.shape[place] == 0:
            raise fail("E0401", f"interpolate of an empty axis, of the shape {tuple(x.shape)}")
        wide = _summed(wide, place, _taps(mode, x.shape[place], axis, align))
    return as_dtype(wide, x.dtype)


upsample = interpolate


# Settings


class Axis(NamedTuple):
    """The size of a new axis, on which `new` elements take the room of `old` ones."""

    size: int
    old: float
    new: float


def _checked_mode(mode: Any, x: Any, align_corners: Any) -> bool:
    """Whether corners are aligned, of a `mode` that goes with `x`."""
    if mode not in RANKS:
        raise fail("E0404", f"the mode of interpolate is one of {', '.join(RANKS)}, got {mode!r}")
    if x.ndim - 2 not in RANKS[mode]:
        raise fail(
            "E0401", f"interpolate with mode {mode!r} takes {RANKS[mode][0] + 2} axes, got the "
            f"shape {tuple(x.shape)}", help="linear, bilinear, trilinear: one, two, three axes",
        )  # fmt: skip
    if align_corners is None:
        return False
    if mode not in SMOOTH:
        raise fail("E0404", f"align_corners does not go with mode {mode!r}", help="leave it out")
    return flag("align_corners", align_corners)


def _axes(x: Any, size: Any, scale_factor: Any, recompute: Any) -> list[Axis]:
    """The new spatial axes."""
    old = x.shape[2:]
    if (size is None) == (scale_factor is None):
        raise fail("E0302", "interpolate takes size or scale_factor, one of them")
    if not all(isinstance(n, int) for n in old):
        raise fail("E0402", f"interpolate needs to know the sizes of the axes, got {old}")
    if size is not None:
        if recompute:
            raise fail("E0302", "recompute_scale_factor goes with scale_factor, not with size")
        new = sizes_of("size", size, len(old))
        return [Axis(m, n, m) for n, m in zip(old, new, strict=True)]
    factors = scale_factor if isinstance(scale_factor, (tuple, list)) else [scale_factor] * len(old)
    if len(factors) != len(old):
        raise fail("E0303", f"scale_factor has {len(old)} entries, got {scale_factor!r}")
    return [_scaled(n, f, bool(recompute)) for n, f in zip(old, factors, strict=True)]


def _scaled(count: int, factor: Any, recompute: bool) -> Axis:
    size = int(count * positive("scale_factor", factor))
    if count and not size:
        raise fail("E0404", f"scale_factor {factor} leaves nothing of {count} elements")
    return Axis(size, count, size) if recompute else Axis(size, 1, factor)


# Taps


def _taps(mode: str, count: int, axis: Axis, align: bool) -> list[Tap]:
    """What a new axis takes of an old one of `count` elements."""
    places = np.arange(axis.size, dtype=np.float64)
    if mode in ("nearest", "nearest-exact"):
        middle = 0.5 if mode == "nearest-exact" else 0.0
        found = np.floor((places + middle) * axis.old / axis.new).astype(np.int64)
        return [(np.minimum(found, count - 1), np.ones(axis.size))]
    if align:
        at = places * ((count - 1) / (axis.size - 1) if axis.size > 1 else 0.0)
    else:
        at = (places + 0.5) * axis.old / axis.new - 0.5
    nodes = _cubic if mode == "bicubic" else _linear
    return [(np.clip(index, 0, count - 1), weight) for index, weight in nodes(at)]


def _linear(at: np.ndarray) -> list[Tap]:
    at = np.maximum(at, 0.0)
    lower = np.floor(at)
    return [(lower.astype(np.int64) + k, w) for k, w in enumerate((1 - (at - lower), at - lower))]


def _cubic(at: np.ndarray) -> list[Tap]:
    lower = np.floor(at)
    t = at - lower
    near, far = _cubic_near, _cubic_far
    weights = (far(t + 1), near(t), near(1 - t), far(2 - t))
    return [(lower.astype(np.int64) + k, weight) for k, weight in enumerate(weights, -1)]


def _cubic_near(t: np.ndarray) -> np.ndarray:
    """Weight of a node at a distance of at most 1."""
    return ((SLOPE + 2) * t - (SLOPE + 3)) * t * t + 1


def _cubic_far(t: np.ndarray) -> np.ndarray:
    """Weight of a node at a distance from 1 to 2."""
    return ((SLOPE * t - 5 * SLOPE) * t + 8 * SLOPE) * t - 4 * SLOPE


def resized(what: str, x: Any, size: Any, mode: str, align: bool, centres: bool) -> Any:
    """`x` with two spatial axes of the sizes `size`, where MindSpore's older operations do it.

    Of m elements over n, number i lies at ``i * n / m``, with `align` at ``i * (n - 1) / (m - 1)``,
    with `centres` at ``(i + 0.5) * n / m - 0.5``. "nearest" takes the element there, rounded down,
    with `align` to the nearest one, with `centres` from ``(i + 0.5) * n / m``.

    Parameters
    ----------
    what : str
        The name by which messages call it.
    x : Tensor, shape (N, C, H, W)
    size : tuple or list of two int
    mode : {"nearest", "bilinear"}
    align, centres : bool
        Not both.
    """
    x = require_axes(what, x, 4)
    if flag("align_corners", align) and flag("half_pixel_centers", centres):
        raise fail("E0404", f"{what} takes align_corners or half_pixel_centers, not both")
    if mode == "bilinear" and not x.dtype.is_float:
        raise fail("E0301", f"{what} takes floats, got {x.dtype.name}")
    wide = as_dtype(x, x.dtype.compute) if mode == "bilinear" else x
    for place, count in enumerate(sizes_of("size", size, 2), 2):
        old = static_size(x.shape[place], f"the size of axis {place}, to resize it,")
        if not old:
            raise fail("E0401", f"{what} of an empty axis, of the shape {tuple(x.shape)}")
        wide = _summed(wide, place, _older_taps(mode, old, count, align, centres))
    return as_dtype(wide, x.dtype)


def _older_taps(mode: str, old: int, new: int, align: bool, centres: bool) -> list[Tap]:
    places = np.arange(new, dtype=np.float64)
    ratio = (old - 1) / (new - 1) if align and new > 1 else old / new
    at = (places + 0.5) * ratio if centres else places * ratio
    if mode == "nearest":
        found = np.floor(at + 0.5 if align else at).astype(np.int64)
        return [(np.minimum(found, old - 1), np.ones(new))]
    nodes = _linear(at - 0.5 if centres else at)
    return [(np.clip(index, 0, old - 1), weight) for index, weight in nodes]


def _summed(x: Any, axis: int, taps: Sequence[Tap]) -> Any:
    """`x` with new elements along `axis`, each the sum of its taps."""
    terms = [_term(x, axis, *tap) for tap in taps if tap[1].any()]
    total = terms[0]
    for term in terms[1:]:
        total = p.add(total, term)
    return total


def _term(x: Any, axis: int, index: np.ndarray, weight: np.ndarray) -> Any:
    found = p.gather(x, constant(index, dtypes.int64), axis=axis)
    if (weight == 1).all():
        return found
    weight = weight.reshape(-1, *(1,) * (x.ndim - axis - 1))
    term = p.mul(found, constant(weight, x.dtype))
    # What counts nothing is not multiplied by 0, which would make NaN of an infinity.
    return term if weight.all() else p.where(constant(weight != 0, dtypes.bool_), term, 0)


def grid_of(what: str, x: Any, size: Any, scale_factor: Any) -> Any:
    """`size`, or both sizes of pictures times a factor: one of them is given, the other None.

    Raises
    ------
    S2sadError
        E0302 for both or none, E0303 or E0404 for a factor that is no positive int, E0401 for other
        axes.
    """
    if (size is None) == (scale_factor is None):
        raise fail("E0302", f"{what} takes a size or a scale_factor, one of them")
    if scale_factor is None:
        return size
    require_axes(what, x, 4)
    factor = integer("scale_factor", scale_factor, 1)
    return (x.shape[2] * factor, x.shape[3] * factor)
