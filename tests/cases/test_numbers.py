"""Are sums of nothing, narrow numbers, far logits and whole numbers right?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad as ms
from s2sad import Tensor, nn, ops
from support.cases import check_case, in_both_modes, require_near
from support.forms import both_forms

INF, NAN = float("inf"), float("nan")
LOG2 = math.log(2)


def t(values, dtype=ms.float32):
    return Tensor(values, dtype)


def zeros(*shape):
    return Tensor(np.zeros(shape, np.float32))


ONES = Tensor(np.ones((3, 2), np.float32))
KERNEL = Tensor(np.ones((2, 1, 2, 2), np.float32))

#: Of a tensor without rows, and of one without columns.
NOTHING = {
    "sums": (lambda x: (x.sum(), x.sum(0), x.sum(1), ops.nansum(x), x.sum(0, keepdims=True)),
        (0, 3), (0, [0] * 3, [], 0, [[0] * 3])),
    "means": (lambda x: (x.mean(), x.mean(0), ops.std(x, 0), ops.var(x)),
        (0, 3), (NAN, [NAN] * 3, [NAN] * 3, NAN)),
    "products and truth": (lambda x: (ops.prod(x), ops.prod(x, 0), x.any(), x.all()),
        (0, 3), (1, [1] * 3, 0, 1)),
    "norms and counts": (lambda x: (ops.norm(x), ops.count_nonzero(x), ops.norm(x, dim=0)),
        (0, 3), (0, 0, [0] * 3)),
    "in order": (
        lambda x: (ops.cumsum(x, 0), ops.sort(x, 0)[0], ops.softmax(x, -1), ops.flip(x, (0,))),
        (0, 3), (np.zeros((0, 3)),) * 4),
    "products of matrices": (lambda x: (ops.matmul(x, x.T), ops.matmul(x.T, x)),
        (2, 0), (np.zeros((2, 2)), np.zeros((0, 0)))),
    "shapes": (lambda x: (x.T, x.reshape((0, 5)), ops.concat([x, x], 1), ops.stack([x, x])),
        (2, 0), (np.zeros((0, 2)), np.zeros((0, 5)), np.zeros((2, 0)), np.zeros((2, 2, 0)))),
    "along the other axis": (lambda x: (ops.amax(x, 1), ops.argmax(x, 1), x.mean(1)),
        (0, 3), (np.zeros(0),) * 3),
    "windows": (lambda x: (ops.conv2d(x, KERNEL), ops.max_pool2d(x, 2)),
        (0, 1, 4, 4), (np.zeros((0, 2, 3, 3)), np.zeros((0, 1, 2, 2)))),
}  # fmt: skip


@pytest.mark.parametrize("case", NOTHING)
def test_of_nothing(case):
    function, shape, expected = NOTHING[case]
    check_case(function, [zeros(*shape)], expected)
    assert both_forms(function, zeros(*shape))


EMPTY_GRADIENTS = {
    "a product": (lambda x: ops.matmul(x, ONES).sum(), (0, 3)),
    "a mean": (lambda x: ops.mse_loss(x, x * 2, reduction="sum"), (0, 3)),
    "a largest": (lambda x: ops.amax(x, 1).sum(), (0, 3)), "a root": (ops.norm, (0, 3)),
    "a convolution": (lambda x: ops.conv2d(x, KERNEL).sum(), (0, 1, 3, 3)),
    "a pool": (lambda x: ops.max_pool2d(x, 2).sum(), (0, 1, 4, 4)),
    "a sum over rows": (lambda x: x.sum(0).sum(), (0, 3)),
    "a broadcast": (lambda x: (x + ONES[:1]).sum(), (0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("case", EMPTY_GRADIENTS)
def test_gradients_of_nothing(case):
    function, shape = EMPTY_GRADIENTS[case]
    check_case(function, [zeros(*shape)], 0, [np.zeros(shape)])


def test_parameters_of_an_empty_batch():
    net = nn.Dense(3, 2)
    for _ in in_both_modes():
        found = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(zeros(0, 3))
        require_near(found, ([[0] * 3] * 2, [0, 0]))


WHOLE = {
    "sum": (lambda x: (ops.sum(x), x.sum(0), ops.prod(x)),
        [200, 100, 50], ms.uint8, (350, 350, 1000000)),
    "of int8": (lambda x: (x.sum(), ops.sum(x, 0, True), x.mean()),
        [100] * 3, ms.int8, (300, [300], 100)),
    "running": (lambda x: (ops.cumsum(x, 0), x.cumsum(0)),
        [100] * 3, ms.int8, ([100, 200, 300],) * 2),
    "past 32 bits": (lambda x: ops.sum(x), [2**31 - 1, 1], ms.int32, 2**31),
    "of bools": (lambda x: (ops.sum(x), x.sum(), ops.mean(x), x.any()),
        [True, True, False], ms.bool_, (2, 2, 2 / 3, 1)),
    "spread": (lambda x: (ops.std(x), ops.var(x), ops.norm(x)),
        [200, 100], ms.uint8, (50, 2500, math.sqrt(50000))),
    "wrapping": (lambda x: (x + 10, x * 3, -x, abs(-x)),
        [120], ms.int8, ([-126], [104], [-120], [120])),
    "powers": (lambda x: (x**2, x**0, 2**x), [0, 3, -2], ms.int32, ([0, 9, 4], [1] * 3, [1, 8, 0])),
}  # fmt: skip


@pytest.mark.parametrize("case", WHOLE)
def test_whole_numbers(case):
    function, values, dtype, expected = WHOLE[case]
    check_case(function, [t(values, dtype)], expected, rtol=1e-6)


NARROW = {
    "a sum of many": (lambda x: ops.sum(ops.full((8192,), 1.0, dtype=x.dtype)), [0.0], 8192),
    "a sum that returns": (ops.sum, [60000.0, 60000.0, -60000.0], 60000),
    "a mean": (ops.mean, [60000.0, 60000.0], 60000), "a spread": (ops.std, [300.0, -300.0], 300),
    "a norm": (ops.norm, [300.0, 400.0], 500),
    "a loss": (lambda x: ops.mse_loss(x, x * 0), [300.0, 0.0], 45000),
    "a product": (lambda x: ops.matmul(ops.ones((1, 4096), x.dtype), ops.ones((4096, 1), x.dtype)),
        [0.0], [[4096]]),
    "a running sum": (lambda x: ops.cumsum(ops.ones((4096,), x.dtype), 0)[-1], [0.0], 4096),
    "log sum exp": (lambda x: ops.logsumexp(ops.zeros((4096,), x.dtype), 0), [0.0], math.log(4096)),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("case", NARROW)
def test_narrow_floats(case, dtype):
    function, values, expected = NARROW[case]
    check_case(function, [t(values, dtype)], expected, rtol=1e-2)


FAR = {
    "softmax": (lambda x: (ops.softmax(x, -1) * Tensor([1.0, 2.0, 3.0])).sum(),
        [1000.0, 0.0, -1000.0], 1, [0, 0, 0]),
    "masked softmax": (
        lambda x: (ops.softmax(x + Tensor([0.0, -INF, 0.0]), 0) * Tensor([1.0, 2.0, 3.0])).sum(),
        [0.0, 0.0, 0.0], 2, [-0.5, 0, 0.5]),
    "masked input": (lambda x: ops.softmax(x, 0)[1],
        [-INF, 0.0, 0.0], 0.5, [0, 0.25, -0.25], [0] * 3),
    "log_softmax": (lambda x: ops.log_softmax(x, 0)[1], [-INF, 0.0, 0.0], -LOG2, [0, 0.5, -0.5]),
    "logsumexp": (lambda x: ops.logsumexp(x, 0), [-INF, 0.0], 0, [0, 1]),
    "cross entropy": (lambda x: ops.cross_entropy(x, Tensor([0, 1]), reduction="sum"),
        [[1000.0, 0.0], [1000.0, 0.0]], 1000, [[0, 0], [1, -1]]),
    "logits": (
        lambda x: ops.binary_cross_entropy_with_logits(x, Tensor([1.0, 1.0, 1.0]), reduction="sum"),
        [1000.0, -1000.0, 0.0], 1000 + LOG2, [0, -1, -0.5]),
    "a probability of 1": (
        lambda x: ops.binary_cross_entropy(x, Tensor([1.0, 0.0]), reduction="sum"),
        [1.0, 0.0], 0),
    "soft margin": (lambda x: ops.soft_margin_loss(x, Tensor([1.0, -1.0]), "sum"),
        [-1000.0, -1000.0], 1000, [-1, 0]),
    "logsigmoid": (ops.logsigmoid, [-1000.0, 1000.0, 0.0], [-1000, 0, -LOG2], [1, 0, 0.5]),
    "softplus": (ops.softplus, [-1000.0, 1000.0, 0.0], [0, 1000, LOG2], [0, 1, 0.5]),
    "sigmoid": (ops.sigmoid, [-1000.0, 1000.0, 0.0], [0, 1, 0.5], [0, 0, 0.25]),
    "tanh": (ops.tanh, [-1000.0, 1000.0], [-1, 1], [0, 0]),
    "mish": (ops.mish, [-1000.0, 1000.0], [0, 1000], [0, 1]),
    "silu": (ops.silu, [-1000.0, 1000.0], [0, 1000], [0, 1]),
    "gelu": (ops.gelu, [-1000.0, 1000.0], [0, 1000], [0, 1]),
    "elu": (ops.elu, [-1000.0, 1000.0], [-1, 1000], [0, 1]),
    "logaddexp": (lambda x: ops.logaddexp(x, x), [1000.0, -INF], [1000 + LOG2, -INF]),
    "a length": (lambda x: ops.hypot(x, x), [3e30], [math.sqrt(2) * 3e30]),
    "near 0": (lambda x: ops.log1p(x) + ops.expm1(x), [1e-20], [2e-20], [2.0]),
}  # fmt: skip


@pytest.mark.parametrize("case", FAR)
def test_far_from_0(case):
    function, x, value, *gradients = FAR[case]
    check_case(
        function, [t(x)], value, gradients[:1], *gradients[1:], atol=0 if x == [1e-20] else 1e-6
    )


@pytest.mark.parametrize("dtype", [ms.int8, ms.int32, ms.int64, ms.float16, ms.float32, ms.float64])
def test_division_and_remainder(dtype):
    x, y = [-7, 7, -7, 6, -6, 0, 5], [2, -2, -2, 3, 3, 5, -5]

    def run(a, b):
        return a // b, a % b, ops.fmod(a, b), a // 2, a % -3, 7 // b, *divmod(a, b)

    a, b = np.array(x, np.float64), np.array(y, np.float64)
    expected = a // b, a % b, np.fmod(a, b), a // 2, a % -3, 7 // b, a // b, a % b
    check_case(run, [t(x, dtype), t(y, dtype)], expected)
    truncated = [np.trunc(a / b), np.floor(a / b)]
    check_case(lambda a, b: [ops.div(a, b, rounding_mode=m) for m in ("trunc", "floor")],
               [t(x, dtype), t(y, dtype)], truncated)  # fmt: skip


class Whole(nn.Cell):
    """Arithmetic of Python's own numbers, in front of a tensor."""

    def __init__(self, n):
        super().__init__()
        self.n = n

    def construct(self, x):
        n = self.n
        first = (n // 2) * 1000 + (n % 3) * 100 - (n // -4) * 10 + divmod(n, 4)[1]
        bits = (n >> 1) + (n & 6) + (n | 1) + (n ^ 3) + (~n) + round(n / 2) + int(n / 2)
        return x + first, x + bits, x + (-n) % 5, x + abs(n) + max(n, 3) + min(n, -9) + n**2


@pytest.mark.parametrize("n", [-7, -6, 0, 7])
def test_numbers_of_python(n):
    expected = [float(v) for v in Whole(n).construct(0)]
    check_case(Whole(n), [t(0.0)], expected)
