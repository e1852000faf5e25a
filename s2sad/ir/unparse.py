"""How does a Python syntax tree become text that reads back as the same tree?

`astunparse` gives the walk and the simple statements. This printer mends what it gets wrong
(slices over several axes, f-strings, the node classes that Python 3.12 deprecates), writes
parentheses only where the grammar needs them, keeps comments, and refuses what it does not know.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Sequence
from math import copysign, isinf, isnan
from types import EllipsisType, NoneType
from typing import Any

from astunparse.unparser import INFSTR, Unparser


def unparse(tree: ast.AST) -> str:
    """Python source of `tree`: ``ast.parse`` of it equals `tree`, on the Python that runs.

    A statement may carry four attributes beside its fields:

    - ``comment`` (str): printed with ``#`` at the end of its first line; for a decorated
      definition that is the line of the name;
    - ``lead`` (sequence of str): lines printed above it, each as ``# ...``;
    - ``joined`` (bool): stands on the line of the statement before it, after ``; ``;
    - ``inline`` (bool), of an `If`: the body stands on the line of the test.

    Parameters
    ----------
    tree : ast.Module, ast.Expression, ast.stmt or ast.expr
        No async, ``match``, ``except*``, type parameters, or type comments.

    Returns
    -------
    str
        Ends with one newline; an expression is given bare, so that it can stand in a message.

    Raises
    ------
    TypeError
        A node, or the type of a constant, that is not in the subset; it is named.
    ValueError
        Nothing can be written for it: NaN, a complex number with a real part, an empty block, a
        compound statement on the line of another, a comment of several lines, before Python 3.12
        a backslash within the braces of an f-string.

    Notes
    -----
    A negative number in an `ast.Constant` prints as the unary minus that Python reads.

    Examples
    --------
    >>> tree = ast.parse("if not t0: break\\nx = h[(1):2,\\n      :, None]")
    >>> tree.body[0].inline, tree.body[1].comment = True, "@ rnn.py:8:26"
    >>> print(unparse(tree), end="")
    if not t0: break
    x = h[1:2, :, None]  #@ rnn.py:8:26
    """
    printer = _Printer()
    if isinstance(tree, (ast.Expression, ast.expr)):
        printer.dispatch(tree.body if isinstance(tree, ast.Expression) else tree)
        return printer.text()
    if isinstance(tree, ast.Module) and not tree.type_ignores:
        if tree.body:
            printer.body(tree.body, blank=2)
    elif isinstance(tree, ast.stmt):
        printer.dispatch([tree])
    else:
        raise _refusal(tree)
    return printer.text()[1:] + "\n"


# How tightly a form binds, loosest first. NAMED and YIELD need parentheses almost everywhere.
NAMED, YIELD, TUPLE, TEST, OR, AND, NOT, COMPARE = range(8)
BITOR, BITXOR, BITAND, SHIFT, SUM, TERM, UNARY, POWER, ATOM, NAME = range(8, 18)

LEVELS: dict[type[ast.AST], int] = {
    ast.NamedExpr: NAMED,
    ast.Yield: YIELD,
    ast.YieldFrom: YIELD,
    ast.Lambda: TEST,
    ast.IfExp: TEST,
    ast.Or: OR,
    ast.And: AND,
    ast.Not: NOT,
    ast.Compare: COMPARE,
    ast.BitOr: BITOR,
    ast.BitXor: BITXOR,
    ast.BitAnd: BITAND,
    ast.LShift: SHIFT,
    ast.RShift: SHIFT,
    ast.Add: SUM,
    ast.Sub: SUM,
    ast.Mult: TERM,
    ast.MatMult: TERM,
    ast.Div: TERM,
    ast.Mod: TERM,
    ast.FloorDiv: TERM,
    ast.UAdd: UNARY,
    ast.USub: UNARY,
    ast.Invert: UNARY,
    ast.Pow: POWER,
}

COMPOUND = (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With, ast.Try)
STATEMENTS = (
    *COMPOUND,
    *(ast.Import, ast.ImportFrom, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return),
    *(ast.Raise, ast.Assert, ast.Delete, ast.Global, ast.Nonlocal),
    *(ast.Pass, ast.Break, ast.Continue),
)
# What `dispatch` takes beside statements. Starred and Slice are printed by those that hold them.
EXPRESSIONS = (
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.NamedExpr, ast.IfExp, ast.Lambda),
    *(ast.Yield, ast.YieldFrom, ast.Constant, ast.JoinedStr, ast.Attribute, ast.Subscript),
    *(ast.Call, ast.Tuple, ast.List, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.comprehension, ast.arg, ast.keyword, ast.alias, ast.withitem, ast.ExceptHandler),
)

BACKSLASH_IN_FIELDS = sys.version_info >= (3, 12)  # and quotes of any kind, by PEP 701
STAR_AMONG_SLICES = sys.version_info >= (3, 11)  # PEP 646, as are starred annotations
FIELD_DEPTH = 2 if BACKSLASH_IN_FIELDS else 1  # of fields in the format of a field


class _Printer(Unparser):
    """One walk over one tree; what is not overridden here is right in `Unparser`."""

    def __init__(self) -> None:
        # Unparser's own __init__ prints at once, to a file.
        self._parts: list[str] = []
        self._indent = 0
        self.future_imports: list[str] = []
        self._opening = ""  # what the next statement starts with instead of a new line
        self._coming = ""  # the comment of the statement that is about to start
        self._comments: list[str] = []  # those of the line that is being written
        self._fields = 0  # how many f-strings we are in the braces of

    def text(self) -> str:
        """All that has been printed."""
        self._end_line()
        return "".join(self._parts)

    def write(self, text: str) -> None:
        self._parts.append(text)

    def fill(self, text: str = "") -> None:
        """Start a statement, or a clause of one."""
        if self._opening:
            text = self._opening + text
            self._opening = ""
        else:
            self._end_line()
            text = "\n" + "    " * self._indent + text
        self._parts.append(text)
        if self._coming:
            self._comments.append(self._coming)
            self._coming = ""

    def _end_line(self) -> None:
        if self._comments:
            # Statements joined on one line mostly come from one place, which is said once.
            self._parts.extend(f"  #{comment}" for comment in dict.fromkeys(self._comments))
            self._comments.clear()

    def dispatch(self, tree: Any, level: int = TEST) -> None:
        """Print an expression, in parentheses if it binds looser than `level`; or a block."""
        kind = type(tree)
        if kind is ast.Name:
            self._parts.append(tree.id)
        elif kind is list:
            self._statements(tree)
        elif (form := FORMS.get(kind)) is None:
            raise _refusal(tree)
        elif (form[1] or _level(tree)) < level:
            self._parts.append("(")
            form[0](self, tree)
            self._parts.append(")")
        else:
            form[0](self, tree)

    # ---------------------------------------------------------------------------- statements

    def body(self, body: Sequence[ast.stmt], blank: int = 0) -> None:
        """Statements of which the first may be a docstring; `blank` lines around definitions."""
        if body and _is_string(body[0]):
            self._announce(body[0])
            self.fill(_docstring(body[0].value))
            self._statements(body[1:], blank, previous=body[0])
        else:
            self._statements(body, blank)

    def _statements(
        self, body: Sequence[ast.stmt], blank: int = 0, previous: ast.stmt | None = None
    ) -> None:
        if not body and previous is None:
            raise ValueError("a block without a statement has no text")
        for node in body:
            if getattr(node, "joined", False):
                self._join("; ", node, previous)
            elif blank and previous and (_is_definition(node) or _is_definition(previous)):
                self._end_line()
                self.write("\n" * blank)
            self._statement(node)
            previous = node

    def _statement(self, node: ast.stmt) -> None:
        method = SIMPLE_OR_COMPOUND.get(type(node))
        if method is None or getattr(node, "type_comment", None):
            raise _refusal(node)
        self._announce(node)
        method(self, node)

    def _announce(self, node: ast.stmt) -> None:
        """Print the lines above `node` and keep its comment until its own line has started."""
        for line in getattr(node, "lead", ()):
            self.fill(f"# {_one_line(line)}".rstrip())
        comment = getattr(node, "comment", None)
        if comment is not None:
            self._coming = _one_line(comment)

    def _join(self, opening: str, node: ast.stmt, previous: ast.stmt | None) -> None:
        """Let `node` start with `opening`, on the line of `previous`."""
        if previous is None or isinstance(previous, COMPOUND) or isinstance(node, COMPOUND):
            raise ValueError(f"{_named(node)} cannot share a line with what stands before it")
        if getattr(node, "lead", ()):
            raise ValueError(f"{_named(node)} shares a line, so no comment can stand above it")
        self._opening = opening

    def _suite(self, keyword: str, body: Sequence[ast.stmt]) -> None:
        self.fill(keyword)
        self.enter()
        self.dispatch(body)
        self.leave()

    def _If(self, node: ast.If) -> None:
        keyword = "if "
        while True:
            self.fill(keyword)
            self.dispatch(node.test)
            self._branch(node)
            if len(node.orelse) != 1 or type(node.orelse[0]) is not ast.If:
                break
            node, keyword = node.orelse[0], "elif "
            if getattr(node, "joined", False):
                self._join("; ", node, None)
            self._announce(node)
        if node.orelse:
            self._suite("else", node.orelse)

    def _branch(self, node: ast.If) -> None:
        if not getattr(node, "inline", False):
            self.enter()
            self.dispatch(node.body)
            self.leave()
            return
        self.write(":")
        for index, statement in enumerate(node.body):
            self._join("; " if index else " ", statement, ast.Pass())
            self._statement(statement)

    def _For(self, node: ast.For) -> None:
        self.fill("for ")
        self.dispatch(node.target, TUPLE)
        self.write(" in ")
        self.dispatch(node.iter, TUPLE)
        self.enter()
        self.dispatch(node.body)
        self.leave()
        if node.orelse:
            self._suite("else", node.orelse)

    def _withitem(self, node: ast.withitem) -> None:
        # `with (a, b):` enters a and then b; the tuple takes a second pair.
        if type(node.context_expr) is ast.Tuple and node.optional_vars is None:
            self.write("(")
            self.dispatch(node.context_expr, NAME)
            self.write(")")
        else:
            Unparser._withitem(self, node)

    def _FunctionDef(self, node: ast.FunctionDef) -> None:
        self._head("def", node)
        self.write("(")
        self._arguments(node.args)
        self.write(")")
        if node.returns:
            self.write(" -> ")
            self.dispatch(node.returns)
        self.enter()
        self.body(node.body)
        self.leave()

    def _ClassDef(self, node: ast.ClassDef) -> None:
        self._head("class", node)
        if node.bases or node.keywords:
            self.write("(")
            self._elements([*node.bases, *node.keywords])
            self.write(")")
        self.enter()
        self.body(node.body, blank=1)
        self.leave()

    def _head(self, keyword: str, node: ast.FunctionDef | ast.ClassDef) -> None:
        if getattr(node, "type_params", None):
            raise TypeError(f"{_named(node)} has type parameters, which are not printed")
        comment, self._coming = self._coming, ""
        for decorator in node.decorator_list:
            self.fill("@")
            self.dispatch(decorator)
        self._coming = comment
        self.fill(f"{keyword} {node.name}")

    def _Expr(self, node: ast.Expr) -> None:
        self.fill()
        self.dispatch(node.value, YIELD)

    def _Return(self, node: ast.Return) -> None:
        self.fill("return")
        if node.value:
            self.write(" ")
            self.dispatch(node.value, TUPLE)

    def _Assign(self, node: ast.Assign) -> None:
        self.fill()
        for target in node.targets:
            self.dispatch(target, TUPLE)
            self.write(" = ")
        self.dispatch(node.value, YIELD)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        self.fill()
        self.dispatch(node.target)
        self.write(f" {self.binop[type(node.op).__name__]}= ")
        self.dispatch(node.value, YIELD)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        self.fill()
        self.dispatch(node.target, TEST if node.simple or type(node.target) is not ast.Name else NAME)
        self.write(": ")
        self.dispatch(node.annotation)
        if node.value:
            self.write(" = ")
            self.dispatch(node.value, YIELD)

    # ---------------------------------------------------------------------------- expressions

    def _BoolOp(self, node: ast.BoolOp) -> None:
        if len(node.values) < 2:
            raise ValueError("a BoolOp needs two operands")
        level = LEVELS[type(node.op)] + 1
        symbol = f" {self.boolops[type(node.op)]} "
        for index, value in enumerate(node.values):
            if index:
                self.write(symbol)
            self.dispatch(value, level)

    def _BinOp(self, node: ast.BinOp) -> None:
        level = LEVELS[type(node.op)]
        # `2 ** -x ** y` is `2 ** (-(x ** y))`: the right of a power is looser, the left tighter.
        left, right = (ATOM, UNARY) if level == POWER else (level, level + 1)
        self.dispatch(node.left, left)
        self.write(f" {self.binop[type(node.op).__name__]} ")
        self.dispatch(node.right, right)

    def _UnaryOp(self, node: ast.UnaryOp) -> None:
        level = LEVELS[type(node.op)]
        self.write(self.unop[type(node.op).__name__] + (" " if level == NOT else ""))
        self.dispatch(node.operand, level)

    def _Compare(self, node: ast.Compare) -> None:
        self.dispatch(node.left, BITOR)
        for operator, right in zip(node.ops, node.comparators, strict=True):
            self.write(f" {self.cmpops[type(operator).__name__]} ")
            self.dispatch(right, BITOR)

    def _NamedExpr(self, node: ast.NamedExpr) -> None:
        self.dispatch(node.target)
        self.write(" := ")
        self.dispatch(node.value)

    def _IfExp(self, node: ast.IfExp) -> None:
        self.dispatch(node.body, OR)
        self.write(" if ")
        self.dispatch(node.test, OR)
        self.write(" else ")
        self.dispatch(node.orelse)

    def _Lambda(self, node: ast.Lambda) -> None:
        mark = len(self._parts)
        self._arguments(node.args, annotated=False)
        self._parts.insert(mark, "lambda " if len(self._parts) > mark else "lambda")
        self.write(": ")
        self.dispatch(node.body)

    def _Yield(self, node: ast.Yield) -> None:
        self.write("yield")
        if node.value:
            self.write(" ")
            self.dispatch(node.value, TUPLE)

    def _YieldFrom(self, node: ast.YieldFrom) -> None:
        self.write("yield from ")
        self.dispatch(node.value)

    def _Attribute(self, node: ast.Attribute) -> None:
        value = node.value
        # The dot of `1.real` would belong to the number.
        is_int = type(value) is ast.Constant and type(value.value) is int
        self.dispatch(value, NAME if is_int else ATOM)
        self.write("." + node.attr)

    def _Subscript(self, node: ast.Subscript) -> None:
        self.dispatch(node.value, ATOM)
        self.write("[")
        self._index(node.slice)
        self.write("]")

    def _index(self, node: ast.expr) -> None:
        if type(node) is not ast.Tuple:
            return self._Slice(node) if type(node) is ast.Slice else self.dispatch(node)
        kinds = {type(element) for element in node.elts}
        if ast.Slice not in kinds and (ast.Starred in kinds or len(node.elts) < 2):
            return self.dispatch(node, NAME)
        if ast.Starred in kinds and not STAR_AMONG_SLICES:
            raise ValueError("a Starred beside a Slice cannot be written before Python 3.11")
        for index, element in enumerate(node.elts):
            if index:
                self.write(", ")
            self._index(element) if type(element) is ast.Slice else self._element(element)
        if len(node.elts) == 1:
            self.write(",")

    def _Call(self, node: ast.Call) -> None:
        self.dispatch(node.func, ATOM)
        if len(node.args) == 1 and not node.keywords and type(node.args[0]) is ast.GeneratorExp:
            return self.dispatch(node.args[0])  # which brings its own parentheses
        self.write("(")
        self._elements(node.args)
        if node.keywords:
            if node.args:
                self.write(", ")
            self._elements(node.keywords)
        self.write(")")

    def _elements(self, elements: Sequence[ast.AST]) -> None:
        for index, element in enumerate(elements):
            if index:
                self.write(", ")
            self._element(element)

    def _element(self, element: ast.AST) -> None:
        if type(element) is ast.Starred:
            self.write("*")
            self.dispatch(element.value, BITOR)
        else:
            self.dispatch(element)

    def _Tuple(self, node: ast.Tuple) -> None:
        if len(node.elts) > 1:
            return self._elements(node.elts)
        self.write("(")
        self._elements(node.elts)
        self.write(",)" if node.elts else ")")

    def _List(self, node: ast.List) -> None:
        self.write("[")
        self._elements(node.elts)
        self.write("]")

    def _Set(self, node: ast.Set) -> None:
        if not node.elts:
            raise ValueError("an empty Set has no display")
        self.write("{")
        self._elements(node.elts)
        self.write("}")

    def _Dict(self, node: ast.Dict) -> None:
        self.write("{")
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            if index:
                self.write(", ")
            if key is None:
                self.write("**")
                self.dispatch(value, BITOR)
            else:
                self.dispatch(key)
                self.write(": ")
                self.dispatch(value)
        self.write("}")

    def _comprehension(self, node: ast.comprehension) -> None:
        if node.is_async:
            raise TypeError("an async comprehension is not printed")
        self.write(" for ")
        self.dispatch(node.target, TUPLE)
        self.write(" in ")
        self.dispatch(node.iter, OR)
        for condition in node.ifs:
            self.write(" if ")
            self.dispatch(condition, OR)

    def _arguments(self, node: ast.arguments, annotated: bool = True) -> None:
        positional = [*node.posonlyargs, *node.args]
        plain = len(positional) - len(node.defaults)
        separator = ""
        for index, argument in enumerate(positional):
            self.write(separator)
            self._parameter(argument, annotated, node.defaults[index - plain : index - plain + 1])
            separator = ", "

    def _arg(self, node: ast.arg) -> None:
        self.write(node.arg)

