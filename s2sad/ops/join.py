"""How are tensors joined to one, and one taken apart into several?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.promotion import kind_of, require_tensor, type_of
from s2sad.ops.settings import integer
from s2sad.ops.shapes import reshape
from s2sad.prims.arrange import slice_axis, static_size
from s2sad.prims.rules import axis_of


def _tensors(tensors: Any, what: str) -> list[Any]:
    """`tensors`, which must be a tuple or a list of them, not an empty one."""
    if not isinstance(tensors, (tuple, list)):
        raise fail(
            "E0304", f"{what} takes a tuple or list of Tensors, got a {kind_of(tensors)}",
            help=f"{what}((x, y))",
        )  # fmt: skip
    if not tensors:
        raise fail("E0404", f"{what} needs one Tensor at least")
    return [require_tensor(x, what) for x in tensors]


# Joined


def concat(tensors: Any, axis: int = 0) -> Any:
    """`tensors` one behind the other along `axis`.

    Parameters
    ----------
    tensors : tuple or list of Tensor
        Of one dtype; their shapes agree but for `axis`.
    axis : int

    Raises
    ------
    S2sadError
        E0301 when the dtypes differ, E0304 for what is no Tensor, E0401 when the shapes do not
        fit, E0403 for an axis that does not exist, E0404 for no tensors.

    Examples
    --------
    >>> import s2sad as ms
    >>> concat((ms.Tensor([1, 2]), ms.Tensor([3]))).asnumpy()
    array([1, 2, 3])
    """
    return p.concat(*_tensors(tensors, "concat"), axis=axis)


def cat(tensors: Any, axis: int = 0) -> Any:
    """`tensors` one behind the other along `axis`: `concat`.

    Arguments and errors are those of `concat`.

    Examples
    --------
    >>> import s2sad as ms
    >>> cat([ms.Tensor([[1], [2]]), ms.Tensor([[3], [4]])], axis=1).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    return concat(tensors, axis)


def stack(tensors: Any, axis: int = 0) -> Any:
    """`tensors` side by side along a new axis, at place `axis` of the result.

    Parameters
    ----------
    tensors : tuple or list of Tensor
        Of one dtype and shape.
    axis : int

    Raises
    ------
    S2sadError
        E0301 when the dtypes differ, E0304 for what is no Tensor, E0401 when the shapes differ,
        E0403 for a place that the result does not have, E0404 for no tensors.

    Examples
    --------
    >>> import s2sad as ms
    >>> stack((ms.Tensor([1, 2]), ms.Tensor([3, 4])), axis=1).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    first, *others = _tensors(tensors, "stack")
    for other in others:
        if other.ndim != first.ndim or False in map(dims.same, first.shape, other.shape):
            found = f"{type_of(first)} and {type_of(other)}"
            raise fail(
                "E0401", f"stack takes Tensors of one shape, got {found}",
                help="ops.concat joins along an axis that they have, where sizes may differ",
            )  # fmt: skip
    return p.stack(first, *others, axis=axis)


def hstack(tensors: Any) -> Any:
    """`tensors` side by side: along axis 1, vectors along axis 0, numbers as vectors of one.

    Errors are those of `concat`.

    Examples
    --------
    >>> import s2sad as ms
    >>> hstack((ms.Tensor([[1], [2]]), ms.Tensor([[3], [4]]))).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    parts = [x if x.ndim else reshape(x, (1,)) for x in _tensors(tensors, "hstack")]
    return p.concat(*parts, axis=0 if parts[0].ndim == 1 else 1)


def vstack(inputs: Any) -> Any:
    """`inputs` one below the other: along axis 0, vectors as rows.

    Errors are those of `concat`.

    Examples
    --------
    >>> import s2sad as ms
    >>> vstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))).asnumpy()
    array([[1, 2],
           [3, 4]])
    """
    parts = _tensors(inputs, "vstack")
    rows = [x if x.ndim > 1 else reshape(x, (1, -1) if x.ndim else (1, 1)) for x in parts]
    return p.concat(*rows, axis=0)


# Taken apart


def _parts(x: Any, sizes: tuple[int, ...], axis: int) -> tuple[Any, ...]:
    """Consecutive parts of `x`, of these sizes; none for no sizes."""
    if not sizes:
        return ()
    parts = p.split(x, sizes=sizes, axis=axis)
    return parts if len(sizes) > 1 else (parts,)


def _length(x: Any, axis: int) -> int:
    return static_size(x.shape[axis], f"the size of axis {axis}, to take it apart,")


def split(tensor: Any, split_size_or_sections: Any, axis: int = 0) -> tuple[Any, ...]:
    """Consecutive parts of `tensor` along `axis`.

    Parameters
    ----------
    tensor : Tensor
    split_size_or_sections : int, or tuple or list of int
        The size of every part, of which the last may be smaller; or the size of each.
    axis : int

    Raises
    ------
    S2sadError
        E0303 for a size that is no int, E0401 when the sizes do not add up, E0403 for an axis that
        does not exist, E0404 for a size of 0 or less.

    Examples
    --------
    >>> import s2sad as ms
    >>> [part.tolist() for part in split(ms.Tensor([1, 2, 3]), 2)]
    [[1, 2], [3]]
    >>> [part.tolist() for part in split(ms.Tensor([1, 2, 3]), [1, 2])]
    [[1], [2, 3]]
    """
    x = require_tensor(tensor, "split")
    axis = axis_of(axis, x.ndim)
    size = split_size_or_sections
    if isinstance(size, (tuple, list)):
        if not size:
            raise fail("E0404", "split needs one size at least")
        return _parts(x, tuple(size), axis)
    integer("the size of a part", size, 1)
    length = _length(x, axis)
    starts = range(0, max(length, 1), size)
    return _parts(x, tuple(min(size, length - start) for start in starts), axis)


def chunk(input: Any, chunks: int, axis: int = 0) -> tuple[Any, ...]:
    """At most `chunks` consecutive parts of `input` along `axis`, all but the last of one size.

    Parameters
    ----------
    input : Tensor
    chunks : int
    axis : int

    Raises
    ------
    S2sadError
        E0303 when `chunks` is no int, E0403 for an axis that does not exist, E0404 for no chunks.

    Examples
    --------
    >>> import s2sad as ms
    >>> [part.tolist() for part in chunk(ms.Tensor([1, 2, 3, 4, 5]), 3)]
    [[1, 2], [3, 4], [5]]
    """
    x = require_tensor(input, "chunk")
    count, axis = integer("chunks", chunks, 1), axis_of(axis, x.ndim)
    return split(x, max(-(-_length(x, axis) // count), 1), axis)


def tensor_split(input: Any, indices_or_sections: Any, axis: int = 0) -> tuple[Any, ...]:
    """Consecutive parts of `input` along `axis`, cut at given places or as evenly as possible.

    Parameters
    ----------
    input : Tensor
    indices_or_sections : int, or tuple or list of int
        The number of parts, of which the first are larger by one where need be; or the indices
        at which to cut, as the bounds of slices.
    axis : int

    Raises
    ------
    S2sadError
        E0303 for what is no int, E0403 for an axis that does not exist, E0404 for no parts.

    Examples
    --------
    >>> import s2sad as ms
    >>> [part.tolist() for part in tensor_split(ms.Tensor([1, 2, 3]), 2)]
    [[1, 2], [3]]
    >>> [part.tolist() for part in tensor_split(ms.Tensor([1, 2, 3]), (1, 1))]
    [[1], [], [2, 3]]
    """
    x = require_tensor(input, "tensor_split")
    axis = axis_of(axis, x.ndim)
    cuts = indices_or_sections
    if isinstance(cuts, (tuple, list)):
        bounds = [None, *cuts, None]
        return tuple(
            slice_axis(x, axis, start, stop)
            for start, stop in zip(bounds, bounds[1:], strict=False)
        )
    integer("the number of parts", cuts, 1)
    least, larger = divmod(_length(x, axis), cuts)
    return _parts(x, (least + 1,) * larger + (least,) * (cuts - larger), axis)


def unbind(input: Any, dim: int = 0) -> tuple[Any, ...]:
    """The slices of `input` along `dim`, without that axis.

    Parameters
    ----------
    input : Tensor
    dim : int

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> [part.tolist() for part in unbind(ms.Tensor([[1, 2], [3, 4]]), 1)]
    [[1, 3], [2, 4]]
    """
    x = require_tensor(input, "unbind")
    axis = axis_of(dim, x.ndim)
    parts = _parts(x, (1,) * _length(x, axis), axis)
    return tuple(p.squeeze(part, axis=axis) for part in parts)


def unstack(input_x: Any, axis: int = 0) -> tuple[Any, ...]:
    """The slices of `input_x` along `axis`, without that axis: `unbind`.

    Arguments and errors are those of `unbind`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [part.tolist() for part in unstack(ms.Tensor([[1, 2], [3, 4]]))]
    [[1, 2], [3, 4]]
    """
    return unbind(input_x, axis)
