"""How is a group written that reduces dimensions before the last, which stays?

Elements of the last dimension lie side by side, so a block of them is reduced at once, each in an
accumulator of its own: *lanes*. Row by row is added to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from s2sad.backends.c.group import LANES, Loop
from s2sad.backends.c.literal import computed
from s2sad.backends.c.maps import over
from s2sad.backends.c.pieces import pieces
from s2sad.backends.c.rows import RowWriter, Stage, parts_of
from s2sad.backends.c.writer import Line
from s2sad.ir.dims import ceil_div
from s2sad.ir.graph import Operation
from s2sad.ir.known_sizes import Size
from s2sad.passes.space import REDUCTIONS

#: Rows of a block, whose partial results are added to the whole.
BLOCK = 256


@dataclass(frozen=True)
class Lanes:
    """A block of the last dimension: its loop, where it starts, how many there are."""

    loop: Loop
    start: str
    width: str
    most: int
    name: str = "lane"


class ColumnWriter(RowWriter):
    """Blocks of accumulators along the last dimension."""

    def write(self) -> list[Line]:
        *outer, last = self.group.outer
        over(self, outer)
        lanes = self._open_block(last, is_first=not outer)
        stage = self._stage(0)
        wholes = self._accumulators("whole", stage, lanes, is_whole=True)
        self._rows(stage, lanes, wholes)
        self._results(stage, lanes, wholes)
        for _ in range(len(outer) + 1):
            self.close()
        self.put("return 0;")
        return self.finished()

    def _open_block(self, last: Loop, *, is_first: bool) -> Lanes:
        most = LANES if isinstance(last.size, Size) else max(1, min(LANES, last.size))
        blocks, block = str(ceil_div(last.size, most)), self.fresh("block")
        first, end = ("begin", "end") if is_first else ("0", blocks)
        self.open(f"for (int64_t {block} = {first}; {block} < {end}; {block}++) {{")
        lanes = Lanes(last, self.fresh("start"), self.fresh("width"), most)
        self.put(f"const int64_t {lanes.start} = {block} * {most};")
        left = f"{last.size} - {lanes.start}"
        self.put(f"const int64_t {lanes.width} = {left} < {most} ? {left} : {most};")
        return lanes

    def _accumulators(
        self, name: str, stage: Stage, lanes: Lanes, *, is_whole: bool
    ) -> dict[Operation, str]:  # fmt: skip
        """An array with a partial result a lane, for each reduction."""
        arrays = {op: self.fresh(name) for op in stage.folds}
        for op, array in arrays.items():
            fold, dtype = parts_of(op)
            kind = computed(fold.whole(dtype) if is_whole else op.result.dtype)
            self.put(f"{kind} {array}[{lanes.most}];", op.loc)
            self._each(lanes, str(lanes.most), f"{array}[lane] = {fold.initial(dtype)};")
        return arrays

    def _each(self, lanes: Lanes, count: str, text: str) -> None:
        self.put(f"for (int64_t lane = 0; lane < {count}; lane++) {text}")

    def _open_lanes(self, lanes: Lanes) -> None:
        self.put("#pragma omp simd")
        self.open(f"for (int64_t lane = 0; lane < {lanes.width}; lane++) {{")
        self.put(f"const int64_t {lanes.loop.name} = {lanes.start} + lane;")

    def _rows(self, stage: Stage, lanes: Lanes, wholes: Mapping[Operation, str]) -> None:
        *around, rows = self.group.inner
        for loop in around:
            self.open_loop(loop)
        is_blocked = rows.size > BLOCK
        first, last = self.open_blocks(0, rows.size, BLOCK) if is_blocked else ("0", str(rows.size))
        parts = self._accumulators("part", stage, lanes, is_whole=False)
        self.open(f"for (int64_t {rows.name} = {first}; {rows.name} < {last}; {rows.name}++) {{")
        self._row(stage, lanes, {op: f"{name}[lane]" for op, name in parts.items()})
        self.close()
        for op, part in parts.items():
            fold, dtype = parts_of(op)
            whole = f"{wholes[op]}[lane]"
            text = f"{whole} = {fold.combine(dtype, whole, f'{part}[lane]')};"
            self._each(lanes, lanes.width, text)
        for _ in range(len(around) + is_blocked):
            self.close()

    def _row(self, stage: Stage, lanes: Lanes, into: Mapping[Operation, str]) -> None:
        """The lanes of a row, cut where their body is long."""
        work = [op for op in self.group.operations if self._is_before(op) or op in into]
        cut = pieces(work, stage.stores, self.group, lanes.most)
        strips = self.strips(cut)
        for piece in cut:
            self._open_lanes(lanes)
            self.take_strips(piece, strips, "lane")
            self.statements(piece.operations)
            self.fold([op for op in piece.operations if op in into], into)
            self.leave_strips(piece, strips, "lane")
            self.store(piece.stores)
            self.close()

    def _is_before(self, op: Operation) -> bool:
        """Whether it is computed row by row."""
        return op.prim not in REDUCTIONS and not self.group.stages[op.result]

    def _results(self, stage: Stage, lanes: Lanes, wholes: Mapping[Operation, str]) -> None:
        """What is made of the reductions, lane by lane."""
        self._open_lanes(lanes)
        for op, name in wholes.items():
            self.assign(op.result, f"({computed(op.result.dtype)}){name}[lane]", op.loc)
        group = self.group
        self.statements([op for op in group.operations if not group.is_full(op.result)])
        self.store([value for value in group.outputs if not group.is_full(value)])
        self.close()
