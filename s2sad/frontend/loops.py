"""What does a loop on tensor data become?

The body is compiled once, as a region. What it assigns and what existed before is carried from
pass to pass; types must not change on the way. A parameter that the body writes is carried too,
and a Python number that changes becomes a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.frontend import carried
from s2sad.frontend.carried import fork, is_data, same_static, stored_names
from s2sad.frontend.frame import Frame, Unbound
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir.builder import Builder
from s2sad.ir.graph import Region, Value
from s2sad.ir.types import TensorType, Type, i64, same_type
from s2sad.prims.control import for_, while_


@dataclass
class State:
    """What a loop carries: the data among the leaves of `names`, then parameters.

    Attributes
    ----------
    dtypes : dict of int to DType
        Of leaves that start as Python numbers and whose dtype the body decides.
    parameters : list of int
        Keys of captures that the body writes.
    """

    frame: Frame
    names: list[str]
    dtypes: dict[int, DType] = field(default_factory=dict)
    parameters: list[int] = field(default_factory=list)

    @property
    def leaves(self) -> list[Any]:
        """Leaves of all variables before the loop."""
        return [x for name in self.names for x in leaves(self.frame.local_names[name])]

    def initial(self) -> list[Value]:
        """Values with which the loop begins."""
        builder = builders.current()
        found = [
            carried.as_value(builder, leaf, self.dtypes.get(place))
            for place, leaf in enumerate(self.leaves)
            if is_data(leaf)
        ]
        return found + [self.frame.session.captures[key].current for key in self.parameters]

    def hints(self) -> list[str | None]:
        """Names for the carried values."""
        return [
            name for name in self.names
            for leaf in leaves(self.frame.local_names[name]) if is_data(leaf)
        ] + [self.frame.session.captures[key].value.name for key in self.parameters]  # fmt: skip

    def put(self, frame: Frame, values: list[Value]) -> None:
        """Let the variables of `frame`, and the parameters, hold the carried `values`."""
        rest = iter(values)
        for name in self.names:
            tree = self.frame.local_names[name]
            new = map_leaves(tree, lambda leaf: next(rest) if is_data(leaf) else leaf)
            frame.local_names[name] = new
        for key in self.parameters:
            frame.session.captures[key].written = next(rest)


class Again(Exception):  # noqa: N818 - a signal, not an error
    """The loop must be compiled again: the state has grown."""


def compile_loop(
    frame: Frame, body: list[Any], emit: Callable[[State, list[Value]], tuple[Value, ...]]
) -> None:
    """Compile a loop over `body` with `emit`, until what it carries is known.

    Parameters
    ----------
    emit : callable
        Gets the state and the initial values; builds the regions and emits the operation.
    """
    stored = stored_names(body)
    known = [name for name in stored if _is_bound(frame, name)]
    state = State(frame, known)
    before = carried.written_now(frame)
    while True:
        try:
            results = emit(state, state.initial())
            break
        except Again:
            carried.write_back(frame, before)
    carried.write_back(frame, before)
    after = fork(frame)
    state.put(after, list(results))
    for name in known:
        frame.local_names[name] = after.local_names[name]
    for name in stored:
        if name not in known:
            why = f"`{name}` is assigned only in the body of a loop, which may not run"
            frame.local_names[name] = Unbound(why, carried.here())


def _is_bound(frame: Frame, name: str) -> bool:
    return name in frame.local_names and not isinstance(frame.local_names[name], Unbound)


def while_loop(
    frame: Frame, test: Callable[[Frame], Value], run: Callable[[Frame], None], body: list[Any]
) -> None:
    """Compile ``while test: body``; `run` executes the body in a frame."""

    def emit(state: State, initial: list[Value]) -> tuple[Value, ...]:
        types = carried.types_of(initial)
        condition = build(state, types, lambda inner, _: [test(inner)])
        try:
            region = body_region(state, types, (), lambda inner, _: run(inner))
        except BaseException:  # also when interrupted: outer values must not keep its reads
            discard(condition)
            raise
        regions = {"condition": condition, "body": region}
        return builders.as_tuple(builders.current().emit(while_, initial, {}, regions))

    compile_loop(frame, body, emit)


def for_loop(
    frame: Frame,
    bounds: tuple[Any, Any, Any],
    run: Callable[[Frame, Value], None],
    body: list[Any],
    targets: Iterable[str],
) -> None:
    """Compile a counted loop; `run` executes the body in a frame for an index.

    `targets` are the loop's own variables: they live in the body only.
    """

    def emit(state: State, initial: list[Value]) -> tuple[Value, ...]:
        types = carried.types_of(initial)
        region = body_region(state, types, (i64,), lambda inner, extra: run(inner, extra[0]))
        return builders.as_tuple(
            builders.current().emit(for_, [*bounds, *initial], {}, {"body": region})
        )

    compile_loop(frame, body, emit)
    for name in targets:
        why = f"`{name}` is the variable of a loop that may not run"
        frame.local_names[name] = Unbound(why, carried.here())


def build(
    state: State,
    types: list[Type],
    run: Callable[[Frame, list[Value]], list[Value]],
    first: tuple[Type, ...] = (),
) -> Region:
    """Region with the carried values as arguments (after `first`), yielding what `run` gives."""
    hints = [None] * len(first) + state.hints()
    region = Region([*first, *types], hints)
    inner = fork(state.frame)
    before = carried.written_now(state.frame)
    state.put(inner, region.args[len(first) :])
    try:
        with Builder(region).active():
            region.set_reads(run(inner, region.args[: len(first)]))
    except BaseException:  # also when interrupted: outer values must not keep its reads
        discard(region)
        raise
    finally:
        carried.write_back(state.frame, before)
    return region


def body_region(
    state: State,
    types: list[Type],
    first: tuple[Type, ...],
    run: Callable[[Frame, list[Value]], None],
) -> Region:
    """Region of one pass: it yields what the variables hold after the body."""

    def one_pass(inner: Frame, extra: list[Value]) -> list[Value]:
        entry = carried.written_now(inner)
        run(inner, extra)
        _grow(state, inner, entry)
        values = _yields(state, inner, types)
        return values + [inner.session.captures[key].current for key in state.parameters]

    return build(state, types, one_pass, first)


def _grow(state: State, inner: Frame, entry: dict[int, Value | None]) -> None:
    """Carry the parameters that the body has written, in another attempt."""
    captures = inner.session.captures
    new = [
        k
        for k, c in captures.items()
        if c.written is not entry.get(k) and k not in state.parameters
    ]
    if new:
        state.parameters += new
        raise Again


def _yields(state: State, inner: Frame, types: list[Type]) -> list[Value]:
    """Data of the variables after a pass, which must be of the same types as before it."""
    values: list[Value] = []
    place = 0
    for name in state.names:
        before, after = state.frame.local_names[name], inner.local_names[name]
        if isinstance(after, Unbound):
            raise fail("E0211", after.why, location=after.place)
        if carried.shape_of(before) != carried.shape_of(after):
            raise fail(
                "E0306", f"`{name}` is built differently after one pass of the loop: "
                f"{len(leaves(before))} items before, {len(leaves(after))} after",
                help="fill a tensor of known length with `x[i] = v` instead",
            )  # fmt: skip
        for old, new in zip(leaves(before), leaves(after), strict=True):
            if is_data(old):
                values.append(_carry(state, name, place, (old, new), types[len(values)]))
            elif not same_static(old, new):
                raise carried.differ(name, old, new, "before the loop", "after one pass")
            place += 1
    return values


def _carry(state: State, name: str, place: int, leaf: tuple[Any, Any], expected: Type) -> Value:
    old, new = leaf
    if not is_data(new):
        raise carried.differ(name, old, new, "before the loop", "after one pass")
    builder = builders.current()
    dtype = expected.dtype if isinstance(expected, TensorType) and carried.is_number(new) else None
    value = carried.as_value(builder, new, dtype)
    if same_type(value.type, expected):
        return value
    fresh = carried.is_number(old) and place not in state.dtypes
    if fresh and isinstance(value.type, TensorType) and not value.shape:
        state.dtypes[place] = value.dtype  # a number takes the dtype that the body gives it
        raise Again
    before = builder.value(old) if not carried.is_number(old) else old
    raise carried.differ(name, before, value, "before the loop", "after one pass")


@contextmanager
def scratch() -> Iterator[None]:
    """Throw away what is emitted inside: only what it evaluates to is of interest."""
    region = Region()
    try:
        with Builder(region).active():
            yield
    finally:
        discard(region)


def discard(region: Region) -> None:
    """Let the operations of a region that is thrown away read nothing."""
    for operation in region.walk():
        operation.set_reads(())
        for nested in operation.regions.values():
            nested.set_reads(())
    region.set_reads(())
