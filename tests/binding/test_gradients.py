"""Does every gradient come in MindSpore's form, with the right numbers in it?

Right numbers are written by hand, or central differences in float64.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import plain

X = np.array([2.0, 3.0])
Y = np.array([5.0, 7.0])


def tensors(*arrays):
    return [ms.Tensor(array) for array in arrays]


def parameter(name, *values, **options):
    return ms.Parameter(ms.Tensor(np.array(values)), name=name, **options)


def product(x, y):
    return x * y


# ---- positions and weights ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (0, [5.0, 7.0]),
        (1, [2.0, 3.0]),
        ((0,), [5.0, 7.0]),
        ([1], [2.0, 3.0]),
        ((0, 1), ([5.0, 7.0], [2.0, 3.0])),
        ([1, 0], ([2.0, 3.0], [5.0, 7.0])),
    ],
)
def test_positions(position, expected):
    x, y = tensors(X, Y)
    assert plain(ms.grad(product, position)(x, y)) == expected
    assert plain(ms.value_and_grad(product, position)(x, y)) == ([10.0, 21.0], expected)


def test_weights_and_positions_come_as_a_pair():
    w, v = parameter("w", 1.0, 2.0), parameter("v", 4.0, 4.0)
    (x,) = tensors(X)

    def f(x):
        return x * w

    assert plain(ms.grad(f, None, w)(x)) == [2.0, 3.0]
    assert plain(ms.grad(f, None, [w])(x)) == ([2.0, 3.0],)
    assert plain(ms.grad(f, None, (v, w))(x)) == ([0.0, 0.0], [2.0, 3.0])
    assert plain(ms.grad(f, None, ms.ParameterTuple([w]))(x)) == ([2.0, 3.0],)
    assert plain(ms.grad(f, None, (p for p in (w, w)))(x)) == ([2.0, 3.0], [2.0, 3.0])
    assert plain(ms.grad(f, 0, w)(x)) == ([1.0, 2.0], [2.0, 3.0])
    assert plain(ms.grad(f, (0,), (w,))(x)) == ([1.0, 2.0], ([2.0, 3.0],))
    assert plain(ms.grad(f, None, [])(x)) == ()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"grad_position": -1}, "E0404"),
        ({"grad_position": (0, 0)}, "E0404"),
        ({"grad_position": ()}, "E0404"),
        ({"grad_position": None}, "E0404"),
        ({"grad_position": True}, "E0303"),
        ({"grad_position": 1.0}, "E0303"),
        ({"grad_position": (0, "1")}, "E0303"),
        ({"weights": [ms.Tensor([1.0])]}, "E0304"),
        ({"weights": 3}, "E0304"),
        ({"has_aux": 1}, "E0303"),
        ({"fn": 3}, "E0304"),
    ],
)
def test_what_cannot_be_asked_for(arguments, code):
    for transform in (ms.grad, ms.value_and_grad):
        with pytest.raises(S2sadError) as caught:
            transform(**{"fn": product, **arguments})
        assert caught.value.code == code


@pytest.mark.parametrize("position", [2, (0, 5)])
def test_a_position_beyond_the_arguments(position):
    with pytest.raises(S2sadError, match="names none of the 2 arguments") as caught:
        ms.grad(product, position)(*tensors(X, Y))
    assert caught.value.code == "E0308"


def test_numbers_have_no_gradient():
    (x,) = tensors(X)
    assert plain(ms.grad(product, (0, 1))(x, 3.0)) == [3.0, 3.0]
    assert plain(ms.grad(product, (0, 1))(3.0, x)) == [3.0, 3.0]
    with pytest.raises(S2sadError, match="names no Tensor") as caught:
        ms.grad(product, 1)(x, 3.0)
    assert caught.value.code == "E0308"


def test_a_container_has_a_container_of_gradients():
    def f(states, x):
        return states["a"] * states["b"][0] + x * states["b"][2]

    a, b, c, x = tensors(X, Y, X + 1, Y + 1)
    by_states = ms.grad(f)({"a": a, "b": [b, 3, c]}, x)
    assert plain(by_states) == {"a": [5.0, 7.0], "b": [[2.0, 3.0], None, [6.0, 8.0]]}
    both = ms.grad(f, (1, 0))({"a": a, "b": [b, 3, c]}, x)
    assert plain(both)[0] == [3.0, 4.0] and plain(both)[1] == plain(by_states)


def test_arguments_given_by_name_count_by_position():
    x, y = tensors(X, Y)
    assert plain(ms.grad(product, (0, 1))(y=y, x=x)) == ([5.0, 7.0], [2.0, 3.0])
    assert plain(ms.grad(product, 1)(x, y=y)) == [2.0, 3.0]

    def more(x, *others, scale):
        return x * others[1] * scale

    found = ms.grad(more, (0, 2))(x, x, y, scale=ms.Tensor([2.0, 2.0], ms.float64))
    assert plain(found) == ([10.0, 14.0], [4.0, 6.0])


# ---- outputs --------------------------------------------------------------------------------


def several(x):
    return x * x, {"sign": x > 0, "twice": [x + x, None]}


def test_all_float_outputs_count_together():
    (x,) = tensors(X)
    value, gradient = ms.value_and_grad(several)(x)
    assert plain(gradient) == [6.0, 8.0]
    assert plain(value) == ([4.0, 9.0], {"sign": [True, True], "twice": [[4.0, 6.0], None]})


def test_only_the_first_counts_beside_others():
    (x,) = tensors(X)
    gradient, aux = ms.grad(several, has_aux=True)(x)
    assert plain(gradient) == [4.0, 6.0]
    assert plain(aux) == ({"sign": [True, True], "twice": [[4.0, 6.0], None]},)
    value, gradient = ms.value_and_grad(several, has_aux=True)(x)
    assert plain(gradient) == [4.0, 6.0] and plain(value)[0] == [4.0, 9.0]


def test_a_list_of_outputs_has_others_too():
    (x,) = tensors(X)
    gradient, aux = ms.grad(lambda x: [x * x, x, x + 1], has_aux=True)(x)
    assert plain(gradient) == [4.0, 6.0] and plain(aux) == ([2.0, 3.0], [3.0, 4.0])


def identity(x):
    return x


def one_of_one(x):
    return (x,)


def named(x):
    return {"a": x, "b": x}


@pytest.mark.parametrize("function", [identity, one_of_one, named])
def test_one_output_has_no_others(function):
    with pytest.raises(S2sadError, match="at least two outputs") as caught:
        ms.grad(function, has_aux=True)(*tensors(X))
    assert caught.value.code == "E0404"


def nothing(x):
    return None


def integers(x):
    return ops.argmax(x)


def empty(x):
    return ()


@pytest.mark.parametrize("function", [nothing, integers, empty])
def test_without_a_float_output_gradients_are_zero(function):
    assert plain(ms.grad(function)(*tensors(X))) == [0.0, 0.0]


@pytest.mark.parametrize("dtype", [ms.int8, ms.int64, ms.bool_], ids=str)
def test_integers_and_bools_have_no_gradient(dtype):
    n = ms.Tensor([1, 0], dtype)
    for transform in (ms.grad, ms.value_and_grad):
        with pytest.raises(S2sadError, match=f"tensor of {dtype.name}") as caught:
            transform(lambda n, x: n * x, (1, 0))(n, ms.Tensor([2.0, 3.0]))
        assert caught.value.code == "E0301"
    assert plain(ms.grad(lambda n, x: n * x, 1)(n, ms.Tensor([2.0, 3.0]))) == [1.0, 0.0]


def test_integers_in_containers_get_integer_zeros():
    n = ms.Tensor([1, 2], ms.int8)
    by_n, by_x = ms.grad(lambda pair: pair[0] * pair[1])((n, ms.Tensor([2.0, 3.0])))
    assert by_n.dtype is ms.int8 and plain(by_n) == [0, 0]
    assert plain(by_x) == [1.0, 2.0]


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_a_gradient_has_the_dtype_of_its_argument(dtype):
    x = ms.Tensor([0.5, 2.0], dtype)
    value, gradient = ms.value_and_grad(lambda x: ops.cast(x * x, ms.float32))(x)
    assert (value.dtype, gradient.dtype) == (ms.float32, dtype)
    assert plain(gradient) == [1.0, 4.0]


def test_one_result_given_twice_counts_twice():
    def f(x):
        y = x * x
        return y, y

    value, gradient = ms.value_and_grad(f)(*tensors(X))
    assert plain(gradient) == [8.0, 12.0] and plain(value) == ([4.0, 9.0],) * 2


def test_an_output_that_is_an_argument():
    value, gradient = ms.value_and_grad(lambda x, y: (y, x), (0, 1))(*tensors(X, Y))
    assert plain(value) == (Y.tolist(), X.tolist())
    assert plain(gradient) == ([1.0, 1.0], [1.0, 1.0])


# ---- names and cotangents -------------------------------------------------------------------


def test_gradients_with_their_names():
    w = parameter("w", 1.0, 2.0)
    x, y = tensors(X, Y)

    def f(x, y):
        return x * y * w

    found = ms.grad(f, (1, 0), [w], return_ids=True)(x, y)
    assert plain(found) == (
        ((1, [2.0, 6.0]), (0, [5.0, 14.0])), (("w", [10.0, 21.0]),)
    )  # fmt: skip
    assert plain(ms.get_grad(found, 0)) == [5.0, 14.0]
    assert plain(ms.get_grad(found, w)) == [10.0, 21.0]
    assert plain(ms.grad(f, return_ids=True)(x, y)) == (0, [5.0, 14.0])
    value, (name, gradient) = ms.value_and_grad(f, None, w, return_ids=True)(x, y)
    assert name == "w" and plain(gradient) == [10.0, 21.0] and plain(value) == [10.0, 42.0]
    assert plain(ms.get_grad((name, gradient), w)) == [10.0, 21.0]
    for identifier, code in ((3, "E0404"), ("w", "E0304"), (True, "E0304")):
        with pytest.raises(S2sadError) as caught:
            ms.get_grad(found, identifier)
        assert caught.value.code == code
    with pytest.raises(S2sadError, match="E0404"):
        ms.get_grad(ms.grad(f)(x, y), 0)


def test_a_name_is_that_of_the_parameter_now():
    w = parameter("w", 1.0, 2.0)
    step = ms.grad(lambda x: x * w, None, w, return_ids=True)
    assert step(*tensors(X))[0] == "w"
    w.name = "renamed"
    assert step(*tensors(X))[0] == "renamed"


def test_the_cotangent_is_the_last_argument():
    x, y, seed = tensors(X, Y, np.array([10.0, 100.0]))
    assert plain(ms.grad(product, (0, 1), sens_param=True)(x, y, seed)) == (
        [50.0, 700.0], [20.0, 300.0]
    )  # fmt: skip
    value, gradient = ms.value_and_grad(product, sens_param=True)(x, y, seed)
    assert plain(value) == [10.0, 21.0] and plain(gradient) == [50.0, 700.0]


def test_cotangents_of_several_outputs():
    def f(x, *, scale):
        return x * x, x > 0, [x * scale]

    x, scale, one, two = tensors(X, Y, np.array([1.0, 10.0]), np.array([100.0, 1000.0]))
    seed = (one, ms.Tensor([True, True]), [two])
    found = ms.grad(f, sens_param=True)(x, seed, scale=scale)
    np.testing.assert_allclose(found.asnumpy(), 2 * X * [1, 10] + Y * [100, 1000])
    first = ms.grad(f, sens_param=True, has_aux=True)(x, one, scale=scale)[0]
    np.testing.assert_allclose(first.asnumpy(), 2 * X * [1, 10])


@pytest.mark.parametrize(
    ("seed", "code"),
    [
        (ms.Tensor([1.0, 1.0, 1.0], ms.float64), "E0401"),
        (ms.Tensor([1.0, 1.0]), "E0301"),
        ((ms.Tensor(X), ms.Tensor(X)), "E0401"),
        (3.0, "E0401"),
    ],
)
def test_a_cotangent_of_another_type(seed, code):
    with pytest.raises(S2sadError) as caught:
        ms.grad(product, sens_param=True)(*tensors(X, Y), seed)
    assert caught.value.code == code


def test_a_missing_cotangent():
    with pytest.raises(S2sadError, match="sens_param") as caught:
        ms.grad(product, sens_param=True)()
    assert caught.value.code == "E0302"


# ---- gradients of gradients -----------------------------------------------------------------


def cube(x):
    return x * x * x


def test_gradients_of_gradients():
    (x,) = tensors(X)
    second = ms.grad(ms.grad(cube))
    assert plain(second(x)) == (6 * X).tolist()
    assert plain(ms.grad(second)(x)) == [6.0, 6.0]
    (value, first), gradient = ms.value_and_grad(ms.value_and_grad(cube))(x)
    assert plain(value) == (X**3).tolist() and plain(first) == (3 * X**2).tolist()
    np.testing.assert_allclose(gradient.asnumpy(), 3 * X**2 + 6 * X)


def test_mixed_second_derivative_of_a_network():
    layers = nn.Dense(3, 4, dtype=ms.float64), nn.Tanh(), nn.Dense(4, 1, dtype=ms.float64)
    net = nn.SequentialCell(*layers)
    x = ms.Tensor(np.random.default_rng(0).normal(size=(5, 3)))
    slope, weight = ms.grad(net), net[0].weight
    value, gradient = ms.value_and_grad(slope, None, weight)(x)
    assert plain(value) == plain(slope(x))
    w = weight.asnumpy().copy()
    expected = np.zeros_like(w)
    for place in np.ndindex(*w.shape):
        for step in (1e-6, -1e-6):
            moved = w.copy()
            moved[place] += step
            weight.set_data(moved)
            expected[place] += slope(x).asnumpy().sum() / (2 * step)
    np.testing.assert_allclose(gradient.asnumpy(), expected, rtol=1e-6, atol=1e-9)


def test_cotangent_of_an_inner_gradient():
    x, seed, outer = tensors(X, np.array([1.0, 2.0]), np.array([10.0, 100.0]))
    inner = ms.grad(cube, sens_param=True)
    assert plain(ms.grad(inner, (0, 1))(x, seed)) == (
        (6 * X * [1, 2]).tolist(), (3 * X**2).tolist()
    )  # fmt: skip
    twice = ms.grad(inner, (0, 1), sens_param=True)(x, seed, outer)
    np.testing.assert_allclose(twice[0].asnumpy(), 6 * X * [1, 2] * [10, 100])
    np.testing.assert_allclose(twice[1].asnumpy(), 3 * X**2 * [10, 100])


def test_cotangent_of_an_inner_gradient_beside_hidden_tensors():
    w = parameter("w", 2.0, 0.5)
    x, seed, outer = tensors(X, np.array([1.0, 2.0]), np.array([10.0, 100.0]))
    inner = ms.grad(lambda x: cube(x) * w, sens_param=True)
    by_x, by_seed = ms.grad(inner, (0, 1))(x, seed)
    w_array = w.asnumpy()
    np.testing.assert_allclose(by_x.asnumpy(), 6 * X * [1, 2] * w_array)
    np.testing.assert_allclose(by_seed.asnumpy(), 3 * X**2 * w_array)
    (by_x, by_seed), by_w = ms.grad(inner, (0, 1), w, sens_param=True)(x, seed, outer)
    np.testing.assert_allclose(by_x.asnumpy(), 6 * X * [1, 2] * w_array * [10, 100])
    np.testing.assert_allclose(by_seed.asnumpy(), 3 * X**2 * w_array * [10, 100])
    np.testing.assert_allclose(by_w.asnumpy(), 3 * X**2 * [1, 2] * [10, 100])


@pytest.mark.parametrize("wrap", [ms.compile, lambda f: ms.compile(ms.compile(f))])
def test_gradients_of_compiled_functions(wrap):
    (x,) = tensors(X)
    assert plain(ms.grad(wrap(cube))(x)) == (3 * X**2).tolist()
    assert plain(ms.grad(wrap(ms.grad(cube)))(x)) == (6 * X).tolist()
    net = nn.Tanh()
    expected = 1 - np.tanh(X) ** 2
    np.testing.assert_allclose(ms.grad(wrap(net))(x).asnumpy(), expected)


def test_gradients_of_cells_and_functions_agree():
    net = nn.Dense(3, 2, dtype=ms.float64)
    x = ms.Tensor(np.random.default_rng(0).normal(size=(4, 3)))
    weights = net.trainable_params()
    one = ms.value_and_grad(net, 0, weights)(x)
    other = ms.value_and_grad(lambda x: net(x), 0, weights)(x)
    method = ms.value_and_grad(net.construct, 0, weights)(x)
    assert plain(one) == plain(other) == plain(method)


# ---- state ----------------------------------------------------------------------------------


def test_requires_grad_is_read_at_each_call():
    w = parameter("w", 1.0, 2.0)
    step = ms.grad(lambda x: x * w, None, w)
    (x,) = tensors(X)
    assert plain(step(x)) == [2.0, 3.0]
    w.requires_grad = False
    assert plain(step(x)) == [0.0, 0.0]
    w.requires_grad = True
    assert plain(step(x)) == [2.0, 3.0]
    assert len(ms.compile(step).variants) == 2


def test_a_parameter_as_argument_and_by_name_is_one_input():
    w, unused = parameter("w", 2.0, 3.0), parameter("unused", 1.0)

    def f(a, b):
        return a[0] * a[0] * w

    gradients = ms.grad(f, (0, 1), (w, unused))
    (by_list, by_unused), by_weights = gradients([w, 3], unused)
    for gradient in (by_list[0], by_weights[0]):
        np.testing.assert_allclose(gradient.asnumpy(), 3 * X * X)
    assert by_list[1] is None and plain(by_unused) == plain(by_weights[1]) == [0.0]
    other = parameter("other", 5.0, 7.0)
    (by_list, _), (by_weight, _) = gradients([other, 3], unused)
    np.testing.assert_allclose(by_list[0].asnumpy(), 2 * Y * X)
    np.testing.assert_allclose(by_weight.asnumpy(), Y * Y)


def test_a_copied_transform_is_of_the_copied_network():
    net = nn.Dense(2, 1, dtype=ms.float64)
    step = ms.grad(net, None, net.trainable_params())
    (x,) = tensors(X[None])
    before = plain(step(x))
    twin = copy.deepcopy(step)
    net.weight.set_data(net.weight.asnumpy() * 0)
    assert plain(twin(x)) == before and twin.function is not net
    assert twin.weights[0] is twin.function.weight


def test_writing_parameters_inside_of_a_gradient():
    w = parameter("w", 2.0, 3.0)

    def f(x):
        y = x * w
        ops.assign(w, w + x)
        return y * w

    x = ms.Tensor(X)
    value, gradient = ms.value_and_grad(f, 0, w)(x)
    # The second read sees w + x; derivatives are those with respect to w before the call.
    np.testing.assert_allclose(value.asnumpy(), X * X * (X + X))
    np.testing.assert_allclose(gradient[0].asnumpy(), X * (X + X) + X * X)
    np.testing.assert_allclose(gradient[1].asnumpy(), X * (X + X) + X * X)
    np.testing.assert_allclose(w.asnumpy(), 2 * X)
