"""Programs with branches and loops whose gradients are checked in forward and reverse mode."""

from __future__ import annotations

import numpy as np

from s2sad import prims as p
from s2sad.ir.graph import Function
from s2sad.ir.types import TensorType, i64

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
