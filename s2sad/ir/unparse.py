"""How does a Python syntax tree become text that reads back as the same tree?

`astunparse` gives the walk and most statements. This printer mends what it gets wrong (slices
over several axes, f-strings, the node classes that Python 3.12 deprecates), writes parentheses
only where the grammar needs them, keeps comments, and refuses what it does not know.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Sequence
from math import copysign, isnan
from types import EllipsisType, NoneType
from typing import Any

from astunparse.unparser import INFSTR, Unparser


def unparse(tree: ast.AST, *, comment_column: int = 0) -> str:
    r"""Python source of `tree`; on the Python that runs, ``ast.parse`` of it equals `tree`.

    A statement may carry four attributes beside its fields:

    - ``comment`` (str): printed after two spaces and ``#`` at the end of its first line, which
      for a decorated definition is the line of the name;
    - ``lead`` (sequence of str): lines printed above it, each as ``# ...``;
    - ``joined`` (bool): stands on the line of the statement before it, after ``; ``;
    - ``inline`` (bool), of an `ast.If`: its body stands on the line of the test.

    An `ast.Constant` whose attribute ``base`` is 16 is printed in hexadecimal.

    Parameters
    ----------
    tree : ast.Module, ast.Expression, ast.stmt or ast.expr
        Without async, ``match``, ``except*``, type parameters and type comments.
    comment_column : int
        Where comments at the end of a line begin, unless the line is longer.

    Returns
    -------
    str
        Ends with one newline. An expression is given bare, so that it can stand in a message.

    Raises
    ------
    TypeError
        A node, or the type of a constant, is not in the subset; the message names it.
    ValueError
        No text means this tree: NaN, a complex number with a real part, an empty block, a compound
        statement that shares a line, a comment of several lines, or, before Python 3.12, a
        backslash within the braces of an f-string.

    Notes
    -----
    Two trees come back different but meaning the same: a negative number in an `ast.Constant`
    is read as a unary minus, and adjacent constants of an f-string as one.

    Examples
    --------
    >>> tree = ast.parse("if not t0: break\nx = (h[1:2, :, (None)])")
    >>> tree.body[0].inline, tree.body[1].comment = True, "@ rnn.py:8:26"
    >>> print(unparse(tree), end="")
    if not t0: break
    x = h[1:2, :, None]  #@ rnn.py:8:26
    """
    printer = _Printer(comment_column)
    if isinstance(tree, ast.Expression):
        tree = tree.body
    if isinstance(tree, ast.expr):
        printer.dispatch(tree)
        return printer.text()
    if isinstance(tree, ast.stmt):
        printer.statement(tree)
    elif not isinstance(tree, ast.Module) or tree.type_ignores:
        raise _refusal(tree)
    elif tree.body:
        printer.block(tree.body, blank=2, docstring=True)
    return printer.text()[1:] + "\n"


# How tightly a form binds, loosest first; NAMED and YIELD stand bare almost nowhere.
NAMED, YIELD, TUPLE, TEST, OR, AND, NOT, COMPARE = range(1, 9)
BITOR, BITXOR, BITAND, SHIFT, SUM, TERM, UNARY, POWER, ATOM, ENCLOSED = range(9, 19)

OPERATORS: dict[type[ast.AST], int] = {
    **{ast.Or: OR, ast.And: AND, ast.Not: NOT},
    **{ast.BitOr: BITOR, ast.BitXor: BITXOR, ast.BitAnd: BITAND},
    **{ast.LShift: SHIFT, ast.RShift: SHIFT, ast.Add: SUM, ast.Sub: SUM},
    **{ast.Mult: TERM, ast.MatMult: TERM, ast.Div: TERM, ast.Mod: TERM, ast.FloorDiv: TERM},
    **{ast.UAdd: UNARY, ast.USub: UNARY, ast.Invert: UNARY, ast.Pow: POWER},
}

BACKSLASH_IN_BRACES = sys.version_info >= (3, 12)  # of f-strings, and any quote, by PEP 701
DEEPEST_FORMAT = 2 if BACKSLASH_IN_BRACES else 1  # how deep fields nest in formats of fields
STAR_AT_LARGE = sys.version_info >= (3, 11)  # beside slices and in annotations, by PEP 646


class _Printer(Unparser):
    """One walk over one tree. What is not overridden is right as `Unparser` has it."""

    def __init__(self, comment_column: int) -> None:
        # Unparser's own __init__ would print to a file, and at once.
        self._parts: list[str] = []
        self._indent = 0
        self._opening = ""  # what the next statement starts with instead of a new line
        self._coming = ""  # comment of the statement that is about to start
        self._comments: list[str] = []  # comments of the line being written
        self._comment_column = comment_column
        self._braces = 0  # how many f-strings we are in the braces of
        self.future_imports: list[str] = []  # Unparser collects them

    def text(self) -> str:
        """All that has been printed."""
        self._end_line()
        return "".join(self._parts)

    def write(self, text: str) -> None:
        self._parts.append(text)

    def fill(self, text: str = "") -> None:
        """Start a statement, or a clause of one, with `text`."""
        if self._opening:
            self._parts.append(self._opening)
            self._opening = ""
        else:
            self._end_line()
            self._parts.append("\n" + "    " * self._indent)
        self._parts.append(text)
        if self._coming:
            self._comments.append(self._coming)
            self._coming = ""

    def _end_line(self) -> None:
        if self._comments:
            if self._comment_column:
                self.write(" " * (self._comment_column - 2 - self._column()))
            # Statements that share a line mostly share their place as well: say it once.
            self._parts.extend(f"  {comment}" for comment in dict.fromkeys(self._comments))
            self._comments.clear()

    def _column(self) -> int:
        """Length of the line being written."""
        length = 0
        for part in reversed(self._parts):
            _, newline, line = part.rpartition("\n")
            length += len(line)
            if newline:
                break
        return length

    def dispatch(self, tree: Any, level: int = TEST) -> None:
        """Print an expression, in parentheses if it binds less than `level`; or a block."""
        kind = type(tree)
        if kind is ast.Name:
            self._parts.append(tree.id)
        elif kind is list:
            self.block(tree)
        elif kind not in EXPRESSIONS:
            raise _refusal(tree)
        else:
            method, own = EXPRESSIONS[kind]
            if (own or _level(tree)) < level:
                self._parts.append("(")
                method(self, tree)
                self._parts.append(")")
            else:
                method(self, tree)

    # ---- statements ------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], blank: int = 0, docstring: bool = False) -> None:
        """Print statements, with `blank` lines around definitions."""
        if not body:
            raise ValueError("a block without statements has no text")
        previous = None
        for node in body:
            if getattr(node, "joined", False):
                if previous is None or isinstance(previous, COMPOUND):
                    raise ValueError(f"there is no line that {_named(node)} could join")
                self._share_line("; ", node)
            elif blank and previous and (_is_definition(node) or _is_definition(previous)):
                self._end_line()
                self.write("\n" * blank)
            if docstring and not previous and _is_string(node):
                self._announce(node)
                self.fill(_docstring(node))
            else:
                self.statement(node)
            previous = node

    def statement(self, node: ast.stmt) -> None:
        """Print one statement, on a line of its own unless `_share_line` was called."""
        method = STATEMENTS.get(type(node))
        if method is None or getattr(node, "type_comment", None):
            raise _refusal(node)
        self._announce(node)
        method(self, node)

    def _announce(self, node: ast.stmt) -> None:
        """Print the lines above `node`; keep its comment until its own line has started."""
        for line in getattr(node, "lead", ()):
            self.fill(_comment(f" {line}").rstrip())
        comment = getattr(node, "comment", None)
        if comment is not None:
            self._coming = _comment(comment)

    def _share_line(self, opening: str, node: ast.stmt) -> None:
        if isinstance(node, COMPOUND) or getattr(node, "lead", ()):
            raise ValueError(f"{_named(node)} needs a line of its own")
        self._opening = opening

    def _suite(self, body: list[ast.stmt], **options: Any) -> None:
        self.enter()
        self.block(body, **options)
        self.leave()

    def _else(self, body: list[ast.stmt]) -> None:
        if body:
            self.fill("else")
            self._suite(body)

    def _If(self, node: ast.If) -> None:
        self._branch("if ", node)
        while len(node.orelse) == 1 and type(node.orelse[0]) is ast.If:
            node = node.orelse[0]
            self._announce(node)
            self._branch("elif ", node)
        self._else(node.orelse)

    def _branch(self, keyword: str, node: ast.If) -> None:
        self.fill(keyword)
        self.dispatch(node.test)
        if not node.body or not getattr(node, "inline", False):
            return self._suite(node.body)
        self.write(":")
        for index, statement in enumerate(node.body):
            self._share_line("; " if index else " ", statement)
            self.statement(statement)

    def _For(self, node: ast.For) -> None:
        self.fill("for ")
        self.dispatch(node.target, TUPLE)
        self.write(" in ")
        self.dispatch(node.iter, TUPLE)
        self._suite(node.body)
        self._else(node.orelse)

    def _withitem(self, node: ast.withitem) -> None:
        if type(node.context_expr) is not ast.Tuple or node.optional_vars:
            return Unparser._withitem(self, node)
        self.write("(")  # `with (a, b):` would enter a and then b
        self.dispatch(node.context_expr)
        self.write(")")

    def _FunctionDef(self, node: ast.FunctionDef) -> None:
        self._head(node, f"def {node.name}(")
        self._arguments(node.args)
        self.write(")")
        if node.returns:
            self.write(" -> ")
            self.dispatch(node.returns)
        self._suite(node.body, docstring=True)

    def _ClassDef(self, node: ast.ClassDef) -> None:
        self._head(node, f"class {node.name}")
        if node.bases or node.keywords:
            self.write("(")
            self._commas([*node.bases, *node.keywords])
            self.write(")")
        self._suite(node.body, blank=1, docstring=True)

    def _head(self, node: ast.FunctionDef | ast.ClassDef, text: str) -> None:
        if getattr(node, "type_params", None):
            raise TypeError(f"type parameters, as of {_named(node)}, are not printed")
        comment, self._coming = self._coming, ""
        for decorator in node.decorator_list:
            self.fill("@")
            self.dispatch(decorator)
        self._coming = comment
        self.fill(text)

    def _arguments(self, node: ast.arguments) -> None:
        positional = [*node.posonlyargs, *node.args]
        defaults = [None] * (len(positional) - len(node.defaults)) + node.defaults
        items: list[Any] = [("", *pair) for pair in zip(positional, defaults, strict=True)]
        if node.posonlyargs:
            items.insert(len(node.posonlyargs), ("/", None, None))
        if node.vararg or node.kwonlyargs:
            items.append(("*", node.vararg, None))
        items += [("", *pair) for pair in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        if node.kwarg:
            items.append(("**", node.kwarg, None))
        for index, (mark, argument, default) in enumerate(items):
            self.write(", " + mark if index else mark)
            if argument:
                self._parameter(argument, default)

    def _parameter(self, argument: ast.arg, default: ast.expr | None) -> None:
        if argument.type_comment:
            raise _refusal(argument)
        self.write(argument.arg)
        if argument.annotation:
            if type(argument.annotation) is ast.Starred and not STAR_AT_LARGE:
                raise ValueError("before Python 3.11 an annotation cannot be Starred")
            self.write(": ")
            self.dispatch(argument.annotation)
        if default:
            self.write(" = " if argument.annotation else "=")
            self.dispatch(default)

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
        bare_name = type(node.target) is ast.Name and not node.simple
        self.write("(" if bare_name else "")
        self.dispatch(node.target)
        self.write("): " if bare_name else ": ")
        self.dispatch(node.annotation)
        if node.value:
            self.write(" = ")
            self.dispatch(node.value, YIELD)

    # ---- expressions -----------------------------------------------------------------------

    def _commas(self, items: Sequence[ast.AST]) -> None:
        for index, item in enumerate(items):
            if index:
                self._parts.append(", ")
            self.dispatch(item)

    def _Starred(self, node: ast.Starred) -> None:
        self.write("*")
        self.dispatch(node.value, BITOR)

    def _BoolOp(self, node: ast.BoolOp) -> None:
        if len(node.values) < 2:
            raise ValueError("a BoolOp needs two operands")
        level = _level(node) + 1
        self.dispatch(node.values[0], level)
        for value in node.values[1:]:
            self.write(f" {self.boolops[type(node.op)]} ")
            self.dispatch(value, level)

    def _BinOp(self, node: ast.BinOp) -> None:
        level = _level(node)
        # A power binds to the right, and there takes a sign: 2 ** -x ** y is 2 ** (-(x ** y)).
        left, right = (ATOM, UNARY) if level == POWER else (level, level + 1)
        self.dispatch(node.left, left)
        self.write(f" {self.binop[type(node.op).__name__]} ")
        self.dispatch(node.right, right)

    def _UnaryOp(self, node: ast.UnaryOp) -> None:
        level = _level(node)
        self.write("not " if level == NOT else self.unop[type(node.op).__name__])
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
        arguments = self._captured(self._arguments, node.args)
        self.write(f"lambda {arguments}: " if arguments else "lambda: ")
        self.dispatch(node.body)

    def _captured(self, method: Callable[..., None], *args: Any) -> str:
        """What `method` prints, taken back."""
        mark = len(self._parts)
        method(*args)
        text = "".join(self._parts[mark:])
        del self._parts[mark:]
        return text

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
        self.dispatch(value, ENCLOSED if is_int else ATOM)
        self.write("." + node.attr)

    def _Subscript(self, node: ast.Subscript) -> None:
        self.dispatch(node.value, ATOM)
        self.write("[")
        self._index(node.slice)
        self.write("]")

    def _index(self, node: ast.expr) -> None:
        if type(node) is ast.Slice:
            return self._Slice(node)
        if type(node) is not ast.Tuple:
            return self.dispatch(node)
        kinds = {type(item) for item in node.elts}
        if ast.Slice in kinds:
            if ast.Starred in kinds and not STAR_AT_LARGE:
                raise ValueError("before Python 3.11 a Starred cannot stand beside a Slice")
        elif ast.Starred in kinds or len(node.elts) < 2:
            return self.dispatch(node)
        for index, item in enumerate(node.elts):
            self.write(", " if index else "")
            (self._Slice if type(item) is ast.Slice else self.dispatch)(item)
        self.write("," if len(node.elts) == 1 else "")

    def _Call(self, node: ast.Call) -> None:
        self.dispatch(node.func, ATOM)
        arguments = [*node.args, *node.keywords]
        if len(arguments) == 1 and type(arguments[0]) is ast.GeneratorExp:
            return self.dispatch(arguments[0])  # it brings parentheses of its own
        self.write("(")
        self._commas(arguments)
        self.write(")")

    def _Tuple(self, node: ast.Tuple) -> None:
        if len(node.elts) > 1:
            return self._commas(node.elts)
        self.write("(")
        self._commas(node.elts)
        self.write(",)" if node.elts else ")")

    def _Set(self, node: ast.Set) -> None:
        if not node.elts:
            raise ValueError("an empty Set has no display")
        Unparser._Set(self, node)

    def _Dict(self, node: ast.Dict) -> None:
        self.write("{")
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            self.write(", " if index else "")
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

    def _Constant(self, node: ast.Constant) -> None:
        value: Any = node.value
        literal = LITERALS.get(type(value))
        if literal is None:
            raise TypeError(f"a Constant of {type(value).__name__} has no literal")
        if self._braces and literal is _string:
            literal = _string_in_braces
        elif getattr(node, "base", 10) == 16:
            literal = hex
        self.write(("u" if node.kind else "") + literal(value))

    # ---- f-strings -------------------------------------------------------------------------

    def _JoinedStr(self, node: ast.JoinedStr) -> None:
        pieces = self._pieces(node, 0)
        raw = self._braces > 0 and not BACKSLASH_IN_BRACES
        quotes = INNER_QUOTES if self._braces else QUOTES

        def spellings(reuse: bool) -> list[str]:
            texts = (_joined(pieces, quote, raw, reuse) for quote in quotes)
            return [text for text in texts if text is not None]

        texts = spellings(reuse=False) or spellings(reuse=BACKSLASH_IN_BRACES)
        if not texts:
            raise ValueError("before Python 3.12 an f-string within braces cannot hold this")
        text = min(texts, key=lambda text: text.count("\\"))
        self.write(f"f{text}")

    def _pieces(self, node: Any, depth: int) -> list[tuple[str, dict[int, str] | None]]:
        """Text beside the way its braces are written, or code beside None."""
        if type(node) is not ast.JoinedStr or depth > DEEPEST_FORMAT:
            raise ValueError("a format nested so deep has no text")
        pieces = []
        for value in node.values:
            if type(value) is ast.FormattedValue:
                pieces += self._field(value, depth)
            elif type(value) is ast.Constant and type(value.value) is str and not value.kind:
                pieces.append((value.value, ESCAPED if depth else DOUBLED))
            else:
                raise _refusal(value)
        return pieces

    def _field(self, node: ast.FormattedValue, depth: int) -> list:
        self._braces += 1
        # A colon outside of parentheses would start the format.
        last = node.value
        while type(last) is ast.IfExp:
            last = last.orelse
        level = OR if type(last) is ast.Lambda else TEST
        code = self._captured(self.dispatch, node.value, level)
        self._braces -= 1
        code = ("{ " if code[0] == "{" else "{") + code + CONVERSIONS[node.conversion]
        if node.format_spec is None:
            return [(code + "}", None)]
        return [(code + ":", None), *self._pieces(node.format_spec, depth + 1), ("}", None)]


COMPOUND = (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With, ast.Try)
STATEMENTS: dict[type, Callable[..., None]] = {
    getattr(ast, name): getattr(_Printer, f"_{name}")
    for name in (
        "FunctionDef ClassDef If For While With Try Import ImportFrom Expr Assign AugAssign "
        "AnnAssign Return Raise Assert Delete Global Nonlocal Pass Break Continue"
    ).split()
}
# With how tightly each binds; 0 where that depends on the node. Slice and FormattedValue are
# missing because only the nodes around them can print them.
EXPRESSIONS: dict[type, tuple[Callable[..., None], int]] = {
    getattr(ast, name): (getattr(_Printer, f"_{name}"), level)
    for level, names in {
        0: "Tuple Constant BoolOp BinOp UnaryOp",
        NAMED: "NamedExpr",
        YIELD: "Yield YieldFrom",
        TEST: "Lambda IfExp Starred",
        COMPARE: "Compare",
        ATOM: "JoinedStr Attribute Subscript Call List Set Dict ListComp SetComp DictComp "
        "GeneratorExp comprehension keyword alias withitem ExceptHandler",
    }.items()
    for name in names.split()
}


def _level(node: Any) -> int:
    """How tightly a node binds whose class alone does not say it."""
    kind = type(node)
    if kind is ast.Tuple:
        return TUPLE if len(node.elts) > 1 else ATOM
    if kind is ast.Constant:
        value = node.value
        negative = (
            type(value) is int and value < 0 or type(value) is float and copysign(1, value) < 0
        )
        return UNARY if negative else ATOM
    level = OPERATORS.get(type(node.op))
    if level is None:
        raise _refusal(node.op)
    return level


def _named(node: Any) -> str:
    line = f" of line {node.lineno}" if hasattr(node, "lineno") else ""
    return f"{type(node).__module__}.{type(node).__name__}{line}"


def _refusal(node: Any) -> TypeError:
    return TypeError(f"no text stands for {_named(node)} here")


def _is_definition(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.ClassDef))


def _is_string(node: Any) -> bool:
    return (
        type(node) is ast.Expr
        and type(node.value) is ast.Constant
        and type(node.value.value) is str
    )


def _comment(text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"a comment is one line of printable characters, unlike {text!r}")
    return f"#{text}"


def _docstring(node: Any) -> str:
    body = "\n".join(map(_printable, node.value.value.split("\n")))
    return ("u" if node.value.kind else "") + f'"""{_fenced(body, DOCSTRING_QUOTE)}"""'


# ---- literals ------------------------------------------------------------------------------

QUOTES = ('"', "'", '"""', "'''")
INNER_QUOTES = ("'", '"', "'''", '"""')
DOCSTRING_QUOTE = '"""'
DOUBLED = str.maketrans({"{": "{{", "}": "}}"})
ESCAPED = str.maketrans({"{": r"\x7b", "}": r"\x7d"})  # a format has no doubled braces
CONVERSIONS = {-1: "", ord("s"): "!s", ord("r"): "!r", ord("a"): "!a"}
NEEDS_ESCAPE = re.compile(r"[\\\r\0\ud800-\udfff]")


def _string(value: str | bytes) -> str:
    text = repr(value)
    if '"' in text:
        return text
    start = 2 if isinstance(value, bytes) else 1
    return f'{text[: start - 1]}"{text[start:-1]}"'


def _string_in_braces(value: str | bytes) -> str:
    """Mostly in single quotes, which the double ones of the f-string can hold."""
    text = repr(value)
    if BACKSLASH_IN_BRACES or "\\" not in text:
        return text
    prefix, characters = ("", value) if isinstance(value, str) else ("b", value.decode("latin-1"))
    for quote in INNER_QUOTES:
        body = _spelled(characters, quote, None, raw=True)
        if body is not None and (body.isascii() or not prefix):
            return prefix + quote + body + quote
    raise ValueError(f"before Python 3.12 the braces of an f-string cannot hold {text}")


def _joined(pieces: list, quote: str, raw: bool, reuse: bool) -> str | None:
    """An f-string's body between two `quote`; None where that takes `reuse` of the quote within."""
    code = "".join(text for text, braces in pieces if braces is None)
    if not reuse and (quote in code or len(quote) == 1 and "\n" in code):
        return None
    body = ""
    for text, braces in pieces:
        spelled = text if braces is None else _spelled(text, quote, braces, raw)
        if spelled is None:
            return None
        body += spelled
    return quote + body + quote


def _spelled(text: str, quote: str, braces: dict[int, str] | None, raw: bool) -> str | None:
    """`text` as it stands between two `quote`; None where a raw one would need a backslash."""
    body = _fenced(_printable(text), quote)
    if raw and "\\" in body:
        if NEEDS_ESCAPE.search(text) or quote in text or text.endswith(quote[0]):
            return None
        if "\n" in text and len(quote) == 1:
            return None
        body = text
    if braces is ESCAPED:
        body = body.replace(r"\\", r"\x5c")  # in a format, `\\{` would escape the brace
    if braces is not None:
        body = body.translate(braces)
    return None if raw and "\\" in body else body


def _printable(text: str) -> str:
    """`text` with escapes for backslashes and for what cannot be seen, but not for quotes."""
    # With a double quote in it, repr delimits by single ones and escapes those.
    return repr('"' + text)[2:-1].replace(r"\'", "'")


def _fenced(body: str, quote: str) -> str:
    """`body` with escapes where it would end at `quote`."""
    if len(quote) == 3 and body.endswith(quote[0]):
        body = body[:-1] + "\\" + quote[0]
    return body.replace(quote, ("\\" + quote[0]) * len(quote))


def _integer(value: int) -> str:
    # Python limits the decimal digits that it reads, but not the hexadecimal ones.
    return hex(value) if value.bit_length() > 2000 else repr(value)


def _float(value: float) -> str:
    if isnan(value):
        raise ValueError("NaN has no literal")
    return repr(value).replace("inf", INFSTR)


def _complex(value: complex) -> str:
    if value.real or copysign(1, value.real) < 0 or copysign(1, value.imag) < 0:
        raise ValueError(f"{value!r} has no literal: only +0.0 stands beside an imaginary one")
    return f"{_float(value.imag).removesuffix('.0')}j"


LITERALS: dict[type, Callable[[Any], str]] = {
    **{str: _string, bytes: _string, int: _integer, float: _float, complex: _complex},
    **{bool: repr, NoneType: repr, EllipsisType: lambda _: "..."},
}
