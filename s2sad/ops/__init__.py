"""MindSpore's operations: overloads, defaults and promotion, as Python functions over prims."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from s2sad.core.elsewhere import missing as _missing
from s2sad.core.jacobians import hessian, jacfwd, jacrev
from s2sad.core.mapping import vmap
from s2sad.core.transform import get_grad, grad, jvp, value_and_grad, vjp
from s2sad.ops.activation import (
    fast_gelu,
    gelu,
    glu,
    log_softmax,
    logsigmoid,
    mish,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softsign,
    tanh,
    tanhshrink,
)
from s2sad.ops.adaptive_pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
)
from s2sad.ops.affine import bias_add, dense
from s2sad.ops.alignment_loss import ctc_loss
from s2sad.ops.arithmetic import (
    abs,  # noqa: A004
    absolute,
    add,
    addcdiv,
    addcmul,
    hypot,
    lerp,
    mul,
    multiply,
    neg,
    negative,
    positive,
    pow,  # noqa: A004
    rsqrt,
    sgn,
    sign,
    sqrt,
    square,
    sub,
    subtract,
)
from s2sad.ops.arrange import (
    diag,
    diagonal,
    meshgrid,
    repeat_elements,
    repeat_interleave,
    tile,
    tril,
    tril_indices,
    triu,
    triu_indices,
)
from s2sad.ops.assignment import index_put
from s2sad.ops.attention_reach import causal_mask, sliding_window_mask
from s2sad.ops.axes import (
    flip,
    moveaxis,
    movedim,
    permute,
    roll,
    rot90,
    swapaxes,
    swapdims,
    t,
    transpose,
)
from s2sad.ops.called import faced as _faced
from s2sad.ops.candidates import log_uniform_candidate_sampler, uniform_candidate_sampler
from s2sad.ops.clipping import clip_by_global_norm, clip_by_norm
from s2sad.ops.comparison import (
    allclose,
    eq,
    equal,
    ge,
    greater,
    greater_equal,
    gt,
    isclose,
    isfinite,
    isinf,
    isnan,
    le,
    less,
    less_equal,
    lt,
    nan_to_num,
    ne,
    not_equal,
    where,
)
from s2sad.ops.composite import HyperMap, Map, MultitypeFuncGraph, partial
from s2sad.ops.composite.objects import print_
from s2sad.ops.conv import conv1d, conv2d, conv3d, conv_transpose2d
from s2sad.ops.counting import bucketize, histc, intopk
from s2sad.ops.creation import (
    empty,
    empty_like,
    eye,
    fill,
    full,
    full_like,
    one_hot,
    ones,
    ones_like,
    scalar_to_tensor,
    tuple_to_array,
    zeros,
    zeros_like,
)
from s2sad.ops.diagonals import block_diag, diag_embed, diagflat, fill_diagonal
from s2sad.ops.differences import cov, diff, trapz
from s2sad.ops.distances import cdist, dist, pdist
from s2sad.ops.distributions import (
    gamma,
    laplace,
    poisson,
    random_gamma,
    random_poisson,
    standard_laplace,
)
from s2sad.ops.division import (
    div,
    divide,
    floor_div,
    floor_divide,
    floor_mod,
    fmod,
    reciprocal,
    remainder,
    true_divide,
)
from s2sad.ops.dropouts import dropout, dropout1d, dropout2d, dropout3d
from s2sad.ops.exponential import (
    acosh,
    arccosh,
    arcsinh,
    arctanh,
    asinh,
    atanh,
    cosh,
    exp,
    exp2,
    expm1,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logaddexp2,
    sinh,
    xlogy,
)
from s2sad.ops.extreme import clamp, clip, clip_by_value, fmax, fmin, maximum, minimum
from s2sad.ops.factoring import cholesky, cholesky_inverse, cholesky_solve, qr, svd
from s2sad.ops.flash_attention import flash_attention_score
from s2sad.ops.gradient import GradOperation
from s2sad.ops.hooks import HookBackward, InsertGradientOf
from s2sad.ops.index import (
    gather,
    gather_d,
    gather_elements,
    gather_nd,
    index_select,
    take,
)
from s2sad.ops.join import (
    cat,
    chunk,
    concat,
    hstack,
    split,
    stack,
    tensor_split,
    unbind,
    unstack,
    vstack,
)
from s2sad.ops.known import constexpr, identity, is_complex, is_floating_point
from s2sad.ops.linalg import (
    addbmm,
    addmm,
    addmv,
    baddbmm,
    bmm,
    cross,
    dot,
    einsum,
    inner,
    kron,
    matmul,
    mm,
    mv,
    outer,
    tensor_dot,
    trace,
)
from s2sad.ops.logic import (
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
)
from s2sad.ops.lookup import embedding
from s2sad.ops.loss import cross_entropy, nll_loss
from s2sad.ops.magnitude import matrix_norm, norm, vector_norm
from s2sad.ops.margin_loss import (
    cosine_embedding_loss,
    cosine_similarity,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    triplet_margin_loss,
)
from s2sad.ops.methods import METHODS
from s2sad.ops.norm_pool import lp_pool1d, lp_pool2d
from s2sad.ops.normalization import batch_norm, group_norm, layer_norm, lrn, rms_norm
from s2sad.ops.older import (
    pows,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from s2sad.ops.parameter_writes import (
    inplace_add,
    inplace_index_add,
    inplace_sub,
    inplace_update,
    scatter_div,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_nd_add,
    scatter_nd_div,
    scatter_nd_max,
    scatter_nd_min,
    scatter_nd_mul,
    scatter_nd_sub,
    scatter_sub,
)
from s2sad.ops.patches import fold, unfold
from s2sad.ops.pool import avg_pool1d, avg_pool2d, avg_pool3d, max_pool2d, max_pool3d
from s2sad.ops.positions import kv_cache_update, rotary_position_embedding, rotary_tables
from s2sad.ops.powers import float_power, ldexp, logit, xdivy
from s2sad.ops.probability_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    kl_div,
    multilabel_soft_margin_loss,
    soft_margin_loss,
)
from s2sad.ops.products import (
    addr,
    batch_dot,
    ger,
    matrix_band_part,
    normalize,
    renorm,
    vander,
    vecdot,
)
from s2sad.ops.promotion import is_tensor
from s2sad.ops.quantiles import aminmax, nanmedian, nanquantile, quantile
from s2sad.ops.random import normal, rand, rand_like, randn, randn_like, standard_normal, uniform
from s2sad.ops.random_integers import randint, randint_like, randperm, shuffle
from s2sad.ops.rectifiers import (
    celu,
    elu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    prelu,
    relu,
    relu6,
    rrelu,
    selu,
    softshrink,
    threshold,
)
from s2sad.ops.reduce import (
    all,  # noqa: A004
    amax,
    amin,
    any,  # noqa: A004
    argmax,
    argmin,
    count_nonzero,
    max,  # noqa: A004
    min,  # noqa: A004
    nansum,
    prod,
    sum,  # noqa: A004
)
from s2sad.ops.regression_loss import (
    gaussian_nll_loss,
    huber_loss,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
)
from s2sad.ops.reordering import (
    batch_to_space_nd,
    combinations,
    msort,
    reverse,
    reverse_sequence,
    space_to_batch_nd,
)
from s2sad.ops.resize import interpolate, upsample
from s2sad.ops.rounding import ceil, fix, floor, frac, round, trunc  # noqa: A004
from s2sad.ops.sampling import bernoulli, gumbel_softmax, multinomial, random_categorical
from s2sad.ops.scaled_attention import scaled_dot_product_attention
from s2sad.ops.scan import cummax, cummin, cumprod, cumsum, logcumsumexp
from s2sad.ops.scattering import (
    index_add,
    index_fill,
    scatter,
    scatter_add,
    scatter_nd,
    scatter_update,
    tensor_scatter_add,
    tensor_scatter_div,
    tensor_scatter_elements,
    tensor_scatter_max,
    tensor_scatter_min,
    tensor_scatter_mul,
    tensor_scatter_sub,
    tensor_scatter_update,
    unsorted_segment_sum,
)
from s2sad.ops.segments import unsorted_segment_max, unsorted_segment_min, unsorted_segment_prod
from s2sad.ops.selection import (
    masked_fill,
    masked_scatter,
    select,
    sequence_mask,
)
from s2sad.ops.sequence import arange, linspace, logspace, range  # noqa: A004
from s2sad.ops.shapes import (
    broadcast_to,
    cast,
    dtype,
    dyn_shape,
    expand,
    expand_as,
    expand_dims,
    flatten,
    numel,
    rank,
    ravel,
    reshape,
    shape,
    size,
    squeeze,
    unsqueeze,
    view_as,
)
from s2sad.ops.sharding import shard
from s2sad.ops.shuffling import channel_shuffle, pixel_shuffle, pixel_unshuffle
from s2sad.ops.signs import copysign, heaviside, isneginf, isposinf, signbit
from s2sad.ops.solving import det, inverse, logdet, lstsq, matrix_power, matrix_solve, pinv, slogdet
from s2sad.ops.sorting import (
    argsort,
    searchsorted,
    sort,
    top_k,
    topk,
)
from s2sad.ops.special import digamma, erf, erfc, erfinv, lgamma, polygamma
from s2sad.ops.stacking import (
    accumulate_n,
    addn,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    column_stack,
    dsplit,
    dstack,
    fliplr,
    flipud,
    hsplit,
    vsplit,
)
from s2sad.ops.state import assign, assign_add, assign_sub, depend, stop_gradient
from s2sad.ops.statistics import logsumexp, mean, median, nanmean, std, std_mean, var, var_mean
from s2sad.ops.taper import (
    bartlett_window,
    blackman_window,
    hamming_window,
    hann_window,
    kaiser_window,
)
from s2sad.ops.trigonometric import (
    acos,
    arccos,
    arcsin,
    arctan,
    arctan2,
    asin,
    atan,
    atan2,
    cos,
    deg2rad,
    rad2deg,
    sin,
    sinc,
    tan,
)
from s2sad.ops.unpooling import max_unpool1d, max_unpool2d, max_unpool3d
from s2sad.ops.varying import (
    argwhere,
    bincount,
    masked_select,
    nonzero,
    unique,
    unique_consecutive,
)
from s2sad.ops.warping import affine_grid, grid_sample
from s2sad.ops.whole_numbers import gcd, lcm, truncate_div, truncate_mod
from s2sad.ops.window import (
    narrow,
    pad,
    slice,  # noqa: A004
    strided_slice,
)

__all__ = [
    "GradOperation", "HookBackward", "HyperMap", "InsertGradientOf", "METHODS", "Map",
    "MultitypeFuncGraph", "abs", "absolute", "accumulate_n", "acos", "acosh", "adaptive_avg_pool1d",
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addn", "addr", "affine_grid", "all",
    "allclose", "amax", "amin", "aminmax", "any", "arange", "arccos", "arccosh", "arcsin",
    "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort", "argwhere", "asin",
    "asinh", "assign", "assign_add", "assign_sub", "atan", "atan2", "atanh", "atleast_1d",
    "atleast_2d", "atleast_3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "baddbmm",
    "bartlett_window", "batch_dot", "batch_norm", "batch_to_space_nd", "bernoulli", "bias_add",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "bincount", "bitwise_and",
    "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "blackman_window", "block_diag", "bmm", "broadcast_to", "bucketize", "cast", "cat",
    "causal_mask", "cdist", "ceil", "celu", "channel_shuffle", "cholesky", "cholesky_inverse",
    "cholesky_solve", "chunk", "clamp", "clip", "clip_by_global_norm", "clip_by_norm",
    "clip_by_value", "column_stack", "combinations", "concat", "constexpr", "conv1d", "conv2d",
    "conv3d", "conv_transpose2d", "copysign", "cos", "cosh", "cosine_embedding_loss",
    "cosine_similarity", "count_nonzero", "cov", "cross", "cross_entropy", "ctc_loss", "cummax",
    "cummin", "cumprod", "cumsum", "deg2rad", "dense", "depend", "det", "diag", "diag_embed",
    "diagflat", "diagonal", "diff", "digamma", "dist", "div", "divide", "dot", "dropout",
    "dropout1d", "dropout2d", "dropout3d", "dsplit", "dstack", "dtype", "dyn_shape", "einsum",
    "elu", "embedding", "empty", "empty_like", "eq", "equal", "erf", "erfc", "erfinv", "exp",
    "exp2", "expand", "expand_as", "expand_dims", "expm1", "eye", "fast_gelu", "fill",
    "fill_diagonal", "fix", "flash_attention_score", "flatten", "flip", "fliplr", "flipud",
    "float_power", "floor", "floor_div", "floor_divide", "floor_mod", "fmax", "fmin", "fmod",
    "fold", "frac", "full", "full_like", "gamma", "gather", "gather_d", "gather_elements",
    "gather_nd", "gaussian_nll_loss", "gcd", "ge", "gelu", "ger", "get_grad", "glu", "grad",
    "greater", "greater_equal", "grid_sample", "group_norm", "gt", "gumbel_softmax",
    "hamming_window", "hann_window", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
    "heaviside", "hessian", "hinge_embedding_loss", "histc", "hsplit", "hstack", "huber_loss",
    "hypot", "identity", "index_add", "index_fill", "index_put", "index_select", "inner",
    "inplace_add", "inplace_index_add", "inplace_sub", "inplace_update", "interpolate", "intopk",
    "inverse", "is_complex", "is_floating_point", "is_tensor", "isclose", "isfinite", "isinf",
    "isnan", "isneginf", "isposinf", "jacfwd", "jacrev", "jvp", "kaiser_window", "kl_div", "kron",
    "kv_cache_update", "l1_loss", "laplace", "layer_norm", "lcm", "ldexp", "le", "leaky_relu",
    "lerp", "less", "less_equal", "lgamma", "linspace", "log", "log10", "log1p", "log2",
    "log_softmax", "log_uniform_candidate_sampler", "logaddexp", "logaddexp2", "logcumsumexp",
    "logdet", "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid",
    "logspace", "logsumexp", "lp_pool1d", "lp_pool2d", "lrn", "lstsq", "lt", "margin_ranking_loss",
    "masked_fill", "masked_scatter", "masked_select", "matmul", "matrix_band_part", "matrix_norm",
    "matrix_power", "matrix_solve", "max", "max_pool2d", "max_pool3d", "max_unpool1d",
    "max_unpool2d", "max_unpool3d", "maximum", "mean", "median", "meshgrid", "min", "minimum",
    "mish", "mm", "moveaxis", "movedim", "mse_loss", "msort", "mul", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "multinomial", "multiply", "mv",
    "nan_to_num", "nanmean", "nanmedian", "nanquantile", "nansum", "narrow", "ne", "neg",
    "negative", "nll_loss", "nonzero", "norm", "normal", "normalize", "not_equal", "numel",
    "one_hot", "ones", "ones_like", "outer", "pad", "partial", "pdist", "permute", "pinv",
    "pixel_shuffle", "pixel_unshuffle", "poisson", "polygamma", "positive", "pow", "pows", "prelu",
    "print_", "prod", "qr", "quantile", "rad2deg", "rand", "rand_like", "randint", "randint_like",
    "randn", "randn_like", "random_categorical", "random_gamma", "random_poisson", "randperm",
    "range", "rank", "ravel", "reciprocal", "reduce_all", "reduce_any", "reduce_max", "reduce_mean",
    "reduce_min", "reduce_prod", "reduce_sum", "relu", "relu6", "remainder", "renorm",
    "repeat_elements", "repeat_interleave", "reshape", "reverse", "reverse_sequence", "rms_norm",
    "roll", "rot90", "rotary_position_embedding", "rotary_tables", "round", "rrelu", "rsqrt",
    "scalar_to_tensor", "scaled_dot_product_attention", "scatter", "scatter_add", "scatter_div",
    "scatter_max", "scatter_min", "scatter_mul", "scatter_nd", "scatter_nd_add", "scatter_nd_div",
    "scatter_nd_max", "scatter_nd_min", "scatter_nd_mul", "scatter_nd_sub", "scatter_sub",
    "scatter_update", "searchsorted", "select", "selu", "sequence_mask", "sgn", "shape", "shard",
    "shuffle", "sigmoid", "sign", "signbit", "silu", "sin", "sinc", "sinh", "size", "slice",
    "sliding_window_mask", "slogdet", "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin",
    "softplus", "softshrink", "softsign", "sort", "space_to_batch_nd", "split", "sqrt", "square",
    "squeeze", "stack", "standard_laplace", "standard_normal", "std", "std_mean", "stop_gradient",
    "strided_slice", "sub", "subtract", "sum", "svd", "swapaxes", "swapdims", "t", "take", "tan",
    "tanh", "tanhshrink", "tensor_dot", "tensor_scatter_add", "tensor_scatter_div",
    "tensor_scatter_elements", "tensor_scatter_max", "tensor_scatter_min", "tensor_scatter_mul",
    "tensor_scatter_sub", "tensor_scatter_update", "tensor_split", "threshold", "tile", "top_k",
    "topk", "trace", "transpose", "trapz", "tril", "tril_indices", "triplet_margin_loss", "triu",
    "triu_indices", "true_divide", "trunc", "truncate_div", "truncate_mod", "tuple_to_array",
    "unbind", "unfold", "uniform", "uniform_candidate_sampler", "unique", "unique_consecutive",
    "unsorted_segment_max", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sum",
    "unsqueeze", "unstack", "upsample", "value_and_grad", "vander", "var", "var_mean", "vecdot",
    "vector_norm", "view_as", "vjp", "vmap", "vsplit", "vstack", "where", "xdivy", "xlogy", "zeros",
    "zeros_like",
]  # fmt: skip


#: Modules that are imported on first need.
_MODULES = ("functional", "operations")

globals().update(_faced(globals(), __all__, __name__))

if _TYPE_CHECKING:
    from s2sad.ops import functional, operations  # noqa: F401
    from s2sad.ops.operations import *  # noqa: F403


def __getattr__(name: str) -> _Any:
    """Operations that are objects, which are imported on first need."""
    if name in _MODULES:
        return _import_module(f"s2sad.ops.{name}")
    known = __all__
    if name[:1].isupper() or name == "prim_attr_register":
        objects = _import_module("s2sad.ops.operations")
        if name in objects.__all__:
            globals()[name] = getattr(objects, name)
            return globals()[name]
        known = [*__all__, *objects.__all__]
    raise _missing("s2sad.ops", name, known)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_import_module("s2sad.ops.operations").__all__})
