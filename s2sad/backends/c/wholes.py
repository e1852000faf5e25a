"""How is a group written that reduces all there is, so that several threads may do it?

What is reduced is cut into *parts*, as many whatever the number of threads is, so results do not
depend on it. The kernel leaves the result of each part in scratch memory; another one combines
them, in order, and computes what is made of the whole.
"""

from __future__ import annotations

from math import prod

from s2sad.backends.c.group import GRAIN, Group
from s2sad.backends.c.literal import computed
from s2sad.backends.c.rows import RowWriter, parts_of
from s2sad.backends.c.writer import Line
from s2sad.ir.graph import Operation, Value
from s2sad.ir.types import TensorType

#: Parts of a group at most.
PARTS = 64


def part_size(group: Group) -> int:
    """Passes of the outermost loop that are a part; 0 where the group is better left whole.

    Parts are worth it where all is reduced, gone over once, and much.
    """
    if group.outer or not group.inner or not group.is_gone_over_once:
        return 0
    first = group.inner[0].size
    work = prod(loop.size for loop in group.inner) * group.work
    count = min(PARTS, first, work // GRAIN)
    return -(-first // count) if count > 1 else 0


class WholeWriter(RowWriter):
    """The results of the parts of a row.

    Parameters
    ----------
    group : Group
    size : int
        Of a part, in passes of the outermost loop.

    Attributes
    ----------
    parts : int
        How many there are.
    scratch : list of Value
        Where their results lie: one for each reduction.
    """

    def __init__(self, group: Group, size: int) -> None:
        super().__init__(group)
        self.size = size
        self.parts = -(-group.inner[0].size // size)
        self.kept = {}
        self.stage = self._stage(0)
        self.scratch = [self._scratch(op) for op in self.stage.folds]

    def _scratch(self, op: Operation) -> Value:
        fold, dtype = parts_of(op)
        return Value(TensorType(fold.whole(dtype), (self.parts,)), op, 0, None)

    def write(self) -> list[Line]:
        end = self.group.inner[0].size
        self.statements(self._standing(0))
        self.open("for (int64_t part = begin; part < end; part++) {")
        self.put(f"const int64_t from = part * {self.size};")
        self.put(f"const int64_t to = from + {self.size} < {end} ? from + {self.size} : {end};")
        wholes = self._wholes(self.stage)
        self._gone_over(self.stage, wholes, ("from", "to"))
        for place, name in zip(self._places(), wholes.values(), strict=True):
            self.put(f"{place} = {name};")
        self.close()
        self.put("return 0;")
        return self.finished()

    def _places(self) -> list[str]:
        """Where the results of the present part lie."""
        first = len(self.group.outputs)
        return [f"y{first + i}[part]" for i in range(len(self.scratch))]


class FinishWriter(WholeWriter):
    """What is made of the results of the parts."""

    def write(self) -> list[Line]:
        self.statements(self._standing(0))
        wholes = self._wholes(self.stage)
        self.open(f"for (int64_t part = 0; part < {self.parts}; part++) {{")
        for place, (op, name) in zip(self._places(), wholes.items(), strict=True):
            fold, dtype = parts_of(op)
            self.put(f"{name} = {fold.combine(dtype, name, place)};", op.loc)
        self.close()
        for op, name in wholes.items():
            self.assign(op.result, f"({computed(op.result.dtype)}){name}", op.loc)
        self.statements(self._standing(1))
        self.store([value for value in self.group.outputs if not self.group.is_full(value)])
        self.put("return 0;")
        return self.finished()
