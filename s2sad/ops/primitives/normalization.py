"""Which objects normalise?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import normalization
from s2sad.ops.arithmetic import mul, rsqrt, square
from s2sad.ops.extreme import maximum
from s2sad.ops.normalization import batch_normalized, layer_normalized
from s2sad.ops.older import reduce_sum
from s2sad.ops.primitives.base import primitive
from s2sad.ops.primitives.checks import layout
from s2sad.ops.promotion import as_dtype, require_floats
from s2sad.ops.settings import flag, integer, not_negative, number
from s2sad.ops.statistics import mean as mean_of
from s2sad.ops.statistics import var


@primitive(
    is_training=flag,
    epsilon=not_negative,
    momentum=number,
    data_format=layout("BatchNorm", "NCHW", "NCDHW"),
)
def BatchNorm(
    input_x: Any, scale: Any, bias: Any, mean: Any, variance: Any, *, is_training: bool = False,
    epsilon: float = 1e-5, momentum: float = 0.1, data_format: str = "NCHW",
) -> tuple[Any, ...]:  # fmt: skip
    """`input_x`, of shape (N, C, ...), normalised in each channel: `ops.batch_norm`.

    Returns
    -------
    tuple of five Tensors
        The first is the result; then mean and variance with which it was normalised, those of the
        batch in training, twice. In training the Parameters `mean` and `variance` follow them.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; those of `ops.batch_norm`.

    Examples
    --------
    >>> import s2sad as ms
    >>> one, zero, four = ms.Tensor([1.0]), ms.Tensor([0.0]), ms.Tensor([4.0])
    >>> found = BatchNorm(epsilon=0.0)(ms.Tensor([[2.0], [6.0]]), one, zero, zero, four)
    >>> found[0].tolist(), len(found)
    ([[1.0], [3.0]], 5)
    """
    y = batch_normalized(
        "BatchNorm", input_x, mean, variance, scale, bias, is_training, momentum, epsilon
    )
    if is_training:
        axes = (0, *range(2, input_x.ndim))
        wide = as_dtype(input_x, input_x.dtype.compute)
        mean, variance = mean_of(wide, axes), var(wide, axes)
    return y, mean, variance, mean, variance


@primitive(begin_norm_axis=integer, begin_params_axis=integer, epsilon=not_negative)
def LayerNorm(
    input_x: Any, gamma: Any, beta: Any, *, begin_norm_axis: int = 1, begin_params_axis: int = 1,
    epsilon: float = 1e-7,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """`input_x` with mean 0 and variance 1 over its axes from `begin_norm_axis` on.

    The result is multiplied by `gamma`, and `beta` added; they have the shape of the axes from
    `begin_params_axis` on.

    Returns
    -------
    y : Tensor of the shape of `input_x`
    mean, rstd : Tensor
        The mean, and one over the standard deviation; size 1 for the axes that are normalised.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, E0401 for shapes that do not go
        together, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> one, zero = ms.Tensor([1.0, 1.0]), ms.Tensor([0.0, 0.0])
    >>> found = LayerNorm(epsilon=0.0)(ms.Tensor([[1.0, 5.0]]), one, zero)
    >>> [x.tolist() for x in found]
    [[[-1.0, 1.0]], [[3.0]], [[0.5]]]
    """
    return layer_normalized(
        "LayerNorm", input_x, gamma, beta, begin_norm_axis, begin_params_axis, epsilon
    )


@primitive(epsilon=not_negative)
def RmsNorm(x: Any, gamma: Any, *, epsilon: float = 1e-6) -> tuple[Any, Any]:
    """`x` with mean square 1, times `gamma`, and what it was multiplied by: `ops.rms_norm`.

    Examples
    --------
    >>> import s2sad as ms
    >>> RmsNorm(0.0)(ms.Tensor([[2.0, 2.0]]), ms.Tensor([1.0, 2.0]))[0].tolist()
    [[1.0, 2.0]]
    """
    return normalization.rms_norm(x, gamma, epsilon)


@primitive()
def LRN(
    x: Any, *, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Any:  # fmt: skip
    """`x` divided by a power of the squares in near channels: `ops.lrn`.

    Examples
    --------
    >>> import s2sad as ms
    >>> LRN(bias=0.0, beta=0.5)(ms.Tensor([[[[2.0]]]])).tolist()
    [[[[1.0]]]]
    """
    return normalization.lrn(x, depth_radius, bias, alpha, beta, norm_region)


@primitive(epsilon=not_negative)
def L2Normalize(x: Any, *, axis: Any = 0, epsilon: float = 1e-4) -> Any:
    """`x` over its Euclidean length along `axis`: ``x / sqrt(max(sum(x**2), epsilon))``.

    `axis` is an int, or a list or tuple of int.

    Raises
    ------
    S2sadError
        E0301 unless `x` is of floats, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> L2Normalize(axis=1)(ms.Tensor([[3.0, 4.0]])).tolist()
    [[0.6000000..., 0.8000000...]]
    """
    wide = as_dtype(require_floats(x, "L2Normalize"), x.dtype.compute)
    squares = reduce_sum(square(wide), axis, keep_dims=True)
    return as_dtype(mul(wide, rsqrt(maximum(squares, epsilon))), x.dtype)
