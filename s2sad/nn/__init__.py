"""Cells that users build networks from. Their `construct` is read by the compiler."""

from importlib import import_module as _import_module

from s2sad.core.cell import Cell
from s2sad.core.elsewhere import missing as _missing
from s2sad.core.parameter import Parameter
from s2sad.core.signatures import checking as _checking
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
from s2sad.nn.arrays import MatMul, Moments, Range, ReduceLogSumExp, Roll, Tril, Triu
from s2sad.nn.attention import MultiheadAttention
from s2sad.nn.basic import Dense, Flatten, Identity, Linear, Unflatten
from s2sad.nn.bilinear import BiDense
from s2sad.nn.combined import Conv2dBnAct, DenseBnAct
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
from s2sad.nn.embedding import Embedding, EmbeddingLookup
from s2sad.nn.grad_reducer import DistributedGradReducer
from s2sad.nn.graph_cell import GraphCell
from s2sad.nn.image import MSSSIM, PSNR, SSIM, CentralCrop, ImageGradients, Unfold
from s2sad.nn.instance_norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from s2sad.nn.learning_rate_schedule import LearningRateSchedule
from s2sad.nn.loss import CrossEntropyLoss, LossBase, NLLLoss, SoftmaxCrossEntropyWithLogits
from s2sad.nn.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from s2sad.nn.lp_pool import LPPool1d, LPPool2d
from s2sad.nn.margin_loss import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultilabelMarginLoss,
    MultiMarginLoss,
    TripletMarginLoss,
)
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
    names,
    rearrange_inputs,
)
from s2sad.nn.micro_batch import GradAccumulationCell, MicroBatchInterleaved, PipelineCell
from s2sad.nn.norm import (
    LRN,
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    LayerNorm,
    SyncBatchNorm,
)
from s2sad.nn.optim import (
    ASGD,
    FTRL,
    LARS,
    SGD,
    Adadelta,
    AdaFactor,
    Adagrad,
    Adam,
    AdaMax,
    AdamOffload,
    AdamWeightDecay,
    Lamb,
    LazyAdam,
    Momentum,
    Optimizer,
    ProximalAdagrad,
    RMSProp,
    Rprop,
    opt_init_args_register,
)
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
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)
from s2sad.nn.pool import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
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
    MultiClassDiceLoss,
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
from s2sad.nn.resize import ResizeBilinear, Upsample
from s2sad.nn.sampled_loss import SampledSoftmaxLoss
from s2sad.nn.sequence_loss import CTCLoss
from s2sad.nn.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from s2sad.nn.unpool import MaxUnpool1d, MaxUnpool2d, MaxUnpool3d
from s2sad.nn.utils import no_init_parameters
from s2sad.nn.vectors import ClipByNorm, L1Regularizer, Norm, OneHot
from s2sad.nn.wrap import (
    ForwardValueAndGrad,
    ParameterUpdate,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)

__all__ = [
    "ASGD", "Accuracy", "AdaFactor", "AdaMax", "Adadelta", "Adagrad", "Adam", "AdamOffload",
    "AdamWeightDecay", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d",
    "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d",
    "BiDense", "BleuScore", "CELU", "CTCLoss", "Cell", "CellDict", "CellList", "CentralCrop",
    "ChannelShuffle", "ClipByNorm", "ConfusionMatrix", "ConfusionMatrixMetric", "ConstantPad1d",
    "ConstantPad2d", "ConstantPad3d", "Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dBnAct",
    "Conv2dTranspose", "Conv3d", "Conv3dTranspose", "CosineDecayLR", "CosineEmbeddingLoss",
    "CosineSimilarity", "CrossEntropyLoss", "Dense", "DenseBnAct", "Dice", "DiceLoss",
    "DistributedGradReducer", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d",
    "DynamicLossScaleUpdateCell", "ELU", "Embedding", "EmbeddingLookup", "ExponentialDecayLR", "F1",
    "FTRL", "FastGelu", "Fbeta", "FixedLossScaleUpdateCell", "Flatten", "FocalLoss",
    "ForwardValueAndGrad", "GELU", "GLU", "GRU", "GRUCell", "GaussianNLLLoss",
    "GradAccumulationCell", "GraphCell", "GroupNorm", "HShrink", "HSigmoid", "HSwish", "Hardtanh",
    "HausdorffDistance", "HingeEmbeddingLoss", "HuberLoss", "Identity", "ImageGradients",
    "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "InverseDecayLR", "KLDivLoss", "L1Loss",
    "L1Regularizer", "LARS", "LPPool1d", "LPPool2d", "LRN", "LSTM", "LSTMCell", "Lamb", "LayerNorm",
    "LazyAdam", "LeakyReLU", "LearningRateSchedule", "Linear", "LogSigmoid", "LogSoftmax", "Loss",
    "LossBase", "MAE", "MAELoss", "MSE", "MSELoss", "MSSSIM", "MarginRankingLoss", "MatMul",
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
    "MeanSurfaceDistance", "Metric", "MicroBatchInterleaved", "Mish", "Moments", "Momentum",
    "MultiClassDiceLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "MultiheadAttention",
    "MultilabelMarginLoss", "NLLLoss", "NaturalExpDecayLR", "Norm", "OneHot", "Optimizer", "PReLU",
    "PSNR", "Pad", "Parameter", "ParameterUpdate", "Perplexity", "PipelineCell", "PixelShuffle",
    "PixelUnshuffle", "PoissonNLLLoss", "PolynomialDecayLR", "Precision", "ProximalAdagrad",
    "RMSELoss", "RMSProp", "RNN", "RNNCell", "ROC", "RReLU", "Range", "ReLU", "ReLU6", "Recall",
    "ReduceLogSumExp", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
    "ReplicationPad2d", "ReplicationPad3d", "ResizeBilinear", "Roll", "RootMeanSquareDistance",
    "Rprop", "SGD", "SSIM", "SampledSoftmaxLoss", "SeLU", "SequentialCell", "SiLU", "Sigmoid",
    "SmoothL1Loss", "SoftMarginLoss", "SoftShrink", "Softmax", "Softmax2d",
    "SoftmaxCrossEntropyWithLogits", "Softmin", "Softsign", "SyncBatchNorm", "Tanh", "Tanhshrink",
    "Threshold", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy",
    "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "Transformer", "TransformerDecoder",
    "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer", "Tril",
    "TripletMarginLoss", "Triu", "Unflatten", "Unfold", "Upsample", "WarmUpLR", "WithEvalCell",
    "WithGradCell", "WithLossCell", "ZeroPad2d", "auc", "cosine_decay_lr", "exponential_decay_lr",
    "get_activation", "get_metric_fn", "inverse_decay_lr", "names", "natural_exp_decay_lr",
    "no_init_parameters", "opt_init_args_register", "piecewise_constant_lr", "polynomial_decay_lr",
    "rearrange_inputs", "warmup_lr",
]  # fmt: skip


for _layer in [globals()[name] for name in __all__]:
    if isinstance(_layer, type) and issubclass(_layer, Cell) and _layer is not Cell:
        _layer.__init__ = _checking(_layer.__init__)


def __getattr__(name: str) -> object:
    if name == "probability":  # on first need
        return _import_module("s2sad.nn.probability")
    raise _missing("s2sad.nn", name, __all__)
