"""Methods that write their tensor: what it holds then, under all its names, in both forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import s2sad as ms
from s2sad import Parameter, Tensor, nn, ops
from support.forms import both_forms, check_gradients, refused

X = np.array([[0.5, -0.25, 0.75], [0.125, 0.875, -0.5]])

UNARY: dict[str, Callable[[Any], Any]] = {
    "abs_": np.abs, "acos_": np.arccos, "asin_": np.arcsin, "asinh_": np.arcsinh,
    "atan_": np.arctan, "atanh_": np.arctanh, "ceil_": np.ceil, "cos_": np.cos, "cosh_": np.cosh,
    "erf_": scipy.special.erf, "erfc_": scipy.special.erfc, "erfinv_": scipy.special.erfinv,
    "exp_": np.exp, "exp2_": np.exp2, "expm1_": np.expm1, "floor_": np.floor,
    "frac_": lambda x: x - np.trunc(x), "log1p_": np.log1p, "neg_": np.negative,
    "reciprocal_": np.reciprocal, "relu_": lambda x: np.maximum(x, 0), "round_": np.rint,
    "sigmoid_": scipy.special.expit, "sign_": np.sign, "sin_": np.sin, "sinc_": np.sinc,
    "sinh_": np.sinh, "square_": np.square, "tan_": np.tan, "tanh_": np.tanh, "trunc_": np.trunc,
    "zero_": np.zeros_like,
}  # fmt: skip
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add_": np.add, "atan2_": np.arctan2, "copy_": lambda x, y: y, "div_": np.divide,
    "floor_divide_": np.floor_divide, "fmod_": np.fmod, "hypot_": np.hypot, "mul_": np.multiply,
    "remainder_": np.mod, "sub_": np.subtract,
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_methods_of_the_tensor_alone(name):
    def run(x):
        y = x * 1
        z = y
        same = getattr(y, name)()
        return y, z, same

    for found in both_forms(run, Tensor(X)):
        np.testing.assert_allclose(found.asnumpy(), UNARY[name](X), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", BINARY)
def test_methods_with_another_tensor(name):
    other = np.array([2.0, -0.5, 0.25])

    def run(x, other):
        y = x.copy()
        z = y
        getattr(y, name)(other)
        return y, z

    expected = np.broadcast_to(BINARY[name](X, other), X.shape)
    for found in both_forms(run, Tensor(X), Tensor(other)):
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-14)


def test_the_dtype_stays_and_narrower_ones_go_in():
    def run(x, y):
        z = x * 1
        z.add_(y).mul_(True)
        return z

    found = both_forms(run, Tensor([1.0, 2.0], ms.float16), Tensor([1, 2]))
    assert found.dtype is ms.float16
    np.testing.assert_array_equal(found.asnumpy(), [2.0, 4.0])


def test_integers_wrap():
    found = both_forms(lambda x: (x * 1).add_(100), Tensor([100, 1], ms.int8))
    np.testing.assert_array_equal(found.asnumpy(), np.array([-56, 101], np.int8))


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda x: x.astype(ms.int32).add_(1.5), "E0301"),
        (lambda x: x.astype(ms.bool_).mul_(2), "E0301"),
        (lambda x: x.astype(ms.int32).fill_(1.5), "E0301"),
        (lambda x: x.add_(ops.zeros((3, 2, 3))), "E0401"),
        (lambda x: x.add_(ops.zeros((4,))), "E0401"),
        (lambda x: x.add_("one"), "E0304"),
        (lambda x: x.normal_(0.0, -1.0), "E0404"),
        (lambda x: x.uniform_(1.0, 0.0), "E0404"),
        (lambda x: x.exponential_(0.0), "E0404"),
        (lambda x: x.astype(ms.int32).normal_(), "E0301"),
        (lambda x: x.scatter_(0, x.astype(ms.int64), x, reduce="mul"), "E0404"),
        (lambda x: x[0].fill_diagonal_(1.0), "E0401"),
        (lambda x: x.copy_(1.0), "E0304"),
    ],
)
def test_what_a_tensor_cannot_hold(run, code):
    refused(code, run, Tensor(X))


def test_a_failed_write_leaves_the_tensor_as_it_was():
    x = Tensor([1, 2])
    with pytest.raises(ms.S2sadError):
        x.add_(0.5)
    np.testing.assert_array_equal(x.asnumpy(), [1, 2])


def test_plain_code_writes_the_very_tensor_and_arrays_keep_theirs():
    x, y = Tensor([1.0, 2.0]), Tensor([5.0, 6.0])
    before, alias = x.asnumpy(), x
    assert x.copy_(y) is x
    np.testing.assert_array_equal(alias.asnumpy(), [5.0, 6.0])
    np.testing.assert_array_equal(before, [1.0, 2.0])
    x.asnumpy()[0] = 9.0
    np.testing.assert_array_equal(y.asnumpy(), [5.0, 6.0])


def test_loops_and_branches_carry_what_is_written():
    def run(x, n):
        total, count = x * 0, 0
        for _ in range(3):
            total.add_(x)
        while count < n:
            total.mul_(2.0)
            count = count + 1
        if n > 1:
            total.sub_(1.0)
        else:
            total.zero_()
        return total

    for n, expected in ((0, 0.0), (1, 0.0), (2, 11.0)):
        np.testing.assert_array_equal(both_forms(run, Tensor([1.0]), Tensor(n)).asnumpy(), expected)


def test_functions_write_into_their_arguments():
    def scale(y):
        y.mul_(3.0)

    def run(x):
        y = x + 1
        held = [y]
        scale(y)
        return held[0] + y

    np.testing.assert_array_equal(both_forms(run, Tensor([1.0])).asnumpy(), [12.0])


def test_a_part_of_a_tensor_is_not_written_in_compiled_code():
    def run(x):
        y = x * 1
        y[0].add_(1.0)
        return y

    with pytest.raises(ms.S2sadError, match="E0104"):
        ms.compile(run)(Tensor(X))


def test_what_may_share_elements_is_not_read_after_the_write():
    def run(x):
        y = x * 1
        z = y[0]
        y.add_(1.0)
        return z

    with pytest.raises(ms.S2sadError, match="E0107"):
        ms.compile(run)(Tensor(X))


def test_a_tensor_from_outside_is_not_written():
    outer = Tensor(X)
    with pytest.raises(ms.S2sadError, match="E0104"):
        ms.compile(lambda x: outer.add_(x))(Tensor(X))
    np.testing.assert_array_equal(outer.asnumpy(), X)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_parameter_is_assigned(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([1.0, 2.0]), name="w")

        def construct(self, x):
            self.w.add_(x)
            self.w.clamp_(max=5.0)
            return self.w * 1

    ms.set_context(mode=mode)
    net = Net()
    np.testing.assert_array_equal(net(Tensor([3.0, 4.0])).asnumpy(), [4.0, 5.0])
    assert isinstance(net.w, Parameter)
    np.testing.assert_array_equal(net.w.asnumpy(), [4.0, 5.0])


def test_gradients_go_through_what_is_written():
    def run(x, y):
        z = x * 1
        z.mul_(y).add_(x).sin_()
        z.masked_fill_(x > 0.6, y)
        return z

    check_gradients(run, X, np.array(0.7))


def test_writes_at_indices():
    def run(x):
        y = x * 1
        y.index_add_(0, Tensor([1, 1]), ops.ones((2, 3), ms.float64), alpha=2)
        y.index_fill_(1, Tensor([0]), 7.0)
        y.scatter_(1, Tensor([[1], [2]]), 5.0)
        y.scatter_(1, Tensor([[1], [2]]), 1.0, reduce="add")
        y.index_put_((Tensor([0, 0]), Tensor([2, 2])), Tensor([1.0, 2.0], ms.float64), True)
        y.index_copy_(1, Tensor([0]), Tensor([[8.0], [9.0]], ms.float64))
        return y

    expected = X.copy()
    expected[1] += 4
    expected[:, 0] = 7
    expected[[0, 1], [1, 2]] = 6
    expected[0, 2] += 3
    expected[:, 0] = [8, 9]
    np.testing.assert_allclose(both_forms(run, Tensor(X)).asnumpy(), expected, rtol=1e-15)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (7, 2), (3, 3, 3)])
@pytest.mark.parametrize("wrap", [False, True])
def test_diagonals(shape, wrap):
    expected = np.zeros(shape)
    np.fill_diagonal(expected, 2.0, wrap=wrap)
    found = both_forms(lambda x: (x * 1).fill_diagonal_(2.0, wrap), Tensor(np.zeros(shape)))
    np.testing.assert_array_equal(found.asnumpy(), expected)


@pytest.mark.parametrize(
    ("draw", "mean", "deviation"),
    [
        (lambda x: x.normal_(2.0, 3.0), 2.0, 3.0),
        (lambda x: x.uniform_(-1.0, 3.0), 1.0, 4 / 12**0.5),
        (lambda x: x.exponential_(0.5), 2.0, 2.0),
        (lambda x: x.bernoulli_(0.25), 0.25, 0.1875**0.5),
        (lambda x: x.random_(0, 5), 2.0, 2.0**0.5),
    ],
)
def test_draws_have_their_moments_and_are_the_same_in_both_forms(draw, mean, deviation):
    def run(x):
        y = x * 1
        draw(y)
        return y

    ms.set_seed(3)
    plain = run(ops.zeros((4000,), ms.float64))
    ms.set_seed(3)
    compiled = ms.compile(run)(ops.zeros((4000,), ms.float64))
    np.testing.assert_array_equal(plain.asnumpy(), compiled.asnumpy())
    assert plain.dtype is ms.float64
    assert abs(plain.asnumpy().mean() - mean) < 4 * deviation / 4000**0.5
    assert abs(plain.asnumpy().std() - deviation) < 0.1 * deviation
