"""Programs whose text tests keep: small, and written here because the text cites their lines."""

from __future__ import annotations

import numpy as np

import s2sad as ms
from s2sad import nn, ops


class Mlp(nn.Cell):
    """Two layers and their loss."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(0)
        self.w1 = ms.Parameter(rng.normal(size=(3, 4)), name="w1")
        self.b1 = ms.Parameter(np.zeros(4), name="b1")
        self.w2 = ms.Parameter(rng.normal(size=(4, 2)), name="w2")

    def construct(self, x, labels):
        hidden = ops.relu(ops.matmul(x, self.w1) + self.b1)
        return ops.cross_entropy(ops.matmul(hidden, self.w2), labels)


def repeated(x, w):
    """A loop over data, which reverse mode runs backwards."""
    while x.sum() < 3.0:
        x = ops.tanh(x * w) + 1.0
    return x.sum()


class Recurrent(nn.Cell):
    """One step again and again."""

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(np.linspace(-0.5, 0.5, 9).reshape(3, 3), name="w")

    def construct(self, x):
        h = x
        for _ in range(3):
            h = ops.tanh(ops.matmul(h, self.w))
        return h


class Convolving(nn.Cell):
    """An image, a convolution, and what is left of it."""

    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(np.linspace(-1, 1, 18).reshape(2, 1, 3, 3), name="weight")
        self.bias = ms.Parameter(np.full(2, 0.5), name="bias")

    def construct(self, image):
        features = ops.relu(ops.conv2d(image, self.weight, self.bias))
        return features.mean((2, 3))
