"""Activations as Cells, and their names."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail


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

    def extend_repr(self) -> str:
        return f"axis={self.axis}"


class LogSoftmax(Cell):
    """Logarithm of `Softmax`; see `ops.log_softmax`."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        return ops.log_softmax(x, self.axis)

    def extend_repr(self) -> str:
        return f"axis={self.axis}"


NAMED = {
    "relu": ReLU, "sigmoid": Sigmoid, "tanh": Tanh, "softmax": Softmax, "logsoftmax": LogSoftmax,
}  # fmt: skip


def get_activation(name: Any) -> Any:
    """The activation that a layer's argument means: a new Cell for a name, else itself.

    Raises
    ------
    S2sadError
        E0304 for what cannot be called, E0404 for an unknown name.

    Examples
    --------
    >>> get_activation("relu")
    ReLU()
    """
    if name is None or not isinstance(name, str):
        if name is not None and not callable(name):
            raise fail("E0304", f"an activation is a Cell, a function or a name, got {name!r}")
        return name
    if name.lower() not in NAMED:
        raise fail("E0404", f"no activation is called {name!r}", help=f"known: {', '.join(NAMED)}")
    return NAMED[name.lower()]()
