"""Which methods of Tensor change the dtype, or ask for a plain number?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.ir import dims
from s2sad.ir.graph import Value
from s2sad.ops.promotion import as_dtype, dtype_of


def _to(dtype: DType) -> Callable[[Any], Any]:
    def cast(tensor: Any) -> Any:
        return as_dtype(tensor, dtype)

    return cast


def _item(tensor: Any) -> Any:
    """The one element, 0-d: in compiled code that stands for a number, and has its gradient."""
    if dims.same(dims.size(tensor.shape), 1) is not True:
        raise fail("E0405", f"item() takes a tensor of one element, got the shape {tensor.shape}")
    found = p.reshape(tensor, shape=())
    if not isinstance(found, Value) or found.dtype is dtypes.bool_:
        return found
    found = as_dtype(found, dtypes.float64 if found.dtype.is_float else dtypes.int64)
    found.is_weak = True
    return found


def _set_dtype(tensor: Any, dtype: Any) -> Any:
    """The tensor itself, whose elements have another dtype from now on."""
    if not isinstance(tensor, Tensor) or isinstance(tensor, Parameter):
        what = "a Parameter" if isinstance(tensor, Parameter) else "a tensor of compiled code"
        raise fail("E0304", f"{what} keeps its dtype", help="make another: x = x.astype(dtype)")
    tensor.array = as_dtype(tensor, dtype_of(dtype)).array
    return tensor


METHODS = {
    "bfloat16": _to(dtypes.bfloat16), "bool": _to(dtypes.bool_), "byte": _to(dtypes.uint8),
    "double": _to(dtypes.float64), "float": _to(dtypes.float32), "half": _to(dtypes.float16),
    "int": _to(dtypes.int32), "item": _item, "long": _to(dtypes.int64),
    "set_dtype": _set_dtype, "short": _to(dtypes.int16),
}  # fmt: skip
