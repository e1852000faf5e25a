"""Layers and losses of `mint`; those that are as `nn` has them are the same objects."""

from s2sad.core.cell import Cell
from s2sad.core.elsewhere import missing as _missing
from s2sad.mint.nn import functional
from s2sad.mint.nn.layers import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    Conv1d,
    Conv2d,
    Conv3d,
    Embedding,
    GroupNorm,
    LayerNorm,
)
from s2sad.mint.nn.plain import (
    GELU,
    AvgPool2d,
    BCEWithLogitsLoss,
    Dropout,
    LeakyReLU,
    LogSoftmax,
    MaxPool2d,
    ReLU,
    SiLU,
    SmoothL1Loss,
    Softmax,
)
from s2sad.nn import (
    ELU,
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    BCELoss,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    CrossEntropyLoss,
    Dropout2d,
    Hardtanh,
    Identity,
    KLDivLoss,
    L1Loss,
    Linear,
    LogSigmoid,
    Mish,
    MSELoss,
    NLLLoss,
    PixelShuffle,
    PixelUnshuffle,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReLU6,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    Sigmoid,
    Tanh,
    Upsample,
    ZeroPad2d,
)
from s2sad.nn import HShrink as Hardshrink
from s2sad.nn import HSigmoid as Hardsigmoid
from s2sad.nn import HSwish as Hardswish
from s2sad.nn import SeLU as SELU  # noqa: N814
from s2sad.nn import SoftShrink as Softshrink

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AvgPool2d", "BCELoss",
    "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Cell", "ConstantPad1d",
    "ConstantPad2d", "ConstantPad3d", "Conv1d", "Conv2d", "Conv3d", "CrossEntropyLoss", "Dropout",
    "Dropout2d", "ELU", "Embedding", "GELU", "GroupNorm", "Hardshrink", "Hardsigmoid",
    "Hardswish", "Hardtanh", "Identity", "KLDivLoss", "L1Loss", "LayerNorm", "LeakyReLU", "Linear",
    "LogSigmoid", "LogSoftmax", "MSELoss", "MaxPool2d", "Mish", "NLLLoss", "PixelShuffle",
    "PixelUnshuffle", "ReLU", "ReLU6", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "SELU", "SiLU", "Sigmoid",
    "SmoothL1Loss", "Softmax", "Softshrink", "Tanh", "Upsample", "ZeroPad2d", "functional",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.mint.nn", name, __all__)
