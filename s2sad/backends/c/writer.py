"""How is one element of each operation of a group written, inside of its loops?

A writer opens and closes loops; what it has given a name holds until the loop is closed in which it
did. Each statement is written once, and definitions that nothing reads are left out at the end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.backends.c.fold import FOLDS
from s2sad.backends.c.group import Group, Loop
from s2sad.backends.c.literal import bits_literal, computed, computing, literal
from s2sad.backends.c.near import angles, has_angle, near_form
from s2sad.backends.c.pieces import PASSES, Piece
from s2sad.backends.c.template import stored
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.ir.graph import Operation, Value
from s2sad.ir.primitive import Trait
from s2sad.passes.facts import splat
from s2sad.passes.space import MOVES, REDUCTIONS, Axis, Map
from s2sad.prims.shape import iota


@dataclass(frozen=True)
class Line:
    """One line of C, with the place in the user's source that it comes from."""

    text: str
    loc: Location | None = None


class Writer:
    """Writes what is inside of loops.

    Attributes
    ----------
    group : Group
    lines : list of Line
    names, bits : dict of Value to str
        Variables that hold the present element, as it is computed with, and as it is stored.
    is_near : bool
        Whether the angles of the loop that is written are near.
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        self.space = group.space
        self.lines: list[Line] = []
        self.indent = 1
        self.names: dict[Value, str] = {}
        self.bits: dict[Value, str] = {}
        self.loads: dict[tuple[Value, Map, bool], str] = {}
        self.scopes: list[list[tuple[dict[Any, str], Any]]] = [[]]
        self.count = 0
        self.is_near = False

    def finished(self) -> list[Line]:
        """The lines, without definitions that nothing reads."""
        return without_unused(self.lines)

    def put(self, text: str, loc: Location | None = None) -> None:
        """Write a line."""
        self.lines.append(Line("    " * self.indent + text, loc))

    def open(self, text: str) -> None:
        """Write a line that opens a block."""
        self.put(text)
        self.indent += 1
        self.scopes.append([])

    def close(self) -> None:
        """Close the block opened last; names given in it are forgotten."""
        for table, key in self.scopes.pop():
            table.pop(key, None)
        self.indent -= 1
        self.put("}")

    def open_loop(
        self, loop: Loop, *, is_first: bool = False, within: tuple[str, str] | None = None
    ) -> None:  # fmt: skip
        """Open `loop`; the first one runs over the kernel's part, others over all or `within`."""
        first, last = ("begin", "end") if is_first else within or ("0", str(loop.size))
        self.open(counted(loop, first, last))

    def open_blocks(self, begin: object, end: object, size: int) -> tuple[str, str]:
        """Open a loop over blocks of a range; where a block begins and ends."""
        first = self.fresh("first")
        last = f"{first}_end"
        self.open(f"for (int64_t {first} = {begin}; {first} < {end}; {first} += {size}) {{")
        until = f"{first} + {size}"
        self.put(f"const int64_t {last} = {until} < {end} ? {until} : {end};")
        return first, last

    def has_angles(self, cut: Sequence[Piece]) -> bool:
        """Whether the loop of one of the pieces has two forms, and so is to be run in blocks."""
        return any(self._angles(piece)[1] for piece in cut)

    def _angles(self, piece: Piece) -> tuple[list[Operation], list[Operation]]:
        return angles(piece.operations, self.group.computed, {*self.names, *piece.taken})

    def in_forms(
        self, piece: Piece, head: str, clauses: str, take: Callable[[], None],
        body: Callable[[], None],
    ) -> None:  # fmt: skip
        """A loop that compilers vectorise: for near angles where there are such, and for any.

        Parameters
        ----------
        piece : Piece
            What it computes.
        head, clauses : str
            How it begins, and what it reduces.
        take, body : callable
            Write what is in it: what is read of earlier pieces, and all else.
        """

        def all_of_it() -> None:
            take()
            body()

        before, first = self._angles(piece)
        if not first:
            self._simd(head, clauses, all_of_it)
            return
        far = self.fresh("far")
        self.put(f"uint32_t {far} = 0;")

        def look() -> None:
            take()
            self.statements(before)
            for op in first:
                self.put(f"{far} |= (uint32_t)s2_is_far_f32({self.operand(op, 0)});")

        self._simd(head, f" reduction(|:{far})", look)
        for opening, self.is_near in ((f"if (!{far}) {{", True), ("else {", False)):
            self.open(opening)
            self._simd(head, clauses, all_of_it)
            self.close()

    def _simd(self, head: str, clauses: str, body: Callable[[], None]) -> None:
        self.put(f"#pragma omp simd{clauses}")
        self.open(head)
        body()
        self.close()

    def _define(self, table: dict[Any, str], key: Any, name: str) -> None:
        table[key] = name
        self.scopes[-1].append((table, key))

    def fresh(self, letter: str) -> str:
        """A new name."""
        self.count += 1
        return f"{letter}{self.count}"

    # ---- statements ------------------------------------------------------------------------

    def statements(self, operations: Sequence[Operation], ready: set[int] | None = None) -> None:
        """Elements of `operations`; with `ready`, of those that depend on these dimensions only."""
        for op in operations:
            is_fold = op.prim in REDUCTIONS and bool(self.space.reduced)
            if self.is_known(op.result) or is_fold:
                continue
            if ready is not None and not self._depends_on(op) <= ready:
                continue
            self._element(op)

    def _depends_on(self, op: Operation) -> set[int]:
        found = {axis.dim for axis in self.space.maps[op.result] if axis.dim is not None}
        for index in range(len(op.operands)):
            found |= {a.dim for a in self.space.reads[op, index] if a.dim is not None}
        return found

    def _element(self, op: Operation) -> None:
        if op.prim is iota:
            axis = self.space.maps[op.result][op.attrs["axis"]]
            dtype = op.result.dtype
            text = f"({computed(computing(dtype))})({self._run(axis)})"
            self.assign(op.result, text, op.loc)
            return
        if op.prim in REDUCTIONS:  # over no axis
            fold, dtype = FOLDS[op.prim], computing(op.result.dtype)
            text = fold.combine(dtype, f"({computed(dtype)})({fold.initial(dtype)})",
                                self.operand(op, 0))  # fmt: skip
            self.assign(op.result, text, op.loc)
            return
        if op.prim in MOVES:
            stored_form = self.operand_bits(op, 0) if op.result.dtype.is_narrow else None
            if stored_form is not None:
                self.take(op.result, stored_form, op.loc)
            else:
                self.assign(op.result, self.operand(op, 0), op.loc)
            return
        moves = op.prim.has(Trait.MOVES)
        form = self.operand_bits if moves else self.operand
        args = [form(op, index) for index in range(len(op.operands))]
        dtype = self._computing_dtype(op)
        text = self.group.scalars[op.prim](args, dtype if moves else computing(dtype), op.attrs)
        text = near_form(text) if self.is_near and has_angle(op) else text
        if moves and op.result.dtype.is_narrow:
            self.take(op.result, text, op.loc)
        else:
            self.assign(op.result, text, op.loc)

    @staticmethod
    def _computing_dtype(op: Operation) -> DType:
        """The dtype by which the expression of an operation is chosen."""
        return op.operands[1].dtype if op.prim.name == "where" else op.operands[0].dtype

    def _run(self, axis: Axis) -> str:
        """The index that an axis has now."""
        if axis.dim is None:
            return str(axis.start)
        loop = next((x for x in self.group.loops if axis.dim in x.of), None)
        if loop is None:
            return str(axis.start)
        text = loop.name if axis.step == 1 else f"{axis.step} * {loop.name}"
        return f"{axis.start} + {text}" if axis.start else text

    def assign(self, value: Value, text: str, loc: Location | None = None) -> None:
        """Let a name be the element `text`, rounded to the dtype of `value`."""
        dtype = value.dtype
        if dtype.is_narrow:
            self.take(value, f"s2_f32_to_{dtype.short}({text})", loc)
            return
        name = self.fresh("v")
        self.put(f"const {computed(dtype)} {name} = ({computed(dtype)})({text});", loc)
        self._define(self.names, value, name)

    def take(self, value: Value, text: str, loc: Location | None = None) -> None:
        """Let a name be the element `text`, which is as it is stored."""
        dtype = value.dtype
        name = self.fresh("v")
        if dtype.is_narrow:
            bits = self.fresh("b")
            self.put(f"const uint16_t {bits} = {text};", loc)
            self.put(f"const float {name} = s2_{dtype.short}_to_f32({bits});")
            self._define(self.bits, value, bits)
        else:
            self.put(f"const {computed(dtype)} {name} = {text};", loc)
        self._define(self.names, value, name)

    def operand(self, op: Operation, index: int) -> str:
        return self._read(op, index, self.names, as_bits=False)

    def operand_bits(self, op: Operation, index: int) -> str:
        """An operand as it is stored."""
        narrow = op.operands[index].dtype.is_narrow
        return self._read(op, index, self.bits if narrow else self.names, as_bits=narrow)

    def _read(self, op: Operation, index: int, table: dict[Value, str], *, as_bits: bool) -> str:
        value = op.operands[index]
        if value in self.group.computed:
            return table[value]
        number = splat(value)
        if number is not None:
            return bits_literal(number) if as_bits else literal(number, value.dtype)
        return self._load(value, self.space.reads[op, index], as_bits=as_bits)

    def _load(self, value: Value, map_: Map, *, as_bits: bool) -> str:
        key = value, map_, as_bits
        if key not in self.loads:
            number = self.group.inputs.index(value)
            at = f"x{number}[{self.index(value, map_)}]"
            name = self.fresh("x_")
            dtype = value.dtype
            if dtype.is_narrow and not as_bits:
                at = f"s2_{dtype.short}_to_f32({at})"
            kind = "uint16_t" if as_bits else computed(dtype)
            self.put(f"const {kind} {name} = {at};")
            self._define(self.loads, key, name)
        return self.loads[key]

    def index(self, value: Value, map_: Map) -> str:
        """The offset in elements at which `value` lies now."""
        access = self.group.access(value, map_)
        terms = []
        for loop in self.group.loops:
            step = self.group.step(access, loop)
            if step:
                terms.append(loop.name if step == 1 else f"{step} * {loop.name}")
        if access.base or not terms:
            terms.append(str(access.base))
        return " + ".join(terms)

    def strips(self, pieces: Sequence[Piece]) -> dict[Value, str]:
        """Arrays for what later ones of `pieces` read of earlier ones."""
        names = {value: self.fresh("strip") for piece in pieces for value in piece.left}
        for value, name in names.items():
            self.put(f"{stored(value.dtype)} {name}[{PASSES}];")
        return names

    def take_strips(self, piece: Piece, strips: Mapping[Value, str], at: str) -> None:
        """Read what earlier pieces left, in place `at` of a block."""
        for value in piece.taken:
            self.take(value, f"{strips[value]}[{at}]")

    def leave_strips(self, piece: Piece, strips: Mapping[Value, str], at: str) -> None:
        """Keep what later pieces read."""
        for value in piece.left:
            self.put(f"{strips[value]}[{at}] = {self.as_stored(value)};")

    def is_known(self, value: Value) -> bool:
        """Whether a name holds the present element of `value`."""
        return value in self.names or value in self.bits

    def as_stored(self, value: Value) -> str:
        return self.bits[value] if value.dtype.is_narrow else self.names[value]

    def store(self, values: Sequence[Value]) -> None:
        for value in values:
            if self.is_known(value):
                number = self.group.outputs.index(value)
                place = self.index(value, self.space.maps[value])
                self.put(f"y{number}[{place}] = {self.as_stored(value)};")


def counted(loop: Loop, first: str, last: str) -> str:
    """How `loop` begins."""
    return f"for (int64_t {loop.name} = {first}; {loop.name} < {last}; {loop.name}++) {{"


#: A definition of a name, and a name.
_DEFINITION = re.compile(r"\s*const \w+ (\w+) = .*;")
_NAME = re.compile(r"\b[A-Za-z_]\w*")


def without_unused(lines: Sequence[Line]) -> list[Line]:
    """`lines` but for definitions of names that no other line reads."""
    left = list(lines)
    while True:
        counts = Counter(name for line in left for name in _NAME.findall(line.text))
        found = [_DEFINITION.fullmatch(line.text) for line in left]
        kept = [
            line for line, definition in zip(left, found, strict=True)
            if definition is None or counts[definition[1]] > 1
        ]  # fmt: skip
        if len(kept) == len(left):
            return kept
        left = kept
