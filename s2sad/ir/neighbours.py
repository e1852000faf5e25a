"""How is an operation shown among its neighbours, in a function that may be broken?

The printer needs a well-formed function; this needs nothing, so that the verifier can show what
it refuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from s2sad.ir.graph import Function, Operation, Reader, Region, Value

AROUND = 3  # operations shown on each side


def describe(function: Function, value: Any) -> str:
    """`value` by its name or its place in program order, in backquotes."""
    return f"`{_name(_names(function), value)}`"


def neighbours(function: Function, at: Reader | None) -> Iterator[str]:
    """Lines that show `at` (an operation, or a region by its yields) and what is around it."""
    region = at.parent if isinstance(at, Operation) else at
    if not isinstance(region, Region):
        yield f"in {function!r}" if at is None else f"in {function.name}, outside of its regions"
        return
    names = _names(function)
    arguments = ", ".join(f"{_name(names, x)}: {x.type}" for x in region.args)
    yield f"in {function.name}, {_path(region)} ({arguments}):"
    lines = [_line(operation, names) for operation in region.operations]
    lines.append("yield " + ", ".join(_name(names, value) for value in region._reads))
    places = [i for i, each in enumerate(region.operations) if each is at] or [len(lines) - 1]
    first = max(places[0] - AROUND, 0)
    for i, line in enumerate(lines[first : places[0] + AROUND + 1], first):
        yield ("--> " if i in places else "    ") + line


def _names(function: Function) -> dict[Value, str]:
    """Each value's own name, with its place in program order where another has that name."""
    names: dict[Value, str] = {}
    taken: set[str] = set()
    for number, value in enumerate(_values(function)):
        text = f"t{number}" if value.name is None else str(value.name)
        names[value] = f"{text} (t{number})" if text in taken else text
        taken.add(text)
    return names


def _values(function: Function) -> Iterator[Value]:
    """Arguments and results in program order, whatever else stands among the operations."""
    pending: list[Any] = [function.body]
    seen: set[int] = set()
    while pending:
        place = pending.pop()
        if id(place) in seen or not isinstance(place, (Region, Operation)):
            continue
        seen.add(id(place))
        yield from place.args if isinstance(place, Region) else place.results
        inner = place.operations if isinstance(place, Region) else place.regions.values()
        pending += reversed(list(inner))


def _name(names: dict[Value, str], value: Any) -> str:
    if not isinstance(value, Value):
        return repr(value)
    return names.get(value, f"{value.name or 'a value'} of nowhere")


def _line(operation: Operation, names: dict[Value, str]) -> str:
    if not isinstance(operation, Operation):
        return f"a {type(operation).__name__}, which is no operation"
    results = ", ".join(f"{_name(names, x)}: {x.type}" for x in operation.results)
    operands = [_name(names, x) for x in operation._reads]
    attrs = [f"{name}={_short(value)}" for name, value in operation.attrs.items()]
    regions = [f"{name}=..." for name in operation.regions]
    return f"{results} = p.{operation.prim.name}({', '.join([*operands, *attrs, *regions])})"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"{text[:37]}..."


def _path(region: Region) -> str:
    owner = region.parent
    if not isinstance(owner, Operation):
        return "body"
    keys = [key for key, each in owner.regions.items() if each is region]
    return f"region {', '.join(keys)} of {owner.prim.name}"
