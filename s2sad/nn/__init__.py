"""Cells that users build networks from. Their `construct` is read by the compiler."""

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import missing as _missing
from s2sad.nn.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    FastGelu,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    SeLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    SoftShrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
    get_activation,
)
from s2sad.nn.basic import Dense, Flatten, Identity, Linear, Unflatten
from s2sad.nn.container import CellDict, CellList, SequentialCell
from s2sad.nn.conv import Conv1d, Conv1dTranspose, Conv2d, Conv2dTranspose, Conv3d, Conv3dTranspose
from s2sad.nn.decay import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from s2sad.nn.dropout import Dropout, Dropout1d, Dropout2d, Dropout3d
from s2sad.nn.dynamic_lr import (
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from s2sad.nn.embedding import Embedding
from s2sad.nn.learning_rate_schedule import LearningRateSchedule
from s2sad.nn.loss import CrossEntropyLoss, LossBase, NLLLoss, SoftmaxCrossEntropyWithLogits
from s2sad.nn.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from s2sad.nn.margin_loss import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultilabelMarginLoss,
    MultiMarginLoss,
    TripletMarginLoss,
)
from s2sad.nn.norm import (
    LRN,
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
)
from s2sad.nn.optim import SGD, Adagrad, Adam, AdamWeightDecay, Momentum, Optimizer, RMSProp
from s2sad.nn.padding import (
    ChannelShuffle,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    Pad,
    PixelShuffle,
    PixelUnshuffle,
    ReflectionPad1d,
    ReflectionPad2d,
    ReplicationPad1d,
    ReplicationPad2d,
    ZeroPad2d,
)
from s2sad.nn.pool import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
)
from s2sad.nn.probability_loss import (
    BCELoss,
    BCEWithLogitsLoss,
    DiceLoss,
    FocalLoss,
    KLDivLoss,
    MultiLabelSoftMarginLoss,
    SoftMarginLoss,
)
from s2sad.nn.recurrent import GRU, LSTM, RNN
from s2sad.nn.recurrent_cell import GRUCell, LSTMCell, RNNCell
from s2sad.nn.regression_loss import (
    GaussianNLLLoss,
    HuberLoss,
    L1Loss,
    MAELoss,
    MSELoss,
    PoissonNLLLoss,
    RMSELoss,
    SmoothL1Loss,
)
from s2sad.nn.resize import Upsample
from s2sad.nn.vectors import ClipByNorm, Norm, OneHot
from s2sad.nn.wrap import (
    ForwardValueAndGrad,
    ParameterUpdate,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "GRU", "LRN", "LSTM", "RNN", "SGD", "Adagrad", "Adam",
    "AdamWeightDecay", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "BCELoss",
    "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Cell", "CellDict",
    "CellList", "ChannelShuffle", "ClipByNorm", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose", "Conv3d", "Conv3dTranspose",
    "CosineDecayLR", "CosineEmbeddingLoss", "CrossEntropyLoss", "Dense", "DiceLoss", "Dropout",
    "Dropout1d", "Dropout2d", "Dropout3d", "DynamicLossScaleUpdateCell", "Embedding",
    "ExponentialDecayLR", "FastGelu", "FixedLossScaleUpdateCell", "Flatten", "FocalLoss",
    "ForwardValueAndGrad", "GRUCell", "GaussianNLLLoss", "GroupNorm", "HShrink", "HSigmoid",
    "HSwish", "Hardtanh", "HingeEmbeddingLoss", "HuberLoss", "Identity",
    "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "InverseDecayLR", "KLDivLoss", "L1Loss",
    "LSTMCell", "LayerNorm", "LeakyReLU", "LearningRateSchedule", "Linear", "LogSigmoid",
    "LogSoftmax", "LossBase", "MAELoss", "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d",
    "MaxPool3d", "Mish", "Momentum", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "MultilabelMarginLoss", "NLLLoss", "NaturalExpDecayLR", "Norm", "OneHot", "Optimizer", "PReLU",
    "Pad", "ParameterUpdate", "PixelShuffle", "PixelUnshuffle", "PoissonNLLLoss",
    "PolynomialDecayLR", "RMSELoss", "RMSProp", "RNNCell", "RReLU", "ReLU", "ReLU6",
    "ReflectionPad1d", "ReflectionPad2d", "ReplicationPad1d", "ReplicationPad2d", "SeLU",
    "SequentialCell", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "SoftShrink", "Softmax",
    "Softmax2d", "SoftmaxCrossEntropyWithLogits", "Softmin", "Softsign", "Tanh", "Tanhshrink",
    "Threshold", "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "TripletMarginLoss",
    "Unflatten", "Upsample", "WarmUpLR", "WithEvalCell", "WithGradCell", "WithLossCell",
    "ZeroPad2d", "cosine_decay_lr", "exponential_decay_lr", "get_activation", "inverse_decay_lr",
    "natural_exp_decay_lr", "piecewise_constant_lr", "polynomial_decay_lr", "warmup_lr",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.nn", name, __all__)
