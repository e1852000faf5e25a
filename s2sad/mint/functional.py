"""Which functions of layers does `mint` have, and how do they differ from those of `ops`?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import ops
from s2sad.core.diagnostics import fail
from s2sad.ops.renaming import renamed

#: Functions of `ops` that are the same here.
SAME = (
    "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
    "adaptive_max_pool2d cosine_embedding_loss cosine_similarity "
    "cross_entropy dropout2d embedding fold grid_sample group_norm hardshrink hardsigmoid "
    "hardswish interpolate l1_loss layer_norm mse_loss normalize pixel_shuffle pixel_unshuffle "
    "prelu relu sigmoid silu softplus softshrink tanh tanhshrink unfold"
).split()

#: Functions of `ops` whose arguments have other names here, in the same order.
RENAMED: dict[str, tuple[str, dict[str, str]]] = {
    "batch_norm": ("batch_norm", {"input": "input_x"}),
    "binary_cross_entropy": ("binary_cross_entropy", {"input": "logits", "target": "labels"}),
    "elu": ("elu", {"input": "input_x"}), "glu": ("glu", {"input": "x", "dim": "axis"}),
    "linear": ("dense", {}), "logsigmoid": ("logsigmoid", {"input": "x"}),
    "max_unpool2d": ("max_unpool2d", {"input": "x"}), "mish": ("mish", {"input": "x"}),
    "nll_loss": ("nll_loss", {"input": "inputs"}),
    "pad": ("pad", {"input": "input_x", "pad": "padding"}), "relu6": ("relu6", {"input": "x"}),
    "selu": ("selu", {"input": "input_x"}), "softsign": ("softsign", {"input": "x"}),
    "threshold": ("threshold", {"threshold": "thr"}),
}  # fmt: skip


def avg_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """Mean of each window, which are `kernel_size` apart unless `stride` says otherwise."""
    step = kernel_size if stride is None else stride
    return ops.avg_pool1d(input, kernel_size, step, padding, ceil_mode, count_include_pad)


def avg_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """Mean of each window, which are `kernel_size` apart unless `stride` says otherwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> avg_pool2d(ms.Tensor([[[[1.0, 3.0], [5.0, 7.0]]]]), 2).item()
    4.0
    """
    step = kernel_size if stride is None else stride
    return ops.avg_pool2d(
        input, kernel_size, step, padding, ceil_mode, count_include_pad, divisor_override
    )


def max_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, *,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Largest of each window, and its place where `return_indices` says so."""
    return ops.max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Any:
    """Cross entropy of the probabilities of which `input` holds the logits."""
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def conv1d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Convolution over one spatial axis; `padding` is a number, or ``"same"`` or ``"valid"``."""
    return ops.conv1d(input, weight, bias, stride, *_padded(padding), dilation, groups)


def conv2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Convolution of images; `padding` is numbers, or ``"same"`` or ``"valid"``.

    Examples
    --------
    >>> import s2sad as ms
    >>> conv2d(ms.ops.ones((1, 1, 3, 3)), ms.ops.ones((1, 1, 3, 3)), padding=1).asnumpy()[0, 0]
    array([[4., 6., 4.],
           [6., 9., 6.],
           [4., 6., 4.]], dtype=float32)
    """
    return ops.conv2d(input, weight, bias, stride, *_padded(padding), dilation, groups)


def conv3d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Convolution over three spatial axes; `padding` is as that of `conv2d`."""
    return ops.conv3d(input, weight, bias, stride, *_padded(padding), dilation, groups)


def conv_transpose2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """The transpose of a convolution of images."""
    return ops.conv_transpose2d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def _padded(padding: Any) -> tuple[str, Any]:
    """`pad_mode` and `padding` as the convolutions of `ops` take them."""
    return (padding, 0) if isinstance(padding, str) else ("pad", padding)


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Zeros in place of elements with the probability `p`, the others grown to make up for it."""
    _require_new("dropout", inplace)
    return ops.dropout(input, p, training)


def gelu(input: Any, *, approximate: str = "none") -> Any:
    """``input * P(X <= input)`` for a normal X, or its approximation by ``"tanh"``."""
    return ops.gelu(input, approximate)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """`input` between `min_val` and `max_val`, which stand for what is beyond them."""
    _require_new("hardtanh", inplace)
    return ops.hardtanh(input, min_val, max_val)


def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """Divergence of the distribution `target` from that whose logarithms are `input`."""
    return ops.kl_div(input, ops.exp(target) if log_target else target, reduction)


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """`input` where it is positive, else `negative_slope` times it.

    Examples
    --------
    >>> import s2sad as ms
    >>> leaky_relu(ms.Tensor([-2.0, 2.0])).asnumpy()
    array([-0.02,  2.  ], dtype=float32)
    """
    _require_new("leaky_relu", inplace)
    return ops.leaky_relu(input, negative_slope)


def log_softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """Logarithm of `softmax`."""
    given = input if dtype is None else ops.cast(input, dtype)
    return ops.log_softmax(given, _axis(input, dim))


def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """Rows of `num_classes` zeros with a one at the index that `tensor` holds, as int64.

    Raises
    ------
    S2sadError
        E0404 where `num_classes` is not given: it would depend on what the Tensor holds.

    Examples
    --------
    >>> import s2sad as ms
    >>> one_hot(ms.Tensor([1, 0]), 2).tolist()
    [[0, 1], [1, 0]]
    """
    if num_classes == -1:
        raise fail(
            "E0404", "one_hot needs num_classes: a shape cannot depend on what a Tensor holds",
            help="write one_hot(x, num_classes=...)",
        )  # fmt: skip
    return ops.one_hot(tensor, num_classes)


def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """Half the square of differences below `beta`, over it; beyond it grows as they do."""
    return ops.smooth_l1_loss(input, target, beta, reduction)


def softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """Exponentials scaled to sum to one along `dim`.

    Without `dim` it is the axis 0 of what has 0, 1 or 3 axes, else 1.
    """
    return ops.softmax(input, _axis(input, dim), dtype=dtype)


def _axis(input: Any, dim: int | None) -> int:
    if dim is not None:
        return dim
    return 0 if input.ndim in (0, 1, 3) else 1


def _require_new(name: str, inplace: bool) -> None:
    if inplace:
        raise fail("E0404", f"{name} gives a new Tensor, got inplace=True", help="leave it out")


_WRITTEN = (
    avg_pool1d, avg_pool2d, binary_cross_entropy_with_logits, conv1d, conv2d, conv3d,
    conv_transpose2d, dropout, gelu, hardtanh, kl_div, leaky_relu, log_softmax, max_pool2d,
    one_hot, smooth_l1_loss, softmax,
)  # fmt: skip

#: All functions of `mint.nn.functional`.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(ops, name) for name in SAME},
    **{name: renamed(name, getattr(ops, of), names) for name, (of, names) in RENAMED.items()},
    **{each.__name__: each for each in _WRITTEN},
}
