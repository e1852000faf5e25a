"""How does a function of the IR become Python that calls NumPy?

One statement an operation, loops as loops, branches as branches: the emitted program looks like
a flat dump, but operations are bound to their NumPy meaning and nothing is checked again. Large
arrays are let go after their last use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from s2sad.backends.base import last_reads, nbytes
from s2sad.backends.numpy import (
    arithmetic,
    comparison,
    exponential,
    logic,
    rounding,
    select,
    shape,
    trigonometric,
)
from s2sad.backends.numpy.kernel import indices, is_narrow, kernel, read_only, signature
from s2sad.backends.numpy.ownership import Ownership, ownership
from s2sad.backends.numpy.profile import note, now
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.ir.clone import copy_region
from s2sad.ir.evaluate import RunningRegion
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.ir.printer import Printer
from s2sad.prims.marker import is_derivative

#: Expressions of NumPy that are the whole meaning, by primitive.
TABLE: dict[Primitive, str] = {
    **arithmetic.TABLE, **comparison.TABLE, **exponential.TABLE, **logic.TABLE, **rounding.TABLE,
    **select.TABLE, **shape.TABLE, **trigonometric.TABLE,
}  # fmt: skip

#: Arrays of that many bytes are let go after their last use: others are not worth a statement.
LARGE = 64 * 1024


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
    overwrites : frozenset of int
        Inputs whose memory it may overwrite.
    timed : list of Operation
        Those that tell how long they took, by number.
    """

    name: str
    text: str
    names: dict[str, Any]
    places: dict[int, Location]
    overwrites: frozenset[int]
    timed: list[Operation]


def emit(function: Function, *, is_timed: bool = False) -> Program:
    """Python program for `function`; where `is_timed`, it tells how long each operation took.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f64
    >>> function = build_function(lambda x: p.reduce_sum(p.add(x, x)), [f64[4]], names=["x"])
    >>> print(emit(function).text)
    def main(x):
        t0 = np.add(x, x)
        t1 = reduce_sum(t0, axis=(0,), keepdims=False)
        return (t1,)
    <BLANKLINE>
    """
    return _Emitter(function, is_timed).program()


@dataclass
class _Emitter:
    function: Function
    is_timed: bool
    timed: list[Operation] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    bound: dict[str, Any] = field(default_factory=dict)
    known: dict[Any, str] = field(default_factory=dict)
    places: dict[int, Location] = field(default_factory=dict)
    indent: int = 0

    def __post_init__(self) -> None:
        self.printer = Printer(self.function, None)  # for the names that a dump gives
        self.owned: Ownership = ownership(self.function)

    def program(self) -> Program:
        function, name = self.function, self.printer.function_name
        self._line(f"def {name}({self._list(function.args)}):")
        self.indent += 1
        self._region(function.body)
        self._line(f"return {self._tuple(function.results)}")
        text = "\n".join(self.lines) + "\n"
        overwrites = frozenset(self.owned.overwritten)
        return Program(name, text, self.bound, self.places, overwrites, self.timed)

    # ---- text ------------------------------------------------------------------------------

    def _line(self, text: str, location: Location | None = None) -> None:
        self.lines.append("    " * self.indent + text)
        if location is not None:
            self.places[len(self.lines)] = location

    def _names(self, values: Iterable[Value]) -> list[str]:
        return [self.printer.name(v) for v in values]

    def _list(self, values: Iterable[Value]) -> str:
        return ", ".join(self._names(values))

    def _tuple(self, values: Sequence[Value]) -> str:
        return f"({self._list(values)},)" if values else "()"

    def _assign(self, targets: Sequence[str], sources: Sequence[str]) -> None:
        """One parallel assignment, less what stays as it is."""
        moved = [(t, s) for t, s in zip(targets, sources, strict=True) if t != s]
        if moved:
            self._line(f"{', '.join(t for t, _ in moved)} = {', '.join(s for _, s in moved)}")

    def _bind(self, wish: str, thing: Any, key: Any = None) -> str:
        """A free name for `thing`, the same one each time that `key`, by default it, is bound."""
        key = id(thing) if key is None else key
        if key not in self.known:
            self.known[key] = name = self.printer.names.unique(wish)
            self.bound[name] = thing
        return self.known[key]

    def _let_go(self, values: Iterable[Value]) -> None:
        names = [self.printer.name(v) for v in values if _is_large(v)]
        if names:
            self._line(f"del {', '.join(names)}")

    # ---- regions ---------------------------------------------------------------------------

    def _region(self, region: Region, args: Iterable[Value] = ()) -> None:
        """The operations of `region`; what they make, and `args`, is let go after its last use."""
        last = last_reads(region)
        dying: dict[int, list[Value]] = {}
        for value in args:
            dying.setdefault(last.get(value, -1), []).append(value)
        for place, operation in enumerate(region.operations):
            if operation.prim.form is not Form.CONST:
                for value in operation.results:
                    dying.setdefault(last.get(value, place), []).append(value)
            write = self.FORMS.get(operation.prim.form, _Emitter._call)
            write(self, operation, dying.pop(place, []))

    def _constant(self, operation: Operation, dying: list[Value]) -> None:
        name = self.printer.name(operation.result, letter="c")
        self.bound[name] = read_only(operation.attrs["value"])

    def _if(self, operation: Operation, dying: list[Value]) -> None:
        self._line(f"if {self.printer.name(operation.operands[0])}:", operation.loc)
        for value in operation.results:
            self.printer.name(value)
        then, orelse = operation.regions.values()
        self._branch(then, operation.results)
        if orelse.operations or orelse.yields:
            self._line("else:")
            self._branch(orelse, operation.results)
        self._let_go(dying)

    def _branch(self, region: Region, results: Sequence[Value]) -> None:
        self.indent += 1
        before = len(self.lines)
        self._region(region)
        self._yield(region, results)
        if len(self.lines) == before:
            self._line("pass")
        self.indent -= 1

    def _yield(self, region: Region, results: Sequence[Value]) -> None:
        """Hand over what `region` yields, so that only `results` hold it."""
        self._assign(self._names(results), self._names(region.yields))
        self._let_go(v for v in dict.fromkeys(region.yields) if _is_made_in(region, v))

    def _while(self, operation: Operation, dying: list[Value]) -> None:
        condition, body = operation.regions["condition"], operation.regions["body"]
        dying = self._enter(operation, operation.operands, dying, condition.args, body.args)
        self._line("while True:", operation.loc)
        self.indent += 1
        self._region(condition)
        self._line(f"if not {self.printer.name(condition.yields[0])}: break")
        self._region(body, body.args)
        self._yield(body, operation.results)
        self.indent -= 1
        self._let_go(dying)

    def _for(self, operation: Operation, dying: list[Value]) -> None:
        body = operation.regions["body"]
        dying = self._enter(operation, operation.operands[3:], dying, body.args[1:])
        bounds, counted = self._list(operation.operands[:3]), self._bind("indices", indices)
        heading = f"for {self.printer.name(body.args[0])} in {counted}({bounds}):"
        self._line(heading, operation.loc)
        self.indent += 1
        before = len(self.lines)
        self._region(body, body.args[1:])
        self._yield(body, operation.results)
        if len(self.lines) == before:
            self._line("pass")
        self.indent -= 1
        self._let_go(dying)

    def _enter(
        self, operation: Operation, carried: Sequence[Value], dying: list[Value],
        *args: Sequence[Value],
    ) -> list[Value]:  # fmt: skip
        """Initial values of a loop into its variables; those of `dying` that must live on.

        A result and the arguments that carry it share one variable.
        """
        for group in zip(operation.results, *args, strict=True):
            self.printer.name(*group)
        sources = self._names(carried)
        for i in self.owned.guarded.get(operation, ()):
            sources[i] = f"{self._bind('read_only', read_only)}({sources[i]})"
        self._assign(self._names(operation.results), sources)
        inside = {v for region in operation.regions.values() for v in last_reads(region)}
        gone = [v for v in dying if v in carried and v not in inside]
        self._let_go(gone)
        return [v for v in dying if v not in gone]

    # ---- operations ------------------------------------------------------------------------

    def _call(self, operation: Operation, dying: list[Value]) -> None:
        write = self._running if is_derivative(operation) else self._nested
        regions = [write(name, r) for name, r in operation.regions.items()]
        right = self._expression(operation) or self._kernel_call(operation, regions)
        targets = self._list(operation.results)
        begun = self._begin() if self.is_timed else ""
        self._line(f"{targets} = {right}" if targets else right, operation.loc)
        if self.is_timed:
            self._line(f"{self._bind('note', note)}({len(self.timed)}, {begun})")
            self.timed.append(operation)
        self._let_go(dying)

    def _begin(self) -> str:
        """The variable that holds when the operation that follows began."""
        if now not in self.known:
            self.known[now] = self.printer.names.unique("begun")
        begun = self.known[now]
        self._line(f"{begun} = {self._bind('now', now)}()")
        return begun

    def _expression(self, operation: Operation) -> str | None:
        """The expression of `TABLE`, where NumPy's own rounding is the IR's."""
        prim, values = operation.prim, (*operation.operands, *operation.results)
        text = TABLE.get(prim)
        rounds = not prim.has(Trait.MOVES) and any(is_narrow(v.type) for v in values)
        if text is None or rounds:
            return None
        text = text.replace("np.", f"{self._bind('np', np)}.")
        attrs = {key: self._attribute(value) for key, value in operation.attrs.items()}
        return text.format(*self._names(operation.operands), **attrs)

    def _kernel_call(self, operation: Operation, regions: Iterable[str]) -> str:
        in_place = operation in self.owned.in_place
        key = signature(operation, in_place=in_place)
        if key not in self.known:
            wish = operation.prim.name + ("_in_place" if in_place else "")
            self._bind(wish, kernel(operation, in_place=in_place), key)
        attrs = [f"{name}={self._attribute(value)}" for name, value in operation.attrs.items()]
        args = [*self._names(operation.operands), *regions, *attrs]
        return f"{self.known[key]}({', '.join(args)})"

    def _attribute(self, value: Any) -> str:
        """A static fact as a literal, or as a name where it has none."""
        if type(value) in (int, bool, str, type(None)):
            return repr(value)
        if type(value) is float and isfinite(value):
            return repr(value)
        if type(value) is tuple:
            items = [self._attribute(item) for item in value]
            return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
        wish = value.name if isinstance(value, DType) else repr(value)
        return self._bind(wish, value, (type(value), repr(value)))

    def _nested(self, wish: str, region: Region) -> str:
        """A nested function for a region that is called; its keyword argument.

        Its time is that of the operation that calls it.
        """
        is_timed, self.is_timed = self.is_timed, False
        name = self.printer.names.unique(f"{wish}_region")
        self._line(f"def {name}({self._list(region.args)}):")
        self.indent += 1
        self._region(region)
        self._line(f"return {self._tuple(region.yields)}")
        self.indent -= 1
        self.is_timed = is_timed
        return f"{wish}={name}"

    def _running(self, wish: str, region: Region) -> str:
        """A region of which a derivative is taken, as its keyword argument."""
        running = RunningRegion(copy_region(region, {}), {})
        return f"{wish}={self._bind(f'{wish}_region', running)}"

    FORMS = {
        Form.CONST: _constant, Form.IF: _if, Form.WHILE: _while, Form.FOR: _for,
    }  # fmt: skip


def _is_large(value: Value) -> bool:
    return nbytes(value) >= LARGE


def _is_made_in(region: Region, value: Value) -> bool:
    """Whether an operation of `region` computes `value`."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.prim.form is Form.CONST:
        return False
    return owner.parent is region
