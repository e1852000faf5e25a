"""Which devices are there, and how full is the memory of the simulated one?

These are MindSpore's older names; `s2sad.runtime` has those of memory too, and more.
"""

from __future__ import annotations

from typing import Any

from s2sad import runtime
from s2sad.backends.ascend.target.ledger import SOC_VERSION
from s2sad.core import context
from s2sad.core.device import unavailable
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.elsewhere import missing

__all__ = [
    "device_count", "empty_cache", "get_device_name", "is_available", "is_initialized",
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
    "memory_stats", "memory_summary", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats", "synchronize",
]  # fmt: skip

empty_cache, synchronize = runtime.empty_cache, runtime.synchronize

TARGETS = ("CPU", "GPU", "Ascend")


def _checked(device_target: Any) -> str:
    """The target that is asked for, or the present one (E0404 for what is none)."""
    if device_target is None:
        return context.get_context("device_target")
    if device_target not in TARGETS:
        hint = did_you_mean(device_target, TARGETS) if isinstance(device_target, str) else None
        raise fail(
            "E0404", f"device_target is CPU, GPU or Ascend, got {device_target!r}", help=hint
        )
    return device_target


def _of_device(device_target: Any) -> bool:
    """Whether the memory that is asked for is the simulated device's: of others nothing is known.

    As MindSpore has it, that of the CPU is 0; E0710 for a GPU.
    """
    target = _checked(device_target)
    if target == "GPU":
        raise unavailable(target)
    return target == "Ascend"


def device_count(device_target: str | None = None) -> int:
    """How many devices of this kind programs may run on: 1; none for a GPU.

    Examples
    --------
    >>> device_count(), device_count("GPU")
    (1, 0)
    """
    return int(_checked(device_target) != "GPU")


def is_available(device_target: str) -> bool:
    """Whether such a device is there: a simulated one is not.

    So a program that takes a device where there is one computes on the CPU here.

    Examples
    --------
    >>> is_available("CPU"), is_available("Ascend")
    (True, False)
    """
    return _checked(device_target) == "CPU"


def is_initialized(device_target: str) -> bool:
    """Whether programs run on this target now.

    Examples
    --------
    >>> is_initialized("CPU")
    True
    """
    return _checked(device_target) == context.get_context("device_target")


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """What the device is called (E0404 but for the device 0, E0710 for a GPU).

    Examples
    --------
    >>> get_device_name(0, "Ascend")
    'Ascend910B1 (simulated)'
    """
    if device_id != 0:
        raise fail("E0404", f"there is one device, 0, got {device_id!r}")
    return f"{SOC_VERSION} (simulated)" if _of_device(device_target) else "CPU"


def memory_allocated(device_target: str | None = None) -> int:
    """As of `s2sad.runtime`; 0 for the CPU.

    Examples
    --------
    >>> memory_allocated("CPU")
    0
    """
    return memory_stats(device_target)["total_allocated_memory"]


def max_memory_allocated(device_target: str | None = None) -> int:
    """As of `s2sad.runtime`; 0 for the CPU."""
    return memory_stats(device_target)["max_allocated_memory"]


def memory_reserved(device_target: str | None = None) -> int:
    """As of `s2sad.runtime`; 0 for the CPU."""
    return memory_stats(device_target)["total_reserved_memory"]


def max_memory_reserved(device_target: str | None = None) -> int:
    """As of `s2sad.runtime`; 0 for the CPU."""
    return memory_stats(device_target)["max_reserved_memory"]


def memory_stats(device_target: str | None = None) -> dict[str, Any]:
    """As of `s2sad.runtime`; all 0 for the CPU, E0710 for a GPU.

    Examples
    --------
    >>> memory_stats("CPU")["max_allocated_memory"]
    0
    """
    found = runtime.memory_stats()
    return found if _of_device(device_target) else _zeros(found)


def _zeros(stats: dict[str, Any]) -> dict[str, Any]:
    return {key: _zeros(x) if isinstance(x, dict) else 0 for key, x in stats.items()}


def memory_summary(device_target: str | None = None) -> str:
    """As of `s2sad.runtime`; E0710 for another device."""
    if not _of_device(device_target):
        return "the memory of the CPU is not counted"
    return runtime.memory_summary()


def reset_max_memory_allocated(device_target: str | None = None) -> None:
    """As of `s2sad.runtime`; nothing for the CPU."""
    if _of_device(device_target):
        runtime.reset_max_memory_allocated()


def reset_max_memory_reserved(device_target: str | None = None) -> None:
    """As of `s2sad.runtime`; nothing for the CPU."""
    if _of_device(device_target):
        runtime.reset_max_memory_reserved()


def reset_peak_memory_stats(device_target: str | None = None) -> None:
    """As of `s2sad.runtime`; nothing for the CPU."""
    if _of_device(device_target):
        runtime.reset_peak_memory_stats()


def __getattr__(name: str) -> object:
    raise missing("s2sad.hal", name, __all__)
