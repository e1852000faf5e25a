"""Which operations compute what another has computed before?"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from s2sad.ir.graph import Function, Operation, Region
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass
from s2sad.passes.facts import splat_of

#: Constants of more bytes than this are known by a digest.
SHORT = 64


@dataclass(frozen=True)
class Cse(Pass):
    """Let equal operations be computed once: the first one's results stand for those of the others.

    Before:  t0 = p.exp(x); t1 = p.exp(x); t2 = p.add(t0, t1)
    After:   t0 = p.exp(x); t2 = p.add(t0, t0)

    Equal are operations of one primitive on the same operands, with attributes and constants that
    agree bit for bit; where the primitive commutes, also on operands exchanged. A region reads what
    was computed around it, unless it is isolated; what one branch computes is not there in the
    other. Effects, stacks, markers for differentiation and operations with regions stay; what may
    fail fails the first time.
    """

    name: ClassVar[str] = "cse"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        _merge(function.body, {}, rewriter)


def _merge(region: Region, known: dict[Any, Operation], rewriter: Rewriter) -> None:
    """Merge within `region`, given what is `known` around it; `known` is left as it was."""
    added = []
    for operation in list(region.operations):
        if operation.regions:
            if not operation.prim.has(Trait.OPAQUE):
                around = {} if operation.prim.is_isolated else known
                for nested in operation.regions.values():
                    _merge(nested, around, rewriter)
            continue
        if not can_merge(operation):
            continue
        key = _key(operation)
        first = known.get(key)
        if first is None:
            known[key] = operation
            added.append(key)
            continue
        with rewriter.step(f"merge {operation.prim.name}", operation):
            _replace(operation, first, rewriter)
    for key in added:
        del known[key]


def _replace(operation: Operation, first: Operation, rewriter: Rewriter) -> None:
    names = [value.name for value in (*operation.results, *first.results)]
    rewriter.replace_operation(operation, first.results)
    if operation.prim.form is Form.CONST and names[0] != names[1]:
        first.result.name = None  # the 0 where one thing begins is no other thing's 0


def can_merge(operation: Operation) -> bool:
    """Whether one result may stand for two of the same operation."""
    prim = operation.prim
    if operation.regions or prim.has(Trait.EFFECT) or prim.has(Trait.OPAQUE):
        return False
    values = (*operation.operands, *operation.results)
    return not any(value.type.is_linear for value in values)


def _key(operation: Operation) -> Any:
    """Equal for operations that compute the same."""
    operands = tuple(map(id, operation.operands))
    if len(operands) == 2 and operation.prim.has(Trait.COMMUTATIVE):
        operands = tuple(sorted(operands))
    return operation.prim.name, operands, tuple(_literal(x) for x in operation.attrs.values())


def _literal(value: Any) -> Any:
    """Equal for attributes that are, bit for bit and type for type: 1 is not True, 0.0 not -0.0."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, tuple):
        return tuple(map(_literal, value))
    if isinstance(value, float):
        return "float", struct.pack("d", value)
    return type(value).__name__, value


def _array(array: np.ndarray) -> Any:
    element = splat_of(array)
    if element is not None:
        return "filled", array.dtype.str, array.shape, element.tobytes()
    content = array.tobytes()
    if len(content) > SHORT:
        content = hashlib.blake2b(content).digest()
    return "array", array.dtype.str, array.shape, content
