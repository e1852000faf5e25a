"""Whose variable is it that an assignment means?

A name that a function assigns is its own, unless it says otherwise: ``nonlocal`` names a variable
of the function around it, ``global`` one of the module, which compiled code does not write. What
``:=`` assigns in a comprehension belongs to the function in which that stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import gast

from s2sad.core.diagnostics import fail
from s2sad.frontend import refusals
from s2sad.ir import builder as builders

if TYPE_CHECKING:
    from s2sad.frontend.frame import Frame

_NESTED = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)


@lru_cache(maxsize=1024)
def declared(function: Any) -> Mapping[str, type]:
    """Names that the tree of a function says are not its own, with `gast.Global` or `Nonlocal`."""
    body = getattr(function, "body", None)
    found: dict[str, type] = {}
    for statement in _own_statements(body if isinstance(body, list) else []):
        if isinstance(statement, (gast.Global, gast.Nonlocal)):
            found.update(dict.fromkeys(statement.names, type(statement)))
    return found


def _own_statements(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        yield node
        if not isinstance(node, _NESTED):
            yield from _own_statements(gast.iter_child_nodes(node))


def is_global(frame: Frame, name: str) -> bool:
    """Whether the function of `frame` says that `name` is the module's."""
    return frame.tree is not None and declared(frame.tree).get(name) is gast.Global


def assign(frame: Frame, name: str, value: Any) -> None:
    """``name = value``.

    Raises
    ------
    S2sadError
        E0101 for a variable that is not of compiled code, E0104 for one of another function where
        data decide whether it is assigned.
    """
    kind = None if frame.tree is None else declared(frame.tree).get(name)
    if kind is gast.Global:
        raise refusals.assigning_global(name)
    if kind is None:
        frame.local_names[name] = value
    else:
        _assign_around(frame, name, value)


def assign_from_comprehension(frame: Frame, name: str, value: Any) -> None:
    """``name := value``, which a comprehension does for the function around it."""
    while frame.comprehended and frame.called_by is not None:
        frame.local_names[name] = value
        if frame.is_fork:
            raise _decided_by_data(name)
        frame = frame.called_by
    assign(frame, name, value)


def _assign_around(frame: Frame, name: str, value: Any) -> None:
    """Assign a variable of a function around this one, in the call that runs now."""
    owner = _owner(frame, name)
    comprehensions: list[Frame] = []
    call: Frame | None = frame
    while call is not None and call.activation is not owner.activation:
        if call.is_fork:
            raise _decided_by_data(name)
        comprehensions = [*comprehensions, call] if call.comprehended else []
        call = call.called_by
    if call is None and builders.current().region is not frame.session.region:
        raise _decided_by_data(name)  # the owner has come to its end: no branch would merge it
    for each in (*comprehensions, owner if call is None else call):
        each.local_names[name] = value


def _owner(frame: Frame, name: str) -> Frame:
    owner = frame.enclosing
    while owner is not None:
        is_own = name in owner.local_names or name in owner.assigned
        if is_own and (owner.tree is None or name not in declared(owner.tree)):
            return owner
        owner = owner.enclosing
    raise fail(
        "E0101", f"assigning `{name}`, which belongs to a function that is not compiled, cannot be "
        "compiled", help=refusals.RETURNED,
    )  # fmt: skip


def _decided_by_data(name: str) -> Exception:
    return fail(
        "E0104", f"whether `{name}` of a function around this one is assigned depends on data, or "
        "on a call that has ended",
        help="return the new value, and assign it there",
    )  # fmt: skip


@lru_cache(maxsize=256)
def with_test_inside(loop: Any) -> Any:
    """A `while` whose test assigns variables, with the test in its body, which sees those."""
    if not any(isinstance(each, gast.NamedExpr) for each in gast.walk(loop.test)):
        return loop
    if loop.orelse:
        raise fail(
            "E0101", "`:=` in the condition of a `while` with an `else` cannot be compiled",
            help="assign in the body of the loop",
        )  # fmt: skip

    def at(node: Any) -> Any:
        return gast.fix_missing_locations(gast.copy_location(node, loop.test))

    variable, read = gast.Name("<test>", gast.Store(), None, None), gast.Load()
    test = at(gast.Assign([variable], loop.test, None))
    again = gast.Name("<test>", read, None, None)
    leave = at(gast.If(gast.UnaryOp(gast.Not(), again), [gast.Break()], []))
    endless = gast.While(at(gast.Constant(True, None)), [test, leave, *loop.body], [])
    return gast.copy_location(endless, loop)
