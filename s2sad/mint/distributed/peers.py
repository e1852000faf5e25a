"""What is said where something is to go to one other process, or to come from it?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.mint.distributed.exchange import CommHandle
from s2sad.ops.collective import alone, group_name
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import integer


def send(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Refused: the process `dst` that would receive it is this one, or is not there (E0712)."""
    require_tensor(tensor, "send")
    raise alone(f"send to {integer('dst', dst, 0)}")


def recv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Refused: the process `src` that would send it is this one, or is not there (E0712)."""
    require_tensor(tensor, "recv")
    raise alone(f"recv from {integer('src', src, 0)}")


def isend(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Refused, as `send` (E0712)."""
    require_tensor(tensor, "isend")
    raise alone(f"isend to {integer('dst', dst, 0)}")


def irecv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Refused, as `recv` (E0712)."""
    require_tensor(tensor, "irecv")
    raise alone(f"irecv from {integer('src', src, 0)}")


def send_object_list(
    object_list: list[Any], dst: int, group: str | None = None, device: Any = None
) -> None:
    """Refused, as `send` (E0712)."""
    raise alone(f"send_object_list to {integer('dst', dst, 0)}")


def recv_object_list(
    object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None
) -> int:
    """Refused, as `recv` (E0712)."""
    raise alone(f"recv_object_list from {integer('src', src, 0)}")


class P2POp:
    """One of several operations for `batch_isend_irecv`.

    Parameters
    ----------
    op : {"isend", "irecv"} or one of these functions
    tensor : Tensor
    peer : int
    group : str, optional
    tag : int
        0.

    Raises
    ------
    S2sadError
        E0303 and E0404 for arguments, E0304 for what is no Tensor.
    """

    def __init__(
        self, op: Any, tensor: Any, peer: int, group: str | None = None, tag: int = 0
    ) -> None:
        name = op if isinstance(op, str) else getattr(op, "__name__", None)
        if name not in ("isend", "irecv"):
            raise fail("E0404", f"op is isend or irecv, got {shown(op)}")
        if integer("tag", tag):
            raise fail("E0404", f"tag is 0, got {tag}")
        self.op, self.tensor = op, require_tensor(tensor, "P2POp")
        self.peer, self.tag = integer("peer", peer, 0), tag
        self.group = group_name("group", group)


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[CommHandle]:
    """Refused: there is no peer for any of them (E0712; E0303 for what is no list of `P2POp`)."""
    is_list = isinstance(p2p_op_list, list) and len(p2p_op_list) > 0
    if not is_list or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise fail("E0303", f"p2p_op_list is a list of P2POp, got {shown(p2p_op_list)}")
    raise alone(f"batch_isend_irecv with {p2p_op_list[0].peer}")
