"""Activations as Cells."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell


class ReLU(Cell):
    """``max(x, 0)``; see `ops.relu`."""

    def construct(self, x: Any) -> Any:
        return ops.relu(x)


class Sigmoid(Cell):
    """``1 / (1 + exp(-x))``; see `ops.sigmoid`."""

    def construct(self, x: Any) -> Any:
        return ops.sigmoid(x)


class Tanh(Cell):
    """Hyperbolic tangent; see `ops.tanh`."""

    def construct(self, x: Any) -> Any:
        return ops.tanh(x)


class Softmax(Cell):
    """Exponentials scaled to sum to one along `axis`; see `ops.softmax`."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        return ops.softmax(x, self.axis)
