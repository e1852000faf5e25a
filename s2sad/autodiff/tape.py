"""How do values of the forward sweep reach the backward one?

What stands outside of all regions is simply there. A value inside a region that the backward
sweep reads is a residual: it is pushed on a stack of its own each time it is computed, and
popped where the region is walked backwards, last first. A `while` counts its passes. The index of
a counted loop is there again when it counts down, and so are numbers computed with it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import gast

from s2sad.autodiff.markers import again
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.printer import FlatPrinter
from s2sad.ir.types import TensorType, i64


class Tapes:
    """Stacks of the residuals of one function.

    Attributes
    ----------
    names : dict of Value to str
        Stack of each residual.
    popped : dict of Value to str
        Variable of the backward sweep that holds a residual.
    again : dict of Value to statement
        Those that are no residuals but computed again, in the order in which that is possible.
    trips : dict of Operation to Value
        Number of passes of each `while`, as a value of the region that holds the loop.
    """

    def __init__(self, fresh: Callable[[str], str]) -> None:
        self.fresh = fresh
        self.names: dict[Value, str] = {}
        self.popped: dict[Value, str] = {}
        self.again: dict[Value, Any] = {}
        self.trips: dict[Operation, Value] = {}
        self.trip_names: dict[Operation, str] = {}

    def residual(self, value: Value, name: str) -> str:
        """Variable of the backward sweep for `value`, which is called `name` forward."""
        if value not in self.popped:
            self.names[value] = self.fresh(f"tape_{name}")
            self.popped[value] = self.fresh(name)
        return self.popped[value]

    def trip(self, loop: Operation) -> Value:
        """The number of passes that `loop` made."""
        if loop not in self.trips:
            region = loop.parent
            assert region is not None
            self.trips[loop] = Value(i64, region, -1, "trips")
            self.trip_names[loop] = self.fresh("trips")
        return self.trips[loop]

    def of(self, region: Region) -> list[Value]:
        """Residuals that `region` computes."""
        return [value for value in self.names if value.region is region]


def follows_indices(value: Value, function: Function) -> bool:
    """Whether `value` is a number computed with an index of a loop, and else with outer values."""
    owner = value.owner
    if not isinstance(owner, Operation) or not owner.prim.has(Trait.ELEMENTWISE):
        return False
    if not isinstance(value.type, TensorType) or value.ndim:
        return False
    varying = [operand for operand in owner.operands if operand.region is not function.body]
    return bool(varying) and all(_is_index(x) or follows_indices(x, function) for x in varying)


def _is_index(value: Value) -> bool:
    loop = value.owner.parent if isinstance(value.owner, Region) else None
    return isinstance(loop, Operation) and loop.prim.form is Form.FOR and value.index == 0


class ForwardPrinter(FlatPrinter):
    """The primal's statements, pushing residuals; nodes know the operation they stem from.

    Parameters
    ----------
    function : Function
    tapes : Tapes
    origin : callable
        Index of an operation's origin.
    bind : callable
        ``bind(wish, thing)``: a name under which the joint program finds `thing`.
    """

    def __init__(
        self,
        function: Function,
        tapes: Tapes,
        origin: Callable[[Operation], int],
        bind: Callable[[str, Any], str],
    ) -> None:
        super().__init__(function, None)
        self.tapes = tapes
        self.origin = origin
        self.bind = bind

    def nodes(self) -> list[Any]:
        """Statements of the whole body."""
        module = ast.Module(self.block(self.function.body), [])
        return gast.ast_to_gast(module).body

    def block(self, region: Region) -> list[ast.stmt]:
        statements = [line for value in region.args for line in self._push(value)]
        owner = region.parent
        if (
            isinstance(owner, Operation)
            and owner in self.tapes.trips
            and region is owner.regions["body"]
        ):
            name = self.tapes.trip_names[owner]
            statements += _parse(f"{name} = p.add({name}, 1)", self.origin(owner))
        for operation in region.operations:
            statements += self.lines(operation)
        return statements

    def lines(self, operation: Operation) -> list[ast.stmt]:
        line = self.origin(operation)
        if operation.prim.form is Form.NESTED:
            statements = self._marker(operation, line)
        else:
            statements = super().lines(operation)
        if operation in self.tapes.trips:
            name = self.tapes.trip_names[operation]
            statements = [*_parse(f"{name} = p.const(0, i64)", line), *statements]
            statements += self._push(self.tapes.trips[operation], name)
        for result in operation.results:
            statements += self._push(result)
        for statement in statements:
            _place_rest(statement, line)
        return statements

    def _marker(self, operation: Operation, line: int) -> list[ast.stmt]:
        """A marker as it is: its regions are no statements of the tree."""
        operands = ", ".join(self.name(value) for value in operation.operands)
        targets = ", ".join(self.name(value) for value in operation.results)
        call = f"{self.bind(operation.prim.name, again(operation))}({operands})"
        return _parse(f"{targets} = {call}" if targets else call, line)

    def _push(self, value: Value, name: str | None = None) -> list[ast.stmt]:
        tape = self.tapes.names.get(value)
        if tape is None:
            return []
        owner = value.owner
        line = self.origin(owner) if isinstance(owner, Operation) else 0
        return _parse(f"{tape} = p.stack_push({tape}, {name or self.name(value)})", line)


def _parse(text: str, line: int) -> list[ast.stmt]:
    statements = ast.parse(text).body
    for statement in statements:
        for node in ast.walk(statement):
            _set_line(node, line)
    return statements


def _place_rest(statement: ast.AST, line: int) -> None:
    """Set the line of those nodes that have none: nested operations have set theirs."""
    for node in ast.walk(statement):
        if not hasattr(node, "lineno"):
            _set_line(node, line)


def _set_line(node: ast.AST, line: int) -> None:
    node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
    node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
