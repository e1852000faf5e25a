"""Layers that most networks have."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Parameter
from s2sad.nn.initializer import HeUniform, Uniform, initializer


class Dense(Cell):
    """Affine map of the last axis: ``x @ weight.T + bias``.

    Parameters
    ----------
    in_channels, out_channels : int
    weight_init, bias_init : initializer, optional
        ``HeUniform(sqrt(5))`` and ``U(-1/sqrt(in_channels), 1/sqrt(in_channels))`` by default.
    has_bias : bool
    activation : Cell or callable, optional
        Applied to the result.
    dtype : DType

    Attributes
    ----------
    weight : Parameter, shape (out_channels, in_channels)
    bias : Parameter, shape (out_channels,), or None

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Dense(3, 2, weight_init="ones", bias_init="zeros")(ms.Tensor([[1.0, 2.0, 3.0]]))
    Tensor(shape=[1, 2], dtype=Float32, value=
    [[6., 6.]])
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
        if in_channels < 1 or out_channels < 1:
            raise fail("E0404", f"Dense needs positive sizes, got {in_channels}, {out_channels}")
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        rule = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(rule, (out_channels, in_channels), dtype))
        self.bias = None
        if has_bias:
            rule = Uniform(1 / math.sqrt(in_channels)) if bias_init is None else bias_init
            self.bias = Parameter(initializer(rule, (out_channels,), dtype))
        self.activation = activation

    def construct(self, x: Any) -> Any:
        out = ops.matmul(x, self.weight.T)
        if self.has_bias:
            out = out + self.bias
        if self.activation is not None:
            out = self.activation(out)
        return out

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"has_bias={self.has_bias}"
        )


class Flatten(Cell):
    """The axes `start_dim` to `end_dim` made one; see `ops.flatten`."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Any) -> Any:
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)
