"""Which small faults could somebody make in a rule?

A mutant is an adjoint, or the right side or the guard of a rewrite rule, with one fault: a factor
or a term left out, operands exchanged, a sign flipped, another axis, a bound off by one.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from types import FunctionType
from typing import Any

#: Calls in which the order of the first two operands does not matter.
SYMMETRIC = {
    "add", "mul", "maximum", "minimum", "equal", "not_equal", "logical_and", "logical_or",
    "logical_xor", "bit_and", "bit_or", "bit_xor", "broadcast",
}  # fmt: skip
#: Attributes that name axes.
AXES = {"axis", "axes", "perm", "dims"}
#: Attributes and calls that hold bounds.
BOUNDS = {"start", "stop", "begin", "end", "starts", "stops", "offset", "low", "high"}


@dataclass(frozen=True)
class Mutant:
    """A function with one fault.

    Attributes
    ----------
    kind : str
    original, function : callable
    was, now : str
        The expression that was changed.
    line : int
        Within the function.
    """

    kind: str
    original: Callable[..., Any]
    function: Callable[..., Any]
    was: str
    now: str
    line: int

    @property
    def name(self) -> str:
        module = self.original.__module__.rpartition(".")[2]
        return f"{module}.{self.original.__qualname__}: {self.kind}: {self.was} -> {self.now}"


def wrong_axis(axis: Any) -> Any:
    """Another axis than `axis`: of several, the first is another one."""
    if isinstance(axis, tuple):
        return (wrong_axis(axis[0]), *axis[1:]) if axis else axis
    return axis - 1 if axis else axis + 1


def mutants(function: FunctionType) -> Iterator[Mutant]:
    """Every mutant of `function`, in the order of its text."""
    text = textwrap.dedent(inspect.getsource(function))
    tree = ast.parse(text)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef), text
    for place, node in enumerate(ast.walk(definition)):
        for number, (kind, change) in enumerate(_changes(node)):
            copy = deepcopy(definition)
            target = next(x for i, x in enumerate(ast.walk(copy)) if i == place)
            new = change(target)
            if new is not target:
                copy = _Replace(target, new).visit(copy)
            was, now = _shown(node), _shown(new)
            if was != now:
                made = _made(function, copy, f"{place}.{number}")
                yield Mutant(kind, function, made, was, now, getattr(node, "lineno", 0))


def _shown(node: ast.AST) -> str:
    return ast.unparse(node)


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else super().generic_visit(node)


Change = Callable[[Any], ast.AST]


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.BinOp):
        yield from _of_operator(node.op)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if not isinstance(node.operand, ast.Constant):
            yield "flipped sign", lambda x: x.operand
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.keyword) and node.arg in AXES:
        yield "wrong axis", _with_wrong_axis
    elif isinstance(node, ast.keyword) and node.arg in BOUNDS:
        yield "off by one", lambda x: _changed(x, value=_plus(x.value, 1))
    elif isinstance(node, ast.Slice):
        yield from _of_slice(node)


def _of_operator(operator: ast.operator) -> Iterator[tuple[str, Change]]:
    if isinstance(operator, (ast.Mult, ast.Div)):
        yield "dropped factor", lambda x: x.left
    if isinstance(operator, ast.Mult):
        yield "dropped factor", lambda x: x.right
    if isinstance(operator, (ast.Add, ast.Sub)):
        yield "dropped term", lambda x: x.left
        yield "dropped term", lambda x: x.right
        other = ast.Sub() if isinstance(operator, ast.Add) else ast.Add()
        yield "flipped sign", lambda x: _changed(x, op=other)
    if isinstance(operator, (ast.Sub, ast.Div, ast.Pow, ast.MatMult)):
        yield "exchanged operands", lambda x: _changed(x, left=x.right, right=x.left)


def _of_call(node: ast.Call) -> Iterator[tuple[str, Change]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if len(node.args) == 2 and name not in SYMMETRIC:
        yield "exchanged operands", lambda x: _changed(x, args=x.args[::-1])
    if len(node.args) == 3:
        yield "exchanged operands", lambda x: _changed(x, args=[x.args[0], x.args[2], x.args[1]])
    if name in ("mul", "div", "add", "sub") and len(node.args) == 2:
        kind = "dropped factor" if name in ("mul", "div") else "dropped term"
        yield kind, lambda x: x.args[0]
    if name == "neg":
        yield "flipped sign", lambda x: x.args[0]


def _of_slice(node: ast.Slice) -> Iterator[tuple[str, Change]]:
    if node.lower is not None:
        yield "off by one", lambda x: _changed(x, lower=_plus(x.lower, 1))
    if node.upper is not None:
        yield "off by one", lambda x: _changed(x, upper=_plus(x.upper, -1))


def _with_wrong_axis(node: ast.keyword) -> ast.keyword:
    name = ast.Name("wrong_axis", ast.Load())
    return _changed(node, value=ast.Call(name, [node.value], []))


def _plus(node: ast.expr, number: int) -> ast.expr:
    operator = ast.Add() if number > 0 else ast.Sub()
    return ast.BinOp(node, operator, ast.Constant(abs(number)))


def _changed(node: Any, **fields: Any) -> Any:
    for name, value in fields.items():
        setattr(node, name, value)
    return node


def _made(function: FunctionType, definition: ast.FunctionDef, number: str) -> Callable[..., Any]:
    """`definition` as a function of the module of `function`, with its source for the compiler."""
    definition.decorator_list = []
    text = ast.unparse(ast.fix_missing_locations(ast.Module([definition], []))) + "\n"
    file = f"<mutant {number} of {function.__module__}.{function.__qualname__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {**function.__globals__, "wrong_axis": wrong_axis}
    exec(compile(text, file, "exec"), names)
    return names[definition.name]
