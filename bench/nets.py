"""Which networks do the workloads train? Cells that are called with a batch and give the loss."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import s2sad as ms
from bench.common import CHAIN_N, LSTM, NEWTON, TR, mlp_sizes, res_blocks
from s2sad import nn, ops


class Mlp(nn.Cell):
    """Three dense layers."""

    def __init__(self, sizes):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = (nn.Dense(sizes[i], sizes[i + 1]) for i in range(3))
        self.loss = nn.CrossEntropyLoss()

    def construct(self, x, y):
        return self.loss(self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x))))), y)


class LeNet(nn.Cell):
    """Two convolutions, each with a pooling, and three dense layers."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)
        self.loss = nn.CrossEntropyLoss()

    def construct(self, x, y):
        x = self.pool(ops.relu(self.conv1(x)))
        x = ops.flatten(self.pool(ops.relu(self.conv2(x))))
        return self.loss(self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x))))), y)


class SimpleNet(nn.Cell):
    """A convolution with its norm, and a dense layer over all that it gives."""

    def __init__(self, size):
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 3)
        self.bn = nn.BatchNorm2d(64)
        self.fc = nn.Dense(64 * size * size, 10)
        self.loss = nn.CrossEntropyLoss()

    def construct(self, x, y):
        return self.loss(self.fc(ops.flatten(ops.relu(self.bn(self.conv(x))))), y)


def conv(channels, filters, size, stride):
    """A convolution that pads to the size that a stride of 1 keeps."""
    return nn.Conv2d(channels, filters, size, stride, pad_mode="pad", padding=size // 2)


class Block(nn.Cell):
    """Two convolutions, and their input added to what they give."""

    def __init__(self, channels, filters, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(channels, filters, 3, stride), nn.BatchNorm2d(filters)
        self.conv2, self.bn2 = conv(filters, filters, 3, 1), nn.BatchNorm2d(filters)
        self.is_projected = stride != 1 or channels != filters
        if self.is_projected:
            self.conv3, self.bn3 = conv(channels, filters, 1, stride), nn.BatchNorm2d(filters)

    def construct(self, x):
        kept = self.bn3(self.conv3(x)) if self.is_projected else x
        return ops.relu(self.bn2(self.conv2(ops.relu(self.bn1(self.conv1(x))))) + kept)


class Stem(nn.Cell):
    """The first convolution with its norm."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = conv(3, 32, 3, 1), nn.BatchNorm2d(32)

    def construct(self, x):
        return ops.relu(self.bn1(self.conv1(x)))


class ResNet(nn.Cell):
    """A stem, six blocks, and a dense layer over the mean of what they give."""

    def __init__(self):
        super().__init__()
        self.stem = Stem()
        for name, channels, filters, stride in res_blocks():
            setattr(self, name, Block(channels, filters, stride))
        self.fc = nn.Dense(128, 10)
        self.loss = nn.CrossEntropyLoss()

    def construct(self, x, y):
        x = self.s0b1(self.s0b0(self.stem(x)))
        x = self.s2b1(self.s2b0(self.s1b1(self.s1b0(x))))
        return self.loss(self.fc(ops.mean(x, (2, 3))), y)


class RmsNorm(nn.Cell):
    """Divides rows by the root of their mean square."""

    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(ms.Tensor(np.ones(TR["d"], np.float32)), name="weight")

    def construct(self, x):
        mean = ops.mean(x * x, -1, keep_dims=True)
        return x * ops.rsqrt(mean + TR["eps"]) * self.weight


def angles():
    """Of each position and pair of a head, by which it turns."""
    half = np.arange(0, TR["dh"], 2) / TR["dh"]
    return np.arange(TR["T"])[:, None] * TR["theta"] ** -half[None]


class Decoder(nn.Cell):
    """Attention over what came before, then a gated layer, both added to their input."""

    def __init__(self):
        super().__init__()
        d, f = TR["d"], TR["f"]
        self.n1, self.n2 = RmsNorm(), RmsNorm()
        for name in ("wq", "wk", "wv", "wo"):
            setattr(self, name, nn.Dense(d, d, has_bias=False))
        self.w1, self.w3 = nn.Dense(d, f, has_bias=False), nn.Dense(d, f, has_bias=False)
        self.w2 = nn.Dense(f, d, has_bias=False)
        self.cos = ms.Tensor(np.cos(angles()).astype(np.float32))
        self.sin = ms.Tensor(np.sin(angles()).astype(np.float32))
        hidden = np.triu(np.full((TR["T"], TR["T"]), -np.inf, np.float32), 1)
        self.mask = ms.Tensor(hidden)

    def heads(self, x):
        return ops.transpose(ops.reshape(x, (-1, TR["T"], TR["h"], TR["dh"])), (0, 2, 1, 3))

    def turned(self, x):
        half = TR["dh"] // 2
        a, b = x[..., :half], x[..., half:]
        return ops.concat((a * self.cos - b * self.sin, b * self.cos + a * self.sin), -1)

    def construct(self, z):
        n = self.n1(z)
        q, k, v = self.heads(self.wq(n)), self.heads(self.wk(n)), self.heads(self.wv(n))
        scores = ops.matmul(self.turned(q), ops.swapaxes(self.turned(k), -1, -2))
        weights = ops.softmax(scores / math.sqrt(TR["dh"]) + self.mask, -1)
        mixed = ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))
        z = z + self.wo(ops.reshape(mixed, (-1, TR["T"], TR["d"])))
        n = self.n2(z)
        return z + self.w2(ops.silu(self.w1(n)) * self.w3(n))


class Embedding(nn.Cell):
    """Rows of a table, which is also the last layer."""

    def __init__(self):
        super().__init__()
        zeros = np.zeros((TR["V"], TR["d"]), np.float32)
        self.weight = ms.Parameter(ms.Tensor(zeros), name="weight")

    def construct(self, ids):
        return ops.gather(self.weight, ids, 0)


class Transformer(nn.Cell):
    """Two decoders between a table of embeddings, read both ways."""

    def __init__(self):
        super().__init__()
        self.emb, self.nf = Embedding(), RmsNorm()
        self.b0, self.b1 = Decoder(), Decoder()
        self.loss = nn.CrossEntropyLoss()

    def construct(self, x, y):
        z = self.nf(self.b1(self.b0(self.emb(x))))
        logits = ops.matmul(ops.reshape(z, (-1, TR["d"])), ops.swapaxes(self.emb.weight, 0, 1))
        return self.loss(logits, ops.reshape(y, (-1,)))


class Lstm(nn.Cell):
    """A recurrent layer, and a dense one over its last state."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(LSTM["I"], LSTM["H"], batch_first=True)
        self.fc = nn.Dense(LSTM["H"], 10)
        self.loss = nn.CrossEntropyLoss()

    def construct(self, x, y):
        _, (hidden, _) = self.rnn(x)
        return self.loss(self.fc(hidden[0]), y)


class Chain(nn.Cell):
    """Thirty elementwise operations on three arrays."""

    def __init__(self):
        super().__init__()
        for name in "abc":
            zeros = ms.Tensor(np.zeros(CHAIN_N, np.float32))
            setattr(self, name, ms.Parameter(zeros, name=name))

    def construct(self):
        a, b, c = self.a, self.b, self.c
        t = ops.tanh(a * b + c)
        u = ops.exp(-t) * a + 0.5
        v = ops.gelu(ops.sigmoid(u) * t + b, approximate="tanh")
        w = v - 0.1 * c
        s = ops.softplus(w)
        p = ops.tanh(s * v)
        q = ops.sqrt(p * p + 1.0) * a
        r = (ops.sigmoid(q) - t) * 0.7
        m = (ops.exp(-(r * r)) + u) * c
        return ops.mean(ops.tanh(ops.silu(m)))


class Pinn(nn.Cell):
    """How far a network is from solving u'' + u'/2 + 4 u = 0 with u(0) = 1, u'(0) = 0."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Dense(1, 32), nn.Dense(32, 32), nn.Dense(32, 1)

    def value(self, t):
        return self.fc3(ops.tanh(self.fc2(ops.tanh(self.fc1(t)))))

    def with_slope(self, t):
        return ms.jvp(self.value, t, ops.ones_like(t))

    def construct(self, x):
        (u, slope), (_, bend) = ms.jvp(self.with_slope, x, ops.ones_like(x))
        start, slope0 = self.with_slope(ops.zeros((1, 1), ms.float32))
        residual = bend + 0.5 * slope + 4.0 * u
        return ops.mean(residual**2) + ops.sum((start - 1.0) ** 2) + ops.sum(slope0**2)


class Newton(nn.Cell):
    """Solves Kepler's equation, whose parameters a dense layer makes, in a loop."""

    def __init__(self):
        super().__init__()
        weight = ms.Tensor(np.zeros((NEWTON["F"], 2), np.float32))
        self.w = ms.Parameter(weight, name="w")
        self.b = ms.Parameter(ms.Tensor(np.zeros(2, np.float32)), name="b")

    def construct(self, x, y):
        given = ops.matmul(x, self.w) + self.b
        e, mean = 0.9 * ops.sigmoid(given[:, 0]), given[:, 1]
        at, steps, worst = mean, 0, ops.ones((), ms.float32)
        while steps < NEWTON["max_iter"] and worst >= NEWTON["tol"]:
            error = at - e * ops.sin(at) - mean
            move = NEWTON["omega"] * error / (1.0 - e * ops.cos(at))
            at = at - move
            worst = ops.stop_gradient(ops.max(ops.abs(move))[0])
            steps = steps + 1
        return ops.mean((ops.sin(at) - y) ** 2)


def network(name: str) -> nn.Cell:
    """The network of the workload `name`, with weights of its own."""
    makers: dict[str, Any] = {
        "mlp_small": lambda: Mlp(mlp_sizes(name)),
        "mlp_large": lambda: Mlp(mlp_sizes(name)),
        "lenet": LeNet,
        "simplenet_seed": lambda: SimpleNet(64),
        "simplenet_224": lambda: SimpleNet(224),
        "resnet_block_net": ResNet,
        "transformer_block": Transformer,
        "lstm": Lstm,
        "elementwise_chain": Chain,
        "ode_pinn": Pinn,
        "newton_while": Newton,
    }
    return makers[name]()
