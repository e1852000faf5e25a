"""How does ``program.c`` become a library that runs, and where is it kept?"""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path

from s2sad.backends.c.libraries import EXACT, SUFFIX, load_library
from s2sad.backends.c.runtime import SOURCES, load_runtime, runtime_digest
from s2sad.backends.c.toolchain import compile_library, require_toolchain
from s2sad.core import cache

#: Beside those of the toolchain: loops say which of them may be vectorised, debuggers find lines.
PROGRAM_FLAGS = (EXACT, "-fopenmp-simd", "-g1")
SOURCE, NAME = "program.c", f"program{SUFFIX}"

_loading = threading.Lock()
_loaded: dict[str, ctypes.CDLL] = {}


def digest_of(text: str) -> str:
    """Of all that the library of a file depends on: its text, the runtime, the compiler."""
    toolchain = require_toolchain()
    return cache.digest(text, runtime_digest(toolchain), *PROGRAM_FLAGS)


def library_of(text: str) -> ctypes.CDLL:
    """The library of the file `text`, compiled where it is not in the cache; once a process.

    Raises
    ------
    S2sadError
        E0606 without a compiler, E0904 where it refuses the file, E0605 without a cache.
    """
    load_runtime()
    name = digest_of(text)
    with _loading:
        if name not in _loaded:
            _loaded[name] = _load(name, text)
        return _loaded[name]


def _load(name: str, text: str) -> ctypes.CDLL:
    try:
        return load_library(_kept(name, text))
    except FileNotFoundError:  # another process has cleared the cache since
        return load_library(_kept(name, text))


def _kept(name: str, text: str) -> Path:
    return cache.cache().entry("program", name, lambda into: _compile(text, into)) / NAME


def _compile(text: str, into: Path) -> None:
    source = into / SOURCE
    source.write_text(text, encoding="utf-8")
    compile_library([source], into / NAME, flags=PROGRAM_FLAGS, includes=[SOURCES])
