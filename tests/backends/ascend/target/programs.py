"""A small network, its batches, and its training by MindSpore's names."""

from __future__ import annotations

import numpy as np

import s2sad as ms
from s2sad import nn


def batches(count):
    rows = np.random.default_rng(0).normal(size=(count, 4, 8)).astype(np.float32)
    return [(x, x[:, :3].argmax(1).astype(np.int32)) for x in rows]


class Losses(ms.Callback):
    """Keeps what each step gave."""

    def __init__(self):
        super().__init__()
        self.found = []

    def on_train_step_end(self, run_context):
        self.found.append(run_context.original_args().net_outputs.item())


def network():
    ms.set_seed(1)
    return nn.SequentialCell(nn.Dense(8, 6), nn.ReLU(), nn.Dense(6, 3))


def trained(data, *, epochs=1, **settings):
    """Losses of all steps that callbacks see, and the parameters in the end."""
    net = network()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    return trained_by(net, nn.CrossEntropyLoss(), optimizer, data, epochs, **settings)


def fitted(data, *, epochs=1, **settings):
    """The same of the smallest network, whose steps have few operations."""
    ms.set_seed(1)
    net = nn.Dense(8, 1, has_bias=False)
    data = [(x, x[:, :1]) for x, _ in data]
    optimizer = nn.SGD(net.trainable_params(), 0.05)
    return trained_by(net, nn.MSELoss(), optimizer, data, epochs, **settings)


def trained_by(net, loss, optimizer, data, epochs, **settings):
    losses, model = Losses(), ms.Model(net, loss, optimizer)
    model.train(epochs, data, callbacks=losses, **settings)
    return losses.found, [parameter.asnumpy() for parameter in net.trainable_params()]
