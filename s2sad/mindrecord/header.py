"""What stands at the beginning of a file of MindRecord, and how is it read?"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from s2sad.core.diagnostics import S2sadError, fail

VERSION = "3.0"


def damaged(path: Path, reason: str) -> S2sadError:
    """E0608: what is wrong with the file `path`."""
    return fail("E0608", f"{path} is damaged, or no file of MindRecord: {reason}")


def header_of(path: Path, data: Any) -> dict[str, Any]:
    """The header of the file `path`, whose bytes are `data`.

    Raises
    ------
    S2sadError
        E0608 where there is none, E0712 for another version.
    """
    if len(data) < 8:
        raise damaged(path, "it ends in its header")
    (size,) = struct.unpack_from("<Q", data)
    if size > len(data) - 8:
        raise damaged(path, f"a header of {size} bytes is announced")
    try:
        header = json.loads(data[8 : 8 + size])
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"its header is no JSON: {error}") from None
    if not isinstance(header, dict):
        raise damaged(path, "its header is no mapping")
    return header


def require_version(path: Path, version: Any) -> None:
    """E0712 unless files of this version are known."""
    if version != VERSION:
        raise fail("E0712", f"{path} has version {version!r}, and {VERSION!r} is read")
