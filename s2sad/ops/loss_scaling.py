"""How is a loss scaled, how are its gradients scaled back, and is all of them numbers?"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.trees import changed
from s2sad.ops.promotion import as_dtype, constant, is_tensor, kind_of, promote


def all_finite(inputs: Any) -> Any:
    """Whether no element of any tensor is NaN or infinite.

    Parameters
    ----------
    inputs : Tensor, or tuple, list or dict of such
        Integers and bools are finite.

    Returns
    -------
    Tensor of bool, shape ()

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> all_finite((ms.Tensor([1.0]), ms.Tensor([float("nan")]))).asnumpy()
    array(False)
    """
    found: list[Any] = []

    def ask(x: Any) -> Any:
        if x.dtype.is_float:
            found.append(p.reduce_all(p.is_finite(x), axis=tuple(range(x.ndim))))
        return x

    changed(inputs, _of_tensors(ask, "all_finite"))
    return reduce(p.logical_and, found) if found else constant(True, dtypes.bool_)


def scaled(inputs: Any, scale: Any) -> Any:
    """Each of `inputs`, in a tree of tensors, times the tensor `scale`; dtypes stay.

    Examples
    --------
    >>> import s2sad as ms
    >>> scaled((ms.Tensor([1.0]),), ms.Tensor(8.0))[0].asnumpy()
    array([8.], dtype=float32)
    """
    return changed(inputs, _of_tensors(lambda x: _as_before(p.mul, x, scale), "scale"))


def unscaled(inputs: Any, scale: Any) -> Any:
    """Each of `inputs`, in a tree of tensors, divided by the tensor `scale`; dtypes stay.

    Examples
    --------
    >>> import s2sad as ms
    >>> unscaled(ms.Tensor([8.0]), ms.Tensor(8.0)).asnumpy()
    array([1.], dtype=float32)
    """
    return changed(inputs, _of_tensors(lambda x: _as_before(p.div, x, scale), "unscale"))


def _as_before(operation: Callable[..., Any], x: Any, scale: Any) -> Any:
    """The scale itself may not fit a narrow dtype where the result does."""
    return as_dtype(operation(*promote(x, scale)), x.dtype)


def _of_tensors(change: Callable[[Any], Any], what: str) -> Callable[[Any], Any]:
    def checked(leaf: Any) -> Any:
        if not is_tensor(leaf):
            raise fail("E0304", f"{what} needs Tensors, got a {kind_of(leaf)}")
        return change(leaf)

    return checked
