"""Which C compiler is there, and how does it make a library?

The one that `S2SAD_CC` names, or else `CC`; else the first of cc, gcc and clang that works; else
the one in the wheel ``ziglang``. What is found is remembered, in this process and in the cache.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import importlib.util
import json
import os
import shlex
import shutil
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from s2sad.backends.c import processes, processor
from s2sad.backends.c.libraries import (
    EXACT,
    FLAGS,
    SUFFIX,
    Toolchain,
    library_command,
    object_command,
    require_done,
    written_whole,
)
from s2sad.backends.c.processes import Finished
from s2sad.core import cache, location
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail

#: Variables of the environment that name a compiler, and programs that may be one.
VARIABLES = ("S2SAD_CC", "CC")
PROGRAMS = ("cc", "gcc", "clang")

#: What may say that code is for this processor only; zig takes the second.
NATIVE = ("-march=native", "-mcpu=native")
SANITIZERS = ("address", "undefined", "thread", "leak")

#: Seconds that one run of the compiler may take.
TIMEOUT = 600.0
#: A library that needs the headers of C, a number of the run, and threads.
PROBE = """\
#include <math.h>
#include <pthread.h>
#include <stdint.h>
__attribute__((visibility("default"))) int64_t probe(int64_t x) { return x + pthread_equal(
    pthread_self(), pthread_self()) * 0 + (int64_t)floor(0.5); }
"""


def find_toolchain() -> Toolchain | None:
    """The compiler of this environment; None where there is none.

    Raises
    ------
    S2sadError
        E0606 for one that `S2SAD_CC` or `CC` names and that does not work, E0404 for an unknown
        name in `S2SAD_SANITIZE`.
    """
    names = (*VARIABLES, "PATH", "S2SAD_SANITIZE")
    return _find(tuple(os.environ.get(name, "") for name in names))


@functools.cache
def _find(environment: tuple[str, ...]) -> Toolchain | None:
    sanitizers = _sanitizers(environment[-1])
    for variable, value in zip(VARIABLES, environment, strict=False):
        if value.strip():
            return named(variable, value, sanitizers)
    for command, origin in candidates():
        found = attempt(command, origin, sanitizers)
        if isinstance(found, Toolchain):
            return found
    return None


def named(variable: str, value: str, sanitizers: tuple[str, ...] = ()) -> Toolchain:
    """The compiler that a variable of the environment names, its arguments included.

    Raises
    ------
    S2sadError
        E0606 where it is none that works.
    """
    try:
        command = tuple(shlex.split(value, posix=sys.platform != "win32"))
    except ValueError as error:
        raise fail("E0606", f"{variable}={value} is no command: {error}") from error
    found = attempt(command, variable, sanitizers)
    if isinstance(found, str):
        raise fail(
            "E0606", f"{variable}={value} is no C compiler that works",
            notes=tuple(found.splitlines()[:5]),
            help=f"name another one, or unset {variable}; s2sad doctor says more",
        )  # fmt: skip
    return found


def candidates() -> list[tuple[tuple[str, ...], str]]:
    """Commands that may be a compiler where no variable names one, and where they are from."""
    found: list[tuple[tuple[str, ...], str]] = [
        ((path,), "PATH") for name in PROGRAMS if (path := shutil.which(name))
    ]
    if importlib.util.find_spec("ziglang") is not None:
        found.append(((sys.executable, "-m", "ziglang", "cc"), "ziglang"))
    return found


def _sanitizers(text: str) -> tuple[str, ...]:
    """Flags for what `S2SAD_SANITIZE` says."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in SANITIZERS:
            hint = did_you_mean(name, SANITIZERS) or f"those are {', '.join(SANITIZERS)}"
            raise fail("E0404", f"S2SAD_SANITIZE has no {name!r}", help=hint)
    if not names:
        return ()
    return (f"-fsanitize={','.join(names)}", "-fno-sanitize-recover=all", "-g",
            "-fno-omit-frame-pointer")  # fmt: skip


def attempt(command: tuple[str, ...], origin: str, extra: tuple[str, ...] = ()) -> Toolchain | str:
    """The compiler that `command` is, or why it is none. What was found is in the cache."""
    files = [_identity(word) for word in command]
    if files[0] == "":
        return f"there is no program {command[0]}"
    name = cache.digest("1", *command, origin, *files, processor.describe(), *extra)
    known = _recall(name)
    if known is not None:
        return known
    try:
        found = probe(command, origin, extra)
    except OSError as error:
        return str(error)
    if isinstance(found, Toolchain):
        text = json.dumps(asdict(found))
        cache.cache().store("toolchain", name, lambda folder: (folder / "found").write_text(text))
    return found


def _identity(word: str) -> str:
    """What tells one state of the program `word` from another; "" for what is no program."""
    if word == "ziglang":  # a module, after ``python -m``
        return importlib.metadata.version(word) if importlib.util.find_spec(word) else ""
    path = shutil.which(word)
    if path is None:
        return ""
    found = os.stat(path)  # of what a link leads to
    return f"{os.path.realpath(path)} {found.st_size} {found.st_mtime_ns}"


def _recall(name: str) -> Toolchain | None:
    folder = cache.cache().find("toolchain", name)
    if folder is None:
        return None
    with suppress(FileNotFoundError):  # another process may clear the cache
        found = json.loads((folder / "found").read_text())
        found["command"], found["flags"] = tuple(found["command"]), tuple(found["flags"])
        return Toolchain(**found)
    return None


def probe(command: tuple[str, ...], origin: str, extra: tuple[str, ...]) -> Toolchain | str:
    """Try what `command` can do: the compiler that it is, or what it said in place of working."""
    version = processes.run([*command, "--version"], timeout=TIMEOUT)
    target = processes.run([*command, "-dumpmachine"], timeout=TIMEOUT)
    for finished in (version, target):
        if finished.code != 0:
            return said_by(finished)
    kind = _kind(command, version.text)
    triple = "native" if kind == "zig" else target.text.strip()  # zig names that of its own build
    natives = NATIVE[1:] if kind == "zig" else NATIVE
    said = ""  # at the last attempt
    for native in (*((each,) for each in natives), ()):
        flags = (*FLAGS, *_flags_of(kind, bool(extra)), *native, *extra)
        found = Toolchain(
            command, origin, kind, version.text.strip().partition("\n")[0], triple,
            processor.describe(), flags,
        )  # fmt: skip
        said = try_library(found)
        if not said:
            return found
    return said


def said_by(finished: Finished) -> str:
    """What a program that failed has to say."""
    return finished.text.strip() or f"{' '.join(finished.command)} ended with {finished.code}"


def _kind(command: tuple[str, ...], version: str) -> str:
    if any("zig" in Path(word).name for word in command):
        return "zig"
    return "clang" if "clang" in version else "gcc"


def _flags_of(kind: str, is_checked: bool) -> tuple[str, ...]:
    position = () if sys.platform == "win32" else ("-fPIC",)
    # zig adds checks of its own, which end the process without a word.
    return (*position, *(("-fno-sanitize=all",) if kind == "zig" and not is_checked else ()))


def try_library(toolchain: Toolchain) -> str:
    """Compile a library and run it; what went wrong, "" where nothing did.

    One with sanitizers is compiled only: it can be loaded where their own library was first.
    """
    with cache.cache().scratch() as folder:  # where libraries are loaded from: /tmp may forbid it
        source, output = folder / "probe.c", folder / f"probe{SUFFIX}"
        source.write_text(PROBE)
        finished = processes.run(library_command(toolchain, [source], output), timeout=TIMEOUT)
        if finished.code != 0:
            return said_by(finished)
        if any(flag.startswith("-fsanitize=") for flag in toolchain.flags):
            return ""
        try:
            found = ctypes.CDLL(str(output)).probe
        except OSError as error:  # made for another machine
            return str(error)
        found.argtypes, found.restype = [ctypes.c_int64], ctypes.c_int64
        return "" if found(2**40) == 2**40 else "the library that it makes computes something else"


def require_toolchain() -> Toolchain:
    """What `find_toolchain` gives; E0606 where that is None."""
    found = find_toolchain()
    if found is None:
        raise fail("E0606", "no C compiler was found", help=INSTALL)
    return found


INSTALL = "install one, or pip install 's2sad[cc]'"


@functools.cache
def warn_of_none() -> None:
    """Say, once in a process, that there is no compiler."""
    message = f"no C compiler found: programs run on NumPy; {INSTALL}"
    place = location.caller()
    warnings.warn_explicit(
        message, UserWarning, place.file if place else __file__, place.line if place else 1
    )


def compile_objects(
    sources: Sequence[Path],
    folder: Path,
    *,
    flags_of: Callable[[str], Sequence[str]],
    includes: Sequence[Path] = (),
    toolchain: Toolchain | None = None,
    done: Callable[[], object] = lambda: None,
) -> list[Path]:
    """Objects in `folder`, one for each of `sources`, compiled as many at once as there are cores.

    Parameters
    ----------
    sources : sequence of Path
        In the order in which they are begun.
    folder : Path
    flags_of : callable
        From the stem of a source's name to flags beside those of the toolchain.
    includes : sequence of Path
        Folders of headers.
    toolchain : Toolchain, optional
        That of the environment by default.
    done : callable
        Called when one was made.

    Raises
    ------
    S2sadError
        As of `compile_library`.
    """
    toolchain = toolchain or require_toolchain()
    objects = [folder / f"{source.stem}.o" for source in sources]
    commands = [
        object_command(toolchain, source, each, flags=flags_of(source.stem), includes=includes)
        for source, each in zip(sources, objects, strict=True)
    ]
    source_of = dict(zip(commands, sources, strict=True))

    def has_ended(finished: Finished) -> None:
        require_done(finished, [source_of[finished.command]])
        done()

    processes.run_all(commands, timeout=TIMEOUT, jobs=processes.cores(), done=has_ended)
    return objects


def compile_library(
    sources: Sequence[Path],
    output: Path,
    *,
    flags: Sequence[str] = (EXACT,),
    includes: Sequence[Path] = (),
    toolchain: Toolchain | None = None,
    timeout: float = TIMEOUT,
) -> None:
    """Make the library `output`, whole or not at all.

    Parameters
    ----------
    sources : sequence of Path
        Files of C, and objects.
    output : Path
        Written beside its name first, then renamed.
    flags : sequence of str
        Beside those of the toolchain.
    includes : sequence of Path
        Folders of headers.
    toolchain : Toolchain, optional
        That of the environment by default.
    timeout : float
        Seconds.

    Raises
    ------
    S2sadError
        E0904 when the compiler fails, with a folder where all about it is kept; E0606 where there
        is none.
    """
    toolchain = toolchain or require_toolchain()
    with written_whole(output) as unfinished:
        command = library_command(toolchain, sources, unfinished, flags=flags, includes=includes)
        try:
            require_done(processes.run(command, timeout=timeout), sources)
        except OSError as error:
            if isinstance(error, S2sadError):
                raise
            raise fail("E0606", f"{command[0]} cannot be run: {error}") from error
