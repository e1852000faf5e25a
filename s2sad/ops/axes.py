"""In which order do the axes of a tensor stand, and the elements along them?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import integer
from s2sad.ops.shapes import reshape
from s2sad.prims.rules import axes_in_order, axis_of

# Order of axes


def transpose(input: Any, dims: Any) -> Any:
    """`input` with its axes in the order `dims`.

    Parameters
    ----------
    input : Tensor
    dims : tuple or list of int
        Each axis once; negative ones count from the end.

    Raises
    ------
    S2sadError
        E0303 for another number of axes, E0403 for an axis that does not exist, E0404 for one that
        is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> transpose(ms.Tensor([[1, 2], [3, 4]]), (1, 0)).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    return p.transpose(require_tensor(input, "transpose"), perm=tuple(dims))


def permute(input: Any, axis: Any) -> Any:
    """`input` with its axes in the order `axis`: `transpose`.

    Arguments and errors are those of `transpose`.

    Examples
    --------
    >>> import s2sad as ms
    >>> permute(ms.Tensor([[1, 2, 3]]), (1, 0)).shape
    (3, 1)
    """
    return transpose(input, axis)


def reversed_axes(input: Any) -> Any:
    """``tensor.T``: its axes in reverse order."""
    return p.transpose(input, perm=None)


def matrix_transpose(input: Any) -> Any:
    """``tensor.mT``: its last two axes exchanged (E0401 where there are fewer)."""
    if input.ndim < 2:
        raise fail("E0401", f"mT exchanges the last two axes, got the shape {tuple(input.shape)}")
    return swapaxes(input, -2, -1)


def t(input: Any) -> Any:
    """A matrix with rows and columns exchanged; a vector or a scalar as it is.

    Raises
    ------
    S2sadError
        E0401 for more than two axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> t(ms.Tensor([[1, 2, 3]])).shape
    (3, 1)
    """
    if require_tensor(input, "t").ndim > 2:
        raise fail("E0401", f"t takes two axes at most, got the shape {tuple(input.shape)}")
    return reversed_axes(input)


def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """`input` with two axes exchanged.

    Parameters
    ----------
    input : Tensor
    axis0, axis1 : int

    Raises
    ------
    S2sadError
        E0303 for what is no int, E0304 for what is no Tensor, E0403 for an axis that does not
        exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> swapaxes(ms.Tensor([[1, 2], [3, 4]]), 0, 1).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    x = require_tensor(input, "swapaxes")
    one, other = axis_of(axis0, x.ndim), axis_of(axis1, x.ndim)
    order = list(range(x.ndim))
    order[one], order[other] = other, one
    return p.transpose(x, perm=tuple(order))


def swapdims(input: Any, dim0: int, dim1: int) -> Any:
    """`input` with two axes exchanged: `swapaxes`.

    Arguments and errors are those of `swapaxes`.

    Examples
    --------
    >>> import s2sad as ms
    >>> swapdims(ms.Tensor([[1, 2, 3]]), 0, 1).shape
    (3, 1)
    """
    return swapaxes(input, dim0, dim1)


def movedim(x: Any, source: Any, destination: Any) -> Any:
    """`x` with the axes `source` at the places `destination`; the others keep their order.

    Parameters
    ----------
    x : Tensor
    source, destination : int, or tuple or list of int
        As many of one as of the other.

    Raises
    ------
    S2sadError
        E0303 for more of one than of the other, E0403 for an axis that does not exist, or is named
        twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> movedim(ms.ops.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    ndim = require_tensor(x, "movedim").ndim
    moved, places = _distinct(source, ndim), _distinct(destination, ndim)
    if len(moved) != len(places):
        raise fail("E0303", f"{len(moved)} axes cannot move to {len(places)} places")
    order = [axis for axis in range(ndim) if axis not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return p.transpose(x, perm=tuple(order))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """`x` with axes moved: `movedim`.

    Arguments and errors are those of `movedim`.

    Examples
    --------
    >>> import s2sad as ms
    >>> moveaxis(ms.ops.zeros((2, 3, 4)), (0, 1), (-1, 0)).shape
    (3, 4, 2)
    """
    return movedim(x, source, destination)


def _distinct(axes: Any, ndim: int) -> tuple[int, ...]:
    return axes_in_order(tuple(axes) if isinstance(axes, list) else axes, ndim)


# Order of elements


def flip(input: Any, dims: Any) -> Any:
    """`input` with the order of elements reversed along `dims`.

    Parameters
    ----------
    input : Tensor
    dims : int, or tuple or list of int

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist, or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> flip(ms.Tensor([[1, 2], [3, 4]]), (1,)).asnumpy()
    array([[2, 1],
           [4, 3]])
    """
    return p.flip(require_tensor(input, "flip"), axis=dims)


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """`input` with its elements moved towards the end; what leaves there enters in front.

    Parameters
    ----------
    input : Tensor
    shifts : int, or tuple or list of int
        By how many places; negative moves to the front.
    dims : int, or tuple or list of int, optional
        As many axes as there are shifts; by default the elements move as along one axis.

    Raises
    ------
    S2sadError
        E0303 for another number of shifts, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> roll(ms.Tensor([[1, 2], [3, 4]]), 1).asnumpy()
    array([[4, 1],
           [2, 3]])
    """
    x = require_tensor(input, "roll")
    if dims is None:
        return reshape(p.roll(reshape(x, -1), shift=shifts, axis=0), tuple(x.shape))
    return p.roll(x, shift=shifts, axis=dims)


def rot90(input: Any, k: int, dims: Any) -> Any:
    """`input` turned by `k` quarters in the plane of two axes, from the first towards the second.

    Parameters
    ----------
    input : Tensor
    k : int
    dims : tuple or list of two ints

    Raises
    ------
    S2sadError
        E0303 for what is no int, or other than two axes; E0403 for an axis that does not exist, or
        is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> rot90(ms.Tensor([[1, 2], [3, 4]]), 1, (0, 1)).asnumpy()
    array([[2, 4],
           [1, 3]])
    """
    x = require_tensor(input, "rot90")
    plane = _distinct(dims, x.ndim)
    if len(plane) != 2:
        raise fail("E0303", f"rot90 turns in the plane of two axes, got {dims!r}")
    turns = integer("k", k) % 4
    if turns in (2, 3):
        x = flip(x, plane if turns == 2 else plane[0])
    if turns % 2 == 0:
        return x
    return swapaxes(x, *plane) if turns == 3 else flip(swapaxes(x, *plane), plane[0])
