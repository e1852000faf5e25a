"""How does the runtime compute a product of matrices?"""

from __future__ import annotations

import math
from typing import NamedTuple

from s2sad.backends.c.template import Body, Site, Template, static
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import TensorType
from s2sad.prims import linalg


class Axis(NamedTuple):
    """An axis of the batch: its size, and the strides of the operands in elements."""

    size: int
    first: int
    second: int


def matmul(
    site: Site, epilogue: str = "NULL", data: str = "NULL", *, is_loose: bool = False
) -> Body:
    """The kernel of a `matmul`; `epilogue` is called with `data` for each finished block of it.

    `epilogue` is the name of an ``s2_epilogue`` (runtime/product.h). What it is told is of a
    product whose axes may be merged: the first element of a block is always element
    ``(batch * m + row) * n + col`` of the result, its rows `n` apart. One that `is_loose` lies
    nowhere but there.
    """
    a, _ = site.types
    (c,) = site.results
    *_, m, n = static(c.shape)
    k = static(a.shape)[-2 if site.attrs["transpose_a"] else -1]
    a_row, a_col = (1, m) if site.attrs["transpose_a"] else (k, 1)
    b_row, b_col = (1, k) if site.attrs["transpose_b"] else (n, 1)
    rows, axes = product_rows(site)
    facts = {
        "m": rows, "n": n, "k": k, "a_row": a_row, "a_col": a_col, "b_row": b_row, "b_col": b_col,
    }  # fmt: skip
    fields = {name: str(value) for name, value in facts.items()}
    if epilogue != "NULL":
        fields |= {"epilogue": epilogue, "epilogue_data": data}
    if is_loose:
        fields["loose"] = "true"
    return Body(_call(c.dtype.short, fields, axes, "NULL" if is_loose else "y0"), ("gemm.h",))


def product_rows(site: Site) -> tuple[int, list[Axis]]:
    """Rows of one product, and the axes of the batch that are left.

    Where the second operand is the same for all of an axis, that is one product of more rows: what
    is packed of it is packed once.
    """
    a, b = site.types
    (c,) = site.results
    axes = merged(batch_axes(a, b, c))
    m = static(c.shape)[-2]
    k = static(a.shape)[-2 if site.attrs["transpose_a"] else -1]
    a_row = 1 if site.attrs["transpose_a"] else k
    if axes and not axes[-1].second and axes[-1].first == m * a_row:
        m *= axes.pop().size
    return m, axes


def _call(dtype: str, fields: dict[str, str], axes: list[Axis], result: str) -> str:
    if axes:
        rows = ", ".join(f"{{{axis.size}, {axis.first}, {axis.second}}}" for axis in axes)
        fields |= {"rank": str(len(axes)), "batch": f"(const int64_t[][3]){{{rows}}}"}
    text = ", ".join(f".{name} = {value}" for name, value in fields.items())
    return f"return s2_matmul_{dtype}(&(s2_matmul){{{text}}}, x0, x1, {result});"


def batch_axes(a: TensorType, b: TensorType, c: TensorType) -> list[Axis]:
    """The axes of `c` before the last two; strides are 0 where an operand is repeated."""
    sizes = static(c.shape)[:-2]
    strides = (_strides(operand, len(sizes)) for operand in (a, b))
    return [Axis(*axis) for axis in zip(sizes, *strides, strict=True)]


def _strides(operand: TensorType, rank: int) -> list[int]:
    shape = list(static(operand.shape))
    batch = [1] * (rank - len(shape) + 2) + shape[:-2]
    behind = [math.prod(batch[i + 1 :]) * math.prod(shape[-2:]) for i in range(rank)]
    return [0 if size == 1 else step for size, step in zip(batch, behind, strict=True)]


def merged(axes: list[Axis]) -> list[Axis]:
    """The same batch over as few axes as there can be.

    Examples
    --------
    >>> merged([Axis(2, 12, 0), Axis(3, 4, 0), Axis(1, 0, 0)])
    [Axis(size=6, first=4, second=0)]
    """
    found: list[Axis] = []
    for axis in axes:
        if axis.size == 1:
            continue
        last = found[-1] if found else None
        if last and last[1:] == (axis.size * axis.first, axis.size * axis.second):
            found[-1] = Axis(last.size * axis.size, axis.first, axis.second)
        else:
            found.append(axis)
    return found


TEMPLATES: dict[Primitive, Template] = {linalg.matmul: matmul}
