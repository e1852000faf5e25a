"""Which primitives and Cells gain by a narrow float, and which need a wide one?

The lists of MindSpore 2.10's level ``"auto"``, for the primitives that its operations are here.
What is in neither computes in the dtype in which its operands meet. An operation that is one
primitive there and several here is decided as one, before its first.
"""

from __future__ import annotations

#: How much of a program computes in a narrow float, in the words of MindSpore.
LEVELS = ("O0", "O1", "O2", "O3", "auto")

#: Classes of Cells that compute in a narrow float at level O1.
NARROW_CELLS = (
    "Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose", "Dense",
    "LSTMCell", "RNNCell", "GRUCell",
)  # fmt: skip

#: Classes of Cells that compute in float32 at level O2.
WIDE_CELLS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm")

#: Many products and one sum, which is accumulated in float32 in any case.
NARROW = frozenset({
    "matmul", "einsum", "conv", "conv_transpose",
})  # fmt: skip

#: Operations of many primitives that compute in float32 as one, their operands cast first.
WIDE_OPERATIONS = frozenset({
    "kl_div", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss", "multi_margin_loss",
    "multilabel_margin_loss", "binary_cross_entropy_with_logits", "nll_loss", "softplus",
    "reciprocal", "cdist", "renorm",
})  # fmt: skip

#: Operations of many primitives that compute in a narrow float as one, what they add included.
NARROW_OPERATIONS = frozenset({"dense", "prelu"})

#: What leaves the range of float16 soon, or adds up many elements.
WIDE = frozenset({
    "pow", "acos", "asin", "cosh", "erfinv", "exp", "exp2", "expm1", "log", "log10", "log1p",
    "log2", "rsqrt", "sinh", "tan", "softplus", "log_sigmoid", "layer_norm", "rms_norm",
    "batch_norm", "batch_norm_inference", "reduce_sum", "reduce_prod", "cumsum", "cumprod",
    "softmax", "log_softmax", "log_sum_exp", "cross_entropy", "sparse_cross_entropy", "variance",
    "standard_deviation",
})  # fmt: skip
