"""What do rectifiers make of a tensor, which keep what is positive, and what do pieces of lines?

Narrow floats are computed in float32 and rounded once where a formula has several steps; NaN stays
NaN.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.autocast import decided
from s2sad.ops.promotion import as_dtype, promote, require_floats, require_tensor, require_tensors
from s2sad.ops.random import uniform
from s2sad.ops.settings import number

# Rectifiers


def relu(input: Any, inplace: bool = False) -> Any:
    """`input` where it is positive, else 0; gradient 0 at 0.

    Parameters
    ----------
    input : Tensor of numbers, any shape
    inplace : bool
        MindSpore's, and refused: what is passed in never changes.

    Raises
    ------
    S2sadError
        E0104 for ``inplace=True``, E0301 for bools, E0304 for what is no Tensor.

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

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

    Examples
    --------
    >>> import s2sad as ms
    >>> relu6(ms.Tensor([-1.0, 2.0, 7.0])).asnumpy()
    array([0., 2., 6.], dtype=float32)
    """
    return p.relu6(require_floats(x, "relu6"))


def leaky_relu(input: Any, alpha: float = 0.2) -> Any:
    """`input` where it is positive, else ``alpha * input``; gradient ``(1 + alpha) / 2`` at 0.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.
    E0303 when the setting is no number.

    Examples
    --------
    >>> import s2sad as ms
    >>> leaky_relu(ms.Tensor([-1.0, 2.0]), 0.5).asnumpy()
    array([-0.5,  2. ], dtype=float32)
    """
    return p.leaky_relu(require_floats(input, "leaky_relu"), slope=number("alpha", alpha))


def prelu(input: Any, weight: Any) -> Any:
    """`input` where it is positive, else times `weight`; at 0 the gradient is `weight`.

    Parameters
    ----------
    input : Tensor of floats, shape (N, C, ...)
    weight : Tensor, shape (C,) or (1,)
        A slope a channel, which is axis 1, or one for all; one as well where there is no axis 1.

    Returns
    -------
    Tensor
        Of the dtype of `input`, rounded to it where `weight` is wider.

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
    given, slopes = decided("prelu", *require_tensors("prelu", input, weight))
    x, slopes = promote(given, slopes)
    channels = x.shape[1] if x.ndim > 1 else 1
    if slopes.ndim != 1 or not (dims.same(slopes.shape[0], 1) or slopes.shape[0] == channels):
        raise fail(
            "E0401", f"the weight of prelu has shape (1,) or ({channels},), a slope a channel of "
            f"the input {x.shape}, got {slopes.shape}",
        )  # fmt: skip
    along = (1,) * (x.ndim - 2) if x.ndim > 1 else ()
    shape = (slopes.shape[0], *along) if x.ndim else ()
    found = p.where(p.greater(x, 0), x, p.mul(x, p.reshape(slopes, shape=shape)))
    return as_dtype(found, given.dtype) if given.dtype.is_float else found


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
    x = require_floats(input, "rrelu")
    slopes = uniform(x.shape, lower, upper, dtype=x.dtype)
    return p.where(p.greater(x, 0.0), x, p.mul(x, slopes))


def elu(input_x: Any, alpha: float = 1.0) -> Any:
    """`input_x` where it is positive, else ``alpha * (exp(input_x) - 1)``; gradient 1 at 0.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.
    E0303 when the setting is no number.

    Examples
    --------
    >>> import s2sad as ms
    >>> elu(ms.Tensor([-1000.0, 2.0])).asnumpy()
    array([-1.,  2.], dtype=float32)
    """
    return p.elu(require_floats(input_x, "elu"), alpha=number("alpha", alpha))


def celu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where it is positive, else ``alpha * (exp(x / alpha) - 1)``; gradient 1 at 0.

    Parameters
    ----------
    x : Tensor of floats, any shape
    alpha : float

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 when `alpha` is no number, E0304 for what is no Tensor, E0404
        for an `alpha` of 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> celu(ms.Tensor([-1000.0, 2.0]), 3.0).asnumpy()
    array([-3.,  2.], dtype=float32)
    """
    if not number("alpha", alpha):
        raise fail("E0404", "the alpha of celu must not be 0")
    wide = as_dtype(require_floats(x, "celu"), x.dtype.compute)
    below = p.mul(p.elu(p.div(wide, float(alpha))), float(alpha))
    return as_dtype(p.where(p.greater(wide, 0.0), wide, below), x.dtype)


def selu(input_x: Any) -> Any:
    """Scaled `elu`, under which mean 0 and variance 1 are stable.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

    Examples
    --------
    >>> import s2sad as ms
    >>> selu(ms.Tensor([-1000.0, 1.0])).asnumpy()
    array([-1.7580993,  1.050701 ], dtype=float32)
    """
    return p.selu(require_floats(input_x, "selu"))


def threshold(input: Any, thr: float, value: float) -> Any:
    """`input` where it is above `thr`, else `value`.

    Numbers of any shape and dtype; E0304 for what is no Tensor, E0303 when `thr` or `value` is
    no number.

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

    Parameters
    ----------
    input : Tensor of floats, any shape
    min_val, max_val : float

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 for a bound that is no number, E0304 for what is no Tensor,
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
    return p.clip(require_floats(input, "hardtanh"), low, high)


def hardsigmoid(input: Any) -> Any:
    """``(input + 3) / 6``, but at least 0 and at most 1.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

    Examples
    --------
    >>> import s2sad as ms
    >>> hardsigmoid(ms.Tensor([-4.0, 0.0, 1.5])).asnumpy()
    array([0.  , 0.5 , 0.75], dtype=float32)
    """
    return p.hard_sigmoid(require_floats(input, "hardsigmoid"))


def hardswish(input: Any) -> Any:
    """`input` times `hardsigmoid` of it.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.

    Examples
    --------
    >>> import s2sad as ms
    >>> hardswish(ms.Tensor([-4.0, 1.5, 4.0])).asnumpy()
    array([0.   , 1.125, 4.   ], dtype=float32)
    """
    return p.hard_swish(require_floats(input, "hardswish"))


def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """`input`, but 0 between ``-lambd`` and `lambd`, both included.

    Of any shape, floats of any dtype; E0304 for what is no Tensor, E0301 for other dtypes.
    E0303 when the setting is no number.

    Examples
    --------
    >>> import s2sad as ms
    >>> hardshrink(ms.Tensor([-0.5, 0.25, 2.0])).asnumpy()
    array([0., 0., 2.], dtype=float32)
    """
    x = require_floats(input, "hardshrink")
    return p.where(p.less_equal(p.abs(x), number("lambd", lambd)), 0, x)


def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """`input` moved by `lambd` towards 0, where it stays.

    Parameters
    ----------
    input : Tensor of floats, any shape
    lambd : float

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 when `lambd` is no number, E0304 for what is no Tensor, E0404
        for a negative `lambd`.

    Examples
    --------
    >>> import s2sad as ms
    >>> softshrink(ms.Tensor([-2.0, 0.25, 2.0])).asnumpy()
    array([-1.5,  0. ,  1.5], dtype=float32)
    """
    bound = number("lambd", lambd)
    if bound < 0:
        raise fail("E0404", f"the lambd of softshrink must not be negative, got {bound}")
    x = require_floats(input, "softshrink")
    return p.sub(x, p.clip(x, -bound, bound))
