"""What do the joint programs of reverse and forward mode share?

Names, origins, and the inlining of templates. A program is written as a list of statements; what
it needs besides literals stands beside the tree, under names of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from s2sad import prims
from s2sad.autodiff import tree as t
from s2sad.autodiff.template import Inline, Template
from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.frontend.read import read_tree
from s2sad.ir import types
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.primitive import Primitive
from s2sad.ir.printer import FlatPrinter
from s2sad.ir.types import Type


class Program:
    """A program made of a primal's statements and of inlined templates.

    Attributes
    ----------
    primal : Function
    names : dict of Value to str
        What the primal's values are called.
    body : list of statements
        The block that is being written.
    origins : list of (Location or None, str)
        Location and scope of operations; a node's line is an index into it.
    temporary : set of str
        Variables that stem from templates.
    """

    def __init__(self, primal: Function, helpers: Mapping[str, Any]) -> None:
        self.primal = primal
        printer = FlatPrinter(primal, None)
        printer.definition()
        self.names: dict[Value, str] = printer.named
        self.body: list[Any] = []
        self.temporary: set[str] = set()
        self.origins: list[tuple[Location | None, str]] = [(None, "")]
        self._lines: dict[Operation, int] = {}
        self.globals: dict[str, Any] = {n: getattr(types, n) for n in types.__all__}
        self.globals["p"] = prims
        self.used = {*self.globals, *self.names.values(), "range"}
        self._counts: dict[str, int] = {}  # of each wish: no number up to this one is free
        self._bound: dict[int, str] = {}
        self.helpers = {n: self.bind(n, helper) for n, helper in helpers.items()}

    def fresh(self, wish: str) -> str:
        """`wish`, made different from every name so far."""
        name, count = wish, self._counts.get(wish, 0)
        while name in self.used:
            count += 1
            name = f"{wish}_{count}"
        self._counts[wish] = count
        self.used.add(name)
        return name

    def bind(self, wish: str, thing: Any) -> str:
        """Name under which the program finds `thing`, which needs no literal form."""
        key = id(thing)
        if key not in self._bound or self.globals[self._bound[key]] is not thing:
            self._bound[key] = self.fresh(wish)
            self.globals[self._bound[key]] = thing
        return self._bound[key]

    def line(self, operation: Operation) -> int:
        """Index of the origin of `operation`."""
        if operation not in self._lines:
            self._lines[operation] = len(self.origins)
            self.origins.append((operation.loc, operation.scope))
        return self._lines[operation]

    def help(self, helper: str, *args: Any) -> Any:
        """A call of a helper, under the name that it has here."""
        return t.call(self.helpers[helper], *args)

    def type(self, value: Value) -> Any:
        """The type of `value`, held beside the tree."""
        return t.load(self.bind("type", value.type))

    def read(self, value: Value) -> Any:
        """Node that reads a value of the primal."""
        return t.load(self.names[value])

    def finish(
        self, suffix: str, parameters: Sequence[str], inputs: Sequence[Type], body: list[Any]
    ) -> Function:
        """The function of the IR that the tree means."""
        primal = self.primal
        names = [*(self.names[v] for v in primal.args), *parameters]
        function = read_tree(
            t.function_def(f"{primal.name}_{suffix}", names, body), self.globals,
            [*primal.input_types, *inputs],
            origins=self.origins, temporary=self.temporary, title=primal.title,
        )  # fmt: skip
        count = len(function.results)
        function.tree = "0" if count == 1 else str(tuple(range(count)))
        return function

    # ---- templates -------------------------------------------------------------------------

    def inlining(
        self, operation: Operation, template: Template, last: Callable[[], Any], line: int
    ) -> Inline:
        """What the template's parameters and locals become.

        `last` gives the node for the last positional parameter: ``dout``, or ``tangents``.
        """
        outs = operation.results
        meant: dict[str, Any] = {"out": outs[0] if len(outs) == 1 else outs}
        if template.variadic:
            if template.static[:1] != ("out",) or len(template.static) < 2:
                raise fail("E0105", f"the rule of {operation.prim.name} takes out by keyword")
            meant[template.variadic] = operation.operands
            last_name = template.static[1]
        else:
            *names, out_name, last_name = template.positional
            meant = {**dict(zip(names, operation.operands, strict=True)), out_name: meant["out"]}
        readers = {name: self._reader(value) for name, value in meant.items()}
        readers[last_name] = last
        for name in template.static:
            if name not in readers:
                readers[name] = self._constant(name, operation.attrs[name])
        for name in template.assigned:
            readers[name] = self._local(name, readers.get(name), line)
            meant.pop(name, None)
        return Inline(readers, meant, template.globals, self.bind, self.read, line)

    def parts(
        self, template: Template, inline: Inline, wanted: Sequence[bool], line: int
    ) -> list[Any]:
        """Expressions of what the template returns; None for what is not wanted, if it can be.

        What only those mention is not read.
        """
        if template.variadic is None and len(template.returns) == len(wanted):
            pairs = zip(template.returns, wanted, strict=True)
            return [inline.copy(node) if want else t.none() for node, want in pairs]
        whole = self.fresh("parts")  # a rule for any number of operands gives one tuple
        self.temporary.add(whole)
        self.body.append(t.assign(whole, inline.copy(template.returns[0]), line))
        return [t.item(t.load(whole), index) for index in range(len(wanted))]

    def _reader(self, value: Value | tuple[Value, ...]) -> Callable[[], Any]:
        if isinstance(value, Value):
            return lambda: self.read(value)
        return lambda: t.tuple_of([self.read(v) for v in value])

    def _constant(self, name: str, value: Any) -> Callable[[], Any]:
        """Reads a static fact, held beside the tree."""
        alias = self.fresh(f"{name}_attribute")
        self.globals[alias] = value
        return lambda: t.load(alias)

    def _local(self, name: str, initial: Any, line: int) -> Callable[[], Any]:
        fresh = self.fresh(name)
        self.temporary.add(fresh)
        if initial is not None:  # a parameter that the template rebinds
            self.body.append(t.assign(fresh, initial(), line))
        return lambda: t.load(fresh)


def no_rule(prim: Primitive, kind: str) -> Exception:
    return fail("E0901", f"{prim.name} has neither {kind} nor a reason for having none")
