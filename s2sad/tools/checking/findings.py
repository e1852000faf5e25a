"""What is wrong in one file, in all that is compiled of it?

Compiled are the `construct` and `bprop` of each Cell, functions that `compile`, `grad` and the like
decorate or are given, and whatever of the file these call. Each is gone through as the compiler
does after an error (`frontend.survey`), but with what the text says names are, in place of what
they were bound to. Shapes and dtypes are not known: what is wrong with those, only a call tells.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator
from typing import Any

import gast

import s2sad
from s2sad import ops
from s2sad.core.diagnostics import Diagnostic, S2sadError, fail
from s2sad.core.location import Location
from s2sad.frontend import refusals
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.known import UNKNOWN, meaning
from s2sad.frontend.read import deep_recursion
from s2sad.frontend.source import location_in
from s2sad.frontend.survey import Survey
from s2sad.frontend.trail import Trail
from s2sad.ir.graph import Region
from s2sad.tools.checking.attributes import meant, set_in
from s2sad.tools.checking.parsing import parsed
from s2sad.tools.checking.scopes import FUNCTIONS, OF_MODULES, Scope, is_cell, lineage, methods
from s2sad.tools.checking.sources import Source

#: Methods of a Cell that are compiled whoever calls them.
OF_CELLS = ("construct", "bprop")
#: What compiles the function that it is given, sooner or later.
COMPILING = tuple(
    getattr(module, name)
    for module in (s2sad, ops)
    for name in (
        "checkpoint", "compile", "custom_vjp", "grad", "hessian", "jacfwd", "jacrev", "jvp",
        "value_and_grad", "vjp", "vmap",
    )
    if hasattr(module, name)
)  # fmt: skip
#: What may decorate a function that compiled code calls; of others nobody knows what they make.
PLAIN = (*COMPILING, classmethod, property, staticmethod)
YIELDS = (gast.Yield, gast.YieldFrom, gast.Await)


def findings(source: Source) -> list[Diagnostic]:
    """All that is wrong in a file, in the order of the text.

    Of what was reached by several calls, the first is named.
    """
    try:
        with deep_recursion(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python, about the text
            tree = parsed(source)
            found = list(_Checking(source.file, tree).run())
    except S2sadError as error:
        return [error.diagnostic]
    except RecursionError:
        return [refusals.too_deep(Location(source.file, 1, 0)).diagnostic]
    by_place: dict[Any, Diagnostic] = {}
    for each in found:
        by_place.setdefault(_place(each), each)
    return [by_place[place] for place in sorted(by_place)]


def _place(found: Diagnostic) -> tuple[int, int]:
    assert found.location is not None
    return found.location.line, found.location.column


class _Checking:
    """Goes through a file.

    Attributes
    ----------
    scopes : dict of node to Scope
        Where a function, a lambda or a class is defined.
    inner : dict of node to Scope
        What a function binds.
    owners : dict of node to node
        The class that a method belongs to.
    attributes : frozenset of str or None
        Those that the file sets, if its text shows all of them.
    """

    def __init__(self, file: str, tree: Any) -> None:
        self.file = file
        self.module = Scope(tree)
        self.attributes = set_in(tree)
        self.scopes: dict[Any, Scope] = {}
        self.inner: dict[Any, Scope] = {}
        self.owners: dict[Any, Any] = {}
        self._calls: list[tuple[Any, Scope]] = []
        self._waiting: deque[tuple[Any, Location | None]] = deque()
        self._seen: set[Any] = set()
        self._collect(tree, self.module, None)

    def _collect(self, around: Any, scope: Scope, owner: Any) -> None:
        for node in gast.iter_child_nodes(around):
            if isinstance(node, gast.Global):
                self.module.rebind(node.names)
            if isinstance(node, gast.Name) and node.id == "globals":  # who calls it, may write
                self.module.is_open = True
            if isinstance(node, gast.Call):
                self._calls.append((node, scope))
            inside, of = scope, None
            if isinstance(node, (*FUNCTIONS, gast.Lambda)):
                self.scopes[node], inside = scope, Scope(node, scope)
                self.inner[node] = inside
                if owner is not None:
                    self.owners[node] = owner
            elif isinstance(node, gast.ClassDef):
                self.scopes[node], of = scope, node
            self._collect(node, inside, of)

    def run(self) -> Iterator[Diagnostic]:
        for node in list(self.scopes):
            if self._is_root(node):
                self.check(node, None)
        for call, scope in self._calls:
            self._check_given(call, scope)
        while self._waiting:
            node, caller = self._waiting.popleft()
            yield from _OfFile(self, node, caller).all()

    def check(self, node: Any, caller: Location | None) -> None:
        """Go through the function `node` as well, which is called at `caller`."""
        if node not in self._seen:
            self._seen.add(node)
            self._waiting.append((node, caller))

    def _is_root(self, node: Any) -> bool:
        if not isinstance(node, FUNCTIONS):
            return False
        if any(each in COMPILING for each in self.decorators(node)):
            return True
        owner = self.owners.get(node)
        return owner is not None and node.name in OF_CELLS and is_cell(owner, self.scopes)

    def decorators(self, node: Any) -> list[Any]:
        """What decorates a function, or makes what does."""
        written = [x.func if isinstance(x, gast.Call) else x for x in node.decorator_list]
        return [meaning(each, self.scopes[node].named) for each in written]

    def _check_given(self, call: Any, scope: Scope) -> None:
        """A function that a call has compiled."""
        if call.args and meaning(call.func, scope.named) in COMPILING:
            given = call.args[0]
            node = given if isinstance(given, gast.Lambda) else meaning(given, scope.named)
            if isinstance(node, (*FUNCTIONS, gast.Lambda)):
                self.check(node, None)


class _OfFile(Survey):
    """Goes through one function of a file."""

    def __init__(self, checking: _Checking, node: Any, caller: Location | None) -> None:
        self.checking = checking
        self._around = checking.scopes[node]
        self._owner = checking.owners.get(node)
        self._calls: dict[Any, Any] = {}
        self._is_unusual = False
        frame = Frame(
            Session(Region()), checking.file, self._global_names(), self._closure(), caller,
            assigned=checking.inner[node].names, tree=node,
        )  # fmt: skip
        super().__init__(frame, Trail())
        self.tree = node

    def _global_names(self) -> dict[str, Any]:
        module = self.checking.module
        names = dict.fromkeys((*module.names, *OF_MODULES), UNKNOWN)
        return _AnyName(names) if any(s.is_open for s in self._around.chain()) else names

    def _closure(self) -> dict[str, Any]:
        scopes = [scope for scope in self._around.chain() if scope is not self.checking.module]
        found = {name: UNKNOWN for scope in scopes for name in scope.names}
        return found if self._owner is None else {**found, "__class__": UNKNOWN}

    def all(self) -> Iterator[Diagnostic]:
        """What is wrong in the function."""
        try:
            kind = self._unusual()
            if kind is not None:
                yield kind.diagnostic
            yield from list(self.function(self.tree))
        except RecursionError:
            yield refusals.too_deep(self.frame.location(self.tree)).diagnostic

    def _unusual(self) -> S2sadError | None:
        """E0101 for a function that does not simply return, at its `yield` if it has one."""
        node = self.tree
        yields = [x for x in _own_expressions(node) if isinstance(x, (gast.Yield, gast.YieldFrom))]
        if isinstance(node, gast.AsyncFunctionDef):
            kind, instead, yields = "an async function", "leave out `async`", yields[:0]
        elif yields:
            kind, instead = "a generator", "build a list, and return it"
        else:
            return None
        self._is_unusual = True
        place = location_in(self.frame.file, (*yields, node)[0], self.frame.caller)
        name = getattr(node, "name", "this lambda")
        return fail(
            "E0101", f"{name} is {kind}, which cannot be compiled", location=place, help=instead
        )

    def error(self, node: Any) -> S2sadError | None:
        if self._is_unusual and isinstance(node, YIELDS):
            return None  # that has been said
        return super().error(node) or self._attribute_error(node)

    def _attribute_error(self, node: Any) -> S2sadError | None:
        """E0220 for an attribute of `self` that is misspelt."""
        given = self.checking.attributes
        if given is None or not self._is_of_self(node) or not isinstance(node.ctx, gast.Load):
            return None
        classes = lineage(self._owner, self.checking.scopes)
        help = meant(node.attr, classes, self.checking.scopes, given)
        if help is None:
            return None
        text = f"{node.value.id} ({classes[0].name}) has no attribute {node.attr!r}"
        return fail("E0220", text, location=self.frame.location(node), help=help)

    def _is_of_self(self, node: Any) -> bool:
        """Whether `node` is an attribute of the Cell whose method this is."""
        if self._owner is None or not isinstance(node, gast.Attribute):
            return False
        first = self.tree.args.args[:1]
        named = isinstance(node.value, gast.Name) and node.value.id in [x.id for x in first]
        kinds = self.checking.decorators(self.tree)
        return named and staticmethod not in kinds and classmethod not in kinds

    def outside(self, name: str) -> Any:
        return self._around.named(name)

    def node(self, node: Any) -> Iterator[Diagnostic]:
        if isinstance(node, gast.Call):
            self._calls[node.func] = node
        called = self._called(node)
        if isinstance(called, FUNCTIONS) and self._is_plain(called):
            self.checking.check(called, self.frame.location(self._calls.get(node, node)))
        yield from super().node(node)

    def _is_plain(self, node: Any) -> bool:
        return all(each in PLAIN for each in self.checking.decorators(node))

    def _called(self, node: Any) -> Any:
        """The function of the file that an expression names."""
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load):
            return self.named(node.id)
        if not isinstance(node, gast.Attribute) or self._owner is None:
            return None
        classes = lineage(self._owner, self.checking.scopes)
        if _is_super(node.value):
            return methods(classes[1:]).get(node.attr)
        return methods(classes).get(node.attr) if self._is_of_self(node) else None


class _AnyName(dict):
    """Names of a module that may have more of them than its text shows."""

    def __contains__(self, name: object) -> bool:
        return True


def _is_super(node: Any) -> bool:
    is_call = isinstance(node, gast.Call) and isinstance(node.func, gast.Name)
    return is_call and node.func.id == "super"


def _own_expressions(node: Any) -> Iterator[Any]:
    """Nodes of a function, without those of the functions in it."""
    for each in gast.iter_child_nodes(node):
        yield each
        if not isinstance(each, (*FUNCTIONS, gast.Lambda, gast.ClassDef)):
            yield from _own_expressions(each)
