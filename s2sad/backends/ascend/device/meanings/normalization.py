"""Normalizations, their statistics and their gradients; statistics are float32."""

from __future__ import annotations

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, means, option
from s2sad.backends.ascend.graph import Node

Pair = tuple[np.ndarray, ...]


# Batches: one number for each channel


def _channel(node: Node) -> int:
    """The axis of the channels: the second, unless the image says otherwise."""
    layout = next(desc.layout for desc in node.input_descs if desc.name == "x")
    return layout.index("C") if layout in ("NCHW", "NHWC") else 1


def _others(node: Node, x: np.ndarray) -> tuple[int, ...]:
    return tuple(i for i in range(x.ndim) if i != _channel(node))


def _wide(node: Node, x: np.ndarray, *rows: np.ndarray) -> list[np.ndarray]:
    """One number for each channel, in a shape that broadcasts with `x`."""
    shape = [n if i == _channel(node) else 1 for i, n in enumerate(x.shape)]
    return [row.reshape(shape) for row in rows]


@means("BNTrainingReduce")
def _sums(node: Node, given: Arrays) -> Pair:
    x = given["x"]
    return np.sum(x, _others(node, x)), np.sum(x * x, _others(node, x))


@means("BNTrainingUpdate")
def _bn_update(node: Node, given: Arrays) -> Pair:
    """What the moving statistics become: a share `factor` of the batch's, unbiased, is new."""
    x, factor = given["x"], np.float32(option(node, "factor"))
    count = x.size // given["sum"].size
    mean = given["sum"] / np.float32(count)
    variance = np.maximum(given["square_sum"] / np.float32(count) - mean * mean, 0)
    y = _normalized(node, given, mean, variance)
    unbiased = variance * np.float32(count / max(count - 1, 1))
    moving = (given["mean"] * (1 - factor) + mean * factor,
              given["variance"] * (1 - factor) + unbiased * factor)  # fmt: skip
    return (y, *moving, mean, variance)


@means("BNInfer")
def _bn_infer(node: Node, given: Arrays) -> np.ndarray:
    return _normalized(node, given, given["mean"], given["variance"])


def _normalized(node: Node, given: Arrays, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    x, rstd = given["x"], _rstd(node, variance)
    wide_mean, wide_rstd, scale, offset = _wide(
        node, x, mean, rstd, given["scale"], given["offset"]
    )
    return (x - wide_mean) * wide_rstd * scale + offset


def _rstd(node: Node, variance: np.ndarray) -> np.ndarray:
    return 1 / np.sqrt(variance + np.float32(option(node, "epsilon")))


@means("BNTrainingUpdateGrad")
def _bn_update_grad(node: Node, given: Arrays) -> Pair:
    dy, x = given["grads"], given["x"]
    mean, rstd = _wide(node, x, given["batch_mean"], _rstd(node, given["batch_variance"]))
    others = _others(node, x)
    return np.sum(dy * (x - mean) * rstd, others), np.sum(dy, others)


@means("BNTrainingReduceGrad")
def _bn_reduce_grad(node: Node, given: Arrays) -> np.ndarray:
    dy, x = given["grads"], given["x"]
    count = np.float32(x.size // given["scale"].size)
    rows = (given["batch_mean"], _rstd(node, given["batch_variance"]), given["scale"],
            given["diff_scale"] / count, given["diff_offset"] / count)  # fmt: skip
    mean, rstd, scale, dscale, doffset = _wide(node, x, *rows)
    return scale * rstd * (dy - doffset - (x - mean) * rstd * dscale)


# Layers: one number for each row of the last axes


@means("LayerNormV3")
def _layer_norm(node: Node, given: Arrays) -> Pair:
    x, first = given["x"], option(node, "begin_norm_axis")
    axes = tuple(range(first % x.ndim, x.ndim))
    mean = np.mean(x, axes, keepdims=True)
    apart = x - mean
    rstd = 1 / np.sqrt(np.mean(apart * apart, axes, keepdims=True) + option(node, "epsilon"))
    return apart * rstd * given["gamma"] + given["beta"], mean, rstd


@means("LayerNormGradV3")
def _layer_norm_grad(node: Node, given: Arrays) -> Pair:
    dy, x, gamma = given["dy"], given["x"], given["gamma"]
    first = x.ndim - gamma.ndim
    axes, rows = tuple(range(first, x.ndim)), tuple(range(first))
    hat = (x - given["mean"]) * given["rstd"]
    scaled = dy * gamma
    dx = scaled - np.mean(scaled, axes, keepdims=True)
    dx -= hat * np.mean(scaled * hat, axes, keepdims=True)
    return given["rstd"] * dx, np.sum(dy * hat, rows), np.sum(dy, rows)


@means("RmsNorm")
def _rms_norm(node: Node, given: Arrays) -> Pair:
    x, gamma = given["x"], given["gamma"]
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    rstd = 1 / np.sqrt(np.mean(x * x, axes, keepdims=True) + option(node, "epsilon"))
    return x * rstd * gamma, rstd


@means("RmsNormGrad")
def _rms_norm_grad(node: Node, given: Arrays) -> Pair:
    dy, x, gamma = given["dy"], given["x"], given["gamma"]
    first = x.ndim - gamma.ndim
    axes, rows = tuple(range(first, x.ndim)), tuple(range(first))
    hat = x * given["rstd"]
    scaled = dy * gamma
    dx = given["rstd"] * (scaled - hat * np.mean(scaled * hat, axes, keepdims=True))
    return dx, np.sum(dy * hat, rows)
