"""How do parameters get their first values?

Distributions and names are MindSpore's. Each draw has a seed of its own, counted from
`set_seed`; without it from NumPy's global generator, so ``np.random.seed`` fixes them too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.context import get_seed
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor

_draws = itertools.count()


def _generator() -> np.random.Generator:
    seed = get_seed()
    if seed is None:
        return np.random.default_rng(np.random.randint(0, 2**31))
    return np.random.default_rng([seed, next(_draws)])


class Initializer:
    """Rule that fills a new parameter; `draw` gives float64 values of a shape."""

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        raise fail("E0901", f"{type(self).__name__} does not say what it draws")


class Constant(Initializer):
    """`value` everywhere."""

    def __init__(self, value: float) -> None:
        self.value = value

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return np.full(shape, float(self.value))


class Normal(Initializer):
    """Normal distribution of deviation `sigma` around `mean`."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        self.sigma, self.mean = sigma, mean

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return _generator().normal(self.mean, self.sigma, shape)


class Uniform(Initializer):
    """Uniform distribution between ``-scale`` and `scale`."""

    def __init__(self, scale: float = 0.07) -> None:
        self.scale = scale

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        return _generator().uniform(-self.scale, self.scale, shape)


class HeUniform(Initializer):
    """Uniform of bound ``sqrt(3) * gain / sqrt(fan_in)``, gain ``sqrt(2 / (1 + slope**2))``.

    Source: He et al., Delving deep into rectifiers, 2015, with leaky ReLU's slope.
    """

    def __init__(self, negative_slope: float = 0.0) -> None:
        self.negative_slope = negative_slope

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        if len(shape) < 2:
            raise fail("E0401", f"HeUniform needs at least two axes, got the shape {shape}")
        fan_in = shape[1] * math.prod(shape[2:])
        gain = math.sqrt(2.0 / (1.0 + self.negative_slope**2))
        bound = math.sqrt(3.0) * gain / math.sqrt(max(1, fan_in))
        return _generator().uniform(-bound, bound, shape)


NAMED: dict[str, Callable[[], Initializer]] = {
    "zeros": lambda: Constant(0.0), "zero": lambda: Constant(0.0),
    "ones": lambda: Constant(1.0), "one": lambda: Constant(1.0),
    "normal": Normal, "uniform": Uniform, "he_uniform": HeUniform, "heuniform": HeUniform,
}  # fmt: skip


def initializer(
    init: Any, shape: tuple[int, ...] | list[int], dtype: DType = dtypes.float32
) -> Tensor:
    """New Tensor of `shape`, filled by `init`.

    Parameters
    ----------
    init : Tensor, number, str or Initializer
        A Tensor must have the shape; a str is a name such as ``"zeros"`` or ``"normal"``.

    Raises
    ------
    S2sadError
        E0404 for an unknown name, E0401 when a Tensor has another shape.

    Examples
    --------
    >>> initializer("ones", (2,)).asnumpy()
    array([1., 1.], dtype=float32)
    """
    shape = tuple(shape)
    if isinstance(init, Tensor):
        if tuple(init.shape) != shape:
            raise fail("E0401", f"the initial value has shape {init.shape}, expected {shape}")
        return init
    rule = _rule(init)
    return Tensor.wrap(np.asarray(dtypes.narrow(rule.draw(shape), dtype)))


def _rule(init: Any) -> Initializer:
    if isinstance(init, Initializer):
        return init
    if isinstance(init, (int, float)):
        return Constant(init)
    if isinstance(init, str) and init.lower() in NAMED:
        return NAMED[init.lower()]()
    raise fail("E0404", f"no initializer is called {init!r}", help=f"known: {', '.join(NAMED)}")
