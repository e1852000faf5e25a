"""How are Parameters written, and where do gradients end?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import WRITING, Parameter
from s2sad.core.precision import stored
from s2sad.core.tensor import Tensor
from s2sad.ir import builder
from s2sad.ops.promotion import (
    as_dtype,
    as_operand,
    as_tensor,
    constant,
    default_dtype,
    is_tensor,
    kind_of,
    require_tensor,
)
from s2sad.prims.shape import require_shape


def assign(variable: Any, value: Any) -> Any:
    """Let the Parameter `variable` hold `value`; reads after it see the new value.

    Parameters
    ----------
    variable : Parameter
    value : Tensor or number
        Of the same shape; cast to the Parameter's dtype.

    Returns
    -------
    Tensor
        What `variable` holds then.

    Raises
    ------
    S2sadError
        E0301 for floats into an integer Parameter or integers into a bool one, E0304 when
        `variable` is no Parameter or `value` no number, E0401 when the shape differs.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> assign(w, ms.Tensor([2.0])).asnumpy()
    array([2.], dtype=float32)
    """
    variable = stored(variable)
    if not isinstance(variable, Parameter):
        raise fail("E0304", f"assign writes a Parameter, got a {kind_of(variable)}")
    value = as_operand(value, (variable,))
    if not builder.is_building((variable, value)):
        return variable.set_data(value)
    _check_rank(value, variable)
    held = as_dtype(_as_value(value, variable), variable.dtype)
    builder.outside().write(variable, held)
    return held


def assign_add(variable: Any, value: Any) -> Any:
    """Let the Parameter `variable` hold `value` more than before; see `assign`.

    Parameters
    ----------
    variable : Parameter
    value : Tensor or number
        It broadcasts to the Parameter and is cast to its dtype before it is added.

    Returns
    -------
    Tensor
        What `variable` holds then.

    Raises
    ------
    S2sadError
        Those of `assign`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> assign_add(w, 2.0).asnumpy(), w.asnumpy()
    (array([3.], dtype=float32), array([3.], dtype=float32))
    """
    return _changed(variable, value, p.add, "assign_add")


def assign_sub(variable: Any, value: Any) -> Any:
    """Let the Parameter `variable` hold `value` less than before; see `assign_add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1, 2]), name="w")
    >>> assign_sub(w, ms.Tensor([1, 0])).asnumpy()
    array([0, 2])
    """
    return _changed(variable, value, p.sub, "assign_sub")


def _changed(variable: Any, value: Any, operation: Callable[..., Any], name: str) -> Any:
    variable = stored(variable)
    if not isinstance(variable, Parameter):
        raise fail("E0304", f"{name} writes a Parameter, got a {kind_of(variable)}")
    value = as_operand(value, (variable,))
    _check_rank(value, variable)
    with WRITING:
        return assign(variable, operation(variable, as_tensor(value, variable.dtype)))


def _check_rank(value: Any, variable: Parameter) -> None:
    """E0301 for floats that would go into an integer Parameter, or integers into a bool one."""
    found = value.dtype if is_tensor(value) else default_dtype(value)
    if dtype_rank(found) > dtype_rank(variable.dtype):
        raise fail(
            "E0301", f"{found.name} data do not fit {variable.name}, a Parameter of "
            f"{variable.dtype.name}", help="cast them first: tensor.astype(...)",
        )  # fmt: skip


def _as_value(value: Any, variable: Parameter) -> Any:
    """`value` as a value of the program that is being built."""
    if isinstance(value, Tensor):
        return builder.outside().capture(value)
    if is_tensor(value):
        return value
    return constant(value, variable.dtype)


def dtype_rank(dtype: DType) -> int:
    """Place among bool, integer, float: data go up, not down."""
    return dtype.is_integer + 2 * dtype.is_float


#: What is said where gradients are others than those of an optimizer's Parameters.
IN_ORDER = "take them of the optimizer's parameters: grad(function, None, optimizer.parameters)"


def check_gradients(gradients: Any, parameters: Sequence[Parameter]) -> None:
    """Whether there is a gradient for each Parameter, before any of them is written.

    Raises
    ------
    S2sadError
        E0304 for what is no tuple or list of Tensors, E0302 for more or fewer than Parameters,
        E0301 for a gradient that is not of floats, E0401 for one of another shape.
    """
    if not isinstance(gradients, (tuple, list)):
        kind = kind_of(gradients)
        raise fail(
            "E0304", f"an optimizer takes a tuple of gradients, got a {kind}",
            help="one for each Parameter: (gradient,)",
        )  # fmt: skip
    if len(gradients) != len(parameters):
        raise fail(
            "E0302", f"{len(gradients)} gradients for {len(parameters)} Parameters",
            help=IN_ORDER,
        )  # fmt: skip
    for gradient, parameter in zip(gradients, parameters, strict=True):
        what = f"the gradient of {parameter.name}"
        if not require_tensor(gradient, what).dtype.is_float:
            raise fail("E0301", f"{what} must be floats, got {gradient.dtype.name}")
        require_shape(gradient.shape, parameter.shape, what, IN_ORDER)


def stop_gradient(value: Any) -> Any:
    """`value` itself, through which no gradient flows; of containers, of all that they hold.

    Nothing is refused: what holds no Tensor is given back.

    Examples
    --------
    >>> import s2sad as ms
    >>> stop_gradient(ms.Tensor([1.0])).asnumpy()
    array([1.], dtype=float32)
    """
    if isinstance(value, (tuple, list)):
        items = [stop_gradient(item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: stop_gradient(item) for key, item in value.items()}
    return p.stop_gradient(value) if is_tensor(value) else value


def depend(value: Any, expr: Any) -> Any:
    """`value`; that `expr` comes first is so already, since a program runs in the order written.

    Nothing is refused: both may be anything.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> depend(ms.Tensor([5.0]), assign_add(w, 1.0)).asnumpy(), w.asnumpy()
    (array([5.], dtype=float32), array([2.], dtype=float32))
    """
    return value
