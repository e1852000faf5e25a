"""Schedules that change the rates of an optimizer's groups when they are told to step."""

from s2sad.experimental.optim.lr_scheduler.base import LRScheduler
from s2sad.experimental.optim.lr_scheduler.combined import ChainedScheduler, SequentialLR
from s2sad.experimental.optim.lr_scheduler.cyclic import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
)
from s2sad.experimental.optim.lr_scheduler.decay import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from s2sad.experimental.optim.lr_scheduler.plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
    "CyclicLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR",
    "MultiplicativeLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip
