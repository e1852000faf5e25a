"""How are the elements along some axes distributed: where is their middle, how far do they spread?

All are composites over the reductions. Narrow floats are computed in float32 and rounded at the
end, so a mean does not overflow where the sum would.
"""

from __future__ import annotations

import builtins
from typing import Any

from s2sad.ir import dims
from s2sad.ir.graph import Value
from s2sad.prims.arithmetic import add, div, maximum, mul, sqrt, sub
from s2sad.prims.comparison import equal
from s2sad.prims.define import composite
from s2sad.prims.exponential import exp, log
from s2sad.prims.reduce import Axes, reduce_max, reduce_sum, reduced_shape, rounded, widened
from s2sad.prims.rules import canonical_axes
from s2sad.prims.select import where
from s2sad.prims.shape import axis_size, reshape


def element_count(x: Value, axis: Axes) -> int | Value:
    """Number of elements along `axis`, as a number where it is known while compiling."""
    size = dims.size([x.shape[i] for i in axis])
    return size if isinstance(size, int) else axis_size(x, axis=axis, dtype=x.dtype)


@composite(canonical=canonical_axes)
def mean(x, *, axis: Any = None, keepdims=False):
    """Arithmetic mean over `axis`; NaN where that is empty.

    Parameters
    ----------
    x : Tensor of floats
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0301 if `x` is not of floats, E0403 if an axis is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.mean(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    array([2., 3.])
    """
    wide = widened(x)
    total = reduce_sum(wide, axis=axis, keepdims=keepdims)
    return rounded(div(total, element_count(wide, axis)), x)


@composite(canonical=canonical_axes)
def variance(x, *, axis: Any = None, keepdims=False, ddof=0):
    """Mean square distance from the mean over `axis`; 0 for one element, NaN for none.

    Parameters
    ----------
    x : Tensor of floats
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.
    ddof : int
        The sum of n squares is divided by n - `ddof`, and never by less than 0, which
        makes it infinite, or NaN where all are equal.

    Raises
    ------
    S2sadError
        E0301 if `x` is not of floats, E0403 if an axis is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.variance(np.array([1.0, 2.0, 3.0]), ddof=1)
    array(1.)
    """
    return rounded(_wide_variance(widened(x), axis, keepdims, ddof), x)


def _wide_variance(x: Value, axis: Axes, keepdims: bool, ddof: int) -> Value:
    distance = sub(x, mean(x, axis=axis, keepdims=True))
    total = reduce_sum(mul(distance, distance), axis=axis, keepdims=keepdims)
    count = element_count(x, axis)
    if not isinstance(count, int):
        return div(total, maximum(sub(count, ddof), 0))
    return div(total, builtins.max(count - ddof, 0))


@composite(canonical=canonical_axes)
def standard_deviation(x, *, axis: Any = None, keepdims=False, ddof=0):
    """Square root of the `variance` over `axis`; its gradient is 0 where it is 0.

    Parameters
    ----------
    x : Tensor of floats
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.
    ddof : int
        The sum of n squares is divided by n - `ddof`, and never by less than 0, which
        makes it infinite, or NaN where all are equal.

    Raises
    ------
    S2sadError
        E0301 if `x` is not of floats, E0403 if an axis is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.standard_deviation(np.array([[1.0, 3.0], [5.0, 5.0]]), axis=1)
    array([1., 0.])
    """
    spread = _wide_variance(widened(x), axis, keepdims, ddof)
    none = equal(spread, 0)
    # Two selections: the root is not taken at 0, where its slope is infinite.
    return rounded(where(none, 0, sqrt(where(none, 1, spread))), x)


@composite(canonical=canonical_axes)
def log_sum_exp(x, *, axis: Any = None, keepdims=False):
    """Logarithm of the sum of exponentials over `axis`, without overflow.

    The largest element is subtracted first, where it is not the element itself: so rows of -inf
    give -inf, rows with +inf give +inf, and the gradient is finite in both. It is the softmax;
    equal infinite elements share it.

    Parameters
    ----------
    x : Tensor of floats
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0301 if `x` is not of floats, E0401 if a reduced axis is empty, E0403 if one is out of
        range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.log_sum_exp(np.array([1000.0, 1000.0]))
    array(1000.69314718)
    """
    wide = widened(x)
    largest = reduce_max(wide, axis=axis, keepdims=True)
    # inf - inf is NaN; what equals the largest element is 0 below it, infinite or not.
    below = where(equal(wide, largest), 0, sub(wide, largest))
    total = reduce_sum(exp(below), axis=axis, keepdims=True)
    result = add(log(total), largest)
    shape = reduced_shape(x.shape, axis, keepdims)
    return rounded(result if keepdims else reshape(result, shape=shape), x)
