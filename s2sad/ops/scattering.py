"""What does a tensor become when elements and slices are written at indices that are data?

Nothing is changed, the result is new. An index is checked when the program runs: a negative one
counts from the end, one out of range is an error (E0501). Where several updates meet in one place
the last one counts, or they add up, or are taken one after the other; each gets the gradient of the
part that it has in the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ir import builder, dims
from s2sad.ops.creation import zeros
from s2sad.ops.promotion import as_tensor, constant, is_tensor, require_tensor, require_tensors
from s2sad.ops.selection import filling
from s2sad.ops.shapes import reshape
from s2sad.ops.state import assign
from s2sad.prims.arrange import static_size
from s2sad.prims.rules import axis_of
from s2sad.prims.shape import require_shape

# Named by an index for each of the first axes


def _written(name: str, x: Any, indices: Any, updates: Any, reduce: str) -> Any:
    return p.scatter_nd(*require_tensors(name, x, indices, updates), reduce=reduce)


def scatter_nd(indices: Any, updates: Any, shape: Any) -> Any:
    """Zeros of `shape` with `updates` added at `indices`.

    Parameters
    ----------
    indices : Tensor of integers, shape (..., k)
        One for each of the first k axes.
    updates : Tensor, shape ``indices.shape[:-1] + shape[k:]``
        Those of one place add up.
    shape : tuple or list of int

    Raises
    ------
    S2sadError
        E0301 when `indices` are no integers, E0401 when the shapes do not fit; at run time E0501
        for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> scatter_nd(ms.Tensor([[1], [1], [3]]), ms.Tensor([1.0, 2.0, 4.0]), (4,)).asnumpy()
    array([0., 3., 0., 4.], dtype=float32)
    """
    updates = require_tensor(updates, "scatter_nd")
    return _written("scatter_nd", zeros(shape, updates.dtype), indices, updates, "add")


def tensor_scatter_update(input_x: Any, indices: Any, updates: Any) -> Any:
    """`input_x` with `updates` in place of the elements or slices at `indices`.

    Of several updates of one place the last one counts, and alone gets a gradient; what was there
    before gets none.

    Parameters
    ----------
    input_x : Tensor
    indices : Tensor of integers, shape (..., k)
        One for each of the first k axes of `input_x`.
    updates : Tensor of the same dtype, shape ``indices.shape[:-1] + input_x.shape[k:]``

    Raises
    ------
    S2sadError
        E0301 when a dtype does not fit, E0401 when a shape does not; at run time E0501 for an index
        out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, indices = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([[0], [2]])
    >>> tensor_scatter_update(x, indices, ms.Tensor([7.0, 8.0])).asnumpy()
    array([7., 2., 8.], dtype=float32)
    """
    return _written("tensor_scatter_update", input_x, indices, updates, "none")


def tensor_scatter_add(input_x: Any, indices: Any, updates: Any) -> Any:
    """`input_x` with `updates` added to the elements or slices at `indices`; those of one add up.

    Parameters and errors are those of `tensor_scatter_update`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, indices = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([[0], [0]])
    >>> tensor_scatter_add(x, indices, ms.Tensor([7.0, 8.0])).asnumpy()
    array([16.,  2.,  3.], dtype=float32)
    """
    return _written("tensor_scatter_add", input_x, indices, updates, "add")


def tensor_scatter_sub(input_x: Any, indices: Any, updates: Any) -> Any:
    """`input_x` with `updates` subtracted from the elements or slices at `indices`.

    Parameters and errors are those of `tensor_scatter_update`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, indices = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([[0], [0]])
    >>> tensor_scatter_sub(x, indices, ms.Tensor([7.0, 8.0])).asnumpy()
    array([-14.,   2.,   3.], dtype=float32)
    """
    updates = p.neg(require_tensor(updates, "tensor_scatter_sub"))
    return _written("tensor_scatter_sub", input_x, indices, updates, "add")


def tensor_scatter_mul(input_x: Any, indices: Any, updates: Any) -> Any:
    """`input_x` with the elements or slices at `indices` multiplied by `updates`, in their order.

    Parameters and errors are those of `tensor_scatter_update`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, indices = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([[2], [2]])
    >>> tensor_scatter_mul(x, indices, ms.Tensor([7.0, 2.0])).asnumpy()
    array([ 1.,  2., 42.], dtype=float32)
    """
    return _one_by_one("tensor_scatter_mul", p.mul, input_x, indices, updates)


def tensor_scatter_div(input_x: Any, indices: Any, updates: Any) -> Any:
    """`input_x` with the elements or slices at `indices` divided by `updates`, in their order.

    Parameters and errors are those of `tensor_scatter_update`; E0301 also for what are no floats.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, indices = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([[1]])
    >>> tensor_scatter_div(x, indices, ms.Tensor([4.0])).asnumpy()
    array([1. , 0.5, 3. ], dtype=float32)
    """
    return _one_by_one("tensor_scatter_div", p.div, input_x, indices, updates)


def tensor_scatter_max(input_x: Any, indices: Any, updates: Any) -> Any:
    """`input_x` with the elements or slices at `indices` raised to `updates`, where larger.

    Parameters and errors are those of `tensor_scatter_update`. Updates are taken in their order;
    the gradient of each step is that of `maximum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, indices = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([[0], [2]])
    >>> tensor_scatter_max(x, indices, ms.Tensor([7.0, 2.0])).asnumpy()
    array([7., 2., 3.], dtype=float32)
    """
    return _one_by_one("tensor_scatter_max", p.maximum, input_x, indices, updates)


def tensor_scatter_min(input_x: Any, indices: Any, updates: Any) -> Any:
    """`input_x` with the elements or slices at `indices` lowered to `updates`, where less.

    Parameters and errors are those of `tensor_scatter_update`. Updates are taken in their order;
    the gradient of each step is that of `minimum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, indices = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([[0], [2]])
    >>> tensor_scatter_min(x, indices, ms.Tensor([7.0, 2.0])).asnumpy()
    array([1., 2., 2.], dtype=float32)
    """
    return _one_by_one("tensor_scatter_min", p.minimum, input_x, indices, updates)


def _one_by_one(name: str, combine: Callable[..., Any], x: Any, indices: Any, updates: Any) -> Any:
    """Update after update: what `combine` makes of the element and the update takes its place."""
    x, indices, updates = require_tensors(name, x, indices, updates)
    depth = static_size(indices.shape[-1], "the number of indices an update") if indices.ndim else 0
    if not indices.ndim or depth > x.ndim:
        raise fail("E0401", f"{tuple(indices.shape)} indices do not fit {tuple(x.shape)}")
    part = tuple(x.shape[depth:])
    require_shape(tuple(updates.shape), (*indices.shape[:-1], *part), "the updates")
    count = dims.size(tuple(indices.shape[:-1]))
    places, rows = reshape(indices, (count, depth)), reshape(updates, (count, *part))

    def step(i: Any, x: Any) -> Any:
        place = p.gather(in_loop(places), i, axis=0)
        new = combine(p.gather_nd(x, place), p.gather(in_loop(rows), i, axis=0))
        return p.scatter_nd(x, place, new)

    return p.for_(0, count, 1, x, body=step)


def in_loop(tensor: Any) -> Any:
    """What the body of a loop reads that runs now: an array, as what it carries."""
    return (
        tensor.array
        if isinstance(tensor, Tensor) and not builder.is_building((tensor,))
        else tensor
    )


# Named by an index along one axis


def tensor_scatter_elements(
    input_x: Any, indices: Any, updates: Any, axis: int = 0, reduction: str = "none"
) -> Any:
    """`input_x` with `updates` in, or added to, the elements that `gather_elements` would read.

    Parameters
    ----------
    input_x : Tensor
    indices : Tensor of integers
        As many axes as `input_x`, and along all but `axis` no longer.
    updates : Tensor of the dtype of `input_x` and the shape of `indices`
    axis : int
    reduction : {"none", "add"}
        Of several updates of one element the last one counts, and alone gets a gradient; with
        "add" they add up.

    Raises
    ------
    S2sadError
        E0301 when a dtype does not fit, E0401 when a shape does not, E0403 for an axis that does
        not exist, E0404 for another `reduction`; at run time E0501 for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, indices = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([2, 0])
    >>> tensor_scatter_elements(x, indices, ms.Tensor([7.0, 8.0])).asnumpy()
    array([8., 2., 7.], dtype=float32)
    """
    given = require_tensors("tensor_scatter_elements", input_x, indices, updates)
    return p.scatter_elements(*given, axis=axis, reduce=reduction)


def scatter(input: Any, axis: int, index: Any, src: Any) -> Any:
    """`input` with `src` in the elements that `gather_elements` would read at `index`.

    Parameters
    ----------
    input : Tensor
    axis : int
    index : Tensor of integers
        As many axes as `input`, and along all but `axis` no longer.
    src : Tensor of the dtype of `input` and the shape of `index`, or number
        Of several for one element the last one counts, and alone gets a gradient.

    Raises
    ------
    S2sadError
        E0301 when a dtype does not fit, E0401 when a shape does not, E0403 for an axis that does
        not exist; at run time E0501 for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> scatter(ms.ops.zeros((2, 2)), 1, ms.Tensor([[1], [0]]), ms.Tensor([[5.0], [6.0]])).asnumpy()
    array([[0., 5.],
           [6., 0.]], dtype=float32)
    """
    x, index = require_tensors("scatter", input, index)
    if not is_tensor(src):
        src = p.broadcast_to(constant(filling(src, x, "scatter"), x.dtype), shape=index.shape)
    return tensor_scatter_elements(x, index, src, axis)


def index_add(
    x: Any, indices: Any, y: Any, axis: int, use_lock: bool = True, check_index_bound: bool = True
) -> Any:
    """`x` with `y` added to its slices along `axis` at `indices`; those of one slice add up.

    Parameters
    ----------
    x : Tensor of numbers
    indices : Tensor of integers with one axis
    y : Tensor of the dtype of `x`, of the size of `indices` along `axis`
    axis : int
    use_lock, check_index_bound : bool
        Taken, and without effect: indices are always checked, and nothing is written twice.

    Raises
    ------
    S2sadError
        E0301 when a dtype does not fit, E0401 when a shape does not, E0403 for an axis that does
        not exist; at run time E0501 for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, y = ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([[10.0], [20.0]])
    >>> index_add(x, ms.Tensor([1]), y, 1).asnumpy()
    array([[ 1., 12.],
           [ 3., 24.]], dtype=float32)
    """
    return p.index_add(*require_tensors("index_add", x, indices, y), axis=axis)


def index_fill(x: Any, axis: int, index: Any, value: Any) -> Any:
    """`x` with `value` in its slices along `axis` at `index`.

    Parameters
    ----------
    x : Tensor
    axis : int
    index : Tensor of integers, at most one axis; or int
    value : number, or Tensor with no axes
        Cast to the dtype of `x`.

    Raises
    ------
    S2sadError
        E0301 when a dtype does not fit, E0401 when a shape does not, E0403 for an axis that does
        not exist; at run time E0501 for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> index_fill(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([0]), 9).asnumpy()
    array([[9, 2],
           [9, 4]])
    """
    x, axis = require_tensor(x, "index_fill"), axis_of(axis, x.ndim)
    places = index if is_tensor(index) else constant(index, dtypes.int64)
    value = as_tensor(filling(value, x, "index_fill"), x.dtype)
    shape = (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :])
    return p.index_update(x, places, p.broadcast_to(value, shape=shape), axis=axis)


def unsorted_segment_sum(input_x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Sums of the slices of `input_x` that have the same number in `segment_ids`.

    Parameters
    ----------
    input_x : Tensor of numbers
    segment_ids : Tensor of integers
        Its shape is that of the first axes of `input_x`; negative numbers count for no sum.
    num_segments : int

    Returns
    -------
    Tensor, shape ``(num_segments,) + input_x.shape[segment_ids.ndim:]``

    Raises
    ------
    S2sadError
        E0301 when a dtype does not fit, E0303 when `num_segments` is no int, E0401 when a shape
        does not fit; at run time E0501 for a number that is too large.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, ids = ms.Tensor([1.0, 2.0, 4.0]), ms.Tensor([0, 2, 0])
    >>> unsorted_segment_sum(x, ids, 3).asnumpy()
    array([5., 0., 2.], dtype=float32)
    """
    x, ids = require_tensors("unsorted_segment_sum", input_x, segment_ids)
    part = tuple(x.shape[ids.ndim :])
    counts = p.greater_equal(ids, 0)
    addends = p.where(reshape(counts, (*ids.shape, *(1,) * len(part))), x, 0)
    return p.index_add(zeros((num_segments, *part), x.dtype), p.where(counts, ids, 0), addends)


# Parameters


def scatter_update(input_x: Any, indices: Any, updates: Any) -> Any:
    """Let the Parameter `input_x` hold `updates` in its slices at `indices` along axis 0.

    Parameters
    ----------
    input_x : Parameter
    indices : Tensor of integers, any shape
    updates : Tensor of the same dtype, shape ``indices.shape + input_x.shape[1:]``

    Returns
    -------
    Tensor
        What `input_x` holds then.

    Raises
    ------
    S2sadError
        E0301 when a dtype does not fit, E0304 when `input_x` is no Parameter, E0401 when a shape
        does not fit; at run time E0501 for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> _ = scatter_update(w, ms.Tensor([1]), ms.Tensor([5.0]))
    >>> w.asnumpy()
    array([1., 5.], dtype=float32)
    """
    given = require_tensors("scatter_update", input_x, indices, updates)
    return assign(input_x, p.index_update(*given))


def scatter_add(input_x: Any, indices: Any, updates: Any) -> Any:
    """Add `updates` to the slices of the Parameter `input_x` at `indices` along axis 0.

    Updates of one slice add up. Parameters and errors are those of `scatter_update`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> _ = scatter_add(w, ms.Tensor([1, 1]), ms.Tensor([5.0, 7.0]))
    >>> w.asnumpy()
    array([ 1., 14.], dtype=float32)
    """
    given = require_tensors("scatter_add", input_x, indices, updates)
    return assign(input_x, p.index_add(*given))
