"""How does attention know places: by turning its vectors, and by what it keeps of earlier steps?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.draws import float_dtype
from s2sad.ops.promotion import (
    as_dtype,
    constant,
    is_tensor,
    require_floats,
    require_integers,
    require_tensors,
    type_of,
)
from s2sad.ops.settings import integer, positive
from s2sad.prims.rules import axis_of


def rotary_tables(length: int, size: int, base: float = 10000.0, *, dtype: Any = None) -> Any:
    """Cosines and sines by which `rotary_position_embedding` turns vectors, one row a place.

    Parameters
    ----------
    length : int
        Number of places.
    size : int
        Of the vectors, even.
    base : float
        How much slower the last pair turns than the first, nearly.
    dtype : DType of floats, optional
        float32 by default.

    Returns
    -------
    tuple of two Tensors, shape (length, size)
        For mode 0: the angles of the pairs, twice.

    Raises
    ------
    S2sadError
        E0301 for a dtype of no floats, E0303 and E0404 for sizes and a base that cannot be.

    Notes
    -----
    Pair j of place m has the angle ``m * base ** (-2 j / size)``, from Su et al. 2021, equation 15.
    Angles are computed in float64.

    Examples
    --------
    >>> cosines, sines = rotary_tables(2, 4)
    >>> sines.asnumpy().round(2)
    array([[0.  , 0.  , 0.  , 0.  ],
           [0.84, 0.01, 0.84, 0.01]], dtype=float32)
    """
    half, odd = divmod(integer("size", size, 2), 2)
    if odd:
        raise fail("E0404", f"the size of vectors that turn in pairs is even, got {size}")
    speed = positive("base", base) ** (-np.arange(half) / half)
    angles = np.tile(np.arange(integer("length", length, 0))[:, None] * speed, 2)
    found = float_dtype(dtype)
    wide = [constant(table, dtypes.float64) for table in (np.cos(angles), np.sin(angles))]
    return tuple(as_dtype(table, found) for table in wide)


def rotary_position_embedding(x: Any, cos: Any, sin: Any, mode: int = 0) -> Any:
    """Vectors, turned pair by pair.

    Parameters
    ----------
    x : Tensor of floats, shape (..., size)
        `size` is even.
    cos, sin : Tensor of floats
        They broadcast to the shape of `x`; cast to its dtype.
    mode : {0, 1}
        0: element i makes a pair with element ``i + size / 2``. 1: with its neighbour.

    Returns
    -------
    Tensor, shape and dtype of `x`

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 or E0404 for another mode, E0304 for what is no Tensor, E0401
        for an odd size, and for tables that do not broadcast to `x`.

    Notes
    -----
    ``x * cos + turned * sin``, where a pair (a, b) of `x` is (-b, a) in `turned`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1.0, 2.0, 3.0, 4.0]])
    >>> rotary_position_embedding(x, ms.Tensor([0.0]), ms.Tensor([1.0])).asnumpy()
    array([[-3., -4.,  1.,  2.]], dtype=float32)
    >>> rotary_position_embedding(x, ms.Tensor([0.0]), ms.Tensor([1.0]), 1).asnumpy()
    array([[-2.,  1., -4.,  3.]], dtype=float32)
    """
    what = "rotary_position_embedding"
    x = require_floats(x, what)
    tables = [as_dtype(require_floats(table, what), x.dtype) for table in (cos, sin)]
    if integer("mode", mode, 0) > 1:
        raise fail("E0404", f"mode is 0 or 1, got {mode}")
    size = x.shape[-1] if x.ndim else 1
    if dims.same(size % 2, 0) is not True:
        raise fail("E0401", f"the last axis of {type_of(x)} is even: its elements turn in pairs")
    for name, table in zip(("cos", "sin"), tables, strict=True):
        _require_table(name, table, x)
    cosines, sines = tables
    return p.add(p.mul(x, cosines), p.mul(_turned(x, size // 2, mode), sines))


def _require_table(name: str, table: Any, x: Any) -> None:
    """E0401 naming the axis along which `table` does not broadcast to `x`."""
    if table.ndim > x.ndim:
        raise fail("E0401", f"{name} has more axes, {type_of(table)}, than {type_of(x)}")
    shape = (1,) * (x.ndim - table.ndim) + tuple(table.shape)
    for axis, (ours, theirs) in enumerate(zip(shape, x.shape, strict=True), -x.ndim):
        if ours != 1 and dims.same(ours, theirs) is not True:
            raise fail(
                "E0401", f"axis {axis} of {name}, {type_of(table)}, is {ours}, and of {type_of(x)} "
                f"it is {theirs}", help="give it the size 1 along axes that do not matter",
            )  # fmt: skip


def _turned(x: Any, half: Any, mode: int) -> Any:
    """(-b, a) in place of each pair (a, b)."""
    front = tuple(x.shape[:-1])
    pairs = p.reshape(x, shape=(*front, half, 2) if mode else (*front, 2, half))
    axis = -1 if mode else -2
    first, second = p.split(pairs, sizes=(1, 1), axis=axis)
    return p.reshape(p.concat(p.neg(second), first, axis=axis), shape=tuple(x.shape))


def kv_cache_update(cache: Any, new: Any, position: Any, axis: int = -2) -> Any:
    """`cache` with `new` in place of what is there from `position` on, along `axis`.

    Parameters
    ----------
    cache : Tensor, shape (..., capacity, size)
        Of a Parameter, what it holds: `ops.assign` keeps the result in it.
    new : Tensor of the same dtype, shape (..., n, size)
    position : int, or Tensor of one integer
    axis : int
        The axis of places.

    Raises
    ------
    S2sadError
        E0301 where dtypes differ or `position` is no integer, E0304 for what is no Tensor, E0401
        where shapes do not fit, E0403 for an axis that does not exist; at run time E0501 where
        `new` does not fit behind `position`.

    Examples
    --------
    >>> import s2sad as ms
    >>> kv_cache_update(ms.ops.zeros((3, 1)), ms.ops.ones((1, 1)), ms.Tensor(1)).asnumpy()
    array([[0.],
           [1.],
           [0.]], dtype=float32)
    """
    held, part = require_tensors("kv_cache_update", cache, new)
    axis = axis_of(axis, held.ndim)
    if part.ndim != held.ndim:
        raise fail("E0401", f"new, {type_of(part)}, has other axes than the cache, {type_of(held)}")
    for each in range(held.ndim):
        if each != axis:
            dims.require_same(
                part.shape[each], held.shape[each],
                f"axis {each} of new, {type_of(part)}, and of the cache, {type_of(held)},",
                f"only axis {axis} may be shorter",
            )  # fmt: skip
    start = _position(position)
    return p.update(held, part, *(start if each == axis else 0 for each in range(held.ndim)))


def _position(position: Any) -> Any:
    """A place: an int, or a scalar (E0301, E0401)."""
    if not is_tensor(position):
        return integer("position", position, 0)
    require_integers(position, "positions")
    if dims.same(dims.size(position.shape), 1) is not True:
        raise fail("E0401", f"a position is one integer, got {type_of(position)}")
    return p.reshape(position, shape=())
