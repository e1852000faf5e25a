"""Activations and their gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, means, option, table
from s2sad.backends.ascend.device.meanings.elementwise import erf, sigmoid, softplus
from s2sad.backends.ascend.graph import Node

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _below(x: np.ndarray, scale: float) -> np.ndarray:
    """`x` above 0, ``scale * (exp(x) - 1)`` below."""
    return np.where(x > 0, x, scale * np.expm1(np.minimum(x, 0)))


def _mish_slope(x: np.ndarray) -> np.ndarray:
    tanh = np.tanh(softplus(x))
    return tanh + x * (1 - tanh * tanh) * sigmoid(x)


def _silu_slope(x: np.ndarray) -> np.ndarray:
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


table({
    "Relu": lambda x: np.maximum(x, np.zeros_like(x)),
    "Relu6": lambda x: np.clip(x, 0, 6),
    "ReluGrad": lambda dy, x: dy * (x > 0),
    "Selu": lambda x: SELU_SCALE * _below(x, SELU_ALPHA),
    "SigmoidGrad": lambda y, dy: dy * y * (1 - y),
    "SiluGrad": lambda dy, x: dy * _silu_slope(x),
    "Softplus": softplus,
    "TanhGrad": lambda y, dy: dy * (1 - y * y),
    "HardSwish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "LogSigmoid": lambda x: -softplus(-x),
    "Mish": lambda x: x * np.tanh(softplus(x)),
})  # fmt: skip


@means("MishGrad")
def _mish_grad(node: Node, given: Arrays) -> np.ndarray:
    """``tanhx``, which saves a kernel some work, says nothing new."""
    return given["grad"] * _mish_slope(given["x"])


@means("Swish")
def _swish(node: Node, given: Arrays) -> np.ndarray:
    x = given["x"]
    return x * sigmoid(option(node, "scale") * x)


@means("HardSigmoid")
def _hard_sigmoid(node: Node, given: Arrays) -> np.ndarray:
    return np.clip(option(node, "alpha") * given["input_x"] + option(node, "beta"), 0, 1)


@means("Elu")
def _elu(node: Node, given: Arrays) -> np.ndarray:
    """``scale * x`` above 0, ``scale * alpha * (exp(input_scale * x) - 1)`` below."""
    x, alpha = given["x"], option(node, "alpha")
    low = alpha * np.expm1(option(node, "input_scale") * np.minimum(x, 0))
    return option(node, "scale") * np.where(x > 0, x, low)


@means("LeakyRelu")
def _leaky_relu(node: Node, given: Arrays) -> np.ndarray:
    x = given["x"]
    return np.where(x > 0, x, option(node, "negative_slope") * x)


@means("GeluV2")
def _gelu(node: Node, given: Arrays) -> np.ndarray:
    x = given["x"]
    return x * _gate(node, x)[0]


@means("GeluGradV2")
def _gelu_grad(node: Node, given: Arrays) -> np.ndarray:
    x = given["x"]
    gate, slope = _gate(node, x)
    return given["dy"] * (gate + x * slope)


def _gate(node: Node, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The normal distribution's share below `x`, or its tanh form, and its derivative."""
    if option(node, "approximate") == "none":
        density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return (1 + erf(x / math.sqrt(2))) / 2, density
    factor = math.sqrt(2 / math.pi)
    tanh = np.tanh(factor * (x + 0.044715 * x**3))
    return (1 + tanh) / 2, (1 - tanh * tanh) / 2 * factor * (1 + 3 * 0.044715 * x * x)


# Softmax, along all of its axes at once


def softmax(x: np.ndarray, axes: Any) -> np.ndarray:
    """Exponentials, divided by their sum over `axes`."""
    e = np.exp(x - np.max(x, axes, keepdims=True, initial=-np.inf))
    return e / np.sum(e, axes, keepdims=True)


def log_softmax(x: np.ndarray, axes: Any) -> np.ndarray:
    """The logarithm of `softmax`, without its underflow."""
    apart = x - np.max(x, axes, keepdims=True, initial=-np.inf)
    return apart - np.log(np.sum(np.exp(apart), axes, keepdims=True))


@means("SoftmaxV2")
def _softmax(node: Node, given: Arrays) -> np.ndarray:
    return softmax(given["x"], tuple(option(node, "axes")))


@means("SoftmaxGrad")
def _softmax_grad(node: Node, given: Arrays) -> np.ndarray:
    y, dy = given["softmax"], given["grad_softmax"]
    return y * (dy - np.sum(y * dy, tuple(option(node, "axes")), keepdims=True))


@means("LogSoftmaxV2")
def _log_softmax(node: Node, given: Arrays) -> np.ndarray:
    return log_softmax(given["logits"], tuple(option(node, "axes")))


@means("LogSoftmaxGrad")
def _log_softmax_grad(node: Node, given: Arrays) -> np.ndarray:
    """``x`` is what LogSoftmaxV2 gave."""
    dy, axes = given["grad"], tuple(option(node, "axis"))
    return dy - np.exp(given["x"]) * np.sum(dy, axes, keepdims=True)
