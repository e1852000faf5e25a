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
from s2sad.core.diagnostics import S2sadError, amend, locate
from s2sad.core.location import Location
from s2sad.core.mutable import Mutable
from s2sad.core.parameter import check_unique
from s2sad.core.stores import Store
from s2sad.core.tensor import Tensor
from s2sad.core.transform import Transform
from s2sad.frontend import calls, managing, matching, naming, printing, refusals, summaries  # noqa: F401
from s2sad.frontend.callee import start_of, title_of
from s2sad.frontend.effects import HOST
from s2sad.frontend.exits import NeverReturns
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.guards import Guards
from s2sad.frontend.hooks import at_entry
from s2sad.frontend.inputs import is_input, named_leaves, type_of_input
from s2sad.frontend.results import flatten_result
from s2sad.frontend.stores import results_of
from s2sad.frontend.survey import add_others
from s2sad.frontend.trail import place_of
from s2sad.frontend.trees import map_leaves
from s2sad.ir.builder import Builder, reaching
from s2sad.ir.dims import free_symbols, symbol
from s2sad.ir.graph import Function, Region, Value
from s2sad.ir.outcome import spelled
from s2sad.ir.types import TensorType, Type


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
    written : tuple of Tensor or Store
    form : object
        What the function returns, with the numbers of results for the tensors in it.
    """

    function: Function
    guards: Guards
    hidden: tuple[Tensor, ...]
    written: tuple[Any, ...]
    form: Any


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
    start = start_of(function)
    with builder.active(), reaching(session), deep_recursion(), locations.at(start):
        frame = Frame(session, "", {})
        try:
            result = _result(frame, function, given)
            form, results = flatten_result(result, builder, session.trail)
            results, stores = at_entry(frame, results, results_of(session))
        except S2sadError as error:
            if isinstance(function, Transform) and error.diagnostic.location == start:
                amend(error, location=locations.caller() or start)  # of the transform's own
            add_others(error, session.trail)
            raise
        except RecursionError as error:
            raise refusals.too_deep(place_of(error)) from None
        except Exception as error:
            if not hasattr(error, "diagnostic"):  # a fault of s2sad: at what it happened
                locate(error, place_of(error))
            raise
    bindings = [path for path, leaf in paths if is_input(leaf)]
    return _finish(session, title_of(function), bindings, form, results, stores)


def _result(frame: Frame, function: Callable[..., Any], given: inspect.BoundArguments) -> Any:
    try:
        return calls.call(frame, function, list(given.args), given.kwargs)
    except NeverReturns:  # every path raises, when the program runs
        return None


def _finish(
    session: Session, title: str, bindings: list[str], form: Any, results: list[Value],
    stores: list[tuple[Store, Value]],
) -> Reading:  # fmt: skip
    captures = list(session.captures.values())
    check_unique(c.tensor for c in captures if c.binding.startswith("param:"))  # type: ignore
    written = [c for c in captures if c.written is not None and c.tensor is not HOST]
    donates = {capture.value.index: len(results) + place for place, capture in enumerate(written)}
    written += [c for c in captures if c.tensor is HOST]  # a token is given back in any case
    more = [*(c.current for c in written), *(value for _, value in stores)]
    session.region.set_reads([*results, *more])
    function = Function(
        title.rpartition(".")[2], session.region, (*bindings, *(c.binding for c in captures)),
        donates, spelled(form), title,
    )  # fmt: skip
    return Reading(
        function,
        session.guards,
        tuple(c.tensor for c in captures),
        (*(c.tensor for c in written), *(store for store, _ in stores)),
        form,
    )


def _argument(session: Session, path: str, leaf: Any) -> Any:
    if not is_input(leaf):
        return leaf
    name = path if path.isidentifier() else None
    value = session.region.add_argument(type_of_input(leaf), name)
    value.is_weak = isinstance(leaf, Mutable)
    session.hooks_of_inputs[value] = leaf._hooks
    return value


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
    shapes = [type.shape for type in types if isinstance(type, TensorType)]
    symbols = {s for shape in shapes for size in shape for s in free_symbols(size)}
    global_names = {**global_names, **{name: symbol(name) for name in symbols}}
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
