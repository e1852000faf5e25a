"""How is a group written whose last dimension is reduced?

For each element of what stays there is a *row*: what is reduced to it. A row is gone over in
stages. A stage computes elements, reduces them, and ends with the results of its reductions; the
next one may read them. What a later stage reads of an earlier one lies in a line of memory until
then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from s2sad.backends.c.fold import FOLDS, Fold
from s2sad.backends.c.group import Loop
from s2sad.backends.c.literal import computed, computing
from s2sad.backends.c.maps import over
from s2sad.backends.c.pieces import PASSES, Piece, pieces
from s2sad.backends.c.template import stored
from s2sad.backends.c.writer import Line, Writer, counted
from s2sad.core.dtypes import DType
from s2sad.ir.graph import Operation, Value
from s2sad.ir.known_sizes import Size
from s2sad.passes.space import REDUCTIONS

#: Elements of a block whose partial result is added to the whole.
BLOCK = 4096


@dataclass(frozen=True)
class Stage:
    """One time over a row.

    Attributes
    ----------
    number : int
    work : list of Operation
        What it computes for each element, and reduces.
    stores : list of Value
        Elements that are results.
    """

    number: int
    work: list[Operation]
    stores: list[Value]

    @property
    def folds(self) -> list[Operation]:
        """What it reduces."""
        return [op for op in self.work if op.prim in REDUCTIONS]

    @property
    def is_empty(self) -> bool:
        return not (self.work or self.stores)


def parts_of(op: Operation) -> tuple[Fold, DType]:
    """How the reduction `op` combines, and the dtype in which it does."""
    return FOLDS[op.prim], computing(op.result.dtype)


class RowWriter(Writer):
    """A row for each element of what stays."""

    def write(self) -> list[Line]:
        outer = self.group.outer
        over(self, outer)
        self.kept = self._kept()
        size = max(1, prod(loop.size for loop in self.group.inner))
        for value, name in self.kept.items():
            self.put(f"{stored(value.dtype)} {name}[{room(size)}];")
        for number in range(max(self.group.stages.values(), default=0) + 1):
            self._flat(number)
            stage = self._stage(number)
            if not stage.is_empty:
                self._over_row(stage)
        for _ in outer:
            self.close()
        self.put("return 0;")
        return self.finished()

    # ---- what belongs to a stage -----------------------------------------------------------

    def _kept(self) -> dict[Value, str]:
        """Full values that a later stage reads, with the line in which they lie until then."""
        found: dict[Value, str] = {}
        for op in self.group.operations:
            for value in op.operands:
                if self._is_early(value, op) and value not in self.group.outputs:
                    found.setdefault(value, f"line{len(found)}")
        return found

    def _is_early(self, value: Value, op: Operation) -> bool:
        """Whether an earlier stage than that of `op`, which reads it, has computed `value`."""
        if value not in self.group.computed or not self.group.is_full(value):
            return False
        return self.group.stages[value] < self._stage_of(op)

    def _stage_of(self, op: Operation) -> int:
        return self.group.stages[op.result] - (op.prim in REDUCTIONS)

    def _stage(self, number: int) -> Stage:
        group = self.group
        work = [
            op for op in group.operations
            if self._stage_of(op) == number and (op.prim in REDUCTIONS or group.is_full(op.result))
        ]  # fmt: skip
        stores = [v for v in group.outputs if group.is_full(v) and group.stages[v] == number]
        return Stage(number, work, stores)

    def _flat(self, number: int) -> None:
        """What stands still along the row, known before a stage."""
        flat = self._standing(number)
        self.statements(flat)
        self.store([op.result for op in flat if op.result in self.group.outputs])

    def _standing(self, number: int) -> list[Operation]:
        """Operations whose results do not differ along the row, and are known before a stage."""
        return [
            op for op in self.group.operations
            if op.prim not in REDUCTIONS and not self.group.is_full(op.result)
            and self.group.stages[op.result] == number
        ]  # fmt: skip

    # ---- one time over the row -------------------------------------------------------------

    def _over_row(self, stage: Stage) -> None:
        wholes = self._wholes(stage)
        self._gone_over(stage, wholes)
        for op, name in wholes.items():
            self.assign(op.result, f"({computed(op.result.dtype)}){name}", op.loc)
            self.store([op.result] if op.result in self.group.outputs else [])

    def _wholes(self, stage: Stage) -> dict[Operation, str]:
        """What the reductions of a stage begin with, under the names that hold their results."""
        wholes = {op: self.fresh("whole") for op in stage.folds}
        for op, name in wholes.items():
            fold, dtype = parts_of(op)
            kind = computed(fold.whole(dtype))
            self.put(f"{kind} {name} = {fold.initial(dtype)};", op.loc)
        return wholes

    def _gone_over(
        self, stage: Stage, wholes: Mapping[Operation, str], part: tuple[str, str] | None = None
    ) -> None:  # fmt: skip
        """The loops over what is reduced; of the outermost all, or what `part` is from and to."""
        inner = self.group.inner
        for number, loop in enumerate(inner[:-1]):
            self.open_loop(loop, within=None if number else part)
        if inner:
            self._innermost(inner[-1], stage, wholes, part if len(inner) == 1 else None)
        else:  # every reduced dimension has one element
            self._element_of(Piece(stage.work, [], [], stage.stores), wholes)
        for _ in inner[:-1]:
            self.close()

    def _innermost(
        self, loop: Loop, stage: Stage, wholes: Mapping[Operation, str],
        part: tuple[str, str] | None,
    ) -> None:  # fmt: skip
        """The loop that compilers vectorise: in blocks, whose results are added to the whole."""
        is_blocked = bool(stage.folds) and loop.size > BLOCK
        first, last = part or ("0", str(loop.size))
        if is_blocked:
            first, last = self.open_blocks(first, last, BLOCK)
        parts = {op: self.fresh("part") for op in stage.folds}
        for op, name in parts.items():
            fold, dtype = parts_of(op)
            self.put(f"{computed(op.result.dtype)} {name} = {fold.initial(dtype)};")
        self._pieces_of(stage, loop, first, last, parts)
        for op, name in parts.items():
            fold, dtype = parts_of(op)
            self.put(f"{wholes[op]} = {fold.combine(dtype, wholes[op], name)};")
        if is_blocked:
            self.close()

    def _pieces_of(
        self, stage: Stage, loop: Loop, first: str, last: str, parts: Mapping[Operation, str]
    ) -> None:  # fmt: skip
        """The loop from `first` to `last`, cut where its body is long."""
        cut = pieces(stage.work, stage.stores, self.group, loop.size)
        is_blocked = len(cut) > 1 or (loop.size > BLOCK and not parts and self.has_angles(cut))
        if is_blocked:
            first, last = self.open_blocks(first, last, PASSES if len(cut) > 1 else BLOCK)
        strips, at = self.strips(cut), f"{loop.name} - {first}"
        for piece in cut:
            reduced = [(*parts_of(op), parts[op]) for op in piece.operations if op in parts]
            clauses = [f" reduction({fold.clause(dtype)}:{name})" for fold, dtype, name in reduced]
            take = partial(self.take_strips, piece, strips, at)
            body = partial(self._piece_of, piece, parts, strips, at)
            self.in_forms(piece, counted(loop, first, last), "".join(clauses), take, body)
        if is_blocked:
            self.close()

    def _piece_of(
        self, piece: Piece, into: Mapping[Operation, str], strips: Mapping[Value, str], at: str
    ) -> None:  # fmt: skip
        self._element_of(piece, into)
        self.leave_strips(piece, strips, at)

    def _element_of(self, piece: Piece, into: Mapping[Operation, str]) -> None:
        """One element: what earlier stages kept, what this one computes and reduces."""
        work = piece.operations
        for value in dict.fromkeys(v for op in work for v in op.operands if self._is_early(v, op)):
            self.take(value, self._read_again(value))
        self.statements(work)
        self.fold([op for op in work if op in into], into)
        for value in (op.result for op in work if op.result in self.kept):
            self.put(f"{self.kept[value]}[{self._place()}] = {self.as_stored(value)};")
        self.store(piece.stores)

    def fold(self, folds: Sequence[Operation], into: Mapping[Operation, str]) -> None:
        """Take the present elements into the partial results `into`."""
        for op in folds:
            fold, dtype = parts_of(op)
            value = self.operand(op, 0)
            self.put(f"{into[op]} = {fold.combine(dtype, into[op], value)};", op.loc)

    def _read_again(self, value: Value) -> str:
        if value in self.kept:
            return f"{self.kept[value]}[{self._place()}]"
        number = self.group.outputs.index(value)
        return f"y{number}[{self.index(value, self.space.maps[value])}]"

    def _place(self) -> str:
        """Where in a line the present element lies."""
        text = "0"
        for loop in self.group.inner:
            text = loop.name if text == "0" else f"({text}) * {loop.size} + {loop.name}"
        return text


def room(size: int) -> int:
    """Elements of an array that is to hold `size`: a power of two where the text serves others."""
    return 1 << (size - 1).bit_length() if isinstance(size, Size) else size
