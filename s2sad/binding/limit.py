"""How is a program made to fit into the memory that it may have?

First as it is. Then its backward sweep computes values again (`passes.recompute`): of several ways,
from few operations to many, the one is taken that fits and computes least. Where none fits, the
error says what holds the memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from s2sad.backends.base import MemoryPlan
from s2sad.binding.target import backend_name
from s2sad.core.cache import format_size
from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.primitive import Form
from s2sad.passes.base import Pass, run_passes
from s2sad.passes.dce import Dce
from s2sad.passes.recompute import CHEAP_ONLY, Recompute, choice, cost

#: Segments and prices that are tried.
SEGMENTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
PRICES = (CHEAP_ONLY, 256, 16, 1, 0)
#: Lines that an error names.
MOST_LINES = 8


def planned(function: Function) -> MemoryPlan:
    """What a run of `function`, which has been through all passes, needs on the present target."""
    return import_module(f"{backend_name()}.planned").plan_of(function)


def fitting(function: Function, target: Sequence[Pass], limit: int) -> tuple[Pass, ...]:
    """`target`, with what makes `function` need no more than `limit` bytes after it.

    Raises
    ------
    S2sadError
        E0716 where nothing does.
    """
    begin, end = _halves(target)
    lowered = clone(function)
    run_passes(lowered, begin)
    plans = [planned(_after(lowered, end))]
    if plans[0].nbytes <= limit:
        return tuple(target)
    ways = _ways(lowered)
    low, high = 0, len(ways)
    while low < high:  # the first that fits, as if each needed less than the one before
        middle = (low + high) // 2
        plan = planned(_after(lowered, (ways[middle], *end)))
        plans.append(plan)
        low, high = (low, middle) if plan.nbytes <= limit else (middle + 1, high)
    if low == len(ways):
        raise refusal(min(plans, key=lambda plan: plan.nbytes), limit, function)
    return (*begin, ways[low], *end)


def require(function: Function, limit: int | None) -> None:
    """E0716 where `function`, which has been through all passes, needs more than `limit`."""
    if limit is not None:
        plan = planned(function)
        if plan.nbytes > limit:
            raise refusal(plan, limit, function)


def _halves(target: Sequence[Pass]) -> tuple[tuple[Pass, ...], tuple[Pass, ...]]:
    """`target` up to where it has cleaned up, and from there."""
    place = max((i for i, each in enumerate(target) if isinstance(each, Dce)), default=-1) + 1
    return tuple(target[:place]), tuple(target[place:])


def _after(function: Function, passes: Sequence[Pass]) -> Function:
    copy = clone(function)
    run_passes(copy, tuple(passes))
    return copy


def _ways(function: Function) -> list[Recompute]:
    """What may be computed again, the least first; each of them lets less be kept at one time."""
    found: dict[frozenset[Operation], tuple[int, Recompute]] = {}
    for segments in SEGMENTS:
        for price in PRICES:
            chosen = choice(function, segments, price)
            work = sum(map(cost, chosen))
            key = frozenset(chosen)
            if key not in found:
                found[key] = work, Recompute(segments, price)
    ways: list[Recompute] = []
    least: float = alive(function)
    for _, way in sorted(found.values(), key=lambda item: (item[0], item[1].segments)):
        now = alive(_after(function, (way,)))
        if now < least:
            least = now
            ways.append(way)
    return ways


def alive(function: Function) -> int:
    """Bytes at one time of what the operations of the body make, before anything is fused."""
    plan = import_module("s2sad.backends.numpy.planned").plan_of(function)
    return sum(size for _, size in plan.held)


# ---- what holds the memory -----------------------------------------------------------------------


def refusal(plan: MemoryPlan, limit: int, function: Function) -> Exception:
    """E0716: what holds most of what `plan` needs, by line of the user's source."""
    if plan.tapes == float("inf"):
        place = _growing(function)
        return fail(
            "E0716", "nobody knows how much memory the gradient of this loop needs: the data say "
            "how often it runs", location=place,
            help="a `for` over a range whose length is known has a limit",
        )  # fmt: skip
    lines = _lines(plan.held)
    notes = [f"{format_size(size)} {_line(place)}" for place, size in lines[:MOST_LINES]]
    if plan.tapes:
        notes.append(f"{format_size(int(plan.tapes))} on the tapes of loops")
    first = next((place for place, _ in lines if place is not None), None)
    return fail(
        "E0716", f"the program needs {format_size(int(plan.nbytes))}, and may have "
        f"{format_size(limit)}: what can be computed again is not kept",
        location=first, notes=tuple(notes), help="smaller batches, or a larger memory_limit",
    )  # fmt: skip


def _lines(held: Iterable[tuple[Value | None, int]]) -> list[tuple[Location | None, int]]:
    """Bytes of each line, the most first."""
    sizes: defaultdict[tuple[str, int] | None, int] = defaultdict(int)
    places: dict[tuple[str, int] | None, Location | None] = {}
    for value, size in held:
        owner = None if value is None else value.owner
        place = owner.loc.of_user if isinstance(owner, Operation) and owner.loc else None
        key = None if place is None else (place.file, place.line)
        sizes[key] += size
        places.setdefault(key, place)
    return sorted(((places[key], size) for key, size in sizes.items()), key=lambda item: -item[1])


def _line(place: Location | None) -> str:
    return "elsewhere" if place is None else f"by {place.file}:{place.line}"


def _growing(function: Function) -> Location | None:
    """Where a loop stands that pushes something, as often as data say."""
    return next(_pushing(function), None)


def _pushing(function: Function) -> Iterator[Location | None]:
    for operation in function.walk():
        if operation.prim.form is Form.WHILE:
            if any(inner.prim.form is Form.PUSH for inner in operation.walk()):
                yield operation.loc
