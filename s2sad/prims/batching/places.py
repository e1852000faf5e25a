"""Where does the mapped axis stand, and how do operands come to have it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad.ir.dims import Dim
from s2sad.ir.graph import Value
from s2sad.ir.types import StackType, TensorType, Type
from s2sad.prims.rules import tensor
from s2sad.prims.shape import broadcast_to, reshape, transpose


def with_axis(type: Type, size: Dim) -> Type:  # noqa: A002
    """`type` with an axis more in front; of a stack its elements have it."""
    if isinstance(type, StackType):
        return StackType(tensor(with_axis(type.element, size)))
    found = tensor(type)
    return TensorType(found.dtype, (size, *found.shape))


def leading(x: Value, is_mapped: bool, size: Dim) -> Value:
    """`x` with the mapped axis in front, repeated along it where it has none."""
    return x if is_mapped else broadcast_to(x, shape=(size, *x.shape))


def all_leading(operands: Sequence[Value], mapped: Sequence[bool], size: Dim) -> list[Value]:
    """All `operands` with the mapped axis in front."""
    return [leading(x, is_mapped, size) for x, is_mapped in zip(operands, mapped, strict=True)]


def aligned(operands: Sequence[Value], mapped: Sequence[bool]) -> list[Value]:
    """`operands` so that they broadcast row by row: the mapped axis stands before all others."""
    ranks = [x.ndim - is_mapped for x, is_mapped in zip(operands, mapped, strict=True)]
    pairs = zip(operands, mapped, strict=True)
    return [with_rank(x, max(ranks)) if is_mapped else x for x, is_mapped in pairs]


def with_rank(x: Value, rank: int) -> Value:
    """`x`, whose rows have `rank` axes then, the new ones of size 1 and in front."""
    first, *rest = x.shape
    missing = rank - len(rest)
    return reshape(x, shape=(first, *(1,) * missing, *rest)) if missing else x


def move_axis(x: Value, source: int, target: int) -> Value:
    """`x` with the axis `source` at the place `target`, all others in their order."""
    if source == target:
        return x
    others = [axis for axis in range(x.ndim) if axis != source]
    others.insert(target, source)
    return transpose(x, perm=tuple(others))


def behind(axis: Any) -> Any:
    """An axis, or several, behind the mapped one."""
    return tuple(i + 1 for i in axis) if isinstance(axis, tuple) else axis + 1
