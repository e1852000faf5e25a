"""Which Parameters does an optimizer train, and what is said of each group of them?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail
from s2sad.core.parameter import Parameter
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.nn.learning_rate_schedule import RateList
from s2sad.ops.settings import flag, not_negative

KEYS = ("params", "lr", "weight_decay", "grad_centralization", "order_params")


@dataclass(frozen=True)
class Group:
    """Some Parameters and what is said of them; None where the optimizer's own setting holds.

    Attributes
    ----------
    parameters : tuple of Parameter
    rate : number, Tensor, iterable, Cell or None
    weight_decay : float, Cell or None
    is_centralized : bool
    """

    parameters: tuple[Parameter, ...]
    rate: Any = None
    weight_decay: Any = None
    is_centralized: bool = False


def read_groups(optimizer: str, given: Any) -> tuple[list[Parameter], list[Group]]:
    """Parameters in their order, and their groups, of which there are none unless they are given.

    Parameters
    ----------
    optimizer : str
        Its name, for messages.
    given : iterable of Parameter, or of dict
        A dict has the key ``params`` and perhaps ``lr``, ``weight_decay`` and
        ``grad_centralization``; one of them may have ``order_params`` alone.

    Raises
    ------
    S2sadError
        E0303 or E0304 for what is none of these, E0404 where there are no Parameters, for a key
        that a group has not, a Parameter in two groups, and an order of other Parameters.
    """
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise _no_parameters(optimizer, given)
    members = list(given)
    if not any(isinstance(member, Mapping) for member in members):
        return _checked(optimizer, members), []
    dicts = [_as_dict(optimizer, member) for member in members]
    groups = [_group(optimizer, d) for d in dicts if "order_params" not in d]
    parameters = [x for group in groups for x in group.parameters]
    _check_once(parameters)
    orders = [_order(optimizer, d) for d in dicts if "order_params" in d]
    if len(orders) > 1:
        raise fail("E0404", f"{optimizer} got order_params more than once")
    return (_ordered(parameters, orders[0]) if orders else parameters), groups


def _checked(optimizer: str, given: Any) -> list[Parameter]:
    if isinstance(given, Parameter) or not isinstance(given, Iterable):
        raise _no_parameters(optimizer, given)
    members = list(given)
    for member in members:
        if not isinstance(member, Parameter):
            raise fail("E0304", f"{optimizer} trains Parameters, got {shown(member)}")
    if not members:
        raise fail(
            "E0404", f"{optimizer} got no Parameters",
            help="trainable_params() gives those whose requires_grad is True",
        )  # fmt: skip
    return members


def _no_parameters(optimizer: str, given: Any) -> S2sadError:
    return fail(
        "E0304", f"{optimizer} takes an iterable of Parameters, got {shown(given)}",
        help="give those of a Cell: net.trainable_params()",
    )  # fmt: skip


def _as_dict(optimizer: str, member: Any) -> Mapping[str, Any]:
    if not isinstance(member, Mapping):
        raise fail("E0304", f"{optimizer} takes Parameters or groups of them, not both")
    for key in member:
        if key not in KEYS:
            raise fail(
                "E0404", f"a group of Parameters has no {key!r}", help=did_you_mean(str(key), KEYS)
            )
    return member


def _group(optimizer: str, given: Mapping[str, Any]) -> Group:
    if "params" not in given:
        raise fail("E0404", "a group of Parameters needs the key 'params'")
    decay = given.get("weight_decay")
    return Group(
        tuple(_checked(optimizer, given["params"])),
        given.get("lr"),
        None if decay is None else as_decay(decay),
        flag("grad_centralization", given.get("grad_centralization", False)),
    )


def _order(optimizer: str, given: Mapping[str, Any]) -> list[Parameter]:
    if len(given) > 1:
        raise fail("E0404", "order_params stands in a group of its own")
    return _checked(optimizer, given["order_params"])


def _check_once(parameters: list[Parameter]) -> None:
    known: set[int] = set()
    for parameter in parameters:
        if id(parameter) in known:
            raise fail("E0404", f"{parameter.name} stands in two groups, or twice in one")
        known.add(id(parameter))


def _ordered(parameters: list[Parameter], order: list[Parameter]) -> list[Parameter]:
    if sorted(map(id, parameters)) != sorted(map(id, order)):
        raise fail("E0404", "order_params are not the Parameters of the groups")
    return order


def as_decay(given: Any) -> Any:
    """A weight decay: a float, or a Cell that makes one of the step."""
    return given if isinstance(given, Cell) else not_negative("weight_decay", given)


def as_rate(given: Any, name: str) -> Parameter | Cell:
    """A learning rate: a Parameter called `name`, or a Cell that makes it of the step.

    Raises
    ------
    S2sadError
        E0303 for what is none, E0404 for a rate that is negative or not finite, and for no rates.
    """
    if isinstance(given, Cell):
        return given
    plain = as_plain(given)
    if isinstance(plain, (str, Mapping)) or not isinstance(plain, Iterable):
        rate = not_negative("learning_rate", plain)
        return Parameter(Tensor(rate, dtypes.float32), name, requires_grad=False)
    rates = [not_negative("learning_rate", as_plain(each)) for each in plain]
    if not rates:
        raise fail("E0404", "a list of learning rates needs one at least")
    return RateList(Tensor(rates, dtypes.float32), name)


def as_plain(given: Any) -> Any:
    """What Tensors and arrays hold, as Python numbers; anything else as it is."""
    return given.tolist() if isinstance(given, (Tensor, np.ndarray, np.generic)) else given
