"""What does an `if` on tensor data become?

Both sides are compiled, each in a region of its own. A variable that either side assigns is a
result of the branch when the sides leave different data in it; the side that is not taken is
never evaluated. What follows a side that has left the block is compiled in the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from s2sad.core import location as locations
from s2sad.core.diagnostics import S2sadError
from s2sad.frontend import carried
from s2sad.frontend.carried import changed_names
from s2sad.frontend.containers import renewed, settle
from s2sad.frontend.exits import Exit, Leaving, NeverReturns, Open, Run, Side
from s2sad.frontend.frame import Frame, Unbound
from s2sad.frontend.merges import ABSENT, Merge, finisher, ways_apart
from s2sad.frontend.views import note_result
from s2sad.ir import builder as builders
from s2sad.ir.builder import as_tuple
from s2sad.ir.graph import Region, Value
from s2sad.prims.control import if_

#: What is merged besides variables, as messages call it.
RESULT = "the value"
#: How blocks are left, as variables that no program can name: flags, and what is returned.
RETURNED, STOP = "<returned>", "<stop>"
FLAGS = {"return": "<return>", "break": "<break>", "continue": "<continue>", "stop": STOP}
#: Branches in each other, beyond which paths are joined before they go on.
MAX_DEPTH = 8


def branch(
    frame: Frame, condition: Value, then: Callable[[Frame], Any], orelse: Callable[[Frame], Any],
    parts: Iterable[Any] = (),
) -> Any:  # fmt: skip
    """What `then` gives where the condition holds, and else `orelse`: both are expressions.

    Parameters
    ----------
    parts : iterable of nodes
        What either side evaluates, for the variables that it assigns.

    Raises
    ------
    S2sadError
        E0306 when they give different kinds of things.
    """

    def side(run: Callable[[Frame], Any]) -> Run:
        def keep(inner: Frame) -> None:
            inner.local_names[RESULT] = run(inner)

        return keep

    names = changed_names(parts)
    found = Open(frame, condition, _sides(frame, side(then), side(orelse)), names)
    extra = _emit(found, lambda end: {RESULT: end.frame.local_names.pop(RESULT, ABSENT)})
    if extra[RESULT] is ABSENT:
        raise NeverReturns
    return extra[RESULT]


def divide(
    frame: Frame, condition: Value, then: Run, orelse: Run, statements: Iterable[Any] = ()
) -> Leaving:
    """Compile an `if` on data, and say how it is left.

    Parameters
    ----------
    statements : iterable of nodes
        What either side executes: the variables that it assigns come first among the results.
    """
    names = changed_names(statements)
    return settled(Open(frame, condition, _sides(frame, then, orelse), names))


def _sides(frame: Frame, then: Run, orelse: Run) -> tuple[Side, Side]:
    """Both sides; what one of them writes is not written on the other."""
    return Side.of(frame).run(then), Side.of(frame).run(orelse)


def go_on(leaving: Leaving, frame: Frame, run: Run) -> Leaving:
    """Do `run` where the paths of a block in `frame` go on that was left so far by `leaving`."""
    if leaving is None:
        return run(frame)
    if isinstance(leaving, Exit) or not leaving.ends():
        return leaving
    if len(leaving.ends()) > 1 or leaving.depth > MAX_DEPTH:
        leaving = joined(leaving)
    if not isinstance(leaving, Open):
        return go_on(leaving, frame, run)
    _go_on_in(leaving, run, ())
    return settled(leaving)


def _go_on_in(leaving: Open, run: Run, around: tuple[Region, ...]) -> None:
    """Do `run` in the one side that goes on; what belongs to regions `around` belongs to it now."""
    around = (*around, leaving.region)
    for side in leaving.sides:
        inner = side.leaving
        if isinstance(inner, Open) and inner.ends():
            with side.entered():
                _go_on_in(inner, run, around)
                side.leaving = settled(inner)
        elif inner is None:
            if not side.is_entered:
                with side.entered():
                    renewed(side.frame, around)
                side.is_entered = True
            side.run(run)


def settled(leaving: Leaving) -> Leaving:
    """`leaving`, with a branch finished of which all paths have ended in one way."""
    if not isinstance(leaving, Open):
        return leaving
    exits = leaving.exits()
    never = exits.pop("raise", None)
    if leaving.ends():
        if exits:
            return leaving
        _emit(leaving)
        return None
    if len(exits) > 1:
        return leaving
    found = next(iter(exits.values()), never)
    if found is not None and found.kind == "return":
        extra = _emit(leaving, lambda end: {RETURNED: _returned(end)})
        return _moved(found, extra[RETURNED])
    _emit(leaving)
    return found


def returning(leaving: Open) -> Exit:
    """How a function ends whose body was left so: what goes on to its end returns None."""
    for side in leaving.ends():
        side.leaving = Exit("return")
    found = settled(leaving)
    assert isinstance(found, Exit)  # a function knows no `break`
    return found


def _returned(end: Side) -> Any:
    leaving = end.leaving
    if isinstance(leaving, Exit) and leaving.kind == "return":
        return leaving.value
    return ABSENT


def _moved(found: Exit, value: Any) -> Exit:
    """An exit like `found`, with what paths that were joined give."""
    with locations.at(found.place):
        return Exit(found.kind, value, found.node)


def turned(leaving: Leaving, kind: str, into: str | None = None) -> Leaving:
    """`leaving`, where those paths that left by `kind` go on here, or leave as `into` says."""
    if isinstance(leaving, Open):
        for side in leaving.leaves():
            side.leaving = turned(side.leaving, kind, into)
        return settled(leaving)
    if leaving is None or leaving.kind != kind:
        return leaving
    return None if into is None else Exit(into)


def flags_of(leaving: Leaving) -> tuple[dict[str, Any], dict[str, Exit]]:
    """Finish a branch; flags that say how it was left, and what is returned, with the exits."""
    if leaving is None:
        return {}, {}
    exits = {leaving.kind: leaving} if isinstance(leaving, Exit) else leaving.exits()
    exits.pop("raise", None)
    if isinstance(leaving, Exit):
        return _flags(leaving, list(exits)), exits
    return _emit(leaving, lambda end: _flags(end.leaving, list(exits))), exits


def _flags(leaving: Leaving, kinds: list[str]) -> dict[str, Any]:
    if isinstance(leaving, Exit) and leaving.kind == "raise":
        return {}
    kind = leaving.kind if isinstance(leaving, Exit) else None
    found: dict[str, Any] = {FLAGS[each]: each == kind for each in kinds}
    if isinstance(leaving, Exit) and kind == "return":
        found[RETURNED] = leaving.value
    return found


def joined(leaving: Open) -> Leaving:
    """Finish a branch that several paths go on behind; flags say who has left before."""
    with locations.at(leaving.place):
        found, exits = flags_of(leaving)
        return parted(leaving.frame, found, exits)


def parted(frame: Frame, found: dict[str, Any], exits: dict[str, Exit]) -> Leaving:
    """Leave as flags say: where none holds, what follows goes on."""
    kinds = [kind for kind in FLAGS if found.get(FLAGS[kind], False) is not False]
    if not kinds:
        return None
    kind = kinds[0]
    flag, found = found[FLAGS[kind]], {**found, FLAGS[kind]: False}
    way = _moved(exits[kind], found.get(RETURNED) if kind == "return" else None)
    if flag is True:
        return way
    return divide(frame, flag, lambda inner: way, lambda inner: parted(inner, found, exits))


# ---- the operation -------------------------------------------------------------------------------


@dataclass
class _End:
    """What one side has, when the branch is finished."""

    side: Side
    extra: dict[str, Any]
    goes_on: bool


def _emit(leaving: Open, say: Callable[[Side], dict[str, Any]] = lambda end: {}) -> dict[str, Any]:
    """Emit the operation, and let the variables around the branch hold what it gives.

    Parameters
    ----------
    say : callable
        What else a side gives, by name.

    Returns
    -------
    dict
        What else the branch gives.
    """
    frame = leaving.frame
    with locations.at(leaving.place):
        ends = tuple(_ended(side, say) for side in leaving.sides)
        merge = Merge(leaving.sides, leaving.condition)
        trees = _variables(leaving, merge, ends)
        extra = {}
        for name in dict.fromkeys([*ends[0].extra, *ends[1].extra]):
            extra[name] = _extra(leaving, merge, name, ends)
        state = merge.parameters(frame)
        results = _operation(leaving)
    finish = finisher(results)
    trees, extra = ({name: finish(x) for name, x in y.items()} for y in (trees, extra))
    _settle(frame, {**trees, **extra}, ends)
    for name, tree in trees.items():
        frame.local_names[name] = tree
        if isinstance(tree, Value):
            frame.name(tree, name)
    carried.write_back(frame, {key: finish(value) for key, value in state.items()})
    for end in ends:
        if end.goes_on:
            frame.session.overwritten.update(end.side.overwritten)
    return extra


def _ended(side: Side, say: Callable[[Side], dict[str, Any]]) -> _End:
    """A side, with branches in it finished."""
    goes_on, inner = side.goes_on, side.leaving
    if not isinstance(inner, Open):
        return _End(side, say(side), goes_on)
    with side.entered():
        extra = _emit(inner, say)
    return _End(side, extra, goes_on)


def _variables(leaving: Open, merge: Merge, ends: tuple[_End, ...]) -> dict[str, Any]:
    """Variables that either side has changed."""
    frames = [end.side.frame for end in ends if end.goes_on]
    before = leaving.frame.local_names
    names = [x for x in leaving.names if any(x in inner.local_names for inner in frames)]
    names += [
        name for inner in frames for name, tree in inner.local_names.items()
        if before.get(name, ABSENT) is not tree
    ]  # fmt: skip
    return {
        name: merge.variable(name, *(_held(end, name) for end in ends))
        for name in dict.fromkeys(names)
    }


def _held(end: _End, name: str) -> Any:
    return end.side.frame.local_names.get(name, Unbound("", None)) if end.goes_on else ABSENT


def _extra(leaving: Open, merge: Merge, name: str, ends: tuple[_End, ...]) -> Any:
    one, other = (end.extra.get(name, ABSENT) for end in ends)
    try:
        return merge.tree(name, one, other)
    except S2sadError as error:
        if name != RETURNED or error.code != "E0306":
            raise
        raise ways_apart((one, other), [_place_of_return(end.side) for end in ends]) from None


def _place_of_return(side: Side) -> Any:
    leaving = side.leaving
    found = leaving.exits().get("return") if isinstance(leaving, Open) else leaving
    return found.place if isinstance(found, Exit) else None


def _operation(leaving: Open) -> tuple[Value, ...]:
    then, orelse = leaving.sides
    for side in leaving.sides:
        side.region.set_reads(side.yields)
    if not then.yields and not then.region.operations and not orelse.region.operations:
        return ()  # it would do nothing
    regions = {"then": then.region, "orelse": orelse.region}
    results = as_tuple(builders.current().emit(if_, [leaving.condition], {}, regions))
    for value, *ends in zip(results, then.yields, orelse.yields, strict=True):
        value.is_weak = all(end.is_weak for end in ends)
        note_result(leaving.frame.session, value, *ends)
    return results


def _settle(frame: Frame, trees: dict[str, Any], ends: tuple[_End, ...]) -> None:
    """Say which lists and dicts may be changed behind the branch."""
    bound = {
        name: tree for name, tree in trees.items()
        if not isinstance(tree, Unbound) and tree is not ABSENT
    }  # fmt: skip
    held = []
    for end, other in (ends, ends[::-1]):
        held.append({name: _tree_at(end, other, name) for name in bound})
    settle(frame, bound, *held)


def _tree_at(end: _End, other: _End, name: str) -> Any:
    """What a variable holds at the end of a side; of the other one where this one has left."""
    for each in (end, other):
        found = each.extra.get(name, ABSENT)
        found = _held(each, name) if found is ABSENT else found
        if found is not ABSENT and not isinstance(found, Unbound):
            return found
    return None
