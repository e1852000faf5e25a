"""What stands between the layers of a network: rectifiers and their smooth relatives, softmax?

All are composites of floats (E0301 for others). Narrow floats are computed in float32 and rounded
once. Nearly each has an adjoint of its own that is right where the body's would overflow or divide
by zero, and reads `x` or the result alone. Far out, where a factor underflows, products with an
infinite `x` would be NaN; the limit is selected there, so all are defined at the infinities. NaN
stays NaN.
"""

from __future__ import annotations

import math
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.graph import Value
from s2sad.ir.primitive import Trait
from s2sad.prims.arithmetic import abs, add, clip, div, maximum, minimum, mul, neg, sub
from s2sad.prims.comparison import equal, greater, greater_equal, less, less_equal
from s2sad.prims.define import composite
from s2sad.prims.exponential import exp, expm1, log, log1p, sigmoid, tanh
from s2sad.prims.logic import logical_and
from s2sad.prims.reduce import reduce_max, reduce_sum
from s2sad.prims.rules import canonical_axis
from s2sad.prims.select import where
from s2sad.prims.special import erfc
from s2sad.prims.statistics import rounded, widened

_ELEMENTWISE = {Trait.ELEMENTWISE}

SQRT_HALF = math.sqrt(0.5)
SQRT_2_BY_PI = math.sqrt(2 / math.pi)
DENSITY_AT_0 = 1 / math.sqrt(2 * math.pi)
# Beyond these the error function and the logistic one are 0 or 1 to the last bit of a float64.
FAR_FOR_ERF, FAR_FOR_EXP = 40.0, 750.0


def _number(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``canonical=`` of an operation whose attributes are numbers."""
    for name, value in attrs.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise fail("E0303", f"{name} is a number, got {value!r}")
    return {name: float(value) for name, value in attrs.items()}


# Rectifiers


@composite(traits=_ELEMENTWISE)
def relu6(x):
    """`x`, but at least 0 and at most 6. The gradient at 0 and 6 is 0.

    Parameters
    ----------
    x : Tensor of floats

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.relu6(np.array([-1.0, 2.0, 7.0]))
    array([0., 2., 6.])
    """
    return clip(x, 0.0, 6.0)


@relu6.adjoint
def relu6_adjoint(x, out, dout):
    return (where(logical_and(x > 0, x < 6), dout, 0),)


@composite(traits=_ELEMENTWISE, canonical=_number)
def leaky_relu(x, *, slope):
    """`x` where it is above 0, else ``slope * x``.

    Parameters
    ----------
    x : Tensor of floats
    slope : float
        Static. The gradient at 0 is the mean of `slope` and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.leaky_relu(np.array([-1.0, 2.0]), slope=0.25)
    array([-0.25,  2.  ])
    """
    return where(greater(x, 0.0), x, mul(x, slope))


@leaky_relu.adjoint
def leaky_relu_adjoint(x, out, dout, *, slope):
    below = where(x < 0, dout * slope, dout * ((1 + slope) / 2))
    return (where(x > 0, dout, below),)


@composite(traits=_ELEMENTWISE, canonical=_number)
def elu(x, *, alpha=1.0):
    """`x` where it is above 0, else ``alpha * (exp(x) - 1)``.

    Parameters
    ----------
    x : Tensor of floats
    alpha : float
        Static. The gradient at 0 is 1, whatever `alpha`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.elu(np.array([-np.inf, 2.0]))
    array([-1.,  2.])
    """
    wide = widened(x)
    below = mul(expm1(minimum(wide, 0.0)), alpha)
    return rounded(where(greater(wide, 0.0), wide, below), x)


@elu.adjoint
def elu_adjoint(x, out, dout, *, alpha):
    # From the result, alpha + out would cancel; and exp must not overflow where it is not taken.
    return (where(x < 0, dout * (alpha * exp(where(x < 0, x, 0))), dout),)


@composite(traits=_ELEMENTWISE)
def selu(x):
    """Scaled `elu`, under which mean 0 and variance 1 are stable.

    Parameters
    ----------
    x : Tensor of floats

    Notes
    -----
    G. Klambauer, T. Unterthiner, A. Mayr and S. Hochreiter, "Self-normalizing neural networks",
    2017.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.selu(np.array([-np.inf, 1.0]))
    array([-1.75809934,  1.05070099])
    """
    wide = widened(x)
    return rounded(mul(elu(wide, alpha=1.6732632423543772), 1.0507009873554805), x)


@composite(traits=_ELEMENTWISE)
def hard_sigmoid(x):
    """``(x + 3) / 6``, but at least 0 and at most 1. The gradient at -3 and 3 is 0.

    Parameters
    ----------
    x : Tensor of floats

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.hard_sigmoid(np.array([-4.0, 0.0, 1.5]))
    array([0.  , 0.5 , 0.75])
    """
    wide = widened(x)
    return rounded(div(clip(add(wide, 3.0), 0.0, 6.0), 6.0), x)


@hard_sigmoid.adjoint
def hard_sigmoid_adjoint(x, out, dout):
    return (where(logical_and(x > -3, x < 3), dout / 6, 0),)


@composite(traits=_ELEMENTWISE)
def hard_swish(x):
    """`x` times `hard_sigmoid` of it. The gradient is 0 at -3 and 1 at 3.

    Parameters
    ----------
    x : Tensor of floats

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.hard_swish(np.array([-np.inf, 1.5, 4.0]))
    array([0.   , 1.125, 4.   ])
    """
    wide = widened(x)
    between = div(mul(wide, add(wide, 3.0)), 6.0)
    result = where(less_equal(wide, -3.0), 0.0, where(greater_equal(wide, 3.0), wide, between))
    return rounded(result, x)


@hard_swish.adjoint
def hard_swish_adjoint(x, out, dout):
    inside = where(x < 3, dout * ((2 * x + 3) / 6), dout)
    return (where(x > -3, inside, 0),)


# Smooth ones


@composite(traits=_ELEMENTWISE)
def softplus(x):
    """``log(1 + exp(x))``, without overflow.

    Parameters
    ----------
    x : Tensor of floats

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.softplus(np.array([-1000.0, 0.0, 1000.0]))
    array([0.00000000e+00, 6.93147181e-01, 1.00000000e+03])
    """
    wide = widened(x)
    return rounded(add(maximum(wide, 0.0), log1p(exp(neg(abs(wide))))), x)


@softplus.adjoint
def softplus_adjoint(x, out, dout):
    return (dout * sigmoid(x),)


@composite(traits=_ELEMENTWISE)
def log_sigmoid(x):
    """``log(sigmoid(x))``, without overflow.

    Parameters
    ----------
    x : Tensor of floats

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.log_sigmoid(np.array([-1000.0, 0.0]))
    array([-1.00000000e+03, -6.93147181e-01])
    """
    return neg(softplus(neg(x)))


@composite(traits=_ELEMENTWISE)
def silu(x):
    """`x` times ``sigmoid(x)``, also called swish.

    Parameters
    ----------
    x : Tensor of floats

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.silu(np.array([-np.inf, 0.0, 1.0]))
    array([-0.        ,  0.        ,  0.73105858])
    """
    wide = widened(x)
    logistic = sigmoid(_near(wide, FAR_FOR_EXP))
    return rounded(where(less(wide, -FAR_FOR_EXP), -0.0, mul(wide, logistic)), x)


@silu.adjoint
def silu_adjoint(x, out, dout):
    return (silu_grad(x, dout),)


@composite(traits=_ELEMENTWISE)
def silu_grad(x, dy):
    """`dy` times the derivative of `silu` at `x`: ``s * (1 + x * (1 - s))``, s being the sigmoid.

    Parameters
    ----------
    x, dy : Tensors of floats, of one dtype; shapes broadcast

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.silu_grad(np.array([-np.inf, 0.0, np.inf]), 1.0)
    array([-0. ,  0.5,  1. ])
    """
    near = _near(widened(x), FAR_FOR_EXP)
    logistic = sigmoid(near)
    slope = mul(logistic, add(mul(near, sub(1.0, logistic)), 1.0))
    return rounded(mul(widened(dy), slope), dy)


def _near(x: Value, far: float) -> Value:
    """`x` held where its product with what underflows beyond `far` is finite.

    Functions and their derivatives take the gate of this, which beyond `far` is that of `x`: so it
    is computed once for both.
    """
    return clip(x, -far, far)


@composite(traits=_ELEMENTWISE)
def mish(x):
    """`x` times ``tanh(softplus(x))``.

    Parameters
    ----------
    x : Tensor of floats

    Notes
    -----
    D. Misra, "Mish: a self regularized non-monotonic activation function", 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.mish(np.array([-np.inf, 0.0, 1.0]))
    array([-0.        ,  0.        ,  0.86509839])
    """
    wide = widened(x)
    gate = tanh(softplus(_near(wide, FAR_FOR_EXP)))
    return rounded(where(less(wide, -FAR_FOR_EXP), -0.0, mul(wide, gate)), x)


@mish.adjoint
def mish_adjoint(x, out, dout):
    return (mish_grad(x, dout),)


@composite(traits=_ELEMENTWISE)
def mish_grad(x, dy):
    """`dy` times the derivative of `mish` at `x`.

    Parameters
    ----------
    x, dy : Tensors of floats, of one dtype; shapes broadcast

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.mish_grad(np.array([-np.inf, 0.0, np.inf]), 1.0)
    array([0. , 0.6, 1. ])
    """
    near = _near(widened(x), FAR_FOR_EXP)
    gate = tanh(softplus(near))
    slope = add(gate, mul(mul(near, sub(1.0, mul(gate, gate))), sigmoid(near)))
    return rounded(mul(widened(dy), slope), dy)


def _canonical_gelu(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    if attrs["approximate"] not in ("none", "tanh"):
        raise fail("E0404", f'approximate is "none" or "tanh", got {attrs["approximate"]!r}')
    return attrs


@composite(traits=_ELEMENTWISE, canonical=_canonical_gelu)
def gelu(x, *, approximate="none"):
    """`x` times the probability that a standard normal number is below it.

    Parameters
    ----------
    x : Tensor of floats
    approximate : str
        ``"none"``, or ``"tanh"`` for ``x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3)))``.

    Raises
    ------
    S2sadError
        E0404 for another approximation.

    Notes
    -----
    D. Hendrycks and K. Gimpel, "Gaussian error linear units", 2016. The probability is
    ``erfc(-x/sqrt(2)) / 2``, and ``(1 + tanh(u)) / 2`` is ``sigmoid(2*u)``: neither cancels far
    below 0.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.gelu(np.array([-np.inf, 0.0, 1.0]))
    array([-0.        ,  0.        ,  0.84134475])
    >>> p.gelu(np.array(1.0), approximate="tanh")
    array(0.84119199)
    """
    wide = widened(x)
    product = mul(wide, _gate(_near(wide, FAR_FOR_ERF), approximate))
    return rounded(where(less(wide, -FAR_FOR_ERF), -0.0, product), x)


def _gate(x: Value, approximate: str) -> Value:
    if approximate == "none":
        return mul(erfc(mul(x, -SQRT_HALF)), 0.5)
    return sigmoid(mul(mul(x, add(mul(mul(x, x), 0.044715), 1.0)), 2 * SQRT_2_BY_PI))


def _gate_slope(x: Value, gate: Value, approximate: str) -> Value:
    if approximate == "none":
        return mul(exp(mul(mul(x, x), -0.5)), DENSITY_AT_0)
    inner = mul(add(mul(mul(x, x), 3 * 0.044715), 1.0), 2 * SQRT_2_BY_PI)
    return mul(mul(gate, sub(1.0, gate)), inner)


@gelu.adjoint
def gelu_adjoint(x, out, dout, *, approximate):
    return (gelu_grad(x, dout, approximate=approximate),)


@composite(traits=_ELEMENTWISE, canonical=_canonical_gelu)
def gelu_grad(x, dy, *, approximate="none"):
    """`dy` times the derivative of `gelu` at `x`.

    Parameters
    ----------
    x, dy : Tensors of floats, of one dtype; shapes broadcast
    approximate : str
        As of `gelu`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.gelu_grad(np.array([-np.inf, 0.0, np.inf]), 1.0)
    array([0. , 0.5, 1. ])
    """
    near = _near(widened(x), FAR_FOR_ERF)
    gate = _gate(near, approximate)
    slope = add(gate, mul(near, _gate_slope(near, gate, approximate)))
    return rounded(mul(widened(dy), slope), dy)


# Along an axis


def _below_largest(x: Value, axis: int) -> Value:
    """`x` less its largest element along `axis`; 0 for what equals it, be it infinite."""
    largest = reduce_max(x, axis=axis, keepdims=True)
    return where(equal(x, largest), 0.0, sub(x, largest))


def _is_empty(x: Value, axis: int) -> bool:
    return bool(dims.same(x.shape[axis], 0))


@composite(canonical=canonical_axis)
def softmax(x, *, axis=-1):
    """Exponentials of `x`, scaled to sum to one along `axis`.

    Parameters
    ----------
    x : Tensor of floats, shape (..., n, ...)
        Scores in nats. One of -inf has the probability 0; equal largest ones share alike, also
        where all are -inf, or some +inf. Where one is NaN all are.
    axis : int
        The axis of length n.

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0403 if `axis` is out of range.

    Notes
    -----
    The maximum is subtracted first, so nothing overflows. Adjoint, from the result alone:
    ``out * (dout - sum(out * dout))``.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.softmax(np.array([0.0, 0.0, -np.inf, 0.0, 0.0]))
    array([0.25, 0.25, 0.  , 0.25, 0.25])
    """
    wide = widened(x)
    if _is_empty(x, axis):
        return x
    powers = exp(_below_largest(wide, axis))
    return rounded(div(powers, reduce_sum(powers, axis=axis, keepdims=True)), x)


@softmax.adjoint
def softmax_adjoint(x, out, dout, *, axis):
    return (softmax_grad(out, dout, axis=axis),)


@softmax.tangent
def softmax_tangent(x, out, tangents, *, axis):
    return softmax_grad(out, tangents[0], axis=axis)  # the Jacobian is symmetric


@composite(canonical=canonical_axis)
def softmax_grad(y, dy, *, axis=-1):
    """Cotangent of the scores, given the probabilities `y` of `softmax` and their cotangent.

    Parameters
    ----------
    y, dy : Tensors of floats, of one type
    axis : int

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.softmax_grad(np.array([0.25, 0.75]), np.array([1.0, 0.0]))
    array([ 0.1875, -0.1875])
    """
    wide, cotangent = widened(y), widened(dy)
    mean = reduce_sum(mul(wide, cotangent), axis=axis, keepdims=True)
    return rounded(mul(wide, sub(cotangent, mean)), y)


@composite(canonical=canonical_axis)
def log_softmax(x, *, axis=-1):
    """Logarithm of the `softmax` along `axis`, exact also where that underflows.

    Parameters
    ----------
    x : Tensor of floats, shape (..., n, ...)
        Scores in nats.
    axis : int
        The axis of length n.

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0403 if `axis` is out of range.

    Notes
    -----
    Adjoint, from the result alone: ``dout - exp(out) * sum(dout)``.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.log_softmax(np.array([0.0, 0.0, -np.inf, -1000.0]))
    array([-6.93147181e-01, -6.93147181e-01,            -inf, -1.00069315e+03])
    """
    wide = widened(x)
    if _is_empty(x, axis):
        return x
    below = _below_largest(wide, axis)
    return rounded(sub(below, log(reduce_sum(exp(below), axis=axis, keepdims=True))), x)


@log_softmax.adjoint
def log_softmax_adjoint(x, out, dout, *, axis):
    return (log_softmax_grad(out, dout, axis=axis),)


@log_softmax.tangent
def log_softmax_tangent(x, out, tangents, *, axis):
    weighted = exp(out) * tangents[0]
    return tangents[0] - reduce_sum(weighted, axis=axis, keepdims=True)


@composite(canonical=canonical_axis)
def log_softmax_grad(y, dy, *, axis=-1):
    """Cotangent of the scores, given the result `y` of `log_softmax` and its cotangent.

    Parameters
    ----------
    y, dy : Tensors of floats, of one type
    axis : int

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.log_softmax_grad(np.log(np.array([0.25, 0.75])), np.array([1.0, 0.0]))
    array([ 0.75, -0.75])
    """
    wide, cotangent = widened(y), widened(dy)
    total = reduce_sum(cotangent, axis=axis, keepdims=True)
    return rounded(sub(cotangent, mul(exp(wide), total)), y)
