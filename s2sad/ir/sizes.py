"""How does a program for any sizes become the one for some that are known?"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from s2sad.ir import dims
from s2sad.ir.clone import clone
from s2sad.ir.dims import Symbolic
from s2sad.ir.graph import Function, Operation
from s2sad.ir.types import StackType, TensorType


def at_sizes(function: Function, sizes: Mapping[str, int]) -> Function:
    """Copy of `function` in which each symbol of `sizes` is that number.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> any_rows = build_function(lambda x: p.concat(x, x, axis=0), [f32[dims.symbol("N"), 3]])
    >>> any_rows, at_sizes(any_rows, {"N": 4})
    (<function main(f32[N, 3]) -> (f32[2*N, 3])>, <function main(f32[4, 3]) -> (f32[8, 3])>)
    """
    found = clone(function, lambda part: known(part, sizes))
    for operation in found.walk():
        if operation.prim.canonical:
            _spell(operation)
    return found


def _spell(operation: Operation) -> None:
    """Let attributes be in canonical spelling, for which a number may tell more than a symbol."""
    given = [value.type for value in operation.operands]
    attrs = dict(operation.attrs)
    full = operation.prim.complete(given, attrs)
    differing = {
        name: full[name] for name, value in attrs.items()
        if isinstance(value, tuple) and value != full[name]
    }  # fmt: skip
    if differing:
        operation.attrs = MappingProxyType(attrs | differing)


def known(part: Any, sizes: Mapping[str, int]) -> Any:
    """A type or an attribute with the numbers of `sizes` for its symbols."""
    if isinstance(part, Symbolic):
        return dims.substitute(part, sizes)
    if isinstance(part, tuple):
        return tuple(known(each, sizes) for each in part)
    if isinstance(part, TensorType):
        return TensorType(part.dtype, known(part.shape, sizes))
    if isinstance(part, StackType):
        return StackType(known(part.element, sizes))
    return part
