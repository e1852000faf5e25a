"""How is a function of the IR written as Python?

`print_tree` gives the syntax tree, which goes from stage to stage as it is; `print_text` the
text, which is made when somebody asks. DESIGN §3a is the grammar, `reader` its other half. This
module writes the flat style, one operation a line; `source_style` the one for people.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.collection import collection_paused
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.literals import (
    INLINE,
    LOAD,
    STORE,
    attribute_node,
    call,
    constant_node,
    is_splat,
    name,
    number_node,
    same_literal,
    target,
    tuple_of,
    type_node,
)
from s2sad.ir.marks import mark
from s2sad.ir.names import Names
from s2sad.ir.primitive import Form, attr_value
from s2sad.ir.types import StackType, TensorType
from s2sad.ir.unparse import unparse

VERSION = 1
HEADER = f"s2sad ir {VERSION}"
SEPARATOR = " · "
IMPORTS = "from s2sad import prims as p\nfrom s2sad.ir.types import *\n"
FOOTER = 'if __name__ == "__main__":\n    run_as_script({})'
PRIMS = "p"
#: Comments start here at the earliest, so that they stand below one another.
COMMENT_COLUMN = 44


class Constants:
    """Where constants go that are too big for the text: arrays by key, and the file's name."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.arrays: dict[str, np.ndarray] = {}

    def add(self, array: np.ndarray) -> str:
        """The key under which `array` is kept from now on."""
        key = f"k{len(self.arrays)}"
        self.arrays[key] = array
        return key


def print_tree(
    function: Function,
    style: str = "flat",
    *,
    stage: str = "",
    constants: Constants | None = None,
    script: bool = False,
) -> ast.Module:
    """Syntax tree of `function`: a module of imports and one definition.

    Statements carry what `unparse` knows how to print beside them: locations as ``comment``,
    the header as ``lead`` of the first.

    Parameters
    ----------
    function : Function
    style : str
        ``"flat"``, one operation a line with its type, or ``"source"``, for people: operators,
        values that are used once in the place of their use, stacks as lists.
    stage : str
        What was done last, such as ``"after 03-canonicalize"``; stands in the header.
    constants : Constants, optional
        Takes the constants of more than 16 elements that differ; without it they stand in the
        text in full.
    script : bool
        Whether the last lines let ``python dump.py`` run the function.

    Raises
    ------
    S2sadError
        E0303 for an attribute without a literal, or for a style that does not exist.
    """
    if style not in STYLES:
        raise fail("E0303", f"no style of print is called {style!r}", help='"flat" or "source"')
    module, name = STYLES[style]
    printer: Printer = getattr(import_module(module), name)(function, constants)
    with collection_paused():
        definition = printer.definition()
    head = [*ast.parse(IMPORTS).body, *map(_symbol_line, printer.symbols)]
    title = _one_line(function.title or printer.function_name).replace("·", "-")
    lead = SEPARATOR.join(filter(None, (HEADER, title, _one_line(stage))))
    head[0].lead = [lead]  # type: ignore[attr-defined]
    footer = ast.parse(FOOTER.format(printer.function_name)).body if script else []
    return ast.Module([*head, definition, *footer], [])


def print_text(
    function: Function,
    *,
    style: str = "flat",
    stage: str = "",
    constants: Constants | None = None,
    script: bool = False,
) -> str:
    """Python source of `function`; parameters and errors as for `print_tree`.

    Reading it gives an isomorphic function, and printing that the same text.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> function = build_function(lambda x: p.add(p.mul(x, x), 1.0), [f32[4]], names=["x"])
    >>> print(print_text(function, stage="as built"))
    # s2sad ir 1 · main · as built
    from s2sad import prims as p
    from s2sad.ir.types import *
    <BLANKLINE>
    @function(inputs=("x",), donates={}, tree="0", consts=None)
    def main(x: f32[4]) -> f32[4]:
        t0: f32[4] = p.mul(x, x)
        c0: f32 = p.const(1.0, f32)
        t1: f32[4] = p.add(t0, c0)
        return t1
    <BLANKLINE>
    """
    tree = print_tree(function, style, stage=stage, constants=constants, script=script)
    place = next(i for i, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef))
    parts = [tree.body[:place], tree.body[place : place + 1], tree.body[place + 1 :]]
    modules = [ast.Module(part, []) for part in parts if part]
    with collection_paused():
        return "\n".join(unparse(module, comment_column=COMMENT_COLUMN) for module in modules)


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _symbol_line(symbol: str) -> ast.stmt:
    return ast.Assign([target(symbol)], call(name("symbol"), ast.Constant(symbol)))


def _symbols(function: Function) -> list[str]:
    """Symbols that the types of the inputs name: all that the program can know."""
    tensors = {t.element if isinstance(t, StackType) else t for t in function.input_types}
    sizes = [dim for t in tensors if isinstance(t, TensorType) for dim in t.shape]
    return sorted({symbol for dim in sizes for symbol in dims.free_symbols(dim)})


class Printer:
    """Writes one function; what both styles share."""

    def __init__(self, function: Function, constants: Constants | None) -> None:
        self.function = function
        self.constants = constants
        self.symbols = _symbols(function)
        self.function_name = Names(self.symbols).unique(function.name)
        self.names = Names([*self.symbols, self.function_name])
        self.named: dict[Value, str] = {}

    # ---- names -----------------------------------------------------------------------------

    def name(self, *values: Value, letter: str = "t") -> str:
        """The one name of `values`, given now where they have none: a user's, or `letter`."""
        text = self.named.get(values[0])
        if text is None:
            hint = next((value.name for value in values if value.name), None)
            text = self.names.unique(hint) if hint else self.names.automatic(letter)
            self.named.update(dict.fromkeys(values, text))
        return text

    def read(self, value: Value) -> ast.expr:
        """What stands where `value` is read."""
        return name(self.name(value))

    # ---- pieces ----------------------------------------------------------------------------

    def definition(self) -> ast.FunctionDef:
        """The function, decorated with what is not in its code."""
        body = self.function.body
        parameters = self.parameters(body)
        statements = self.returning(body)
        donates = sorted(self.function.donates.items())
        names = [ast.Constant(self.name(body.args[index])) for index, _ in donates]
        decorator = call(
            name("function"),
            inputs=tuple_of(map(ast.Constant, self.function.inputs)),
            donates=ast.Dict(list(names), [number_node(result) for _, result in donates]),
            tree=ast.Constant(self.function.tree),
            consts=ast.Constant(self.constants_file()),
        )
        return self.define(self.function_name, parameters, statements, decorator, body)

    def constants_file(self) -> str | None:
        """Name of the file beside the text, where the text needs one."""
        return self.constants.file if self.constants and self.constants.arrays else None

    def parameters(self, region: Region) -> ast.arguments:
        """The arguments of `region` with their types."""
        args = [ast.arg(self.name(value), type_node(value.type)) for value in region.args]
        return ast.arguments([], args, None, [], [], None, [])

    def define(
        self,
        text: str,
        parameters: ast.arguments,
        statements: list[ast.stmt],
        decorator: ast.expr,
        region: Region,
    ) -> ast.FunctionDef:
        fields: dict[str, Any] = {"returns": self.returns(region)}
        if "type_params" in ast.FunctionDef._fields:
            fields["type_params"] = []
        return ast.FunctionDef(text, parameters, statements, [decorator], **fields)

    def returns(self, region: Region) -> ast.expr | None:
        """The types of what `region` yields, without parentheses around a single one."""
        types = [type_node(value.type) for value in region.yields]
        return types[0] if len(types) == 1 else tuple_of(types)

    def returning(self, region: Region) -> list[ast.stmt]:
        """The statements of `region`, the last of which returns its yields."""
        raise NotImplementedError

    def constant(self, operation: Operation) -> ast.Call:
        """``p.const(value, type)``."""
        array, type = operation.attrs["value"], operation.attrs["type"]
        beside = self.constants is not None and array.size > INLINE and not is_splat(array)
        value = (
            ast.Constant(self.constants.add(array))  # type: ignore[union-attr]
            if beside
            else constant_node(array, type.dtype)
        )
        return call(self.prim(operation), value, type_node(type))

    def prim(self, operation: Operation) -> ast.expr:
        return ast.Attribute(name(PRIMS), operation.prim.name, LOAD)

    def attributes(self, operation: Operation) -> list[ast.keyword]:
        """Attributes that are not their default."""
        defaults = operation.prim.attributes
        return [
            ast.keyword(key, attribute_node(value))
            for key, value in operation.attrs.items()
            if not same_literal(value, attr_value(defaults[key]))
        ]


class FlatPrinter(Printer):
    """One operation a line, with its type and its location."""

    def returning(self, region: Region) -> list[ast.stmt]:
        statements = self.block(region)
        values = parallel([self.read(value) for value in region.yields])
        return [*statements, ast.Return(values)]

    def block(self, region: Region) -> list[ast.stmt]:
        """The statements of `region` but for what hands over its yields."""
        return [line for operation in region.operations for line in self.lines(operation)]

    def lines(self, operation: Operation) -> list[ast.stmt]:
        """The statements of one operation."""
        statements: list[ast.stmt] = []
        self.FORMS[operation.prim.form](self, operation, statements)
        return statements

    # ---- operations without regions --------------------------------------------------------

    def _const(self, operation: Operation, statements: list[ast.stmt]) -> None:
        self.name(operation.result, letter="c")
        statements.append(self._assignment(operation, self.constant(operation)))

    def _call(self, operation: Operation, statements: list[ast.stmt]) -> None:
        self._bind(operation, self._application(operation, []), statements)

    def _application(self, operation: Operation, regions: list[ast.keyword]) -> ast.Call:
        operands = [self.read(value) for value in operation.operands]
        return ast.Call(self.prim(operation), operands, regions + self.attributes(operation))

    def _bind(self, operation: Operation, value: ast.expr, statements: list[ast.stmt]) -> None:
        """Let the results' names stand for what the call `value` gives."""
        if len(operation.results) == 1:
            statements.append(self._assignment(operation, value))
        else:
            self._declare([[result] for result in operation.results], statements)
            statements.append(_marked(self._assign(operation.results, value), operation))

    def _assign(self, values: Sequence[Value], value: ast.expr) -> ast.stmt:
        return assignment([self.name(each) for each in values], value)

    def _assignment(self, operation: Operation, value: ast.expr) -> ast.stmt:
        result = operation.results[0]
        left = target(self.name(result))
        return _marked(ast.AnnAssign(left, type_node(result.type), value, 1), operation)

    def _declare(self, groups: Iterable[Sequence[Value]], statements: list[ast.stmt]) -> None:
        """``a: T; b: U`` for values that are assigned below; a group is what shares one name."""
        for number, group in enumerate(groups):
            left = target(self.name(*group))
            line = ast.AnnAssign(left, type_node(group[0].type), None, 1)
            line.joined = number > 0  # type: ignore[attr-defined]
            statements.append(line)

    # ---- operations with regions -----------------------------------------------------------

    def _nested(self, operation: Operation, statements: list[ast.stmt]) -> None:
        keywords = []
        for key, region in operation.regions.items():
            text = self.names.numbered(f"{key}_", first=0)
            parameters = self.parameters(region)
            body = self.returning(region)
            statements.append(self.define(text, parameters, body, name("region"), region))
            keywords.append(ast.keyword(key, name(text)))
        self._bind(operation, self._application(operation, keywords), statements)

    def _if(self, operation: Operation, statements: list[ast.stmt]) -> None:
        self._declare([[result] for result in operation.results], statements)
        (condition,) = operation.operands
        branches = [self._yielding(region, operation) for region in operation.regions.values()]
        statements.append(_marked(ast.If(self.read(condition), *branches), operation))

    def _yielding(self, region: Region, operation: Operation) -> list[ast.stmt]:
        """Statements of `region`, the last of which assigns its yields to the results' names."""
        statements = self.block(region)
        if operation.results:
            values = parallel([self.read(value) for value in region.yields])
            statements.append(self._assign(operation.results, values))
        return statements or [ast.Pass()]

    def _carry(self, operation: Operation, initial: Sequence[Value], statements: list[ast.stmt],
               *args: Sequence[Value]) -> None:  # fmt: skip
        """Declare and initialise what a loop carries: a result and its arguments share a name."""
        if not operation.results:
            return
        values = [self.read(value) for value in initial]
        self._declare(zip(operation.results, *args, strict=True), statements)
        statements.append(self._assign(operation.results, parallel(values)))

    def _while(self, operation: Operation, statements: list[ast.stmt]) -> None:
        condition, body = operation.regions.values()
        self._carry(operation, operation.operands, statements, condition.args, body.args)
        inner = self.block(condition)
        stop = ast.If(ast.UnaryOp(ast.Not(), self.read(condition.yields[0])), [ast.Break()], [])
        stop.inline = True  # type: ignore[attr-defined]
        inner += [stop, *self._yielding(body, operation)]
        if isinstance(inner[-1], ast.Pass):
            del inner[-1]
        statements.append(_marked(ast.While(ast.Constant(True), inner, []), operation))

    def _for(self, operation: Operation, statements: list[ast.stmt]) -> None:
        (body,) = operation.regions.values()
        self._carry(operation, operation.operands[3:], statements, body.args[1:])
        counter = target(self.name(body.args[0]))
        steps = call(name("range"), *map(self.read, operation.operands[:3]))
        inner = self._yielding(body, operation)
        statements.append(_marked(ast.For(counter, steps, inner, []), operation))

    FORMS: dict[Form, Callable[[Any, Operation, list[ast.stmt]], None]] = {
        **{Form.CALL: _call, Form.PUSH: _call, Form.POP: _call},
        **{Form.CONST: _const, Form.NESTED: _nested},
        **{Form.IF: _if, Form.WHILE: _while, Form.FOR: _for},
    }


def parallel(values: list[ast.expr]) -> ast.expr:
    """Right side of one parallel assignment, or of a return."""
    return values[0] if len(values) == 1 else tuple_of(values)


def assignment(names: Sequence[str], value: ast.expr) -> ast.stmt:
    """``a, b = value``; without names, `value` for its effect."""
    if not names:
        return ast.Expr(value)
    targets: list[ast.expr] = [target(text) for text in names]
    return ast.Assign([targets[0] if len(targets) == 1 else ast.Tuple(targets, STORE)], value)


def _marked(statement: ast.stmt, operation: Operation) -> ast.stmt:
    """`statement` with the location and the scope of `operation` at its end."""
    text = mark(operation.loc, operation.scope)
    if text is not None:
        statement.comment = text  # type: ignore[attr-defined]
    return statement


#: Module and class of the printer of each style, imported on first need.
STYLES = {"flat": (__name__, "FlatPrinter"), "source": ("s2sad.ir.source_style", "SourcePrinter")}
