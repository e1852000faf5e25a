"""Where is the source of a function, as a syntax tree with true line and column numbers?

The whole file is parsed once and the function is found in it by its first line and its name, so
columns need no repair and text inside strings is left alone.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import gast

from s2sad.core.diagnostics import fail
from s2sad.core.location import Location


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
        raise fail("E0102", f"{function!r} is no Python function, so it has no source")
    code = function.__code__
    refuse_unusual(code)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text:
        raise fail(
            "E0102",
            f"the source of {function.__qualname__} is not available ({code.co_filename})",
            help="define it in a file, or where `linecache` holds its text (a notebook does)",
        )
    found = _definitions(text).get((code.co_firstlineno, code.co_name), [])
    if len(found) > 1:
        found = [node for node in found if _is_code_of(node, function)][:1]
    if len(found) != 1:
        raise fail(
            "E0102",
            f"cannot tell which of {len(found)} definitions at {code.co_filename}:"
            f"{code.co_firstlineno} is {function.__qualname__}",
            help="put it on a line of its own, and reload the module if its file has changed",
        )
    return Source(function, found[0], short_name(code.co_filename))


@cache
def short_name(file: str) -> str:
    """`file` as seen from the module path, where `linecache` finds it by that name as well.

    Dumps then read the same on every machine: ``s2sad/nn/basic.py``.
    """
    path = Path(file)
    for folder in filter(None, sys.path):
        if path.is_relative_to(folder):
            name = path.relative_to(folder).as_posix()
            first = next(Path(f, name) for f in sys.path if Path(f, name).is_file())
            return name if first.samefile(path) else file
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
    """Whether all instructions of `code` lie inside of the body of a lambda, and begin there."""
    if not isinstance(node, gast.Lambda):
        return True
    body = node.body
    start, stop = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    spans = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    begins = [(line, column) for line, _, column, _ in spans]
    ends = [(line, column) for _, line, _, column in spans]
    return bool(spans) and min(begins) == start and max(ends) == stop


def _essence(code: CodeType) -> tuple[Any, ...]:
    """What code does, without where it stands."""
    constants = tuple(
        _essence(c) if isinstance(c, CodeType) else (type(c), repr(c)) for c in code.co_consts
    )
    return (
        code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
        code.co_argcount, code.co_kwonlyargcount, constants,
    )  # fmt: skip


def refuse_unusual(code: CodeType) -> None:
    """E0101 for functions that do not simply return."""
    for flag, kind in (
        (inspect.CO_COROUTINE, "an async function"),
        (inspect.CO_ASYNC_GENERATOR, "an async generator"),
        (inspect.CO_GENERATOR, "a generator"),
    ):
        if code.co_flags & flag:
            place = Location(short_name(code.co_filename), code.co_firstlineno, 0)
            raise fail(
                "E0101", f"{code.co_name} is {kind}, which cannot be compiled",
                location=place, help="build a list instead",
            )  # fmt: skip


@lru_cache(maxsize=64)
def _definitions(text: str) -> dict[tuple[int, str], list[Any]]:
    """Function definitions and lambdas of a file, by first line and name."""
    found: dict[tuple[int, str], list[Any]] = {}
    for node in gast.walk(gast.parse(text)):
        if isinstance(node, gast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.setdefault((first, node.name), []).append(node)
        elif isinstance(node, gast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
    return found
