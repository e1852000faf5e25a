"""How does ``program.c`` become a library that runs, and where is it kept?

What takes long is compiled in parts, as many at once as there are processors.
"""

from __future__ import annotations

import ctypes
import re
import threading
from pathlib import Path

from s2sad.backends.c import processes
from s2sad.backends.c.emit import Unit
from s2sad.backends.c.libraries import EXACT, SUFFIX, Toolchain, load_library
from s2sad.backends.c.runtime import SOURCES, load_runtime, runtime_digest
from s2sad.backends.c.toolchain import compile_library, compile_objects, require_toolchain
from s2sad.core import cache

#: Beside those of the toolchain: loops say which of them may be vectorised, debuggers find lines.
PROGRAM_FLAGS = (EXACT, "-fopenmp-simd", "-g1")
#: Without passes of gcc that take much time on the long loops of a kernel, and make them no faster:
#: registers are given out to a function as a whole, what it would compute twice `cse` has seen, and
#: the few elements that a vectorised loop leaves over need no code for each.
QUICKER = (
    "-fira-region=one", "-fno-tree-dominator-opts", "-fno-tree-pre",
    "--param", "max-completely-peeled-insns=60",
)  # fmt: skip
SOURCE, NAME = "program.c", f"program{SUFFIX}"
#: Lines for which it is worth to start another compiler, which reads the headers again.
LEAST_WORK = 150
#: A call of a function of `elements.h` that is more than a line or two.
_CALL = re.compile(
    r"\bs2_(?:(?:near_)?a?(?:sin|cos|tan)h?|exp\w*|log\w*|pow|sigmoid|erf\w*|\w*gamma)_f(?:32|64)\("
)

_loading = threading.Lock()
_loaded: dict[str, ctypes.CDLL] = {}


def digest_of(text: str) -> str:
    """Of all that the library of a file depends on: its text, the runtime, the compiler."""
    toolchain = require_toolchain()
    return cache.digest(text, runtime_digest(toolchain), *flags_for(toolchain))


def flags_for(toolchain: Toolchain) -> tuple[str, ...]:
    """What the compiler is told for a program, beside the toolchain's flags."""
    return (*(QUICKER if toolchain.kind == "gcc" else ()), *PROGRAM_FLAGS)


def library_of(unit: Unit) -> ctypes.CDLL:
    """The library of a file, compiled where it is not in the cache; once a process.

    Raises
    ------
    S2sadError
        E0606 without a compiler, E0904 where it refuses the file, E0605 without a cache.
    """
    load_runtime()
    name = digest_of(unit.text)
    with _loading:
        if name not in _loaded:
            _loaded[name] = _load(name, unit)
        return _loaded[name]


def _load(name: str, unit: Unit) -> ctypes.CDLL:
    try:
        return load_library(_kept(name, unit))
    except FileNotFoundError:  # another process has cleared the cache since
        return load_library(_kept(name, unit))


def _kept(name: str, unit: Unit) -> Path:
    return cache.cache().entry("program", name, lambda into: _compile(unit, into)) / NAME


def _compile(unit: Unit, into: Path) -> None:
    source, flags = into / SOURCE, flags_for(require_toolchain())
    source.write_text(unit.text, encoding="utf-8")
    groups = shared_out(unit)
    if len(groups) < 2:
        compile_library([source], into / NAME, flags=flags, includes=[SOURCES])
        return
    with cache.cache().scratch() as folder:
        sources = [folder / f"part_{number}.c" for number in range(len(groups) + 1)]
        for path, text in zip(sources, unit.parts(groups), strict=True):
            path.write_text(text, encoding="utf-8")
        objects = compile_objects(
            sources[::-1], folder, flags_of=lambda name: flags, includes=[SOURCES]
        )  # fmt: skip
        linked = [flag for flag in flags if flag.startswith("-fsanitize")]  # with their library
        compile_library(objects, into / NAME, flags=linked)


def shared_out(unit: Unit, jobs: int | None = None) -> list[list[str]]:
    """Kernels of `unit` for each of the compilers that work at once, about as much for each.

    Parameters
    ----------
    unit : Unit
    jobs : int, optional
        Compilers at most: by default, as many as there are processors.
    """
    work = {name: work_of(text) for name, text in unit.kernels.items()}
    most = min(jobs or processes.cores(), sum(work.values()) // LEAST_WORK, len(work))
    groups: list[list[str]] = [[] for _ in range(most)]
    load = [0] * most
    for name in sorted(work, key=work.__getitem__, reverse=True) if most else ():
        place = load.index(min(load))
        groups[place].append(name)
        load[place] += work[name]
    return groups


def work_of(kernel: str) -> int:
    """About how long a compiler needs for a kernel, in lines.

    A function of mathematics is some dozen lines, whatever loop it comes to stand in.

    Examples
    --------
    >>> work_of("y0[i0] = x0[i0];"), work_of("y0[i0] = s2_tanh_f32(x0[i0]);")
    (1, 31)
    """
    return kernel.count("\n") + 1 - kernel.count("#line") + 30 * len(_CALL.findall(kernel))
