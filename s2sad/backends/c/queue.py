"""Which units of the runtime take batches, and hand out what steps have made?

A kernel reaches its queue as ``run->queues[n]``: the queues of a program are numbered by their
names, in order. What a step has left stays where it is: result and operand of `queue_keep` may lie
at one place.
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.backends.c.template import Body, Site, Template
from s2sad.ir.graph import Operation
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import TensorType
from s2sad.prims.queue import queue_keep, queue_next, queue_report

HEADERS = ("queue.h",)
PRIMITIVES = (queue_next, queue_report, queue_keep)


def queues(operations: Iterable[Operation]) -> tuple[str, ...]:
    """Names of the queues of a program, given all its operations, in the order of their numbers."""
    names = {op.attrs["queue"] for op in operations if op.prim in PRIMITIVES}
    return tuple(sorted(names))


def _queue(site: Site) -> str:
    """The queue of an operation, as an expression of C."""
    region = site.operation.parent
    function = region.function if region is not None else None
    walked = region.walk() if function is None else function.walk()  # type: ignore[union-attr]
    number = queues(walked).index(site.attrs["queue"])
    return f"(s2_queue *)run->queues[{number}]"


def _pointers(names: Iterable[str], kind: str) -> str:
    """An array of pointers as an expression; NULL where there are none."""
    items = ", ".join(names)
    return f"({kind}[]){{{items}}}" if items else "NULL"


def _next(site: Site) -> Body:
    values = _pointers((f"y{i}" for i in range(1, len(site.results))), "void *const")
    return Body(f"return s2_queue_next({_queue(site)}, {values}, y0);", HEADERS)


def _report(site: Site) -> Body:
    results = _pointers((f"x{i}" for i in range(len(site.types))), "const void *const")
    return Body(f"return s2_queue_report({_queue(site)}, {results});", HEADERS)


def _keep(site: Site) -> Body:
    sizes = [_nbytes(t) for t in site.types]
    moves = [
        f"if (y{i} != x{i})\n    memcpy(y{i}, x{i}, {size});"
        for i, size in enumerate(sizes)
        if size
    ]
    state = _pointers((f"y{i}" for i in range(len(sizes))), "const void *const")
    call = f"return s2_queue_keep({_queue(site)}, {len(sizes)}, {state});"
    return Body("\n".join([*moves, call]), HEADERS)


def _nbytes(type_: TensorType) -> int:
    assert isinstance(type_.nbytes, int)
    return type_.nbytes


TEMPLATES: dict[Primitive, Template] = {
    queue_next: _next,
    queue_report: _report,
    queue_keep: _keep,
}
