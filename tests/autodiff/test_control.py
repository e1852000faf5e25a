"""Are the gradients of branches and loops right, to order two?

Right values are central differences in float64. The same joint program is evaluated operation by
operation and run by the NumPy backend, which must agree bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.backends.numpy import build
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import bool_, f32, i64, type_of
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, every, without_adjoint
from s2sad.passes.hoist import HoistConstants
from support.control_programs import PROGRAMS, X, float_results


def differences(
    function: Function,
    inputs: Sequence[np.ndarray],
    wrt: Sequence[int],
    douts: Sequence[np.ndarray],
) -> list[np.ndarray]:
    """Gradient of the sum of results times `douts`, by central differences."""
    step, places = 1e-5, float_results(function)

    def at(i: int, index: tuple[int, ...], by: float) -> float:
        moved = [x.copy() for x in inputs]
        moved[i][index] += by
        results = evaluate(function, moved)
        return sum(float((results[r] * d).sum()) for r, d in zip(places, douts, strict=True))

    found = []
    for i in wrt:
        gradient = np.zeros_like(inputs[i])
        for index in np.ndindex(inputs[i].shape):
            gradient[index] = (at(i, index, step) - at(i, index, -step)) / (2 * step)
        found.append(gradient)
    return found


def directions(function: Function, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = [function.result_types[i].shape for i in float_results(function)]
    return [np.asarray(rng.normal(size=shape)) for shape in shapes]


def check(function: Function, inputs: list[np.ndarray], wrt: Sequence[int], seed: int) -> tuple:
    """Hold the joint program of `function` to differences; it and its inputs."""
    run_passes(function, [Decompose(without_adjoint)])
    joint = differentiate(function, wrt, float_results(function), seeded=True)
    verify(joint)
    run_passes(joint, [Dce()])
    douts = directions(function, seed)
    everything = [*inputs, *douts]
    results = evaluate(joint, everything)
    count = len(function.results)
    for one, other in zip(results[count:], differences(function, inputs, wrt, douts), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)
    for one, other in zip(results, build(joint).run(everything), strict=True):
        np.testing.assert_array_equal(one, other)
    return joint, everything


@pytest.mark.parametrize(("program", "inputs"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_gradient_to_order_two(program: Callable, inputs: tuple) -> None:
    function = build_function(program, [type_of(x) for x in inputs])
    joint, everything = check(function, list(inputs), (0, 1), 0)
    check(joint, everything, range(len(everything)), 1)


def test_what_is_only_looked_at_is_no_residual() -> None:
    function = build_function(
        lambda x: p.for_(0, 3, 1, x, body=lambda i, h: h + p.reduce_sum(h, axis=0)),
        [type_of(X)],
    )
    joint = differentiate(function, [0])
    assert not any(op.prim is p.stack_push for op in joint.walk())


def test_nor_is_what_only_the_shape_of_a_cotangent_depends_on() -> None:
    def body(i, rows):
        window = p.dynamic_slice(rows, i, 0, sizes=(1, 3))
        row = p.gather(rows, i, axis=0) + p.reshape(window, shape=(3,))
        return p.index_update(rows, i, row, axis=0)

    function = build_function(lambda x: p.for_(1, 5, 1, x, body=body), [f32[5, 3]])
    run_passes(function, [HoistConstants()])
    assert not any(op.prim is p.stack_push for op in differentiate(function, [0]).walk())


def test_numbers_that_follow_the_index_are_computed_again() -> None:
    def body(i, h):
        return h * p.cast(5 - 2 * i, dtype=h.dtype) + p.gather(h, i + 1, axis=0)

    function = build_function(lambda x: p.for_(0, 2, 1, x, body=body), [type_of(X)])
    run_passes(function, [HoistConstants()])
    assert not any(op.prim is p.stack_push for op in differentiate(function, [0]).walk())
    joint, everything = check(function, [X], [0], 0)
    check(joint, everything, range(len(everything)), 1)


def test_what_only_an_unwanted_gradient_reads_is_no_residual() -> None:
    def body(i, h):
        return h / p.cast(p.reduce_sum(p.cast(h, dtype=i64), axis=0) + 7, dtype=h.dtype)

    function = build_function(lambda x: p.for_(0, 3, 1, x, body=body), [type_of(X)])
    pushes = [op for op in differentiate(function, [0]).walk() if op.prim is p.stack_push]
    assert [op.operands[1].shape for op in pushes] == [()]  # the divisor, not the quotient


def test_reading_rows_in_a_loop_is_linear() -> None:
    seconds = {}
    for n in (2048, 8192):
        rows = np.ones((n, 32))
        function = build_function(
            lambda rows, w, n=n: p.for_(
                0, n, 1, w, body=lambda i, h: p.tanh(h * p.gather(rows, i, axis=0))
            ),
            [type_of(rows), type_of(rows[0])],
        )
        joint = differentiate(function, [0, 1])
        run_passes(joint, [Dce(), Decompose(every), Dce()])
        executable = build(joint)
        start = time.perf_counter()
        executable.run([rows, rows[0]])
        seconds[n] = time.perf_counter() - start
    assert "index_add_in_place" in executable.source
    assert seconds[8192] < 10 * seconds[2048]  # the dense form costs 16 times as much


def test_sizes_may_be_symbolic_and_spelled_in_two_ways() -> None:
    def branch(c, x, y):
        return p.if_(c, then=lambda: p.mul(x, x), orelse=lambda: y)

    def loop(x):
        return p.for_(0, 3, 1, x, body=lambda i, h: p.mul(h, x))

    H = symbol("H")  # noqa: N806 - so in types
    one, other = f32[(H + 2) // 2], f32[H // 2 + 1]
    for program, wrt, types in (
        (build_function(branch, [bool_, one, other]), [1, 2], (one, one, other)),
        (build_function(loop, [f32[H, 4]]), [0], (f32[H, 4], f32[H, 4])),
    ):
        joint = differentiate(program, wrt)
        verify(joint)
        assert joint.result_types == types
