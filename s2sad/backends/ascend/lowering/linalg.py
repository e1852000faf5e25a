"""Products of matrices, on the cube unit, and factorings."""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.ascend.datatypes import data_type_of, dtype_of
from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers, table, wider
from s2sad.backends.ascend.lowering.shape import transposed
from s2sad.ir.graph import Operation

table({"cholesky": "Cholesky", "det": "MatrixDeterminant"})


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


def _factored(lowering: Lowering, operation: Operation, type: str, shapes: Sequence) -> list[Edge]:
    """The outputs of an operator that factors, narrow floats by way of wider ones."""
    (value,) = operation.operands
    dtype = wider(type, value.dtype)
    x = lowering.cast(operation, lowering.edge(value), dtype)
    made = [Desc(data_type_of(dtype).name, tuple(shape)) for shape in shapes]
    first = lowering.node(operation, type, {"x": x}, outputs=made)
    return list(lowering.builder.outputs(first))


def _rounded(lowering: Lowering, operation: Operation, edges: Sequence[Edge]) -> Sequence[Edge]:
    pairs = zip(edges, operation.results, strict=True)
    return [lowering.cast(operation, edge, value.dtype) for edge, value in pairs]


@lowers("qr")
def _qr(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    shapes = [desc_of(value.type).shape for value in operation.results]
    return _rounded(lowering, operation, _factored(lowering, operation, "Qr", shapes))


@lowers("slogdet")
def _slogdet(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    shapes = [desc_of(value.type).shape for value in operation.results]
    found = _factored(lowering, operation, "LogMatrixDeterminant", shapes)
    return _rounded(lowering, operation, found)


def _svd_parts(lowering: Lowering, operation: Operation) -> tuple[Edge, Edge, Edge]:
    """u, s and v: GE gives the values first, and v as it is."""
    *batch, m, n = desc_of(operation.operands[0].type).shape
    k = min(m, n)
    s, u, v = _factored(lowering, operation, "Svd", [(*batch, k), (*batch, m, k), (*batch, n, k)])
    return u, s, v


def _turned(lowering: Lowering, operation: Operation, x: Edge) -> Edge:
    rank = len(lowering.desc(x).shape)
    return transposed(lowering, operation, x, [*range(rank - 2), rank - 1, rank - 2])


@lowers("svd")
def _svd(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    u, s, v = _svd_parts(lowering, operation)
    return _rounded(lowering, operation, [u, s, _turned(lowering, operation, v)])


@lowers("pinv")
def _pinv(lowering: Lowering, operation: Operation) -> Edge:
    """Of the factors, with 0 in place of what small singular values would divide."""
    u, s, v = _svd_parts(lowering, operation)
    sizes = lowering.desc(s)
    dtype, flags = dtype_of(sizes.type), Desc("DT_BOOL", sizes.shape)
    top = Desc(sizes.type, (*sizes.shape[:-1], 1))
    atol, rtol = (lowering.constant(operation.attrs[name], dtype) for name in ("atol", "rtol"))

    def node(type: str, desc: Desc, **inputs: Edge) -> Edge:
        return lowering.node(operation, type, inputs, outputs=[desc])

    axes = {"x": s, "axes": lowering.constant([-1])}
    largest = lowering.node(operation, "ReduceMax", axes, {"keep_dims": True}, outputs=[top])
    least = node("Maximum", top, x1=node("Mul", top, x1=largest, x2=rtol), x2=atol)
    counts = node("Greater", flags, x1=s, x2=least)
    inverse = node("Reciprocal", sizes, x=s)
    zero = lowering.constant(0, dtype)
    inverse = lowering.node(
        operation, "SelectV2", {"condition": counts, "then": inverse, "else": zero}, outputs=[sizes]
    )
    inverse = lowering.reshape(operation, inverse, (*sizes.shape[:-1], 1, sizes.shape[-1]))
    left = node("Mul", lowering.desc(v), x1=v, x2=inverse)
    found = lowering.node(
        operation, "BatchMatMulV2", {"x1": left, "x2": u}, {"adj_x2": True},
        outputs=[lowering.made(operation.results[0], dtype)],
    )  # fmt: skip
    return lowering.cast(operation, found, operation.results[0].dtype)


def _is_solved_as_it_is(operation: Operation) -> bool:
    return not operation.attrs["transpose_a"] and all(v.ndim >= 2 for v in operation.operands)


@lowers("solve", where=_is_solved_as_it_is)
def _solve(lowering: Lowering, operation: Operation) -> Edge:
    matrix, right = map(lowering.edge, operation.operands)
    return lowering.node(operation, "MatrixSolve", {"matrix": matrix, "rhs": right})
