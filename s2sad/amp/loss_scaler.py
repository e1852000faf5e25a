"""How is a loss scaled in a training loop that its user writes?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.ops.loss_scaling import scaled, unscaled
from s2sad.ops.settings import integer, number, positive


class LossScaler(ABC):
    """Scales a loss, scales gradients back, and adapts to an overflow.

    A step is `scale` of the loss, the derivative of that, `unscale` of the gradients, `all_finite`
    of them, the update if so, and `adjust` in either case. All may be compiled.

    Attributes
    ----------
    scale_value : Parameter, shape ()
    """

    scale_value: Any  # a Parameter, which has a Tensor's operators

    @abstractmethod
    def scale(self, inputs: Any) -> Any:
        """`inputs`, a Tensor or a tuple of them, times the scale."""

    @abstractmethod
    def unscale(self, inputs: Any) -> Any:
        """`inputs`, a Tensor or a tuple of them, divided by the scale."""

    @abstractmethod
    def adjust(self, grads_finite: Any) -> bool:
        """Change the scale by whether all gradients were finite; whether it may change at all."""


class StaticLossScaler(LossScaler):
    """A scale that stays.

    Parameters
    ----------
    scale_value : number
        At least 1.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> scaler = StaticLossScaler(scale_value=2**10)
    >>> scaler.scale(ms.Tensor(3.0)).asnumpy(), scaler.unscale((ms.Tensor([2048.0]),))[0].asnumpy()
    (array(3072., dtype=float32), array([2.], dtype=float32))
    """

    def __init__(self, scale_value: float) -> None:
        self.scale_value = _parameter(_scale(scale_value), "scale_value", dtypes.float32)

    def scale(self, inputs: Any) -> Any:
        return scaled(inputs, self.scale_value)

    def unscale(self, inputs: Any) -> Any:
        return unscaled(inputs, self.scale_value)

    def adjust(self, grads_finite: Any) -> bool:  # noqa: ARG002
        return False


class DynamicLossScaler(LossScaler):
    """A scale that an overflow makes smaller, and a time without one larger.

    Parameters
    ----------
    scale_value : number
        To begin with; at least 1.
    scale_factor : number
        After gradients that are not finite the scale is divided by it, though not below 1; after
        `scale_window` finite ones in a row it is multiplied by it, unless it would overflow.
    scale_window : int

    Attributes
    ----------
    scale_value : Parameter of float32, shape ()
    counter : Parameter of int32, shape ()
        Finite gradients since the scale last changed.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> scaler = DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=1)
    >>> for is_finite in (True, False, False):
    ...     _ = scaler.adjust(ms.Tensor(is_finite))
    ...     print(scaler.scale_value.item())
    2048.0
    1024.0
    512.0
    """

    counter: Any

    def __init__(self, scale_value: float, scale_factor: float, scale_window: int) -> None:
        self.scale_value = _parameter(_scale(scale_value), "scale_value", dtypes.float32)
        self.scale_factor = positive("scale_factor", scale_factor)
        self.scale_window = integer("scale_window", scale_window, 1)
        self.counter = _parameter(0, "counter", dtypes.int32)

    def scale(self, inputs: Any) -> Any:
        return scaled(inputs, self.scale_value)

    def unscale(self, inputs: Any) -> Any:
        return unscaled(inputs, self.scale_value)

    def adjust(self, grads_finite: Any) -> bool:
        finite = ops.cast(grads_finite, dtypes.bool_)
        is_due = self.counter >= self.scale_window - 1
        product = self.scale_value * self.scale_factor
        grows = ops.logical_and(is_due, ops.isfinite(product))
        larger = ops.where(grows, product, self.scale_value)
        smaller = ops.maximum(self.scale_value / self.scale_factor, 1.0)
        ops.assign(self.scale_value, ops.where(finite, larger, smaller))
        counted = ops.where(is_due, 0, self.counter + 1)
        ops.assign(self.counter, ops.where(finite, counted, 0))
        return True


def _scale(given: Any) -> float:
    if number("scale_value", given) < 1:
        raise fail("E0404", f"scale_value is at least 1, got {given}")
    return positive("scale_value", given)


def _parameter(start: float, name: str, dtype: dtypes.DType) -> Parameter:
    return Parameter(Tensor(start, dtype), name=name, requires_grad=False)
