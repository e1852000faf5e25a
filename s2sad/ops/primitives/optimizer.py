"""Which objects take the step of an optimizer?"""

from __future__ import annotations

import math
from typing import Any

from s2sad.ops.arithmetic import add, mul, sqrt, square, sub
from s2sad.ops.division import div
from s2sad.ops.primitives.base import primitive
from s2sad.ops.promotion import is_tensor
from s2sad.ops.settings import flag, number
from s2sad.ops.state import assign


@primitive(use_nesterov=flag, use_locking=flag, gradient_scale=number)
def ApplyMomentum(
    variable: Any, accumulation: Any, learning_rate: Any, gradient: Any, momentum: Any, *,
    use_nesterov: bool = False, use_locking: bool = False, gradient_scale: float = 1.0,
) -> Any:  # fmt: skip
    """A step of gradient descent with momentum; gives what the Parameter `variable` holds then.

    ``accumulation = accumulation * momentum + gradient``, then
    ``variable -= learning_rate * accumulation``, with `use_nesterov`
    ``variable -= learning_rate * (gradient + momentum * accumulation)``. The gradient is multiplied
    by `gradient_scale` first.

    Raises
    ------
    S2sadError
        Those of `ops.assign`.

    Notes
    -----
    I. Sutskever et al., "On the importance of initialization and momentum in deep learning", 2013.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> moved = ms.Parameter(ms.Tensor([2.0]), name="moved")
    >>> ApplyMomentum()(w, moved, 0.5, ms.Tensor([1.0]), 0.5).tolist(), moved.tolist()
    ([0.0], [2.0])
    """
    if gradient_scale != 1.0:
        gradient = mul(gradient, gradient_scale)
    moved = assign(accumulation, add(mul(accumulation, momentum), gradient))
    step = add(gradient, mul(moved, momentum)) if use_nesterov else moved
    return assign(variable, sub(variable, mul(step, learning_rate)))


@primitive(use_locking=flag, use_nesterov=flag)
def Adam(
    var: Any, m: Any, v: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any,
    epsilon: Any, gradient: Any, *, use_locking: bool = False, use_nesterov: bool = False,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """A step of Adam; gives what the Parameters `var`, `m` and `v` hold then.

    ``m = beta1 * m + (1 - beta1) * gradient``, ``v = beta2 * v + (1 - beta2) * gradient**2``, then
    ``var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)``; with
    `use_nesterov` ``beta1 * m + (1 - beta1) * gradient`` takes the place of `m` there.

    Raises
    ------
    S2sadError
        Those of `ops.assign`.

    Notes
    -----
    D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015.

    Examples
    --------
    >>> import s2sad as ms
    >>> w, m, v = (ms.Parameter(ms.Tensor([0.0]), name=name) for name in "wmv")
    >>> found = Adam()(w, m, v, 0.9, 0.999, 0.1, 0.9, 0.999, 0.0, ms.Tensor([4.0]))
    >>> round(found[0].item(), 4), round(m.item(), 4)
    (-0.1, 0.4)
    """
    new_part = mul(gradient, _rest(beta1))
    m_next = assign(m, add(mul(m, beta1), new_part))
    v_next = assign(v, add(mul(v, beta2), mul(square(gradient), _rest(beta2))))
    moment = add(mul(m_next, beta1), new_part) if use_nesterov else m_next
    step = div(mul(mul(moment, lr), _root(_rest(beta2_power))), _rest(beta1_power))
    return assign(var, sub(var, div(step, add(sqrt(v_next), epsilon)))), m_next, v_next


def _rest(x: Any) -> Any:
    """1 - `x`, of a tensor or a number."""
    return sub(1.0, x) if is_tensor(x) else 1.0 - x


def _root(x: Any) -> Any:
    return sqrt(x) if is_tensor(x) else math.sqrt(x)
