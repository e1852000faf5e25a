"""Do the layers of `mint` have torch's settings and Parameters, and give what NumPy gives?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import mint
from s2sad.core.diagnostics import S2sadError

nn = mint.nn
MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape)


def names(net):
    return {name: parameter.shape for name, parameter in net.parameters_and_names()}


@MODES
def test_layer_norm(mode):
    ms.set_context(mode=mode)
    net, x = nn.LayerNorm(4, dtype=ms.float64), normal(3, 4)
    assert names(net) == {"weight": (4,), "bias": (4,)} and net.eps == 1e-5
    net.weight.set_data(ms.Tensor([1.0, 2.0, 3.0, 4.0], ms.float64))
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(net(ms.Tensor(x)).asnumpy(), expected * [1, 2, 3, 4], rtol=1e-10)
    assert names(nn.LayerNorm([2, 4], bias=False)) == {"weight": (2, 4)}
    assert names(nn.LayerNorm((4,), elementwise_affine=False)) == {}


@MODES
def test_group_norm(mode):
    ms.set_context(mode=mode)
    net, x = nn.GroupNorm(2, 4, affine=False, dtype=ms.float64), normal(3, 4, 5)
    grouped = x.reshape(3, 2, 10)
    expected = (grouped - grouped.mean(2, keepdims=True)) / np.sqrt(
        grouped.var(2, keepdims=True) + 1e-5
    )
    found = net(ms.Tensor(x)).asnumpy()
    np.testing.assert_allclose(found, expected.reshape(x.shape), rtol=1e-10)
    with pytest.raises(S2sadError, match="E0404"):
        nn.GroupNorm(3, 4)


@MODES
@pytest.mark.parametrize(
    ("kind", "shape"),
    [(nn.BatchNorm1d, (6, 3)), (nn.BatchNorm2d, (2, 3, 2, 2)), (nn.BatchNorm3d, (2, 3, 1, 2, 2))],
)
def test_batch_norm(kind, shape, mode):
    ms.set_context(mode=mode)
    net, x = kind(3, dtype=ms.float64).set_train(), normal(*shape)
    assert set(names(net)) == {"weight", "bias", "running_mean", "running_var"}
    axes = (0, *range(2, x.ndim))
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    found = net(ms.Tensor(x)).asnumpy()
    np.testing.assert_allclose(found, (x - mean) / np.sqrt(variance + 1e-5), rtol=1e-9)
    count = x.size // 3
    unbiased = variance.ravel() * count / (count - 1)
    np.testing.assert_allclose(net.running_mean.asnumpy(), 0.1 * mean.ravel(), rtol=1e-12)
    np.testing.assert_allclose(net.running_var.asnumpy(), 0.9 + 0.1 * unbiased, rtol=1e-12)
    assert [p.name for p in net.trainable_params()] == ["weight", "bias"]


@MODES
def test_embedding(mode):
    ms.set_context(mode=mode)
    net = nn.Embedding(num_embeddings=5, embedding_dim=2, padding_idx=3)
    assert names(net) == {"weight": (5, 2)}
    table = net.weight.asnumpy()
    assert not table[3].any() and table[[0, 1, 2, 4]].all()
    found = net(ms.Tensor([[4, 3]])).asnumpy()
    np.testing.assert_array_equal(found, table[[[4, 3]]])
    for wrong in ({"sparse": True}, {"max_norm": 1.0}):
        with pytest.raises(S2sadError, match="E0310"):
            nn.Embedding(5, 2, **wrong)


@MODES
@pytest.mark.parametrize(("kind", "rank"), [(nn.Conv1d, 1), (nn.Conv2d, 2), (nn.Conv3d, 3)])
def test_convolutions(kind, rank, mode):
    ms.set_context(mode=mode)
    net = kind(2, 4, 3, stride=2, padding=1, groups=2)
    assert names(net) == {"weight": (4, 1, *(3,) * rank), "bias": (4,)}
    plain = getattr(ms.nn, kind.__name__)(
        2, 4, 3, 2, pad_mode="pad", padding=1, group=2, has_bias=True
    )
    plain.weight.set_data(net.weight.value().reshape(plain.weight.shape))
    plain.bias.set_data(net.bias.value())
    x = ms.Tensor(normal(1, 2, *(5,) * rank), ms.float32)
    np.testing.assert_array_equal(net(x).asnumpy(), plain(x).asnumpy())
    assert net(x).shape == (1, 4, *(3,) * rank)
    assert kind(2, 4, 3, bias=False).bias is None
    for wrong in ({"groups": 3}, {"padding_mode": "reflect"}):
        with pytest.raises(S2sadError, match="E0404"):
            kind(2, 4, 3, **wrong)


#: Layers without Parameters, and what each is of x.
PLAIN = {
    "Dropout": (lambda: nn.Dropout(0.4), lambda x: x),
    "GELU": (lambda: nn.GELU(), lambda x: mint.nn.functional.gelu(x)),
    "Hardsigmoid": (lambda: nn.Hardsigmoid(), lambda x: ms.ops.hardsigmoid(x)),
    "Identity": (lambda: nn.Identity(), lambda x: x),
    "LeakyReLU": (lambda: nn.LeakyReLU(), lambda x: ms.ops.leaky_relu(x, 0.01)),
    "LogSoftmax": (lambda: nn.LogSoftmax(dim=1), lambda x: ms.ops.log_softmax(x, 1)),
    "ReLU": (lambda: nn.ReLU(), lambda x: ms.ops.relu(x)),
    "SELU": (lambda: nn.SELU(), lambda x: ms.ops.selu(x)),
    "SiLU": (lambda: nn.SiLU(), lambda x: ms.ops.silu(x)),
    "Softmax": (lambda: nn.Softmax(dim=0), lambda x: ms.ops.softmax(x, 0)),
    "AvgPool2d": (lambda: nn.AvgPool2d(2), lambda x: ms.ops.avg_pool2d(x, 2, 2)),
    "MaxPool2d": (lambda: nn.MaxPool2d(2), lambda x: ms.ops.max_pool2d(x, 2)),
}


@MODES
@pytest.mark.parametrize("name", PLAIN)
def test_layers_without_parameters(name, mode):
    ms.set_context(mode=mode)
    layer, function = PLAIN[name]
    x = ms.Tensor(normal(1, 2, 4, 4), ms.float32)
    np.testing.assert_array_equal(layer()(x).asnumpy(), function(x).asnumpy())


@MODES
def test_losses(mode):
    ms.set_context(mode=mode)
    x, y = (ms.Tensor(each, ms.float64) for each in (normal(4), np.array([0.0, 1, 1, 0])))
    found = nn.BCEWithLogitsLoss(reduction="sum", pos_weight=ms.Tensor([2.0], ms.float64))(x, y)
    a, b = x.asnumpy(), y.asnumpy()
    expected = 2 * b * np.logaddexp(0, -a) + (1 - b) * np.logaddexp(0, a)
    np.testing.assert_allclose(found.asnumpy(), expected.sum(), rtol=1e-12)
    assert nn.SmoothL1Loss()(x, y).shape == ()
    for name in nn.__all__:
        assert hasattr(nn, name)


@MODES
def test_a_network_learns(mode):
    ms.set_context(mode=mode)
    ms.set_seed(1)
    net = ms.nn.SequentialCell(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = mint.optim.AdamW(net.trainable_params(), lr=0.05)
    loss_fn, x = nn.MSELoss(), ms.Tensor(normal(16, 3), ms.float32)
    target = mint.sum(x, dim=1, keepdim=True)
    step = ms.value_and_grad(lambda x: loss_fn(net(x), target), None, net.trainable_params())
    losses = []
    for _ in range(30):
        loss, gradients = step(x)
        optimizer(gradients)
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]
