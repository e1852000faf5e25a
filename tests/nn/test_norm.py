"""Do the Cells of normalisation train and infer as MindSpore's, and write their statistics?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, refused


def of_images(net):
    """What of `net` is trained and remembers."""
    return getattr(net, "bn2d", net)


SHAPES = {nn.BatchNorm1d: (4, 3), nn.BatchNorm2d: (2, 3, 2, 2), nn.BatchNorm3d: (2, 3, 1, 2, 2)}


def normal(*shape, seed=0, shift=0.0):
    return np.random.default_rng(seed).normal(size=shape) + shift


def by_hand(x, eps):
    axes = (0, *range(2, x.ndim))
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


# ---- training and inference -----------------------------------------------------------------


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("kind", SHAPES)
def test_training_then_inference(kind, mode):
    ms.set_context(mode=mode)
    net = kind(3, momentum=0.75, dtype=ms.float64)
    kept = of_images(net)
    assert not net.training
    x, axes = normal(*SHAPES[kind], shift=2.0), (0, *range(2, len(SHAPES[kind])))
    as_built = x / np.sqrt(1 + 1e-5)
    np.testing.assert_allclose(net(ms.Tensor(x)).asnumpy(), as_built, rtol=1e-12)
    assert kept.moving_mean.version == kept.moving_variance.version == 0
    net.set_train()
    mean, variance = np.zeros(3), np.ones(3)
    for seed in range(3):
        x = normal(*SHAPES[kind], seed=seed, shift=2.0)
        np.testing.assert_allclose(net(ms.Tensor(x)).asnumpy(), by_hand(x, 1e-5), rtol=1e-11)
        mean = 0.75 * mean + 0.25 * x.mean(axes)
        count = x.size // 3
        variance = 0.75 * variance + 0.25 * x.var(axes) * count / (count - 1)
        np.testing.assert_allclose(kept.moving_mean.asnumpy(), mean, rtol=1e-12)
        np.testing.assert_allclose(kept.moving_variance.asnumpy(), variance, rtol=1e-12)
    net.set_train(False)
    shape = (1, 3, *(1,) * (x.ndim - 2))
    expected = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + 1e-5)
    np.testing.assert_allclose(net(ms.Tensor(x)).asnumpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(kept.moving_mean.asnumpy(), mean, rtol=1e-12)


@pytest.mark.parametrize("is_training", [False, True])
@pytest.mark.parametrize("use_batch_statistics", [None, True, False])
def test_whose_statistics(use_batch_statistics, is_training):
    net = nn.BatchNorm1d(2, use_batch_statistics=use_batch_statistics).set_train(is_training)
    x = ms.Tensor(normal(4, 2, shift=3.0), ms.float32)
    is_of_batch = is_training if use_batch_statistics is None else use_batch_statistics
    for compiled in (False, True):
        before = net.moving_mean.asnumpy().copy()
        found = (ms.compile(net) if compiled else net.construct)(x).asnumpy()
        assert (abs(found.mean()) < 1e-5) == is_of_batch
        assert (net.moving_mean.asnumpy() != before).all() == is_of_batch


def test_the_worked_example_of_the_moving_variance():
    net = nn.BatchNorm1d(1).set_train()
    net(ms.Tensor([[1.0], [2.0], [3.0], [6.0]]))
    np.testing.assert_allclose(net.moving_variance.asnumpy(), [1.36667], rtol=1e-5)
    np.testing.assert_allclose(net.moving_mean.asnumpy(), [0.3], rtol=1e-6)


def test_statistics_follow_under_a_gradient_as_well():
    nets = [nn.BatchNorm1d(2).set_train() for _ in range(2)]
    x = ms.Tensor(normal(4, 2, shift=3.0), ms.float32)

    def loss(x):
        return ops.sum(nets[0](x) ** 3)

    gradients = ms.grad(loss, None, nets[0].trainable_params())(x)
    nets[1](x)
    assert [g.shape for g in gradients] == [(2,), (2,)]
    for name in ("moving_mean", "moving_variance"):
        assert getattr(nets[0], name).tolist() == getattr(nets[1], name).tolist()
        assert getattr(nets[0], name).version == 1


def test_one_cell_twice_in_a_step():
    net = nn.BatchNorm1d(1, eps=0.0, momentum=0.5, dtype=ms.float64).set_train()

    def run(x, y):
        return net(x), net(y)

    step = ms.compile(run)
    step(ms.Tensor([[0.0], [4.0]], ms.float64), ms.Tensor([[8.0], [10.0]], ms.float64))
    assert net.moving_mean.tolist() == [0.5 * (0.5 * 0 + 0.5 * 2) + 0.5 * 9]


def test_a_batch_of_one():
    net = nn.BatchNorm1d(2).set_train()
    assert net(ms.Tensor([[3.0, 5.0]])).tolist() == [[0.0, 0.0]]
    np.testing.assert_allclose(net.moving_variance.asnumpy(), [0.9, 0.9], rtol=1e-6)


def test_a_failing_call_leaves_the_statistics():
    net = nn.BatchNorm2d(3).set_train()
    with pytest.raises(ValueError, match="E0401"):
        net(ms.Tensor(np.ones((2, 4, 2, 2), np.float32)))
    assert net.moving_mean.version == net.moving_variance.version == 0


# ---- Parameters -----------------------------------------------------------------------------


def test_names_of_parameters():
    net = nn.BatchNorm2d(3)
    assert [p.name for p in net.get_parameters()] == ["mean", "variance", "gamma", "beta"]
    names = ["moving_mean", "moving_variance", "gamma", "beta"]
    outer = nn.SequentialCell({"bn": net})
    assert [p.name for p in outer.get_parameters()] == [f"bn.{name}" for name in names]
    assert [p.name for p in outer.trainable_params()] == ["bn.gamma", "bn.beta"]
    assert list(net.state_dict()) == names


@pytest.mark.parametrize("kind", [*SHAPES, nn.InstanceNorm2d])
def test_without_training_of_gamma_and_beta(kind):
    net = kind(3, affine=False)
    assert net.trainable_params() == []
    kept = of_images(net)
    assert kept.gamma.tolist() == [1.0] * 3 and kept.beta.tolist() == [0.0] * 3
    assert nn.GroupNorm(1, 3, affine=False).trainable_params() == []


def test_first_values_of_ones_own():
    net = nn.BatchNorm1d(2, 1e-5, 0.9, True, 2.0, "ones", "ones", 4, dtype=ms.float16)
    found = [net.gamma, net.beta, net.moving_mean, net.moving_variance]
    assert [p.tolist() for p in found] == [[2.0] * 2, [1.0] * 2, [1.0] * 2, [4.0] * 2]
    assert all(p.dtype is ms.float16 for p in found)


def test_what_is_shown():
    shown = repr(nn.BatchNorm1d(2))
    assert shown.startswith("BatchNorm1d(num_features=2, eps=1e-05, momentum=0.9, gamma=Parameter")
    assert "moving_variance=Parameter (name=variance, shape=(2,)" in shown
    assert repr(nn.GroupNorm(2, 4)) == "GroupNorm(num_groups=2, num_channels=4)"
    assert repr(nn.LayerNorm((3,))).startswith(
        "LayerNorm(normalized_shape=(3,), begin_norm_axis=-1, begin_params_axis=-1, gamma="
    )


# ---- layers, groups, instances --------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "first", "first_of_parameters"),
    [((3,), -1, -1), ((2, 3), 1, 1), ((2, 3), -2, -2), ((3,), 1, -1), ((2, 3), -1, 1)],
)  # fmt: skip
def test_layer_norm(shape, first, first_of_parameters):
    rng = np.random.default_rng(1)
    gamma, beta = rng.normal(size=shape), rng.normal(size=shape)
    net = nn.LayerNorm(
        shape, first, first_of_parameters, ms.Tensor(gamma), ms.Tensor(beta), dtype=ms.float64
    )
    x = normal(4, 2, 3)

    def run(x):
        return net(x)

    axes = tuple(range(first % 3, 3))
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    expected = (x - mean) / np.sqrt(variance + 1e-7) * gamma + beta
    np.testing.assert_allclose(both_forms(run, ms.Tensor(x)).asnumpy(), expected, rtol=1e-11)


def test_group_norm():
    net = nn.GroupNorm(2, 6, dtype=ms.float64)
    net.gamma.set_data(np.arange(6.0))
    x = normal(2, 6, 3, 2)

    def run(x):
        return net(x)

    expected = by_hand(np.moveaxis(x.reshape(4, 3, 6), 0, 1), 1e-5)
    expected = np.moveaxis(expected, 1, 0).reshape(x.shape) * np.arange(6.0).reshape(6, 1, 1)
    np.testing.assert_allclose(both_forms(run, ms.Tensor(x)).asnumpy(), expected, rtol=1e-11)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_instance_norm(rank):
    net = {1: nn.InstanceNorm1d, 2: nn.InstanceNorm2d, 3: nn.InstanceNorm3d}[rank]
    net = net(3, dtype=ms.float64).set_train()
    x = normal(2, 3, *(4, 2, 2)[:rank], shift=1.0)

    def run(x):
        return net(x)

    axes = tuple(range(2, x.ndim))
    expected = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    np.testing.assert_allclose(both_forms(run, ms.Tensor(x)).asnumpy(), expected, rtol=1e-11)


@pytest.mark.parametrize("is_compiled", [False, True])
def test_instance_norm_collects_statistics_while_training(is_compiled):
    net = nn.InstanceNorm2d(3, momentum=0.25, dtype=ms.float64)
    run = ms.compile(net) if is_compiled else net
    mean, variance = np.zeros(3), np.ones(3)
    run(ms.Tensor(normal(2, 3, 4, 2)))
    assert net.moving_mean.version == net.moving_variance.version == 0
    net.set_train()
    for seed in range(3):
        x = normal(2, 3, 4, 2, seed=seed, shift=1.0)
        run(ms.Tensor(x))
        mean = 0.25 * mean + 0.75 * x.mean((0, 2, 3))
        variance = 0.25 * variance + 0.75 * x.var((2, 3), ddof=1).mean(0)
        np.testing.assert_allclose(net.moving_mean.asnumpy(), mean, rtol=1e-12)
        np.testing.assert_allclose(net.moving_variance.asnumpy(), variance, rtol=1e-12)
    run(ms.Tensor(normal(1, 3, 1, 1)))
    np.testing.assert_allclose(net.moving_variance.asnumpy(), 0.25 * variance, rtol=1e-12)
    gradient = ms.grad(lambda x: ops.sum(ops.sin(net(x))))(ms.Tensor(normal(2, 3, 4, 2)))
    assert np.isfinite(gradient.asnumpy()).all()


def test_lrn():
    x = ms.Tensor(normal(1, 4, 2, 2))
    assert nn.LRN(1, 2.0, 0.5, 0.75)(x).tolist() == ops.lrn(x, 1, 2.0, 0.5, 0.75).tolist()


# ---- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: nn.BatchNorm2d(0), "E0404"), (lambda: nn.BatchNorm2d(2.0), "E0303"),
        (lambda: nn.BatchNorm2d(2, momentum=1.5), "E0404"),
        (lambda: nn.BatchNorm2d(2, eps="1"), "E0303"),
        (lambda: nn.BatchNorm2d(2, affine=1), "E0303"),
        (lambda: nn.BatchNorm2d(2, use_batch_statistics=1), "E0303"),
        (lambda: nn.BatchNorm2d(2, data_format="NHWC"), "E0404"),
        (lambda: nn.BatchNorm2d(2, gamma_init=ms.Tensor([1.0])), "E0401"),
        (lambda: nn.LayerNorm(3), "E0303"), (lambda: nn.LayerNorm(()), "E0303"),
        (lambda: nn.LayerNorm((3.0,)), "E0303"), (lambda: nn.LayerNorm((0,)), "E0404"),
        (lambda: nn.GroupNorm(2, 3), "E0404"), (lambda: nn.GroupNorm(0, 3), "E0404"),
        (lambda: nn.InstanceNorm2d(0), "E0404"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(build, code):
    with pytest.raises(S2sadError) as caught:
        build()
    assert caught.value.code == code


def batch(x):
    return BATCH(x)


def layer(x):
    return LAYER(x)


def group(x):
    return GROUP(x)


def instance(x):
    return INSTANCE(x)


BATCH, LAYER = nn.BatchNorm2d(3).set_train(), nn.LayerNorm((3,))
GROUP, INSTANCE = nn.GroupNorm(2, 4), nn.InstanceNorm2d(3)


@pytest.mark.parametrize(
    ("function", "shape"),
    [(batch, (2, 4, 2, 2)), (batch, (2, 3)), (batch, (0, 3, 2, 2)), (layer, (2, 4)),
     (group, (2, 6, 2)), (group, (4,)), (instance, (2, 3, 4)), (instance, (2, 2, 4, 4))],
)  # fmt: skip
def test_inputs_that_do_not_fit(function, shape):
    refused("E0401", function, ms.Tensor(np.zeros(shape, np.float32)))
