"""How does a checkpoint of one form become one of another?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from s2sad.checkpoints import files
from s2sad.checkpoints.arrays import Entry
from s2sad.checkpoints.saving import wait
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.ops.settings import integer


def ckpt_to_safetensors(
    file_path: Any,
    save_path: Any = None,
    name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Write ``.safetensors`` files with what ``.ckpt`` files hold.

    Parameters
    ----------
    file_path : str or path
        A file; or a folder with folders ``rank...`` of files, as several devices write them.
    save_path : str or path, optional
        A folder, made if need be; without one, files stand beside those that were read.
    name_map : dict of str to str, optional
        New names for old ones.
    file_name_regex : str, optional
        Of files in folders, those with a match in their name are read.
    processes_num : int
        Taken for MindSpore's sake: files are read one after another.

    Raises
    ------
    S2sadError
        E0303 or E0404 for arguments of the wrong form, E0304 for a text in a file, E0406 where two
        names become one, E0604 and E0607 for files that cannot be read or written. The file at
        which it happens is not written, those before it are.

    Notes
    -----
    A CRC is compared when it is read, and not written.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ms.save_checkpoint({"w": ms.Parameter([1.0])}, f"{folder}/a.ckpt")
    ...     ms.ckpt_to_safetensors(f"{folder}/a.ckpt", name_map={"w": "weight"})
    ...     list(ms.load_checkpoint(f"{folder}/a.safetensors", format="safetensors"))
    ['weight']
    """
    _convert("ckpt", "safetensors", file_path, save_path, name_map, file_name_regex, processes_num)


def safetensors_to_ckpt(
    file_path: Any,
    save_path: Any = None,
    name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Write ``.ckpt`` files with what ``.safetensors`` files hold; see `ckpt_to_safetensors`.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = {"w": ms.Parameter([1.0])}
    ...     ms.save_checkpoint(found, f"{folder}/a", format="safetensors")
    ...     ms.safetensors_to_ckpt(f"{folder}/a.safetensors", f"{folder}/new")
    ...     list(ms.load_checkpoint(f"{folder}/new/a.ckpt"))
    ['w']
    """
    _convert("safetensors", "ckpt", file_path, save_path, name_map, file_name_regex, processes_num)


def _convert(
    old: str, new: str, file_path: Any, save_path: Any, name_map: Any, regex: Any, processes: Any
) -> None:
    source = files.checked_path("file_path", file_path)
    target = None if save_path is None else files.checked_path("save_path", save_path)
    names = _checked_names(name_map)
    pattern = _checked_pattern(regex)
    integer("processes_num", processes, 1)
    if target is not None and os.path.exists(target) and not os.path.isdir(target):
        raise fail("E0604", f"save_path is a folder, {target} is a file")
    wait()
    try:
        found_files = list(_files(source, old, target, pattern))
    except S2sadError:
        raise
    except OSError as error:
        raise fail("E0604", f"the files of {source} cannot be listed: {error}") from error
    for file, folder in found_files:
        found = _renamed(files.read(file, old, lambda name: True), names)
        files.check_holds(new, found)
        _make(folder)
        files.write(folder / f"{file.name.removesuffix(f'.{old}')}.{new}", new, found, crc=False)


def _files(
    source: Path, old: str, target: Path | None, pattern: re.Pattern[str] | None
) -> Iterator[tuple[Path, Path]]:
    """Files to read, each with the folder to write to."""
    if not os.path.isdir(source):
        if not source.name.endswith(f".{old}"):
            raise fail("E0404", f"file_path ends with .{old}, or is a folder, got {source.name!r}")
        yield source, target or source.parent
        return
    folders = [x for x in sorted(source.glob("rank*")) if x.is_dir()]
    if not folders:
        raise fail("E0604", f"{source} has no folder rank..., as several devices write them")
    for folder in folders:
        for file in sorted(folder.iterdir()):
            if file.name.endswith(f".{old}") and (pattern is None or pattern.search(file.name)):
                yield file, folder if target is None else target / folder.name


def _renamed(entries: Iterator[tuple[str, Entry]], names: Mapping[str, str]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for name, entry in entries:
        new = names.get(name, name)
        if new in found:
            raise fail("E0406", f"two values would have the name {new!r}", help="see name_map")
        found[new] = entry
    return found


def _checked_names(names: Any) -> Mapping[str, str]:
    if names is None:
        return {}
    is_texts = isinstance(names, Mapping) and all(isinstance(x, str) and x for x in names.values())
    if not is_texts:
        raise fail("E0303", f"name_map is a dict of names, got {names!r}")
    return names


def _checked_pattern(regex: Any) -> re.Pattern[str] | None:
    if regex is None:
        return None
    if not isinstance(regex, str):
        raise fail("E0303", f"file_name_regex is a str, got a {type(regex).__name__}")
    try:
        return re.compile(regex)
    except re.error as error:
        raise fail("E0404", f"file_name_regex is no regular expression: {error}") from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise fail("E0604", f"the folder {folder} cannot be made: {error}") from error
