"""How does a recurrent network go through a sequence, in layers and in both directions?"""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import ParameterTuple
from s2sad.nn.dropout import Dropout
from s2sad.nn.recurrent_cell import activation_of, gru_step, lstm_step, rnn_step, uniform
from s2sad.ops.affine import affine
from s2sad.ops.settings import flag, fraction, integer
from s2sad.ops.spatial import require_sequence


class _Recurrent(Cell):
    """Layers of recurrent steps, each of which the subclass computes."""

    GATES: ClassVar[int]
    #: How many tensors a state has.
    STATES: ClassVar[int] = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.input_size = integer("input_size", input_size, 1)
        self.hidden_size = integer("hidden_size", hidden_size, 1)
        self.num_layers = integer("num_layers", num_layers, 1)
        self.has_bias = flag("has_bias", has_bias)
        self.batch_first = flag("batch_first", batch_first)
        self.bidirectional = flag("bidirectional", bidirectional)
        self.directions = 2 if bidirectional else 1
        self.dropout = Dropout(p=fraction("dropout", dropout))
        self._add_weights(dtype)

    def _add_weights(self, dtype: DType) -> None:
        rows, size = self.GATES * self.hidden_size, self.hidden_size
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        kinds: dict[str, list[Any]] = {name: [] for name in names}
        for place in range(self.num_layers * self.directions):
            layer, is_backward = divmod(place, self.directions)
            suffix = f"_l{layer}" + "_reverse" * is_backward
            columns = {"weight_ih": size * self.directions if layer else self.input_size}
            for kind, parameters in kinds.items():
                shape = (rows, columns.get(kind, size)) if "weight" in kind else (rows,)
                if "weight" in kind or self.has_bias:
                    parameters.append(uniform(shape, kind + suffix, size, dtype))
        self.weights_ih = ParameterTuple(kinds["weight_ih"])
        self.weights_hh = ParameterTuple(kinds["weight_hh"])
        self.biases_ih, self.biases_hh = None, None
        if self.has_bias:
            self.biases_ih = ParameterTuple(kinds["bias_ih"])
            self.biases_hh = ParameterTuple(kinds["bias_hh"])

    def step(self, given: Any, hidden: Any, state: Any) -> Any:
        """The next state: a tuple of as many tensors as it has."""
        raise fail("E0220", f"{self.cls_name} has no method 'step'", help="define it")

    def construct(self, x: Any, hx: Any = None, seq_length: Any = None) -> Any:
        y = require_sequence(self.cls_name, x, self.input_size, self.batch_first)
        if self.batch_first:
            y = ops.swapaxes(x, 0, 1)
        ends = []
        for layer in range(self.num_layers):
            if layer > 0:
                y = self.dropout(y)
            outputs = []
            for direction in range(self.directions):
                place = layer * self.directions + direction
                output, end = self._through(y, place, direction == 1, hx, seq_length)
                outputs, ends = [*outputs, output], [*ends, end]
            y = outputs[0] if self.directions == 1 else ops.concat(outputs, -1)
        states = tuple([ops.stack([end[k] for end in ends]) for k in range(self.STATES)])
        out = ops.swapaxes(y, 0, 1) if self.batch_first else y
        return out, states if self.STATES > 1 else states[0]

    def _through(self, x: Any, place: int, is_backward: bool, hx: Any, seq_length: Any) -> Any:
        """What one direction of a layer puts out for each step, and its last state."""
        count, batch, _ = x.shape
        bias_ih = None if self.biases_ih is None else self.biases_ih[place]
        bias_hh = None if self.biases_hh is None else self.biases_hh[place]
        given = affine(x, self.weights_ih[place], bias_ih)
        out = ops.zeros((count, batch, self.hidden_size), given.dtype)
        state = self._start(hx, place, batch, given.dtype)
        for i in range(count):
            t = count - 1 - i if is_backward else i
            hidden = affine(state[0], self.weights_hh[place], bias_hh)
            new = self.step(given[t], hidden, state)
            if seq_length is None:
                out[t] = new[0]
            else:
                is_inside = ops.expand_dims(seq_length > t, 1)
                out[t] = ops.where(is_inside, new[0], 0.0)
                new = tuple([ops.where(is_inside, new[k], state[k]) for k in range(self.STATES)])
            state = new
        return out, state

    def _start(self, hx: Any, place: int, batch: int, dtype: DType) -> Any:
        """The state before the first step."""
        if hx is None:
            return (ops.zeros((batch, self.hidden_size), dtype),) * self.STATES
        given = hx if self.STATES > 1 else (hx,)
        return tuple([ops.cast(each[place], dtype) for each in given])

    def extend_repr(self) -> str:
        return (
            f"{self.input_size}, {self.hidden_size}, num_layers={self.num_layers}, "
            f"has_bias={self.has_bias}, batch_first={self.batch_first}, "
            f"bidirectional={self.bidirectional}"
        )


class LSTM(_Recurrent):
    """Long short-term memory over a sequence.

    Parameters
    ----------
    input_size, hidden_size, num_layers : int
    has_bias : bool
    batch_first : bool
        Whether sequences have axes (N, T, ...), else (T, N, ...).
    dropout : float
        How much of what a layer puts out the next one does not see, while training.
    bidirectional : bool
        Whether each layer goes through the sequence from the end as well; both outputs stand side
        by side.
    dtype : DType
        Of the Parameters.

    Attributes
    ----------
    weight_ih_l0 : Parameter, shape (4 * hidden_size, input_size)
    weight_hh_l0 : Parameter, shape (4 * hidden_size, hidden_size)
    bias_ih_l0, bias_hh_l0 : Parameter, shape (4 * hidden_size,)
        And so on for each layer, those of the other direction with ``_reverse``.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call E0401 for another number of
        axes, and for sizes that do not fit.

    Notes
    -----
    Called with the sequence, the state ``(h, c)`` before it, each of shape (layers * directions, N,
    hidden_size), zeros by default, and the lengths of the sequences, int of shape (N,), all by
    default: beyond its length the output is 0 and the state stays. It gives the output and the last
    state. Source: `LSTMCell`.

    Examples
    --------
    >>> import s2sad as ms
    >>> out, (h, c) = ms.nn.LSTM(3, 2, num_layers=2)(ms.ops.zeros((5, 4, 3)))
    >>> out.shape, h.shape, c.shape
    ((5, 4, 2), (2, 4, 2), (2, 4, 2))
    """

    GATES, STATES = 4, 2

    def step(self, given: Any, hidden: Any, state: Any) -> Any:
        return lstm_step(given, hidden, state)


class GRU(_Recurrent):
    """Gated recurrent units over a sequence; the state is one tensor, ``h``. See `LSTM`.

    Examples
    --------
    >>> import s2sad as ms
    >>> out, h = ms.nn.GRU(3, 2, bidirectional=True, batch_first=True)(ms.ops.zeros((4, 5, 3)))
    >>> out.shape, h.shape
    ((4, 5, 4), (2, 4, 2))
    """

    GATES = 3

    def step(self, given: Any, hidden: Any, state: Any) -> Any:
        return (gru_step(given, hidden, state[0]),)


class RNN(_Recurrent):
    """Steps of `RNNCell` over a sequence, with its `nonlinearity`; the state is one tensor, ``h``.

    For all else see `LSTM`.

    Examples
    --------
    >>> import s2sad as ms
    >>> out, h = ms.nn.RNN(3, 2, nonlinearity="relu")(ms.ops.zeros((5, 4, 3)))
    >>> out.shape, h.shape
    ((5, 4, 2), (1, 4, 2))
    """

    GATES = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: DType = dtypes.float32,
        nonlinearity: str = "tanh",
    ) -> None:
        super().__init__(
            input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional,
            dtype,
        )  # fmt: skip
        self.nonlinearity, self.activation = nonlinearity, activation_of(nonlinearity)

    def step(self, given: Any, hidden: Any, state: Any) -> Any:
        return (rnn_step(given, hidden, state[0], self.activation),)
