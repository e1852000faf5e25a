"""What does a picture look like where it is read at places that are data?"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.promotion import as_dtype, constant, promote, require_floats, type_of
from s2sad.ops.resize import SLOPE
from s2sad.ops.settings import flag, integers
from s2sad.prims.arrange import static_size


def affine_grid(theta: Any, size: Any, align_corners: bool = False) -> Any:
    """The places at which `grid_sample` reads to turn, shift and stretch pictures.

    Parameters
    ----------
    theta : Tensor of floats, shape (N, 2, 3) or (N, 3, 4)
        Maps a place of the result, x first, and 1 to a place of the picture.
    size : tuple of int
        The shape of the result: (N, C, H, W) or (N, C, D, H, W).
    align_corners : bool
        Whether -1 and 1 are the middles of the outermost elements, else their outer edges.

    Returns
    -------
    Tensor, shape (N, H, W, 2) or (N, D, H, W, 3)

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 and E0404 for a setting that cannot be, E0304 for what is no
        Tensor, E0401 where shapes do not fit.

    Examples
    --------
    >>> import s2sad as ms
    >>> theta = ms.Tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> affine_grid(theta, (1, 1, 1, 2)).asnumpy()
    array([[[[-0.5,  0. ],
             [ 0.5,  0. ]]]], dtype=float32)
    """
    x, shape = require_floats(theta, "affine_grid"), integers("size", size, 1)
    rank = len(shape) - 2
    if rank not in (2, 3):
        raise fail("E0404", f"size is (N, C, H, W) or (N, C, D, H, W), got {shape}")
    if tuple(x.shape) != (shape[0], rank, rank + 1):
        what = f"theta is {(shape[0], rank, rank + 1)} for the size {shape}"
        raise fail("E0401", f"{what}, got {type_of(x)}")
    is_aligned = flag("align_corners", align_corners)
    axes = [_middles(count, is_aligned) for count in shape[2:]]
    places = np.stack([*np.meshgrid(*axes, indexing="ij")[::-1], np.ones(shape[2:])], -1)
    base = constant(places.reshape(-1, rank + 1), x.dtype)
    return p.reshape(
        p.matmul(base, x, transpose_b=True), shape=(shape[0], *shape[2:], rank)
    )  # fmt: skip


def _middles(count: int, is_aligned: bool) -> np.ndarray:
    if is_aligned:
        return np.linspace(-1.0, 1.0, count) if count > 1 else np.zeros(1)
    return (2 * np.arange(count) + 1) / count - 1


def grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:
    """Pictures, read at the places of `grid`.

    Parameters
    ----------
    input : Tensor of floats, shape (N, C, H, W) or (N, C, D, H, W)
    grid : Tensor of floats, shape (N, H', W', 2) or (N, D', H', W', 3)
        Places, x first, from -1 at one end of an axis to 1 at the other.
    mode : {"bilinear", "nearest", "bicubic"}
        How what lies between elements is told from these; "bicubic" is for two axes.
    padding_mode : {"zeros", "border", "reflection"}
        What lies outside: zeros, the nearest element, or the picture mirrored.
    align_corners : bool, optional
        Whether -1 and 1 are the middles of the outermost elements, else their outer edges.

    Returns
    -------
    Tensor, shape (N, C, H', W') or (N, C, D', H', W')

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 and E0404 for a setting that cannot be, E0304 for what is no
        Tensor, E0401 where shapes do not fit, E0402 for axes of a size that is not known.

    Notes
    -----
    A place that is NaN gives zeros. Cubic: R. Keys 1981, with a slope of -0.75.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[[1.0, 3.0]]]])
    >>> grid_sample(x, ms.Tensor([[[[0.0, 0.0], [1.0, 0.0]]]])).asnumpy()
    array([[[[2. , 1.5]]]], dtype=float32)
    """
    x, places = promote(
        require_floats(input, "grid_sample"), require_floats(grid, "the grid of grid_sample")
    )
    sizes = _checked(x, places, mode, padding_mode)
    is_aligned = align_corners is not None and flag("align_corners", align_corners)
    wide = as_dtype(places, places.dtype.compute)
    axes = []
    for axis, size in enumerate(reversed(sizes)):
        place = p.squeeze(_part(wide, axis), axis=-1)
        axes.append(_on_axis(place, size, is_aligned))
    axes.reverse()
    if mode != "bicubic":
        axes = [
            _inside(place, size, padding_mode, is_aligned)
            for place, size in zip(axes, sizes, strict=True)
        ]
    taps = [_taps(place, mode) for place in axes]
    flat = p.reshape(x, shape=(*x.shape[:2], -1))
    total = None
    for chosen in itertools.product(*taps):
        part = _read(flat, chosen, sizes, padding_mode, is_aligned)
        total = part if total is None else p.add(total, part)
    return as_dtype(total, x.dtype)


def _checked(x: Any, places: Any, mode: Any, padding_mode: Any) -> tuple[int, ...]:
    """The sizes of the spatial axes of `x`."""
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise fail("E0404", f"mode is 'bilinear', 'nearest' or 'bicubic', got {mode!r}")
    if padding_mode not in ("zeros", "border", "reflection"):
        what = "'zeros', 'border' or 'reflection'"
        raise fail("E0404", f"padding_mode is {what}, got {padding_mode!r}")
    if x.ndim not in (4, 5) or (mode == "bicubic" and x.ndim == 5):
        raise fail("E0401", f"grid_sample with mode {mode!r} does not take {type_of(x)}")
    if places.ndim != x.ndim or places.shape[-1] != x.ndim - 2:
        what = f"has {x.ndim} axes, the last of size {x.ndim - 2}"
        raise fail("E0401", f"the grid for {type_of(x)} {what}, got {type_of(places)}")
    dims.require_same(
        x.shape[0], places.shape[0], f"the batches of {type_of(x)} and of {type_of(places)}"
    )  # fmt: skip
    sizes = tuple(static_size(size, "the size of a picture") for size in x.shape[2:])
    if 0 in sizes:
        raise fail("E0401", f"grid_sample reads no empty picture, got {type_of(x)}")
    return sizes


def _part(places: Any, axis: int) -> Any:
    start = (0,) * (places.ndim - 1)
    return p.slice(
        places, start=(*start, axis), stop=(*places.shape[:-1], axis + 1), step=(1,) * places.ndim
    )  # fmt: skip


def _on_axis(place: Any, size: int, is_aligned: bool) -> Any:
    """Places from -1 to 1 as places among `size` elements."""
    if is_aligned:
        return p.mul(p.add(place, 1.0), (size - 1) / 2)
    return p.sub(p.mul(p.add(place, 1.0), size / 2), 0.5)


def _inside(place: Any, size: int, padding_mode: str, is_aligned: bool) -> Any:
    if padding_mode == "zeros":
        return place
    if padding_mode == "reflection":
        place = _mirrored(place, size, is_aligned)
    return p.clip(place, 0.0, float(size - 1))


def _mirrored(place: Any, size: int, is_aligned: bool) -> Any:
    """`place` where it comes to lie when all that is outside is folded in at the edges."""
    low, span = (0.0, size - 1.0) if is_aligned else (-0.5, float(size))
    if not span:
        return p.zeros_like(place)
    around = p.mod(p.sub(place, low), 2 * span)
    return p.add(p.minimum(around, p.sub(2 * span, around)), low)


def _taps(place: Any, mode: str) -> list[tuple[Any, Any]]:
    """Which elements of an axis make what lies at `place`, and with which weights."""
    if mode == "nearest":
        return [(p.round(place), None)]
    first = p.floor(place)
    behind = p.sub(place, first)
    if mode == "bilinear":
        return [(first, p.sub(1.0, behind)), (p.add(first, 1.0), behind)]
    ahead = p.sub(1.0, behind)
    weights = _far(p.add(behind, 1.0)), _near(behind), _near(ahead), _far(p.add(ahead, 1.0))
    return [(p.add(first, shift - 1.0), weight) for shift, weight in enumerate(weights)]


def _near(t: Any) -> Any:
    """The cubic's weight at a distance `t` up to 1."""
    inner = p.sub(p.mul(t, SLOPE + 2), SLOPE + 3)
    return p.add(p.mul(p.mul(inner, t), t), 1.0)


def _far(t: Any) -> Any:
    """The cubic's weight at a distance `t` from 1 to 2."""
    inner = p.add(p.mul(p.sub(p.mul(t, SLOPE), 5 * SLOPE), t), 8 * SLOPE)
    return p.sub(p.mul(inner, t), 4 * SLOPE)


def _read(
    flat: Any, chosen: Any, sizes: tuple[int, ...], padding_mode: str, is_aligned: bool
) -> Any:
    """What the elements at `chosen`, a tap of each axis, give."""
    weight, inside = None, True
    index: Any = 0
    for (place, share), size in zip(chosen, sizes, strict=True):
        if padding_mode != "zeros":
            place = _inside(place, size, padding_mode, is_aligned)
        valid = p.logical_and(p.greater_equal(place, 0.0), p.less_equal(place, size - 1.0))
        whole = as_dtype(p.where(valid, place, 0.0), dtypes.int64)
        inside, index = p.logical_and(valid, inside), p.add(whole, index * size)
        if share is not None:
            weight = share if weight is None else p.mul(weight, share)
    shape = tuple(index.shape)
    line = p.reshape(index, shape=(shape[0], 1, -1))
    spread = p.broadcast_to(line, shape=(*flat.shape[:2], line.shape[2]))
    values = p.gather_elements(flat, spread, axis=2)
    values = p.reshape(values, shape=(*flat.shape[:2], *shape[1:]))
    if weight is not None:
        wide = as_dtype(values, weight.dtype)
        values = p.mul(wide, p.expand_dims(weight, axis=1))
    return p.where(p.expand_dims(inside, axis=1), values, 0)
