"""Losses: each gives the loss and its derivative at once."""

from __future__ import annotations

import numpy as np

from s2sad.backends.ascend.device.meanings.activation import log_softmax
from s2sad.backends.ascend.device.meanings.base import Arrays, means
from s2sad.backends.ascend.device.meanings.indexing import in_range
from s2sad.backends.ascend.graph import Node


@means("SparseSoftmaxCrossEntropyWithLogits")
def _sparse(node: Node, given: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Of rows of scores, and the class of each row."""
    scores, labels = given["features"], given["labels"]
    logs, rows = log_softmax(scores, -1), np.arange(len(scores))
    places = in_range(labels, scores.shape[-1], False)
    backprop = np.exp(logs)
    backprop[rows, places] -= 1
    return -logs[rows, places], backprop


@means("SoftmaxCrossEntropyWithLogits")
def _dense(node: Node, given: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Of rows of scores, and how much of each class a row is."""
    logs, labels = log_softmax(given["features"], -1), given["labels"]
    return -np.sum(labels * logs, -1), np.exp(logs) - labels
