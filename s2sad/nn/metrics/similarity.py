"""How alike are vectors, or two areas?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.nn.metrics.metric import Metric, rearrange_inputs
from s2sad.ops.settings import flag, positive


class CosineSimilarity(Metric):
    """Products of all rows of a matrix with each other.

    Parameters
    ----------
    similarity : {"cosine", "dot"}
        Whether rows are made of length 1 first.
    reduction : {"none", "sum", "mean"}
        What is made of each row of the result.
    zero_diagonal : bool
        Whether the products of rows with themselves are 0.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting that cannot be, E0401 for what is no matrix, E0404 where
        nothing was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.CosineSimilarity()([[1, 3, 4, 7], [2, 4, 2, 5], [3, 1, 5, 8]]).round(4)
    array([[0.    , 0.9403, 0.9516],
           [0.9403, 0.    , 0.8615],
           [0.9516, 0.8615, 0.    ]])
    """

    def __init__(
        self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True
    ) -> None:
        super().__init__()
        if similarity not in ("dot", "cosine"):
            raise fail("E0404", f"similarity is 'dot' or 'cosine', got {similarity!r}")
        if reduction not in ("none", "sum", "mean"):
            raise fail("E0404", f"reduction is 'none', 'sum' or 'mean', got {reduction!r}")
        self.similarity, self.reduction = similarity, reduction
        self.zero_diagonal = flag("zero_diagonal", zero_diagonal)
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._products: np.ndarray | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at a matrix, in place of the one before."""
        self._require_count(inputs, 1)
        rows = self._convert_data(inputs[0])
        if rows.ndim != 2:
            raise fail("E0401", f"CosineSimilarity takes a matrix, got the shape {rows.shape}")
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self._products = rows @ rows.T

    def eval(self) -> np.ndarray:
        """A square matrix, or one number a row of it."""
        self._require_seen(self._products is not None)
        assert self._products is not None
        found = self._products.copy()
        if self.zero_diagonal:
            np.fill_diagonal(found, 0)
        if self.reduction == "none":
            return found
        return found.sum(axis=-1) if self.reduction == "sum" else found.mean(axis=-1)


class Dice(Metric):
    """The Dice coefficient: twice the product over the sum of squares, over the number of cases.

    As MindSpore has it: a coefficient for each batch, and their sum is divided by the number of
    cases.

    Parameters
    ----------
    smooth : float
        Positive; added to the divisor.

    Raises
    ------
    S2sadError
        E0404 for a `smooth` that is not positive, E0401 for shapes that differ, E0404 where nothing
        was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> round(ms.nn.Dice()([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [[0, 1], [1, 0], [0, 1]]), 6)
    0.204678
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = positive("smooth", smooth)
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._dice_coeff_sum, self._samples_num = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at predictions and true values of one shape, (N, ...)."""
        prediction, truth = self._pair(inputs)
        self._require_same(prediction, truth)
        one, other = (x.reshape(-1).astype(np.float64) for x in (prediction, truth))
        self._dice_coeff_sum += 2 * (one @ other) / (one @ one + other @ other + self.smooth)
        self._samples_num += truth.shape[0]

    def eval(self) -> float:
        """The coefficient, a float."""
        self._require_seen(self._samples_num)
        return float(self._dice_coeff_sum / self._samples_num)
