"""What does a loop on tensor data become?

The body is compiled once, as a region. What it assigns and what existed before is carried from
pass to pass; types must not change on the way. A parameter that the body writes is carried too,
and a Python number that changes becomes a tensor. A loop that may be left early carries flags that
say so, and what is to be returned; its condition asks the flags first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor
from s2sad.core.trees import changed
from s2sad.frontend import carried
from s2sad.frontend.branches import FLAGS, RETURNED, STOP, flags_of, parted, turned
from s2sad.frontend.carried import (
    Again,
    Blank,
    as_leaf,
    changed_names,
    decide_dtype,
    fork,
    is_data,
    is_weak,
    same_static,
)
from s2sad.frontend.containers import settle, stand_for
from s2sad.frontend.exits import Exit, Leaving, NeverReturns, Run, keeps_variables
from s2sad.frontend.frame import Frame, Unbound
from s2sad.frontend.merges import Result, finisher
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.frontend.views import note_result
from s2sad.ir import builder as builders
from s2sad.ir.builder import Builder, as_tuple, discard
from s2sad.ir.dims import Symbolic
from s2sad.ir.graph import Region, Value
from s2sad.ir.types import TensorType, Type, bool_, i64, same_type, type_of
from s2sad.ir.varying import Unfit, Varying
from s2sad.prims.control import for_, if_, while_

#: Names for what a loop carries besides its variables.
HINTS = {"<break>": "left", "<return>": "ended", "<stop>": "stopped", "<returned>": "found"}


@dataclass
class State:
    """What a loop carries: the data among the leaves of `names`, then parameters.

    Attributes
    ----------
    dtypes : dict of int to DType
        Of leaves that start as Python numbers and whose dtype the body decides.
    tensors : set of int
        Those of them that are no numbers any more after a pass.
    parameters : list of int
        Keys of captures that the body writes.
    before : dict of Value to (int, leaf)
        What an argument of a region stands for: the place of a leaf, and the leaf.
    stored : list of str
        Variables that a pass assigns.
    linked : set of Value
        Tensors that a pass writes and several leaves hold: these stay one tensor.
    ends : list of Value
        What the leaves that are carried, and the parameters, are after a pass.
    ended : dict of str to tree
        What all variables hold after a pass.
    lost : dict of str to Unbound
        Variables that cannot be read after a pass, hence neither before it nor after the loop.
    exits : dict of str to Exit
        How a pass may leave the loop.
    returned : tree
        What it returns then: static leaves, and places among what is carried for that.
    wanted : frozenset of str
        Variables that are read after the loop, where a pass surely begins.
    """

    frame: Frame
    names: list[str]
    dtypes: dict[int, DType] = field(default_factory=dict)
    tensors: set[int] = field(default_factory=set)
    parameters: list[int] = field(default_factory=list)
    before: dict[Value, tuple[int, Any]] = field(default_factory=dict)
    stored: list[str] = field(kw_only=True)
    linked: set[Value] = field(default_factory=set)
    ends: list[Value] = field(default_factory=list)
    ended: Mapping[str, Any] = field(default_factory=dict)
    lost: dict[str, Unbound] = field(default_factory=dict)
    exits: dict[str, Exit] = field(default_factory=dict)
    returned: Any = None
    wanted: frozenset[str] = frozenset()

    def meet(self, name: str) -> None:
        """Carry a variable that a pass changes without assigning it, in another attempt."""
        self.names.append(name)
        raise Again(self)

    def lose(self, name: str, unbound: Unbound) -> None:
        """Do not carry a variable that a pass leaves `unbound`, in another attempt."""
        self.names.remove(name)
        self.dtypes.clear()  # the leaves behind it have other places now
        self.tensors.clear()
        self.lost[name] = unbound
        raise Again(self)

    def begin(self, trees: Mapping[str, Any]) -> None:
        """Carry variables that a pass gives first, and zeros before that, in another attempt."""
        for name, tree in trees.items():
            self.frame.local_names[name] = changed(tree, _blank)
            self.names.append(name)
        raise Again(self)

    def count(self, name: str, size: Symbolic) -> None:
        """Carry numbers where a variable holds `size`, of which a pass makes others, next time."""
        tree = self.frame.local_names[name]
        self.frame.local_names[name] = changed(tree, lambda x: as_leaf(x) if x is size else x)
        raise Again(self)

    def link(self, leaf: Value, names: Iterable[str]) -> None:
        """Carry `names`, which hold the tensor `leaf`, as one, in another attempt."""
        self.names += [name for name in names if name not in self.names]
        self.linked.add(leaf)
        raise Again(self)

    def refuse(self, message: str) -> None:
        """Say that what a pass writes cannot be told apart from what it does not."""
        raise fail("E0104", message, help="copy one of them before the loop: `x.copy()`")

    def moves(self, leaf: Any) -> bool:
        """Whether a leaf of a variable is carried: what else there is stays the same."""
        return is_data(leaf)

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
            if self.moves(leaf)
        ]
        return found + [self.frame.session.captures[key].current for key in self.parameters]

    def hints(self) -> list[str | None]:
        """Names for the carried values."""
        return [
            HINTS.get(name, name) for name in self.names
            for leaf in leaves(self.frame.local_names[name]) if self.moves(leaf)
        ] + [self.frame.session.captures[key].value.name for key in self.parameters]  # fmt: skip

    def put(self, frame: Frame, values: list[Value]) -> None:
        """Let the variables of `frame`, and the parameters, hold the carried `values`."""
        rest, ones = iter(values), dict[Value, Value]()
        places = iter(enumerate(self.leaves))

        def new(leaf: Any) -> Any:
            place, _ = next(places)
            if not self.moves(leaf):
                return leaf
            value = next(rest)
            value.is_weak = is_weak(leaf) and place not in self.tensors and value.type != bool_
            self.before[value] = place, leaf
            note_result(frame.session, value, leaf)
            return ones.setdefault(leaf, value) if self._is_linked(leaf) else value

        for name in self.names:
            tree = self.frame.local_names[name]
            frame.local_names[name] = changed(tree, new)
            stand_for(frame.session, frame.local_names[name], tree)
        for key in self.parameters:
            frame.session.captures[key].written = next(rest)

    def _is_linked(self, leaf: Any) -> bool:
        return isinstance(leaf, Value) and leaf in self.linked

    def yields(self, inner: Frame, types: list[Type]) -> list[Value]:
        """What the variables hold after a pass, in the order of `initial`, parameters apart."""
        return _yields(self, inner, types)


def compile_with(state: State, emit: Callable[[list[Value]], Any]) -> Any:
    """What `emit` makes of the initial values, when it is known what the loop carries."""
    session = state.frame.session
    written = carried.written_now(state.frame)
    overwritten, made = dict(session.overwritten), dict(session.made)
    session.loops.append(state)
    try:
        while True:
            try:
                with builders.all_or_nothing():
                    return emit(state.initial())
            except Again as again:
                if again.state is not state:
                    raise
                session.overwritten, session.made = dict(overwritten), dict(made)
            finally:
                carried.write_back(state.frame, written)
    finally:
        session.loops.pop()


def compile_loop(
    frame: Frame,
    body: list[Any],
    emit: Callable[[State, list[Value]], tuple[Value, ...]],
    targets: Iterable[str] = (),
    wanted: frozenset[str] = frozenset(),
) -> State:
    """Compile a loop over `body` with `emit`, until what it carries is known.

    Parameters
    ----------
    targets : iterable of str
        The loop's own variables.
    emit : callable
        Gets the state and the initial values; builds the regions and emits the operation.
    wanted : frozenset of str
        See `State`.
    """
    stored = changed_names(body)
    known = [name for name in stored if is_bound(frame, name)]
    before = frame.copy(dict(frame.local_names))
    state = State(before, known, stored=[*stored, *targets], wanted=wanted)
    results = compile_with(state, lambda initial: emit(state, initial))
    after = fork(frame)
    state.put(after, ones_of(state, results))
    merged = {name: after.local_names[name] for name in state.names}
    settle(frame, merged, before.local_names, state.ended)
    frame.local_names.update(merged)
    frame.local_names.update(state.lost)
    for name in stored:
        if name not in state.names and name not in state.lost:
            why = f"`{name}` is assigned only in the body of a loop, which may not run"
            frame.local_names[name] = Unbound(why, carried.here())
    return state


def ones_of(state: State, results: Sequence[Value]) -> list[Value]:
    """`results`, with one in place of those that are the same tensor, however often it ran."""
    initial = [leaf for leaf in state.leaves if state.moves(leaf)]
    found = list(results)
    firsts: dict[tuple[Value, Value], Value] = {}
    for place, (leaf, end) in enumerate(zip(initial, state.ends, strict=False)):
        if isinstance(leaf, Value):
            found[place] = firsts.setdefault((leaf, end), found[place])
        note_result(state.frame.session, found[place], leaf, end)
    return found


def require_apart(state: State, entry: Sequence[Value]) -> None:
    """Of what a pass writes, it is known in each pass which variables hold it (else `refuse`)."""
    initial = [leaf for leaf in state.leaves if state.moves(leaf)]
    overwritten, region = state.frame.session.overwritten, builders.current().region
    for one in state.linked:
        if len({end for leaf, end in zip(initial, state.ends, strict=False) if leaf is one}) > 1:
            state.refuse(
                "variables hold one tensor before the loop, which a pass writes, and two after"
            )
    ends = state.ends[: len(initial)]
    for leaf, end, value in zip(initial, ends, entry, strict=False):
        if value not in overwritten or leaf in state.linked:
            continue
        if sum(other is end for other in ends) > 1 or end.region is not region:
            state.refuse(
                "a pass writes a tensor that another variable holds from the second pass on"
            )


def is_bound(frame: Frame, name: str) -> bool:
    """Whether the variable `name` can be read."""
    return name in frame.local_names and not isinstance(frame.local_names[name], Unbound)


def while_loop(
    frame: Frame, test: Callable[[Frame], Value] | None, run: Run, body: list[Any],
    wanted: frozenset[str] = frozenset(),
) -> Leaving:  # fmt: skip
    """Compile ``while test: body``; `run` executes the body in a frame.

    Without a `test` the loop goes on until a pass leaves it.
    """

    def emit(state: State, initial: list[Value]) -> tuple[Value, ...]:
        types = carried.types_of(initial)
        condition = build(state, types, lambda inner, _: [unless_left(state, inner, test)])
        region = body_region(state, types, (), lambda inner, _: run(inner))
        regions = {"condition": condition, "body": region}
        return as_tuple(builders.current().emit(while_, initial, {}, regions))

    state = compile_loop(frame, body, emit, (), wanted)
    return after_loop(frame, state, is_endless=test is None)


def is_left(state: State, frame: Frame) -> Value | None:
    """Whether a pass has left the loop; None where none can."""
    flags = [frame.local_names[name] for name in FLAGS.values() if name in state.names]
    return reduce(p.logical_or, flags) if flags else None


def unless_left(state: State, frame: Frame, test: Callable[[Frame], Value] | None) -> Value:
    """Whether the next pass begins: no pass has left the loop, and `test` says so."""
    left = is_left(state, frame)
    if left is None:
        return builders.current().value(np.bool_(True)) if test is None else test(frame)
    if test is None:
        return p.logical_not(left)
    regions = {"then": lambda: [np.bool_(False)], "orelse": lambda: [test(frame)]}
    return builders.current().emit(if_, [left], {}, regions)


def for_loop(
    frame: Frame, bounds: tuple[Any, Any, Any], run: Callable[[Frame, Value], Leaving],
    body: list[Any], targets: Iterable[str],
) -> Leaving:  # fmt: skip
    """Compile a counted loop; `run` executes the body in a frame for an index.

    `targets` are the loop's own variables: they live in the body only.
    """

    def emit(state: State, initial: list[Value]) -> tuple[Value, ...]:
        return counted(state, bounds, initial, lambda inner, extra: run(inner, extra[0]))

    state = compile_loop(frame, body, emit, targets)
    for name in targets:
        why = f"`{name}` is the variable of a loop that may not run"
        frame.local_names[name] = Unbound(why, carried.here())
    return after_loop(frame, state)


def counted(
    state: State, bounds: tuple[Any, Any, Any], initial: list[Value],
    run: Callable[[Frame, list[Value]], Leaving],
) -> tuple[Value, ...]:  # fmt: skip
    """Emit a loop over ``range(*bounds)``: one that counts, unless a pass may leave it."""
    builder, types = builders.current(), carried.types_of(initial)
    if not state.exits:
        region = body_region(state, types, (i64,), run)
        return as_tuple(builder.emit(for_, [*bounds, *initial], {}, {"body": region}))
    start, stop, step = map(builder.value, bounds)

    def condition(inner: Frame, extra: list[Value]) -> list[Value]:
        begins, left = _is_before(extra[0], stop, step), is_left(state, inner)
        return [begins if left is None else p.logical_and(p.logical_not(left), begins)]

    regions = {
        "condition": build(state, types, condition, (i64,)),
        "body": body_region(state, types, (i64,), run, lambda index: [p.add(index, step)]),
    }
    return as_tuple(builder.emit(while_, [start, *initial], {}, regions))[1:]


def _is_before(index: Value, stop: Value, step: Value) -> Value:
    """Whether `index` is one of a range that goes by `step` to `stop`."""
    known = None if isinstance(step.owner, Region) else step.owner.attrs.get("value")
    if known is not None:
        return p.less(index, stop) if known > 0 else p.greater(index, stop)
    ahead = p.logical_and(p.greater(step, 0), p.less(index, stop))
    return p.logical_or(ahead, p.logical_and(p.less(step, 0), p.greater(index, stop)))


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
    inner.local_names.update(state.lost)
    try:
        with Builder(region).active():
            region.set_reads(run(inner, region.args[: len(first)]))
    finally:
        carried.write_back(state.frame, before)
    return region


def body_region(
    state: State,
    types: list[Type],
    first: tuple[Type, ...],
    run: Callable[[Frame, list[Value]], Leaving],
    following: Callable[..., list[Value]] = lambda *_: [],
) -> Region:
    """Region of one pass: it yields what the variables hold after the body.

    What is `following` its first arguments it yields before that.
    """

    def one_pass(inner: Frame, extra: list[Value]) -> list[Value]:
        entry = carried.written_now(inner)
        _end_pass(state, inner, lambda: run(inner, extra))
        known = (*state.names, *state.stored, *state.lost)
        for name in carried.rebound(inner, state.frame, known):
            state.meet(name)
        _grow(state, inner, entry)
        values = state.yields(inner, types)
        state.ended = inner.local_names
        state.ends = values + [inner.session.captures[key].current for key in state.parameters]
        require_apart(state, builders.current().region.args[len(first) :])
        return [*following(*extra), *state.ends]

    return build(state, types, one_pass, first)


def _end_pass(state: State, inner: Frame, run: Callable[[], Leaving]) -> None:
    """Do a pass; its variables, and flags among them, are what it leaves, however it is left."""
    before, builder = dict(inner.local_names), builders.current()
    try:
        leaving = turned(run(), "continue")
    except NeverReturns:
        leaving = Exit("raise")
    counts = keeps_variables(leaving)
    found, state.exits = flags_of(leaving)
    if not counts:
        inner.local_names.clear()
        inner.local_names.update(before)
    values: list[Value] = []
    if "return" in state.exits:
        state.returned = map_leaves(found.pop(RETURNED), lambda x: _put_by(x, values))
        found[RETURNED] = tuple(values)
    for name, flag in found.items():
        if name in FLAGS.values():
            found[name] = carried.as_value(builder, flag)
    inner.local_names.update(found)
    new = {name: tree for name, tree in found.items() if name not in state.names}
    if new:
        state.begin(new)


def _put_by(leaf: Any, values: list[Value]) -> Any:
    """`leaf` of what is returned, or where it is found among `values`, to which it goes."""
    if isinstance(leaf, Varying):
        raise Unfit("the index of a loop is returned")
    if not isinstance(leaf, (Value, Tensor)):
        return leaf
    values.append(builders.current().value(leaf))
    return Result(len(values) - 1)


def _blank(leaf: Any) -> Any:
    """What stands for `leaf` before a loop that gives it first: nobody reads it there."""
    if isinstance(leaf, Tensor):
        return Blank(type_of(leaf.array))
    return Blank(leaf.type, leaf.is_weak) if isinstance(leaf, Value) else leaf


def after_loop(frame: Frame, state: State, *, is_endless: bool = False) -> Leaving:
    """How the statement of a loop is left: a `return` in it ends more than the loop.

    One that is endless ends in no other way than those that its passes know.
    """
    names = [name for name in (*FLAGS.values(), RETURNED) if name in state.names]
    found = {name: frame.local_names.pop(name) for name in names}
    if is_endless and not names:
        return Exit("raise")
    if STOP in found:
        del found[STOP]
    elif is_endless:
        found[[name for name in names if name != RETURNED][-1]] = True
    if RETURNED in found:
        found[RETURNED] = finisher(found[RETURNED])(state.returned)
    return parted(frame, found, state.exits)


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
        raise Again(state)


def _yields(state: State, inner: Frame, types: list[Type]) -> list[Value]:
    """Data of the variables after a pass, which must be of the same types as before it."""
    values: list[Value] = []
    place = 0
    for name in state.names:
        before, after = state.frame.local_names[name], inner.local_names[name]
        if isinstance(after, Unbound):
            state.lose(name, after)
        try:
            found = _after_pass(state, name, place, (before, after), types[len(values) :])
        except S2sadError as error:
            if error.code != "E0306":
                raise
            state.lose(name, Unbound.differing(error))
        values += found
        place += len(leaves(before))
    first = {
        name: inner.local_names[name] for name in state.stored
        if name in state.wanted and name not in (*state.names, *state.lost)
        and is_bound(inner, name)
    }  # fmt: skip
    if first:
        state.begin(first)
    return values


def _after_pass(
    state: State, name: str, place: int, trees: tuple[Any, Any], types: list[Type]
) -> list[Value]:
    """Data of one variable after a pass, the leaves of which begin at `place` (E0306)."""
    before, after = trees
    if carried.shape_of(before) != carried.shape_of(after):
        raise fail(
            "E0306", f"`{name}` is built differently after one pass of the loop: "
            f"{len(leaves(before))} items before, {len(leaves(after))} after",
            help="fill a tensor of known length with `x[i] = v` instead",
        )  # fmt: skip
    values: list[Value] = []
    for i, (old, new) in enumerate(zip(leaves(before), leaves(after), strict=True)):
        if is_data(old):
            values.append(_carry(state, name, place + i, (old, new), types[len(values)]))
        elif not same_static(old, new):
            if isinstance(old, Symbolic) and is_data(as_leaf(new)):
                state.count(name, old)
            raise carried.differ(name, old, new, carried.BEFORE, carried.AFTER)
    return values


def _carry(state: State, name: str, place: int, leaf: tuple[Any, Any], expected: Type) -> Value:
    old, new = leaf[0], as_leaf(leaf[1])
    if not is_data(new):
        raise carried.differ(name, old, new, carried.BEFORE, carried.AFTER)
    builder = builders.current()
    value = carried.as_value(builder, new)
    becomes_tensor = is_weak(old) and not is_weak(new) and place not in state.tensors
    if same_type(value.type, expected) and not becomes_tensor:
        return value
    if isinstance(value.type, TensorType) and not value.shape:
        if is_weak(new) and isinstance(expected, TensorType) and not expected.shape:
            if carried.fits(value.type, expected.dtype):
                return carried.as_value(builder, new, expected.dtype)
        may_change = is_weak(old) and carried.fits(expected, value.dtype)
        if may_change and (becomes_tensor or place not in state.dtypes):
            state.dtypes[place] = value.dtype  # a number takes the dtype that the body gives it
            state.tensors.update([place] if becomes_tensor else [])
            raise Again(state)
        decide_dtype(state.frame, old, value.dtype)
    before = carried.as_value(builder, old) if not carried.is_number(old) else old
    raise carried.differ(name, before, value, carried.BEFORE, carried.AFTER)


@contextmanager
def scratch() -> Iterator[None]:
    """Throw away what is emitted inside: only what it evaluates to is of interest."""
    region = Region()
    try:
        with Builder(region).active():
            yield
    finally:
        discard(region)
