"""What do Tensors hold after an exchange among one process? What this process has.

Arguments that are written to are Tensors, outside of compiled code; there, `ops.AllReduce` and its
like give what is exchanged as a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad.core import groups
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.ops.collective import (
    ReduceOp,
    combined,
    exchanged,
    gathered,
    group_name,
    reduction,
)
from s2sad.ops.promotion import require_tensor, type_of
from s2sad.ops.settings import flag


class CommHandle:
    """What an exchange gives that one may wait for: it is over."""

    def wait(self) -> None:
        """Returns at once."""

    def is_completed(self) -> bool:
        """True."""
        return True


def _handle(group: Any, async_op: Any) -> CommHandle | None:
    group_name("group", group)
    return CommHandle() if flag("async_op", async_op) else None


def _write(target: Any, source: Any, what: str) -> None:
    """Let the Tensor `target` hold `source`, of the same shape and dtype."""
    if not isinstance(target, Tensor):
        require_tensor(target, what)
        raise fail(
            "E0104", f"{what} writes to its argument, which compiled code does not",
            help="there, the objects of ops give a result: ops.AllReduce()(x)",
        )  # fmt: skip
    if tuple(target.shape) != tuple(source.shape):
        raise fail("E0401", f"{what} writes {type_of(source)} to {type_of(target)}")
    if target.dtype is not source.dtype:
        raise fail("E0301", f"{what} writes {type_of(source)} to {type_of(target)}")
    target.copy_(source)


def one_of(name: str, tensors: Any) -> Any:
    """The only entry of a list with one for each member (E0303, E0404)."""
    if not isinstance(tensors, (list, tuple)):
        raise fail("E0303", f"{name} is a list, got {shown(tensors)}")
    if len(tensors) != 1:
        raise fail("E0404", f"{name} has one entry, for the one member, got {len(tensors)}")
    return tensors[0]


def require_sizes(name: str, sizes: Any, x: Any) -> None:
    """Let `sizes` be empty, or say that one member has all of the first axis (E0404)."""
    if sizes is not None and len(sizes) and list(sizes) != [x.shape[0]]:
        raise fail("E0404", f"{name} is [{x.shape[0]}], for the one member, got {sizes!r}")


def all_reduce(
    tensor: Any, op: str = ReduceOp.SUM, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Let `tensor` hold what the tensors of all members give, combined.

    Parameters
    ----------
    tensor : Tensor of numbers
    op : str
        One of `ReduceOp`.
    group : str, optional
        That of all processes by default.
    async_op : bool
        Whether a handle to wait for is given.

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 and E0404 for other arguments, E0304 for what is no Tensor.

    Examples
    --------
    >>> x = Tensor([1.0, 2.0])
    >>> all_reduce(x)
    >>> x.tolist()
    [1.0, 2.0]
    """
    combined(tensor, "all_reduce")
    reduction("op", op)
    return _handle(group, async_op)


def reduce(
    tensor: Any, dst: int, op: str = ReduceOp.SUM, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """As `all_reduce`, for the process `dst` (E0710 for another than 0).

    Examples
    --------
    >>> reduce(Tensor([1.0]), 0)
    """
    groups.rank_number("dst", dst)
    return all_reduce(tensor, op, group, async_op)


def broadcast(
    tensor: Any, src: int, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Let `tensor` hold what it does in the process `src` (E0710 for another than 0).

    Examples
    --------
    >>> broadcast(Tensor([1.0]), 0)
    """
    exchanged(tensor, "broadcast")
    groups.rank_number("src", src)
    return _handle(group, async_op)


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Let `output_tensor` hold the tensors of all members, joined along the first axis.

    Raises
    ------
    S2sadError
        E0301 or E0401 where it is of another dtype or shape, E0303 and E0404 for other arguments,
        E0304 for what is no Tensor, E0104 in compiled code.

    Examples
    --------
    >>> x = Tensor([0.0, 0.0])
    >>> all_gather_into_tensor(x, Tensor([1.0, 2.0]))
    >>> x.tolist()
    [1.0, 2.0]
    """
    handle = _handle(group, async_op)
    found = gathered(input_tensor, "all_gather_into_tensor")
    _write(output_tensor, found, "all_gather_into_tensor")
    return handle


def all_gather_into_tensor_uneven(
    output: Any,
    input: Any,  # noqa: A002
    output_split_sizes: Sequence[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """As `all_gather_into_tensor`, of tensors whose first axes have `output_split_sizes`.

    Examples
    --------
    >>> x = Tensor([0.0, 0.0])
    >>> all_gather_into_tensor_uneven(x, Tensor([1.0, 2.0]), [2])
    >>> x.tolist()
    [1.0, 2.0]
    """
    handle = _handle(group, async_op)
    found = gathered(input, "all_gather_into_tensor_uneven")
    require_sizes("output_split_sizes", output_split_sizes, found)
    _write(output, found, "all_gather_into_tensor_uneven")
    return handle


def reduce_scatter_tensor(
    output: Any,
    input: Any,  # noqa: A002
    op: str = ReduceOp.SUM,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Let `output` hold this member's part of the tensors of all, combined.

    Examples
    --------
    >>> x = Tensor([0.0, 0.0])
    >>> reduce_scatter_tensor(x, Tensor([1.0, 2.0]))
    >>> x.tolist()
    [1.0, 2.0]
    """
    return reduce_scatter_tensor_uneven(output, input, None, op, group, async_op)


def reduce_scatter_tensor_uneven(
    output: Any,
    input: Any,  # noqa: A002
    input_split_sizes: Sequence[int] | None = None,
    op: str = ReduceOp.SUM,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """As `reduce_scatter_tensor`, of tensors whose first axes have `input_split_sizes`.

    Examples
    --------
    >>> x = Tensor([0.0, 0.0])
    >>> reduce_scatter_tensor_uneven(x, Tensor([1.0, 2.0]), [2])
    >>> x.tolist()
    [1.0, 2.0]
    """
    handle = _handle(group, async_op)
    reduction("op", op)
    combined(input, "reduce_scatter_tensor")
    found = gathered(input, "reduce_scatter_tensor")
    require_sizes("input_split_sizes", input_split_sizes, found)
    _write(output, found, "reduce_scatter_tensor")
    return handle


def all_gather(
    tensor_list: list[Any], tensor: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Let entry i of `tensor_list` hold the tensor of member i.

    Examples
    --------
    >>> found = [Tensor([0.0])]
    >>> all_gather(found, Tensor([1.0]))
    >>> found[0].tolist()
    [1.0]
    """
    handle = _handle(group, async_op)
    _write(one_of("tensor_list", tensor_list), exchanged(tensor, "all_gather"), "all_gather")
    return handle


def gather(
    tensor: Any,
    gather_list: list[Any],
    dst: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """As `all_gather`, for the process `dst` (E0710 for another than 0).

    Examples
    --------
    >>> found = [Tensor([0.0])]
    >>> gather(Tensor([1.0]), found)
    >>> found[0].tolist()
    [1.0]
    """
    groups.rank_number("dst", dst)
    handle = _handle(group, async_op)
    _write(one_of("gather_list", gather_list), exchanged(tensor, "gather"), "gather")
    return handle


def scatter(
    tensor: Any,
    scatter_list: list[Any],
    src: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Let `tensor` hold this member's entry of the list of the process `src` (E0710 but for 0).

    Examples
    --------
    >>> x = Tensor([0.0])
    >>> scatter(x, [Tensor([1.0])])
    >>> x.tolist()
    [1.0]
    """
    groups.rank_number("src", src)
    handle = _handle(group, async_op)
    _write(tensor, exchanged(one_of("scatter_list", scatter_list), "scatter"), "scatter")
    return handle


def reduce_scatter(
    output: Any,
    input_list: list[Any],
    op: str = ReduceOp.SUM,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Let `output` hold this member's entry of the lists of all, combined.

    Examples
    --------
    >>> x = Tensor([0.0])
    >>> reduce_scatter(x, [Tensor([1.0])])
    >>> x.tolist()
    [1.0]
    """
    handle = _handle(group, async_op)
    reduction("op", op)
    found = combined(one_of("input_list", input_list), "reduce_scatter")
    _write(output, found, "reduce_scatter")
    return handle


def all_to_all(
    output_tensor_list: list[Any],
    input_tensor_list: list[Any],
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Let entry i of the one list hold what member i has for this process in the other.

    Examples
    --------
    >>> found = [Tensor([0.0])]
    >>> all_to_all(found, [Tensor([1.0])])
    >>> found[0].tolist()
    [1.0]
    """
    handle = _handle(group, async_op)
    source = exchanged(one_of("input_tensor_list", input_tensor_list), "all_to_all")
    _write(one_of("output_tensor_list", output_tensor_list), source, "all_to_all")
    return handle


def all_to_all_single(
    output: Any,
    input: Any,  # noqa: A002
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """As `all_to_all`, of parts along the first axis of one tensor.

    Examples
    --------
    >>> x = Tensor([0.0, 0.0])
    >>> all_to_all_single(x, Tensor([1.0, 2.0]))
    >>> x.tolist()
    [1.0, 2.0]
    """
    handle = _handle(group, async_op)
    found = gathered(input, "all_to_all_single")
    require_sizes("input_split_sizes", input_split_sizes, found)
    require_sizes("output_split_sizes", output_split_sizes, found)
    _write(output, found, "all_to_all_single")
    return handle


def barrier(
    group: str | None = None, async_op: bool = False, device_ids: Any = None
) -> CommHandle | None:
    """Wait until all members are here: one always is.

    Examples
    --------
    >>> barrier()
    """
    return _handle(group, async_op)
