"""How do operations that move elements map, and markers that give what they are given?"""

from __future__ import annotations

from s2sad.core import dtypes
from s2sad.ir.types import TensorType
from s2sad.prims.batching.places import behind, leading, with_rank
from s2sad.prims.marker import barrier, stop_gradient
from s2sad.prims.select import where
from s2sad.prims.shape import broadcast_to, filled, pad, reshape, slice, transpose


@barrier.batch
def barrier_batch(x, *, mapped, size):
    return barrier(x)


@stop_gradient.batch
def stop_gradient_batch(x, *, mapped, size):
    return stop_gradient(x)


@transpose.batch
def transpose_batch(x, *, mapped, size, perm):
    return transpose(x, perm=(0, *behind(perm)))


@reshape.batch
def reshape_batch(x, *, mapped, size, shape):
    return reshape(x, shape=(size, *shape))


@broadcast_to.batch
def broadcast_to_batch(x, *, mapped, size, shape):
    return broadcast_to(with_rank(x, len(shape)), shape=(size, *shape))


@slice.batch
def slice_batch(x, *, mapped, size, start, stop, step):
    return slice(x, start=(0, *start), stop=(size, *stop), step=(1, *step))


@pad.batch
def pad_batch(x, value, *, mapped, size, low, high, interior):
    x, is_mapped = leading(x, mapped[0], size), mapped[1]
    around = {"low": (0, *low), "high": (0, *high), "interior": (0, *interior)}
    if not is_mapped:
        return pad(x, value, **around)
    padded = pad(x, filled(0, TensorType(x.dtype)), **around)
    inside = pad(filled(1, TensorType(dtypes.bool_, x.shape)), False, **around)
    return where(inside, padded, with_rank(value, x.ndim - 1))
