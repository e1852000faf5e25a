"""What stands in a window of fixed size whose place is known at run time, and how is it written?

A window starts at one index an axis; a negative one counts from the end, once. The whole window
must lie inside (E0501). All operations are pure; `in_place` forms serve backends that own the
operand.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type
from s2sad.prims.define import primitive
from s2sad.prims.kernels.scatter import add_rows
from s2sad.prims.rules import is_integer, is_number, one_dtype, require_kind, tensor
from s2sad.prims.shape import Shape, per_axis, shape_of, zeros_like

_MOVES = {Trait.MOVES, Trait.FALLIBLE}


def _require_window(x: TensorType, starts: tuple[Type, ...], sizes: Shape) -> None:
    if len(starts) != x.ndim:
        raise fail("E0302", f"a window in {x} starts at {x.ndim} indices, got {len(starts)}")
    for start in starts:
        if require_kind(start, is_integer, "an integer index").shape:
            raise fail("E0304", f"a window starts at scalar indices, got {start}")
    if len(sizes) != x.ndim:
        raise fail("E0401", f"a window in {x} has {x.ndim} axes, got the shape {sizes}")
    for axis, (part, whole) in enumerate(zip(sizes, x.shape, strict=True)):
        fits = dims.less_equal(part, whole)
        if not fits:
            code = "E0402" if fits is None else "E0401"
            raise fail(
                code, f"a window of shape {sizes} must not be longer than axis {axis} of {x}"
            )


def _window(x: np.ndarray, starts: tuple[np.ndarray, ...], sizes: Shape) -> np.ndarray:
    """The part of `x` that the window shows, a view."""
    places = []
    for axis, (start, part, whole) in enumerate(zip(starts, sizes, x.shape, strict=True)):
        first = int(start) + whole if start < 0 else int(start)
        if not 0 <= first <= whole - part:
            found = f"a window of size {part} from index {int(start)}"
            raise fail("E0501", f"{found} is out of range for axis {axis} of size {whole}")
        places.append(builtins.slice(first, first + part))
    return x[(*places, ...)]  # the dots keep a 0-d view from becoming a scalar


def _canonical_sizes(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    return {"sizes": shape_of(per_axis(attrs["sizes"], tensor(types[0]).ndim, "sizes"), "sizes")}


def _dynamic_slice_type(x: Type, *starts: Type, sizes: Shape) -> TensorType:
    found = tensor(x)
    _require_window(found, starts, sizes)
    return TensorType(found.dtype, sizes)


@primitive(
    type=_dynamic_slice_type, traits=_MOVES, linear=(0,), canonical=_canonical_sizes, same=()
)  # fmt: skip
def dynamic_slice(x, *starts, sizes):
    """The window of `x` that starts at `starts`.

    Parameters
    ----------
    x : Tensor of any dtype
    *starts : scalars of integers, one an axis
        A negative one counts from the end.
    sizes : tuple of int, one an axis

    Returns
    -------
    Tensor, shape `sizes`

    Raises
    ------
    S2sadError
        E0301 or E0304 if a start is no scalar integer, E0302 if there are too few or too many,
        E0401 if the window is larger than `x`; at run time E0501 if it does not lie inside.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.dynamic_slice(np.arange(5), 1, sizes=(3,))
    array([1, 2, 3])
    """
    return _window(x, starts, sizes).copy()


@dynamic_slice.adjoint
def dynamic_slice_adjoint(*operands, out, dout):
    dx = update_add(zeros_like(operands[0]), dout, *operands[1:])
    return dx, *(None for start in operands[1:])


def _update_type(x: Type, value: Type, *starts: Type) -> TensorType:
    found, part = tensor(x), tensor(value)
    one_dtype(found, part)
    _require_window(found, starts, part.shape)
    return found


@primitive(type=_update_type, traits=_MOVES, linear=((0, 1),), same=(0, 1))
def update(x, value, *starts):
    """`x` with `value` in the window that starts at `starts`.

    Parameters
    ----------
    x : Tensor of any dtype
    value : Tensor of the same dtype and number of axes
    *starts : scalars of integers, one an axis
        A negative one counts from the end.

    Raises
    ------
    S2sadError
        E0301 or E0304 if a start is no scalar integer or the dtypes differ, E0302 if there are
        too few or too many, E0401 if the window is larger than `x`; at run time E0501 if it does
        not lie inside.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.update(np.zeros(4), np.ones(2), 1)
    array([0., 1., 1., 0.])
    """
    out = np.array(x, order="C")
    _window(out, starts, value.shape)[...] = value
    return out


@update.overwrite
def update_overwrite(x, value, *starts):
    _window(x, starts, value.shape)[...] = value


@update.adjoint
def update_adjoint(*operands, out, dout):
    starts = operands[2:]
    sizes = operands[1].shape
    dvalue = dynamic_slice(dout, *starts, sizes=sizes)  # first: the write may be in place
    dx = update(dout, zeros_like(operands[1]), *starts)
    return dx, dvalue, *(None for start in starts)


def _update_add_type(x: Type, value: Type, *starts: Type) -> TensorType:
    require_kind(x, is_number, "numbers")
    return _update_type(x, value, *starts)


@primitive(type=_update_add_type, traits={Trait.FALLIBLE}, linear=((0, 1),), same=(0, 1))
def update_add(x, value, *starts):
    """`x` with `value` added to the window that starts at `starts`; integers wrap.

    Parameters
    ----------
    x : Tensor of numbers
    value : Tensor of the same dtype and number of axes
    *starts : scalars of integers, one an axis
        A negative one counts from the end.

    Raises
    ------
    S2sadError
        E0301 or E0304 if a start is no scalar integer or the dtypes differ, E0302 if there are
        too few or too many, E0401 if the window is larger than `x`; at run time E0501 if it does
        not lie inside.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.update_add(np.ones(4), np.ones(2), 1)
    array([1., 2., 2., 1.])
    """
    out = np.array(x, order="C")
    update_add_overwrite(out, value, *starts)
    return out


@update_add.overwrite
def update_add_overwrite(x, value, *starts):
    window = _window(x, starts, value.shape)
    add_rows(window[None], np.zeros(1, np.int64), value[None])


@update_add.adjoint
def update_add_adjoint(*operands, out, dout):
    starts = operands[2:]
    dvalue = dynamic_slice(dout, *starts, sizes=operands[1].shape)
    return dout, dvalue, *(None for start in starts)
