"""Does a sink run in C as single calls do, bit for bit, without the host in its loop?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn


@pytest.fixture(autouse=True)
def native(monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", "c")


def training(optimizer):
    """A network with Dropout and BatchNorm, and its compiled training step."""
    ms.set_seed(0)
    net = nn.SequentialCell(
        [nn.Dense(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(p=0.2), nn.Dense(8, 3)]
    )
    net.set_train()
    loss_fn, update = nn.CrossEntropyLoss(), optimizer(net.trainable_params())
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())

    @ms.compile
    def step(x, y):
        loss, gradients = gradient(x, y)
        update(gradients)
        return loss

    return net, step


def batches(count):
    rng = np.random.default_rng(0)
    for _ in range(count):
        x = rng.standard_normal((16, 6)).astype(np.float32)
        yield ms.Tensor(x), ms.Tensor(rng.integers(0, 3, 16).astype(np.int32))


@pytest.mark.parametrize(
    "optimizer", [lambda p: nn.Momentum(p, 0.1, 0.9), lambda p: nn.Adam(p, 1e-2)]
)
def test_losses_and_parameters_are_those_of_single_calls(optimizer):
    alone, step = training(optimizer)
    losses = [step(*batch).asnumpy() for batch in batches(20)]
    sunk, looped = training(optimizer)
    found = looped.sink(list(batches(20))).asnumpy()
    assert np.stack(losses).tobytes() == found.tobytes()
    for one, other in zip(alone.get_parameters(), sunk.get_parameters(), strict=True):
        assert one.asnumpy().tobytes() == other.asnumpy().tobytes(), one.name
    assert looped.last_sink.interactions == 1


def test_the_loop_needs_no_host_and_copies_no_state():
    _, step = training(lambda p: nn.Momentum(p, 0.1, 0.9))
    step.sink(list(batches(2)))
    steps = [each.op for each in step.last.sunk._program.layout.steps]
    assert "HOST" not in steps
    first = steps.index("UNLESS")
    assert not {"COPY", "SWAP"} & set(steps[first:])
