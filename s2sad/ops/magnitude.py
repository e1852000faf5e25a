"""How long is a vector, how large a matrix?

Integers and bools are taken as float32, narrow floats are computed in float32. Every norm has the
gradient 0 at 0.
"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import (
    as_dtype,
    common,
    dtype_of,
    floats_of,
    require_tensor,
    type_of,
)
from s2sad.ops.reduce import given_axes
from s2sad.prims.rules import axes_in_order


def norm(
    A: Any,  # noqa: N803 - MindSpore's name
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Any:
    """Norm of vectors, or of matrices where `dim` names two axes.

    Parameters
    ----------
    A : Tensor
    ord : None, number, inf, -inf, "fro" or "nuc"
        Which norm, as `vector_norm` and `matrix_norm` say. None for the root of the sum of
        squares, over as many axes as there are.
    dim : int, or tuple or list of one or two ints, optional
        All axes by default: one or two where there is an `ord`.
    keepdim : bool
        Whether the axes stay, with size 1.
    dtype : DType, optional
        That of the computation and of the result.

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist, E0404 for another `ord`, or a number of axes that
        `ord` is not for; at run time E0704 for singular values of NaN.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[3.0, 4.0], [0.0, 0.0]])
    >>> norm(x).asnumpy(), norm(x, dim=1).asnumpy()
    (array(5., dtype=float32), array([5., 0.], dtype=float32))
    """
    x = floats_of(A, "norm")
    axes = _axes(dim, x.ndim)
    if ord is None or len(axes) == 1:
        return vector_norm(x, 2 if ord is None else ord, axes, keepdim, dtype=dtype)
    if len(axes) == 2:
        return matrix_norm(x, ord, axes, keepdim, dtype=dtype)
    raise fail("E0404", f"a norm of ord {ord!r} is over one axis or two, not {len(axes)}")


def vector_norm(
    x: Any, ord: Any = 2, axis: Any = None, keepdims: bool = False, *, dtype: Any = None
) -> Any:
    """Length of the vectors over the axes `axis` (all when None).

    Parameters
    ----------
    x : Tensor
    ord : number, inf or -inf
        p of ``sum(|x|**p)**(1/p)``; inf for the largest absolute value, -inf for the smallest, 0
        for the number of elements that are not 0.
    axis : int, or tuple or list of int, optional
    keepdims : bool
        Whether the axes stay, with size 1.
    dtype : DType, optional
        That of the computation and of the result.

    Raises
    ------
    S2sadError
        E0401 for an infinite `ord` over an empty axis, E0403 for an axis that does not exist,
        E0404 for another `ord`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([3.0, -4.0])
    >>> vector_norm(x).asnumpy(), vector_norm(x, 1).asnumpy(), vector_norm(x, 0).asnumpy()
    (array(5., dtype=float32), array(7., dtype=float32), array(2., dtype=float32))
    """
    if isinstance(ord, bool) or not isinstance(ord, (int, float)) or ord != ord:
        raise fail("E0404", f"the ord of a vector norm is a number, inf or -inf, got {ord!r}")
    x = _typed(x, dtype)
    wide = as_dtype(x, x.dtype.compute)
    return as_dtype(_length(wide, ord, given_axes(axis), keepdims), x.dtype)


def _length(x: Any, ord: float, axes: Any, keepdims: bool) -> Any:
    if math.isinf(ord):
        reduce = p.reduce_max if ord > 0 else p.reduce_min
        return reduce(p.abs(x), axis=axes, keepdims=keepdims)
    if ord == 0:
        return p.reduce_sum(as_dtype(p.not_equal(x, 0), x.dtype), axis=axes, keepdims=keepdims)
    if ord == 1:
        return p.reduce_sum(p.abs(x), axis=axes, keepdims=keepdims)
    powers = p.square(x) if ord == 2 else p.pow(p.abs(x), float(ord))
    total = p.reduce_sum(powers, axis=axes, keepdims=keepdims)
    none = p.equal(total, 0)
    # Two selections: the root is not taken at 0, where its slope is infinite.
    safe = p.where(none, 1, total)
    root = p.sqrt(safe) if ord == 2 else p.pow(safe, 1.0 / ord)
    return p.where(none, 0 if ord > 0 else math.inf, root)


def l1_penalty(x: Any, scale: float) -> Any:
    """`scale` times the sum of all absolute values, in float32 at least.

    Parameters
    ----------
    x : Tensor of numbers
    scale : float

    Raises
    ------
    S2sadError
        E0301 for bools, E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> l1_penalty(ms.Tensor([1, -2]), 0.5).asnumpy()
    array(1.5, dtype=float32)
    """
    if require_tensor(x, "an L1 penalty").dtype is dtypes.bool_:
        raise fail("E0301", f"an L1 penalty is of numbers, got {type_of(x)}")
    wide = as_dtype(x, common(x.dtype, dtypes.float32))
    return p.mul(p.reduce_sum(p.abs(wide), axis=None), scale)


def matrix_norm(
    A: Any,  # noqa: N803 - MindSpore's name
    ord: Any = "fro",
    axis: Any = (-2, -1),
    keepdims: bool = False,
    *,
    dtype: Any = None,
) -> Any:
    """Norm of the matrices over the two axes `axis`.

    Parameters
    ----------
    A : Tensor
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}
        "fro" for the root of the sum of squares; 1 for the largest sum of absolute values in a
        column, -1 for the smallest; inf and -inf for those in a row; 2 for the largest singular
        value, -2 for the smallest, "nuc" for their sum.
    axis : tuple or list of two ints
        That of the rows' index, and that of the columns'.
    keepdims : bool
        Whether the axes stay, with size 1.
    dtype : DType, optional
        That of the computation and of the result.

    Raises
    ------
    S2sadError
        E0401 for an empty matrix, E0403 for an axis that does not exist, E0404 for another `ord`,
        or not two axes; at run time E0704 for singular values of NaN.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1.0, -2.0], [3.0, 4.0]])
    >>> matrix_norm(x, 1).asnumpy(), matrix_norm(x, float("inf")).asnumpy()
    (array(6., dtype=float32), array(7., dtype=float32))
    """
    x = _typed(A, dtype)
    axes = _axes(axis, x.ndim)
    if len(axes) != 2:
        raise fail("E0404", f"a norm of matrices is over two axes, got {axis!r}")
    if ord == "fro":
        return vector_norm(x, 2, axes, keepdims)
    if isinstance(ord, bool) or ord not in ("nuc", 1, -1, 2, -2, math.inf, -math.inf):
        allowed = "'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
        raise fail("E0404", f"the ord of a matrix norm is {allowed}, got {ord!r}")
    if ord in ("nuc", 2, -2):
        return _of_singular_values(x, ord, axes, keepdims)
    summed, compared = axes if abs(ord) == 1 else reversed(axes)
    sums = vector_norm(x, 1, summed, True)
    largest = vector_norm(sums, math.copysign(math.inf, ord), compared, True)
    return largest if keepdims else p.squeeze(largest, axis=tuple(sorted(axes)))


def _of_singular_values(x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The sum of the singular values, the greatest or the least."""
    others = [axis for axis in range(x.ndim) if axis not in axes]
    wide = as_dtype(x, x.dtype.compute)
    _, values, _ = p.svd(p.transpose(wide, perm=(*others, *axes)))
    reduce = p.reduce_sum if ord == "nuc" else p.reduce_max if ord > 0 else p.reduce_min
    found = as_dtype(reduce(values, axis=-1), x.dtype)
    return p.expand_dims(found, axis=tuple(sorted(axes))) if keepdims else found


def _typed(operand: Any, dtype: Any) -> Any:
    x = floats_of(operand, "norm")
    if dtype is None:
        return x
    wanted = dtype_of(dtype)
    if not wanted.is_float:
        raise fail("E0301", f"a norm is a float, not {wanted.name}")
    return as_dtype(x, wanted)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """`axis` (None for all), counted from the front, in the order given."""
    given = given_axes(axis)
    return tuple(range(ndim)) if given is None else axes_in_order(given, ndim)
