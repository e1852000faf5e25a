"""How do convolution and pooling map?

The mapped axis becomes part of the batch (N); where every row has filters of its own, part of the
channels, in groups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ir.dims import Dim
from s2sad.ir.graph import Value
from s2sad.prims.batching.places import all_leading, leading, move_axis
from s2sad.prims.conv import conv, conv_filter_grad, conv_input_grad
from s2sad.prims.pool import avg_pool, avg_pool_grad, max_pool, max_pool_argmax, max_pool_grad
from s2sad.prims.shape import reshape


def _joined(x: Value, axis: int) -> Value:
    """`x` with the mapped axis joined to `axis`, an axis of its rows, in front of it."""
    x = move_axis(x, 0, axis)
    first, second = x.shape[axis : axis + 2]
    return reshape(x, shape=(*x.shape[:axis], first * second, *x.shape[axis + 2 :]))


def _parted(x: Value, axis: int, size: Dim, inner: Dim) -> Value:
    """What `_joined` was given, for an axis of the size `inner` of its rows."""
    shape = (*x.shape[:axis], size, inner, *x.shape[axis + 1 :])
    return move_axis(reshape(x, shape=shape), axis, 0)


def _window(prim: Any) -> Callable[..., Any]:
    def rule(*operands, mapped, size, **attrs):
        rows = all_leading(operands, mapped, size)
        return _parted(prim(*[_joined(x, 0) for x in rows], **attrs), 0, size, rows[0].shape[1])

    return rule


for _prim in (avg_pool, avg_pool_grad, max_pool, max_pool_argmax, max_pool_grad):
    _prim.batch(_window(_prim))


def _may_group(size: Dim) -> bool:
    """Whether there can be as many groups as rows."""
    return isinstance(size, int) and size > 0


@conv.batch
def conv_batch(x, w, *, mapped, size, groups, **attrs):
    if not mapped[1]:
        return _parted(conv(_joined(x, 0), w, groups=groups, **attrs), 0, size, x.shape[1])
    if not _may_group(size):
        return None
    x, filters = _joined(leading(x, mapped[0], size), 1), w.shape[1]
    return _parted(conv(x, _joined(w, 0), groups=groups * size, **attrs), 1, size, filters)


@conv_input_grad.batch
def conv_input_grad_batch(dy, w, *, mapped, size, groups, **attrs):
    if not mapped[1]:
        dx = conv_input_grad(_joined(dy, 0), w, groups=groups, **attrs)
        return _parted(dx, 0, size, dy.shape[1])
    if not _may_group(size):
        return None
    dy, channels = _joined(leading(dy, mapped[0], size), 1), w.shape[2] * groups
    dx = conv_input_grad(dy, _joined(w, 0), groups=groups * size, **attrs)
    return _parted(dx, 1, size, channels)


@conv_filter_grad.batch
def conv_filter_grad_batch(x, dy, *, mapped, size, groups, **attrs):
    if not _may_group(size):
        return None
    x, dy = all_leading([x, dy], mapped, size)
    dw = conv_filter_grad(_joined(x, 1), _joined(dy, 1), groups=groups * size, **attrs)
    return _parted(dw, 0, size, dy.shape[2])
