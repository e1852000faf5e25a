"""Which groups of processes are there, and who is in them? This process, in each of them.

The world has one member, whatever name MindSpore has for it, and so has every group below it.
What would need a second process is an error, never a group that is silently smaller.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from s2sad.core.diagnostics import S2sadError, did_you_mean, fail

#: Names of the group of all processes, by what would join them.
WORLDS = {
    "hccl": "hccl_world_group", "mccl": "mccl_world_group", "nccl": "nccl_world_group",
}  # fmt: skip
#: The one that stands for all of them where no name is given.
WORLD = WORLDS["mccl"]

#: Where launchers say how many processes they started.
LAUNCHERS = ("MS_WORKER_NUM", "RANK_SIZE", "OMPI_COMM_WORLD_SIZE")

_created: dict[str, list[int]] = {}
_joined_by: list[str] = []


def needs_several(what: str) -> S2sadError:
    """The error for what one process cannot do (E0710)."""
    return fail(
        "E0710", f"{what} needs several processes, which are not supported yet",
        help="run it as one process: its rank is 0, and the world has one member",
    )  # fmt: skip


def rank_number(what: str, rank: Any) -> int:
    """`rank`, which must be that of this process: E0303, E0404 or E0710 otherwise."""
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise fail("E0303", f"{what} is an int, got {rank!r}")
    if rank < 0:
        raise fail("E0404", f"{what} is not negative, got {rank}")
    if rank:
        raise needs_several(f"{what} {rank}")
    return rank


def start(backend: Any = None) -> None:
    """Say what processes would talk by: one of `WORLDS`, or None for the CPU's.

    Raises
    ------
    S2sadError
        E0303 or E0404 for another backend; E0710 where a launcher started several processes.
    """
    backend = "mccl" if backend is None else backend
    if not isinstance(backend, str):
        raise fail("E0303", f"a backend is a str, got {backend!r}")
    if backend not in WORLDS:
        raise fail("E0404", f"a backend is one of {', '.join(WORLDS)}, got {backend!r}")
    for name in LAUNCHERS:
        found = os.environ.get(name, "")
        if found.isdecimal() and int(found) > 1:
            raise needs_several(f"a start with {name}={found}")
    _joined_by[:] = [backend]


def stop() -> None:
    """Forget `start`, and all groups that were created."""
    _joined_by.clear()
    _created.clear()


def started_by() -> str | None:
    """The backend that was given to `start`; None before it, and after `stop`."""
    return _joined_by[0] if _joined_by else None


def create(group: Any, ranks: Any) -> None:
    """Let there be a `group` of the processes `ranks`, which is this one.

    Raises
    ------
    S2sadError
        E0303 for what is no str, or no list of int; E0404 for an empty list, a rank twice, or the
        name of the world; E0710 for ranks of other processes.

    Examples
    --------
    >>> create("mine", [0])
    >>> members("mine")
    [0]
    >>> destroy("mine")
    """
    _require_name(group)
    if group in WORLDS.values():
        raise fail("E0404", f"{group!r} is the group of all processes, which is there")
    if not isinstance(ranks, (list, tuple)) or not all(isinstance(rank, int) for rank in ranks):
        raise fail("E0303", f"the ranks of a group are a list of int, got {ranks!r}")
    if not ranks or len(set(ranks)) < len(ranks):
        raise fail("E0404", f"a group has members, each of them once, got {ranks!r}")
    first, *others = ranks
    if others:
        raise needs_several(f"the group {group!r} of {len(ranks)} members")
    _created[group] = [rank_number("the rank of a member", first)]


def destroy(group: Any) -> None:
    """Let there be no `group` any more (E0303, E0404: it was created, and is not the world)."""
    members(group)
    if group in WORLDS.values():
        raise fail("E0404", f"{group!r} is the group of all processes, which stays")
    del _created[group]


def members(group: Any) -> list[int]:
    """Ranks in the world of the processes in `group`; E0303 or E0404 where there is no such.

    Examples
    --------
    >>> members("hccl_world_group")
    [0]
    """
    _require_name(group)
    if group in WORLDS.values():
        return [0]
    if group not in _created:
        known: Sequence[str] = [*WORLDS.values(), *_created]
        raise fail(
            "E0404", f"there is no group {group!r}",
            help=did_you_mean(group, known) or "create_group(name, [0]) makes one",
        )  # fmt: skip
    return list(_created[group])


def _require_name(group: Any) -> None:
    if not isinstance(group, str):
        raise fail("E0303", f"a group is named by a str, got {group!r}")
