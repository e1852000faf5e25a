"""How does a group of operations become one nest of loops?

There are three forms, by the last dimension: *map* where nothing is reduced, *row* where it is
reduced, *column* where it stays and others are reduced. A large row that is all there is becomes
*parts* for several threads. A fifth form, *block*, is called by a unit of the runtime. The
innermost loop is written so that compilers vectorise it. Partial sums of blocks are added in
double, so errors do not grow with the length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from s2sad.backends.c.blocks import BlockWriter
from s2sad.backends.c.columns import ColumnWriter
from s2sad.backends.c.group import Group
from s2sad.backends.c.maps import MapWriter
from s2sad.backends.c.rows import RowWriter
from s2sad.backends.c.wholes import FinishWriter, WholeWriter, part_size
from s2sad.backends.c.writer import Line
from s2sad.ir.graph import Operation, Value
from s2sad.ir.primitive import Primitive
from s2sad.passes.space import Space


@dataclass
class Nest:
    """A kernel made of loops.

    Attributes
    ----------
    lines : list of Line
        The body.
    extent, grain : int
        What the kernel's part is one of, and the smallest part worth a thread.
    in_place : set of (int, int)
        Pairs of an input and an output that may lie at one place.
    inputs : list of Value
        What it reads by a pointer, in order: constants of one number are written out.
    scratch : list of Value
        Memory that it needs, behind the results.
    finish : list of Line
        The body of a kernel to be run afterwards, if any.
    """

    lines: list[Line]
    extent: int
    grain: int
    in_place: set[tuple[int, int]]
    inputs: list[Value]
    scratch: list[Value] = field(default_factory=list)
    finish: list[Line] = field(default_factory=list)


def nest(
    operations: Sequence[Operation], outputs: Sequence[Value], scalars: Mapping[Primitive, Any]
) -> Nest:
    """The loops that compute `outputs` by `operations`.

    Raises
    ------
    Unfit
        When the operations do not run along one space.
    """
    group = Group(operations, outputs, scalars)
    if group.space.reduced and (size := part_size(group)):
        parts, finish = WholeWriter(group, size), FinishWriter(group, size)
        return Nest(
            parts.write(), parts.parts, 1, group.pairs(), group.inputs, parts.scratch,
            finish.write(),
        )  # fmt: skip
    kind = MapWriter
    if group.space.reduced:
        kind = ColumnWriter if group.is_column else RowWriter
    lines = kind(group).write()
    return Nest(lines, *group.extent(), group.pairs(), group.inputs)


def block_nest(
    core: Operation, operations: Sequence[Operation], outputs: Sequence[Value],
    scalars: Mapping[Primitive, Any], split: int, rows: int, *, is_loose: bool = False,
) -> Nest:  # fmt: skip
    """What computes `outputs`, and not the product of `core`, for a block of that.

    Parameters
    ----------
    split : int
        The dimension of the product at which the columns of a block begin.
    rows : int
        Of each product of a batch.
    is_loose : bool
        Whether the unit hands over each block of the product and keeps nothing.
    """
    outputs = [value for value in outputs if value is not core.result]
    space = Space.behind(core, operations, outputs)
    group = Group(operations, outputs, scalars, space, split)
    lines = BlockWriter(group, rows, core.result if is_loose else None).write()
    return Nest(lines, 1, 1, group.pairs(), group.inputs)
