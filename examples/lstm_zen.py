"""An LSTM reads the Zen of Python letter by letter, and goes on in its manner.

    python examples/lstm_zen.py

prints how surely it guesses the next letter while it learns, and then what it writes.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import io

import numpy as np

import s2sad as ms
from s2sad import nn, ops

LENGTH = 40


def zen():
    """The text of the module `this`, which prints it when it is imported."""
    with contextlib.redirect_stdout(io.StringIO()):
        import this
    return codecs.decode(this.s, "rot13")


class Language(nn.Cell):
    """What letter comes next, at each place of a text."""

    def __init__(self, letters, size):
        super().__init__()
        self.embedding = nn.Embedding(letters, 24)
        self.lstm = nn.LSTM(24, size, batch_first=True)
        self.output = nn.Dense(size, letters)

    def construct(self, text):
        read, _ = self.lstm(self.embedding(text))
        return self.output(read)


def pieces(numbers, steps, size, rng):
    """For each step some pieces of the text, and the same pieces one letter on."""
    for _ in range(steps):
        starts = rng.integers(0, len(numbers) - LENGTH, size)
        taken = numbers[starts[:, np.newaxis] + np.arange(LENGTH + 1)]
        yield taken[:, :-1], taken[:, 1:]


def train(numbers, letters, steps, size=32, units=96):
    ms.set_seed(0)
    net = Language(letters, units)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 5e-3)

    def forward(text, following):
        return loss_fn(net(text).reshape(-1, letters), following.reshape(-1))

    gradient = ms.value_and_grad(forward, None, net.trainable_params())

    @ms.compile
    def step(text, following):
        loss, gradients = gradient(text, following)
        optimizer(ops.clip_by_global_norm(gradients, 1.0))
        return loss

    losses = step.sink(pieces(numbers, steps, size, np.random.default_rng(0))).asnumpy()
    return net, losses


def write(net, numbers, count):
    """`count` letters more than `numbers`, each the likeliest after the `LENGTH` before it."""
    written = list(numbers)
    for _ in range(count):
        logits = net(ms.Tensor([written[-LENGTH:]], ms.int32)).asnumpy()[0, -1]
        written.append(int(logits.argmax()))
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--letters", type=int, default=300, help="how many it writes")
    args = parser.parse_args()
    text = zen()
    letters = sorted(set(text))
    numbers = np.array([letters.index(letter) for letter in text], np.int32)
    net, losses = train(numbers, len(letters), args.steps)
    for number in range(0, args.steps, max(1, args.steps // 6)):
        print(f"step {number:5}: {losses[number]:.3f} nats a letter")
    print(f"the last : {losses[-1]:.3f}\n")
    start = numbers[:LENGTH]
    print("".join(letters[each] for each in write(net, start, args.letters)))


if __name__ == "__main__":
    main()
