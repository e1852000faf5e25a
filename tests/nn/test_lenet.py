"""Does a convolutional network train, operation by operation and compiled, to the same numbers?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from support.forms import require_same


class LeNet5(nn.Cell):
    """The network of LeCun et al. for digits, with rectifiers."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.fc1 = nn.Dense(16 * 4 * 4, 120, activation="relu")
        self.fc2 = nn.Dense(120, 84, activation="relu")
        self.fc3 = nn.Dense(84, 10)
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        return self.fc3(self.fc2(self.fc1(self.flatten(x))))


class Modern(nn.Cell):
    """Blocks in a list, normalised, with a mean over what is left of each row."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList()
        for channels, wider in ((1, 4), (4, 8)):
            self.blocks.append(nn.SequentialCell(
                nn.Conv2d(channels, wider, 3, 2), nn.BatchNorm2d(wider), nn.LeakyReLU(),
            ))  # fmt: skip
        self.norm = nn.GroupNorm(2, 8)
        self.pool = nn.AdaptiveAvgPool2d((None, 1))
        self.head = nn.Dense(8 * 7, 10)

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(self.pool(self.norm(x)).flatten(start_dim=1))


def digits(count):
    """Images with a bright stripe, which says the class."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, count).astype(np.int32)
    images = 0.3 * rng.normal(size=(count, 1, 28, 28)).astype(np.float32)
    for image, label in zip(images, labels, strict=True):
        image[0, 4 + 2 * label : 6 + 2 * label] += 2
    return ms.Tensor(images), ms.Tensor(labels)


def train(kind, mode, steps, rate):
    """Losses of some steps, and the network."""
    ms.set_context(mode=mode)
    ms.set_seed(1)
    net = kind().set_train()
    images, labels = digits(32)
    loss = nn.CrossEntropyLoss()
    optimizer = nn.SGD(net.trainable_params(), rate, 0.9)
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    losses = []
    for _ in range(steps):
        value, gradients = step(images, labels)
        optimizer(gradients)
        losses.append(value.item())
    return losses, net


@pytest.mark.parametrize(("kind", "steps", "rate"), [(LeNet5, 40, 0.05), (Modern, 40, 0.2)])
def test_training(kind, steps, rate):
    graph, net = train(kind, ms.GRAPH_MODE, steps, rate)
    assert graph[-1] < 0.3 * graph[0] and 2.0 < graph[0] < 3.0
    plain, other = train(kind, ms.PYNATIVE_MODE, 3, rate)
    assert graph[:3] == plain
    images, _ = digits(32)
    net.set_train(False)
    require_same(net.construct(images), ms.compile(net)(images))
    assert other.training


def test_names_of_parameters():
    found = [parameter.name for parameter in Modern().trainable_params()]
    assert found == [
        "blocks.0.0.weight", "blocks.0.1.gamma", "blocks.0.1.beta", "blocks.1.0.weight",
        "blocks.1.1.gamma", "blocks.1.1.beta", "norm.gamma", "norm.beta", "head.weight",
        "head.bias",
    ]  # fmt: skip
    lenet = [parameter.name for parameter in LeNet5().trainable_params()]
    assert lenet[:3] == ["conv1.weight", "conv2.weight", "conv2.bias"] and len(lenet) == 9
