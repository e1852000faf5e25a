"""Which classes are taken for which?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.nn.metrics.metric import Metric, rearrange_inputs
from s2sad.ops.settings import flag, integer, number


class ConfusionMatrix(Metric):
    """How many cases of each class, a row, are predicted as each class, a column.

    Parameters
    ----------
    num_classes : int
    normalize : {"no_norm", "target", "prediction", "all"}
        Whether numbers are divided by the sum of their row, of their column, or of all.
    threshold : float
        From which on a prediction that is a float is of class 1.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting that cannot be; in `update` E0401 for shapes that do not fit,
        E0404 for a class that does not exist; E0404 where nothing was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> metric = ms.nn.ConfusionMatrix(num_classes=2)
    >>> metric(ms.Tensor([1, 0, 1, 0]), ms.Tensor([1, 0, 0, 1]))
    array([[1., 1.],
           [1., 1.]])
    """

    def __init__(
        self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5
    ) -> None:
        super().__init__()
        self.num_classes = integer("num_classes", num_classes, 1)
        if normalize not in ("no_norm", "target", "prediction", "all"):
            known = "'no_norm', 'target', 'prediction' or 'all'"
            raise fail("E0404", f"normalize is {known}, got {normalize!r}")
        self.normalize, self.threshold = normalize, number("threshold", threshold)
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at predictions (N, C, ...) or (N, ...) and classes (N, ...)."""
        prediction, truth = self._pair(inputs)
        if prediction.ndim == truth.ndim + 1:
            prediction = np.argmax(prediction, axis=1)
        elif prediction.dtype.kind == "f":
            prediction = prediction >= self.threshold
        self._require_same(prediction, truth)
        classes = [x.reshape(-1).astype(np.int64) for x in (truth, prediction)]
        for found in classes:
            if found.size and not 0 <= found.min() <= found.max() < self.num_classes:
                raise fail("E0404", f"a class that is none of the {self.num_classes}")
        np.add.at(self.confusion_matrix, tuple(classes), 1)
        self._is_update = True

    def eval(self) -> np.ndarray:
        """The matrix, floats, shape (num_classes, num_classes)."""
        self._require_seen(self._is_update)
        axes = {"no_norm": None, "target": 1, "prediction": 0, "all": (0, 1)}[self.normalize]
        if axes is None:
            return self.confusion_matrix.copy()
        sums = self.confusion_matrix.sum(axis=axes, keepdims=True)
        return self.confusion_matrix / np.where(sums, sums, 1)


def _over(above: Any, below: Any) -> Any:
    """A quotient, NaN where it is divided by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(below) == 0, np.nan, np.divide(above, below))


def _prevalence(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    hit, out = _over(tp, tp + fn), _over(tn, tn + fp)
    return _over(np.sqrt(hit * (1 - out)) + out - 1, hit + out - 1)


def _matthews(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _over(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


#: What each metric makes of the counts: true and false positives, true and false negatives.
FORMULAS: dict[str, Callable[..., Any]] = {
    "sensitivity": lambda tp, fp, tn, fn: _over(tp, tp + fn),
    "specificity": lambda tp, fp, tn, fn: _over(tn, tn + fp),
    "precision": lambda tp, fp, tn, fn: _over(tp, tp + fp),
    "negative predictive value": lambda tp, fp, tn, fn: _over(tn, tn + fn),
    "miss rate": lambda tp, fp, tn, fn: _over(fn, tp + fn),
    "fall out": lambda tp, fp, tn, fn: _over(fp, tn + fp),
    "false discovery rate": lambda tp, fp, tn, fn: _over(fp, tp + fp),
    "false omission rate": lambda tp, fp, tn, fn: _over(fn, tn + fn),
    "prevalence threshold": _prevalence,
    "threat score": lambda tp, fp, tn, fn: _over(tp, tp + fn + fp),
    "accuracy": lambda tp, fp, tn, fn: _over(tp + tn, tp + fp + tn + fn),
    "balanced accuracy": lambda tp, fp, tn, fn: (_over(tp, tp + fn) + _over(tn, tn + fp)) / 2,
    "f1 score": lambda tp, fp, tn, fn: _over(2 * tp, 2 * tp + fn + fp),
    "matthews correlation coefficient": _matthews,
    "fowlkes mallows index": lambda tp, fp, tn, fn: np.sqrt(
        _over(tp, tp + fp) * _over(tp, tp + fn)
    ),
    "informedness": lambda tp, fp, tn, fn: _over(tp, tp + fn) + _over(tn, tn + fp) - 1,
    "markedness": lambda tp, fp, tn, fn: _over(tp, tp + fp) + _over(tn, tn + fn) - 1,
}
#: Other names of them.
ALIASES = {
    "recall": "sensitivity", "hit rate": "sensitivity", "true positive rate": "sensitivity",
    "tpr": "sensitivity", "selectivity": "specificity", "true negative rate": "specificity",
    "tnr": "specificity", "positive predictive value": "precision", "ppv": "precision",
    "npv": "negative predictive value", "false negative rate": "miss rate", "fnr": "miss rate",
    "false positive rate": "fall out", "fpr": "fall out", "fdr": "false discovery rate",
    "for": "false omission rate", "pt": "prevalence threshold",
    "critical success index": "threat score", "ts": "threat score", "csi": "threat score",
    "acc": "accuracy", "ba": "balanced accuracy", "f1": "f1 score",
    "mcc": "matthews correlation coefficient", "fm": "fowlkes mallows index",
    "bookmaker informedness": "informedness", "bm": "informedness", "deltap": "markedness",
    "mk": "markedness",
}  # fmt: skip
#: Axes of (N, C) over which `decrease` goes: the mean or the sum over one, then over the other.
DECREASES = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")


class ConfusionMatrixMetric(Metric):
    """One of the numbers that are made of true and false, positives and negatives.

    Parameters
    ----------
    skip_channel : bool
        Whether the first class, the background, is left out where there are others.
    metric_name : str
        A key of `FORMULAS` or `ALIASES`, in small or large letters, with spaces or underscores.
    calculation_method : bool
        Whether the number is computed for each case and class, and they are then made one by
        `decrease`; else cases are counted first.
    decrease : {"none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel"}
        NaN, the number of a class without cases, does not count.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting that cannot be; in `update` E0401 for shapes that do not fit,
        E0404 for a truth that is not one-hot; E0404 where nothing was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> metric = ms.nn.ConfusionMatrixMetric(metric_name="tpr")
    >>> metric([[[0], [1]], [[1], [0]]], [[[0], [1]], [[0], [1]]])
    array([0.5])
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        super().__init__()
        self.skip_channel = flag("skip_channel", skip_channel)
        self.calculation_method = flag("calculation_method", calculation_method)
        self.metric_name, self._formula = metric_name, _formula(metric_name)
        if decrease not in DECREASES:
            raise fail("E0404", f"decrease is one of {', '.join(DECREASES)}, got {decrease!r}")
        self.decrease = decrease
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._counts = np.zeros(4)
        self._total_num, self._class_num = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at predictions and truth, both of zeros and ones, (N, C, ...)."""
        prediction, truth = self._pair(inputs)
        self._require_same(prediction, truth)
        if truth.ndim < 2:
            raise fail("E0401", f"classes are axis 1, got the shape {truth.shape}")
        if not np.equal(truth**2, truth).all():
            raise fail("E0404", "the truth is of zeros and ones")
        counts = _counts(prediction, truth, self.skip_channel)
        is_plain = truth.ndim == 2 or (truth.ndim == 3 and truth.shape[-1] == 1)
        if not self.calculation_method or is_plain:
            self._counts += counts.sum(axis=(0, 1))
            return
        values, found = _decreased(self._formula(*np.moveaxis(counts, -1, 0)), self.decrease)
        self._total_num += values * found
        self._class_num += found

    def eval(self) -> Any:
        """The number; an array of one, or where it was computed for each case their mean."""
        if self._class_num:
            return self._total_num / self._class_num
        self._require_seen(self._counts.any())
        return np.atleast_1d(np.asarray(self._formula(*self._counts), np.float64))


def _formula(name: Any) -> Callable[..., Any]:
    if not isinstance(name, str):
        raise fail("E0303", f"metric_name is a str, got {name!r}")
    plain = name.lower().replace("_", " ")
    plain = ALIASES.get(plain, plain)
    if plain not in FORMULAS:
        near = did_you_mean(plain, [*FORMULAS, *ALIASES])
        raise fail("E0404", f"no metric is called {name!r}", help=near)
    return FORMULAS[plain]


def _counts(prediction: np.ndarray, truth: np.ndarray, skip: bool) -> np.ndarray:
    """True and false positives, true and false negatives, (N, C, 4)."""
    if skip and truth.shape[1] > 1:
        prediction, truth = prediction[:, 1:], truth[:, 1:]
    shape = (*truth.shape[:2], math.prod(truth.shape[2:]))
    positive, is_true = prediction.reshape(shape) != 0, truth.reshape(shape) != 0
    kinds = (positive & is_true, positive & ~is_true, ~positive & ~is_true, ~positive & is_true)
    return np.stack([kind.sum(axis=-1) for kind in kinds], axis=-1).astype(np.float64)


def _decreased(values: np.ndarray, decrease: str) -> tuple[float, int]:
    """One number of (N, C), NaN left out, and for how many it stands."""
    if decrease == "none":
        raise fail("E0404", "decrease='none' leaves many numbers; name how they become one")
    kind, _, axis = decrease.partition("_")
    for place in {"": (1, 0), "batch": (0,), "channel": (1,)}[axis]:
        known = ~np.isnan(values)
        sums = np.where(known, values, 0).sum(axis=place)
        if kind == "mean":
            sums = _over(sums, known.sum(axis=place))
        values = np.where(known.any(axis=place), sums, np.nan)
    known = ~np.isnan(values)
    count = int(known.sum())
    return (float(np.where(known, values, 0).sum() / count), count) if count else (0.0, 0)
