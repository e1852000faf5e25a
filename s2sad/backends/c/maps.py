"""How is a group written that reduces nothing: a loop over each dimension of its results?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from s2sad.backends.c.group import Loop
from s2sad.backends.c.near import BLOCK
from s2sad.backends.c.pieces import PASSES, Piece, pieces
from s2sad.backends.c.writer import Line, Writer, counted
from s2sad.ir.graph import Value


class MapWriter(Writer):
    """Every element of the results by itself; what depends on outer loops only stands in them."""

    def write(self) -> list[Line]:
        loops = self.group.outer
        ready: set[int] = set()
        for number, loop in enumerate(loops[:-1]):
            self.statements(self.group.operations, ready=ready)
            self.open_loop(loop, is_first=not number)
            ready |= set(loop.of)
        self.statements(self.group.operations, ready=ready)
        if loops:
            self._innermost(loops[-1], is_first=len(loops) == 1)
        else:
            self.statements(self.group.operations)
            self.store(self.group.outputs)
        for _ in loops[:-1]:
            self.close()
        self.put("return 0;")
        return self.finished()

    def _innermost(self, loop: Loop, *, is_first: bool) -> None:
        todo = [op for op in self.group.operations if not self.is_known(op.result)]
        cut = pieces(todo, self.group.outputs, self.group, loop.size)
        first, last = ("begin", "end") if is_first else ("0", str(loop.size))
        is_blocked = len(cut) > 1 or (loop.size > BLOCK and self.has_angles(cut))
        if is_blocked:
            first, last = self.open_blocks(first, last, PASSES if len(cut) > 1 else BLOCK)
        strips, at = self.strips(cut), f"{loop.name} - {first}"
        head = counted(loop, first, last)
        for piece in cut:
            take = partial(self.take_strips, piece, strips, at)
            self.in_forms(piece, head, "", take, partial(self._piece_of, piece, strips, at))
        if is_blocked:
            self.close()

    def _piece_of(self, piece: Piece, strips: Mapping[Value, str], at: str) -> None:
        self.statements(piece.operations)
        self.leave_strips(piece, strips, at)
        self.store(piece.stores)


def over(writer: Writer, loops: Sequence[Loop]) -> None:
    """Open `loops`, of which the first runs over the kernel's part."""
    for number, loop in enumerate(loops):
        writer.open_loop(loop, is_first=not number)
