"""Which objects exchange tensors among processes? In a group of one each gives its operand."""

from __future__ import annotations

from typing import Any

from s2sad.core import groups
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.shown import shown
from s2sad.ops.collective import (
    alone,
    combined,
    exchanged,
    gathered,
    group_name,
    reduction,
)
from s2sad.ops.primitives.base import primitive
from s2sad.ops.promotion import dtype_of, require_tensor, type_of
from s2sad.ops.settings import integer
from s2sad.prims.rules import axis_of

WORLD = groups.WORLD
_rank = groups.rank_number


@primitive(op=reduction, group=group_name)
def AllReduce(x: Any, *, op: str = "sum", group: str = WORLD) -> Any:
    """The tensors of all members combined, for every member: in a group of one, `x`.

    Raises
    ------
    S2sadError
        E0303 or E0404 for an `op` that is none of `ReduceOp`, and for a group that there is not;
        E0301 for bools, E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> AllReduce()(ms.Tensor([1.0, 2.0])).tolist(), AllReduce("max")
    ([1.0, 2.0], AllReduce(op='max', group='mccl_world_group'))
    """
    return combined(x, "AllReduce")


@primitive(group=group_name)
def AllGather(x: Any, *, group: str = WORLD) -> Any:
    """The tensors of all members joined along the first axis: in a group of one, `x`.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a group that there is not, E0304 for what is no Tensor, E0401 for a
        scalar.

    Examples
    --------
    >>> import s2sad as ms
    >>> AllGather()(ms.Tensor([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return gathered(x, "AllGather")


@primitive(op=reduction, group=group_name)
def ReduceScatter(x: Any, *, op: str = "sum", group: str = WORLD) -> Any:
    """The tensors of all members combined, of which each gets its part along the first axis.

    Raises
    ------
    S2sadError
        As of `AllReduce`; E0401 for a scalar.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReduceScatter()(ms.Tensor([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    combined(x, "ReduceScatter")
    return gathered(x, "ReduceScatter")


@primitive(root_rank=_rank, group=group_name)
def Broadcast(x: Any, *, root_rank: int, group: str = WORLD) -> Any:
    """The tensors of the member `root_rank`, for every member: a tuple of tensors, as `x` is.

    Raises
    ------
    S2sadError
        E0303 for what is no tuple and no int, E0404 for a group that there is not, E0710 for a rank
        but 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> Broadcast(0)((ms.Tensor([1.0]), ms.Tensor([2])))[1].tolist()
    [2]
    """
    if not isinstance(x, (tuple, list)):
        raise fail("E0303", f"Broadcast takes a tuple of tensors, got {shown(x)}", help="(x,)")
    return tuple([exchanged(each, "Broadcast") for each in x])


@primitive(dest_rank=_rank, op=reduction, group=group_name)
def Reduce(x: Any, *, dest_rank: int, op: str = "sum", group: str = WORLD) -> Any:
    """The tensors of all members combined, for the member `dest_rank`.

    Raises
    ------
    S2sadError
        As of `AllReduce`; E0710 for a rank but 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> Reduce(dest_rank=0)(ms.Tensor([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return combined(x, "Reduce")


@primitive(src_rank=_rank, group=group_name)
def CollectiveScatter(x: Any, *, src_rank: int = 0, group: str = WORLD) -> Any:
    """The tensor of the member `src_rank`, of which each gets its part along the first axis.

    Raises
    ------
    S2sadError
        As of `AllGather`; E0710 for a rank but 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> CollectiveScatter()(ms.Tensor([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return gathered(x, "CollectiveScatter")


@primitive(dest_rank=_rank, group=group_name)
def CollectiveGather(x: Any, *, dest_rank: int, group: str = WORLD) -> Any:
    """The tensors of all members joined along the first axis, for the member `dest_rank`.

    Raises
    ------
    S2sadError
        As of `AllGather`; E0710 for a rank but 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> CollectiveGather(0)(ms.Tensor([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return gathered(x, "CollectiveGather")


def _parts(name: str, given: Any) -> int:
    if integer(name, given, 1) > 1:
        raise groups.needs_several(f"{name} {given}")
    return given


@primitive(split_count=_parts, split_dim=integer, concat_dim=integer, group=group_name)
def AlltoAll(
    x: Any, *, split_count: int, split_dim: int, concat_dim: int, group: str = WORLD
) -> Any:
    """Part i of each member's tensor goes to member i, who joins what it gets: alone `x`.

    Raises
    ------
    S2sadError
        E0303 for settings that are no int, E0403 for an axis that there is not, E0404 for a group
        that there is not, E0710 for a `split_count` but 1, the size of the group.

    Examples
    --------
    >>> import s2sad as ms
    >>> AlltoAll(1, 0, 1)(ms.Tensor([[1.0, 2.0]])).tolist()
    [[1.0, 2.0]]
    """
    for axis in (split_dim, concat_dim):
        axis_of(axis, require_tensor(x, "AlltoAll").ndim)
    return exchanged(x, "AlltoAll")


@primitive(group=group_name)
def Barrier(*, group: str = WORLD) -> None:
    """Waits until all members are here: one always is.

    E0303 or E0404 for a group that there is not.

    Examples
    --------
    >>> Barrier()()
    """


# ---- what has other ends -------------------------------------------------------------------------


@primitive(sr_tag=integer, dest_rank=integer, group=group_name, group_back=group_name)
def Send(
    x: Any, *, sr_tag: int, dest_rank: int, group: str = WORLD, group_back: str = WORLD
) -> Any:
    """Gives a tensor to another member: an error where there is none.

    Raises
    ------
    S2sadError
        E0712, always; when made, E0303 or E0404 for settings.

    Examples
    --------
    >>> import s2sad as ms
    >>> Send(0, 1)(ms.Tensor([1.0]))
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadRuntimeError: [E0712] Send to 1 has its other end in another ...
    """
    raise alone(f"Send to {dest_rank}")


def _dtype(name: str, given: Any) -> DType:
    return dtype_of(given)


@primitive(
    sr_tag=integer, src_rank=integer, dtype=_dtype, group=group_name, group_back=group_name
)  # fmt: skip
def Receive(
    x: Any = None,
    *,
    sr_tag: int,
    src_rank: int,
    shape: Any,
    dtype: DType,
    group: str = WORLD,
    group_back: str = WORLD,
) -> Any:
    """The tensor that another member sends: an error where there is none.

    Raises
    ------
    S2sadError
        E0712, always; when made, E0303 or E0404 for settings.

    Examples
    --------
    >>> import s2sad as ms
    >>> Receive(0, 1, [2], ms.float32)()
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadRuntimeError: [E0712] Receive from 1 has its other end in ...
    """
    raise alone(f"Receive from {src_rank}")


def _ranks(name: str, given: Any) -> tuple[int, ...]:
    """Ranks of neighbours: none, or this process itself."""
    if not isinstance(given, (tuple, list)):
        raise fail("E0303", f"{name} is a list of int, got {shown(given)}")
    return tuple(groups.rank_number(f"a rank of {name}", rank) for rank in given)


@primitive(
    send_rank_ids=_ranks, recv_rank_ids=_ranks, recv_type=_dtype, group=group_name
)  # fmt: skip
def NeighborExchange(
    x: Any,
    *,
    send_rank_ids: Any,
    recv_rank_ids: Any,
    recv_shapes: Any,
    send_shapes: Any,
    recv_type: DType,
    group: str = WORLD,
) -> Any:
    """Tensor i of `x` goes to the member `send_rank_ids[i]`; what others send is given back.

    In a group of one a process sends to itself, or to nobody.

    Raises
    ------
    S2sadError
        E0303 for settings of another kind, E0301 or E0401 for tensors that are not of `recv_type`
        and of `send_shapes`, E0404 where other tensors are awaited than are sent, E0710 for a rank
        but 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> made = NeighborExchange([0], [0], ([2],), ([2],), ms.float32)
    >>> made((ms.Tensor([1.0, 2.0]),))[0].tolist()
    [1.0, 2.0]
    """
    shapes = [tuple(shape) for shape in send_shapes]
    if len(send_rank_ids) != len(recv_rank_ids) or shapes != [tuple(s) for s in recv_shapes]:
        raise fail("E0404", "what NeighborExchange awaits of this process is not what it sends")
    if not isinstance(x, (tuple, list)) or len(x) != len(send_rank_ids) or len(x) != len(shapes):
        raise fail(
            "E0401", f"NeighborExchange sends {len(send_rank_ids)} tensors, got {shown(x)}",
            help="give a tuple, one tensor for each of send_rank_ids",
        )  # fmt: skip
    for each, shape in zip(x, shapes, strict=True):
        if tuple(require_tensor(each, "NeighborExchange").shape) != shape:
            raise fail("E0401", f"what is sent has the shape {shape}, got {type_of(each)}")
        if each.dtype is not recv_type:
            raise fail("E0301", f"what is sent is of {recv_type.name}, got {type_of(each)}")
    return tuple([exchanged(each, "NeighborExchange") for each in x])


def _neighbours(name: str, given: Any) -> tuple[int, ...]:
    """The eight neighbours of a picture: -1 each, for none."""
    if not isinstance(given, (tuple, list)) or len(given) != 8:
        raise fail("E0303", f"{name} has 8 ranks, from the top clockwise, got {shown(given)}")
    for rank in given:
        if integer(f"a rank of {name}", rank, -1) >= 0:
            raise groups.needs_several(f"the neighbour {rank} of {name}")
    return tuple(given)


def _lengths(name: str, given: Any) -> tuple[int, ...]:
    """Rows and columns that go to each side, four numbers."""
    if not isinstance(given, (tuple, list)) or len(given) != 4:
        raise fail("E0303", f"{name} is 4 numbers: top, bottom, left, right; got {shown(given)}")
    return tuple(integer(f"a number of {name}", length, 0) for length in given)


def _channels_first(name: str, given: Any) -> str:
    if given != "NCHW":
        raise fail("E0404", f"{name} is 'NCHW', got {given!r}")
    return given


@primitive(
    send_rank_ids=_neighbours, send_lens=_lengths, recv_rank_ids=_neighbours,
    recv_lens=_lengths, data_format=_channels_first, group=group_name,
)  # fmt: skip
def NeighborExchangeV2(
    x: Any,
    *,
    send_rank_ids: Any,
    send_lens: Any,
    recv_rank_ids: Any,
    recv_lens: Any,
    data_format: str,
    group: str = WORLD,
) -> Any:
    """A picture with the rims that neighbours send around it: alone it has no neighbours.

    Raises
    ------
    S2sadError
        E0303 or E0404 for settings of another form, E0401 unless `x` has four axes, E0710 for a
        neighbour, which is any rank but -1.

    Examples
    --------
    >>> import s2sad as ms
    >>> made = NeighborExchangeV2([-1] * 8, [1] * 4, [-1] * 8, [1] * 4, "NCHW")
    >>> made(ms.ops.ones((1, 1, 2, 2))).shape
    (1, 1, 2, 2)
    """
    if require_tensor(x, "NeighborExchangeV2").ndim != 4:
        raise fail("E0401", f"NeighborExchangeV2 takes (N, C, H, W), got {type_of(x)}")
    return exchanged(x, "NeighborExchangeV2")
