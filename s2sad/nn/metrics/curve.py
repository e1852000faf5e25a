"""How do true and false positives change with the threshold?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.nn.metrics.metric import Metric, rearrange_inputs
from s2sad.ops.settings import flag, integer


class ROC(Metric):
    """The receiver operating characteristic: rates of false and true positives by threshold.

    Parameters
    ----------
    class_num : int, optional
        For predictions (N, C): each class against the rest.
    pos_label : int, optional
        The positive class of predictions (N,); 1 by default.

    Raises
    ------
    S2sadError
        E0303 for a setting that is no int; in `update` E0401 for shapes that do not fit; in `eval`
        E0404 where nothing was seen, or no positive or no negative case.

    Examples
    --------
    >>> import s2sad as ms
    >>> metric = ms.nn.ROC(pos_label=2)
    >>> metric.update(ms.Tensor([3, 1, 4, 2]), ms.Tensor([0, 1, 2, 3]))
    >>> fpr, tpr, thresholds = metric.eval()
    >>> fpr.round(4), tpr
    (array([0.    , 0.    , 0.3333, 0.6667, 1.    ]), array([0., 1., 1., 1., 1.]))
    >>> thresholds
    array([5, 4, 3, 2, 1])
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        self.class_num = None if class_num is None else integer("class_num", class_num, 1)
        self.pos_label = None if pos_label is None else integer("pos_label", pos_label)
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._seen: tuple[np.ndarray, np.ndarray] | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at predictions (N,) or (N, C) and classes (N,), in place of those before."""
        prediction, truth = self._pair(inputs)
        if prediction.ndim == truth.ndim + 1:
            if self.class_num != prediction.shape[1] or self.pos_label is not None:
                raise fail(
                    "E0401", f"predictions of shape {prediction.shape} need class_num="
                    f"{prediction.shape[1]} and no pos_label",
                )  # fmt: skip
            rows = np.moveaxis(prediction, 1, -1).reshape(-1, prediction.shape[1])
            self._seen = rows, truth.reshape(-1)
            return
        self._require_same(prediction, truth)
        if self.class_num not in (None, 1):
            raise fail("E0401", f"class_num is {self.class_num}, of predictions of one class")
        self._seen = prediction.reshape(-1), truth.reshape(-1)

    def eval(self) -> tuple[Any, Any, Any]:
        """Rates of false positives, of true positives, and thresholds; lists of them of classes."""
        self._require_seen(self._seen is not None)
        assert self._seen is not None
        prediction, truth = self._seen
        if prediction.ndim == 1:
            label = 1 if self.pos_label is None else self.pos_label
            return _curve(prediction, truth == label)
        curves = [_curve(prediction[:, c], truth == c) for c in range(prediction.shape[1])]
        false, true, thresholds = zip(*curves, strict=True)
        return list(false), list(true), list(thresholds)


def _curve(scores: np.ndarray, is_positive: np.ndarray) -> Any:
    """Rates of false and true positives and thresholds, from the highest on."""
    order = np.argsort(-scores, kind="stable")
    scores, is_positive = scores[order], is_positive[order]
    last = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)  # of each threshold
    true = np.cumsum(is_positive)[last]
    false = 1 + last - true
    if not true[-1] or not false[-1]:
        kind = "negative" if true[-1] else "positive"
        raise fail("E0404", f"there is no {kind} case: its rate has no meaning")
    rates = [np.append(0, counts) / counts[-1] for counts in (false, true)]
    return (*rates, np.append(scores[last][0] + 1, scores[last]))


def auc(x: Any, y: Any, reorder: bool = False) -> float:
    """The area under the curve through points (x, y), by the trapezoidal rule.

    Parameters
    ----------
    x, y : array or list, one axis
        `x` goes up or down.
    reorder : bool
        Whether points are sorted by `x` first.

    Raises
    ------
    S2sadError
        E0401 for shapes that differ or fewer than two points, E0404 for an `x` that goes both ways.

    Examples
    --------
    >>> auc([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])
    0.75
    """
    places, heights = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if places.ndim != 1 or places.shape != heights.shape or len(places) < 2:
        raise fail(
            "E0401", f"auc takes two or more points, got shapes {places.shape} and {heights.shape}"
        )
    if flag("reorder", reorder):
        order = np.lexsort((heights, places))
        places, heights = places[order], heights[order]
    steps = np.diff(places)
    if (steps < 0).any() and (steps > 0).any():
        raise fail("E0404", "x goes up and down", help="sort the points: reorder=True")
    area = float(np.sum(steps * (heights[1:] + heights[:-1]) / 2))
    return -area if (steps < 0).any() else area
