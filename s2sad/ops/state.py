"""Parameters written, and gradients cut."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Parameter, Tensor
from s2sad.ir import builder
from s2sad.ir.graph import Value
from s2sad.ops.promotion import as_dtype


def assign(variable: Any, value: Any) -> Any:
    """Let the Parameter `variable` hold `value`; reads after it see the new value.

    Raises
    ------
    S2sadError
        E0304 when `variable` is no Parameter, E0401 when the shape differs.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> assign(w, ms.Tensor([2.0])).asnumpy()
    array([2.], dtype=float32)
    """
    if not isinstance(variable, Parameter):
        raise fail("E0304", f"assign writes a Parameter, got {type(variable).__name__}")
    if isinstance(value, Value):
        builder.outside().write(variable, as_dtype(value, variable.dtype))
        return value
    if isinstance(value, Tensor):
        variable.set_data(value)
        return variable
    raise fail("E0304", f"assign takes a Tensor, got {type(value).__name__}")


def stop_gradient(value: Any) -> Any:
    """`value` itself, through which no gradient flows.

    Examples
    --------
    >>> import s2sad as ms
    >>> stop_gradient(ms.Tensor([1.0])).asnumpy()
    array([1.], dtype=float32)
    """
    return p.stop_gradient(value)
