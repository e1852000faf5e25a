"""How is a Parameter changed at indices that are data?

With one index a slice along axis 0, or with one for each of the first axes (`scatter_nd_add` and
the like). An index is checked when the program runs (E0501).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ops import scattering
from s2sad.ops.promotion import constant, is_tensor, require_tensors
from s2sad.ops.settings import integers
from s2sad.ops.state import assign


def scatter_sub(input_x: Any, indices: Any, updates: Any) -> Any:
    """Subtract `updates` from the slices of the Parameter `input_x` at `indices` along axis 0.

    Parameters
    ----------
    input_x : Parameter
    indices : Tensor of integers, any shape
    updates : Tensor of the same dtype, shape ``indices.shape + input_x.shape[1:]``
        Those of one slice add up.

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
    >>> scatter_sub(w, ms.Tensor([1, 1]), ms.Tensor([5.0, 7.0])).asnumpy()
    array([  1., -10.], dtype=float32)
    """
    return _rows("scatter_sub", input_x, indices, updates, scattering.tensor_scatter_sub)


def scatter_mul(input_x: Any, indices: Any, updates: Any) -> Any:
    """Multiply the slices of the Parameter `input_x` at `indices` by `updates`, in their order.

    Parameters and errors are those of `scatter_sub`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_mul(w, ms.Tensor([1, 1]), ms.Tensor([5.0, 7.0])).asnumpy()
    array([ 1., 70.], dtype=float32)
    """
    return _rows("scatter_mul", input_x, indices, updates, scattering.tensor_scatter_mul)


def scatter_div(input_x: Any, indices: Any, updates: Any) -> Any:
    """Divide the slices of the Parameter `input_x` at `indices` by `updates`, in their order.

    Parameters and errors are those of `scatter_sub`; E0301 also for what are no floats.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_div(w, ms.Tensor([1]), ms.Tensor([4.0])).asnumpy()
    array([1. , 0.5], dtype=float32)
    """
    return _rows("scatter_div", input_x, indices, updates, scattering.tensor_scatter_div)


def scatter_max(input_x: Any, indices: Any, updates: Any) -> Any:
    """Raise the slices of the Parameter `input_x` at `indices` to `updates`, where larger.

    Parameters and errors are those of `scatter_sub`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_max(w, ms.Tensor([0, 1]), ms.Tensor([4.0, 1.0])).asnumpy()
    array([4., 2.], dtype=float32)
    """
    return _rows("scatter_max", input_x, indices, updates, scattering.tensor_scatter_max)


def scatter_min(input_x: Any, indices: Any, updates: Any) -> Any:
    """Lower the slices of the Parameter `input_x` at `indices` to `updates`, where less.

    Parameters and errors are those of `scatter_sub`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_min(w, ms.Tensor([0, 1]), ms.Tensor([4.0, 1.0])).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return _rows("scatter_min", input_x, indices, updates, scattering.tensor_scatter_min)


def _rows(name: str, x: Any, indices: Any, updates: Any, write: Callable[..., Any]) -> Any:
    x, indices, updates = require_tensors(name, x, indices, updates)
    return assign(x, write(x, p.expand_dims(indices, axis=indices.ndim), updates))


def _at(name: str, x: Any, indices: Any, updates: Any, write: Callable[..., Any]) -> Any:
    return assign(x, write(*require_tensors(name, x, indices, updates)))


def scatter_nd_add(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Add `updates` to the elements or slices of the Parameter `input_x` at `indices`.

    Parameters
    ----------
    input_x : Parameter
    indices : Tensor of integers, shape (..., k)
        One for each of the first k axes of `input_x`.
    updates : Tensor of the same dtype, shape ``indices.shape[:-1] + input_x.shape[k:]``
        Those of one place add up.
    use_locking : bool
        Without effect: nothing is written twice at a time.

    Returns
    -------
    Tensor
        What `input_x` holds then.

    Raises
    ------
    S2sadError
        Those of `scatter_sub`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_nd_add(w, ms.Tensor([[1], [1]]), ms.Tensor([5.0, 7.0])).asnumpy()
    array([ 1., 14.], dtype=float32)
    """
    return _at("scatter_nd_add", input_x, indices, updates, scattering.tensor_scatter_add)


def scatter_nd_sub(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Subtract `updates` from the elements or slices of the Parameter `input_x` at `indices`.

    Parameters and errors are those of `scatter_nd_add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_nd_sub(w, ms.Tensor([[1]]), ms.Tensor([5.0])).asnumpy()
    array([ 1., -3.], dtype=float32)
    """
    return _at("scatter_nd_sub", input_x, indices, updates, scattering.tensor_scatter_sub)


def scatter_nd_mul(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Multiply the elements or slices of the Parameter `input_x` at `indices` by `updates`.

    Parameters and errors are those of `scatter_nd_add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_nd_mul(w, ms.Tensor([[1]]), ms.Tensor([5.0])).asnumpy()
    array([ 1., 10.], dtype=float32)
    """
    return _at("scatter_nd_mul", input_x, indices, updates, scattering.tensor_scatter_mul)


def scatter_nd_div(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Divide the elements or slices of the Parameter `input_x` at `indices` by `updates`.

    Parameters and errors are those of `scatter_nd_add`; E0301 also for what are no floats.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_nd_div(w, ms.Tensor([[1]]), ms.Tensor([4.0])).asnumpy()
    array([1. , 0.5], dtype=float32)
    """
    return _at("scatter_nd_div", input_x, indices, updates, scattering.tensor_scatter_div)


def scatter_nd_max(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Raise the elements or slices of the Parameter `input_x` at `indices` to `updates`.

    Parameters and errors are those of `scatter_nd_add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_nd_max(w, ms.Tensor([[0], [1]]), ms.Tensor([4.0, 1.0])).asnumpy()
    array([4., 2.], dtype=float32)
    """
    return _at("scatter_nd_max", input_x, indices, updates, scattering.tensor_scatter_max)


def scatter_nd_min(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
    """Lower the elements or slices of the Parameter `input_x` at `indices` to `updates`.

    Parameters and errors are those of `scatter_nd_add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> scatter_nd_min(w, ms.Tensor([[0], [1]]), ms.Tensor([4.0, 1.0])).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return _at("scatter_nd_min", input_x, indices, updates, scattering.tensor_scatter_min)


def inplace_update(x: Any, v: Any, indices: Any) -> Any:
    """`x` with the rows of `v` in place of its rows at `indices`; `x` itself does not change.

    Parameters
    ----------
    x : Tensor
    v : Tensor of the same dtype
        A row for each index.
    indices : int or tuple of int

    Raises
    ------
    S2sadError
        E0301 when the dtypes differ, E0303 for indices that are no ints, E0304 for what is no
        Tensor, E0401 when a shape does not fit; at run time E0501 for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> inplace_update(ms.Tensor([1, 2, 3]), ms.Tensor([7, 8]), (0, 2)).asnumpy()
    array([7, 2, 8])
    """
    x, v = require_tensors("inplace_update", x, v)
    return p.index_update(x, _places(indices), v, axis=0)


def inplace_add(x: Any, v: Any, indices: Any) -> Any:
    """`x` with the rows of `v` added to its rows at `indices`; `x` itself does not change.

    Arguments and errors are those of `inplace_update`; rows of one index add up.

    Examples
    --------
    >>> import s2sad as ms
    >>> inplace_add(ms.Tensor([1, 2, 3]), ms.Tensor([7, 8]), (0, 2)).asnumpy()
    array([ 8,  2, 11])
    """
    x, v = require_tensors("inplace_add", x, v)
    return p.index_add(x, _places(indices), v, axis=0)


def inplace_sub(x: Any, v: Any, indices: Any) -> Any:
    """`x` with the rows of `v` subtracted from its rows at `indices`; `x` does not change.

    Arguments and errors are those of `inplace_update`; rows of one index add up.

    Examples
    --------
    >>> import s2sad as ms
    >>> inplace_sub(ms.Tensor([1, 2, 3]), ms.Tensor([7, 8]), (0, 2)).asnumpy()
    array([-6,  2, -5])
    """
    x, v = require_tensors("inplace_sub", x, v)
    return p.index_add(x, _places(indices), p.neg(v), axis=0)


def inplace_index_add(var: Any, indices: Any, updates: Any, axis: int) -> Any:
    """Add `updates` to the slices of the Parameter `var` along `axis` at `indices`.

    Parameters
    ----------
    var : Parameter
    indices : Tensor of integers with one axis
    updates : Tensor of the same dtype
        Those of one slice add up.
    axis : int

    Returns
    -------
    Tensor
        What `var` holds then.

    Raises
    ------
    S2sadError
        Those of `index_add`; E0304 when `var` is no Parameter.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> inplace_index_add(w, ms.Tensor([1]), ms.Tensor([5.0]), 0).asnumpy()
    array([1., 7.], dtype=float32)
    """
    return assign(var, scattering.index_add(var, indices, updates, axis))


def _places(indices: Any) -> Any:
    if is_tensor(indices):
        return indices
    given = (indices,) if isinstance(indices, int) else indices
    return constant(list(integers("indices", given)), dtypes.int64)
