"""What is behind a branch on data, leaf by leaf, of what its two sides have left?

Data that differ become results of the branch. What is on one side only, since the other one has
left, is as on that side: the other yields zeros, which nobody reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.location import Location
from s2sad.core.trees import changed, is_record, parts_of, same_tuple, with_parts
from s2sad.frontend import carried
from s2sad.frontend.carried import Blank, as_leaf, decide_dtype, is_data, same_static
from s2sad.frontend.choices import choice
from s2sad.frontend.exits import Side
from s2sad.frontend.frame import Frame, Unbound
from s2sad.frontend.trees import leaves
from s2sad.ir.graph import Value
from s2sad.ir.types import TensorType, bool_, same_type


class _Absent:
    """In place of what a side does not have, as it has left."""


ABSENT: Any = _Absent()


class Result:
    """Stands for a result of the branch until the branch exists."""

    def __init__(self, index: int) -> None:
        self.index = index


def finisher(results: tuple[Value, ...]) -> Callable[[Any], Any]:
    """Puts results in place of those that stand for them."""
    return lambda tree: changed(tree, lambda x: results[x.index] if isinstance(x, Result) else x)


class Merge:
    """Brings what two sides left together; what they yield is appended on the way."""

    def __init__(self, sides: tuple[Side, Side], condition: Value) -> None:
        self.sides = sides
        self.condition = condition

    def variable(self, name: str, one: Any, other: Any) -> Any:
        """A variable after the branch; `Unbound` where that depends on the data."""
        if not (_is_dead(one) and _is_dead(other)):  # what one path needs, another may have lost
            one, other = (ABSENT if _is_dead(x) else x for x in (one, other))
        held = [x for x in (one, other) if x is not ABSENT]
        if any(isinstance(x, Unbound) for x in held):
            return _half_bound(name, held)
        count = len(self.sides[0].yields)
        try:
            return self.tree(name, one, other)
        except S2sadError as error:
            if error.code != "E0306":
                raise
            for side in self.sides:
                del side.yields[count:]
            return Unbound.differing(error)

    def tree(self, name: str, one: Any, other: Any) -> Any:
        """`one` and `other` as one tree, whose leaves are static or stand for results (E0306)."""
        if one is ABSENT or other is ABSENT:
            return self._only(one, other)
        if carried.shape_of(one) != carried.shape_of(other):
            raise fail(
                "E0306", f"{carried.quoted(name)} is built differently by the two branches: "
                f"{len(leaves(one))} and {len(leaves(other))} items",
                help="let both branches build it of as many items",
            )  # fmt: skip
        return self._part(name, one, other)

    def _only(self, one: Any, other: Any) -> Any:
        """What only one side has."""
        if one is other:
            return ABSENT
        place = 1 if one is ABSENT else 0
        side = self.sides[place]

        def leaf(x: Any) -> Any:
            if not isinstance(x, Value) or x.region is not side.region:
                return x  # static, or of around the branch
            values = [self.sides[1 - place].value(Blank(x.type, x.is_weak)), x]
            return self._place(values if place else values[::-1])

        return changed((one, other)[place], leaf)

    def _part(self, name: str, one: Any, other: Any) -> Any:
        if one is other:
            return one
        if isinstance(one, dict):
            return {k: self._part(f"{name}[{k!r}]", x, other[k]) for k, x in one.items()}
        if is_record(one):
            rest = parts_of(other)
            parts = {k: self._part(f"{name}.{k}", x, rest[k]) for k, x in parts_of(one).items()}
            return with_parts(one, parts)
        if not isinstance(one, (tuple, list)):
            return self._leaf(name, one, other)
        pairs = enumerate(zip(one, other, strict=True))
        items = [self._part(f"{name}[{i}]", *pair) for i, pair in pairs]
        return same_tuple(one, items) if isinstance(one, tuple) else items

    def _leaf(self, name: str, one: Any, other: Any) -> Any:
        if same_static(one, other):
            return one
        regions = (self.sides[0].region, self.sides[1].region)
        chosen = choice(self.condition, (one, other), regions)
        if chosen is not None:
            return chosen
        one, other = as_leaf(one), as_leaf(other)
        if not is_data(one) or not is_data(other):
            raise carried.differ(name, one, other, "where the condition holds", "elsewhere")
        values = [side.value(leaf) for side, leaf in zip(self.sides, (one, other), strict=True)]
        values = [self._met(place, *values) for place in (0, 1)]
        if not same_type(values[0].type, values[1].type):
            self._decide(one, values[1])
            self._decide(other, values[0])
            raise carried.differ(name, one, other, "where the condition holds", "elsewhere")
        return self._place(values)

    def _met(self, place: int, *values: Value) -> Value:
        """One of `values`: a number in the dtype of a tensor of no axes, where it may take that."""
        value, other = values[place], values[1 - place]
        is_number = value.is_weak or value.type == bool_
        if not is_number or other.is_weak or not isinstance(other.type, TensorType) or other.shape:
            return value
        if not carried.fits(value.type, other.dtype):
            return value
        return self.sides[place].value(value, other.dtype)

    def _decide(self, leaf: Any, other: Value) -> None:
        """Where `leaf` is a number that a loop carries, let it have the dtype of `other`."""
        if isinstance(other.type, TensorType) and not other.shape:
            decide_dtype(self.sides[0].frame, leaf, other.dtype)

    def _place(self, values: list[Value]) -> Result:
        """The result that is one of `values`; variables that hold one tensor go on doing so."""
        known = zip(*(side.yields for side in self.sides), strict=True)
        for index, (one, other) in enumerate(known):
            if one is values[0] and other is values[1]:
                return Result(index)
        for side, value in zip(self.sides, values, strict=True):
            side.yields.append(value)
        return Result(len(self.sides[0].yields) - 1)

    def parameters(self, frame: Frame) -> dict[int, Any]:
        """What each parameter holds after the branch."""
        state: dict[int, Any] = {}
        for key, capture in frame.session.captures.items():
            ends = [side.written.get(key) for side in self.sides]
            after = [capture.current if value is None else value for value in ends]
            same = after[0] is after[1]
            state[key] = capture.written if same else self._place(after)
        return state


def _is_dead(tree: Any) -> bool:
    return isinstance(tree, Unbound) and tree.is_dead


def _half_bound(name: str, held: list[Any]) -> Unbound:
    """A variable that cannot be read behind the branch, of what its sides hold."""
    unbound = [value for value in held if isinstance(value, Unbound)]
    differing = [value for value in unbound if value.code != Unbound.code]
    earlier = [value for value in unbound if value.why]
    if differing or (earlier and len(unbound) == len(held)):
        return (differing or earlier)[0]
    if len(held) == 1:
        return unbound[0]
    side = "the condition does not hold" if isinstance(held[1], Unbound) else "the condition holds"
    return Unbound(f"`{name}` is not assigned where {side}", carried.here())


def ways_apart(values: tuple[Any, Any], places: list[Location | None]) -> S2sadError:
    """E0306 for two paths of a function that return different things."""
    (one, other), (place, second) = values, places
    where = "another path" if second is None else f"the path that ends at line {second.line}"
    return fail(
        "E0306", f"this branch returns {_kind(one)}, {where} returns {_kind(other)}",
        location=place, help="let every path return Tensors of the same types, in the same form",
    )  # fmt: skip


def _kind(value: Any) -> str:
    """What a path returns, in words."""
    if isinstance(value, (tuple, list, dict)):
        kind = type(value).__name__
        items = value.values() if isinstance(value, dict) else value
        return f"a {kind} of ({', '.join(_kind(item) for item in items)})"
    if value is None:
        return "None"
    return f"a Tensor {value.type}" if isinstance(value, Value) else carried.describe_leaf(value)
