"""Layers that most networks have."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.nn.activation import get_activation
from s2sad.nn.initializer import HeUniform, Uniform, initializer


class Dense(Cell):
    """Affine map of the last axis: ``x @ weight.T + bias``, then an activation.

    Parameters
    ----------
    in_channels, out_channels : int
        At least 1.
    weight_init, bias_init : initializer, optional
        ``HeUniform(sqrt(5))`` and ``U(-1/sqrt(in_channels), 1/sqrt(in_channels))`` by default.
    has_bias : bool
    activation : Cell, function or str, optional
        Applied to the result; a str is a name such as ``"relu"``.
    dtype : DType
        Of the parameters.

    Attributes
    ----------
    weight : Parameter, shape (out_channels, in_channels)
    bias : Parameter, shape (out_channels,), or None
    activation : callable or None

    Raises
    ------
    S2sadError
        E0303 for a size that is no int, E0404 for one below 1, those of `initializer` and
        `get_activation`; in a call E0401 when the last axis of `x` is not of `in_channels`.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    >>> net(ms.Tensor([[1.0, 2.0, 3.0]])).asnumpy()
    array([[6., 6.]], dtype=float32)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.in_channels = _size("in_channels", in_channels)
        self.out_channels = _size("out_channels", out_channels)
        if not isinstance(has_bias, bool):
            raise fail("E0303", f"has_bias is True or False, got {has_bias!r}")
        self.has_bias = has_bias
        rule = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(rule, (out_channels, in_channels), dtype))
        self.bias = None
        if has_bias:
            rule = Uniform(1 / math.sqrt(in_channels)) if bias_init is None else bias_init
            self.bias = Parameter(initializer(rule, (out_channels,), dtype))
        self.activation = get_activation(activation)

    def construct(self, x: Any) -> Any:
        shape = x.shape
        if len(shape) > 2:  # one product of matrices, not one for each of the leading indices
            x = ops.reshape(x, (-1, shape[-1]))
        out = ops.matmul(x, self.weight.T)
        if self.has_bias:
            out = out + self.bias
        if len(shape) > 2:
            out = ops.reshape(out, shape[:-1] + (self.out_channels,))
        if self.activation is not None:
            out = self.activation(out)
        return out

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"has_bias={self.has_bias}"
        )


def _size(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise fail("E0303", f"{name} is an int, got {value!r}")
    if value < 1:
        raise fail("E0404", f"{name} is at least 1, got {value}")
    return value


class Flatten(Cell):
    """The axes `start_dim` to `end_dim` made one; see `ops.flatten`."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Any) -> Any:
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)

    def extend_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
