"""How does a loop reduce: from what on, how are two combined, in what are partial results held?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive
from s2sad.prims import reduce


@dataclass(frozen=True)
class Fold:
    """A reduction in C.

    Attributes
    ----------
    start : str
        Name of what it begins with: ``zero``, ``one``, ``lowest``, ``highest``.
    text : str
        Two combined, with ``{0}``, ``{1}`` and ``{dtype}``.
    operator : str
        As OpenMP writes the reduction, for a loop whose passes may be combined in any order.
    is_wide : bool
        Whether partial results of f32 are combined in double.
    """

    start: str
    text: str
    operator: str
    is_wide: bool = False

    def initial(self, dtype: DType) -> str:
        """What it begins with."""
        if self.start in ("zero", "one"):
            return "0" if self.start == "zero" else "1"
        return _extreme(dtype, is_lowest=self.start == "lowest")

    def combine(self, dtype: DType, one: str, other: str) -> str:
        return self.text.format(one, other, dtype=dtype.short)

    def whole(self, dtype: DType) -> DType:
        """The dtype in which partial results are combined."""
        return dtypes.float64 if self.is_wide and dtype is dtypes.float32 else dtype

    def clause(self, dtype: DType) -> str:
        return self.operator.format(dtype=dtype.short)


def _extreme(dtype: DType, *, is_lowest: bool) -> str:
    if dtype.is_float:
        suffix = "" if dtype is dtypes.float64 else "f"
        return f"-__builtin_inf{suffix}()" if is_lowest else f"__builtin_inf{suffix}()"
    if dtype.kind == "bool":
        return "0" if is_lowest else "1"
    if dtype.kind == "uint":
        return "0" if is_lowest else f"UINT{dtype.bits}_MAX"
    return f"INT{dtype.bits}_MIN" if is_lowest else f"INT{dtype.bits}_MAX"


#: Integers wrap: -fwrapv, and the conversion back.
FOLDS: Mapping[Primitive, Fold] = {
    reduce.reduce_sum: Fold("zero", "{0} + {1}", "+", is_wide=True),
    reduce.reduce_prod: Fold("one", "{0} * {1}", "*", is_wide=True),
    reduce.reduce_max: Fold("lowest", "s2_maximum_{dtype}({0}, {1})", "s2_maximum_{dtype}"),
    reduce.reduce_min: Fold("highest", "s2_minimum_{dtype}({0}, {1})", "s2_minimum_{dtype}"),
    reduce.reduce_all: Fold("one", "({0} & {1})", "&"),
    reduce.reduce_any: Fold("zero", "({0} | {1})", "|"),
}
