"""Does a strategy cut tensors into parts for several devices? With one, it must not.

A strategy has a number for each axis of each tensor, or a `Layout` for each tensor.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.groups import needs_several

__all__ = ["Layout"]


class Layout:
    """Devices in rows with names, by which axes of tensors are spread over them.

    Parameters
    ----------
    device_matrix : tuple of int
        How many devices there are in each row; here 1, and 1 only.
    alias_name : tuple of str
        What the rows are called.
    rank_list : list of int, optional
        The processes; here ``[0]``.

    Raises
    ------
    S2sadError
        E0303 for arguments of another kind, E0404 for lengths or names that do not fit, E0710
        where several devices are asked for.

    Examples
    --------
    >>> layout = Layout((1, 1), ("data", "model"))
    >>> layout("data", "None").to_dict()["tensor_map"]
    (1, -1)
    """

    def __init__(
        self,
        device_matrix: tuple[int, ...],
        alias_name: tuple[str, ...],
        rank_list: list[int] | None = None,
    ) -> None:
        if not isinstance(device_matrix, tuple) or not isinstance(alias_name, tuple):
            raise fail("E0303", "device_matrix and alias_name are tuples")
        if not all(isinstance(name, str) for name in alias_name):
            raise fail("E0303", f"alias_name has a str for each row, got {alias_name!r}")
        if len(device_matrix) != len(alias_name) or len(set(alias_name)) < len(alias_name):
            raise fail("E0404", "alias_name has a name for each row of device_matrix, none twice")
        if "" in alias_name or "None" in alias_name:
            raise fail("E0404", "the name of a row is neither empty nor 'None', which cuts nothing")
        require_whole("device_matrix", device_matrix)
        if rank_list is not None and rank_list != [0]:
            raise needs_several(f"the rank_list {rank_list!r} of a Layout")
        self.device_matrix, self.alias_name = device_matrix, alias_name
        self.tensor_map: tuple[Any, ...] | None = None

    def __call__(self, *tensor_map: str | tuple[str, ...]) -> Layout:
        """A Layout for a tensor: of each axis the name of its row, or ``"None"``."""
        used: list[str] = []
        made = copy.copy(self)
        made.tensor_map = tuple(self._row(name, used) for name in tensor_map)
        return made

    def _row(self, name: Any, used: list[str]) -> Any:
        if isinstance(name, tuple):
            return tuple(self._row(each, used) for each in name)
        if name == "None":
            return -1
        if name not in self.alias_name:
            raise fail(
                "E0404", f"a Layout has no row {name!r}", help=did_you_mean(name, self.alias_name)
            )
        if name in used:
            raise fail("E0404", f"the row {name!r} cuts two axes of one tensor")
        used.append(name)
        return len(self.alias_name) - 1 - self.alias_name.index(name)

    def to_dict(self) -> dict[str, Any]:
        """What the Layout says; E0404 before it was called for a tensor."""
        if self.tensor_map is None:
            raise fail("E0404", "a Layout is called with the row of each axis first")
        return {
            "device_matrix": self.device_matrix, "tensor_map": self.tensor_map,
            "interleaved_parallel": "interleaved_parallel" in self.alias_name,
            "alias_name": self.alias_name, "rank_list": [0],
        }  # fmt: skip


def require_whole(what: str, strategy: Any) -> None:
    """Let `strategy` be None, or a tuple of numbers and `Layout`, also nested, that cuts nothing.

    E0303 for what is no such thing, E0404 for numbers below 1, E0710 for larger ones.

    Examples
    --------
    >>> require_whole("in_strategy", ((1, 1), (1, 1)))
    """
    if strategy is None:
        return
    if not isinstance(strategy, tuple):
        raise fail("E0303", f"{what} is a tuple, got {strategy!r}", help="one entry a tensor")
    for number in _numbers(strategy):
        if isinstance(number, Layout):
            continue
        if isinstance(number, bool) or not isinstance(number, int):
            raise fail("E0303", f"{what} has an int for each axis, got {number!r}")
        if number < 1:
            raise fail("E0404", f"{what} cuts an axis into one part at least, got {number}")
        if number > 1:
            raise needs_several(f"{what} with an axis in {number} parts")


def _numbers(strategy: tuple[Any, ...]) -> Iterator[Any]:
    for each in strategy:
        if isinstance(each, tuple):
            yield from _numbers(each)
        else:
            yield each
