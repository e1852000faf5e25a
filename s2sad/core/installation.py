"""Which s2sad runs here, and beside which packages?

What is kept on disk from one process for the next is right only for the s2sad that made it. A
version number does not tell two checkouts apart, so all of the package's own files are read, once a
process.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from s2sad.core.location import PACKAGE

#: When this module was imported, with a margin for what was imported before it.
IMPORTED = time.time() - 1.0

#: Endings of the files that s2sad consists of.
SUFFIXES = (".py", ".c", ".h")


@functools.cache
def own_digest() -> str | None:
    """Digest of s2sad's own files; None where they may not be those that run here.

    So it is where one was changed after the import, and where they lie in no folder.

    Examples
    --------
    >>> len(own_digest() or 64 * "0")
    64
    """
    found = hashlib.sha256()
    files = sorted(_own_files(PACKAGE))
    for path in files:
        status = os.stat(path)
        if max(status.st_mtime, status.st_ctime) > IMPORTED:
            return None
        data = Path(path).read_bytes()
        found.update(f"{path.removeprefix(PACKAGE)}:{len(data)}:".encode())
        found.update(data)
    return found.hexdigest() if files else None


def _own_files(folder: str) -> Iterator[str]:
    for root, _, names in os.walk(folder):
        yield from (os.path.join(root, name) for name in names if name.endswith(SUFFIXES))


def installed() -> Iterator[str]:
    """A line for each package that was installed where Python looks, with the time of that.

    Among them are those that plug something in when they are there, so whoever finds the same
    lines again finds the same plug-ins.
    """
    for folder in dict.fromkeys(sys.path):
        try:
            entries = list(os.scandir(folder or "."))
        except OSError:  # no folder: an archive, or nothing at all
            continue
        marks = (each for each in entries if each.name.endswith((".dist-info", ".egg-info")))
        for each in sorted(marks, key=lambda each: each.name):
            yield f"{folder}:{each.name}:{each.stat().st_mtime_ns}"
