"""How are the files of CIFAR read that Python's `pickle` has written?

The archive for Python has no others. Such a file could name any function to be called, and NumPy
itself, when it makes a dtype anew, believes what the file says of memory. So no name in a file is
looked up: for the few that arrays of bytes need there are stand-ins here; another one is an error.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core.datafiles import read_bytes
from s2sad.core.diagnostics import fail

#: Images, uint8 (count, 32, 32, 3), and labels, (count, kinds of labels).
Part = tuple[np.ndarray, np.ndarray]


class _Kind:
    """Stands for the dtype of an array, which has to be that of bytes."""

    def __init__(self, name: object, *rest: object) -> None:
        if name not in ("u1", b"u1"):
            raise pickle.UnpicklingError(f"it has an array of {name!r}")

    def __setstate__(self, state: object) -> None:
        """What else is said of bytes says nothing."""


class _Array:
    """Stands for an array of bytes; `values` are None until a file has given them."""

    def __init__(self, *of_what: object) -> None:
        self.values: np.ndarray | None = None

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, is_turned, content = state
        self.values = _bytes_as(content, kind, shape, "F" if is_turned else "C")

    @staticmethod
    def of_buffer(content: object, kind: object, shape: Any, order: Any) -> _Array:
        """What later versions of NumPy write."""
        array = _Array()
        array.values = _bytes_as(content, kind, shape, order)
        return array


def _bytes_as(content: Any, kind: object, shape: Any, order: Any) -> np.ndarray:
    if not isinstance(kind, _Kind) or not isinstance(content, (bytes, bytearray)):
        raise pickle.UnpicklingError("it has an array of something else than bytes")
    return np.frombuffer(content, np.uint8).reshape(shape, order=order)


def _encoded(text: str, encoding: str) -> bytes:
    """How Python 3 writes bytes in a form that Python 2 reads."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it has bytes in {encoding!r}")
    return text.encode("latin1")


#: What stands for the names in a file, by the modules of NumPy 1 and 2.
_STAND_INS: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): None, ("numpy", "dtype"): _Kind, ("_codecs", "encode"): _encoded,
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _Array for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _Array.of_buffer for core in ("core", "_core")},
}  # fmt: skip


class _OfArrays(pickle.Unpickler):
    """Knows no names but those that have a stand-in."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) not in _STAND_INS:
            raise pickle.UnpicklingError(f"it names {module_name}.{global_name}")
        return _STAND_INS[module_name, global_name]


def _unpickled(path: Path) -> dict[bytes, Any]:
    """The dict of a file; E0608 where there is none."""
    try:
        found = _OfArrays(io.BytesIO(read_bytes(path)), encoding="bytes").load()
    except (pickle.UnpicklingError, EOFError, ValueError, LookupError, TypeError, ImportError,
            AttributeError, OverflowError, MemoryError) as error:  # fmt: skip
        raise fail("E0608", f"{path} is no file of CIFAR: {error}") from error
    if not isinstance(found, dict):
        raise fail("E0608", f"{path} is no file of CIFAR: it has a {type(found).__name__}")
    return found


def _part(path: Path, labels: Sequence[bytes]) -> Part:
    """What one file has; E0608 where it does not fit together."""
    found = _unpickled(path)
    given, columns = found.get(b"data"), [found.get(name) for name in labels]
    data = given.values if isinstance(given, _Array) else None
    if data is None or data.size % (3 * 32 * 32):
        raise fail("E0608", f"{path} has no images of 3 x 32 x 32 bytes")
    images = data.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    for name, column in zip(labels, columns, strict=True):
        if not isinstance(column, list) or len(column) != len(images):
            raise fail("E0608", f"{path} has no {name.decode()} for each of {len(images)} images")
        if not all(type(label) is int for label in column):
            raise fail("E0608", f"{path} has {name.decode()} that are no numbers")
    return np.ascontiguousarray(images), np.array(columns, np.int64).T


def read_cifar10(folder: Path) -> tuple[Part, Part]:
    """The batches to train with, in the order of their names, as one; and those to test with."""
    paths = sorted(folder.glob("data_batch_*"))
    images, labels = zip(*(_part(path, [b"labels"]) for path in paths), strict=True)
    train = np.concatenate(images), np.concatenate(labels)
    return train, _part(folder / "test_batch", [b"labels"])


def read_cifar100(folder: Path) -> tuple[Part, Part]:
    """What is there to train with, and to test with; fine labels first."""
    labels = [b"fine_labels", b"coarse_labels"]
    return _part(folder / "train", labels), _part(folder / "test", labels)
