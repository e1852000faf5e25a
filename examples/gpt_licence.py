"""A small GPT learns this project's licence letter by letter, and writes on from its first words.

    python examples/gpt_licence.py

The text is `LICENSE`, beside the README. Where it writes, temperature 0 takes the likeliest letter,
and more lets chance in.

Source: Radford et al., Language models are unsupervised multitask learners, 2019; the norm comes
before attention, as there.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

import s2sad as ms
from s2sad import nn, ops

TEXT = Path(__file__).parents[1] / "LICENSE"


class Attention(nn.Cell):
    """Each place looks at those before it, and at itself."""

    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Dense(size, 3 * size)
        self.output = nn.Dense(size, size)

    def construct(self, x):
        batch, length, size = x.shape
        parts = self.qkv(x).reshape(batch, length, 3, self.heads, size // self.heads)
        q, k, v = ops.unstack(parts.transpose(2, 0, 3, 1, 4))
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(size // self.heads)
        later = ops.triu(ops.ones((length, length), ms.float32), 1)
        weights = ops.softmax(scores - 1e9 * later, -1)
        found = ops.matmul(weights, v).transpose(0, 2, 1, 3).reshape(batch, length, size)
        return self.output(found)


class Block(nn.Cell):
    """Attention and two dense layers, each beside a way past it."""

    def __init__(self, size, heads):
        super().__init__()
        self.before, self.between = nn.LayerNorm((size,)), nn.LayerNorm((size,))
        self.attention = Attention(size, heads)
        self.mlp = nn.SequentialCell(nn.Dense(size, 4 * size), nn.GELU(), nn.Dense(4 * size, size))

    def construct(self, x):
        x = x + self.attention(self.before(x))
        return x + self.mlp(self.between(x))


class Gpt(nn.Cell):
    """What letter comes next, at each of the places of a text of at most `length` letters."""

    def __init__(self, letters, length, size=96, heads=4, layers=3):
        super().__init__()
        self.tokens = nn.Embedding(letters, size, embedding_table="normal")
        self.places = nn.Embedding(length, size, embedding_table="normal")
        self.blocks = nn.SequentialCell([Block(size, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm((size,))
        self.head = nn.Dense(size, letters)

    def construct(self, text):
        x = self.tokens(text) + self.places(ops.arange(text.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def pieces(numbers, length, steps, size):
    """For each step some pieces of the text, and the same pieces one letter on."""
    rng = np.random.default_rng(0)
    for _ in range(steps):
        starts = rng.integers(0, len(numbers) - length, size)
        taken = numbers[starts[:, np.newaxis] + np.arange(length + 1)]
        yield taken[:, :-1], taken[:, 1:]


def train(net, numbers, letters, length, steps, size=24):
    """The loss of each step."""
    loss_fn = nn.CrossEntropyLoss()
    rates = nn.cosine_decay_lr(1e-4, 2e-3, steps, 1, steps)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), rates, weight_decay=0.01)

    def forward(text, following):
        return loss_fn(net(text).reshape(-1, letters), following.reshape(-1))

    gradient = ms.value_and_grad(forward, None, net.trainable_params())

    @ms.compile
    def step(text, following):
        loss, gradients = gradient(text, following)
        optimizer(ops.clip_by_global_norm(gradients, 1.0))
        return loss

    return step.sink(pieces(numbers, length, steps, size)).asnumpy()


def write(net, start, length, count, temperature, rng):
    """`start` and `count` letters more."""
    written = list(start)
    for _ in range(count):
        seen = written[-length:]
        text = np.zeros((1, length), np.int32)  # letters after the last are not looked at
        text[0, : len(seen)] = seen
        logits = net(ms.Tensor(text)).asnumpy()[0, len(seen) - 1].astype(np.float64)
        if temperature:
            logits = logits / temperature + rng.gumbel(size=logits.shape)
        written.append(int(logits.argmax()))
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--size", type=int, default=96)
    parser.add_argument("--letters", type=int, default=300, help="how many it writes")
    parser.add_argument("--temperature", type=float, default=0.3)
    args = parser.parse_args()
    ms.set_seed(0)
    text = TEXT.read_text("utf-8")
    letters = sorted(set(text))
    numbers = np.array([letters.index(letter) for letter in text], np.int32)
    net = Gpt(len(letters), args.length, args.size)
    losses = train(net, numbers, len(letters), args.length, args.steps)
    for number in range(0, args.steps, max(1, args.steps // 6)):
        print(f"step {number:5}: {losses[number]:.3f} nats a letter")
    print(f"the last : {losses[-1]:.3f}\n")
    rng = np.random.default_rng(0)
    found = write(net, numbers[:20], args.length, args.letters, args.temperature, rng)
    print("".join(letters[each] for each in found))


if __name__ == "__main__":
    main()
