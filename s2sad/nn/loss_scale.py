"""How does a step of training scale its loss, and what does it do when a gradient overflows?

Gradients in float16 vanish below 6e-8. So the loss is multiplied by a number before it is
differentiated, and the gradients are divided by it before they are used. Where one overflowed
nevertheless, the step is left out, and the number becomes smaller.
"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.nn.wrap import TrainOneStepCell
from s2sad.ops.loss_scaling import all_finite, scaled, unscaled
from s2sad.ops.settings import integer, positive


class FixedLossScaleUpdateCell(Cell):
    """Lets the scale of the loss be; called with it, and with whether a gradient overflowed.

    Parameters
    ----------
    loss_scale_value : number

    Raises
    ------
    S2sadError
        E0303 or E0404 for a scale that is no positive number.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.FixedLossScaleUpdateCell(128).get_loss_scale()
    128.0
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = positive("loss_scale_value", loss_scale_value)

    def get_loss_scale(self) -> float:
        """The scale to begin with."""
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Any) -> Any:  # noqa: ARG002
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """Divides the scale of the loss after an overflow, and multiplies it when there was none.

    Called with the scale, a Parameter, and with whether a gradient overflowed, which it gives back.

    Parameters
    ----------
    loss_scale_value : number
        To begin with.
    scale_factor : number
        After an overflow the scale is divided by it, though not below 1; after `scale_window` steps
        since the last change without one it is multiplied by it.
    scale_window : int

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> update = ms.nn.DynamicLossScaleUpdateCell(8.0, 2, 100)
    >>> scale = ms.Parameter(ms.Tensor(8.0), name="scale")
    >>> update(scale, ms.Tensor(True)).asnumpy(), scale.asnumpy()
    (array(True), array(4., dtype=float32))
    """

    cur_iter: Any  # Parameters, which have a Tensor's operators
    last_overflow_iter: Any

    def __init__(self, loss_scale_value: float, scale_factor: float, scale_window: int) -> None:
        super().__init__()
        self.loss_scale_value = positive("loss_scale_value", loss_scale_value)
        self.scale_factor = positive("scale_factor", scale_factor)
        self.scale_window = integer("scale_window", scale_window, 1)
        self.cur_iter = _counter(1, "current_iterator_step")
        self.last_overflow_iter = _counter(0, "last_overflow_iterator_step")

    def get_loss_scale(self) -> float:
        """The scale to begin with."""
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Any) -> Any:
        is_due = self.cur_iter - self.last_overflow_iter >= self.scale_window
        smaller = ops.maximum(loss_scale / self.scale_factor, 1.0)
        larger = ops.where(is_due, loss_scale * self.scale_factor, loss_scale)
        ops.assign(loss_scale, ops.where(overflow, smaller, larger))
        is_event = ops.logical_or(overflow, is_due)
        last = ops.where(is_event, self.cur_iter, self.last_overflow_iter)
        ops.assign(self.last_overflow_iter, last)
        ops.assign_add(self.cur_iter, 1)
        return overflow


def _counter(start: int, name: str) -> Parameter:
    return Parameter(Tensor(start, dtypes.int32), name=name, requires_grad=False)


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A step of training whose loss is scaled; it is left out where a gradient overflows.

    Compiled, it is one program.

    Parameters
    ----------
    network : Cell
        Gives the loss.
    optimizer : Optimizer
        Its Parameters are trained, by gradients of the loss itself: the scale is divided out.
    scale_sense : Tensor of shape () or (1,), or Cell
        The scale, or what changes it: `FixedLossScaleUpdateCell`, `DynamicLossScaleUpdateCell`.

    Returns
    -------
    loss : Tensor
        As it was before the update, unscaled.
    overflow : Tensor of bool, shape ()
        Whether the step was left out: optimizer and Parameters are as they were.
    scale : Tensor
        What the loss was multiplied by.

    Raises
    ------
    S2sadError
        E0304 for an argument of another kind, E0401 for a scale of another shape.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    >>> step = ms.nn.TrainOneStepWithLossScaleCell(
    ...     ms.nn.WithLossCell(net, ms.nn.MSELoss()), ms.nn.SGD(net.trainable_params(), 0.125),
    ...     ms.nn.DynamicLossScaleUpdateCell(2.0**24, 2, 1000))
    >>> loss, overflow, scale = step(ms.Tensor([[2.0]]), ms.Tensor([[1.0]]))
    >>> loss.item(), overflow.item(), scale.item(), net.weight.item()
    (1.0, False, 16777216.0, 0.5)
    """

    def __init__(self, network: Cell, optimizer: Optimizer, scale_sense: Tensor | Cell) -> None:
        super().__init__(network, optimizer)
        self.loss_scaling_manager = scale_sense if isinstance(scale_sense, Cell) else None
        if isinstance(scale_sense, Cell):
            start = Tensor(scale_sense.get_loss_scale(), dtypes.float32)  # type: ignore[attr-defined]
        else:
            start = _scale(scale_sense)
        self.scale_sense = Parameter(start, name="scale_sense", requires_grad=False)

    def set_sense_scale(self, sens: Tensor) -> None:
        """Let the scale be `sens`, a Tensor of the shape that it has."""
        ops.assign(self.scale_sense, _scale(sens))

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:  # noqa: ARG002
        """For subclasses: what `get_overflow_status` takes first, and `compute_input`."""
        return False, compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Any:  # noqa: ARG002
        """For subclasses: whether an element of `compute_output` is NaN or infinite."""
        return ops.logical_not(all_finite(compute_output))

    def process_loss_scale(self, overflow: Any) -> Any:
        """For subclasses: `overflow`, once the scale was changed by it."""
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow

    def scaled_loss(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        return scaled(loss, ops.reshape(self.scale_sense, ())), loss

    def construct(self, *inputs: Any) -> Any:
        scale = self.scale_sense.value()
        (_, loss), found = self.value_and_gradients(*inputs)
        gradients = self.grad_reducer(unscaled(found, ops.reshape(scale, ())))
        overflow = self.process_loss_scale(self.get_overflow_status(False, gradients))
        if not overflow:
            self.optimizer(gradients)
        return loss, overflow, scale


def _scale(given: Any) -> Tensor:
    """`given`, which must be a scale of a loss."""
    if not isinstance(given, Tensor):
        raise fail("E0304", f"scale_sense is a Tensor or a Cell, got a {type(given).__name__}")
    if given.shape not in ((), (1,)):
        raise fail("E0401", f"scale_sense has the shape () or (1,), got {given.shape}")
    return given
