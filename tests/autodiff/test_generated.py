"""What does a joint program look like, gradient included, to somebody who reads it?"""

from __future__ import annotations

import numpy as np

import s2sad as ms
from support.snapshot_programs import Convolving, Mlp, Recurrent, repeated


def joint_of(step, *args):
    """The program that a step compiles to, after its first call."""
    step(*args)
    return ms.compile(step).stages.readable


def test_mlp_with_cross_entropy(snapshot):
    net = Mlp()
    x, labels = np.linspace(-1, 1, 6).reshape(2, 3), np.array([0, 1])
    step = ms.value_and_grad(net, None, net.trainable_params())
    joint = joint_of(step, ms.Tensor(x), ms.Tensor(labels))
    weights = [parameter.asnumpy() for parameter in net.trainable_params()]
    snapshot(joint, [x, labels, *weights], style="source")


def test_while_loop_with_tanh(snapshot):
    x, w = np.array([0.1, -0.2]), np.array([0.5, 1.5])
    joint = joint_of(ms.value_and_grad(repeated, (0, 1)), ms.Tensor(x), ms.Tensor(w))
    snapshot(joint, [x, w], style="source")


def snapshot_backward(snapshot, function, *args):
    """Hold the backward half to the snapshot, run on what a call keeps and a cotangent of ones."""
    compiled = ms.compile(function)
    output, pullback = compiled.vjp(*args)
    residuals = [*pullback.residuals, np.ones_like(output.asnumpy())]
    snapshot(compiled.backward.function, residuals, style="source")


def test_vjp_of_mlp(snapshot):
    x, labels = np.linspace(-1, 1, 6).reshape(2, 3), np.array([0, 1])
    snapshot_backward(snapshot, Mlp(), ms.Tensor(x), ms.Tensor(labels))


def test_vjp_of_recurrent_net(snapshot):
    snapshot_backward(snapshot, Recurrent(), ms.Tensor(np.linspace(-1, 1, 6).reshape(2, 3)))


def test_vjp_of_while_loop(snapshot):
    snapshot_backward(
        snapshot, repeated, ms.Tensor(np.array([0.1, -0.2])), ms.Tensor(np.array([0.5, 1.5]))
    )


def test_vjp_of_convolving_net(snapshot):
    image = np.linspace(-1, 1, 32).reshape(2, 1, 4, 4)
    snapshot_backward(snapshot, Convolving(), ms.Tensor(image))
