"""Which processes are there? One, in each group; what would start another is an error."""

from __future__ import annotations

import hashlib
from typing import Any

from s2sad.core import groups
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ops.collective import group_name as group_of
from s2sad.ops.settings import integer


def is_available() -> bool:
    """True: the functions here are there.

    Examples
    --------
    >>> is_available()
    True
    """
    return True


def is_initialized() -> bool:
    """Whether `init_process_group` was called.

    Examples
    --------
    >>> is_initialized()
    False
    """
    return groups.started_by() is not None


def init_process_group(
    backend: str = "hccl",
    init_method: str | None = None,
    timeout: Any = None,
    world_size: int = -1,
    rank: int = -1,
    store: None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Start a world of one process.

    Parameters
    ----------
    backend : {"hccl", "mccl", "nccl"}
        By what processes would talk.
    init_method : str, optional
        Where they would meet: nobody comes.
    world_size, rank : int
        -1, or 1 and 0; with an `init_method` they must be given.
    store : None
    timeout, group_name, pg_options, device_id
        Taken for compatibility.

    Raises
    ------
    S2sadError
        E0303 and E0404 for arguments of another form, E0710 where several processes are asked for,
        here or by the launcher.

    Examples
    --------
    >>> init_process_group(world_size=1, rank=0)
    >>> is_initialized(), get_rank(), get_world_size()
    (True, 0, 1)
    >>> destroy_process_group()
    """
    if store is not None:
        raise fail("E0404", "init_process_group takes no store: there is nobody to share one with")
    if integer("world_size", world_size, -1) > 1:
        raise groups.needs_several(f"a world of {world_size}")
    if world_size == 0 or (init_method is not None and world_size < 0):
        raise fail("E0404", f"world_size is 1, got {world_size}")
    if integer("rank", rank, -1 if init_method is None else 0) > 0:
        raise groups.needs_several(f"the rank {rank}")
    groups.start(backend)


def destroy_process_group(group: str | None = None) -> None:
    """Forget a group that `new_group` made; for None, and for that of all, forget all of them.

    Examples
    --------
    >>> destroy_process_group()
    """
    if group is None or group_of("group", group) in groups.WORLDS.values():
        groups.stop()
    else:
        groups.destroy(group)


def get_rank(group: str | None = None) -> int:
    """Number of this process in `group` (E0303, E0404).

    Examples
    --------
    >>> get_rank()
    0
    """
    group_of("group", group)
    return 0


def get_world_size(group: str | None = None) -> int:
    """How many processes are in `group` (E0303, E0404).

    Examples
    --------
    >>> get_world_size()
    1
    """
    return len(groups.members(group_of("group", group)))


def new_group(
    ranks: list[int] | None = None,
    timeout: Any = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
) -> str:
    """Make a group of the processes `ranks`, which is ``[0]``; its name.

    Raises
    ------
    S2sadError
        E0303 and E0404 for arguments of another form, E0710 for other processes.

    Examples
    --------
    >>> group = new_group([0])
    >>> get_world_size(group)
    1
    >>> destroy_process_group(group)
    """
    if ranks is None:
        return groups.WORLD
    backend = "hccl" if backend is None else backend
    if backend not in ("hccl", "mccl"):
        raise fail("E0404", f"backend is 'hccl' or 'mccl', got {backend!r}")
    if not isinstance(ranks, list):
        raise fail("E0303", f"ranks is a list of int, got {shown(ranks)}")
    name = "_".join(map(str, sorted(ranks)))
    group = f"{backend}_{len(ranks)}_{hashlib.sha1(name.encode()).hexdigest()}"
    groups.create(group, sorted(ranks))
    return group


def get_backend(group: str | None = None) -> str:
    """By what the processes of `group` would talk: ``"mccl"`` unless that was said (E0303, E0404).

    Examples
    --------
    >>> get_backend(), get_backend("hccl_world_group")
    ('mccl', 'hccl')
    """
    if group is None:
        return groups.started_by() or "mccl"
    found = [backend for backend in groups.WORLDS if backend in group_of("group", group)]
    return found[0] if found else groups.started_by() or "mccl"


def get_global_rank(group: str | None, group_rank: int) -> int:
    """Number in the world of the member `group_rank` (E0303, E0404, E0710).

    Examples
    --------
    >>> get_global_rank(None, 0)
    0
    """
    group_of("group", group)
    return groups.rank_number("group_rank", group_rank)


def get_group_rank(group: str | None, global_rank: int) -> int:
    """Number in `group` of the process `global_rank` (E0303, E0404, E0710).

    Examples
    --------
    >>> get_group_rank(None, 0)
    0
    """
    group_of("group", group)
    return groups.rank_number("global_rank", global_rank)


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """Numbers in the world of the processes in `group` (E0303, E0404).

    Examples
    --------
    >>> get_process_group_ranks()
    [0]
    """
    return groups.members(group_of("group", group))
