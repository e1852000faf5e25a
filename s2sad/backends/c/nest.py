"""How does a group of operations become one nest of loops?

`Space` says how each value runs along the dimensions. Here dimensions that always run together
become one, each statement goes into the outermost loop that it depends on, and the innermost loop is
written so that compilers vectorise it. There are three forms, by the last dimension:

- *map*: nothing is reduced. Every loop is over the results' elements.
- *row*: the last dimension is reduced. The innermost loop reduces; partial results of blocks are
  added in double, so errors do not grow with the length.
- *column*: the last dimension stays. A block of its elements has an accumulator each.

A row whose reduction others in the group read again is gone over several times: each time is a
*stage*. A value that a later stage reads is kept in a line of memory, or computed again where that is
cheap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from s2sad.backends.c.fold import FOLDS
from s2sad.backends.c.literal import bits_literal, computed, computing, literal
from s2sad.backends.c.template import stored
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.ir.graph import Operation, Value
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.passes.space import MOVES, REDUCTIONS, Axis, Map, Space, Unfit, strides_of
from s2sad.prims.shape import iota

#: Elements of a block whose partial result is added to the whole, along a row.
ROW_BLOCK = 4096
#: Rows of a block, and accumulators side by side, along columns.
COLUMN_BLOCK, LANES = 256, 128
#: Element operations worth a thread of its own.
GRAIN = 32768
#: Bytes of lines that may lie on the stack of a thread.
MOST_LINES = 64 * 1024
#: What computing an element costs, in units of a cheap operation.
EXPENSIVE = frozenset(("exponential", "trigonometric", "special"))


@dataclass(frozen=True)
class Line:
    """One line of C, with the place in the user's source that it comes from."""

    text: str
    loc: Location | None = None


@dataclass
class Nest:
    """A kernel made of loops.

    Attributes
    ----------
    lines : list of Line
        The body, which ends with ``return 0;``.
    extent, grain : int
        What the kernel's part is one of, and the smallest part worth a thread.
    in_place : set of (int, int)
        Pairs of an input and an output that may lie at one place.
    inputs : list of Value
        What it reads by a pointer, in order: constants of one number are written out.
    """

    lines: list[Line]
    extent: int
    grain: int
    in_place: set[tuple[int, int]]
    inputs: list[Value]


def constant_of(value: Value) -> np.ndarray | None:
    """What a constant holds, None for another value."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.prim.form is Form.CONST:
        return owner.attrs["value"]
    return None


def splat_of(value: Value) -> Any:
    """The number that all elements of a constant are, bit for bit; None for another value."""
    array = constant_of(value)
    if array is None or not array.size:
        return None
    flat = array.reshape(-1)
    raw = flat.view(f"u{flat.itemsize}") if flat.itemsize <= 8 else flat
    return flat[0] if bool((raw == raw[0]).all()) else None


@dataclass
class _Dim:
    """A loop: dimensions of the space that run together as one."""

    size: int
    is_reduced: bool
    of: tuple[int, ...]
    name: str = ""


class _Access:
    """Where an array is read or written: an offset, and what each dimension adds to it."""

    def __init__(self, value: Value, map_: Map) -> None:
        self.by_dim = strides_of(value, map_)
        self.base, stride = 0, 1
        for n, axis in zip(reversed(value.shape), reversed(map_), strict=True):
            self.base += stride * axis.start
            stride *= n  # type: ignore[operator]


class Nester:
    """Writes the nest of one group.

    Parameters
    ----------
    operations : sequence of Operation
        In program order; constants among them or not.
    outputs : sequence of Value
        What is written to memory, in the order of the kernel's results.
    scalars : mapping
        Expressions of elementwise operations.
    space : Space, optional
    split : int, optional
        A dimension at which a new loop begins.
    """

    def __init__(
        self, operations: Sequence[Operation], outputs: Sequence[Value],
        scalars: Mapping[Primitive, Any], space: Space | None = None, split: int | None = None,
    ) -> None:  # fmt: skip
        self.split = split
        self.operations = [op for op in operations if op.prim.form is not Form.CONST]
        self.outputs = list(outputs)
        self.scalars = scalars
        self.space = space or Space.of(self.operations, self.outputs)
        self.computed = {op.result for op in self.operations}
        self.stages = self._stages()
        self.inputs: list[Value] = []
        self.accesses: dict[tuple[Value, Map], _Access] = {}
        self._collect()
        self.dims = self._loops()
        self.names: dict[Value, str] = {}
        self.kept: dict[Value, str] = {}

    # ---- what there is ---------------------------------------------------------------------

    def _stages(self) -> dict[Value, int]:
        """The stage in which each value is known first; a reduction's result in the one after."""
        stages: dict[Value, int] = {}
        for op in self.operations:
            before = max((stages.get(v, 0) for v in op.operands), default=0)
            stages[op.result] = before + (op.prim in REDUCTIONS)
        return stages

    def _collect(self) -> None:
        """Inputs, and every access to memory."""
        for op in self.operations:
            for index, operand in enumerate(op.operands):
                if operand in self.computed or splat_of(operand) is not None:
                    continue
                if operand not in self.inputs:
                    self.inputs.append(operand)
                self._access(operand, self.space.reads[op, index])
        for value in self.outputs:
            self._access(value, self.space.maps[value])

    def _access(self, value: Value, map_: Map) -> _Access:
        key = value, map_
        if key not in self.accesses:
            self.accesses[key] = _Access(value, map_)
        return self.accesses[key]

    def _loops(self) -> list[_Dim]:
        """The loops, outermost first: those over what stays, then those over what is reduced."""
        space = self.space
        counted = self._counted()
        order = [*space.outer, *sorted(space.reduced)]
        loops: list[_Dim] = []
        for d in order:
            if space.sizes[d] == 1:
                continue
            last = loops[-1] if loops else None
            if last is not None and self._run_together(last, d, counted):
                loops[-1] = _Dim(last.size * space.sizes[d], last.is_reduced, (*last.of, d))
            else:
                loops.append(_Dim(space.sizes[d], d in space.reduced, (d,)))
        for number, loop in enumerate(loops):
            loop.name = f"i{number}"
        return loops

    def _counted(self) -> set[int]:
        """Dimensions whose index itself is a value."""
        found = set()
        for op in self.operations:
            if op.prim is iota:
                axis = self.space.maps[op.result][op.attrs["axis"]]
                if axis.dim is not None:
                    found.add(axis.dim)
        return found

    def _run_together(self, last: _Dim, d: int, counted: set[int]) -> bool:
        before, size = last.of[-1], self.space.sizes[d]
        if last.is_reduced != (d in self.space.reduced) or {before, d} & counted:
            return False
        if self.split is not None and before < self.split <= d:
            return False
        return all(
            a.by_dim.get(before, 0) == a.by_dim.get(d, 0) * size for a in self.accesses.values()
        )

    def _step(self, access: _Access, loop: _Dim) -> int:
        return access.by_dim.get(loop.of[-1], 0)

    def _is_full(self, value: Value) -> bool:
        map_ = self.space.maps.get(value)
        return map_ is not None and self.space.is_full(map_)

    def pairs(self) -> set[tuple[int, int]]:
        """Inputs and outputs that may share memory: each element is read before it is written."""
        pairs = set()
        for i, value in enumerate(self.inputs):
            maps = [m for v, m in self.accesses if v is value]
            for o, output in enumerate(self.outputs):
                same = maps == [self.space.maps[output]] and value.shape == output.shape
                if same and value.dtype.itemsize == output.dtype.itemsize:
                    if not self.space.reduced or self._is_read_before(value, output):
                        pairs.add((i, o))
        return pairs

    def _is_read_before(self, value: Value, output: Value) -> bool:
        """Whether all that reads an element of `value` does so before that of `output` is known.

        A row goes over memory stage by stage, and what stays is written at the end of its stage.
        """
        if self._is_full(output):
            return False
        last = self.stages[output]
        return all(
            self.stages[op.result] < last + (not self._is_full(op.result))
            for op in self.operations
            if value in op.operands and op.prim not in REDUCTIONS
        )

    # ---- writing ---------------------------------------------------------------------------

    def write(self) -> Nest:
        """The nest."""
        lines = _Writer(self).write()
        extent, grain = self._extent()
        return Nest(lines, extent, grain, self.pairs(), self.inputs)

    @property
    def is_column(self) -> bool:
        """Whether what stays is the last dimension, and something is reduced before it."""
        loops = [loop for loop in self.dims]
        if not any(loop.is_reduced for loop in loops):
            return False
        last = len(self.space.sizes) - 1
        while last >= 0 and self.space.sizes[last] == 1:
            last -= 1
        return last not in self.space.reduced

    @property
    def outer(self) -> list[_Dim]:
        return [loop for loop in self.dims if not loop.is_reduced]

    @property
    def inner(self) -> list[_Dim]:
        return [loop for loop in self.dims if loop.is_reduced]

    def _extent(self) -> tuple[int, int]:
        work = max(1, sum(self._cost(op) for op in self.operations))
        outer = self.outer
        if not outer:
            return 1, 1
        whole = prod(loop.size for loop in self.dims) * work
        extent = outer[0].size
        if self.is_column and len(outer) == 1:
            extent = -(-outer[0].size // LANES)
        each = max(1, whole // max(1, extent))
        return extent, max(1, -(-GRAIN // each))

    @staticmethod
    def _cost(op: Operation) -> int:
        return 8 if op.prim.family in EXPENSIVE else 1


class _Writer:
    """The text of a nest, loop by loop."""

    def __init__(self, nest: Nester) -> None:
        self.nest = nest
        self.space = nest.space
        self.lines: list[Line] = []
        self.indent = 1
        self.names: dict[Value, str] = {}
        self.bits: dict[Value, str] = {}
        self.scopes: list[list[tuple[dict[Any, str], Any]]] = [[]]
        self.loads: dict[tuple[Value, Map], str] = {}
        self.count = 0
        self.lane: tuple[_Dim, str] | None = None

    def write(self) -> list[Line]:
        if not self.nest.inner and not self.space.reduced:
            self._map()
        elif self.nest.is_column:
            self._column()
        else:
            self._row()
        self._put("return 0;")
        return _without_unused(self.lines)

    def _put(self, text: str, loc: Location | None = None) -> None:
        self.lines.append(Line("    " * self.indent + text, loc))

    def _open(self, text: str) -> None:
        self._put(text)
        self.indent += 1
        self.scopes.append([])

    def _close(self) -> None:
        for table, key in self.scopes.pop():
            table.pop(key, None)
        self.indent -= 1
        self._put("}")

    def _define(self, table: dict[Any, str], key: Any, name: str) -> None:
        table[key] = name
        self.scopes[-1].append((table, key))

    def _fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    # ---- the three forms -------------------------------------------------------------------

    def _map(self) -> None:
        loops = self.nest.outer
        if not loops:
            self._statements(self.nest.operations, ready=set())
            self._store(self.nest.outputs)
            return
        self._outer_loops(loops, self._map_body, is_map=True)

    def _map_body(self) -> None:
        self._statements(self.nest.operations)
        self._store(self.nest.outputs)

    def _outer_loops(self, loops: Sequence[_Dim], body: Any, *, is_map: bool = False) -> None:
        """Loops over `loops`, with what depends on the outer ones only before the next begins."""
        ready: set[int] = set()
        for number, loop in enumerate(loops):
            is_last = is_map and number == len(loops) - 1
            if is_map:
                self._statements(self.nest.operations, ready=ready)
            if is_last:
                self._put("#pragma omp simd")
            first = "begin" if number == 0 else "0"
            last = "end" if number == 0 else str(loop.size)
            self._open(f"for (int64_t {loop.name} = {first}; {loop.name} < {last}; {loop.name}++) {{")
            ready |= set(loop.of)
        body()
        for _ in loops:
            self._close()

    def _row(self) -> None:
        self._outer_loops(self.nest.outer, self._row_body)

    def _row_body(self) -> None:
        stages = max(self.nest.stages.values(), default=0)
        lines = self._kept_values(stages)
        for value, name in lines.items():
            size = prod(loop.size for loop in self.nest.inner)
            self._put(f"{stored(value.dtype)} {name}[{max(size, 1)}];")
        for stage in range(stages + 1):
            self._stage(stage, lines)

    def _stage(self, stage: int, lines: Mapping[Value, str]) -> None:
        """What is known before the loop over the row, that loop, and what it reduces to."""
        nest = self.nest
        flat = [op for op in nest.operations if self._is_flat(op) and nest.stages[op.result] == stage]
        self._statements(flat)
        self._store([op.result for op in flat if op.result in nest.outputs])
        full, folds = self._stage_work(stage)
        stores = [v for v in nest.outputs if self._is_full(v) and nest.stages[v] == stage]
        keeps = {v: n for v, n in lines.items() if nest.stages[v] == stage}
        if full or folds or stores:
            self._row_loops(full, folds, stores, keeps, {v: n for v, n in lines.items()}, stage)

    def _is_flat(self, op: Operation) -> bool:
        return op.prim not in REDUCTIONS and not self._is_full(op.result)

    def _is_full(self, value: Value) -> bool:
        return self.nest._is_full(value)

    def _stage_work(self, stage: int) -> tuple[list[Operation], list[Operation]]:
        """Full operations and reductions of a stage."""
        nest = self.nest
        full = [
            op for op in nest.operations
            if op.prim not in REDUCTIONS and self._is_full(op.result)
            and nest.stages[op.result] == stage
        ]  # fmt: skip
        folds = [
            op for op in nest.operations
            if op.prim in REDUCTIONS and nest.stages[op.result] == stage + 1
        ]
        return full, folds

    def _kept_values(self, stages: int) -> dict[Value, str]:
        """Full values that a later stage reads, which lie in a line until then."""
        found: dict[Value, str] = {}
        if not stages:
            return found
        for op in self.nest.operations:
            at = self.nest.stages[op.result] - (op.prim in REDUCTIONS)
            for v in op.operands:
                early = v in self.nest.computed and self._is_full(v) and self.nest.stages[v] < at
                if early and v not in found and v not in self.nest.outputs:
                    found[v] = f"line{len(found)}"
        return found

    def _row_loops(
        self, full: Sequence[Operation], folds: Sequence[Operation], stores: Sequence[Value],
        keeps: Mapping[Value, str], lines: Mapping[Value, str], stage: int,
    ) -> None:  # fmt: skip
        inner = self.nest.inner
        wholes = {op: self._fresh("whole") for op in folds}
        for op in folds:
            fold = FOLDS[op.prim]
            dtype = computing(op.result.dtype)
            self._put(f"{fold.whole(dtype)} {wholes[op]} = {fold.initial(dtype)};", op.loc)
        if not inner:  # every reduced dimension has one element
            self._row_element(full, folds, stores, keeps, lines, stage, wholes)
        else:
            for loop in inner[:-1]:
                self._open(f"for (int64_t {loop.name} = 0; {loop.name} < {loop.size}; {loop.name}++) {{")
            self._innermost(inner[-1], full, folds, stores, keeps, lines, stage, wholes)
            for _ in inner[:-1]:
                self._close()
        for op in folds:
            fold = FOLDS[op.prim]
            self._finish(op, f"({computed(op.result.dtype)}){wholes[op]}")

    def _innermost(
        self, loop: _Dim, full: Any, folds: Sequence[Operation], stores: Any, keeps: Any,
        lines: Any, stage: int, wholes: Mapping[Operation, str],
    ) -> None:  # fmt: skip
        is_blocked = bool(folds) and loop.size > ROW_BLOCK
        first, last = "0", str(loop.size)
        if is_blocked:
            block = self._fresh("block")
            self._open(f"for (int64_t {block} = 0; {block} < {loop.size}; {block} += {ROW_BLOCK}) {{")
            first = block
            last = f"{block}_end"
            self._put(
                f"int64_t {last} = {block} + {ROW_BLOCK} < {loop.size} ? {block} + {ROW_BLOCK} : "
                f"{loop.size};"
            )
        parts = {op: self._fresh("part") for op in folds}
        clauses = []
        for op in folds:
            fold, dtype = FOLDS[op.prim], computing(op.result.dtype)
            self._put(f"{computed(op.result.dtype)} {parts[op]} = {fold.initial(dtype)};")
            clauses.append(f"reduction({fold.clause(dtype)}:{parts[op]})")
        self._put(" ".join(["#pragma omp simd", *clauses]))
        self._open(f"for (int64_t {loop.name} = {first}; {loop.name} < {last}; {loop.name}++) {{")
        self._row_element(full, folds, stores, keeps, lines, stage, parts)
        self._close()
        for op in folds:
            fold, dtype = FOLDS[op.prim], computing(op.result.dtype)
            self._put(f"{wholes[op]} = {fold.combine_whole(dtype, wholes[op], parts[op])};")
        if is_blocked:
            self._close()

    def _row_element(
        self, full: Sequence[Operation], folds: Sequence[Operation], stores: Sequence[Value],
        keeps: Mapping[Value, str], lines: Mapping[Value, str], stage: int,
        accumulators: Mapping[Operation, str],
    ) -> None:  # fmt: skip
        """One element of a stage: what earlier stages kept, what this one computes and reduces."""
        for value in self._from_before(full, folds, stage):
            self._read_back(value, lines)
        self._statements(full)
        for op in folds:
            value = self._operand(op, 0)
            name, fold = accumulators[op], FOLDS[op.prim]
            self._put(f"{name} = {fold.combine(computing(op.result.dtype), name, value)};", op.loc)
        for value, name in keeps.items():
            self._put(f"{name}[{self._flat_inner()}] = {self._as_stored(value)};")
        self._store(stores)

    def _from_before(
        self, full: Sequence[Operation], folds: Sequence[Operation], stage: int
    ) -> list[Value]:
        nest = self.nest
        operands = dict.fromkeys(v for op in [*full, *folds] for v in op.operands)
        return [
            v for v in operands
            if v in nest.computed and self._is_full(v) and nest.stages[v] < stage
        ]  # fmt: skip

    def _read_back(self, value: Value, lines: Mapping[Value, str]) -> None:
        if value in lines:
            self._take(value, f"{lines[value]}[{self._flat_inner()}]")
        else:
            number = self.nest.outputs.index(value)
            self._take(value, f"y{number}[{self._index(value, self.space.maps[value])}]")

    def _flat_inner(self) -> str:
        text = "0"
        for loop in self.nest.inner:
            text = loop.name if text == "0" else f"({text}) * {loop.size} + {loop.name}"
        return text

    def _finish(self, op: Operation, text: str) -> None:
        """The result of a reduction, rounded to its dtype."""
        self._assign(op.result, text, op.loc)
        if op.result in self.nest.outputs:
            self._store([op.result])

    def _column(self) -> None:
        *outer, last = self.nest.outer
        whole = last.size
        if outer:
            self._outer_loops(outer, lambda: self._column_blocks(last, whole, "0", str(-(-whole // LANES))))
        else:
            self._column_blocks(last, whole, "begin", "end")

    def _column_blocks(self, last: _Dim, whole: int, first: str, end: str) -> None:
        lanes = max(1, min(LANES, whole))
        block = self._fresh("block")
        self._open(f"for (int64_t {block} = {first}; {block} < {end}; {block}++) {{")
        start, width = self._fresh("start"), self._fresh("width")
        self._put(f"const int64_t {start} = {block} * {lanes};")
        self._put(f"const int64_t {width} = {whole} - {start} < {lanes} ? {whole} - {start} : {lanes};")
        nest = self.nest
        lane = self._fresh("l")
        first_flat = [op for op in nest.operations if self._is_flat(op) and not nest.stages[op.result]]
        full, folds = self._stage_work(0)
        wholes = {op: self._fresh("whole") for op in folds}
        for op in folds:
            fold, dtype = FOLDS[op.prim], computing(op.result.dtype)
            self._put(f"{fold.whole(dtype)} {wholes[op]}[{lanes}];")
            self._put(
                f"for (int64_t {lane} = 0; {lane} < {lanes}; {lane}++) "
                f"{wholes[op]}[{lane}] = {fold.initial(dtype)};"
            )
        self._column_rows(last, start, width, lane, lanes, first_flat, full, folds, wholes)
        self._put("#pragma omp simd")
        self._open(f"for (int64_t {lane} = 0; {lane} < {width}; {lane}++) {{")
        self._put(f"const int64_t {last.name} = {start} + {lane};")
        self._statements(first_flat)
        for op in folds:
            self._assign(op.result, f"({computed(op.result.dtype)}){wholes[op]}[{lane}]", op.loc)
        flat = [op for op in nest.operations if self._is_flat(op) and nest.stages[op.result]]
        self._statements(flat)
        self._store(nest.outputs)
        self._close()
        self._close()

    def _column_rows(
        self, last: _Dim, start: str, width: str, lane: str, lanes: int,
        first_flat: Sequence[Operation], full: Sequence[Operation], folds: Sequence[Operation],
        wholes: Mapping[Operation, str],
    ) -> None:  # fmt: skip
        inner = self.nest.inner
        for loop in inner[:-1]:
            self._open(f"for (int64_t {loop.name} = 0; {loop.name} < {loop.size}; {loop.name}++) {{")
        rows = inner[-1]
        block = self._fresh("rows")
        is_blocked = rows.size > COLUMN_BLOCK
        first, stop = "0", str(rows.size)
        if is_blocked:
            self._open(f"for (int64_t {block} = 0; {block} < {rows.size}; {block} += {COLUMN_BLOCK}) {{")
            first, stop = block, f"{block}_end"
            self._put(
                f"const int64_t {stop} = {block} + {COLUMN_BLOCK} < {rows.size} ? "
                f"{block} + {COLUMN_BLOCK} : {rows.size};"
            )
        parts = {op: self._fresh("part") for op in folds}
        for op in folds:
            fold, dtype = FOLDS[op.prim], computing(op.result.dtype)
            self._put(f"{computed(op.result.dtype)} {parts[op]}[{lanes}];")
            self._put(
                f"for (int64_t {lane} = 0; {lane} < {lanes}; {lane}++) "
                f"{parts[op]}[{lane}] = {fold.initial(dtype)};"
            )
        self._open(f"for (int64_t {rows.name} = {first}; {rows.name} < {stop}; {rows.name}++) {{")
        self._put("#pragma omp simd")
        self._open(f"for (int64_t {lane} = 0; {lane} < {width}; {lane}++) {{")
        self._put(f"const int64_t {last.name} = {start} + {lane};")
        self._statements(first_flat)
        self._statements(full)
        for op in folds:
            value, name = self._operand(op, 0), f"{parts[op]}[{lane}]"
            fold = FOLDS[op.prim]
            self._put(f"{name} = {fold.combine(computing(op.result.dtype), name, value)};", op.loc)
        self._store([v for v in self.nest.outputs if self._is_full(v)])
        self._close()
        self._close()
        for op in folds:
            fold, dtype = FOLDS[op.prim], computing(op.result.dtype)
            whole = f"{wholes[op]}[{lane}]"
            self._put(
                f"for (int64_t {lane} = 0; {lane} < {width}; {lane}++) "
                f"{whole} = {fold.combine_whole(dtype, whole, f'{parts[op]}[{lane}]')};"
            )
        if is_blocked:
            self._close()
        for _ in inner[:-1]:
            self._close()

    # ---- statements ------------------------------------------------------------------------

    def _statements(self, operations: Sequence[Operation], ready: set[int] | None = None) -> None:
        """Elements of `operations`; with `ready`, of those that depend on these dimensions only."""
        for op in operations:
            is_fold = op.prim in REDUCTIONS and bool(self.space.reduced)
            if op.result in self.names or op.result in self.bits or is_fold:
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
            self._assign(op.result, text, op.loc)
            return
        if op.prim in REDUCTIONS:  # over no axis
            fold, dtype = FOLDS[op.prim], computing(op.result.dtype)
            text = fold.combine(dtype, f"({computed(dtype)})({fold.initial(dtype)})",
                                self._operand(op, 0))  # fmt: skip
            self._assign(op.result, text, op.loc)
            return
        if op.prim in MOVES:
            stored_form = self._operand_bits(op, 0) if op.result.dtype.is_narrow else None
            if stored_form is not None:
                self._take(op.result, stored_form, op.loc)
            else:
                self._assign(op.result, self._operand(op, 0), op.loc)
            return
        moves = op.prim.has(Trait.MOVES)
        form = self._operand_bits if moves else self._operand
        args = [form(op, index) for index in range(len(op.operands))]
        dtype = self._computing_dtype(op)
        text = self.nest.scalars[op.prim](args, dtype if moves else computing(dtype), op.attrs)
        if moves and op.result.dtype.is_narrow:
            self._take(op.result, text, op.loc)
        else:
            self._assign(op.result, text, op.loc)

    @staticmethod
    def _computing_dtype(op: Operation) -> DType:
        """The dtype by which the expression of an operation is chosen."""
        return op.operands[1].dtype if op.prim.name == "where" else op.operands[0].dtype

    def _run(self, axis: Axis) -> str:
        """The index that an axis has now."""
        if axis.dim is None:
            return str(axis.start)
        loop = next((x for x in self.nest.dims if axis.dim in x.of), None)
        if loop is None:
            return str(axis.start)
        text = loop.name if axis.step == 1 else f"{axis.step} * {loop.name}"
        return f"{axis.start} + {text}" if axis.start else text

    def _assign(self, value: Value, text: str, loc: Location | None = None) -> None:
        """Let a name be the element `text`, rounded to the dtype of `value`."""
        dtype = value.dtype
        if dtype.is_narrow:
            self._take(value, f"s2_f32_to_{dtype.short}({text})", loc)
            return
        name = self._fresh("v")
        self._put(f"const {computed(dtype)} {name} = ({computed(dtype)})({text});", loc)
        self._define(self.names, value, name)

    def _take(self, value: Value, text: str, loc: Location | None = None) -> None:
        """Let a name be the element `text`, which is as it is stored."""
        dtype = value.dtype
        name = self._fresh("v")
        if dtype.is_narrow:
            bits = self._fresh("b")
            self._put(f"const uint16_t {bits} = {text};", loc)
            self._put(f"const float {name} = s2_{dtype.short}_to_f32({bits});")
            self._define(self.bits, value, bits)
        else:
            self._put(f"const {computed(dtype)} {name} = {text};", loc)
        self._define(self.names, value, name)

    def _operand(self, op: Operation, index: int) -> str:
        return self._read(op, index, self.names, as_bits=False)

    def _operand_bits(self, op: Operation, index: int) -> str:
        """An operand as it is stored."""
        narrow = op.operands[index].dtype.is_narrow
        return self._read(op, index, self.bits if narrow else self.names, as_bits=narrow)

    def _read(self, op: Operation, index: int, table: dict[Value, str], *, as_bits: bool) -> str:
        value = op.operands[index]
        if value in self.nest.computed:
            return table[value]
        number = splat_of(value)
        if number is not None:
            return bits_literal(number) if as_bits else literal(number, value.dtype)
        return self._load(value, self.space.reads[op, index], as_bits=as_bits)

    def _load(self, value: Value, map_: Map, *, as_bits: bool) -> str:
        key = value, map_, as_bits
        if key not in self.loads:
            number = self.nest.inputs.index(value)
            at = f"x{number}[{self._index(value, map_)}]"
            name = self._fresh("x_")
            dtype = value.dtype
            if dtype.is_narrow and not as_bits:
                at = f"s2_{dtype.short}_to_f32({at})"
            kind = "uint16_t" if as_bits else computed(dtype)
            self._put(f"const {kind} {name} = {at};")
            self._define(self.loads, key, name)
        return self.loads[key]

    def _index(self, value: Value, map_: Map) -> str:
        """The offset in elements at which `value` lies now."""
        access = self.nest._access(value, map_)
        terms = []
        for loop in self.nest.dims:
            step = self.nest._step(access, loop)
            if step:
                terms.append(loop.name if step == 1 else f"{step} * {loop.name}")
        if access.base or not terms:
            terms.append(str(access.base))
        return " + ".join(terms)

    def _as_stored(self, value: Value) -> str:
        return self.bits[value] if value.dtype.is_narrow else self.names[value]

    def _store(self, values: Sequence[Value]) -> None:
        for value in values:
            if value in self.names or value in self.bits:
                number = self.nest.outputs.index(value)
                place = self._index(value, self.space.maps[value])
                self._put(f"y{number}[{place}] = {self._as_stored(value)};")


class _BlockWriter(_Writer):
    """The text of what runs on each finished block of a product: rows and columns of it.

    Parameters
    ----------
    nest : Nester
    rows : int
        Of each product of a batch.
    """

    def __init__(self, nest: Nester, rows: int) -> None:
        super().__init__(nest)
        self.rows = rows

    def write(self) -> list[Line]:
        nest, split = self.nest, self.nest.split
        assert split is not None
        inner = [loop for loop in nest.dims if loop.of[0] >= split]
        outer = [loop for loop in nest.dims if loop.of[0] < split]
        if len(inner) > 1:
            raise Unfit("the columns of a block do not run together")
        self._open("for (int64_t r = 0; r < rows; r++) {")
        self._put(f"const int64_t at = batch * {self.rows} + row + r;")
        self._outer(outer)
        name = inner[0].name if inner else "unused"
        self._statements(nest.operations, ready={d for loop in outer for d in loop.of})
        self._put("#pragma omp simd")
        self._open("for (int64_t c = 0; c < cols; c++) {")
        if inner:
            self._put(f"const int64_t {name} = col + c;")
        self._statements(nest.operations)
        self._store(nest.outputs)
        self._close()
        self._close()
        return _without_unused(self.lines)

    def _outer(self, outer: Sequence[_Dim]) -> None:
        """The indices of a row, from its number."""
        behind = 1
        for number, loop in reversed(list(enumerate(outer))):
            text = "at" if behind == 1 else f"at / {behind}"
            if number:
                text = f"{text} % {loop.size}"
            self._put(f"const int64_t {loop.name} = {text};")
            behind *= loop.size


_DEFINITION = re.compile(r"\s*const \w+ (\w+) = .*;")
_NAME = re.compile(r"\b[A-Za-z_]\w*")


def _without_unused(lines: Sequence[Line]) -> list[Line]:
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


def nest(
    operations: Sequence[Operation], outputs: Sequence[Value], scalars: Mapping[Primitive, Any]
) -> Nest:
    """The loops that compute `outputs` by `operations`.

    Raises
    ------
    Unfit
        When the operations do not run along one space.
    """
    return Nester(operations, outputs, scalars).write()


def block_nest(
    core: Operation, operations: Sequence[Operation], outputs: Sequence[Value],
    scalars: Mapping[Primitive, Any], split: int, rows: int,
) -> Nest:  # fmt: skip
    """What computes `outputs`, and not the product of `core`, for a block of that.

    Parameters
    ----------
    split : int
        The dimension of the product at which the columns of a block begin.
    rows : int
        Of each product of a batch.
    """
    outputs = [value for value in outputs if value is not core.result]
    space = Space.behind(core, operations, outputs)
    nester = Nester(operations, outputs, scalars, space, split)
    lines = _BlockWriter(nester, rows).write()
    return Nest(lines, 1, 1, nester.pairs(), nester.inputs)
