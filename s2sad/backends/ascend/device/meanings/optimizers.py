"""Updates of parameters: each gives what the inputs that it writes hold afterwards, by port."""

from __future__ import annotations

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, means, only, option
from s2sad.backends.ascend.graph import Node

Written = dict[str, np.ndarray]


@means("Assign")
def _assign(node: Node, given: Arrays) -> Written:
    return {"ref": np.array(given["value"])}


@means("AssignAdd")
def _assign_add(node: Node, given: Arrays) -> Written:
    return {"ref": given["ref"] + given["value"]}


@means("ApplyGradientDescent")
def _gradient_descent(node: Node, given: Arrays) -> Written:
    return {"var": given["var"] - given["alpha"] * given["delta"]}


@means("ApplyMomentum")
def _momentum(node: Node, given: Arrays) -> Written:
    grad, momentum = given["grad"], given["momentum"]
    accum = given["accum"] * momentum + grad
    step = grad + momentum * accum if option(node, "use_nesterov") else accum
    return {"var": given["var"] - given["lr"] * step, "accum": accum}


def _moments(given: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Moving means of the gradient and of its square."""
    grad, beta1, beta2 = given["grad"], given["beta1"], given["beta2"]
    m = beta1 * given["m"] + (1 - beta1) * grad
    return m, beta2 * given["v"] + (1 - beta2) * grad * grad


def _rate(given: Arrays) -> np.ndarray:
    """The learning rate, with what the first steps of the means are short of."""
    return given["lr"] * np.sqrt(1 - given["beta2_power"]) / (1 - given["beta1_power"])


@means("ApplyAdam")
def _adam(node: Node, given: Arrays) -> Written:
    m, v = _moments(given)
    beta1 = given["beta1"]
    is_nesterov = option(node, "use_nesterov")
    ahead = beta1 * m + (1 - beta1) * given["grad"] if is_nesterov else m
    var = given["var"] - _rate(given) * ahead / (np.sqrt(v) + given["epsilon"])
    return {"var": var, "m": m, "v": v}


@means("ApplyAdamW")
def _adamw(node: Node, given: Arrays) -> Written:
    """The parameter decays by itself; the means are corrected before the division."""
    only(node, amsgrad=False, maximize=False)
    m, v = _moments(given)
    lr = given["lr"]
    mean, square = m / (1 - given["beta1_power"]), v / (1 - given["beta2_power"])
    kept = given["var"] * (1 - lr * given["weight_decay"])
    return {"var": kept - lr * mean / (np.sqrt(square) + given["epsilon"]), "m": m, "v": v}


@means("ApplyAdamWithAmsgrad")
def _amsgrad(node: Node, given: Arrays) -> Written:
    m, v = _moments(given)
    vhat = np.maximum(given["vhat"], v)
    var = given["var"] - _rate(given) * m / (np.sqrt(vhat) + given["epsilon"])
    return {"var": var, "m": m, "v": v, "vhat": vhat}


@means("ApplyAdagrad")
def _adagrad(node: Node, given: Arrays) -> Written:
    grad, accum = given["grad"], given["accum"]
    if option(node, "update_slots"):
        accum = accum + grad * grad
    return {"var": given["var"] - given["lr"] * grad / np.sqrt(accum), "accum": accum}


@means("ApplyRMSProp", "ApplyCenteredRMSProp")
def _rmsprop(node: Node, given: Arrays) -> Written:
    """Centered, it divides by the spread of the gradient, not by its size."""
    grad, rho = given["grad"], given["rho"]
    ms = rho * given["ms"] + (1 - rho) * grad * grad
    written = {"ms": ms}
    spread = ms
    if node.type == "ApplyCenteredRMSProp":
        mg = rho * given["mg"] + (1 - rho) * grad
        written["mg"], spread = mg, ms - mg * mg
    mom = given["momentum"] * given["mom"]
    mom = mom + given["lr"] * grad / np.sqrt(spread + given["epsilon"])
    return {"var": given["var"] - mom, "mom": mom, **written}
