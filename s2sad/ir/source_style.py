"""How is a function written so that a person likes to read it?

Operators where NumPy's mean the same, numbers where reading them gives the same constant, values
that are used once in the place of their use, stacks as lists. Only parameters have types. What
is read back is isomorphic: an expression is folded only where Python evaluates its operations in
the order that they have in the program. So folding works like a stack machine. Expressions that
are still to be used wait in a row; an operation takes the last ones, as far as it reads them in
their order; what is read out of order, and all that waits before a statement, is written as
statements of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from s2sad.ir.graph import OPERATORS, Function, Operation, Region, Value
from s2sad.ir.literals import LOAD, call, name, number_node
from s2sad.ir.loops import LOOPS, carried
from s2sad.ir.marks import mark
from s2sad.ir.names import by_number
from s2sad.ir.operators import operator_node
from s2sad.ir.primitive import Form
from s2sad.ir.printer import Constants, Printer, assignment, parallel
from s2sad.ir.python_numbers import python_numbers
from s2sad.ir.tapes import tapes
from s2sad.ir.types import TensorType
from s2sad.ir.unparse import unparse
from s2sad.ir.weak_numbers import WeakNumbers

WIDTH = 100
#: Stands for the name of a value, and what follows it, while there is none yet.
NAME = "t0000 = "
#: As many expressions wait at most.
DEEPEST = 16


@dataclass
class Waiting:
    """An expression that waits for the one place where its value is used."""

    value: Value
    node: ast.expr
    operations: list[Operation]


@dataclass
class Frame:
    """The block that is being written."""

    depth: int
    statements: list[ast.stmt] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)


@dataclass(frozen=True)
class Slot:
    """Something that a branch gives or a loop carries, and that has to be assigned.

    `group` is what shares its name, `index` its place among the results.
    """

    index: int
    group: tuple[Value, ...]
    initial: Value | None = None


class SourcePrinter(Printer):
    """Writes one function for people."""

    def __init__(self, function: Function, constants: Constants | None) -> None:
        super().__init__(function, constants)
        self.frame = Frame(0)
        self.operators = {prim: key for key, prim in OPERATORS.items()}
        self.python_numbers = python_numbers(function)
        self.tapes = tapes(function)
        self.weak = WeakNumbers(lists=self.tapes is not None)
        self.ready: dict[Value, ast.expr] = {}  # constants that stand where they are used
        self.deferred: dict[Value, ast.expr] = {}  # those that are written before their first use
        self.frames: dict[Region | None, Frame] = {}

    # ---- names -----------------------------------------------------------------------------

    def name(self, *values: Value, letter: str = "t") -> str:
        chain = self.tapes.chain_of.get(values[0]) if self.tapes else None
        if chain is None:
            return super().name(*values, letter=letter)
        if chain[0] not in self.named and not any(value.name for value in chain):
            self.named.update(dict.fromkeys(chain, self.names.unique("tape")))
        return super().name(*chain)

    def left_side(self, groups: Sequence[tuple[Value, ...]]) -> str:
        """What an assignment to `groups` starts with, as long as it will be when printed again."""
        stacks = self.tapes.chain_of if self.tapes else {}
        return "".join(
            f"{self.name(*group)} = "
            if group[0] in stacks or any(value.name for value in group)
            else NAME
            for group in groups
        )

    def read(self, value: Value) -> ast.expr:
        if value in self.deferred:
            self.write_constant(value, self.deferred.pop(value))
        return self.ready.get(value) or name(self.name(value))

    def returns(self, region: Region) -> ast.expr | None:
        return None

    # ---- blocks ----------------------------------------------------------------------------

    @contextmanager
    def inside(self, region: Region) -> Iterator[Frame]:
        """Write the block of `region`."""
        outer, self.frame = self.frame, Frame(self.frame.depth + 1)
        self.frames[region] = self.frame
        yield self.frame
        self.frame = outer

    def operations(self, region: Region) -> None:
        """Write what `region` does, but for its yields."""
        for operation in region.operations:
            self.FORMS[operation.prim.form](self, operation)

    def flush(self, count: int | None = None) -> None:
        """Write the first `count` expressions that wait, or all, as statements."""
        waiting = self.frame.waiting[:count]
        del self.frame.waiting[:count]
        for each in waiting:
            self.write(assignment([self.name(each.value)], each.node), each.operations)

    def write(self, statement: ast.stmt, operations: Sequence[Operation] = ()) -> None:
        """Append `statement`, with the place in the source that all of `operations` come from."""
        text = mark(operations[-1].loc) if operations else None
        if text is not None and len({_line(operation) for operation in operations}) == 1:
            statement.comment = text  # type: ignore[attr-defined]
        self.frame.statements.append(statement)

    def returning(self, region: Region) -> list[ast.stmt]:
        with self.inside(region) as frame:
            self.operations(region)
            node, operations = self.fold(region.yields, "return ", parallel)
            self.flush()
            self.write(ast.Return(node), operations)
        return frame.statements

    def yielding(self, region: Region, slots: Sequence[Slot]) -> list[ast.stmt]:
        """Statements of `region`, the last of which assigns what it yields in `slots`."""
        with self.inside(region) as frame:
            self.operations(region)
            self.assign(slots, [region.yields[slot.index] for slot in slots])
        return frame.statements

    def assign(self, slots: Sequence[Slot], values: Sequence[Value]) -> None:
        """Write all that waits, and one parallel assignment where there are `slots`."""
        if slots:
            node, operations = self.fold(values, self.left_side([s.group for s in slots]), parallel)
            self.flush()
            self.write(assignment([self.name(*s.group) for s in slots], node), operations)
        self.flush()

    # ---- folding ---------------------------------------------------------------------------

    def fold(
        self,
        values: Sequence[Value],
        prefix: str,
        build: Callable[[list[ast.expr]], ast.expr],
        operation: Operation | None = None,
    ) -> tuple[ast.expr, list[Operation]]:
        """What `build` makes of the nodes for `values`, and the operations folded into it.

        Nothing is folded where it would not fit on a line after `prefix`. A statement stands for
        one line of the user's source, so nothing is folded that comes from another than
        `operation`, or than the last of what waits.
        """
        waiting = self.frame.waiting
        first = len(waiting) - self._top(values)
        line = _line(operation or waiting[-1].operations[-1]) if waiting else None
        apart = [
            i for i, each in enumerate(waiting)
            if (_line(each.operations[-1]) != line if i >= first else each.value in values)
        ]  # fmt: skip
        written = apart[-1] + 1 if apart else 0
        self.flush(written)
        first = max(0, first - written)
        taken = waiting[first:]
        del waiting[first:]
        known = {each.value: each.node for each in taken}
        node = build([known.get(value) or self.read(value) for value in values])
        if (taken or any(value in self.ready for value in values)) and not self._fits(prefix, node):
            waiting += taken
            self.flush()
            for value in values:
                if value in self.ready:
                    self.write_constant(value, self.ready.pop(value))
            return build([self.read(value) for value in values]), []
        return node, [operation for each in taken for operation in each.operations]

    def _top(self, values: Sequence[Value]) -> int:
        """How many of those that wait, from the last, are read in `values` in their order."""
        waiting = [each.value for each in self.frame.waiting]
        for count in range(min(len(waiting), len(values)), 0, -1):
            last = waiting[-count:]
            if [value for value in values if value in last] == last:
                return count
        return 0

    def _fits(self, prefix: str, node: ast.expr) -> bool:
        return 4 * self.frame.depth + len(prefix) + len(unparse(node)) <= WIDTH

    # ---- operations without regions --------------------------------------------------------

    def _const(self, operation: Operation) -> None:
        value = operation.result
        regions = [_region_of(use.user) for use in value.uses if not self.weak.is_weak(use)]
        if regions == [operation.parent] and not value.name:
            self.ready[value] = self.constant(operation)
        elif regions:
            self.deferred[value] = self.constant(operation)

    def write_constant(self, value: Value, node: ast.expr) -> None:
        """Write a constant as a statement of the block that it belongs to."""
        line = assignment([self.name(value, letter="c")], node)
        self.frames[_region_of(value.owner)].statements.append(line)

    def write_captured(self, operation: Operation) -> None:
        """Write the constants that the regions of `operation` read from outside."""
        for inner in operation.walk() if self.deferred else ():
            weak = self.weak.of(inner)
            reads = [value for i, value in enumerate(inner.operands) if i not in weak]
            for value in (*reads, *(v for region in inner.regions.values() for v in region.yields)):
                if value in self.deferred:
                    self.read(value)

    def _call(self, operation: Operation) -> None:
        if _folds(operation):
            node, operations = self._applied(operation, NAME)
            self.frame.waiting.append(Waiting(operation.result, node, [*operations, operation]))
            self.flush(max(0, len(self.frame.waiting) - DEEPEST))
        else:
            self._statement(operation)

    def _statement(self, operation: Operation, regions: Sequence[ast.keyword] = ()) -> None:
        prefix = self.left_side([(value,) for value in operation.results])
        node, operations = self._applied(operation, prefix, regions)
        self.flush()
        for keyword, region in zip(regions, operation.regions.values(), strict=True):
            self._define(keyword.value, region)
        names = [self.name(value) for value in operation.results]
        self.write(assignment(names, node), [*operations, operation])

    def _applied(
        self, operation: Operation, prefix: str, regions: Sequence[ast.keyword] = ()
    ) -> tuple[ast.expr, list[Operation]]:
        """The operation as an expression."""
        weak = self.weak.of(operation)
        strict = [value for i, value in enumerate(operation.operands) if i not in weak]

        def build(nodes: list[ast.expr]) -> ast.expr:
            rest = iter(nodes)
            places = range(len(operation.operands))
            operands = [number_node(weak[i]) if i in weak else next(rest) for i in places]
            attributes = self.attributes(operation)
            key = self.operators.get(operation.prim)
            if key and not attributes and self.python_numbers.isdisjoint(operation.operands):
                node = operator_node(key, operation.operands, operands, weak)
                if node is not None:
                    return node
            return ast.Call(self.prim(operation), operands, [*regions, *attributes])

        return self.fold(strict, prefix, build, operation)

    def _push(self, operation: Operation) -> None:
        if self.tapes is None:
            return self._statement(operation)
        stack, value = operation.operands
        text = self.name(stack)
        method = ast.Attribute(name(text), "append", LOAD)
        node, operations = self.fold(
            [value], f"{text}.append()", lambda nodes: call(method, *nodes), operation
        )
        self.flush()
        self.write(ast.Expr(node), [*operations, operation])

    def _pop(self, operation: Operation) -> None:
        if self.tapes is None:
            return self._statement(operation)
        self.flush()
        stack, value = operation.results
        node = call(ast.Attribute(name(self.name(stack)), "pop", LOAD))
        names = [self.name(value)] if value.uses or value.name else []
        self.write(assignment(names, node), [operation])

    # ---- operations with regions -----------------------------------------------------------

    def _nested(self, operation: Operation) -> None:
        names = [self.names.numbered(f"{key}_", first=0) for key in operation.regions]
        keywords = [ast.keyword(k, name(n)) for k, n in zip(operation.regions, names, strict=True)]
        self._statement(operation, keywords)

    def _define(self, node: Any, region: Region) -> None:
        parameters = self.parameters(region)
        statements = self.returning(region)
        self.write(self.define(node.id, parameters, statements, name("region"), region))

    def _if(self, operation: Operation) -> None:
        test, operations = self.fold(operation.operands, "if :", lambda nodes: nodes[0], operation)
        self.flush()
        self.write_captured(operation)
        slots = self.slots(operation)
        then, orelse = (self.yielding(region, slots) for region in operation.regions.values())
        self.write(ast.If(test, then or [ast.Pass()], orelse), [*operations, operation])

    def _while(self, operation: Operation) -> None:
        slots = self._start(operation)
        self.write_captured(operation)
        condition, body = operation.regions.values()
        with self.inside(condition) as frame:
            self.operations(condition)
            test, operations = self.fold(condition.yields, "if not : break", lambda nodes: nodes[0])
            self.flush()
            if frame.statements:
                stop = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
                stop.inline = True  # type: ignore[attr-defined]
                self.write(stop, operations)
                test = ast.Constant(True)
        statements = [*frame.statements, *self.yielding(body, slots)]
        self.write(ast.While(test, statements or [ast.Pass()], []), [operation])

    def _for(self, operation: Operation) -> None:
        slots = self._start(operation)
        weak = self.weak.of(operation)
        strict = [value for i, value in enumerate(operation.operands[:3]) if i not in weak]

        def build(nodes: list[ast.expr]) -> ast.expr:
            rest = iter(nodes)
            bounds = [number_node(weak[i]) if i in weak else next(rest) for i in range(3)]
            if weak.get(2) == 1:
                del bounds[2]
                if weak.get(0) == 0:
                    del bounds[0]
            return call(name("range"), *bounds)

        steps, _ = self.fold(strict, f"for {NAME} in :", build)
        self.flush()
        self.write_captured(operation)
        (body,) = operation.regions.values()
        counter = ast.Name(self.name(body.args[0]), ast.Store())
        statements = self.yielding(body, slots) or [ast.Pass()]
        self.write(ast.For(counter, steps, statements, []), [operation])

    def _start(self, operation: Operation) -> list[Slot]:
        """Initialise what a loop carries under a name of its own."""
        slots = self.slots(operation)
        named = [s for s in slots if self.tapes is None or s.group[0] not in self.tapes.chain_of]
        self.assign(named, [slot.initial for slot in named if slot.initial is not None])
        return slots

    def slots(self, operation: Operation) -> list[Slot]:
        """What has to be assigned: all but the last ones, as far as they are stacks that a reader
        sees change, in the order in which it adds them.
        """
        if operation.prim.form in LOOPS:
            slots = [
                Slot(i, (slot.result, *slot.args), slot.initial)
                for i, slot in enumerate(carried(operation))
            ]
        else:
            slots = [Slot(i, (result,)) for i, result in enumerate(operation.results)]
        if self.tapes is None:
            return slots
        changed = self.tapes.changed(operation) & self.tapes.known[operation]
        after: tuple[str, int] | None = None
        while slots and self.tapes.stack(slots[-1].group[0]) in changed:
            order = by_number(self.name(slots[-1].group[0]))
            if after is not None and order > after:
                break
            after = order
            del slots[-1]
        return slots

    FORMS: dict[Form, Callable[[Any, Operation], None]] = {
        **{Form.CALL: _call, Form.CONST: _const, Form.NESTED: _nested, Form.PUSH: _push},
        **{Form.POP: _pop, Form.IF: _if, Form.WHILE: _while, Form.FOR: _for},
    }


def _folds(operation: Operation) -> bool:
    """Whether the one place that reads the operation may hold it: nobody gave it a name."""
    if len(operation.results) != 1:
        return False
    result = operation.result
    if result.name or len(result.uses) != 1 or not isinstance(result.type, TensorType):
        return False
    (use,) = result.uses
    return _region_of(use.user) is operation.parent


def _region_of(user: Operation | Region) -> Region | None:
    """Where `user` reads: the region that holds it, or itself by its yields."""
    return user.parent if isinstance(user, Operation) else user


def _line(operation: Operation) -> object:
    place = operation.loc
    return place and (place.file, place.line, place.caller)
