"""Which programs mix views, copies and writes in every order, so that a wrong write shows?

`aliasing_function` writes one from a seed: matrices and rows that are views of one another, passed
through branches, loops and stacks, written into by every primitive that has an in-place form, and
returned in between. A backend that overwrites what is still read gives other numbers than the plain
evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Function, Value
from s2sad.ir.types import TensorType, bf16, f64, i64

N = 12
#: Indices, some of them twice and some from the end.
PLACES = (np.array([1, 1]), np.array([0, -1]), np.array([3, 2]))


def aliasing_function(seed: int, *, size: int = 24) -> tuple[Function, list[np.ndarray]]:
    """A function of about `size` statements, and inputs for it."""
    author = _Author(Random(seed), size)
    function = author.function()
    random = np.random.default_rng(seed)
    return function, [_array(value.type, random) for value in function.args]


def _array(type: TensorType, random: np.random.Generator) -> np.ndarray:  # noqa: A002
    if type.dtype is bf16.dtype:
        return random.integers(0x3F00, 0x3F90, type.shape).astype(np.uint16)
    return random.standard_normal(type.shape)


@dataclass
class _Room:
    """Values that the statements of a region may use; `index` is that of the loop around it."""

    pool: list[Value]
    stack: Value | None = None
    index: Value | None = None
    depth: int = 0


class _Author:
    def __init__(self, random: Random, size: int) -> None:
        self.random = random
        self.left = size
        self.matrix = random.choice((f64, f64, f64, bf16))[N, N]
        self.row = TensorType(self.matrix.dtype, (N,))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def function(self) -> Function:
        types = [self.matrix] * self.random.randint(1, 3) + [self.row] * self.random.randint(0, 2)
        function = build_function(self.body, types)
        taken: set[int] = set()
        for i, argument in enumerate(function.args):
            fitting = [
                j for j, result in enumerate(function.results)
                if result.type == argument.type and j not in taken
            ]  # fmt: skip
            if fitting and self.chance(0.4):
                function.donates[i] = self.random.choice(fitting)
                taken.add(function.donates[i])
        return function

    def body(self, *args: Value) -> list[Value]:
        self.room = _Room(list(args))
        if self.chance(0.5):
            self.room.stack = p.stack_empty(of=self.matrix)
        self.statements(self.left)
        results = [self.pick(t) for t in self.random.choices((self.matrix, self.row), k=4)]
        return [*results, *self.open_stack(self.room.stack)]

    def open_stack(self, outer: Value | None) -> list[Value]:
        """What has become of the stack `outer`, where there is one."""
        return [] if outer is None or self.room.stack is None else [self.room.stack]

    def statements(self, count: int) -> None:
        for _ in range(count):
            if self.left > 0:
                self.left -= 1
                self.random.choices(_STATEMENTS, _WEIGHTS)[0](self)

    # ---- values ----------------------------------------------------------------------------

    def keep(self, value: Value) -> None:
        self.room.pool.append(value)

    def pick(self, type: TensorType, *, late: float = 2.5) -> Value:  # noqa: A002
        """A value of `type`, more often one that was made last."""
        fitting = [v for v in self.room.pool if v.type == type]
        if not fitting:
            return self.as_row(self.pick(self.matrix))
        return fitting[int(len(fitting) * self.random.random() ** (1 / late))]

    def any_type(self) -> TensorType:
        return self.row if self.chance(0.3) else self.matrix

    def index(self) -> Value:
        if self.room.index is not None and self.chance(0.5):
            return self.room.index
        return p.const(self.random.randrange(-N, N), i64)

    def as_row(self, matrix: Value) -> Value:
        if self.chance(0.3):
            return p.gather(matrix, self.index())
        start = self.random.randrange(N)
        part = p.slice(matrix, start=(start, 0), stop=(start + 1, N))
        return p.reshape(part, shape=(N,))

    def row_sum(self) -> Value:
        """A sum whose rounding depends on the layout of what is summed."""
        return p.reduce_sum(self.pick(self.matrix), axis=self.random.choice((0, 1)))

    def truth(self) -> Value:
        half = p.const(0.5, TensorType(self.row.dtype))
        return p.less(p.reduce_sum(self.pick(self.row)), half)

    # ---- statements ------------------------------------------------------------------------

    def view(self) -> None:
        x = self.pick(self.any_type())
        forms: list[Callable[[], Value]] = [
            lambda: p.flip(x, axis=0),
            lambda: p.slice(x, start=(0,) * x.ndim, stop=x.shape),
            lambda: p.stop_gradient(x),
            lambda: p.cast(x, dtype=x.dtype),
            lambda: p.broadcast_to(x, shape=x.shape),
            lambda: p.squeeze(p.expand_dims(x, axis=0), axis=0),
            lambda: p.reshape(p.reshape(x, shape=(-1, 2)), shape=x.shape),
            lambda: p.transpose(x),
            lambda: self.as_row(self.pick(self.matrix)),
            lambda: p.broadcast_to(self.pick(self.row), shape=(N, N)),
        ]
        self.keep(self.random.choice(forms)())

    def fresh(self) -> None:
        kind = self.any_type()
        x, y = self.pick(kind), self.pick(kind)
        forms: list[Callable[[], Value]] = [
            lambda: p.mul(p.add(x, y), 0.5),
            lambda: p.neg(x),
            lambda: p.where(p.less(x, y), x, y),
            lambda: p.gather(x, p.const(np.arange(N) // 2, i64[N])),
            lambda: p.zeros_like(x),
            lambda: p.const(0.5, kind),
            lambda: p.iota(dtype=kind.dtype, shape=kind.shape, axis=0),
            lambda: p.pad(p.slice(x, start=(1,) * x.ndim, stop=x.shape), 0,
                          low=(0,) * x.ndim, high=(1,) * x.ndim),
            lambda: p.dynamic_slice(x, *[p.const(0, i64)] * x.ndim, sizes=x.shape),
            lambda: p.mul(self.row_sum(), 0.5),
        ]  # fmt: skip
        self.keep(self.random.choice(forms)())

    def write(self) -> None:
        """One of the operations that may write into its first operand."""
        kind = self.any_type()
        x = self.pick(kind, late=4)
        axis = self.random.randrange(x.ndim)
        prim = self.random.choice((p.index_add, p.index_update, p.update, p.update_add))
        if prim in (p.update, p.update_add):
            starts = [self.index(), *[p.const(0, i64)] * (x.ndim - 1)]
            part = p.reshape(self.pick(self.row), shape=(1,) * (x.ndim - 1) + (N,))
            if x.ndim == 1:
                part = p.slice(part, start=(1,), stop=(2,))
            self.keep(prim(x, part, *starts))
        elif self.chance(0.6):
            update = self.pick(self.row)
            if x.ndim == 1:
                update = p.reshape(p.slice(update, start=(2,), stop=(3,)), shape=())
            self.keep(prim(x, self.index(), update, axis=axis))
        else:
            places = p.const(self.random.choice(PLACES), i64[2])
            update = p.slice(self.pick(kind), start=(0,) * x.ndim,
                             stop=tuple(2 if i == axis else N for i in range(x.ndim)))  # fmt: skip
            self.keep(prim(x, places, update, axis=axis))

    def push(self) -> None:
        if self.room.stack is not None:
            self.room.stack = p.stack_push(self.room.stack, self.pick(self.matrix, late=4))

    def push_and_pop(self) -> None:
        if self.room.stack is not None:
            self.push()
            self.room.stack, top = p.stack_pop(self.room.stack)
            self.keep(top)

    def isolated(self) -> None:
        """A region that sees its own arguments only, and may give them back."""
        args = [self.pick(self.any_type()) for _ in range(2)]
        if self.room.depth > 2:
            return

        def body(*inner: Value) -> list[Value]:
            outer, self.room = self.room, _Room([*inner] * 2, depth=3)
            if not any(v.type == self.matrix for v in inner):
                self.keep(p.broadcast_to(inner[0], shape=(N, N)))
                self.room.pool.reverse()
            self.statements(2)
            results = [self.pick(v.type) for v in inner]
            self.room = outer
            return results

        self.take(self.random.choice((p.fused, p.checkpoint))(*args, body=body), None)

    # ---- regions ---------------------------------------------------------------------------

    @contextmanager
    def inside(self, args: Sequence[Value], stack: Value | None, index: Value | None) -> Any:
        outer = self.room
        first, *others = outer.pool  # a matrix
        pool = [first, *(v for v in others if self.chance(0.5)), *args]
        index = outer.index if index is None else index
        self.room = _Room(pool, stack, index, outer.depth + 1)
        try:
            yield
        finally:
            self.room = outer

    def share(self) -> int:
        return self.random.randint(1, 5)

    def branch(self) -> None:
        if self.room.depth > 2:
            return
        types = [self.any_type() for _ in range(self.random.randint(1, 3))]
        stack = self.room.stack if self.chance(0.5) else None
        condition = self.truth()

        def side() -> list[Value]:
            with self.inside((), stack, None):
                self.statements(self.share())
                return [*map(self.pick, types), *self.open_stack(stack)]

        self.take(p.if_(condition, then=side, orelse=side), stack)

    def take(self, results: Any, stack: Value | None) -> None:
        results = results if isinstance(results, tuple) else (results,)
        if stack is not None:
            *results, self.room.stack = results
        for value in results:
            self.keep(value)

    def carried(self) -> tuple[list[Value], Value | None]:
        values = [self.pick(self.any_type()) for _ in range(self.random.randint(1, 3))]
        stack = self.room.stack if self.chance(0.5) else None
        return [*values, *([] if stack is None else [stack])], stack

    def turn(self, args: Sequence[Value], stack: Value | None, index: Value | None) -> list[Value]:
        arrays = [v for v in args if isinstance(v.type, TensorType)]
        with self.inside(arrays * 2, None if stack is None else args[-1], index):
            self.statements(self.share())
            following = [self.pick(v.type, late=4) for v in arrays]
            return [*following, *self.open_stack(stack)]

    def counted(self) -> None:
        if self.room.depth > 2:
            return
        values, stack = self.carried()
        bounds = [p.const(x, i64) for x in (0, self.random.choice((0, 1, 2, 4)), 1)]
        self.take(p.for_(*bounds, *values, body=lambda i, *args: self.turn(args, stack, i)), stack)

    def conditional(self) -> None:
        if self.room.depth > 2:
            return
        values, stack = self.carried()
        limit = p.const(self.random.choice((0, 1, 2, 4)), i64)

        def body(i: Value, *args: Value) -> list[Value]:
            return [p.add(i, 1), *self.turn(args, stack, i)]

        results = p.while_(
            p.const(0, i64), *values, condition=lambda i, *args: p.less(i, limit), body=body
        )
        self.take(results[1:], stack)


_STATEMENTS: tuple[Callable[[_Author], None], ...] = (
    _Author.view, _Author.fresh, _Author.write, _Author.push, _Author.push_and_pop,
    _Author.branch, _Author.counted, _Author.conditional, _Author.isolated,
)  # fmt: skip
_WEIGHTS = (5, 3, 9, 0.5, 0.5, 1.5, 1.5, 1, 0.4)
