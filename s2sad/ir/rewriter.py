"""How does a pass change a function?

A `Rewriter` keeps uses, types, locations and scopes right, refuses what would break the function
(E0901, which says why), and counts what it did. Everything else that must hold, the verifier
checks after the pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from typing import Any

from s2sad.core import location
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.location import Location
from s2sad.ir.builder import Builder
from s2sad.ir.clone import copy_operation, copy_operations
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Form, Primitive
from s2sad.ir.types import Type, same_type


class Place(Builder):
    """Appends operations before or after another, which give them their location and scope.

    The place moves with the operation that it is next to. Operations made after one stand there
    in the order in which they are made.
    """

    def __init__(
        self,
        rewriter: Rewriter,
        region: Region,
        beside: Operation | None,
        *,
        is_after: bool = False,
        loc: Location | None = None,
        scope: str = "",
    ) -> None:
        super().__init__(region)
        self.rewriter = rewriter
        self.beside = beside
        self.is_after = is_after
        self.loc = loc
        self.scope = scope

    @contextmanager
    def active(self) -> Iterator[Builder]:
        """Let calls of primitives on values emit here, with the location and scope of the place."""
        with location.origin(self.loc, self.scope), super().active():
            yield self

    def add(self, operation: Operation) -> Operation:
        """Place a finished operation."""
        self.region.insert(self.index(), operation)
        if self.is_after:
            self.beside = operation
        self.rewriter.changes += 1
        return operation

    def index(self) -> int:
        """Where the next operation will stand in the region."""
        if self.beside is None:
            return len(self.region.operations)
        return self.region.place(self.beside) + self.is_after

    def value(self, operand: Any) -> Value:
        with location.origin(self.loc, self.scope):
            return super().value(operand)

    def emit(self, *args: Any, **options: Any) -> Any:
        with location.origin(self.loc, self.scope):
            return super().emit(*args, **options)


class Rewriter:
    """Changes one function.

    Attributes
    ----------
    function : Function
    changes : int
        How many changes were made: operations made, erased, moved, values put in place of others.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> function = build_function(lambda x: p.neg(p.neg(x)), [f32[4]])
    >>> rewriter = Rewriter(function)
    >>> inner, outer = function.body.operations
    >>> rewriter.replace_operation(outer, inner.operands)
    >>> rewriter.erase(inner)
    >>> function.results == tuple(function.args), rewriter.changes
    (True, 2)
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.changes = 0

    @contextmanager
    def step(self, title: str, at: Operation | None) -> Iterator[None]:
        """Group changes that make sense together only: one rewrite, of what stands at `at`.

        Whoever counts rewrites, and stops after some, does that between steps. A single change
        outside of any is a step of its own; one that goes with operations made before it, and
        would leave a token or a stack used twice without them, needs a step around them all.
        """
        yield

    # Places for new operations

    def insert_before(self, operation: Operation) -> Place:
        """A place right before `operation`: ``with rewriter.insert_before(op).active(): ...``."""
        return self._beside(operation, is_after=False)

    def insert_after(self, operation: Operation) -> Place:
        """A place right after `operation`."""
        return self._beside(operation, is_after=True)

    def insert_last(self, region: Region, *, like: Operation | None = None) -> Place:
        """A place at the end of `region`, with the location and scope of `like`."""
        loc, scope = (like.loc, like.scope) if like is not None else (None, "")
        return Place(self, region, None, loc=loc, scope=scope)

    def _beside(self, operation: Operation, *, is_after: bool) -> Place:
        if operation.parent is None:
            raise fail("E0901", f"{operation!r} stands in no region")
        return Place(
            self, operation.parent, operation,
            is_after=is_after, loc=operation.loc, scope=operation.scope,
        )  # fmt: skip

    # Values in place of others

    def replace_uses(self, old: Value, new: Value) -> None:
        """Let every reader of `old` read `new`.

        Raises
        ------
        S2sadError
            E0901 if the types differ, or a reader cannot see `new`.
        """
        self._require_replaceable(old, new)
        if new is not old and old.uses:
            old.replace_uses(new)
            self.changes += 1

    def set_operand(self, reader: Operation | Region, index: int, value: Value) -> None:
        """Let `reader` (an operation, or a region by its yields) read `value` at place `index`.

        Raises
        ------
        S2sadError
            E0901 if the type changes, or `value` is not visible there.
        """
        old = reader.operands[index] if isinstance(reader, Operation) else reader.yields[index]
        _require_same_type(old, value)
        if not is_visible(value, *_position(reader)):
            raise fail("E0901", f"{reader!r} cannot see {value!r}")
        if value is not old:
            reader.set_read(index, value)
            self.changes += 1

    def replace_operation(
        self, operation: Operation, values: Value | Sequence[Value | None]
    ) -> None:
        """Put `values` in place of the results of `operation`, and erase it.

        Parameters
        ----------
        operation : Operation
        values : Value, or sequence of Value or None
            One for each result; None where nobody reads it. One without a name takes the
            result's.

        Raises
        ------
        S2sadError
            E0901 if a type changes, a reader cannot see the value, or a result that is read has
            none.
        """
        given = (values,) if isinstance(values, Value) else tuple(values)
        if len(given) != len(operation.results):
            what = f"{operation.prim.name} has {len(operation.results)} results"
            raise fail("E0901", f"{what}, and {len(given)} values were given")
        for result, value in zip(operation.results, given, strict=True):
            if value is None:
                self._require_unused(result)
            elif value.owner is operation:
                raise fail("E0901", f"{value!r} would go with the operation that it replaces")
            else:
                self._require_replaceable(result, value)
        for result, value in zip(operation.results, given, strict=True):
            if value is not None:
                value.name = value.name or result.name
                result.replace_uses(value)
        self._drop(operation)
        self.changes += 1

    def _require_replaceable(self, old: Value, new: Value) -> None:
        _require_same_type(old, new)
        if isinstance(old.owner, Operation) and is_visible(new, *_position(old.owner)):
            return  # then it is visible wherever `old` is
        for use in old.uses:
            if not is_visible(new, *_position(use.user)):
                raise fail("E0901", f"{use.user!r} reads {old!r} and cannot see {new!r}")

    def _require_unused(self, value: Value) -> None:
        if value.uses:
            reader = next(iter(value.uses)).user
            raise fail("E0901", f"{value!r} is still read, by {reader!r}")

    # Operations

    def erase(self, operation: Operation) -> None:
        """Take `operation` out of the function, with its regions.

        Raises
        ------
        S2sadError
            E0901 while a result is read.
        """
        for result in operation.results:
            self._require_unused(result)
        self._drop(operation)
        self.changes += 1

    def _drop(self, operation: Operation) -> None:
        if operation.parent is None:
            raise fail("E0901", f"{operation!r} stands in no region")
        operation.parent.remove(operation)
        _stop_reading(operation)

    def move(self, operation: Operation, to: Place) -> None:
        """Let `operation`, regions and all, stand at another place.

        Raises
        ------
        S2sadError
            E0901 if what it reads is not visible there, or its results where they are read.
        """
        if any(region is to.region for region in _regions_of(operation)):
            raise fail("E0901", f"{operation!r} cannot move into itself")
        if to.beside is operation:
            return
        for value in outer_reads(operation):
            if not is_visible(value, to.region, to.index()):
                raise fail("E0901", f"{operation!r} cannot move: it would not see {value!r}")
        old = operation.parent
        if old is None:
            raise fail("E0901", f"{operation!r} stands in no region")
        place = old.place(operation)
        old.remove(operation)
        to.region.insert(to.index(), operation)
        for use in [use for result in operation.results for use in result.uses]:
            if not is_visible(use.user._reads[use.index], *_position(use.user)):
                to.region.remove(operation)
                old.insert(place, operation)
                raise fail("E0901", f"{operation!r} cannot move: {use.user!r} would not see it")
        if to.is_after:
            to.beside = operation
        self.changes += 1

    def reorder(self, region: Region, operations: Sequence[Operation]) -> None:
        """Let the operations of `region` stand in another order.

        Raises
        ------
        S2sadError
            E0901 if they are others, or one would not see what it reads.
        """
        if set(operations) != set(region.operations) or len(operations) != len(region.operations):
            raise fail("E0901", "another order has the same operations, each once")
        before = list(region.operations)
        region.operations[:] = operations
        for operation in operations:
            index = region.place(operation)
            for value in outer_reads(operation):
                if not is_visible(value, region, index):
                    region.operations[:] = before
                    raise fail("E0901", f"{operation!r} would not see {value!r}")
        self.changes += 1

    # Bodies

    def inline_function(
        self, function: Function, operands: Sequence[Value], at: Place
    ) -> tuple[Value, ...]:
        """Copy the body of `function` to `at`, called there with `operands`.

        Locations become ``inner < place``, scopes ``place/inner``.

        Returns
        -------
        tuple of Value
            What the function returns.

        Raises
        ------
        S2sadError
            E0901 if the operands are not of the types that it takes, or not visible.
        """
        return self.inline_region(function.body, operands, at, caller=at.loc, scope=at.scope)

    def inline_region(
        self,
        region: Region,
        operands: Sequence[Value],
        at: Place,
        *,
        caller: Location | None = None,
        scope: str = "",
    ) -> tuple[Value, ...]:
        """Copy the operations of `region` to `at`, with `operands` for its arguments.

        Parameters
        ----------
        region : Region
            It stays as it is: erase the operation that owns it afterwards.
        operands : sequence of Value
        at : Place
        caller : Location, optional
            Where the region was called, for one that comes from another function.
        scope : str
            Put before the scopes of the operations.

        Returns
        -------
        tuple of Value
            What the region yields.

        Raises
        ------
        S2sadError
            E0901 if the operands are not of the types that it takes, or not visible.
        """
        _require_types([v.type for v in operands], [v.type for v in region.args], "the body takes")
        for value in operands:
            if not is_visible(value, at.region, at.index()):
                raise fail("E0901", f"the body cannot be put here: {value!r} is not visible")

        def origin(operation: Operation) -> tuple[Location | None, str]:
            return called_from(operation.loc, caller), _join(scope, operation.scope)

        mapping = dict(zip(region.args, operands, strict=True))
        for operation in copy_operations(list(region.operations), mapping, origin):
            at.add(operation)
        return tuple(mapping.get(value, value) for value in region.yields)

    def outline(
        self,
        operations: Sequence[Operation],
        into: Primitive,
        attrs: dict[str, Any] | None = None,
    ) -> Operation:
        """Put a group of operations of one region into the region of one new operation.

        The new operation takes what the group reads from outside, in the order of reading, and
        gives what is read of it outside, in program order. Operations between that depend on the
        group move behind it.

        Parameters
        ----------
        operations : sequence of Operation
        into : Primitive
            Of form ``NESTED``, with one region.
        attrs : dict, optional

        Raises
        ------
        S2sadError
            E0901 with the reason why the group cannot become one operation.
        """
        region, group = _in_order(operations)
        if into.form is not Form.NESTED or len(into.regions) != 1:
            raise fail("E0901", f"{into.name} does not hold a group of operations")
        behind = _dependents_between(region, group)
        inside = _readers_of(group)
        inputs = list(dict.fromkeys(v for v in _reads_of(inside) if not _is_inside(v, inside)))
        outputs = [
            result for each in group for result in each.results
            if any(use.user not in inside for use in result.uses)
        ]  # fmt: skip
        outlined = _outlined(group, inputs, outputs, into, attrs or {})
        for old, new in zip(outputs, outlined.results, strict=True):
            for use in [use for use in old.uses if use.user not in inside]:
                use.user.set_read(use.index, new)
        _exchange(region, group, outlined, behind)
        self.changes += 1
        return outlined


def is_visible(value: Value, region: Region, index: int) -> bool:
    """Whether an operation at place `index` of `region` may read `value`.

    It may where the value is defined before in the same region or in one around, without an
    isolated region between.
    """
    home = value.region
    place: Region | None = region
    while place is not None and place is not home:
        owner = place.parent
        if not isinstance(owner, Operation) or owner.prim.is_isolated:
            return False
        place = owner.parent
        index = place.place(owner) if place is not None else 0
    if place is None:
        return False
    return isinstance(value.owner, Region) or place.place(value.owner) < index


def outer_reads(operation: Operation) -> list[Value]:
    """Values from outside that `operation` and its regions read, each once, in order."""
    inside = _readers_of([operation])
    return list(dict.fromkeys(v for v in _reads_of(inside) if not _is_inside(v, inside)))


def captured_reads(operation: Operation) -> list[Value]:
    """Values from outside that the regions of `operation` read, each once, in order."""
    return outer_values(operation.regions.values())


def outer_values(regions: Iterable[Region]) -> list[Value]:
    """Values that `regions` read or yield and do not define, each once, in order."""
    inside: set[Value] = set()
    reads: dict[Value, None] = {}
    for region in regions:
        inside.update(region.args)
        for operation in region.walk():
            inside.update(operation.results)
            reads.update(dict.fromkeys(operation.operands))
            for nested in operation.regions.values():
                inside.update(nested.args)
                reads.update(dict.fromkeys(nested.yields))
        reads.update(dict.fromkeys(region.yields))
    return [value for value in reads if value not in inside]


def called_from(loc: Location | None, caller: Location | None) -> Location | None:
    """`loc` with `caller` at the outer end of its chain of calls.

    Examples
    --------
    >>> print(called_from(Location("norm.py", 3, 4), Location("net.py", 9, 15)))
    norm.py:3:4 < net.py:9:15
    """
    if loc is None or caller is None:
        return loc or caller
    return replace(loc, caller=called_from(loc.caller, caller))


def _join(outer: str, inner: str) -> str:
    return "/".join(filter(None, (outer, inner)))


def _common_scope(scopes: Sequence[str]) -> str:
    """The longest path that all `scopes` begin with."""
    levels = zip(*(scope.split("/") for scope in scopes), strict=False)
    return "/".join(level[0] for level in takewhile(lambda x: len(set(x)) == 1, levels))


def _position(reader: Any) -> tuple[Region, int]:
    """Region and place from which `reader` reads."""
    if isinstance(reader, Region):
        return reader, len(reader.operations)
    return reader.parent, reader.parent.place(reader)


def _require_same_type(old: Value, new: Value) -> None:
    if not same_type(old.type, new.type):
        raise fail("E0901", f"{new!r} cannot stand for {old!r}: the type changes")


def _require_types(found: Sequence[Type], expected: Sequence[Type], what: str) -> None:
    if len(found) != len(expected) or not all(map(same_type, found, expected)):
        found_text, expected_text = (", ".join(map(str, types)) for types in (found, expected))
        raise fail("E0901", f"{what} ({expected_text}), got ({found_text})")


def _regions_of(operation: Operation) -> Iterator[Region]:
    """All regions below `operation`, however deep."""
    for inner in operation.walk():
        yield from inner.regions.values()


def _readers_of(group: Sequence[Operation]) -> dict[Operation | Region, None]:
    """The operations of `group`, with all that stands below them; in program order."""
    found: dict[Operation | Region, None] = {}
    for each in group:
        for operation in each.walk():
            found[operation] = None
            found.update(dict.fromkeys(operation.regions.values()))
    return found


def _reads_of(readers: dict[Operation | Region, None]) -> Iterator[Value]:
    for reader in readers:
        yield from reader._reads


def _is_inside(value: Value, inside: dict[Operation | Region, None]) -> bool:
    return value.owner in inside


def _stop_reading(operation: Operation) -> None:
    for reader in _readers_of([operation]):
        reader.set_reads(())


# Parts of `Rewriter.outline`


def _in_order(operations: Sequence[Operation]) -> tuple[Region, list[Operation]]:
    """The one region of `operations`, and them in program order."""
    regions = {operation.parent for operation in operations}
    region = next(iter(regions), None)
    if len(regions) != 1 or region is None:
        raise fail("E0901", f"a group stands in one region, got {len(regions)}")
    if len(set(operations)) != len(operations):
        raise fail("E0901", "an operation is twice in the group")
    return region, sorted(operations, key=region.place)


def _dependents_between(region: Region, group: list[Operation]) -> list[Operation]:
    """Operations between those of `group` that depend on it; none of the group on them."""
    first, last = region.place(group[0]), region.place(group[-1])
    members, behind = set(group), {}
    for operation in region.operations[first : last + 1]:
        owners = {value.owner for value in outer_reads(operation)}
        between = next((owner for owner in owners if owner in behind), None)
        if operation in members and between is not None:
            what = f"{operation!r} of the group reads {between!r}"
            raise fail("E0901", f"{what}, which depends on the group and is not in it")
        if operation not in members and (between is not None or owners & members):
            behind[operation] = None
    return list(behind)


def _outlined(
    group: list[Operation],
    inputs: list[Value],
    outputs: list[Value],
    into: Primitive,
    attrs: dict[str, Any],
) -> Operation:
    """The operation `into` over a copy of `group`, in no region yet."""
    body = Region([v.type for v in inputs], [v.name for v in inputs])
    mapping = dict(zip(inputs, body.args, strict=True))
    for operation in group:
        body.append(copy_operation(operation, mapping))
    body.set_reads([mapping[value] for value in outputs])
    types, regions = [value.type for value in inputs], {into.regions[0]: body}
    try:
        full = into.complete(types, attrs)
        taken = into.region_types(into.regions[0], types, {}, full)
        found = into.infer(types, full, regions)
    except S2sadError as error:
        reason = error.diagnostic.message
        raise fail("E0901", f"{into.name} does not take the group: {reason}") from error
    _require_types(types, taken, f"the region of {into.name} takes")
    _require_types([value.type for value in outputs], found, f"{into.name} gives")
    return Operation(
        into, inputs, full, found, regions=regions, names=[value.name for value in outputs],
        loc=group[-1].loc, scope=_common_scope([operation.scope for operation in group]),
    )  # fmt: skip


def _exchange(
    region: Region, group: list[Operation], new: Operation, behind: list[Operation]
) -> None:
    """Let `new` stand for `group`, and `behind` after it."""
    first, last = region.place(group[0]), region.place(group[-1])
    gone = {*group, *behind}
    before = [each for each in region.operations[first : last + 1] if each not in gone]
    region.operations[first : last + 1] = [*before, new, *behind]
    new.parent = region
    for operation in group:
        operation.parent = None
        _stop_reading(operation)
