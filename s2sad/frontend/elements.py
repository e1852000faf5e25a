"""Which elements of a tensor does an index name that varies from pass to pass?

A number takes the place of an axis, a slice of a length that does not vary becomes a window. What
is read has to exist in every pass, so the bounds of the numbers are compared with the axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.frontend.index import difference
from s2sad.ir import builder as builders
from s2sad.ir.graph import Value
from s2sad.ir.varying import Unfit, Varying, holds_varying

WHOLE = slice(None)


def element(tensor: Any, index: Any, method: Callable[[str], Any]) -> Any:
    """``tensor[index]``, where numbers and bounds of slices in `index` vary.

    Parameters
    ----------
    method : callable
        Gives the operator of tensors by its name.

    Raises
    ------
    Unfit
        For anything else that depends on a varying number, and for one that may be out of range.
    """
    x = builders.current().value(tensor)
    parts = list(index) if isinstance(index, tuple) else [index]
    if not all(map(_is_basic, parts)):
        raise Unfit("an index that is no number")
    for place, part in enumerate(parts):
        if isinstance(part, Varying):
            parts[place] = _in_range(part, x.shape[_axis(parts, place, x.ndim)])
        elif holds_varying(part):
            x, parts[place] = _window(x, part, _axis(parts, place, x.ndim))
    return method("__getitem__")(x, tuple(parts))


def known_index(tensor: Any, index: Any) -> Any:
    """`index` with values in place of numbers that vary, where it consists of numbers only.

    Raises
    ------
    Unfit
        For anything else that depends on a varying number, and for one that may be out of range.
    """
    if not holds_varying(index):
        return index
    parts = list(index) if isinstance(index, tuple) else [index]
    if not all(isinstance(part, (int, Varying)) for part in parts) or len(parts) > tensor.ndim:
        raise Unfit("an index that is no number")
    sizes = zip(parts, tensor.shape, strict=False)
    found = tuple(_in_range(x, n) if isinstance(x, Varying) else x for x, n in sizes)
    return found if isinstance(index, tuple) else found[0]


def _is_basic(part: Any) -> bool:
    """Whether `part` of an index takes or makes an axis in place, whatever stands beside it."""
    is_number = isinstance(part, (int, Varying)) and not isinstance(part, bool)
    return part is None or part is Ellipsis or is_number or isinstance(part, slice)


def _axis(parts: list[Any], place: int, ndim: int) -> int:
    """Axis of a tensor that the part of an index at `place` belongs to."""
    before = [x for x in parts[:place] if x is not None]
    after = [x for x in parts[place:] if x is not None]
    axis = ndim - len(after) if any(x is Ellipsis for x in before) else len(before)
    if not 0 <= axis < ndim:
        raise Unfit("an index with too many parts")
    return axis


def _in_range(index: Varying, size: Any) -> Value:
    """`index` into an axis of `size`, counted from its front."""
    if index.is_float or not isinstance(size, int) or not -size <= index.low <= index.high < size:
        raise Unfit("an index that may be out of range", settles=True)
    return index.value if index.low >= 0 else p.mod(index.value, size)


def _window(x: Value, part: slice, axis: int) -> tuple[Value, slice]:
    """The window of `x` that holds the slice `part` of an axis, and what to take of it."""
    start, stop = part.start, part.stop
    length = difference(start, stop)
    size = x.shape[axis]
    step = part.step if part.step is not None else 1
    if not isinstance(start, Varying) or length is None or length < 0:
        raise Unfit("a slice whose length varies")
    if not isinstance(step, int) or step <= 0:
        raise Unfit("a slice that goes backwards")
    if not isinstance(size, int) or start.low < 0 or start.high + length > size:
        raise Unfit("a slice that may reach beyond its axis", settles=True)
    starts = [start.value if i == axis else 0 for i in range(x.ndim)]
    sizes = tuple(length if i == axis else n for i, n in enumerate(x.shape))
    return p.dynamic_slice(x, *starts, sizes=sizes), slice(None, None, step)
