"""What else is wrong in the functions that led to an error, as far as their text alone tells?

The first error ends compiling. Before the user sees it, the functions that were being read are
gone through for what no compiled code may contain, for names that nothing defines, and for calls
that can only fail, so that all of them are mended at once. Nothing is reported on sides of static
branches that were not taken, behind a `return`, where it would be caught, nor when there is no
error: what never runs may be anything. What is only wrong because something else is, is left out.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sad.core.diagnostics import Diagnostic, S2sadError, amend, class_of
from s2sad.core.location import Location
from s2sad.frontend import known, refusals
from s2sad.frontend.carried import stored_names
from s2sad.frontend.expressions import EXPRESSIONS
from s2sad.frontend.frame import Frame
from s2sad.frontend.scopes import declared
from s2sad.frontend.statements import STATEMENTS
from s2sad.frontend.trail import Trail
from s2sad.frontend.unassigned import COMPREHENSIONS, unassigned

#: Errors that are shown besides the first.
OTHERS_SHOWN = 5

#: What stands behind one of these in a block never runs.
LEAVING = (gast.Return, gast.Raise, gast.Break, gast.Continue)
#: Families of errors that an `except` may catch, since Python would raise the like.
CATCHABLE = ("E02", "E03")


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
        for other in Survey(replace(frame, caller=caller), trail).function(node):
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


class Survey:
    """Goes through the text of one function.

    Attributes
    ----------
    frame : Frame
        Of a call of it: what its names are bound to.
    tree : gast node
        The function.
    scopes : list of set of str
        Names of functions and comprehensions around what is looked at, inside of the function.
    """

    def __init__(self, frame: Frame, trail: Trail) -> None:
        self.frame = frame
        self.trail = trail
        self.tree: Any = None
        self.scopes: list[set[str]] = []

    def function(self, node: Any) -> Iterator[Diagnostic]:
        """Errors in the body of a function or a lambda."""
        self.tree = node
        self.scopes.append(_declared(node))
        yield from self.each(node.body if isinstance(node.body, list) else [node.body])

    def each(self, nodes: Iterable[Any]) -> Iterator[Diagnostic]:
        for node in nodes:
            yield from self.node(node)
            if isinstance(node, LEAVING):
                break

    def node(self, node: Any) -> Iterator[Diagnostic]:
        """Errors in a statement or an expression, in the order of the text."""
        error = self.error(node)
        if error is not None:
            yield error.diagnostic
        yield from self._inside(node)

    def error(self, node: Any) -> S2sadError | None:
        """What is wrong with `node` itself."""
        place = self.frame.location(node)
        if _is_refused(node):
            return refusals.construct(node, place)
        if isinstance(node, gast.Name):
            return self._of_name(node, place)
        if isinstance(node, gast.Attribute) and isinstance(node.ctx, gast.Load):
            return known.missing(node, self.named, place)
        return known.refused(node, self.named, place) if isinstance(node, gast.Call) else None

    def _of_name(self, node: Any, place: Location | None) -> S2sadError | None:
        if node in unassigned(self.tree):
            return refusals.unassigned(node.id, place)
        if isinstance(node.ctx, gast.Store) and len(self.scopes) == 1:
            is_bound = declared(self.tree).get(node.id) is not gast.Global
            return None if is_bound else refusals.assigning_global(node.id, place)
        return None if self._is_bound(node) else self.frame.undefined(node.id, place)

    def named(self, name: str) -> Any:
        """What `name` is bound to outside of the function; `known.UNKNOWN` for its own variables.

        Where nothing defines it, it is unknown as well: that is another error.
        """
        if any(name in scope for scope in self.scopes) or self.frame.has(name):
            return known.UNKNOWN
        return self.outside(name)

    def outside(self, name: str) -> Any:
        """What `name` is bound to around the function."""
        frame = self.frame
        if name in frame.closure:
            try:
                return frame.closure[name].cell_contents
            except ValueError:
                return known.UNKNOWN
        return frame.global_names.get(name, getattr(builtins, name, known.UNKNOWN))

    def _inside(self, node: Any) -> Iterator[Diagnostic]:
        if isinstance(node, (gast.ClassDef, gast.AsyncFunctionDef)):  # their names are their own
            return
        if isinstance(node, (gast.If, gast.IfExp)):
            yield from self._branches(node)
        elif isinstance(node, gast.Try):
            yield from self._try(node)
        elif isinstance(node, (gast.FunctionDef, gast.Lambda)):
            yield from self._definition(node)
        elif isinstance(node, COMPREHENSIONS):
            self.scopes.append(set(stored_names([each.target for each in node.generators])))
            yield from self.each(gast.iter_child_nodes(node))
            self.scopes.pop()
        elif isinstance(node, gast.AnnAssign):  # annotations of variables are not evaluated
            yield from self.each([node.value] if node.value is not None else [])
        else:
            for part in _parts(node):
                yield from self.each(part)

    def _branches(self, node: Any) -> Iterator[Diagnostic]:
        """Both sides of an `if`, but for one that is known not to be taken."""
        yield from self.node(node.test)
        taken = self.trail.taken.get(node) or _sides(node.test)
        for side, part in ((True, node.body), (False, node.orelse)):
            if side in taken:
                found = self.each(part if isinstance(part, list) else [part])
                yield from (x for x in found if x.code != "E0220" or not _asks(node.test))

    def _try(self, node: Any) -> Iterator[Diagnostic]:
        """A `try`, without what its handlers catch."""
        caught = {name for handler in node.handlers for name in _caught(handler)}
        for found in self.each(node.body):
            kinds = {kind.__name__ for kind in class_of(found.code).__mro__}
            if not (found.code.startswith(CATCHABLE) and caught & kinds):
                yield found
        for part in (node.handlers, node.orelse, node.finalbody):
            yield from self.each(part)

    def _definition(self, node: Any) -> Iterator[Diagnostic]:
        """A function that is defined in the function: its defaults belong to what is around it."""
        yield from self.each(node.args.defaults)
        yield from self.each(x for x in node.args.kw_defaults if x is not None)
        yield from self.each(getattr(node, "decorator_list", []))
        body = node.body if isinstance(node.body, list) else [node.body]
        self.scopes.append({*parameters(node.args), *stored_names(body), *_declared(node)})
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


def _parts(node: Any) -> Iterator[list[Any]]:
    """What `node` consists of: each block, and each single part, in the order of the text."""
    if isinstance(node, gast.Assign):  # the value comes first, as it runs
        yield [node.value, *node.targets]
        return
    for _, value in gast.iter_fields(node):
        if isinstance(value, gast.AST):
            yield [value]
        elif isinstance(value, list):
            yield [each for each in value if isinstance(each, gast.AST)]


def _sides(test: Any) -> set[bool]:
    """The sides of an `if` that its condition, by itself, does not exclude."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return {not side for side in _sides(test.operand)}
    if isinstance(test, gast.Constant):
        return {bool(test.value)}
    name = test.id if isinstance(test, gast.Name) else getattr(test, "attr", None)
    return {False} if name == "TYPE_CHECKING" else {True, False}


def _asks(test: Any) -> bool:
    """Whether a condition asks what there is: what it guards may well be missing."""
    names = (each.id for each in gast.walk(test) if isinstance(each, gast.Name))
    return any(name in ("hasattr", "getattr", "dir") for name in names)


def _caught(handler: Any) -> list[str]:
    """Names of the exceptions that a handler catches."""
    if handler.type is None:
        return ["BaseException"]
    named = [each for each in gast.walk(handler.type)]
    return [x.id if isinstance(x, gast.Name) else getattr(x, "attr", "") for x in named]


def _is_refused(node: Any) -> bool:
    """Whether `node` is of a kind that compiled code may not contain."""
    if isinstance(node, gast.stmt):
        return type(node) not in STATEMENTS
    is_expression = isinstance(node, gast.expr) and not isinstance(node, gast.Starred)
    return is_expression and type(node) not in EXPRESSIONS


def parameters(arguments: Any) -> list[str]:
    """Names of the parameters of a function."""
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [x.id for x in (*given, arguments.vararg, arguments.kwarg) if x is not None]


def _declared(node: Any) -> set[str]:
    """Names that `node` says are variables of something around it."""
    statements = (x for x in gast.walk(node) if isinstance(x, (gast.Global, gast.Nonlocal)))
    return {name for statement in statements for name in statement.names}
