"""How much does each query read of each value?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.generator import Generator
from s2sad.ir import dims
from s2sad.ops.arrange import repeat_interleave
from s2sad.ops.attention_reach import causal_mask
from s2sad.ops.dropouts import dropout
from s2sad.ops.promotion import as_dtype, promote, require_floats, require_tensor, type_of
from s2sad.ops.settings import flag, fraction, number


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    *,
    enable_gqa: bool = False,
    generator: Generator | None = None,
) -> Any:
    """Values, weighted by how well their keys fit each query.

    Parameters
    ----------
    query : Tensor of floats, shape (..., queries, size)
    key : Tensor of the same dtype, shape (..., keys, size)
    value : Tensor of the same dtype, shape (..., keys, features)
        The axes in front, such as batch and heads, broadcast.
    attn_mask : Tensor, optional
        It broadcasts to (..., queries, keys). Of bool: True where a query may read a key. Of
        floats: what is added to the scores.
    dropout_p : float
        Probability with which a weight is set to 0, from 0 to 1; 0 where nothing is trained.
    is_causal : bool
        Whether query i reads keys 0 to i only; besides `attn_mask`, where both are given.
    scale : float, optional
        Factor of the scores, by default ``1 / sqrt(size)``.
    enable_gqa : bool
        Whether `key` and `value` may have fewer heads, on axis -3: each serves as many queries'
        heads in a row as there are for one.
    generator : Generator, optional
        For the dropout.

    Returns
    -------
    Tensor, shape (..., queries, features)

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 and E0404 for other arguments, E0304 for what is no Tensor, E0401
        for shapes: a mask that does not fit is told by the axis.

    Notes
    -----
    ``softmax(query @ key.T * scale + mask) @ value``, from Vaswani et al. 2017, equation 1. A query
    that may read nothing, by a mask of bool or -inf, gets zeros and no gradient.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> scaled_dot_product_attention(x, x, x, is_causal=True).asnumpy().round(3)
    array([[1.  , 0.  ],
           [0.33, 0.67]], dtype=float32)
    """
    q, k, v = matched(query, key, value)
    if flag("enable_gqa", enable_gqa):
        k, v = shared_heads(q, k), shared_heads(q, v)
    require_fit(q, k, v)
    factor = q.shape[-1] ** -0.5 if scale is None else number("scale", scale)
    scores = p.mul(p.matmul(q, k, transpose_b=True), float(factor))
    allowed = None
    if attn_mask is not None:
        scores, allowed = _masked(scores, require_tensor(attn_mask, "attn_mask"))
    if flag("is_causal", is_causal):
        before = causal_mask(q.shape[-2], k.shape[-2])
        allowed = before if allowed is None else p.logical_and(allowed, before)
    return read(scores, allowed, v, fraction("dropout_p", dropout_p), generator)


def matched(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """Queries, keys and values of one dtype of floats, with two axes each at least."""
    names = ("query", "key", "value")
    tensors = [
        require_floats(x, f"the {name} of attention")
        for name, x in zip(names, (query, key, value), strict=True)
    ]
    for name, x in zip(names, tensors, strict=True):
        if x.ndim < 2:
            raise fail("E0401", f"{name} needs two axes at least, got {type_of(x)}")
    q, k, v = promote(*tensors)
    return q, k, v


def shared_heads(q: Any, x: Any) -> Any:
    """`x` with each head as often as heads of `q` read it (E0401)."""
    if q.ndim < 3 or x.ndim < 3:
        raise fail("E0401", f"heads are axis -3, which {type_of(x)} or {type_of(q)} does not have")
    ours, theirs = q.shape[-3], x.shape[-3]
    if not theirs or ours % theirs:
        raise fail("E0401", f"{ours} heads of queries cannot share {theirs} heads of keys evenly")
    return x if ours == theirs else repeat_interleave(x, ours // theirs, -3)


def require_fit(q: Any, k: Any, v: Any) -> None:
    """E0401 where queries and keys differ in size, or keys and values in number."""
    dims.require_same(
        q.shape[-1], k.shape[-1], f"axis -1 of the query, {type_of(q)}, and the key, {type_of(k)},",
        "each is the size of a head",
    )  # fmt: skip
    dims.require_same(
        k.shape[-2], v.shape[-2], f"axis -2 of the key, {type_of(k)}, and the value, {type_of(v)},",
        "each is the number of keys",
    )  # fmt: skip


def _masked(scores: Any, mask: Any) -> tuple[Any, Any]:
    """`scores` with a mask of floats added, and where it lets a query read."""
    require_mask(mask, tuple(scores.shape))
    if mask.dtype is dtypes.bool_:
        return scores, mask
    if not mask.dtype.is_float:
        raise fail(
            "E0301", f"attn_mask is of bool or of floats, got {mask.dtype.name}",
            help="compare it: `mask != 0` is True where a query may read",
        )  # fmt: skip
    mask = as_dtype(mask, scores.dtype)
    return p.add(scores, mask), p.not_equal(mask, -math.inf)


def require_mask(mask: Any, shape: tuple[Any, ...]) -> None:
    """E0401 naming the axis along which `mask` does not broadcast to the scores of `shape`."""
    names = {-1: "keys", -2: "queries", -3: "heads", -4: "batch"}
    scores = f"the scores, {shape},"
    if mask.ndim > len(shape):
        raise fail(
            "E0401", f"attn_mask has {mask.ndim} axes, {type_of(mask)}, and {scores} {len(shape)}"
        )  # fmt: skip
    for axis in range(-1, -mask.ndim - 1, -1):
        ours, theirs = mask.shape[axis], shape[axis]
        if ours != 1 and dims.same(ours, theirs) is not True:
            name = f" ({names[axis]})" if axis in names else ""
            raise fail(
                "E0401", f"axis {axis}{name} of attn_mask, {type_of(mask)}, is {ours}, and of "
                f"{scores} it is {theirs}",
                help="a mask is (queries, keys), or (batch, heads, queries, keys) with 1 for any",
            )  # fmt: skip


def read(
    scores: Any, allowed: Any, value: Any, rate: float, generator: Generator | None = None
) -> Any:
    """`value` weighted by the softmax of `scores`, where they are `allowed`; see `weights_of`."""
    return p.matmul(dropout(weights_of(scores, allowed), rate, generator=generator), value)


def weights_of(scores: Any, allowed: Any) -> Any:
    """The softmax of `scores` where they are `allowed`, or of all for None; zeros elsewhere."""
    if allowed is None:
        return p.softmax(scores, axis=-1)
    weights = p.softmax(p.where(allowed, scores, -math.inf), axis=-1)
    return p.where(allowed, weights, 0)
