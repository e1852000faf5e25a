"""What does an `if` on tensor data become?

Both sides are compiled, each in a region of its own. A variable that either side assigns is a
result of the branch when the sides leave different data in it; the side that is not taken is
never evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.trees import changed, same_tuple
from s2sad.frontend import carried
from s2sad.frontend.carried import as_value, changed_names, fork, is_data, same_static
from s2sad.frontend.containers import settle
from s2sad.frontend.frame import Frame, Unbound
from s2sad.frontend.loops import decide_dtype
from s2sad.frontend.trees import leaves
from s2sad.frontend.views import note_result
from s2sad.ir import builder as builders
from s2sad.ir.builder import Builder
from s2sad.ir.graph import Region, Value
from s2sad.ir.types import TensorType, same_type
from s2sad.prims.control import if_

#: What is merged besides variables, as messages call it.
RESULT = "the value"

#: What a branch does in its frame: execute statements, or evaluate an expression.
Run = Callable[[Frame], Any]


@dataclass
class Side:
    """One side of a branch after it was compiled."""

    frame: Frame
    region: Region
    result: Any
    written: dict[int, Value | None]
    yields: list[Value] = field(default_factory=list)

    def value(self, leaf: Any) -> Value:
        """A leaf as a value inside of this side's region."""
        builder = Builder(self.region)
        with builder.active():
            return as_value(builder, leaf)


def compile_side(frame: Frame, run: Run) -> Side:
    """Compile one side in a fork of `frame`."""
    inner, region = fork(frame), Region()
    before = carried.written_now(frame)
    with Builder(region).active():
        result = run(inner)
    written = carried.written_now(frame)
    carried.write_back(frame, before)
    return Side(inner, region, result, written)


def _compile_sides(frame: Frame, then: Run, orelse: Run) -> tuple[Side, Side]:
    """Both sides; what one of them writes is not written on the other, but is behind them."""
    session = frame.session
    before = dict(session.overwritten)
    one = compile_side(frame, then)
    written, session.overwritten = session.overwritten, before
    other = compile_side(frame, orelse)
    session.overwritten = {**written, **session.overwritten}
    return one, other


def _is_own(name: str, frame: Frame, sides: tuple[Side, Side]) -> bool:
    """Whether a variable belongs to this call, not to a function around it."""
    return any(name in each.local_names for each in (frame, *(side.frame for side in sides)))


def branch(frame: Frame, condition: Value, then: Run, orelse: Run, statements: list[Any]) -> Any:
    """Compile an `if` on data; what `then` and `orelse` return is merged as well.

    Parameters
    ----------
    statements : list of nodes
        All that either side executes, for the variables that they assign.

    Raises
    ------
    S2sadError
        E0306 when the sides leave different kinds of things in a variable.
    """
    sides = _compile_sides(frame, then, orelse)
    merged = _Merge(sides)
    variables: dict[str, Any] = {}
    names = [x for x in changed_names(statements) if _is_own(x, frame, sides)]
    for side in sides:
        names += carried.rebound(side.frame, frame, names)
    for name in names:
        held = [side.frame.local_names.get(name, Unbound("", None)) for side in sides]
        if any(isinstance(value, Unbound) for value in held):
            variables[name] = _half_bound(name, held)
        else:
            variables[name] = merged.tree(name, *held)
    result = merged.tree(RESULT, sides[0].result, sides[1].result)
    state = merged.parameters(frame)
    for side in sides:
        side.region.set_reads(side.yields)
    results = builders.current().emit(
        if_, [condition], {}, {"then": sides[0].region, "orelse": sides[1].region}
    )
    results = builders.as_tuple(results)
    for value, *ends in zip(results, sides[0].yields, sides[1].yields, strict=True):
        note_result(frame.session, value, *ends)
    finish = _finisher(results)
    trees = {name: finish(tree) for name, tree in variables.items()}
    trees[RESULT] = finish(result)
    ends = [{**side.frame.local_names, RESULT: side.result} for side in sides]
    bound = {name: tree for name, tree in trees.items() if not isinstance(tree, Unbound)}
    settle(frame, bound, *ends)
    for name in variables:
        frame.local_names[name] = trees[name]
        if isinstance(trees[name], Value):
            frame.name(trees[name], name)
    carried.write_back(frame, {key: finish(value) for key, value in state.items()})
    return trees[RESULT]


@dataclass(frozen=True)
class _Place:
    """Stands for a result of the branch until the branch exists."""

    index: int


def _finisher(results: tuple[Value, ...]) -> Callable[[Any], Any]:
    """Puts results in place of a tree's places."""
    return lambda tree: changed(tree, lambda x: results[x.index] if isinstance(x, _Place) else x)


class _Merge:
    """Brings what two sides left together, leaf by leaf."""

    def __init__(self, sides: tuple[Side, Side]) -> None:
        self.sides = sides

    def tree(self, name: str, one: Any, other: Any) -> Any:
        """`one` and `other` as one tree, whose leaves are static or places."""
        if carried.shape_of(one) != carried.shape_of(other):
            raise fail(
                "E0306", f"`{name}` is built differently by the two branches: "
                f"{len(leaves(one))} and {len(leaves(other))} items",
                help="let both branches build it of as many items",
            )  # fmt: skip
        return self._part(name, one, other)

    def _part(self, name: str, one: Any, other: Any) -> Any:
        if one is other:
            return one
        if isinstance(one, dict):
            return {key: self._part(name, item, other[key]) for key, item in one.items()}
        if not isinstance(one, (tuple, list)):
            return self._leaf(name, one, other)
        items = [self._part(name, *pair) for pair in zip(one, other, strict=True)]
        return same_tuple(one, items) if isinstance(one, tuple) else items

    def _leaf(self, name: str, one: Any, other: Any) -> Any:
        if same_static(one, other):
            return one
        if not is_data(one) or not is_data(other):
            raise carried.differ(name, one, other, "where the condition holds", "elsewhere")
        values = [side.value(leaf) for side, leaf in zip(self.sides, (one, other), strict=True)]
        if not same_type(values[0].type, values[1].type):
            self._decide(one, values[1])
            self._decide(other, values[0])
            raise carried.differ(name, one, other, "where the condition holds", "elsewhere")
        return self._place(values)

    def _decide(self, leaf: Any, other: Value) -> None:
        """Where `leaf` is a number that a loop carries, let it have the dtype of `other`."""
        if isinstance(other.type, TensorType) and not other.shape:
            decide_dtype(self.sides[0].frame, leaf, other.dtype)

    def _place(self, values: list[Value]) -> _Place:
        """The result that is one of `values`; variables that hold one tensor go on doing so."""
        known = zip(*(side.yields for side in self.sides), strict=True)
        for index, (one, other) in enumerate(known):
            if one is values[0] and other is values[1]:
                return _Place(index)
        for side, value in zip(self.sides, values, strict=True):
            side.yields.append(value)
        return _Place(len(self.sides[0].yields) - 1)

    def parameters(self, frame: Frame) -> dict[int, Any]:
        """What each parameter holds after the branch."""
        state: dict[int, Any] = {}
        for key, capture in frame.session.captures.items():
            ends = [side.written.get(key) for side in self.sides]
            after = [capture.current if value is None else value for value in ends]
            same = after[0] is after[1]
            state[key] = capture.written if same else self._place(after)
        return state


def _half_bound(name: str, held: list[Any]) -> Unbound:
    earlier = [value for value in held if isinstance(value, Unbound) and value.why]
    if earlier and all(isinstance(value, Unbound) for value in held):
        return earlier[0]
    side = "the condition does not hold" if isinstance(held[1], Unbound) else "the condition holds"
    return Unbound(f"`{name}` is not assigned where {side}", carried.here())
