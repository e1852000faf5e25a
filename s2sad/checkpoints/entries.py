"""What of a Cell, a list or a dict is saved, and under which names?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from s2sad.checkpoints.arrays import Entry
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.generator import Generator
from s2sad.core.parameter import WRITING, Parameter
from s2sad.core.tensor import Tensor


def entries(
    save_obj: Any, append_dict: Any, choice_func: Callable[[str], Any] | None, *, copied: bool
) -> dict[str, Entry]:
    """Names and values of what is saved, all as one update left them.

    Parameters
    ----------
    save_obj, append_dict, choice_func
        As for `save_checkpoint`.
    copied : bool
        Whether arrays are copies; else they are memory of the Tensors, which programs do not write
        into as long as it is held here.

    Raises
    ------
    S2sadError
        E0303 or E0304 for what cannot be saved, E0404 for a name that no file holds, E0406 for
        two values of one name.
    """
    found: dict[str, Entry] = {}
    with WRITING:
        for name, value in _all(save_obj, append_dict, choice_func):
            if name in found:
                raise fail(
                    "E0406", f"two values have the name {name!r} in a checkpoint",
                    help="give one of them another name, or save them in two files",
                )  # fmt: skip
            found[_checked_name(name)] = _entry(name, value, copied)
    return found


def named_state(cell: Cell) -> Iterator[tuple[str, Tensor]]:
    """Parameters by their names, then persistent buffers by their paths; each once."""
    for _, parameter in cell.parameters_and_names():
        yield parameter.name, parameter
    kept = {id(tensor) for tensor in cell.state_dict().values()}
    for path, buffer in cell.named_buffers():
        if id(buffer) in kept:
            yield path, buffer


def _all(
    save_obj: Any, append_dict: Any, choice_func: Callable[[str], Any] | None
) -> Iterator[tuple[str, Any]]:
    if choice_func is not None and not callable(choice_func):
        raise fail("E0303", f"choice_func is a function, got a {type(choice_func).__name__}")
    for name, value in _named(save_obj):
        if choice_func is None or choice_func(name):
            yield name, value
    yield from _appended(append_dict)


def _named(save_obj: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(save_obj, Cell):
        return named_state(save_obj)
    if isinstance(save_obj, Mapping):
        return save_obj.items()
    if isinstance(save_obj, (list, tuple)):
        return map(_of_list, save_obj)
    raise fail(
        "E0304", f"a Cell, a list or a dict is saved, got a {type(save_obj).__name__}",
        help="save the Cell, or a list of its Parameters",
    )  # fmt: skip


def _of_list(item: Any) -> tuple[str, Any]:
    if isinstance(item, Parameter):
        return item.name, item
    if isinstance(item, Mapping) and set(item) >= {"name", "data"}:
        return item["name"], item["data"]
    kind = type(item).__name__
    raise fail("E0304", f"a list to save has Parameters, or dicts of name and data, got a {kind}")


def _appended(append_dict: Any) -> Iterable[tuple[str, Any]]:
    if append_dict is None:
        return ()
    if not isinstance(append_dict, Mapping):
        raise fail("E0303", f"append_dict is a dict, got a {type(append_dict).__name__}")
    return ((name, _as_value(name, value)) for name, value in append_dict.items())


def _as_value(name: Any, value: Any) -> Any:
    if isinstance(value, Generator):
        return value.get_state()
    if isinstance(value, (bool, int, float)):
        return Tensor(value)
    if isinstance(value, (str, Tensor)):
        return value
    raise fail(
        "E0304", f"append_dict has an int, a float, a bool, a str, a Tensor or a Generator under "
        f"each name, got a {type(value).__name__} under {name!r}",
    )  # fmt: skip


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise fail("E0303", f"a name in a checkpoint is a str, got {name!r}")
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise fail("E0404", f"no checkpoint holds the name {name!r}: it is no Unicode") from None
    if not size:
        raise fail("E0404", "a name in a checkpoint must not be empty")
    return name


def _entry(name: str, value: Any, copied: bool) -> Entry:
    if isinstance(value, str):
        if value.endswith("\0"):
            raise fail("E0404", f"no checkpoint holds a text that ends with a zero, as {name!r} is")
        return value
    if isinstance(value, np.ndarray):
        return Tensor(value).array
    if isinstance(value, Tensor):
        return value.array.copy() if copied else value.array
    kind = type(value).__name__
    raise fail("E0304", f"a Parameter, a Tensor or a str is saved, got a {kind} under {name!r}")
