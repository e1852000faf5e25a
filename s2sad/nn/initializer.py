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

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.context import get_seed, seed_changes
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor
from s2sad.ops.settings import fraction, integer

SQRT_2 = math.sqrt(2.0)
#: Deviation of the standard normal distribution without what lies beyond -2 and 2.
DEVIATION_WITHIN_TWO = 0.8796256610342398


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


class TruncatedNormal(Initializer):
    """Normal distribution of deviation `sigma` around `mean`, of numbers from `a` to `b` only.

    The bounds are numbers themselves, not multiples of `sigma`.

    Raises
    ------
    S2sadError
        E0404 unless `a` is below `b` and `sigma` positive.
    """

    def __init__(
        self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0
    ) -> None:
        if not a < b or not sigma > 0:
            raise fail("E0404", f"a must be below b, and sigma above 0: got {a}, {b} and {sigma}")
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        low, high = (math.erf((x - self.mean) / self.sigma / SQRT_2) for x in (self.a, self.b))
        # A share of the distribution between the bounds, and the number that it belongs to.
        shares = np.asarray(_draws.generator().uniform(low, high, shape))
        found = self.mean + self.sigma * SQRT_2 * np.asarray(p.erfinv(shares))
        return np.clip(found, self.a, self.b)


class VarianceScaling(Initializer):
    """Distribution of variance ``scale / fan``.

    Parameters
    ----------
    scale : float
        Positive.
    mode : {"fan_in", "fan_out", "fan_avg"}
        The last is the mean of both.
    distribution : {"truncated_normal", "untruncated_normal", "uniform"}
        The first has no numbers beyond two deviations of what it is cut from, a normal one that is
        wider, so that the variance is right.

    Raises
    ------
    S2sadError
        E0404 for another mode or distribution, or a scale that is not positive.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
    ) -> None:
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise fail("E0404", f"mode is 'fan_in', 'fan_out' or 'fan_avg', got {mode!r}")
        if distribution not in ("truncated_normal", "untruncated_normal", "uniform"):
            known = "'truncated_normal', 'untruncated_normal' or 'uniform'"
            raise fail("E0404", f"distribution is {known}, got {distribution!r}")
        if not scale > 0:
            raise fail("E0404", f"the scale must be positive, got {scale}")
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        fan_in, fan_out = fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out}.get(self.mode, (fan_in + fan_out) / 2)
        deviation = math.sqrt(self.scale / max(1, fan))
        if self.distribution == "uniform":
            return _uniform(shape, math.sqrt(3.0) * deviation)
        if self.distribution == "untruncated_normal":
            return _normal(shape, deviation)
        wider = deviation / DEVIATION_WITHIN_TWO
        return TruncatedNormal(wider, 0.0, -2 * wider, 2 * wider).draw(shape)


class Orthogonal(Initializer):
    """Matrix with orthogonal rows or columns, whichever are fewer, of length `gain`.

    Axes behind the first are taken as one (E0401 for fewer than two axes).
    Source: Saxe et al., Exact solutions to the nonlinear dynamics of learning, 2013.
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        fans(shape)
        rows, columns = shape[0], math.prod(shape[1:])
        q, r = np.linalg.qr(_normal((max(rows, columns), min(rows, columns)), 1.0))
        q = q * np.where(np.diag(r) < 0, -1.0, 1.0)  # without that, signs would not be even
        return self.gain * (q if rows >= columns else q.T).reshape(shape)


class Identity(Initializer):
    """Ones on the diagonal of a matrix, zeros elsewhere (E0401 for another number of axes)."""

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        rows, columns = _matrix("Identity", shape)
        return np.eye(rows, columns)


def _matrix(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    if len(shape) != 2:
        raise fail("E0401", f"{name} fills a matrix, got the shape {shape}")
    return shape


class Dirac(Initializer):
    """Filters with which a convolution hands on its input, channel by channel, in each group.

    Raises
    ------
    S2sadError
        E0404 for `groups` below 1; in a draw E0401 unless there are three to five axes, the first
        divided by `groups`.
    """

    def __init__(self, groups: int = 1) -> None:
        self.groups = integer("groups", groups, 1)

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        if not 3 <= len(shape) <= 5 or shape[0] % self.groups:
            raise fail("E0401", f"Dirac of {self.groups} groups fills no filters of shape {shape}")
        filters, count = np.zeros(shape), shape[0] // self.groups
        centre = tuple(size // 2 for size in shape[2:])
        for channel in range(min(count, shape[1])):
            for group in range(self.groups):
                filters[(group * count + channel, channel, *centre)] = 1.0
        return filters


class Sparse(Initializer):
    """Normal distribution of deviation `sigma`, with a share of zeros in each column of a matrix.

    Parameters
    ----------
    sparsity : float
        The share of zeros, from 0 to 1; how many there are is rounded up.
    sigma : float

    Raises
    ------
    S2sadError
        E0404 for another `sparsity`; in a draw E0401 for another number of axes than two.
    """

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        self.sparsity, self.sigma = fraction("sparsity", sparsity), sigma

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        rows, _ = _matrix("Sparse", shape)
        generator = _draws.generator()
        values = generator.normal(0.0, self.sigma, shape)
        order = np.argsort(generator.random(shape), axis=0)
        values[order < math.ceil(self.sparsity * rows)] = 0.0
        return values


#: Initializers by name, in small letters.
NAMED: dict[str, Callable[[], Initializer]] = {
    "zeros": Zero, "zero": Zero, "ones": One, "one": One, "normal": Normal, "uniform": Uniform,
    "xavier_uniform": XavierUniform, "xavieruniform": XavierUniform,
    "xavier_normal": XavierNormal, "xaviernormal": XavierNormal,
    "he_uniform": HeUniform, "heuniform": HeUniform,
    "he_normal": HeNormal, "henormal": HeNormal,
    "truncatednormal": TruncatedNormal, "variancescaling": VarianceScaling,
    "orthogonal": Orthogonal, "identity": Identity, "dirac": Dirac,
}  # fmt: skip


def initializer(
    init: Any, shape: int | tuple[int, ...] | list[int] | None = None, dtype: DType = dtypes.float32
) -> Tensor:
    """New Tensor of `shape`, filled by `init`.

    Parameters
    ----------
    init : Tensor, number, str or Initializer
        A Tensor must have the shape; a str is a name such as ``"zeros"`` or ``"normal"``.
    shape : int, or tuple or list of int
        May be left out for a Tensor.
    dtype : DType
        To which the values are rounded; a Tensor keeps its own.

    Raises
    ------
    S2sadError
        E0304 for what is no initializer, E0303 without a shape, E0404 for an unknown name, E0401
        when a Tensor has another shape, or an initializer needs other axes.

    Examples
    --------
    >>> initializer("ones", (2,)).asnumpy()
    array([1., 1.], dtype=float32)
    """
    if shape is None:
        if not isinstance(init, Tensor):
            raise fail("E0303", "an initializer needs a shape", help="shape=(...)")
        return init
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
        known = did_you_mean(init, NAMED) or f"known: {', '.join(NAMED)}"
        raise fail("E0404", f"no initializer is called {init!r}", help=known)
    return NAMED[init.lower()]()
