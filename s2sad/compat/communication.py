"""What does a program that may run on several devices find out here? That it is alone.

So code that asks for its rank and for the number of devices takes its way for one device. A start
and a group of this process alone are right; what asks for another process is an error.
"""

from __future__ import annotations

from typing import Any

from s2sad.core import groups

HCCL_WORLD_COMM_GROUP = groups.WORLDS["hccl"]
NCCL_WORLD_COMM_GROUP = groups.WORLDS["nccl"]
MCCL_WORLD_COMM_GROUP = groups.WORLDS["mccl"]

__all__ = [
    "GlobalComm", "HCCL_WORLD_COMM_GROUP", "MCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP",
    "create_group", "destroy_group", "get_group_rank_from_world_rank", "get_group_size",
    "get_local_rank", "get_local_rank_size", "get_process_group_ranks", "get_rank",
    "get_world_rank_from_group_rank", "init", "release",
]  # fmt: skip


class GlobalComm:
    """Names of the group of all devices, and of what would join them."""

    BACKEND = "mccl"
    WORLD_COMM_GROUP = MCCL_WORLD_COMM_GROUP


def init(backend_name: str | None = None) -> None:
    """Start a world of one process.

    Parameters
    ----------
    backend_name : {"hccl", "mccl", "nccl"}, optional
        By what processes would talk.

    Raises
    ------
    S2sadError
        E0303 or E0404 for another one, E0710 where a launcher started several processes: each
        would train alone, and none would say so.

    Examples
    --------
    >>> init()
    >>> get_rank(), get_group_size()
    (0, 1)
    >>> release()
    """
    groups.start(backend_name)


def release() -> None:
    """Undo `init`, and forget all groups that were created."""
    groups.stop()


def create_group(group: str, rank_ids: list[int], options: Any = None) -> None:
    """Let there be a group of the processes `rank_ids`, which is ``[0]``.

    Parameters
    ----------
    group : str
    rank_ids : list of int
    options
        Taken for compatibility.

    Raises
    ------
    S2sadError
        E0303 for arguments of another form, E0404 for an empty list, a rank twice or the name of
        the world, E0710 for other processes.

    Examples
    --------
    >>> create_group("mine", [0])
    >>> get_group_size("mine")
    1
    >>> destroy_group("mine")
    """
    groups.create(group, rank_ids)


def destroy_group(group: str) -> None:
    """Let there be no `group` any more (E0303, E0404: it was created, and is not the world)."""
    groups.destroy(group)


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """Number of this process in `group` (E0303, E0404).

    Examples
    --------
    >>> get_rank()
    0
    """
    return groups.members(group).index(0)


def get_group_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes are in `group` (E0303, E0404).

    Examples
    --------
    >>> get_group_size()
    1
    """
    return len(groups.members(group))


def get_local_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """Number of this process among those of this machine (E0303, E0404).

    Examples
    --------
    >>> get_local_rank()
    0
    """
    return get_rank(group)


def get_local_rank_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes of `group` are on this machine (E0303, E0404).

    Examples
    --------
    >>> get_local_rank_size()
    1
    """
    return get_group_size(group)


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """Number in the world of the member `group_rank_id` (E0303, E0404, E0710).

    Examples
    --------
    >>> get_world_rank_from_group_rank("hccl_world_group", 0)
    0
    """
    return groups.members(group)[groups.rank_number("group_rank_id", group_rank_id)]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """Number in `group` of the process `world_rank_id` (E0303, E0404, E0710).

    Examples
    --------
    >>> get_group_rank_from_world_rank(0, "hccl_world_group")
    0
    """
    return groups.members(group).index(groups.rank_number("world_rank_id", world_rank_id))


def get_process_group_ranks(group: str = GlobalComm.WORLD_COMM_GROUP) -> list[int]:
    """Numbers in the world of the processes in `group` (E0303, E0404).

    Examples
    --------
    >>> get_process_group_ranks()
    [0]
    """
    return groups.members(group)
