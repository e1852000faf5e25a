"""Do optimizers make MindSpore's steps, and read the rate at each of them?

Right values are the formulas of the reference, in float64 NumPy.
"""

from __future__ import annotations

import copy
from functools import partial

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.steps import check_rule, gradients_of, parameters


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
    for step in range(50):
        gradients = gradients_of(step, weights)
        apply(tuple(map(ms.Tensor, gradients)))
        state = by_hand(state, gradients, names, rate=0.25, scale=scale, **full)
        for w, expected in zip(weights, state[0], strict=True):
            np.testing.assert_allclose(w.asnumpy(), expected, rtol=1e-12, atol=1e-12)
        if full["momentum"]:
            for v, expected in zip(optimizer.accum, state[1], strict=True):
                np.testing.assert_allclose(v.asnumpy(), expected, rtol=1e-12, atol=1e-12)
        left = 0.0 if full["momentum"] else 1.0
        assert all((stat.asnumpy() == left).all() for stat in optimizer.stat)
    assert optimizer.global_step.tolist() == [50]
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
    assert [v.name for v in optimizer.stat] == [f"stat.{w.name}" for w in weights]


def test_a_velocity_is_there_once_stat_says_so():
    """As a checkpoint says it, whatever the number of steps."""
    w = ms.Parameter(ms.Tensor([0.0], ms.float64), name="w")
    optimizer = nn.SGD([w], 1.0, momentum=0.5)
    ms.load_param_into_net(
        optimizer, {"accum.w": ms.Parameter([4.0]), "stat.w": ms.Parameter([0.0])}
    )
    optimizer((ms.Tensor([1.0], ms.float64),))
    assert (w.item(), optimizer.accum[0].item(), optimizer.stat[0].item()) == (-3.0, 3.0, 0.0)


def test_the_momentum_of_sgd():
    w = ms.Parameter(ms.Tensor([0.0], ms.float64), name="w")
    optimizer = nn.SGD([w], 1.0, momentum=0.5)
    apply, g = ms.compile(optimizer), (ms.Tensor([1.0], ms.float64),)
    apply(g)
    apply(g)
    assert w.item() == -2.5
    optimizer.momentum.set_data(0.0)
    apply(g)
    assert w.item() == -3.5 and len(apply.variants) == 1
    plain = nn.SGD([w], 1.0)
    plain.momentum.set_data(0.0)
    with pytest.raises(S2sadError, match="E0404"):
        plain.momentum.set_data(0.5)
    assert plain.momentum.item() == 0.0
    nothing = ms.Parameter(ms.Tensor(np.zeros((0, 2))), name="nothing")
    ms.compile(nn.SGD([nothing], 1.0, momentum=0.5))((ms.Tensor(np.zeros((0, 2))),))


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


# ---- other rules ----------------------------------------------------------------------------


def momentum_rule(w, g, state, rate, momentum=0.9, nesterov=False):
    state["v"] = momentum * state.get("v", 0.0) + g
    return w - rate * (g + momentum * state["v"] if nesterov else state["v"])


def adam_rule(w, g, state, rate, beta1=0.9, beta2=0.999, eps=1e-8, nesterov=False, amsgrad=False):
    t = state["t"] = state.get("t", 0) + 1
    m = state["m"] = beta1 * state.get("m", 0.0) + (1 - beta1) * g
    v = state["v"] = beta2 * state.get("v", 0.0) + (1 - beta2) * g * g
    if amsgrad:
        v = state["largest"] = np.maximum(state.get("largest", 0.0), v)
    m = beta1 * m + (1 - beta1) * g if nesterov else m
    return w - rate * np.sqrt(1 - beta2**t) / (1 - beta1**t) * m / (np.sqrt(v) + eps)


def decoupled_rule(w, g, state, rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    m = state["m"] = beta1 * state.get("m", 0.0) + (1 - beta1) * g
    v = state["v"] = beta2 * state.get("v", 0.0) + (1 - beta2) * g * g
    return w - rate * (m / (np.sqrt(v) + eps) + decay * w)


def adagrad_rule(w, g, state, rate, accum=0.1, update_slots=True):
    total = state["a"] = state.get("a", accum) + g * g * update_slots
    return w - rate * g / np.sqrt(total)


def rmsprop_rule(w, g, state, rate, decay=0.9, momentum=0.0, eps=1e-10, centered=False):
    s = state["s"] = decay * state.get("s", 1.0) + (1 - decay) * g * g
    a = state["a"] = decay * state.get("a", 0.0) + (1 - decay) * g
    move = rate * g / np.sqrt(s - a * a * centered + eps)
    state["m"] = momentum * state.get("m", 0.0) + move
    return w - state["m"]


#: What makes the optimizer, its rule, and the decay that goes into gradients.
RULES = {
    "momentum": (lambda ps: nn.Momentum(ps, 0.25, 0.5), partial(momentum_rule, momentum=0.5), 0.0),
    "momentum, nesterov": (
        lambda ps: nn.Momentum(ps, 0.25, 0.5, 0.125, 4.0, True),
        partial(momentum_rule, momentum=0.5, nesterov=True), 0.125,
    ),
    "adam": (lambda ps: nn.Adam(ps, 0.25), adam_rule, 0.0),
    "adam with all": (
        lambda ps: nn.Adam(ps, 0.25, 0.5, 0.75, 1e-3, weight_decay=0.125, loss_scale=4.0),
        partial(adam_rule, beta1=0.5, beta2=0.75, eps=1e-3), 0.125,
    ),
    "adam, nesterov": (
        lambda ps: nn.Adam(ps, 0.25, use_nesterov=True), partial(adam_rule, nesterov=True), 0.0
    ),
    "amsgrad": (
        lambda ps: nn.Adam(ps, 0.25, beta2=0.5, use_amsgrad=True),
        partial(adam_rule, beta2=0.5, amsgrad=True), 0.0,
    ),
    "adagrad": (lambda ps: nn.Adagrad(ps, 0.25, 0.25), partial(adagrad_rule, accum=0.25), 0.0),
    "adagrad with all": (
        lambda ps: nn.Adagrad(ps, 0.25, 0.25, False, 4.0, 0.125),
        partial(adagrad_rule, accum=0.25, update_slots=False), 0.125,
    ),
    "rmsprop": (lambda ps: nn.RMSProp(ps, 0.25), rmsprop_rule, 0.0),
    "rmsprop with all": (
        lambda ps: nn.RMSProp(ps, 0.25, 0.75, 0.5, 1e-3, False, True, 4.0, 0.125),
        partial(rmsprop_rule, decay=0.75, momentum=0.5, eps=1e-3, centered=True), 0.125,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_rules(name, is_compiled):
    make, rule, decay = RULES[name]
    weights = parameters()
    optimizer = make(weights)
    check_rule(optimizer, weights, rule, 0.25, decay, optimizer.loss_scale, is_compiled=is_compiled)
    assert optimizer.global_step.tolist() == [50]


@pytest.mark.parametrize("is_compiled", [False, True])
def test_decay_apart_from_the_gradient(is_compiled):
    weights = parameters()
    optimizer = nn.AdamWeightDecay(weights, 0.25, 0.5, 0.75, 1e-3, 0.125)
    apply = ms.compile(optimizer) if is_compiled else optimizer
    expected, states = [w.asnumpy().copy() for w in weights], [{} for _ in weights]
    for step in range(5):
        gradients = gradients_of(step, weights)
        apply(tuple(map(ms.Tensor, gradients)))
        for place, w in enumerate(weights):
            decay = 0.0 if "gamma" in w.name else 0.125
            expected[place] = decoupled_rule(
                expected[place], gradients[place], states[place], 0.25, decay, 0.5, 0.75, 1e-3
            )
            np.testing.assert_allclose(w.asnumpy(), expected[place], rtol=1e-12)


def test_defaults_are_mindspores():
    w = [ms.Parameter(ms.Tensor([1.0]), name="w")]
    adam, decoupled, rms, grad = nn.Adam(w), nn.AdamWeightDecay(w), nn.RMSProp(w), nn.Adagrad(w)
    rates = [round(x.get_lr().item(), 8) for x in (adam, decoupled, rms, grad)]
    assert rates == [0.001, 0.001, 0.1, 0.001]
    assert (adam.beta1, adam.beta2, adam.eps) == (0.9, 0.999, 1e-8)
    assert (decoupled.beta1, decoupled.beta2, decoupled.eps) == (0.9, 0.999, 1e-6)
    assert (rms.decay, rms.momentum, rms.epsilon, rms.centered) == (0.9, 0.0, 1e-10, False)
    assert (grad.accum[0].item(), grad.update_slots) == (np.float32(0.1), True)


def test_names_of_states():
    weights = [ms.Parameter(ms.Tensor([1.0]), name="net.w")]
    found = {
        kind: [x.name for x in kind(weights, **more).get_parameters() if x is not weights[0]]
        for kind, more in {
            nn.Momentum: {"learning_rate": 0.1, "momentum": 0.9}, nn.Adam: {"use_amsgrad": True},
            nn.AdamWeightDecay: {}, nn.Adagrad: {}, nn.RMSProp: {"centered": True},
        }.items()
    }  # fmt: skip
    common = ["learning_rate", "global_step"]
    assert found == {
        nn.Momentum: [*common, "momentum", "moments.net.w"],
        nn.Adam: [
            *common, "beta1_power", "beta2_power", "moment1.net.w", "moment2.net.w", "vhat.net.w"
        ],
        nn.AdamWeightDecay: [*common, "adam_m.net.w", "adam_v.net.w"],
        nn.Adagrad: [*common, "accum.net.w"],
        nn.RMSProp: [*common, "mean_square.net.w", "moment.net.w", "mean_grad.net.w"],
    }  # fmt: skip
    adam = nn.Adam(weights)
    assert (adam.beta1_power.shape, adam.beta1_power.dtype) == ((), ms.float32)
    assert [x.name for x in adam.trainable_params()] == ["net.w"]


def test_the_momentum_is_read_at_each_step():
    w = ms.Parameter(ms.Tensor([0.0], ms.float64), name="w")
    optimizer = nn.Momentum([w], 1.0, 0.5)
    apply, g = ms.compile(optimizer), (ms.Tensor([1.0], ms.float64),)
    apply(g)
    apply(g)
    assert w.item() == -2.5
    optimizer.momentum.set_data(0.0)
    apply(g)
    assert w.item() == -3.5 and len(apply.variants) == 1


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_states_of_narrow_parameters_are_wide(dtype):
    w = ms.Parameter(ms.Tensor([1.0, 1.0], dtype), name="w")
    optimizer = nn.Adam([w], 0.125)
    g = ms.Tensor([1e-5, -1e-5], dtype)  # whose squares no float16 holds
    ms.compile(optimizer)((g,))
    assert w.dtype is dtype and optimizer.moment2[0].dtype is ms.float32
    np.testing.assert_allclose(w.astype(ms.float32).asnumpy(), [0.875, 1.125], rtol=1e-2)


# ---- rates and decays that change -----------------------------------------------------------


class Harmonic(nn.LearningRateSchedule):
    def construct(self, global_step):
        return 0.5 / (ops.cast(global_step, ms.float32) + 1)


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda: [0.5, 0.25, 0.125], lambda: ms.Tensor([0.5, 0.25, 0.125]),
        lambda: np.array([0.5, 0.25, 0.125]), lambda: (x / 8 for x in (4, 2, 1)),
        lambda: [np.float32(0.5), ms.Tensor(0.25), 0.125],
    ],
)  # fmt: skip
def test_a_rate_for_each_step(is_compiled, make):
    w = ms.Parameter(ms.Tensor([0.0]), name="w")
    optimizer = nn.SGD([w], make())
    apply, g = ms.compile(optimizer) if is_compiled else optimizer, (ms.Tensor([1.0]),)
    seen = []
    for _ in range(3):
        seen.append(optimizer.get_lr().item())
        apply(g)
    assert seen == [0.5, 0.25, 0.125] and w.item() == -0.875
    assert "learning_rate" in optimizer.parameters_dict()
    with pytest.raises(S2sadError, match="E0501"):
        apply(g)
    assert w.item() == -0.875 and optimizer.global_step.tolist() == [3]


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_rate_made_of_the_step(is_compiled):
    w = ms.Parameter(ms.Tensor([0.0]), name="w")
    optimizer = nn.Momentum([w], Harmonic(), 0.0)
    apply, g = ms.compile(optimizer) if is_compiled else optimizer, (ms.Tensor([1.0]),)
    for rate in (0.5, 0.25, 0.5 / 3):
        assert optimizer.get_lr().item() == np.float32(rate)
        apply(g)
    np.testing.assert_allclose(w.item(), -(0.5 + 0.25 + 0.5 / 3), rtol=1e-6)
    assert optimizer.get_lr_parameter(w) is optimizer.learning_rate


class Growing(nn.Cell):
    def construct(self, global_step):
        return ops.cast(global_step, ms.float32) * 0.25


def test_a_decay_made_of_the_step():
    w = ms.Parameter(ms.Tensor([4.0]), name="w")
    optimizer = nn.SGD([w], 0.5, weight_decay=Growing(), loss_scale=2.0)
    apply, g = ms.compile(optimizer), (ms.Tensor([2.0]),)
    expected = 4.0
    for step in range(3):
        assert optimizer.get_weight_decay().item() == step * 0.25
        apply(g)
        expected -= 0.5 * (1.0 + step * 0.25 * expected)
        assert w.item() == expected
    with pytest.raises(S2sadError, match="E0303"):
        nn.AdamWeightDecay([w], weight_decay=Growing())


# ---- groups ---------------------------------------------------------------------------------


def groups_of(weights, **more):
    return [
        {"params": [weights[0], weights[2]], "lr": 0.5, "weight_decay": 0.25},
        {"params": (w for w in weights[3:]), **more},
        {"params": [weights[1]], "weight_decay": 0},
    ]


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("is_ordered", [False, True])
def test_groups(is_compiled, is_ordered):
    weights = parameters()
    given = groups_of(weights)
    order = weights if is_ordered else [weights[i] for i in (0, 2, 3, 1)]
    if is_ordered:
        given.append({"order_params": iter(weights)})
    optimizer = nn.Momentum(given, 0.125, 0.5, 0.75)
    assert all(x is y for x, y in zip(optimizer.parameters, order, strict=True))
    assert (optimizer.is_group, optimizer.is_group_lr) == (True, True)
    rates = dict(zip([w.name for w in weights], (0.5, 0.125, 0.5, 0.125), strict=True))
    decays = dict(zip([w.name for w in weights], (0.25, 0.0, 0.25, 0.75), strict=True))
    assert [x.item() for x in optimizer.get_lr()] == [rates[w.name] for w in order]
    assert optimizer.get_weight_decay() == tuple(decays[w.name] for w in order)
    apply = ms.compile(optimizer) if is_compiled else optimizer
    expected = {w.name: w.asnumpy().copy() for w in weights}
    states = {w.name: {} for w in weights}
    for step in range(3):
        gradients = gradients_of(step, order)
        apply(tuple(map(ms.Tensor, gradients)))
        for w, g in zip(order, gradients, strict=True):
            old = expected[w.name]
            g = g + decays[w.name] * old  # also where the name contains gamma
            expected[w.name] = momentum_rule(old, g, states[w.name], rates[w.name], 0.5)
            np.testing.assert_allclose(w.asnumpy(), expected[w.name], rtol=1e-12)


def test_rates_of_groups():
    weights = parameters()
    optimizer = nn.SGD(groups_of(weights, lr=[0.25, 0.75]), Harmonic())
    names = {x.name for x in optimizer.get_parameters()}
    assert {"learning_rate_group_0", "learning_rate_group_1"} <= names
    assert "learning_rate" not in names
    apply = ms.compile(optimizer)
    ones = tuple(ms.Tensor(np.ones(w.shape)) for w in optimizer.parameters)
    before = [w.asnumpy().copy() for w in optimizer.parameters]
    assert [x.item() for x in optimizer.get_lr()] == [0.5, 0.5, 0.25, 0.5]
    optimizer.get_lr_parameter(weights[2]).set_data(0.125)  # the one of the first group
    apply(ones)
    rates = [0.125, 0.125, 0.25, 0.5]
    for w, old, rate, decay in zip(
        optimizer.parameters, before, rates, (0.25, 0.25, 0, 0), strict=True
    ):
        np.testing.assert_allclose(w.asnumpy(), old - rate * (1 + decay * old), rtol=1e-12)
    assert [x.item() for x in optimizer.get_lr()] == [0.125, 0.125, 0.75, 0.25]
    first, other = optimizer.get_lr_parameter([weights[0], weights[3]])
    assert first.name == "learning_rate_group_0" and other.learning_rate.shape == (2,)


def test_groups_without_settings_decay_all():
    weights = parameters()
    optimizer = nn.SGD([{"params": weights}], 0.5, weight_decay=0.5)
    assert not optimizer.is_group_lr and optimizer.learning_rate.name == "learning_rate"
    before = [w.asnumpy().copy() for w in weights]
    optimizer(tuple(ms.Tensor(np.zeros(w.shape)) for w in weights))
    for w, old in zip(weights, before, strict=True):
        np.testing.assert_allclose(w.asnumpy(), 0.75 * old)


@pytest.mark.parametrize("kind", [nn.SGD, nn.AdamWeightDecay])
def test_central_gradients(kind):
    weights = parameters()
    same = [w.clone() for w in weights]
    plain = kind(same, 0.25)
    central = kind([{"params": weights, "grad_centralization": True}], 0.25)
    gradients = gradients_of(0, weights)
    ms.compile(central)(tuple(map(ms.Tensor, gradients)))
    moved = [g - g.mean(1, keepdims=True) if g.ndim > 1 else g for g in gradients]
    plain(tuple(map(ms.Tensor, moved)))
    for w, other in zip(weights, same, strict=True):
        np.testing.assert_allclose(w.asnumpy(), other.asnumpy(), rtol=1e-12)


def test_groups_decay_apart_from_the_gradient():
    weights = parameters()
    before = [w.asnumpy().copy() for w in weights]
    optimizer = nn.AdamWeightDecay(groups_of(weights), 0.125, weight_decay=0.5)
    zeros = tuple(ms.Tensor(np.zeros(w.shape)) for w in weights)
    optimizer(tuple(zeros[i] for i in (0, 2, 3, 1)))
    factors = (1 - 0.5 * 0.25, 1.0, 1 - 0.5 * 0.25, 1 - 0.125 * 0.5)
    for w, old, factor in zip(weights, before, factors, strict=True):
        np.testing.assert_allclose(w.asnumpy(), old * factor, rtol=1e-12)


W = ms.Parameter(ms.Tensor([1.0]), name="w")
V = ms.Parameter(ms.Tensor([1.0]), name="v")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ([{"params": [W], "learning_rate": 0.1}], "E0404"), ([{"lr": 0.1}], "E0404"),
        ([{"params": []}], "E0404"), ([{"params": [W]}, {"params": [V, W]}], "E0404"),
        ([{"params": [W, W]}], "E0404"), ([{"params": [W]}, V], "E0304"),
        ([{"params": W}], "E0304"), ([{"params": [ms.Tensor(1.0)]}], "E0304"),
        ([{"params": [W], "lr": -1.0}], "E0404"), ([{"params": [W], "lr": "a"}], "E0303"),
        ([{"params": [W], "weight_decay": -1.0}], "E0404"),
        ([{"params": [W], "grad_centralization": 1}], "E0303"),
        ([{"params": [W]}, {"order_params": [V]}], "E0404"),
        ([{"params": [W]}, {"order_params": [W, W]}], "E0404"),
        ([{"params": [W]}, {"order_params": [W], "lr": 0.1}], "E0404"),
        ([{"params": [W]}, {"order_params": [W]}, {"order_params": [W]}], "E0404"),
        ({"params": [W]}, "E0304"), (3, "E0304"), ("w", "E0304"),
    ],
)  # fmt: skip
def test_groups_that_cannot_be(given, code):
    with pytest.raises(S2sadError) as caught:
        nn.SGD(given)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: nn.Adam([W], beta1=1.0), "E0404"), (lambda: nn.Adam([W], beta2=-0.1), "E0404"),
        (lambda: nn.Adam([W], beta1="a"), "E0303"), (lambda: nn.Adam([W], eps=0.0), "E0404"),
        (lambda: nn.Adam([W], use_locking=1), "E0303"),
        (lambda: nn.Adam([W], use_nesterov=True, use_amsgrad=True), "E0404"),
        (lambda: nn.Adam([W], use_lazy=None), "E0303"),
        (lambda: nn.Momentum([W], 0.1, -1.0), "E0404"),
        (lambda: nn.Momentum([W], 0.1, 0.9, use_nesterov=1), "E0303"),
        (lambda: nn.RMSProp([W], epsilon=-1.0), "E0404"),
        (lambda: nn.RMSProp([W], centered=1), "E0303"), (lambda: nn.Adagrad([W], -1.0), "E0404"),
        (lambda: nn.SGD([W], []), "E0404"), (lambda: nn.SGD([W], [0.1, -0.1]), "E0404"),
        (lambda: nn.SGD([W], [[0.1], [0.2]]), "E0303"), (lambda: nn.SGD([W], ["a"]), "E0303"),
        (lambda: nn.SGD([W], True), "E0303"), (lambda: nn.SGD([W], None), "E0303"),
        (lambda: nn.SGD([W], weight_decay="a"), "E0303"),
        (lambda: nn.SGD([W]).get_lr_parameter(V), "E0404"),
        (lambda: nn.SGD([W]).get_lr_parameter("w"), "E0304"),
        (lambda: nn.Optimizer(0.1, [W])((ms.Tensor([1.0]),)), "E0220"),
    ],
)  # fmt: skip
def test_other_settings_that_cannot_be(make, code):
    ms.set_context(mode=ms.PYNATIVE_MODE)  # where what is missing is told as it is
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code


def test_a_step_that_fails_writes_nothing():
    weights = parameters()
    optimizer = nn.Adam(weights)
    before = [w.asnumpy().copy() for w in optimizer.get_parameters()]
    good = [ms.Tensor(g) for g in gradients_of(0, weights)]
    for bad in ((*good[:3], good[0]), (*good[:3], ms.Tensor(1)), (*good[:3], 1.0), good[0]):
        with pytest.raises(S2sadError):
            optimizer(bad)
    for w, old in zip(optimizer.get_parameters(), before, strict=True):
        np.testing.assert_array_equal(w.asnumpy(), old)


class Signs(nn.Optimizer):
    """An optimizer as users of MindSpore write one."""

    def __init__(self, params, rate):
        super().__init__(rate, params, weight_decay=0.5, loss_scale=2.0)

    def construct(self, gradients):
        gradients = self.flatten_gradients(gradients)
        gradients = self.decay_weight(gradients)
        gradients = self.gradients_centralization(gradients)
        gradients = self.scale_grad(gradients)
        lr = self.get_lr()
        ops.assign_add(self.global_step, 1)
        for w, g in zip(self.parameters, gradients, strict=True):
            ops.assign_sub(w, lr * ops.sign(g))


def test_an_optimizer_of_ones_own():
    for is_compiled in (False, True):
        w = ms.Parameter(ms.Tensor([1.0, -1.0]), name="w")
        optimizer = Signs([w], 0.25)
        apply = ms.compile(optimizer) if is_compiled else optimizer
        apply((ms.Tensor([-2.0, 0.5]),))  # half of it, and half of the Parameter
        assert w.tolist() == [1.25, -0.75] and optimizer.global_step.tolist() == [1]
