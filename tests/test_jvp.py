"""Does `jvp` give tangents in the form of the output, with the right numbers in them?"""

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
V = np.array([1.0, 10.0])
U = np.array([100.0, 1000.0])


def tensors(*arrays):
    return [ms.Tensor(array) for array in arrays]


def both(function, inputs, v, **options):
    """What `jvp` gives, which must be the same where compiled code calls it."""
    found = ms.jvp(function, inputs, v, **options)
    again = ms.compile(lambda inputs, v: ms.jvp(function, inputs, v, **options))(inputs, v)
    assert plain(found) == plain(again)
    return plain(found)


def square(x):
    return x * x


def product(x, y):
    return x * y


def test_one_input_and_several():
    x, y, v, u = tensors(X, Y, V, U)
    assert both(square, x, v) == ((X * X).tolist(), (2 * X * V).tolist())
    assert both(square, (x,), (v,)) == both(square, x, v)
    expected = (X * Y).tolist(), (V * Y + U * X).tolist()
    assert both(product, (x, y), (v, u)) == both(product, [x, y], [v, u]) == expected


def test_forms_of_outputs():
    def f(x):
        return x * x, {"sign": x > 0, "sum": [x.sum(), None]}

    x, v = tensors(X, V)
    output, tangent = both(f, x, v)
    assert output == ((X * X).tolist(), {"sign": [True, True], "sum": [5.0, None]})
    assert tangent == ((2 * X * V).tolist(), {"sign": [False, False], "sum": [11.0, None]})


def test_other_outputs():
    x, v = tensors(X, V)
    first = (X * X).tolist(), (2 * X * V).tolist()
    assert both(lambda x: (x * x, x), x, v, has_aux=True) == (*first, X.tolist())
    found = both(lambda x: (x * x, x, [x + 1]), x, v, has_aux=True)
    assert found == (*first, (X.tolist(), [(X + 1).tolist()]))


def test_inputs_are_containers():
    def f(states, x):
        return states["a"] * states["b"][0] * x

    a, b, x, v, u, w = tensors(X, Y, X + 1, V, U, V)
    _, tangent = both(f, ({"a": a, "b": [b]}, x), ({"a": v, "b": [u]}, w))
    np.testing.assert_allclose(tangent, V * Y * (X + 1) + X * U * (X + 1) + X * Y * V)


def test_integers_have_no_tangent():
    x, n, v = tensors(X, np.array([3, 4]), V)
    _, tangent = both(product, (x, n), (v, n))
    assert tangent == (V * [3, 4]).tolist()


def test_parameters():
    w = ms.Parameter(ms.Tensor(Y), name="w")
    unused = ms.Parameter(ms.Tensor(Y), name="unused")
    x, v, u = tensors(X, V, U)
    _, tangent = both(lambda x, other: x * w, (x, w), (v, u))
    np.testing.assert_allclose(tangent, V * Y + X * U)
    _, tangent = both(lambda x, other: x * w, (x, unused), (v, u))
    np.testing.assert_allclose(tangent, V * Y)  # `w` itself does not move
    _, tangent = both(square, x, unused)  # a tangent that is a Parameter
    np.testing.assert_allclose(tangent, 2 * X * Y)
    with pytest.raises(S2sadError, match="E0404.*twice"):
        ms.jvp(product, (w, w), (v, u))


def test_networks_and_their_derivatives():
    rng = np.random.default_rng(0)
    net = nn.SequentialCell(nn.Dense(3, 4, dtype=ms.float64), nn.Tanh())
    x, v = tensors(rng.normal(size=(5, 3)), rng.normal(size=(5, 3)))
    step = 1e-6
    for function in (net, ms.grad(net), lambda x: ops.softmax(net(x), -1)):
        _, tangent = ms.jvp(function, x, v)
        ahead, behind = (function(ms.Tensor(x.asnumpy() + s * v.asnumpy())) for s in (step, -step))
        slope = (ahead.asnumpy() - behind.asnumpy()) / (2 * step)
        np.testing.assert_allclose(tangent.asnumpy(), slope, rtol=1e-6, atol=1e-8)


def test_writes_are_made():
    count = ms.Parameter(ms.Tensor([0.0]), name="count")

    def f(x):
        ops.assign(count, count + 1)
        return x * count

    x, v = tensors(np.float32(X), np.float32(V))
    assert plain(ms.jvp(f, x, v)) == (X.tolist(), V.tolist())
    assert count.tolist() == [1.0]


@pytest.mark.parametrize(
    ("inputs", "v", "code"),
    [
        (X, (V, V), "E0302"),
        ((X, X), (V,), "E0302"),
        (X, V[:1], "E0401"),
        (X, np.float32(V), "E0301"),
        (([X],), (V,), "E0302"),
        (([X, X],), ([V],), "E0302"),
        ((X, 3.0), (V, 1.0), "E0304"),
        ((X, None), (V, None), "E0304"),
        ((), (), "E0404"),
    ],
)
def test_what_does_not_fit(inputs, v, code):
    def given(tree):
        if isinstance(tree, np.ndarray):
            return ms.Tensor(tree)
        return type(tree)(map(given, tree)) if isinstance(tree, (tuple, list)) else tree

    with pytest.raises(S2sadError) as caught:
        ms.jvp(lambda *x: x[0], given(inputs), given(v))
    assert caught.value.code == code


def test_what_is_no_function():
    with pytest.raises(S2sadError, match="E0304"):
        ms.jvp(3, *tensors(X, V))
    with pytest.raises(S2sadError, match="E0404.*two outputs"):
        ms.jvp(square, *tensors(X, V), has_aux=True)


def test_the_program_is_kept_with_the_function():
    def f(x):
        return x * x * x

    x, v = tensors(X, V)
    for _ in range(3):
        ms.jvp(f, x, v)
    (transform,) = vars(f)["_transforms"]
    assert len(ms.compile(transform).variants) == 1
    ms.jvp(f, x, v, has_aux=False)
    net = nn.Tanh()
    for function in (net, net, net.construct, net.construct):
        ms.jvp(function, x, v)
    assert len(vars(net)["_transforms"]) == 2
    twin = copy.deepcopy(net)
    ms.jvp(twin, x, v)
    assert all(each.function in (twin, twin.construct) for each in vars(twin)["_transforms"])


def test_dumps_go_on(tmp_path):
    x, y, v, u = tensors(X, Y, V, U)
    (value, expected) = ms.jvp(product, (x, y), (v, u))
    (transform,) = vars(product)["_transforms"]
    paths = ms.compile(transform).dump(tmp_path)
    names = [path.name[3:] for path in paths]
    assert names[:1] == ["primal.py"] and "joint.py" in names
    loaded = ms.load_ir(paths[names.index("joint.py")]).bind()
    found = loaded(x, y, (v, u))
    assert plain(found) == plain((value, expected))
