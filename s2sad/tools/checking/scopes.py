"""What do the names of a file stand for, as far as that can be told without running it?

A name that is bound at one place only, by an import from a library, by `def` or by `class`, is
known; every other one is bound to something.
"""

from __future__ import annotations

import builtins
import importlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import gast

from s2sad.core.cell import Cell
from s2sad.frontend.known import LIBRARIES, UNKNOWN, meaning, of_module
from s2sad.frontend.survey import parameters

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef)
#: Names that every module has besides those that it binds.
OF_MODULES = ("__file__", "__builtins__", "__cached__", "__annotations__", "__path__")
#: A module that mentions one of these may bind any name.
BINDING = ("exec", "globals", "vars", "locals")


class Scope:
    """A module, a class or a function, and what its own statements bind.

    Attributes
    ----------
    node : gast node
    around : Scope or None
        Classes are passed over, as Python does.
    is_open : bool
        Whether names may be bound that no statement shows.
    """

    def __init__(self, node: Any, around: Scope | None = None) -> None:
        self.node = node
        self.around = around
        self.is_open = False
        self._counts: Counter[str] = Counter()
        self._values: dict[str, Any] = {}
        if not isinstance(node, gast.Module):
            self._bind(parameters(node.args) if hasattr(node, "args") else [], UNKNOWN)
        body = node.body if isinstance(node.body, list) else [node.body]
        for statement in own(body):
            self._note(statement)

    def _note(self, node: Any) -> None:
        if isinstance(node, (*FUNCTIONS, gast.ClassDef)):
            self._bind([node.name], node)
        elif isinstance(node, (gast.Import, gast.ImportFrom)):
            self._import(node)
        elif isinstance(node, gast.Name):
            if not isinstance(node.ctx, gast.Load):
                self._bind([node.id], UNKNOWN)
            elif node.id in BINDING:
                self.is_open = True
        elif not isinstance(node, gast.alias):  # parts of a `case`, which hold names as texts
            names = (getattr(node, field, None) for field in ("name", "rest"))
            self._bind([name for name in names if isinstance(name, str)], UNKNOWN)

    def _bind(self, names: Iterable[str], value: Any) -> None:
        for name in names:
            self._counts[name] += 1
            self._values[name] = value

    def _import(self, node: Any) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if alias.name == "*":
                self._import_all(node)
            elif isinstance(node, gast.ImportFrom):
                module = _module(node.module) if not node.level else UNKNOWN
                self._bind([name], of_module(module, alias.name))
            else:
                self._bind([name], _module(alias.name if alias.asname else name))

    def _import_all(self, node: Any) -> None:
        module = _module(node.module) if not node.level else UNKNOWN
        names = getattr(module, "__all__", None)
        if names is None:
            self.is_open = True
        for name in names or ():
            self._bind([name], getattr(module, name, UNKNOWN))

    def find(self, name: str) -> Any:
        """What `name` means here; KeyError where nothing binds it."""
        if name in self._counts:
            return self._values[name] if self._counts[name] == 1 else UNKNOWN
        if self.around is None:
            raise KeyError(name)
        return self.around.find(name)

    def named(self, name: str) -> Any:
        """The same, or the builtin; `UNKNOWN` where there is none."""
        try:
            return self.find(name)
        except KeyError:
            return getattr(builtins, name, UNKNOWN)

    @property
    def names(self) -> frozenset[str]:
        """What is bound here."""
        return frozenset(self._counts)

    def chain(self) -> Iterator[Scope]:
        """This one, and those around it."""
        yield self
        if self.around is not None:
            yield from self.around.chain()

    def rebind(self, names: Iterable[str]) -> None:
        """Note that something else binds `names` as well: ``global`` of a function."""
        self._bind(names, UNKNOWN)


def own(nodes: Iterable[Any]) -> Iterator[Any]:
    """Nodes of a block, without those of the functions and classes in it."""
    for node in nodes:
        yield node
        if isinstance(node, (*FUNCTIONS, gast.ClassDef)):
            yield from own(node.decorator_list)
        elif isinstance(node, (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)):
            yield from (x.target for x in gast.walk(node) if isinstance(x, gast.NamedExpr))
        elif not isinstance(node, gast.Lambda):
            yield from own(gast.iter_child_nodes(node))


def _module(name: str | None) -> Any:
    """A module that belongs to s2sad, NumPy or Python's library, else `UNKNOWN`."""
    if name is None or name.partition(".")[0] not in LIBRARIES:
        return UNKNOWN
    try:
        return importlib.import_module(name)
    except ImportError:
        return UNKNOWN


def bases(node: Any, scope: Scope) -> Iterator[Any]:
    """What a class is derived from: classes of the file as nodes, those of s2sad as they are."""
    return (meaning(each, scope.named) for each in node.bases)


def lineage(node: Any, scopes: Mapping[Any, Scope]) -> list[Any]:
    """A class of the file and those of the file that it inherits from, nearest first."""
    found = [node]
    for each in found:
        found += [x for x in bases(each, scopes[each]) if _is_class(x) and x not in found]
    return found


def is_cell(node: Any, scopes: Mapping[Any, Scope]) -> bool:
    """Whether a class is a Cell, or has a `construct` and comes from another file."""
    found = [each for x in lineage(node, scopes) for each in bases(x, scopes[x])]
    if any(isinstance(each, type) and issubclass(each, Cell) for each in found):
        return True
    is_foreign = any(each is UNKNOWN for each in found)
    return is_foreign and "construct" in methods(lineage(node, scopes))


def methods(classes: Iterable[Any]) -> dict[str, Any]:
    """Functions that `classes`, nearest first, define, by name."""
    found: dict[str, Any] = {}
    for each in classes:
        for node in each.body:
            if isinstance(node, FUNCTIONS):
                found.setdefault(node.name, node)
    return found


def _is_class(value: Any) -> bool:
    return isinstance(value, gast.ClassDef)
