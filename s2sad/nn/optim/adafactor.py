"""How does AdaFactor step? As Adam, with rows and columns of squares in place of all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.tensor import Tensor
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import flag, not_negative, number, positive
from s2sad.ops.state import check_gradients


class AdaFactor(Optimizer):
    """Adaptive rates that need little memory: of a matrix, only means of rows and columns stay.

    In step t, the first being 1, with ``b = 1 - t**-decay_rate`` the squares ``g**2 + eps[0]``
    move the running means of rows and columns, or of a vector its elements, ``v = b * v + (1 - b)
    * ...``. Their estimate of all squares is ``rows * columns / mean(rows)``; ``u = g /
    sqrt(that)`` is divided by ``max(1, rms(u) / clip_threshold)`` and multiplied by the rate;
    with `beta1` its running mean is taken; and ``w -= weight_decay * rate * w + u``. The rate is
    ``min(0.01, 1 / sqrt(t))``, with `warmup_init` 1e-6 t for 0.01, or `learning_rate`; times
    ``max(eps[1], rms(w))`` with `scale_parameter`. Source: N. Shazeer, M. Stern, Adafactor, 2018.

    Parameters
    ----------
    params
        As of `Optimizer`.
    learning_rate : number, iterable, Tensor or Cell, optional
        Needed without `relative_step`, else None. One that changes from step to step is taken as
        it is, without `scale_parameter`.
    eps : tuple of two float
    clip_threshold : float
    decay_rate : float
        Between 0 and 1.
    beta1 : float, optional
        0 or None for no running mean of steps.
    weight_decay : float
        From 0 to below 1; of all Parameters, whatever their names.
    scale_parameter, relative_step, warmup_init : bool
    compression : bool
        Taken for compatibility: state is kept in float32.
    loss_scale : float
        Taken for compatibility, as MindSpore has it: steps do not depend on the gradients' scale.

    Attributes
    ----------
    exp_avg : ParameterTuple
        Called ``exp_avg.`` and the Parameter's name; empty without `beta1`.
    exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq : ParameterTuple
        Called ``exp_avg_sq_row_`` and so on and the Parameter's name, of shape (1,) where a
        Parameter has none.

    Raises
    ------
    S2sadError
        E0404 for rates that contradict each other; those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([[1.0, 1.0]]), name="w")
    >>> optimizer = ms.nn.AdaFactor([w], beta1=0.0)
    >>> optimizer((ms.Tensor([[5.0, -5.0]]),))
    (True,)
    >>> w.asnumpy()
    array([[0.99, 1.01]], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = None,
        eps: tuple[float, float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: float | None = 0.9,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        self._check_rates(learning_rate, relative_step, warmup_init)
        rate = 0.0 if learning_rate is None else learning_rate
        super().__init__(rate, params, weight_decay, loss_scale)
        if not isinstance(self.weight_decay, float) or self.weight_decay >= 1:
            raise fail("E0404", f"weight_decay is a number below 1 here, got {weight_decay!r}")
        if not isinstance(eps, (tuple, list)) or len(eps) != 2:
            raise fail("E0303", f"eps is a tuple of two numbers, got {eps!r}")
        self.eps = not_negative("eps", eps[0]), not_negative("eps", eps[1])
        self.clip_threshold = positive("clip_threshold", clip_threshold)
        if not 0 < number("decay_rate", decay_rate) < 1:
            raise fail("E0404", f"decay_rate is between 0 and 1, got {decay_rate}")
        self.decay_rate = float(decay_rate)
        self.beta1 = 0.0 if beta1 is None else not_negative("beta1", beta1)
        flag("compression", compression)
        self.scale_parameter = flag("scale_parameter", scale_parameter)
        self.relative_step, self.warmup_init = relative_step, warmup_init
        self._add_states()

    def _check_rates(self, learning_rate: Any, relative_step: Any, warmup_init: Any) -> None:
        is_relative = flag("relative_step", relative_step)
        if (learning_rate is None) != is_relative:
            raise fail(
                "E0404", "AdaFactor takes relative_step=True or a learning_rate, one of them"
            )
        if flag("warmup_init", warmup_init) and not is_relative:
            raise fail("E0404", "warmup_init goes with relative_step=True")

    def _add_states(self) -> None:
        self.exp_avg = self.state_like_parameters("exp_avg") if self.beta1 else ()
        shapes = [x.shape for x in self.parameters]
        is_matrix = [len(shape) > 1 for shape in shapes]
        self.exp_avg_sq_row = self._squares(
            "row_", [s[:-1] if m else (1,) for s, m in zip(shapes, is_matrix, strict=True)]
        )
        self.exp_avg_sq_col = self._squares(
            "col_", [s[:-2] + s[-1:] if m else (1,) for s, m in zip(shapes, is_matrix, strict=True)]
        )
        self.exp_avg_sq = self._squares(
            "", [(1,) if m else s for s, m in zip(shapes, is_matrix, strict=True)]
        )
        self.step = Parameter(Tensor([0.0], dtypes.float32), "afactor_step", requires_grad=False)

    def _squares(self, kind: str, shapes: list[tuple[int, ...]]) -> ParameterTuple:
        return ParameterTuple(
            Parameter(
                Tensor(shape=shape, dtype=x.dtype.compute, init=0.0),
                f"exp_avg_sq_{kind}{x.name}",
                requires_grad=False,
            )
            for x, shape in zip(self.parameters, shapes, strict=True)
        )

    def prepared(self, gradients: Any) -> Any:
        check_gradients(gradients, self.parameters)
        return gradients

    def count_step(self) -> None:
        super().count_step()
        ops.assign_add(self.step, 1.0)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        g, w, step = self.wide(gradient), self.wide(parameter), self.steps_made(parameter)
        rate = self._rate(w, step, rate)
        kept = 1 - ops.pow(step, -self.decay_rate)
        move = g * self._inverse_root(index, g * g + self.eps[0], kept)
        move = move / ops.maximum(_rms(move) / self.clip_threshold, 1.0) * rate
        if self.beta1:
            mean = self.exp_avg[index]
            move = mean * self.beta1 + move * (1 - self.beta1)
            ops.assign(mean, move)
        ops.assign(parameter, w - w * self.weight_decay * rate - move)

    def _rate(self, w: Any, step: Any, rate: Any) -> Any:
        if self.relative_step:
            least = 1e-6 * step if self.warmup_init else 0.01
            rate = ops.minimum(1 / ops.sqrt(step), least)
        if self.scale_parameter and isinstance(self.learning_rate, Parameter):
            rate = rate * ops.maximum(_rms(w), self.eps[1])
        return rate

    def _inverse_root(self, index: int, squares: Any, kept: Any) -> Any:
        """One over the root of the mean squares, as far as they are known."""
        if squares.ndim < 2:
            held = self.exp_avg_sq[index]
            ops.assign(held, held * kept + squares * (1 - kept))
            return 1 / ops.sqrt(held)
        row, column = self.exp_avg_sq_row[index], self.exp_avg_sq_col[index]
        ops.assign(row, row * kept + ops.mean(squares, -1) * (1 - kept))
        ops.assign(column, column * kept + ops.mean(squares, -2) * (1 - kept))
        rows = ops.sqrt(row / ops.mean(row, -1, True))
        return 1 / (ops.expand_dims(rows, -1) * ops.expand_dims(ops.sqrt(column), -2))


def _rms(x: Any) -> Any:
    return ops.sqrt(ops.mean(x * x))
