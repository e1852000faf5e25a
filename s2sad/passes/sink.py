"""How does a program that is one step become one that runs many?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir.bindings import RANDOM, is_argument
from s2sad.ir.builder import Builder, as_tuple, discard
from s2sad.ir.clone import copy_operations
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Region, Value
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.types import StackType, TensorType, Token, TokenType
from s2sad.passes.base import Pass
from s2sad.passes.validation import compare
from s2sad.prims.channel import Channel, serving


@dataclass(frozen=True)
class SinkLoop(Pass):
    """Turn a step into a loop that takes its batches from a queue.

    Before:  def step(x: f32[4], w: f32[4]) -> (f32, f32[4]):   # donates={"w": 1}
                 ...; return loss, w1
    After:   def step(w: f32[4], token: Token) -> (f32[4], Token):
                 token, more, x = p.queue_next(token, types=(f32[4],), queue="batches")
                 while True:
                     if not more: break
                     ...
                     token, w = p.queue_keep(token, w1, queue="batches")
                     token = p.queue_report(token, loss, queue="batches")
                     token, more, x = p.queue_next(token, types=(f32[4],), queue="batches")
                 return w, token

    Inputs that are arguments of the step are what a batch holds. Those that are donated are
    carried, and stay the results that they become; so are tokens. The others are read in each turn.
    The other results of the step are given to the host, turn by turn. What the step computes stays
    as it is, operation by operation, so numbers stay the same, bit for bit.

    Attributes
    ----------
    queue : str
        Under which name the host serves the channel.
    checks : bool
        Whether a step that gives or writes a float that is not finite is an error (E0702), before
        it is kept.
    """

    queue: str = "batches"
    checks: bool = False
    name: ClassVar[str] = "sink-loop"
    is_needed: ClassVar[bool] = True
    keeps_inputs: ClassVar[bool] = False

    def run(self, function: Function, rewriter: Rewriter) -> None:
        step = Step.of(function)
        with rewriter.step("sink the step", None):
            body = _Loop(function, step, self.queue, self.checks).region()
            _exchange(function, step, body)
            rewriter.changes += 1

    def difference(self, before: Function, after: Function, inputs: Sequence[Any]) -> str | None:
        """How a sink of one batch differs from one step, in words; None where it does not."""
        step, wanted = Step.of(before), evaluate(before, inputs)
        with serving(self.queue, Channel.over([[inputs[i] for i in step.batch]])) as channel:
            left = [value for i, value in enumerate(inputs) if i not in step.batch]
            found = evaluate(after, [*left, Token])
        (reported,) = channel.reports()
        kept = [wanted[i] for i in (*step.written, *step.given_tokens)]
        given = [wanted[i] for i in step.reported]
        return compare((*reported, *found[:-1]), (*given, *kept), self.agrees)


@dataclass(frozen=True)
class Step:
    """What the inputs and results of a step are to a loop over it.

    Attributes
    ----------
    batch : tuple of int
        Inputs that come from the queue.
    state, written : tuple of int
        Inputs that are carried, and the results that they become, in the order of the results.
    taken_tokens, given_tokens : tuple of int
        Inputs and results that are tokens.
    reported : tuple of int
        The other results.
    """

    batch: tuple[int, ...]
    state: tuple[int, ...]
    written: tuple[int, ...]
    taken_tokens: tuple[int, ...]
    given_tokens: tuple[int, ...]
    reported: tuple[int, ...]

    @staticmethod
    def of(function: Function) -> Step:
        """The parts of `function` (E0304 where a stack is among its inputs or results)."""
        types = (*function.input_types, *function.result_types)
        stack = next((t for t in types if isinstance(t, StackType)), None)
        if stack is not None:
            raise fail("E0304", f"a step takes and gives tensors, {function.name} has a {stack}")
        # A Generator's state changes with each draw, so what is called so and stays is an argument.
        state = sorted(function.donates, key=function.donates.__getitem__)
        written = [function.donates[i] for i in state]
        batch = [
            i for i, binding in enumerate(function.inputs)
            if i not in function.donates and (is_argument(binding) or binding == RANDOM)
        ]  # fmt: skip
        tensors = [i for i, t in enumerate(function.result_types) if isinstance(t, TensorType)]
        return Step(
            tuple(batch), tuple(state), tuple(written),
            _tokens(function.input_types), _tokens(function.result_types),
            tuple(i for i in tensors if i not in written),
        )  # fmt: skip


def _tokens(types: Sequence[Any]) -> tuple[int, ...]:
    return tuple(i for i, each in enumerate(types) if isinstance(each, TokenType))


class _Loop:
    """Makes the body of the sunk function, of which `function` is the step."""

    def __init__(self, function: Function, step: Step, queue: str, checks: bool) -> None:
        self.function = function
        self.step = step
        self.queue = queue
        self.checks = checks
        self.types = tuple(function.input_types[i] for i in step.batch)
        self.carried = [function.args[i] for i in (*step.batch, *step.taken_tokens, *step.state)]

    def region(self) -> Region:
        """The whole, with inputs of its own."""
        args = self.function.args
        left = [value for i, value in enumerate(args) if i not in self.step.batch]
        types, names = [v.type for v in left], [v.name for v in left]
        region = Region([*types, Token], [*names, "token"])
        self.outer: dict[Value, Value] = dict(zip(left, region.args, strict=False))
        with Builder(region).active():
            token, more, *batch = self.next(region.args[-1])
            state = [self.outer[args[i]] for i in (*self.step.taken_tokens, *self.step.state)]
            token, _, *carried = p.while_(
                token, more, *batch, *state, condition=lambda token, more, *_: more, body=self.turn
            )
        tokens, state = self.parted(carried[len(batch) :])
        region.set_reads([*state, *tokens, token])
        return region

    def next(self, token: Value) -> tuple[Value, ...]:
        """The next batch, with names as in the step."""
        found = p.queue_next(token, types=self.types, queue=self.queue)
        for value, index in zip(found[2:], self.step.batch, strict=True):
            value.name = self.function.args[index].name
        return found

    def turn(self, token: Value, more: Value, *carried: Value) -> list[Value]:
        """One step, and the next batch."""
        mapping = {**self.outer, **dict(zip(self.carried, carried, strict=True))}
        for old, new in zip(self.carried, carried, strict=True):
            new.name = old.name
        place = _place_of(token)
        for operation in copy_operations(self.function.body.operations, mapping):
            place.append(operation)
        results = [mapping.get(value, value) for value in self.function.results]
        state = [results[i] for i in self.step.written]
        token = self.checked(token, results)
        token, *state = as_tuple(p.queue_keep(token, *state, queue=self.queue))
        reported = [results[i] for i in self.step.reported]
        token = p.queue_report(token, *reported, queue=self.queue)
        token, more, *batch = self.next(token)
        tokens = [results[i] for i in self.step.given_tokens]
        return [token, more, *batch, *tokens, *state]

    def checked(self, token: Value, results: Sequence[Value]) -> Value:
        """The token after a look at what the step gives and writes, if that is wanted."""
        for place in (*self.step.reported, *self.step.written) if self.checks else ():
            value = results[place]
            if isinstance(value.type, TensorType) and value.type.dtype.is_float:
                name = "result" if place in self.step.reported else self.written_to(place)
                token = p.check_finite(token, value, what=name)
        return token

    def written_to(self, place: int) -> str:
        """The name of what the result number `place` is written to."""
        return self.function.args[self.step.state[self.step.written.index(place)]].name or "state"

    def parted(self, carried: Sequence[Value]) -> tuple[Sequence[Value], Sequence[Value]]:
        """Tokens and state."""
        count = len(self.step.taken_tokens)
        return carried[:count], carried[count:]


def _place_of(argument: Value) -> Region:
    assert isinstance(argument.owner, Region)
    return argument.owner


def _exchange(function: Function, step: Step, body: Region) -> None:
    """Let `function` have the `body`, in place of that of the step."""
    discard(function.body)
    kept = [i for i in range(len(function.inputs)) if i not in step.batch]
    function.inputs = (*(function.inputs[i] for i in kept), "token:sink")
    function.donates = {kept.index(i): place for place, i in enumerate(step.state)}
    function.tree = "()"
    function.body = body
    body.parent = function
