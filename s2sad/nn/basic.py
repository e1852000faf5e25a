"""Which layers do most networks have?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.dtypes import DType
from s2sad.nn.activation import get_activation
from s2sad.nn.affine import set_affine
from s2sad.ops.affine import affine
from s2sad.ops.settings import flag, integer, integers
from s2sad.ops.shuffling import unflatten


class Dense(Cell):
    """Affine map of the last axis: ``x @ weight.T + bias``, then an activation.

    Parameters
    ----------
    in_channels, out_channels : int
        At least 1.
    weight_init, bias_init : initializer, optional
        ``HeUniform(sqrt(5))`` and ``U(-1/sqrt(in_channels), 1/sqrt(in_channels))`` by default.
    has_bias : bool
    activation : Cell, function or str, optional
        Applied to the result; a str is a name such as ``"relu"``.
    dtype : DType
        Of the parameters.

    Attributes
    ----------
    weight : Parameter, shape (out_channels, in_channels)
    bias : Parameter, shape (out_channels,), or None
    activation : callable or None

    Raises
    ------
    S2sadError
        E0303 for a size that is no int, E0404 for one below 1, those of `initializer` and
        `get_activation`; in a call E0401 when the last axis of `x` is not of `in_channels`.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    >>> net(ms.Tensor([[1.0, 2.0, 3.0]])).asnumpy()
    array([[6., 6.]], dtype=float32)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.in_channels = integer("in_channels", in_channels, 1)
        self.out_channels = integer("out_channels", out_channels, 1)
        self.has_bias = flag("has_bias", has_bias)
        set_affine(
            self, (out_channels, in_channels), out_channels, has_bias, weight_init, bias_init, dtype
        )
        self.activation = get_activation(activation, "Dense")

    def construct(self, x: Any) -> Any:
        out = affine(x, self.weight, self.bias)
        if self.activation is not None:
            out = self.activation(out)
        return out

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"has_bias={self.has_bias}"
        )


class Flatten(Cell):
    """The axes `start_dim` to `end_dim` made one; see `ops.flatten`."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Any) -> Any:
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)

    def extend_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Cell):
    """One axis split into several.

    Parameters
    ----------
    axis : int
    unflattened_size : tuple or list of int
        The sizes that it is split into; one may be -1.

    Raises
    ------
    S2sadError
        E0303 for a setting of another form; in a call E0401 for sizes whose product is another,
        E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Unflatten(1, (2, -1))(ms.Tensor([[1, 2, 3, 4, 5, 6]])).asnumpy()
    array([[[1, 2, 3],
            [4, 5, 6]]])
    """

    def __init__(self, axis: int, unflattened_size: tuple[int, ...] | list[int]) -> None:
        super().__init__()
        self.axis = integer("axis", axis)
        self.unflattened_size = integers("unflattened_size", unflattened_size, -1)

    def construct(self, x: Any) -> Any:
        return unflatten(x, self.axis, self.unflattened_size)

    def extend_repr(self) -> str:
        return f"axis={self.axis}, unflattened_size={self.unflattened_size}"


class Linear(Cell):
    """Affine map of the last axis, under names that PyTorch's users know; see `Dense`.

    Parameters
    ----------
    in_features, out_features : int
    bias : bool
    weight_init, bias_init : initializer, optional
        As of `Dense`.
    dtype : DType, optional
        Of the parameters; float32 by default.

    Attributes
    ----------
    weight : Parameter, shape (out_features, in_features)
    bias : Parameter, shape (out_features,), or None

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Linear(3, 2, bias=False, weight_init="ones")(ms.Tensor([1.0, 2.0, 3.0])).asnumpy()
    array([6., 6.], dtype=float32)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_features = integer("in_features", in_features, 1)
        self.out_features = integer("out_features", out_features, 1)
        set_affine(
            self, (out_features, in_features), out_features, flag("bias", bias), weight_init,
            bias_init, dtype or dtypes.float32,
        )  # fmt: skip

    def construct(self, input: Any) -> Any:
        return ops.dense(input, self.weight, self.bias)

    def extend_repr(self) -> str:
        return (
            f"input_features={self.in_features}, output_features={self.out_features}, "
            f"has_bias={self.bias is not None}"
        )


class Identity(Cell):
    """What it is given, whatever it is made with.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Identity(54, unused=True)(ms.Tensor([1.0])).asnumpy()
    array([1.], dtype=float32)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input
