"""Where do checkpoints lie, in which form, and how does one come onto disk and back?"""

from __future__ import annotations

import mmap
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from s2sad.checkpoints import ckpt, safetensors
from s2sad.checkpoints.arrays import Entry
from s2sad.checkpoints.wire import MalformedError
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail
from s2sad.ir.archive import write_whole

#: Forms of files, by what `format` says, which is the ending of the name as well.
FORMATS = {"ckpt": ckpt, "safetensors": safetensors}


def checked_format(format: Any) -> str:
    """`format`, which must be that of checkpoints (E0404)."""
    if format not in FORMATS:
        raise fail("E0404", f"format is 'ckpt' or 'safetensors', got {format!r}")
    return format


def checked_path(argument: str, name: Any) -> Path:
    """The path that `name` is, a text that is not empty or a path (E0303, E0404)."""
    if not isinstance(name, (str, os.PathLike)):
        raise fail("E0303", f"{argument} is a str, got a {type(name).__name__}")
    text = os.fspath(name)
    if not isinstance(text, str):
        raise fail("E0303", f"{argument} is a str, got a {type(text).__name__}")
    if not text or "\0" in text:
        raise fail("E0404", f"{argument} is the name of a file, got {text!r}")
    return Path(text)


def refuse_key(argument: str, key: Any) -> None:
    """Nothing is encrypted: E0712 for a key, E0303 for what is none."""
    if key is None:
        return
    if not isinstance(key, bytes):
        raise fail("E0303", f"{argument} is None or bytes, got a {type(key).__name__}")
    raise fail(
        "E0712", f"{argument} was given, and s2sad neither encrypts nor decrypts checkpoints",
        help="leave it out, and let the file system encrypt what must be kept secret",
    )  # fmt: skip


# -- writing ----------------------------------------------------------------------------------


def write(path: Path, format: str, entries: Mapping[str, Entry], crc: bool) -> None:
    """Write `entries` to `path`, whole or not at all; nobody may write to the file then.

    Raises
    ------
    S2sadError
        E0604 when that fails; what was at `path` is there still.
    """
    if os.path.isdir(path):
        raise _is_folder(path)

    def fill(file: BinaryIO) -> None:
        FORMATS[format].write(file, entries, crc)
        if sys.platform != "win32":  # there, the next save could not replace it
            os.chmod(file.name, stat.S_IRUSR)

    write_whole(path, fill)


def check_holds(format: str, found: Mapping[str, Entry]) -> None:
    """What a `format` cannot hold: E0304 for a text, E0404 for a name that it keeps to itself."""
    if format != "safetensors":
        return
    for name, entry in found.items():
        if isinstance(entry, str):
            raise fail(
                "E0304", f"a .safetensors file holds no text, and {name!r} is one",
                help="leave it out, or write a .ckpt",
            )  # fmt: skip
        if name == safetensors.METADATA:
            raise fail("E0404", f"no tensor in a .safetensors file has the name {name!r}")


def _is_folder(path: Path) -> S2sadError:
    return fail("E0604", f"{path} is a folder, no checkpoint", help="name the file in it")


# -- reading ----------------------------------------------------------------------------------


def read(path: Path, format: str, wanted: Callable[[str], Any]) -> Iterator[tuple[str, Entry]]:
    """Name and value of each entry of the file whose name is `wanted`.

    Arrays lie over the file: copy what is to be kept.

    Raises
    ------
    S2sadError
        E0604 where there is no file that can be read, E0607 where it is no checkpoint.
    """
    data = mapped(path)
    try:
        yield from FORMATS[format].read(data, wanted)
    except MalformedError as error:
        raise damaged(path, error) from None


def require_crc(path: Path, format: str) -> None:
    """E0607 where the file has no CRC."""
    try:
        found = FORMATS[format].has_crc(mapped(path))
    except MalformedError as error:
        raise damaged(path, error) from None
    if not found:
        raise fail(
            "E0607", f"{path} holds no CRC, so none can be compared",
            help="leave crc_check out, or write the file with crc_check=True",
        )  # fmt: skip


def mapped(path: Path) -> memoryview:
    """The bytes of the file at `path`, which are read from it where they are looked at.

    Raises
    ------
    S2sadError
        E0604 where there is no file, or it cannot be read.
    """
    if os.path.isdir(path):  # unlike `path.is_dir`, it raises nothing
        raise _is_folder(path)
    if os.path.exists(path) and not os.path.isfile(path):  # to open a pipe would be to wait for it
        raise fail("E0604", f"{path} is no file")
    try:
        with open(path, "rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return memoryview(b"")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except FileNotFoundError:
        raise fail("E0604", f"there is no file {path}", help=_nearest(path)) from None
    except OSError as error:
        raise fail("E0604", f"{path} cannot be read: {error}") from error


def _nearest(path: Path) -> str | None:
    """Help that names the file of the folder with the name nearest to that of `path`."""
    try:
        return did_you_mean(path.name, os.listdir(path.parent))
    except OSError:
        return f"there is no folder {path.parent} that can be read"


def damaged(path: Path, error: MalformedError) -> S2sadError:
    """What is raised for a file that is no checkpoint."""
    return fail(
        "E0607", f"{path} cannot be read, {error}",
        help="it is damaged, is encrypted, or is no checkpoint: take an older one",
    )  # fmt: skip
