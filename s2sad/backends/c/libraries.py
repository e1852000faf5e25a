"""How is a library made of C, and what is kept where that fails?"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from s2sad.backends.c.processes import Finished
from s2sad.core import cache
from s2sad.core.diagnostics import fail

#: For everything that is compiled. Signed integers wrap, as NumPy's do; a NaN is a NaN.
FLAGS = (
    "-std=gnu11", "-O3", "-fwrapv", "-fno-math-errno", "-fno-trapping-math",
    "-fvisibility=hidden", "-Werror=implicit-function-declaration",
)  # fmt: skip
#: `a * b + c` is rounded twice in kernels, as by NumPy; in units that sum products, once.
EXACT, CONTRACTING = "-ffp-contract=off", "-ffp-contract=fast"
#: Ending of a library's name; ctypes takes any.
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


@dataclass(frozen=True)
class Toolchain:
    """A C compiler that works.

    Attributes
    ----------
    command : tuple of str
        Program, and arguments that come first.
    origin : str
        Who named it: ``"S2SAD_CC"``, ``"CC"``, ``"PATH"`` or ``"ziglang"``.
    kind : {"gcc", "clang", "zig"}
    version : str
        The first line of what it says.
    target : str
        What it compiles for: ``"x86_64-linux-gnu"``.
    cpu : str
        The processor, with its features.
    flags : tuple of str
        For all that it compiles.
    """

    command: tuple[str, ...]
    origin: str
    kind: str
    version: str
    target: str
    cpu: str
    flags: tuple[str, ...]

    def digest(self) -> str:
        """Of all that what it makes depends on, but for the source and further flags."""
        return cache.digest(*self.command, self.version, self.target, self.cpu, *self.flags)


def object_command(
    toolchain: Toolchain,
    source: Path,
    output: Path,
    *,
    flags: Sequence[str] = (),
    includes: Sequence[Path] = (),
) -> tuple[str, ...]:
    """Command that compiles one source, for a library that is linked later."""
    folders = [f"-I{folder}" for folder in includes]
    return (*toolchain.command, *toolchain.flags, *flags, *folders, "-c", str(source), "-o",
            str(output))  # fmt: skip


def library_command(
    toolchain: Toolchain,
    sources: Sequence[Path],
    output: Path,
    *,
    flags: Sequence[str] = (),
    includes: Sequence[Path] = (),
) -> tuple[str, ...]:
    """Command that makes a library of sources, and of what `object_command` made."""
    folders = [f"-I{folder}" for folder in includes]
    # What a program takes from the runtime is found when it is loaded.
    lookup = ("-Wl,-undefined,dynamic_lookup",) if sys.platform == "darwin" else ()
    # A library calls its own functions, whatever others of these names were loaded before.
    own = ("-Wl,-Bsymbolic",) if sys.platform.startswith("linux") else ()
    libraries = () if sys.platform == "win32" else ("-lm", "-pthread")
    return (*toolchain.command, *toolchain.flags, *flags, *folders, "-shared", *lookup, *own,
            *map(str, sources), "-o", str(output), *libraries)  # fmt: skip


def load_library(path: Path, *, mode: int = ctypes.DEFAULT_MODE) -> ctypes.CDLL:
    """The library at `path`, loaded.

    Raises
    ------
    S2sadError
        E0904 where that cannot be, for one that is there; FileNotFoundError for one that is not.
    """
    try:
        return ctypes.CDLL(str(path), mode=mode)
    except OSError as error:
        if not path.exists():
            raise FileNotFoundError(str(path)) from error
        raise fail("E0904", f"a library that s2sad made cannot be loaded: {error}") from error


@contextmanager
def written_whole(output: Path) -> Iterator[Path]:
    """A name beside `output` to write to, which takes its place when all went well."""
    handle, name = tempfile.mkstemp(
        prefix=f".{output.stem}-", suffix=output.suffix, dir=output.parent
    )
    os.close(handle)
    try:
        yield Path(name)
        os.replace(name, output)
    finally:
        Path(name).unlink(missing_ok=True)


def require_done(finished: Finished, sources: Sequence[Path]) -> None:
    """E0904 unless the compiler, given `sources`, has done what it should."""
    if finished.code == 0:
        return
    lines = finished.text.splitlines()
    what = next((x for x in lines if "error" in x), lines[0] if lines else "it said nothing")
    ended = "took too long" if finished.code is None else f"ended with {finished.code}"
    kept = keep(finished, sources)
    raise fail(
        "E0904", f"the C compiler {finished.command[0]} {ended}: {what.strip()}",
        notes=(f"sources, command and all that it said are in {kept}",),
        help="s2sad doctor says whether the compiler works; if it does, please report this",
    )  # fmt: skip


def keep(finished: Finished, sources: Sequence[Path]) -> Path:
    """A new folder with `sources`, the command that failed on them, and what it said."""
    folder = Path(tempfile.mkdtemp(prefix="s2sad-compile-"))
    for source in sources:
        if source.is_file():
            shutil.copy(source, folder)
    (folder / "command.txt").write_text(shlex.join(finished.command) + "\n", encoding="utf-8")
    (folder / "output.txt").write_text(finished.text, encoding="utf-8")
    return folder
