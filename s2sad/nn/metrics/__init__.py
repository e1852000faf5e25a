"""Metrics: what is computed of predictions and truth, batch by batch, in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.nn.metrics.classes import (
    F1,
    Accuracy,
    EvaluationBase,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from s2sad.nn.metrics.confusion import ConfusionMatrix, ConfusionMatrixMetric
from s2sad.nn.metrics.curve import ROC, auc
from s2sad.nn.metrics.errors import MAE, MSE, Loss
from s2sad.nn.metrics.metric import Metric, rearrange_inputs
from s2sad.nn.metrics.similarity import CosineSimilarity, Dice
from s2sad.nn.metrics.surface import (
    HausdorffDistance,
    MeanSurfaceDistance,
    RootMeanSquareDistance,
)
from s2sad.nn.metrics.text import BleuScore, Perplexity

__all__ = [
    "F1", "MAE", "MSE", "ROC", "Accuracy", "BleuScore", "ConfusionMatrix", "ConfusionMatrixMetric",
    "CosineSimilarity", "Dice", "EvaluationBase", "Fbeta", "HausdorffDistance", "Loss",
    "MeanSurfaceDistance", "Metric", "Perplexity", "Precision", "Recall", "RootMeanSquareDistance",
    "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "auc",
    "get_metric_fn", "get_metrics", "names", "rearrange_inputs",
]  # fmt: skip

#: By what names `get_metric_fn` and `Model` know them.
NAMES: dict[str, Callable[..., Any]] = {
    "F1": F1, "acc": Accuracy, "accuracy": Accuracy, "auc": auc, "bleu_score": BleuScore,
    "confusion_matrix": ConfusionMatrix, "confusion_matrix_metric": ConfusionMatrixMetric,
    "cosine_similarity": CosineSimilarity, "dice": Dice, "hausdorff_distance": HausdorffDistance,
    "loss": Loss, "mae": MAE, "mean_surface_distance": MeanSurfaceDistance, "mse": MSE,
    "perplexity": Perplexity, "precision": Precision, "recall": Recall, "roc": ROC,
    "root_mean_square_distance": RootMeanSquareDistance, "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy, "topk": TopKCategoricalAccuracy,
}  # fmt: skip


def names() -> list[str]:
    """The names that `get_metric_fn` knows.

    Examples
    --------
    >>> names()[:3]
    ['F1', 'acc', 'accuracy']
    """
    return sorted(NAMES)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """A metric by its name, made with `args` and `kwargs` (E0404 for an unknown name).

    Examples
    --------
    >>> get_metric_fn("topk", 3).k
    3
    """
    if name not in NAMES:
        raise fail("E0404", f"no metric is called {name!r}", help=did_you_mean(str(name), NAMES))
    return NAMES[name](*args, **kwargs)


def get_metrics(metrics: Any) -> dict[str, Metric] | None:
    """Metrics by name, of a set of names, a dict of metrics, or None.

    Raises
    ------
    S2sadError
        E0304 for what is none of these, E0404 for an unknown name.

    Examples
    --------
    >>> sorted(get_metrics({"accuracy", "loss"}))
    ['accuracy', 'loss']
    """
    if metrics is None:
        return None
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                raise fail("E0304", f"metrics are by name, got {name!r}: {metric!r}")
        return metrics
    if isinstance(metrics, (set, frozenset)):
        return {name: get_metric_fn(name) for name in metrics}
    raise fail("E0304", f"metrics are a dict, a set of names, or None: got {metrics!r}")
