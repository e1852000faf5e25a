"""How does a function of the IR become ``program.c``: kernels, and a table of steps?

Kernels of one text are one function, however many steps call it. Several functions may share a
file; program number n is ``s2_program_n`` there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from s2sad.backends.c.layout import Label, Layout, Slot, Step
from s2sad.backends.c.lowering import Epilogue, Kernel, lower
from s2sad.backends.c.template import stored
from s2sad.backends.c.writer import Line
from s2sad.core.location import Location
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.known_sizes import sizes_of
from s2sad.ir.types import TensorType

#: Letters of a kernel's name, beside its number.
LONGEST_LABEL = 48
#: The argument of a kernel that is not a tensor's.
_POINTER = re.compile(r"\b[xy]\d+\b")
_NAME = re.compile(r"\b[A-Za-z_]\w*")


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
    table : Table
    is_open : bool
        Whether the file serves other sizes too, so that the table is not in it.
    """

    function: Function
    number: int
    operations: list[Operation]
    constants: list[np.ndarray]
    layout: Layout
    kernels: tuple[str, ...]
    table: Table
    is_open: bool


@dataclass(frozen=True)
class Row:
    """What `s2_step` holds; `kernel` is None where it calls none."""

    op: str
    args: int
    target: int
    place: int
    kernel: str | None
    extent: int
    grain: int


@dataclass(frozen=True)
class Table:
    """What `s2_program` points to."""

    rows: list[Row]
    args: list[int]
    slots: list[Slot]


@dataclass
class Unit:
    """A file of C.

    Attributes
    ----------
    head : str
        What kernels need.
    kernels : dict of str to str
        Their functions, by name.
    tables : str
        Those of its programs, but for those that were completed for some sizes: these are in
        `Program`, and what is here serves other sizes.
    programs : list of Program
    """

    head: str
    kernels: Mapping[str, str] = field(default_factory=dict)
    tables: str = ""
    programs: list[Program] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of it."""
        return _file(self.head, *self.kernels.values(), self.tables)

    def parts(self, kernels: Sequence[Sequence[str]]) -> list[str]:
        """Files that together are this one: the tables, and one for each group of `kernels`."""
        known = "\n".join(f"S2_KERNEL({name});" for name in self.kernels)
        groups = [_file(self.head, *map(self.kernels.__getitem__, names)) for names in kernels]
        return [_file(self.head, known, self.tables), *groups]


def emit(functions: Sequence[Function]) -> Unit:
    """The file for `functions`, without composites."""
    return _Emitter().unit(functions)


class _Emitter:
    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.kernels: dict[str, str] = {}
        self.headers: dict[str, None] = {}
        self.tables: list[str] = []
        self.sizes: dict[str, int] = {}

    def unit(self, functions: Sequence[Function]) -> Unit:
        programs = [self.program(number, function) for number, function in enumerate(functions)]
        title = functions[0].title or functions[0].name
        includes = "\n".join(f'#include "{name}"' for name in ("s2sad.h", *self.headers))
        head = f"/* s2sad C 1: {_comment(title)} */\n\n{includes}"
        return Unit(head, self.kernels, "\n\n".join(self.tables), programs)

    # ---- programs --------------------------------------------------------------------------

    def program(self, number: int, function: Function) -> Program:
        layout = Layout(function, lower(function))
        self.sizes = sizes_of(value.shape for value in _values(function))
        constants = [_storage(value) for value in layout.constants]
        table = Table([], [], [*layout.slots])
        operations: dict[Operation, int] = {}
        for step in layout.steps:
            place = -1
            if step.operation is not None:
                place = operations.setdefault(step.operation, len(operations))
            table.rows.append(self._row(step, len(table.args), place))
            table.args.extend(slot.number for slot in step.slots)
            if self.sizes and step.kernel is not None:
                table.args.append(len(layout.slots))
        names = tuple(row.kernel for row in table.rows if row.kernel is not None)
        if self.sizes:
            table.slots.append(Slot("CONSTANT", len(constants), 0, 0, 0))
            constants.append(np.array([*self.sizes.values()], np.int64))
        made = Program(
            function, number, [*operations], constants, layout, names, table, bool(self.sizes)
        )  # fmt: skip
        self.tables.append(_handed_out(number, names) if made.is_open else _written(made))
        return made

    def _row(self, step: Step, args: int, place: int) -> Row:
        target = step.target.at if isinstance(step.target, Label) else -1
        name = None if step.kernel is None else self.kernel(step.kernel)
        grain = step.kernel.grain if step.kernel is not None else 1
        return Row(step.op, args, target, place, name, step.extent, grain)

    # ---- kernels ---------------------------------------------------------------------------

    def kernel(self, kernel: Kernel) -> str:
        """Name of the function for `kernel`, which is written where there is none yet."""
        body = _text_of(kernel, self.sizes)
        if body not in self.names:
            label = re.sub(r"\W", "_", kernel.label)[:LONGEST_LABEL].rstrip("_")
            self.names[body] = name = f"k{len(self.names)}_{label}"
            self.headers.update(dict.fromkeys(kernel.headers))
            self.kernels[name] = self._function(name, kernel)
        return self.names[body]

    def _function(self, name: str, kernel: Kernel) -> str:
        head = [
            f"S2_KERNEL({name})",
            "{",
            *_pointers(kernel),
            *_sizes(kernel.lines, kernel, self.sizes),
        ]
        text = "\n".join([*head, *_placed(kernel.lines), "}"])
        if kernel.epilogue is None:
            return text
        own = f"{name}_block"
        block = [
            f"S2_EPILOGUE({own})", "{", *_block_pointers(kernel.epilogue),
            *_sizes(kernel.epilogue.lines, kernel, self.sizes),
            *_placed(kernel.epilogue.lines), "}",
        ]  # fmt: skip
        return "\n".join(block) + "\n\n" + text.replace("EPILOGUE", own)


def _file(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"


def _handed_out(number: int, kernels: Sequence[str]) -> str:
    """The kernels that steps call, for a table that is made elsewhere."""
    names = _wrapped(kernels or ["0"])
    return f"S2_API const s2_kernel s2_kernels_{number}[] = {{{names}}};"


def _written(program: Program) -> str:
    """The table of `program`, and the program."""
    number, table, layout = program.number, program.table, program.layout
    rows = [
        f"{{S2_{r.op}, {r.args}, {r.target}, {r.place}, {r.kernel or 0}, {r.extent}, {r.grain}}}"
        for r in table.rows
    ]
    slots = [f"{{S2_{slot.kind}, {slot.at}}}" for slot in table.slots]
    args = map(str, table.args or [0])
    return "\n".join((
        f"static const s2_slot slots_{number}[] = {{{_wrapped(slots or ['{S2_NOWHERE, 0}'])}}};",
        f"static const int32_t args_{number}[] = {{{_wrapped(args)}}};",
        f"static const s2_step steps_{number}[] = {{",
        *(f"    {row}," for row in rows or ["{S2_JUMP, 0, 1, -1, 0, 0, 1}"]),
        "};",
        f"S2_API const s2_program s2_program_{number} = {{",
        f"    steps_{number}, args_{number}, slots_{number}, "
        f"{', '.join(map(str, counts_of(program)))}, {layout.arena},",
        "};",
    ))  # fmt: skip


def counts_of(program: Program) -> tuple[int, int, int, int, int]:
    """Steps, slots, inputs, outputs and constants of `program`."""
    function, table = program.function, program.table
    return (
        len(table.rows), len(table.slots), len(function.args), len(function.results),
        len(program.constants),
    )  # fmt: skip


def _values(function: Function) -> Iterator[Value]:
    """Every tensor of `function`."""
    inner = (v for op in function.walk() for r in op.regions.values() for v in r.args)
    made = (v for op in function.walk() for v in op.results)
    return (v for v in (*function.args, *inner, *made) if isinstance(v.type, TensorType))


def _sizes(lines: Sequence[Line], kernel: Kernel, sizes: Mapping[str, int]) -> list[str]:
    """Definitions of the sizes that `lines` name, which stand behind the values of `kernel`."""
    if not sizes:
        return []
    used = {name for line in lines for name in _NAME.findall(line.text)}
    at = len(kernel.inputs) + len(kernel.outputs) + len(kernel.scratch)
    return [
        f"    const int64_t {name} = ((const int64_t *)p[a[{at}]])[{i}];"
        for i, name in enumerate(sizes)
        if name in used
    ]


def _text_of(kernel: Kernel, sizes: Mapping[str, int]) -> str:
    """What makes a kernel: two of one text are one."""
    lines = [*_pointers(kernel), *_sizes(kernel.lines, kernel, sizes)]
    lines += [line.text for line in kernel.lines]
    if kernel.epilogue is not None:
        lines += _block_pointers(kernel.epilogue)
        lines += _sizes(kernel.epilogue.lines, kernel, sizes)
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
    if epilogue.loose is not None:
        head += [
            f"    const {stored(epilogue.loose.dtype)} *block = ((const s2_tile *)data)->block;",
            "    const int64_t stride = ((const s2_tile *)data)->stride;",
        ]
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
