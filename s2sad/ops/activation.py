"""Activations."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p


def relu(input: Any) -> Any:  # noqa: A002
    """`input` where it is positive, else 0; gradient 0 at 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> relu(ms.Tensor([-1.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """
    return p.relu(input)


def tanh(input: Any) -> Any:  # noqa: A002
    """Hyperbolic tangent.

    Examples
    --------
    >>> import s2sad as ms
    >>> tanh(ms.Tensor([0.0])).asnumpy()
    array([0.], dtype=float32)
    """
    return p.tanh(input)


def sigmoid(input: Any) -> Any:  # noqa: A002
    """``1 / (1 + exp(-input))``.

    Examples
    --------
    >>> import s2sad as ms
    >>> sigmoid(ms.Tensor([0.0])).asnumpy()
    array([0.5], dtype=float32)
    """
    return p.sigmoid(input)


def softmax(input: Any, axis: int = -1) -> Any:  # noqa: A002
    """Exponentials of `input`, scaled to sum to one along `axis`.

    Examples
    --------
    >>> import s2sad as ms
    >>> softmax(ms.Tensor([0.0, 0.0])).asnumpy()
    array([0.5, 0.5], dtype=float32)
    """
    return p.softmax(input, axis=axis)


def log_softmax(logits: Any, axis: int = -1) -> Any:
    """Logarithm of `softmax`, without the overflow.

    Examples
    --------
    >>> import s2sad as ms
    >>> log_softmax(ms.Tensor([0.0, -1000.0])).asnumpy()
    array([    0., -1000.], dtype=float32)
    """
    return p.log_softmax(logits, axis=axis)
