"""How does one step of a recurrent network change its state?

Weights of all gates lie one above the other. Gates of an LSTM: i, f, g, o; of a GRU: r, z, n.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.nn.initializer import Uniform, initializer
from s2sad.ops.affine import affine
from s2sad.ops.settings import flag, integer


def uniform(shape: tuple[int, ...], name: str, hidden_size: int, dtype: DType) -> Parameter:
    """A Parameter of first values from ``U(-1/sqrt(hidden_size), 1/sqrt(hidden_size))``."""
    return Parameter(initializer(Uniform(1 / math.sqrt(hidden_size)), shape, dtype), name)


def activation_of(nonlinearity: Any) -> Any:
    """The function that ``"tanh"`` or ``"relu"`` names (E0404 for another)."""
    if nonlinearity not in ("tanh", "relu"):
        raise fail("E0404", f"nonlinearity is 'tanh' or 'relu', got {nonlinearity!r}")
    return ops.tanh if nonlinearity == "tanh" else ops.relu


def rnn_step(given: Any, hidden: Any, state: Any, activation: Any) -> Any:
    """The next state, from what input and state give to the one gate."""
    return activation(given + hidden)


def lstm_step(given: Any, hidden: Any, state: Any) -> Any:
    """The next ``(h, c)``; S. Hochreiter, J. Schmidhuber, "Long short-term memory", 1997."""
    i, f, g, o = ops.chunk(given + hidden, 4, -1)
    c = ops.sigmoid(f) * state[1] + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def gru_step(given: Any, hidden: Any, state: Any) -> Any:
    """The next state; K. Cho et al., "Learning phrase representations", 2014."""
    r, z, n = ops.chunk(given, 3, -1)
    r_h, z_h, n_h = ops.chunk(hidden, 3, -1)
    update = ops.sigmoid(z + z_h)
    return (1 - update) * ops.tanh(n + ops.sigmoid(r + r_h) * n_h) + update * state


class _RecurrentCell(Cell):
    """Weights and biases of `GATES` gates."""

    GATES: ClassVar[int]

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool, dtype: DType) -> None:
        super().__init__()
        self.input_size = integer("input_size", input_size, 1)
        self.hidden_size = integer("hidden_size", hidden_size, 1)
        self.has_bias = flag("has_bias", has_bias)
        rows = self.GATES * hidden_size
        self.weight_ih = uniform((rows, input_size), "weight_ih", hidden_size, dtype)
        self.weight_hh = uniform((rows, hidden_size), "weight_hh", hidden_size, dtype)
        self.bias_ih = self.bias_hh = None
        if has_bias:
            self.bias_ih = uniform((rows,), "bias_ih", hidden_size, dtype)
            self.bias_hh = uniform((rows,), "bias_hh", hidden_size, dtype)

    def given(self, x: Any) -> Any:
        """What the input gives to the gates."""
        return affine(x, self.weight_ih, self.bias_ih)

    def hidden(self, h: Any) -> Any:
        """What the state gives to the gates."""
        return affine(h, self.weight_hh, self.bias_hh)

    def extend_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}, has_bias={self.has_bias}"


class RNNCell(_RecurrentCell):
    """``tanh(W_ih x + b_ih + W_hh h + b_hh)``, or `relu` of it.

    Parameters
    ----------
    input_size, hidden_size : int
    has_bias : bool
    nonlinearity : {"tanh", "relu"}
    dtype : DType
        Of the Parameters.

    Attributes
    ----------
    weight_ih : Parameter, shape (hidden_size, input_size)
    weight_hh : Parameter, shape (hidden_size, hidden_size)
    bias_ih, bias_hh : Parameter, shape (hidden_size,), or None

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call E0401 for sizes that do
        not fit.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.RNNCell(3, 2)
    >>> net(ms.ops.zeros((4, 3)), ms.ops.zeros((4, 2))).shape
    (4, 2)
    """

    GATES = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, dtype)
        self.nonlinearity, self.activation = nonlinearity, activation_of(nonlinearity)

    def construct(self, x: Any, hx: Any) -> Any:
        return rnn_step(self.given(x), self.hidden(hx), hx, self.activation)


class LSTMCell(_RecurrentCell):
    """One step of a long short-term memory: of ``(h, c)`` the next.

    Parameters
    ----------
    input_size, hidden_size : int
    has_bias : bool
    dtype : DType
        Of the Parameters.

    Attributes
    ----------
    weight_ih : Parameter, shape (4 * hidden_size, input_size)
    weight_hh : Parameter, shape (4 * hidden_size, hidden_size)
    bias_ih, bias_hh : Parameter, shape (4 * hidden_size,), or None

    Raises
    ------
    S2sadError
        Those of `RNNCell`.

    Examples
    --------
    >>> import s2sad as ms
    >>> net, zeros = ms.nn.LSTMCell(3, 2), ms.ops.zeros((4, 2))
    >>> h, c = net(ms.ops.zeros((4, 3)), (zeros, zeros))
    >>> h.shape, c.shape
    ((4, 2), (4, 2))
    """

    GATES = 4

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, dtype)

    def construct(self, x: Any, hx: Any) -> Any:
        return lstm_step(self.given(x), self.hidden(hx[0]), hx)


class GRUCell(_RecurrentCell):
    """One step of a gated recurrent unit.

    Parameters, attributes and errors are those of `LSTMCell`, for three gates.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.GRUCell(3, 2)(ms.ops.zeros((4, 3)), ms.ops.zeros((4, 2))).shape
    (4, 2)
    """

    GATES = 3

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, dtype)

    def construct(self, x: Any, hx: Any) -> Any:
        return gru_step(self.given(x), self.hidden(hx), hx)
