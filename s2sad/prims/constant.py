"""Which values are known while compiling?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import builder, dims, plain
from s2sad.ir.known_sizes import as_known
from s2sad.ir.primitive import Form, Primitive, Trait, number_as
from s2sad.ir.types import TensorType, as_type
from s2sad.prims.define import primitive


class ConstPrimitive(Primitive):
    """`const` takes its two static facts positionally: ``p.const(1.0, f32)``."""

    def __call__(self, value: Any, type: TensorType) -> Any:  # noqa: A002
        array = as_constant(value, as_type(type))
        if builder.is_building(()):
            return builder.current().emit(self, (), {"value": array, "type": type})
        return array


def as_constant(value: Any, type: TensorType) -> np.ndarray:  # noqa: A002
    """Read-only array of `type` for what stands in ``p.const(value, type)``.

    Parameters
    ----------
    value : number, bits, nested tuple of those, str, or array
        One number fills the whole shape. A str is a key of the ``.npz`` beside the dump.
    type : TensorType

    Raises
    ------
    S2sadError
        E0303 when the value does not fit the type, E0402 when its shape is symbolic: `filled` of
        the family `shape` makes one number of such a type.
    """
    shape = _static_shape(type)
    if isinstance(value, str):
        value = plain.constant(value)
    if not isinstance(value, np.ndarray):
        value = as_known(_from_literal(value, type.dtype), value)
    if value.dtype != type.dtype.storage or value.shape not in ((), shape):
        raise fail("E0303", f"a constant of {value.dtype}{list(value.shape)} is no {type}")
    array = np.broadcast_to(value, shape, subok=True)
    array.flags.writeable = False
    return array


def _static_shape(type: TensorType) -> tuple[int, ...]:  # noqa: A002
    """The shape of `type`; E0402 where it depends on symbols, for a constant is an array."""
    sizes = tuple(size for size in type.shape if isinstance(size, int))
    if len(sizes) != type.ndim:
        symbols = sorted({name for size in type.shape for name in dims.free_symbols(size)})
        raise fail(
            "E0402",
            f"a constant of {type} has no elements until {', '.join(symbols)} is known",
            help="write one number as a 0-d constant, and `broadcast_to` the shape",
        )
    return sizes


def _from_literal(value: Any, dtype: dtypes.DType) -> np.ndarray:
    if isinstance(value, (tuple, list)):
        return np.stack([_from_literal(item, dtype) for item in value])
    if isinstance(value, plain.bits):
        return np.asarray(value, f"u{dtype.itemsize}").view(dtype.storage)
    return number_as(value, dtype)


def _const_type(*, value: np.ndarray, type: TensorType) -> TensorType:  # noqa: A002
    if value.dtype != type.dtype.storage or value.shape != type.shape:
        raise fail("E0303", f"a constant of {value.dtype}{list(value.shape)} is no {type}")
    return type


def _canonical(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    return {**attrs, "type": as_type(attrs["type"])}


@primitive(
    type=_const_type, canonical=_canonical, traits={Trait.MOVES}, nondiff="a constant",
    form=Form.CONST,
)  # fmt: skip
def const(*, value, type):  # noqa: A002
    """Array known while compiling.

    Parameters
    ----------
    value : number, nested tuple of numbers, or str
        A number fills the shape; a str names an array of the ``.npz`` beside the dump.
    type : TensorType

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import f32
    >>> p.const(1.5, f32[2])
    array([1.5, 1.5], dtype=float32)
    """
    return value


const.__class__ = ConstPrimitive
builder.register_constant(const)
