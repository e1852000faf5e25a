"""How do parameters get their first values?

Distributions and names are MindSpore's. After `set_seed` each draw has a seed of its own, counted
from there, so the same program makes the same network; before it from NumPy's global generator,
so ``np.random.seed`` fixes them too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.context import get_seed, seed_changes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor


class _Draws:
    """How many there were since the seed was set last."""

    def __init__(self) -> None:
        self.seen = self.count = 0

    def generator(self) -> np.random.Generator:
        """The generator of the next draw."""
        seed = get_seed()
        if seed is None:
            return np.random.default_rng(np.random.randint(0, 2**31))
        if self.seen != seed_changes():
            self.seen, self.count = seed_changes(), 0
        self.count += 1
        return np.random.default_rng([seed, self.count])


_draws = _Draws()


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Inputs and outputs that each output, or input, of a layer is joined with.

    ``shape[1]`` and ``shape[0]``, each times the product of the sizes behind them (E0401 for fewer
    than two axes).

    Examples
    --------
    >>> fans((8, 3, 5, 5))
    (75, 200)
    """
    if len(shape) < 2:
        raise fail("E0401", f"this initializer needs at least two axes, got the shape {shape}")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _normal(shape: tuple[int, ...], deviation: float, mean: float = 0.0) -> np.ndarray:
    return _draws.generator().normal(mean, deviation, shape)


def _uniform(shape: tuple[int, ...], bound: float) -> np.ndarray:
    return _draws.generator().uniform(-bound, bound, shape)


class Initializer:
    """Rule that fills a new parameter; subclasses have `draw`."""

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """Values in float64, of a shape."""
        raise fail("E0220", f"{type(self).__name__} has no method 'draw'", help="define it")


class Constant(Initializer):
    """`value` everywhere."""

    def __init__(self, value: float) -> None:
        self.value = value

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return np.full(shape, float(self.value))


class Zero(Constant):
    """0 everywhere."""

    def __init__(self) -> None:
        super().__init__(0.0)


class One(Constant):
    """1 everywhere."""

    def __init__(self) -> None:
        super().__init__(1.0)


class Normal(Initializer):
    """Normal distribution of deviation `sigma` around `mean`."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        self.sigma, self.mean = sigma, mean

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return _normal(shape, self.sigma, self.mean)


class Uniform(Initializer):
    """Uniform distribution between ``-scale`` and `scale`."""

    def __init__(self, scale: float = 0.07) -> None:
        self.scale = scale

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return _uniform(shape, self.scale)


class XavierUniform(Initializer):
    """Uniform distribution of bound ``gain * sqrt(6 / (fan_in + fan_out))``.

    Source: Glorot and Bengio, Understanding the difficulty of training deep networks, 2010.
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return _uniform(shape, self.gain * math.sqrt(6.0 / max(1, sum(fans(shape)))))


class XavierNormal(Initializer):
    """Normal distribution of deviation ``gain * sqrt(2 / (fan_in + fan_out))``.

    Source: as for `XavierUniform`.
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return _normal(shape, self.gain * math.sqrt(2.0 / max(1, sum(fans(shape)))))


#: Gains of the activations that follow a layer; leaky_relu's depends on its slope.
GAINS = {
    "linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv1d_transpose": 1.0,
    "conv2d_transpose": 1.0, "conv3d_transpose": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3.0,
    "relu": math.sqrt(2.0),
}  # fmt: skip


class HeNormal(Initializer):
    """Normal distribution of deviation ``gain / sqrt(fan)``.

    Source: He et al., Delving deep into rectifiers, 2015.

    Parameters
    ----------
    negative_slope : float
        Of the leaky ReLU that follows: its gain is ``sqrt(2 / (1 + negative_slope**2))``.
    mode : {"fan_in", "fan_out"}
    nonlinearity : str
        What follows: a key of `GAINS`, or ``"leaky_relu"``.

    Raises
    ------
    S2sadError
        E0404 for another mode or nonlinearity.
    """

    def __init__(
        self,
        negative_slope: float = 0.0,
        mode: str = "fan_in",
        nonlinearity: str = "leaky_relu",
    ) -> None:
        if mode not in ("fan_in", "fan_out"):
            raise fail("E0404", f"mode is 'fan_in' or 'fan_out', got {mode!r}")
        if nonlinearity != "leaky_relu" and nonlinearity not in GAINS:
            known = ", ".join((*GAINS, "leaky_relu"))
            raise fail("E0404", f"no gain is known for {nonlinearity!r}", help=f"known: {known}")
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def deviation(self, shape: tuple[int, ...]) -> float:
        """Standard deviation of the values for a shape."""
        gain = GAINS.get(self.nonlinearity, math.sqrt(2.0 / (1.0 + self.negative_slope**2)))
        fan_in, fan_out = fans(shape)
        return gain / math.sqrt(max(1, fan_in if self.mode == "fan_in" else fan_out))

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return _normal(shape, self.deviation(shape))


class HeUniform(HeNormal):
    """Uniform distribution of the deviation of `HeNormal`: of ``sqrt(3)`` times that as bound."""

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return _uniform(shape, math.sqrt(3.0) * self.deviation(shape))


#: Initializers by name, in small letters.
NAMED: dict[str, Callable[[], Initializer]] = {
    "zeros": Zero, "zero": Zero, "ones": One, "one": One, "normal": Normal, "uniform": Uniform,
    "xavier_uniform": XavierUniform, "xavieruniform": XavierUniform,
    "xavier_normal": XavierNormal, "xaviernormal": XavierNormal,
    "he_uniform": HeUniform, "heuniform": HeUniform,
    "he_normal": HeNormal, "henormal": HeNormal,
}  # fmt: skip


def initializer(
    init: Any, shape: int | tuple[int, ...] | list[int], dtype: DType = dtypes.float32
) -> Tensor:
    """New Tensor of `shape`, filled by `init`.

    Parameters
    ----------
    init : Tensor, number, str or Initializer
        A Tensor must have the shape; a str is a name such as ``"zeros"`` or ``"normal"``.
    shape : int, or tuple or list of int
    dtype : DType
        To which the values are rounded; a Tensor keeps its own.

    Raises
    ------
    S2sadError
        E0304 for what is no initializer, E0404 for an unknown name, E0401 when a Tensor has
        another shape, or an initializer needs more axes.

    Examples
    --------
    >>> initializer("ones", (2,)).asnumpy()
    array([1., 1.], dtype=float32)
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if isinstance(init, Tensor):
        if tuple(init.shape) != shape:
            raise fail("E0401", f"the initial value has shape {init.shape}, expected {shape}")
        return init
    return Tensor.wrap(np.asarray(dtypes.narrow(_rule(init).draw(shape), dtype), order="C"))


def _rule(init: Any) -> Initializer:
    if isinstance(init, Initializer):
        return init
    if isinstance(init, (int, float)) and not isinstance(init, bool):
        return Constant(init)
    if not isinstance(init, str):
        raise fail("E0304", f"an initializer, its name or a number is needed, got {init!r}")
    if init.lower() not in NAMED:
        raise fail("E0404", f"no initializer is called {init!r}", help=f"known: {', '.join(NAMED)}")
    return NAMED[init.lower()]()
