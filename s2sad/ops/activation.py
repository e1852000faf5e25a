"""What do smooth activations make of a tensor, and those of all elements along an axis?

Formulas that a primitive has are that primitive's; the others are composed here. Narrow floats are
then computed in float32 and rounded once, and NaN stays NaN.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.autocast import decided
from s2sad.ops.promotion import as_dtype, dtype_of, require_floats, require_tensor
from s2sad.ops.settings import number
from s2sad.prims.rules import axis_of

# Smooth ones


def tanh(input: Any) -> Any:
    """Hyperbolic tangent.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

    Examples
    --------
    >>> import s2sad as ms
    >>> tanh(ms.Tensor([0.0])).asnumpy()
    array([0.], dtype=float32)
    """
    return p.tanh(require_floats(input, "tanh"))


def tanhshrink(input: Any) -> Any:
    """`input` less its hyperbolic tangent.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

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

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

    Examples
    --------
    >>> import s2sad as ms
    >>> sigmoid(ms.Tensor([0.0])).asnumpy()
    array([0.5], dtype=float32)
    """
    return p.sigmoid(require_floats(input, "sigmoid"))


def logsigmoid(x: Any) -> Any:
    """Logarithm of `sigmoid`, without overflow.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

    Examples
    --------
    >>> import s2sad as ms
    >>> logsigmoid(ms.Tensor([-1000.0, 0.0])).asnumpy()
    array([-1.000000e+03, -6.931472e-01], dtype=float32)
    """
    return p.log_sigmoid(require_floats(x, "logsigmoid"))


def silu(input: Any) -> Any:
    """`input` times ``sigmoid(input)``, also called swish.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

    Examples
    --------
    >>> import s2sad as ms
    >>> silu(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 0.7310586], dtype=float32)
    """
    return p.silu(require_floats(input, "silu"))


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
    return p.gelu(require_floats(input, "gelu"), approximate=approximate)


def fast_gelu(x: Any) -> Any:
    """``x * sigmoid(1.702 * x)``, near `gelu`.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

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

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

    Examples
    --------
    >>> import s2sad as ms
    >>> mish(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 0.8650984], dtype=float32)
    """
    return p.mish(require_floats(x, "mish"))


def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """``log(1 + exp(beta * input)) / beta``, and `input` where ``beta * input > threshold``.

    Parameters
    ----------
    input : Tensor of floats, any shape
    beta, threshold : float

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 for a setting that is no number, E0304 for what is no Tensor,
        E0404 for a `beta` of 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> softplus(ms.Tensor([-1000.0, 0.0, 1000.0])).asnumpy()
    array([0.000000e+00, 6.931472e-01, 1.000000e+03], dtype=float32)
    """
    if not number("beta", beta):
        raise fail("E0404", "the beta of softplus must not be 0")
    (input,) = decided("softplus", input)
    wide = _wide(input, "softplus")
    scaled = p.mul(wide, float(beta))
    bent = p.div(p.softplus(scaled), float(beta))
    is_straight = p.greater(scaled, float(number("threshold", threshold)))
    return as_dtype(p.where(is_straight, wide, bent), input.dtype)


def softsign(x: Any) -> Any:
    """``x / (1 + abs(x))``; 1 at infinity.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

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

    Parameters
    ----------
    input : Tensor of floats, shape (..., n, ...)
    axis : int
        The axis of length n.
    dtype : DType, optional
        Of floats.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 for no dtype, E0304 for what is no Tensor, E0403 for an axis
        that does not exist.

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

    Arguments and errors are those of `softmax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> softmin(ms.Tensor([0.0, 1000.0])).asnumpy()
    array([1., 0.], dtype=float32)
    """
    return softmax(p.neg(require_floats(x, "softmin")), axis, dtype=dtype)


def log_softmax(logits: Any, axis: int = -1) -> Any:
    """Logarithm of `softmax`, without the overflow.

    Arguments and errors are those of `softmax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> log_softmax(ms.Tensor([0.0, -1000.0])).asnumpy()
    array([    0., -1000.], dtype=float32)
    """
    return p.log_softmax(require_floats(logits, "log_softmax"), axis=axis)


def glu(x: Any, axis: int = -1) -> Any:
    """The first half of `x` along `axis`, times the `sigmoid` of the second.

    Parameters
    ----------
    x : Tensor of floats, shape (..., 2n, ...)
    axis : int
        The axis of length 2n.

    Returns
    -------
    Tensor, shape (..., n, ...)

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0304 for what is no Tensor, E0401 for an odd size, E0403 for an
        axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> glu(ms.Tensor([2.0, 4.0, 0.0, 1000.0])).asnumpy()
    array([1., 4.], dtype=float32)
    """
    axis = axis_of(axis, require_floats(x, "glu").ndim)
    size = x.shape[axis]
    if not dims.same(size % 2, 0):
        raise fail("E0401", f"glu halves axis {axis}, whose size must be even, got {x.shape}")
    first, second = p.split(x, sizes=(size // 2, size // 2), axis=axis)
    return p.mul(first, p.sigmoid(second))


def _wide(x: Any, name: str) -> Any:
    """`x`, a tensor of floats, in the dtype that it is computed in."""
    return as_dtype(require_floats(x, name), x.dtype.compute)
