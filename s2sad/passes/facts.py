"""What is known of a value while compiling?

Rules ask these in `where`. Equality is bit for bit: 0.0 is not -0.0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from s2sad.core import dtypes
from s2sad.ir import dims
from s2sad.ir.compare import same_bits
from s2sad.ir.dims import Dim
from s2sad.ir.graph import Operation, Value
from s2sad.ir.known_sizes import KnownSize
from s2sad.ir.primitive import Form, number_as
from s2sad.ir.types import TensorType, Type


def constant(value: Value) -> np.ndarray | None:
    """The array that `value` is known to be, in storage form; None where it is not known."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.prim.form is Form.CONST:
        return owner.attrs["value"]
    return None


def is_constant(value: Value) -> bool:
    """Whether `value` is known while compiling."""
    return constant(value) is not None


def splat(value: Value) -> np.ndarray | None:
    """The one element, 0-d, that fills the constant `value`; None where there is no such."""
    array = constant(value)
    return None if array is None or isinstance(array, KnownSize) else splat_of(array)


def splat_of(array: np.ndarray) -> np.ndarray | None:
    """The one element, 0-d, that fills `array`; None where elements differ or there is none.

    >>> splat_of(np.broadcast_to(np.float32(2), (3, 4))), splat_of(np.array([0.0, -0.0]))
    (array(2., dtype=float32), None)
    """
    if array.size == 0:
        return None
    # Along an axis of stride 0 all elements are one.
    once = array[tuple(slice(1 if stride == 0 else None) for stride in array.strides)]
    bits = once.view(f"u{once.dtype.itemsize}")
    first = bits.flat[0]
    if bits.size > 1 and (bits.flat[bits.size - 1] != first or (bits != first).any()):
        return None
    return np.asarray(once.flat[0], array.dtype)


def is_splat(value: Value, number: float) -> bool:
    """Whether `value` is a constant filled with `number`, bit for bit.

    Parameters
    ----------
    value : Value
    number : bool, int or float
        Taken in the dtype of `value`; an int means the float without a fraction, 0 is 0.0.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> function = build_function(lambda: p.const(0.0, f32[4]), [])
    >>> is_splat(function.results[0], 0), is_splat(function.results[0], -0.0)
    (True, False)
    """
    element = splat(value)
    if element is None or (isinstance(number, float) and not value.dtype.is_float):
        return False
    return same_bits(element, number_as(number, value.dtype))


def is_zero(value: Value) -> bool:
    """Whether `value` is a constant that a sum does not notice: integers 0, or floats -0.0.

    Adding 0.0 would make 0.0 of -0.0.
    """
    return is_splat(value, -0.0 if value.dtype.is_float else 0)


def same_shape(a: Sequence[Dim], b: Sequence[Dim]) -> bool:
    """Whether two shapes are proven equal at all sizes."""
    return len(a) == len(b) and all(dims.same(m, n) is True for m, n in zip(a, b, strict=True))


def widens(x: Value, *others: Value) -> bool:
    """Whether `x` is repeated when it meets `others`, so that it cannot stand for the result."""
    return not same_shape(dims.broadcast(x.shape, *[other.shape for other in others]), x.shape)


def is_static(type: Type) -> bool:  # noqa: A002
    """Whether `type` is a tensor's and all of its sizes are numbers."""
    return isinstance(type, TensorType) and all(isinstance(size, int) for size in type.shape)


def same_value(a: Value, b: Value) -> bool:
    """Whether `a` and `b` are one value, or constants with the same bits."""
    if a is b:
        return True
    one, other = constant(a), constant(b)
    if one is None or other is None or a.type != b.type:
        return False
    return same_bits(one, other)


def trip_count(loop: Operation) -> int | None:
    """How often a counted loop runs; None where the bounds are not known, or the step is 0."""
    bounds = [constant(value) for value in loop.operands[:3]]
    if any(bound is None for bound in bounds):
        return None
    start, stop, step = (int(bound) for bound in bounds)  # type: ignore[arg-type]
    return len(range(start, stop, step)) if step else None


def holds_exactly(target: dtypes.DType, source: dtypes.DType) -> bool:
    """Whether every element of dtype `source` is one of dtype `target`.

    >>> holds_exactly(dtypes.float16, dtypes.int8), holds_exactly(dtypes.float32, dtypes.int32)
    (True, False)
    """
    if source is target or source is dtypes.bool_:
        return True
    if source.is_float:
        return target is dtypes.float64 or (target is dtypes.float32 and source.is_narrow)
    if target.is_float:
        return _value_bits(source) <= _SIGNIFICANT[target]
    if not target.is_integer or (source.kind == "int" and target.kind == "uint"):
        return False
    return _value_bits(source) <= _value_bits(target)


#: Bits of the significand, the hidden one included: integers of as many bits are exact.
_SIGNIFICANT = {dtypes.float16: 11, dtypes.bfloat16: 8, dtypes.float32: 24, dtypes.float64: 53}


def _value_bits(dtype: dtypes.DType) -> int:
    """Bits of an integer's magnitude; the least one, a power of two, needs no more."""
    return dtype.bits - (dtype.kind == "int")
