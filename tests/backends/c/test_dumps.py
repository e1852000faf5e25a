"""Does a stage that was written out go on to the very C that the program became?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, prims
from s2sad.backends.c.emit import emit
from s2sad.ir import store
from s2sad.passes.base import run_passes
from s2sad.passes.pipeline import parse_pipeline


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, pad_mode="valid")
        self.pool = nn.MaxPool2d(2, 2)
        self.dense = nn.Dense(27, 4)

    def construct(self, x):
        x = self.pool(nn.ReLU()(self.conv(x)))
        for _ in range(3):
            x = x * 0.5 + x.tanh()
        return self.dense(x.reshape(x.shape[0], -1))


@pytest.fixture
def step(monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", "c")
    ms.set_context(mode=ms.GRAPH_MODE)
    net, loss_fn = Net(), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())

    @ms.compile
    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    return step


def test_every_stage_of_a_training_step_becomes_the_same_file(step, tmp_path):
    x = ms.Tensor(np.linspace(-1, 1, 2 * 64).reshape(2, 1, 8, 8).astype(np.float32))
    y = ms.Tensor(np.array([1, 3], np.int32))
    paths = step.dump(tmp_path, x, y)
    wanted = step.last.executable.source
    for path, left in zip(paths, step.stages.left, strict=True):
        function = store.load(path, prims.ALL)
        run_passes(function, parse_pipeline(left))
        assert emit([function]).text == wanted, path.name
