"""Operators and methods of Tensor, by name.

Where MindSpore takes two spellings, NumPy's (`axis`, `keepdims`) and another (`dim`, `keepdim`),
both are taken; by position the first is meant, but for a bool, which is no axis or dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops import activation, arithmetic, comparison, linalg, reduce, shape


def _one_of(method: str, given: dict[str, Any], *names: str, default: Any) -> Any:
    """The argument that goes by one of `names`, taken out of `given`."""
    found = [name for name in names if name in given]
    if len(found) > 1:
        raise fail("E0302", f"{method} takes {found[0]} or {found[1]}, not both")
    return given.pop(found[0]) if found else default


def _refuse_rest(method: str, given: dict[str, Any]) -> None:
    for name in given:
        raise fail("E0302", f"{method} takes no argument {name!r}")


def _merged(
    method: str, args: tuple[Any, ...], given: dict[str, Any], *names: str
) -> dict[str, Any]:
    """Arguments by name: those given by position have `names` (E0302 for too many, or twice)."""
    if len(args) > len(names):
        raise fail("E0302", f"{method} takes {len(names)} arguments at most, got {len(args)}")
    by_place = dict(zip(names, args, strict=False))
    for name in by_place.keys() & given.keys():
        raise fail("E0302", f"{method} got {name!r} by position and by name")
    return {**by_place, **given}


def _sum(tensor: Any, *args: Any, **given: Any) -> Any:
    """``sum(axis, dtype, keepdims)``, or ``sum(dim, keepdim, *, dtype)``."""
    second = "keepdim" if len(args) > 1 and isinstance(args[1], bool) else "dtype"
    third = ("keepdims",) if second == "dtype" else ()
    given = _merged("sum", args, given, "axis", second, *third)
    axis = _one_of("sum", given, "axis", "dim", default=None)
    keep = _one_of("sum", given, "keepdims", "keepdim", default=False)
    dtype = given.pop("dtype", None)
    initial = given.pop("initial", None)
    _refuse_rest("sum", given)
    total = reduce.sum(tensor, axis, keep, dtype=dtype)
    return total if initial is None else arithmetic.add(total, initial)


def _mean(tensor: Any, *args: Any, **given: Any) -> Any:
    """``mean(axis, keep_dims)``, or ``mean(dim, keepdim, *, dtype)``."""
    given = _merged("mean", args, given, "axis", "keep_dims")
    axis = _one_of("mean", given, "axis", "dim", default=None)
    keep = _one_of("mean", given, "keep_dims", "keepdim", "keepdims", default=False)
    dtype = given.pop("dtype", None)
    _refuse_rest("mean", given)
    return reduce.mean(tensor if dtype is None else shape.cast(tensor, dtype), axis, keep)


def _argmax(tensor: Any, *args: Any, **given: Any) -> Any:
    """``argmax(axis, keepdims)``, or ``argmax(dim, keepdim)``."""
    given = _merged("argmax", args, given, "axis", "keepdims")
    axis = _one_of("argmax", given, "axis", "dim", default=None)
    keep = _one_of("argmax", given, "keepdims", "keepdim", default=False)
    _refuse_rest("argmax", given)
    return reduce.argmax(tensor, axis, keep)


def _softmax(tensor: Any, axis: int, dtype: Any = None) -> Any:
    return activation.softmax(tensor, axis, dtype=dtype)


def _flatten(tensor: Any, order: str = "C", *, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The method starts at axis 0, the function at axis 1."""
    return shape.flatten(tensor, order, start_dim=start_dim, end_dim=end_dim)


def _reshape(tensor: Any, *sizes: Any, **given: Any) -> Any:
    """Sizes one by one, or a tuple of them."""
    if given:
        sizes = (*sizes, given.pop("shape", ()))
        _refuse_rest("reshape", given)
    return shape.reshape(tensor, sizes[0] if len(sizes) == 1 else sizes)


def _transpose(tensor: Any, *axes: Any, **given: Any) -> Any:
    """All axes, one by one or as a tuple; or the two that change places."""
    if given:
        axes = (*axes, *(given.pop(name) for name in ("dim0", "dim1") if name in given))
        _refuse_rest("transpose", given)
    if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        return shape.transpose(tensor, axes[0])
    if len(axes) == 2:  # of a matrix both mean the same but for (0, 1), which permutes nothing
        return shape.transpose(tensor, axes) if tensor.ndim == 2 else shape.swapaxes(tensor, *axes)
    return shape.transpose(tensor, axes) if axes else shape.reversed_axes(tensor)


METHODS: dict[str, Callable[..., Any]] = {
    "__add__": arithmetic.add, "__sub__": arithmetic.sub, "__mul__": arithmetic.mul,
    "__truediv__": arithmetic.div, "__pow__": arithmetic.pow, "__neg__": arithmetic.neg,
    "__abs__": arithmetic.abs, "__matmul__": linalg.matmul,
    "__lt__": comparison.less, "__le__": comparison.less_equal, "__gt__": comparison.greater,
    "__ge__": comparison.greater_equal, "__eq__": comparison.equal, "__ne__": comparison.not_equal,
    "T": shape.reversed_axes, "abs": arithmetic.abs, "add": arithmetic.add, "argmax": _argmax,
    "astype": shape.cast, "div": arithmetic.div, "flatten": _flatten, "matmul": linalg.matmul,
    "mean": _mean, "mul": arithmetic.mul, "neg": arithmetic.neg, "pow": arithmetic.pow,
    "relu": activation.relu, "reshape": _reshape, "sigmoid": activation.sigmoid,
    "softmax": _softmax, "sub": arithmetic.sub, "sum": _sum, "swapaxes": shape.swapaxes,
    "tanh": activation.tanh, "to": shape.cast, "transpose": _transpose, "view": _reshape,
}  # fmt: skip
