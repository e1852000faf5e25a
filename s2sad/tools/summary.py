"""What does a function consist of?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.tools.tables import show, show_table


def show_summary(function: Function) -> None:
    """Print how many operations `function` has, how deep they nest, and which they are."""
    operations = list(function.walk())
    facts = {
        "inputs": len(function.args),
        "results": len(function.results),
        "operations": len(operations),
        "regions": 1 + sum(len(operation.regions) for operation in operations),
        "longest chain": chain(function.body),
    }
    show(function.title or function.name, "bold")
    for name, number in facts.items():
        show(f"  {name:<14} {number}")
    counts = Counter((op.prim.name, op.prim.family) for op in operations)
    rows = [[name, family, str(n)] for (name, family), n in sorted(counts.items(), key=_frequent)]
    if rows:
        show()
        show_table(["operation", "family", "count"], rows, left=2)


def _frequent(item: tuple[tuple[str, str], int]) -> tuple[int, tuple[str, str]]:
    return -item[1], item[0]


def chain(region: Region) -> int:
    """Most operations of `region` that wait for one another; what is nested counts as one.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> chain(build_function(lambda x: (p.neg(p.neg(x)), p.neg(x)), [f32]).body)
    2
    """
    depth: dict[Value, int] = {}
    longest = 0
    for operation in region.operations:
        here = 1 + max((depth.get(value, 0) for value in reads(operation)), default=0)
        depth.update(dict.fromkeys(operation.results, here))
        longest = max(longest, here)
    return longest


def reads(operation: Operation) -> Iterator[Value]:
    """Values that `operation` reads, itself or in its regions."""
    for inner in operation.walk():
        yield from inner.operands
        for region in inner.regions.values():
            yield from region.yields
