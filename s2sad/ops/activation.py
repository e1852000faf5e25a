"""Activations."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import as_dtype, dtype_of, require_tensor


def relu(input: Any, inplace: bool = False) -> Any:
    """`input` where it is positive, else 0; gradient 0 at 0.

    `inplace` is MindSpore's, and refused (E0104): what is passed in never changes.

    Examples
    --------
    >>> import s2sad as ms
    >>> relu(ms.Tensor([-1.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """
    if inplace:
        raise fail("E0104", "relu in place is not supported", help="leave out inplace=True")
    return p.relu(require_tensor(input, "relu"))


def tanh(input: Any) -> Any:
    """Hyperbolic tangent.

    Examples
    --------
    >>> import s2sad as ms
    >>> tanh(ms.Tensor([0.0])).asnumpy()
    array([0.], dtype=float32)
    """
    return p.tanh(require_tensor(input, "tanh"))


def sigmoid(input: Any) -> Any:
    """``1 / (1 + exp(-input))``.

    Examples
    --------
    >>> import s2sad as ms
    >>> sigmoid(ms.Tensor([0.0])).asnumpy()
    array([0.5], dtype=float32)
    """
    return p.sigmoid(require_tensor(input, "sigmoid"))


def softmax(input: Any, axis: int = -1, *, dtype: Any = None) -> Any:
    """Exponentials of `input`, cast to `dtype` first, scaled to sum to one along `axis`.

    Examples
    --------
    >>> import s2sad as ms
    >>> softmax(ms.Tensor([0.0, 0.0])).asnumpy()
    array([0.5, 0.5], dtype=float32)
    """
    x = require_tensor(input, "softmax")
    return p.softmax(x if dtype is None else as_dtype(x, dtype_of(dtype)), axis=axis)


def log_softmax(logits: Any, axis: int = -1) -> Any:
    """Logarithm of `softmax`, without the overflow.

    Examples
    --------
    >>> import s2sad as ms
    >>> log_softmax(ms.Tensor([0.0, -1000.0])).asnumpy()
    array([    0., -1000.], dtype=float32)
    """
    return p.log_softmax(require_tensor(logits, "log_softmax"), axis=axis)
