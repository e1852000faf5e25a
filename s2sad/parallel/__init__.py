"""On how many devices does a program run, and who computes what? On one, which computes it all."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.core.sharding import Layout
from s2sad.ops.sharding import shard
from s2sad.parallel.auto_parallel import AutoParallel

__all__ = ["AutoParallel", "Layout", "shard"]


def __getattr__(name: str) -> object:
    raise _missing("s2sad.parallel", name, __all__)
