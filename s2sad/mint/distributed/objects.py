"""What becomes of objects that are no tensors? A copy arrives, as of what is pickled."""

from __future__ import annotations

import pickle
from typing import Any

from s2sad.core import groups
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.mint.distributed.exchange import one_of
from s2sad.ops.collective import group_name


def _sent(thing: Any) -> Any:
    """What arrives of `thing`: a copy, as of what is pickled."""
    return pickle.loads(pickle.dumps(thing))


def all_gather_object(object_list: list[Any], obj: Any, group: str | None = None) -> None:
    """Let entry i of `object_list` be a copy of the object of member i.

    Examples
    --------
    >>> found = [None]
    >>> all_gather_object(found, {"loss": 0.5})
    >>> found
    [{'loss': 0.5}]
    """
    group_name("group", group)
    one_of("object_list", object_list)
    object_list[0] = _sent(obj)


def gather_object(
    obj: Any, object_gather_list: Any = None, dst: int = 0, group: str | None = None
) -> None:
    """As `all_gather_object`, for the process `dst` (E0710 for another than 0).

    Examples
    --------
    >>> found = [None]
    >>> gather_object("here", found)
    >>> found
    ['here']
    """
    groups.rank_number("dst", dst)
    all_gather_object(object_gather_list, obj, group)


def broadcast_object_list(
    object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None
) -> None:
    """Let `object_list` be that of the process `src` (E0710 for another than 0).

    Examples
    --------
    >>> broadcast_object_list(["here"])
    """
    groups.rank_number("src", src)
    group_name("group", group)
    if not isinstance(object_list, list) or not object_list:
        raise fail("E0303", f"object_list is a list that is not empty, got {shown(object_list)}")


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any],
    src: int = 0,
    group: str | None = None,
) -> None:
    """Let the one list start with a copy of this member's entry of that of `src`.

    Examples
    --------
    >>> found = [None]
    >>> scatter_object_list(found, ["here"])
    >>> found
    ['here']
    """
    groups.rank_number("src", src)
    group_name("group", group)
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise fail("E0303", "scatter_object_output_list is a list that is not empty")
    given = one_of("scatter_object_input_list", scatter_object_input_list)
    scatter_object_output_list[0] = _sent(given)
