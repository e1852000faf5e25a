"""Which passes are there, and in which list does each stand?"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.passes import plugins
from s2sad.passes.base import Pass, Repeat
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.cse import Cse
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose
from s2sad.passes.expand import ExpandTransforms
from s2sad.passes.fuse import Fuse
from s2sad.passes.hoist import HoistConstants
from s2sad.passes.join_sums import JoinSums
from s2sad.passes.layout import Layout
from s2sad.passes.mixed_precision import MixedPrecision
from s2sad.passes.plan_memory import PlanMemory
from s2sad.passes.recompute import Recompute
from s2sad.passes.segment import SegmentLoops
from s2sad.passes.sink import SinkLoop
from s2sad.passes.strip import StripMarkers

#: Our own passes, by the name that a pipeline's text has for them.
PASSES: dict[str, type[Pass]] = {
    kind.name: kind
    for kind in (Canonicalize, Cse, Dce, Decompose, ExpandTransforms, Fuse, HoistConstants,
                 JoinSums, Layout, MixedPrecision, PlanMemory, Recompute, Repeat, SegmentLoops,
                 SinkLoop, StripMarkers)
}  # fmt: skip

List = tuple[Pass, ...]


def known() -> dict[str, type[Pass]]:
    """All passes by name: our own, and those that were plugged in."""
    return {**PASSES, **{each.instance.name: type(each.instance) for each in plugins.passes()}}


def find(name: str) -> type[Pass]:
    """The pass called `name`; E0404 where there is none, with the nearest that there is."""
    passes = known()
    if name not in passes:
        raise unknown_pass(name, passes)
    return passes[name]


def unknown_pass(name: str, among: Sequence[str] | dict[str, type[Pass]]) -> Exception:
    """E0404 for a pass that is not `among` those that there are."""
    hint = did_you_mean(name, among) or f"there are {', '.join(sorted(among))}"
    return fail("E0404", f"no pass is called {name!r}", help=hint)


def arranged(*lists: Sequence[Pass]) -> tuple[List, ...]:
    """The compiler's `lists`, with each pass that was plugged in beside the one that it names.

    It goes to the first list that holds that one: given by its name, ``"dce"``, or as in a
    pipeline's text, ``"decompose{every}"``, where two of a name differ. It may name another that
    was plugged in before it. Inside of a `Repeat` it is repeated as well.

    Raises
    ------
    S2sadError
        E0404 when a pass names one that is in no list.
    """
    found = [tuple(each) for each in lists]
    for plugged in plugins.passes():
        anchor = plugged.before or plugged.after or ""
        place = next((i for i, each in enumerate(found) if _holds(each, anchor)), None)
        if place is None:
            names = {step.name for each in found for step in _flat(each)}
            error = unknown_pass(anchor, sorted(names))
            raise error
        found[place] = _beside(found[place], plugged, anchor)[0]
    return tuple(found)


def _flat(passes: Sequence[Pass]) -> list[Pass]:
    return [
        inner
        for step in passes
        for inner in ([step, *_flat(step.passes)] if isinstance(step, Repeat) else [step])
    ]


def _holds(passes: Sequence[Pass], anchor: str) -> bool:
    return any(_is_called(step, anchor) for step in _flat(passes))


def _is_called(step: Pass, name: str) -> bool:
    return name in (step.name, str(step))


def _beside(passes: List, plugged: plugins.Plugged, anchor: str) -> tuple[List, bool]:
    """`passes` with the plugged one beside what is called `anchor`; whether that is there."""
    for index, step in enumerate(passes):
        if _is_called(step, anchor):
            place = index + (plugged.after is not None)
            return (*passes[:place], plugged.instance, *passes[place:]), True
        if isinstance(step, Repeat):
            inner, is_done = _beside(step.passes, plugged, anchor)
            if is_done:
                return (*passes[:index], Repeat(inner, step.rounds), *passes[index + 1 :]), True
    return passes, False
