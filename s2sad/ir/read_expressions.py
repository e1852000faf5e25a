"""What operations does an expression of a dump stand for?

Flat lines hold one call; lines edited by hand and the source style nest them and use operators.
Each call appends to the region that the active builder has in hand, in the order in which Python
evaluates.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.core import location as locations
from s2sad.core.diagnostics import S2sadError, did_you_mean
from s2sad.ir import builder
from s2sad.ir.graph import OPERATORS, Value
from s2sad.ir.names import RESERVED
from s2sad.ir.primitive import Form, Primitive
from s2sad.ir.read_source import Origin, Source
from s2sad.ir.read_static import StaticReader
from s2sad.ir.types import StackType, TensorType, Type, same_type

OPERATOR_NAMES: dict[type[ast.AST], str] = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv"},
    **{ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul"},
    **{ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"},
    **{ast.LShift: "lshift", ast.RShift: "rshift"},
    **{ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"},
    **{ast.USub: "neg", ast.Invert: "invert"},
}
STACK_METHODS = {"append": Form.PUSH, "pop": Form.POP}
WRITTEN_AS = {Form.IF: "if c:", Form.WHILE: "while True:", Form.FOR: "for i in range(a, b, s):"}


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
        """This scope, then those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def find(self, name: str) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        return None

    def current(self, name: str) -> Value:
        """What `name`, which is known, stands for now."""
        return next(s.values[name] for s in self.chain() if name in s.values)

    def reason(self, name: str) -> str | None:
        return next((s.closed[name] for s in self.chain() if name in s.closed), None)

    def holds_stack(self, name: str) -> bool:
        """Whether `name` is bound in this very region, to a stack."""
        return name in self.values and isinstance(self.values[name].type, StackType)

    def names(self) -> list[str]:
        return [name for scope in self.chain() for name in scope.values]

    def declared_type(self, name: str) -> Type | None:
        return self.declared[name][0] if name in self.declared else None


class ExpressionReader:
    """Reads expressions of `source` into the region of the active builder.

    Parameters
    ----------
    source : Source
    static : StaticReader
    vocabulary : mapping of str to Primitive
    stored : callable
        The array that lies beside the dump under a key.
    """

    def __init__(
        self,
        source: Source,
        static: StaticReader,
        vocabulary: Mapping[str, Primitive],
        stored: Callable[[str], np.ndarray],
    ) -> None:
        self.source = source
        self.static = static
        self.vocabulary = vocabulary
        self.stored = stored
        self.forms = {prim.form: prim for prim in vocabulary.values()}
        self.origin: Origin = (None, "")  # of the operations that come next

    # ---- names -----------------------------------------------------------------------------

    def lookup(self, node: ast.Name, scope: Scope) -> Value:
        value = scope.find(node.id)
        if value is None:
            help = scope.reason(node.id) or did_you_mean(node.id, scope.names())
            raise self.source.refusal(node, f"no value is called {node.id} here", help=help)
        return value

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
        if name in scope.declared:
            declared, place = scope.declared.pop(name)
            self.check_type(declared, value.type, place)
        scope.values[name] = value

    def rebind(self, name: str, value: Value, node: ast.AST, scope: Scope) -> None:
        """Let `name` stand for what a loop, a branch or a stack's method leaves."""
        if name in scope.values:
            scope.values[name] = value
        else:
            self.bind(name, value, node, scope)

    def check_type(self, declared: Type, found: Type, node: ast.AST) -> None:
        """E0601 unless an annotation agrees with the operation."""
        if not same_type(declared, found):
            raise self.source.refusal(
                node,
                f"the annotation says {declared}, and the operation gives {found}",
                help="correct the annotation, or leave it out",
            )

    # ---- values ----------------------------------------------------------------------------

    def expression(self, node: ast.expr, scope: Scope, expected: Type | None = None) -> Value:
        """The value of `node`; a number becomes a constant, whose type must be `expected`."""
        results = self.results(node, scope, expected)
        if len(results) != 1:
            raise self.source.refusal(
                node, f"one value is needed here, and this gives {len(results)}"
            )
        return results[0]

    def results(
        self, node: ast.expr, scope: Scope, expected: Type | None = None
    ) -> Sequence[Value]:
        """All values of `node`: several where it is a call that gives several."""
        operand = self.operand(node, scope)
        if isinstance(operand, tuple):
            return operand
        if isinstance(operand, Value):
            return (operand,)
        with locations.origin(*self.origin):
            value = builder.current().value(operand)
        if expected is not None and not same_type(expected, value.type):
            raise self.source.refusal(
                node,
                f"a number by itself is {value.type}, not {expected}",
                help=f"write p.const({operand}, {expected})",
            )
        return (value,)

    def operand(self, node: ast.expr, scope: Scope) -> Any:
        """A number as it is, a value, or a tuple of the values of a call."""
        if isinstance(node, ast.Name) and node.id not in RESERVED:
            return self.lookup(node, scope)
        number = self.static.number(node)
        if number is not None:
            return number
        read = self.EXPRESSIONS.get(type(node))
        if read is None:
            raise self.source.refusal(
                node, "this is no value", help="values are names, numbers, operators and p.calls"
            )
        return read(self, node, scope)

    def single(self, node: ast.expr, scope: Scope) -> Any:
        """A number, or the one value of `node`."""
        operand = self.operand(node, scope)
        return self.expression(node, scope) if isinstance(operand, tuple) else operand

    # ---- operators -------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp, scope: Scope) -> Any:
        return self._operator(node, node.op, [node.left, node.right], scope)

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Any:
        return self._operator(node, node.op, [node.operand], scope)

    def _comparison(self, node: ast.Compare, scope: Scope) -> Any:
        if len(node.ops) > 1:
            raise self.source.refusal(node, "comparisons are not chained", help="join them by &")
        return self._operator(node, node.ops[0], [node.left, *node.comparators], scope)

    def _operator(
        self, node: ast.expr, operator: ast.AST, operands: Sequence[ast.expr], scope: Scope
    ) -> Any:
        prim = OPERATORS.get(OPERATOR_NAMES.get(type(operator), ""))
        if not isinstance(prim, Primitive):
            raise self.source.refusal(
                node, f"the operator {type(operator).__name__} stands for no primitive"
            )
        values = [self.single(operand, scope) for operand in operands]
        if not any(isinstance(value, Value) for value in values):
            raise self.source.refusal(node, "an operator needs a value", help="write the number")
        return self.emit(prim, values, {}, node)

    # ---- calls -----------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        function = node.func
        if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
            raise self.source.refusal(node, "only primitives are called", help="write p.name(...)")
        if function.value.id != "p":
            return self._stack_call(node, function.value, function.attr, scope)
        prim = self.vocabulary.get(function.attr)
        if prim is None:
            raise self.source.refusal(
                function,
                f"no primitive is called {function.attr}",
                help=did_you_mean(function.attr, self.vocabulary),
            )
        if prim.form is Form.CONST:
            return self._stored_or_literal(node)
        if prim.form in WRITTEN_AS:
            raise self.source.refusal(
                node, f"p.{prim.name} is not called", help=f"write `{WRITTEN_AS[prim.form]}`"
            )
        operands = [self.single(operand, scope) for operand in node.args]
        attrs, regions = self._keywords(prim, node, scope)
        return self.emit(prim, operands, attrs, node, regions)

    def _keywords(
        self, prim: Primitive, node: ast.Call, scope: Scope
    ) -> tuple[dict[str, Any], dict[str, Callable[..., Any]]]:
        attrs: dict[str, Any] = {}
        regions: dict[str, Callable[..., Any]] = {}
        for keyword in node.keywords:
            name = keyword.arg
            if name is None or name in attrs or name in regions:
                message = "each attribute is given by its name, once"
                raise self.source.refusal(keyword.value, message)
            if name in prim.regions:
                regions[name] = self.region(keyword.value, scope)
            elif name in prim.attributes:
                attrs[name] = self.static.attribute(keyword.value)
            else:
                raise self.source.refusal(
                    keyword.value,
                    f"p.{prim.name} has no attribute {name}",
                    help=did_you_mean(name, [*prim.attributes, *prim.regions]),
                    code="E0302",
                )
        return attrs, regions

    def region(self, node: ast.expr, scope: Scope) -> Callable[..., Sequence[Value]]:
        """What a call takes as a region: the function defined above it under that name."""
        raise NotImplementedError

    def _stack_call(self, node: ast.Call, name: ast.Name, method: str, scope: Scope) -> Any:
        """``tape.append(x)`` or ``tape.pop()``: the name then stands for the stack that is left."""
        form = STACK_METHODS.get(method)
        operands = [self.single(operand, scope) for operand in node.args]
        stack = self.lookup(name, scope)
        if form is None or not isinstance(stack.type, StackType) or node.keywords:
            raise self.source.refusal(
                node, "only stacks have methods", help="tape.append(x) and x = tape.pop()"
            )
        if name.id not in scope.values:
            raise self.source.refusal(
                node, f"the stack {name.id} belongs to another region", help="carry it"
            )
        rest, *values = builder.as_tuple(self.emit(self.forms[form], [stack, *operands], {}, node))
        self.rebind(name.id, rest, node, scope)
        return values[0] if values else ()

    # ---- constants -------------------------------------------------------------------------

    def _stored_or_literal(self, node: ast.Call) -> Value:
        if len(node.args) != 2 or node.keywords:
            raise self.source.refusal(node, "a constant is written p.const(value, type)")
        type = self.static.tensor_type(node.args[1])
        value = self.static.constant(node.args[0], type.shape)
        if isinstance(value, str):
            value = self._beside(value, node.args[0])
        return self._constant(value, type, node)

    def _beside(self, key: str, node: ast.expr) -> np.ndarray:
        try:
            return self.stored(key)
        except S2sadError as error:
            self.source.reraise(error, node)

    def _constant(self, value: Any, type: TensorType, node: ast.expr) -> Value:
        const = self.forms[Form.CONST]
        return self._guarded(lambda: const(value, type), const, node)

    # ---- operations ------------------------------------------------------------------------

    def emit(
        self,
        prim: Primitive,
        operands: Sequence[Any],
        attrs: dict[str, Any],
        node: ast.AST,
        regions: dict[str, Callable[..., Any]] | None = None,
    ) -> Any:
        """Append the operation; its one result, or a tuple of none or several."""
        return self._guarded(
            lambda: builder.current().emit(prim, operands, attrs, regions), prim, node
        )

    def _guarded(self, emit: Callable[[], Any], prim: Primitive, node: ast.AST) -> Any:
        """What `emit` gives; what a rule refuses, by whatever exception, points into the dump."""
        try:
            with locations.origin(*self.origin):
                return emit()
        except S2sadError as error:
            self.source.reraise(error, node)
        except RecursionError:
            raise
        except Exception as error:
            raise self.source.refusal(
                node, f"p.{prim.name} cannot take this: {type(error).__name__}: {error}"
            ) from error

    EXPRESSIONS: dict[type[ast.AST], Callable[..., Any]] = {
        **{ast.Call: _call, ast.BinOp: _binary, ast.UnaryOp: _unary, ast.Compare: _comparison}
    }
