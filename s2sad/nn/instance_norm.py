"""Which Cells normalise each instance by itself?"""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.nn.norm import Moving
from s2sad.ops.normalization import group_normalized
from s2sad.ops.spatial import require_axes


class _InstanceNorm(Moving):
    AXES: ClassVar[int]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self._set_moving(num_features, eps, momentum, "zeros", "ones", dtype)
        self._set_affine(num_features, gamma_init, beta_init, affine, dtype)

    def construct(self, x: Any) -> Any:
        require_axes(self.cls_name, x, self.AXES)
        y = group_normalized(self.cls_name, x, self.num_features, self.gamma, self.beta, self.eps)
        if self.training:
            self._follow(ops.stop_gradient(x))
        return y

    def _follow(self, x: Any) -> None:
        """Let the moving statistics take up the mean of those of each instance."""
        axes = tuple(range(2, x.ndim))
        wide = ops.cast(x, self.moving_mean.dtype.compute)
        count = wide[0, 0].size
        mean = ops.mean(wide, axes, True)
        variance = ops.mean(ops.square(wide - mean), axes) * (count / max(count - 1, 1))
        mean, variance = ops.mean(mean, (0, *axes)), ops.mean(variance, 0)
        kept, new = self.momentum, 1 - self.momentum
        ops.assign(self.moving_mean, ops.mul(self.moving_mean, kept) + mean * new)
        ops.assign(self.moving_variance, ops.mul(self.moving_variance, kept) + variance * new)


class InstanceNorm1d(_InstanceNorm):
    """Mean 0 and variance 1 in each channel, of shape (N, C, L); see `InstanceNorm2d`."""

    AXES = 3


class InstanceNorm2d(_InstanceNorm):
    """Mean 0 and variance 1 in each channel of each image, of shape (N, C, H, W).

    Parameters
    ----------
    num_features : int
        The number of channels C.
    eps : float
        Added to the variance.
    momentum : float
        How much of the moving statistics stays in a step of training, from 0 to 1. They follow the
        mean of those of the instances, with the unbiased variance; nothing reads them here, in
        training or outside.
    affine : bool
        Whether `gamma` and `beta` are trained. They exist in either case.
    gamma_init, beta_init : initializer
    dtype : DType
        Of the parameters.

    Attributes
    ----------
    gamma, beta, moving_mean, moving_variance : Parameter, shape (num_features,)

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, those of `initializer`; in a call
        E0401 for an input of another number of axes or channels.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.InstanceNorm2d(1, eps=0.0)
    >>> net(ms.Tensor([[[[1.0, 3.0]]], [[[5.0, 5.5]]]])).asnumpy().ravel()
    array([-1.,  1., -1.,  1.], dtype=float32)
    """

    AXES = 4


class InstanceNorm3d(_InstanceNorm):
    """Mean 0 and variance 1 in each channel, of shape (N, C, D, H, W); see `InstanceNorm2d`."""

    AXES = 5
