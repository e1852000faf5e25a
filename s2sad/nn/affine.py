"""Which Parameters does a layer have that multiplies by weights and adds a bias?"""

from __future__ import annotations

import math
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.nn.initializer import HeUniform, Uniform, fans, initializer


def set_affine(
    cell: Cell, shape: tuple[int, ...], channels: int, has_bias: bool, weight_init: Any,
    bias_init: Any, dtype: DType,
) -> None:  # fmt: skip
    """Give `cell` a ``weight`` of `shape`, and a ``bias`` with an element a channel, or None.

    Without a rule they are drawn as MindSpore draws them: ``HeUniform(sqrt(5))``, and uniformly
    within the root of one over the number of inputs.
    """
    rule = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
    cell.weight = Parameter(initializer(rule, shape, dtype), name="weight")
    cell.bias = None
    if has_bias:
        rule = Uniform(1 / math.sqrt(fans(shape)[0])) if bias_init is None else bias_init
        cell.bias = Parameter(initializer(rule, (channels,), dtype), name="bias")
