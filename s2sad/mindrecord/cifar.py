"""How are the files of CIFAR read that Python's `pickle` has written?

Such a file could name any function to be called. Here it gets arrays of NumPy and what `pickle`
makes by itself; another name is an error.
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

#: What files may name, by the modules of NumPy 1 and 2, and of Python 3 for bytes in protocol 2.
_ALLOWED = {
    ("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode"),
    *((f"numpy.{core}.multiarray", "_reconstruct") for core in ("core", "_core")),
    *((f"numpy.{core}.numeric", "_frombuffer") for core in ("core", "_core")),
}  # fmt: skip


class _OfArrays(pickle.Unpickler):
    """Makes arrays of NumPy, and nothing else that a file may name."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it names {module_name}.{global_name}")
        return super().find_class(module_name, global_name)


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
    data, columns = found.get(b"data"), [found.get(name) for name in labels]
    if not isinstance(data, np.ndarray) or data.dtype != np.uint8 or data.size % (3 * 32 * 32):
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
