"""Where does MindSpore cast in half precision, and where does s2sad?

A step of `scripts/mixed_precision.py`, in NumPy and float64, rounded where each of them rounds.
Every loss that they print comes out of it. They differ in where the casts stand, and in nothing
else:

- MindSpore's graph, on a CPU, leaves a result in float32 where the kernel that makes it and the one
  that takes it know nothing else: between GELU and the product of matrices after it, and between
  the backward sweeps of the two.
- Its PyNative mode casts at each operator, not at each Cell. So `LayerNorm` casts its weights to
  the float16 of its input before its operator casts both to float32, and their gradients go the
  same way back.
- s2sad rounds what each operation gives, and nothing in a `LayerNorm`, in both modes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.compat.test_scripts import losses, run, theirs

Array = np.ndarray
A_TENTH, NINE_TENTHS = np.array([0.1, 0.9], np.float32).astype(float)


@dataclass(frozen=True)
class Casts:
    """What is rounded to float16, of all that may be."""

    between_kernels: bool = True
    weights_of_norm: bool = False


S2SAD = Casts()
MINDSPORE = {"GRAPH": Casts(between_kernels=False), "PYNATIVE": Casts(weights_of_norm=True)}


def single(x: Array) -> Array:
    return x.astype(np.float32).astype(np.float64)


def half(x: Array) -> Array:
    return x.astype(np.float32).astype(np.float16).astype(np.float64)


def gelu(x: Array) -> tuple[Array, Array]:
    """The value and the slope, of the form with a tanh."""
    factor = np.sqrt(2 / np.pi)
    t = np.tanh(factor * (x + 0.044715 * x**3))
    inner = factor * (1 + 3 * 0.044715 * x * x)
    return 0.5 * x * (1 + t), 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner


def start() -> list[Array]:
    """The first Parameters of the script, in its order."""
    random = np.random.default_rng(29)
    shapes = [(16, 6), (16,), (16,), (16,), (3, 16), (3,)]
    return [single(random.normal(scale=0.3, size=s) + (i == 2)) for i, s in enumerate(shapes)]


def batch() -> tuple[Array, Array]:
    """The samples of the script, and their classes."""
    random = np.random.default_rng(19)
    labels = random.integers(0, 3, 32)
    x = random.normal(size=(32, 6))
    x[np.arange(32), labels] += 2.0
    return half(x), labels


def gradients(
    parameters: list[Array], x: Array, labels: Array, scale: float, casts: Casts
) -> tuple[float, list[Array]]:
    """The loss, and the gradients of it times `scale`."""
    w1, b1, w2, b2 = (half(parameters[i]) for i in (0, 1, 4, 5))
    norm = half if casts.weights_of_norm else single
    gamma, beta = norm(parameters[2]), norm(parameters[3])
    between = half if casts.between_kernels else single

    first = half(half(x @ w1.T) + b1)
    deviation = 1 / np.sqrt(first.var(-1, keepdims=True) + 1e-7)
    z = (first - first.mean(-1, keepdims=True)) * deviation
    value, slope = gelu(half(single(z * gamma + beta)))
    hidden = between(value)
    logits = np.concatenate([half(half(hidden @ w2.T) + b2), x[:, :1]], 1)
    exponentials = np.exp(logits - logits.max(-1, keepdims=True))
    shares = exponentials / exponentials.sum(-1, keepdims=True)
    rows = np.arange(len(x))
    loss = float(np.float32(-np.log(shares[rows, labels]).mean()))

    shares[rows, labels] -= 1
    d_logits = half(single(shares * scale / len(x)))[:, :3]
    d_norm = half(single(between(d_logits @ w2) * slope))
    d_z = d_norm * gamma
    along = d_z - d_z.mean(-1, keepdims=True) - z * (d_z * z).mean(-1, keepdims=True)
    d_first = half(single(deviation * along))
    return loss, [
        half(d_first.T @ x), half(d_first.sum(0)),
        norm((d_norm * z).sum(0)), norm(d_norm.sum(0)),
        half(d_logits.T @ hidden), half(d_logits.sum(0)),
    ]  # fmt: skip


def train(casts: Casts, steps: int) -> Array:
    """The losses of the script, by momentum and with the scale that grows."""
    parameters, scale = start(), 2.0**10
    moments = [np.zeros_like(value) for value in parameters]
    x, labels = batch()
    found = []
    for step in range(1, steps + 1):
        loss, grads = gradients(parameters, x, labels, scale, casts)
        assert all(np.isfinite(grad).all() for grad in grads)
        for i, grad in enumerate(grads):
            moments[i] = single(single(moments[i] * NINE_TENTHS) + single(grad / scale))
            parameters[i] = single(parameters[i] - single(A_TENTH * moments[i]))
        scale *= 1 + (step % 5 == 0)
        found.append(loss)
    return np.array(found)


@pytest.mark.parametrize("mode", MINDSPORE)
def test_every_loss_comes_of_where_the_casts_stand(mode):
    ours = losses(run("mixed_precision", mode))[:, 0]
    np.testing.assert_allclose(train(S2SAD, len(ours)), ours, rtol=0, atol=2e-6)
    their = theirs()["mixed_precision"][mode][:, 0]
    np.testing.assert_allclose(train(MINDSPORE[mode], len(their)), their, rtol=0, atol=2e-6)


def test_the_modes_of_mindspore_are_as_far_from_one_another_as_from_s2sad():
    graph, plain, ours = (train(casts, 15) for casts in (*MINDSPORE.values(), S2SAD))
    for one, other in ((graph, plain), (ours, graph), (ours, plain)):
        assert 1e-4 < np.abs(one - other).max() < 2e-4
