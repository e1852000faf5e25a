"""Which laws hold of what moves and repeats elements, and of what depends on a shape only?"""

# The first parameter of a function of a rule is a hole, not self.
# pyright: reportSelfClsParameterName=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false

from __future__ import annotations

from s2sad.ir import dims
from s2sad.ir.types import TensorType
from s2sad.passes.facts import is_static, same_shape
from s2sad.passes.rewrite import Rewrite, no
from s2sad.prims.reduce import sum_to
from s2sad.prims.shape import (
    axis_size,
    broadcast_to,
    concat,
    filled,
    flip,
    full_like,
    ones_like,
    pad,
    reshape,
    slice,
    split,
    transpose,
    zeros_like,
)

_CHANGES = "it changes the shape"
_SYMBOLIC = "a size is known at run time only"


class TransposeNothing(Rewrite):
    """transpose(x, a)  =>  x, where a leaves the axes in order."""

    def before(x, *, a):
        return transpose(x, perm=a)

    def where(*, a):
        return a == tuple(range(len(a))) or no("it moves an axis")

    def after(x):
        return x


class MergeTransposes(Rewrite):
    """transpose(transpose(x, a), b)  =>  transpose(x, a then b)."""

    def before(x, *, a, b):
        return transpose(transpose(x, perm=a), perm=b)

    def after(x, *, a, b):
        return transpose(x, perm=tuple(a[i] for i in b))


class ReshapeNothing(Rewrite):
    """reshape(x, s)  =>  x, where x has the shape s."""

    def before(x, *, s):
        return reshape(x, shape=s)

    def where(x, *, s):
        return same_shape(x.shape, s) or no(_CHANGES)

    def after(x):
        return x


class MergeReshapes(Rewrite):
    """reshape(reshape(x, a), b)  =>  reshape(x, b)."""

    def before(x, *, a, b):
        return reshape(reshape(x, shape=a), shape=b)

    def after(x, *, b):
        return reshape(x, shape=b)


class BroadcastNothing(Rewrite):
    """broadcast_to(x, s)  =>  x, where x has the shape s."""

    def before(x, *, s):
        return broadcast_to(x, shape=s)

    def where(x, *, s):
        return same_shape(x.shape, s) or no(_CHANGES)

    def after(x):
        return x


class MergeBroadcasts(Rewrite):
    """broadcast_to(broadcast_to(x, a), b)  =>  broadcast_to(x, b)."""

    def before(x, *, a, b):
        return broadcast_to(broadcast_to(x, shape=a), shape=b)

    def after(x, *, b):
        return broadcast_to(x, shape=b)


class SumToNothing(Rewrite):
    """sum_to(x, s)  =>  x, where x has the shape s."""

    def before(x, *, s):
        return sum_to(x, shape=s)

    def where(x, *, s):
        return same_shape(x.shape, s) or no("it sums")

    def after(x):
        return x


class SliceNothing(Rewrite):
    """slice(x, a, b, s)  =>  x, where it takes all of x in order."""

    def before(x, *, a, b, s):
        return slice(x, start=a, stop=b, step=s)

    def where(x, *, a, b, s):
        in_order = all(step > 0 for step in s) and all(dims.same(first, 0) for first in a)
        whole = in_order and None not in b and same_shape(b, x.shape)
        return (whole and all(step == 1 for step in s)) or no("it leaves something out")

    def after(x):
        return x


class MergeSlices(Rewrite):
    """slice(slice(x, a, b, s), c, d, t)  =>  one slice of x, where all bounds are numbers."""

    def before(x, *, a, b, s, c, d, t):
        return slice(slice(x, start=a, stop=b, step=s), start=c, stop=d, step=t)

    def where(x, *, a, b, c, d):
        bounds = (*a, *(stop or 0 for stop in b), *c, *(stop or 0 for stop in d))
        known = all(isinstance(bound, int) for bound in bounds)
        return (known and is_static(x.type)) or no(_SYMBOLIC)

    def after(x, *, a, b, s, c, d, t):
        inner = [_indices(*axis) for axis in zip(a, b, s, strict=True)]
        outer = [_indices(*axis) for axis in zip(c, d, t, strict=True)]
        both = [
            one[other.start : _stop(other) : other.step]
            for one, other in zip(inner, outer, strict=True)
        ]
        start, step = tuple(one.start for one in both), tuple(one.step for one in both)
        return slice(x, start=start, stop=tuple(map(_stop, both)), step=step)


def _indices(start: int, stop: int | None, step: int) -> range:
    """The indices that a slice in canonical spelling takes."""
    return range(start, -1 if stop is None else stop, step)


def _stop(indices: range) -> int | None:
    """Where a slice must stop to take `indices`: before the first element, that is None."""
    return None if indices.stop < 0 else indices.stop


class PadNothing(Rewrite):
    """pad(x, v)  =>  x, where nothing is added."""

    def before(x, v, *, low, high, interior):
        return pad(x, v, low=low, high=high, interior=interior)

    def where(x, *, low, high, interior):
        outer = all(dims.same(size, 0) for size in (*low, *high))
        pairs = zip(x.shape, interior, strict=True)
        inner = all(dims.same(gap, 0) or dims.less(size, 2) for size, gap in pairs)
        return (outer and inner) or no("it adds elements")

    def after(x):
        return x


class FlipNothing(Rewrite):
    """flip(x, a)  =>  x, where no axis in a has two elements."""

    def before(x, *, a):
        return flip(x, axis=a)

    def where(x, *, a):
        short = all(dims.less(x.shape[axis], 2) for axis in a)
        return short or no("it reverses an axis")

    def after(x):
        return x


class MergeFlips(Rewrite):
    """flip(flip(x, a), b)  =>  flip(x, the axes in one of a and b)."""

    def before(x, *, a, b):
        return flip(flip(x, axis=a), axis=b)

    def after(x, *, a, b):
        return flip(x, axis=tuple(sorted({*a} ^ {*b})))


class ConcatOne(Rewrite):
    """concat(x)  =>  x."""

    def before(x, *, a):
        return concat(x, axis=a)

    def after(x):
        return x


class SplitOne(Rewrite):
    """split(x, (n,))  =>  x."""

    def before(x, *, n, a):
        return split(x, sizes=n, axis=a)

    def after(x):
        return x


class ZerosLike(Rewrite):
    """zeros_like(x)  =>  the constant 0, where the sizes of x are numbers."""

    def before(x):
        return zeros_like(x)

    def where(x):
        return is_static(x.type) or no(_SYMBOLIC)

    def after(x):
        return filled(0, x.tensor_type)


class OnesLike(Rewrite):
    """ones_like(x)  =>  the constant 1, where the sizes of x are numbers."""

    def before(x):
        return ones_like(x)

    def where(x):
        return is_static(x.type) or no(_SYMBOLIC)

    def after(x):
        return filled(1, x.tensor_type)


class FullLike(Rewrite):
    """full_like(x, v, d)  =>  the constant v, where the sizes of x are numbers."""

    def before(x, *, v, d):
        return full_like(x, value=v, dtype=d)

    def where(x):
        return is_static(x.type) or no(_SYMBOLIC)

    def after(x, *, v, d):
        return filled(v, TensorType(d or x.dtype, x.shape))


class AxisSize(Rewrite):
    """axis_size(x, a, d)  =>  a constant, where those sizes of x are numbers."""

    def before(x, *, a, d):
        return axis_size(x, axis=a, dtype=d)

    def where(x, *, a):
        return all(isinstance(x.shape[axis], int) for axis in a) or no(_SYMBOLIC)

    def after(x, *, a, d):
        size = dims.size([x.shape[axis] for axis in a])
        return filled(size, TensorType(d))
