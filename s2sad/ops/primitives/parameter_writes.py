"""Which objects write elements of a Parameter at indices?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ops import parameter_writes
from s2sad.ops.primitives.base import primitive
from s2sad.ops.settings import flag


def _writing(function: Callable[..., Any], name: str, places: str, result: str) -> Any:
    """The class `name`, whose call is that of `function`, of ops."""

    def write(input_x: Any, indices: Any, updates: Any, *, use_locking: bool = False) -> Any:
        return function(input_x, indices, updates)

    write.__name__ = name
    write.__doc__ = f"""A Parameter with elements written: `ops.{function.__name__}`.

    Operands and errors are those of that. `use_locking` changes nothing.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 8.0]), name="w")
    >>> {name}()(w, ms.Tensor({places}, ms.int32), ms.Tensor([4.0])).tolist(), w.tolist()
    ({result}, {result})
    """
    return primitive(use_locking=flag)(write)


ScatterDiv = _writing(parameter_writes.scatter_div, "ScatterDiv", "[1]", "[1.0, 2.0]")
ScatterMax = _writing(parameter_writes.scatter_max, "ScatterMax", "[1]", "[1.0, 8.0]")
ScatterMin = _writing(parameter_writes.scatter_min, "ScatterMin", "[1]", "[1.0, 4.0]")
ScatterMul = _writing(parameter_writes.scatter_mul, "ScatterMul", "[1]", "[1.0, 32.0]")
ScatterNdAdd = _writing(parameter_writes.scatter_nd_add, "ScatterNdAdd", "[[1]]", "[1.0, 12.0]")
ScatterNdDiv = _writing(parameter_writes.scatter_nd_div, "ScatterNdDiv", "[[1]]", "[1.0, 2.0]")
ScatterNdMax = _writing(parameter_writes.scatter_nd_max, "ScatterNdMax", "[[1]]", "[1.0, 8.0]")
ScatterNdMin = _writing(parameter_writes.scatter_nd_min, "ScatterNdMin", "[[1]]", "[1.0, 4.0]")
ScatterNdMul = _writing(parameter_writes.scatter_nd_mul, "ScatterNdMul", "[[1]]", "[1.0, 32.0]")
ScatterNdSub = _writing(parameter_writes.scatter_nd_sub, "ScatterNdSub", "[[1]]", "[1.0, 4.0]")
ScatterSub = _writing(parameter_writes.scatter_sub, "ScatterSub", "[1]", "[1.0, 4.0]")
