"""Which folder is the cache, and is it the user's own?

What lies in it is executed, so nobody else may write there.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from s2sad.core.diagnostics import S2sadError, fail


def is_on() -> bool:
    """Whether entries are kept when the process ends: not where `S2SAD_CACHE` is ``0``."""
    return os.environ.get("S2SAD_CACHE") != "0"


def default_folder() -> Path:
    """Where entries lie: `S2SAD_CACHE_DIR` of the environment, else what the system has for it.

    Raises
    ------
    S2sadError
        E0605 where the user has no home.
    """
    chosen = os.environ.get("S2SAD_CACHE_DIR")
    if chosen:
        return Path(chosen).absolute()
    try:
        return _system_folder() / "s2sad"
    except RuntimeError as error:
        raise unusable(None, f"there is no home folder: {error}") from error


def _system_folder() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    return Path(chosen) if os.path.isabs(chosen) else Path.home() / ".cache"


def unusable(folder: Path | None, why: str) -> S2sadError:
    """The error (E0605) for a cache that cannot be used."""
    what = "there is no cache folder" if folder is None else f"the cache folder {folder}"
    return fail(
        "E0605", f"{what}: {why}" if folder is None else f"{what} cannot be used: {why}",
        help="let S2SAD_CACHE_DIR name a folder of your own, or S2SAD_CACHE=0 turn the cache off",
    )  # fmt: skip


def require_own(folder: Path) -> None:
    """E0605 unless `folder` is the user's, and nobody else may write in it.

    On Windows the system's own folder is such, and another one is taken as it is.
    """
    if sys.platform == "win32":
        return
    found = folder.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise unusable(folder, "it is no folder")
    if found.st_uid != os.geteuid():
        raise unusable(folder, "it belongs to another user, whose programs would be run")
    if found.st_mode & 0o022:
        raise unusable(
            folder, f"others may write in it (mode {stat.S_IMODE(found.st_mode):03o}), and what "
            "lies in it is run",
        )  # fmt: skip
