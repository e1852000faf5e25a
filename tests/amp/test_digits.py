"""Does mixed precision with a scale that adapts reach what float32 does, also past an overflow?"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

import s2sad as ms
from s2sad import amp, nn, ops

EPOCHS, SIZE = 5, 64
#: Of the steps of all epochs, before which a batch comes that float16 cannot hold.
INJECTED = (3, 40, 41)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(2, 2)
        self.output = nn.Dense(8 * 16, 10)

    def construct(self, images):
        x = self.pool(ops.relu(self.norm(self.conv(images))))
        return self.output(ops.flatten(x))


@pytest.fixture(scope="module")
def digits():
    found = load_digits()
    images = (found.images / 16.0).astype(np.float32)[:, np.newaxis]
    return images, found.target.astype(np.int32)


def state(net):
    return [p.asnumpy().copy() for p in net.trainable_params()]


def trained(level, digits, injected=()):
    """The mean loss of the last epoch, and the scales after steps that were injected."""
    images, labels = digits
    ms.set_seed(0)
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    settings = {"loss_scale_manager": amp.DynamicLossScaleManager(2**10, 2, 2000)}
    step = ms.compile(
        amp.build_train_network(
            net, optimizer, nn.CrossEntropyLoss(), level=level,
            **(settings if level == "O2" else {}),
        )
    )  # fmt: skip
    rng, number, losses, scales = np.random.default_rng(0), 0, [], []
    for _ in range(EPOCHS):
        order, losses = rng.permutation(len(images)), []
        for start in range(0, len(order) - SIZE + 1, SIZE):
            chosen = order[start : start + SIZE]
            if number in injected:
                before = state(net)
                far = ms.Tensor(images[chosen] * np.float32(1e6))
                _, overflow, scale = step(far, ms.Tensor(labels[chosen]))
                assert overflow.item() is True
                scales.append(scale.item())
                for old, new in zip(before, state(net), strict=True):
                    assert old.tobytes() == new.tobytes()
            found = step(ms.Tensor(images[chosen]), ms.Tensor(labels[chosen]))
            losses.append((found[0] if isinstance(found, tuple) else found).item())
            number += 1
    return float(np.mean(losses)), scales


def test_o2_past_overflows_is_within_2_percent_of_o0(digits):
    wide, _ = trained("O0", digits)
    narrow, scales = trained("O2", digits, INJECTED)
    assert wide < 0.2  # it has learnt something
    assert narrow == pytest.approx(wide, rel=0.02)
    assert scales == [2.0**10, 2.0**9, 2.0**8]
