"""What may be said of the devices that compute a Cell, where there is one?

It is kept where one device can honour it, and an error where it asks for several.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.groups import rank_number
from s2sad.core.sharding import require_whole

#: What MindSpore's `recompute` is told of exchanges between devices.
_EXCHANGES = (
    "mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation",
)  # fmt: skip


class Placed:
    """What says where, and how, a Cell is computed."""

    _stage: int | None = None

    def shard(
        self: Any, in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None
    ) -> Any:
        """Say how tensors are spread over devices; the Cell itself.

        Parameters
        ----------
        in_strategy, out_strategy : tuple, optional
            Of each tensor, into how many parts each axis is cut, or a `Layout`. With one device
            each is 1.
        parameter_plan : dict, optional
            The same of Parameters, by name.

        Raises
        ------
        S2sadError
            E0303 for another form, E0404 for a number below 1, E0710 for one above.

        Examples
        --------
        >>> import s2sad as ms
        >>> ms.nn.Dense(3, 2).shard(((1, 1),))(ms.ops.ones((1, 3))).shape
        (1, 2)
        """
        require_whole("in_strategy", in_strategy)
        require_whole("out_strategy", out_strategy)
        if parameter_plan is not None and not isinstance(parameter_plan, dict):
            raise fail("E0303", f"parameter_plan is a dict, got {parameter_plan!r}")
        for name, plan in (parameter_plan or {}).items():
            require_whole(f"the plan of {name}", plan if isinstance(plan, tuple) else (plan,))
        return self

    def recompute(
        self: Any,
        *,
        use_reentrant: bool = True,
        output_recompute: bool = False,
        early_stop: bool = True,
        context_fn: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Let the Cell be computed again for its gradient, as `s2sad.checkpoint` does.

        Parameters
        ----------
        use_reentrant, output_recompute, early_stop : bool
            Taken: they choose a way to do it, and there is one.
        context_fn : None
        **kwargs : bool
            ``mp_comm_recompute``, ``parallel_optimizer_comm_recompute`` and
            ``recompute_slice_activation``, which are about several devices: taken.

        Raises
        ------
        S2sadError
            E0302 for another argument, E0303 for what is no bool, E0404 for a `context_fn`.

        Examples
        --------
        >>> import s2sad as ms
        >>> net = ms.nn.Dense(3, 2)
        >>> net.recompute()
        >>> ms.grad(net)(ms.ops.ones((1, 3))).shape
        (1, 3)
        """
        for name in kwargs:
            if name not in _EXCHANGES:
                raise fail(
                    "E0302", f"recompute takes no {name!r}", help=did_you_mean(name, _EXCHANGES)
                )
        flags = {
            "use_reentrant": use_reentrant, "output_recompute": output_recompute,
            "early_stop": early_stop, **kwargs,
        }  # fmt: skip
        for name, value in flags.items():
            if not isinstance(value, bool):
                raise fail("E0303", f"{name} is True or False, got {value!r}")
        if context_fn is not None:
            raise fail("E0404", "recompute enters no contexts", help="leave context_fn out")
        self.mark_checkpoint(None)

    def set_comm_fusion(self: Any, fusion_type: int, recurse: bool = True) -> Any:
        """Note with which others the gradients of Parameters are exchanged; the Cell itself.

        E0303 unless `fusion_type` is an int, E0404 below 0. Nothing is exchanged in one process.
        """
        if isinstance(fusion_type, bool) or not isinstance(fusion_type, int):
            raise fail("E0303", f"fusion_type is an int, got {fusion_type!r}")
        if fusion_type < 0:
            raise fail("E0404", f"fusion_type is not negative, got {fusion_type}")
        for parameter in self.trainable_params(recurse):
            parameter.comm_fusion = fusion_type
        return self

    @property
    def pipeline_stage(self) -> int | None:
        """The stage of a pipeline over devices: None, or 0, the only one (E0303, E0404, E0710)."""
        return self._stage

    @pipeline_stage.setter
    def pipeline_stage(self, value: int) -> None:
        self.__dict__["_stage"] = rank_number("the stage of a pipeline", value)
