"""Which functions of layers write the tensor that they are given?

They are methods of Tensor such as ``x.relu_()``, as functions: compiled code reads them.
"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.mint import functional


def relu_(input: Any) -> Any:
    """`input`, which from then on holds 0 for what is negative.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([-1.0, 2.0])
    >>> relu_(x) is x, x.tolist()
    (True, [0.0, 2.0])
    """
    return input.relu_()


def sigmoid_(input: Any) -> Any:
    """`input`, which from then on holds the logistic function of what it held."""
    return input.sigmoid_()


def elu_(input: Any, alpha: float = 1.0) -> Any:
    """`input`, which from then on holds `ops.elu` of what it held."""
    return input.copy_(ops.elu(input, alpha))


def hardtanh_(input: Any, min_val: float = -1, max_val: float = 1) -> Any:
    """`input`, which from then on holds what it held between `min_val` and `max_val`."""
    return input.copy_(functional.hardtanh(input, min_val, max_val))


def threshold_(input: Any, threshold: float, value: float) -> Any:
    """`input`, which from then on holds `value` for what is not above `threshold`."""
    return input.copy_(ops.threshold(input, threshold, value))


#: All functions here, by name.
IN_PLACE = {each.__name__: each for each in (elu_, hardtanh_, relu_, sigmoid_, threshold_)}
