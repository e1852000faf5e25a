"""Which methods of Tensor are activations?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import activation, rectifiers


def _softmax(tensor: Any, axis: int, dtype: Any = None) -> Any:
    return activation.softmax(tensor, axis, dtype=dtype)


METHODS = {
    "gelu": activation.gelu, "hardshrink": rectifiers.hardshrink,
    "log_softmax": activation.log_softmax, "relu": rectifiers.relu, "sigmoid": activation.sigmoid,
    "softmax": _softmax, "tanh": activation.tanh,
}  # fmt: skip
