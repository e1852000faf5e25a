"""How is a group written that takes over each block of a product which a unit has finished?"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.c.group import Group, Loop
from s2sad.backends.c.writer import Line, Writer
from s2sad.ir.graph import Value
from s2sad.passes.space import Map, Unfit


class BlockWriter(Writer):
    """Rows and columns of one block.

    Parameters
    ----------
    group : Group
        With the dimension at which columns begin in `split`.
    rows : int
        Of each product of a batch.
    loose : Value, optional
        The product, where the unit hands over each block and keeps nothing.
    """

    def __init__(self, group: Group, rows: int, loose: Value | None = None) -> None:
        super().__init__(group)
        self.rows = rows
        self.loose = loose

    def write(self) -> list[Line]:
        group, split = self.group, self.group.split
        assert split is not None
        columns = [loop for loop in group.loops if loop.of[0] >= split]
        around = [loop for loop in group.loops if loop.of[0] < split]
        if len(columns) > 1:
            raise Unfit("the columns of a block do not run together")
        if not columns:  # the only one is the whole of a row
            self.put("#pragma omp simd")
        self.open("for (int64_t r = 0; r < rows; r++) {")
        self.put(f"const int64_t at = batch * {self.rows} + row + r;")
        self._place(around)
        if not columns:
            self.statements(group.operations)
            self.store(group.outputs)
            self.close()
            return self.finished()
        self.statements(group.operations, ready={d for loop in around for d in loop.of})
        self.put("#pragma omp simd")
        self.open("for (int64_t c = 0; c < cols; c++) {")
        for loop in columns:
            self.put(f"const int64_t {loop.name} = col + c;")
        self.statements(group.operations)
        self.store(group.outputs)
        self.close()
        self.close()
        return self.finished()

    def _load(self, value: Value, map_: Map, *, as_bits: bool) -> str:
        if value is not self.loose:
            return super()._load(value, map_, as_bits=as_bits)
        return "block[r * stride + c]"

    def _place(self, around: Sequence[Loop]) -> None:
        """The indices of a row, from its number among all."""
        behind = 1
        for number, loop in reversed(list(enumerate(around))):
            text = "at" if behind == 1 else f"at / {behind}"
            if number:
                text = f"{text} % {loop.size}"
            self.put(f"const int64_t {loop.name} = {text};")
            behind *= loop.size
