"""Does one nest of loops compute a group of operations, and well?

The layers of a network ask the same of groups that are alike but for the values that they read. So
an answer is kept by the *form* of a group, and looked up where that comes again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from s2sad.ir.graph import Operation, Value
from s2sad.passes.space import CORES, MOVES, REDUCTIONS, Space, Unfit

#: Elements of a row that is gone over several times: it stays in the nearest cache.
LONGEST_ROW = 4096
#: Bytes of an array above which it is not read in another order than it lies.
LARGE = 128 * 1024
#: Families of which no element is computed twice to save a trip through memory.
EXPENSIVE = frozenset(("exponential", "trigonometric", "special"))
#: Operations that a unit's product takes along: they are one body, and compilers of C take long for
#: a long one.
MOST_BEHIND = 64


class Worth:
    """Answers `is_worth`, once for each form of a group."""

    def __init__(self) -> None:
        self._kinds: dict[Hashable, int] = {}
        self._kind: dict[Operation, int] = {}
        self._known: dict[Hashable, bool] = {}

    def of(self, operations: Sequence[Operation]) -> bool:
        """Whether one nest of loops computes `operations`, in program order, and well."""
        outputs = outputs_of(operations)
        form = self._form(operations, outputs)
        known = self._known.get(form)
        if known is None:
            known = self._known[form] = is_worth(operations, outputs)
        return known

    def _form(self, operations: Sequence[Operation], outputs: Sequence[Value]) -> Hashable:
        """What each operation is, which of the others it reads, and what is read elsewhere."""
        places: dict[Value, int] = {}
        form: list[Hashable] = []
        for op in operations:
            form.append(self._kind.get(op) or self._new_kind(op))
            for value in op.operands:
                form.append(places.get(value))
            for result in op.results:
                places[result] = len(places)
        return (*form, "gives", *map(places.__getitem__, outputs))

    def _new_kind(self, op: Operation) -> int:
        """A number from 1 on for what `op` is by itself."""
        kind = self._kinds.setdefault(_description(op), len(self._kinds) + 1)
        self._kind[op] = kind
        return kind


def _description(op: Operation) -> Hashable:
    """Equal for operations that differ in the values that they read only."""
    types = tuple(value.type for value in (*op.operands, *op.results))
    found = op.prim, tuple(op.attrs.items()), types
    try:
        hash(found)
    except TypeError:  # an attribute that holds an array
        return op
    return found


def is_worth(operations: Sequence[Operation], outputs: Sequence[Value]) -> bool:
    """Whether one nest of loops computes `operations`, and well."""
    cores = [op for op in operations if op.prim in CORES]
    try:
        if cores:
            return _is_epilogue(cores, operations, outputs)
        space = Space.of(operations, outputs)
    except Unfit:
        return False
    return (
        _is_near(operations, space) and _is_once(operations, space) and _is_row(operations, space)
    )


def _is_epilogue(
    cores: Sequence[Operation], operations: Sequence[Operation], outputs: Sequence[Value]
) -> bool:
    """Whether one unit's product is all that the others take over, and has a place to lie."""
    (core, *others), size = cores, cores[0].result.dtype.itemsize
    if others or len(operations) > MOST_BEHIND:
        return False
    if not any(v.dtype.itemsize == size for v in outputs):
        return False
    rest = [op for op in operations if op is not core]
    space = Space.behind(core, rest, outputs)
    return len(space.sizes) == core.result.ndim and _is_near(rest, space)


def outputs_of(operations: Sequence[Operation]) -> list[Value]:
    """What others read of `operations`."""
    inside = set(operations)
    return [
        result for op in operations for result in op.results
        if any(use.user not in inside for use in result.uses)
    ]  # fmt: skip


def _is_near(operations: Sequence[Operation], space: Space) -> bool:
    """Whether the innermost loop reads large arrays as they lie."""
    last = _last(space)
    for op in operations:
        if op.prim in MOVES and op.result.type.nbytes > LARGE:  # type: ignore[attr-defined]
            map_ = space.reads[op, 0]
            runs = [axis for axis in map_ if axis.dim is not None]
            if runs and any(a.dim == last for a in runs[:-1]):
                return False
    return True


def _last(space: Space) -> int | None:
    """The innermost dimension that is more than one element."""
    running = [d for d, n in enumerate(space.sizes) if n != 1]
    return running[-1] if running else None


def _is_once(operations: Sequence[Operation], space: Space) -> bool:
    """Whether nothing expensive is computed for an element more than once."""
    for op in operations:
        if op.prim.family not in EXPENSIVE:
            continue
        dims = {axis.dim for axis in space.maps[op.result]}
        missing = {d for d, n in enumerate(space.sizes) if n != 1} - dims
        if missing - space.reduced or (missing and dims & space.reduced):
            return False
    return True


def _is_row(operations: Sequence[Operation], space: Space) -> bool:
    """Whether what is reduced is gone over once, or is a short row."""
    if not space.reduced:
        return True
    stages: dict[Value, int] = {}
    is_again = False
    for op in operations:
        at = max((stages.get(value, 0) for value in op.operands), default=0)
        stages[op.result] = at + (op.prim in REDUCTIONS)
        if at and (op.prim in REDUCTIONS or space.is_full(space.maps[op.result])):
            is_again = True
    if not is_again:
        return True
    length = 1
    for d in space.reduced:
        length *= space.sizes[d]
    return _last(space) in space.reduced and length <= LONGEST_ROW
