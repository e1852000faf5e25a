"""Do statistics, masks, losses and accumulated gradients train as the formulas say?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import Parameter, Tensor, nn, ops
from support.cases import in_both_modes, require_near


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def t(values, dtype=ms.float32):
    return Tensor(values, dtype)


NORMS = {
    "1d": (nn.BatchNorm1d, (4, 2), 0), "2d": (nn.BatchNorm2d, (2, 2, 3, 2), (0, 2, 3)),
    "3d": (nn.BatchNorm3d, (2, 2, 2, 1, 2), (0, 2, 3, 4)),
}  # fmt: skip


@pytest.mark.parametrize("case", NORMS)
def test_batch_norm(case):
    kind, shape, axes = NORMS[case]
    x, w = normal(*shape), normal(*shape, seed=1)
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    root, count = np.sqrt(variance + 1e-5), x.size / 2
    normed = (x - mean) / root
    along = w - w.mean(axes, keepdims=True) - normed * (w * normed).mean(axes, keepdims=True)
    for _ in in_both_modes():
        net = kind(2, momentum=0.8, dtype=ms.float64).set_train()
        require_near(net(t(x, ms.float64)), normed)
        moved = 0.2 * mean.ravel(), 0.8 + 0.2 * variance.ravel() * count / (count - 1)
        kept = getattr(net, "bn2d", net)
        require_near([kept.moving_mean, kept.moving_variance], moved)
        gradient = ms.grad(lambda x, w, net=net: (net(x) * w).sum())
        require_near(gradient(t(x, ms.float64), t(w, ms.float64)), along / root)
        net.set_train(False)
        before = kept.moving_mean.asnumpy().copy()
        net(t(x, ms.float64))
        require_near(kept.moving_mean, before)


def centred(x, axes, epsilon):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def test_layer_and_group_norm():
    x = normal(2, 4, 3)
    for _ in in_both_modes():
        found = nn.LayerNorm((3,), dtype=ms.float64)(t(x, ms.float64))
        require_near(found, centred(x, 2, 1e-7))
        found = nn.LayerNorm([4, 3], 1, 1, dtype=ms.float64)(t(x, ms.float64))
        require_near(found, centred(x, (1, 2), 1e-7))
        found = nn.GroupNorm(2, 4, dtype=ms.float64)(t(x.reshape(2, 4, 3, 1), ms.float64))
        require_near(found, centred(x.reshape(2, 2, 6), 2, 1e-5).reshape(2, 4, 3, 1))


def dropped_thrice(x):
    for _ in range(3):
        x = ops.dropout(x, p=0.1) * 2
    return x


def test_dropout():
    x = Tensor(np.ones(1000, np.float32))
    for _ in in_both_modes():
        net = nn.Dropout(p=0.25)
        require_near(net(x), np.ones(1000))
        first, second = net.set_train()(x).asnumpy(), net(x).asnumpy()
        assert (first != second).any() and 650 < (first != 0).sum() < 850
        require_near(t(first[first != 0]), np.full((first != 0).sum(), 1 / 0.75))
        require_near(ops.dropout(x, p=1.0), np.zeros(1000))
        require_near(ops.dropout(x, training=False), np.ones(1000))
        value, gradient = ms.value_and_grad(dropped_thrice)(x)
        require_near(gradient, value.asnumpy())
        kept = []
        for _ in range(2):
            ms.set_seed(3)
            kept.append(nn.Dropout(p=0.5).set_train()(x).tolist())
        assert kept[0] == kept[1]
        planes = (
            nn.Dropout2d(p=0.5).set_train()(Tensor(np.ones((4, 8, 3, 3), np.float32))).asnumpy()
        )
        assert {len(np.unique(plane)) for plane in planes.reshape(32, 9)} == {1}


class Accumulates(nn.Cell):
    """Adds the gradients of each call to Parameters."""

    def __init__(self, step, parameters):
        super().__init__()
        self.step, self.sums = step, parameters

    def construct(self, x):
        gradients = self.step(x)[1]
        for held, gradient in zip(self.sums, gradients, strict=True):
            ops.assign_add(held, gradient)
        return gradients[0]


def test_parts_of_a_batch_add_up():
    dense = nn.Dense(3, 2)
    x = normal(7, 3)
    step = ms.value_and_grad(lambda x: (dense(dense(x)[:, [0, 1, 0]]) ** 2).sum(), None, dense.trainable_params())  # noqa: E501 # fmt: skip
    for _ in in_both_modes():
        whole = [g.asnumpy() for g in step(t(x))[1]]
        parts = [step(t(x[i:j]))[1] for i, j in ((0, 3), (3, 4), (4, 7))]
        require_near([sum(part[k] for part in parts) for k in range(2)], whole, 1e-4, 1e-4)
        held = ms.ParameterTuple(
            Parameter(ops.zeros_like(p), name=f"sum.{p.name}") for p in dense.trainable_params()
        )
        net = Accumulates(step, held)
        for i, j in ((0, 3), (3, 4), (4, 7)):
            net(t(x[i:j]))
        require_near(list(held), whole, 1e-4, 1e-4)


SCORES, TARGETS = normal(4, 3), np.array([0, 2, -100, 1])
WEIGHTS = np.array([1.0, 2.0, 3.0])
LOGS = SCORES - np.log(np.exp(SCORES).sum(1, keepdims=True))
COUNTS = TARGETS != -100
ROWS = -LOGS[range(4), np.where(COUNTS, TARGETS, 0)] * COUNTS
WEIGHED = WEIGHTS[np.where(COUNTS, TARGETS, 0)] * COUNTS
SMOOTH = -LOGS.sum(1) * COUNTS
ENTROPIES = {
    "mean": ({}, ROWS.sum() / 3), "sum": ({"reduction": "sum"}, ROWS.sum()),
    "none": ({"reduction": "none"}, ROWS),
    "weighted": ({"weight": WEIGHTS}, (ROWS * WEIGHED).sum() / WEIGHED.sum()),
    "weighted rows": ({"weight": WEIGHTS, "reduction": "none"}, ROWS * WEIGHED),
    "smooth": ({"label_smoothing": 0.3}, (0.7 * ROWS.sum() + 0.1 * SMOOTH.sum()) / 3),
    "both": ({"weight": WEIGHTS, "label_smoothing": 0.3},
        (0.7 * (ROWS * WEIGHED).sum() - 0.1 * ((LOGS * WEIGHTS).sum(1) * COUNTS).sum())
        / WEIGHED.sum()),
    "another ignored": ({"ignore_index": 2}, None),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [ms.int32, ms.int64])
@pytest.mark.parametrize("case", ENTROPIES)
def test_cross_entropy(case, dtype):
    settings, expected = ENTROPIES[case]
    settings = {k: t(v, ms.float64) if k == "weight" else v for k, v in settings.items()}
    targets = t(TARGETS, dtype)
    if expected is None:
        targets, expected = t([0, 2, 2, 1], dtype), -LOGS[[0, 3], [0, 1]].mean()
    for _ in in_both_modes():
        found = ops.cross_entropy(t(SCORES, ms.float64), targets, **settings)
        require_near(found, expected)
        require_near(nn.CrossEntropyLoss(**settings)(t(SCORES, ms.float64), targets), expected)


def test_cross_entropy_of_probabilities_and_places():
    p = np.exp(LOGS[::-1])
    x = normal(2, 3, 2, 2)
    logs = x - np.log(np.exp(x).sum(1, keepdims=True))
    places = np.array([[[0, 1], [2, 0]], [[1, 1], [0, 2]]])
    for _ in in_both_modes():
        scores = t(SCORES, ms.float64)
        require_near(ops.cross_entropy(scores, t(p, ms.float64)), -(p * LOGS).sum(1).mean())
        found = ops.cross_entropy(scores, t(p, ms.float64), label_smoothing=0.3)
        require_near(found, -((p * 0.7 + 0.1) * LOGS).sum(1).mean())
        found = ops.cross_entropy(t(x, ms.float64), t(places, ms.int32), reduction="none")
        require_near(found, -np.take_along_axis(logs, places[:, None], 1)[:, 0])
        gradient = ms.grad(lambda x: ops.cross_entropy(x, NONE_COUNTS, reduction="sum"))(scores)
        require_near(gradient, np.zeros((4, 3)))


NONE_COUNTS = t([-100] * 4, ms.int32)


def adam_by_hand(w, gradients, decay, scale):
    m, v, w = np.zeros_like(w), np.zeros_like(w), w.copy()
    for step, g in enumerate(gradients, 1):
        g = g / scale + decay * w
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        rate = 0.1 * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        w = w - rate * m / (np.sqrt(v) + 1e-8)
    return w


def momentum_by_hand(w, gradients, decay, scale):
    v, w = np.zeros_like(w), w.copy()
    for g in gradients:
        v = 0.9 * v + g / scale + decay * w
        w = w - 0.1 * v
    return w


STEPS = {
    "adam": (lambda ps, **given: nn.Adam(ps, learning_rate=0.1, **given), adam_by_hand),
    "momentum": (lambda ps, **given: nn.Momentum(ps, 0.1, 0.9, **given), momentum_by_hand),
    "sgd": (lambda ps, **given: nn.SGD(ps, 0.1, 0.9, **given), momentum_by_hand),
}  # fmt: skip


@pytest.mark.parametrize("scale", [1.0, 4.0])
@pytest.mark.parametrize("decay", [0.0, 0.5])
@pytest.mark.parametrize("case", STEPS)
def test_first_steps(case, decay, scale):
    make, by_hand = STEPS[case]
    gradients = [normal(3, seed=seed) for seed in range(4)]
    start = np.array([1.0, -3.0, 0.0])
    for _ in in_both_modes():
        p = Parameter(t(start, ms.float64), name="p")
        optimizer = make([p], weight_decay=decay, loss_scale=scale)
        for gradient in gradients:
            optimizer((t(gradient, ms.float64),))
        require_near(p, by_hand(start, gradients, decay, scale), 1e-6)


def test_a_net_learns():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body = nn.SequentialCell(nn.Conv2d(2, 2, 3), nn.BatchNorm2d(2), nn.ReLU())
            self.gates = nn.CellList([nn.Dense(2, 2) for _ in range(2)])

        def construct(self, x):
            y = self.body(x) + x
            gate = y.mean((2, 3))
            for layer in self.gates:
                gate = ops.sigmoid(layer(gate))
            return ops.mean((y * gate.expand_dims(-1).expand_dims(-1)) ** 2)

    for _ in in_both_modes():
        ms.set_seed(0)
        net, x = Net().set_train(), t(normal(4, 2, 4, 4))
        step = ms.value_and_grad(net, None, net.trainable_params())
        optimizer = nn.Adam(net.trainable_params(), 1e-2)
        losses = []
        for _ in range(5):
            loss, gradients = step(x)
            optimizer(gradients)
            losses.append(loss.item())
        assert losses == sorted(losses, reverse=True)
