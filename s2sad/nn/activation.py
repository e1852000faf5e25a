"""Which activations are Cells, and what are they called?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.ops.settings import flag, integer, number
from s2sad.ops.spatial import require_axes

# Without settings


class ReLU(Cell):
    """``max(x, 0)``; see `ops.relu`."""

    def construct(self, x: Any) -> Any:
        return ops.relu(x)


class ReLU6(Cell):
    """`x`, but at least 0 and at most 6; see `ops.relu6`."""

    def construct(self, x: Any) -> Any:
        return ops.relu6(x)


class SeLU(Cell):
    """Scaled exponential linear unit; see `ops.selu`."""

    def construct(self, x: Any) -> Any:
        return ops.selu(x)


class SiLU(Cell):
    """`x` times its logistic function; see `ops.silu`."""

    def construct(self, x: Any) -> Any:
        return ops.silu(x)


class Mish(Cell):
    """`x` times ``tanh(softplus(x))``; see `ops.mish`."""

    def construct(self, x: Any) -> Any:
        return ops.mish(x)


class FastGelu(Cell):
    """``x * sigmoid(1.702 * x)``; see `ops.fast_gelu`."""

    def construct(self, x: Any) -> Any:
        return ops.fast_gelu(x)


class HSwish(Cell):
    """`x` times `HSigmoid` of it; see `ops.hardswish`."""

    def construct(self, x: Any) -> Any:
        return ops.hardswish(x)


class HSigmoid(Cell):
    """``(x + 3) / 6``, but at least 0 and at most 1; see `ops.hardsigmoid`."""

    def construct(self, x: Any) -> Any:
        return ops.hardsigmoid(x)


class Sigmoid(Cell):
    """``1 / (1 + exp(-x))``; see `ops.sigmoid`."""

    def construct(self, x: Any) -> Any:
        return ops.sigmoid(x)


class LogSigmoid(Cell):
    """Logarithm of `Sigmoid`; see `ops.logsigmoid`."""

    def construct(self, x: Any) -> Any:
        return ops.logsigmoid(x)


class Tanh(Cell):
    """Hyperbolic tangent; see `ops.tanh`."""

    def construct(self, x: Any) -> Any:
        return ops.tanh(x)


class Tanhshrink(Cell):
    """`x` less its hyperbolic tangent; see `ops.tanhshrink`."""

    def construct(self, x: Any) -> Any:
        return ops.tanhshrink(x)


class Softsign(Cell):
    """``x / (1 + abs(x))``; see `ops.softsign`."""

    def construct(self, x: Any) -> Any:
        return ops.softsign(x)


# With settings


class LeakyReLU(Cell):
    """`x` where it is positive, else ``alpha * x``; see `ops.leaky_relu`."""

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Any) -> Any:
        return ops.leaky_relu(x, self.alpha)

    def extend_repr(self) -> str:
        return f"alpha={self.alpha}"


class RReLU(Cell):
    """`x` where it is positive, else times a random slope; see `ops.rrelu`."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper

    def construct(self, x: Any) -> Any:
        return ops.rrelu(x, self.lower, self.upper)

    def extend_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}"


class _Bent(Cell):
    """An activation that tends to ``-alpha`` below 0."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def extend_repr(self) -> str:
        return f"alpha={self.alpha}"


class ELU(_Bent):
    """`x` where it is positive, else ``alpha * (exp(x) - 1)``; see `ops.elu`."""

    def construct(self, x: Any) -> Any:
        return ops.elu(x, self.alpha)


class CELU(_Bent):
    """`x` where it is positive, else ``alpha * (exp(x / alpha) - 1)``; see `ops.celu`."""

    def construct(self, x: Any) -> Any:
        return ops.celu(x, self.alpha)


class GELU(Cell):
    """`x` times the probability that a standard normal number is below it; see `ops.gelu`.

    Parameters
    ----------
    approximate : bool
        Whether to use the formula with tanh. Mind the default: that of `ops.gelu` is exact.
    """

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = flag("approximate", approximate)

    def construct(self, x: Any) -> Any:
        return ops.gelu(x, "tanh" if self.approximate else "none")

    def extend_repr(self) -> str:
        return f"approximate={self.approximate}"


class _Shrink(Cell):
    """An activation that is 0 from ``-lambd`` to `lambd`."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extend_repr(self) -> str:
        return f"lambd={self.lambd}"


class HShrink(_Shrink):
    """`x`, but 0 from ``-lambd`` to `lambd`; see `ops.hardshrink`."""

    def construct(self, x: Any) -> Any:
        return ops.hardshrink(x, self.lambd)


class SoftShrink(_Shrink):
    """`x` moved by `lambd` towards 0; see `ops.softshrink`."""

    def construct(self, x: Any) -> Any:
        return ops.softshrink(x, self.lambd)


class Hardtanh(Cell):
    """`x`, but at least `min_val` and at most `max_val`; see `ops.hardtanh`."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val

    def construct(self, x: Any) -> Any:
        return ops.hardtanh(x, self.min_val, self.max_val)

    def extend_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"


class Threshold(Cell):
    """`x` where it is above `threshold`, else `value`; see `ops.threshold`."""

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value

    def construct(self, x: Any) -> Any:
        return ops.threshold(x, self.threshold, self.value)

    def extend_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}"


class PReLU(Cell):
    """`x` where it is positive, else times a slope that is learned; see `ops.prelu`.

    Parameters
    ----------
    channel : int
        1, or the number of channels, which are axis 1: each then has a slope.
    w : float, list of float or Tensor
        The first slopes.

    Attributes
    ----------
    w : Parameter, shape (channel,)
        It is called ``a``, unless a Cell that holds this one names it.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, E0401 for another number of slopes.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.PReLU()(ms.Tensor([[-1.0, 2.0]])).asnumpy()
    array([[-0.25,  2.  ]], dtype=float32)
    """

    def __init__(self, channel: int = 1, w: float | Sequence[float] | Tensor = 0.25) -> None:
        super().__init__()
        count = integer("channel", channel, 1)
        if not isinstance(w, (list, Tensor)):
            w = [float(number("w", w))] * count
        slopes = w if isinstance(w, Tensor) else Tensor(w, dtypes.float32)
        if slopes.shape != (count,):
            raise fail("E0401", f"PReLU of {count} channels has {count} slopes, got {slopes.shape}")
        self.w = Parameter(slopes, name="a")

    def construct(self, x: Any) -> Any:
        return ops.prelu(x, self.w)


# Along an axis


class _AlongAxis(Cell):
    """An activation of all elements along an axis."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def extend_repr(self) -> str:
        return f"axis={self.axis}"


class Softmax(_AlongAxis):
    """Exponentials scaled to sum to one along `axis`; see `ops.softmax`."""

    def construct(self, x: Any) -> Any:
        return ops.softmax(x, self.axis)


class Softmax2d(Cell):
    """`Softmax` over the channels, axis -3, of a tensor of shape (N, C, H, W) or (C, H, W).

    Raises
    ------
    S2sadError
        E0401 for another number of axes; others see `ops.softmax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Softmax2d()(ms.ops.zeros((2, 1, 1))).tolist()
    [[[0.5]], [[0.5]]]
    """

    def construct(self, x: Any) -> Any:
        require_axes(self.cls_name, x, 3, 4)
        return ops.softmax(x, -3)


class Softmin(_AlongAxis):
    """`Softmax` of ``-x``; see `ops.softmin`."""

    def construct(self, x: Any) -> Any:
        return ops.softmin(x, self.axis)


class LogSoftmax(_AlongAxis):
    """Logarithm of `Softmax`; see `ops.log_softmax`."""

    def construct(self, x: Any) -> Any:
        return ops.log_softmax(x, self.axis)


class GLU(_AlongAxis):
    """The first half along `axis`, times the logistic function of the second; see `ops.glu`."""

    def construct(self, x: Any) -> Any:
        return ops.glu(x, self.axis)


# Names

NAMED: dict[str, type[Cell]] = {
    "elu": ELU, "fast_gelu": FastGelu, "gelu": GELU, "hardtanh": Hardtanh, "hshrink": HShrink,
    "hsigmoid": HSigmoid, "hswish": HSwish, "leakyrelu": LeakyReLU, "logsigmoid": LogSigmoid,
    "logsoftmax": LogSoftmax, "prelu": PReLU, "relu": ReLU, "relu6": ReLU6, "rrelu": RReLU,
    "sigmoid": Sigmoid,
    "silu": SiLU, "softmax": Softmax, "softmax2d": Softmax2d, "softmin": Softmin,
    "softshrink": SoftShrink, "softsign": Softsign, "tanh": Tanh, "tanhshrink": Tanhshrink,
}  # fmt: skip


def get_activation(name: Any, prim_name: str | None = None) -> Any:
    """The activation that a layer's argument means: a new Cell for a name, else itself.

    Parameters
    ----------
    name : str, Cell, function or None
    prim_name : str, optional
        The layer's name, for the message.

    Raises
    ------
    S2sadError
        E0304 for what cannot be called, E0404 for an unknown name.

    Examples
    --------
    >>> get_activation("relu")
    ReLU()
    """
    layer = "" if prim_name is None else f" for {prim_name}"
    if name is None or not isinstance(name, str):
        if name is not None and not callable(name):
            raise fail(
                "E0304", f"an activation{layer} is a Cell, a function or a name, got {name!r}"
            )
        return name
    if name.lower() not in NAMED:
        known = did_you_mean(name, NAMED) or f"known: {', '.join(NAMED)}"
        raise fail("E0404", f"no activation{layer} is called {name!r}", help=known)
    return NAMED[name.lower()]()
