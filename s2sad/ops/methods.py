"""Operators and methods of Tensor, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ops import activation, arithmetic, comparison, linalg, reduce, shape


def _flatten(tensor: Any, order: str = "C", *, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The method starts at axis 0, the function at axis 1."""
    return shape.flatten(tensor, order, start_dim=start_dim, end_dim=end_dim)


METHODS: dict[str, Callable[..., Any]] = {
    "__add__": arithmetic.add, "__sub__": arithmetic.sub, "__mul__": arithmetic.mul,
    "__truediv__": arithmetic.div, "__pow__": arithmetic.pow, "__neg__": arithmetic.neg,
    "__abs__": arithmetic.abs, "__matmul__": linalg.matmul,
    "__lt__": comparison.less, "__le__": comparison.less_equal, "__gt__": comparison.greater,
    "__ge__": comparison.greater_equal, "__eq__": comparison.equal, "__ne__": comparison.not_equal,
    "T": shape.transpose, "abs": arithmetic.abs, "add": arithmetic.add, "argmax": reduce.argmax,
    "astype": shape.cast, "div": arithmetic.div, "flatten": _flatten, "matmul": linalg.matmul,
    "mean": reduce.mean, "mul": arithmetic.mul, "neg": arithmetic.neg, "pow": arithmetic.pow,
    "relu": activation.relu, "reshape": shape.reshape, "sigmoid": activation.sigmoid,
    "softmax": activation.softmax, "sub": arithmetic.sub, "sum": reduce.sum,
    "tanh": activation.tanh, "to": shape.cast, "transpose": shape.transpose,
    "view": shape.reshape,
}  # fmt: skip
