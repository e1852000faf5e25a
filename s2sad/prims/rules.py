"""What do type rules and canonical spellings share?

Each check raises an error that names the operation, what was found and what was expected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dtypes import DType
from s2sad.ir import dims
from s2sad.ir.types import TensorType, Type


def tensor(type: Type, what: str = "operand") -> TensorType:
    """`type`, which must be a tensor's (E0304)."""
    if not isinstance(type, TensorType):
        raise fail("E0304", f"the {what} must be a tensor, got {type}")
    return type


def one_dtype(*types: Type) -> DType:
    """The dtype that all `types` share (E0301)."""
    tensors = [tensor(t) for t in types]
    if any(t.dtype is not tensors[0].dtype for t in tensors):
        found = " and ".join(t.dtype.short for t in tensors)
        raise fail("E0301", f"operands need one dtype, got {found}", help="cast one of them")
    return tensors[0].dtype


def require_kind(type: Type, allowed: Callable[[DType], bool], expected: str) -> TensorType:
    """`type`, whose dtype must satisfy `allowed` (E0301)."""
    found = tensor(type)
    if not allowed(found.dtype):
        fits = next((d.name for d in (dtypes.float32, dtypes.int32) if allowed(d)), "...")
        raise fail("E0301", f"expected {expected}, got {found}", help=f"cast it: `.astype({fits})`")
    return found


def is_float(dtype: DType) -> bool:
    return dtype.is_float


def is_integer(dtype: DType) -> bool:
    return dtype.is_integer


def is_bool(dtype: DType) -> bool:
    return dtype is dtypes.bool_


def is_number(dtype: DType) -> bool:
    return dtype is not dtypes.bool_


def anything(dtype: DType) -> bool:
    return True


def elementwise(
    allowed: Callable[[DType], bool], expected: str, result: DType | None = None
) -> Callable[..., TensorType]:
    """Type rule of an elementwise operation: one dtype, shapes broadcast.

    Parameters
    ----------
    allowed, expected
        Which dtypes, as a predicate and in words.
    result : DType, optional
        Dtype of the result where it differs, such as bool for comparisons.
    """

    def rule(*types: Type, **attrs: Any) -> TensorType:
        for type in types:
            require_kind(type, allowed, expected)
        dtype = one_dtype(*types)
        shape = dims.broadcast(*[tensor(t).shape for t in types], operands=types)
        return TensorType(result or dtype, shape)

    return rule


def axis_of(axis: Any, ndim: int) -> int:
    """`axis` counted from the front (E0403 out of range, E0303 not an int)."""
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise fail("E0303", f"an axis is an int, got {axis!r}")
    if not -ndim <= axis < ndim:
        raise fail(
            "E0403", f"axis {axis} is out of range for a tensor with {ndim} axes",
            help=f"its axes are {-ndim} to {ndim - 1}" if ndim else "it has one element",
        )  # fmt: skip
    return axis % ndim


def outside(index: object, axis: int, size: dims.Dim) -> S2sadError:
    """E0501 for an index out of range."""
    known = f"its indices are {-size} to {size - 1}" if dims.less(0, size) else "it has none"
    message = f"index {index} is out of range for axis {axis} of size {size}"
    return fail("E0501", message, help=known)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """`axis` (None for all, an int, or several) as sorted distinct axes from the front."""
    return tuple(range(ndim)) if axis is None else tuple(sorted(axes_in_order(axis, ndim)))


def axes_in_order(axis: Any, ndim: int) -> tuple[int, ...]:
    """`axis`, an int or several, as distinct axes from the front, in the order given (E0403)."""
    given = axis if isinstance(axis, tuple) else (axis,)
    found = tuple(axis_of(a, ndim) for a in given)
    if len(set(found)) != len(found):
        raise fail("E0403", f"an axis is named twice in {axis!r}")
    return found


def canonical_axis(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``canonical=`` of an operation with one ``axis``, of its first operand."""
    return {**attrs, "axis": axis_of(attrs["axis"], tensor(types[0]).ndim)}


def canonical_axes(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``canonical=`` of an operation that reduces over ``axis``, of its first operand."""
    return {**attrs, "axis": axes_of(attrs["axis"], tensor(types[0]).ndim)}
