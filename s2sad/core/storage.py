"""How do data come into a tensor, copied or shared, and who else holds the same memory?

A tensor's elements lie in one NumPy array of its dtype's storage (`s2sad.core.dtypes`). Copied
data get an array of their own: C order, the machine's byte order, writable. Shared data keep the
layout that they have.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail
from s2sad.core.dtypes import DType


class Stored:
    """What holds its elements in `array`; the base of Tensor.

    Attributes
    ----------
    array : numpy.ndarray
        Elements as the dtype stores them: bfloat16 as uint16.
    """

    __slots__ = ("array",)

    array: np.ndarray


#: Kinds of NumPy dtypes that no tensor has, and what to do instead.
INSTEAD = {
    "c": "keep the real and the imaginary part in two tensors: x.real, x.imag",
    "O": "give all elements one number type, and all rows one length",
    "U": "map texts to integers first",
    "S": "map texts to integers first",
    "M": "count time in a unit: x.astype('datetime64[s]').astype(np.int64)",
    "m": "count time in a unit: x.astype('timedelta64[s]').astype(np.int64)",
    "f": "cast it first, such as x.astype(np.float64)",
    "u": "name a dtype that holds the values, such as dtype=s2sad.int64",
    "V": "make one tensor of each field, or cast it first",
}

#: What a list or a Python number becomes where NumPy's choice differs or depends on the machine.
DEFAULTS = {np.dtype(np.float64): dtypes.float32, np.dtype(np.int_): dtypes.int64}


def owner(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory of `array`, as far as NumPy knows.

    Examples
    --------
    >>> whole = np.zeros(4)
    >>> owner(whole[1:].reshape(3, 1)) is whole
    True
    """
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def stored_copy(data: Any, dtype: DType | None = None) -> np.ndarray:
    """Elements of `data` in an array of their own, as `dtype` stores them.

    Parameters
    ----------
    data : number, nested list or tuple, array, Stored, or what offers an array or DLPack
    dtype : DType, optional
        By default that of `data`; int64, float32 or bool for Python numbers and lists of them.

    Raises
    ------
    S2sadError
        E0301 when no tensor has elements of that kind, E0303 for a `dtype` that is none of ours,
        E0304 when `data` is nothing of the above, E0401 for rows of unequal lengths, E0404 for a
        number that the dtype cannot hold.
    """
    if dtype is not None:
        _check_dtype(dtype)
    array, target = _read(data, dtype)
    if array.dtype == target.storage:
        return np.array(array, target.storage, order="C", copy=True, subok=False)
    return _converted(array, target, isinstance(data, (bool, int, list, tuple)))


def _check_dtype(dtype: Any) -> None:
    if not isinstance(dtype, DType):
        known = [each.name for each in dtypes.ALL]
        near = None
        if isinstance(dtype, str):
            near = f"write s2sad.{dtype}" if dtype in known else did_you_mean(dtype, known)
        raise fail("E0303", f"a dtype such as s2sad.float32 is needed, got {dtype!r}", help=near)


def default_dtype(data: Any) -> DType:
    """The dtype that a Tensor of `data` has when none is named."""
    return _read(data, None)[1]


def _read(data: Any, dtype: DType | None) -> tuple[np.ndarray, DType]:
    """The numbers of `data`, and the dtype that they are to have: `dtype` if given.

    A uint16 array stands for bfloat16, here and in what follows.
    """
    if isinstance(data, Stored):
        return data.array, dtype or dtypes.BY_STORAGE[data.array.dtype]
    if isinstance(data, (np.ndarray, np.generic)):
        return _read_array(data, dtype)
    if isinstance(data, (list, tuple)):
        return _read_list(data, dtype)
    if isinstance(data, (bool, int, float)):
        array, default = _read_number(data)
        return array, dtype or default
    if isinstance(data, complex):
        raise _no_dtype(np.dtype(complex))
    if hasattr(data, "__array__") or hasattr(data, "__array_interface__"):
        return _read_array(np.asarray(data), dtype)
    if hasattr(data, "__dlpack__"):
        return _read_array(_imported(data), dtype)
    raise fail(
        "E0304", f"a Tensor cannot be made of {_article(data)}",
        help="give a number, a list of numbers, an array, or a Tensor",
    )  # fmt: skip


def filled(shape: Any, dtype: Any, init: Any) -> np.ndarray:
    """Storage of a shape that a number or a callable fills; see `Tensor`."""
    _check_dtype(dtype)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if not all(isinstance(n, (int, np.integer)) and n >= 0 for n in sizes):
        raise fail("E0303", f"a shape is a tuple of sizes, got {shape!r}")
    if isinstance(init, (bool, int, float, np.generic)):
        return np.full(sizes, stored_copy(init, dtype))
    if not callable(init):
        raise fail("E0303", f"init is a number or a callable that fills an array, got {init!r}")
    array = np.zeros(sizes, dtype.compute.storage)
    if init(array) is not None:
        raise fail("E0303", "init must fill the array that it is given, and return nothing")
    return array if array.dtype == dtype.storage else dtypes.narrow(array, dtype)


def _article(data: Any) -> str:
    return "None" if data is None else f"a {type(data).__name__}"


def _read_array(data: Any, dtype: DType | None) -> tuple[np.ndarray, DType]:
    if type(data).__module__.startswith("numpy.ma"):
        raise fail(
            "E0304", "a masked array cannot become a Tensor: the mask would be lost",
            help="fill it first: x.filled(value)",
        )  # fmt: skip
    array = np.asarray(data)
    if dtypes.is_ml_bfloat16(array.dtype):
        return array.view(np.uint16), dtype or dtypes.bfloat16
    native = array.dtype.newbyteorder("=")
    found = None if native == np.uint16 else dtypes.BY_STORAGE.get(native)
    target = dtype or found
    if target is None or (found is None and native.kind != "u"):
        raise _no_dtype(array.dtype)
    if native == np.uint16:
        native = np.dtype(np.uint32)
    return array.astype(native, copy=False), target


def _read_number(data: bool | int | float) -> tuple[np.ndarray, DType]:
    if isinstance(data, float):
        return np.array(data, np.float64), dtypes.float32
    if isinstance(data, bool):
        return np.array(data), dtypes.bool_
    if _is_wide(data):
        raise _too_large(data)
    return np.array(int(data), np.int64), dtypes.int64


def _read_list(data: Any, dtype: DType | None) -> tuple[np.ndarray, DType]:
    if not any(issubclass(kind, Stored) for kind in _kinds(data)):
        array = _as_array(data)
        return _read_array(array, dtype or DEFAULTS.get(array.dtype))
    stored = {dtypes.BY_STORAGE[x.array.dtype] for x in _leaves(data) if isinstance(x, Stored)}
    if len(stored) > 1 and dtype is None:
        names = ", ".join(sorted(str(x) for x in stored))
        raise fail("E0301", f"the list holds tensors of {names}", help="name the dtype: dtype=...")
    return _read_array(_as_array(_plain(data)), dtype or next(iter(stored)))


def _kinds(data: Any) -> set[type]:
    """Types of the items of a nested list, without looking at each number one by one."""
    kinds = set(map(type, data))
    if any(issubclass(kind, (list, tuple)) for kind in kinds):
        for item in data:
            if isinstance(item, (list, tuple)):
                kinds |= _kinds(item)
    return kinds


def _as_array(data: Any) -> np.ndarray:
    """NumPy's array of a nested list, where it did not round integers to get there."""
    try:
        array = np.array(data)
    except ValueError as error:
        raise fail(
            "E0401", f"the list is no array: {_ragged(data) or error}",
            help="fill the short rows up, or make a Tensor of each row",
        ) from None  # fmt: skip
    # [2**64] becomes objects, [2**63] unsigned, [-1, 2**63] float64.
    if array.dtype.kind in "Ou" or (array.dtype == np.float64 and (abs(array) >= 2**63).any()):
        wide = next((x for x in _leaves(data) if _is_wide(x)), None)
        if wide is not None:
            raise _too_large(wide)
    return array


def _ragged(data: Any) -> str | None:
    """Which two rows of a nested list differ in length first; None where all agree."""
    rows = [("", data)]
    while rows:
        place, first = rows[0]
        for other, row in rows:
            if _length(row) != _length(first):
                return f"its rows differ in length: {_row(place, first)}, {_row(other, row)}"
        nested = rows if _length(first) else ()
        rows = [(f"{at}[{i}]", x) for at, row in nested for i, x in enumerate(row)]
    return None


def _length(row: Any) -> int | None:
    """Items of a row; None for a number."""
    if isinstance(row, np.ndarray):
        return len(row) if row.ndim else None
    return len(row) if isinstance(row, (list, tuple)) else None


def _row(place: str, row: Any) -> str:
    length = _length(row)
    return f"{place} has {length}" if length is not None else f"{place} is a single number"


def _is_wide(leaf: Any) -> bool:
    return isinstance(leaf, int) and not -(2**63) <= leaf < 2**63


def _leaves(data: Any) -> Iterator[Any]:
    for item in data:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def _plain(data: Any) -> Any:
    """A nested list with arrays of numbers in place of its tensors."""
    if isinstance(data, (list, tuple)):
        return [_plain(item) for item in data]
    return dtypes.widen(data.array) if isinstance(data, Stored) else data


def _converted(array: np.ndarray, target: DType, is_literal: bool) -> np.ndarray:
    """A copy of the numbers of `array` in another dtype, each rounded once.

    Python's integers must fit (`is_literal`), those of arrays wrap; floats must fit an integer.
    """
    numbers = dtypes.bf16_to_f32(array) if array.dtype == np.uint16 else array
    if target.is_integer and (is_literal or numbers.dtype.kind == "f"):
        _check_fits(numbers, target)
    return np.array(dtypes.narrow(numbers, target), target.storage, order="C", copy=True)


def _check_fits(numbers: np.ndarray, target: DType) -> None:
    if numbers.dtype.kind == "b":
        return
    bounds = np.iinfo(target.storage)
    if numbers.dtype.kind == "f":
        numbers = numbers.astype(np.float64)
        fits = (numbers > float(bounds.min) - 1) & (numbers < float(bounds.max) + 1)
        fits |= numbers == float(bounds.min)  # where one less is not a float64 of its own
    else:
        fits = (numbers >= bounds.min) & (numbers <= bounds.max)
    if not fits.all():
        first = numbers[~fits].flat[0]
        raise fail("E0404", f"{first} does not fit {target.name}")


def _too_large(number: int) -> S2sadError:
    return fail(
        "E0404", f"the integer {number} does not fit int64", help="write it as a float: 1e30"
    )


def _no_dtype(dtype: np.dtype) -> S2sadError:
    return fail(
        "E0301",
        f"no tensor has elements of NumPy's {dtype}",
        help=INSTEAD.get(dtype.kind, "cast it first"),
    )


def shared(array: np.ndarray) -> np.ndarray:
    """A view of the memory of a NumPy array, as a tensor's storage.

    Raises
    ------
    S2sadError
        E0301 for a dtype that no tensor has, E0304 for no array, E0408 where the memory cannot be
        shared: read-only, in the other byte order, not aligned, or with elements that overlap.
    """
    if not isinstance(array, np.ndarray):
        raise fail("E0304", f"a NumPy array is needed, got {_article(array)}")
    if not array.flags.writeable:
        raise _not_shared("it is read-only")
    return _view(array)


def shared_by_dlpack(data: Any) -> np.ndarray:
    """A view of the memory of what offers DLPack, as a tensor's storage; it may be read-only."""
    if not hasattr(data, "__dlpack__"):
        raise fail("E0304", f"{_article(data)} does not offer DLPack (__dlpack__)")
    return _view(_imported(data))


def _view(array: np.ndarray) -> np.ndarray:
    for reason, is_so in (
        ("its byte order is not the machine's", not array.dtype.isnative),
        ("its elements are not aligned", not array.flags.aligned),
        ("its elements overlap", _overlaps(array)),
    ):
        if is_so:
            raise _not_shared(reason)
    return _read_array(array, None)[0].view()


def _overlaps(array: np.ndarray) -> bool:
    return any(n > 1 and step == 0 for n, step in zip(array.shape, array.strides, strict=True))


def _not_shared(reason: str) -> S2sadError:
    message = f"the array's memory cannot be shared: {reason}"
    return fail("E0408", message, help="copy it: Tensor(array)")


def _imported(data: Any) -> np.ndarray:
    try:
        return np.from_dlpack(data)
    except (BufferError, RuntimeError) as error:
        raise fail(
            "E0408", f"the memory of {_article(data)} cannot be read through DLPack: {error}",
            help="copy it to a NumPy array on the CPU first",
        ) from error  # fmt: skip


def is_foreign(array: np.ndarray) -> bool:
    """Whether the memory is not NumPy's own: imported through DLPack, or a file's."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return owner is not None


def is_sole_holder(stored: Stored) -> bool:
    """Whether nothing but `stored` can see its memory, so that it may be overwritten.

    Counted as holders: tensors over the same array, NumPy views such as `asnumpy` gives while they
    live, memory views and DLPack capsules, and a variable that the array is in. So ask before the
    array is taken into a variable. Read-only memory, and memory that is not NumPy's own, never
    has a sole holder.
    """
    if sys.getrefcount(stored.array) != _ONE or not stored.array.flags.writeable:
        return False
    base = stored.array.base
    while base is not None:
        if type(base) is not np.ndarray or sys.getrefcount(base) != _ONE_BASE:
            return False
        base = base.base
    return True


def pinned(stored: Stored) -> np.ndarray:
    """The elements of `stored`, in memory that nobody writes into any more.

    Memory that nothing else sees becomes read-only and is not copied: who wants to write later
    finds it so, and takes memory of his own.
    """
    if is_sole_holder(stored):
        pin(stored.array)
    elif not _is_pinned(stored.array):
        return stored.array.copy(order="K")
    return stored.array


def pin(array: Any) -> None:
    """Make `array`, and what it is a view of, read-only."""
    while isinstance(array, np.ndarray):
        array.flags.writeable = False
        array = array.base


def _is_pinned(array: Any) -> bool:
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return array is None


def _count_alone() -> tuple[int, int]:
    """What the two expressions of `is_sole_holder` count when there is one holder.

    Measured, since interpreters differ in how many references of their own they keep.
    """
    stored = Stored()
    stored.array = np.empty((2, 2)).reshape(4)
    of_array = sys.getrefcount(stored.array)
    base = stored.array.base
    return of_array, sys.getrefcount(base)


_ONE, _ONE_BASE = _count_alone()
