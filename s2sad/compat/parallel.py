"""What may be set about several devices, where there is one?

MindSpore's keys, with their defaults. A value that one device can honour is kept; one that asks
for more is an error.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import did_you_mean, fail

__all__ = [
    "ParallelMode", "get_auto_parallel_context", "reset_auto_parallel_context",
    "set_auto_parallel_context",
]  # fmt: skip


class ParallelMode:
    """Ways to share out a program among devices."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


#: With one device each of these is the program itself; the others cut its tensors.
_OF_ONE = (ParallelMode.STAND_ALONE, ParallelMode.DATA_PARALLEL)

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

#: What one device can honour of the keys that ask for more.
_LEGAL: dict[str, tuple[Any, ...]] = {
    "device_num": (1,), "global_rank": (0,), "parallel_mode": _OF_ONE, "pipeline_stages": (1,),
    "auto_pipeline": (False,),
}  # fmt: skip

_values: dict[str, Any] = {}


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Set how a program is shared out; all or nothing.

    Raises
    ------
    S2sadError
        E0407 for an unknown key, E0710 for a value that needs several devices.

    Examples
    --------
    >>> set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True)
    >>> get_auto_parallel_context("gradients_mean")
    True
    >>> reset_auto_parallel_context()
    """
    for key, value in kwargs.items():
        _require_known(key)
        if value not in _LEGAL.get(key, (value,)):
            legal = " or ".join(map(repr, _LEGAL[key]))
            raise fail(
                "E0710", f"{key}={value!r} needs several devices, which are not supported yet",
                help=f"with one, {key} is {legal}",
            )  # fmt: skip
    _values.update(kwargs)


def get_auto_parallel_context(attr_key: str) -> Any:
    """Present value of a key; E0407 for an unknown one.

    Examples
    --------
    >>> get_auto_parallel_context("device_num")
    1
    """
    _require_known(attr_key)
    return _values.get(attr_key, DEFAULTS[attr_key])


def reset_auto_parallel_context() -> None:
    """Let every key have its default again.

    Examples
    --------
    >>> reset_auto_parallel_context()
    >>> get_auto_parallel_context("parallel_mode")
    'stand_alone'
    """
    _values.clear()


def gradients_mean() -> bool:
    """Whether gradients of several devices would be averaged rather than summed."""
    return get_auto_parallel_context("gradients_mean")


def parallel_mode() -> str:
    """The way that was chosen, one of `ParallelMode`."""
    return get_auto_parallel_context("parallel_mode")


def _require_known(key: str) -> None:
    if key not in DEFAULTS:
        raise fail("E0407", f"there is no setting {key!r}", help=did_you_mean(key, DEFAULTS))
