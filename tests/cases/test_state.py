"""Do awkward names mean what they mean in Python, and are Parameters read and written in order?"""

from __future__ import annotations

import pytest

import s2sad as ms
from s2sad import Parameter, Tensor, nn, ops
from s2sad.core.diagnostics import S2sadError
from support.cases import check_case, in_both_modes, require_near


def t(values, dtype=ms.float32):
    return Tensor(values, dtype)


def awkward(lambda_, p, np_, x):
    list = [lambda_, p]  # noqa: A001
    len = 3.0  # noqa: A001
    t0 = np_ * 2
    c0 = x
    dt0 = t0 * c0
    out = list[0] * list[1] * len
    dout = out + dt0
    tape = dout * 1
    return tape


def hides_ops(x):
    ops = x * 2
    return ops


def in_comprehensions(x):
    i = x * 3
    squares = [i * i for i in range(3)]
    return i + x * squares[2]


def exchanged(a, b):
    a, b = b, a
    return a * 2 + b * b


def inner_functions(x):
    def scaled(y, factor=3.0):
        return y * factor * x

    return scaled(x) + scaled(x, factor=1.0)


def recursive(x, n=3):
    return x if n == 0 else x * recursive(x, n - 1)


def in_place_names(x):
    x += 1
    y = x
    y *= 2
    return x.sum() + y.sum()


NAMES = {
    "of a generator": (awkward, [t(2.0), t(3.0), t(4.0), t(5.0)], 58, [9, 6, 10, 8]),
    "a module": (hides_ops, [t(2.0)], 4, [2]),
    "comprehensions": (in_comprehensions, [t(2.0)], 14, [7]),
    "exchanged": (exchanged, [t(2.0), t(3.0)], 10, [4, 2]),
    "inner functions": (inner_functions, [t(2.0)], 16, [16]),
    "recursion": (recursive, [t(2.0)], 16, [32]),
    "augmented": (in_place_names, [t([1.0, 2.0])], 15, [[3, 3]]),
    "underscores": (lambda _, __: _ * __, [t(2.0), t(3.0)], 6, [3, 2]),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMES)
def test_names(case):
    check_case(*NAMES[case])


def test_arguments_stay_as_they_are():
    class Net(nn.Cell):
        def construct(self, x):
            x += 1
            x[0] = 0.0
            return x

    for _ in in_both_modes():
        x, net = t([1.0, 2.0]), Net()
        for _ in range(2):
            require_near(net(x), [0, 3])
        assert x.tolist() == [1.0, 2.0]


# ---- Parameters -----------------------------------------------------------------------------


class Writes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = Parameter(t([1.0, 2.0]), name="n")
        self.total = Parameter(t(0.0), name="total")

    def construct(self, x):
        first = self.n * 1
        self.n[0] = 5.0
        second = self.n * 1
        self.n += x
        third = self.n * 1
        self.total = self.n.sum()
        ops.assign_sub(self.n, x)
        return first, second, third, self.n * 1, self.total * 1


class Counts(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = Parameter(t(0, ms.int32), name="n")

    def construct(self, x):
        while self.n < 3:
            self.n = self.n + 1
            x = x * 2
        return x


class Triples(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = Parameter(t(1.0), name="n")

    def construct(self, x):
        y = x * self.n
        if x > 0:
            self.n = self.n * 3
        else:
            ops.assign(self.n, x)
        return y + x * self.n


def test_reads_and_writes_in_order():
    for _ in in_both_modes():
        net = Writes()
        require_near(net(t([1.0, 1.0])), ([1, 2], [5, 2], [6, 3], [5, 2], 9))
        require_near([net.n, net.total], ([5, 2], 9))
        net = Counts()
        require_near([net(t(1.0)), net(t(1.0)), net.n], (8, 1, 3))


def test_gradients_are_of_what_was_there_at_first():
    for _ in in_both_modes():
        net = Triples()
        found = ms.grad(net, 0, net.trainable_params())(t(2.0))
        require_near([found[0], found[1][0], net.n], (4, 8, 3))
        require_near([net(t(-2.0)), net.n], (-6 + 4, -2))


def test_one_parameter_does_not_become_another():
    class Net(Writes):
        def construct(self, x):
            self.total = self.n
            return x

    with pytest.raises(S2sadError, match=r"E0104.*self\.total would become another Parameter"):
        ms.compile(Net())(t(1.0))
