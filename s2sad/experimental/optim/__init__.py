"""Optimizers whose settings stand in groups that a program can look at and change."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.experimental.optim import lr_scheduler
from s2sad.experimental.optim.adam import Adam, Adamax, AdamW, NAdam, RAdam
from s2sad.experimental.optim.optimizer import Optimizer
from s2sad.experimental.optim.sgd import ASGD, SGD, Rprop
from s2sad.experimental.optim.squares import Adadelta, Adagrad, RMSprop

__all__ = [
    "ASGD", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam",
    "RMSprop", "Rprop", "lr_scheduler",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.experimental.optim", name, __all__)
