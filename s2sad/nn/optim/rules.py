"""What is a step of the rules that several optimizers share, and what does it leave behind?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.tensor import Tensor
from s2sad.ops.settings import number


def states_like(parameters: Iterable[Any], prefix: str, fill: float = 0.0) -> ParameterTuple:
    """What an optimizer remembers: one a Parameter, of its shape, in float32 if it is narrower.

    Names are `prefix`, a dot, and the Parameter's name.
    """
    return ParameterTuple(
        Parameter(
            Tensor(shape=x.shape, dtype=x.dtype.compute, init=fill),
            f"{prefix}.{x.name}",
            requires_grad=False,
        )
        for x in parameters
    )


def numbers_like(parameters: Iterable[Any], prefix: str, fill: float) -> ParameterTuple:
    """One number a Parameter, called `prefix` and the Parameter's name."""
    return ParameterTuple(
        Parameter(Tensor(fill, x.dtype.compute), prefix + x.name, requires_grad=False)
        for x in parameters
    )


def require_etas(etas: Any) -> None:
    """How steps of Rprop shrink and grow: between 0 and 1, and above 1 (E0303, E0404)."""
    if not isinstance(etas, (tuple, list)) or len(etas) != 2:
        raise fail("E0303", f"etas is a tuple of two numbers, got {etas!r}")
    if not 0 < number("etas", etas[0]) < 1 < number("etas", etas[1]):
        raise fail("E0404", f"etas are one between 0 and 1 and one above 1, got {etas}")


def require_nesterov(is_asked: bool, momentum: float, dampening: float) -> None:
    """Nesterov's step looks ahead along what moves, all of it (E0404)."""
    if is_asked and (not momentum or dampening):
        raise fail("E0404", "Nesterov's step needs momentum and no dampening")


def adadelta_step(g: Any, squares: Any, steps: Any, rho: float, epsilon: float) -> Any:
    """The step of Adadelta before the rate; writes the running means of both squares."""
    spread = squares * rho + g * g * (1 - rho)
    step = ops.sqrt(steps + epsilon) / ops.sqrt(spread + epsilon) * g
    ops.assign(squares, spread)
    ops.assign(steps, steps * rho + step * step * (1 - rho))
    return step


def rprop_step(
    g: Any, before: Any, held: Any, step: Any, etas: tuple[float, float],
    sizes: tuple[float, float],
) -> Any:  # fmt: skip
    """The step of Rprop, `step` being the one before; writes it, and the gradient that counts."""
    same = ops.sign(g * before)
    factor = ops.where(same < 0, etas[0], ops.ones_like(g))
    factor = ops.where(same > 0, etas[1], factor)
    step = ops.clip_by_value(step * factor, sizes[0], sizes[1])
    g = ops.where(same < 0, 0.0, g)
    ops.assign(before, g)
    ops.assign(held, step)
    return ops.sign(g) * step


def asgd_step(
    w: Any, g: Any, rate: Any, count: Any, state: Any, lambd: float, alpha: float, t0: float
) -> Any:
    """The Parameter after step `count` of ASGD; writes its `state`: the mean, eta and mu."""
    mean, eta, mu = state
    now = ops.where(count == 1, rate, eta)
    w = w * (1 - lambd * now) - now * g
    ops.assign(mean, ops.where(mu == 1, w, mean + (w - mean) * mu))
    ops.assign(eta, rate / ops.pow(1 + lambd * rate * count, alpha))
    ops.assign(mu, 1 / ops.maximum(count - t0, 1.0))
    return w
