"""Where is the source of a function, as a syntax tree with true line and column numbers?

The whole file is parsed once and the function is found in it by its first line and its name, so
columns need no repair and text inside strings is left alone.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any
from zipimport import zipimporter

import gast

from s2sad.core import location as locations
from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.core.shown import shown


@dataclass(frozen=True)
class Source:
    """A function with the tree of its definition.

    Attributes
    ----------
    function : FunctionType
    node : gast.FunctionDef or gast.Lambda
    file : str
        As `short_name` gives it.
    """

    function: FunctionType
    node: Any
    file: str

    @property
    def closure(self) -> dict[str, Any]:
        """Cells of the free variables, by name."""
        cells = self.function.__closure__ or ()
        return dict(zip(self.function.__code__.co_freevars, cells, strict=True))


def source_of(function: Callable[..., Any]) -> Source:
    """Source of a plain Python function.

    Raises
    ------
    S2sadError
        E0102 when the source is not to be had, E0101 for generators and coroutines.
    """
    if not isinstance(function, FunctionType):
        raise fail(
            "E0102", f"{shown(function)} is no Python function, so it has no source",
            help="call it in a function of yours, and compile that",
        )  # fmt: skip
    code = function.__code__
    linecache.checkcache(code.co_filename)  # a module may have been edited, and loaded anew
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text:
        raise _without_text(function)
    _require_text_of(function, text)
    found = [*map(_turned, _definitions(text).get((code.co_firstlineno, code.co_name), ()))]
    if len(found) > 1:
        found = [node for node in found if _is_code_of(node, function)][-1:]  # the innermost one
    if len(found) != 1:
        raise fail(
            "E0102",
            f"cannot tell which of {len(found)} definitions at {code.co_filename}:"
            f"{code.co_firstlineno} is {function.__qualname__}",
            help="put it on a line of its own, and reload the module if its file has changed",
        )
    refuse_unusual(code, found[0])
    return Source(function, found[0], short_name(code.co_filename))


#: Why there is no text, by the name that Python gives to such a file.
WITHOUT_TEXT = {
    "<stdin>": "Python's prompt keeps none",
    "<string>": "`exec` and `python -c` keep none",
}


def _without_text(function: FunctionType) -> Exception:
    """E0102 for a function whose file has no text, at the line that asked for it."""
    file = function.__code__.co_filename
    why = WITHOUT_TEXT.get(file, f"{file} cannot be read")
    place = locations.current.get()
    if place is None or place.file == file:
        place = locations.caller() or place
    return fail(
        "E0102", f"the source of {function.__qualname__} is not to be had: {why}",
        location=place, help="define it in a file, or in a notebook",
    )  # fmt: skip


def location_in(file: str, node: Any, caller: Location | None = None) -> Location:
    """Where `node`, or its head if it is a statement with a body, stands; reached from `caller`."""
    if node.end_lineno == node.lineno:
        return Location(file, node.lineno, node.col_offset, caller, node.end_col_offset)
    line, column = _end(node)
    last = None if line == node.lineno else line
    return Location(file, node.lineno, node.col_offset, caller, column, last)


#: What ends the head of a statement with a body.
HEADS = {
    gast.If: lambda node: node.test,
    gast.While: lambda node: node.test,
    gast.For: lambda node: node.iter,
    gast.With: lambda node: node.items[-1].optional_vars or node.items[-1].context_expr,
    gast.Match: lambda node: node.subject,
}
#: Statements whose head goes by its first words.
WORDS = {
    gast.Try: "try", gast.FunctionDef: "def ", gast.AsyncFunctionDef: "async def ",
    gast.ClassDef: "class ",
}  # fmt: skip


def _end(node: Any) -> tuple[int, int]:
    """Line and column behind `node`, or behind its head."""
    kind = type(node)
    if kind in WORDS:
        return node.lineno, node.col_offset + len(WORDS[kind] + getattr(node, "name", ""))
    last = HEADS[kind](node) if kind in HEADS else node
    return last.end_lineno, last.end_col_offset


def head_of(code: CodeType) -> Location:
    """Where a function is defined, as `location_in` has it; of a lambda its first word.

    The file is not parsed for that: where its text does not tell, it is the start of a line.
    """
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    is_lambda = code.co_name == "<lambda>"
    name = code.co_name
    words = ("lambda",) if is_lambda else (f"def {name}", f"async def {name}")
    file = short_name(code.co_filename)
    for line, text in enumerate(lines, code.co_firstlineno):  # decorators come first
        for word in words:
            if is_lambda or text.lstrip().startswith(word):
                column = text.encode().rfind(word.encode(), 0, _first_column(code, line))
                return Location(file, line, max(column, 0), None, column + len(word))
    return Location(file, code.co_firstlineno, 0)


def _first_column(code: Any, line: int) -> int | None:
    """Where in a line the code of a lambda begins, which other lambdas may follow."""
    if code.co_name != "<lambda>" or not hasattr(code, "co_positions"):
        return None
    columns = [start for first, _, start, _ in code.co_positions() if first == line and start]
    return min(columns, default=None)


@cache
def short_name(file: str) -> str:
    """`file` as seen from the module path, where `linecache` finds it by that name as well.

    Dumps then read the same on every machine: ``s2sad/nn/basic.py``.
    """
    path = Path(file)
    for folder in filter(None, sys.path):
        if path.is_relative_to(folder):
            name = path.relative_to(folder).as_posix()
            first = next((Path(f, name) for f in sys.path if Path(f, name).is_file()), None)
            return name if first is not None and first.samefile(path) else file
    return file


def _is_code_of(node: Any, function: FunctionType) -> bool:
    """Whether `node` is the definition of `function`: of twins, either will do.

    Since 3.11 code knows its columns. Before, what compiling `node` gives is compared.
    """
    if hasattr(function.__code__, "co_positions"):
        return _holds_positions(node, function.__code__)
    wrapper = ast.parse(f"def wrapper({', '.join(function.__code__.co_freevars)}): pass")
    definition: Any = wrapper.body[0]
    inner = gast.gast_to_ast(node)
    definition.body = [ast.Return(inner) if isinstance(inner, ast.expr) else inner]
    made = compile(ast.fix_missing_locations(wrapper), "<candidate>", "exec")
    outer = next(c for c in made.co_consts if isinstance(c, CodeType))
    found = next(c for c in outer.co_consts if isinstance(c, CodeType))
    return _essence(found) == _essence(function.__code__)


def _holds_positions(node: Any, code: Any) -> bool:
    """Whether all instructions of `code` lie inside of the body of a lambda.

    They need not fill it: Python leaves out what it knows, the side of an `if` that never holds.
    """
    if not isinstance(node, gast.Lambda):
        return True
    body = node.body
    start, stop = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    spans = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    begins = [(line, column) for line, _, column, _ in spans]
    ends = [(line, column) for _, line, _, column in spans]
    return bool(spans) and start <= min(begins) and max(ends) <= stop


def _essence(code: CodeType) -> tuple[Any, ...]:
    """What code does, without where it stands."""
    constants = tuple(
        _essence(c) if isinstance(c, CodeType) else (type(c), repr(c)) for c in code.co_consts
    )
    return (
        code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
        code.co_argcount, code.co_kwonlyargcount, constants,
    )  # fmt: skip


def refuse_unusual(code: CodeType, node: Any) -> None:
    """E0101 for functions that do not simply return, at their `yield` if they have one."""
    for flag, kind, instead in (
        (inspect.CO_COROUTINE, "an async function", "leave out `async`"),
        (inspect.CO_ASYNC_GENERATOR, "an async generator", "leave out `async`"),
        (inspect.CO_GENERATOR, "a generator", "build a list, and return it"),
    ):
        if code.co_flags & flag:
            yields = (x for x in gast.walk(node) if isinstance(x, (gast.Yield, gast.YieldFrom)))
            place = location_in(short_name(code.co_filename), next(yields, node))
            raise fail(
                "E0101", f"{code.co_name} is {kind}, which cannot be compiled",
                location=place, help=instead,
            )  # fmt: skip


def _require_text_of(function: FunctionType, text: str) -> None:
    """Refuse a `text` that is not what `function` was made from (E0102).

    An import hook, such as that of pytest, may have changed the code since; of that only the
    names and constants of the text are asked for.
    """
    code = function.__code__
    known = codes_of(text, code.co_filename).get((code.co_firstlineno, code.co_name), [])
    loader = getattr(function.__globals__.get("__spec__"), "loader", None)
    is_hooked = loader is not None and type(loader) not in PLAIN_LOADERS
    if any(_essence(each) == _essence(code) for each in known):
        return
    if is_hooked and any(_is_within(each, code) for each in known):
        return
    raise fail(
        "E0102", f"the source of {function.__qualname__} is not to be had: {code.co_filename} "
        "holds another text than it was made from",
        help="reload the module, for its file has changed",
    )  # fmt: skip


#: Loaders that take a file as it is.
PLAIN_LOADERS = (SourceFileLoader, zipimporter)


def _is_within(one: CodeType, other: CodeType) -> bool:
    """Whether `other` has all names and constants of `one`, and perhaps more."""
    first, second = (
        {repr(x) for x in code.co_consts if not isinstance(x, CodeType)} for code in (one, other)
    )
    return first <= second and {*one.co_names} <= {*other.co_names}


@lru_cache(maxsize=64)
def codes_of(text: str, file: str) -> dict[tuple[int, str], list[CodeType]]:
    """Code of all functions in a file, by first line and name."""
    found: dict[tuple[int, str], list[CodeType]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the file were shown when it was imported
        rest = [compile(text, file, "exec", dont_inherit=True)]
    while rest:
        code = rest.pop()
        found.setdefault((code.co_firstlineno, code.co_name), []).append(code)
        rest += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


@lru_cache(maxsize=64)
def _definitions(text: str) -> dict[tuple[int, str], list[ast.AST]]:
    """Function definitions and lambdas of a file, by first line and name, as Python parses them."""
    found: dict[tuple[int, str], list[ast.AST]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
    return found


@lru_cache(maxsize=4096)
def _turned(node: ast.AST) -> Any:
    """The definition `node` as a tree of gast; of a file only what is read is turned into one."""
    return gast.ast_to_gast(node)
