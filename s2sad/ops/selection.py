"""Which elements does a condition choose, shapes kept?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.comparison import where
from s2sad.ops.creation import tensor
from s2sad.ops.index import brought_in
from s2sad.ops.join import unstack
from s2sad.ops.promotion import (
    as_dtype,
    as_operand,
    default_dtype,
    is_tensor,
    promote,
    require_integers,
    require_tensor,
    require_tensors,
)
from s2sad.ops.shapes import broadcast_to, ravel, reshape
from s2sad.ops.varying import known_now
from s2sad.prims.shape import shape_of


def select(condition: Any, input: Any, other: Any) -> Any:
    """`input` where `condition` holds, else `other`; all three broadcast: `where`.

    Arguments and errors are those of `where`.

    Examples
    --------
    >>> import s2sad as ms
    >>> select(ms.Tensor([True, False]), ms.Tensor([1.0, 2.0]), 0.0).asnumpy()
    array([1., 0.], dtype=float32)
    """
    return where(condition, input, other)


def masked_fill(input_x: Any, mask: Any, value: Any) -> Any:
    """`input_x`, with `value` where `mask` holds; shapes broadcast.

    The gradient reaches `value` where `mask` holds and `input_x` elsewhere, and is exactly zero on
    the other side.

    Parameters
    ----------
    input_x : Tensor
    mask : Tensor of bool
    value : number, or Tensor with no axes
        Cast to the dtype of `input_x`.

    Raises
    ------
    S2sadError
        E0301 when `mask` is no bool, or `value` a float and `input_x` of no floats; E0401 when the
        shapes do not broadcast, or `value` has axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> masked_fill(ms.Tensor([1.0, 2.0]), ms.Tensor([True, False]), -1.0).asnumpy()
    array([-1.,  2.], dtype=float32)
    """
    x, mask = require_tensors("masked_fill", input_x, mask)
    return p.where(mask, filling(value, x, "masked_fill"), x)


def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """`input`, with the elements of `source`, one after the other, where `mask` holds.

    Parameters
    ----------
    input : Tensor
    mask : Tensor of bool
        Broadcast to the shape of `input`.
    source : Tensor of the dtype of `input`
        With at least as many elements as places to fill.

    Raises
    ------
    S2sadError
        E0301 when `mask` is no bool or the dtypes differ, E0401 when `mask` does not broadcast; at
        run time E0501 when `source` has too few elements.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, mask = ms.Tensor([1, 2, 3]), ms.Tensor([True, False, True])
    >>> masked_scatter(x, mask, ms.Tensor([7, 8, 9])).asnumpy()
    array([7, 2, 8])
    """
    x, where_to, values = require_tensors("masked_scatter", input, mask, source)
    where_to = broadcast_to(where_to, tuple(x.shape))
    counts = p.cumsum(as_dtype(ravel(where_to), dtypes.int64), axis=0)
    places = reshape(p.where(ravel(where_to), p.sub(counts, 1), 0), tuple(x.shape))
    return p.where(where_to, p.gather(ravel(values), places), x)


def sequence_mask(lengths: Any, maxlen: int | None = None) -> Any:
    """Whether each index along a new last axis lies before the end of its sequence.

    Parameters
    ----------
    lengths : Tensor of integers
    maxlen : int, optional
        Size of the new axis; the greatest length by default, which compiled code does not know.

    Raises
    ------
    S2sadError
        E0301 when `lengths` are no integers, E0303 when `maxlen` is no int, E0305 without it in
        compiled code, E0404 for a negative one.

    Examples
    --------
    >>> import s2sad as ms
    >>> sequence_mask(ms.Tensor([1, 2]), 3).asnumpy()
    array([[ True, False, False],
           [ True,  True, False]])
    """
    x = require_integers(require_tensor(lengths, "sequence_mask"), "lengths")
    if maxlen is None:
        known = known_now(x, "the greatest length", "give maxlen")
        maxlen = int(known.max(initial=0))
    (size,) = shape_of((maxlen,), "maxlen")
    ends = p.expand_dims(as_dtype(x, dtypes.int64), axis=-1)
    return p.less(p.iota(dtype=dtypes.int64, shape=(size,)), ends)


def filling(value: Any, x: Any, what: str) -> Any:
    """`value`, a number or a tensor of one, in the dtype of `x` (E0301, E0401)."""
    value = as_operand(value, (x,))
    dtype = value.dtype if is_tensor(value) else default_dtype(value)
    if dtype.is_float and not x.dtype.is_float:
        raise fail("E0301", f"{what} cannot put a {dtype.name} into {x.dtype.name}")
    if not is_tensor(value):
        return value
    if value.ndim:
        raise fail("E0401", f"the value of {what} has no axes, got {tuple(value.shape)}")
    return as_dtype(value, x.dtype)


def choose(input: Any, choices: Any, mode: str = "clip") -> Any:
    """Where `input` holds i, the element of ``choices[i]`` that stands there; shapes broadcast.

    Parameters
    ----------
    input : Tensor of integers
    choices : tuple or list of Tensor or numbers, or Tensor
        One at least. They meet in one dtype; of a Tensor axis 0 tells them apart.
    mode : {"clip", "wrap", "raise"}
        What an index out of range means: the nearest one, or that modulo their number; "raise"
        refuses it.

    Raises
    ------
    S2sadError
        E0301 for an `input` of no integers, E0304 for what is no Tensor, E0401 where shapes do not
        broadcast, E0404 for no choices or another `mode`; at run time E0501 for an index out of
        range.

    Examples
    --------
    >>> import s2sad as ms
    >>> choose(ms.Tensor([1, 0, 5]), [[0.5, 1.5, 2.5], 7.0]).asnumpy()
    array([7. , 1.5, 7. ], dtype=float32)
    """
    places = require_integers(require_tensor(input, "choose"), "the indices of choose")
    given = choices if isinstance(choices, (tuple, list)) else unstack(choices)
    if not given:
        raise fail("E0404", "choose takes one tensor at least to choose from")
    met = promote(*(x if is_tensor(x) else tensor(x) for x in given))
    shape = dims.broadcast(tuple(places.shape), *(tuple(x.shape) for x in met))
    row = brought_in("choose", as_dtype(places, dtypes.int64), len(met), mode)
    row = p.where(p.less(row, 0), len(met), row)  # none is counted from the end
    side_by_side = p.stack(*(p.broadcast_to(x, shape=shape) for x in met), axis=0)
    row = p.expand_dims(p.broadcast_to(row, shape=shape), axis=0)
    return p.squeeze(p.gather_elements(side_by_side, row, axis=0), axis=0)
