"""What does each operator of GE give? One table a family, by the operator's type."""

from __future__ import annotations

from s2sad.backends.ascend.device.meanings import (  # noqa: F401 - they register their operators
    activation,
    convolution,
    draws,
    elementwise,
    gamma,
    indexing,
    linear,
    losses,
    movement,
    normalization,
    optimizers,
    pooling,
    reduction,
)
from s2sad.backends.ascend.device.meanings.base import MEANINGS as MEANINGS
