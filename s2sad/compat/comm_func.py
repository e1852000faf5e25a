"""Which functions of `mindspore.communication` exchange tensors and give the result?

They compute what the objects of `ops` do, which are the same in compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad.core import groups
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ir import dims
from s2sad.mint.distributed import (
    P2POp,
    all_to_all_single,
    barrier,
    batch_isend_irecv,
    irecv,
    isend,
    recv,
    send,
)
from s2sad.mint.distributed.exchange import CommHandle, require_sizes
from s2sad.ops.collective import (
    ReduceOp,
    combined,
    exchanged,
    gathered,
    group_name,
    reduction,
)
from s2sad.ops.promotion import is_tensor, type_of
from s2sad.ops.settings import flag
from s2sad.ops.shapes import reshape

__all__ = [
    "P2POp", "all_gather_into_tensor", "all_reduce", "all_to_all_single_with_output_shape",
    "all_to_all_v_c", "all_to_all_with_output_shape", "barrier", "batch_isend_irecv", "broadcast",
    "gather_into_tensor", "irecv", "isend", "recv", "reduce", "reduce_scatter_tensor",
    "scatter_tensor", "send",
]  # fmt: skip

Pair = tuple[Any, CommHandle | None]


def _with_handle(found: Any, group: Any, async_op: Any) -> Pair:
    group_name("group", group)
    return found, CommHandle() if flag("async_op", async_op) else None


def all_reduce(
    tensor: Any, op: str = ReduceOp.SUM, group: str = groups.WORLD, async_op: bool = False
) -> Pair:
    """The tensors of all members combined, and a handle to wait for, None without `async_op`.

    Parameters
    ----------
    tensor : Tensor of numbers
    op : str
        One of `ReduceOp`.
    group : str
    async_op : bool

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 and E0404 for other arguments, E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> all_reduce(ms.Tensor([1.0, 2.0]))[0].tolist()
    [1.0, 2.0]
    """
    reduction("op", op)
    return _with_handle(combined(tensor, "all_reduce"), group, async_op)


def reduce(tensor: Any, dst: int, op: str = ReduceOp.SUM, group: str = groups.WORLD) -> Any:
    """The tensors of all members combined, for the process `dst` (E0710 for another than 0).

    Examples
    --------
    >>> import s2sad as ms
    >>> reduce(ms.Tensor([1.0, 2.0]), 0).tolist()
    [1.0, 2.0]
    """
    groups.rank_number("dst", dst)
    return all_reduce(tensor, op, group)[0]


def all_gather_into_tensor(tensor: Any, group: str = groups.WORLD, async_op: bool = False) -> Pair:
    """The tensors of all members joined along the first axis, and a handle, as of `all_reduce`.

    Examples
    --------
    >>> import s2sad as ms
    >>> all_gather_into_tensor(ms.Tensor([1.0, 2.0]))[0].tolist()
    [1.0, 2.0]
    """
    return _with_handle(gathered(tensor, "all_gather_into_tensor"), group, async_op)


def reduce_scatter_tensor(
    tensor: Any, op: str = ReduceOp.SUM, group: str = groups.WORLD, async_op: bool = False
) -> Pair:
    """This member's part of the tensors of all, combined, and a handle, as of `all_reduce`.

    Examples
    --------
    >>> import s2sad as ms
    >>> reduce_scatter_tensor(ms.Tensor([1.0, 2.0]))[0].tolist()
    [1.0, 2.0]
    """
    reduction("op", op)
    combined(tensor, "reduce_scatter_tensor")
    return _with_handle(gathered(tensor, "reduce_scatter_tensor"), group, async_op)


def scatter_tensor(tensor: Any, src: int = 0, group: str = groups.WORLD) -> Any:
    """This member's part of the tensor of the process `src` (E0710 for another than 0).

    Examples
    --------
    >>> import s2sad as ms
    >>> scatter_tensor(ms.Tensor([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    groups.rank_number("src", src)
    group_name("group", group)
    return gathered(tensor, "scatter_tensor")


def gather_into_tensor(tensor: Any, dst: int = 0, group: str = groups.WORLD) -> Any:
    """The tensors of all members joined, for the process `dst` (E0710 for another than 0).

    Examples
    --------
    >>> import s2sad as ms
    >>> gather_into_tensor(ms.Tensor([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    groups.rank_number("dst", dst)
    group_name("group", group)
    return gathered(tensor, "gather_into_tensor")


def broadcast(tensor: Any, src: int = 0, group: str = groups.WORLD) -> Any:
    """The tensor of the process `src` (E0710 for another than 0).

    Examples
    --------
    >>> import s2sad as ms
    >>> broadcast(ms.Tensor([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    groups.rank_number("src", src)
    group_name("group", group)
    return exchanged(tensor, "broadcast")


def all_to_all_with_output_shape(
    output_shape_list: Sequence[Any],
    input_tensor_list: Sequence[Any],
    group: str | None = None,
    async_op: bool = False,
) -> Pair:
    """What each member has for this process, in the given shapes, and a handle.

    Parameters
    ----------
    output_shape_list : list of tuple of int, or of Tensors of these shapes
    input_tensor_list : list of Tensor
        One for each member.
    group, async_op
        As of `all_reduce`.

    Raises
    ------
    S2sadError
        E0303 and E0404 for arguments of another form, E0401 for a shape of another size.

    Examples
    --------
    >>> import s2sad as ms
    >>> all_to_all_with_output_shape([(2, 1)], [ms.Tensor([1.0, 2.0])])[0][0].tolist()
    [[1.0], [2.0]]
    """
    for given in (output_shape_list, input_tensor_list):
        if not isinstance(given, (list, tuple)):
            raise fail("E0303", f"all_to_all takes two lists, got {shown(given)}")
        if len(given) != 1:
            raise fail("E0404", f"all_to_all has one entry for the one member, got {len(given)}")
    found = _shaped(input_tensor_list[0], output_shape_list[0])
    return _with_handle((found,), group, async_op)


def all_to_all_single_with_output_shape(
    output_shape: Any,
    tensor: Any,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> Pair:
    """As `all_to_all_with_output_shape`, of parts along the first axis of one tensor.

    The sizes of parts are those of the first axes, or left out (E0404).

    Examples
    --------
    >>> import s2sad as ms
    >>> all_to_all_single_with_output_shape((2,), ms.Tensor([1.0, 2.0]))[0].tolist()
    [1.0, 2.0]
    """
    found = _shaped(gathered(tensor, "all_to_all"), output_shape)
    require_sizes("input_split_sizes", input_split_sizes, tensor)
    require_sizes("output_split_sizes", output_split_sizes, found)
    return _with_handle(found, group, async_op)


def all_to_all_v_c(
    output: Any,
    input: Any,  # noqa: A002
    send_count_matrix: list[int],
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Let `output` hold what each member has for this process; a handle, None without `async_op`.

    `send_count_matrix` says how long the part is that goes from each member to each: here one
    number, the length of the first axis (E0303, E0404).

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([0.0, 0.0])
    >>> all_to_all_v_c(x, ms.Tensor([1.0, 2.0]), [2])
    >>> x.tolist()
    [1.0, 2.0]
    """
    if not isinstance(send_count_matrix, list) or not send_count_matrix:
        raise fail("E0303", f"send_count_matrix is a list of int, got {shown(send_count_matrix)}")
    return all_to_all_single(output, input, send_count_matrix, None, group, async_op)


def _shaped(tensor: Any, shape: Any) -> Any:
    """`tensor` in `shape`, or that of a Tensor, of the same size (E0303, E0401)."""
    wanted = tuple(shape.shape) if is_tensor(shape) else shape
    if not isinstance(wanted, (tuple, list)):
        raise fail("E0303", f"a shape is a tuple of int, or a Tensor, got {shown(shape)}")
    found = exchanged(tensor, "all_to_all")
    what = f"the sizes of {wanted} and of what arrives, {type_of(found)},"
    dims.require_same(dims.size(tuple(wanted)), dims.size(tuple(found.shape)), what)
    return reshape(found, tuple(wanted))
