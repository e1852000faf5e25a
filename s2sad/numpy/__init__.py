"""`ms.numpy`: operations on Tensors whose arguments are named as NumPy names them."""

import math as _math

from s2sad.core.dtypes import (  # noqa: F401 - `__all__` names them
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from s2sad.core.elsewhere import missing as _missing
from s2sad.numpy.operations import OPERATIONS as _OPERATIONS

e, inf, nan, pi = _math.e, _math.inf, _math.nan, _math.pi
newaxis = None

globals().update(_OPERATIONS)

__all__ = sorted(  # pyright: ignore[reportUnsupportedDunderAll]
    [
        *_OPERATIONS, "bool_", "e", "float16", "float32", "float64", "inf", "int16", "int32",
        "int64", "int8", "nan", "newaxis", "pi", "uint8",
    ]
)  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.numpy", name, __all__)
