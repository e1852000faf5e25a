"""Which number is the loss among what a step gave?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.tensor import Tensor


def loss_of(outputs: Any) -> Any:
    """The mean of a Tensor, or of the first of several; all else as it is.

    Examples
    --------
    >>> loss_of((Tensor([1.0, 2.0]), Tensor(True))), loss_of("no loss")
    (1.5, 'no loss')
    """
    first = outputs[0] if isinstance(outputs, (tuple, list)) and outputs else outputs
    if not isinstance(first, Tensor):
        return outputs
    return float(first.item() if first.size == 1 else np.mean(first.asnumpy()))
