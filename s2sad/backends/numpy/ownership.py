"""Which operations may write into an operand's buffer?

`index_add`, `update` and their kind are pure in the IR: they give a new array. Where the old one
is dead afterwards and nobody else holds its buffer, writing in place gives the same numbers
without a copy. A loop that adds into an accumulator stays linear that way.

A value *owns* its buffer when its operation makes a fresh array, or wrote in place into an owned
one. Operations that only move elements may hand out views, so what they touch counts as one
buffer. A stack keeps what is pushed, so that is owned no longer. Whatever is not proved here is
copied.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.types import TensorType


@dataclass
class Ownership:
    """What was found for one function.

    Attributes
    ----------
    in_place : set of Operation
        May write into their first operand.
    copied : dict of Operation to set of int
        Loops, with the carried places whose initial value is copied once so that the body may
        write into it.
    """

    in_place: set[Operation] = field(default_factory=set)
    copied: dict[Operation, set[int]] = field(default_factory=dict)


def ownership(function: Function) -> Ownership:
    """Operations of `function` that may write in place.

    A donated input may be overwritten only where nothing can fail afterwards: parameters stay
    those of the last good step.
    """
    found = Ownership()
    fails = any(op.prim.has(Trait.FALLIBLE) or op.prim.has(Trait.EFFECT) for op in function.walk())
    donated = () if fails else [function.args[i] for i in function.donates]
    _Walk(found, function.body, donated).run()
    return found


class _Walk:
    """One region: `owned` are the values whose buffer it may overwrite when they are dead."""

    def __init__(self, found: Ownership, region: Region, owned: Iterable[Value]) -> None:
        self.found = found
        self.region = region
        self.owned = set(owned)
        self.last = _last_reads(region)
        # Values that may share a buffer form a group, named by one of them.
        self.group: dict[Value, Value] = {}
        self.members: dict[Value, list[Value]] = {}

    def run(self) -> None:
        for place, operation in enumerate(self.region.operations):
            if operation.prim.form in (Form.WHILE, Form.FOR):
                self._loop(operation, place)
            else:
                self._plain(operation, place)

    def _plain(self, operation: Operation, place: int) -> None:
        for region in operation.regions.values():
            _Walk(self.found, region, ()).run()
        if operation.prim.in_place is not None and self._dead_after(
            operation.operands[0], place, operation
        ):
            self.found.in_place.add(operation)
            self.owned.add(operation.result)
        elif _is_fresh(operation):
            self.owned.update(filter(_is_array, operation.results))
        else:
            self._share([*operation.operands, *_outer_reads(operation), *operation.results])
            if not all(map(_is_array, operation.results)):
                self._escape(operation.operands)

    def _loop(self, operation: Operation, place: int) -> None:
        body = operation.regions["body"]
        carried = operation.operands[len(operation.operands) - len(operation.results) :]
        arguments = body.args[len(body.args) - len(carried) :]
        places = [i for i, arg in enumerate(arguments) if _is_written(arg, body)]
        trial = Ownership()
        walk = _Walk(trial, body, [arguments[i] for i in places])
        walk.run()
        kept = [i for i in places if walk.yields_alone(i)]
        if kept != places:  # a place was lost, so what its argument allowed is void
            trial = Ownership()
            walk = _Walk(trial, body, [arguments[i] for i in kept])
            walk.run()
            if any(not walk.yields_alone(i) for i in kept):
                kept, trial = [], Ownership()
                _Walk(trial, body, ()).run()
        for region in operation.regions.values():
            if region is not body:
                _Walk(self.found, region, ()).run()
        self.found.in_place |= trial.in_place
        self.found.copied.update(trial.copied)
        copies = {i for i in kept if not self._dead_after(carried[i], place, operation)}
        self.found.copied[operation] = copies
        for i, result in enumerate(operation.results):
            if i in kept:
                self.owned.add(result)
            else:
                self._share([carried[i], *_outer_reads(operation), result])

    def yields_alone(self, place: int) -> bool:
        """Whether the value yielded at `place` is owned and shares its buffer with no other."""
        yields = self.region.yields[len(self.region.yields) - self._carried() :]
        value = yields[place]
        if value not in self.owned:
            return False
        others = [v for i, v in enumerate(yields) if i != place]
        return not any(self._root(v) is self._root(value) for v in others)

    def _carried(self) -> int:
        owner = self.region.parent
        assert isinstance(owner, Operation)
        return len(owner.results)

    def _dead_after(self, value: Value, place: int, reader: Operation) -> bool:
        """Whether `value` owns its buffer and `reader`, at `place`, is the last to see it."""
        if value not in self.owned:
            return False
        others = (v for v in self.members.get(self._root(value), ()) if v is not value)
        return (
            self.last[value] == place
            and sum(1 for x in reader.operands if x is value) == 1
            and value not in _outer_reads(reader)
            and all(self.last.get(v, -1) < place for v in others)
        )

    def _share(self, values: Iterable[Value]) -> None:
        """Let the tensors among `values` count as one buffer."""
        tensors = list(filter(_is_array, values))
        if not tensors:
            return
        first = self._root(tensors[0])
        roots = dict.fromkeys(self._root(v) for v in tensors)
        merged = [v for root in roots for v in self.members.get(root, [root])]
        self.members[first] = merged
        self.group.update(dict.fromkeys(merged, first))

    def _escape(self, values: Iterable[Value]) -> None:
        """Let the buffers of `values` be held by somebody else from here on."""
        for value in values:
            self.owned.difference_update(self.members.get(self._root(value), [value]))

    def _root(self, value: Value) -> Value:
        return self.group.get(value, value)


def _is_array(value: Value) -> bool:
    return isinstance(value.type, TensorType)


def _is_fresh(operation: Operation) -> bool:
    """Whether the results are new arrays that share no memory with any operand."""
    prim = operation.prim
    return not (prim.has(Trait.MOVES) or prim.is_composite or operation.regions)


def _is_written(argument: Value, body: Region) -> bool:
    """Whether some operation of `body` could write into `argument` or what it becomes."""
    return _is_array(argument) and any(
        op.prim.in_place is not None and op.operands[0].type == argument.type for op in body.walk()
    )


def _outer_reads(operation: Operation) -> list[Value]:
    """Values from outside that the regions of `operation` read or yield."""
    if not operation.regions:
        return []
    inner: set[Value] = set()
    reads: list[Value] = []
    for region in operation.regions.values():
        inner.update(region.args)
        reads += region.yields
        for nested in region.operations:
            for op in nested.walk():
                inner.update(op.results)
                reads += op.operands
                for deeper in op.regions.values():
                    inner.update(deeper.args)
                    reads += deeper.yields
    return [v for v in dict.fromkeys(reads) if v not in inner]


def _last_reads(region: Region) -> dict[Value, int]:
    """Place of the operation of `region` that reads each value last, nested reads included."""
    last: dict[Value, int] = {}
    for place, operation in enumerate(region.operations):
        for inner in operation.walk():
            last.update(dict.fromkeys(inner.operands, place))
            for nested in inner.regions.values():
                last.update(dict.fromkeys(nested.yields, place))
    last.update(dict.fromkeys(region.yields, len(region.operations)))
    return last
