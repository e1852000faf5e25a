"""What does ``x[...]`` read?

NumPy's rules: ints, slices, ``...`` and None first; then index arrays, broadcast together, whose
axes stand in place of those that they index where these are neighbours, else in front. An int may
be data: a tensor without axes, such as the counter of a loop. Reading it touches one slice, and so
does its gradient.
"""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.index import index_rows
from s2sad.ops.promotion import as_dtype, as_operand, constant, is_tensor, require_tensor
from s2sad.ops.shapes import reshape
from s2sad.ops.varying import SELECT, known_now
from s2sad.prims.rules import outside
from s2sad.prims.shape import counted

WHOLE = builtins.slice(None)


def getitem(input: Any, index: Any) -> Any:
    """``input[index]``.

    Parameters
    ----------
    input : Tensor
    index : int, slice, None, ``...``, bool, list or Tensor of integers or bools, or tuple of these
        A list is an index array. In compiled code, where every shape is known while compiling, the
        bounds of a slice and masks may not be data.

    Raises
    ------
    S2sadError
        E0301 for a tensor of floats, E0304 for what is no index, E0305 for a mask or a bound that
        is data, in compiled code; E0401 when index arrays do not broadcast, E0404 for a step of 0,
        E0501 for an index out of range (of data at run time), E0503 for more indices than axes, or
        a mask of another shape.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1, 2, 3], [4, 5, 6]])
    >>> getitem(x, (0, slice(None, None, -1))).asnumpy()
    array([3, 2, 1])
    >>> getitem(x, ([0, 1, 1], [2, 0, 0])).asnumpy()
    array([3, 4, 4])
    """
    x = require_tensor(input, "an index")
    x, terms = _terms(x, index if isinstance(index, tuple) else (index,))
    if not any(_is_array(term) for term in terms):
        return _basic(x, terms)
    return _advanced(x, terms)


# What an index is made of: None, a slice, an int, a tensor without axes, an index array; and `...`,
# which stays where it stands for no axis, for it keeps index arrays apart all the same.


def _is_array(term: Any) -> bool:
    return is_tensor(term) and term.ndim > 0


def _is_scalar(term: Any) -> bool:
    return isinstance(term, (int, dims.Symbolic)) or (is_tensor(term) and not term.ndim)


def _terms(x: Any, items: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """`x` and the terms of an index into it, one for each axis; a lone bool brings its own axis."""
    read = [_term(x, item) for item in items]
    taken = sum(_axes_taken(term) for term in read)
    dots = sum(term is Ellipsis for term in read)
    if taken > x.ndim or dots > 1:
        what = f"{taken} indices" if taken > x.ndim else "an index with two `...`"
        raise fail(
            "E0503", f"{what} for a Tensor with {x.ndim} axes, of shape {tuple(x.shape)}",
            help="one index an axis, and one `...`, are the most",
        )  # fmt: skip
    free = x.ndim - taken
    terms: list[Any] = []
    axis = 0
    for term in read if dots else [*read, Ellipsis]:
        if term is Ellipsis:
            terms += [WHOLE] * free or [Ellipsis]
            axis += free
            continue
        if isinstance(term, np.ndarray) and not term.ndim:
            x = p.expand_dims(x, axis=axis)
            term = term.reshape(1)
        terms += _checked(term, tuple(x.shape), axis)
        axis += _axes_taken(term)
    return x, terms


def _axes_taken(term: Any) -> int:
    if isinstance(term, np.ndarray) and term.dtype == np.bool_:
        return term.ndim
    return 0 if term is None or term is Ellipsis else 1


def _term(x: Any, item: Any) -> Any:
    """`item` as a term; what is known of arrays, also a bool, as an array of NumPy."""
    if item is None or item is Ellipsis:
        return item
    if isinstance(item, builtins.slice):
        return _slice(item)
    if isinstance(item, (bool, np.bool_)):
        return np.asarray(item)
    if isinstance(item, (int, np.integer)):
        return int(item)
    if isinstance(item, dims.Symbolic):
        return item
    if isinstance(item, (list, tuple, builtins.range)):
        return _listed(x, list(item))
    if not is_tensor(item) and not isinstance(item, np.ndarray):
        raise fail(
            "E0304", f"a Tensor has no index of type {type(item).__name__}",
            help="integers, slices, None, `...`, and Tensors of integers or bools",
        )  # fmt: skip
    tensor = as_operand(item, (x,))
    if tensor.dtype.is_float:
        raise fail(
            "E0301", f"an index is of integers or bools, got a {tensor.dtype.name} Tensor",
            help="cast it: `.astype(int32)`",
        )  # fmt: skip
    return tensor if tensor.dtype.is_integer else known_now(tensor, "a bool index", SELECT)


def _listed(x: Any, items: list[Any]) -> Any:
    """A list of ints, bools or lists of them as an array; of tensors, as a tensor."""
    if any(map(is_tensor, items)):
        parts = [_term(x, item) for item in items]
        tensors = [y if is_tensor(y) else constant(y, dtypes.int64) for y in parts]
        return p.stack(*[as_dtype(y, dtypes.int64) for y in tensors])
    try:
        array = np.asarray(items)
    except ValueError:
        raise fail("E0401", "an index array is a list whose rows have one length") from None
    if array.dtype.kind not in "iub" and array.size:
        raise fail("E0304", f"an index array is made of ints or bools, got {items!r}")
    return array if array.dtype == np.bool_ else array.astype(np.int64)


def _slice(item: builtins.slice) -> builtins.slice:
    start, stop, step = (_bound(part) for part in (item.start, item.stop, item.step))
    if step == 0:
        raise fail("E0404", "the step of a slice must not be 0")
    return builtins.slice(start, stop, step)


def _bound(part: Any) -> Any:
    if part is None or isinstance(part, dims.Symbolic):
        return part
    if is_tensor(part):
        window = "ops.narrow(x, axis, start, length) takes a start that is data"
        known_now(part, "the bound of a slice", window)
    try:
        return operator.index(part)
    except TypeError:
        kind = type(part).__name__
        raise fail(
            "E0304", f"the bounds of a slice are ints, got a {kind}",
            help="`//` divides to an int" if kind == "float" else None,
        ) from None  # fmt: skip


def _checked(term: Any, shape: tuple[Any, ...], axis: int) -> list[Any]:
    """`term`, which indexes `shape` from `axis` on: ints from the front, arrays as tensors."""
    if isinstance(term, (int, dims.Symbolic)):
        return [from_front(term, shape[axis], axis)]
    if not isinstance(term, np.ndarray):
        return [term]
    if term.dtype == np.bool_:
        indexed = shape[axis : axis + term.ndim]
        if term.shape != indexed:
            what = f"a bool index of shape {term.shape}"
            raise fail("E0503", f"{what} does not fit axes of the shape {indexed}, from {axis} on")
        return [constant(places, dtypes.int64) for places in np.nonzero(term)]
    for place in (term.min(), term.max()) if term.size else ():
        from_front(int(place), shape[axis], axis)
    return [constant(term, dtypes.int64)]


def from_front(index: dims.Dim, size: dims.Dim, axis: int) -> dims.Dim:
    """`index` into an axis of `size`, from the front (E0501 out of range)."""
    place = index if index >= 0 else size + index
    fits = dims.less_equal(0, place) and dims.less(place, size)
    if fits is None:
        raise fail("E0402", f"cannot tell whether axis {axis} of size {size} has an index {index}")
    if not fits:
        raise outside(index, axis, size)
    return place


def places(x: Any) -> Any:
    """The place of each element of `x` in the flat order."""
    shape = tuple(x.shape)
    size = dims.size(shape)
    if isinstance(size, dims.Symbolic):
        return p.reshape(p.iota(dtype=dtypes.int64, shape=(size,)), shape=shape)
    return constant(np.arange(size).reshape(shape), dtypes.int64)


def as_place(index: Any) -> Any:
    """An index of one element, from the front, as a tensor."""
    if isinstance(index, dims.Symbolic):
        return counted(index, dtypes.int64)
    return index if is_tensor(index) else constant(index, dtypes.int64)


# Without index arrays


def _basic(x: Any, terms: list[Any]) -> Any:
    """The part that slices, ints and tensors without axes name, None as an axis of size 1."""
    terms = [term for term in terms if term is not Ellipsis]
    axes = [term for term in terms if term is not None]
    data = [axis for axis, term in enumerate(axes) if is_tensor(term)]
    if len(data) == 1 and _are_whole(axes[: data[0]] + axes[data[0] + 1 :]):
        part = p.gather(x, axes[data[0]], axis=data[0])
        terms = [term for term in terms if not is_tensor(term)]
    else:
        part = _window(x, axes) if data else _slices(x, axes)
    return _shaped(part, terms)


def _shaped(part: Any, terms: list[Any]) -> Any:
    """`part`, without the axes of ints and with those of None."""
    sizes = iter(part.shape)
    shape: list[Any] = []
    for term in terms:
        size = 1 if term is None else next(sizes)
        if term is None or isinstance(term, builtins.slice):
            shape.append(size)
    return part if len(shape) == part.ndim == len(terms) else reshape(part, shape)


def _are_whole(terms: list[Any]) -> bool:
    return all(isinstance(term, builtins.slice) and _is_whole(term) for term in terms)


def _is_whole(term: builtins.slice) -> bool:
    begins = term.start is None or dims.same(term.start, 0) is True
    return begins and term.stop is None and term.step in (None, 1)


def _slices(x: Any, axes: list[Any]) -> Any:
    """The part of `x` that slices and ints name, all axes kept."""
    if _are_whole(axes):
        return x
    parts = [a if isinstance(a, builtins.slice) else builtins.slice(a, a + 1 or None) for a in axes]
    start, stop = (tuple(getattr(part, name) for part in parts) for name in ("start", "stop"))
    return p.slice(x, start=start, stop=stop, step=tuple(part.step or 1 for part in parts))


def _window(x: Any, axes: list[Any]) -> Any:
    """The part of `x` that slices, ints and tensors without axes name, all axes kept.

    One window holds it, so that its gradient is added to a window as well.
    """
    spans = [_span(term, size) for term, size in zip(axes, x.shape, strict=True)]
    starts, sizes, rest = zip(*spans, strict=True)
    return _slices(p.dynamic_slice(x, *starts, sizes=sizes), list(rest))


def _span(term: Any, size: Any) -> tuple[Any, Any, builtins.slice]:
    """Where the window begins along an axis, how long it is, and what to take of it."""
    if not isinstance(term, builtins.slice):
        return term if isinstance(term, int) else as_place(term), 1, WHOLE
    if not isinstance(size, int):
        return 0, size, term
    found = builtins.range(*term.indices(size))
    if not found:
        return 0, 0, WHOLE
    return (
        min(found[0], found[-1]),
        abs(found[-1] - found[0]) + 1,
        builtins.slice(None, None, found.step),
    )


# With index arrays


def _advanced(x: Any, terms: list[Any]) -> Any:
    """What index arrays name, and ints beside them: their axes in one place, slices in the rest."""
    group = [place for place, term in enumerate(terms) if _is_array(term) or _is_scalar(term)]
    are_neighbours = group[-1] - group[0] == len(group) - 1
    before = [t for t in terms[: group[0]] if t is not Ellipsis] if are_neighbours else []
    rest = [t for t in terms if t is None or isinstance(t, builtins.slice)]
    found, here = _gathered(x, [t for t in terms if t is not None and t is not Ellipsis])
    count = found.ndim - sum(t is not None for t in rest)
    there = sum(t is not None for t in before)
    whole = [WHOLE] * count
    kept = [*rest[: len(before)], *whole, *rest[len(before) :]]
    moved = _moved(found, here, there, count)
    return _shaped(_slices(moved, [t for t in kept if t is not None]), kept)


def _moved(x: Any, here: int, there: int, count: int) -> Any:
    """`x` with the `count` axes at place `here` moved to `there`, counted among the others."""
    if here == there:
        return x
    others = [axis for axis in builtins.range(x.ndim) if not here <= axis < here + count]
    block = builtins.range(here, here + count)
    return p.transpose(x, perm=(*others[:there], *block, *others[there:]))


def _gathered(x: Any, axes: list[Any]) -> tuple[Any, int]:
    """What the index arrays and ints among `axes` name, slices not yet taken.

    The axes of the index arrays stand together; their place among the others comes second.
    """
    group = [axis for axis, term in enumerate(axes) if not isinstance(term, builtins.slice)]
    if len(group) == 1:
        return p.gather(x, axes[group[0]], axis=group[0]), group[0]
    if group == list(builtins.range(len(group))):  # read in one go, a row at a time
        return p.gather_nd(x, index_rows([as_place(t) for t in axes[: len(group)]])), 0
    if any(map(_is_scalar, axes)):
        part = _basic(x, [term if _is_scalar(term) else WHOLE for term in axes])
        return _gathered(part, [term for term in axes if not _is_scalar(term)])
    others = [axis for axis in builtins.range(len(axes)) if axis not in group]
    front = p.transpose(x, perm=(*group, *others))
    return _gathered(front, [axes[axis] for axis in (*group, *others)])
