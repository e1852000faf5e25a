"""Does each backend compute every primitive, and as its meaning says?

The NumPy backend has a shorter expression for a primitive, or calls its meaning; composites are
decomposed, or kept and computed as they stand. A primitive that neither a table of specs nor a
program below holds is a failing test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.numpy import build
from s2sad.backends.numpy import emit as numpy_emit
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Primitive, Trait
from s2sad.ir.types import Token, f64, i64, type_of
from s2sad.passes.base import run_passes
from s2sad.passes.decompose import Decompose, every
from s2sad.prims.channel import Channel, serving
from s2sad.prims.host import feeding
from support.differential import differences
from support.laws import Spec, promise, recast
from support.specs import all_specs

TABLES = [
    numpy_emit.arithmetic, numpy_emit.comparison, numpy_emit.exponential, numpy_emit.logic,
    numpy_emit.rounding, numpy_emit.select, numpy_emit.shape, numpy_emit.trigonometric,
]  # fmt: skip
SPECS = all_specs()
X, Y = f64[3], f64[3]
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def program(*names: str, types: tuple[Any, ...] = (X, Y)) -> Callable[[Any], Any]:
    """Marks a program that shows the primitives of `names`."""

    def add(run: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.update(dict.fromkeys(names, (run, types)))
        return run

    return add


@program("if_", "const")
def _branch(x, y):
    positive = p.greater(p.reduce_sum(x), p.const(0.0, f64))
    return p.if_(positive, then=lambda: (x, p.neg(y)), orelse=lambda: (y, x))


@program("for_", "while_", "stack_empty", "stack_push", "stack_pop", "stack_drop")
def _loops(x, y):
    def push(i, stack, z):
        return p.stack_push(stack, z), p.add(z, y)

    def pop(i, stack, z):
        stack, top = p.stack_pop(stack)
        return p.add(i, 1), stack, p.mul(p.sub(z, top), 0.5)

    stack, z = p.for_(0, 3, 1, p.stack_empty(of=X), x, body=push)
    p.stack_drop(p.stack_push(p.stack_empty(of=X), z))
    return p.while_(p.const(0, i64), stack, z, condition=lambda i, stack, z: p.less(i, 2), body=pop)


@program("barrier", "custom", "checkpoint", "fused", "hook", "stop_gradient")
def _markers(x, y):
    x = p.checkpoint(x, y, body=lambda a, b: p.mul(a, b))
    x = p.fused(x, y, body=lambda a, b: p.add(p.mul(a, b), b))
    x = p.custom(x, primal=lambda a: p.mul(a, a), adjoint=lambda a, out, dout: p.mul(dout, 2.0))
    return p.stop_gradient(p.hook(p.barrier(x), body=lambda dx: p.neg(dx)))


@program("transform", types=(f64[2, 3], X))
def _map(x, y):
    return p.transform(
        x, y, body=lambda row, z: (p.reduce_sum(row), p.mul(row, z)), kind="vmap",
        in_axes=(0, None), out_axes=(0, 1),
    )  # fmt: skip


@program("print_", "assert_", "check_finite", types=(Token, X))
def _effects(token, x):
    token = p.print_(token, x, p.reduce_sum(x), format="{} {:.3f}\n")
    token = p.assert_(token, p.less(p.reduce_sum(x), p.const(99.0, f64)), x, message="{}")
    return p.check_finite(token, x), p.neg(x)


@program("summarize", types=(Token, X))
def _summarizes(token, x):
    return p.summarize(token, x, plugin="tensor", name="x"), p.neg(x)


@program("raise_", types=(Token, X))
def _raises(token, x):
    return p.raise_(token, x, kind="KeyError", message="no {}"), x


@program("queue_read", types=(Token,))
def _reads(token):
    return p.queue_read(token, types=(X,), queue="covered")


@program("queue_next", "queue_report", "queue_keep", types=(Token, X))
def _steps(token, x):
    token, more, y = p.queue_next(token, types=(X,), queue="covered")
    token, x = p.queue_keep(token, p.add(x, y), queue="covered")
    return p.queue_report(token, x, queue="covered"), more, x


@program("all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all", types=(Token, X))
def _collectives(token, x):
    for prim in (p.all_reduce, p.all_gather, p.reduce_scatter, p.broadcast):
        token, x = prim(token, x, size=1)
    return p.all_to_all(token, x, split_axis=0, concat_axis=0, size=1)


@program("send", types=(Token, X))
def _sends(token, x):
    return p.send(token, x, to=1, size=2)


@program("receive", types=(Token,))
def _receives(token):
    return p.receive(token, source=1, type=X, size=2)


@pytest.mark.parametrize("name", sorted(p.ALL))
def test_every_primitive_is_computed_somewhere(name):
    assert name in PROGRAMS or any(s.prim.name == name for s in SPECS), (
        f"add {name} to the SPECS of its family, or to PROGRAMS here"
    )


def inputs_of(function: Function) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=t.shape) if t is not Token else Token for t in function.input_types]


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_programs(name):
    run, types = PROGRAMS[name]
    function = build_function(run, types)
    assert name in {op.prim.name for op in function.walk()}
    executable, inputs = build(function), inputs_of(function)
    channel = Channel.over([[np.arange(3.0)]] * 4)
    with feeding("covered", [np.arange(3.0)] * 2), serving("covered", channel):
        if name in ("raise_", "send", "receive"):
            with pytest.raises((KeyError, S2sadError), match="no .|E0712"):
                executable.run(inputs)
        else:
            assert differences(executable, inputs) == []


def programs_of(spec: Spec) -> Iterator[tuple[Function, list[np.ndarray]]]:
    """The call of `spec` as a program, for each dtype that its primitive takes."""
    for operands in recast(spec.operands):
        types = [type_of(x) for x in operands]
        if promise(spec.prim, types, spec.attrs) is not None:
            yield build_function(lambda *v: spec.prim(*v, **spec.attrs), types), operands


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_specs(spec):
    for function, operands in programs_of(spec):
        assert differences(build(function), operands) == []


@pytest.mark.parametrize("spec", [s for s in SPECS if s.prim.is_composite], ids=str)
def test_decomposed_composites(spec):
    """A composite and its body are the same to the bit; only NaNs may differ in their payload."""
    for function, operands in programs_of(spec):
        whole = build(function).run(operands)
        run_passes(function, (Decompose(every),))
        assert not any(op.prim.is_composite for op in function.walk())
        assert differences(build(function), operands) == []
        for one, other in zip(whole, build(function).run(operands), strict=True):
            np.testing.assert_array_equal(one, other)


# ---- the tables of expressions ---------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_table_holds_primitives_of_its_family(table):
    family = table.__name__.rpartition(".")[2]
    for prim in table.TABLE:
        assert isinstance(prim, Primitive)
        assert p.ALL[prim.name] is prim
        assert prim.family == family
        assert not prim.is_composite and not prim.regions


def test_the_whole_table_is_made_of_them():
    assert numpy_emit.TABLE == {prim: text for t in TABLES for prim, text in t.TABLE.items()}
    assert len(numpy_emit.TABLE) == sum(len(table.TABLE) for table in TABLES)


@pytest.mark.parametrize("prim", numpy_emit.TABLE, ids=str)
def test_an_expression_is_what_is_emitted(prim):
    texts = []
    for spec in (s for s in SPECS if s.prim is prim):
        for function, _ in programs_of(spec):
            narrow = any(v.dtype.is_narrow for v in (*function.args, *function.results))
            texts += [] if narrow and not prim.has(Trait.MOVES) else [build(function).source]
    assert texts, f"no SPECS have {prim}"
    assert all("np." in text for text in texts), texts
