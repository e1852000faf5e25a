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
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import TensorType, i64, type_of
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, every, without_adjoint

X = np.array([0.3, -0.7, 1.1])
W = np.array([0.9, 1.4, 0.6])
ROWS = np.linspace(-1, 1, 15).reshape(5, 3) ** 3


def total(x):
    return p.reduce_sum(x, axis=None)


def counted(x, w):
    return p.for_(0, 4, 1, x, body=lambda i, h: p.tanh(h * w))


def counted_down_with_a_step(x, w):
    return p.for_(7, -2, -3, x, body=lambda i, h: p.sin(h * w) + p.cast(i, dtype=h.dtype))


def never(x, w):
    return p.for_(3, 3, 1, x, body=lambda i, h: h * w)


def on_data(x, w):
    return p.while_(
        p.const(0, i64), x, condition=lambda i, h: i < 3, body=lambda i, h: (i + 1, p.sin(h) * w)
    )[1]


def while_never(x, w):
    return p.while_(x, condition=lambda h: total(h) > 100.0, body=lambda h: (h * w,))


def then_side(x, w):
    return p.if_(total(x) < 100.0, then=lambda: (x * w,), orelse=lambda: (p.log(-x),))


def else_side(x, w):
    return p.if_(total(x) > 100.0, then=lambda: (p.log(-x),), orelse=lambda: (p.exp(p.sin(x)),))


def swaps(x, w):
    return p.for_(0, 3, 1, x, w, body=lambda i, a, b: (b, a * b))


def same_value_twice(x, w):
    def body(i, a, b):
        c = a * p.sin(b)
        return c, c

    return p.for_(0, 3, 1, x, w, body=body)


def carries_what_does_not_count(x, w):
    def body(i, h, count, other):
        return h * w, count + 1, other + 1.0

    h, count, other = p.for_(0, 3, 1, x, p.const(0, i64), w, body=body)
    return h, count


def yields_an_outer_value(x, w):
    y = x * x
    return p.for_(0, 2, 1, x, body=lambda i, h: y)


def reads_rows(rows, w):
    return p.for_(0, 5, 1, w, body=lambda i, h: p.tanh(h * p.gather(rows, i, axis=0)))


def writes_rows(rows, w):
    def body(i, rows):
        row = p.reshape(p.gather(rows, i, axis=0), shape=(1, 3))
        return p.index_update(rows, p.reshape(i, shape=(1,)), row * row * w, axis=0)

    return p.for_(0, 5, 1, rows, body=body)


def nest(x, w):
    def body(i, h):
        h2 = p.for_(0, i, 1, h, body=lambda j, g: p.sin(g) * w)
        h3 = p.if_(total(h2) > 0.0, then=lambda: (p.tanh(h2) * x,), orelse=lambda: (h2 * h,))
        _, h4 = p.while_(
            p.const(0, i64), h, condition=lambda k, h: k < i,
            body=lambda k, h: (k + 1, p.cos(h * w)),
        )  # fmt: skip
        return h3 + h4

    return p.for_(3, -1, -1, x, body=body)


def loops_in_branches(x, w):
    def looping():
        return p.for_(0, 3, 1, x, body=lambda i, h: p.if_(
            total(h) > 0.2, then=lambda: (h * w,), orelse=lambda: (p.sin(h),)
        ))  # fmt: skip

    return p.if_(total(x) > 0.0, then=lambda: (looping(),), orelse=lambda: (x,))


PROGRAMS = [
    (counted, (X, W)), (counted_down_with_a_step, (X, W)), (never, (X, W)), (on_data, (X, W)),
    (while_never, (X, W)), (then_side, (X, W)), (else_side, (X, W)), (swaps, (X, W)),
    (same_value_twice, (X, W)), (carries_what_does_not_count, (X, W)),
    (yields_an_outer_value, (X, W)), (reads_rows, (ROWS, W)), (writes_rows, (ROWS, W)),
    (nest, (X, W)), (loops_in_branches, (X, W)),
]  # fmt: skip


def float_results(function: Function) -> list[int]:
    return [
        i for i, t in enumerate(function.result_types)
        if isinstance(t, TensorType) and t.dtype.is_float
    ]  # fmt: skip


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
