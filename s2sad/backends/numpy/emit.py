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
from s2sad.ir.names import allocate
from s2sad.ir.primitive import Form, Primitive
from s2sad.ir.types import TensorType

#: Expressions that are shorter than a call of the meaning, by primitive.
TABLE: dict[Primitive, str] = {**arithmetic.TABLE, **comparison.TABLE}


@dataclass
class Program:
    """Emitted Python, with what its free names are bound to.

    Attributes
    ----------
    text : str
    names : dict of str to object
    places : dict of int to Location
        Line of the text to the source it comes from.
    """

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
    taken: set[str] = field(default_factory=set)

    def program(self) -> Program:
        function = self.function
        self.names = allocate(function)
        self.taken = {function.name, *self.names.values()}
        self.owned: Ownership = ownership(function)
        self._line(f"def {function.name}({self._list(function.args)}):")
        self.indent += 1
        self._region(function.body)
        self._line(f"return {self._tuple(function.results)}")
        return Program("\n".join(self.lines) + "\n", self.bound, self.places)

    def _line(self, text: str, location: Location | None = None) -> None:
        self.lines.append("    " * self.indent + text)
        if location is not None:
            self.places[len(self.lines)] = location

    def _list(self, values: Sequence[Value]) -> str:
        return ", ".join(self.names[v] for v in values)

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
        name = self._fresh(wish)
        self.bound[name] = thing
        return name

    def _fresh(self, wish: str) -> str:
        name, count = wish, 0
        while name in self.taken:
            count += 1
            name = f"{wish}_{count}"
        self.taken.add(name)
        return name

    def _constant(self, operation: Operation) -> None:
        name = self.names[operation.result]
        self._line(f"{name} = {self._bind(f'CONST_{name}', operation.attrs['value'])}")

    def _if(self, operation: Operation) -> None:
        self._line(f"if {self.names[operation.operands[0]]}:", operation.loc)
        targets = [self.names[v] for v in operation.results]
        for name, heading in (("then", None), ("orelse", "else:")):
            if heading:
                self._line(heading)
            region = operation.regions[name]
            self.indent += 1
            before = len(self.lines)
            self._region(region)
            self._assign(targets, [self.names[v] for v in region.yields])
            if len(self.lines) == before:
                self._line("pass")
            self.indent -= 1

    def _enter(self, operation: Operation, carried: Sequence[Value]) -> list[str]:
        """Initial values of a loop into its variables; their names."""
        copies = self.owned.copied.get(operation, set())
        sources = [
            f"{self.names[v]}.copy()" if i in copies else self.names[v]
            for i, v in enumerate(carried)
        ]
        targets = [self.names[v] for v in operation.results]
        self._assign(targets, sources)
        return targets

    def _while(self, operation: Operation) -> None:
        targets = self._enter(operation, operation.operands)
        condition, body = operation.regions["condition"], operation.regions["body"]
        self._line("while True:", operation.loc)
        self.indent += 1
        self._region(condition)
        self._line(f"if not {self.names[condition.yields[0]]}: break")
        self._region(body)
        self._assign(targets, [self.names[v] for v in body.yields])
        self.indent -= 1

    def _for(self, operation: Operation) -> None:
        targets = self._enter(operation, operation.operands[3:])
        body = operation.regions["body"]
        bounds = self._list(operation.operands[:3])
        counted = self._bind("indices", indices)
        self._line(f"for {self.names[body.args[0]]} in {counted}({bounds}):", operation.loc)
        self.indent += 1
        before = len(self.lines)
        self._region(body)
        self._assign(targets, [self.names[v] for v in body.yields])
        if len(self.lines) == before:
            self._line("pass")
        self.indent -= 1

    def _call(self, operation: Operation) -> None:
        regions = [self._nested(name, r) for name, r in operation.regions.items()]
        targets = [self.names[v] for v in operation.results]
        template = self._template(operation)
        if template is not None:
            self._line(f"{targets[0]} = {template}", operation.loc)
            return
        kernel = self._kernel(operation)
        args = ", ".join([*(self.names[v] for v in operation.operands), *regions])
        left = ", ".join(targets) + ("," if len(targets) == 1 else "")
        self._line(f"{left} = {kernel}({args})", operation.loc)

    def _template(self, operation: Operation) -> str | None:
        """The expression of `TABLE`, where NumPy's own rounding is the IR's."""
        text = TABLE.get(operation.prim)
        types = [v.type for v in (*operation.operands, *operation.results)]
        if text is None or any(not isinstance(t, TensorType) or t.dtype.is_narrow for t in types):
            return None
        text = text.replace("np.", f"{self._bind('np', np)}.")
        return text.format(*(self.names[v] for v in operation.operands))

    def _kernel(self, operation: Operation) -> str:
        """Name of a Python function from operands (and regions) to the tuple of results."""
        in_place = operation in self.owned.in_place
        wish = operation.prim.name + ("_in_place" if in_place else "")
        return self._bind(wish, kernel(operation, in_place=in_place))

    def _nested(self, wish: str, region: Region) -> str:
        """A nested function for a region that is called; its keyword argument."""
        name = self._fresh(f"{wish}_region")
        self._line(f"def {name}({self._list(region.args)}):")
        self.indent += 1
        self._region(region)
        self._line(f"return {self._tuple(region.yields)}")
        self.indent -= 1
        return f"{wish}={name}"
