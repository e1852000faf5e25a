"""Updates of parameters: GE's operators write parameter and state in place.

So they are taken where what they write is the program's state; else the update is arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from s2sad.backends.ascend.graph import Edge
from s2sad.backends.ascend.lowering.region import Lowering
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.core import dtypes
from s2sad.ir.graph import Operation, Region


class Update(NamedTuple):
    """An operator that updates.

    Attributes
    ----------
    type : str
    written : tuple of str
        Ports of the state, in the order of the operands and of the results.
    read : tuple of str
        Ports of the other operands.
    numbers : tuple of (str, str)
        Port and the attribute of the primitive whose number it takes.
    flags : tuple of (str, str)
        Attribute of the operator and that of the primitive.
    """

    type: str
    written: tuple[str, ...]
    read: tuple[str, ...]
    numbers: tuple[tuple[str, str], ...] = ()
    flags: tuple[tuple[str, str], ...] = ()


POWERS = ("grad", "lr", "beta1_power", "beta2_power")
BETAS = (("beta1", "beta1"), ("beta2", "beta2"), ("epsilon", "eps"))

UPDATES = {
    "sgd_update": Update("ApplyGradientDescent", ("var",), ("delta", "alpha")),
    "momentum_update": Update(
        "ApplyMomentum", ("var", "accum"), ("grad", "lr", "momentum"),
        flags=(("use_nesterov", "nesterov"),),
    ),
    "adam_update": Update(
        "ApplyAdam", ("var", "m", "v"), POWERS, BETAS, (("use_nesterov", "nesterov"),)
    ),
    "adamw_update": Update(
        "ApplyAdamW", ("var", "m", "v"), POWERS, (*BETAS, ("weight_decay", "weight_decay"))
    ),
    "amsgrad_update": Update("ApplyAdamWithAmsgrad", ("var", "m", "v", "vhat"), POWERS, BETAS),
    "adagrad_update": Update(
        "ApplyAdagrad", ("var", "accum"), ("grad", "lr"), flags=(("update_slots", "update_slots"),)
    ),
    "rmsprop_update": Update(
        "ApplyRMSProp", ("var", "ms", "mom"), ("grad", "lr"),
        (("rho", "decay"), ("momentum", "momentum"), ("epsilon", "eps")),
    ),
    "centered_rmsprop_update": Update(
        "ApplyCenteredRMSProp", ("var", "mg", "ms", "mom"), ("grad", "lr"),
        (("rho", "decay"), ("momentum", "momentum"), ("epsilon", "eps")),
    ),
}  # fmt: skip


def _is_one_dtype(operation: Operation) -> bool:
    return len({value.dtype for value in operation.operands}) == 1


@lowers(*UPDATES, where=_is_one_dtype)
def _update(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """What a parameter holds afterwards is the node's result; the rest is in its place."""
    update = UPDATES[operation.prim.name]
    edges = [lowering.edge(value) for value in operation.operands]
    state = edges[: len(update.written)]
    given: dict[str, Any] = dict(zip((*update.written, *update.read), edges, strict=True))
    for port, name in update.numbers:
        given[port] = lowering.constant(operation.attrs[name], operation.operands[0].dtype)
    flags = {flag: operation.attrs[name] for flag, name in update.flags}
    written = [lowering.desc(edge) for edge in state]
    count = 3 if update.type == "ApplyAdamW" else 1
    node = lowering.node(operation, update.type, given, flags, outputs=written[:count])
    lowering.writers.update(dict.fromkeys(state, node.name))
    return node, *state[1:]


def is_in_place(operation: Operation, state: dict[Any, Any]) -> bool:
    """Whether an update writes only state of the program, each into itself.

    Parameters
    ----------
    state : dict of Value to Value
        What each input that is state holds when the program has run.
    """
    update = UPDATES.get(operation.prim.name)
    if update is None or operation.operands[0].dtype not in (dtypes.float32, dtypes.float16):
        return False
    pairs = zip(operation.operands[: len(update.written)], operation.results, strict=True)
    are_results_only = all(
        isinstance(use.user, Region) for value in operation.results[1:] for use in value.uses
    )
    return are_results_only and all(state.get(old) is new for old, new in pairs)
