"""What could a valid function look like that nobody thought of?

`random_function` writes one from a seed, of all primitives that exist: those that it knows no
better are called with operands and attributes guessed until their type rule agrees, so a new
family joins by itself. What fails at run time is left out: every function here runs on its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes, location
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.ir import builder
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import StackType, TensorType, Token, Type, bool_, i64
from support.calls import CALLS, EFFECTS
from support.guesses import (
    effect_prims,
    elementwise_prims,
    fitting,
    guess_attributes,
    nested_prims,
    other_prims,
    signatures,
)
from support.random_values import constant_array, random_inputs

#: Names that users give, some of which mean something in a dump or clash once made unique.
NAMES = (
    "x", "x", "y", "h", "loss", "w", "hidden_state", "x_1", "x_1_1", "dx", "t0", "c1", "p", "f32",
    "inf", "nan", "bits", "region", "function", "Stack", "Token", "range", "fused", "break_",
    "naïve", "β", "_", "__x", "T", "print", "construct", "self", "n",
)  # fmt: skip
SCOPES = ("", "net:Net", "net:Net/cell:Dense", "loss:CrossEntropyLoss", "net:Net/block.0:Block")
MAX_DEPTH = 3
MAX_LINEAR = 4


def random_function(
    seed: int, *, size: int | None = None, only: Callable[[Primitive], bool] | None = None
) -> tuple[Function, list[Any]]:
    """A valid function and inputs that it runs on, always the same for a seed.

    Parameters
    ----------
    seed : int
    size : int, optional
        Statements to write, about; 5 to 40 where it is not given. One statement may be several
        operations.
    only : callable, optional
        Says of a primitive whether it may occur; control flow, stacks and constants always do.
    """
    function = _Author(seed, size, only).function()
    return function, random_inputs(function, seed)


@dataclass
class _Linear:
    """A stack or token that has not been used yet, and how many elements this region put on it."""

    value: Value
    count: int = 0


def _without_nan(value: Value) -> Value:
    """`value` with 0 for NaN, of which nothing says which bits it has."""
    return p.where(p.is_nan(value), p.const(0.0, TensorType(value.dtype, ())), value)


@dataclass
class _Room:
    """What the statements of one region may use."""

    pool: list[Value] = field(default_factory=list)
    linear: list[_Linear] = field(default_factory=list)
    depth: int = 0
    may_leave: bool = True  # whether a new linear value may be left at the end
    numbers: dict[int, Value] = field(default_factory=dict)  # constants of type i64

    def inner(self, args: Sequence[Value] = (), *, isolated: bool = False) -> _Room:
        tensors = [v for v in args if isinstance(v.type, TensorType)]
        linear = [_Linear(v) for v in args if v.type.is_linear]
        pool = tensors if isolated else [*self.pool, *tensors]
        return _Room(pool, linear, self.depth + 1, isolated, {} if isolated else dict(self.numbers))


class _Author:
    """Writes one function."""

    def __init__(
        self, seed: int, size: int | None, only: Callable[[Primitive], bool] | None = None
    ) -> None:
        self.only = only
        self.random = Random(seed)
        self.seed = seed
        self.left = size or self.random.randint(5, 40)
        self.shapes = self._shapes()
        self.dtypes = self.random.sample(dtypes.ALL, self.random.randint(2, 5))
        self.room = _Room()

    def _shapes(self) -> list[tuple[int, ...]]:
        """Shapes that broadcast together, and one that need not."""
        sizes = (1, 2, 3, 4, 0) if self.chance(0.15) else (1, 2, 3, 5)
        base = tuple(self.random.choices(sizes, k=self.random.randint(0, 3)))
        ones = tuple(1 if self.chance(0.5) else n for n in base)
        return [base, base, base[1:], base[-1:], ones, (), (self.random.choice((2, 3, 0)), 2)]

    def one_of(self, prims: Sequence[Primitive]) -> Primitive:
        """Any of `prims` that may occur."""
        return self.random.choice([x for x in prims if self.only(x)] if self.only else prims)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # The whole

    def function(self) -> Function:
        types = [self.type() for _ in range(self.random.randint(0, 5))]
        types += [Token] * self.chance(0.3) + [StackType(self.type())] * self.chance(0.1)
        self.random.shuffle(types)
        names = [self.name() for _ in types]
        inputs = [self._binding(i, t) for i, t in enumerate(types)]
        written = build_function(
            self.body, types, name=self.random.choice(("main", "construct", "f")),
            names=names, inputs=inputs,
        )  # fmt: skip
        written.title = self.random.choice(("", "rnn.Net.construct", "m.<locals>.Net.f"))
        written.donates = self._donations(written)
        written.tree = self._tree(written)
        return written

    def _binding(self, index: int, type: Type) -> str:  # noqa: A002
        if type is Token:
            return "token:host"
        form = self.random.choice(("x{}", "net.x{}", "param:net.w{}", "capture:self.a[{}]"))
        return form.format(index)

    def body(self, *args: Value) -> list[Value]:
        self.room = _Room().inner(args, isolated=True)
        self.statements(self.left)
        results = [v for v in self.room.pool if not v.uses and self.chance(0.7)][-8:]
        results += [self.pick() for _ in range(self.random.randint(0, 2)) if self.room.pool]
        results += [each.value for each in self.room.linear]
        self.random.shuffle(results)
        return results or [self.constant(self.type())]

    def _donations(self, function: Function) -> dict[int, int]:
        """Inputs with results of their types, each once."""
        donates: dict[int, int] = {}
        for i, arg in enumerate(function.args):
            free = [
                j for j, result in enumerate(function.results)
                if result.type == arg.type and j not in donates.values()
            ]  # fmt: skip
            if free and isinstance(arg.type, TensorType) and self.chance(0.5):
                donates[i] = self.random.choice(free)
        return donates

    def _tree(self, function: Function) -> str:
        """How callers see the tensors among the results; some they do not see."""
        seen = [i for i, type in enumerate(function.result_types) if type is not Token]
        leaves = [i for i in seen if self.chance(0.9)]
        self.random.shuffle(leaves)
        return repr(self._branch(leaves, 2))

    def _branch(self, leaves: list[int], depth: int) -> Any:
        if len(leaves) == 1 and self.chance(0.7):
            return leaves[0]
        if depth == 0 or not leaves:
            return tuple(leaves) if leaves or self.chance(0.5) else None
        middle = self.random.randrange(len(leaves) + 1)
        parts = [self._branch(leaves[:middle], depth - 1), self._branch(leaves[middle:], depth - 1)]
        form = self.random.choice((tuple, list, lambda x: dict(zip(("out", 2), x, strict=True))))
        return form(parts)

    # Statements

    def statements(self, count: int) -> None:
        for _ in range(count):
            if self.left <= 0:
                return
            self.left -= 1
            write = self.random.choices(_STATEMENTS, cum_weights=_WEIGHTS)[0]
            with location.at(self.location()), location.within(self.random.choice(SCOPES)):
                write(self)

    def location(self) -> Location | None:
        if self.chance(0.2):
            return None
        line, caller = self.random.randint(1, 99), None
        if self.chance(0.4):
            caller = Location("pkg/net work.py", line + 7, 4)
        return Location("rnn.py", line, self.random.randint(0, 40), caller, None)

    def elementwise(self) -> None:
        prim = self.one_of(elementwise_prims())
        first = self.pick()
        choices = signatures(prim).get(first.dtype)
        if not choices:
            return
        operands: list[Any] = [first]
        for dtype in self.random.choice(choices)[1:]:
            operands.append(self.partner(dtype, first.shape))
        self.try_call(prim, operands)

    def partner(self, dtype: DType, shape: tuple[int, ...]) -> Any:
        """A value of `dtype` that broadcasts with `shape`, or a number."""
        if self.chance(0.1) and dtype is not dtypes.bool_:
            return self.random.choice((2, -1, 0.5, -0.0) if dtype.is_float else (1, 2, 3))
        found = [v for v in self.recent() if v.dtype is dtype and _broadcasts(v.shape, shape)]
        if found and self.chance(0.9):
            return self.random.choice(found)
        return self.constant(TensorType(dtype, shape if self.chance(0.5) else ()))

    def guess(self) -> None:
        """A call of any other primitive, with operands and attributes guessed."""
        prim = self.one_of(other_prims())
        if prim.name in CALLS:
            self.call_as_told(prim)
            return
        count = prim.least + (self.random.randint(0, 2) if prim.most is None else 0)
        for _ in range(8):
            first = self.pick()
            alike = [v for v in self.recent() if v.dtype is first.dtype] or [first]
            rest = [
                self.random.choice(alike) if self.chance(0.7) else self.pick()
                for _ in range(count - 1)
            ]
            if self.try_call(prim, [first, *rest][:count]):
                return

    def call_as_told(self, prim: Primitive) -> None:
        operands, attrs = CALLS[prim.name](self.random)
        values = [self.of(x) if isinstance(x, TensorType) else x for x in operands]
        self.try_call(prim, values, attrs)

    def try_call(
        self,
        prim: Primitive,
        operands: Sequence[Any],
        attrs: dict[str, Any] | None = None,
        **regions: Any,
    ) -> bool:
        """Emit `prim` where its type rule agrees and the result is not too large."""
        types = [x.type for x in operands if isinstance(x, Value)]
        if attrs is None:
            attrs = guess_attributes(prim, types, self.random)
        if regions or len(types) < len(operands):
            try:
                self.keep(builder.current().emit(prim, operands, attrs, regions))
            except S2sadError:
                return False
            return True
        found = fitting(prim, types, attrs)
        if found is not None:
            self.keep(self.write(prim, operands, *found))
        return found is not None

    def write(
        self,
        prim: Primitive,
        operands: Sequence[Value],
        attrs: dict[str, Any],
        types: Sequence[Type],
    ) -> tuple[Value, ...]:
        """Append an operation that is known to be well formed."""
        if prim is p.bitcast and operands[0].dtype.is_float:
            operands = [_without_nan(operands[0])]
        made = Operation(
            prim, operands, attrs, types, loc=location.current.get(), scope=location.scope.get()
        )
        return builder.current().add(made).results

    def keep(self, results: Any) -> None:
        """Let `results` be used by what comes, some under names."""
        for value in results if isinstance(results, tuple) else (results,):
            value.name = self.name()
            if isinstance(value.type, TensorType):
                self.room.pool.append(value)

    def name(self) -> str | None:
        return self.random.choice(NAMES) if self.chance(0.5) else None

    # Values

    def type(self) -> TensorType:
        return TensorType(self.random.choice(self.dtypes), self.random.choice(self.shapes))

    def pick(self) -> Value:
        """Any tensor, a late one rather than an early one."""
        pool = self.room.pool
        if not pool or self.chance(0.02):
            return self.constant(self.type())
        return pool[int(len(pool) * self.random.random() ** 0.6)]

    def recent(self) -> list[Value]:
        return self.room.pool[-40:]

    def constant(self, type: TensorType) -> Value:  # noqa: A002
        array = constant_array(type, self.random.randrange(6))
        (result,) = self.write(p.const, (), {"value": array, "type": type}, (type,))
        self.keep(result)
        return result

    def write_constant(self) -> None:
        long = TensorType(self.random.choice(self.dtypes), (self.random.choice((70, 300)),))
        self.constant(long if self.chance(0.1) else self.type())

    def of(self, type: TensorType) -> Value:  # noqa: A002
        found = [v for v in self.recent() if v.type == type]
        return self.random.choice(found) if found and self.chance(0.9) else self.constant(type)

    def truth(self) -> Value:
        """A scalar bool, from numbers where there are any."""
        numbers = [v for v in self.recent() if not v.shape and v.dtype is not dtypes.bool_]
        if numbers and self.chance(0.7):
            x = self.random.choice(numbers)
            return p.less(x, self.of(x.type))
        return self.of(bool_)

    def number(self, value: int) -> Value:
        if value not in self.room.numbers or self.chance(0.2):
            self.room.numbers[value] = p.const(value, i64)
        return self.room.numbers[value]

    # Regions

    @contextmanager
    def inside(self, room: _Room) -> Iterator[None]:
        outer, self.room = self.room, room
        try:
            yield
        finally:
            self.room = outer

    def take_linear(self) -> list[_Linear]:
        """Live linear values that one operation with regions takes over."""
        return [each for each in self.room.linear if self.chance(0.6)]

    def share(self) -> int:
        return self.random.randint(0, min(6, max(self.left // 2, 1)))

    def branch(self) -> None:
        if self.room.depth >= MAX_DEPTH:
            return
        condition, taken = self.truth(), self.take_linear()
        types = [self.pick().type for _ in range(self.random.randint(not taken, 3))]

        def side() -> list[Value]:
            with self.inside(self.room.inner()):
                self.room.linear = [_Linear(each.value) for each in taken]
                self.statements(self.share())
                return [*(each.value for each in self.room.linear), *map(self.of, types)]

        self.take_over(p.if_(condition, then=side, orelse=side), taken)

    def take_over(self, results: Any, taken: list[_Linear]) -> None:
        """Keep `results`; the first are what has become of the linear values `taken`."""
        results = results if isinstance(results, tuple) else (results,)
        self.keep(results)
        for each, result in zip(taken, results, strict=False):
            each.value = result

    def carried(self) -> tuple[list[Value], list[_Linear]]:
        taken = self.take_linear()
        tensors = [self.pick() for _ in range(self.random.randint(not taken, 3))]
        return [*(each.value for each in taken), *tensors], taken

    def loop_body(self, args: Sequence[Value], carried: Sequence[Value]) -> list[Value]:
        """Yields of the types of `carried`, which are also among `args`."""
        with self.inside(self.room.inner(args)):
            self.statements(self.share())
            tensors = [v.type for v in carried if isinstance(v.type, TensorType)]
            return [*(each.value for each in self.room.linear), *map(self.of, tensors)]

    def counted(self) -> None:
        if self.room.depth >= MAX_DEPTH:
            return
        start, stop, step = self.random.choice(((0, 3, 1), (0, 0, 1), (5, -1, -2), (2, 9, 3)))
        values, taken = self.carried()
        bounds = [self.number(n) for n in (start, stop, step)]
        results = p.for_(*bounds, *values, body=lambda i, *c: self.loop_body((i, *c), c))
        self.take_over(results, taken)

    def conditional(self) -> None:
        """A `while` over a counter, and whatever else its condition says."""
        if self.room.depth >= MAX_DEPTH:
            return
        values, taken = self.carried()
        limit = self.number(self.random.randint(0, 3))

        def condition(i: Value, *args: Value) -> Value:
            with self.inside(self.room.inner([i, *(v for v in args if not v.type.is_linear)])):
                self.statements(self.random.randint(0, 1))
            return p.less(i, limit)

        def body(i: Value, *args: Value) -> list[Value]:
            following = self.loop_body((i, *args), args)
            return [p.add(i, 1), *following]

        results = p.while_(self.number(0), *values, condition=condition, body=body)
        self.take_over(results[1:], taken)

    def nested(self) -> None:
        """An operation whose regions see only their own arguments."""
        if self.room.depth >= MAX_DEPTH:
            return
        prim = self.one_of(nested_prims())
        if prim.name == "hook":
            x = self.pick()
            self.try_call(prim, [x], body=self.isolated([x.type]))
        elif prim.name == "transform":
            self.mapped(prim)
        elif prim.name == "custom":
            operands = [self.pick() for _ in range(self.random.randint(1, 3))]
            back = [v.type for v in operands if v.dtype.is_float]
            self.try_call(prim, operands, primal=self.isolated(), adjoint=self.isolated(back))
        else:
            self.grouped(prim)

    def grouped(self, prim: Primitive) -> None:
        """Any values and any region, as `fused` and `checkpoint` take them."""
        taken = self.take_linear()
        operands = [each.value for each in taken]
        operands += [self.pick() for _ in range(self.random.randint(not taken, 4))]
        if self.try_call(prim, operands, **{prim.regions[0]: self.isolated()}):
            results = builder.current().region.operations[-1].results
            for each, result in zip(taken, results, strict=False):
                each.value = result

    def mapped(self, prim: Primitive) -> None:
        """A map along the first axes of values in which these have one size."""
        x = self.pick()
        if not x.shape or not x.shape[0]:
            return
        alike = [v for v in self.recent() if v.shape[:1] == x.shape[:1] and self.chance(0.5)][:2]
        in_axes, results = (0,) * (1 + len(alike)), self.random.randint(1, 2)
        attrs = {"kind": "vmap", "in_axes": in_axes, "out_axes": (0,) * results}
        self.try_call(prim, [x, *alike], attrs, body=self.isolated(count=results))

    def isolated(
        self, types: Sequence[TensorType] | None = None, *, count: int | None = None
    ) -> Callable[..., list[Value]]:
        """A region that yields values of `types`, or `count` of any after what is linear."""

        def region(*args: Value) -> list[Value]:
            with self.inside(self.room.inner(args, isolated=True)):
                for _ in range(self.share()):
                    self.random.choice((self.elementwise, self.guess))()
                if types is not None:
                    return [self.of(t) for t in types]
                several = self.random.randint(1, 3) if count is None else count
                linear = [each.value for each in self.room.linear]
                return [*linear, *(self.pick() for _ in range(several))]

        return region

    # Linear values

    def stack(self) -> None:
        """Make a stack, push on one, or pop from one."""
        stacks = [each for each in self.room.linear if isinstance(each.value.type, StackType)]
        if not stacks or self.chance(0.1):
            if self.room.may_leave and len(self.room.linear) < MAX_LINEAR:
                self.room.linear.append(_Linear(p.stack_empty(of=self.type())))
            return
        each = self.random.choice(stacks)
        if each.count and self.chance(0.4):
            each.value, top = p.stack_pop(each.value)
            each.count -= 1
            self.keep(top)
        else:
            each.value = p.stack_push(each.value, self.of(each.value.type.element))
            each.count += 1

    def tape(self) -> None:
        """Push in one counted loop, pop in another: what a loop and its reverse do."""
        full = len(self.room.linear) >= MAX_LINEAR
        if full or not self.room.may_leave or self.room.depth >= MAX_DEPTH:
            return
        element, trips = self.type(), self.random.randint(0, 3)
        bounds = [self.number(n) for n in (0, trips, 1)]

        def push(i: Value, stack: Value, x: Value) -> list[Value]:
            (following,) = self.loop_body((i, x), (x,))
            return [p.stack_push(stack, x), following]

        def pop(i: Value, stack: Value, total: Value) -> list[Value]:
            stack, top = p.stack_pop(stack)
            return [stack, *self.loop_body((i, top, total), (total,))]

        stack, last = p.for_(*bounds, p.stack_empty(of=element), self.of(element), body=push)
        stack, total = p.for_(*bounds, stack, self.of(element), body=pop)
        self.keep((last, total))
        if self.chance(0.5):
            p.stack_drop(stack)
        else:
            self.room.linear.append(_Linear(stack))

    def effect(self) -> None:
        """An operation on the token, where there is one."""
        tokens = [each for each in self.room.linear if each.value.type is Token]
        if not tokens:
            return
        each, prim = self.random.choice(tokens), self.one_of(effect_prims())
        most = prim.least + 2 if prim.most is None else prim.most
        for _ in range(6):
            first = [each.value, *EFFECTS.get(prim.name, ())]
            count = self.random.randint(prim.least, most)
            rest = [self.pick() for _ in range(count - len(first))]
            values = [x if isinstance(x, Value) else builder.current().value(x) for x in first]
            if self.try_call(prim, [*values, *rest]):
                results = builder.current().region.operations[-1].results
                each.value = next(v for v in results if v.type is Token)
                return


_STATEMENTS: tuple[Callable[[_Author], None], ...] = (
    _Author.elementwise, _Author.guess, _Author.write_constant, _Author.branch, _Author.counted,
    _Author.conditional, _Author.nested, _Author.stack, _Author.tape, _Author.effect,
)  # fmt: skip
_WEIGHTS = tuple(accumulate((10, 5, 1, 1, 1, 0.7, 0.8, 1, 0.4, 1)))


def _broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b), strict=False))
