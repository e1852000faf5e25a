"""How much memory would a run on NumPy need?"""

from __future__ import annotations

from s2sad.backends.base import MemoryPlan, last_reads, nbytes
from s2sad.ir.graph import Function, Region, Value
from s2sad.ir.primitive import Form
from s2sad.passes.tape_memory import tape_bytes


def plan_of(function: Function) -> MemoryPlan:
    """The plan where each value is let go after its last use, and nothing is overwritten.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f64
    >>> plan_of(build_function(lambda x: p.exp(p.tanh(x)), [f64[100]])).nbytes
    1600
    """
    held, tapes = _fullest(function.body), tape_bytes(function)
    return MemoryPlan(_size(held) + tapes, tapes, tuple(sorted(held, key=lambda item: -item[1])))


def _fullest(region: Region) -> list[tuple[Value, int]]:
    """Values that the operations of `region` make, alive where they are most."""
    last = last_reads(region)
    alive: dict[Value, int] = {}
    fullest: list[tuple[Value, int]] = []
    for place, operation in enumerate(region.operations):
        if operation.prim.form is not Form.CONST:
            inner = max(map(_fullest, operation.regions.values()), key=_size, default=[])
            alive.update((value, nbytes(value)) for value in operation.results)
            now = [*alive.items(), *inner]
            if _size(now) > _size(fullest):
                fullest = now
        for value in [each for each in alive if last.get(each, place) <= place]:
            del alive[value]
    return fullest


def _size(items: list[tuple[Value, int]]) -> int:
    return sum(size for _, size in items)
