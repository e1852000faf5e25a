"""Train ResNet-18, in its form for small pictures, on handwritten digits.

    python examples/resnet_digits.py

The digits are the 1,797 of the UCI set that scikit-learn ships, four times as large: 32 x 32, in
three equal colours, as the pictures of CIFAR-10 are. `Model` trains, with a callback; a whole epoch
is one call of a program.

Source: He et al., Deep residual learning for image recognition, 2016, with a first convolution of
3 x 3 and no first pooling, as is usual for pictures of this size.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import s2sad as ms
import s2sad.dataset as ds
from s2sad import nn, ops
from s2sad.train import LossMonitor, Model


class Block(nn.Cell):
    """Two convolutions, and a way past them."""

    def __init__(self, given, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(given, channels, 3, stride, pad_mode="pad", padding=1)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, pad_mode="pad", padding=1)
        self.norm2 = nn.BatchNorm2d(channels)
        self.past = nn.Identity()
        if stride != 1 or given != channels:
            self.past = nn.SequentialCell(
                nn.Conv2d(given, channels, 1, stride), nn.BatchNorm2d(channels)
            )

    def construct(self, x):
        out = ops.relu(self.norm1(self.conv1(x)))
        return ops.relu(self.norm2(self.conv2(out)) + self.past(x))


class ResNet(nn.Cell):
    """`depths` blocks of each of four widths, from `width` on; (2, 2, 2, 2) is ResNet-18."""

    def __init__(self, width=64, depths=(2, 2, 2, 2), classes=10):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, pad_mode="pad", padding=1)
        self.norm = nn.BatchNorm2d(width)
        blocks, given = [], width
        for stage, depth in enumerate(depths):
            channels = width * 2**stage
            for place in range(depth):
                blocks.append(Block(given, channels, 2 if stage and not place else 1))
                given = channels
        self.blocks = nn.SequentialCell(blocks)
        self.output = nn.Dense(given, classes)

    def construct(self, images):
        x = ops.relu(self.norm(self.conv(images)))
        return self.output(self.blocks(x).mean((2, 3)))


def load(scale=4):
    """Images of shape (count, 3, 8 * scale, 8 * scale) and labels, to train and to test."""
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32).repeat(scale, 1).repeat(scale, 2)
    images = np.repeat(images[:, np.newaxis], 3, axis=1)
    labels = digits.target.astype(np.int32)
    return train_test_split(images, labels, test_size=0.25, random_state=0, stratify=labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--width", type=int, default=64, help="of the first blocks")
    parser.add_argument("--depth", type=int, default=2, help="blocks of each width")
    parser.add_argument("--scale", type=int, default=4, help="how much larger digits become")
    parser.add_argument("--rows", type=int, help="train on so many digits only")
    args = parser.parse_args()
    ms.set_seed(0)
    train_images, test_images, train_labels, test_labels = load(args.scale)
    rows = args.rows or len(train_labels)
    columns = ["image", "label"]
    data = ds.NumpySlicesDataset((train_images[:rows], train_labels[:rows]), columns, shuffle=True)
    data = data.batch(64, drop_remainder=True)
    steps = data.get_dataset_size()
    net = ResNet(args.width, (args.depth,) * 4)
    rates = nn.cosine_decay_lr(1e-4, 0.05, args.epochs * steps, steps, args.epochs)
    optimizer = nn.Momentum(net.trainable_params(), rates, 0.9, weight_decay=5e-4)
    model = Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"})
    model.train(args.epochs, data, callbacks=LossMonitor(max(1, steps // 4)))
    tested = ds.NumpySlicesDataset((test_images, test_labels), columns, shuffle=False).batch(150)
    print(f"test accuracy {model.eval(tested)['accuracy']:.4f}")


if __name__ == "__main__":
    main()
