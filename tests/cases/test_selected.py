"""Does NaN stay where it belongs, and does what was not selected have no say?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad as ms
from s2sad import Tensor, nn, ops
from support.cases import check_case

INF, NAN = float("inf"), float("nan")
LOG2 = math.log(2)


def t(values, dtype=ms.float32):
    return Tensor(values, dtype)


def written_by_mask(x):
    y = ops.sqrt(x)
    y[x < 0] = 0.0
    return y.sum()


def share_of_row(x):
    total = x.sum(1, keepdims=True)
    return ops.where(total > 0, x / total, 0.0)[:, 0].sum()


def guarded(x, n):
    safe = ops.where(n == 0, 1.0, n)
    return ops.where(n == 0, 0.0, x / safe).sum()


def by_branch(x):
    if x > 0:
        y = ops.sqrt(x)
    else:
        y = 3.0 * x
    return y


#: A function of one tensor: the input, the value, its gradient, and the gradient of that.
UNSELECTED = {
    "log": (lambda x: ops.where(x > 0, ops.log(x), 0.0).sum(), [0.0, -1.0, 2.0], LOG2, [0, 0, 0.5]),
    "rsqrt": (lambda x: ops.where(x > 0, ops.rsqrt(x), x).sum(),
        [0.0, -1.0, 4.0], -0.5, [1, 1, -1 / 16]),
    "quotient": (lambda x: ops.where(x != 0, 1 / x, 0.0).sum(), [0.0, 2.0], 0.5, [0, -0.25]),
    "asin": (lambda x: ops.where(ops.abs(x) < 1, ops.asin(x), x * 0).sum(),
        [1.0, 2.0, 0.5], math.asin(0.5), [0, 0, 1 / math.sqrt(0.75)]),
    "acosh": (lambda x: ops.select(x > 1, ops.acosh(x), 2 * x).sum(),
        [1.0, -2.0, 2.0], math.acosh(2) - 2, [2, 2, 1 / math.sqrt(3)]),
    "power": (lambda x: ops.where(x > 0, x**0.5, -x).sum(), [-1.0, 4.0, 0.0], 3, [-1, 0.25, -1]),
    "overflow": (lambda x: ops.where(x < 10, ops.exp(x), x).sum(), [1000.0, 0.0], 1001, [1, 1]),
    "masked_fill": (lambda x: ops.masked_fill(ops.sqrt(x), x <= 0, 7.0).sum(),
        [-1.0, 0.0, 4.0], 16, [0, 0, 0.25]),
    "one of two sums": (lambda x: ops.where(x.sum() > 0, ops.sqrt(x).sum(), (3.0 * x).sum()),
        [-1.0, -4.0], -15, [3, 3]),
    "nested": (lambda x: ops.where(x > 0, ops.where(x > 1, ops.log(x - 1), ops.sqrt(x)), -x).sum(),
        [-1.0, 0.25, 3.0], 1.5 + LOG2, [-1, 1, 0.5]),
    "a write by mask": (written_by_mask, [-1.0, 4.0, 9.0], 5, [0, 0.25, 1 / 6]),
    "clamp": (lambda x: ops.clamp(ops.sqrt(x), 0.5, 2.0).sum(), [0.0, 1.0, 9.0], 3.5, [0, 0.5, 0]),
    "maximum": (lambda x: ops.maximum(ops.sqrt(x), 1.0).sum(), [0.0, 4.0], 3, [0, 0.25]),
    "relu": (lambda x: ops.relu(ops.log(x)).sum(), [0.0, math.e], 1, [0, 1 / math.e]),
    "a row of zeros": (share_of_row, [[0.0, 0.0], [1.0, 3.0]], 0.25, [[0, 0], [3 / 16, -1 / 16]]),
    "twice": (lambda x: ops.where(x > 0, ops.sqrt(x), 3.0 * x).sum(),
        [-1.0, 4.0], -1, [3, 0.25], [0, -1 / 32]),
    "x log x": (lambda x: ops.where(x > 0, x * ops.log(x), 0.0).sum(),
        [0.0, 2.0], 2 * LOG2, [0, LOG2 + 1], [0, 0.5]),
    "a branch": (by_branch, -1.0, -3, 3, 0),
}  # fmt: skip

TIES = {
    "amax": (lambda x: ops.amax(x) * 3, [2.0, 2.0, 1.0], 6, [1.5, 1.5, 0]),
    "max of columns": (lambda x: (x.max(0) * Tensor([1.0, 2.0])).sum(),
        [[2.0, 2.0], [2.0, 1.0]], 6, [[0.5, 2], [0.5, 0]]),
    "a pair": (lambda x: (ops.max(x, 0)[0] * Tensor([1.0, 10.0])).sum(),
        [[1.0, 2.0], [1.0, 0.0]], 21, [[0.5, 10], [0.5, 0]]),
    "two axes": (lambda x: (ops.amin(x, (0, 2)) * Tensor([3.0, 6.0])).sum(),
        [[[1.0, 1.0], [3.0, 2.0]], [[1.0, 5.0], [2.0, 2.0]]], 15,
        [[[1, 1], [0, 2]], [[1, 0], [2, 2]]]),
    "itself twice": (lambda x: ops.maximum(x, x).sum(), [1.0, -2.0], -1, [1, 1]),
    "stacked on itself": (lambda x: ops.amax(ops.stack([x, x]), 0).sum(), [1.0, 2.0], 3, [1, 1]),
    "broadcast back": (lambda x: (x.max(1, keepdims=True) - x).sum(),
        [[1.0, 2.0], [3.0, 3.0]], 1, [[-1, 1], [0, 0]]),
    "times the least": (lambda x: (x * ops.amin(x)).sum(), [2.0, 1.0], 3, [1, 4]),
    "squared": (lambda x: (x.max() * x.max()).sum(), [1.0, 3.0], 9, [0, 6], [0, 2]),
    "over the norm": (lambda x: (x / ops.norm(x)).sum(), [3.0, 4.0], 1.4, [0.032, -0.024]),
    "mean": (lambda x: (x.mean() * x).sum(), [1.0, 3.0], 8, [4, 4], [2, 2]),
}  # fmt: skip

ORIGINS = {
    "norm": (ops.norm, [0.0, 0.0], 0, [0, 0]),
    "norm of rows": (lambda x: (ops.norm(x, dim=1) * Tensor([1.0, 2.0])).sum(),
        [[0.0, 0.0], [3.0, 4.0]], 10, [[0, 0], [1.2, 1.6]]),
    "norm of ord 3": (lambda x: ops.norm(x, 3), [0.0, 2.0], 2, [0, 1]),
    "largest norm": (lambda x: x.norm(INF), [1.0, -2.0], 2, [0, -1]),
    "norm squared": (lambda x: ops.norm(x) ** 2, [1.0, 2.0], 5, [2, 4], [2, 2]),
    "variance": (ops.var, [[2.5]], 0, [[0]]), "deviation": (ops.std, [[2.5]], 0, [[0]]),
    "deviation of equals": (lambda x: x.std(), [2.0, 2.0], 0, [0, 0]),
    "deviation of rows": (lambda x: ops.std(x, 1).sum(), [[2.5], [1.0]], 0, [[0], [0]]),
    "with the mean": (lambda x: ops.std_mean(x)[0], [2.5], 0, [0]),
    "unbiased": (lambda x: ops.var(x, ddof=1), [1.0, 2.0, 6.0], 7, [-2, -1, 3]),
    "unbiased deviation": (lambda x: ops.std(x, 0, 1),
        [1.0, 2.0, 6.0], math.sqrt(7),
        [-1 / math.sqrt(7), -0.5 / math.sqrt(7), 1.5 / math.sqrt(7)]),
    "product": (ops.prod, [2.0, 0.0, 3.0], 0, [0, 6, 0], [3, 5, 2]),
    "product of rows": (lambda x: x.prod(1).sum(),
        [[2.0, 0.0, 3.0], [0.0, 5.0, 0.0]], 0, [[0, 6, 0], [0, 0, 0]]),
    "running product": (lambda x: (ops.cumprod(x, 0) * Tensor([1.0, 10.0, 100.0])).sum(),
        [2.0, 0.0, 3.0], 2, [1, 620, 0]),
    "product of nothing": (lambda x: ops.prod(x, 0).sum(), np.zeros((0, 2)), 2, np.zeros((0, 2))),
}  # fmt: skip

#: Exponents with the derivative of ``x ** n`` at 0 and at 4.
POWERS = {0: (0, 0), 1: (1, 1), 2: (0, 8), 3: (0, 48), 0.5: (INF, 0.25), 1.5: (0, 3), -1: (-INF, -1 / 16), -0.5: (-INF, -1 / 16)}  # noqa: E501 # fmt: skip

ONES = {**UNSELECTED, **TIES, **ORIGINS}


@pytest.mark.parametrize("case", ONES)
def test_one_tensor(case):
    function, x, value, gradient, *second = ONES[case]
    check_case(function, [t(x)], value, [gradient], *second)


@pytest.mark.parametrize("exponent", POWERS)
def test_powers_at_zero(exponent):
    for function in (lambda x: (x**exponent).sum(), lambda x: ops.pow(x, exponent).sum()):
        check_case(function, [t([0.0, 4.0])], None, [POWERS[exponent]])
    if exponent in (0, 1, 2):
        check_case(lambda x: (x**exponent).sum(), [t([0.0])], second=[2.0 * (exponent == 2)])


def test_powers_of_tensors():
    base, exponent = [0.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 3.0]
    check_case(lambda x, e: (x**e).sum(), [t(base), t(exponent)], 9,
               [[0, 1, 0, 12], [0, 0, 0, 8 * LOG2]])  # fmt: skip
    whole = t([3, 0], ms.int32)
    check_case(lambda x, e: (x**e).sum(), [t([-2.0, 0.0]), whole], -7, [[12, 0], None])
    check_case(lambda e: (2**e).sum(), [t([0.0, 3.0])], 9, [[LOG2, 8 * LOG2]])
    check_case(lambda e: (0.0**e).sum(), [t([0.0, 3.0])], 1, [[0, 0]])


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
def test_two_tensors(dtype):
    x, n = t([5.0, 3.0, 0.0], dtype), t([0.0, 2.0, 0.0], dtype)
    gradients = [[0, 0.5, 0], [0, -0.75, 0]]
    check_case(guarded, [x, n], 1.5, gradients)
    check_case(lambda x, n: ops.select(n == 0, x * 0, x / n).sum(), [x, n], 1.5, gradients)
    check_case(lambda x, y: (ops.minimum(x, y) * Tensor([1.0, 2.0, 4.0])).sum(),
               [t([1.0, 2.0, 3.0], dtype), t([1.0, 3.0, 2.0], dtype)], 13,
               [[0.5, 2, 0], [0.5, 0, 4]])  # fmt: skip
    check_case(lambda x, y: ops.maximum(x, y).sum(), [t([[1.0, 2.0], [3.0, 1.0]], dtype),
               t([1.0, 2.0], dtype)], 8, [[[0.5, 0.5], [1, 0]], [0.5, 1.5]])  # fmt: skip
    check_case(lambda x, y: ops.norm(x - y), [x, x], 0, [[0, 0, 0], [0, 0, 0]])
    check_case(ops.hypot, [t(0.0, dtype), t(0.0, dtype)], 0, [0, 0])


LEFT, RIGHT = [NAN, 5.0, 1.0, -INF], [1.0, NAN, 2.0, 0.0]
PAIRS = {
    "maximum": (ops.maximum, [NAN, NAN, 2, 0]), "minimum": (ops.minimum, [NAN, NAN, 1, -INF]),
    "fmax": (ops.fmax, [1, 5, 2, 0]), "fmin": (ops.fmin, [1, 5, 1, -INF]),
    "a number": (lambda x, y: ops.maximum(3.0, x), [NAN, 5, 3, 3]),
    "clamp": (lambda x, y: ops.clamp(x, 0.0, 1.0), [NAN, 1, 1, 0]),
    "relu": (lambda x, y: ops.relu(x), [NAN, 5, 1, 0]),
    "relu6": (lambda x, y: ops.relu6(x), [NAN, 5, 1, 0]),
    "hardtanh": (lambda x, y: ops.hardtanh(x), [NAN, 1, 1, -1]),
    "sign": (lambda x, y: ops.sign(x), [NAN, 1, 1, -1]),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
@pytest.mark.parametrize("case", PAIRS)
def test_nan_of_either_operand(case, dtype):
    function, expected = PAIRS[case]
    check_case(function, [t(LEFT, dtype), t(RIGHT, dtype)], expected)


ROWS = [[1.0, NAN, 3.0], [2.0, -2.0, 0.0]]
LEFT_OVER = {
    "max": (lambda x: (ops.max(x, 1)[0], ops.amax(x, (0, 1)), x.max(), x.max(0)),
        ([NAN, 2], NAN, NAN, [2, NAN, 3])),
    "min": (lambda x: (ops.min(x, 1)[0], x.min(), x.min(0)), ([NAN, -2], NAN, [1, NAN, 0])),
    "places": (lambda x: (ops.argmax(x, 1), ops.argmin(x, 1), x.argmax()), ([1, 0], [1, 1], 1)),
    "running": (lambda x: (ops.cummax(x, 1)[0], ops.cummin(x, 1)[0]),
        ([[1, NAN, NAN], [2, 2, 2]], [[1, NAN, NAN], [2, -2, -2]])),
    "sums": (lambda x: (ops.nansum(x), ops.nanmean(x), ops.sum(x), ops.prod(x), ops.norm(x)),
        (4, 0.8, NAN, NAN, NAN)),
    "spread": (lambda x: (ops.var(x), ops.std(x), ops.median(ops.reshape(x, (-1,)))[0]),
        (NAN,) * 3),
    "truth": (lambda x: (ops.any(ops.isnan(x)), ops.isnan(x).sum(), (x != x).any()), (1, 1, 1)),
}  # fmt: skip


@pytest.mark.parametrize("case", LEFT_OVER)
def test_reductions_keep_nan(case):
    function, expected = LEFT_OVER[case]
    for dtype in (ms.float16, ms.float32, ms.float64):
        check_case(function, [t(ROWS, dtype)], expected, rtol=1e-3)


def test_pooling_keeps_nan():
    pool = nn.MaxPool1d(2, 1)
    check_case(pool, [t([[[1.0, NAN, 3.0, 2.0]]])], [[[NAN, NAN, 3]]])
