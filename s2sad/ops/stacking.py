"""How are tensors laid side by side, or cut, along an axis that has a name, such as depth?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.arithmetic import add
from s2sad.ops.axes import flip
from s2sad.ops.join import concat, tensor_split
from s2sad.ops.promotion import require_tensor, type_of
from s2sad.prims.shape import require_shape


def atleast_1d(inputs: Any) -> Any:
    """`inputs` with one axis at least; of a tuple or list each of them, as a tuple.

    E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> atleast_1d(ms.Tensor(3)).asnumpy()
    array([3])
    """
    return _each(inputs, "atleast_1d", lambda x: x if x.ndim else p.reshape(x, shape=(1,)))


def atleast_2d(inputs: Any) -> Any:
    """`inputs` with two axes at least, the new ones in front; of a tuple or list each of them.

    E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> atleast_2d(ms.Tensor([3, 4])).asnumpy()
    array([[3, 4]])
    """
    return _each(inputs, "atleast_2d", _two_axes)


def atleast_3d(inputs: Any) -> Any:
    """`inputs` with three axes at least: (n,) becomes (1, n, 1), and (m, n) becomes (m, n, 1).

    Of a tuple or list each of them, as a tuple. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> atleast_3d(ms.Tensor([3, 4])).shape
    (1, 2, 1)
    """
    return _each(inputs, "atleast_3d", _three_axes)


def _each(inputs: Any, what: str, change: Any) -> Any:
    if isinstance(inputs, (tuple, list)):
        return tuple(change(require_tensor(x, what)) for x in inputs)
    return change(require_tensor(inputs, what))


def _two_axes(x: Any) -> Any:
    return x if x.ndim > 1 else p.reshape(x, shape=(1, *(x.shape or (1,))))


def _three_axes(x: Any) -> Any:
    return x if x.ndim > 2 else p.expand_dims(_two_axes(x), axis=2)


def column_stack(tensors: Any) -> Any:
    """`tensors` side by side along axis 1; vectors are columns.

    Parameters
    ----------
    tensors : tuple or list of Tensor

    Raises
    ------
    S2sadError
        Those of `concat`.

    Examples
    --------
    >>> import s2sad as ms
    >>> column_stack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    return concat([_column(x) for x in _several(tensors, "column_stack")], 1)


def _column(x: Any) -> Any:
    return x if x.ndim > 1 else p.reshape(x, shape=(*(x.shape or (1,)), 1))


def dstack(tensors: Any) -> Any:
    """`tensors` side by side along axis 2, with three axes at least as by `atleast_3d`.

    Parameters
    ----------
    tensors : tuple or list of Tensor

    Raises
    ------
    S2sadError
        Those of `concat`.

    Examples
    --------
    >>> import s2sad as ms
    >>> dstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))).asnumpy()
    array([[[1, 3],
            [2, 4]]])
    """
    return concat([_three_axes(x) for x in _several(tensors, "dstack")], 2)


def _several(tensors: Any, what: str) -> list[Any]:
    if not isinstance(tensors, (tuple, list)) or not tensors:
        raise fail("E0304", f"{what} takes a tuple or list of Tensors, got {tensors!r}")
    return [require_tensor(x, what) for x in tensors]


def hsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """`input` cut along axis 1, of a vector along axis 0; see `tensor_split`.

    E0401 for a 0-d Tensor; other arguments and errors are those of `tensor_split`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [part.asnumpy() for part in hsplit(ms.Tensor([1, 2, 3, 4]), 2)]
    [array([1, 2]), array([3, 4])]
    """
    return _cut(input, indices_or_sections, 1, 1, "hsplit")


def vsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """`input`, of two axes at least (E0401), cut along axis 0; see `tensor_split`.

    Arguments and errors are those of `tensor_split`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [part.asnumpy() for part in vsplit(ms.Tensor([[1], [2]]), 2)]
    [array([[1]]), array([[2]])]
    """
    return _cut(input, indices_or_sections, 0, 2, "vsplit")


def dsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """`input`, of three axes at least (E0401), cut along axis 2; see `tensor_split`.

    Arguments and errors are those of `tensor_split`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [part.asnumpy() for part in dsplit(ms.Tensor([[[1, 2]]]), 2)]
    [array([[[1]]]), array([[[2]]])]
    """
    return _cut(input, indices_or_sections, 2, 3, "dsplit")


def _cut(input: Any, where: Any, axis: int, least: int, what: str) -> tuple[Any, ...]:
    x = require_tensor(input, what)
    if x.ndim < least:
        raise fail("E0401", f"{what} takes {least} axes at least, got {type_of(x)}")
    return tensor_split(x, where, min(axis, x.ndim - 1))


def flipud(input: Any) -> Any:
    """`input` with the order along axis 0 reversed.

    E0304 for what is no Tensor, E0403 for one without axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> flipud(ms.Tensor([[1], [2]])).asnumpy()
    array([[2],
           [1]])
    """
    return flip(input, (0,))


def fliplr(input: Any) -> Any:
    """`input` with the order along axis 1 reversed.

    E0304 for what is no Tensor, E0403 for one without such an axis.

    Examples
    --------
    >>> import s2sad as ms
    >>> fliplr(ms.Tensor([[1, 2]])).asnumpy()
    array([[2, 1]])
    """
    return flip(input, (1,))


def addn(x: Any) -> Any:
    """The sum of several Tensors of one shape.

    Parameters
    ----------
    x : tuple or list of Tensor

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, or none at all; E0401 where shapes differ.

    Examples
    --------
    >>> import s2sad as ms
    >>> addn([ms.Tensor([1, 2]), ms.Tensor([3, 4]), ms.Tensor([5, 6])]).asnumpy()
    array([ 9, 12])
    """
    first, *others = _several(x, "addn")
    for other in others:
        require_shape(other.shape, first.shape, "an addend of addn")
        first = add(first, other)
    return first


#: MindSpore has both names; every sum is accumulated here.
accumulate_n = addn
