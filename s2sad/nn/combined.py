"""Which layers are several in one?"""

from __future__ import annotations

from typing import Any

from s2sad.core.cell import Cell
from s2sad.nn.activation import LeakyReLU, get_activation
from s2sad.nn.basic import Dense
from s2sad.nn.conv import Conv2d
from s2sad.nn.norm import BatchNorm1d, BatchNorm2d
from s2sad.ops.settings import flag


def _activation(name: Any, alpha: float, layer: str) -> Any:
    if isinstance(name, str) and name.lower() == "leakyrelu":
        return LeakyReLU(alpha)
    return get_activation(name, layer)


class _Finished(Cell):
    """What comes after a layer: batch normalisation and an activation, where there are any."""

    def _set_rest(self, norm: Cell | None, activation: Any, alpha: float, after_fake: bool) -> None:
        self.has_bn = norm is not None
        flag("after_fake", after_fake)
        if norm is not None:
            self.batchnorm = norm
        self.activation = _activation(activation, alpha, self.cls_name)

    def _finished(self, x: Any) -> Any:
        if self.has_bn:
            x = self.batchnorm(x)
        return x if self.activation is None else self.activation(x)


class Conv2dBnAct(_Finished):
    """A convolution, then batch normalisation and an activation where they are asked for.

    Parameters
    ----------
    in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias
        As of `Conv2d`.
    weight_init, bias_init
        As of `Conv2d`.
    has_bn : bool
    momentum, eps : float
        As of `BatchNorm2d`.
    activation : Cell, function or str, optional
    alpha : float
        The slope of ``"leakyrelu"``.
    after_fake : bool
        Taken for compatibility.

    Attributes
    ----------
    conv : Conv2d
    batchnorm : BatchNorm2d
        With `has_bn`.

    Raises
    ------
    S2sadError
        Those of the layers.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Conv2dBnAct(1, 2, 3, has_bn=True, activation="relu")
    >>> net(ms.ops.ones((1, 1, 4, 4))).shape
    (1, 2, 4, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.conv = Conv2d(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init,
        )  # fmt: skip
        norm = BatchNorm2d(out_channels, eps, momentum) if flag("has_bn", has_bn) else None
        self._set_rest(norm, activation, alpha, after_fake)

    def construct(self, x: Any) -> Any:
        return self._finished(self.conv(x))


class DenseBnAct(_Finished):
    """A dense map, then batch normalisation and an activation where they are asked for.

    Parameters
    ----------
    in_channels, out_channels, weight_init, bias_init, has_bias
        As of `Dense`.
    has_bn, momentum, eps, activation, alpha, after_fake
        As of `Conv2dBnAct`.

    Attributes
    ----------
    dense : Dense
    batchnorm : BatchNorm1d
        With `has_bn`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.DenseBnAct(3, 2, has_bn=True, activation="tanh")(ms.ops.ones((4, 3))).shape
    (4, 2)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        has_bn: bool = False,
        momentum: float = 0.9,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        norm = BatchNorm1d(out_channels, eps, momentum) if flag("has_bn", has_bn) else None
        self._set_rest(norm, activation, alpha, after_fake)

    def construct(self, x: Any) -> Any:
        return self._finished(self.dense(x))
