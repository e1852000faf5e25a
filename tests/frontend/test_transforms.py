"""Do derivatives met inside compiled code mean what they mean outside of it?

Right values are closed forms in float64, written by hand.
"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.compare import isomorphic
from s2sad.ir.printer import print_text
from s2sad.ir.reader import read_text
from s2sad.prims import ALL
from support.forms import plain

X = np.array([2.0, 3.0])
Y = np.array([5.0, 7.0])
V = np.array([1.0, 10.0])


def tensors(*arrays):
    return [ms.Tensor(array) for array in arrays]


def parameter(name, *values, **options):
    return ms.Parameter(ms.Tensor(np.array(values)), name=name, **options)


def compiled(function, *args):
    """What compiled code gives that does nothing but call `function`."""
    result = ms.compile(lambda *args: function(*args))(*args)
    return plain(result)


def kinds(function):
    """Kinds of the transforms in the program as it was read."""
    primal = function.stages["primal"]
    return [op.attrs["kind"] for op in primal.walk() if op.prim.name == "transform"]


def cube(x):
    return x * x * x


def product(x, y):
    return x * y


# ---- forms are those of calls from outside -------------------------------------------------------


def several(x, y):
    return x * y, {"sum": x + y, "sign": x > 0}, None


W = parameter("w", 2.0, 0.5)
FIXED = parameter("fixed", 1.0, 1.0, requires_grad=False)
UNUSED = parameter("unused", 1.0)


def weighted(x, y):
    return x * y * W * FIXED


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (product, {}),
        (product, {"grad_position": 1}),
        (product, {"grad_position": (0,)}),
        (product, {"grad_position": (1, 0)}),
        (several, {"grad_position": (0, 1)}),
        (several, {"has_aux": True}),
        (weighted, {"grad_position": None, "weights": W}),
        (weighted, {"grad_position": None, "weights": [W]}),
        (weighted, {"grad_position": 0, "weights": W}),
        (weighted, {"grad_position": (0, 1), "weights": (FIXED, W, UNUSED)}),
        (weighted, {"grad_position": None, "weights": []}),
    ],
)
@pytest.mark.parametrize("transform", [ms.grad, ms.value_and_grad])
def test_forms_and_numbers(transform, function, options):
    x, y = tensors(X, Y)
    derivative = transform(function, **options)
    assert compiled(derivative, x, y) == plain(derivative(x, y))
    made_inside = ms.compile(lambda x, y: transform(function, **options)(x, y))
    assert plain(made_inside(x, y)) == plain(derivative(x, y))


def test_the_cotangent_is_the_last_argument():
    x, y, seed = tensors(X, Y, V)
    for transform in (ms.grad, ms.value_and_grad):
        derivative = transform(product, (0, 1), sens_param=True)
        assert compiled(derivative, x, y, seed) == plain(derivative(x, y, seed))
    found = compiled(ms.grad(several, has_aux=True, sens_param=True), x, y, seed)
    assert found == ((Y * V).tolist(), ({"sum": (X + Y).tolist(), "sign": [True, True]}, None))


def test_identifiers_are_known_while_compiling():
    @ms.compile
    def by_name(x, y):
        found = ms.grad(weighted, (1, 0), [W], return_ids=True)(x, y)
        return ms.get_grad(found, 0), ms.get_grad(found, W)

    x, y = tensors(X, Y)
    by_x, by_w = by_name(x, y)
    np.testing.assert_array_equal(by_x.asnumpy(), Y * W.asnumpy())
    np.testing.assert_array_equal(by_w.asnumpy(), X * Y)


def test_arguments_given_by_name_count_by_position():
    @ms.compile
    def f(x, y):
        return ms.grad(product, 1)(y=y, x=x), ms.grad(scaled)(x, scale=y)

    assert plain(f(*tensors(X, Y))) == (X.tolist(), Y.tolist())


def scaled(x, *, scale):
    return x * scale


def test_numbers_and_integers():
    def power(x, n):
        return x**n

    @ms.compile
    def f(x, n):
        return ms.grad(power, (0, 1))(x, 3), ms.grad(product)(x, n)

    @ms.compile
    def by_integers(x, n):
        return ms.grad(product, (0, 1))(x, n)

    x, n = tensors(X, np.array([4, 5]))
    by_x, by_product = plain(f(x, n))
    assert by_x == (3 * X**2).tolist()
    assert by_product == [4.0, 5.0]
    with pytest.raises(S2sadError, match="E0301"):
        by_integers(x, n)


def test_a_container_has_a_container_of_gradients():
    def f(states):
        return states["a"] * states["b"][0]

    @ms.compile
    def step(a, b):
        return ms.grad(f)({"a": a, "b": [b, 3]})

    assert plain(step(*tensors(X, Y))) == {"a": Y.tolist(), "b": [X.tolist(), None]}


def test_outputs_may_be_known_while_compiling():
    def f(x):
        return x * x, 3, "text"

    @ms.compile
    def step(x):
        (value, factor, name), gradient = ms.value_and_grad(f, has_aux=True)(x)
        return gradient * factor if name == "text" else value

    assert plain(step(*tensors(X))) == (6 * X).tolist()


def test_functions_of_every_kind():
    net = nn.Dense(2, 2, dtype=ms.float64)
    (x,) = tensors(X[None])
    expected = plain(ms.grad(net)(x))
    for function in (net, net.construct, ms.compile(lambda x: net(x)), lambda x: net(x)):
        assert compiled(ms.grad(function), x) == expected
        assert compiled(ms.compile(ms.grad(function)), x) == expected


# ---- what is told --------------------------------------------------------------------------------


def no_position(x):
    return ms.grad(cube, 1)(x)


def no_tensor(x):
    return ms.grad(cube)(3.0) * x


def no_aux(x):
    return ms.grad(cube, has_aux=True)(x)


def misfit(x):
    return ms.grad(cube, sens_param=True)(x, x[0])


def other_dtype(x):
    return ms.grad(cube, sens_param=True)(x, x.astype(ms.float32))


def no_seed(x):
    return ms.grad(cube, sens_param=True)()


def too_many(x):
    return ms.grad(cube)(x, x)


def no_function(x):
    return ms.grad(3)(x)


def too_few_tangents(x):
    return ms.jvp(product, (x, x), (x,))


def tangent_of_a_number(x):
    return ms.jvp(product, (x, 3.0), (x, 1.0))


def pullback_of_nothing(x):
    return ms.vjp(cube, x)[1]()


def pullback_of_another_form(x):
    return ms.vjp(cube, x)[1]((x, x))


def pullback_given_out(x):
    return ms.vjp(cube, x)


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (no_position, "E0308"), (no_tensor, "E0308"), (no_aux, "E0404"), (misfit, "E0401"),
        (other_dtype, "E0301"), (no_seed, "E0302"), (too_many, "E0302"), (no_function, "E0304"),
        (too_few_tangents, "E0302"), (tangent_of_a_number, "E0304"),
        (pullback_of_nothing, "E0302"), (pullback_of_another_form, "E0304"),
        (pullback_given_out, "E0307"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_where_it_stands(function, code):
    with pytest.raises(S2sadError) as caught:
        ms.compile(function)(*tensors(X))
    assert caught.value.code == code
    place = caught.value.diagnostic.location
    assert place is not None
    first = function.__code__.co_firstlineno
    lines = [found.line for found in place.chain()]
    assert code == "E0307" or first + 1 in lines, place


# ---- no confusion --------------------------------------------------------------------------------


def plus(x, y):
    return x + y


def times_inner_slope(x):
    """x * d/dy (x + y) at y = 1, which is x."""
    return x * ms.grad(plus, 1)(x, ops.ones_like(x))


def test_an_inner_derivative_knows_what_it_is_with_respect_to():
    (x,) = tensors(X)
    assert plain(ms.grad(times_inner_slope)(x)) == [1.0, 1.0]
    assert compiled(ms.grad(times_inner_slope), x) == [1.0, 1.0]


def twice_the_same(x):
    return ms.grad(product, 0)(x, x), ms.grad(product, (0, 1))(x, x)


def test_one_value_given_twice_is_two_arguments():
    one, both = compiled(twice_the_same, *tensors(X))
    assert one == X.tolist() and both == (X.tolist(), X.tolist())
    # d/dx of x (the other argument) and of 2 x
    assert plain(ms.grad(twice_the_same)(*tensors(X))) == [3.0, 3.0]


class Reads(nn.Cell):
    """What is differentiated reads a Parameter by name, one that the outer derivative is of too."""

    def __init__(self):
        super().__init__()
        self.w = parameter("w", 2.0, 0.5)
        self.slope = ms.grad(self.body, None, self.w)

    def body(self, x):
        return x * self.w * self.w * self.w

    def construct(self, x):
        return self.w * self.slope(x)


def test_a_parameter_of_both_derivatives():
    net = Reads()
    (x,) = tensors(X)
    w = net.w.asnumpy()
    np.testing.assert_allclose(ms.compile(net)(x).asnumpy(), 3 * X * w**3)
    by_x, by_w = ms.grad(net, 0, net.w)(x)
    np.testing.assert_allclose(by_x.asnumpy(), 3 * w**3)
    np.testing.assert_allclose(by_w.asnumpy(), 9 * X * w**2)


class Rebinds(nn.Cell):
    """A Parameter that holds the very value that the function also reads by another name."""

    def __init__(self):
        super().__init__()
        self.w = parameter("w", 2.0, 0.5)

    def body(self, x):
        return x * self.w

    def construct(self, x):
        ops.assign(self.w, x)
        return ms.grad(self.body, None, self.w)(x), ms.grad(self.body)(x), self.w + 0


def test_a_parameter_is_apart_from_the_value_that_it_holds():
    by_w, by_x, after = plain(ms.compile(Rebinds())(*tensors(X)))
    assert by_w == by_x == after == X.tolist()


# ---- state ---------------------------------------------------------------------------------------


class Counts(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = parameter("w", 2.0, 3.0)
        self.count = parameter("count", 0.0)
        self.derivative = ms.value_and_grad(self.body, 0, self.w)

    def body(self, x):
        y = x * self.w
        ops.assign(self.w, self.w + x)
        ops.assign(self.count, self.count + 1)
        return y * self.w

    def construct(self, x):
        return self.derivative(x), self.w * 1, self.count * 1


def test_writes_inside_are_seen_outside():
    net = Counts()
    w = net.w.asnumpy().copy()
    found = plain(ms.compile(net)(*tensors(X)))
    ((value, (by_x, by_w)), after, count) = found
    np.testing.assert_allclose(value, X * w * (w + X))
    # Derivatives are with respect to what `w` held before.
    np.testing.assert_allclose(by_w, X * (w + X) + X * w)
    np.testing.assert_allclose(by_x, w * (w + X) + X * w)
    np.testing.assert_allclose(after, w + X)
    np.testing.assert_allclose(net.w.asnumpy(), w + X)
    assert count == [1.0] and net.count.tolist() == [1.0]


def test_requires_grad_is_guarded():
    w = parameter("w", 1.0, 2.0)
    step = ms.compile(Wrapped(w))
    (x,) = tensors(X)
    assert plain(step(x)) == X.tolist()
    w.requires_grad = False
    assert plain(step(x)) == [0.0, 0.0]
    w.requires_grad = True
    assert plain(step(x)) == X.tolist()


class Wrapped(nn.Cell):
    def __init__(self, w):
        super().__init__()
        self.w = w

    def body(self, x):
        return x * self.w

    def construct(self, x):
        return ms.grad(self.body, None, self.w)(x)


class Step(nn.Cell):
    """One step of training."""

    def __init__(self, network, optimizer):
        super().__init__()
        self.network = network
        self.optimizer = optimizer
        self.derivative = ms.value_and_grad(self.loss, None, optimizer.parameters)

    def loss(self, x, labels):
        return ops.cross_entropy(self.network(x), labels)

    def construct(self, x, labels):
        loss, gradients = self.derivative(x, labels)
        self.optimizer(gradients)
        return loss


def layers():
    rng = np.random.default_rng(1)
    net = nn.SequentialCell(
        nn.Dense(5, 4, dtype=ms.float64), nn.ReLU(), nn.Dense(4, 3, dtype=ms.float64)
    )
    for weight in net.trainable_params():
        weight.set_data(rng.normal(size=weight.shape))
    return net


def test_a_training_step_is_one_program():
    rng = np.random.default_rng(0)
    x, labels = tensors(rng.normal(size=(6, 5)), rng.integers(0, 3, 6))
    net, twin = layers(), layers()
    step = ms.compile(Step(net, nn.SGD(net.trainable_params(), 0.125, 0.9)))
    weights = twin.trainable_params()
    optimizer = nn.SGD(weights, 0.125, 0.9)
    derivative = ms.value_and_grad(lambda x, y: ops.cross_entropy(twin(x), y), None, weights)
    for _ in range(5):
        loss = step(x, labels)
        expected, gradients = derivative(x, labels)
        optimizer(gradients)
        np.testing.assert_allclose(loss.asnumpy(), expected.asnumpy(), rtol=1e-12)
    for one, other in zip(net.trainable_params(), weights, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-12)
    assert len(step.variants) == 1
    assert kinds(step) == ["value_and_grad"]
    assert not any(op.prim.name == "transform" for op in step.stages["expand-transforms"].walk())


# ---- higher orders -------------------------------------------------------------------------------


def second(x):
    return ms.grad(ms.grad(cube))(x)


def test_derivatives_of_derivatives():
    (x,) = tensors(X)
    assert compiled(second, x) == (6 * X).tolist()
    assert plain(ms.grad(second)(x)) == [6.0, 6.0]
    assert compiled(ms.grad(second), x) == [6.0, 6.0]
    (value, first), gradient = compiled(ms.value_and_grad(ms.value_and_grad(cube)), x)
    assert value == (X**3).tolist() and first == (3 * X**2).tolist()
    np.testing.assert_allclose(gradient, 3 * X**2 + 6 * X)


def energy(x):
    """Its Hessian is diag(e^x) + 2, everywhere."""
    return (ops.exp(x)).sum() + x.sum() * x.sum()


def hessian_times(v):
    return np.exp(X) * v + 2 * v.sum()


def reverse_over_reverse(x, v):
    return ms.grad(lambda x: (ms.grad(energy)(x) * v).sum())(x)


def forward_over_reverse(x, v):
    return ms.jvp(ms.grad(energy), x, v)[1]


def reverse_over_forward(x, v):
    return ms.grad(lambda x: ms.jvp(energy, x, v)[1])(x)


def by_pullback(x, v):
    _, pull = ms.vjp(ms.grad(energy), x)
    return pull(v)[0]


@pytest.mark.parametrize(
    "way", [reverse_over_reverse, forward_over_reverse, reverse_over_forward, by_pullback]
)
def test_hessian_times_vector(way):
    x, v = tensors(X, V)
    np.testing.assert_allclose(way(x, v).asnumpy(), hessian_times(V), rtol=1e-14)
    np.testing.assert_allclose(ms.compile(way)(x, v).asnumpy(), hessian_times(V), rtol=1e-14)
    third = ms.grad(way)(x, v).asnumpy()  # of the sum of H(x) v
    np.testing.assert_allclose(third, np.exp(X) * V, rtol=1e-13)


# ---- in loops and branches -----------------------------------------------------------------------


def descend(x, steps):
    """Gradient descent on x^4 / 4, as long as it is told, and then a bit uphill or down."""
    for _ in range(steps):
        x = x - 0.01 * ms.grad(quartic)(x)
    if x.sum() > 4:
        x = x + ms.grad(quartic)(x)
    else:
        x = x - ms.grad(cube)(x)
    return x


def quartic(x):
    return x * x * x * x / 4


def by_hand(x, steps):
    slope = np.ones_like(x)
    for _ in range(steps):
        slope = slope * (1 - 0.03 * x**2)
        x = x - 0.01 * x**3
    if x.sum() > 4:
        return x + x**3, slope * (1 + 3 * x**2)
    return x - 3 * x**2, slope * (1 - 6 * x)


@pytest.mark.parametrize("start", [X, X / 4])
def test_inside_of_loops_and_branches(start):
    x, steps = ms.Tensor(start), ms.Tensor(3)
    value, gradient = ms.value_and_grad(descend)(x, steps)
    expected, slope = by_hand(start, 3)
    np.testing.assert_allclose(ms.compile(descend)(x, steps).asnumpy(), expected, rtol=1e-14)
    np.testing.assert_allclose(value.asnumpy(), expected, rtol=1e-14)
    np.testing.assert_allclose(gradient.asnumpy(), slope, rtol=1e-13)


class Trains(nn.Cell):
    """Steps of its own in a loop on data."""

    def __init__(self):
        super().__init__()
        self.w = parameter("w", 1.0, 1.0)
        self.slope = ms.grad(self.loss, None, self.w)

    def loss(self, x):
        return ((self.w - x) * (self.w - x)).sum()

    def construct(self, x, steps):
        for _ in range(steps):
            ops.assign(self.w, self.w - 0.25 * self.slope(x))
        return self.w - x


def test_a_loop_that_writes_the_parameter():
    net = Trains()
    left = ms.compile(net)(ms.Tensor(X), ms.Tensor(4)).asnumpy()
    np.testing.assert_allclose(left, (1 - X) * 0.5**4, rtol=1e-14)
    np.testing.assert_allclose(net.w.asnumpy(), X + left, rtol=1e-14)


def repeated(x, n):
    for _ in range(n):
        x = ops.sin(x) * x
    return x


def test_of_a_function_with_a_loop():
    x, n = ms.Tensor(X), ms.Tensor(3)
    for derivative in (ms.grad(repeated), ms.grad(ms.grad(repeated))):
        expected = derivative(x, n).asnumpy()
        found = ms.compile(lambda x, n, inner=derivative: inner(x, n))(x, n).asnumpy()
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    tangent = ms.jvp(lambda x: repeated(x, n), x, ms.Tensor(V))[1].asnumpy()
    np.testing.assert_allclose(tangent, ms.grad(repeated)(x, n).asnumpy() * V, rtol=1e-13)


# ---- pullbacks -----------------------------------------------------------------------------------


def test_a_pullback_may_be_called_again():
    @ms.compile
    def f(x, y, seed):
        (value, _, _), pull = ms.vjp(several, x, y)
        first = pull((seed, {"sum": None, "sign": None}, None))
        return value, first, pull((None, {"sum": seed, "sign": None}, None))

    value, first, again = plain(f(*tensors(X, Y, V)))
    assert value == (X * Y).tolist()
    assert first == ((V * Y).tolist(), (V * X).tolist())
    assert again == (V.tolist(), V.tolist())


def test_a_pullback_with_weights_and_aux():
    def f(x):
        return x * W, x + 1

    @ms.compile
    def g(x, seed):
        value, pull, aux = ms.vjp(f, x, weights=W, has_aux=True)
        return value, aux, pull(seed)

    value, aux, (by_inputs, by_weight) = plain(g(*tensors(X, V)))
    w = W.asnumpy()
    assert value == (X * w).tolist() and aux == (X + 1).tolist()
    assert by_inputs == ((V * w).tolist(),) and by_weight == (V * X).tolist()


def test_the_outputs_of_a_pullback_are_computed_once():
    @ms.compile
    def f(x, seed):
        value, pull = ms.vjp(ops.exp, x)
        return value, pull(seed)[0]

    f(*tensors(X, V))
    names = [op.prim.name for op in f.stages["cse"].walk()]
    assert names.count("exp") == 1


# ---- programs ------------------------------------------------------------------------------------


def test_the_program_with_the_transform_is_printed_and_read_back():
    net = layers()
    step = ms.compile(Step(net, nn.SGD(net.trainable_params(), 0.125)))
    rng = np.random.default_rng(0)
    step(*tensors(rng.normal(size=(6, 5)), rng.integers(0, 3, 6)))
    primal = step.stages["primal"]
    assert isomorphic(read_text(print_text(primal), ALL), primal)
    assert "p.transform(" not in step.source and "p.matmul" in step.source


def test_compiling_goes_on_from_the_program_with_the_transform(tmp_path):
    step = ms.compile(lambda x, v: (second(x), forward_over_reverse(x, v)))
    x, v = tensors(X, V)
    expected = plain(step(x, v))
    primal, *_ = step.dump(tmp_path)
    assert primal.read_text().count("p.transform(") == 4
    loaded = ms.load_ir(primal).bind()
    assert plain(loaded(x, v)) == expected
    np.testing.assert_allclose(plain(ms.grad(loaded)(x, v)), 6 + np.exp(X) * V)
