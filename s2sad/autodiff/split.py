"""Which half of a joint program computes what: now, or when the gradients are asked for?

What depends on a cotangent comes later. `cut` chooses which values of the rest it finds, and which
it computes again; here the two functions are built. What is computed again stands right before its
first use, so that it takes memory late.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from s2sad import prims as p
from s2sad.autodiff.cut import is_cheap, run_again
from s2sad.ir.clone import Mapping, copy_operation
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import carried, is_loop
from s2sad.ir.rewriter import outer_reads
from s2sad.ir.types import Token


@dataclass(frozen=True)
class Residual:
    """Where the backward half finds a value that it reads.

    Attributes
    ----------
    index : int
        Among the inputs or the results of the forward half.
    is_input : bool
    """

    index: int
    is_input: bool


@dataclass(frozen=True)
class Halves:
    """The two halves of a joint program.

    Attributes
    ----------
    forward : Function
        Takes the inputs of the primal; gives the results of the joint program, with the residuals
        that it makes in the place of the gradients.
    backward : Function
        Takes the residuals, then the cotangents; gives the gradients, and then the token where
        hooks have effects.
    residuals : tuple of Residual
    copies : dict of Value to Value
        What stands in the backward half for values of the joint program.
    late : set of Operation
        Those of the backward half that depend on a cotangent, or stand behind a barrier.
    """

    forward: Function
    backward: Function
    residuals: tuple[Residual, ...]
    copies: Mapping
    late: set[Operation]


def split(joint: Function, gradients: range, cotangents: int) -> Halves:
    """The halves of `joint`, with the least memory between them.

    Inputs and results of the primal count as no memory: they are there in any case. What stands
    behind a barrier for nothing but the gradients is left to the backward half. A stack among the
    residuals is used up there.

    Parameters
    ----------
    joint : Function
        Stays as it is.
    gradients : range
        Which of its results are gradients.
    cotangents : int
        How many of its inputs, the last ones, are cotangents.

    Examples
    --------
    >>> from s2sad.autodiff.reverse import differentiate
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f64
    >>> primal = build_function(lambda x: p.exp(p.sin(x)), [f64[9]], names=["x"])
    >>> halves = split(differentiate(primal, [0], seeded=True), range(1, 2), 1)
    >>> halves.residuals == (Residual(0, is_input=True), Residual(0, is_input=False))
    True
    >>> [operation.prim.name for operation in halves.backward.walk()]
    ['mul', 'cos', 'mul']
    """
    return _Joint(joint, gradients, cotangents).halves()


class _Joint:
    """A joint program that is being split.

    Attributes
    ----------
    before, after : tuple of Value
        Results that stand before and after the gradients, the token as the forward sweep leaves it.
    effects : tuple of Value
        The token as hooks leave it, where they have effects.
    late : set of Value
        What depends on a cotangent, or stands behind a barrier.
    late_operations : set of Operation
        What computes that.
    """

    def __init__(self, function: Function, gradients: range, cotangents: int) -> None:
        self.function = function
        self.operations = function.body.operations
        self.reads = {operation: outer_reads(operation) for operation in self.operations}
        first, results = len(function.args) - cotangents, function.results
        self.inputs, self.cotangents = function.args[:first], function.args[first:]
        self.before, self.after = results[: gradients.start], results[gradients.stop :]
        self.gradients = results[gradients.start : gradients.stop]
        self.effects = self._effects()
        needed = self._makers([*self.before, *self.after], ())
        self.late = set(self.cotangents)
        self.late_operations: set[Operation] = set()
        for operation in self.operations:
            is_behind = operation.prim is p.barrier and operation not in needed
            if is_behind or not self.late.isdisjoint(self.reads[operation]):
                self.late_operations.add(operation)
                self.late.update(operation.results)

    def _effects(self) -> tuple[Value, ...]:
        """Let the forward half end where effects of the backward sweep begin: at a barrier."""
        for operation in self.operations:
            if operation.prim is p.barrier and operation.result.type.is_linear:
                (early,), late = operation.operands, [v for v in self.after if v.type.is_linear]
                self.after = tuple(early if v in late else v for v in self.after)
                return tuple(late)
        return ()

    def halves(self) -> Halves:
        late, results = self.late_operations, (*self.before, *self.after)
        ends = [op for op in self.operations if op not in late and not _is_read(op)]
        needed = self._makers(results, ends)
        again = run_again(
            self._early_reads(late), {*self.inputs, *results}, self.reads,
            # Those that the forward half runs in any case run once, if they are not cheap.
            lambda op: None if op in needed and not is_cheap(op) else 0,
        )  # fmt: skip
        kept = self._kept({*late, *again}, again)
        made = [v for v in kept if not _is_input(v) and v not in results]
        forward = self._forward(made, self._makers([*results, *made], ends))
        backward, copies = self._backward(kept, again)
        given = [*self.before, *made, *self.after]
        places = {value: place for place, value in reversed(list(enumerate(given)))}
        residuals = [
            Residual(places[v], False) if v.type.is_linear or not _is_input(v)
            else Residual(v.index, True)
            for v in kept
        ]  # fmt: skip
        inside = {copies[v].owner for op in late for v in op.results}
        late_copies = {owner for owner in inside if isinstance(owner, Operation)}
        return Halves(forward, backward, tuple(residuals), copies, late_copies)

    def _makers(self, values: Iterable[Value], ends: Iterable[Operation]) -> set[Operation]:
        """The operations that run for `values` to be there, and for `ends` to run."""
        found: set[Operation] = set()
        pending = [*ends, *_owners(values)]
        while pending:
            operation = pending.pop()
            if operation not in found:
                found.add(operation)
                pending += _owners(self.reads[operation])
        return found

    def _early_reads(self, operations: Iterable[Operation]) -> set[Value]:
        """What `operations` and the gradients read that does not depend on a cotangent."""
        read = {value for operation in operations for value in self.reads[operation]}
        return (read | set(self.gradients)) - self.late

    def _kept(self, backward: set[Operation], again: set[Operation]) -> list[Value]:
        """What the operations of the backward half read and do not make, in program order."""
        read = self._early_reads(backward)
        values = [*self.inputs, *(v for op in self.operations for v in op.results)]
        return [value for value in values if value in read and value.owner not in again]

    # ---- the functions ---------------------------------------------------------------------

    def _forward(self, made: Sequence[Value], operations: set[Operation]) -> Function:
        joint = self.function
        half = _Half(self.inputs)
        for operation in self.operations:
            if operation in operations:
                half.add(operation)
        moved = len(made) - len(self.gradients)
        forward = half.function(self._name("forward"), [*self.before, *made, *self.after])
        forward.inputs, forward.title = joint.inputs[: len(self.inputs)], joint.title
        forward.donates = {
            place: result if result < len(self.before) else result + moved
            for place, result in joint.donates.items()
        }
        return forward

    def _backward(self, kept: Sequence[Value], again: set[Operation]) -> tuple[Function, Mapping]:
        joint = self.function
        half = _Half([*kept, *self.cotangents])
        waiting = dict.fromkeys(op for op in self.operations if op in again)
        for operation in self.operations:
            if operation in self.late_operations:
                self._add_again(half, waiting, self.reads[operation])
                half.add(operation)
        self._add_again(half, waiting, self.gradients)
        backward = half.function(self._name("vjp"), [*self.gradients, *self.effects])
        token = next((path for path in joint.inputs if path.startswith("token:")), "")
        paths = [
            joint.inputs[value.index] if _is_input(value)
            else token if value.type == Token
            else f"residuals[{number}]"
            for number, value in enumerate(kept)
        ]  # fmt: skip
        backward.inputs = (*paths, *joint.inputs[len(self.inputs) :])
        backward.title = f"vjp of {joint.title}" if joint.title else ""
        return backward, half.copies

    def _add_again(
        self, half: _Half, waiting: dict[Operation, None], values: Iterable[Value]
    ) -> None:
        """Add those operations that still wait and have to run for `values` to be there."""
        pending = [owner for owner in _owners(values) if owner in waiting]
        wanted: set[Operation] = set()
        while pending:
            operation = pending.pop()
            wanted.add(operation)
            read = _owners(self.reads[operation])
            pending += [owner for owner in read if owner in waiting and owner not in wanted]
        for operation in sorted(wanted, key=self.function.body.place):
            half.add(operation)
            del waiting[operation]

    def _name(self, suffix: str) -> str:
        return f"{self.function.name.removesuffix('_joint')}_{suffix}"


class _Half:
    """One of the functions in the making."""

    def __init__(self, inputs: Sequence[Value]) -> None:
        self.body = Region([value.type for value in inputs], [_name(value) for value in inputs])
        self.copies: Mapping = dict(zip(inputs, self.body.args, strict=True))

    def add(self, operation: Operation) -> None:
        self.body.append(copy_operation(operation, self.copies))

    def function(self, name: str, results: Sequence[Value]) -> Function:
        self.body.set_reads([self.copies[value] for value in results])
        tree = "0" if len(results) == 1 else str(tuple(range(len(results))))
        return Function(name, self.body, tree=tree)


def _owners(values: Iterable[Value]) -> list[Operation]:
    return [value.owner for value in values if isinstance(value.owner, Operation)]


def _name(value: Value) -> str | None:
    """What a reader calls `value`: what a loop carries has one name."""
    if isinstance(value.owner, Operation) and is_loop(value.owner):
        place = carried(value.owner)[value.index]
        return next(filter(None, (x.name for x in (value, *place.args))), None)
    return value.name


def _is_read(operation: Operation) -> bool:
    return any(value.uses for value in operation.results)


def _is_input(value: Value) -> bool:
    return isinstance(value.owner, Region)
