"""What else is wrong in the functions that led to an error, as far as their text alone tells?

The first error ends compiling. Before the user sees it, the functions that were being read are
gone through for what no compiled code may contain and for names that nothing defines, so that all
of them are mended at once. Nothing is reported on sides of static branches that were not taken, nor
when there is no error: what never runs may be anything.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sad.core.diagnostics import Diagnostic, S2sadError, amend
from s2sad.core.location import Location
from s2sad.frontend import refusals
from s2sad.frontend.carried import stored_names
from s2sad.frontend.expressions import EXPRESSIONS
from s2sad.frontend.frame import Frame
from s2sad.frontend.statements import STATEMENTS
from s2sad.frontend.trail import Trail

#: Errors that are shown besides the first.
OTHERS_SHOWN = 5

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def add_others(error: S2sadError, trail: Trail) -> None:
    """Let `error` tell what else is wrong in the functions that were read, its own first."""
    place = error.diagnostic.place
    seen = {_key(place)}
    found: list[Diagnostic] = []
    shown = None if place is None else place.caller  # the calls that the error shows already
    for node, frame in sorted(trail.bodies.items(), key=lambda body: body[1].caller != shown):
        if frame.location(node).is_own:
            continue
        caller = None if frame.caller == shown else frame.caller
        for other in _Survey(replace(frame, caller=caller), trail).function(node):
            if _key(other.location) not in seen:
                seen.add(_key(other.location))
                found.append(other)
    left_out = len(found) - OTHERS_SHOWN
    if left_out > 1:
        last = found[OTHERS_SHOWN - 1]
        left = f"and {left_out} more errors"
        found = [*found[: OTHERS_SHOWN - 1], replace(last, notes=(*last.notes, left))]
    if found:
        amend(error, others=tuple(found))


def _key(place: Location | None) -> tuple[Any, ...] | None:
    return None if place is None else (place.file, place.line, place.column)


class _Survey:
    """Goes through the text of one function.

    Attributes
    ----------
    frame : Frame
        Of a call of it: what its names are bound to.
    scopes : list of set of str
        Names of functions and comprehensions around what is looked at, inside of the function.
    """

    def __init__(self, frame: Frame, trail: Trail) -> None:
        self.frame = frame
        self.trail = trail
        self.scopes: list[set[str]] = []

    def function(self, node: Any) -> Iterator[Diagnostic]:
        """Errors in the body of a function or a lambda."""
        self.scopes.append(_declared(node))
        yield from self.each(node.body if isinstance(node.body, list) else [node.body])

    def each(self, nodes: Iterable[Any]) -> Iterator[Diagnostic]:
        for node in nodes:
            yield from self.node(node)

    def node(self, node: Any) -> Iterator[Diagnostic]:
        """Errors in a statement or an expression, in the order of the text."""
        error = self._error(node)
        if error is not None:
            yield error.diagnostic
        yield from self._inside(node)

    def _error(self, node: Any) -> S2sadError | None:
        place = self.frame.location(node)
        if _is_refused(node):
            return refusals.construct(node, place)
        if isinstance(node, gast.Name) and not self._is_bound(node):
            return self.frame.undefined(node.id, place)
        function = self._builtin(node.func) if isinstance(node, gast.Call) else None
        return refusals.calling(function, place) if refusals.is_never_called(function) else None

    def _inside(self, node: Any) -> Iterator[Diagnostic]:
        if isinstance(node, gast.ClassDef):  # its names are its own
            return
        if isinstance(node, (gast.If, gast.IfExp)):
            yield from self._branches(node)
        elif isinstance(node, (gast.FunctionDef, gast.Lambda)):
            yield from self._definition(node)
        elif isinstance(node, COMPREHENSIONS):
            self.scopes.append(set(stored_names([each.target for each in node.generators])))
            yield from self.each(gast.iter_child_nodes(node))
            self.scopes.pop()
        elif isinstance(node, gast.AnnAssign):  # annotations of variables are not evaluated
            yield from self.each([node.value] if node.value is not None else [])
        else:
            yield from self.each(gast.iter_child_nodes(node))

    def _branches(self, node: Any) -> Iterator[Diagnostic]:
        """Both sides of an `if`, but for one that was known not to be taken."""
        yield from self.node(node.test)
        taken = self.trail.taken.get(node, {True, False})
        for side, part in ((True, node.body), (False, node.orelse)):
            if side in taken:
                yield from self.each(part if isinstance(part, list) else [part])

    def _definition(self, node: Any) -> Iterator[Diagnostic]:
        """A function that is defined in the function: its defaults belong to what is around it."""
        yield from self.each(node.args.defaults)
        yield from self.each(x for x in node.args.kw_defaults if x is not None)
        yield from self.each(getattr(node, "decorator_list", []))
        body = node.body if isinstance(node.body, list) else [node.body]
        self.scopes.append({*_parameters(node.args), *stored_names(body), *_declared(node)})
        yield from self.each(body)
        self.scopes.pop()

    def _is_bound(self, node: Any) -> bool:
        is_read = isinstance(node.ctx, gast.Load)
        return not is_read or hasattr(builtins, node.id) or self._is_known(node.id)

    def _is_known(self, name: str) -> bool:
        """Whether `name` is bound to something that is no builtin."""
        frame = self.frame
        is_outside = name in frame.closure or name in frame.global_names
        return is_outside or frame.has(name) or any(name in scope for scope in self.scopes)

    def _builtin(self, node: Any) -> Any:
        """The builtin that the expression `node` names; None for anything else."""
        is_other = not isinstance(node, gast.Name) or self._is_known(node.id)
        return None if is_other else getattr(builtins, node.id, None)


def _is_refused(node: Any) -> bool:
    """Whether `node` is of a kind that compiled code may not contain."""
    if isinstance(node, gast.stmt):
        return type(node) not in STATEMENTS
    is_expression = isinstance(node, gast.expr) and not isinstance(node, gast.Starred)
    return is_expression and type(node) not in EXPRESSIONS


def _parameters(arguments: Any) -> list[str]:
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [x.id for x in (*given, arguments.vararg, arguments.kwarg) if x is not None]


def _declared(node: Any) -> set[str]:
    """Names that `node` says are variables of something around it."""
    statements = (x for x in gast.walk(node) if isinstance(x, (gast.Global, gast.Nonlocal)))
    return {name for statement in statements for name in statement.names}
