"""What does MindSpore's fused attention compute, for each of its layouts and masks?"""

from __future__ import annotations

from typing import Any, NamedTuple

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.attention_reach import band_mask, causal_mask
from s2sad.ops.promotion import as_dtype, require_floats, require_tensor, type_of
from s2sad.ops.scaled_attention import (
    matched,
    read,
    require_fit,
    require_mask,
    shared_heads,
    weights_of,
)
from s2sad.ops.settings import fraction, integer, number

#: What MindSpore takes for no bound on how far a query sees.
EVERYTHING = 2**31 - 1


def flash_attention_score(
    query: Any,
    key: Any,
    value: Any,
    head_num: int,
    real_shift: Any = None,
    drop_mask: Any = None,
    padding_mask: Any = None,
    attn_mask: Any = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    keep_prob: float = 1.0,
    scalar_value: float = 1.0,
    pre_tokens: int = EVERYTHING,
    next_tokens: int = EVERYTHING,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> Any:
    """Attention of several heads, with MindSpore's arguments for its fused kernel.

    Parameters
    ----------
    query, key, value : Tensor of floats
        Laid out as `input_layout` says, with b for batch, n for heads, s for places and h = n * d
        for all features: "BSH", "SBH", "BNSD" or "BSND". `key` and `value` may have fewer heads,
        each of which serves as many heads of `query`.
    head_num : int
        Heads of `query`.
    real_shift : Tensor, optional
        Added to the products of queries and keys, before they are scaled.
    drop_mask : Tensor of bool or uint8, shape (b, n, queries, keys), optional
        Nonzero where a weight stays; it is divided by `keep_prob` then.
    padding_mask, prefix, actual_seq_qlen, actual_seq_kvlen : None
        Nothing else is supported.
    attn_mask : Tensor of bool or integers, optional
        True where a query may *not* read a key: (queries, keys), or with batch and heads, or 1 for
        them, in front.
    keep_prob : float
        Above 0 up to 1: the probability with which a weight stays.
    scalar_value : float
        Factor of the scores.
    pre_tokens, next_tokens : int
        How many keys before and behind its own place a query reads, in modes 0 and 4, and in 0 only
        where there is an `attn_mask`.
    inner_precise : int
        0, 1 or 2, without effect.
    input_layout : {"BSH", "SBH", "BNSD", "BSND"}
    sparse_mode : int
        0: `attn_mask` as it is. 1: the same, without `pre_tokens` and `next_tokens`. 2: query i
        reads keys 0 to i. 3: the last query reads all keys, each before it one less. 4: a band as
        `pre_tokens` and `next_tokens` say, counted as in 3.

    Returns
    -------
    Tensor, laid out as `query`

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 and E0404 for other arguments and for what is not supported, E0304
        for what is no Tensor, E0401 for shapes.

    Notes
    -----
    ``dropout(softmax(mask(scalar_value * (query @ key.T + real_shift)))) @ value``. In modes 2, 3
    and 4 the kernel takes a small `attn_mask` that says the same as the mode; it is not read here.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.ops.ones((1, 2, 4))
    >>> flash_attention_score(x, x, x, 2, sparse_mode=2).asnumpy()
    array([[[1., 1., 1., 1.],
            [1., 1., 1., 1.]]], dtype=float32)
    """
    return attended(
        query, key, value, head_num, real_shift, drop_mask, padding_mask, attn_mask, prefix,
        actual_seq_qlen, actual_seq_kvlen, keep_prob, scalar_value, pre_tokens, next_tokens,
        inner_precise, input_layout, sparse_mode,
    ).result  # fmt: skip


class Attended(NamedTuple):
    """The scores, where they are read (None: everywhere), and what attention gives."""

    scores: Any
    allowed: Any
    result: Any


def attended(
    query: Any, key: Any, value: Any, head_num: int, real_shift: Any, drop_mask: Any,
    padding_mask: Any, attn_mask: Any, prefix: Any, actual_seq_qlen: Any, actual_seq_kvlen: Any,
    keep_prob: float, scalar_value: float, pre_tokens: int, next_tokens: int, inner_precise: int,
    input_layout: str, sparse_mode: int,
) -> Attended:  # fmt: skip
    """`flash_attention_score`, with scores of shape (batch, heads, queries, keys)."""
    given = {
        "padding_mask": padding_mask, "prefix": prefix, "actual_seq_qlen": actual_seq_qlen,
        "actual_seq_kvlen": actual_seq_kvlen,
    }  # fmt: skip
    for name, what in given.items():
        if what is not None:
            raise fail(
                "E0404", f"flash_attention_score does not take {name}",
                help="give attn_mask what no query may read",
            )  # fmt: skip
    integer("inner_precise", inner_precise, 0)
    q, k, v = matched(query, key, value)
    heads, order = integer("head_num", head_num, 1), _order(input_layout, q)
    q = _by_heads(q, order, heads)
    size = q.shape[-1]
    k, v = _by_heads(k, order, None, size), _by_heads(v, order, None, size)
    k, v = shared_heads(q, k), shared_heads(q, v)
    require_fit(q, k, v)
    scores = p.matmul(q, k, transpose_b=True)
    if real_shift is not None:
        scores = p.add(scores, as_dtype(require_floats(real_shift, "real_shift"), scores.dtype))
    scores = p.mul(scores, float(number("scalar_value", scalar_value)))
    allowed = _allowed(sparse_mode, scores, attn_mask, pre_tokens, next_tokens)
    keep = fraction("keep_prob", keep_prob)
    if not keep:
        raise fail("E0404", "keep_prob is above 0, got 0")
    if drop_mask is None:
        found = read(scores, allowed, v, 1.0 - keep)
    else:
        kept = p.div(p.where(_as_bool(drop_mask), weights_of(scores, allowed), 0), keep)
        found = p.matmul(kept, v)
    return Attended(scores, allowed, _laid_out(found, order, query))


def _order(layout: str, query: Any) -> str:
    """The axes of `layout`, in lower case (E0404, E0401)."""
    if layout not in ("BSH", "SBH", "BNSD", "BSND"):
        raise fail(
            "E0404", f"input_layout is 'BSH', 'SBH', 'BNSD' or 'BSND', got {layout!r}",
            help="with 'TND', reshape the sequences into a batch, and mask what is padded",
        )  # fmt: skip
    if query.ndim != len(layout):
        raise fail("E0401", f"{layout} has {len(layout)} axes, got the query {type_of(query)}")
    return layout


def _by_heads(x: Any, layout: str, heads: int | None, size: int | None = None) -> Any:
    """`x` with the axes batch, heads, places, size of a head."""
    if x.ndim != len(layout):
        raise fail("E0401", f"{layout} has {len(layout)} axes, got {type_of(x)}")
    if len(layout) == 3:
        features = x.shape[-1]
        count = heads if heads is not None else max(features // max(size or 1, 1), 1)
        if features % count:
            raise fail("E0401", f"{features} features do not make {count} heads")
        x = p.reshape(x, shape=(*x.shape[:-1], count, features // count))
        layout = layout[:-1] + "ND"
    if heads is not None:
        found = x.shape[layout.index("N")]
        dims.require_same(found, heads, f"head_num and axis N of {type_of(x)}", "give its size")
    return p.transpose(x, perm=tuple(layout.index(axis) for axis in "BNSD"))


def _laid_out(x: Any, layout: str, query: Any) -> Any:
    """Undo `_by_heads`."""
    whole = layout if len(layout) == 4 else layout[:-1] + "ND"
    x = p.transpose(x, perm=tuple("BNSD".index(axis) for axis in whole))
    return x if len(layout) == 4 else p.reshape(x, shape=(*query.shape[:-1], -1))


def _as_bool(mask: Any) -> Any:
    return as_dtype(require_tensor(mask, "a mask of attention"), dtypes.bool_)


def _allowed(mode: int, scores: Any, mask: Any, before: int, behind: int) -> Any:
    """Where queries may read, as `sparse_mode` says; None for everywhere."""
    if integer("sparse_mode", mode, 0) > 4:
        raise fail("E0404", f"sparse_mode is 0 to 4, got {mode}")
    queries, keys = scores.shape[-2:]
    if mode == 2:
        return causal_mask(queries, keys)
    if mode == 3:
        return causal_mask(queries, keys, keys - queries)
    reach = integer("pre_tokens", before), integer("next_tokens", behind)
    if mode == 4:
        return band_mask(queries, keys, *reach, keys - queries)
    if mask is None:
        return None
    require_mask(mask, tuple(scores.shape))
    allowed = p.logical_not(_as_bool(mask))
    if mode == 1 or min(reach) >= EVERYTHING:
        return allowed
    return p.logical_and(allowed, band_mask(queries, keys, *reach, 0))
