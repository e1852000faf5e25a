"""What would a program compute in float64?

The same operations on wider numbers: what its gradient is checked against must not be lost in the
rounding of the program itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function, Region, Value
from s2sad.ir.types import StackType, StackValue, TensorType, Type


def widened(function: Function) -> Function:
    """Copy of `function` in which every float is a float64.

    Casts between floats lose their meaning, integers keep theirs.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f16, f32
    >>> widened(build_function(lambda x: p.cast(x, dtype=f16), [f32[4]]))
    <function main(f64[4]) -> (f64[4])>
    """
    copy = clone(function)
    _widen_values(copy.body.args)
    _widen_operations(copy.body)
    return copy


def _widen_operations(region: Region) -> None:
    for operation in region.operations:
        _widen_values(operation.results)
        wide = {name: _wide(value) for name, value in operation.attrs.items()}
        operation.attrs = MappingProxyType(wide)
        for nested in operation.regions.values():
            _widen_values(nested.args)
            _widen_operations(nested)


def _widen_values(values: Iterable[Value]) -> None:
    for value in values:
        value.type = wide_type(value.type)


def wide_type(type: Type) -> Type:  # noqa: A002
    """`type` with float64 in place of its floats."""
    if isinstance(type, StackType):
        return StackType(_wide(type.element))
    return _wide(type)


def _wide(attribute: Any) -> Any:
    if isinstance(attribute, DType):
        return dtypes.float64 if attribute.is_float else attribute
    if isinstance(attribute, TensorType):
        return TensorType(_wide(attribute.dtype), attribute.shape)
    return wide_value(attribute) if isinstance(attribute, np.ndarray) else attribute


def wide_value(value: Any) -> Any:
    """A run-time value, with its floats as float64.

    Examples
    --------
    >>> wide_value(np.ones(2, np.float32)), wide_value(np.ones(2, np.int32))
    (array([1., 1.]), array([1, 1], dtype=int32))
    """
    if isinstance(value, StackValue):
        return StackValue(_wide(value.element), [wide_value(array) for array in value])
    if not isinstance(value, np.ndarray) or not dtypes.BY_STORAGE[value.dtype].is_float:
        return value
    wide = dtypes.widen(value).astype(np.float64)
    wide.flags.writeable = value.flags.writeable
    return wide
