"""What does ``x[mask] = value`` write where the mask is data?

How many elements it selects is not known then. So all that it may select is computed, along one
axis where NumPy has that of the selected ones, and what the mask does not select stays as it was. A
value of its own for each selected element would need their number.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.promotion import is_tensor, require_tensor
from s2sad.ops.shapes import reshape
from s2sad.ops.subscript import WHOLE, getitem, places


class Candidates(NamedTuple):
    """The elements of a tensor that a mask, beside other indices, may select.

    Attributes
    ----------
    held : Tensor
        What stands there; `count` axes from `axis` on go through the elements of the mask.
    axis, count : int
    chosen : Tensor of bool
        The mask along `axis`, to be broadcast with `held`.
    written : callable
        The whole tensor, given what is to stand in place of `held`.
    """

    held: Any
    axis: int
    count: int
    chosen: Any
    written: Callable[[Any], Any]

    @property
    def row(self) -> tuple[Any, ...]:
        """Shape of a value that is the same for all that the mask selects."""
        shape = tuple(self.held.shape)
        return (*shape[: self.axis], 1, *shape[self.axis + self.count :])

    def _place(self, value: Any) -> int:
        """Which axis of `value` is that of what the mask selects; negative where it has none."""
        rest = self.held.ndim - self.axis - self.count
        return value.ndim - rest - 1 if is_tensor(value) else -1

    def takes(self, value: Any) -> bool:
        """Whether `value` is the same for all that the mask selects."""
        place = self._place(value)
        return place < 0 or value.shape[place] == 1

    def aligned(self, value: Any) -> Any:
        """`value`, which `takes` holds of, with the axes of the mask where `held` has them."""
        place = self._place(value)
        if place < 0 or self.count == 1:
            return value
        shape = tuple(value.shape)
        return reshape(value, (*shape[:place], *(1,) * self.count, *shape[place + 1 :]))

    def put(self, values: Any) -> Any:
        """The whole tensor, with `values` where the mask holds."""
        return self.written(p.where(self.chosen, values, self.held))


def candidates(x: Any, index: Any) -> Candidates | None:
    """What a mask in `index` may select of `x`; None without one mask among ints and slices.

    Raises
    ------
    S2sadError
        E0503 for a mask of another shape, and those of `getitem`.
    """
    items = index if isinstance(index, tuple) else (index,)
    masks = [place for place, item in enumerate(items) if _is_mask(item)]
    if len(masks) != 1 or not all(_is_basic(item) for item in items if not _is_mask(item)):
        return None
    return _candidates(x, items[: masks[0]], items[masks[0]], items[masks[0] + 1 :])


def updated(input: Any, index: Any, operation: Callable[[Any, Any], Any], operand: Any) -> Any:
    """`input` with `operation` of it and `operand` where the mask in `index` holds.

    Raises
    ------
    S2sadError
        E0305 where `operand` differs among what the mask selects, and for several masks or one
        beside index arrays; those of `getitem`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([1.0, 2.0, 3.0])
    >>> updated(x, x > 1, lambda held, operand: held * operand, 10).asnumpy()
    array([ 1., 20., 30.], dtype=float32)
    """
    x = require_tensor(input, "an item assignment")
    found = candidates(x, index)
    if found is None:
        raise fail(
            "E0305", "what several masks, or a mask beside index arrays, select depends on data",
            help="one mask among ints and slices is written; ops.logical_and joins masks",
        )  # fmt: skip
    return found.put(operation(found.held, found.aligned(require_row(found, operand))))


def require_row(found: Candidates, value: Any) -> Any:
    """`value`, if it is the same for all that the mask selects (E0305)."""
    if found.takes(value):
        return value
    raise fail(
        "E0305", f"a value of shape {tuple(value.shape)} has an element for each that the mask "
        "selects, and how many these are depends on data",
        help="ops.where(mask, y, x) takes them from the same places, ops.masked_scatter one "
        "after the other",
    )  # fmt: skip


def _is_mask(item: Any) -> bool:
    return is_tensor(item) and item.dtype is dtypes.bool_


def _is_basic(item: Any) -> bool:
    return item is None or item is Ellipsis or isinstance(item, builtins.slice) or _is_int(item)


def _is_int(item: Any) -> bool:
    if is_tensor(item):
        return item.dtype.is_integer and not item.ndim
    return isinstance(item, (int, np.integer, dims.Symbolic)) and not isinstance(item, bool)


def _candidates(x: Any, before: Sequence[Any], mask: Any, after: Sequence[Any]) -> Candidates:
    """The candidates of `mask` between the other items of an index."""
    if not before and not after:  # nothing is moved, so that rules for `where` see what it is of
        _require_fit(mask, tuple(x.shape[: mask.ndim]))
        chosen = reshape(mask, (*mask.shape, *(1,) * (x.ndim - mask.ndim)))
        return Candidates(x, 0, mask.ndim, chosen, lambda new: new)
    order, axis = _along_mask(places(x), before, mask, after)
    flat = reshape(x, -1)
    held = p.gather(flat, order, axis=0)
    chosen = reshape(mask, (held.shape[axis], *(1,) * (held.ndim - axis - 1)))

    def written(new: Any) -> Any:
        return reshape(p.index_update(flat, order, new, axis=0), tuple(x.shape))

    return Candidates(held, axis, 1, chosen, written)


def _require_fit(mask: Any, indexed: tuple[Any, ...]) -> None:
    if not dims.alike(tuple(mask.shape), indexed):
        what = f"a bool index of shape {tuple(mask.shape)}"
        raise fail("E0503", f"{what} does not fit axes of the shape {indexed}")


def _along_mask(x: Any, before: Sequence[Any], mask: Any, after: Sequence[Any]) -> tuple[Any, int]:
    """What the index names with all that `mask` may select, along one axis, which comes second."""
    opened = [WHOLE] * mask.ndim or [None]  # a mask without axes brings its own
    found = getitem(x, (*before, *opened, *after))
    place = _kept(before)
    if any(item is Ellipsis for item in before):
        place = found.ndim - len(opened) - _kept(after)
    shape = tuple(found.shape)
    _require_fit(mask, shape[place : place + mask.ndim])
    size = dims.size(tuple(mask.shape))
    found = reshape(found, (*shape[:place], size, *shape[place + len(opened) :]))
    if not _is_apart([*map(_is_int, before), True, *map(_is_int, after)]):
        return found, place
    others = [axis for axis in builtins.range(found.ndim) if axis != place]
    return p.transpose(found, perm=(place, *others)), 0


def _kept(items: Sequence[Any]) -> int:
    """How many axes of the result slices and None among `items` make."""
    return sum(item is None or isinstance(item, builtins.slice) for item in items)


def _is_apart(takes_part: list[bool]) -> bool:
    """Whether something else stands between the indices that take part, as NumPy sees them."""
    first, last = takes_part.index(True), len(takes_part) - takes_part[::-1].index(True)
    return not all(takes_part[first:last])
