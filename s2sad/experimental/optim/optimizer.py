"""What do optimizers with groups of settings have in common?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.tensor import Tensor
from s2sad.nn.optim.groups import as_plain
from s2sad.nn.optim.rules import numbers_like, states_like
from s2sad.ops.settings import not_negative
from s2sad.ops.state import check_gradients


class Optimizer(Cell):
    """Base of optimizers with groups: called with gradients, one a Parameter, it makes a step.

    Subclasses say how one Parameter is updated, or have a `construct` of their own.

    Parameters
    ----------
    params : iterable of Parameter, or of dict
        A dict is a group: the key ``params`` names its Parameters, the others are settings.
    defaults : dict
        Settings of groups that do not name them.

    Attributes
    ----------
    param_groups : list of dict
        The settings of each group: ``params``, ``lr``, which is a Parameter, 0-d, float32, called
        ``learning_rate_group_0`` and so on, ``weight_decay``, and those of the subclass. Changed
        ones hold from the next step on.
    parameters : ParameterTuple
        Those of all groups, in order.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of the wrong type or value, E0304 for what is no Parameter,
        E0404 for none, and for one in two groups.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.SGD([w], lr=0.5)
    >>> optimizer((ms.Tensor([1.0]),)), w.item()
    (True, 0.5)
    >>> _ = ms.ops.assign(optimizer.param_groups[0]["lr"], 0.25)
    >>> optimizer((ms.Tensor([1.0]),)), w.item()
    (True, 0.25)
    """

    def __init__(self, params: Iterable[Any], defaults: Mapping[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        self.defaults = dict(defaults)
        self.param_groups: list[dict[str, Any]] = []
        self.parameters: Any = ()
        self.group_start_id = [0]
        if isinstance(params, (str, Mapping)) or not isinstance(params, Iterable):
            raise fail("E0304", f"{self.cls_name} takes an iterable of Parameters, got {params!r}")
        given = list(params)
        if not given:
            raise fail("E0404", f"{self.cls_name} got no Parameters")
        groups = given if isinstance(given[0], Mapping) else [{"params": given}]
        for place, group in enumerate(groups):
            self.add_param_group(place, group)

    def add_param_group(self, group_id: int, param_group: Mapping[str, Any]) -> None:
        """Train the Parameters of another group, too; its number names its rate."""
        if not isinstance(param_group, Mapping) or "params" not in param_group:
            raise fail("E0304", f"a group is a dict with the key 'params', got {param_group!r}")
        group = {**self.defaults, **param_group}
        group["params"] = self._own(group["params"])
        if "lr" not in group:
            raise fail("E0404", f"group {group_id} of {self.cls_name} has no 'lr'")
        rate = not_negative("lr", as_plain(group["lr"]))
        name = f"learning_rate_group_{group_id}"
        group["lr"] = Parameter(Tensor(rate, dtypes.float32), name, requires_grad=False)
        group["weight_decay"] = not_negative("weight_decay", group.get("weight_decay", 0.0))
        self.param_groups = [*self.param_groups, group]
        self.parameters = ParameterTuple([*self.parameters, *group["params"]])
        self.group_start_id = [*self.group_start_id, len(self.parameters)]

    def _own(self, given: Any) -> list[Parameter]:
        members = [given] if isinstance(given, Parameter) else list(given)
        for member in members:
            if not isinstance(member, Parameter):
                kind = type(member).__name__
                raise fail("E0304", f"{self.cls_name} trains Parameters, got a {kind}")
        known = [id(x) for x in (*self.parameters, *members)]
        if len(set(known)) < len(known):
            raise fail("E0404", "a Parameter stands in two groups, or twice in one")
        return members

    def states(self, prefix: str, fill: float = 0.0) -> ParameterTuple:
        """What an optimizer remembers, as `s2sad.nn.optim.rules.states_like` has it."""
        return states_like(self.parameters, prefix, fill)

    def states_of_numbers(self, prefix: str, fill: float) -> ParameterTuple:
        """One number a Parameter, called as `states` are."""
        return numbers_like(self.parameters, prefix + ".", fill)

    def construct(self, gradients: Any) -> bool:
        check_gradients(gradients, self.parameters)
        self.count_step()
        index = 0
        for group in self.param_groups:
            for parameter in group["params"]:
                gradient = ops.cast(gradients[index], parameter.dtype.compute)
                if group.get("maximize", False):
                    gradient = -gradient
                self.update_parameter(index, parameter, gradient, group)
                index = index + 1
        return True

    def count_step(self) -> None:
        """What changes once a step, before the Parameters do."""

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        """Write the Parameter number `index`; its gradient is in the dtype of its state."""
        raise fail("E0220", f"{self.cls_name} has no method 'update_parameter'", help="define it")

    def rate(self, group: Any, parameter: Any) -> Any:
        """The rate of a group in the dtype in which the update of `parameter` is computed."""
        return ops.cast(group["lr"], parameter.dtype.compute)

    def decayed(self, parameter: Any, gradient: Any, group: Any) -> Any:
        """`gradient` and ``weight_decay`` of the Parameter, which is part of it."""
        if not group["weight_decay"]:
            return gradient
        return gradient + ops.cast(parameter, parameter.dtype.compute) * group["weight_decay"]

    def __repr__(self) -> str:
        lines = []
        for place, group in enumerate(self.param_groups):
            shown = {key: value for key, value in sorted(group.items()) if key != "params"}
            shown["lr"] = group["lr"].item() if isinstance(group["lr"], Tensor) else group["lr"]
            lines += [f"Parameter Group {place}", *(f"    {k}: {v}" for k, v in shown.items())]
        return "\n".join([f"{self.cls_name} (", *lines, ")"])


class CountingOptimizer(Optimizer):
    """An optimizer that counts its steps, in a Parameter of int32, 0-d, called `COUNTER`."""

    COUNTER: ClassVar[str] = "step_t"

    def __init__(self, params: Iterable[Any], defaults: Mapping[str, Any]) -> None:
        super().__init__(params, defaults)
        count = Parameter(Tensor(0, dtypes.int32), self.COUNTER, requires_grad=False)
        self.insert_param_to_cell(self.COUNTER, count)

    def count_step(self) -> None:
        ops.assign_add(getattr(self, self.COUNTER), 1)

    def steps_made(self, parameter: Any) -> Any:
        """How many steps there were, this one included, in the dtype of an update."""
        return ops.cast(getattr(self, self.COUNTER), parameter.dtype.compute)
