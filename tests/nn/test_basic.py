"""Is Dense an affine map, with MindSpore's first values, names and words? Are its neighbours?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, check_gradients, refused


@pytest.fixture(autouse=True)
def seeded():
    ms.set_seed(7)


@pytest.mark.parametrize(
    "shape", [(3,), (4, 3), (2, 4, 3), (2, 1, 4, 3), (0, 3), (2, 0, 3), (1, 3)]
)
@pytest.mark.parametrize("has_bias", [True, False])
def test_dense(shape, has_bias):
    net = nn.Dense(3, 5, has_bias=has_bias, dtype=ms.float64)
    x = np.random.default_rng(0).normal(size=shape)
    expected = x @ net.weight.asnumpy().T + (net.bias.asnumpy() if has_bias else 0)

    def run(x):
        return net(x)

    result = both_forms(run, ms.Tensor(x))
    assert result.shape == shape[:-1] + (5,)
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-13)


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 2, 3)])
def test_gradients_of_dense(shape):
    net = nn.Dense(3, 2, dtype=ms.float64)
    x = np.random.default_rng(0).normal(size=shape)
    check_gradients(net.construct, x)
    gradients = ms.grad(lambda x: ops.sum(net(x) * net(x)), None, net.trainable_params())
    by_weight, by_bias = gradients(ms.Tensor(x))
    rows = x.reshape(-1, 3)
    out = rows @ net.weight.asnumpy().T + net.bias.asnumpy()
    np.testing.assert_allclose(by_weight.asnumpy(), 2 * out.T @ rows, rtol=1e-12)
    np.testing.assert_allclose(by_bias.asnumpy(), 2 * out.sum(0), rtol=1e-12)


def test_many_leading_axes_are_one_product():
    net = nn.Dense(3, 2)
    compiled = ms.compile(net)
    compiled(ms.Tensor(np.zeros((2, 4, 3), np.float32)))
    names = [op.prim.name for op in compiled.stages["primal"].walk()]
    assert names == ["reshape", "transpose", "matmul", "add", "reshape"]


def test_first_values_are_mindspores():
    net = nn.Dense(100, 300)
    bound = 1 / math.sqrt(100)  # HeUniform of slope sqrt(5), for the weight; the same for the bias
    for parameter in (net.weight, net.bias):
        values = parameter.asnumpy()
        assert abs(values).max() <= bound
        assert abs(values).max() > 0.95 * bound
        assert abs(values.mean()) < 5 * bound / math.sqrt(3 * values.size)
        np.testing.assert_allclose(values.std(), bound / math.sqrt(3), rtol=0.15)
    assert net.weight.shape == (300, 100) and net.bias.shape == (300,)
    assert net.weight.dtype is net.bias.dtype is ms.float32


def test_first_values_of_ones_own():
    weight = ms.Tensor(np.arange(6.0).reshape(2, 3), ms.float32)
    net = nn.Dense(3, 2, weight, "zeros")
    assert net.weight.tolist() == weight.tolist() and net.bias.tolist() == [0.0, 0.0]
    net.weight.set_data(net.weight.asnumpy() * 0)
    assert weight.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert nn.Dense(3, 2, 0.5, 2).weight.tolist() == [[0.5] * 3] * 2
    wide = nn.Dense(3, 2, nn.initializer.Normal(10.0), dtype=ms.float16)
    assert wide.weight.dtype is ms.float16 and abs(wide.weight.asnumpy()).max() > 1


def test_names_of_parameters():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = nn.Dense(2, 3)
            self.second = nn.Dense(3, 1, has_bias=False)

        def construct(self, x):
            return self.second(self.first(x))

    assert [p.name for p in nn.Dense(2, 3).trainable_params()] == ["weight", "bias"]
    names = ["first.weight", "first.bias", "second.weight"]
    assert [p.name for p in Net().trainable_params()] == names
    assert list(Net().parameters_dict()) == names


def test_what_is_shown():
    net = nn.Dense(2, 3, activation="relu")
    assert repr(nn.Dense(2, 3)) == "Dense(input_channels=2, output_channels=3, has_bias=True)"
    assert repr(net) == (
        "Dense(\n  input_channels=2, output_channels=3, has_bias=True\n  (activation): ReLU()\n)"
    )
    assert repr(nn.Flatten()) == "Flatten(start_dim=1, end_dim=-1)"
    assert repr(nn.Softmax(0)) == "Softmax(axis=0)"


@pytest.mark.parametrize("activation", ["relu", "ReLU", nn.ReLU(), ops.relu, lambda x: ops.relu(x)])
def test_activations(activation):
    net = nn.Dense(2, 2, activation=activation)

    def run(x):
        return net(x)

    result = both_forms(run, ms.Tensor([[1.0, -2.0], [-3.0, 0.5]]))
    assert result.asnumpy().min() == 0.0
    assert nn.Dense(2, 2).activation is None


@pytest.mark.parametrize("name", ["relu", "sigmoid", "tanh", "softmax", "logsoftmax"])
def test_names_of_activations(name):
    cell = nn.get_activation(name)
    assert type(cell).__name__.lower() == name
    assert nn.get_activation(cell) is cell and nn.get_activation(None) is None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((0, 2), "E0404"), ((2, -1), "E0404"), ((2.0, 2), "E0303"), ((True, 2), "E0303"),
        ((2, 2, "unknown"), "E0404"), ((2, 2, ms.Tensor([1.0])), "E0401"),
        ((2, 2, None, None, 1), "E0303"),
        ((2, 2, None, None, True, "unknown"), "E0404"), ((2, 2, None, None, True, 3), "E0304"),
        ((2, 2, [1.0]), "E0304"), ((2, 2, True), "E0304"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(arguments, code):
    with pytest.raises(S2sadError) as caught:
        nn.Dense(*arguments)
    assert caught.value.code == code


@pytest.mark.parametrize("shape", [(4,), (2, 4), (2, 2, 4), ()])
def test_inputs_that_do_not_fit(shape):
    def run(x):
        return NET(x)

    refused("E0401", run, ms.Tensor(np.ones(shape, np.float32)))


NET = nn.Dense(3, 2)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float64], ids=str)
def test_dtypes(dtype):
    net = nn.Dense(3, 2, dtype=dtype)

    def run(x):
        return net(x)

    assert both_forms(run, ms.Tensor(np.ones((4, 3)), dtype)).dtype is dtype
    meets = both_forms(run, ms.Tensor(np.ones((4, 3)), ms.float32))
    assert meets.dtype is (ms.float64 if dtype is ms.float64 else ms.float32)


# ---- axes made one, or several --------------------------------------------------------------


@pytest.mark.parametrize(("axis", "sizes"), [(1, (2, 3)), (-2, (3, -1)), (0, [1, 2]), (2, (4,))])
def test_unflatten(axis, sizes):
    net = nn.Unflatten(axis, sizes)
    x = np.arange(48.0).reshape(2, 6, 4)

    def run(x):
        return net(x)

    place = axis % 3
    expected = x.reshape(*x.shape[:place], *sizes, *x.shape[place + 1 :])
    assert both_forms(run, ms.Tensor(x)).tolist() == expected.tolist()


def unflattened(x):
    return UNFLATTEN(x)


UNFLATTEN = nn.Unflatten(1, (2, 3))


def test_sizes_that_do_not_fit():
    refused("E0401", unflattened, ms.Tensor(np.zeros((2, 4))))
    refused("E0403", unflattened, ms.Tensor(np.zeros(6)))
    for arguments in ((1, ()), (1, 6), (1.0, (2, 3)), (1, (2.0, 3))):
        with pytest.raises(S2sadError, match="E0303"):
            nn.Unflatten(*arguments)


# ---- Linear and Identity --------------------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3)])
def test_linear(shape, bias):
    net = nn.Linear(3, 5, bias, dtype=ms.float64)
    x = np.random.default_rng(0).normal(size=shape)

    def run(x):
        return net(x)

    expected = x @ net.weight.asnumpy().T + (net.bias.asnumpy() if bias else 0)
    np.testing.assert_allclose(both_forms(run, ms.Tensor(x)).asnumpy(), expected, rtol=1e-12)
    assert [p.name for p in net.get_parameters()] == ["weight", "bias"][: 1 + bias]
    shown = f"Linear(input_features=3, output_features=5, has_bias={bias})"
    assert repr(net) == shown and nn.Linear(1, 1).weight.dtype is ms.float32
    bound = 1 / math.sqrt(300)
    assert 0.9 * bound < abs(nn.Linear(300, 50).weight.asnumpy()).max() <= bound


def test_arguments_of_linear_that_do_not_fit():
    for arguments, code in (((0, 2), "E0404"), ((2, 2.0), "E0303"), ((2, 2, 1), "E0303")):
        with pytest.raises(S2sadError, match=code):
            nn.Linear(*arguments)


def test_identity():
    net = nn.Identity(3, key="unused")

    def run(x):
        return net(x)

    x = ms.Tensor([1.0, 2.0])
    assert both_forms(run, x).tolist() == [1.0, 2.0] and net(x) is not None
    assert ms.grad(net)(x).tolist() == [1.0, 1.0]
