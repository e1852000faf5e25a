"""Which transposes are no work, because what reads or writes the array can do it in passing?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import is_loop
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass
from s2sad.prims.arithmetic import add
from s2sad.prims.linalg import matmul
from s2sad.prims.shape import transpose

#: Rows up to which a product reads a matrix so seldom that to pack it is most of the work.
FEW = 48


@dataclass(frozen=True)
class Layout(Pass):
    """Let products of matrices read and write transposed arrays as they lie.

    Before:  t0 = p.transpose(w, perm=(1, 0)); t1 = p.matmul(x, t0)
    After:   t1 = p.matmul(x, w, transpose_b=True)

    So does one whose product is only transposed, or a sum of such: its operands are exchanged.
    Another order in
    memory may have NumPy sum in another order, so results may be rounded otherwise.

    A matrix that is transposed before a loop stays so where each trip multiplies few rows by it: to
    read it across costs as much as to transpose it, and that again and again.
    """

    name: ClassVar[str] = "layout"
    exact: ClassVar[bool] = False

    def run(self, function: Function, rewriter: Rewriter) -> None:
        for operation in [op for op in function.walk() if _only_swaps(op)]:
            if _is_sum_of_products(operation.operands[0]):
                with rewriter.step("transpose products", operation):
                    _transpose_products(operation, rewriter)
        for operation in [op for op in function.walk() if op.prim is matmul]:
            operation = _with_operands_as_they_lie(operation, rewriter)
            _with_product_transposed(operation, rewriter)


def _with_operands_as_they_lie(operation: Operation, rewriter: Rewriter) -> Operation:
    operands, attrs = list(operation.operands), dict(operation.attrs)
    for index, name in ((0, "transpose_a"), (1, "transpose_b")):
        is_kept = index == 1 and _is_read_again(operation)
        while (source := _transposed(operands[index])) is not None:
            if is_kept and not attrs[name]:
                break
            operands[index], attrs[name] = source, not attrs[name]
    if attrs == dict(operation.attrs) and operands == list(operation.operands):
        return operation
    with rewriter.step("read as it lies", operation):
        return _replaced(operation, operation, operands, attrs, rewriter)


def _is_read_again(operation: Operation) -> bool:
    """Whether each trip of a loop multiplies few rows by a matrix transposed before the loop."""
    matrix = operation.operands[1]
    rows = operation.result.shape[:-1]
    if _transposed(matrix) is None or not all(isinstance(n, int) for n in rows):
        return False
    if len(matrix.shape) != 2 or prod(rows) > FEW:  # type: ignore[arg-type]
        return False
    region = operation.parent
    while region is not matrix.region and isinstance(region, Region):
        around = region.parent
        if not isinstance(around, Operation) or is_loop(around):
            return isinstance(around, Operation)
        region = around.parent
    return False


def _transposed(value: Value) -> Value | None:
    """What `value` is the transpose of, in its last two axes."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.prim is transpose and _swaps(owner.attrs["perm"]):
        return owner.operands[0]
    return None


def _swaps(perm: Sequence[int]) -> bool:
    *outer, a, b = perm
    return outer == list(range(len(outer))) and (a, b) == (len(perm) - 1, len(perm) - 2)


def _with_product_transposed(operation: Operation, rewriter: Rewriter) -> None:
    uses = list(operation.result.uses)
    readers = [use.user for use in uses]
    if not readers or not all(_only_swaps(reader) for reader in readers):
        return
    a, b = operation.operands
    attrs = {
        "transpose_a": not operation.attrs["transpose_b"],
        "transpose_b": not operation.attrs["transpose_a"],
    }
    with rewriter.step("write transposed", operation):
        product = _made(operation, [b, a], attrs, rewriter)
        for reader in readers:
            rewriter.replace_operation(reader, [product])  # type: ignore[arg-type]
        rewriter.erase(operation)


def _is_sum_of_products(value: Value) -> bool:
    """Whether `value` is a sum of products, which with their sums are read by nothing else."""
    owner = value.owner
    if not isinstance(owner, Operation) or len(value.uses) != 1:
        return False
    return owner.prim is matmul or (
        owner.prim is add
        and all(x.type == value.type and _is_sum_of_products(x) for x in owner.operands)
    )


def _transpose_products(operation: Operation, rewriter: Rewriter) -> None:
    """Let a sum of products be transposed one by one."""
    total = operation.operands[0].owner
    assert isinstance(total, Operation)
    if total.prim is matmul:
        return
    place = rewriter.insert_before(operation)
    parts = [place.emit(transpose, [x], dict(operation.attrs)) for x in total.operands]
    rewriter.replace_operation(operation, [place.emit(add, parts, {})])
    rewriter.erase(total)
    for part in parts:
        _transpose_products(part.owner, rewriter)  # type: ignore[arg-type]


def _only_swaps(reader: object) -> bool:
    return (
        isinstance(reader, Operation) and reader.prim is transpose and _swaps(reader.attrs["perm"])
    )  # fmt: skip


def _made(
    operation: Operation, operands: Sequence[Value], attrs: dict[str, bool], rewriter: Rewriter
) -> Value:  # fmt: skip
    return rewriter.insert_before(operation).emit(matmul, operands, attrs)


def _replaced(
    operation: Operation, at: Operation, operands: Sequence[Value], attrs: dict[str, bool],
    rewriter: Rewriter,
) -> Operation:  # fmt: skip
    result = _made(at, operands, attrs, rewriter)
    old = [value for value in operation.operands]
    rewriter.replace_operation(operation, [result])
    for value in old:
        _erase_unread(value, rewriter)
    made = result.owner
    assert isinstance(made, Operation)
    return made


def _erase_unread(value: Value, rewriter: Rewriter) -> None:
    """Erase the transposes that made `value`, as far as nobody reads them."""
    while isinstance(value.owner, Operation) and value.owner.prim is transpose and not value.uses:
        if value.owner.parent is None:  # gone already: it was both operands
            return
        owner, value = value.owner, value.owner.operands[0]
        rewriter.erase(owner)
