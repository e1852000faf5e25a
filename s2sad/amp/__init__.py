"""Mixed precision: most of a network in 16 bits, its Parameters and its loss in 32."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from s2sad.amp.levels import (
    auto_mixed_precision,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from s2sad.amp.loss_scale_manager import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from s2sad.amp.loss_scaler import DynamicLossScaler, LossScaler, StaticLossScaler
from s2sad.amp.train_network import build_train_network
from s2sad.core.elsewhere import missing as _missing
from s2sad.ops.loss_scaling import all_finite

if _TYPE_CHECKING:
    from s2sad.amp.ranges import explain  # on first need: it needs the compiler

__all__ = [
    "DynamicLossScaleManager", "DynamicLossScaler", "FixedLossScaleManager", "LossScaleManager",
    "LossScaler", "StaticLossScaler", "all_finite", "auto_mixed_precision", "build_train_network",
    "custom_mixed_precision", "explain", "get_black_list", "get_white_list",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name == "explain":
        return _import_module("s2sad.amp.ranges").explain
    raise _missing("s2sad.amp", name, __all__)
