"""Which learning rate may a callback change, and how?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor


def rate_of(optimizer: Any) -> Parameter:
    """The Parameter that holds the one rate of an optimizer.

    Raises
    ------
    S2sadError
        E0404 where there is no optimizer, or it has a schedule or several rates.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> rate_of(ms.nn.SGD([w], 0.5)).item()
    0.5
    """
    rate = getattr(optimizer, "learning_rate", None)
    if not isinstance(rate, Parameter) or rate.size != 1:
        raise fail(
            "E0404", "a callback can change one learning rate that is a number only",
            help="give the Model an optimizer, and that a number: nn.SGD(params, 0.1)",
        )  # fmt: skip
    return rate


def set_rate(rate: Parameter, value: float) -> None:
    """Let the Parameter of a rate be `value` from the next step on."""
    rate.set_data(Tensor(value, rate.dtype).reshape(rate.shape))
