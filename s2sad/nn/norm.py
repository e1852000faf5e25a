"""Which Cells normalise, and what do they learn and remember?"""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.nn.initializer import initializer
from s2sad.ops.normalization import batch_normalized, group_normalized, normalized
from s2sad.ops.settings import flag, fraction, integer, integers, number
from s2sad.ops.spatial import require_axes, require_layout


class _Normalization(Cell):
    """Parameters `gamma` and `beta`, what is multiplied by and what is added."""

    gamma: Parameter
    beta: Parameter

    def _set_affine(
        self, shape: int | tuple[int, ...], gamma_init: Any, beta_init: Any, affine: bool,
        dtype: DType,
    ) -> None:  # fmt: skip
        is_trained = flag("affine", affine)
        gamma, beta = initializer(gamma_init, shape, dtype), initializer(beta_init, shape, dtype)
        self.gamma = Parameter(gamma, name="gamma", requires_grad=is_trained)
        self.beta = Parameter(beta, name="beta", requires_grad=is_trained)


class Moving(_Normalization):
    """Statistics that training collects."""

    moving_mean: Parameter
    moving_variance: Parameter

    def _set_moving(
        self, num_features: int, eps: float, momentum: float, mean_init: Any, variance_init: Any,
        dtype: DType,
    ) -> None:  # fmt: skip
        self.num_features = integer("num_features", num_features, 1)
        self.eps = number("eps", eps)
        fraction("momentum", momentum)
        self.momentum = momentum
        mean, variance = (
            initializer(rule, num_features, dtype) for rule in (mean_init, variance_init)
        )
        self.moving_mean = Parameter(mean, name="mean", requires_grad=False)
        self.moving_variance = Parameter(variance, name="variance", requires_grad=False)

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class _BatchNorm(Moving):
    AXES: ClassVar[tuple[int, ...]]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self._set_moving(num_features, eps, momentum, moving_mean_init, moving_var_init, dtype)
        self._set_affine(num_features, gamma_init, beta_init, affine, dtype)
        if use_batch_statistics is not None:
            flag("use_batch_statistics", use_batch_statistics)
        self.use_batch_statistics = use_batch_statistics

    def construct(self, x: Any) -> Any:
        require_axes(self.cls_name, x, *self.AXES)
        is_of_batch = self.use_batch_statistics
        if is_of_batch is None:
            is_of_batch = self.training
        return batch_normalized(
            self.cls_name, x, self.moving_mean, self.moving_variance, self.gamma, self.beta,
            is_of_batch, 1 - self.momentum, self.eps,
        )  # fmt: skip


class _LaidOut(_BatchNorm):
    """What takes a `data_format`, too: one is all that there is."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: DType = dtypes.float32,
    ) -> None:
        require_layout(type(self).__name__, data_format, "NCHW")
        super().__init__(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
            moving_var_init, use_batch_statistics, dtype,
        )  # fmt: skip


class BatchNorm1d(_LaidOut):
    """Batch normalisation of features, of shape (N, C) or (N, C, L); see `BatchNorm2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.BatchNorm1d(1, eps=0.0).set_train()
    >>> net(ms.Tensor([[1.0], [3.0]])).asnumpy()
    array([[-1.],
           [ 1.]], dtype=float32)
    >>> net.moving_mean.asnumpy(), net.moving_variance.asnumpy()
    (array([0.2], dtype=float32), array([1.1], dtype=float32))
    """

    AXES = (2, 3)


class BatchNorm2d(_LaidOut):
    """Batch normalisation of images, of shape (N, C, H, W).

    Each channel gets mean 0 and variance 1, times `gamma`, plus `beta`. In training mean and
    variance are those of the batch, and the moving ones follow:
    ``momentum * moving + (1 - momentum) * batch``, with the unbiased variance of the batch. Else
    the moving ones are used, and nothing is written.

    Parameters
    ----------
    num_features : int
        The number of channels C.
    eps : float
        Added to the variance.
    momentum : float
        How much of the moving statistics stays, from 0 to 1.
    affine : bool
        Whether `gamma` and `beta` are trained. They exist in either case.
    gamma_init, beta_init, moving_mean_init, moving_var_init : initializer
    use_batch_statistics : bool, optional
        True for the statistics of the batch outside of training as well, False for the moving ones
        in training as well.
    data_format : {"NCHW"}
    dtype : DType
        Of the parameters.

    Attributes
    ----------
    gamma, beta, moving_mean, moving_variance : Parameter, shape (num_features,)
        The latter two are not trained.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, those of `initializer`; in a call
        those of `ops.batch_norm`.

    Examples
    --------
    >>> import numpy as np
    >>> import s2sad as ms
    >>> net = ms.nn.BatchNorm2d(3)
    >>> net(ms.Tensor(np.ones((1, 3, 2, 1), np.float32))).asnumpy().ravel()
    array([0.999995, 0.999995, 0.999995, 0.999995, 0.999995, 0.999995],
          dtype=float32)
    """

    AXES = (4,)


class BatchNorm3d(Cell):
    """Batch normalisation of volumes, of shape (N, C, D, H, W), as images of D * H rows.

    Parameters and errors are those of `BatchNorm2d`.

    Attributes
    ----------
    bn2d : BatchNorm2d
        What is trained and remembered.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.BatchNorm3d(1, eps=0.0).set_train()
    >>> net(ms.Tensor([[[[[1.0, 3.0]]]]])).asnumpy().ravel()
    array([-1.,  1.], dtype=float32)
    >>> list(net.parameters_dict())
    ['bn2d.moving_mean', 'bn2d.moving_variance', 'bn2d.gamma', 'bn2d.beta']
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
            moving_var_init, use_batch_statistics, "NCHW", dtype,
        )  # fmt: skip

    def construct(self, x: Any) -> Any:
        require_axes(self.cls_name, x, 5)
        batch, channels, depth, height, width = x.shape
        rows = ops.reshape(x, (batch, channels, depth * height, width))
        return ops.reshape(self.bn2d(rows), x.shape)


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over the batches of all devices; there is one, and it is `BatchNorm2d`.

    Takes inputs of shape (N, C) up to (N, C, D, H, W).

    Parameters
    ----------
    num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init
        As of `BatchNorm2d`.
    use_batch_statistics, dtype
        As of `BatchNorm2d`.
    process_groups : list of list of int, optional
        Which devices share statistics: None, or a list that holds the one group ``[0]``.

    Raises
    ------
    S2sadError
        E0404 for groups of other devices; those of `BatchNorm2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.SyncBatchNorm(1, eps=0.0).set_train()
    >>> net(ms.Tensor([[1.0], [3.0]])).asnumpy()
    array([[-1.],
           [ 1.]], dtype=float32)
    """

    AXES = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        process_groups: list[list[int]] | None = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        if process_groups not in (None, [[0]]):
            raise fail("E0404", f"there is one device, number 0, got groups {process_groups!r}")
        super().__init__(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
            moving_var_init, use_batch_statistics, dtype,
        )  # fmt: skip


class LayerNorm(_Normalization):
    """Mean 0 and variance 1 over the axes of a layer, times `gamma`, plus `beta`.

    Parameters
    ----------
    normalized_shape : tuple or list of int
        The shape of `gamma` and `beta`.
    begin_norm_axis : int
        The first of the axes that are normalised together, up to the last.
    begin_params_axis : int
        The first of the axes that `gamma` and `beta` have, up to the last.
    gamma_init, beta_init : initializer
    epsilon : float
        Added to the variance.
    dtype : DType
        Of the parameters.

    Attributes
    ----------
    gamma, beta : Parameter, shape `normalized_shape`

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, those of `initializer`; in a call
        E0401 for an input of which `normalized_shape` is not the end, E0403 for an axis that does
        not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.LayerNorm((2,), epsilon=0.0)(ms.Tensor([[1.0, 3.0]])).asnumpy()
    array([[-1.,  1.]], dtype=float32)
    """

    def __init__(
        self,
        normalized_shape: tuple[int, ...] | list[int],
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: float = 1e-07,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.normalized_shape = shape = integers("normalized_shape", normalized_shape, 1)
        self.begin_norm_axis = begin_norm_axis
        self.begin_params_axis = begin_params_axis
        self.epsilon = number("epsilon", epsilon)
        self._set_affine(shape, gamma_init, beta_init, True, dtype)

    def construct(self, input_x: Any) -> Any:
        return normalized(
            self.cls_name, input_x, self.gamma, self.beta, self.begin_norm_axis,
            self.begin_params_axis, self.epsilon,
        )  # fmt: skip

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma={self.gamma}, beta={self.beta}"
        )


class GroupNorm(_Normalization):
    """Mean 0 and variance 1 in each group of channels, times `gamma`, plus `beta`.

    Parameters
    ----------
    num_groups, num_channels : int
        The first divides the second.
    eps : float
        Added to the variance.
    affine : bool
        Whether `gamma` and `beta` are trained. They exist in either case.
    gamma_init, beta_init : initializer
    dtype : DType
        Of the parameters.

    Attributes
    ----------
    gamma, beta : Parameter, shape (num_channels,)

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, those of `initializer`; in a call
        those of `ops.group_norm`.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.GroupNorm(2, 4, eps=0.0)
    >>> net(ms.Tensor([[[[1.0]], [[3.0]], [[5.0]], [[9.0]]]])).asnumpy().ravel()
    array([-1.,  1., -1.,  1.], dtype=float32)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.num_groups = integer("num_groups", num_groups, 1)
        self.num_channels = integer("num_channels", num_channels, 1)
        if num_channels % num_groups:
            raise fail("E0404", f"{num_groups} groups do not divide {num_channels} channels")
        self.eps = number("eps", eps)
        self._set_affine(num_channels, gamma_init, beta_init, affine, dtype)

    def construct(self, x: Any) -> Any:
        return group_normalized(self.cls_name, x, self.num_groups, self.gamma, self.beta, self.eps)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


class LRN(Cell):
    """Response normalised by the squares of near channels; see `ops.lrn`."""

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        self.depth_radius, self.bias, self.alpha, self.beta = depth_radius, bias, alpha, beta
        self.norm_region = norm_region

    def construct(self, input_x: Any) -> Any:
        return ops.lrn(
            input_x, self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region
        )
