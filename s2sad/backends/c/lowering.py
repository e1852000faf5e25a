"""What computes each operation: loops, a unit of the runtime, or the host?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from s2sad.backends.c import tables
from s2sad.backends.c.lifetimes import ALIASES, is_leaf
from s2sad.backends.c.linalg import product_rows
from s2sad.backends.c.nest import block_nest, nest
from s2sad.backends.c.template import Site
from s2sad.backends.c.writer import Line
from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.types import StackType, TensorType
from s2sad.passes.space import CORES, Unfit, first_column, is_part
from s2sad.prims import control, marker
from s2sad.prims.linalg import matmul
from s2sad.prims.queue import queue_keep


@dataclass(frozen=True)
class Lowered:
    """An operation as one step: what it reads and writes in memory.

    Attributes
    ----------
    inputs, outputs : list of Value
        In the order of the step's slots.
    in_place : set of (int, int)
        Pairs of an input and an output that may lie at one place.
    scratch : list of Value
        What needs memory while it runs; behind the others.
    """

    inputs: list[Value]
    outputs: list[Value]
    in_place: frozenset[tuple[int, int]] = frozenset()
    scratch: Sequence[Value] = ()


@dataclass(frozen=True)
class Epilogue:
    """What a unit calls for each block that it has finished; ``EPILOGUE`` in a body is its name.

    Attributes
    ----------
    lines : list of Line
        The body.
    pointers : list of (Value, int, bool)
        What ``x0``, ``x1``, ... and then ``y0``, ``y1``, ... are: their place among the kernel's
        values, and whether they are read only.
    loose : Value, optional
        What ``block`` is a block of, where that lies nowhere else.
    """

    lines: Sequence[Line]
    pointers: Sequence[tuple[str, Value, int, bool]]
    loose: Value | None = None


@dataclass(frozen=True)
class Kernel(Lowered):
    """One that a function of C computes.

    Attributes
    ----------
    label : str
        What it does, for its name.
    lines : list of Line
        Its body.
    headers : tuple of str
    extent, grain : int
        What the part that it gets is one of, and the smallest part worth a thread.
    finish : Kernel, optional
        What is called once behind it, on the same values.
    """

    label: str = ""
    lines: Sequence[Line] = field(default_factory=list)
    headers: tuple[str, ...] = ()
    extent: int = 1
    grain: int = 1
    loc: Location | None = None
    epilogue: Epilogue | None = None
    finish: Kernel | None = None


@dataclass(frozen=True)
class Host(Lowered):
    """One that the host computes, by its NumPy meaning."""


def lower(function: Function) -> dict[Operation, Lowered]:
    """What computes each operation of `function` that is a step of its own.

    Raises
    ------
    S2sadError
        E0407 for a tensor whose size is a symbol, E0904 for an operation that no target runs.
    """
    state = frozenset(_state(function))
    return {op: lowered_one(op, state) for op in _leaves(function.body) if _is_step(op)}


def _state(function: Function) -> Iterator[Value]:
    """What overwrites an input, or what the step before has left."""
    yield from (function.results[i] for i in function.donates.values())
    for operation in _leaves(function.body):
        if operation.prim is queue_keep:
            yield from operation.operands


def _leaves(region: Region) -> Iterator[Operation]:
    for operation in region.operations:
        if is_leaf(operation):
            yield operation
        else:
            for inner in operation.regions.values():
                yield from _leaves(inner)


def _is_step(operation: Operation) -> bool:
    prim = operation.prim
    return prim.form is not Form.CONST and prim not in ALIASES and prim not in STACKS


#: Operations on stacks, each a step of its own kind.
STACKS = frozenset((control.stack_empty, control.stack_push, control.stack_pop, control.stack_drop))


def lowered_one(operation: Operation, state: Collection[Value]) -> Lowered:
    """What computes `operation`: loops where it is a part of loops, else a unit, else the host.

    `state` are results that overwrite an input.
    """
    prim = operation.prim
    if prim is marker.fused:
        return _fused(operation, state)
    if prim in tables.PREFERRED:
        return _unit(operation)
    if is_part(operation) and _is_known(operation):
        try:
            return _loops([operation], [operation.result], operation, {})
        except Unfit:
            pass  # a unit may do what loops do not
    if prim in tables.TEMPLATES:
        return _unit(operation)
    return _host(operation)


def _is_known(operation: Operation) -> bool:
    """Whether loops have an expression for it, where it needs one."""
    return operation.prim in tables.SCALARS or not operation.prim.has(Trait.ELEMENTWISE)


def _fused(operation: Operation, state: Collection[Value]) -> Kernel:
    body = operation.regions["body"]
    core = next((op for op in body.operations if op.prim in CORES), None)
    if core is not None:
        return _product(core, operation, state)
    outer = dict(zip(body.args, operation.operands, strict=True))
    results = dict(zip(body.yields, operation.results, strict=True))
    try:
        return _loops(body.operations, list(body.yields), operation, outer, results)
    except Unfit as reason:
        raise fail(
            "E0901", f"a fused operation is no loop: {reason}", location=operation.loc
        ) from None  # fmt: skip


def _loops(
    operations: Sequence[Operation], outputs: Sequence[Value], at: Operation,
    outer: Mapping[Value, Value], results: Mapping[Value, Value] | None = None,
) -> Kernel:  # fmt: skip
    """The kernel of a group; `outer` and `results` say what its values are outside of it."""
    made = nest(operations, outputs, tables.SCALARS)
    work = [op for op in operations if op.prim.form is not Form.CONST]
    kernel = Kernel(
        [outer.get(v, v) for v in made.inputs],
        [(results or {}).get(v, v) for v in outputs],
        frozenset(made.in_place),
        made.scratch,
        label="_".join(dict.fromkeys(op.prim.name.strip("_") for op in work)),
        lines=made.lines,
        headers=("elements.h",),
        extent=made.extent,
        grain=made.grain,
        loc=at.loc,
    )
    if not made.finish:
        return kernel
    finish = replace(kernel, label="parts", lines=made.finish, extent=1, grain=1)
    return replace(kernel, finish=finish)


def _product(core: Operation, operation: Operation, state: Collection[Value]) -> Kernel:
    """The kernel of a product of which the other operations of a group take over each block."""
    body = operation.regions["body"]
    outer = dict(zip(body.args, operation.operands, strict=True))
    results = dict(zip(body.yields, operation.results, strict=True))
    others = [op for op in body.operations if op is not core and op.prim.form is not Form.CONST]
    held = _holder(core, [v for v in body.yields if results[v] not in state])
    is_loose = held is None
    made = block_nest(
        core, others, body.yields, tables.SCALARS, first_column(core), _rows(core),
        is_loose=is_loose,
    )  # fmt: skip
    written = [v for v in body.yields if v is not core.result]
    outputs = [v for v in body.yields if v is held] + [v for v in body.yields if v is not held]
    scratch = [] if held is None or held in outputs else [held]
    bound = (core.result, *core.operands)
    # One array may be both factors, and has two names then.
    inputs = [*core.operands, *(v for v in made.inputs if v not in bound)]
    values = [*inputs, *outputs, *scratch]
    places = {value: at for at, value in reversed(list(enumerate(values)))}
    if held is not None:
        places[core.result] = values.index(held)
    pointers = [(f"x{i}", v, places[v], True) for i, v in enumerate(made.inputs) if v in places]
    pointers += [(f"y{i}", v, places[v], False) for i, v in enumerate(written)]
    template = tables.TEMPLATES[core.prim]
    how = {"is_loose": True} if is_loose else {}
    unit = template(Site(core), "EPILOGUE", "&(s2_tile){.p = p, .a = a}", **how)  # type: ignore[call-arg]
    names = dict.fromkeys(op.prim.name.strip("_") for op in [core, *others])
    return Kernel(
        [outer.get(v, v) for v in inputs],
        [results[v] for v in outputs],
        frozenset(
            (inputs.index(made.inputs[i]), outputs.index(written[o]))
            for i, o in made.in_place
            if made.inputs[i] not in (*core.operands, core.result) and written[o] is not held
        ),
        scratch,
        label="_".join(names),
        lines=[
            Line(f"    {text}".replace("y0", f"y{len(outputs)}" if scratch else "y0"), core.loc)
            for text in unit.text.strip("\n").splitlines()
        ],
        headers=(*unit.headers, "elements.h"),
        loc=operation.loc,
        epilogue=Epilogue(made.lines, pointers, core.result if is_loose else None),
    )  # fmt: skip


def _rows(core: Operation) -> int:
    """How many rows each product of a batch has."""
    if core.prim is matmul:
        return product_rows(Site(core))[0]
    rows = core.result.shape[first_column(core) - 1]
    assert isinstance(rows, int)
    return rows


def _holder(core: Operation, outputs: Sequence[Value]) -> Value | None:
    """Where the product lies until others take over: in a result as large, or in scratch memory.

    Not in the memory of state: that may be what the others still have to read. None where it need
    lie nowhere: the unit hands over what its cache holds.
    """
    if core.result in outputs:
        return core.result
    size = core.result.dtype.itemsize
    found = next((v for v in outputs if v.dtype.itemsize == size), None)
    is_single = core.result.shape[-1] == 1  # a column is computed as a row, which is kept
    if found is None and core.prim is matmul and size >= LEAST_LOOSE and not is_single:
        return None
    return core.result if found is None else found


#: Bytes of an element from which on sums are not rounded when they are stored.
LEAST_LOOSE = 4


def _unit(operation: Operation) -> Kernel:
    body = tables.TEMPLATES[operation.prim](Site(operation))
    lines = [Line("    " + text, operation.loc) for text in body.text.strip("\n").splitlines()]
    return Kernel(
        _tensors(operation.operands),
        _tensors(operation.results),
        frozenset((i, 0) for i in body.in_place),
        label=operation.prim.name.strip("_"),
        lines=lines,
        headers=body.headers,
        extent=body.extent,
        grain=body.grain,
        loc=operation.loc,
    )


def _host(operation: Operation) -> Host:
    if operation.regions or any(isinstance(v.type, StackType) for v in operation.operands):
        raise fail(
            "E0901", f"no step of a program is {operation.prim.name}", location=operation.loc
        )
    return Host(_tensors(operation.operands), _tensors(operation.results))


def _tensors(values: Sequence[Value]) -> list[Value]:
    return [value for value in values if isinstance(value.type, TensorType)]
