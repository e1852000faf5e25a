"""Callbacks: what is called while a network trains or is evaluated."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.train.callback.backup import BackupAndRestore
from s2sad.train.callback.callback import Callback, CallbackParams, RunContext
from s2sad.train.callback.checkpoint import CheckpointConfig, ModelCheckpoint
from s2sad.train.callback.early_stopping import EarlyStopping
from s2sad.train.callback.history import History
from s2sad.train.callback.lambda_callback import LambdaCallback
from s2sad.train.callback.loss_monitor import LossMonitor
from s2sad.train.callback.progress_bar import ProgressBar
from s2sad.train.callback.rate_scheduler import LearningRateScheduler
from s2sad.train.callback.reduce_rate import ReduceLROnPlateau
from s2sad.train.callback.request_exit import OnRequestExit
from s2sad.train.callback.summary_collector import SummaryCollector
from s2sad.train.callback.time_monitor import TimeMonitor

__all__ = [
    "BackupAndRestore", "Callback", "CallbackParams", "CheckpointConfig", "EarlyStopping",
    "History", "LambdaCallback", "LearningRateScheduler", "LossMonitor", "ModelCheckpoint",
    "OnRequestExit", "ProgressBar", "ReduceLROnPlateau", "RunContext", "SummaryCollector",
    "TimeMonitor",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.train.callback", name, __all__)
