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


def _parted(x: Value, axis: int, size: Dim) -> Value:
    """What `_joined` was given."""
    shape = (*x.shape[:axis], size, x.shape[axis] // size, *x.shape[axis + 1 :])
    return move_axis(reshape(x, shape=shape), axis, 0)


def _window(prim: Any) -> Callable[..., Any]:
    def rule(*operands, mapped, size, **attrs):
        joined = [_joined(x, 0) for x in all_leading(operands, mapped, size)]
        return _parted(prim(*joined, **attrs), 0, size)

    return rule


for _prim in (avg_pool, avg_pool_grad, max_pool, max_pool_argmax, max_pool_grad):
    _prim.batch(_window(_prim))


def _filtered(prim: Any) -> Callable[..., Any]:
    """Rule of an operation on a batch, its first operand, and on filters."""

    def rule(x, w, *, mapped, size, groups, **attrs):
        if not mapped[1]:
            return _parted(prim(_joined(x, 0), w, groups=groups, **attrs), 0, size)
        x = _joined(leading(x, mapped[0], size), 1)
        return _parted(prim(x, _joined(w, 0), groups=groups * size, **attrs), 1, size)

    return rule


conv.batch(_filtered(conv))
conv_input_grad.batch(_filtered(conv_input_grad))


@conv_filter_grad.batch
def conv_filter_grad_batch(x, dy, *, mapped, size, groups, **attrs):
    x, dy = (_joined(each, 1) for each in all_leading([x, dy], mapped, size))
    return _parted(conv_filter_grad(x, dy, groups=groups * size, **attrs), 0, size)
