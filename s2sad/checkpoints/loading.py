"""How is the state of a network read from a file?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from s2sad.checkpoints import files
from s2sad.checkpoints.arrays import Entry
from s2sad.checkpoints.fitting import load_param_into_net, refuse_redundancy
from s2sad.checkpoints.saving import wait
from s2sad.core import location
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail
from s2sad.core.location import Location
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.ops.settings import flag


def load_checkpoint(
    ckpt_file_name: Any,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], Any] | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """Read the named tensors of a file; texts come as they are.

    Parameters
    ----------
    ckpt_file_name : str or path
        Ends with ``.`` and the format.
    net : Cell, optional
        Gets the values; see `load_param_into_net`. Where some of its Parameters get none, there is
        a warning that names them.
    strict_load : bool
        As for `load_param_into_net`.
    filter_prefix, specify_prefix : str, or list or tuple of str, optional
        What begins with the former is left out; of the rest, only what begins with the latter is
        read.
    dec_key : None
    dec_mode : str
    choice_func : function, optional
        Those are read of whose names it is true; without effect where there is a prefix.
    crc_check : bool
        Whether there must be a CRC. One that is there is always compared.
    remove_redundancy : bool
        False: it is for several devices.
    format : {"ckpt", "safetensors"}

    Returns
    -------
    dict of str to (Parameter or str)
        Never empty.

    Raises
    ------
    S2sadError
        E0303 or E0304 for arguments of the wrong form, E0404 for a name with another ending, or
        where nothing is left to read; E0604 where there is no file that can be read, E0607 where it
        is damaged, or holds what no Tensor can; E0712 for a key, and what `load_param_into_net`
        raises.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ms.save_checkpoint({"w": ms.Parameter([1.0]), "of": "me"}, f"{folder}/a.ckpt")
    ...     ms.load_checkpoint(f"{folder}/a.ckpt")
    {'w': Parameter (name=w, shape=(1,), dtype=Float32, requires_grad=True), 'of': 'me'}
    """
    path = _checked_file(ckpt_file_name, files.checked_format(format))
    files.refuse_key("dec_key", dec_key)
    refuse_redundancy(remove_redundancy)
    flag("strict_load", strict_load)
    wanted = _choice(filter_prefix, specify_prefix, choice_func)
    if net is not None and not isinstance(net, Cell):
        raise fail("E0304", f"values are loaded into a Cell, got a {type(net).__name__}")
    wait()
    if flag("crc_check", crc_check):
        files.require_crc(path, format)
    found = {name: _value(name, entry) for name, entry in files.read(path, format, wanted)}
    if not found:
        raise fail(
            "E0404", f"nothing of {path} is left to load",
            help="look at filter_prefix, specify_prefix and choice_func",
        )  # fmt: skip
    if net is not None:
        _warn_of(net, path, load_param_into_net(net, found, strict_load))
    return found


def load_checkpoint_async(
    ckpt_file_name: Any,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], Any] | None = None,
) -> Future[dict[str, Any]]:
    """`load_checkpoint` in a thread; what comes back gives the dict, or raises, in ``result()``.

    The format is what the name ends with.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ms.save_checkpoint({"w": ms.Parameter([1.0])}, f"{folder}/a.ckpt")
    ...     list(ms.load_checkpoint_async(f"{folder}/a.ckpt").result())
    ['w']
    """
    format = _format_of(files.checked_path("ckpt_file_name", ckpt_file_name))
    executor = ThreadPoolExecutor(1, "load_checkpoint")
    future = executor.submit(
        _load_at, location.here(), ckpt_file_name, net, strict_load, filter_prefix, dec_key,
        dec_mode, specify_prefix, choice_func, format=format,
    )  # fmt: skip
    executor.shutdown(wait=False)
    return future


def _load_at(place: Location | None, *arguments: Any, **settings: Any) -> dict[str, Any]:
    with location.at(place):
        return load_checkpoint(*arguments, **settings)


def check_checkpoint(ckpt_file_name: Any) -> bool:
    """Whether a file is a checkpoint that is whole, as far as can be seen: see `crc_check`.

    Raises
    ------
    S2sadError
        E0303 or E0404 for what is no name of a checkpoint, E0604 where there is no file that can be
        read.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ms.save_checkpoint({"w": ms.Parameter([1.0])}, f"{folder}/a.ckpt")
    ...     ms.check_checkpoint(f"{folder}/a.ckpt")
    True
    """
    path = files.checked_path("ckpt_file_name", ckpt_file_name)
    path = _checked_file(path, _format_of(path))
    wait()
    try:
        return sum(1 for _ in files.read(path, _format_of(path), lambda name: True)) > 0
    except S2sadError as error:
        if error.code != "E0607":
            raise
        return False


def _format_of(path: Path) -> str:
    return "safetensors" if path.name.endswith(".safetensors") else "ckpt"


def _checked_file(name: Any, format: str) -> Path:
    path = files.checked_path("ckpt_file_name", name)
    if not path.name.endswith(f".{format}"):
        others = [other for other in files.FORMATS if path.name.endswith(f".{other}")]
        raise fail(
            "E0404", f"a checkpoint of format {format!r} ends with .{format}, got {path.name!r}",
            help=f"say format={others[0]!r}" if others else None,
        )  # fmt: skip
    return path


def _value(name: str, entry: Entry) -> Parameter | str:
    return entry if isinstance(entry, str) else Parameter(Tensor.wrap(entry), name=name)


def _choice(
    filter_prefix: Any, specify_prefix: Any, choice_func: Callable[[str], Any] | None
) -> Callable[[str], Any]:
    """Which names are read."""
    left_out = _prefixes("filter_prefix", filter_prefix)
    taken = _prefixes("specify_prefix", specify_prefix)
    if choice_func is not None and not callable(choice_func):
        raise fail("E0303", f"choice_func is a function, got a {type(choice_func).__name__}")
    if not left_out and not taken:
        return choice_func or (lambda name: True)
    return lambda name: not name.startswith(left_out) and (not taken or name.startswith(taken))


def _prefixes(argument: str, given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    several = (given,) if isinstance(given, str) else given
    if not isinstance(several, (list, tuple)) or not all(isinstance(x, str) for x in several):
        raise fail("E0303", f"{argument} is a str, or a list of str, got {given!r}")
    if not several or "" in several:
        raise fail("E0404", f"{argument} has at least one prefix and none is empty, got {given!r}")
    return tuple(several)


def _warn_of(net: Cell, path: Path, left: tuple[list[str], list[str]]) -> None:
    """Say which Parameters of `net` got no value, and which name may have been meant."""
    missing, unused = left
    if missing:
        near = did_you_mean(missing[0], unused)
        text = f"{len(missing)} Parameters of {net.cls_name} got no value from {path}: "
        text += ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        warnings.warn(f"{text}; {near}" if near else text, stacklevel=3)
