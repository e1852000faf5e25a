"""How do the elements of one sequence look at those of another?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.nn.basic import Dense
from s2sad.nn.initializer import XavierNormal, XavierUniform, initializer
from s2sad.ops.affine import affine
from s2sad.ops.sequence_forms import added_mask
from s2sad.ops.settings import flag, fraction, integer


class MultiheadAttention(Cell):
    """Attention of several heads: means of values, weighted by how queries fit to keys.

    Head h gives ``softmax(q_h k_h^T / sqrt(head_dim) + mask) v_h``, where q, k and v are affine
    maps of query, key and value; an affine map of all heads side by side is the output. Source: A.
    Vaswani et al., Attention is all you need, 2017, section 3.2.

    Parameters
    ----------
    embed_dim, num_heads : int
        The second divides the first.
    dropout : float
        How many of the weights are set to 0, while training.
    has_bias : bool
        Whether the maps have biases.
    add_bias_kv : bool
        Whether a learned element comes behind the keys and values.
    add_zero_attn : bool
        Whether an element of zeros comes behind the keys and values.
    kdim, vdim : int, optional
        Sizes of keys and values, `embed_dim` by default.
    batch_first : bool
        Whether sequences have axes (N, L, E), else (L, N, E).
    dtype : DType
        Of the Parameters.

    Attributes
    ----------
    in_proj_weight : Parameter, shape (3 * embed_dim, embed_dim), or None
        Maps query, key and value, one above the other.
    q_proj_weight, k_proj_weight, v_proj_weight : Parameter, shape (embed_dim, size), or None
        In its place, where sizes differ.
    in_proj_bias : Parameter, shape (3 * embed_dim,), or None
    bias_k, bias_v : Parameter, shape (1, 1, embed_dim), or None
    out_proj : Dense

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call E0301 for a mask that is
        neither bool nor of floats, E0401 for shapes that do not fit.

    Notes
    -----
    Called with query, key and value, then by name or place ``key_padding_mask`` (N, S),
    ``need_weights``, ``attn_mask`` (L, S) or (N * num_heads, L, S), ``average_attn_weights``. A
    mask of bool is True where nobody looks; one of floats is added. Sequences without a batch have
    two axes. It gives the output and the weights, of shape (N, L, S), or (N, num_heads, L, S) where
    they are not averaged; without `need_weights` a tuple of the output alone. Who may look at
    nothing looks at all alike, as `ops.softmax` has it.

    Examples
    --------
    >>> import s2sad as ms
    >>> net, x = ms.nn.MultiheadAttention(4, 2), ms.ops.ones((3, 5, 4))
    >>> out, weights = net(x, x, x)
    >>> out.shape, weights.shape, weights[0, 0].asnumpy().round(4)
    ((3, 5, 4), (5, 3, 3), array([0.3333, 0.3333, 0.3333], dtype=float32))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.embed_dim = integer("embed_dim", embed_dim, 1)
        self.num_heads = integer("num_heads", num_heads, 1)
        if embed_dim % num_heads:
            raise fail("E0404", f"{num_heads} heads do not divide embed_dim {embed_dim}")
        self.kdim = embed_dim if kdim is None else integer("kdim", kdim, 1)
        self.vdim = embed_dim if vdim is None else integer("vdim", vdim, 1)
        self.head_dim = embed_dim // num_heads
        self.dropout = fraction("dropout", dropout)
        self.batch_first = flag("batch_first", batch_first)
        self.add_zero_attn = flag("add_zero_attn", add_zero_attn)
        self._set_maps(flag("has_bias", has_bias), dtype)
        self.bias_k = self.bias_v = None
        if flag("add_bias_kv", add_bias_kv):
            shape = (1, 1, embed_dim)
            self.bias_k = Parameter(initializer(XavierNormal(), shape, dtype), "bias_k")
            self.bias_v = Parameter(initializer(XavierNormal(), shape, dtype), "bias_v")

    def _set_maps(self, has_bias: bool, dtype: DType) -> None:
        size, sizes = self.embed_dim, (self.embed_dim, self.kdim, self.vdim)
        self.in_proj_weight = self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        if sizes == (size,) * 3:
            self.in_proj_weight = _drawn("in_proj_weight", (3 * size, size), dtype)
        else:
            self.q_proj_weight = _drawn("q_proj_weight", (size, size), dtype)
            self.k_proj_weight = _drawn("k_proj_weight", (size, self.kdim), dtype)
            self.v_proj_weight = _drawn("v_proj_weight", (size, self.vdim), dtype)
        self.in_proj_bias = None
        if has_bias:
            zeros = initializer("zeros", (3 * size,), dtype)
            self.in_proj_bias = Parameter(zeros, "in_proj_bias")
        self.out_proj = Dense(size, size, has_bias=has_bias, dtype=dtype)

    def construct(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
    ) -> Any:
        is_batched = query.ndim == 3
        if not is_batched:
            query, key, value = query[None], key[None], value[None]
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask[None]
        elif not self.batch_first:
            query, key, value = [ops.swapaxes(x, 0, 1) for x in (query, key, value)]
        q, k, v = self._mapped(query, key, value)
        k, v = self._with_more(k, self.bias_k), self._with_more(v, self.bias_v)
        mask = self._mask(q, k, key.shape[1], key_padding_mask, attn_mask)
        out, weights = self._attended(q, k, v, mask)
        out = self.out_proj(out)
        if not is_batched:
            out = out[0]
        elif not self.batch_first:
            out = ops.swapaxes(out, 0, 1)
        if not need_weights:
            return (out,)
        if average_attn_weights:
            weights = ops.mean(weights, 1)
        return out, weights if is_batched else weights[0]

    def _mapped(self, query: Any, key: Any, value: Any) -> Any:
        biases = (None, None, None)
        if self.in_proj_bias is not None:
            biases = ops.chunk(self.in_proj_bias, 3)
        if self.in_proj_weight is not None:
            weights = ops.chunk(self.in_proj_weight, 3)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        given = (query, key, value)
        return tuple([affine(given[i], weights[i], biases[i]) for i in range(3)])

    def _with_more(self, sequence: Any, bias: Any) -> Any:
        """Keys or values, and those that come behind them."""
        batch, _, size = sequence.shape
        if bias is not None:
            more = ops.broadcast_to(ops.cast(bias, sequence.dtype), (batch, 1, size))
            sequence = ops.concat((sequence, more), 1)
        if self.add_zero_attn:
            sequence = ops.concat((sequence, ops.zeros((batch, 1, size), sequence.dtype)), 1)
        return sequence

    def _mask(self, q: Any, k: Any, length: int, padding: Any, mask: Any) -> Any:
        """What is added to the fit of queries to keys, (N, heads, L, S) or less; None for 0."""
        batch, heads, more = q.shape[0], self.num_heads, k.shape[1] - length
        found = None
        if padding is not None:
            found = added_mask("key_padding_mask", padding, q.dtype, (batch, length))
            found = ops.reshape(found, (batch, 1, 1, length))
        if mask is not None:
            wide = (batch * heads, q.shape[1], length)
            added = added_mask("attn_mask", mask, q.dtype, wide if mask.ndim == 3 else wide[1:])
            if mask.ndim == 3:
                added = ops.reshape(added, (batch, heads, q.shape[1], length))
            found = added if found is None else found + added
        if found is not None and more:
            found = ops.pad(found, (0, more))
        return found

    def _attended(self, q: Any, k: Any, v: Any, mask: Any) -> Any:
        batch, length, size = q.shape
        q, k, v = self._heads(q), self._heads(k), self._heads(v)
        fit = ops.matmul(q * (1 / math.sqrt(self.head_dim)), ops.swapaxes(k, -1, -2))
        weights = ops.softmax(fit if mask is None else fit + mask, -1)
        if self.dropout:
            weights = ops.dropout(weights, self.dropout, self.training)
        out = ops.swapaxes(ops.matmul(weights, v), 1, 2)
        return ops.reshape(out, (batch, length, size)), weights

    def _heads(self, x: Any) -> Any:
        batch, length, _ = x.shape
        return ops.swapaxes(ops.reshape(x, (batch, length, self.num_heads, self.head_dim)), 1, 2)

    def extend_repr(self) -> str:
        return f"embed_dim={self.embed_dim}, num_heads={self.num_heads}, dropout={self.dropout}"


def _drawn(name: str, shape: tuple[int, int], dtype: DType) -> Parameter:
    return Parameter(initializer(XavierUniform(), shape, dtype), name)
