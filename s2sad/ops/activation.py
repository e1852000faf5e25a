"""Activations: rectifiers and their smooth relatives, shrinkage, softmax.

Formulas that a primitive has are that primitive's; the others are composed here. Narrow floats are
then computed in float32 and rounded once, and NaN stays NaN.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.promotion import as_dtype, dtype_of, promote, require_tensor
from s2sad.ops.random import uniform
from s2sad.ops.settings import number
from s2sad.prims.rules import axis_of

# Rectifiers


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


def relu6(x: Any) -> Any:
    """`x`, but at least 0 and at most 6; gradient 0 at both.

    Examples
    --------
    >>> import s2sad as ms
    >>> relu6(ms.Tensor([-1.0, 2.0, 7.0])).asnumpy()
    array([0., 2., 6.], dtype=float32)
    """
    return p.relu6(_floats(x, "relu6"))


def leaky_relu(input: Any, alpha: float = 0.2) -> Any:
    """`input` where it is positive, else ``alpha * input``; gradient ``(1 + alpha) / 2`` at 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> leaky_relu(ms.Tensor([-1.0, 2.0]), 0.5).asnumpy()
    array([-0.5,  2. ], dtype=float32)
    """
    return p.leaky_relu(_floats(input, "leaky_relu"), slope=number("alpha", alpha))


def prelu(input: Any, weight: Any) -> Any:
    """`input` where it is positive, else times `weight`; at 0 the gradient is `weight`.

    Parameters
    ----------
    input : Tensor of floats, shape (N, C, ...)
    weight : Tensor, shape (C,) or (1,)
        A slope a channel, which is axis 1, or one for all; one as well where there is no axis 1.

    Raises
    ------
    S2sadError
        E0401 for a weight of another shape.

    Notes
    -----
    K. He, X. Zhang, S. Ren and J. Sun, "Delving deep into rectifiers", 2015.

    Examples
    --------
    >>> import s2sad as ms
    >>> prelu(ms.Tensor([[-1.0, -1.0]]), ms.Tensor([0.25, 0.5])).asnumpy()
    array([[-0.25, -0.5 ]], dtype=float32)
    """
    x, slopes = promote(require_tensor(input, "prelu"), require_tensor(weight, "prelu"))
    channels = x.shape[1] if x.ndim > 1 else 1
    if slopes.ndim != 1 or not (dims.same(slopes.shape[0], 1) or slopes.shape[0] == channels):
        raise fail(
            "E0401", f"the weight of prelu has shape (1,) or ({channels},), a slope a channel of "
            f"the input {x.shape}, got {slopes.shape}",
        )  # fmt: skip
    along = (1,) * (x.ndim - 2) if x.ndim > 1 else ()
    shape = (slopes.shape[0], *along) if x.ndim else ()
    return p.where(p.greater(x, 0), x, p.mul(x, p.reshape(slopes, shape=shape)))


def rrelu(input: Any, lower: float = 1 / 8, upper: float = 1 / 3) -> Any:
    """`input` where it is positive, else times a random slope, which differs by element.

    Parameters
    ----------
    input : Tensor of floats
    lower, upper : float
        Between which a slope is drawn at each call, with equal chances.

    Raises
    ------
    S2sadError
        E0404 for a `lower` above `upper`.

    Notes
    -----
    B. Xu, N. Wang, T. Chen and M. Li, "Empirical evaluation of rectified activations in
    convolutional network", 2015.

    Examples
    --------
    >>> import s2sad as ms
    >>> rrelu(ms.Tensor([-4.0, 2.0]), 0.25, 0.25).asnumpy()
    array([-1.,  2.], dtype=float32)
    """
    if not number("lower", lower) <= number("upper", upper):
        raise fail("E0404", f"lower must not be above upper, got {lower} and {upper}")
    x = _floats(input, "rrelu")
    slopes = uniform(x.shape, lower, upper, dtype=x.dtype)
    return p.where(p.greater(x, 0.0), x, p.mul(x, slopes))


def elu(input_x: Any, alpha: float = 1.0) -> Any:
    """`input_x` where it is positive, else ``alpha * (exp(input_x) - 1)``; gradient 1 at 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> elu(ms.Tensor([-1000.0, 2.0])).asnumpy()
    array([-1.,  2.], dtype=float32)
    """
    return p.elu(_floats(input_x, "elu"), alpha=number("alpha", alpha))


def celu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where it is positive, else ``alpha * (exp(x / alpha) - 1)``; gradient 1 at 0.

    Raises
    ------
    S2sadError
        E0404 for an `alpha` of 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> celu(ms.Tensor([-1000.0, 2.0]), 3.0).asnumpy()
    array([-3.,  2.], dtype=float32)
    """
    if not number("alpha", alpha):
        raise fail("E0404", "the alpha of celu must not be 0")
    wide = _wide(x, "celu")
    below = p.mul(p.elu(p.div(wide, float(alpha))), float(alpha))
    return as_dtype(p.where(p.greater(wide, 0.0), wide, below), x.dtype)


def selu(input_x: Any) -> Any:
    """Scaled `elu`, under which mean 0 and variance 1 are stable.

    Examples
    --------
    >>> import s2sad as ms
    >>> selu(ms.Tensor([-1000.0, 1.0])).asnumpy()
    array([-1.7580993,  1.050701 ], dtype=float32)
    """
    return p.selu(_floats(input_x, "selu"))


def threshold(input: Any, thr: float, value: float) -> Any:
    """`input` where it is above `thr`, else `value`.

    Examples
    --------
    >>> import s2sad as ms
    >>> threshold(ms.Tensor([0.0, 1.0, 2.0]), 1, 20).asnumpy()
    array([20., 20.,  2.], dtype=float32)
    """
    x = require_tensor(input, "threshold")
    return p.where(p.less_equal(x, number("thr", thr)), number("value", value), x)


# Pieces of lines


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """`input`, but at least `min_val` and at most `max_val`; gradient 1 at both.

    Raises
    ------
    S2sadError
        E0404 unless `min_val` is below `max_val`.

    Examples
    --------
    >>> import s2sad as ms
    >>> hardtanh(ms.Tensor([-2.0, 0.5, 2.0])).asnumpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    """
    low, high = number("min_val", min_val), number("max_val", max_val)
    if not low < high:
        raise fail("E0404", f"min_val must be below max_val, got {low} and {high}")
    return p.clip(_floats(input, "hardtanh"), low, high)


def hardsigmoid(input: Any) -> Any:
    """``(input + 3) / 6``, but at least 0 and at most 1.

    Examples
    --------
    >>> import s2sad as ms
    >>> hardsigmoid(ms.Tensor([-4.0, 0.0, 1.5])).asnumpy()
    array([0.  , 0.5 , 0.75], dtype=float32)
    """
    return p.hard_sigmoid(_floats(input, "hardsigmoid"))


def hardswish(input: Any) -> Any:
    """`input` times `hardsigmoid` of it.

    Examples
    --------
    >>> import s2sad as ms
    >>> hardswish(ms.Tensor([-4.0, 1.5, 4.0])).asnumpy()
    array([0.   , 1.125, 4.   ], dtype=float32)
    """
    return p.hard_swish(_floats(input, "hardswish"))


def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """`input`, but 0 between ``-lambd`` and `lambd`, both included.

    Examples
    --------
    >>> import s2sad as ms
    >>> hardshrink(ms.Tensor([-0.5, 0.25, 2.0])).asnumpy()
    array([0., 0., 2.], dtype=float32)
    """
    x = _floats(input, "hardshrink")
    return p.where(p.less_equal(p.abs(x), number("lambd", lambd)), 0, x)


def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """`input` moved by `lambd` towards 0, where it stays.

    Raises
    ------
    S2sadError
        E0404 for a negative `lambd`.

    Examples
    --------
    >>> import s2sad as ms
    >>> softshrink(ms.Tensor([-2.0, 0.25, 2.0])).asnumpy()
    array([-1.5,  0. ,  1.5], dtype=float32)
    """
    bound = number("lambd", lambd)
    if bound < 0:
        raise fail("E0404", f"the lambd of softshrink must not be negative, got {bound}")
    x = _floats(input, "softshrink")
    return p.sub(x, p.clip(x, -bound, bound))


# Smooth ones


def tanh(input: Any) -> Any:
    """Hyperbolic tangent.

    Examples
    --------
    >>> import s2sad as ms
    >>> tanh(ms.Tensor([0.0])).asnumpy()
    array([0.], dtype=float32)
    """
    return p.tanh(_floats(input, "tanh"))


def tanhshrink(input: Any) -> Any:
    """`input` less its hyperbolic tangent.

    Examples
    --------
    >>> import s2sad as ms
    >>> tanhshrink(ms.Tensor([0.0, 10.0])).asnumpy()
    array([0., 9.], dtype=float32)
    """
    wide = _wide(input, "tanhshrink")
    return as_dtype(p.sub(wide, p.tanh(wide)), input.dtype)


def sigmoid(input: Any) -> Any:
    """``1 / (1 + exp(-input))``.

    Examples
    --------
    >>> import s2sad as ms
    >>> sigmoid(ms.Tensor([0.0])).asnumpy()
    array([0.5], dtype=float32)
    """
    return p.sigmoid(_floats(input, "sigmoid"))


def logsigmoid(x: Any) -> Any:
    """Logarithm of `sigmoid`, without overflow.

    Examples
    --------
    >>> import s2sad as ms
    >>> logsigmoid(ms.Tensor([-1000.0, 0.0])).asnumpy()
    array([-1.000000e+03, -6.931472e-01], dtype=float32)
    """
    return p.log_sigmoid(_floats(x, "logsigmoid"))


def silu(input: Any) -> Any:
    """`input` times ``sigmoid(input)``, also called swish.

    Examples
    --------
    >>> import s2sad as ms
    >>> silu(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 0.7310586], dtype=float32)
    """
    return p.silu(_floats(input, "silu"))


def gelu(input: Any, approximate: str = "none") -> Any:
    """`input` times the probability that a standard normal number is below it.

    Parameters
    ----------
    input : Tensor of floats
    approximate : {"none", "tanh"}
        ``"tanh"`` for ``x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3)))``.

    Raises
    ------
    S2sadError
        E0404 for another approximation.

    Examples
    --------
    >>> import s2sad as ms
    >>> gelu(ms.Tensor([0.0, 1.0])).asnumpy(), gelu(ms.Tensor([1.0]), "tanh").asnumpy()
    (array([0.       , 0.8413447], dtype=float32), array([0.841192], dtype=float32))
    """
    return p.gelu(_floats(input, "gelu"), approximate=approximate)


def fast_gelu(x: Any) -> Any:
    """``x * sigmoid(1.702 * x)``, near `gelu`.

    Examples
    --------
    >>> import s2sad as ms
    >>> fast_gelu(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 0.8457958], dtype=float32)
    """
    wide = _wide(x, "fast_gelu")
    return as_dtype(p.div(p.silu(p.mul(wide, 1.702)), 1.702), x.dtype)


def mish(x: Any) -> Any:
    """`x` times ``tanh(softplus(x))``.

    Examples
    --------
    >>> import s2sad as ms
    >>> mish(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 0.8650984], dtype=float32)
    """
    return p.mish(_floats(x, "mish"))


def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """``log(1 + exp(beta * input)) / beta``, and `input` where ``beta * input > threshold``.

    Raises
    ------
    S2sadError
        E0404 for a `beta` of 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> softplus(ms.Tensor([-1000.0, 0.0, 1000.0])).asnumpy()
    array([0.000000e+00, 6.931472e-01, 1.000000e+03], dtype=float32)
    """
    if not number("beta", beta):
        raise fail("E0404", "the beta of softplus must not be 0")
    wide = _wide(input, "softplus")
    scaled = p.mul(wide, float(beta))
    bent = p.div(p.softplus(scaled), float(beta))
    is_straight = p.greater(scaled, float(number("threshold", threshold)))
    return as_dtype(p.where(is_straight, wide, bent), input.dtype)


def softsign(x: Any) -> Any:
    """``x / (1 + abs(x))``; 1 at infinity.

    Examples
    --------
    >>> import s2sad as ms
    >>> softsign(ms.Tensor([-1.0, 0.0, 3.0])).asnumpy()
    array([-0.5 ,  0.  ,  0.75], dtype=float32)
    """
    wide = _wide(x, "softsign")
    # Further out it is 1 to the last bit; at infinity the quotient would be NaN.
    far = 1e300 if wide.dtype is dtypes.float64 else 1e30
    near = p.clip(wide, -far, far)
    return as_dtype(p.div(near, p.add(p.abs(near), 1.0)), x.dtype)


# Along an axis


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


def softmin(x: Any, axis: int = -1, *, dtype: Any = None) -> Any:
    """`softmax` of ``-x``.

    Examples
    --------
    >>> import s2sad as ms
    >>> softmin(ms.Tensor([0.0, 1000.0])).asnumpy()
    array([1., 0.], dtype=float32)
    """
    return softmax(p.neg(_floats(x, "softmin")), axis, dtype=dtype)


def log_softmax(logits: Any, axis: int = -1) -> Any:
    """Logarithm of `softmax`, without the overflow.

    Examples
    --------
    >>> import s2sad as ms
    >>> log_softmax(ms.Tensor([0.0, -1000.0])).asnumpy()
    array([    0., -1000.], dtype=float32)
    """
    return p.log_softmax(_floats(logits, "log_softmax"), axis=axis)


def glu(x: Any, axis: int = -1) -> Any:
    """The first half of `x` along `axis`, times the `sigmoid` of the second.

    Raises
    ------
    S2sadError
        E0401 for an odd size, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> glu(ms.Tensor([2.0, 4.0, 0.0, 1000.0])).asnumpy()
    array([1., 4.], dtype=float32)
    """
    axis = axis_of(axis, _floats(x, "glu").ndim)
    size = x.shape[axis]
    if not dims.same(size % 2, 0):
        raise fail("E0401", f"glu halves axis {axis}, whose size must be even, got {x.shape}")
    first, second = p.split(x, sizes=(size // 2, size // 2), axis=axis)
    return p.mul(first, p.sigmoid(second))


def _floats(x: Any, name: str) -> Any:
    """`x`, which must be a tensor (E0304) of floats (E0301)."""
    if not require_tensor(x, name).dtype.is_float:
        raise fail(
            "E0301", f"{name} needs floats, got {x.dtype.name}", help="cast: x.astype(float32)"
        )
    return x


def _wide(x: Any, name: str) -> Any:
    """`x`, a tensor of floats, in the dtype that it is computed in."""
    return as_dtype(_floats(x, name), x.dtype.compute)
