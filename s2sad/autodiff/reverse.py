"""Reverse mode: the joint program of a straight primal, as a syntax tree.

The primal's statements stand first. Then they are walked backwards: the adjoint template of each
operation is inlined, and its results are added to the cotangents of the operands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sad import prims
from s2sad.autodiff import support
from s2sad.autodiff.activity import active_values
from s2sad.autodiff.template import Inline, Template, place, template_of
from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.frontend.read import read_tree
from s2sad.ir import types
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.primitive import Primitive
from s2sad.ir.printer import FlatPrinter


def differentiate(primal: Function, wrt: Sequence[int], results: Sequence[int] | None = None, *,
                  seeded: bool = False) -> Function:  # fmt: skip
    """Joint function of `primal`: its results, then the gradients of its inputs `wrt`.

    Parameters
    ----------
    primal : Function
        Straight-line; composites without an adjoint are decomposed already.
    wrt : sequence of int
        Inputs to differentiate with respect to.
    results : sequence of int, optional
        Results that count; all differentiable ones by default.
    seeded : bool
        Whether the cotangents of `results` are further inputs; otherwise they are ones.

    Returns
    -------
    Function
        ``(inputs[, cotangents]) -> (results, gradients)``.

    Raises
    ------
    S2sadError
        E0104 for control flow, which is not differentiated yet.
    """
    chosen = range(len(primal.results)) if results is None else results
    return JointProgram(primal, wrt, list(chosen), seeded).build()


@dataclass
class JointProgram:
    """The tree under construction.

    Attributes
    ----------
    used : set of str
        Names taken so far.
    cotangents : dict of Value to str
        Variable that holds the cotangent of a value, where one has begun to accumulate.
    temporary : set of str
        Variables that stem from templates.
    """

    primal: Function
    wrt: Sequence[int]
    results: Sequence[int]
    seeded: bool
    names: dict[Value, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    cotangents: dict[Value, str] = field(default_factory=dict)
    body: list[Any] = field(default_factory=list)
    origins: list[tuple[Location | None, str]] = field(default_factory=lambda: [(None, "")])
    globals: dict[str, Any] = field(default_factory=dict)
    temporary: set[str] = field(default_factory=set)
    helpers: dict[str, str] = field(default_factory=dict)

    def build(self) -> Function:
        printer = FlatPrinter(self.primal, None)
        printer.parameters(self.primal.body)
        self.globals = {**{n: getattr(types, n) for n in types.__all__}, "p": prims}
        for operation in self.primal.body.operations:
            self._forward(operation, printer.lines(operation))
        self.names = printer.named
        self.used = {*self.globals, *self.names.values()}
        self.helpers = {name: self.fresh(name) for name in support.NAMES}
        self.globals.update({self.helpers[n]: helper for n, helper in support.NAMES.items()})
        seeds = self._seed()
        active = active_values(self.primal, self.wrt, self.results)
        for line in range(len(self.primal.body.operations), 0, -1):
            self._backward(self.primal.body.operations[line - 1], line, active)
        return self._finish(seeds)

    def _forward(self, operation: Operation, statements: list[ast.stmt]) -> None:
        if operation.regions:
            raise fail(
                "E0104", f"`{operation.prim.name}` is not differentiated yet", location=operation.loc
            )
        self.origins.append((operation.loc, operation.scope))
        for statement in statements:
            self.body.append(place(gast.ast_to_gast(statement), len(self.origins) - 1))

    def _seed(self) -> list[str]:
        """Begin the cotangents of the results, with parameters when seeded, else with ones.

        The parameters' names are returned. A result given twice gets the sum of its seeds.
        """
        parameters = []
        for index in self.results:
            value = self.primal.results[index]
            seed = self._help("ones", load(self.names[value]))
            if self.seeded:
                parameters.append(self.fresh(f"d{self.names[value]}"))
                seed = load(parameters[-1])
            self._begin(value, self.body, 0)
            self.body.append(self._addition(value, seed, 0))
        return parameters

    def _begin(self, value: Value, body: list[Any], line: int) -> None:
        """Have a variable for the cotangent of `value`, nothing in it yet."""
        if value not in self.cotangents:
            self.cotangents[value] = self.fresh(f"d{self.names[value]}")
            body.append(assign(self.cotangents[value], none(), line))

    def _backward(self, operation: Operation, line: int, active: set[Value]) -> None:
        """Inline the adjoint of `operation`, unless no cotangent reaches it after all."""
        wanted = [value in active for value in operation.operands]
        arriving = [self.cotangents[v] for v in operation.results if v in self.cotangents]
        if not any(wanted) or not arriving:
            return
        if operation.prim.adjoint_rule is None:
            raise missing_adjoint(operation.prim)
        template = template_of(operation.prim.adjoint_rule)
        outer, self.body = self.body, []
        names = self._template_names(operation, template)
        inline = Inline(names, template.globals, self.globals, line)
        self.body += [inline.copy(statement) for statement in template.body]
        parts = self._parts(template, inline, len(wanted), line)
        inner, self.body = self.body, outer
        for value, want, part in zip(operation.operands, wanted, parts, strict=True):
            if want and not _is_none(part):
                self._begin(value, outer, line)
                inner.append(self._addition(value, part, line))
        self.body.append(place(any_given(arriving, inner), line))

    def _parts(self, template: Template, inline: Inline, count: int, line: int) -> list[Any]:
        """Expressions of the template's cotangents, one an operand."""
        if template.variadic is None:
            return [inline.copy(node) for node in template.returns]
        whole = self.fresh("parts")  # a rule for any number of operands gives one tuple
        self.body.append(assign(whole, inline.copy(template.returns[0]), line))
        return [item(load(whole), index) for index in range(count)]

    def _addition(self, value: Value, addend: Any, line: int) -> Any:
        """The statement that adds `addend` to the cotangent of `value`."""
        name = self.cotangents[value]
        part = self._help("contribution", addend, load(self.names[value]))
        return assign(name, self._help("accumulate", load(name), part), line)

    def _template_names(self, operation: Operation, template: Template) -> dict[str, Any]:
        """What the template's parameters and locals become in the joint program."""
        operands = [load(self.names[v]) for v in operation.operands]
        out = bundle([load(self.names[v]) for v in operation.results])
        dout = bundle([self._cotangent(v) for v in operation.results])
        names: dict[str, Any] = {}
        if template.variadic:
            names[template.variadic] = gast.Tuple(elts=operands, ctx=gast.Load())
            raise_unless(template.static[:2] == ("out", "dout"), operation.prim)
            names.update(out=out, dout=dout)
        else:
            names.update(zip(template.positional, [*operands, out, dout], strict=True))
        for name in template.static:
            if name not in names:
                names[name] = self._attribute(name, operation.attrs[name])
        for name in template.assigned:
            names[name] = self._local(name, names.get(name))
        return names

    def _local(self, name: str, initial: Any) -> Any:
        fresh = self.fresh(name)
        self.temporary.add(fresh)
        if initial is not None:  # a parameter that the template rebinds
            self.body.append(assign(fresh, initial, 0))
        return load(fresh)

    def _attribute(self, name: str, value: Any) -> Any:
        """A static fact, held beside the tree: it needs no literal form."""
        alias = self.fresh(f"{name}_attribute")
        self.globals[alias] = value
        return load(alias)

    def _cotangent(self, value: Value) -> Any:
        if value in self.cotangents:
            return load(self.cotangents[value])
        return none()

    def _help(self, helper: str, *args: Any) -> Any:
        """A call of a function of `support`, under the name that it has here."""
        return gast.Call(func=load(self.helpers[helper]), args=list(args), keywords=[])

    def fresh(self, wish: str) -> str:
        """`wish`, made different from every name so far."""
        name, count = wish, 0
        while name in self.used:
            count += 1
            name = f"{wish}_{count}"
        self.used.add(name)
        return name

    def _finish(self, seeds: list[str]) -> Function:
        for index in self.wrt:
            value = self.primal.args[index]
            node = self._help("gradient", self._cotangent(value), load(self.names[value]))
            self.cotangents[value] = self.fresh(f"d{self.names[value]}")
            self.body.append(assign(self.cotangents[value], node, 0))
        returned = [self.names[v] for v in self.primal.results]
        returned += [self.cotangents[self.primal.args[i]] for i in self.wrt]
        self.body.append(place(gast.Return(value=bundle([load(n) for n in returned], True)), 0))
        parameters = [self.names[v] for v in self.primal.args] + seeds
        inputs = list(self.primal.input_types)
        inputs += [self.primal.results[i].type for i in self.results] if self.seeded else []
        joint = read_tree(
            function_def(f"{self.primal.name}_joint", parameters, self.body), self.globals, inputs,
            origins=self.origins, temporary=self.temporary, title=self.primal.title,
        )  # fmt: skip
        joint.inputs = (*self.primal.inputs, *(f"cotangent:{i}" for i in self.results if seeds))
        joint.donates = dict(self.primal.donates)
        joint.tree = str(tuple(range(len(returned)))) if len(returned) != 1 else "0"
        return joint


def missing_adjoint(prim: Primitive) -> Exception:
    return fail("E0901", f"{prim.name} has neither an adjoint nor a reason for having none")


def raise_unless(holds: bool, prim: Primitive) -> None:
    if not holds:
        raise fail("E0105", f"the adjoint of {prim.name} takes out and dout by keyword")


def none() -> Any:
    return gast.Constant(value=None, kind=None)


def _is_none(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def any_given(names: Sequence[str], body: list[Any]) -> Any:
    """``if a is not None or b is not None: body``, decided while the tree is evaluated."""
    tests = [gast.Compare(left=load(n), ops=[gast.IsNot()], comparators=[none()]) for n in names]
    test = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.Or(), values=tests)
    return gast.If(test=test, body=body, orelse=[])


def load(name: str) -> Any:
    return gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None)


def item(owner: Any, index: int) -> Any:
    return gast.Subscript(value=owner, slice=gast.Constant(value=index, kind=None), ctx=gast.Load())


def bundle(nodes: list[Any], always: bool = False) -> Any:
    """The node itself when it is one, else a tuple."""
    return nodes[0] if len(nodes) == 1 and not always else gast.Tuple(elts=nodes, ctx=gast.Load())


def assign(name: str, value: Any, line: int) -> Any:
    target = gast.Name(id=name, ctx=gast.Store(), annotation=None, type_comment=None)
    return place(gast.Assign(targets=[target], value=value, type_comment=None), line)


def function_def(name: str, parameters: Iterable[str], body: list[Any]) -> Any:
    names = [
        gast.Name(id=n, ctx=gast.Param(), annotation=None, type_comment=None) for n in parameters
    ]
    arguments = gast.arguments(
        args=names, posonlyargs=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None,
        defaults=[],
    )  # fmt: skip
    return gast.FunctionDef(
        name=name, args=arguments, body=body, decorator_list=[], returns=None, type_comment=None,
        type_params=[],
    )  # fmt: skip
