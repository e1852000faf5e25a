"""What is a parameter, and what an optimizer remembers of it, after one step?

Each update is a composite that gives the new values: of the parameter first, then of its state.
Rates and what changes between steps are scalars, what does not is an attribute. Narrow floats are
computed in float32 and rounded once, so the state of a narrow parameter may well be f32.

Updates are MindSpore's, checked against its numbers: epsilon is added to the root of the second
moment before any correction of bias, and weight decay, but for the decoupled kinds, is added to
the gradient beforehand.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir.graph import Value
from s2sad.prims.arithmetic import add, div, maximum, mul, sqrt, sub
from s2sad.prims.comparison import greater
from s2sad.prims.define import composite
from s2sad.prims.logic import logical_and
from s2sad.prims.reduce import reduce_sum
from s2sad.prims.select import where
from s2sad.prims.shape import require_shape
from s2sad.prims.statistics import rounded, widened

#: Attributes that are True or False.
FLAGS = ("nesterov", "update_slots")


def _canonical(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``canonical=`` of every update: numbers are floats, `FLAGS` are bools."""
    full = {}
    for name, value in attrs.items():
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (isinstance(value, bool) if name in FLAGS else is_number):
            raise fail("E0303", f"{name} has the wrong form: {value!r}")
        full[name] = value if name in FLAGS else float(value)
    return full


def _require(w: Value, *others: Value, scalars: tuple[Value, ...] = ()) -> None:
    """State and gradient have the shape of the parameter; nothing broadcasts unseen (E0401)."""
    for value in others:
        require_shape(value.shape, w.shape, "the gradient or state of a parameter")
    for value in scalars:
        require_shape(value.shape, (), "a rate")


def _moved(mean: Value, value: Value, beta: float) -> Value:
    """Running mean: `beta` of `mean`, the rest of `value`."""
    return add(mul(mean, beta), mul(value, 1 - beta))


@composite()
def sgd_update(w, g, rate):
    """Step of gradient descent: ``w - rate * g``.

    Parameters
    ----------
    w, g : Tensors of floats, one shape
        Parameter and gradient.
    rate : scalar

    Returns
    -------
    Tensor, type of `w`

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0401 for shapes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.sgd_update(np.array([1.0, 2.0]), np.array([10.0, 0.0]), 0.1)
    array([0., 2.])
    """
    _require(w, g, scalars=(rate,))
    return rounded(sub(widened(w), mul(widened(g), widened(rate))), w)


@composite(canonical=_canonical)
def momentum_update(w, velocity, g, rate, momentum, *, nesterov=False):
    """Step with momentum: ``velocity = momentum * velocity + g`` and ``w - rate * velocity``.

    Parameters
    ----------
    w, velocity, g : Tensors of floats, one shape
        Parameter, what it moves by, and gradient.
    rate, momentum : scalars
    nesterov : bool
        Whether to move by ``g + momentum * velocity``.

    Returns
    -------
    w, velocity : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.momentum_update(np.array([1.0]), np.array([2.0]), np.array([3.0]), 0.1, 0.5)
    (array([0.6]), array([4.]))
    """
    _require(w, velocity, g, scalars=(rate, momentum))
    gradient, keep = widened(g), widened(momentum)
    moved = add(mul(widened(velocity), keep), gradient)
    return _stepped(w, moved, gradient, rate, keep, nesterov), rounded(moved, velocity)


def _stepped(
    w: Value, moved: Value, gradient: Value, rate: Value, momentum: Value, nesterov: bool
) -> Value:
    step = add(gradient, mul(moved, momentum)) if nesterov else moved
    return rounded(sub(widened(w), mul(step, widened(rate))), w)


@composite(canonical=_canonical)
def sgd_momentum_update(w, velocity, is_first, g, rate, momentum, *, dampening=0.0, nesterov=False):
    """Step with damped momentum: ``velocity = momentum * velocity + (1 - dampening) * g``.

    Parameters
    ----------
    w, velocity, g : Tensors of floats, one shape
    is_first : scalar bool
        In the first step the velocity becomes the whole gradient.
    rate, momentum : scalars
    dampening : float
    nesterov : bool
        Whether to move by ``g + momentum * velocity``.

    Returns
    -------
    w, velocity : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> w, g, first = np.array([1.0]), np.array([3.0]), np.array(True)
    >>> p.sgd_momentum_update(w, 0 * w, first, g, 0.1, 0.5, dampening=0.5)
    (array([0.7]), array([3.]))
    """
    _require(w, velocity, g, scalars=(is_first, rate, momentum))
    gradient, keep = widened(g), widened(momentum)
    later = add(mul(widened(velocity), keep), mul(gradient, 1 - dampening))
    moved = where(is_first, gradient, later)
    return _stepped(w, moved, gradient, rate, keep, nesterov), rounded(moved, velocity)


def _moments(
    m: Value, v: Value, gradient: Value, beta1: float, beta2: float
) -> tuple[Value, Value]:
    first = _moved(widened(m), gradient, beta1)
    return first, _moved(widened(v), mul(gradient, gradient), beta2)


def _corrected(rate: Value, beta1_power: Value, beta2_power: Value) -> Value:
    """``rate * sqrt(1 - beta2**t) / (1 - beta1**t)``."""
    root = sqrt(sub(1.0, widened(beta2_power)))
    return div(mul(widened(rate), root), sub(1.0, widened(beta1_power)))


@composite(canonical=_canonical)
def adam_update(
    w, m, v, g, rate, beta1_power, beta2_power, *, beta1=0.9, beta2=0.999, eps=1e-8, nesterov=False
):
    """Step of Adam: by the mean gradient over the root of the mean square gradient.

    Parameters
    ----------
    w, m, v, g : Tensors of floats, one shape
        Parameter, first and second moment, and gradient.
    rate, beta1_power, beta2_power : scalars
        The powers are of this step: ``beta1**t``, t being 1 in the first one.
    beta1, beta2, eps : float
    nesterov : bool
        Whether to look a step ahead: ``beta1 * m + (1 - beta1) * g`` for m.

    Returns
    -------
    w, m, v : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Notes
    -----
    D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015, in the form with
    ``rate * sqrt(1 - beta2**t) / (1 - beta1**t)`` of its section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> w, zero, g = np.array([1.0]), np.array([0.0]), np.array([3.0])
    >>> [x.round(6) for x in p.adam_update(w, zero, zero, g, 0.1, 0.9, 0.999)]
    [array([0.9]), array([0.3]), array([0.009])]
    """
    _require(w, m, v, g, scalars=(rate, beta1_power, beta2_power))
    gradient = widened(g)
    first, second = _moments(m, v, gradient, beta1, beta2)
    ahead = _moved(first, gradient, beta1) if nesterov else first
    size = mul(ahead, _corrected(rate, beta1_power, beta2_power))
    step = div(size, add(sqrt(second), eps))
    return rounded(sub(widened(w), step), w), rounded(first, m), rounded(second, v)


@composite(canonical=_canonical)
def amsgrad_update(
    w, m, v, largest, g, rate, beta1_power, beta2_power, *, beta1=0.9, beta2=0.999, eps=1e-8
):
    """Step of Adam that divides by the root of the largest second moment so far.

    Parameters
    ----------
    w, m, v, largest, g : Tensors of floats, one shape
        Parameter, first and second moment, largest second moment, and gradient.
    rate, beta1_power, beta2_power, beta1, beta2, eps
        As in `adam_update`.

    Returns
    -------
    w, m, v, largest : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Notes
    -----
    S. J. Reddi, S. Kale and S. Kumar, "On the convergence of Adam and beyond", 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> w, zero, g = np.array([1.0]), np.array([0.0]), np.array([3.0])
    >>> [x.round(6) for x in p.amsgrad_update(w, zero, zero, g, g, 0.1, 0.9, 0.999)]
    [array([0.994523]), array([0.3]), array([0.009]), array([3.])]
    """
    _require(w, m, v, largest, g, scalars=(rate, beta1_power, beta2_power))
    first, second = _moments(m, v, widened(g), beta1, beta2)
    most = maximum(widened(largest), second)
    size = mul(first, _corrected(rate, beta1_power, beta2_power))
    step = div(size, add(sqrt(most), eps))
    updated = rounded(sub(widened(w), step), w)
    return updated, rounded(first, m), rounded(second, v), rounded(most, largest)


@composite(canonical=_canonical)
def adam_weight_decay_update(
    w, m, v, g, rate, *, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0
):
    """Step of Adam with decoupled decay and no correction of bias: MindSpore's AdamWeightDecay.

    Parameters
    ----------
    w, m, v, g : Tensors of floats, one shape
        Parameter, first and second moment, and gradient.
    rate : scalar
    beta1, beta2, eps, weight_decay : float

    Returns
    -------
    w, m, v : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> w, zero, g = np.array([1.0]), np.array([0.0]), np.array([3.0])
    >>> [x.round(6) for x in p.adam_weight_decay_update(w, zero, zero, g, 0.1, weight_decay=0.5)]
    [array([0.633776]), array([0.3]), array([0.009])]
    """
    _require(w, m, v, g, scalars=(rate,))
    first, second = _moments(m, v, widened(g), beta1, beta2)
    step = add(div(first, add(sqrt(second), eps)), mul(widened(w), weight_decay))
    updated = rounded(sub(widened(w), mul(step, widened(rate))), w)
    return updated, rounded(first, m), rounded(second, v)


@composite(canonical=_canonical)
def adamw_update(
    w, m, v, g, rate, beta1_power, beta2_power, *, beta1=0.9, beta2=0.999, eps=1e-8,
    weight_decay=0.01,
):  # fmt: skip
    """Step of Adam with decoupled decay: ``w`` shrinks by ``rate * weight_decay`` of itself.

    Parameters
    ----------
    w, m, v, g : Tensors of floats, one shape
        Parameter, first and second moment, and gradient.
    rate, beta1_power, beta2_power : scalars
        The powers are of this step: ``beta1**t``, t being 1 in the first one.
    beta1, beta2, eps, weight_decay : float

    Returns
    -------
    w, m, v : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Notes
    -----
    I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", 2019. Both moments are
    corrected, then epsilon is added to the root.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> w, zero, g = np.array([1.0]), np.array([0.0]), np.array([3.0])
    >>> [x.round(6) for x in p.adamw_update(w, zero, zero, g, 0.1, 0.9, 0.999, weight_decay=0.5)]
    [array([0.85]), array([0.3]), array([0.009])]
    """
    _require(w, m, v, g, scalars=(rate, beta1_power, beta2_power))
    first, second = _moments(m, v, widened(g), beta1, beta2)
    step = _unbiased_step(first, second, beta1_power, beta2_power, eps)
    step = add(step, mul(widened(w), weight_decay))
    updated = rounded(sub(widened(w), mul(step, widened(rate))), w)
    return updated, rounded(first, m), rounded(second, v)


def _unbiased_step(
    first: Value, second: Value, beta1_power: Value, beta2_power: Value, eps: float
) -> Value:
    mean = div(first, sub(1.0, widened(beta1_power)))
    return div(mean, add(sqrt(div(second, sub(1.0, widened(beta2_power)))), eps))


@composite(canonical=_canonical)
def lamb_update(
    w, m, v, g, rate, beta1_power, beta2_power, *, beta1=0.9, beta2=0.999, eps=1e-6,
    weight_decay=0.0,
):  # fmt: skip
    """Step of LAMB: that of AdamW, made as long as `rate` of the parameter itself.

    Parameters
    ----------
    w, m, v, g : Tensors of floats, one shape
        Parameter, first and second moment, and gradient.
    rate, beta1_power, beta2_power : scalars
        The powers are of this step: ``beta1**t``, t being 1 in the first one.
    beta1, beta2, eps, weight_decay : float

    Returns
    -------
    w, m, v : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Notes
    -----
    Y. You et al., "Large batch optimization for deep learning: training BERT in 76 minutes", 2020.
    Where the parameter or the step has length 0 the step is taken as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> w, zero, g = np.array([2.0, 0.0]), np.zeros(2), np.array([3.0, 0.0])
    >>> p.lamb_update(w, zero, zero, g, 0.1, 0.9, 0.999)[0].round(6)
    array([1.8, 0. ])
    """
    _require(w, m, v, g, scalars=(rate, beta1_power, beta2_power))
    first, second = _moments(m, v, widened(g), beta1, beta2)
    step = _unbiased_step(first, second, beta1_power, beta2_power, eps)
    step = add(step, mul(widened(w), weight_decay))
    size = mul(_trust(widened(w), step), widened(rate))
    return rounded(sub(widened(w), mul(step, size)), w), rounded(first, m), rounded(second, v)


def _trust(w: Value, step: Value) -> Value:
    """Ratio of the lengths of `w` and `step`, 1 where one of them is 0."""
    lengths = reduce_sum(mul(w, w)), reduce_sum(mul(step, step))
    usable = logical_and(greater(lengths[0], 0), greater(lengths[1], 0))
    # The root is taken of the ratio, and of 1 where there is none: its slope at 0 is infinite.
    ratio = div(where(usable, lengths[0], 1), where(usable, lengths[1], 1))
    return sqrt(ratio)


@composite(canonical=_canonical)
def adagrad_update(w, total, g, rate, *, update_slots=True):
    """Step by the gradient over the root of the sum of its squares.

    Parameters
    ----------
    w, total, g : Tensors of floats, one shape
        Parameter, sum of squares so far, and gradient.
    rate : scalar
    update_slots : bool
        Whether the sum grows.

    Returns
    -------
    w, total : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Notes
    -----
    J. Duchi et al., "Adaptive subgradient methods for online learning and stochastic optimization",
    2011.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.adagrad_update(np.array([1.0]), np.array([7.0]), np.array([3.0]), 0.4)
    (array([0.7]), array([16.]))
    """
    _require(w, total, g, scalars=(rate,))
    gradient, sum_ = widened(g), widened(total)
    if update_slots:
        sum_ = add(sum_, mul(gradient, gradient))
    step = div(mul(gradient, widened(rate)), sqrt(sum_))
    return rounded(sub(widened(w), step), w), rounded(sum_, total)


@composite(canonical=_canonical)
def rmsprop_update(w, square, moved, g, rate, *, decay=0.9, momentum=0.0, eps=1e-10):
    """Step by the gradient over the root of the mean square gradient, with momentum.

    Parameters
    ----------
    w, square, moved, g : Tensors of floats, one shape
        Parameter, mean square gradient, what it moved by, and gradient.
    rate : scalar
    decay, momentum, eps : float
        Epsilon is added under the root.

    Returns
    -------
    w, square, moved : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Notes
    -----
    G. Hinton, "Neural networks for machine learning", lecture 6, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> w, one, g = np.array([1.0]), np.array([1.0]), np.array([2.0])
    >>> [x.round(6) for x in p.rmsprop_update(w, one, one, g, 0.1, decay=0.0, momentum=0.5)]
    [array([0.4]), array([4.]), array([0.6])]
    """
    _require(w, square, moved, g, scalars=(rate,))
    gradient = widened(g)
    mean = _moved(widened(square), mul(gradient, gradient), decay)
    move = _rms_move(moved, gradient, rate, mean, momentum, eps)
    return rounded(sub(widened(w), move), w), rounded(mean, square), rounded(move, moved)


def _rms_move(
    moved: Value, gradient: Value, rate: Value, square: Value, momentum: float, eps: float
) -> Value:
    step = div(mul(gradient, widened(rate)), sqrt(add(square, eps)))
    return add(mul(widened(moved), momentum), step)


@composite(canonical=_canonical)
def centered_rmsprop_update(w, mean, square, moved, g, rate, *, decay=0.9, momentum=0.0, eps=1e-10):
    """Step of RMSProp by the root of the variance of the gradient, not of its mean square.

    Parameters
    ----------
    w, mean, square, moved, g : Tensors of floats, one shape
        Parameter, mean gradient, mean square gradient, what it moved by, and gradient.
    rate, decay, momentum, eps
        As in `rmsprop_update`.

    Returns
    -------
    w, mean, square, moved : Tensors, types of the operands

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 for attributes, E0401 for shapes.

    Notes
    -----
    A. Graves, "Generating sequences with recurrent neural networks", 2013, equations 38 to 45.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> w, zero, g = np.array([1.0]), np.array([0.0]), np.array([2.0])
    >>> [x.round(6) for x in p.centered_rmsprop_update(w, zero, zero, zero, g, 0.1, decay=0.5)]
    [array([0.8]), array([1.]), array([2.]), array([0.2])]
    """
    _require(w, mean, square, moved, g, scalars=(rate,))
    gradient = widened(g)
    center = _moved(widened(mean), gradient, decay)
    spread = _moved(widened(square), mul(gradient, gradient), decay)
    variance = sub(spread, mul(center, center))
    move = _rms_move(moved, gradient, rate, variance, momentum, eps)
    updated = rounded(sub(widened(w), move), w)
    return updated, rounded(center, mean), rounded(spread, square), rounded(move, moved)
