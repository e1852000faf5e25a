"""What do all optimizers have in common: Parameters, rates, decay, and the order of a step?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.tensor import Tensor
from s2sad.nn.optim.groups import Group, as_decay, as_rate, read_groups
from s2sad.nn.optim.rules import states_like
from s2sad.ops.settings import not_negative
from s2sad.ops.state import check_gradients


class Optimizer(Cell):
    """Base of optimizers: the Parameters, the rate, and what happens to gradients beforehand.

    Called with a tuple or list of gradients, one a Parameter in their order, it makes a step and
    gives a tuple of True, one a Parameter, as MindSpore does. Subclasses say how one Parameter is
    updated, or have a `construct` of their own.

    Parameters
    ----------
    learning_rate : number, 0-d Tensor, iterable of number, 1-d Tensor, or Cell
        A number is kept in a Parameter: assigning to that changes the rate from the next step on.
        Several are those of the steps one after the other, and a step beyond the last is an error.
        A Cell makes the rate of the step; see `LearningRateSchedule`.
    parameters : iterable of Parameter, or of dict
        At least one; names differ. A dict is a group: the key ``params`` names its Parameters,
        ``lr`` and ``weight_decay`` are settings of its own, ``grad_centralization=True`` lets the
        gradients of its matrices and kernels have mean 0 in each row. One dict may give
        ``order_params`` alone: all Parameters, in the order of the gradients.
    weight_decay : float, or Cell that makes one of the step
        This much of a Parameter is added to its gradient, unless its name contains ``gamma`` or
        ``beta``. In groups it is added whatever the name.
    loss_scale : float
        Gradients are divided by it.

    Attributes
    ----------
    parameters : ParameterTuple
    learning_rate : Parameter, 0-d, float32; or Cell; or a tuple of one of these a Parameter
        The last where a group has a rate of its own. Groups without one share a Parameter.
    global_step : Parameter, int32, shape (1,)
        Steps made so far.
    is_group, is_group_lr : bool
        Whether there are groups, and whether one has a rate of its own.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of the wrong type or value, E0304 for what is no Parameter,
        E0404 for none and for groups that cannot be, E0406 for names that clash.

    Notes
    -----
    A step decays, makes gradients central, divides by the scale, reads the rate, counts, and
    updates; so the first rate is that of step 0. Central gradients: H. Yong et al., "Gradient
    centralization", 2020.
    """

    def __init__(
        self,
        learning_rate: Any,
        parameters: Iterable[Any],
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(auto_prefix=False)
        given, groups = read_groups(self.cls_name, parameters)
        self.parameters = ParameterTuple(given)
        self.weight_decay: Any = as_decay(weight_decay)
        self.loss_scale = not_negative("loss_scale", loss_scale)
        if not self.loss_scale:
            raise fail("E0404", "loss_scale must be positive, got 0")
        self.is_group = bool(groups)
        self.is_group_lr = any(group.rate is not None for group in groups)
        self._set_rates(learning_rate, groups)
        self._set_decays(groups)
        self.global_step = Parameter(Tensor([0], dtypes.int32), "global_step", requires_grad=False)
        self._set_older_names()

    def _set_older_names(self) -> None:
        """What optimizers that are written for MindSpore find in its base."""
        self.map_, self.hyper_map = ops.Map(), ops.HyperMap()
        self.assignadd = ops.assign_add
        self.global_step_increase_tensor = Tensor(1, dtypes.int32)
        self.optim_filter = (True,) * len(self.parameters)
        self.need_scale, self.reciprocal_scale = self.loss_scale != 1, 1 / self.loss_scale
        self.exec_weight_decay = bool(
            self.dynamic_weight_decay or any(self.group_decays or (self.weight_decay,))
        )

    def _set_rates(self, learning_rate: Any, groups: list[Group]) -> None:
        self.learning_rate: Any
        if not self.is_group_lr:
            self.learning_rate = as_rate(learning_rate, "learning_rate")
            return
        common = as_rate(learning_rate, "learning_rate")
        rates: list[Parameter | Cell] = []
        for place, group in enumerate(groups):
            name = f"learning_rate_group_{place}"
            rate = common if group.rate is None else as_rate(group.rate, name)
            rates.append(rate)
            if isinstance(rate, Parameter):
                self.insert_param_to_cell(name, rate)
            else:
                self.insert_child_to_cell(name, rate)
        self.learning_rate = self._of_each(groups, rates)

    def _set_decays(self, groups: list[Group]) -> None:
        """Which Parameters decay, and in groups how much."""
        self.decay_flags = tuple(self.is_group or _decays(x.name) for x in self.parameters)
        decays = [self.weight_decay if g.weight_decay is None else g.weight_decay for g in groups]
        self.group_decays = self._of_each(groups, decays)
        for place, decay in enumerate(decays):
            if isinstance(decay, Cell):
                self.insert_child_to_cell(f"weight_decay_group_{place}", decay)
        self.centralized = self._of_each(groups, [group.is_centralized for group in groups])

    def _of_each(self, groups: list[Group], values: list[Any]) -> tuple[Any, ...]:
        """The value of its group for each Parameter, in their order."""
        by_parameter = {
            id(x): value
            for group, value in zip(groups, values, strict=True)
            for x in group.parameters
        }
        return tuple(by_parameter[id(x)] for x in self.parameters) if groups else ()

    def take_decays(self) -> tuple[Any, ...]:
        """The decay of each Parameter, for a wrapper that decays in place of this optimizer."""
        given = self.group_decays or (self.weight_decay,) * len(self.parameters)
        decays = zip(given, self.decay_flags, strict=True)
        taken = tuple([decay if is_decayed else 0.0 for decay, is_decayed in decays])
        self.decay_flags = (False,) * len(self.parameters)
        return taken

    def number_state(self, name: str, value: float, shape: tuple[int, ...] = ()) -> Parameter:
        """A number that an optimizer remembers; wide where a Parameter is."""
        is_wide = any(x.dtype is dtypes.float64 for x in self.parameters)
        dtype = dtypes.float64 if is_wide else dtypes.float32
        kept = Tensor(np.full(shape, value), dtype)
        return Parameter(kept, name, requires_grad=False)

    def state_like_parameters(self, prefix: str, fill: float = 0.0) -> ParameterTuple:
        """What an optimizer remembers, as `rules.states_like` has it."""
        return states_like(self.parameters, prefix, fill)

    # -- a step -------------------------------------------------------------------------------

    def construct(self, gradients: Any) -> tuple[bool, ...]:
        gradients = self.prepared(gradients)
        rates = self.get_lr()
        self.count_step()
        for index, parameter in enumerate(self.parameters):
            rate = self.scalar(rates[index] if self.is_group_lr else rates, parameter)
            self.update_parameter(index, parameter, gradients[index], rate)
        return (True,) * len(self.parameters)

    def count_step(self) -> None:
        """Count the step; whatever else changes once a step is for subclasses to add."""
        ops.assign_add(self.global_step, 1)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        """Write the Parameter number `index`, and what is remembered of it."""
        raise fail("E0220", f"{self.cls_name} has no method 'update_parameter'", help="define it")

    def prepared(self, gradients: Any) -> Any:
        """Gradients with the decay of their Parameters, made central, divided by the scale."""
        check_gradients(gradients, self.parameters)
        gradients = self.gradients_centralization(self.decay_weight(gradients))
        return self.scale_grad(gradients)

    @property
    def _parameters(self) -> ParameterTuple:
        return self.parameters

    @property
    def dynamic_lr(self) -> bool:
        """Whether the rate, or that of a group, is made of the step."""
        rates = self.learning_rate if self.is_group_lr else (self.learning_rate,)
        return any(isinstance(rate, Cell) for rate in rates)

    @property
    def dynamic_weight_decay(self) -> bool:
        """Whether the decay, or that of a group, is made of the step."""
        return any(isinstance(decay, Cell) for decay in (self.weight_decay, *self.group_decays))

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        # MindSpore's optimizers ask before they count: its `get_lr` counts where a rate is dynamic.
        # Here it never does, so that all of them have to.
        return False

    def flatten_gradients(self, gradients: Any) -> Any:
        """`gradients` as they are; for optimizers written for MindSpore."""
        return gradients

    def decay_weight(self, gradients: Any) -> Any:
        """Gradients of the scaled loss with the decay of their Parameters, scaled as well."""
        found = []
        for index, parameter in enumerate(self.parameters):
            gradient = gradients[index]
            decay = self.decay_of(index)
            if not isinstance(decay, float) or decay:
                if self.loss_scale != 1:
                    decay = decay * self.loss_scale
                gradient = gradient + ops.mul(parameter, decay)
            found = [*found, gradient]
        return found

    def decay_of(self, index: int) -> Any:
        """The decay of the Parameter number `index` at the present step, 0.0 for none."""
        decay = self.group_decays[index] if self.is_group else self.weight_decay
        if not self.decay_flags[index]:
            return 0.0
        if isinstance(decay, Cell):
            return ops.reshape(decay(self.global_step), ())
        return decay

    def gradients_centralization(self, gradients: Any) -> Any:
        """Gradients, those of groups that asked for it less the mean of each row."""
        found = []
        for index in range(len(self.parameters)):
            gradient = gradients[index]
            if self.is_group and self.centralized[index] and gradient.ndim > 1:
                axes = tuple(range(1, gradient.ndim))
                gradient = gradient - ops.mean(gradient, axes, True)
            found = [*found, gradient]
        return found

    def scale_grad(self, gradients: Any) -> Any:
        """Gradients divided by the scale of the loss."""
        if self.loss_scale == 1:
            return gradients
        return [gradient / self.loss_scale for gradient in gradients]

    # -- rates --------------------------------------------------------------------------------

    def get_lr(self) -> Any:
        """The rate at the present step, 0-d; a tuple, one a Parameter, where groups have own ones.

        Examples
        --------
        >>> import s2sad as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> ms.nn.SGD([w], [0.5, 0.25]).get_lr().asnumpy()
        array(0.5, dtype=float32)
        """
        if self.is_group_lr:
            return tuple([self._present(rate) for rate in self.learning_rate])
        return self._present(self.learning_rate)

    def _present(self, rate: Any) -> Any:
        return ops.reshape(rate(self.global_step) if isinstance(rate, Cell) else rate, ())

    def scalar(self, value: Any, parameter: Any) -> Any:
        """One number in the dtype in which the update of `parameter` is computed, 0-d."""
        return ops.cast(ops.reshape(value, ()), parameter.dtype.compute)

    def wide(self, value: Any) -> Any:
        """A Parameter, gradient or state in the dtype in which updates are computed."""
        return ops.cast(value, value.dtype.compute)

    def steps_made(self, parameter: Any) -> Any:
        """How many steps there were, this one included once it counts, as `scalar` has it."""
        return self.scalar(self.global_step, parameter)

    def get_weight_decay(self) -> Any:
        """The decay at the present step; a tuple, one a Parameter, where there are groups."""
        if self.is_group:
            return tuple([self.decay_of(index) for index in range(len(self.parameters))])
        decay = self.weight_decay
        return ops.reshape(decay(self.global_step), ()) if isinstance(decay, Cell) else decay

    def get_lr_parameter(self, param: Any) -> Any:
        """What holds the rate of a Parameter of this optimizer, or a list of those of several.

        Raises
        ------
        S2sadError
            E0304 for what is no Parameter, E0404 for one that is not trained here.
        """
        if isinstance(param, (tuple, list)):
            return [self.get_lr_parameter(each) for each in param]
        if not isinstance(param, Parameter):
            raise fail("E0304", f"a Parameter is needed, got a {type(param).__name__}")
        places = [i for i, x in enumerate(self.parameters) if x is param]
        if not places:
            raise fail("E0404", f"{self.cls_name} does not train {param.name}")
        rate = self.learning_rate
        return rate[places[0]] if isinstance(rate, tuple) else rate


def opt_init_args_register(fn: Callable[..., None]) -> Callable[..., None]:
    """`fn`, the ``__init__`` of an optimizer, as it is; for optimizers written for MindSpore."""
    return fn


def _decays(name: str) -> bool:
    return "gamma" not in name and "beta" not in name
