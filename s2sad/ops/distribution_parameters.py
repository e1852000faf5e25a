"""Of which dtype and shape are the parameters of distributions, and which values may they have?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.ir import dims
from s2sad.ops.promotion import as_dtype, dtype_of, is_tensor, kind_of, require_tensor
from s2sad.ops.shapes import broadcast_to


def numeric_dtype(dtype: Any) -> DType:
    """`dtype`, which must be one of integers or floats (E0301)."""
    found = dtype_of(dtype)
    if found is dtypes.bool_:
        raise fail("E0301", "a dtype of integers or floats is needed, got bool")
    return found


def parameter_dtype(parameters: Mapping[str, Any], dtype: DType) -> DType:
    """The dtype in which a distribution of events of `dtype` has its parameters.

    That of the floats among them, else `dtype`, else float32. float64 it is only where `dtype` is:
    arrays of NumPy are float64 without anybody having said so.

    Raises
    ------
    S2sadError
        E0301 where one has another dtype than the others.

    Examples
    --------
    >>> parameter_dtype({"probs": 0.5}, dtypes.int32).name
    'float32'
    """
    default = dtype if dtype.is_float else dtypes.float32
    given = {name: dtype_of(x.dtype) for name, x in parameters.items() if hasattr(x, "dtype")}
    if not given:
        return default
    common, *others = given.values()
    for name, other in zip(list(given)[1:], others, strict=True):
        if other is not common:
            raise fail("E0301", f"{name} is {other.name}, but {next(iter(given))} {common.name}")
    if not common.is_float:
        return dtypes.float32
    return default if common is dtypes.float64 and default is not common else common


def as_parameter(name: str, given: Any, dtype: DType) -> Any:
    """`given`, numbers in any form, as a tensor of `dtype` (E0303); a Parameter stays."""
    if isinstance(given, Parameter):
        return given
    if is_tensor(given):
        return as_dtype(given, dtype)
    kinds = (int, float, list, tuple, np.ndarray, np.generic)
    numbers = np.asarray(given if isinstance(given, kinds) else None)
    if numbers.dtype.kind not in "iuf":
        raise fail("E0303", f"{name} is a number, a list of them or a Tensor, got {shown(given)}")
    return Tensor(numbers.astype(np.float64), dtype=dtype)


def batch_shape(parameters: Iterable[Any]) -> tuple[Any, ...] | None:
    """The shape that `parameters` have together; None where one is not given yet."""
    shapes = []
    for each in parameters:
        if each is None:
            return None
        shapes.append(tuple(each.shape if is_tensor(each) else np.shape(each)))
    return tuple(dims.broadcast(*shapes)) if shapes else None


def known(names: Sequence[str], given: Sequence[Any], defaults: Sequence[Any]) -> tuple[Any, ...]:
    """Each of `given`, or where that is None its default.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, and where there is no default either.
    """
    found = []
    for name, each, default in zip(names, given, defaults, strict=False):
        if each is None and default is None:
            raise fail(
                "E0304", f"{name} is not known: it was given neither to the distribution nor here",
                help=f"give it in this call, as a Tensor, or to the distribution: {name}=...",
            )  # fmt: skip
        found.append(default if each is None else require_tensor(each, name))
    return tuple(found)


def together(tensors: Sequence[Any], dtype: DType) -> tuple[Any, ...]:
    """`tensors`, cast to `dtype` and broadcast (E0401)."""
    shape = tuple(dims.broadcast(*(tuple(x.shape) for x in tensors)))
    cast = [as_dtype(x, dtype) for x in tensors]
    return tuple(x if tuple(x.shape) == shape else broadcast_to(x, shape) for x in cast)


def require_kind(found: Any, wanted: str) -> None:
    """E0404 unless `found`, the name of a kind of distribution, is `wanted` (E0303 for no name)."""
    if not isinstance(found, str):
        raise fail("E0303", f"dist is the name of a distribution, {wanted!r}, got {kind_of(found)}")
    if found != wanted:
        raise fail("E0404", f"only another {wanted} is compared with, got {found!r}")


def missing(name: str, function: str, what: str = "distribution") -> Any:
    """Raises E0220: a `what` of that `name` has no such `function`."""
    raise fail("E0220", f"a {name} {what} has no {function}")


# ---- values, where they are known when the distribution is made -------------------------------


def require_positive(name: str, value: Any) -> None:
    """E0404 unless all of `value` is above 0."""
    if not (_numbers(value) > 0).all():
        raise fail("E0404", f"{name} is greater than 0, got {shown(value)}")


def require_not_negative(name: str, value: Any) -> None:
    """E0404 where some of `value` is below 0."""
    if (_numbers(value) < 0).any():
        raise fail("E0404", f"{name} is not negative, got {shown(value)}")


def require_less(low: tuple[str, Any], high: tuple[str, Any]) -> None:
    """E0404 unless all of the first, named value is below the second."""
    if not (_numbers(low[1]) < _numbers(high[1])).all():
        raise fail(
            "E0404", f"{low[0]} is less than {high[0]}, got {shown(low[1])}, {shown(high[1])}"
        )


def require_probabilities(value: Any) -> None:
    """E0404 unless all of `value` is above 0 and below 1."""
    numbers = _numbers(value)
    if not ((numbers > 0) & (numbers < 1)).all():
        raise fail("E0404", f"probabilities are above 0 and below 1, got {shown(value)}")


def require_sums_of_one(value: Any) -> None:
    """E0401 unless `value` has an axis, E0404 unless it sums to 1 along the last one."""
    if not value.shape:
        raise fail("E0401", "probs has an axis of classes, got a single number")
    if isinstance(value, Tensor):
        nearly = 10 * float(
            np.finfo(np.float32 if value.dtype.storage.itemsize > 2 else np.float16).eps
        )
        if not np.allclose(_numbers(value).sum(-1), 1.0, rtol=nearly, atol=0):
            raise fail("E0404", f"probabilities of all classes sum to 1, got {shown(value)}")


def _numbers(value: Any) -> np.ndarray:
    """What `value` holds; nothing where only a program that is compiled will know."""
    if isinstance(value, Tensor):
        return np.asarray(value.asnumpy(), np.float64)
    return np.empty(0)
