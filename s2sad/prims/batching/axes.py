"""How do operations along an axis map: reductions, scans, sorting, distributions?

The axis stands one place further back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.prims.activation import log_softmax, log_softmax_grad, softmax, softmax_grad
from s2sad.prims.batching.places import aligned, all_leading, behind, leading
from s2sad.prims.index import gather_elements, scatter_elements
from s2sad.prims.loss import (
    cross_entropy,
    cross_entropy_grad,
    sparse_cross_entropy,
    sparse_cross_entropy_grad,
)
from s2sad.prims.norm import layer_norm, rms_norm
from s2sad.prims.reduce import (
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from s2sad.prims.scan import cummax, cummin, cumprod, cumsum, linear_recurrence
from s2sad.prims.shape import axis_size, concat, flip, split
from s2sad.prims.sort import sort, top_k

#: Of these all operands have the axis.
ALONG = (
    argmax, argmin, concat, cross_entropy, cross_entropy_grad, cummax, cummin, cumprod, cumsum,
    flip, gather_elements, linear_recurrence, log_softmax, log_softmax_grad, reduce_all,
    reduce_any, reduce_max, reduce_min, reduce_prod, reduce_sum, scatter_elements, softmax,
    softmax_grad, sort, sparse_cross_entropy, sparse_cross_entropy_grad, split, top_k,
)  # fmt: skip


def _along(prim: Any) -> Callable[..., Any]:
    def rule(*operands, mapped, size, axis, **attrs):
        return prim(*all_leading(operands, mapped, size), axis=behind(axis), **attrs)

    return rule


for _prim in ALONG:
    _prim.batch(_along(_prim))


@axis_size.batch
def axis_size_batch(x, *, mapped, size, axis, dtype):
    return leading(axis_size(x, axis=behind(axis), dtype=dtype), False, size)


@layer_norm.batch
def layer_norm_batch(x, gamma, beta, *, mapped, size, axes, eps):
    parameters = all_leading([gamma, beta], mapped[1:], size) if any(mapped[1:]) else [gamma, beta]
    x = leading(x, mapped[0], size)
    x, gamma, beta = aligned([x, *parameters], [True, *[any(mapped[1:])] * 2])
    return layer_norm(x, gamma, beta, axes=behind(axes), eps=eps)


@rms_norm.batch
def rms_norm_batch(x, gamma, *, mapped, size, axes, eps):
    x, gamma = aligned([leading(x, mapped[0], size), gamma], [True, mapped[1]])
    return rms_norm(x, gamma, axes=behind(axes), eps=eps)
