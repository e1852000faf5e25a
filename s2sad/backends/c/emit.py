"""How does a function of the IR become ``program.c``: kernels, and a table of steps?

Kernels of one text are one function, however many steps call it. Several functions may share a
file; program number n is ``s2_program_n`` there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from s2sad.backends.c.layout import Label, Layout, Step
from s2sad.backends.c.lowering import Epilogue, Kernel, lower
from s2sad.backends.c.template import stored
from s2sad.backends.c.writer import Line
from s2sad.core.location import Location
from s2sad.ir.graph import Function, Operation, Value

#: Letters of a kernel's name, beside its number.
LONGEST_LABEL = 48
#: The argument of a kernel that is not a tensor's.
_POINTER = re.compile(r"\b[xy]\d+\b")


@dataclass
class Program:
    """What a run of one function needs besides the library.

    Attributes
    ----------
    function : Function
    number : int
        Of its program in the file.
    operations : list of Operation
        Those that steps name, by number.
    constants : list of numpy.ndarray
        Those that need memory.
    layout : Layout
    kernels : tuple of str
        Names, in the order of the steps that call them.
    """

    function: Function
    number: int
    operations: list[Operation]
    constants: list[np.ndarray]
    layout: Layout
    kernels: tuple[str, ...]


@dataclass
class Unit:
    """A file of C.

    Attributes
    ----------
    text : str
    programs : list of Program
    """

    text: str
    programs: list[Program] = field(default_factory=list)


def emit(functions: Sequence[Function]) -> Unit:
    """The file for `functions`, without composites."""
    return _Emitter().unit(functions)


class _Emitter:
    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.kernels: list[str] = []
        self.headers: dict[str, None] = {}
        self.tables: list[str] = []

    def unit(self, functions: Sequence[Function]) -> Unit:
        programs = [self.program(number, function) for number, function in enumerate(functions)]
        title = functions[0].title or functions[0].name
        includes = "\n".join(f'#include "{name}"' for name in ("s2sad.h", *self.headers))
        parts = [f"/* s2sad C 1: {_comment(title)} */", includes, *self.kernels, *self.tables]
        return Unit("\n\n".join(parts) + "\n", programs)

    # ---- programs --------------------------------------------------------------------------

    def program(self, number: int, function: Function) -> Program:
        layout = Layout(function, lower(function))
        operations: list[Operation] = []
        numbers: dict[Operation, int] = {}
        args: list[int] = []
        rows, names = [], []
        for step in layout.steps:
            place = -1
            if step.operation is not None:
                place = numbers.setdefault(step.operation, len(operations))
                if place == len(operations):
                    operations.append(step.operation)
            name = "0"
            if step.kernel is not None:
                name = self.kernel(step.kernel)
                names.append(name)
            rows.append(self._row(step, len(args), place, name))
            args += [slot.number for slot in step.slots]
        self.tables.append(self._table(number, layout, rows, args))
        constants = [_storage(value) for value in layout.constants]
        return Program(function, number, operations, constants, layout, tuple(names))

    def _row(self, step: Step, args: int, place: int, name: str) -> str:
        target = step.target.at if isinstance(step.target, Label) else -1
        grain = step.kernel.grain if step.kernel is not None else 1
        return f"{{S2_{step.op}, {args}, {target}, {place}, {name}, {step.extent}, {grain}}}"

    def _table(self, number: int, layout: Layout, rows: list[str], args: list[int]) -> str:
        slots = [f"{{S2_{slot.kind}, {slot.at}}}" for slot in layout.slots]
        function = layout.function
        counts = (
            len(rows), len(slots), len(function.args), len(function.results), len(layout.constants)
        )  # fmt: skip
        places = _wrapped(slots or ["{S2_NOWHERE, 0}"])
        return "\n".join((
            f"static const s2_slot slots_{number}[] = {{{places}}};",
            f"static const int32_t args_{number}[] = {{{_wrapped(map(str, args or [0]))}}};",
            f"static const s2_step steps_{number}[] = {{",
            *(f"    {row}," for row in rows or ["{S2_JUMP, 0, 1, -1, 0, 0, 1}"]),
            "};",
            f"S2_API const s2_program s2_program_{number} = {{",
            f"    steps_{number}, args_{number}, slots_{number}, "
            f"{', '.join(map(str, counts))}, {layout.arena},",
            "};",
        ))  # fmt: skip

    # ---- kernels ---------------------------------------------------------------------------

    def kernel(self, kernel: Kernel) -> str:
        """Name of the function for `kernel`, which is written where there is none yet."""
        body = _text_of(kernel)
        if body not in self.names:
            label = re.sub(r"\W", "_", kernel.label)[:LONGEST_LABEL].rstrip("_")
            self.names[body] = name = f"k{len(self.names)}_{label}"
            self.headers.update(dict.fromkeys(kernel.headers))
            self.kernels.append(self._function(name, kernel))
        return self.names[body]

    def _function(self, name: str, kernel: Kernel) -> str:
        head = [f"S2_KERNEL({name})", "{", *_pointers(kernel)]
        text = "\n".join([*head, *_placed(kernel.lines), "}"])
        if kernel.epilogue is None:
            return text
        own = f"{name}_block"
        block = [
            f"S2_EPILOGUE({own})", "{", *_block_pointers(kernel.epilogue),
            *_placed(kernel.epilogue.lines), "}",
        ]  # fmt: skip
        return "\n".join(block) + "\n\n" + text.replace("EPILOGUE", own)


def _text_of(kernel: Kernel) -> str:
    """What makes a kernel: two of one text are one."""
    lines = [*_pointers(kernel), *(line.text for line in kernel.lines)]
    if kernel.epilogue is not None:
        lines += _block_pointers(kernel.epilogue)
        lines += [line.text for line in kernel.epilogue.lines]
    return "\n".join(lines)


def _pointers(kernel: Kernel) -> list[str]:
    """Definitions of the pointers that a kernel's body names."""
    used = _names_in(kernel.lines)
    rows = [(f"x{i}", value, i, True) for i, value in enumerate(kernel.inputs)]
    written = enumerate((*kernel.outputs, *kernel.scratch))
    rows += [(f"y{i}", value, len(kernel.inputs) + i, False) for i, value in written]
    return [_pointer(*row) for row in rows if row[0] in used]


def _block_pointers(epilogue: Epilogue) -> list[str]:
    used = _names_in(epilogue.lines)
    rows = [row for row in epilogue.pointers if row[0] in used]
    head = ["    void *const *p = ((const s2_tile *)data)->p;",
            "    const int32_t *a = ((const s2_tile *)data)->a;"]  # fmt: skip
    return [*head, *(_pointer(*row) for row in rows)]


def _names_in(lines: Sequence[Line]) -> set[str]:
    return {name for line in lines for name in _POINTER.findall(line.text)}


def _pointer(name: str, value: Value, at: int, is_read: bool) -> str:
    const = "const " if is_read else ""
    return f"    {const}{stored(value.dtype)} *{name} = p[a[{at}]];"


def _placed(lines: Sequence[Line]) -> list[str]:
    """`lines`, each with the place in the user's source that it, or the one before, comes from.

    Each needs its own: a compiler counts lines on from the last.
    """
    found: list[str] = []
    known: Location | None = None
    for line in lines:
        known = line.loc or known
        if known is not None:
            found.append(f"#line {known.line} {json.dumps(known.file)}")
        found.append(line.text)
    return found


def _storage(value: Value) -> np.ndarray:
    return np.asarray(value.owner.attrs["value"], order="C")  # type: ignore[union-attr]


def _comment(text: str) -> str:
    return text.replace("*/", "* /")


def _wrapped(items: object) -> str:
    """`items` separated by commas, in lines of moderate length."""
    lines, line = [], ""
    for item in items:  # type: ignore[attr-defined]
        if len(line) + len(item) > 96:
            lines.append(line.rstrip())
            line = ""
        line += item + ", "
    lines.append(line.rstrip())
    return "\n    ".join(["", *lines]) + "\n" if len(lines) > 1 else lines[0]
