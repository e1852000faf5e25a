"""What operations do the statements of a dump stand for?

A `BlockReader` walks the statements in order and appends to the region that is being built.
Values are looked up by name in scopes, one a region. A name is assigned once; what a loop
carries and what a branch gives are the exceptions, known by their place: the last statement of
the body assigns them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.core import location as locations
from s2sad.core.diagnostics import S2sadError
from s2sad.ir import builder
from s2sad.ir.graph import OPERATORS, Value
from s2sad.ir.names import RESERVED
from s2sad.ir.primitive import Form, Primitive
from s2sad.ir.read_source import Origin, Source, did_you_mean
from s2sad.ir.read_static import StaticReader
from s2sad.ir.types import StackType, TensorType, Type, same_type

_BINARY = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv"},
    **{ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul"},
    **{ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"},
    **{ast.LShift: "lshift", ast.RShift: "rshift"},
    **{ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"},
    **{ast.USub: "neg", ast.Invert: "invert"},
}
_STACK_FORMS = {"append": Form.PUSH, "pop": Form.POP}
_WRITTEN_AS = {Form.IF: "if", Form.WHILE: "while True", Form.FOR: "for i in range(a, b, s)"}


@dataclass(eq=False)
class Scope:
    """Names of one region; those of `outer` can be read as well.

    Attributes
    ----------
    values : dict of str to Value
    declared : dict of str to (Type, node)
        Declared with a type and not assigned yet.
    regions : dict of str to ast.FunctionDef
        Defined for a call below.
    closed : dict of str to str
        Names that cannot be read here, and why.
    """

    outer: Scope | None = None
    values: dict[str, Value] = field(default_factory=dict)
    declared: dict[str, tuple[Type, ast.AST]] = field(default_factory=dict)
    regions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)

    def chain(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def find(self, name: str) -> Value | None:
        return next((s.values[name] for s in self.chain() if name in s.values), None)

    def reason(self, name: str) -> str | None:
        return next((s.closed[name] for s in self.chain() if name in s.closed), None)

    def names(self) -> list[str]:
        return [name for scope in self.chain() for name in scope.values]


class BlockReader:
    """Reads statements of `source` into the regions of the active builder."""

    def __init__(
        self,
        source: Source,
        static: StaticReader,
        vocabulary: Mapping[str, Primitive],
        constant: Callable[[str], np.ndarray],
    ) -> None:
        self.source = source
        self.static = static
        self.vocabulary = vocabulary
        self.stored = constant
        self.forms = {prim.form: prim for prim in vocabulary.values()}
        self.origin: Origin = (None, "")

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Read `statements`, whose names go to `scope`."""
        for statement in statements:
            read = self.STATEMENTS.get(type(statement))
            if read is None:
                what = type(statement).__name__
                raise self.source.refusal(statement, f"a dump has no statement {what} here")
            read(self, statement, scope)
        for name, (_, node) in scope.declared.items():
            raise self.source.refusal(node, f"{name} is declared, and nothing assigns it")
        for name, definition in scope.regions.items():
            raise self.source.refusal(definition, f"the region {name} is used by no call")

    # ---- names -----------------------------------------------------------------------------

    def bind(self, name: str, value: Value, node: ast.AST, scope: Scope) -> None:
        """Let `name` stand for `value` from here on; it must stand for nothing yet."""
        if name in RESERVED:
            raise self.source.refusal(node, f"{name} means something else in a dump")
        if scope.find(name) is not None:
            raise self.source.refusal(
                node,
                f"{name} is assigned twice",
                help="only the last statement of a loop's body or of a branch assigns anew",
            )
        self._check_declared(name, value, scope)
        scope.values[name] = value

    def rebind(self, name: str, value: Value, node: ast.AST, scope: Scope) -> None:
        """Let `name` stand for what a loop, a branch or a stack's method leaves."""
        if name in scope.values:
            del scope.values[name]
        self.bind(name, value, node, scope)

    def _check_declared(self, name: str, value: Value, scope: Scope) -> None:
        if name in scope.declared:
            declared, node = scope.declared.pop(name)
            self._check_type(declared, value.type, node)

    def _check_type(self, declared: Type, found: Type, node: ast.AST) -> None:
        if not same_type(declared, found):
            raise self.source.refusal(
                node,
                f"the type says {declared}, but the operation gives {found}",
                help="correct the type, or leave it out",
            )

    def check_types(self, declared: Sequence[Type], found: Sequence[Type], node: ast.AST) -> None:
        """E0601 unless a signature says what the values are."""
        if len(declared) != len(found) or not all(map(same_type, declared, found)):
            raise self.source.refusal(
                node, f"the signature says {_listed(declared)}, but the values are {_listed(found)}"
            )

    def lookup(self, node: ast.Name, scope: Scope) -> Value:
        value = scope.find(node.id)
        if value is None:
            reason = scope.reason(node.id)
            raise self.source.refusal(
                node,
                f"no value is called {node.id} here",
                help=reason or did_you_mean(node.id, scope.names()),
            )
        return value

    # ---- simple statements -----------------------------------------------------------------

    def _annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if not isinstance(node.target, ast.Name) or not node.simple:
            raise self.source.refusal(node.target, "only a name has a type")
        declared = self.static.type(node.annotation)
        name = node.target.id
        if name in scope.declared:
            raise self.source.refusal(node.target, f"{name} is declared twice")
        if node.value is None:
            scope.declared[name] = declared, node.annotation
            return
        self.origin = self.source.origin(node)
        value = self.expression(node.value, scope, declared)
        self._check_type(declared, value.type, node.annotation)
        self._name(value, name, node.value)
        self.bind(name, value, node.target, scope)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        names = self._targets(node)
        self.origin = self.source.origin(node)
        values = self._right_side(node, names, scope)
        if len(values) != len(names):
            raise self.source.refusal(
                node.value, f"{len(names)} names are assigned, and there are {len(values)} values"
            )
        for name, value in zip(names, values, strict=True):
            if not isinstance(node.value, ast.Tuple):
                self._name(value, name, node.value)
            self.bind(name, value, node, scope)

    def _targets(self, node: ast.Assign) -> list[str]:
        names = _assigned(node)
        if names is None:
            raise self.source.refusal(node, "only names are assigned, one or several in parallel")
        if len(set(names)) != len(names):
            raise self.source.refusal(node, "a name stands twice on the left")
        return names

    def _right_side(self, node: ast.Assign, names: Sequence[str], scope: Scope) -> Sequence[Value]:
        value = node.value
        if not isinstance(value, ast.Tuple):
            if len(names) > 1 or not isinstance(node.targets[0], ast.Name):
                return self.results(value, scope)
            return [self.expression(value, scope, _declared(names[0], scope))]
        if len(value.elts) != len(names):
            return [self.expression(item, scope) for item in value.elts]
        pairs = zip(names, value.elts, strict=True)
        return [self.expression(item, scope, _declared(name, scope)) for name, item in pairs]

    def _name(self, value: Value, name: str, node: ast.expr) -> None:
        if not isinstance(node, ast.Name):  # one that was named before keeps that name
            value.name = name

    def _expression_statement(self, node: ast.Expr, scope: Scope) -> None:
        self.origin = self.source.origin(node)
        if not isinstance(node.value, ast.Call):
            raise self.source.refusal(node, "this does nothing", help="give the value a name")
        method = self._stack_method(node.value, scope)
        if method == "append":
            self._append(node.value, scope)
        else:
            self.results(node.value, scope)

    def _pass(self, node: ast.Pass, scope: Scope) -> None:
        pass

    # ---- regions of a call -----------------------------------------------------------------

    def _definition(self, node: ast.FunctionDef, scope: Scope) -> None:
        marks = [d.id for d in node.decorator_list if isinstance(d, ast.Name)]
        if marks != ["region"] or len(node.decorator_list) != 1:
            raise self.source.refusal(node, "a function within the function is a `@region`")
        if node.name in scope.regions:
            raise self.source.refusal(node, f"the region {node.name} is defined twice")
        scope.regions[node.name] = node

    def _region(self, node: ast.expr, scope: Scope) -> Callable[..., Sequence[Value]]:
        definition = scope.regions.pop(node.id, None) if isinstance(node, ast.Name) else None
        if definition is None:
            raise self.source.refusal(
                node, "a region is the name of a function", help="define it with @region just above"
            )
        return lambda *args: self.function_body(definition, args, isolated=True)

    def parameters(self, node: ast.FunctionDef) -> list[ast.arg]:
        """The parameters of a definition, which must be plain ones."""
        found = node.args
        others = [*found.posonlyargs, *found.kwonlyargs, *found.defaults, found.vararg, found.kwarg]
        if any(other is not None for other in others):
            raise self.source.refusal(node, f"{node.name} may have plain parameters only")
        names = [arg.arg for arg in found.args]
        if len(set(names)) != len(names):
            raise self.source.refusal(node, f"a parameter of {node.name} stands twice")
        return found.args

    def function_body(
        self, node: ast.FunctionDef, args: Sequence[Value], *, isolated: bool
    ) -> Sequence[Value]:
        """What the function `node` returns for `args`, which its parameters name from now on."""
        parameters = self.parameters(node)
        given = [arg.type for arg in args]
        if len(parameters) != len(args):
            raise self.source.refusal(
                node, f"{node.name} has {len(parameters)} parameters, and {len(args)} are passed"
            )
        scope = Scope()
        for parameter, value in zip(parameters, args, strict=True):
            if parameter.annotation is not None:
                declared = self.static.type(parameter.annotation)
                self.check_types([declared], [value.type], parameter)
            value.name = parameter.arg
            self.bind(parameter.arg, value, parameter, scope)
        *statements, last = _without_docstring(node.body)
        if not isinstance(last, ast.Return):
            raise self.source.refusal(last, f"{node.name} ends without a return")
        self.block(statements, scope)
        self.origin = self.source.origin(last)
        declared = self.static.types(node.returns) if node.returns is not None else None
        results = self._yields(last.value, scope, declared)
        if declared is not None:
            self.check_types(declared, [value.type for value in results], node.returns or node)
        del given, isolated
        return results

    def _yields(
        self, node: ast.expr | None, scope: Scope, types: Sequence[Type] | None
    ) -> Sequence[Value]:
        """Values on the right of a return or of the last assignment of a region."""
        items = node.elts if isinstance(node, ast.Tuple) else [] if node is None else [node]
        if types is None or len(types) != len(items):
            if len(items) == 1:
                return self.results(items[0], scope)
            return [self.expression(item, scope) for item in items]
        return [self.expression(item, scope, t) for item, t in zip(items, types, strict=True)]
