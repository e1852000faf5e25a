"""Which values need a cotangent?

Those that depend on an input asked for and on which a result depends, through operations that
have a derivative. Everything else is left alone: no adjoint, no residual.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.types import TensorType


def is_differentiable(value: Value) -> bool:
    """Whether a cotangent of `value` makes sense: it is a tensor of floats."""
    return isinstance(value.type, TensorType) and value.type.dtype.is_float


def active_values(function: Function, wrt: Sequence[int], results: Iterable[int]) -> set[Value]:
    """Values between the inputs `wrt` and the results numbered `results`."""
    varied = {function.args[i] for i in wrt if is_differentiable(function.args[i])}
    for operation in function.body.operations:
        if _differentiates(operation) and any(x in varied for x in operation.operands):
            varied.update(filter(is_differentiable, operation.results))
    useful = {function.results[i] for i in results}
    for operation in reversed(function.body.operations):
        if any(value in useful for value in operation.results) and _differentiates(operation):
            useful.update(operation.operands)
    return varied & useful


def _differentiates(operation: Operation) -> bool:
    return operation.prim.nondiff is None
