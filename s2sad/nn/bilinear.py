"""Which layer multiplies two inputs with each other?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.nn.initializer import Uniform, initializer
from s2sad.ops.settings import flag, integer


class BiDense(Cell):
    """Bilinear map of the last axes of two inputs: ``y[k] = x1 @ weight[k] @ x2 + bias[k]``.

    Parameters
    ----------
    in1_channels, in2_channels, out_channels : int
        At least 1.
    weight_init, bias_init : initializer, optional
        ``U(-1/sqrt(in1_channels), 1/sqrt(in1_channels))`` by default.
    has_bias : bool
    dtype : DType
        Of the parameters.

    Attributes
    ----------
    weight : Parameter, shape (out_channels, in1_channels, in2_channels)
    bias : Parameter, shape (out_channels,), or None

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, those of `initializer`; in a call
        E0401 for sizes that do not fit.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.BiDense(2, 2, 1, weight_init="ones", has_bias=False)
    >>> net(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0, 4.0]])).asnumpy()
    array([[21.]], dtype=float32)
    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.in1_channels = integer("in1_channels", in1_channels, 1)
        self.in2_channels = integer("in2_channels", in2_channels, 1)
        self.out_channels = integer("out_channels", out_channels, 1)
        self.has_bias = flag("has_bias", has_bias)
        rule, shape = (
            Uniform(1 / math.sqrt(in1_channels)),
            (out_channels, in1_channels, in2_channels),
        )
        weight = initializer(rule if weight_init is None else weight_init, shape, dtype)
        self.weight, self.bias = Parameter(weight, "weight"), None
        if has_bias:
            bias = initializer(rule if bias_init is None else bias_init, (out_channels,), dtype)
            self.bias = Parameter(bias, "bias")

    def construct(self, input1: Any, input2: Any) -> Any:
        rows = ops.reshape(self.weight, (-1, self.in2_channels))
        second = ops.dense(input2, rows)  # each row of each matrix times the second input
        second = ops.reshape(second, (*input2.shape[:-1], self.out_channels, self.in1_channels))
        y = ops.squeeze(ops.matmul(second, ops.expand_dims(input1, -1)), -1)
        return y if self.bias is None else y + self.bias

    def extend_repr(self) -> str:
        return (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, "
            f"output_channels={self.out_channels}, has_bias={self.has_bias}"
        )
