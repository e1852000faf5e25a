"""What are products of vectors, matrices and tensors, with MindSpore's promotion?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops import reduce
from s2sad.ops.arithmetic import add, mul, scaled
from s2sad.ops.promotion import promote, require_tensor, require_tensors, type_of
from s2sad.prims.einsum import einsum as sum_of_products
from s2sad.prims.linalg import require_inner
from s2sad.prims.rules import axes_in_order, axis_of

Axes = tuple[int, ...]


def matmul(input: Any, other: Any) -> Any:
    """Matrix product over the last two axes; a 1-d operand is a row or a column.

    Parameters
    ----------
    input : Tensor, shape (..., m, k) or (k,)
    other : Tensor, shape (..., k, n) or (k,)

    Raises
    ------
    S2sadError
        E0304 for a number, E0401 when the inner sizes differ or an operand is 0-d.

    Examples
    --------
    >>> import s2sad as ms
    >>> matmul(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])).asnumpy()
    array([[11.]], dtype=float32)
    """
    x, y = _operands("matmul", input, other)
    if not x.ndim or not y.ndim:
        raise fail(
            "E0401", f"matmul needs operands with at least one axis, got {type_of(x)} and "
            f"{type_of(y)}", help="`*` multiplies with a number",
        )  # fmt: skip
    require_inner(type_of(x), type_of(y), x.shape, y.shape)
    rows, columns = x.ndim == 1, y.ndim == 1
    x = p.expand_dims(x, axis=0) if rows else x
    y = p.expand_dims(y, axis=1) if columns else y
    out = p.matmul(x, y)
    out = p.squeeze(out, axis=out.ndim - 1) if columns else out
    return p.squeeze(out, axis=out.ndim - (1 if columns else 2)) if rows else out


def _operands(what: str, *tensors: Any, ndims: tuple[int, ...] = ()) -> tuple[Any, ...]:
    """`tensors` in the dtype in which they meet; E0401 unless they have `ndims` axes, if given."""
    given = promote(*require_tensors(what, *tensors))
    for tensor, ndim in zip(given, ndims, strict=False):
        if tensor.ndim != ndim:
            wanted = " and ".join(f"{n}-d" for n in ndims)
            found = " and ".join(str(type_of(x)) for x in given)
            raise fail(
                "E0401", f"{what} takes tensors that are {wanted}, got {found}",
                help="`@` multiplies tensors with other numbers of axes",
            )  # fmt: skip
    return given


def mm(input: Any, mat2: Any) -> Any:
    """Product of two matrices (E0401 for other tensors).

    Operands are Tensors (E0304) of numbers, and meet in one dtype.

    Examples
    --------
    >>> import s2sad as ms
    >>> mm(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])).asnumpy()
    array([[11.]], dtype=float32)
    """
    return matmul(*_operands("mm", input, mat2, ndims=(2, 2)))


def bmm(input_x: Any, mat2: Any) -> Any:
    """Products of matrices, one for each place along the axes before the last two.

    Parameters
    ----------
    input_x : Tensor, shape (..., m, k), 3-d at least
    mat2 : Tensor, shape (..., k, n), of as many axes

    Raises
    ------
    S2sadError
        E0401 for another number of axes, or sizes that do not fit.

    Examples
    --------
    >>> import s2sad as ms
    >>> bmm(ms.Tensor([[[1.0, 2.0]]]), ms.Tensor([[[3.0], [4.0]]])).asnumpy()
    array([[[11.]]], dtype=float32)
    """
    ndim = max(3, require_tensor(input_x, "bmm").ndim)
    return matmul(*_operands("bmm", input_x, mat2, ndims=(ndim, ndim)))


def mv(mat: Any, vec: Any) -> Any:
    """Product of a matrix and a vector (E0401 for other tensors).

    Operands are Tensors (E0304) of numbers, and meet in one dtype.

    Examples
    --------
    >>> import s2sad as ms
    >>> mv(ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0, 4.0])).asnumpy()
    array([11.], dtype=float32)
    """
    return matmul(*_operands("mv", mat, vec, ndims=(2, 1)))


def inner(input: Any, other: Any) -> Any:
    """Sums of products over the last axes; the plain product where one is 0-d.

    Parameters
    ----------
    input : Tensor, shape (..., k)
    other : Tensor, shape (..., k)

    Returns
    -------
    Tensor, with the axes of `input` and then of `other` before the last

    Raises
    ------
    S2sadError
        E0401 when the last sizes differ.

    Examples
    --------
    >>> import s2sad as ms
    >>> inner(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])).asnumpy()
    array(11., dtype=float32)
    """
    x, y = _operands("inner", input, other)
    return tensor_dot(x, y, ([-1], [-1])) if x.ndim and y.ndim else p.mul(x, y)


def dot(input: Any, other: Any) -> Any:
    """Sums of products over the last axis of `input` and the last but one of `other`, or its only.

    Operands are Tensors (E0304) of numbers, and meet in one dtype.

    Raises
    ------
    S2sadError
        E0401 when the two sizes differ.

    Examples
    --------
    >>> import s2sad as ms
    >>> dot(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])).asnumpy()
    array([[11.]], dtype=float32)
    """
    x, y = _operands("dot", input, other)
    if not x.ndim or not y.ndim:
        return p.mul(x, y)
    return tensor_dot(x, y, ([-1], [max(y.ndim - 2, 0)]))


def outer(input: Any, vec2: Any) -> Any:
    """Product of each element of one vector with each of another (E0401 for other tensors).

    Operands are Tensors (E0304) of numbers, and meet in one dtype.

    Examples
    --------
    >>> import s2sad as ms
    >>> outer(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])).asnumpy()
    array([[3., 4.],
           [6., 8.]], dtype=float32)
    """
    x, y = _operands("outer", input, vec2, ndims=(1, 1))
    return p.mul(p.expand_dims(x, axis=1), p.expand_dims(y, axis=0))


def tensor_dot(x1: Any, x2: Any, axes: Any) -> Any:
    """Sums of products over some axes of each tensor.

    Parameters
    ----------
    x1, x2 : Tensor
    axes : int, or two ints, or two tuples or lists of int
        Which axes of `x1` go with which of `x2`; a number of them means the last of `x1` and the
        first of `x2`.

    Returns
    -------
    Tensor, with the other axes of `x1` and then of `x2`

    Raises
    ------
    S2sadError
        E0303 for `axes` of another form, E0401 when the sizes differ, E0403 for an axis that does
        not exist, or is named twice, E0404 for unequal numbers of axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> tensor_dot(x, x, 2).asnumpy(), tensor_dot(x, x, ([0], [0])).asnumpy().shape
    (array(30., dtype=float32), (2, 2))
    """
    x, y = _operands("tensor_dot", x1, x2)
    ours, theirs = _paired(axes, x.ndim, y.ndim)
    for i, j in zip(ours, theirs, strict=True):
        what = f"the sizes of axes {i} and {j}, of {type_of(x)} and {type_of(y)},"
        dims.require_same(x.shape[i], y.shape[j], what)
    rows = tuple(i for i in range(x.ndim) if i not in ours)
    columns = tuple(j for j in range(y.ndim) if j not in theirs)
    product = p.matmul(_matrix(x, rows, ours), _matrix(y, theirs, columns))
    return p.reshape(product, shape=(*(x.shape[i] for i in rows), *(y.shape[j] for j in columns)))


def _paired(axes: Any, ndim: int, other_ndim: int) -> tuple[Axes, Axes]:
    """Axes of both tensors that are summed over."""
    if isinstance(axes, int):
        if not 0 <= axes <= min(ndim, other_ndim):
            raise fail("E0404", f"{axes} axes of tensors of {ndim} and {other_ndim} axes")
        return tuple(range(ndim - axes, ndim)), tuple(range(axes))
    if not isinstance(axes, (tuple, list)):
        raise fail("E0303", f"axes is an int or a pair, got {axes!r}")
    pair = [tuple(side) if isinstance(side, (tuple, list)) else (side,) for side in axes]
    if len(pair) != 2 or len(pair[0]) != len(pair[1]):
        raise fail("E0404", f"tensor_dot takes as many axes of one tensor as of the other: {axes}")
    return axes_in_order(pair[0], ndim), axes_in_order(pair[1], other_ndim)


def _matrix(x: Any, rows: Axes, columns: Axes) -> Any:
    """`x` with `rows` joined to one axis, and `columns` to another."""
    sizes = [dims.size([x.shape[i] for i in part]) for part in (rows, columns)]
    return p.reshape(p.transpose(x, perm=(*rows, *columns)), shape=tuple(sizes))


def einsum(equation: str, *operands: Any) -> Any:
    """Sum of products over labelled axes, in the notation of Einstein.

    Parameters
    ----------
    equation : str
        A term an operand, a letter an axis: ``"ij,jk->ik"``. ``...`` stands for further axes.
    *operands : Tensor

    Raises
    ------
    S2sadError
        E0303 or E0404 if the equation cannot be read, E0401 if it does not fit the shapes.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> einsum("ij,ij->i", x, x).asnumpy()
    array([ 5., 25.], dtype=float32)
    """
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    if not operands:
        raise fail("E0302", "einsum needs operands")
    return sum_of_products(*_operands("einsum", *operands), equation=equation)


# With something added


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (mat1 @ mat2)``, of matrices.

    `beta` and `alpha` are numbers. Operands and errors are those of `mm` and `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> addmm(ms.Tensor([1.0]), ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])).asnumpy()
    array([[12.]], dtype=float32)
    """
    return add(scaled(input, beta), scaled(mm(mat1, mat2), alpha))


def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (mat @ vec)``, of a matrix and a vector.

    `beta` and `alpha` are numbers. Operands and errors are those of `mv` and `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> addmv(ms.Tensor([1.0]), ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0, 4.0])).asnumpy()
    array([12.], dtype=float32)
    """
    return add(scaled(input, beta), scaled(mv(mat, vec), alpha))


def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha *`` the sum of all products of `bmm`.

    `beta` and `alpha` are numbers. Operands and errors are those of `bmm` and `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[1.0]], [[2.0]]])
    >>> addbmm(ms.Tensor([[1.0]]), x, x).asnumpy()
    array([[6.]], dtype=float32)
    """
    product = bmm(*_operands("addbmm", batch1, batch2, ndims=(3, 3)))
    return add(scaled(input, beta), scaled(p.reduce_sum(product, axis=0), alpha))


def baddbmm(input: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * bmm(batch1, batch2)``, of 3-d tensors.

    `beta` and `alpha` are numbers. Operands and errors are those of `bmm` and `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[1.0]], [[2.0]]])
    >>> baddbmm(ms.Tensor([1.0]), x, x, beta=2).asnumpy().ravel()
    array([3., 6.], dtype=float32)
    """
    product = bmm(*_operands("baddbmm", batch1, batch2, ndims=(3, 3)))
    return add(scaled(input, beta), scaled(product, alpha))


# Of other forms


def kron(input: Any, other: Any) -> Any:
    """Kronecker product: each element of `input` times the whole of `other`, in its place.

    Operands are Tensors (E0304), of any shape; they meet in one dtype.

    Examples
    --------
    >>> import s2sad as ms
    >>> kron(ms.Tensor([1.0, 10.0]), ms.Tensor([1.0, 2.0])).asnumpy()
    array([ 1.,  2., 10., 20.], dtype=float32)
    """
    x, y = _operands("kron", input, other)
    ndim = max(x.ndim, y.ndim)
    ours, theirs = ((1,) * (ndim - v.ndim) + tuple(v.shape) for v in (x, y))
    pairs = list(zip(ours, theirs, strict=True))
    x = p.reshape(x, shape=tuple(size for a, _ in pairs for size in (a, 1)))
    y = p.reshape(y, shape=tuple(size for _, b in pairs for size in (1, b)))
    return p.reshape(mul(x, y), shape=tuple(a * b for a, b in pairs))


def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """Cross product of vectors of three elements along `dim`, or along the first axis of size 3.

    Parameters
    ----------
    input, other : Tensor of numbers, shape (..., 3, ...)
    dim : int, optional
        The axis of length 3.

    Raises
    ------
    S2sadError
        E0301 for bools, E0304 for what is no Tensor, E0401 unless both shapes are equal, with size
        3 along the axis; E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> cross(ms.Tensor([1.0, 0.0, 0.0]), ms.Tensor([0.0, 1.0, 0.0])).asnumpy()
    array([0., 0., 1.], dtype=float32)
    """
    x, y = _operands("cross", input, other)
    threes = [i for i, size in enumerate(x.shape) if dims.same(size, 3)]
    axis = axis_of(dim, x.ndim) if dim is not None else next(iter(threes), None)
    if axis not in threes or tuple(x.shape) != tuple(y.shape):
        what = "cross needs two tensors of one shape, of size 3 along its axis"
        raise fail("E0401", f"{what}, got {type_of(x)} and {type_of(y)}")

    def turned(v: Any, by: int) -> Any:
        return p.roll(v, shift=-by, axis=axis)

    return p.sub(p.mul(turned(x, 1), turned(y, 2)), p.mul(turned(x, 2), turned(y, 1)))


def trace(input: Any) -> Any:
    """Sum of the diagonal of a matrix (E0401); of integers in int64.

    Examples
    --------
    >>> import s2sad as ms
    >>> trace(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
    array(5., dtype=float32)
    """
    (x,) = _operands("trace", input, ndims=(2,))
    return reduce.sum(p.diagonal(x))
