"""Train one small network on real handwritten digits at each level of mixed precision.

    python examples/precision_digits.py

prints, for each level of `amp.build_train_network`, the loss of the last epoch and its distance
from that in float32, the share of right answers on digits that were not trained on, and how many
steps were left out because a gradient overflowed. At O2 the scale of the loss begins far too high,
on purpose: it settles by leaving steps out.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import s2sad as ms
from s2sad import amp, nn, ops


class Net(nn.Cell):
    """A convolution with batch normalisation, a pooling, and two dense layers, for 8x8 images."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 12, 3)
        self.norm = nn.BatchNorm2d(12)
        self.pool = nn.MaxPool2d(2, 2)
        self.hidden = nn.Dense(12 * 16, 64)
        self.output = nn.Dense(64, 10)

    def construct(self, images):
        x = self.pool(ops.relu(self.norm(self.conv(images))))
        return self.output(ops.relu(self.hidden(ops.flatten(x))))


def train(level, images, labels, epochs, size=64):
    """The trained network, the mean loss of the last epoch, and the number of steps left out."""
    ms.set_seed(0)
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.02, 0.9)
    step = ms.compile(amp.build_train_network(net, optimizer, nn.CrossEntropyLoss(), level=level))
    rng, losses, left_out = np.random.default_rng(0), [], 0
    for _ in range(epochs):
        order, losses = rng.permutation(len(images)), []
        for start in range(0, len(order) - size + 1, size):
            chosen = order[start : start + size]
            found = step(ms.Tensor(images[chosen]), ms.Tensor(labels[chosen]))
            loss, overflow, _ = found if isinstance(found, tuple) else (found, None, None)
            losses.append(loss.item())
            left_out += overflow is not None and overflow.item()
    return net, float(np.mean(losses)), left_out


def accuracy(net, images, labels):
    logits = net.set_train(False)(ms.Tensor(images)).asnumpy()
    return float(np.mean(logits.argmax(axis=1) == labels))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    epochs = parser.parse_args().epochs
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[:, np.newaxis]
    labels = digits.target.astype(np.int32)
    train_images, test_images, train_labels, test_labels = train_test_split(
        images, labels, test_size=0.25, random_state=0, stratify=labels
    )
    print("level    loss  from O0  accuracy  left out")
    wide = None
    for level in ("O0", "O1", "O2", "O3", "auto"):
        net, loss, left_out = train(level, train_images, train_labels, epochs)
        wide = loss if wide is None else wide
        share = accuracy(net, test_images, test_labels)
        print(f"{level:5} {loss:7.4f}  {loss / wide - 1:+7.2%}  {share:8.1%}  {left_out:8}")


if __name__ == "__main__":
    main()
