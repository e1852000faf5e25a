"""MindSpore's operations as objects, all of them: ``from s2sad.ops import operations as P``."""

from s2sad.ops.collective import ReduceOp
from s2sad.ops.composite.objects import Partial, Print
from s2sad.ops.composite.summaries import (
    HistogramSummary,
    ImageSummary,
    ScalarSummary,
    TensorSummary,
)
from s2sad.ops.hooks import HookBackward, InsertGradientOf
from s2sad.ops.primitives.activation import (
    FastGeLU,
    GeLU,
    Gelu,
    LogSoftmax,
    Mish,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
)
from s2sad.ops.primitives.arithmetic import (
    Abs,
    Add,
    Addcdiv,
    Addcmul,
    Hypot,
    Lerp,
    Mul,
    Neg,
    Pow,
    Rsqrt,
    Sign,
    Sqrt,
    Square,
    SquaredDifference,
    Sub,
    TensorAdd,
)
from s2sad.ops.primitives.arrange import Diag, DiagPart, Meshgrid, Tile, Tril, Triu
from s2sad.ops.primitives.attention import FlashAttentionScore
from s2sad.ops.primitives.axes import ReverseV2, Roll, Transpose
from s2sad.ops.primitives.base import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    prim_attr_register,
)
from s2sad.ops.primitives.collective import (
    AllGather,
    AllReduce,
    AlltoAll,
    Barrier,
    Broadcast,
    CollectiveGather,
    CollectiveScatter,
    NeighborExchange,
    NeighborExchangeV2,
    Receive,
    Reduce,
    ReduceScatter,
    Send,
)
from s2sad.ops.primitives.comparison import (
    ApproximateEqual,
    Equal,
    Greater,
    GreaterEqual,
    IsClose,
    IsFinite,
    IsInf,
    IsNan,
    Less,
    LessEqual,
    NanToNum,
    NotEqual,
)
from s2sad.ops.primitives.conv import BiasAdd, Conv2D, Conv2DBackpropInput, Conv2DTranspose, Conv3D
from s2sad.ops.primitives.counting import InTopK
from s2sad.ops.primitives.creation import (
    Eye,
    Fill,
    FillV2,
    OneHot,
    Ones,
    OnesLike,
    ScalarToTensor,
    TupleToArray,
    Zeros,
    ZerosLike,
)
from s2sad.ops.primitives.distances import Cdist
from s2sad.ops.primitives.division import (
    Div,
    DivNoNan,
    FloorDiv,
    FloorMod,
    Inv,
    Mod,
    RealDiv,
    Reciprocal,
)
from s2sad.ops.primitives.dropouts import Dropout, Dropout2D, Dropout3D
from s2sad.ops.primitives.exponential import (
    Acosh,
    Asinh,
    Atanh,
    Cosh,
    Exp,
    Expm1,
    Log,
    Log1p,
    Sinh,
    Xlogy,
)
from s2sad.ops.primitives.extreme import Maximum, Minimum
from s2sad.ops.primitives.factoring import Cholesky, CholeskyInverse, Qr, Svd
from s2sad.ops.primitives.index import Gather, GatherD, GatherNd, GatherV2, SparseGatherV2
from s2sad.ops.primitives.join import Concat, Pack, Split, Stack, Unpack, Unstack
from s2sad.ops.primitives.linalg import BatchMatMul, Cross, Einsum, Ger, MatMul, Trace
from s2sad.ops.primitives.logic import (
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    Invert,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    LogicalXor,
)
from s2sad.ops.primitives.lookup import EmbeddingLookup
from s2sad.ops.primitives.loss import (
    BCEWithLogitsLoss,
    BinaryCrossEntropy,
    KLDivLoss,
    L2Loss,
    MultiMarginLoss,
    NLLLoss,
    SigmoidCrossEntropyWithLogits,
    SmoothL1Loss,
    SoftMarginLoss,
    SoftmaxCrossEntropyWithLogits,
    SparseSoftmaxCrossEntropyWithLogits,
)
from s2sad.ops.primitives.magnitude import LpNorm, SquareSumAll
from s2sad.ops.primitives.normalization import LRN, BatchNorm, L2Normalize, LayerNorm, RmsNorm
from s2sad.ops.primitives.optimizer import Adam, ApplyMomentum
from s2sad.ops.primitives.parameter_writes import (
    ScatterDiv,
    ScatterMax,
    ScatterMin,
    ScatterMul,
    ScatterNdAdd,
    ScatterNdDiv,
    ScatterNdMax,
    ScatterNdMin,
    ScatterNdMul,
    ScatterNdSub,
    ScatterSub,
)
from s2sad.ops.primitives.pool import (
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
    AdaptiveMaxPool2D,
    AvgPool,
    AvgPool3D,
    MaxPool,
    MaxPool3D,
    MaxPoolWithArgmax,
)
from s2sad.ops.primitives.powers import MulNoNan, Xdivy
from s2sad.ops.primitives.products import MatrixBandPart
from s2sad.ops.primitives.random import (
    Bernoulli,
    Gamma,
    Multinomial,
    Poisson,
    RandomCategorical,
    RandomShuffle,
    StandardLaplace,
    StandardNormal,
    UniformInt,
    UniformReal,
)
from s2sad.ops.primitives.rectifiers import (
    CeLU,
    Elu,
    HShrink,
    HSigmoid,
    HSwish,
    PReLU,
    ReLU,
    ReLU6,
    SeLU,
    SoftShrink,
)
from s2sad.ops.primitives.reduce import (
    Argmax,
    ArgMaxWithValue,
    Argmin,
    ArgMinWithValue,
    ReduceAll,
    ReduceAny,
    ReduceMax,
    ReduceMean,
    ReduceMin,
    ReduceProd,
    ReduceSum,
)
from s2sad.ops.primitives.reordering import (
    BatchToSpaceND,
    DepthToSpace,
    InvertPermutation,
    ReverseSequence,
    SpaceToBatchND,
    SpaceToDepth,
)
from s2sad.ops.primitives.resize import ResizeBilinear, ResizeBilinearV2, ResizeNearestNeighbor
from s2sad.ops.primitives.rounding import Ceil, Floor, Rint, Round, Trunc
from s2sad.ops.primitives.scan import Cummax, Cummin, CumProd, CumSum
from s2sad.ops.primitives.scattering import (
    IndexAdd,
    IndexFill,
    ScatterAdd,
    ScatterNd,
    ScatterUpdate,
    TensorScatterAdd,
    TensorScatterDiv,
    TensorScatterElements,
    TensorScatterMax,
    TensorScatterMin,
    TensorScatterMul,
    TensorScatterSub,
    TensorScatterUpdate,
    UnsortedSegmentSum,
)
from s2sad.ops.primitives.segments import (
    UnsortedSegmentMax,
    UnsortedSegmentMin,
    UnsortedSegmentProd,
)
from s2sad.ops.primitives.selection import MaskedFill, Select
from s2sad.ops.primitives.sequence import LinSpace, Range
from s2sad.ops.primitives.shapes import (
    BroadcastTo,
    Cast,
    DType,
    DynamicShape,
    ExpandDims,
    Flatten,
    Rank,
    Reshape,
    Shape,
    Size,
    Squeeze,
    TensorShape,
)
from s2sad.ops.primitives.signs import Heaviside
from s2sad.ops.primitives.solving import (
    LogMatrixDeterminant,
    MatrixDeterminant,
    MatrixInverse,
    MatrixSolve,
)
from s2sad.ops.primitives.sorting import SearchSorted, Sort, TopK
from s2sad.ops.primitives.special import Digamma, Erf, Erfc, Erfinv, Lgamma
from s2sad.ops.primitives.stacking import AccumulateNV2, AddN
from s2sad.ops.primitives.state import (
    Assign,
    AssignAdd,
    AssignSub,
    ControlDepend,
    Depend,
    FloatStatus,
    Identity,
    StopGradient,
)
from s2sad.ops.primitives.trigonometric import ACos, Asin, Atan, Atan2, Cos, Sin, Sinc, Tan
from s2sad.ops.primitives.varying import MaskedSelect, NonZero, Unique, UniqueConsecutive
from s2sad.ops.primitives.warping import GridSampler2D
from s2sad.ops.primitives.whole_numbers import Gcd, Lcm, TruncateDiv, TruncateMod
from s2sad.ops.primitives.window import MirrorPad, Pad, PadV3, Slice, StridedSlice

__all__ = [
    "ACos", "Abs", "AccumulateNV2", "Acosh", "Adam", "AdaptiveAvgPool2D", "AdaptiveAvgPool3D",
    "AdaptiveMaxPool2D", "Add", "AddN", "Addcdiv", "Addcmul", "AllGather", "AllReduce", "AlltoAll",
    "ApplyMomentum", "ApproximateEqual", "ArgMaxWithValue", "ArgMinWithValue", "Argmax", "Argmin",
    "Asin", "Asinh", "Assign", "AssignAdd", "AssignSub", "Atan", "Atan2", "Atanh", "AvgPool",
    "AvgPool3D", "BCEWithLogitsLoss", "Barrier", "BatchMatMul", "BatchNorm", "BatchToSpaceND",
    "Bernoulli", "BiasAdd", "BinaryCrossEntropy", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
    "Broadcast", "BroadcastTo", "Cast", "Cdist", "CeLU", "Ceil", "Cholesky", "CholeskyInverse",
    "CollectiveGather", "CollectiveScatter", "Concat", "ControlDepend", "Conv2D",
    "Conv2DBackpropInput", "Conv2DTranspose", "Conv3D", "Cos", "Cosh", "Cross", "CumProd", "CumSum",
    "Cummax", "Cummin", "DType", "Depend", "DepthToSpace", "Diag", "DiagPart", "Digamma", "Div",
    "DivNoNan", "Dropout", "Dropout2D", "Dropout3D", "DynamicShape", "Einsum", "Elu",
    "EmbeddingLookup", "Equal", "Erf", "Erfc", "Erfinv", "Exp", "ExpandDims", "Expm1", "Eye",
    "FastGeLU", "Fill", "FillV2", "FlashAttentionScore", "Flatten", "FloatStatus", "Floor",
    "FloorDiv", "FloorMod", "Gamma", "Gather", "GatherD", "GatherNd", "GatherV2", "Gcd", "GeLU",
    "Gelu", "Ger", "Greater", "GreaterEqual", "GridSampler2D", "HShrink", "HSigmoid", "HSwish",
    "Heaviside", "HistogramSummary", "HookBackward", "Hypot", "Identity", "ImageSummary", "InTopK",
    "IndexAdd", "IndexFill", "InsertGradientOf", "Inv", "Invert", "InvertPermutation", "IsClose",
    "IsFinite", "IsInf", "IsNan", "KLDivLoss", "L2Loss", "L2Normalize", "LRN", "LayerNorm", "Lcm",
    "Lerp", "Less", "LessEqual", "Lgamma", "LinSpace", "Log", "Log1p", "LogMatrixDeterminant",
    "LogSoftmax", "LogicalAnd", "LogicalNot", "LogicalOr", "LogicalXor", "LpNorm", "MaskedFill",
    "MaskedSelect", "MatMul", "MatrixBandPart", "MatrixDeterminant", "MatrixInverse", "MatrixSolve",
    "MaxPool", "MaxPool3D", "MaxPoolWithArgmax", "Maximum", "Meshgrid", "Minimum", "MirrorPad",
    "Mish", "Mod", "Mul", "MulNoNan", "MultiMarginLoss", "Multinomial", "NLLLoss", "NanToNum",
    "Neg", "NeighborExchange", "NeighborExchangeV2", "NonZero", "NotEqual", "OneHot", "Ones",
    "OnesLike", "PReLU", "Pack", "Pad", "PadV3", "Partial", "Poisson", "Pow", "Primitive",
    "PrimitiveWithCheck", "PrimitiveWithInfer", "Print", "Qr", "RandomCategorical", "RandomShuffle",
    "Range", "Rank", "ReLU", "ReLU6", "RealDiv", "Receive", "Reciprocal", "Reduce", "ReduceAll",
    "ReduceAny", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceOp", "ReduceProd", "ReduceScatter",
    "ReduceSum", "Reshape", "ResizeBilinear", "ResizeBilinearV2", "ResizeNearestNeighbor",
    "ReverseSequence", "ReverseV2", "Rint", "RmsNorm", "Roll", "Round", "Rsqrt", "ScalarSummary",
    "ScalarToTensor", "ScatterAdd", "ScatterDiv", "ScatterMax", "ScatterMin", "ScatterMul",
    "ScatterNd", "ScatterNdAdd", "ScatterNdDiv", "ScatterNdMax", "ScatterNdMin", "ScatterNdMul",
    "ScatterNdSub", "ScatterSub", "ScatterUpdate", "SeLU", "SearchSorted", "Select", "Send",
    "Shape", "SiLU", "Sigmoid", "SigmoidCrossEntropyWithLogits", "Sign", "Sin", "Sinc", "Sinh",
    "Size", "Slice", "SmoothL1Loss", "SoftMarginLoss", "SoftShrink", "Softmax",
    "SoftmaxCrossEntropyWithLogits", "Softplus", "Softsign", "Sort", "SpaceToBatchND",
    "SpaceToDepth", "SparseGatherV2", "SparseSoftmaxCrossEntropyWithLogits", "Split", "Sqrt",
    "Square", "SquareSumAll", "SquaredDifference", "Squeeze", "Stack", "StandardLaplace",
    "StandardNormal", "StopGradient", "StridedSlice", "Sub", "Svd", "Tan", "Tanh", "TensorAdd",
    "TensorScatterAdd", "TensorScatterDiv", "TensorScatterElements", "TensorScatterMax",
    "TensorScatterMin", "TensorScatterMul", "TensorScatterSub", "TensorScatterUpdate",
    "TensorShape", "TensorSummary", "Tile", "TopK", "Trace", "Transpose", "Tril", "Triu", "Trunc",
    "TruncateDiv", "TruncateMod", "TupleToArray", "UniformInt", "UniformReal", "Unique",
    "UniqueConsecutive", "Unpack", "UnsortedSegmentMax", "UnsortedSegmentMin",
    "UnsortedSegmentProd", "UnsortedSegmentSum", "Unstack", "Xdivy", "Xlogy", "Zeros", "ZerosLike",
    "prim_attr_register",
]  # fmt: skip
