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
    """`value` by its name, or by a number in program order, in backquotes."""
    return f"`{_name(_numbers(function), value)}`"


def neighbours(function: Function, at: Reader | None) -> Iterator[str]:
    """Lines that show `at` (an operation, or a region by its yields) and what is around it."""
    region = at.parent if isinstance(at, Operation) else at
    if not isinstance(region, Region):
        yield f"in {function!r}" if at is None else f"in {function.name}, outside of its regions"
        return
    numbers = _numbers(function)
    arguments = ", ".join(f"{_name(numbers, x)}: {x.type}" for x in region.args)
    yield f"in {function.name}, {_path(region)} ({arguments}):"
    lines = [_line(operation, numbers) for operation in region.operations]
    lines.append("yield " + ", ".join(_name(numbers, value) for value in region._reads))
    places = [i for i, each in enumerate(region.operations) if each is at] or [len(lines) - 1]
    first = max(places[0] - AROUND, 0)
    for i, line in enumerate(lines[first : places[0] + AROUND + 1], first):
        yield ("--> " if i in places else "    ") + line


def _numbers(function: Function) -> dict[Value, int]:
    """Place of each value in program order."""
    numbers: dict[Value, int] = {}
    pending: list[Any] = [function.body]
    while pending:
        place = pending.pop()
        if isinstance(place, Region):
            values, inner = place.args, list(place.operations)
        else:
            values, inner = place.results, list(place.regions.values())
        for value in values:
            numbers.setdefault(value, len(numbers))
        pending += reversed(inner)
    return numbers


def _name(numbers: dict[Value, int], value: Any) -> str:
    if not isinstance(value, Value):
        return repr(value)
    number = f"t{numbers[value]}" if value in numbers else "an unknown value"
    return f"{value.name} ({number})" if value.name else number


def _line(operation: Operation, numbers: dict[Value, int]) -> str:
    results = ", ".join(f"{_name(numbers, x)}: {x.type}" for x in operation.results)
    operands = [_name(numbers, x) for x in operation._reads]
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
    names = [name for name, each in owner.regions.items() if each is region]
    return f"region {', '.join(names)} of {owner.prim.name}"
