"""How does the table of a program reach the runtime that is not in its library?

A library that serves several sizes holds kernels alone; offsets and extents differ. The structures
are those of ``s2sad.h``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from s2sad.backends.c.emit import Program, Row, counts_of

#: Values of the enums of ``s2sad.h``, in their order.
KINDS = ("ARENA", "INPUT", "OUTPUT", "CONSTANT", "NOWHERE")
STEPS = (
    "CALL", "HOST", "JUMP", "UNLESS", "FOR", "NEXT", "COPY", "SWAP", "ALIAS", "SETTLE", "STACK_NEW",
    "STACK_ROOM", "STACK_PUSH", "STACK_POP", "STACK_TAKE", "STACK_DROP",
)  # fmt: skip


class _Slot(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("at", ctypes.c_int64))


class _Step(ctypes.Structure):
    _fields_ = (
        ("op", ctypes.c_int), ("args", ctypes.c_int32), ("target", ctypes.c_int32),
        ("place", ctypes.c_int32), ("call", ctypes.c_void_p), ("extent", ctypes.c_int64),
        ("grain", ctypes.c_int64),
    )  # fmt: skip


class _Program(ctypes.Structure):
    _fields_ = (
        ("steps", ctypes.c_void_p), ("args", ctypes.c_void_p), ("slots", ctypes.c_void_p),
        ("n_steps", ctypes.c_int32), ("n_slots", ctypes.c_int32), ("n_inputs", ctypes.c_int32),
        ("n_outputs", ctypes.c_int32), ("n_constants", ctypes.c_int32), ("arena", ctypes.c_int64),
    )  # fmt: skip


class HandedProgram:
    """A `s2_program` in memory of ours.

    Attributes
    ----------
    address : int
    """

    def __init__(self, program: Program, library: ctypes.CDLL) -> None:
        table = program.table
        kernels = (ctypes.c_void_p * len(program.kernels)).in_dll(
            library, f"s2_kernels_{program.number}"
        ) if program.kernels else []  # fmt: skip
        calls = iter(kernels)
        steps = [_step(row, calls) for row in table.rows or [Row("JUMP", 0, 1, -1, None, 0, 1)]]
        slots = [(KINDS.index(slot.kind), int(slot.at)) for slot in table.slots]
        self._steps = (_Step * len(steps))(*steps)
        self._args = (ctypes.c_int32 * max(1, len(table.args)))(*table.args)
        self._slots = (_Slot * len(slots))(*slots)
        self._program = _Program(
            *map(ctypes.addressof, (self._steps, self._args, self._slots)), *counts_of(program),
            int(program.layout.arena),
        )  # fmt: skip
        self.address = ctypes.addressof(self._program)


def _step(row: Row, calls: Iterator[int]) -> tuple[int | None, ...]:
    call = None if row.kernel is None else next(calls)
    numbers = (STEPS.index(row.op), row.args, row.target, row.place)
    return (*numbers, call, int(row.extent), int(row.grain))
