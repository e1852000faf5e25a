"""A variational autoencoder learns to draw handwritten digits.

    python examples/vae_digits.py --output demo-output

The encoder says where in a plane of two numbers a digit lies, and how surely; the decoder draws
what lies there. The picture ``digits.png`` shows what it draws over the whole plane.

Source: Kingma and Welling, Auto-encoding variational Bayes, 2013.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import s2sad as ms
from s2sad import nn, ops


class Vae(nn.Cell):
    """Pictures of 64 numbers from 0 to 1, and a plane in between."""

    def __init__(self, hidden=128, latent=2):
        super().__init__()
        self.body = nn.Dense(64, hidden, activation="relu")
        self.mean = nn.Dense(hidden, latent)
        self.log_variance = nn.Dense(hidden, latent)
        self.decoder = nn.SequentialCell(nn.Dense(latent, hidden), nn.ReLU(), nn.Dense(hidden, 64))

    def construct(self, x):
        hidden = self.body(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        place = mean + ops.exp(log_variance / 2) * ops.randn_like(mean)
        return self.decoder(place), mean, log_variance


class Bound(nn.Cell):
    """The negative of the evidence's lower bound, per picture: it is what training makes small."""

    def __init__(self, vae):
        super().__init__()
        self.vae = vae

    def construct(self, x):
        logits, mean, log_variance = self.vae(x)
        drawn = ops.binary_cross_entropy_with_logits(logits, x, None, None, reduction="sum")
        far = ops.sum(ops.exp(log_variance) + mean * mean - 1 - log_variance) / 2
        return (drawn + far) / x.shape[0]


def train(pictures, epochs, size=64):
    """A trained network, and the mean loss of each epoch."""
    ms.set_seed(0)
    vae = Vae()
    optimizer = nn.Adam(vae.trainable_params(), 2e-3)
    step = ms.compile(nn.TrainOneStepCell(Bound(vae), optimizer))
    rng, losses = np.random.default_rng(0), []
    for _ in range(epochs):
        order = rng.permutation(len(pictures))[: len(pictures) // size * size]
        losses.append(step.sink(list(pictures[order].reshape(-1, size, 64))).asnumpy().mean())
    return vae, losses


def draw(vae, count=15):
    """What the decoder draws at `count` times `count` places of the plane."""
    ticks = np.linspace(-2.5, 2.5, count, dtype=np.float32)
    places = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    drawn = ops.sigmoid(vae.decoder(ms.Tensor(places))).asnumpy()
    return drawn.reshape(count, count, 8, 8).transpose(0, 2, 1, 3).reshape(count * 8, count * 8)


def plot(path, picture, losses):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
    left.plot(losses)
    left.set(xlabel="epoch", ylabel="bound (nats)", title="training")
    right.imshow(picture, cmap="gray_r", extent=(-2.5, 2.5, 2.5, -2.5))
    right.set(title="what is drawn at each place of the plane")
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=80)
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    pictures = (load_digits().data / 16.0).astype(np.float32)
    vae, losses = train(pictures, args.epochs)
    print(f"bound of the first epoch {losses[0]:.2f}, of the last {losses[-1]:.2f} nats")
    if args.output is not None:
        args.output.mkdir(parents=True, exist_ok=True)
        plot(args.output / "digits.png", draw(vae), losses)
        print(f"look at {args.output / 'digits.png'}")


if __name__ == "__main__":
    main()
