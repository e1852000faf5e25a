"""How do arrays lie in a file?

In an ``.npz``, under keys, in the storage of their dtypes. It is written whole or not at all, and
checked when it is read; nothing in it is executed.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail

if sys.platform != "win32":
    import fcntl


def load_arrays(path: Path) -> dict[str, np.ndarray]:
    """All arrays of the ``.npz`` at `path`; pickled objects are refused.

    Raises
    ------
    S2sadError
        E0602 when the file is missing or damaged, or holds what no tensor can.
    """
    if not os.path.isfile(path):
        raise fail(
            "E0602",
            f"the arrays beside the dump are missing: {path}",
            help="`dump(folder, *args)` writes inputs too; `s2sad run-ir` can draw random ones",
        )
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    except Exception as error:  # what NumPy and zipfile raise on damaged bytes has no end
        raise fail("E0602", f"{path} is damaged, or no .npz file: {error}") from error
    for key, array in arrays.items():
        if array.dtype not in dtypes.BY_STORAGE:
            raise fail("E0602", f"{path} holds {key} with elements of {array.dtype}")
    return arrays


def save_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write `arrays` to the ``.npz`` at `path`, whole or not at all.

    Raises
    ------
    S2sadError
        E0604 when it cannot be written.
    """
    write_whole(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]


def save_results(path: Path, results: Sequence[Any]) -> None:
    """Write `results` as ``result0``, ``result1``, ... to the ``.npz`` at `path`.

    Parameters
    ----------
    path : Path
    results : sequence
        As for `by_number`.

    Raises
    ------
    S2sadError
        E0402 for an empty stack of tensors of symbolic size, E0604 when it cannot be written.
    """
    save_arrays(path, by_number("result", results))


def by_number(word: str, values: Sequence[Any]) -> dict[str, Any]:
    """Arrays for `values` under ``word0``, ``word1``, ...

    Tokens are left out; a stack becomes one array, whose first axis counts what was pushed.

    Parameters
    ----------
    word : str
    values : sequence
        Arrays, stacks and tokens.

    Raises
    ------
    S2sadError
        E0402 for an empty stack of tensors of symbolic size.
    """
    return {
        f"{word}{i}": _stacked(value) if isinstance(value, list) else value
        for i, value in enumerate(values)
        if isinstance(value, (np.ndarray, np.generic, list))
    }


def _stacked(stack: Any) -> np.ndarray:
    element = stack.element
    if stack:
        return np.stack(stack)
    if not all(isinstance(size, int) for size in element.shape):
        raise fail("E0402", f"an empty stack of {element} does not tell the sizes of its tensors")
    return np.empty((0, *element.shape), element.dtype.storage)


def write_whole(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Let `write` fill a new file, which then takes the place of `path` at once.

    What processes left behind that were ended while they did so is removed.

    Raises
    ------
    S2sadError
        E0604 when that fails; what was at `path` is there still.
    """
    try:
        with _claimed(path) as part:
            with open(part, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
    except OSError as error:
        raise fail("E0604", f"{path} cannot be written: {error}") from error
    _sweep(path)


@contextmanager
def _claimed(path: Path) -> Iterator[Path]:
    """A new file beside `path`, gone at the end if it is there still; its lock says who lives."""
    is_ours = False
    while not is_ours:
        part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
        with open(part, "xb") as held:
            is_ours = _lock(held) and part.exists()  # it may have been swept before the lock
            if is_ours:
                try:
                    yield part
                finally:
                    with suppress(FileNotFoundError):
                        part.unlink()


def _sweep(path: Path) -> None:
    """Remove what `write_whole` has left beside `path` in processes that have ended."""
    name = re.compile(re.escape(f".{path.name}.") + r"[0-9a-f]{8}\.part")
    with suppress(OSError):  # a folder that may be written to need not be readable
        for part in filter(name.fullmatch, os.listdir(path.parent)):
            _remove_dead(path.parent / part)


def _remove_dead(part: Path) -> None:
    with suppress(OSError), open(part, "rb") as held:  # that of another user stays
        if _lock(held, wait=False):
            part.unlink()


def _lock(held: BinaryIO, *, wait: bool = True) -> bool:
    """Whether the open file is locked now; the lock goes when it is closed, or its process ends."""
    if sys.platform == "win32":  # what is locked there could not be renamed: nothing is swept
        held.close()
        return wait
    try:
        fcntl.flock(held, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another has it, or the file system knows no locks and nobody sweeps
        return wait
    return True
