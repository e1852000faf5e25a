"""How far are the edges of two areas from each other?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.nn.metrics.metric import Metric, rearrange_inputs
from s2sad.ops.settings import flag, number

#: How many pairs of points are compared at a time.
AT_ONCE = 1 << 20


def edges_of(area: np.ndarray) -> np.ndarray:
    """The points of `area` of which a neighbour along an axis is outside, or beyond the array."""
    inner = np.pad(area, 1)
    middle = tuple(slice(1, -1) for _ in area.shape)
    kept = area.copy()
    for axis in range(area.ndim):
        for shift in (-1, 1):
            kept &= np.roll(inner, shift, axis)[middle]
    return area & ~kept


def distances(points: np.ndarray, others: np.ndarray, metric: str) -> np.ndarray:
    """From each of `points`, marked in an array, to the nearest of `others`; inf without any."""
    one, other = np.argwhere(points), np.argwhere(others)
    if not len(other):
        return np.full(len(one), np.inf)
    rows = max(AT_ONCE // max(other.size, 1), 1)
    parts = [
        _nearest(one[start : start + rows], other, metric) for start in range(0, len(one), rows)
    ]
    return np.concatenate([np.empty(0), *parts])


def _nearest(points: np.ndarray, others: np.ndarray, metric: str) -> np.ndarray:
    difference = np.abs(points[:, None] - others[None])
    if metric == "euclidean":
        return np.sqrt(np.square(difference).sum(axis=-1).min(axis=1))
    lengths = difference.max(axis=-1) if metric == "chessboard" else difference.sum(axis=-1)
    return lengths.min(axis=1).astype(np.float64)


class _Surface(Metric):
    """The edges of two areas, those where a label stands."""

    def _set_metric(self, distance_metric: str) -> None:
        if distance_metric not in ("euclidean", "chessboard", "taxicab"):
            known = "'euclidean', 'chessboard' or 'taxicab'"
            raise fail("E0404", f"distance_metric is {known}, got {distance_metric!r}")
        self.distance_metric = distance_metric
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._edges: tuple[np.ndarray, np.ndarray] | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at predicted and true labels of one shape, and the label of the areas.

        Raises
        ------
        S2sadError
            E0302 for another number of inputs, E0303 for a label that is no number, E0401 for
            shapes that differ or are empty, E0404 for a label that is in neither.
        """
        self._require_count(inputs, 3)
        prediction, truth = (self._convert_data(x) for x in inputs[:2])
        label = number("the label", inputs[2])
        self._require_same(prediction, truth)
        if not prediction.size:
            raise fail("E0401", f"there is no area in the shape {prediction.shape}")
        if label not in prediction and label not in truth:
            raise fail("E0404", f"neither prediction nor truth has the label {label}")
        areas = [x if x.dtype == np.bool_ else x == label for x in (prediction, truth)]
        self._edges = edges_of(areas[0]), edges_of(areas[1])

    def _distances(self, is_back: bool = False) -> np.ndarray:
        self._require_seen(self._edges is not None)
        assert self._edges is not None
        one, other = self._edges
        return (
            distances(other, one, self.distance_metric)
            if is_back
            else distances(one, other, self.distance_metric)
        )


class HausdorffDistance(_Surface):
    """The largest distance from a point of an edge to the nearest of the other edge.

    Parameters
    ----------
    distance_metric : {"euclidean", "chessboard", "taxicab"}
    percentile : float, optional
        From 0 to 100: this percentile of the distances, in place of the largest.
    directed : bool
        Whether distances are taken from the prediction only, and not from the truth as well.
    crop : bool
        Taken for compatibility: what lies outside of the box around both areas changes nothing.

    Raises
    ------
    S2sadError
        E0404 for a setting that cannot be, and where nothing was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, y = [[3, 0, 1], [1, 3, 0], [1, 0, 2]], [[0, 2, 1], [1, 2, 1], [0, 0, 1]]
    >>> round(float(ms.nn.HausdorffDistance()(x, y, 0)), 6)
    1.414214
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        super().__init__()
        if percentile is not None and not 0 <= number("percentile", percentile) <= 100:
            raise fail("E0404", f"percentile is from 0 to 100, got {percentile}")
        self.percentile, self.directed = percentile, flag("directed", directed)
        self.crop = flag("crop", crop)
        self._set_metric(distance_metric)

    def eval(self) -> Any:
        """The distance; inf where an area is empty."""
        found = self._directed(self._distances())
        return found if self.directed else max(found, self._directed(self._distances(True)))

    def _directed(self, found: np.ndarray) -> Any:
        if not len(found):
            return np.inf
        return found.max() if not self.percentile else np.percentile(found, self.percentile)


class MeanSurfaceDistance(_Surface):
    """The mean distance from the points of an edge to the nearest of the other edge.

    Parameters
    ----------
    symmetric : bool
        Whether the mean is taken of this and of that from the truth to the prediction.
    distance_metric : {"euclidean", "chessboard", "taxicab"}

    Raises
    ------
    S2sadError
        E0404 for a setting that cannot be, and where nothing was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, y = [[3, 0, 1], [1, 3, 0], [1, 0, 2]], [[0, 2, 1], [1, 2, 1], [0, 0, 1]]
    >>> round(float(ms.nn.MeanSurfaceDistance()(x, y, 0)), 6)
    0.804738
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__()
        self.symmetric = flag("symmetric", symmetric)
        self._set_metric(distance_metric)

    def _mean(self, found: np.ndarray) -> Any:
        return found.mean()

    def eval(self) -> Any:
        """The distance; inf where an area is empty."""
        found = [self._distances(), *([self._distances(True)] if self.symmetric else [])]
        if not all(map(len, found)):
            return np.inf
        return np.mean([self._mean(each) for each in found])


class RootMeanSquareDistance(MeanSurfaceDistance):
    """The root of the mean square distance; all else as `MeanSurfaceDistance`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, y = [[3, 0, 1], [1, 3, 0], [1, 0, 2]], [[0, 2, 1], [1, 2, 1], [0, 0, 1]]
    >>> round(float(ms.nn.RootMeanSquareDistance()(x, y, 0)), 6)
    1.0
    """

    def _mean(self, found: np.ndarray) -> Any:
        return np.sqrt(np.square(found).mean())
