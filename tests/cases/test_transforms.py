"""Do gradients keep to their arguments, forms and rules, to any order and after any change?"""

from __future__ import annotations

import functools
import math

import mpmath as mp
import numpy as np
import pytest

import s2sad as ms
from s2sad import Parameter, Tensor, nn, ops
from support.cases import check_case, in_both_modes, require_near


def t(values, dtype=ms.float32):
    return Tensor(values, dtype)


class Scaled(nn.Cell):
    """Reads plain attributes, containers and a global."""

    OFFSET = 0.0

    def __init__(self):
        super().__init__()
        self.config, self.factors, self.flip, self.t = {"a": 2.0}, [1.0, 2.0], False, t([1.0])

    def construct(self, x):
        y = x * self.config["a"] * self.factors[1] * self.t + Scaled.OFFSET
        return -y if self.flip else y


def replace_offset(value):
    Scaled.OFFSET = value


#: A change, what the net gives then, and its gradient.
CHANGES = [
    (lambda net: None, 4, 4), (lambda net: net.config.update(a=3.0), 6, 6),
    (lambda net: net.factors.__setitem__(1, 10.0), 30, 30),
    (lambda net: setattr(net, "flip", True), -30, -30),
    (lambda net: setattr(net, "t", t([2.0])), -60, -60),
    (lambda net: replace_offset(1.0), -61, -60), (lambda net: replace_offset(0.0), -60, -60),
]  # fmt: skip


def test_what_changes_between_calls_is_seen():
    for _ in in_both_modes():
        net, x = Scaled(), t([1.0])
        for change, value, gradient in CHANGES:
            change(net)
            require_near(net(x), [value])
            require_near(ms.grad(net)(x), [gradient])


def test_parameters_are_live():
    for _ in in_both_modes():
        p = Parameter(t([1.0, 2.0]), name="p")
        gradient = ms.grad(lambda x, p=p: (x * p).sum())
        x = t([1.0, 1.0])
        require_near(gradient(x), [1, 2])
        p.set_data(t([5.0, 6.0]))
        require_near(gradient(x), [5, 6])
        ops.assign(p, t([7.0, 8.0]))
        require_near(gradient(x), [7, 8])
        p.asnumpy()[0] = 9.0
        require_near(gradient(x), [9, 8])


class Options(nn.Cell):
    def construct(self, x, *, k=1, mode="plain", more=None):
        if more is not None:
            x = x + more
        return x * k if mode == "plain" else x * k * 10


SIGNATURES = [
    ({}, [1, 2], [1, 1]), ({"k": 2}, [2, 4], [2, 2]), ({"mode": "x"}, [10, 20], [10, 10]),
    ({"more": t(1.0)}, [2, 3], [1, 1]), ({"k": 0.5}, [0.5, 1], [0.5, 0.5]),
    ({"k": True}, [1, 2], [1, 1]),
]  # fmt: skip


@pytest.mark.parametrize("step", [1, -1])
def test_one_net_under_many_signatures(step):
    for _ in in_both_modes():
        net = Options()
        for named, value, gradient in SIGNATURES[::step]:
            require_near(net(t([1.0, 2.0]), **named), value)
            require_near(ms.grad(net)(t([1.0, 2.0]), **named), gradient)
        require_near(net(t([[1.0]]), k=2), [[2]])


def test_numbers_that_are_equal_are_not_the_same():
    for _ in in_both_modes():
        net = Options()
        for k, dtype in ((1, ms.int32), (True, ms.int32), (1.0, ms.float32)):
            assert net(t([1, 2], ms.int32), k=k).dtype is dtype
        zeros = [net(t([1.0]), k=k).asnumpy() for k in (0, 0.0, -0.0)]
        assert [bool(np.signbit(z[0])) for z in zeros] == [False, False, True]


def several(x, y):
    return (x * y).sum(), x * 2, {"y": y}


def test_forms():
    x, y, p = t([1.0, 2.0]), t([3.0, 4.0]), Parameter(t([2.0, 2.0]), name="p")
    for _ in in_both_modes():
        gradients, aux = ms.grad(several, (0, 1), has_aux=True)(x, y)
        require_near([gradients, aux[0], aux[1]["y"]], (([3, 4], [1, 2]), [2, 4], [3, 4]))
        (value, first, _), gradient = ms.value_and_grad(several, has_aux=True)(x, y)
        require_near([value, first, gradient], (11, [2, 4], [3, 4]))
        require_near(ms.grad(lambda x: (x.sum(), x > 1, x.argmax(), (x * 2, [x * 3])))(x), [6, 6])
        require_near(ms.grad(lambda x: x * x, sens_param=True)(x, t([10.0, 1.0])), [20, 4])
        require_near(ms.grad(lambda x, y: x * x * y, (1, 0))(x, y), ([1, 4], [6, 16]))
        bare = ms.grad(lambda x, y: x * x * y, (0, 1))(x, 3.0)
        assert isinstance(bare, Tensor) and bare.tolist() == [6.0, 12.0]
        require_near(ms.grad(lambda x, p=p: x * p, 0, p)(x), ([2, 2], [1, 2]))
        require_near(ms.grad(lambda x, p=p: x * p, None, [p])(x), ([1, 2],))
        output, pull = ms.vjp(lambda x: x * x, x)
        require_near([output, *pull(t([1.0, 10.0]))], ([1, 4], [2, 40]))
        require_near(ms.jvp(several, (x, y), (x, y), has_aux=True)[1], 22)


def test_every_place_has_its_own_derivative():
    def product(a, b, c):
        return (a * b * b * c * c * c).sum()

    class Shared(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = Parameter(t([2.0]), name="a")
            self.b = self.a

        def construct(self, x):
            return self.a * self.b * x

    x = t([2.0])
    for _ in in_both_modes():
        require_near(ms.grad(product, (0, 1, 2))(x, x, x), ([32], [64], [96]))
        require_near(ms.grad(lambda x: product(x, x, x))(x), [192])
        net, dense = Shared(), nn.Dense(1, 1, "ones", "zeros")
        require_near(ms.grad(net, None, net.trainable_params())(x), ([8],))
        twice = nn.SequentialCell(dense, dense)
        require_near(ms.grad(twice, None, twice.trainable_params())(t([[2.0]])), ([[4]], [2]))


UNUSED = {
    "an argument": (lambda a, b: a * 2, ([2], [[0, 0]])),
    "a dead value": (lambda a, b: (a * 2, b * b)[0], ([2], [[0, 0]])),
    "times 0": (lambda a, b: a + b.sum() * 0, ([1], [[0, 0]])),
    "both": (lambda a, b: ops.ones((1,)), ([0], [[0, 0]])),
    "through integers": (lambda a, b: a * b.astype(ms.int32).sum(), ([3], [[0, 0]])),
    "through a comparison": (lambda a, b: a * (b > 1).astype(ms.float32).sum(), ([1], [[0, 0]])),
    "stopped": (lambda a, b: a * ops.stop_gradient(b).sum(), ([3], [[0, 0]])),
}  # fmt: skip


@pytest.mark.parametrize("case", UNUSED)
def test_unused_arguments_get_zeros(case):
    function, gradients = UNUSED[case]
    check_case(function, [t([1.0]), t([[1.0, 2.0]], ms.float16)], None, gradients)


def test_frozen_parameters_get_zeros():
    p = Parameter(t([1.0]), name="p")
    q = Parameter(t([2.0]), name="q", requires_grad=False)
    for _ in in_both_modes():
        require_near(ms.grad(lambda x: x * q, None, [p, q])(t([3.0])), ([0], [0]))
        require_near(ms.grad(ms.grad(lambda x: x * 3))(t([1.0])), [0])


@pytest.mark.parametrize("dtype", [ms.int8, ms.int32, ms.int64, ms.bool_])
def test_integers_have_no_gradient(dtype):
    def run(a, w):
        return (ops.exp(a * 0.5) * w).sum()

    a, w = t([1, 0], dtype), t([1.0, 2.0])
    for _ in in_both_modes():
        require_near(ms.grad(run, 1)(a, w), [math.exp(0.5), 1])
        with pytest.raises(TypeError, match="has no gradient"):
            ms.grad(run, 0)(a, w)


STOPPED = {
    "one factor": (lambda x: (x * ops.stop_gradient(x)).sum(), [1, 2]),
    "both": (lambda x: (ops.stop_gradient(x) * ops.stop_gradient(x)).sum(), [0, 0]),
    "a twin": (lambda x: (ops.stop_gradient(x * x) + x * x).sum(), [2, 4]),
    "in a tuple": (lambda x: (ops.stop_gradient((x, x * 2))[1] * x).sum(), [2, 4]),
    "straight through": (lambda x: (x + ops.stop_gradient(ops.round(x) - x)).sum(), [1, 1]),
    "the difference": (lambda x: (ops.exp(x) - ops.stop_gradient(ops.exp(x))).sum(),
        [math.e, math.e**2]),
}  # fmt: skip


@pytest.mark.parametrize("case", STOPPED)
def test_stopped_copies(case):
    function, gradient = STOPPED[case]
    check_case(function, [t([1.0, 2.0])], None, [gradient])


class Claims(nn.Cell):
    """A product with rules of its own."""

    def construct(self, a, b):
        return a * b

    def bprop(self, a, b, out, dout):
        return dout * b * 2, dout * a * 3


class Square(nn.Cell):
    def construct(self, a):
        return a * a

    def bprop(self, a, out, dout):
        return (dout * out * 7,)


class TwoResults(nn.Cell):
    def construct(self, a):
        return a * 2, a * 3

    def bprop(self, a, out, dout):
        return (dout[0] * 10 + dout[1] * 100,)


CLAIMS, SQUARE, TWO = Claims(), Square(), TwoResults()
RULES = {
    "exchanged": (lambda x, y: CLAIMS(x, y) * CLAIMS(y, x), ([250], [100])),
    "one in both": (lambda x, y: CLAIMS(x, x) + y, ([10], [1])),
    "nested": (lambda x, y: SQUARE(SQUARE(x)) * y, ([16 * 7 * 4 * 7 * 5], [16])),
    "both results": (lambda x, y: TWO(x)[0] + TWO(x)[1], ([110], [0])),
    "one result": (lambda x, y: TWO(x)[0] * y, ([50], [4])),
}  # fmt: skip


@pytest.mark.parametrize("case", RULES)
def test_rules_of_cells(case):
    function, gradients = RULES[case]
    check_case(function, [t([2.0]), t([5.0])], None, gradients)


FUNCTIONS = {
    "tanh": (ops.tanh, mp.tanh), "sigmoid": (ops.sigmoid, lambda x: 1 / (1 + mp.exp(-x))),
    "erf": (ops.erf, mp.erf), "gelu": (ops.gelu, lambda x: x * mp.ncdf(x)),
    "softplus": (ops.softplus, lambda x: mp.log(1 + mp.exp(x))),
    "silu": (ops.silu, lambda x: x / (1 + mp.exp(-x))),
    "logsigmoid": (ops.logsigmoid, lambda x: -mp.log(1 + mp.exp(-x))),
    "mish": (ops.mish, lambda x: x * mp.tanh(mp.log(1 + mp.exp(x)))), "sinc": (ops.sinc, mp.sincpi),
    "gaussian": (lambda x: ops.exp(-(x**2)), lambda x: mp.exp(-x * x)),
    "expm1": (ops.expm1, mp.expm1), "cube": (lambda x: x**3, lambda x: x**3),
    "atan": (ops.atan, mp.atan), "log1p": (ops.log1p, mp.log1p),
    "of a base": (lambda x: 2**x, lambda x: mp.mpf(2) ** x), "asinh": (ops.asinh, mp.asinh),
    "sin": (ops.sin, mp.sin),
}  # fmt: skip


@pytest.mark.parametrize("case", FUNCTIONS)
def test_four_derivatives(case):
    function, exact = FUNCTIONS[case]
    ms.set_context(mode=ms.GRAPH_MODE)
    for order in range(1, 5):
        function = ms.grad(function)
        for at in (0.0, 0.5):
            expected = float(mp.diff(exact, at, order))
            require_near(function(t(at, ms.float64)), expected, 1e-6, 1e-6)


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return wrapper


@twice
def decorated(x):
    return x * x


TABLE = {"square": lambda x: (x * x).sum(), "default": lambda x, k=2.0: ops.sin(x * k).sum(), "none": lambda x: x * 0 if False else x}  # noqa: E501 # fmt: skip


def test_where_functions_come_from():
    x = t([1.0, 3.0])
    for _ in in_both_modes():
        require_near(ms.grad(TABLE["square"])(x), [2, 6])
        require_near(ms.grad(TABLE["default"])(x), 2 * np.cos([2.0, 6.0]))
        require_near(ms.grad(TABLE["none"])(x), [1, 1])
        require_near(ms.grad(decorated)(x), [4, 12])
        for function, expected in ((lambda x: x * 5, 5), (lambda x: x * 7, 7)):
            require_near(ms.grad(function)(x), [expected] * 2)
        require_near(ms.jit(ms.grad(ms.jit(lambda x: x**3)))(x), [3, 27])
