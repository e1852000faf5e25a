"""What are the layers of a transformer, and the whole of it?"""

from __future__ import annotations

import copy
from typing import Any, ClassVar

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.nn.attention import MultiheadAttention
from s2sad.nn.basic import Dense
from s2sad.nn.container import CellList
from s2sad.nn.dropout import Dropout
from s2sad.nn.initializer import initializer
from s2sad.nn.norm import LayerNorm
from s2sad.ops.sequence_forms import require_pair
from s2sad.ops.settings import flag, integer


class _Layer(Cell):
    """Attention to itself and two dense maps, each added to what it is given, and normalised."""

    #: How many attentions it has.
    LOOKS: ClassVar[int]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.settings = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, dtype,
        )  # fmt: skip
        self.norm_first = flag("norm_first", norm_first)
        self.activation = activation_of(activation)
        self.self_attn = self._attention()
        if self.LOOKS == 2:
            self.multihead_attn = self._attention()
        self._set_rest(self.LOOKS + 1)

    def _attention(self) -> MultiheadAttention:
        d_model, nhead, _, dropout, _, _, batch_first, _, dtype = self.settings
        return MultiheadAttention(
            d_model, nhead, dropout=dropout, batch_first=batch_first, dtype=dtype
        )

    def _set_rest(self, count: int) -> None:
        d_model, _, dim_feedforward, dropout, _, epsilon, _, _, dtype = self.settings
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        for place in range(1, count + 1):
            setattr(self, f"norm{place}", LayerNorm((d_model,), epsilon=epsilon, dtype=dtype))
        for place in range(1, count + 1):
            setattr(self, f"dropout{place}", Dropout(p=dropout))

    def _attend(self, x: Any, mask: Any, padding: Any) -> Any:
        return self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False
        )[0]

    def _feed(self, x: Any) -> Any:
        return self.dense2(self.dropout(self.activation(self.dense1(x))))


def activation_of(given: Any) -> Any:
    """The function that ``"relu"`` or ``"gelu"`` names (E0404 for another), or what can be called.

    Examples
    --------
    >>> activation_of("relu").__name__
    'relu'
    """
    if isinstance(given, str):
        if given not in ("relu", "gelu"):
            raise fail("E0404", f"activation is 'relu' or 'gelu', a Cell or a function: {given!r}")
        return ops.relu if given == "relu" else ops.gelu
    if not callable(given):
        raise fail("E0304", f"activation is 'relu' or 'gelu', a Cell or a function: {given!r}")
    return given


class TransformerEncoderLayer(_Layer):
    """A layer of an encoder: attention of a sequence to itself, and two dense maps.

    ``x = norm1(x + attention(x))`` and ``x = norm2(x + dense2(activation(dense1(x))))``; with
    `norm_first` ``x + attention(norm1(x))`` and so on. Source: A. Vaswani et al., Attention is all
    you need, 2017, section 3.1.

    Parameters
    ----------
    d_model, nhead, dim_feedforward : int
        The size of the elements, the number of heads, and the size between the dense maps.
    dropout : float
        Of weights, between the dense maps, and of what is added.
    activation : {"relu", "gelu"}, Cell or function
    layer_norm_eps : float
    batch_first : bool
        Whether sequences have axes (N, L, E), else (L, N, E).
    norm_first : bool
    dtype : DType
        Of the Parameters.

    Attributes
    ----------
    self_attn : MultiheadAttention
    dense1, dense2 : Dense
    norm1, norm2 : LayerNorm

    Raises
    ------
    S2sadError
        E0303, E0304 or E0404 for a setting of another form or value; in a call those of
        `MultiheadAttention`.

    Notes
    -----
    Called with the sequence, ``src_mask`` and ``src_key_padding_mask``, as `MultiheadAttention` has
    them.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.TransformerEncoderLayer(8, 2, 16)(ms.ops.ones((3, 5, 8))).shape
    (3, 5, 8)
    """

    LOOKS = 1

    def construct(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None) -> Any:
        mask, padding = src_mask, src_key_padding_mask
        if self.norm_first:
            x = src + self.dropout1(self._attend(self.norm1(src), mask, padding))
            return x + self.dropout2(self._feed(self.norm2(x)))
        x = self.norm1(src + self.dropout1(self._attend(src, mask, padding)))
        return self.norm2(x + self.dropout2(self._feed(x)))


class TransformerDecoderLayer(_Layer):
    """A layer of a decoder: attention to itself, to the encoder's output, and two dense maps.

    Parameters, errors and source are those of `TransformerEncoderLayer`.

    Attributes
    ----------
    self_attn, multihead_attn : MultiheadAttention
        To itself, and to the memory.
    dense1, dense2 : Dense
    norm1, norm2, norm3 : LayerNorm

    Notes
    -----
    Called with the sequence and the memory, then ``tgt_mask``, ``memory_mask``,
    ``tgt_key_padding_mask`` and ``memory_key_padding_mask``.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.TransformerDecoderLayer(8, 2, 16)
    >>> net(ms.ops.ones((3, 5, 8)), ms.ops.ones((4, 5, 8))).shape
    (3, 5, 8)
    """

    LOOKS = 2

    def construct(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Any:
        mask, padding = tgt_mask, tgt_key_padding_mask
        others = memory_mask, memory_key_padding_mask
        if self.norm_first:
            x = tgt + self.dropout1(self._attend(self.norm1(tgt), mask, padding))
            x = x + self.dropout2(self._look(self.norm2(x), memory, *others))
            return x + self.dropout3(self._feed(self.norm3(x)))
        x = self.norm1(tgt + self.dropout1(self._attend(tgt, mask, padding)))
        x = self.norm2(x + self.dropout2(self._look(x, memory, *others)))
        return self.norm3(x + self.dropout3(self._feed(x)))

    def _look(self, x: Any, memory: Any, mask: Any, padding: Any) -> Any:
        return self.multihead_attn(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding, need_weights=False
        )[0]


def _several(layer: Cell, count: int) -> CellList:
    """Layers like `layer`, with first values of their own where it is one of ours."""
    integer("num_layers", count, 1)
    if type(layer) in (TransformerEncoderLayer, TransformerDecoderLayer):
        return CellList([type(layer)(*layer.settings) for _ in range(count)])
    return CellList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Cell):
    """Layers of an encoder, one after the other.

    Parameters
    ----------
    encoder_layer : Cell
        The layers are as this one; it is none of them itself.
    num_layers : int
    norm : Cell, optional
        Comes last.

    Attributes
    ----------
    layers : CellList
    norm : Cell or None

    Raises
    ------
    S2sadError
        E0303 or E0404 for a number that cannot be.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.TransformerEncoder(ms.nn.TransformerEncoderLayer(8, 2, 16), 2)
    >>> net(ms.ops.ones((3, 5, 8))).shape
    (3, 5, 8)
    """

    def __init__(self, encoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        self.layers = _several(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def construct(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None) -> Any:
        out = src
        for layer in self.layers:
            out = layer(out, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return out if self.norm is None else self.norm(out)


class TransformerDecoder(Cell):
    """Layers of a decoder, one after the other; see `TransformerEncoder`.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.TransformerDecoder(ms.nn.TransformerDecoderLayer(8, 2, 16), 2)
    >>> net(ms.ops.ones((3, 5, 8)), ms.ops.ones((4, 5, 8))).shape
    (3, 5, 8)
    """

    def __init__(self, decoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        self.layers = _several(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def construct(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Any:
        out = tgt
        for layer in self.layers:
            out = layer(
                out, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
            )  # fmt: skip
        return out if self.norm is None else self.norm(out)


class Transformer(Cell):
    """An encoder, and a decoder that looks at what it gives.

    Parameters
    ----------
    d_model, nhead : int
    num_encoder_layers, num_decoder_layers : int
    dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype
        As of `TransformerEncoderLayer`.
    custom_encoder, custom_decoder : Cell, optional
        In place of those that would be made.

    Attributes
    ----------
    encoder, decoder : Cell
        Matrices are drawn by ``XavierUniform()``; a norm comes last in each.

    Raises
    ------
    S2sadError
        E0303, E0304 or E0404 for a setting of another form or value; in a call E0401 for sequences
        of another size or of different batches.

    Notes
    -----
    Called with source and target, then ``src_mask``, ``tgt_mask``, ``memory_mask``,
    ``src_key_padding_mask``, ``tgt_key_padding_mask`` and ``memory_key_padding_mask``. Source: A.
    Vaswani et al., Attention is all you need, 2017.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Transformer(8, 2, 1, 1, 16)
    >>> net(ms.ops.ones((3, 5, 8)), ms.ops.ones((4, 5, 8))).shape
    (4, 5, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        settings = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, dtype,
        )  # fmt: skip
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            norm = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
            layer = TransformerEncoderLayer(*settings)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            norm = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
            layer = TransformerDecoderLayer(*settings)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        for parameter in self.get_parameters():
            if parameter.ndim > 1:
                drawn = initializer("xavier_uniform", parameter.shape, parameter.dtype)
                parameter.set_data(drawn)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Any:
        require_pair(src, tgt, self.d_model, 0 if self.batch_first else 1)
        memory = self.encoder(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )  # fmt: skip
