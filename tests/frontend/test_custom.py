"""Is a Cell with a `bprop` of its own one operation, with all that its construct does?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError

X = np.array([0.5, -1.0, 2.0])
Y = np.array([3.0, 4.0, 5.0])


class Counting(nn.Cell):
    """Multiplies by a Parameter that it writes, and claims a gradient of 7."""

    def __init__(self):
        super().__init__()
        self.count = ms.Parameter(ms.Tensor(np.ones(3)), name="count")

    def construct(self, x):
        ops.assign(self.count, self.count + 1)
        return x * self.count

    def bprop(self, x, out, dout):
        return (7 * dout,)


def test_writes_in_the_construct_are_made() -> None:
    net = Counting()
    x = ms.Tensor(X)
    value, (by_x, by_count) = ms.value_and_grad(lambda x: net(x) + net.count, 0, net.count)(x)
    np.testing.assert_array_equal(value.asnumpy(), 2 * X + 2)
    np.testing.assert_array_equal(by_x.asnumpy(), np.full(3, 7.0))
    np.testing.assert_array_equal(by_count.asnumpy(), np.zeros(3))
    np.testing.assert_array_equal(net.count.asnumpy(), np.full(3, 2.0))
    np.testing.assert_array_equal(ms.compile(net)(x).asnumpy(), 3 * X)
    np.testing.assert_array_equal(net.count.asnumpy(), np.full(3, 3.0))


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * y, 10 * dout * x


class Applies(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor(Y), name="w")
        self.product = Product()

    def construct(self, x):
        return self.product(x, self.w)


def test_a_parameter_that_is_an_argument_has_the_gradient_of_the_rule() -> None:
    net = Applies()
    by_x, by_w = ms.grad(net, 0, net.w)(ms.Tensor(X))
    np.testing.assert_array_equal(by_x.asnumpy(), Y)
    np.testing.assert_array_equal(by_w.asnumpy(), 10 * X)


def broken(gradients):
    class Broken(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return gradients(self, x, y, dout)

    return Broken()


COUNT = ms.Parameter(ms.Tensor(X), name="count")


def writing(self, x, y, dout):
    ops.assign(COUNT, dout)
    return x, y


@pytest.mark.parametrize(
    ("gradients", "code"),
    [
        (lambda self, x, y, dout: (dout,), "E0302"),
        (lambda self, x, y, dout: (dout, (dout, dout)), "E0302"),
        (lambda self, x, y, dout: (dout, dout[:1]), "E0401"),
        (lambda self, x, y, dout: (dout.sum(), dout), "E0401"),
        (lambda self, x, y, dout: (dout.astype(ms.float32), dout), "E0301"),
        (writing, "E0104"),
    ],
)
def test_a_rule_that_does_not_fit_is_told_where_it_stands(gradients, code) -> None:
    cell = broken(gradients)
    with pytest.raises(S2sadError, match="bprop") as caught:
        ms.grad(cell)(ms.Tensor(X), ms.Tensor(Y))
    assert caught.value.code == code
    place = caught.value.diagnostic.location
    assert place is not None and place.line == type(cell).bprop.__code__.co_firstlineno


def test_numbers_are_gradients_and_so_is_none() -> None:
    cell = broken(lambda self, x, y, dout: (None, 3))
    by_x, by_y = ms.grad(cell, (0, 1))(ms.Tensor(X), ms.Tensor(Y))
    np.testing.assert_array_equal(by_x.asnumpy(), np.zeros(3))
    np.testing.assert_array_equal(by_y.asnumpy(), np.full(3, 3.0))


def test_a_rule_may_take_derivatives() -> None:
    def gradients(self, x, y, dout):
        return ms.grad(lambda x: ops.sin(x) * y, sens_param=True)(x, dout), 2 * dout

    by_x, by_y = ms.grad(broken(gradients), (0, 1))(ms.Tensor(X), ms.Tensor(Y))
    np.testing.assert_allclose(by_x.asnumpy(), np.cos(X) * Y)
    np.testing.assert_array_equal(by_y.asnumpy(), np.full(3, 2.0))


def test_random_numbers_in_the_construct() -> None:
    class Noisy(nn.Cell):
        def construct(self, x):
            return x + ops.rand(3, dtype=ms.float64)

        def bprop(self, x, out, dout):
            return (out * dout,)

    ms.manual_seed(1)
    value, gradient = ms.value_and_grad(Noisy())(ms.Tensor(X))
    np.testing.assert_array_equal(value.asnumpy(), gradient.asnumpy())
    assert not np.array_equal(value.asnumpy(), Noisy()(ms.Tensor(X)).asnumpy())
