"""Is a map what a loop over the rows would give: for each primitive, and through control flow?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from passes.rewriting import read

from s2sad import prims as p
from s2sad.backends.numpy import build
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function, current
from s2sad.ir.clone import copy_operations
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import TensorType, Token, f64, i64, type_of
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.expand import ExpandTransforms
from s2sad.passes.pipeline import parse_pipeline
from support.control_programs import PROGRAMS
from support.laws import identical
from support.specs import all_specs, differentiable_specs

SPECS = [s for s in all_specs() if not s.prim.regions and s.operands]
SMOOTH = [s for s in differentiable_specs() if not s.prim.regions and s.operands]
ROWS = 3


def some(places: Sequence[int]) -> list[tuple[int, ...]]:
    """Each place alone, each two of them, and all."""
    return list(dict.fromkeys(
        [*combinations(places, 1), *list(combinations(places, 2))[:6], tuple(places)]
    ))  # fmt: skip


def varied(x: Any) -> list[np.ndarray]:
    """Rows that differ, where `x` has elements that do; the first is `x`."""
    x = np.asarray(x)
    if x.dtype.kind == "f":
        return [x * (1 - 0.1 * i) for i in range(ROWS)]
    return [np.roll(x, i) for i in range(ROWS)]


def axes_of(mapped: Sequence[int], count: int) -> tuple[int | None, ...]:
    return tuple(0 if i in mapped else None for i in range(count))


def map_of(run: Any, operands: Sequence[Any], mapped: Sequence[int]) -> Function:
    """A map of `run` over the places `mapped`, expanded."""
    types = [type_of(x) for x in operands]
    rows = [
        TensorType(t.dtype, t.shape[1:]) if i in mapped else t  # type: ignore[union-attr]
        for i, t in enumerate(types)
    ]
    count = len(build_function(run, rows).results)
    function = build_function(
        lambda *v: p.transform(
            *v, body=run, kind="vmap", in_axes=axes_of(mapped, len(types)), out_axes=(0,) * count
        ),
        types,
    )
    run_passes(function, [ExpandTransforms()])
    verify(function)
    assert not any(op.prim is p.transform for op in function.walk())
    return function


def by_rows(run: Any, operands: Sequence[Any], mapped: Sequence[int]) -> list[np.ndarray]:
    """What a loop over the rows gives."""
    count = len(operands[mapped[0]])
    inputs = [[x[i] if k in mapped else x for k, x in enumerate(operands)] for i in range(count)]
    single = build_function(run, [type_of(np.asarray(x)) for x in inputs[0]])
    run_passes(single, [ExpandTransforms()])
    each = [evaluate(single, [np.asarray(x) for x in row]) for row in inputs]
    return [np.stack(values) for values in zip(*each, strict=True)]


def check(run: Any, operands: Sequence[Any], mapped: Sequence[int]) -> Function:
    """A map gives what a loop gives: the same bits, or sums taken in another order."""
    function = map_of(run, operands, mapped)
    expected = by_rows(run, operands, mapped)
    for one, other in zip(evaluate(function, operands), expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        if not identical(one, other):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    return function


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_each_primitive_maps(spec) -> None:
    def run(*v):
        return spec.prim(*v, **spec.attrs)

    operands = [np.asarray(x) for x in spec.operands]
    for mapped in some(range(len(operands))):
        rows = [np.stack(varied(x)) if i in mapped else x for i, x in enumerate(operands)]
        check(run, rows, mapped)
    function = map_of(run, [x[:0] for x in rows], mapped)  # no rows of all operands
    found = tuple(type_of(x) for x in evaluate(function, [x[:0] for x in rows]))
    assert found == function.result_types


@pytest.mark.parametrize("spec", SMOOTH, ids=str)
def test_gradients_map(spec) -> None:
    """The map of a gradient, and the gradient of a map, are gradients of the rows."""

    def run(*v):
        return spec.prim(*v, **spec.attrs)

    operands = [np.asarray(x) for x in spec.operands]
    wrt = [i for i, x in enumerate(operands) if x.dtype == np.float64]
    single = build_function(run, [type_of(x) for x in operands])
    results = tuple(i for i, v in enumerate(single.results) if v.dtype.is_float)
    attrs = {"kind": "grad", "wrt": tuple(wrt), "results": results}

    def gradient(*v):
        return p.transform(*v, body=run, **attrs)

    rows = [np.stack([x] * 2) for x in operands]
    every = range(len(rows))
    check(gradient, rows, every)
    count = len(single.results)

    def mapped(*v):
        return p.transform(*v, body=run, kind="vmap", in_axes=(0,) * len(v), out_axes=(0,) * count)

    whole = build_function(
        lambda *v: p.transform(*v, body=mapped, **attrs), [type_of(x) for x in rows]
    )
    run_passes(whole, [ExpandTransforms()])
    expected = by_rows(gradient, rows, every)
    for one, other in zip(evaluate(whole, rows), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


# ---- control flow ----------------------------------------------------------------------------


def several(x: np.ndarray) -> np.ndarray:
    """Rows of which some take one way and some another."""
    return np.stack([x, -x, 0.3 * x, 2.5 * x])


@pytest.mark.parametrize("mapped", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize(("program", "inputs"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_control_flow(program, inputs, mapped) -> None:
    rows = [several(x) if i in mapped else x for i, x in enumerate(inputs)]
    function = check(program, rows, mapped)
    for one, other in zip(build(function).run(rows), by_rows(program, rows, mapped), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("kind", ["grad", "jvp", "vjp"])
@pytest.mark.parametrize(("program", "inputs"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_derivatives_of_control_flow(program, inputs, kind) -> None:
    single = build_function(program, [type_of(x) for x in inputs])
    results = [i for i, v in enumerate(single.results) if v.dtype.is_float]
    seeds = {
        "grad": [], "jvp": [np.sin(x) for x in inputs],
        "vjp": [np.cos(np.ones(single.results[i].shape)) for i in results],
    }[kind]  # fmt: skip

    def derived(*v):
        return p.transform(*v, body=program, kind=kind, wrt=(0, 1), results=tuple(results))

    rows = [several(x) for x in [*inputs, *seeds]]
    for mapped in ((0,), (1,), range(len(rows)), range(2, len(rows)) or (0, 1)):
        given = [x if i in mapped else x[0] for i, x in enumerate(rows)]
        check(derived, given, tuple(mapped))


def halving(x, n):
    """Differs in its number of passes, and in its path in each."""

    def body(i, x):
        return i + 1, p.if_(
            p.reduce_sum(x, axis=None) > 1.0, then=lambda: p.mul(x, 0.5), orelse=lambda: p.sin(x)
        )

    return p.while_(p.const(0, i64), x, condition=lambda i, x: i < n, body=body)


def rows_of(*sizes):
    return np.stack([np.linspace(0.1, 1.0, 3) * s for s in sizes])


def operations(function):
    return [op.prim.name for op in function.walk()]


def test_a_while_runs_until_all_rows_are_done():
    function = check(halving, [rows_of(1, 5, -2), np.array([0, 4, 7])], (0, 1))
    assert operations(function).count("while_") == 1 and "for_" not in operations(function)
    unmapped = check(halving, [rows_of(1, 5, -2), np.array(3)], (0,))
    assert "reduce_any" not in operations(unmapped), "no row differs in the number of passes"


def test_what_could_fail_runs_row_by_row():
    def gathers(x, n):
        def body(i, s):
            return i + 1, s + p.gather(x, i)

        return p.while_(
            p.const(0, i64), p.const(0.0, f64), condition=lambda i, s: i < n, body=body
        )[1]

    x = np.array([1.0, 10.0, 100.0])
    function = check(gathers, [x, np.array([3, 0, 2])], (1,))
    assert "for_" in operations(function)
    np.testing.assert_array_equal(evaluate(function, [x, np.array([3, 0, 2])])[0], [111, 0, 11])
    with pytest.raises(S2sadError, match="E0501"):
        evaluate(function, [x, np.array([3, 4, 2])])


def test_what_might_not_end_runs_row_by_row():
    def counts(n):
        return p.if_(
            n > 0,
            then=lambda: p.while_(n, condition=lambda n: p.not_equal(n, 0), body=lambda n: n - 1),
            orelse=lambda: p.mul(n, 10),
        )

    function = check(counts, [np.array([3, -2, 0])], (0,))
    np.testing.assert_array_equal(evaluate(function, [np.array([3, -2, 0])])[0], [0, -20, 0])


def test_a_range_that_differs_runs_row_by_row():
    def powers(x, n):
        return p.for_(0, n, 1, x, body=lambda i, h: p.mul(h, x))

    check(powers, [rows_of(1, 2, 3), np.array([2, 0, 5])], (0, 1))
    check(powers, [rows_of(1)[0], np.array([2, 0, 5])], (1,))
    check(powers, [rows_of(1, 2), np.array(3)], (0,))


def test_what_differs_inside_of_a_loop_may_lead_nowhere():
    def run(x, n):
        def body(i, count):
            p.if_(p.reduce_sum(x) > 1.0, then=lambda: (), orelse=lambda: ())
            p.mul(x, 2.0)
            return p.add(count, i)

        def step(count):
            p.mul(x, 2.0)
            return p.sub(count, 1)

        count = p.for_(0, n, 1, p.const(0, i64), body=body)
        down = p.while_(count, condition=lambda c: c > 0, body=step)
        return p.mul(x, p.cast(p.add(count, down), dtype=f64.dtype))

    check(run, [rows_of(1, 2, 3), np.array(4)], (0,))


def test_what_is_the_same_for_all_rows_is_computed_once():
    def run(x, w):
        return p.add(x, p.exp(p.matmul(w, w)))

    function = check(run, [np.ones((5, 2, 2)), np.eye(2)], (0,))
    assert next(op for op in function.walk() if op.prim is p.matmul).result.type == f64[2, 2]


# ---- markers ---------------------------------------------------------------------------------


def clipped(x, w):
    """A rule that is not linear in the cotangent."""
    return p.custom(
        x, w, primal=lambda x, w: p.mul(x, w),
        adjoint=lambda x, w, y, dy: (p.clip(p.mul(dy, w), -1.0, 1.0), p.clip(dy, -0.5, 0.5)),
    )  # fmt: skip


def hooked(x, w):
    return p.mul(p.hook(x, body=lambda dx: p.clip(dx, -1.0, 1.0)), w)


def kept(x, w):
    return p.checkpoint(x, w, body=lambda x, w: p.sin(p.mul(x, w)))


def stopped(x, w):
    return p.mul(p.stop_gradient(x), p.barrier(w))


@pytest.mark.parametrize("mapped", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("body", [clipped, hooked, kept, stopped], ids=lambda f: f.__name__)
def test_rules_run_once_a_row(body, mapped):
    """The gradient of a map is the sum of what each row has as its gradient."""
    operands = [rows_of(1, 2, 3), rows_of(1, -5, 0.2)]
    given = [x if i in mapped else x[0] for i, x in enumerate(operands)]
    axes = axes_of(mapped, 2)

    def whole(*v):
        inner = lambda *v: p.transform(  # noqa: E731
            *v, body=body, kind="vmap", in_axes=axes, out_axes=(0,)
        )
        return p.transform(*v, body=inner, kind="grad", wrt=(0, 1))

    def single(*v):
        return p.transform(*v, body=body, kind="grad", wrt=(0, 1))

    function = build_function(whole, [type_of(x) for x in given])
    run_passes(function, [ExpandTransforms()])
    expected = by_rows(single, given, mapped)
    for i, (one, other) in enumerate(zip(evaluate(function, given), expected, strict=True)):
        np.testing.assert_allclose(one, other if i in mapped else other.sum(0), rtol=1e-14)
    check(body, given, mapped)
    check(single, given, mapped)


def test_tapes_map_where_all_rows_take_one_way():
    """A derivative that is expanded already holds stacks."""
    body = build_function(
        lambda x: p.transform(
            x, body=lambda x: p.for_(0, 3, 1, x, body=lambda i, h: p.sin(h)), kind="grad", wrt=(0,)
        ),
        [f64[3]],
    )
    run_passes(body, [ExpandTransforms()])
    assert "stack_push" in operations(body)

    def run(x):
        mapping = {body.args[0]: x}
        for operation in copy_operations(body.body.operations, mapping):
            current().add(operation)
        return [mapping[v] for v in body.results]

    check(run, [rows_of(1, 2, 3)], (0,))


def test_stacks_in_a_loop_that_differs_are_refused():
    def run(n):
        def body(i, stack):
            return i + 1, p.stack_push(stack, i)

        _, stack = p.while_(
            p.const(0, i64), p.stack_empty(of=i64), condition=lambda i, s: i < n, body=body
        )
        p.stack_drop(stack)
        return n

    with pytest.raises(S2sadError, match="E0104.*while_"):
        map_of(run, [np.array([1, 2])], (0,))


# ---- maps ------------------------------------------------------------------------------------


def test_axes_may_be_anywhere():
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(12.0).reshape(4, 3)

    def run(x, y):
        return p.transform(
            x, y, body=lambda x, y: (p.add(x, y), p.const(7.0, f64)), kind="vmap",
            in_axes=(2, 0), out_axes=(1, None),
        )  # fmt: skip

    function = build_function(run, [f64[2, 3, 4], f64[4, 3]])
    run_passes(function, [ExpandTransforms()])
    total, seven = evaluate(function, [x, y])
    np.testing.assert_array_equal(total, (x.transpose(2, 0, 1) + y[:, None]).transpose(1, 0, 2))
    assert seven.shape == () and seven == 7.0


def test_a_result_that_differs_needs_an_axis():
    function = build_function(
        lambda x: p.transform(x, body=p.neg, kind="vmap", in_axes=(0,), out_axes=(None,)), [f64[2]]
    )
    with pytest.raises(S2sadError, match="E0104.*differs from row to row"):
        run_passes(function, [ExpandTransforms()])


def mapped(body, types):
    """A map of `body` over the rows of all but its token, as a function."""

    def run(token, *values):
        return p.transform(
            token, *values, body=body, kind="vmap", in_axes=(None, *[0] * len(values)),
            out_axes=(None, 0),
        )  # fmt: skip

    names = [f"x{i}" for i in range(len(types))]
    return build_function(run, [Token, *types], inputs=["token:host", *names])


def test_an_effect_is_that_of_each_row(capsys):
    function = mapped(lambda token, x: (p.print_(token, x, format="{} "), x), [f64[2]])
    inputs = [Token, np.array([1.5, 2.5])]
    before = evaluate(function, inputs)
    run_passes(function, [ExpandTransforms()])
    for token, x in (before, evaluate(function, inputs)):
        assert token is Token and x.tolist() == [1.5, 2.5]
    assert capsys.readouterr().out == "1.5 2.5 " * 2


def test_an_assertion_and_a_check_are_those_of_each_row():
    def checks(token, x):
        token = p.check_finite(token, x, what="x")
        return p.assert_(token, p.less(x, 2.0), x, message="{} is large"), x

    function = mapped(checks, [f64[3]])
    run_passes(function, [ExpandTransforms()])
    assert evaluate(function, [Token, np.ones(3)])[1].tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(AssertionError, match="3.0 is large") as caught:
        evaluate(function, [Token, np.array([1.0, 3.0, 5.0])])
    assert caught.value.diagnostic.notes == ("in row 1 of what vmap maps",)
    with pytest.raises(FloatingPointError, match="E0702"):
        evaluate(function, [Token, np.array([1.0, np.nan, 5.0])])


def test_queues_and_collectives_are_refused():
    def reads(token, x):
        token, value = p.queue_read(token, types=(f64,), queue="rows")
        return token, p.add(x, value)

    with pytest.raises(S2sadError, match="E0104.*queue_read"):
        mapped(reads, [f64[2]])


def test_maps_of_maps_of_derivatives():
    def inner(x, y):
        return p.transform(x, y, body=lambda x, y: p.exp(p.mul(x, y)), kind="grad", wrt=(0, 1))

    def run(x, y):
        return p.transform(x, y, body=inner, kind="vmap", in_axes=(None, 0), out_axes=(0, 0))

    x, y = np.array([0.5, 1.0, -2.0]), np.array([0.1, 0.2, 0.3, 0.4])
    function = check(run, [x, y], (0,))
    dx, dy = evaluate(function, [x, y])
    product = np.exp(np.outer(x, y))
    np.testing.assert_allclose(dx, y * product, rtol=1e-15)
    np.testing.assert_allclose(dy, x[:, None] * product, rtol=1e-15)


def test_sizes_may_be_symbols():
    batch = symbol("B")
    function = build_function(
        lambda x, n: p.transform(
            x, n, kind="vmap", in_axes=(0, 0), out_axes=(0, 0),
            body=lambda x, n: (
                p.reduce_sum(p.softmax(x), axis=0), p.for_(0, n, 1, x, body=lambda i, h: p.neg(h)),
            ),
        ),
        [f64[batch, 4], i64[batch]],
    )  # fmt: skip
    run_passes(function, [ExpandTransforms()])
    verify(function)
    assert function.result_types == (f64[batch], f64[batch, 4])
    assert {"softmax", "for_"} <= set(operations(function))


def test_locations_stay():
    function = read("""
def main(x: f64[2, 3]):
    @region
    def body_0(x: f64[3]):
        return p.softmax(x, axis=0)         #@ loss.py:2:4 in Net
    return p.transform(x, body=body_0, kind="vmap", in_axes=(0,), out_axes=(1,))  #@ step.py:9:8
""")
    run_passes(function, parse_pipeline("expand-transforms"))
    places = {op.prim.name: (str(op.loc), op.scope) for op in function.walk()}
    assert places["softmax"] == ("loss.py:2:4", "Net")
    assert places["transpose"] == ("step.py:9:8", "")
