"""Do functions that are defined in compiled code mean what they mean in Python?

What Python itself gives is the reference; gradients are closed forms.
"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms

X = np.array([2.0, 3.0])


def x_and(*numbers):
    return [ms.Tensor(X), *map(ms.Tensor, numbers)]


def square_twice(x):
    def square(y):
        return y * y

    return square(square(x)), (lambda y, /, *, k=3: y * k)(x)


def signatures(x):
    def f(a, /, b, c=2.0, *rest, d, e=x, **others):
        total = a * b + c * d - e
        for each in (*rest, *others.values()):
            total = total + each
        return total

    return f(x, x, d=1), f(x, 1, x, 5.0, x, d=x, e=x, g=x, h=2)


def late_binding(x):
    factor = 2.0

    def scaled(y):
        return y * factor

    before = scaled(x)
    factor = x + 1
    after = scaled(x)
    functions = []
    for i in range(3):
        functions = [*functions, lambda y: y * i]  # noqa: B023 - the last one, as in Python
    return before, after, [f(x) for f in functions]


def defaults_are_bound_at_once(x):
    return [f(x) for f in [lambda y, i=i: y * i for i in range(3)]]


def in_a_comprehension(x):
    return [(lambda y: y * i)(x) for i in range(3)]


def nested(x):
    def outer(y):
        z = y * 2

        def inner(w):
            return w * z + x

        return inner

    return outer(x)(x), outer(x * 3)(x)


def recursive(x):
    def power(n):
        return x if n == 1 else x * power(n - 1)

    return power(4)


def variable_of_a_branch(x):
    y = x

    def twice():
        return y * 2

    if x.sum() > 4:
        y = x + 1
        result = twice()
    else:
        result = twice() + 100
    return result, twice()


def variable_of_a_loop(x, n):
    y = x

    def step():
        return y * 2 + 1

    for _ in range(n):
        y = step()
    return y, step()


def shadowed(x):
    y = 1.0

    def f():
        y = x * 2
        return y

    return f() * y


def handed_on(x):
    k = x + 1
    return apply(lambda y: y * k, x), list(map_all(lambda y: y - k, [x, k]))


def apply(function, *args):
    return function(*args)


def map_all(function, items):
    return [function(item) for item in items]


def decorated(x):
    @apply
    def seven():
        return x * 7

    def doubled(function):
        return lambda y: function(y) * 2

    @doubled
    def plus(y):
        return y + x

    return seven, plus(x)


@pytest.mark.parametrize(
    "function",
    [
        square_twice, signatures, late_binding, defaults_are_bound_at_once, in_a_comprehension,
        nested, recursive, variable_of_a_branch, shadowed, handed_on, decorated,
    ],
)  # fmt: skip
def test_it_is_as_in_python(function):
    both_forms(function, *x_and())


def test_a_loop_on_data():
    x, n = x_and(3)
    for found, expected in zip(
        ms.compile(variable_of_a_loop)(x, n), (X * 8 + 7, X * 16 + 15), strict=True
    ):
        np.testing.assert_array_equal(found.asnumpy(), expected)


# ---- differentiated ------------------------------------------------------------------------------


def test_the_inner_derivative_leaves_the_outer_variable_alone():
    def f(x):
        return x * ms.grad(lambda y: x + y)(ops.ones_like(x))  # x * d/dy (x + y) = x

    (x,) = x_and()
    np.testing.assert_array_equal(ms.compile(f)(x).asnumpy(), X)
    np.testing.assert_array_equal(ms.grad(f)(x).asnumpy(), [1.0, 1.0])

    def g(x):  # d/dx of x * d/dy (x * y^2) at y = x, which is x * 2 x^2
        return x * ms.grad(lambda y: x * y * y)(x)

    np.testing.assert_allclose(ms.compile(g)(x).asnumpy(), 2 * X**3)
    np.testing.assert_allclose(ms.grad(g)(x).asnumpy(), 6 * X**2)
    np.testing.assert_allclose(ms.grad(ms.grad(g))(x).asnumpy(), 12 * X)

    def h(x):
        return x * ms.jvp(lambda y: x * y * y, x, ops.ones_like(x))[1]

    np.testing.assert_allclose(ms.grad(h)(x).asnumpy(), 6 * X**2)
    direction = ms.Tensor(np.array([1.0, 10.0]))
    np.testing.assert_allclose(ms.jvp(h, x, direction)[1].asnumpy(), 6 * X**2 * [1, 10])
    np.testing.assert_allclose(ms.jvp(g, x, direction)[1].asnumpy(), 6 * X**2 * [1, 10])


def test_three_levels_over_one_variable():
    def f(x):
        def g(y):
            return ms.grad(lambda z: x * y * z * z)(y)  # 2 x y^2

        return ms.grad(g)(x)  # 4 x y at y = x

    (x,) = x_and()
    np.testing.assert_allclose(ms.compile(f)(x).asnumpy(), 4 * X**2)
    np.testing.assert_allclose(ms.grad(f)(x).asnumpy(), 8 * X)


def test_a_value_of_the_enclosing_derivative_is_a_constant_inside():
    def f(x):
        y = x * x
        first = ms.grad(lambda x: x * y)(x)  # y, whatever y depends on
        pull = ms.vjp(lambda z: z * y, y)[1]
        return first + pull(x)[0]  # y + x y

    (x,) = x_and()
    np.testing.assert_allclose(ms.compile(f)(x).asnumpy(), X**2 + X**3)
    np.testing.assert_allclose(ms.grad(f)(x).asnumpy(), 2 * X + 3 * X**2)


class Step(ms.nn.Cell):
    def __init__(self, w):
        super().__init__()
        self.w = w

    def construct(self, x, target):
        def loss(x):
            difference = x * self.w - target
            return (difference * difference).sum()

        value, gradient = ms.value_and_grad(loss, None, self.w)(x)
        ops.assign(self.w, self.w - 0.1 * gradient)
        return value


def test_a_loss_defined_where_it_is_differentiated():
    w = ms.Parameter(ms.Tensor(np.array([1.0, 1.0])), name="w")
    step = ms.compile(Step(w))
    target = np.array([1.0, -1.0])
    expected = np.ones(2)
    for _ in range(3):
        value = step(ms.Tensor(X), ms.Tensor(target))
        np.testing.assert_allclose(value.asnumpy(), ((X * expected - target) ** 2).sum())
        expected = expected - 0.2 * X * (X * expected - target)
    np.testing.assert_allclose(w.asnumpy(), expected)


def test_a_rule_defined_inside():
    def f(x):
        @ms.custom_vjp
        def tenfold(y):
            return y * y

        tenfold.defvjp(lambda y: (tenfold(y), y), lambda y, dy: (10 * y * dy * x,))
        return tenfold(x)

    (x,) = x_and()
    value, gradient = ms.value_and_grad(f)(x)
    np.testing.assert_array_equal(value.asnumpy(), X * X)
    np.testing.assert_array_equal(gradient.asnumpy(), 10 * X * X)


# ---- what is told --------------------------------------------------------------------------------


def called_too_late(x):
    return [f(x) for f in [lambda y: y * i for i in range(3)]]  # noqa: B023


def generator(x):
    def f():
        yield x

    return f


def misfit(x):
    return (lambda y: y)(x, x)


def given_out(x):
    return lambda: x


def unassigned(x):
    def f():
        return later

    y = f()
    later = x
    return y, later


def nonlocal_variable(x):
    y = x

    def f():
        nonlocal y
        if x.sum() > 0:
            y = y + 1

    f()
    return y


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (called_too_late, "E0211"), (generator, "E0101"), (misfit, "E0302"), (given_out, "E0307"),
        (unassigned, "E0210"), (nonlocal_variable, "E0104"),
    ],
)  # fmt: skip
def test_what_cannot_be_compiled_is_told(function, code):
    with pytest.raises(S2sadError) as caught:
        ms.compile(function)(*x_and())
    assert caught.value.code == code
    place = caught.value.diagnostic.location
    first = function.__code__.co_firstlineno
    assert any(first <= found.line <= first + 10 for found in place.chain())
