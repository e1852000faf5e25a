"""Where does the time of a program go? Traces, and tables by kernel and by line of source."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.profiler.options import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
)
from s2sad.profiler.plan import ProfilerAction, schedule
from s2sad.profiler.session import Profiler, profile, tensorboard_trace_handler

__all__ = [
    "AicoreMetrics", "ExportType", "HostSystem", "Profiler", "ProfilerAction", "ProfilerActivity",
    "ProfilerLevel", "_ExperimentalConfig", "profile", "schedule", "tensorboard_trace_handler",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.profiler", name, __all__)
