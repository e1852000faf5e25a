"""Which processor is this, as a text that is the same wherever code made for it runs?"""

from __future__ import annotations

import functools
import platform
import re
import sys
from pathlib import Path

from s2sad.backends.c import processes

CPUINFO = Path("/proc/cpuinfo")
#: Lines of it: x86 first, then arm64.
NAMES = ("model name", "cpu family", "model", "CPU implementer", "CPU part", "CPU variant")
FEATURES = ("flags", "Features")


@functools.cache
def describe() -> str:
    """Name of the processor, then its features, in one line."""
    return " ".join([platform.machine(), *_facts()])


def _facts() -> list[str]:
    if CPUINFO.exists():
        return linux_facts(CPUINFO.read_text(encoding="utf-8", errors="replace"))
    if sys.platform == "darwin":
        names = ("machdep.cpu.brand_string", "machdep.cpu.features", "machdep.cpu.leaf7_features")
        command = ["/usr/sbin/sysctl", "-i", "-n", *names]  # -i: arm64 has no such features
        return processes.run(command, timeout=10).text.split()
    return [platform.processor()]


def linux_facts(text: str) -> list[str]:
    r"""Words of the first processor in the text of ``/proc/cpuinfo``.

    Examples
    --------
    >>> linux_facts("model name\t: A 1\nflags\t\t: fma avx2\n\nmodel name\t: A 1\n")
    ['A 1', 'avx2', 'fma']
    """
    found = dict(re.findall(r"^(\S[^\t:]*?)\s*: ?(.*)$", text.partition("\n\n")[0], re.MULTILINE))
    names = [found[name] for name in NAMES if name in found]
    return [*names, *sorted(word for name in FEATURES for word in found.get(name, "").split())]
