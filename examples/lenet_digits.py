"""Train LeNet on real handwritten digits, and look at every stage of its compilation.

The digits are the 1,797 8x8 images of the UCI set that scikit-learn ships, four times as large.
The training step is compiled by s2sad: its source is parsed, differentiated as Python, turned into
C, and sunk: one call runs all steps. Without a C compiler NumPy runs it.

    python examples/lenet_digits.py --output demo-output

leaves in the folder: ``stages/NN-NAME.py``, each stage of the training step as a Python file
that runs by itself (`python demo-output/stages/00-primal.py`); ``step.py``, the step with its
gradient as a colleague might have written it; ``step.c``, what ran; ``losses.csv``, the loss of
each step; ``training.png``, the loss and some predictions.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import s2sad as ms
from s2sad import nn, ops

#: The learning rate at the start; it falls along half a cosine.
RATE = 0.02


@ms.compile
class LeNet(nn.Cell):
    """Two convolutions, each with a pooling, and three dense layers.

    Source: LeCun et al., Gradient-based learning applied to document recognition, 1998, with ReLUs
    and pooling by the maximum.
    """

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.dense1 = nn.Dense(16 * 5 * 5, 120)
        self.dense2 = nn.Dense(120, 84)
        self.output = nn.Dense(84, 10)

    def construct(self, images):
        x = self.pool(ops.relu(self.conv1(images)))
        x = self.pool(ops.relu(self.conv2(x)))
        x = ops.flatten(x)
        x = ops.relu(self.dense1(x))
        return self.output(ops.relu(self.dense2(x)))


def load():
    """Images of shape (count, 1, 32, 32), scaled to [0, 1], and labels, to train and to test."""
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)
    images = images.repeat(4, axis=1).repeat(4, axis=2)[:, np.newaxis]
    labels = digits.target.astype(np.int32)
    return train_test_split(images, labels, test_size=0.25, random_state=0, stratify=labels)


def batches(images, labels, size, epochs):
    """Batches of all epochs, each shuffled anew; what does not fill a batch is left out."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(epochs):
        order = rng.permutation(len(images))
        for start in range(0, len(order) - size + 1, size):
            chosen = order[start : start + size]
            found.append((ms.Tensor(images[chosen]), ms.Tensor(labels[chosen])))
    return found


def accuracy(net, images, labels):
    """Share of images whose largest logit is at the label."""
    logits = net(ms.Tensor(images)).asnumpy()
    return float(np.mean(logits.argmax(axis=1) == labels))


def training_step(net, steps):
    """One step of training, compiled: gradients and the update of the parameters."""
    loss_fn = nn.CrossEntropyLoss()
    rates = nn.cosine_decay_lr(0.0, RATE, steps + 1, 1, steps)  # one more, for the dumps
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=rates, momentum=0.9)

    def forward(x, y):
        return loss_fn(net(x), y)

    gradient = ms.value_and_grad(forward, None, net.trainable_params())

    @ms.compile
    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    return step


def check_stages(paths, loss):
    """Run every dump as a plain Python program; each must give `loss`."""
    for path in tqdm(paths, desc="dumps", unit="file", file=sys.stdout, disable=None):
        out = path.with_suffix(".out.npz")
        command = [sys.executable, str(path), "--out", str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with np.load(out, allow_pickle=False) as results:
            found = float(results["result0"])
        out.unlink()
        if not np.isclose(found, loss, rtol=1e-5):
            raise SystemExit(f"{path} gives the loss {found!r}, compiled code gave {loss!r}")
    print(f"{len(paths)} stages, run by plain Python: loss {loss:.6f} in each")


def plot(path, losses, net, images, labels):
    """Loss over steps, and the first test images with what the network reads in them."""
    figure = plt.figure(figsize=(11, 4.2))
    left, right = figure.add_gridspec(1, 2, width_ratios=(1.25, 1))
    axes = figure.add_subplot(left)
    axes.plot(losses, color="0.75", linewidth=0.8, label="each step")
    smooth = np.convolve(losses, np.ones(15) / 15, mode="valid")
    axes.plot(np.arange(len(smooth)) + 7, smooth, color="tab:blue", label="mean of 15")
    axes.set(xlabel="step", ylabel="cross entropy (nats)", yscale="log", title="training loss")
    axes.legend(frameon=False)
    predictions = net(ms.Tensor(images[:15])).asnumpy().argmax(axis=1)
    grid = right.subgridspec(3, 5, hspace=0.35, wspace=0.15)
    for index in range(15):
        axes = figure.add_subplot(grid[index // 5, index % 5])
        axes.imshow(images[index, 0], cmap="gray_r")
        axes.set_xticks([]), axes.set_yticks([])
        right_answer = predictions[index] == labels[index]
        axes.set_title(f"{predictions[index]}", color="tab:green" if right_answer else "tab:red")
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("demo-output"))
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch-size", type=int, default=32)
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)

    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(0)
    train_images, test_images, train_labels, test_labels = load()
    net = LeNet()
    data = batches(train_images, train_labels, args.batch_size, args.epochs)
    step = training_step(net, len(data))

    start = time.perf_counter()
    losses = step.sink(data, title="training").asnumpy()
    seconds = time.perf_counter() - start
    reached = accuracy(net, test_images, test_labels)
    print(f"{len(losses)} steps in {seconds:.1f} s, compiling included, by "
          f"{step.last_sink.interactions} call; test accuracy {reached:.4f}")  # fmt: skip

    paths = step.dump(args.output / "stages", *data[0])
    loss = float(step.last.executable.run(step.inputs(*data[0]))[0])
    check_stages(paths, loss)
    np.savetxt(args.output / "losses.csv", losses, header="cross entropy of each step (nats)")
    (args.output / "step.py").write_text(step.source, encoding="utf-8")
    (args.output / "step.c").write_text(step.last.executable.source, encoding="utf-8")
    plot(args.output / "training.png", losses, net, test_images, test_labels)
    print(f"look at {args.output / 'step.py'} and {args.output / 'training.png'}")
    if reached < 0.97:
        raise SystemExit("the test accuracy is below 0.97")


if __name__ == "__main__":
    main()
