"""How does a call of the user's function become a function of the IR?

Tensors among the arguments become inputs; every other argument is static and part of what the
variant depends on. Tensors reached by name become hidden inputs, parameters that the program
writes become results that take the parameter's buffer.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gast

from s2sad.core import location as locations
from s2sad.core.diagnostics import S2sadError, fail, locate
from s2sad.core.location import Location
from s2sad.core.parameter import check_unique
from s2sad.core.tensor import Tensor
from s2sad.frontend import calls
from s2sad.frontend.callee import start_of, title_of
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.guards import Guards
from s2sad.frontend.inputs import is_input, named_leaves
from s2sad.frontend.shown import shown
from s2sad.frontend.survey import add_others
from s2sad.frontend.trail import Trail, place_of
from s2sad.frontend.trees import map_leaves
from s2sad.ir.builder import Builder, reaching
from s2sad.ir.graph import Function, Region, Value
from s2sad.ir.types import Type, type_of


@dataclass(frozen=True)
class Reading:
    """The primal function of one variant, and what ties it to the world.

    Attributes
    ----------
    function : Function
        Inputs: the tensors among the arguments, then `hidden`. Results: those of the user's
        function, then the new values of `written`.
    guards : Guards
    hidden : tuple of Tensor
        Parameters and captured tensors, read at each call.
    written : tuple of Tensor
    """

    function: Function
    guards: Guards
    hidden: tuple[Tensor, ...]
    written: tuple[Tensor, ...]


#: Python's own limit while compiling: one call of the user's takes about a dozen of ours.
RECURSION_LIMIT = 5000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow the depth that `calls.MAX_DEPTH` nested calls of the user need."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def read(function: Callable[..., Any], bound: inspect.BoundArguments, *, order: int = 0) -> Reading:
    """Partial evaluation of a call of `function`, which may be a Cell.

    Parameters
    ----------
    function : callable
    bound : inspect.BoundArguments
    order : int
        How many derivatives will be taken of it.

    Raises
    ------
    S2sadError
        Located in the user's source: E01 for Python that cannot be compiled, E02 for names,
        E03 and E04 for what operations refuse, E0307 for a result that is no tensor, E0406 for
        two Parameters of one name.
    """
    session = Session(Region())
    session.order = order
    paths = named_leaves(bound.arguments)
    leaves = iter([_argument(session, path, leaf) for path, leaf in paths])
    given = inspect.BoundArguments(
        bound.signature, map_leaves(bound.arguments, lambda _: next(leaves))
    )
    builder = Builder(session.region)
    with builder.active(), reaching(session), deep_recursion(), locations.at(start_of(function)):
        frame = Frame(session, "", {})
        try:
            result = calls.call(frame, function, list(given.args), given.kwargs)
            tree, results = flatten_result(result, builder, session.trail)
        except S2sadError as error:
            add_others(error, session.trail)
            raise
        except Exception as error:
            if not hasattr(error, "diagnostic"):  # a fault of s2sad: at what it happened
                locate(error, place_of(error))
            raise
    bindings = [path for path, leaf in paths if is_input(leaf)]
    return _finish(session, title_of(function), bindings, tree, results)


def _finish(
    session: Session, title: str, bindings: list[str], tree: str, results: list[Value]
) -> Reading:
    captures = list(session.captures.values())
    check_unique(c.tensor for c in captures if c.binding.startswith("param:"))  # type: ignore
    written = [c for c in captures if c.written is not None]
    session.region.set_reads([*results, *(c.current for c in written)])
    donates = {capture.value.index: len(results) + place for place, capture in enumerate(written)}
    function = Function(
        title.rpartition(".")[2], session.region, (*bindings, *(c.binding for c in captures)),
        donates, tree, title,
    )  # fmt: skip
    return Reading(
        function,
        session.guards,
        tuple(c.tensor for c in captures),
        tuple(c.tensor for c in written),
    )


def _argument(session: Session, path: str, leaf: Any) -> Any:
    if not is_input(leaf):
        return leaf
    return session.region.add_argument(type_of(leaf.array), path if path.isidentifier() else None)


def flatten_result(result: Any, builder: Builder, trail: Trail) -> tuple[str, list[Value]]:
    """The tree of what the user's function returns, and its tensors in order."""
    values: list[Value] = []

    def leaf(value: Any, path: tuple[Any, ...]) -> str:
        if value is None:
            return "None"
        if not isinstance(value, (Value, Tensor)):
            raise _no_tensor(value, path, trail)
        values.append(builder.value(value))
        return str(len(values) - 1)

    return _tree_text(result, leaf, ()), values


def _tree_text(
    value: Any, leaf: Callable[[Any, tuple[Any, ...]], str], path: tuple[Any, ...]
) -> str:
    if isinstance(value, (tuple, list)):
        items = [_tree_text(item, leaf, (*path, place)) for place, item in enumerate(value)]
        inner = ", ".join(items)
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, dict):
        entries = [f"{k!r}: {_tree_text(v, leaf, (*path, k))}" for k, v in value.items()]
        return "{" + ", ".join(entries) + "}"
    return leaf(value, path)


def _no_tensor(value: Any, path: tuple[Any, ...], trail: Trail) -> Exception:
    """E0307 at the part of a result that is no tensor."""
    found = trail.result(path)
    place = None if found is None else found[0].location(found[1])
    where = "".join(f"[{key!r}]" for key in path)
    what = shown(value) if callable(value) else f"the {type(value).__name__} {shown(value)}"
    return fail(
        "E0307", f"compiled code returns tensors, and containers of them; got {what}"
        + (f" as result{where}" if path else ""),
        location=place, help="return numbers and texts from the code that calls it",
    )  # fmt: skip


@dataclass
class TreeFrame(Frame):
    """Frame of a joint program, whose statements know the operation that each stems from.

    Attributes
    ----------
    origins : sequence of (Location or None, str)
        Location and scope; a node's ``lineno`` is its place in it.
    temporary : set of str
        Variables of inlined templates, which give way to any other name.
    """

    origins: Sequence[tuple[Location | None, str]] = ()
    temporary: frozenset[str] = frozenset()

    def name(self, value: Value, variable: str) -> None:
        if value.name is None or value.name in self.temporary:
            value.name = variable

    def at(self, node: Any) -> Any:
        return locations.origin(*self.origins[node.lineno])


def read_tree(
    node: gast.FunctionDef,
    global_names: Mapping[str, Any],
    types: Sequence[Type],
    *,
    origins: Sequence[tuple[Location | None, str]],
    temporary: Iterable[str],
    title: str,
) -> Function:
    """Function of the IR for a tree over `global_names`, in which operators are the prims.

    Parameters
    ----------
    node : gast.FunctionDef
        Its parameters have `types`; it returns a flat tuple. `None` stands for no cotangent.
    origins, temporary
        See `TreeFrame`.
    """
    names = [argument.id for argument in node.args.args]
    region = Region(types, names)
    session = Session(region)
    frame = TreeFrame(
        session, "", global_names, strict=True, origins=origins, temporary=frozenset(temporary),
        local_names=dict(zip(names, region.args, strict=True)),
    )  # fmt: skip
    builder = Builder(region)
    with builder.active(), deep_recursion():
        results = [builder.value(x) for x in calls.run_body(frame, node)]
        region.set_reads(results)
    return Function(node.name, region, (), title=title)
