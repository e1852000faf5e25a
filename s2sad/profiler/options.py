"""What can a profiler be told? MindSpore's enums and settings.

Most are about devices other than the CPU and change nothing here.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from s2sad.core.diagnostics import did_you_mean, fail


class ProfilerLevel(Enum):
    """How much is collected; here all levels collect the same."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """Whose work is collected; here it is the CPU's, in any case."""

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(Enum):
    """Counters of an Ascend core."""

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(Enum):
    """Form of the files; here text in any case."""

    Db = "db"
    Text = "text"


class HostSystem(Enum):
    """Counters of the host's system."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


#: What `Profiler` and `profile` take besides what they look at, with MindSpore's defaults.
OTHERS: dict[str, Any] = {
    "profiler_level": ProfilerLevel.Level0,
    "activities": None,
    "aic_metrics": AicoreMetrics.AiCoreNone,
    "with_stack": False,
    "data_simplification": True,
    "l2_cache": False,
    "hbm_ddr": False,
    "pcie": False,
    "data_process": False,
    "parallel_strategy": False,
    "sync_enable": True,
    "record_shapes": False,
    "mstx": False,
    "experimental_config": None,
}


def require_known(options: dict[str, Any]) -> None:
    """E0302 for an option that MindSpore's profiler does not have."""
    for name in options:
        if name not in OTHERS:
            raise fail(
                "E0302", f"a profiler has no option {name!r}", help=did_you_mean(name, OTHERS)
            )


def require_kind(name: str, value: Any, kind: type) -> None:
    """E0303 for a value of `name` of another kind."""
    if not isinstance(value, kind):
        raise fail("E0303", f"{name} must be a {kind.__name__}, got {value!r}")


class _ExperimentalConfig:
    """Settings of `profile` for devices other than the CPU; they change nothing here.

    Examples
    --------
    >>> _ExperimentalConfig(profiler_level=ProfilerLevel.Level1).profiler_level
    <ProfilerLevel.Level1: 'Level1'>
    """

    def __init__(
        self,
        profiler_level: ProfilerLevel = ProfilerLevel.Level0,
        aic_metrics: AicoreMetrics = AicoreMetrics.AiCoreNone,
        l2_cache: bool = False,
        mstx: bool = False,
        data_simplification: bool = True,
        export_type: list[ExportType] | None = None,
        mstx_domain_include: list[str] | None = None,
        mstx_domain_exclude: list[str] | None = None,
        sys_io: bool = False,
        sys_interconnection: bool = False,
        host_sys: list[HostSystem] | None = None,
    ) -> None:
        self.profiler_level = profiler_level
        self.aic_metrics = aic_metrics
        self.l2_cache = l2_cache
        self.mstx = mstx
        self.data_simplification = data_simplification
        self.export_type = export_type
        self.mstx_domain_include = mstx_domain_include
        self.mstx_domain_exclude = mstx_domain_exclude
        self.sys_io = sys_io
        self.sys_interconnection = sys_interconnection
        self.host_sys = host_sys
