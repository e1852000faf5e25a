"""Which layers of `mint` have Parameters, and what are those called? ``weight`` and ``bias``."""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.nn.affine import set_affine
from s2sad.nn.embedding import Embedding as _Table
from s2sad.nn.initializer import initializer
from s2sad.ops.conv import convolved
from s2sad.ops.normalization import batch_normalized
from s2sad.ops.settings import flag, fraction, integer, integers, number
from s2sad.ops.spatial import require_axes, sizes_of


class Embedding(Cell):
    """A vector for each index: the row of ``weight``, which is drawn from a normal distribution.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        How many rows, of how many elements.
    padding_idx : int, optional
        A row that is zero at first.
    max_norm, norm_type, scale_grad_by_freq, sparse
        All but the defaults is an error.
    dtype : DType, optional
        Of the table, float32 by default.

    Attributes
    ----------
    weight : Parameter, shape (num_embeddings, embedding_dim)

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, E0310 for one that is not supported;
        in a call those of `ops.embedding`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.mint.nn.Embedding(4, 2, padding_idx=1)(ms.Tensor([1])).tolist()
    [[0.0, 0.0]]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if max_norm is not None or scale_grad_by_freq or sparse:
            raise fail(
                "E0310", "max_norm, scale_grad_by_freq and sparse of Embedding are not supported",
                help="leave them out",
            )  # fmt: skip
        made = _Table(
            num_embeddings, embedding_dim, False, "normal", _dtype(dtype), padding_idx
        ).embedding_table
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx
        self.weight = Parameter(made.value(), name="weight")

    def construct(self, input: Any) -> Any:
        return ops.embedding(input, self.weight, self.padding_idx)

    def extend_repr(self) -> str:
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"padding_idx={self.padding_idx}"
        )


class _Affine(Cell):
    """Parameters ``weight``, ones at first, and ``bias``, zeros; None where there is none."""

    def _set_affine(
        self, shape: Any, has_weight: bool, has_bias: bool, dtype: DType | None
    ) -> None:
        kind = _dtype(dtype)
        self.weight = self.bias = None
        if flag("weight", has_weight):
            self.weight = Parameter(initializer("ones", shape, kind), name="weight")
        if flag("bias", has_bias):
            self.bias = Parameter(initializer("zeros", shape, kind), name="bias")


class LayerNorm(_Affine):
    """Mean 0 and variance 1 over the last axes, times ``weight``, plus ``bias``.

    Parameters
    ----------
    normalized_shape : int, or tuple or list of int
        Sizes of those axes.
    eps : float
        Added to the variance.
    elementwise_affine : bool
        Whether there are a weight and a bias at all.
    bias : bool
        Whether there is a bias beside the weight.
    dtype : DType, optional

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.mint.nn.LayerNorm(2)(ms.Tensor([[1.0, 3.0]])).asnumpy().round(3)
    array([[-1.,  1.]], dtype=float32)
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        is_one = isinstance(normalized_shape, int)
        shape = (normalized_shape,) if is_one else normalized_shape
        self.normalized_shape = integers("normalized_shape", shape, 1)
        self.eps = number("eps", eps)
        self.elementwise_affine = flag("elementwise_affine", elementwise_affine)
        has_bias = elementwise_affine and flag("bias", bias)
        self._set_affine(self.normalized_shape, elementwise_affine, has_bias, dtype)

    def construct(self, input: Any) -> Any:
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, affine={self.elementwise_affine}"


class GroupNorm(_Affine):
    """Mean 0 and variance 1 in each group of channels, times ``weight``, plus ``bias``.

    Parameters
    ----------
    num_groups, num_channels : int
        The first divides the second.
    eps : float
    affine : bool
        Whether there are a weight and a bias.
    dtype : DType, optional
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.num_groups = integer("num_groups", num_groups, 1)
        self.num_channels = integer("num_channels", num_channels, 1)
        if num_channels % num_groups:
            raise fail(
                "E0404", f"num_groups must divide num_channels, got {num_groups} and {num_channels}"
            )
        self.eps = number("eps", eps)
        self._set_affine((num_channels,), affine, affine, dtype)

    def construct(self, input: Any) -> Any:
        return ops.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}"


class _BatchNorm(_Affine):
    """Mean 0 and variance 1 in each channel: of the batch in training, else of all batches."""

    AXES: ClassVar[tuple[int, ...]]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.num_features = integer("num_features", num_features, 1)
        self.eps, self.momentum = number("eps", eps), fraction("momentum", momentum)
        if not flag("track_running_stats", track_running_stats):
            raise fail("E0404", "track_running_stats can only be True")
        self._set_affine((num_features,), affine, affine, dtype)
        zeros, ones = (initializer(x, (num_features,), _dtype(dtype)) for x in ("zeros", "ones"))
        self.running_mean = Parameter(zeros, name="running_mean", requires_grad=False)
        self.running_var = Parameter(ones, name="running_var", requires_grad=False)

    def construct(self, input: Any) -> Any:
        require_axes(self.cls_name, input, *self.AXES)
        return batch_normalized(
            self.cls_name, input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training, self.momentum, self.eps,
        )  # fmt: skip

    def extend_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}"


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L); `momentum` is the weight of the new value."""

    AXES = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W); `momentum` is the weight of the new value."""

    AXES = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W); `momentum` is the weight of the new value."""

    AXES = (5,)


class _Conv(Cell):
    """Filters over `RANK` spatial axes."""

    RANK: ClassVar[int]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_channels = integer("in_channels", in_channels, 1)
        self.out_channels = integer("out_channels", out_channels, 1)
        self.kernel_size = sizes_of("kernel_size", kernel_size, self.RANK)
        self.stride = sizes_of("stride", stride, self.RANK)
        self.dilation = sizes_of("dilation", dilation, self.RANK)
        self.pad_mode, self.padding = (padding, 0) if isinstance(padding, str) else ("pad", padding)
        self.groups = integer("groups", groups, 1)
        if in_channels % groups or out_channels % groups:
            raise fail("E0404", f"groups must divide {in_channels} and {out_channels} channels")
        if padding_mode != "zeros":
            raise fail("E0404", f'padding_mode can only be "zeros", got {padding_mode!r}')
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        set_affine(self, shape, out_channels, flag("bias", bias), None, None, _dtype(dtype))

    def construct(self, input: Any) -> Any:
        return convolved(
            self.cls_name, self.RANK, input, self.weight, self.bias, self.stride, self.pad_mode,
            self.padding, self.dilation, self.groups,
        )  # fmt: skip

    def extend_repr(self) -> str:
        return (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, padding={self.padding}, groups={self.groups}"
        )


class Conv1d(_Conv):
    """Convolution over one spatial axis; see `Conv2d`."""

    RANK = 1


class Conv2d(_Conv):
    """Convolution of images (N, C, H, W), without padding and with a bias by default.

    Parameters
    ----------
    in_channels, out_channels : int
    kernel_size, stride, dilation : int, or tuple of two int
    padding : int, tuple of int, ``"same"`` or ``"valid"``
    groups : int
        Divides both numbers of channels.
    bias : bool
    padding_mode : {"zeros"}
    dtype : DType, optional

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.mint.nn.Conv2d(3, 4, 3, padding=1)(ms.ops.ones((1, 3, 5, 5))).shape
    (1, 4, 5, 5)
    """

    RANK = 2


class Conv3d(_Conv):
    """Convolution over three spatial axes; see `Conv2d`."""

    RANK = 3


def _dtype(given: DType | None) -> DType:
    return dtypes.float32 if given is None else given
