"""How does the text of a dump become a function again?

Nothing of the file is executed: its syntax tree is walked, each type is inferred again, and what
is written must agree. Both print styles are read, and lines edited by hand: annotations and
locations may be missing, calls nested, operators used, numbers written bare. Whatever is wrong
is an error that points at its line.
"""

from __future__ import annotations

import ast
import linecache
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, TypeGuard

import numpy as np

from s2sad.core import location as locations
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail
from s2sad.ir.builder import Builder
from s2sad.ir.collection import collection_paused
from s2sad.ir.graph import Function, Region, Value
from s2sad.ir.plain import constants
from s2sad.ir.primitive import Primitive
from s2sad.ir.printer import FOOTER, IMPORTS, SEPARATOR, VERSION
from s2sad.ir.read_blocks import BlockReader, without_docstring
from s2sad.ir.read_source import Source
from s2sad.ir.read_static import StaticReader

#: Gives the constants that lie beside a dump in the file that it names.
Beside = Callable[[str], Mapping[str, np.ndarray]]

_HEADER = re.compile(r"s2sad ir (\S+)(.*)")
_ALLOWED = {ast.dump(statement) for statement in ast.parse(IMPORTS).body}


def read_text(
    text: str,
    vocabulary: Mapping[str, Primitive],
    *,
    filename: str = "<dump>",
    beside: Beside | None = None,
) -> Function:
    """Function that `text`, printed in either style or edited, stands for.

    Parameters
    ----------
    text : str
    vocabulary : mapping of str to Primitive
        Primitives by name: ``s2sad.prims.ALL``.
    filename : str
        Stands in errors.
    beside : callable, optional
        Takes the file's name in ``consts=`` and gives the arrays in it.

    Raises
    ------
    S2sadError
        E0601 for what is no dump, with its place; E0603 for another version of the text form;
        E0602 for constants that are missing; E03 and E04 from the type rules.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> function = read_text('''
    ... def square(x: f32[4]):
    ...     return x * x + 1.0
    ... ''', p.ALL)
    >>> function
    <function square(f32[4]) -> (f32[4])>
    """
    source = Source(filename, text)
    title = _title(source.lines[0].removeprefix("# "), source)
    return _read(_parsed(source), vocabulary, source, beside, title)


def read_tree(
    tree: ast.Module,
    vocabulary: Mapping[str, Primitive],
    *,
    filename: str = "<dump>",
    beside: Beside | None = None,
) -> Function:
    """Function of the syntax tree `tree`, such as `print_tree` gives; as for `read_text`.

    Locations are taken from the ``comment`` of statements, the title from the first ``lead``.
    """
    source = Source(filename, None)
    lead = getattr(tree.body[0], "lead", ()) if tree.body else ()
    return _read(tree, vocabulary, source, beside, _title(lead[0] if lead else "", source))


def read_region(
    run: FunctionType, vocabulary: Mapping[str, Primitive]
) -> Callable[..., Sequence[Value]]:
    """What the region `run` of a dump that plain Python is running does, for values of the IR.

    Its text is read where Python has it from; constants beside the dump are those that are open.

    Parameters
    ----------
    run : function
        Decorated by ``@region``.
    vocabulary : mapping of str to Primitive

    Raises
    ------
    S2sadError
        E0604 where the text cannot be found, or is another by now; E0601 for what is no dump.
        At the call those of `read_text`.
    """
    file = run.__code__.co_filename
    linecache.checkcache(file)
    source = Source(file, "".join(linecache.getlines(file)))
    tree = _parsed(source)
    definition = next((node for node in ast.walk(tree) if _defines(node, run)), None)
    now = compile(tree, file, "exec", dont_inherit=True)
    if definition is None or run.__code__ not in _codes(now):
        raise fail(
            "E0604", f"the text of the region {run.__name__} is not found in {file}",
            help="a derivative is taken of the text of a region: run the dump from its file",
        )  # fmt: skip
    return _ModuleReader(source, vocabulary, None).region(tree, definition)


def _defines(node: ast.AST, run: FunctionType) -> TypeGuard[ast.FunctionDef]:
    """Whether `node` is the definition of `run`, whose code begins with its decorator."""
    return (
        isinstance(node, ast.FunctionDef)
        and node.name == run.__name__
        and len(node.decorator_list) > 0
        and node.decorator_list[0].lineno == run.__code__.co_firstlineno
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    """`code`, and that of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _parsed(source: Source) -> ast.Module:
    try:
        with warnings.catch_warnings(), collection_paused():
            warnings.simplefilter("ignore")  # of odd Python, which is refused further on
            return ast.parse(source.text or "")
    except SyntaxError as error:
        place = locations.Location(
            source.name, max(error.lineno or 1, 1), max((error.offset or 1) - 1, 0)
        )
        raise source.refusal_at(place, f"this is no Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        place = locations.Location(source.name, 1, 0)
        raise source.refusal_at(place, f"this is no Python: {error}") from error


def _title(header: str, source: Source) -> str:
    """Title in the first line, which must be of our version where it is a header at all."""
    found = _HEADER.fullmatch(header)
    if found is None:
        return ""
    if found[1] != str(VERSION):
        raise source.refusal_at(
            locations.Location(source.name, 1, 0),
            f"the text form has version {found[1]}, and this s2sad reads version {VERSION}",
            help="print it again, or read it by the s2sad that printed it",
            code="E0603",
        )
    return (header.split(SEPARATOR) + [""])[1]


def _read(
    tree: ast.Module,
    vocabulary: Mapping[str, Primitive],
    source: Source,
    beside: Beside | None,
    title: str,
) -> Function:
    try:
        with collection_paused(), locations.origin(None, ""):
            return _ModuleReader(source, vocabulary, beside).function(tree, title)
    except RecursionError as error:
        raise source.refusal(tree, "the text nests too deeply") from error


class _ModuleReader:
    """Reads one file: imports, symbols, one function, and the footer that runs it."""

    def __init__(
        self, source: Source, vocabulary: Mapping[str, Primitive], beside: Beside | None
    ) -> None:
        self.source = source
        self.static = StaticReader(source)
        self.beside = beside
        self.stored: Mapping[str, np.ndarray] = {}
        self.reader = BlockReader(source, self.static, vocabulary, self._constant)

    def function(self, tree: ast.Module, title: str) -> Function:
        definition: ast.FunctionDef | None = None
        for statement in without_docstring(tree.body):
            if isinstance(statement, ast.FunctionDef) and definition is None:
                definition = statement
            elif not self._is_known(statement, definition):
                raise self.source.refusal(
                    statement,
                    "a dump is two imports, symbols, and one function",
                    help="the imports are `{}` and `{}`".format(*IMPORTS.splitlines()),
                )
        if definition is None:
            raise self.source.refusal(tree, "there is no function in this text")
        return self._function(definition, title)

    def region(
        self, tree: ast.Module, definition: ast.FunctionDef
    ) -> Callable[..., Sequence[Value]]:
        """What the region at `definition`, somewhere in `tree`, does."""
        for statement in tree.body:
            self._is_symbol(statement)
        self.stored = constants.get() or {}
        return lambda *args: self.reader.function_body(definition, args)

    def _is_known(self, statement: ast.stmt, definition: ast.FunctionDef | None) -> bool:
        if definition is not None:
            footer = FOOTER.format(definition.name)
            return ast.dump(statement) == ast.dump(ast.parse(footer).body[0])
        return ast.dump(statement) in _ALLOWED or self._is_symbol(statement)

    def _is_symbol(self, statement: ast.stmt) -> bool:
        """Whether `statement` is ``B = symbol("B")``, which is then known."""
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name):
            return False
        expected = ast.parse(f"{target.id} = symbol({target.id!r})").body[0]
        if ast.dump(statement) != ast.dump(expected):
            return False
        self.static.declare(statement, target.id)
        return True

    def _function(self, node: ast.FunctionDef, title: str) -> Function:
        parameters = self.reader.parameters(node)
        names = [parameter.arg for parameter in parameters]
        signature = self._decorator(node, names)
        if signature["consts"] is not None:
            self.stored = self._load(signature["consts"], node)
        body = Region([self._parameter_type(parameter) for parameter in parameters])
        with Builder(body).active():
            body.set_reads(self.reader.function_body(node, body.args))
        count = len(body.yields)
        tree = signature["tree"] or ("0" if count == 1 else str(tuple(range(count))))
        self._check_tree(tree, count, node)
        donates = {names.index(key): result for key, result in signature["donates"].items()}
        if any(result not in range(count) for result in donates.values()):
            raise self.source.refusal(node, f"donates names a result that is none of {count}")
        title = "" if title == node.name else title
        return Function(node.name, body, signature["inputs"], donates, tree, title)

    def _parameter_type(self, parameter: ast.arg) -> Any:
        if parameter.annotation is None:
            raise self.source.refusal(
                parameter, f"{parameter.arg} needs a type", help=f"write `{parameter.arg}: f32[8]`"
            )
        return self.static.type(parameter.annotation, declares=True)

    # ---- what the decorator says -----------------------------------------------------------

    def _decorator(self, node: ast.FunctionDef, names: list[str]) -> dict[str, Any]:
        """Keywords of ``@function(...)``; those that are missing say what is usual."""
        given: dict[str, Any] = {"inputs": tuple(names), "donates": {}}
        given.update(tree=None, consts=None)
        for decorator in node.decorator_list:
            if (
                not isinstance(decorator, ast.Call)
                or not isinstance(decorator.func, ast.Name)
                or decorator.func.id != "function"
                or decorator.args
                or len(node.decorator_list) > 1
            ):
                message = "a dump's function is decorated by @function(...)"
                raise self.source.refusal(decorator, message)
            for keyword in decorator.keywords:
                if keyword.arg not in given:
                    help = did_you_mean(keyword.arg or "", given)
                    raise self.source.refusal(keyword.value, f"no keyword {keyword.arg}", help=help)
                given[keyword.arg] = self._value(keyword.arg, keyword.value, names)
        return given

    def _value(self, keyword: str, node: ast.expr, names: list[str]) -> Any:
        value = _literal(node)
        good = {
            "inputs": isinstance(value, tuple)
            and len(value) == len(names)
            and all(isinstance(item, str) for item in value),
            "donates": isinstance(value, dict)
            and all(key in names and type(result) is int for key, result in value.items()),
            "tree": isinstance(value, str),
            "consts": value is None or isinstance(value, str) and re.fullmatch(r"[^/\\\0]+", value),
        }
        if not good[keyword]:
            raise self.source.refusal(
                node,
                f"{keyword} does not fit",
                help={
                    "inputs": f"a tuple of {len(names)} strings, one for each parameter",
                    "donates": 'parameters to the numbers of results: {"w": 1}',
                    "tree": 'a string such as "(0, 1)"',
                    "consts": "None, or the name of a file beside this one",
                }[keyword],
            )
        return value

    def _check_tree(self, tree: str, count: int, node: ast.AST) -> None:
        try:
            leaves = list(_leaves(ast.literal_eval(tree)))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise self.source.refusal(node, f"the tree is no literal: {tree}") from error
        if any(leaf not in range(count) for leaf in leaves):
            message = f"the tree {tree} names a result that is none of {count}"
            raise self.source.refusal(node, message)

    # ---- constants beside the text ---------------------------------------------------------

    def _load(self, file: str, node: ast.AST) -> Mapping[str, np.ndarray]:
        try:
            if self.beside is None:
                raise fail(
                    "E0602", f"the constants in {file} are needed", help="use s2sad.ir.store.load"
                )
            return self.beside(file)
        except S2sadError as error:
            self.source.reraise(error, node)

    def _constant(self, key: str) -> np.ndarray:
        if key not in self.stored:
            raise fail("E0602", f"no constants beside the dump hold {key!r}")
        return self.stored[key]


def _literal(node: ast.expr) -> Any:
    """The Python literal that `node` writes; Ellipsis, which fits nowhere, for anything else."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ...


def _leaves(tree: Any) -> Any:
    """The ints in a tree of tuples, lists and dicts."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    if isinstance(tree, (tuple, list)):
        for item in tree:
            yield from _leaves(item)
    elif type(tree) is int:
        yield tree
