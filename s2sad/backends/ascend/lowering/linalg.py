"""Products of matrices, on the cube unit, and factorings."""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.ascend.graph import Edge
from s2sad.backends.ascend.lowering.region import Lowering
from s2sad.backends.ascend.lowering.rules import lowers, table
from s2sad.ir.graph import Operation

table({"cholesky": "Cholesky"})


@lowers("matmul")
def _matmul(lowering: Lowering, operation: Operation) -> Edge:
    """MatMulV2 for two matrices, BatchMatMulV2, which broadcasts, for more axes."""
    x, y = map(lowering.edge, operation.operands)
    first, second = operation.attrs["transpose_a"], operation.attrs["transpose_b"]
    if all(value.ndim == 2 for value in operation.operands):
        options = {"transpose_x1": first, "transpose_x2": second}
        return lowering.node(operation, "MatMulV2", {"x1": x, "x2": y}, options)
    options = {"adj_x1": first, "adj_x2": second}
    return lowering.node(operation, "BatchMatMulV2", {"x1": x, "x2": y}, options)


@lowers("qr")
def _qr(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    first = lowering.node(operation, "Qr", {"x": lowering.edge(operation.operands[0])})
    return lowering.builder.outputs(first)


def _is_solved_as_it_is(operation: Operation) -> bool:
    return not operation.attrs["transpose_a"] and all(v.ndim >= 2 for v in operation.operands)


@lowers("solve", where=_is_solved_as_it_is)
def _solve(lowering: Lowering, operation: Operation) -> Edge:
    matrix, right = map(lowering.edge, operation.operands)
    return lowering.node(operation, "MatrixSolve", {"matrix": matrix, "rhs": right})
