"""A network becomes the solution of a differential equation, of which it is told nothing else.

    python examples/pinn_wave.py --output demo-output

The equation is u'' = -u on 0 <= t <= pi, with u(0) = 0 and u'(0) = 1; its solution is sin(t). The
loss is how far the network is from fulfilling it: so it has derivatives of the network within,
which are differentiated once more to train it. The picture ``wave.png`` shows both curves.

Source: Raissi, Perdikaris and Karniadakis, Physics-informed neural networks, 2019.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import s2sad as ms
from s2sad import nn, ops

END = np.pi


class Curve(nn.Cell):
    """A number for each time; with u(0) = 0 and u'(0) = 1 whatever the weights are."""

    def __init__(self, units=32):
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Dense(1, units), nn.Tanh(), nn.Dense(units, units), nn.Tanh(), nn.Dense(units, 1)
        )

    def construct(self, t):
        return t + t * t * self.body(2 * t / END - 1)


class Residual(nn.Cell):
    """The mean square of u'' + u at some times."""

    def __init__(self, curve):
        super().__init__()
        self.curve = curve

    def construct(self, t):
        def slope(t):
            return ms.grad(lambda t: self.curve(t).sum())(t)

        bend = ms.grad(lambda t: slope(t).sum())(t)
        return ops.mean(ops.square(bend + self.curve(t)))


def train(steps, times=64):
    """A trained curve, and the loss of each step."""
    ms.set_seed(0)
    curve = Curve()
    rates = nn.cosine_decay_lr(1e-5, 5e-3, steps, 1, steps)
    optimizer = nn.Adam(curve.trainable_params(), rates)
    step = ms.compile(nn.TrainOneStepCell(Residual(curve), optimizer))
    t = np.linspace(0, END, times, dtype=np.float32)[:, np.newaxis]
    return curve, step.sink([t] * steps).asnumpy()


def plot(path, t, found, losses):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
    left.semilogy(losses)
    left.set(xlabel="step", ylabel="mean square of u'' + u", title="training")
    right.plot(t, np.sin(t), color="0.75", linewidth=5, label="sin(t)")
    right.plot(t, found, label="the network")
    right.set(xlabel="t", title="solution")
    right.legend(frameon=False)
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    curve, losses = train(args.steps)
    t = np.linspace(0, END, 200, dtype=np.float32)[:, np.newaxis]
    found = curve(ms.Tensor(t)).asnumpy()
    print(f"loss {losses[0]:.3g} at first, {losses[-1]:.3g} at last")
    print(f"largest distance from sin(t): {np.abs(found - np.sin(t)).max():.4f}")
    if args.output is not None:
        args.output.mkdir(parents=True, exist_ok=True)
        plot(args.output / "wave.png", t, found, losses)
        print(f"look at {args.output / 'wave.png'}")


if __name__ == "__main__":
    main()
