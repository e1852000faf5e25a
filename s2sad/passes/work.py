"""How much does an operation read, write and compute, by its types?"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import NamedTuple

from s2sad.autodiff.cut import typical_bytes
from s2sad.ir.graph import Operation, Value
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.types import TensorType
from s2sad.passes.space import CORES, REDUCTIONS
from s2sad.prims import marker
from s2sad.prims.conv import conv, conv_filter_grad
from s2sad.prims.linalg import matmul


class Work(NamedTuple):
    """What one run of an operation, or of several as one, has to do.

    Attributes
    ----------
    nbytes : int
        Of what is read, each value once, and of what is written.
    flops : int or None
        Additions, multiplications and other operations on single numbers, each one, `exp` as well;
        None where the types do not tell.
    """

    nbytes: int
    flops: int | None


def work_of(operation: Operation) -> Work:
    """What `operation` has to do; of a fused one what its body computes.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> function = build_function(lambda x, w: p.matmul(x, w), [f32[2, 3], f32[3, 5]])
    >>> work_of(next(function.walk()))
    Work(nbytes=124, flops=60)
    """
    return Work(_moved(operation), _total(map(flops, parts_of(operation))))


def _moved(operation: Operation) -> int:
    """Bytes; of an operand of which a part is picked, or overwritten, no more than that part."""
    read = dict.fromkeys(operation.operands)
    written = sum(map(_nbytes, operation.results))
    if operation.prim.has(Trait.MOVES):
        return written + sum(min(_nbytes(value), written) for value in read)
    if operation.prim.in_place is not None:  # the rest stays as it lies
        whole, *parts = read
        part = sum(map(_nbytes, parts))
        return part + 2 * min(_nbytes(whole), part)
    return written + sum(map(_nbytes, read))


def parts_of(operation: Operation) -> list[Operation]:
    """The operations that compute: those in the body of a fused one, else it alone."""
    if operation.prim is not marker.fused:
        return [operation]
    body = operation.regions["body"].operations
    return [op for op in body if op.prim.form is not Form.CONST]


def flops(operation: Operation) -> int | None:
    """Operations on single numbers; None where the types do not tell."""
    prim = operation.prim
    if prim in CORES:
        return 2 * _multiplied(operation)
    if prim.has(Trait.MOVES):
        return 0
    if prim.has(Trait.ELEMENTWISE):
        return sum(map(_count, operation.results))
    if prim in REDUCTIONS:
        return sum(map(_count, operation.operands))
    return None


def weight(operation: Operation) -> int:
    """By which part of a kernel's time `operation` is taken to need: numbers that it looks at."""
    return max(1, flops(operation) or 0, *map(_count, (*operation.operands, *operation.results)))


def _total(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    return None if any(count is None for count in found) else sum(filter(None, found))


def _nbytes(value: Value) -> int:
    return typical_bytes(value.type)


def _count(value: Value) -> int:
    """Elements of a tensor of static shape; 0 for others."""
    shape = value.type.shape if isinstance(value.type, TensorType) else (0,)
    return prod(shape) if all(isinstance(size, int) for size in shape) else 0  # type: ignore


def _multiplied(operation: Operation) -> int:
    """Pairs of numbers that a product or a convolution multiplies."""
    first, second = operation.operands[:2]
    if operation.prim is matmul:
        shape = first.shape
        turned = operation.attrs["transpose_a"]
        return _count(operation.result) * _known(shape[-2 if turned else -1])
    if operation.prim is conv_filter_grad:
        filters, windows = operation.result, second
    else:
        filters = second
        windows = operation.result if operation.prim is conv else first
    a_filter = [_known(size) for size in filters.shape[1:]]
    return _count(windows) * prod(a_filter)


def _known(size: object) -> int:
    return size if isinstance(size, int) else 0
