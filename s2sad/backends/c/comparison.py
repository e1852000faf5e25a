"""What are the operations of `s2sad.prims.comparison` in C?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2sad.backends.c.scalar import Scalar, plain
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive
from s2sad.prims import comparison as c


def _against_infinity(operator: str) -> Scalar:
    """How the magnitude of a float compares to the largest."""

    def write(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
        f = "f" if dtype.bits == 32 else ""
        return f"(__builtin_fabs{f}({args[0]}) {operator} __builtin_inf{f}())"

    return write


SCALARS: dict[Primitive, Scalar] = {
    c.less: plain("({0} < {1})"),
    c.less_equal: plain("({0} <= {1})"),
    c.greater: plain("({0} > {1})"),
    c.greater_equal: plain("({0} >= {1})"),
    c.equal: plain("({0} == {1})"),
    c.not_equal: plain("({0} != {1})"),
    c.is_nan: plain("({0} != {0})"),
    c.is_inf: _against_infinity("=="),
    c.is_finite: _against_infinity("<"),
}
