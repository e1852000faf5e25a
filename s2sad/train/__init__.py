"""What stands around the training of a network: `Model`, callbacks, metrics."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.nn.metrics import (
    F1,
    MAE,
    MSE,
    ROC,
    Accuracy,
    BleuScore,
    ConfusionMatrix,
    ConfusionMatrixMetric,
    CosineSimilarity,
    Dice,
    Fbeta,
    HausdorffDistance,
    Loss,
    MeanSurfaceDistance,
    Metric,
    Perplexity,
    Precision,
    Recall,
    RootMeanSquareDistance,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
    auc,
    get_metric_fn,
    get_metrics,
    names,
    rearrange_inputs,
)
from s2sad.train.callback import (
    BackupAndRestore,
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    OnRequestExit,
    ProgressBar,
    ReduceLROnPlateau,
    RunContext,
    SummaryCollector,
    TimeMonitor,
)
from s2sad.train.dataset_helper import DatasetHelper, connect_network_with_dataset
from s2sad.train.model import Model
from s2sad.train.summary import SummaryRecord

__all__ = [
    "Accuracy", "BackupAndRestore", "BleuScore", "Callback", "CheckpointConfig", "ConfusionMatrix",
    "ConfusionMatrixMetric", "CosineSimilarity", "DatasetHelper", "Dice", "EarlyStopping", "F1",
    "Fbeta", "HausdorffDistance", "History", "LambdaCallback", "LearningRateScheduler", "Loss",
    "LossMonitor", "MAE", "MSE", "MeanSurfaceDistance", "Metric", "Model", "ModelCheckpoint",
    "OnRequestExit", "Perplexity", "Precision", "ProgressBar", "ROC", "Recall", "ReduceLROnPlateau",
    "RootMeanSquareDistance", "RunContext", "SummaryCollector", "SummaryRecord", "TimeMonitor",
    "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "auc",
    "connect_network_with_dataset", "get_metric_fn", "get_metrics", "names", "rearrange_inputs",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.train", name, __all__)
