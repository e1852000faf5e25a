"""Which object is MindSpore's fused attention?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ops.creation import zeros
from s2sad.ops.flash_attention import EVERYTHING, Attended, attended
from s2sad.ops.primitives.base import primitive
from s2sad.ops.primitives.checks import count, text
from s2sad.ops.promotion import as_dtype
from s2sad.ops.settings import fraction, integer, number

#: How often the kernel writes each number of a row.
_COPIES = 8


@primitive(
    head_num=count, keep_prob=fraction, scale_value=number, pre_tokens=integer,
    next_tokens=integer, inner_precise=integer, input_layout=text, sparse_mode=integer,
)  # fmt: skip
def FlashAttentionScore(
    query: Any,
    key: Any,
    value: Any,
    real_shift: Any = None,
    drop_mask: Any = None,
    padding_mask: Any = None,
    attn_mask: Any = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    *,
    head_num: int,
    keep_prob: float = 1.0,
    scale_value: float = 1.0,
    pre_tokens: int = EVERYTHING,
    next_tokens: int = EVERYTHING,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> Any:
    """Attention of several heads as `ops.flash_attention_score` has it, and what its softmax is of.

    Returns
    -------
    softmax_max, softmax_sum : Tensor of float32, shape (batch, heads, queries, 8)
        Of each query the largest score that it reads, and the sum of ``exp(score - largest)``,
        eight times; -inf and 0 where it reads nothing. No gradient goes through them.
    softmax_out : Tensor, 0-d
        0, as in MindSpore.
    attention_out : Tensor, laid out as `query`

    Raises
    ------
    S2sadError
        As of `ops.flash_attention_score`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.ops.ones((1, 2, 4))
    >>> _, total, _, found = FlashAttentionScore(2, sparse_mode=2)(x, x, x)
    >>> total[0, 0, :, 0].tolist(), found.shape
    ([1.0, 2.0], (1, 2, 4))
    """
    found = attended(
        query, key, value, head_num, real_shift, drop_mask, padding_mask, attn_mask, prefix,
        actual_seq_qlen, actual_seq_kvlen, keep_prob, scale_value, pre_tokens, next_tokens,
        inner_precise, input_layout, sparse_mode,
    )  # fmt: skip
    return (*_rows(found), zeros((), found.result.dtype), found.result)


def _rows(found: Attended) -> tuple[Any, Any]:
    """The largest score of each query, and the sum of what the others are besides it."""
    scores = as_dtype(p.stop_gradient(found.scores), dtypes.float32)
    if found.allowed is not None:
        scores = p.where(found.allowed, scores, -math.inf)
    largest = p.reduce_max(scores, axis=-1, keepdims=True)
    below = p.where(p.equal(largest, -math.inf), 0.0, largest)
    total = p.reduce_sum(p.exp(p.sub(scores, below)), axis=-1, keepdims=True)
    shape = (*scores.shape[:-1], _COPIES)
    return p.broadcast_to(largest, shape=shape), p.broadcast_to(total, shape=shape)
