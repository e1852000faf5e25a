"""How are the nodes of a joint program's syntax tree made?

Every node of a statement has the statement's `line`, an index into the table of origins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gast


def place(node: Any, line: int) -> Any:
    """`node` with all its parts at `line`."""
    todo = [node]
    for inner in todo:
        for part in vars(inner).values():
            for each in part if type(part) is list else (part,):
                if isinstance(each, gast.AST):
                    todo.append(each)
        inner.lineno, inner.col_offset, inner.end_lineno, inner.end_col_offset = line, 0, line, 0
    return node


def copied(node: Any) -> Any:
    """A copy of a tree that shares no node with it."""
    if isinstance(node, list):
        return [copied(item) for item in node]
    if not isinstance(node, gast.AST):
        return node
    new = type(node)()
    new.__dict__.update({name: copied(part) for name, part in node.__dict__.items()})
    return new


def constant(value: Any) -> Any:
    return gast.Constant(value=value, kind=None)


def none() -> Any:
    return constant(None)


def is_none(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def load(name: str) -> Any:
    return gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None)


def store(name: str) -> Any:
    return gast.Name(id=name, ctx=gast.Store(), annotation=None, type_comment=None)


def attribute(owner: str, name: str) -> Any:
    return gast.Attribute(value=load(owner), attr=name, ctx=gast.Load())


def call(function: str, *args: Any) -> Any:
    return gast.Call(func=load(function), args=list(args), keywords=[])


def prim(name: str, *args: Any, **attrs: Any) -> Any:
    """``p.name(*args, **attrs)``."""
    keywords = [gast.keyword(arg=key, value=value) for key, value in attrs.items()]
    return gast.Call(func=attribute("p", name), args=list(args), keywords=keywords)


def item(owner: Any, index: int) -> Any:
    return gast.Subscript(value=owner, slice=constant(index), ctx=gast.Load())


def starred(node: Any) -> Any:
    return gast.Starred(value=node, ctx=gast.Load())


def tuple_of(nodes: Iterable[Any]) -> Any:
    return gast.Tuple(elts=list(nodes), ctx=gast.Load())


def bundle(nodes: Sequence[Any]) -> Any:
    """The node itself when it is one, else a tuple."""
    return nodes[0] if len(nodes) == 1 else tuple_of(nodes)


def assign(names: str | Sequence[str], value: Any, line: int) -> Any:
    """One assignment, parallel for several names."""
    if isinstance(names, str):
        target = store(names)
    else:
        target = gast.Tuple(elts=[store(name) for name in names], ctx=gast.Store())
    return place(gast.Assign(targets=[target], value=value, type_comment=None), line)


def expression(value: Any, line: int) -> Any:
    return place(gast.Expr(value=value), line)


def if_given(names: Sequence[str], body: list[Any], line: int) -> Any:
    """``if a is not None or b is not None: body``, decided while the tree is evaluated."""
    tests = [gast.Compare(left=load(n), ops=[gast.IsNot()], comparators=[none()]) for n in names]
    test = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.Or(), values=tests)
    return if_(test, body, [], line)


def if_(test: Any, body: list[Any], orelse: list[Any], line: int) -> Any:
    node = gast.If(test=place(test, line), body=_block(body, line), orelse=orelse)
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = line, 0, line, 0
    return node


def for_(variable: str, bounds: Sequence[Any], body: list[Any], line: int) -> Any:
    """``for variable in range(*bounds): body``."""
    node = gast.For(
        target=place(store(variable), line), iter=place(call("range", *bounds), line),
        body=_block(body, line), orelse=[], type_comment=None,
    )  # fmt: skip
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = line, 0, line, 0
    return node


def while_true(body: list[Any], line: int) -> Any:
    """``while True: body``."""
    node = gast.While(test=place(constant(True), line), body=_block(body, line), orelse=[])
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = line, 0, line, 0
    return node


def leave_unless(condition: Any, line: int) -> Any:
    """``if not condition: break``."""
    test = gast.UnaryOp(op=gast.Not(), operand=condition)
    return if_(test, [place(gast.Break(), line)], [], line)


def return_(names: Sequence[str]) -> Any:
    """``return a, b``, always a tuple."""
    return place(gast.Return(value=tuple_of([load(name) for name in names])), 0)


def _block(body: list[Any], line: int) -> list[Any]:
    return body or [place(gast.Pass(), line)]


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
