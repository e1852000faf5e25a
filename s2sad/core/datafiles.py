"""How are files of data sets read: packed ones, arrays of IDX, images by Pillow?"""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import struct
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked where it ends in .gz.

    Raises
    ------
    S2sadError
        E0604 where it cannot be read, E0608 where it is damaged.
    """
    try:
        if path.suffix != ".gz":
            return path.read_bytes()
        with gzip.open(path) as file:
            return file.read()
    except (gzip.BadGzipFile, EOFError) as error:
        raise fail("E0608", f"{path} is damaged: {error}") from error
    except OSError as error:
        raise fail("E0604", f"{path} cannot be read: {error.strerror or error}") from error


def read_idx(path: Path) -> np.ndarray:
    """The array of uint8 in an IDX file.

    Source: Yann LeCun's description of the format: two zero bytes, 8 for uint8, how many axes,
    their sizes in big-endian 32 bits, the numbers.

    Raises
    ------
    S2sadError
        E0604, E0608 where it cannot be read, or is no such file.
    """
    data = read_bytes(path)
    if len(data) < 4 or data[:3] != b"\0\0\x08":
        raise fail("E0608", f"{path} is no IDX file of uint8")
    axes = data[3]
    if len(data) < 4 + 4 * axes:
        raise fail("E0608", f"{path} ends in its header")
    shape = struct.unpack_from(f">{axes}I", data, 4)
    values = np.frombuffer(data, np.uint8, offset=4 + 4 * axes)
    count = int(np.prod(shape, dtype=np.int64))
    if len(values) != count:
        raise fail("E0608", f"{path} has {len(values)} bytes after its header, not {count}")
    return values.reshape(shape)


def pillow(module: str, wanted: object) -> Any:
    """A module of Pillow.

    Raises
    ------
    S2sadError
        E0712 where Pillow is not installed.
    """
    if importlib.util.find_spec("PIL") is None:
        raise fail(
            "E0712", f"{type(wanted).__name__} needs Pillow, which is not installed",
            help="pip install 's2sad[vision]'",
        )  # fmt: skip
    return importlib.import_module(f"PIL.{module}")
