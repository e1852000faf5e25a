"""How do neighbours differ, what area lies under them, and how do rows vary together?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.arithmetic import mul, sub
from s2sad.ops.division import div
from s2sad.ops.join import concat
from s2sad.ops.promotion import (
    as_dtype,
    floats_of,
    is_tensor,
    promote,
    require_integers,
    require_tensor,
    type_of,
)
from s2sad.ops.settings import integer, number
from s2sad.prims.arrange import slice_axis
from s2sad.prims.rules import axis_of


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Each element less the one before it along `axis`, `n` times over.

    Parameters
    ----------
    x : Tensor
        Of bools: whether neighbours differ.
    n : int
        Not negative.
    axis : int
    prepend, append : Tensor, optional
        What comes before and behind `x` along `axis`.

    Raises
    ------
    S2sadError
        E0303 and E0404 for an `n` that cannot be, E0304 for what is no Tensor, E0401 for a Tensor
        without axes and where shapes do not fit, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> diff(ms.Tensor([1, 4, 9])).asnumpy(), diff(ms.Tensor([1, 4, 9]), 2).asnumpy()
    (array([3, 5]), array([2]))
    """
    line, times = require_tensor(x, "diff"), integer("n", n, 0)
    if not line.ndim:
        raise fail("E0401", "diff needs an axis, got a 0-d Tensor")
    at = axis_of(axis, line.ndim)
    around = [each for each in (prepend, line, append) if each is not None]
    line = concat(promote(*around), at) if len(around) > 1 else line
    for _ in range(times):
        later, earlier = slice_axis(line, at, 1, None), slice_axis(line, at, 0, -1)
        is_bool = line.dtype is dtypes.bool_
        line = p.not_equal(later, earlier) if is_bool else p.sub(later, earlier)
    return line


def trapz(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The area under straight lines between neighbours along `dim`.

    Parameters
    ----------
    y : Tensor
        Heights. Integers and bools are taken as float32.
    x : Tensor, optional
        Where they stand: one axis, or the shape of `y`. Else they are `dx` apart.
    dx : float
    dim : int

    Raises
    ------
    S2sadError
        E0303 for a `dx` that is no number, E0304 for what is no Tensor, E0401 where shapes do not
        fit, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> trapz(ms.Tensor([1.0, 2.0, 4.0])).asnumpy()
    array(4.5, dtype=float32)
    """
    heights = floats_of(y, "trapz")
    at = axis_of(dim, heights.ndim)
    both = p.add(slice_axis(heights, at, 1, None), slice_axis(heights, at, 0, -1))
    if x is None:
        total = p.reduce_sum(both, axis=at)
        return p.mul(total, float(number("dx", dx)) / 2)
    places = floats_of(x, "trapz")
    if places.ndim == 1:
        shape = [1] * heights.ndim
        shape[at] = places.shape[0]
        places = p.reshape(places, shape=tuple(shape))
    widths = sub(slice_axis(places, at, 1, None), slice_axis(places, at, 0, -1))
    return p.mul(p.reduce_sum(mul(both, widths), axis=at), 0.5)


def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """How the rows of `input` vary together: their covariances.

    Parameters
    ----------
    input : Tensor with two axes at most
        A row each variable, a column each observation. Integers are taken as float32.
    correction : int
        The sum is divided by the number of observations less this.
    fweights : Tensor of integers, shape (observations,), optional
        How often each was observed.
    aweights : Tensor of floats, shape (observations,), optional
        How much each counts.

    Returns
    -------
    Tensor, shape (rows, rows), or no axes for one row

    Raises
    ------
    S2sadError
        E0301 for weights of another dtype, E0303 when `correction` is no int, E0304 for what is no
        Tensor, E0401 where shapes do not fit.

    Examples
    --------
    >>> import s2sad as ms
    >>> cov(ms.Tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).asnumpy()
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    x = floats_of(input, "cov")
    if x.ndim > 2:
        raise fail("E0401", f"cov takes rows of observations, got {type_of(x)}")
    rows = p.reshape(x, shape=(1, -1)) if x.ndim < 2 else x
    weights, share = _weights(rows, fweights, aweights)
    total = p.reduce_sum(weights)
    mean = p.div(p.reduce_sum(p.mul(rows, weights), axis=1, keepdims=True), total)
    apart = p.sub(rows, mean)
    together = p.matmul(p.mul(apart, weights), apart, transpose_b=True)
    less = p.mul(p.div(share, total), float(integer("correction", correction)))
    found = div(together, p.maximum(p.sub(total, less), 0))
    return found if x.ndim == 2 else p.reshape(found, shape=())


def _weights(rows: Any, fweights: Any, aweights: Any) -> tuple[Any, Any]:
    """The weight of each observation, and the sum of weights times how much each counts."""
    weights = p.full_like(slice_axis(rows, 0, 0, 1), value=1.0)
    weights = p.reshape(weights, shape=(rows.shape[1],))
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        if not is_tensor(given) or tuple(given.shape) != (rows.shape[1],):
            raise fail("E0401", f"{name} has a number for each of {rows.shape[1]} observations")
        if name == "fweights":
            require_integers(given, name)
        weights = p.mul(weights, as_dtype(given, rows.dtype))
    share = weights if aweights is None else p.mul(weights, as_dtype(aweights, rows.dtype))
    return weights, p.reduce_sum(share)
