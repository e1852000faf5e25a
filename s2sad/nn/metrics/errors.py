"""How far are numbers from what they should be?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.nn.metrics.metric import Metric, rearrange_inputs


class _Distance(Metric):
    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._sum, self._samples_num = 0.0, 0

    def _of(self, difference: np.ndarray) -> Any:
        """The errors that differences are."""
        raise fail("E0220", f"{type(self).__name__} has no method '_of'", help="define it")

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at predictions and true values of one shape, (N, ...)."""
        prediction, truth = self._pair(inputs)
        self._require_same(prediction, truth)
        wide = truth.reshape(prediction.shape).astype(np.float64) - prediction
        self._sum += float(self._of(wide).sum())
        self._samples_num += truth.shape[0]

    def eval(self) -> float:
        """The sum of all errors over the number of cases N."""
        self._require_seen(self._samples_num)
        return self._sum / self._samples_num


class MAE(_Distance):
    """Sum of absolute errors over the number of cases.

    Raises
    ------
    S2sadError
        E0302 for another number of inputs, E0401 for shapes that differ, E0404 where nothing was
        seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> round(ms.nn.MAE()(ms.Tensor([0.1, 0.2, 0.6, 0.9]), ms.Tensor([0.1, 0.25, 0.7, 0.9])), 4)
    0.0375
    """

    def _of(self, difference: np.ndarray) -> Any:
        return np.abs(difference)


class MSE(_Distance):
    """Sum of squared errors over the number of cases; see `MAE`.

    Examples
    --------
    >>> import s2sad as ms
    >>> round(ms.nn.MSE()(ms.Tensor([0.1, 0.2, 0.6, 0.9]), ms.Tensor([0.1, 0.25, 0.5, 0.9])), 6)
    0.003125
    """

    def _of(self, difference: np.ndarray) -> Any:
        return np.square(difference)


class Loss(Metric):
    """The mean of the losses of batches, each of which counts alike.

    Raises
    ------
    S2sadError
        E0302 for another number of inputs, E0401 for a loss of several numbers, E0404 where nothing
        was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> metric = ms.nn.Loss()
    >>> for loss in (0.5, 0.25):
    ...     metric.update(ms.Tensor(loss))
    >>> metric.eval()
    0.375
    """

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._sum_loss, self._total_num = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at the loss of a batch, of shape () or (1,)."""
        self._require_count(inputs, 1)
        loss = self._convert_data(inputs[0])
        if loss.shape not in ((), (1,)):
            raise fail("E0401", f"a loss is one number, got the shape {loss.shape}")
        self._sum_loss += loss.item()
        self._total_num += 1

    def eval(self) -> float:
        """The mean."""
        self._require_seen(self._total_num)
        return self._sum_loss / self._total_num
