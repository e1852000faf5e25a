"""Is the gradient of a `custom_vjp` what its rules say, at every order and wherever it is called?

The rules below give gradients that differ from the true ones, so that it shows which was taken.
"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError

X = np.array([0.5, -1.0, 2.0])
Y = np.array([3.0, 4.0, 5.0])
V = np.array([1.0, 10.0, 100.0])


def tensors(*arrays):
    return [ms.Tensor(array) for array in arrays]


def numbers(tree):
    if isinstance(tree, (tuple, list)):
        return [numbers(item) for item in tree]
    return tree.asnumpy()


def close(found, *expected):
    found = found if isinstance(found, (tuple, list)) else (found,)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-13)


# ---- the gradient --------------------------------------------------------------------------------


@ms.custom_vjp
def tenfold(x):
    """The square, which claims that its derivative is 10 x."""
    return x * x


def tenfold_fwd(x):
    return x * x, x


def tenfold_bwd(x, dy):
    return (10 * x * dy,)


tenfold.defvjp(tenfold_fwd, tenfold_bwd)


def test_without_a_derivative_the_function_runs():
    (x,) = tensors(X)
    close(tenfold(x), X * X)
    close(ms.compile(tenfold)(x), X * X)
    close(ms.compile(lambda x: tenfold(x) + 1)(x), X * X + 1)
    assert repr(tenfold) == "<custom_vjp tenfold>" and tenfold.__doc__.startswith("The square")


def test_the_rules_say_the_gradient():
    (x,) = tensors(X)
    for function in (tenfold, lambda x: tenfold(x)):
        derivative = ms.value_and_grad(function)
        close(derivative(x), X * X, 10 * X)
        close(ms.compile(derivative)(x), X * X, 10 * X)
        close(ms.compile(lambda x, inner=derivative: inner(x))(x), X * X, 10 * X)
    close(ms.grad(lambda x: tenfold(tenfold(x)))(x), 10 * X * X * 10 * X)
    close(ms.grad(lambda x: tenfold(ops.sin(x)))(x), 10 * np.sin(X) * np.cos(X))


def test_derivatives_of_it():
    (x,) = tensors(X)
    second = ms.grad(ms.grad(tenfold))  # of 10 x
    close(second(x), np.full(3, 10.0))
    close(ms.compile(lambda x: second(x))(x), np.full(3, 10.0))
    close(ms.grad(second)(x), np.zeros(3))
    # of x^2 10 x, in which x^2 is `tenfold` again
    close(ms.grad(lambda x: ms.grad(tenfold)(x) * tenfold(x))(x), 10 * X * X + 10 * X * 10 * X)


@ms.custom_vjp
def cubed(x):
    return x * x * x


def cubed_fwd(x):
    return x * x * x, tenfold(x)


cubed.defvjp(cubed_fwd, lambda square, dy: (3 * square * dy,))


def test_residuals_depend_on_the_arguments():
    (x,) = tensors(X)
    close(ms.grad(cubed)(x), 3 * X * X)
    close(ms.grad(ms.grad(cubed))(x), 30 * X)  # the derivative of `tenfold` as its rules say
    close(ms.grad(ms.grad(ms.grad(cubed)))(x), np.full(3, 30.0))


def test_forward_mode_transposes_the_rule():
    x, v = tensors(X, V)
    close(ms.jvp(tenfold, x, v), X * X, 10 * X * V)
    close(ms.jvp(ms.grad(tenfold), x, v), 10 * X, 10 * V)
    close(ms.jvp(ms.grad(cubed), x, v), 3 * X * X, 30 * X * V)
    close(ms.grad(lambda x: ms.jvp(tenfold, x, v)[1])(x), 10 * V)
    close(ms.compile(lambda x, v: ms.jvp(tenfold, x, v))(x, v), X * X, 10 * X * V)


def test_pullbacks():
    x, v = tensors(X, V)
    value, pull = ms.vjp(tenfold, x)
    close((value, *pull(v)), X * X, 10 * X * V)
    close(ms.compile(lambda x, v: ms.vjp(tenfold, x)[1](v))(x, v), 10 * X * V)


# ---- arguments, outputs, residuals ---------------------------------------------------------------


@ms.custom_vjp
def mixed(a, states, factor=2.0):
    return a * factor, {"sum": a + states["b"][0], "sign": a > 0}


def mixed_fwd(a, states, factor=2.0):
    residuals = {"a": [a, None], "factor": factor, "b": states["b"][0]}
    return (a * factor, {"sum": a + states["b"][0], "sign": a > 0}), residuals


def mixed_bwd(residuals, douts):
    first, others = douts
    da = residuals["factor"] * first
    return da, {"b": [others["sum"] * residuals["a"][0]]}, None


mixed.defvjp(mixed_fwd, mixed_bwd)


def test_containers_and_numbers():
    a, b = tensors(X, Y)
    (first, others), (by_a, by_states) = ms.value_and_grad(
        lambda a, b: mixed(a, {"b": [b]}, 3.0), (0, 1)
    )(a, b)
    close((first, others["sum"]), 3 * X, X + Y)
    close((by_a, by_states), np.full(3, 3.0), X)
    close(ms.grad(lambda a, b: mixed(a, {"b": [b]}, factor=3.0)[0])(a, b), np.full(3, 3.0))


def apply(function, x, power):
    return function(x) ** power


powered = ms.custom_vjp(apply, nondiff_argnums=(0, 2))


def powered_fwd(function, x, power):
    y = function(x)
    return y**power, (x, y)


def powered_bwd(function, power, residuals, dy):
    x, y = residuals
    return (100 * power * y * dy * function(x),)


powered.defvjp(powered_fwd, powered_bwd)


def test_arguments_without_a_gradient_come_first():
    (x,) = tensors(X)
    close(powered(ops.sin, x, 2), np.sin(X) ** 2)
    close(ms.grad(lambda x: powered(ops.sin, x, 2))(x), 200 * np.sin(X) ** 2)
    one, other = tensors(X, Y)
    found = ms.grad(lambda x, p: powered(ops.sin, x, p), (0, 1))(one, other)
    close(found, 100 * Y * np.sin(X) ** 2, np.zeros(3))


class Layer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor(Y), name="w")

    def scaled(self, x, w):
        return x * w

    def scaled_fwd(self, x, w):
        return x * w, (x, w)

    def scaled_bwd(self, residuals, dy):
        x, w = residuals
        return dy * w, 7 * dy * x

    scaled = ms.custom_vjp(scaled, nondiff_argnums=0)
    scaled.defvjp(scaled_fwd, scaled_bwd)

    def construct(self, x):
        return self.scaled(x, self.w)


def test_a_method_with_a_parameter():
    net = Layer()
    (x,) = tensors(X)
    close(net(x), X * Y)
    close(ms.compile(net)(x), X * Y)
    by_x, by_w = ms.grad(net, 0, net.w)(x)
    close((by_x, by_w), Y, 7 * X)


def test_a_decorator_with_arguments():
    @ms.custom_vjp(nondiff_argnums=1)
    def f(x, n):
        return x * n

    f.defvjp(lambda x, n: (x * n, None), lambda n, residuals, dy: (dy + n,))
    close(ms.grad(lambda x: f(x, 3))(*tensors(X)), np.full(3, 4.0))
    close(f(*tensors(X), 3), 3 * X)


@ms.custom_vjp
def root(a):
    """Newton's method, as long as it takes."""
    x = a * 0 + 1.0
    while ops.abs(x * x - a).sum() > 1e-12:
        x = (x + a / x) / 2
    return x


def root_fwd(a):
    x = root(a)
    return x, x


root.defvjp(root_fwd, lambda x, dx: (dx / (2 * x),))


def test_the_derivative_of_a_solution():
    (a,) = tensors(np.array([4.0, 9.0]))
    close(ms.grad(root)(a), [0.25, 1 / 6])
    close(ms.grad(ms.grad(root))(a), [-1 / 32, -1 / 108])
    program = ms.compile(lambda a: ms.value_and_grad(root)(a))
    close(program(a), [2.0, 3.0], [0.25, 1 / 6])
    # Nothing is differentiated through the loop, and it is there once.
    assert [op.prim.name for op in program.stages["dce"].walk()].count("while_") == 1


def test_in_a_loop_and_a_branch():
    def f(x, n):
        for _ in range(n):
            x = tenfold(x) if x.sum() > 0 else x + 1
        return x

    x, n = ms.Tensor(X), ms.Tensor(2)
    value, gradient = ms.value_and_grad(f)(x, n)
    close((value, gradient), X**4, 10 * X * X * 10 * X)


def test_zero_is_not_multiplied_on():
    @ms.custom_vjp
    def first(x, y):
        return x + 0 * y

    first.defvjp(lambda x, y: (x + 0 * y, None), lambda residuals, d: (d, None))
    x, zero = tensors(X, np.zeros(3))
    found = ms.grad(lambda x, y: first(x, ops.sqrt(y)), (0, 1))(x, zero)
    close(found, np.ones(3), np.zeros(3))  # and not 0 times the slope of the root, which is NaN


# ---- what is told --------------------------------------------------------------------------------


def rule(bwd, fwd=tenfold_fwd):
    made = ms.custom_vjp(lambda x: x * x)
    if fwd is not None:
        made.defvjp(fwd, bwd)
    return made


def pair_of_gradients(x, dy):
    return dy, dy


def a_sum(x, dy):
    return (dy.sum(),)


def one_of_one(x, dy):
    return (dy[:1],)


def single_precision(x, dy):
    return (dy.astype(ms.float32),)


def two_items(x, dy):
    return ((dy, dy),)


COUNT = ms.Parameter(ms.Tensor(X), name="count")


def writing(x, dy):
    ops.assign(COUNT, dy)
    return (dy,)


def only_an_output(x):
    return x * x


@pytest.mark.parametrize(
    ("bwd", "code"),
    [
        (pair_of_gradients, "E0302"), (two_items, "E0302"), (a_sum, "E0401"),
        (one_of_one, "E0401"), (single_precision, "E0301"), (writing, "E0104"),
    ],
)  # fmt: skip
def test_a_gradient_that_does_not_fit(bwd, code):
    with pytest.raises(S2sadError, match=bwd.__name__) as caught:
        ms.grad(rule(bwd))(*tensors(X))
    assert caught.value.code == code
    place = caught.value.diagnostic.location
    assert place is not None and place.line == bwd.__code__.co_firstlineno


def test_what_is_missing():
    (x,) = tensors(X)
    with pytest.raises(S2sadError, match=r"E0302.*only_an_output.*pair") as caught:
        ms.grad(rule(tenfold_bwd, only_an_output))(x)
    assert caught.value.diagnostic.location.line == only_an_output.__code__.co_firstlineno
    with pytest.raises(S2sadError, match="(?s)E0308.*defvjp"):
        ms.grad(rule(None, None))(x)
    with pytest.raises(S2sadError, match="E0302"):
        ms.grad(tenfold)(x, x)


def test_what_cannot_be_asked_for():
    for call, code in (
        (lambda: ms.custom_vjp(3), "E0304"),
        (lambda: ms.custom_vjp(apply).defvjp(tenfold_fwd, None), "E0304"),
        (lambda: ms.custom_vjp(apply, nondiff_argnums=-1), "E0404"),
        (lambda: ms.custom_vjp(apply, nondiff_argnums="x"), "E0303"),
    ):
        with pytest.raises(S2sadError) as caught:
            call()
        assert caught.value.code == code


def test_other_rules_are_noticed():
    (x,) = tensors(X)
    function = rule(tenfold_bwd)
    derivative = ms.grad(lambda x: function(x))
    close(derivative(x), 10 * X)
    function.defvjp(tenfold_fwd, lambda x, dy: (dy,))
    close(derivative(x), np.ones(3))
