"""Which rows come, and in which order: shuffle, repeat, take, skip, filter, concat, zip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from s2sad.core.diagnostics import annotate, fail
from s2sad.dataset.block import Block, Row, blocks_of, first, without
from s2sad.dataset.plans.base import FromFirst, Plan, indices_of
from s2sad.dataset.run import Place, Run

#: More turns than an epoch of an endless repetition has: each epoch has orders of its own.
ENDLESS = 2**32
#: Random slots that `Shuffle` draws at once.
DRAWN = 256


class Shuffle(FromFirst):
    """A buffer of rows: one at random goes, the next one of the input takes its slot.

    With `seed` the order is the same in every epoch of every run.
    """

    def __init__(self, plan: Plan, buffer: int, seed: int | None = None) -> None:
        self.inputs = (plan,)
        self.buffer = buffer
        self.seed = seed

    def whole(self, at: Place, size: int) -> Iterator[Block]:
        rng = at.rng() if self.seed is None else np.random.default_rng(self.seed)
        rows = self.inputs[0].rows(at.input(), size=size)
        return blocks_of(_shuffled(rows, self.buffer, rng), size)


def _shuffled(rows: Iterator[Row], buffer: int, rng: np.random.Generator) -> Iterator[Row]:
    held = list(islice(rows, buffer))
    while len(held) == buffer:
        for slot in rng.integers(buffer, size=DRAWN).tolist():
            following = next(rows, None)
            if following is None:
                buffer = -1
                break
            yield held[slot]
            held[slot] = following
    for slot in rng.permutation(len(held)):
        yield held[slot]


class Repeat(Plan):
    """Its input `count` times; without end for -1."""

    def __init__(self, plan: Plan, count: int) -> None:
        self.inputs = (plan,)
        self.count = count

    def size(self) -> int | None:
        size = self.inputs[0].size()
        return None if size is None or self.count == -1 else size * self.count

    @property
    def repeats(self) -> int:
        inner = self.inputs[0].repeats
        return -1 if -1 in (inner, self.count) else inner * self.count

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        length = self.inputs[0].size()
        if start and length is None:  # epochs may differ, so they have to be run
            return without(self._from(at, size, 0, 0), start)
        turn, start = divmod(start, length) if length else (0, start)
        return self._from(at, size, turn, start)

    def _from(self, at: Place, size: int, turn: int, start: int) -> Iterator[Block]:
        while self.count == -1 or turn < self.count:
            epoch = at.epoch * (ENDLESS if self.count == -1 else self.count) + turn
            count = 0
            for block in self.inputs[0].blocks(at.input(epoch=epoch), size, start):
                count += block.count
                yield block
            if count == 0 and self.count == -1:
                return  # or it would look for a first row for ever
            turn, start = turn + 1, 0


class Take(Plan):
    """The first `count` rows."""

    def __init__(self, plan: Plan, count: int) -> None:
        self.inputs = (plan,)
        self.count = count

    def size(self) -> int | None:
        size = self.inputs[0].size()
        if size is None and self.inputs[0].repeats == -1:
            return self.count
        return None if size is None else min(size, self.count)

    @property
    def repeats(self) -> int:
        return abs(self.inputs[0].repeats)

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        size = max(1, min(size, self.count - start))
        return first(self.inputs[0].blocks(at.input(), size, start), self.count - start)


class Skip(Plan):
    """All but the first `count` rows."""

    def __init__(self, plan: Plan, count: int) -> None:
        self.inputs = (plan,)
        self.count = count

    def size(self) -> int | None:
        size = self.inputs[0].size()
        return None if size is None else max(0, size - self.count)

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        return self.inputs[0].blocks(at.input(), size, start + self.count)


class Filter(FromFirst):
    """The rows for which a function of the user's says so."""

    def __init__(self, plan: Plan, predicate: Callable[..., Any], columns: Any) -> None:
        self.inputs = (plan,)
        self.predicate = predicate
        self.chosen = indices_of(plan.names if columns is None else columns, plan.names)

    def size(self) -> int | None:
        return None

    def whole(self, at: Place, size: int) -> Iterator[Block]:
        return blocks_of(self._passing(self.inputs[0].rows(at.input(), size=size)), size)

    def _passing(self, rows: Iterator[Row]) -> Iterator[Row]:
        for number, row in enumerate(rows):
            if self._passes(row, number):
                yield row

    def _passes(self, row: Row, number: int) -> bool:
        try:
            answer = self.predicate(*(row[index] for index in self.chosen))
        except Exception as error:
            annotate(error, f"filter called it for row {number} of what it is given")
            raise
        if not isinstance(answer, (bool, np.bool_)):
            raise fail("E0304", f"a predicate of filter gives True or False, got {answer!r}")
        return bool(answer)


class Concat(Plan):
    """One data set after another, with equal columns."""

    def __init__(self, plans: tuple[Plan, ...]) -> None:
        self.inputs = plans
        for plan in plans[1:]:
            if plan.names != plans[0].names:
                raise fail(
                    "E0404", f"data sets of concat have equal columns, got {list(plans[0].names)} "
                    f"and {list(plan.names)}", help="project and rename make them equal",
                )  # fmt: skip

    def size(self) -> int | None:
        sizes = [plan.size() for plan in self.inputs]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        for index, plan in enumerate(self.inputs):
            length = plan.size()
            if start and length is None:
                yield from without(self._from(at, size, index), start)
                return
            if length is None or start < length:
                yield from plan.blocks(at.input(index), size, start)
            start = 0 if length is None else max(0, start - length)

    def _from(self, at: Place, size: int, index: int) -> Iterator[Block]:
        for later in range(index, len(self.inputs)):
            yield from self.inputs[later].blocks(at.input(later), size)


class Zip(Plan):
    """Rows of several data sets side by side, as long as all have one."""

    def __init__(self, plans: tuple[Plan, ...]) -> None:
        self.inputs = plans
        names = [name for plan in plans for name in plan.names]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise fail(
                "E0404", f"data sets of zip have different columns, got {', '.join(twice)} twice",
                help="rename the columns of one of them",
            )  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for plan in self.inputs for name in plan.names)

    def size(self) -> int | None:
        endless = [plan for plan in self.inputs if plan.repeats == -1]
        sizes = [plan.size() for plan in self.inputs if plan not in endless]
        return None if None in sizes or not sizes else min(x for x in sizes if x is not None)

    @property
    def repeats(self) -> int:
        return min((plan.repeats for plan in self.inputs), key=lambda x: (x == -1, x))

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        inputs = [plan.rows(at.input(i), start, size) for i, plan in enumerate(self.inputs)]
        rows = (sum(parts, ()) for parts in zip(*inputs, strict=False))
        return blocks_of(rows, size)


class FlatMap(FromFirst):
    """The rows of the data sets that a function of the user's makes of the rows of the input."""

    def __init__(self, plan: Plan, function: Callable[..., Plan]) -> None:
        self.inputs = (plan,)
        self.function = function

    @property
    def names(self) -> tuple[str, ...]:
        run = Run(0, is_serial=True)
        self.inputs[0].open(Place(run))
        for row in self.inputs[0].rows(Place(run), size=1):
            return self.function(*row).names
        raise fail("E0404", "flat_map of a data set without rows has no columns")

    def size(self) -> int | None:
        return None

    def whole(self, at: Place, size: int) -> Iterator[Block]:
        for number, row in enumerate(self.inputs[0].rows(at.input(), size=size)):
            plan = self.function(*row)
            run = Run(at.run.seed, is_serial=True)  # threads that are begun here would add up
            inner = Place(run, (*at.path, 1, number), at.epoch)
            plan.open(inner)
            yield from plan.blocks(inner, size)
