"""How is the state of a network written to a file?"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from s2sad.checkpoints import files
from s2sad.checkpoints.arrays import Entry
from s2sad.checkpoints.entries import entries
from s2sad.core import location
from s2sad.core.diagnostics import fail
from s2sad.core.elsewhere import of_arguments
from s2sad.core.location import Location
from s2sad.ops.settings import flag

#: What MindSpore takes by keyword besides, with what it must be on one device.
OTHERS: dict[str, tuple[Any, ...]] = {
    "incremental": (False,), "remove_redundancy": (None, False), "global_step_num": (None,),
}  # fmt: skip

#: The thread that writes a checkpoint now, if one does.
_writing: list[threading.Thread] = []


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: Any,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: Mapping[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], Any] | None = None,
    crc_check: bool = False,
    format: str = "ckpt",
    **kwargs: Any,
) -> None:
    """Write named tensors to a file, which is whole or is not there, and which nobody may write to.

    Parameters
    ----------
    save_obj : Cell, list or dict
        A Cell stands for its Parameters, by their names, and its persistent buffers, by their
        paths. A list has Parameters, or dicts with ``"name"`` and ``"data"``; a dict maps names to
        Parameters, Tensors, arrays or texts.
    ckpt_file_name : str or path
        ``.ckpt`` or ``.safetensors`` is added where it is missing.
    integrated_save : bool
        For several devices.
    async_save : bool or {"thread", "process"}
        Write while the program goes on, in a thread. The numbers are those of now. The next save or
        load waits for it. Where it fails, the thread says so on standard error.
    append_dict : dict, optional
        More values by name: int (saved as int64), float (as float32), bool, str, Tensor,
        Generator (its state).
    enc_key : None
    enc_mode : str
    choice_func : function, optional
        Of the names in `save_obj` those are saved of which it is true.
    crc_check : bool
        Whether a CRC-32 is written too. It is compared wherever the file is read.
    format : {"ckpt", "safetensors"}
        ``safetensors`` holds no text.
    **kwargs
        ``incremental``, ``remove_redundancy`` and ``global_step_num``, for several devices.

    Raises
    ------
    S2sadError
        E0302 to E0304 for an argument of the wrong form, E0404 for a value that cannot be, E0406
        for two values of one name, E0604 where the file cannot be written, E0712 for a key.

    Notes
    -----
    A file that exists is replaced at once when the new one is on disk. A process that is ended
    before leaves the old one; what it has begun is removed by the next save to that name.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(2, 1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ms.save_checkpoint(net, f"{folder}/net", append_dict={"step_num": 3})
    ...     found = ms.load_checkpoint(f"{folder}/net.ckpt")
    >>> list(found), int(found["step_num"])
    (['weight', 'bias', 'step_num'], 3)
    """
    path = _target(ckpt_file_name, files.checked_format(format))
    flag("integrated_save", integrated_save)
    crc = flag("crc_check", crc_check)
    in_background = _checked_async(async_save)
    files.refuse_key("enc_key", enc_key)
    _check_others(kwargs)
    found = entries(save_obj, append_dict, choice_func, copied=in_background)
    files.check_holds(format, found)
    wait()
    if in_background:
        _start(path, format, found, crc)
    else:
        files.write(path, format, found, crc)


def _target(name: Any, format: str) -> Path:
    path = files.checked_path("ckpt_file_name", name)
    if path.name.endswith(f".{format}"):
        return path
    return path.with_name(f"{path.name}.{format}") if path.name else path


def _checked_async(async_save: Any) -> bool:
    if isinstance(async_save, str):
        if async_save not in ("thread", "process"):
            raise fail("E0404", f"async_save is 'thread' or 'process', got {async_save!r}")
        return True
    return flag("async_save", async_save)


def _check_others(given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if name not in OTHERS:
            raise fail(
                "E0302", f"save_checkpoint has no argument {name!r}",
                help=of_arguments([name], dict.fromkeys(OTHERS)),
            )  # fmt: skip
        if value not in OTHERS[name]:
            raise fail("E0712", f"{name}={value!r} needs several devices", help="leave it out")


def _start(path: Path, format: str, found: Mapping[str, Entry], crc: bool) -> None:
    arguments = (location.here(), path, format, found, crc)
    thread = threading.Thread(target=_write_at, args=arguments, name="save_checkpoint")
    _writing.append(thread)
    thread.start()


def _write_at(place: Location | None, *arguments: Any) -> None:
    with location.at(place):
        files.write(*arguments)


def wait() -> None:
    """Return when no checkpoint is being written in the background any more."""
    while _writing:
        thread = _writing[-1]
        thread.join()
        with suppress(ValueError):  # another thread has waited as well
            _writing.remove(thread)
