"""Parameters that optimizers step, gradients for them, and the same steps by a written rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import s2sad as ms

#: A rule takes a weight, its gradient, what it remembers, and the rate; it gives the new weight.
Rule = Callable[[np.ndarray, np.ndarray, dict[str, Any], float], np.ndarray]


def parameters(dtype: Any = ms.float64) -> list[ms.Parameter]:
    rng = np.random.default_rng(0)
    shapes = {"dense.weight": (3, 2), "dense.bias": (3,), "norm.gamma": (2,), "scale": ()}
    return [ms.Parameter(ms.Tensor(rng.normal(size=s), dtype), name=n) for n, s in shapes.items()]


def gradients_of(step: int, weights: Sequence[ms.Parameter]) -> list[np.ndarray]:
    rng = np.random.default_rng(100 + step)
    return [np.asarray(rng.normal(size=w.shape)) for w in weights]


def step_by_hand(
    rule: Rule, weights: Sequence[np.ndarray], gradients: Sequence[np.ndarray],
    states: Sequence[dict[str, Any]], names: Sequence[str], rate: Any, decay: float, scale: float,
) -> list[np.ndarray]:  # fmt: skip
    """Weights after a step: gradients are those of the scaled loss, `decay` is added to them."""
    new = []
    for w, g, state, name in zip(weights, gradients, states, names, strict=True):
        g = g / scale
        if "gamma" not in name and "beta" not in name:
            g = g + decay * w
        new.append(rule(w, g, state, rate[name] if isinstance(rate, dict) else rate))
    return new


def check_rule(
    optimizer: Any, weights: Sequence[ms.Parameter], rule: Rule, rate: Any, decay: float = 0.0,
    scale: float = 1.0, steps: int = 50, is_compiled: bool = False,
) -> None:  # fmt: skip
    """`steps` steps of `optimizer` are those of `rule`, to twelve digits; compiled it is once."""
    apply = ms.compile(optimizer) if is_compiled else optimizer
    names = [w.name for w in weights]
    expected, states = [w.asnumpy().copy() for w in weights], [{} for _ in weights]
    for step in range(steps):
        gradients = gradients_of(step, weights)
        assert apply(tuple(map(ms.Tensor, gradients))) == (True,) * len(weights)
        expected = step_by_hand(rule, expected, gradients, states, names, rate, decay, scale)
        for w, right in zip(weights, expected, strict=True):
            np.testing.assert_allclose(w.asnumpy(), right, rtol=1e-12, atol=1e-12)
    assert not is_compiled or len(apply.variants) == 1
