"""When does a `for` over a static range stay a loop, and what do its variables hold after it?

Its body is read once, with an index that varies. That gives what the passes would give one by one
where the body uses the index as a number beside tensors only, and leaves its variables as it found
them, but for the data in their tensors. Otherwise all is as if it had not been read, and the loop
is written out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from types import FunctionType
from typing import Any

from s2sad import prims as p
from s2sad.core.cell import Cell
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor
from s2sad.frontend import carried
from s2sad.frontend.branches import FLAGS, RETURNED
from s2sad.frontend.carried import Again, Blank, changed_names, same_static
from s2sad.frontend.containers import containers, settle, with_several_holders
from s2sad.frontend.exits import Exit, Leaving, NeverReturns
from s2sad.frontend.frame import Frame, Unbound
from s2sad.frontend.guards import LITERALS
from s2sad.frontend.index import VaryingRange
from s2sad.frontend.liveness import Live, liveness
from s2sad.frontend.loops import State, after_loop, compile_with, counted, is_bound
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.frontend.views import note_result
from s2sad.ir import builder as builders
from s2sad.ir.graph import Value
from s2sad.ir.types import Type, i64, same_type
from s2sad.ir.varying import Unfit, Varying

#: Fewer passes than these are written out.
MIN_PASSES = 3

#: What ends an attempt, besides errors.
SIGNALS = (Unfit, Again, NeverReturns)

#: ``run(frame, index)``: execute the body of a loop.
Run = Callable[[Frame, Any], Leaving]


class Outcome(Enum):
    """What became of the attempt to keep a loop.

    `LATER`: it may succeed after a pass that is compiled by itself.
    """

    KEPT = auto()
    LATER = auto()
    NEVER = auto()


def try_to_keep(frame: Frame, node: Any, passes: range, run: Run) -> tuple[Outcome, Leaving]:
    """Compile ``for target in passes: body`` as a loop, or change nothing; how it is left."""
    if frame.tree is None or len(passes) < MIN_PASSES:
        return Outcome.NEVER, None
    session, before = frame.session, carried.written_now(frame)
    overwritten, made = dict(session.overwritten), dict(session.made)
    try:
        with builders.all_or_nothing():
            leaving = _keep(frame, node, _Passes.of(passes), run)
    except (*SIGNALS, Exception) as reason:  # errors of the body come again, written out
        if isinstance(reason, Again):
            raise
        carried.write_back(frame, before)
        session.overwritten, session.made = overwritten, made
        settles = not isinstance(reason, Unfit) or reason.settles
        return (Outcome.LATER if settles else Outcome.NEVER), None
    return Outcome.KEPT, leaving


def keep_inner(frame: Frame, node: Any, passes: VaryingRange, run: Run) -> Leaving:
    """Compile a loop whose bounds depend on a loop around it, which is kept (else `Unfit`)."""
    if frame.tree is None:
        raise Unfit("a loop in code that is not the user's")
    known = _Passes(passes.bounds, passes.low, passes.high, last=None, runs=passes.runs)
    return _keep(frame, node, known, run)


@dataclass(frozen=True)
class _Passes:
    """The values of a range, as far as they are known.

    Attributes
    ----------
    bounds : tuple of int or Value
        As in ``range(*bounds)``.
    low, high : int
    last : int or None
    runs : bool
        Whether there surely is one.
    """

    bounds: tuple[Any, ...]
    low: int
    high: int
    last: int | None
    runs: bool

    @staticmethod
    def of(passes: range) -> _Passes:
        bounds = (passes.start, passes.stop, passes.step)
        first, last = passes[0], passes[-1]
        return _Passes(bounds, min(first, last), max(first, last), last, runs=True)


@dataclass(frozen=True)
class _Slot:
    """Stands for a result of the loop until the loop exists."""

    index: int


@dataclass
class _Kept(State):
    """Carries tensors only: a number that became one would not be as weak as Python's.

    Attributes
    ----------
    left : dict of str to tree
        What the variables hold after the last pass: static leaves, and slots.
    """

    live: Live = field(kw_only=True)
    passes: _Passes = field(kw_only=True)
    left: dict[str, Any] = field(default_factory=dict)

    def meet(self, name: str) -> None:
        raise Unfit(f"{name} holds a tensor that is written by another name", settles=True)

    def link(self, leaf: Value, names: Any) -> None:
        raise Unfit("a tensor is written that has two names", settles=True)

    def refuse(self, message: str) -> None:
        raise Unfit(message, settles=True)

    def begin(self, trees: Mapping[str, Any]) -> None:
        self.stored += [name for name in trees if name not in self.stored]
        super().begin(trees)

    def moves(self, leaf: Any) -> bool:
        return isinstance(leaf, (Value, Blank))

    def put(self, frame: Frame, values: list[Value]) -> None:
        super().put(frame, values)
        for name in self.stored:
            if name not in self.names:
                frame.local_names[name] = Unbound(f"`{name}` is assigned later", carried.here())

    def yields(self, inner: Frame, types: list[Type]) -> list[Value]:
        values: list[Value] = []
        self.left.clear()
        for name in self.names:  # as they are carried
            self.left[name] = self._after(name, inner, values, types)
        late = {
            name: inner.local_names[name] for name in self.stored
            if name not in self.names and name in self.live.after and is_bound(inner, name)
        }  # fmt: skip
        for name, tree in late.items():
            self._require_run()
            if not self.exits:
                self.left[name] = map_leaves(tree, self._last)
            elif name in self.live.entry:
                raise Unfit(f"{name} is not bound in the first pass", settles=True)
        if self.exits and late:  # which pass is the last one, data decide
            self.begin({name: map_leaves(tree, _as_value) for name, tree in late.items()})
        self._require_single(inner)
        return values

    def _require_single(self, inner: Frame) -> None:
        """Give up where what becomes a new list or dict has another name, which would not be."""
        before = () if self.passes.runs else (self.frame.local_names,)
        several = with_several_holders(inner, self.left, inner.local_names, *before)
        for name, tree in self.left.items():
            for new, old in zip(containers(tree), containers(inner.local_names[name]), strict=True):
                if new is not old and id(old) in several:
                    raise Unfit(f"{name} holds a container that has another name")

    def _after(self, name: str, inner: Frame, values: list[Value], types: list[Type]) -> Any:
        """Tree of a variable after the loop; its data joins `values`."""
        old, new = self.frame.local_names[name], inner.local_names[name]
        if isinstance(new, Unbound) or carried.shape_of(old) != carried.shape_of(new):
            raise Unfit(f"{name} is built differently after a pass", settles=True)
        if old is new and not any(map(self.moves, leaves(old))):
            return old
        pairs = iter(zip(leaves(old), leaves(new), strict=True))

        def leaf(_: Any) -> Any:
            one, other = next(pairs)
            if not self.moves(one):
                return one if same_static(one, other) else self._changed(name, other)
            other = _as_value(other)
            if not self.moves(other) or not same_type(other.type, types[len(values)]):
                raise Unfit(f"{name} changes its type", settles=True)
            values.append(other)
            first = next(i for i, value in enumerate(values) if value is other)
            return _Slot(first if self.passes.runs else len(values) - 1)

        return map_leaves(old, leaf)

    def _changed(self, name: str, leaf: Any) -> Any:
        """What was static before the loop, and is something else after a pass."""
        if name in self.live.entry:
            raise Unfit(f"{name} changes, and is not data", settles=True)
        return self._last(leaf)

    def _require_run(self) -> None:
        if not self.passes.runs:
            raise Unfit("a variable of a loop that may not run")

    def _last(self, leaf: Any) -> Any:
        """What the last pass leaves of a leaf that no pass reads."""
        self._require_run()
        if self.exits:
            raise Unfit("what the last pass leaves, which data decide", settles=True)
        if isinstance(leaf, Value):
            raise Unfit("data that no pass has given yet", settles=True)
        if not isinstance(leaf, Varying):
            return _as_it_is(leaf)
        if leaf.last is None or leaf.depth != self.frame.session.kept_loops:
            raise Unfit("a number that depends on a loop around this one")
        return leaf.last


def _as_value(leaf: Any) -> Any:
    """A number that varies from pass to pass as data."""
    return leaf.value if isinstance(leaf, Varying) else leaf


def _as_it_is(leaf: Any) -> Any:
    """`leaf`, which holds nothing that belongs to a pass: a function defined there may."""
    if not isinstance(leaf, (*LITERALS, Cell, DType, FunctionType, Tensor, type)):
        raise Unfit(f"a {type(leaf).__name__} that a pass has made")
    return leaf


def _keep(frame: Frame, node: Any, passes: _Passes, run: Run) -> Leaving:
    stored = changed_names([node.target, *node.body])
    live = liveness(frame.tree)[node]
    needed = [name for name in stored if name in live.entry or name in live.after]
    names = [name for name in needed if is_bound(frame, name)]
    before = frame.copy(dict(frame.local_names))
    state = _Kept(before, names, live=live, passes=passes, stored=stored)
    frame.session.kept_loops += 1
    try:
        results = _emit(state, run)
    finally:
        frame.session.kept_loops -= 1
    _finish(frame, state, list(results))
    return after_loop(frame, state)


def _emit(state: _Kept, run: Run) -> tuple[Value, ...]:
    """Emit the loop, when it is known which parameters it carries."""
    passes, session = state.passes, state.frame.session

    def one_pass(inner: Frame, extra: list[Value]) -> Leaving:
        index, depth = extra[0], session.kept_loops
        terms: dict[Value | None, int] = {index: 1}
        varying = Varying(index, passes.low, passes.high, passes.last, depth, terms)
        leaving = run(inner, varying)
        if isinstance(leaving, Exit) and leaving.kind in ("return", "break"):
            raise Unfit("no second pass")  # data do not decide that
        return leaving

    def emit(initial: list[Value]) -> Any:
        start, stop, step = (x if isinstance(x, Value) else p.const(x, i64) for x in passes.bounds)
        return counted(state, (start, stop, step), initial, one_pass)

    return compile_with(state, emit)


def _finish(frame: Frame, state: _Kept, results: list[Value]) -> None:
    """Let variables and parameters hold what they do after the loop."""
    initial = [leaf for leaf in state.leaves if state.moves(leaf)]
    for result, leaf, end_ in zip(results, initial, state.ends, strict=False):
        note_result(frame.session, result, leaf if not state.passes.runs else None, end_)

    def end(leaf: Any) -> Any:
        return results[leaf.index] if isinstance(leaf, _Slot) else leaf

    kept = {*state.live.after, *FLAGS.values(), RETURNED}
    read = [name for name in state.stored if name in kept and name in state.left]
    left = {name: map_leaves(state.left[name], end) for name in read}
    ends = (state.ended,) if state.passes.runs else (state.frame.local_names, state.ended)
    settle(frame, left, *ends)
    for name in state.stored:
        lost = state.ended.get(name)
        if not isinstance(lost, Unbound) or name not in state.live.after:
            lost = Unbound(f"`{name}` is not read again", carried.here(), is_dead=True)
        frame.local_names[name] = left.get(name, lost)
    count = len(state.parameters)
    for key, value in zip(state.parameters, results[len(results) - count :], strict=True):
        frame.session.captures[key].written = value
