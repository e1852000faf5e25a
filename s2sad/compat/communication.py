"""What does a program that may run on several devices find out here? That it is alone.

So code that asks for its rank and for the number of devices takes its way for one device. What
would start several, or talk to them, is an error.
"""

from __future__ import annotations

from s2sad.core.diagnostics import fail

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"

__all__ = [
    "GlobalComm", "HCCL_WORLD_COMM_GROUP", "MCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP",
    "get_group_size", "get_local_rank", "get_local_rank_size", "get_rank", "init", "release",
]  # fmt: skip


class GlobalComm:
    """Names of the group of all devices, and of what would join them."""

    BACKEND = "mccl"
    WORLD_COMM_GROUP = MCCL_WORLD_COMM_GROUP


def init(backend_name: str | None = None) -> None:
    """Refused: nothing has started several processes.

    Raises
    ------
    S2sadError
        E0710, always.
    """
    raise fail(
        "E0710", "several devices are not supported yet, only one CPU is",
        help="leave init() out where the program runs alone: get_rank() is 0, get_group_size() 1",
    )  # fmt: skip


def release() -> None:
    """Nothing was started, and nothing ends."""


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """Number of this process in `group`.

    Examples
    --------
    >>> get_rank()
    0
    """
    return 0


def get_group_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes are in `group`.

    Examples
    --------
    >>> get_group_size()
    1
    """
    return 1


def get_local_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """Number of this process among those of this machine.

    Examples
    --------
    >>> get_local_rank()
    0
    """
    return 0


def get_local_rank_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes of `group` are on this machine.

    Examples
    --------
    >>> get_local_rank_size()
    1
    """
    return 1
