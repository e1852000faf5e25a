"""What do vectors give row by row: products, powers, rows of a bounded length?"""

from __future__ import annotations

from typing import Any

from s2sad import prims
from s2sad.core.diagnostics import fail
from s2sad.ops.arithmetic import add, mul, scaled
from s2sad.ops.autocast import decided
from s2sad.ops.creation import zeros
from s2sad.ops.division import div
from s2sad.ops.extreme import clamp
from s2sad.ops.linalg import outer
from s2sad.ops.magnitude import vector_norm
from s2sad.ops.promotion import (
    floats_of,
    promote,
    require_tensor,
    require_tensors,
    type_of,
)
from s2sad.ops.settings import integer, number, positive
from s2sad.prims.arrange import static_size
from s2sad.prims.einsum import einsum
from s2sad.prims.rules import axis_of


def batch_dot(x1: Any, x2: Any, axes: Any = None) -> Any:
    """Sums of products over one axis of each tensor, for each place along axis 0.

    Parameters
    ----------
    x1, x2 : Tensor of numbers, two axes at least
        Axis 0 is that of the batch.
    axes : int, or tuple or list of two ints, optional
        The axis of each that is summed over, not 0. By default the last of `x1`, and of `x2` the
        last but one, or the last where it has two.

    Returns
    -------
    Tensor
        The batch, then the other axes of `x1`, then those of `x2`; of two axes each (batch, 1).

    Raises
    ------
    S2sadError
        E0303 for axes that are no ints, E0304 for what is no Tensor, E0401 where shapes do not fit,
        E0403 for an axis that does not exist, or 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> batch_dot(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[5, 6], [7, 8]])).asnumpy()
    array([[17],
           [53]])
    """
    x, y = promote(*require_tensors("batch_dot", x1, x2))
    if x.ndim < 2 or y.ndim < 2:
        raise fail("E0401", f"batch_dot takes two axes at least, got {type_of(x)} and {type_of(y)}")
    if axes is None:
        axes = (x.ndim - 1, max(y.ndim - 2, 1))
    pair = (axes, axes) if isinstance(axes, int) else tuple(axes)
    if len(pair) != 2:
        raise fail("E0303", f"axes are one int, or two, got {axes!r}")
    one, other = axis_of(pair[0], x.ndim), axis_of(pair[1], y.ndim)
    if not one or not other:
        raise fail("E0403", "batch_dot sums over no batch, which is axis 0")
    letters = "abcdefghijklmnopqrstuvwxyz"
    left = list(letters[: x.ndim])
    right = ["a", *letters[x.ndim : x.ndim + y.ndim - 1]]
    right[other] = left[one]
    kept = [axis for axis in left if axis != left[one]]
    kept += [axis for axis in right[1:] if axis != left[one]]
    found = einsum(x, y, equation=f"{''.join(left)},{''.join(right)}->{''.join(kept)}")
    return prims.expand_dims(found, axis=1) if x.ndim == y.ndim == 2 else found


def vecdot(x: Any, y: Any, *, axis: int = -1) -> Any:
    """Sums of products along `axis`; shapes broadcast.

    Parameters
    ----------
    x, y : Tensor of numbers
    axis : int

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 where shapes do not fit, E0403 for an axis that does not
        exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> vecdot(ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0, 4.0])).asnumpy()
    array([11.], dtype=float32)
    """
    products = mul(*require_tensors("vecdot", x, y))
    return prims.reduce_sum(products, axis=axis_of(axis, products.ndim))


def ger(input: Any, vec2: Any) -> Any:
    """The product of each element of one vector with each of another: `outer`.

    Arguments and errors are those of `outer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ger(ms.Tensor([1, 2]), ms.Tensor([3, 4])).asnumpy()
    array([[3, 4],
           [6, 8]])
    """
    return outer(input, vec2)


def addr(x: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * x + alpha * outer(vec1, vec2)``.

    `beta` and `alpha` are numbers. Operands and errors are those of `outer` and `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> addr(ms.ops.ones((2, 2)), ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])).asnumpy()
    array([[4., 5.],
           [7., 9.]], dtype=float32)
    """
    return add(scaled(require_tensor(x, "addr"), beta), scaled(outer(vec1, vec2), alpha))


def vander(x: Any, N: int | None = None) -> Any:  # noqa: N803
    """The powers of each element, the highest first: Vandermonde's matrix.

    Parameters
    ----------
    x : Tensor of numbers with one axis
    N : int, optional
        How many powers, as many as elements by default.

    Returns
    -------
    Tensor, shape (elements, N)

    Raises
    ------
    S2sadError
        E0303 and E0404 for an `N` that cannot be, E0304 for what is no Tensor, E0401 for other
        axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> vander(ms.Tensor([1, 2, 3])).asnumpy()
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    line = require_tensor(x, "vander")
    if line.ndim != 1:
        raise fail("E0401", f"vander takes a vector, got {type_of(line)}")
    size = static_size(line.shape[0], "the number of elements") if N is None else N
    count = integer("N", size, 0)
    if not count:
        return zeros((line.shape[0], 0), line.dtype)
    powers = [prims.ones_like(line)]
    for _ in range(count - 1):
        powers.append(prims.mul(powers[-1], line))
    columns = [prims.expand_dims(power, axis=1) for power in powers[::-1]]
    return prims.concat(*columns, axis=1)


def renorm(input: Any, p: float, axis: int, maxnorm: float) -> Any:
    """`input` with each slice along `axis` shortened so that its norm is `maxnorm` at most.

    Parameters
    ----------
    input : Tensor of floats
    p : float
        Which norm, positive.
    axis : int
    maxnorm : float
        Positive.

    Raises
    ------
    S2sadError
        E0303 and E0404 for settings that cannot be, E0304 for what is no Tensor, E0403 for an axis
        that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> renorm(ms.Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0).asnumpy().round(4)
    array([[0.6, 0.8],
           [0.3, 0.4]], dtype=float32)
    """
    (x,) = decided("renorm", input)
    x = floats_of(x, "renorm")
    others = tuple(each for each in range(x.ndim) if each != axis_of(axis, x.ndim))
    length, most = vector_norm(x, positive("p", p), others, True), positive("maxnorm", maxnorm)
    is_long = prims.greater(length, most)
    factor = prims.where(is_long, prims.div(most, prims.where(is_long, length, 1)), 1)
    return mul(x, factor)


def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Any:
    """`input` over its norm along `dim`, or over `eps` where that is larger.

    Parameters
    ----------
    input : Tensor of floats
    p : float
        Which norm.
    dim : int or tuple of int
    eps : float

    Raises
    ------
    S2sadError
        E0303 for an `eps` that is no number, E0304 for what is no Tensor, E0403 for an axis that
        does not exist, E0404 for another `p`.

    Examples
    --------
    >>> import s2sad as ms
    >>> normalize(ms.Tensor([[3.0, 4.0]])).asnumpy()
    array([[0.6, 0.8]], dtype=float32)
    """
    x = floats_of(input, "normalize")
    return div(x, clamp(vector_norm(x, p, dim, True), min=float(number("eps", eps))))


def matrix_band_part(x: Any, lower: int, upper: int) -> Any:
    """`x` with zeros outside of a band around the diagonal of its last two axes.

    Parameters
    ----------
    x : Tensor, shape (..., m, n)
    lower, upper : int
        How many diagonals stay below and above the main one; all of them where negative.

    Raises
    ------
    S2sadError
        E0303 for what is no int, E0304 for what is no Tensor, E0401 for a vector.

    Examples
    --------
    >>> import s2sad as ms
    >>> matrix_band_part(ms.ops.ones((3, 3)), 0, 1).asnumpy()
    array([[1., 1., 0.],
           [0., 1., 1.],
           [0., 0., 1.]], dtype=float32)
    """
    x = require_tensor(x, "matrix_band_part")
    if integer("lower", lower) >= 0:
        x = prims.triu(x, diagonal=-lower)
    if integer("upper", upper) >= 0:
        x = prims.tril(x, diagonal=upper)
    if x.ndim < 2:
        raise fail("E0401", f"a band lies in a matrix, got {type_of(x)}")
    return x
