"""Where is the library that every program of C calls?

Its units, ``runtime/*.c``, are compiled at the first need, all at once as there are processors,
and the library is kept in the cache: once a machine, not once a process.
"""

from __future__ import annotations

import ctypes
import logging
import os
import threading
import time
from pathlib import Path

from s2sad.backends.c.libraries import (
    CONTRACTING,
    EXACT,
    SUFFIX,
    Toolchain,
    load_library,
)
from s2sad.backends.c.toolchain import compile_library, compile_objects, require_toolchain
from s2sad.core import cache
from s2sad.core.diagnostics import fail
from s2sad.core.progress import progress

logger = logging.getLogger("s2sad")

#: Units and headers; programs include the headers too.
SOURCES = Path(__file__).with_name("runtime")
#: How the names of units begin in which products are added without being rounded first.
SUMMING = ("gemm", "conv")
NAME = f"runtime{SUFFIX}"
#: Variable of the environment: how many threads compute.
THREADS = "S2SAD_NUM_THREADS"

_loading = threading.Lock()
_loaded: list[ctypes.CDLL] = []


def load_runtime() -> ctypes.CDLL:
    """The library, its functions known to every program that is loaded after it.

    There is one a process: what compiler the environment names matters at the first call.

    Raises
    ------
    S2sadError
        E0404 where `S2SAD_NUM_THREADS` is no number, E0606 without a compiler, E0904 where it
        refuses a unit, E0605 without a cache.
    """
    with _loading:
        if not _loaded:
            _require_threads(os.environ.get(THREADS, ""))
            _loaded.append(load(require_toolchain(), SOURCES))
        return _loaded[0]


def _require_threads(text: str) -> None:
    """E0404 for a number of threads in the environment that is none."""
    if text and not (text.isdecimal() and int(text)):
        raise fail("E0404", f"{THREADS} is a number of threads from 1 on, got {text!r}")


def load(toolchain: Toolchain, sources: Path) -> ctypes.CDLL:
    """The library of the units in `sources`, built where it is not in the cache."""
    try:
        return load_library(library(toolchain, sources), mode=ctypes.RTLD_GLOBAL)
    except FileNotFoundError:  # another process has cleared the cache since
        return load_library(library(toolchain, sources), mode=ctypes.RTLD_GLOBAL)


def is_built(toolchain: Toolchain, sources: Path = SOURCES) -> bool:
    """Whether the library is in the cache."""
    return cache.cache().find("runtime", runtime_digest(toolchain, sources)) is not None


def library(toolchain: Toolchain, sources: Path = SOURCES) -> Path:
    """Where the library lies, built where it is not in the cache."""
    name = runtime_digest(toolchain, sources)
    folder = cache.cache().entry("runtime", name, lambda into: build(toolchain, sources, into))
    return folder / NAME


def runtime_digest(toolchain: Toolchain, sources: Path = SOURCES) -> str:
    """Of all that the library depends on: units, headers, compiler, flags, processor."""
    files = sorted((*sources.glob("*.c"), *sources.glob("*.h")))
    texts = [part for file in files for part in (file.name.encode(), file.read_bytes())]
    return cache.digest(toolchain.digest(), EXACT, CONTRACTING, *SUMMING, *texts)


def build(toolchain: Toolchain, sources: Path, into: Path) -> None:
    """Compile the units in `sources` to a library in the folder `into`."""
    start = time.perf_counter()
    # The largest first: the last one to end is then a short one.
    units = sorted(sources.glob("*.c"), key=lambda unit: unit.stat().st_size, reverse=True)
    with cache.cache().scratch() as folder:
        with progress("building the runtime, once", len(units)) as step:
            objects = compile_objects(
                units, folder, flags_of=flags_of, includes=[sources], toolchain=toolchain, done=step
            )
        compile_library(objects, into / NAME, flags=(), toolchain=toolchain)
    logger.info("building the runtime, once: %.1f s", time.perf_counter() - start)


def flags_of(unit: str) -> tuple[str, ...]:
    """What the compiler is told beside the toolchain's flags, for the unit of that name.

    Examples
    --------
    >>> flags_of("gemm_f32"), flags_of("sort")
    (('-ffp-contract=fast',), ('-ffp-contract=off',))
    """
    return (CONTRACTING,) if unit.startswith(SUMMING) else (EXACT,)
