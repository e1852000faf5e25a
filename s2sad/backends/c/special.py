"""What are the operations of `s2sad.prims.special` in C?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2sad.backends.c.scalar import Scalar, function
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive
from s2sad.prims import special as s


def _polygamma(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
    return f"s2_polygamma_{dtype.short}({args[0]}, {attrs['n']})"


SCALARS: dict[Primitive, Scalar] = {
    s.erf: function("s2_erf"),
    s.erfc: function("s2_erfc"),
    s.erfinv: function("s2_erfinv"),
    s.lgamma: function("s2_lgamma"),
    s.polygamma: _polygamma,
}
