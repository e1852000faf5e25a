"""Do loops and branches give Python's values, and the gradients of what ran?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad as ms
from s2sad import Tensor, ops
from support.cases import check_case, in_both_modes, require_near


def t(values, dtype=ms.float32):
    return Tensor(values, dtype)


def whole(value):
    return Tensor(value, ms.int32)


def falling_product(x, n):
    out = x * 0 + 1
    while n > 0:
        out = out * (x + n)
        n = n - 1
    return out


def root(a):
    x = a * 0 + 1
    while ops.abs(x * x - a) > 1e-6:
        x = (x + a / x) / 2
    return x


def powers(x, n):
    y = x
    i = 0
    while i < n:
        y = y * x
        i = i + 1
    return y


def until_large(x):
    while x.sum() < 100.0:
        x = x * x
    return x


def doubled_and_more(x):
    y = x
    while y < 10.0:
        y = y * 2
    else:  # noqa: PLW0120 - what is tested
        y = y + x
    return y


def triangle(x, n):
    total = x * 0
    i = n * 0
    while i < n:
        j = n * 0
        while j <= i:
            total = total + x**2 * (j + 1)
            j = j + 1
        i = i + 1
    return total


def backwards(x):
    total = x[0] * 0
    for i in range(3, -1, -1):
        total = total * x[i] + x[i]
    return total


def odd_powers(x):
    total = x * 0
    for i in range(5):
        if i % 2 == 0:
            continue
        total = total + x**i
    return total


def rows(x):
    total = 0.0
    for i, row in enumerate(x):
        total = total + (i + 1) * row * row
    return total


def side_by_side(x, y):
    total = 0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


def largest_so_far(x):
    top = x[0]
    i = Tensor(1)
    while i < 4:
        if x[i] > top:
            top = x[i]
        i = i + 1
    return top * top


def by_where(x):
    top = x[0]
    for i in range(1, 4):
        top = ops.where(x[i] > top, x[i], top)
    return top * 2


def a_buffer(u):
    out = ops.zeros((3, 2))
    for i in range(3):
        out[i] = u * i
        out[i, 0] = 0.0
    return (out * out).sum()


def stopped_in_a_loop(x):
    y = x
    for _ in range(3):
        y = ops.stop_gradient(y) * x
    return y.sum()


def three_ways(x):
    if x > 0:
        y = x * 2
    elif x > -1:
        y = x * 3
    else:
        y = x * 4
    return y


def not_positive(x):
    y = x
    if not (x > 0):
        y = -x
    return y


def recurrent(x, w, n):
    h = x[0] * 0
    i = n * 0
    while i < n:
        h = ops.tanh(w * h + x[i])
        i = i + 1
    return h


STEPS = [0.5, -1.0, 2.0]


def recurrent_by_hand(x, w, n):
    """The last state, with its gradients with respect to `x` and `w`."""
    h, dx, dw = 0.0, np.zeros(len(x)), 0.0
    for i in range(n):
        new = math.tanh(w * h + x[i])
        slope = 1 - new * new
        dx, dw = slope * w * dx, slope * (h + w * dw)
        dx[i] = slope
        h = new
    return h, dx, dw


#: Arguments, the value, and gradients, None for those not asked.
PROGRAMS = {
    "falling product": (falling_product, (t(0.5), whole(3)), 13.125, (17.75, None)),
    "no pass": (falling_product, (t(0.5), whole(0)), 1, (0, None)),
    "root": (root, (t(2.0, ms.float64),), math.sqrt(2), (0.5 / math.sqrt(2),)),
    "powers": (powers, (t(2.0), whole(3)), 16, (32, None)),
    "a condition on a sum": (until_large, (t([2.0, 3.0]),), [256, 6561], ([1024, 17496],)),
    "while else": (doubled_and_more, (t(3.0),), 15, (5,)),
    "nested": (triangle, (t(3.0), whole(3)), 90, (60, None)),
    "backwards": (backwards, (t([1.0, 2.0, 3.0, 4.0]),), 33, ([33, 16, 10, 6],)),
    "continue": (odd_powers, (t(2.0),), 10, (13,)),
    "rows": (rows, (t([1.0, 2.0]),), 9, ([2, 8],)),
    "two at once": (side_by_side, (t([1.0, 2.0]), t([3.0, 4.0])), 11, ([3, 4], [1, 2])),
    "largest so far": (largest_so_far, (t([1.0, 4.0, 3.0, 2.0]),), 16, ([0, 8, 0, 0],)),
    "selected": (by_where, (t([1.0, 4.0, 3.0, 2.0]),), 8, ([0, 2, 0, 0],)),
    "a buffer": (a_buffer, (t([1.0, 2.0]),), 20, ([0, 20],)),
    "stopped": (stopped_in_a_loop, (t([1.0, 2.0]),), 17, ([1, 8],)),
    "if": (three_ways, (t(1.0),), 2, (2,)), "elif": (three_ways, (t(-0.5),), -1.5, (3,)),
    "else": (three_ways, (t(-5.0),), -20, (4,)), "not": (not_positive, (t(-2.0),), 2, (-1,)),
    "a condition as a value": (lambda x: x * 2 if x > 0 else x * x, (t(-3.0),), 9, (-6,)),
    **{f"recurrent, {n} steps": (recurrent, (t(STEPS), t(0.7), whole(n)),
        recurrent_by_hand(STEPS, 0.7, n)[0], (*recurrent_by_hand(STEPS, 0.7, n)[1:], None))
       for n in (1, 2, 3)},
}  # fmt: skip


@pytest.mark.parametrize("case", PROGRAMS)
def test_programs(case):
    function, args, value, gradients = PROGRAMS[case]
    check_case(function, args, value, gradients)


def test_a_loop_differentiated_three_times():
    derivative = powers
    for expected in (32, 48, 48):  # of x**4 at 2
        derivative = ms.grad(derivative)
        for _ in in_both_modes():
            require_near(derivative(t(2.0), whole(3)), expected)
