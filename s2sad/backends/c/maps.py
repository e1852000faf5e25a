"""How is a group written that reduces nothing: a loop over each dimension of its results?"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.c.group import Loop
from s2sad.backends.c.writer import Line, Writer


class MapWriter(Writer):
    """Every element of the results by itself; what depends on outer loops only stands in them."""

    def write(self) -> list[Line]:
        loops = self.group.outer
        ready: set[int] = set()
        for number, loop in enumerate(loops):
            self.statements(self.group.operations, ready=ready)
            if number == len(loops) - 1:
                self.put("#pragma omp simd")
            self.open_loop(loop, is_first=not number)
            ready |= set(loop.of)
        self.statements(self.group.operations)
        self.store(self.group.outputs)
        for _ in loops:
            self.close()
        self.put("return 0;")
        return self.finished()


def over(writer: Writer, loops: Sequence[Loop]) -> None:
    """Open `loops`, of which the first runs over the kernel's part."""
    for number, loop in enumerate(loops):
        writer.open_loop(loop, is_first=not number)
