"""Which methods of Tensor round?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import rounding


def _round(tensor: Any, decimals: int = 0) -> Any:
    return rounding.round(tensor, decimals=decimals)


METHODS = {
    "__round__": _round, "ceil": rounding.ceil, "floor": rounding.floor, "frac": rounding.frac,
    "round": _round, "trunc": rounding.trunc,
}  # fmt: skip
