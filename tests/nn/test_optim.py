"""Do optimizers make MindSpore's steps, and read the rate at each of them?

Right values are the formulas of the reference, in float64 NumPy.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError


def parameters(dtype=ms.float64):
    rng = np.random.default_rng(0)
    shapes = {"dense.weight": (3, 2), "dense.bias": (3,), "norm.gamma": (2,), "scale": ()}
    return [ms.Parameter(ms.Tensor(rng.normal(size=s), dtype), name=n) for n, s in shapes.items()]


def gradients_of(step, weights):
    rng = np.random.default_rng(100 + step)
    return [rng.normal(size=w.shape) for w in weights]


def by_hand(state, gradients, names, *, rate, momentum, dampening, weight_decay, nesterov, scale):
    """One step: the new weights and velocities of ``(weights, velocities)``."""
    weights, velocities = state
    new_weights, new_velocities = [], []
    for w, v, g, name in zip(weights, velocities, gradients, names, strict=True):
        g = g / scale
        if "gamma" not in name and "beta" not in name:
            g = g + weight_decay * w
        v = g if v is None else momentum * v + (1 - dampening) * g
        move = g if not momentum else g + momentum * v if nesterov else v
        new_weights.append(w - rate * move)
        new_velocities.append(v)
    return new_weights, new_velocities


SETTINGS = [
    {}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True},
    {"momentum": 0.5, "dampening": 0.25}, {"weight_decay": 0.125},
    {"momentum": 0.9, "weight_decay": 0.125}, {"loss_scale": 8.0},
    {"momentum": 0.9, "nesterov": True, "weight_decay": 0.125, "loss_scale": 4.0},
]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_sgd(settings, is_compiled):
    weights = parameters()
    names = [w.name for w in weights]
    optimizer = nn.SGD(weights, 0.25, **settings)
    apply = ms.compile(optimizer) if is_compiled else optimizer
    full = {"momentum": 0.0, "dampening": 0.0, "weight_decay": 0.0, "nesterov": False, **settings}
    scale = full.pop("loss_scale", 1.0)
    state = [w.asnumpy().copy() for w in weights], [None] * len(weights)
    for step in range(5):
        gradients = gradients_of(step, weights)
        apply(tuple(map(ms.Tensor, gradients)))
        state = by_hand(state, gradients, names, rate=0.25, scale=scale, **full)
        for w, expected in zip(weights, state[0], strict=True):
            np.testing.assert_allclose(w.asnumpy(), expected, rtol=1e-12)
        if optimizer.momentum:
            for v, expected in zip(optimizer.accum, state[1], strict=True):
                np.testing.assert_allclose(v.asnumpy(), expected, rtol=1e-12)
    assert optimizer.global_step.tolist() == [5]
    assert not is_compiled or len(apply.variants) == 1


def test_the_rate_is_read_at_each_step():
    w = ms.Parameter(ms.Tensor([0.0], ms.float64), name="w")
    optimizer = nn.SGD([w], 0.5)
    apply, g = ms.compile(optimizer), (ms.Tensor([1.0], ms.float64),)
    changes = [
        lambda: None,
        lambda: optimizer.learning_rate.set_data(2.0),
        lambda: ops.assign(optimizer.learning_rate, ms.Tensor(0.25)),
        lambda: setattr(optimizer, "learning_rate", ms.Tensor(0.125)),
        lambda: ops.assign(optimizer.learning_rate, 4),
    ]
    expected = 0.0
    for change, rate in zip(changes, (0.5, 2.0, 0.25, 0.125, 4.0), strict=True):
        change()
        assert optimizer.get_lr().item() == rate
        apply(g)
        expected -= rate
        assert w.item() == expected
    assert len(apply.variants) == 1
    optimizer.weight_decay = 0.5  # that is part of the program
    apply(g)
    assert w.item() == expected - 4 * (1 + 0.5 * expected) and len(apply.variants) == 2


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_narrow_parameters_are_updated_in_float32_and_rounded_once(dtype, momentum):
    weights = parameters(dtype)
    before = [w.astype(ms.float32).asnumpy() for w in weights]
    gradients = [ms.Tensor(g, dtype) for g in gradients_of(0, weights)]
    ms.compile(nn.SGD(weights, 0.1, momentum))(gradients)
    for w, old, g in zip(weights, before, gradients, strict=True):
        step = np.float32(0.1) * g.astype(ms.float32).asnumpy()
        assert w.dtype is dtype and w.tolist() == ms.Tensor(old - step, dtype).tolist()


def test_state():
    weights = parameters()
    optimizer = nn.SGD(weights, 0.1, 0.9)
    assert all(one is other for one, other in zip(optimizer.parameters, weights, strict=True))
    assert [w.name for w in weights] == ["dense.weight", "dense.bias", "norm.gamma", "scale"]
    assert [v.name for v in optimizer.accum] == [f"accum.{w.name}" for w in weights]
    assert (optimizer.learning_rate.dtype, optimizer.learning_rate.shape) == (ms.float32, ())
    assert (optimizer.global_step.dtype, optimizer.global_step.shape) == (ms.int32, (1,))
    names = set(optimizer.parameters_dict())
    assert {"learning_rate", "global_step", "accum.scale", "scale"} <= names
    assert not any(p is optimizer.learning_rate for p in optimizer.trainable_params())
    assert nn.SGD(weights).accum == ()


def test_gradients_in_a_list_or_a_tuple():
    for kind in (tuple, list):
        w = ms.Parameter(ms.Tensor([1.0]), name="w")
        ms.compile(nn.SGD([w], 0.5))(kind([ms.Tensor([1.0])]))
        assert w.item() == 0.5


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"params": []}, "E0404"), ({"params": [ms.Tensor([1.0])]}, "E0304"),
        ({"learning_rate": -0.1}, "E0404"), ({"learning_rate": "0.1"}, "E0303"),
        ({"learning_rate": float("nan")}, "E0404"), ({"momentum": -1.0}, "E0404"),
        ({"momentum": True}, "E0303"), ({"dampening": -1.0}, "E0404"),
        ({"weight_decay": -1}, "E0404"), ({"loss_scale": 0.0}, "E0404"),
        ({"nesterov": 1}, "E0303"), ({"nesterov": True}, "E0404"),
        ({"nesterov": True, "momentum": 0.9, "dampening": 0.1}, "E0404"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(arguments, code):
    given = {"params": parameters(), **arguments}
    with pytest.raises(S2sadError) as caught:
        nn.SGD(**given)
    assert caught.value.code == code


def test_names_that_clash():
    twins = [ms.Parameter(ms.Tensor([1.0]), name="w") for _ in range(2)]
    with pytest.raises(S2sadError, match="E0406"):
        nn.SGD(twins)


def test_gradients_that_do_not_fit():
    weights = parameters()
    before = [w.asnumpy().copy() for w in weights]
    apply = ms.compile(nn.SGD(weights))
    good = [ms.Tensor(g) for g in gradients_of(0, weights)]
    with pytest.raises(TypeError, match="E0302.*3 gradients for 4 Parameters"):
        apply(tuple(good[:3]))
    with pytest.raises(ValueError, match="E0401"):
        apply((*good[:3], good[0]))
    for w, old in zip(weights, before, strict=True):
        assert w.version == 0 and np.array_equal(w.asnumpy(), old)


def test_a_copy_has_state_of_its_own():
    w = ms.Parameter(ms.Tensor([1.0], ms.float64), name="w")
    optimizer = nn.SGD([w], 0.5, 0.5)
    g = (ms.Tensor([1.0], ms.float64),)
    ms.compile(optimizer)(g)
    twin = copy.deepcopy(optimizer)
    ms.compile(twin)(g)
    assert w.item() == 0.5 and twin.parameters[0].item() == -0.25
    assert optimizer.global_step.tolist() == [1] and twin.global_step.tolist() == [2]


def test_training_a_network():
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(2, 16), nn.Tanh(), nn.Dense(16, 2))
    loss = nn.CrossEntropyLoss()
    rng = np.random.default_rng(0)
    x = rng.normal(size=(128, 2))
    labels = ((x**2).sum(1) > 1.2).astype(np.int32)
    x, labels = ms.Tensor(x, ms.float32), ms.Tensor(labels)
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, net.trainable_params())
    optimizer = ms.compile(nn.SGD(net.trainable_params(), 0.5, 0.9, nesterov=True))
    losses = []
    for _ in range(150):
        value, gradients = step(x, labels)
        optimizer(gradients)
        losses.append(value.item())
    assert losses[-1] < 0.1 < 0.5 < losses[0]
    right = ops.argmax(net(x), 1).asnumpy() == labels.asnumpy()
    assert right.mean() > 0.95
