"""How good are predictions of classes?"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.nn.metrics.metric import Metric, is_onehot, rearrange_inputs
from s2sad.ops.settings import flag, integer

EPSILON = sys.float_info.min


class EvaluationBase(Metric):
    """Base of metrics of classes, each case being of one or, in ``"multilabel"``, of several.

    Parameters
    ----------
    eval_type : {"classification", "multilabel"}

    Raises
    ------
    S2sadError
        E0404 for another type; in `update` E0401 for shapes that do not fit, E0404 for values in
        ``"multilabel"`` that are neither 0 nor 1.
    """

    def __init__(self, eval_type: str | None) -> None:
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            raise fail("E0404", f"eval_type is 'classification' or 'multilabel', got {eval_type!r}")
        self._type = eval_type

    def _cases(self, inputs: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Predictions (N, C, ...), and classes (N, ...) or in multilabel (N, C, ...)."""
        prediction, truth = self._pair(inputs)
        if self._type == "multilabel":
            self._require_same(prediction, truth)
            for values in (prediction, truth):
                if not np.equal(values**2, values).all():
                    raise fail("E0404", "in multilabel all values are 0 or 1")
            return prediction, truth
        if prediction.ndim == truth.ndim and is_onehot(truth):
            truth = truth.argmax(axis=1)
        if prediction.ndim < 2 or truth.shape != (prediction.shape[0], *prediction.shape[2:]):
            raise fail(
                "E0401", f"classes of shape {truth.shape} do not fit predictions of shape "
                f"{prediction.shape}", help="give class numbers (N, ...) for (N, C, ...)",
            )  # fmt: skip
        return prediction, truth


class Accuracy(EvaluationBase):
    """The share of cases that are predicted rightly; in ``"multilabel"`` all labels of a case.

    Parameters
    ----------
    eval_type : {"classification", "multilabel"}

    Raises
    ------
    S2sadError
        Those of `EvaluationBase`; E0404 where nothing was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> metric = ms.nn.Accuracy("classification")
    >>> metric.update(ms.Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), ms.Tensor([1, 0, 1]))
    >>> round(metric.eval(), 4)
    0.6667
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._correct_num = self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at predictions (N, C, ...) and classes (N, ...), one-hot ones or labels."""
        prediction, truth = self._cases(inputs)
        if self._type == "classification":
            right = np.equal(prediction.argmax(axis=1), truth).reshape(-1)
        else:
            rows = [np.moveaxis(x, 1, -1).reshape(-1, x.shape[1]) for x in (prediction, truth)]
            right = np.equal(*rows).all(axis=1)
        self._correct_num += int(right.sum())
        self._total_num += right.size

    def eval(self) -> float:
        """The share, a float."""
        self._require_seen(self._total_num)
        return self._correct_num / self._total_num


class _Positives(EvaluationBase):
    """Counts of each class: true positives, positive predictions and positives."""

    def __init__(self, eval_type: str | None = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._class_num = 0
        empty: Any = 0.0 if self._type == "classification" else np.empty(0)
        self._true_positives = self._positives = self._actual_positives = empty

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at predictions (N, C, ...) and classes (N, ...), one-hot ones or labels."""
        prediction, truth = self._cases(inputs)
        count = prediction.shape[1]
        if self._class_num not in (0, count):
            raise fail("E0401", f"{count} classes, {self._class_num} before")
        if self._type == "classification" and truth.size and truth.max() >= count:
            raise fail("E0404", f"class {truth.max()} of predictions for {count} classes")
        self._class_num = count
        if self._type == "classification":
            truth = np.eye(count)[truth.reshape(-1).astype(np.int64)]
            prediction = np.eye(count)[prediction.argmax(axis=1).reshape(-1)]
        else:  # each case by itself
            prediction = prediction.swapaxes(1, 0).reshape(count, -1)
            truth = truth.swapaxes(1, 0).reshape(count, -1)
        counts = [x.sum(axis=0) for x in (truth * prediction, prediction, truth)]
        self._add(*counts)

    def _add(self, true: np.ndarray, predicted: np.ndarray, actual: np.ndarray) -> None:
        if self._type == "classification":
            self._true_positives = self._true_positives + true
            self._positives = self._positives + predicted
            self._actual_positives = self._actual_positives + actual
        else:
            self._true_positives = np.concatenate((self._true_positives, true))
            self._positives = np.concatenate((self._positives, predicted))
            self._actual_positives = np.concatenate((self._actual_positives, actual))

    def _share(self, average: bool, of: Any) -> Any:
        self._require_seen(self._class_num)
        shares = self._true_positives / (of + EPSILON)
        return shares.mean() if flag("average", average) else shares


class Precision(_Positives):
    """True positives over positive predictions, of each class; in ``"multilabel"`` of each case.

    Parameters and errors are those of `Accuracy`.

    Examples
    --------
    >>> import s2sad as ms
    >>> metric = ms.nn.Precision()
    >>> metric.update(ms.Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), ms.Tensor([1, 0, 1]))
    >>> metric.eval(), float(metric.eval(average=True))
    (array([0.5, 1. ]), 0.75)
    """

    def eval(self, average: bool = False) -> Any:
        """An array of one a class, or their mean."""
        return self._share(average, self._positives)


class Recall(_Positives):
    """True positives over all positives, of each class; in ``"multilabel"`` of each case.

    Parameters and errors are those of `Accuracy`.

    Examples
    --------
    >>> import s2sad as ms
    >>> metric = ms.nn.Recall()
    >>> metric.update(ms.Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), ms.Tensor([1, 0, 1]))
    >>> metric.eval()
    array([1. , 0.5])
    """

    def eval(self, average: bool = False) -> Any:
        """An array of one a class, or their mean."""
        return self._share(average, self._actual_positives)


class Fbeta(_Positives):
    """``(1 + beta**2) * precision * recall / (beta**2 * precision + recall)``, of each class.

    Parameters
    ----------
    beta : float
        Positive: how much more recall counts than precision.

    Raises
    ------
    S2sadError
        E0404 for a `beta` that is not positive; those of `Accuracy`.

    Examples
    --------
    >>> import s2sad as ms
    >>> metric = ms.nn.Fbeta(1)
    >>> metric.update(ms.Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), ms.Tensor([1, 0, 1]))
    >>> metric.eval().round(4)
    array([0.6667, 0.6667])
    """

    def __init__(self, beta: float) -> None:
        if not beta > 0:
            raise fail("E0404", f"beta is positive, got {beta}")
        self.beta = beta
        super().__init__("classification")

    def eval(self, average: bool = False) -> Any:
        """An array of one a class, or their mean."""
        self._require_seen(self._class_num)
        weight = self.beta**2
        below = weight * self._actual_positives + self._positives + EPSILON
        scores = (1 + weight) * self._true_positives / below
        return scores.mean() if flag("average", average) else scores


class F1(Fbeta):
    """`Fbeta` for a beta of 1: the harmonic mean of precision and recall.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.F1()([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [1, 0, 1]).round(4)
    array([0.6667, 0.6667])
    """

    def __init__(self) -> None:
        super().__init__(1.0)


class TopKCategoricalAccuracy(Metric):
    """The share of cases whose class is among the `k` that are predicted best.

    Parameters
    ----------
    k : int
        At least 1.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a `k` that cannot be, E0401 for shapes that do not fit, E0404 where
        nothing was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> metric = ms.nn.TopKCategoricalAccuracy(2)
    >>> metric.update(ms.Tensor([[0.2, 0.5, 0.3], [0.1, 0.3, 0.6]]), ms.Tensor([2, 0]))
    >>> metric.eval()
    0.5
    """

    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = integer("k", k, 1)
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._correct_num = self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at predictions (N, C) and classes (N,) or one-hot ones (N, C)."""
        prediction, truth = self._pair(inputs)
        if prediction.ndim == truth.ndim and is_onehot(truth):
            truth = truth.argmax(axis=1)
        if prediction.ndim != 2 or truth.shape != prediction.shape[:1]:
            raise fail(
                "E0401", f"classes of shape {truth.shape} do not fit predictions of shape "
                f"{prediction.shape}",
            )  # fmt: skip
        best = np.argsort(-prediction, axis=1, kind="stable")[:, : self.k]
        self._correct_num += int((best == truth[:, None]).any(axis=1).sum())
        self._samples_num += len(truth)

    def eval(self) -> float:
        """The share, a float."""
        self._require_seen(self._samples_num)
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of cases whose class is predicted best; see `TopKCategoricalAccuracy`."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of cases whose class is among the best five; see `TopKCategoricalAccuracy`."""

    def __init__(self) -> None:
        super().__init__(5)
