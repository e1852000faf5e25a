"""How does a function of the IR become Python that calls NumPy?

One statement an operation, loops as loops, branches as branches: the emitted program looks like
a flat dump, but operations are bound to their NumPy meaning and nothing is checked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.backends.numpy import arithmetic, comparison
from s2sad.backends.numpy.kernel import indices, kernel
from s2sad.backends.numpy.ownership import Ownership, ownership
from s2sad.core.location import Location
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Form, Primitive
from s2sad.ir.printer import Printer
from s2sad.ir.types import TensorType

#: Expressions that are shorter than a call of the meaning, by primitive.
TABLE: dict[Primitive, str] = {**arithmetic.TABLE, **comparison.TABLE}


@dataclass
class Program:
    """Emitted Python, with what its free names are bound to.

    Attributes
    ----------
    name : str
        Of the function that the text defines.
    text : str
    names : dict of str to object
    places : dict of int to Location
        Line of the text to the source it comes from.
    """

    name: str
    text: str
    names: dict[str, Any]
    places: dict[int, Location]


def emit(function: Function) -> Program:
    """Python program for `function`."""
    return _Emitter(function).program()


@dataclass
class _Emitter:
    function: Function
    lines: list[str] = field(default_factory=list)
    bound: dict[str, Any] = field(default_factory=dict)
    places: dict[int, Location] = field(default_factory=dict)
    indent: int = 0

    def program(self) -> Program:
        function = self.function
        self.printer = Printer(function, None)  # for the names that a dump gives
        self.owned: Ownership = ownership(function)
        name = self.printer.function_name
        self._line(f"def {name}({self._list(function.args)}):")
        self.indent += 1
        self._region(function.body)
        self._line(f"return {self._tuple(function.results)}")
        return Program(name, "\n".join(self.lines) + "\n", self.bound, self.places)

    def _line(self, text: str, location: Location | None = None) -> None:
        self.lines.append("    " * self.indent + text)
        if location is not None:
            self.places[len(self.lines)] = location

    def _list(self, values: Sequence[Value]) -> str:
        return ", ".join(self.printer.name(v) for v in values)

    def _tuple(self, values: Sequence[Value]) -> str:
        return f"({self._list(values)},)" if values else "()"

    def _region(self, region: Region) -> None:
        for operation in region.operations:
            {
                Form.CONST: self._constant, Form.IF: self._if, Form.WHILE: self._while,
                Form.FOR: self._for,
            }.get(operation.prim.form, self._call)(operation)  # fmt: skip

    def _assign(self, targets: Sequence[str], sources: Sequence[str]) -> None:
        """One parallel assignment, less what stays as it is."""
        moved = [(t, s) for t, s in zip(targets, sources, strict=True) if t != s]
        if moved:
            self._line(f"{', '.join(t for t, _ in moved)} = {', '.join(s for _, s in moved)}")

    def _bind(self, wish: str, thing: Any) -> str:
        """A free name for `thing`, the same one each time."""
        if self.bound.get(wish) is thing:
            return wish
        name = self.printer.names.unique(wish)
        self.bound[name] = thing
        return name

    def _constant(self, operation: Operation) -> None:
        self.bound[self.printer.name(operation.result, letter="c")] = operation.attrs["value"]

    def _if(self, operation: Operation) -> None:
        self._line(f"if {self.printer.name(operation.operands[0])}:", operation.loc)
        targets = [self.printer.name(v) for v in operation.results]
        for name, heading in (("then", None), ("orelse", "else:")):
            if heading:
                self._line(heading)
            region = operation.regions[name]
            self.indent += 1
            before = len(self.lines)
            self._region(region)
            self._assign(targets, [self.printer.name(v) for v in region.yields])
            if len(self.lines) == before:
                self._line("pass")
            self.indent -= 1

    def _enter(
        self, operation: Operation, carried: Sequence[Value], *args: Sequence[Value]
    ) -> list[str]:
        """Initial values of a loop into its variables; their names.

        A result and the arguments that carry it share one variable.
        """
        for group in zip(operation.results, *args, strict=True):
            self.printer.name(*group)
        copies = self.owned.copied.get(operation, set())
        sources = [
            f"{self.printer.name(v)}.copy()" if i in copies else self.printer.name(v)
            for i, v in enumerate(carried)
        ]
        targets = [self.printer.name(v) for v in operation.results]
        self._assign(targets, sources)
        return targets

    def _while(self, operation: Operation) -> None:
        condition, body = operation.regions["condition"], operation.regions["body"]
        targets = self._enter(operation, operation.operands, condition.args, body.args)
        self._line("while True:", operation.loc)
        self.indent += 1
        self._region(condition)
        self._line(f"if not {self.printer.name(condition.yields[0])}: break")
        self._region(body)
        self._assign(targets, [self.printer.name(v) for v in body.yields])
        self.indent -= 1

    def _for(self, operation: Operation) -> None:
        body = operation.regions["body"]
        targets = self._enter(operation, operation.operands[3:], body.args[1:])
        bounds = self._list(operation.operands[:3])
        counted = self._bind("indices", indices)
        self._line(f"for {self.printer.name(body.args[0])} in {counted}({bounds}):", operation.loc)
        self.indent += 1
        before = len(self.lines)
        self._region(body)
        self._assign(targets, [self.printer.name(v) for v in body.yields])
        if len(self.lines) == before:
            self._line("pass")
        self.indent -= 1

    def _call(self, operation: Operation) -> None:
        regions = [self._nested(name, r) for name, r in operation.regions.items()]
        targets = [self.printer.name(v) for v in operation.results]
        template = self._template(operation)
        if template is not None:
            self._line(f"{targets[0]} = {template}", operation.loc)
            return
        kernel = self._kernel(operation)
        args = ", ".join([*(self.printer.name(v) for v in operation.operands), *regions])
        left = ", ".join(targets) + ("," if len(targets) == 1 else "")
        self._line(f"{left} = {kernel}({args})", operation.loc)

    def _template(self, operation: Operation) -> str | None:
        """The expression of `TABLE`, where NumPy's own rounding is the IR's."""
        text = TABLE.get(operation.prim)
        types = [v.type for v in (*operation.operands, *operation.results)]
        if text is None or any(not isinstance(t, TensorType) or t.dtype.is_narrow for t in types):
            return None
        text = text.replace("np.", f"{self._bind('np', np)}.")
        return text.format(*(self.printer.name(v) for v in operation.operands))

    def _kernel(self, operation: Operation) -> str:
        """Name of a Python function from operands (and regions) to the tuple of results."""
        in_place = operation in self.owned.in_place
        wish = operation.prim.name + ("_in_place" if in_place else "")
        return self._bind(wish, kernel(operation, in_place=in_place))

    def _nested(self, wish: str, region: Region) -> str:
        """A nested function for a region that is called; its keyword argument."""
        name = self.printer.names.unique(f"{wish}_region")
        self._line(f"def {name}({self._list(region.args)}):")
        self.indent += 1
        self._region(region)
        self._line(f"return {self._tuple(region.yields)}")
        self.indent -= 1
        return f"{wish}={name}"
