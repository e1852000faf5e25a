"""What may be set about several devices, where there is one?

MindSpore's keys, with their defaults. A value that one device can honour is kept; one that asks
for more is an error.
"""

from __future__ import annotations

import copy
from typing import Any

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.groups import needs_several

__all__ = [
    "AutoParallelContext", "ParallelMode", "auto_parallel_context", "get_auto_parallel_context",
    "reset_auto_parallel_context", "set_auto_parallel_context",
]  # fmt: skip


class ParallelMode:
    """Ways to share out a program among devices; with one, each is the program itself."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


DEFAULTS: dict[str, Any] = {
    "device_num": 1, "global_rank": 0, "gradients_mean": False, "gradient_fp32_sync": True,
    "loss_repeated_mean": True, "parallel_mode": ParallelMode.STAND_ALONE,
    "search_mode": "recursive_programming", "auto_parallel_search_mode": "recursive_programming",
    "parameter_broadcast": False, "strategy_ckpt_load_file": "", "strategy_ckpt_save_file": "",
    "strategy_ckpt_config": {}, "full_batch": False, "dataset_strategy": "data_parallel",
    "enable_parallel_optimizer": False, "parallel_optimizer_config": {},
    "force_fp32_communication": False, "enable_alltoall": False, "all_reduce_fusion_config": [],
    "comm_fusion": {}, "pipeline_stages": 1, "pipeline_result_broadcast": False,
    "pipeline_config": {}, "group_ckpt_save_file": "", "auto_pipeline": False,
}  # fmt: skip
#: What only the object `auto_parallel_context()` has; no exchange takes notice of it.
OF_OBJECT: dict[str, Any] = {
    "all_reduce_fusion_split_indices": [], "all_reduce_fusion_split_sizes": [],
    "communi_parallel_mode": "all_group_parallel", "enable_all_gather_fusion": False,
    "enable_all_reduce_fusion": False, "enable_reduce_scatter_fusion": False,
    "grad_accumulation_shard": False, "grad_accumulation_step": 1,
    "optimizer_weight_shard_aggregated_save": False, "optimizer_weight_shard_size": -1,
    "parallel_optimizer_threshold": 64, "pipeline_interleave": False,
    "pipeline_scheduler": "1f1b", "sharding_propagation": False,
}  # fmt: skip

#: What one device can honour of the keys that ask for more.
_LEGAL: dict[str, tuple[Any, ...]] = {
    "device_num": (1,), "global_rank": (0,), "pipeline_stages": (1,), "auto_pipeline": (False,),
    "optimizer_weight_shard_size": (-1, 1),
}  # fmt: skip

_values: dict[str, Any] = {}


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Set how a program is shared out; all or nothing.

    Raises
    ------
    S2sadError
        E0407 for an unknown key, E0404 for another `parallel_mode`, E0710 for a value that needs
        several devices.

    Examples
    --------
    >>> set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True)
    >>> get_auto_parallel_context("gradients_mean")
    True
    >>> reset_auto_parallel_context()
    """
    for key, value in kwargs.items():
        _require_known(key)
        _require_legal(key, value)
    _values.update(kwargs)


def get_auto_parallel_context(attr_key: str) -> Any:
    """Present value of a key; E0407 for an unknown one.

    Examples
    --------
    >>> get_auto_parallel_context("device_num")
    1
    """
    _require_known(attr_key)
    return _now(attr_key)


def reset_auto_parallel_context() -> None:
    """Let every key have its default again.

    Examples
    --------
    >>> reset_auto_parallel_context()
    >>> get_auto_parallel_context("parallel_mode")
    'stand_alone'
    """
    _values.clear()


class AutoParallelContext:
    """The settings as an object, with a `get_` and a `set_` method for each.

    Examples
    --------
    >>> context = auto_parallel_context()
    >>> context.set_gradients_mean(True)
    >>> context.get_gradients_mean(), context.get_device_num_is_set()
    (True, False)
    >>> context.reset()
    """

    def __getattr__(self, name: str) -> Any:
        action, _, key = name.partition("_")
        known = {**DEFAULTS, **OF_OBJECT, "strategy_search_mode": None}
        if action == "get" and key.removesuffix("_is_set") in known:
            return lambda *group: _get(key)
        if action == "set" and key in known:
            return lambda value, *group: _set(key, value)
        if name.startswith("__"):
            raise AttributeError(name)
        methods = [f"{action}_{each}" for each in known]
        raise fail(
            "E0220", f"auto_parallel_context() has no {name!r}", help=did_you_mean(name, methods)
        )  # fmt: skip

    def reset(self) -> None:
        """As `reset_auto_parallel_context`."""
        reset_auto_parallel_context()


def auto_parallel_context() -> AutoParallelContext:
    """The settings as an object.

    Examples
    --------
    >>> auto_parallel_context().get_parallel_mode()
    'stand_alone'
    """
    return _CONTEXT


_CONTEXT = AutoParallelContext()


def _get(key: str) -> Any:
    if key.endswith("_is_set"):
        return key.removesuffix("_is_set") in _values
    return _now("search_mode" if key == "strategy_search_mode" else key)


def _set(key: str, value: Any) -> None:
    key = "search_mode" if key == "strategy_search_mode" else key
    _require_legal(key, value)
    _values[key] = value


def _now(key: str) -> Any:
    return _values[key] if key in _values else copy.copy({**DEFAULTS, **OF_OBJECT}[key])


def _require_known(key: str) -> None:
    if key not in DEFAULTS:
        raise fail("E0407", f"there is no setting {key!r}", help=did_you_mean(key, DEFAULTS))


def _require_legal(key: str, value: Any) -> None:
    if key == "parallel_mode" and value not in ParallelMode.MODE_LIST:
        known = ", ".join(ParallelMode.MODE_LIST)
        raise fail("E0404", f"parallel_mode is one of {known}, got {value!r}")
    if value not in _LEGAL.get(key, (value,)):
        raise needs_several(f"{key}={value!r}")


# ---- what ``mindspore.parallel._utils`` asks ----------------------------------------------------


def gradients_mean() -> bool:
    """Whether gradients of several devices would be averaged rather than summed."""
    return _now("gradients_mean")


def parallel_mode() -> str:
    """The way that was chosen, one of `ParallelMode`."""
    return _now("parallel_mode")


def full_batch() -> bool:
    """Whether each device would get all rows."""
    return _now("full_batch")


def pipeline_stages() -> int:
    """How many stages a pipeline has: 1."""
    return _now("pipeline_stages")


def parameter_broadcast() -> bool:
    """Whether the first device would send its Parameters to the others."""
    return _now("parameter_broadcast")


def enable_parallel_optimizer() -> bool:
    """Whether an optimizer's state would be cut."""
    return _now("enable_parallel_optimizer")


def is_auto_parallel() -> bool:
    """Whether tensors would be cut, by strategies or a search for them."""
    return parallel_mode() in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def is_data_parallel() -> bool:
    """Whether rows would be cut."""
    return parallel_mode() == ParallelMode.DATA_PARALLEL
