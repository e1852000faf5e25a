"""Which methods of Tensor write it, as ``x.add_(1)`` does?

Most are those without the underscore, whose result the tensor holds from then on: broadcast to its
shape, and cast to its dtype unless that would lose more than places (floats into integers).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.in_place import InPlace
from s2sad.ir import dims
from s2sad.ops import assignment, diagonals, random, random_integers, sampling, scattering
from s2sad.ops.arithmetic import neg
from s2sad.ops.called import called
from s2sad.ops.division import div
from s2sad.ops.exponential import log1p
from s2sad.ops.methods import activation as activations
from s2sad.ops.methods import (
    arithmetic,
    comparison,
    exponential,
    linalg,
    logic,
    rounding,
    special,
    trigonometric,
)
from s2sad.ops.methods import scattering as writing
from s2sad.ops.promotion import (
    as_dtype,
    as_operand,
    constant,
    default_dtype,
    is_tensor,
    require_floats,
    require_integers,
    require_tensor,
    type_of,
)
from s2sad.ops.state import dtype_rank
from s2sad.prims.rules import axis_of

_TABLES = (
    activations.METHODS, arithmetic.METHODS, comparison.METHODS, exponential.METHODS,
    linalg.METHODS, logic.METHODS, rounding.METHODS, special.METHODS, trigonometric.METHODS,
    writing.METHODS,
)  # fmt: skip
_NAMES = (
    "abs", "absolute", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv",
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh",
    "atan", "atan2", "atanh", "baddbmm", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor",
    "ceil", "clamp", "clip", "cos", "cosh", "digamma", "div", "divide", "erf", "erfc", "erfinv",
    "exp", "exp2", "expm1", "floor", "floor_divide", "fmod", "frac", "hypot", "index_add",
    "index_fill", "lerp", "lgamma", "log", "log10", "log1p", "log2", "logical_and", "logical_not",
    "logical_or", "logical_xor", "masked_fill", "masked_scatter", "mul", "multiply", "nan_to_num",
    "neg", "negative", "pow", "reciprocal", "relu", "remainder", "round", "rsqrt", "scatter_add",
    "sgn", "sigmoid", "sign", "sin", "sinc", "sinh", "sqrt", "square", "sub", "subtract", "tan",
    "tanh", "true_divide", "trunc", "xlogy",
)  # fmt: skip


def held(name: str, tensor: Any, new: Any) -> Any:
    """`new`, a tensor or a number, as `tensor` can hold it.

    Raises
    ------
    S2sadError
        E0301 for floats into integers, or integers into truth values; E0401 where `new` does not
        broadcast to the shape of `tensor`.
    """
    new = as_operand(new, (tensor,))
    dtype = new.dtype if is_tensor(new) else default_dtype(new)
    if dtype_rank(dtype) > dtype_rank(tensor.dtype):
        raise fail(
            "E0301", f"{name} would put {dtype.name} into a tensor of {tensor.dtype.name}",
            help=f"make another tensor: `x = x.{name[:-1]}(...)`",
        )  # fmt: skip
    value = as_dtype(new, tensor.dtype) if is_tensor(new) else constant(new, tensor.dtype)
    shape = tuple(tensor.shape)
    if dims.alike(value.shape, shape):
        return value
    if not _reaches(tuple(value.shape), shape):
        raise fail(
            "E0401", f"{name} would put {type_of(value)} into {type_of(tensor)}, whose shape stays",
            help=f"make another tensor: `x = x.{name[:-1]}(...)`",
        )  # fmt: skip
    return p.broadcast_to(value, shape=shape)


def _reaches(small: tuple[Any, ...], shape: tuple[Any, ...]) -> bool:
    """Whether `small` broadcasts to `shape`."""
    sizes = zip(small[::-1], shape[::-1], strict=False)
    return len(small) <= len(shape) and all(size in (1, wanted) for size, wanted in sizes)


def _writing(name: str, function: Callable[..., Any]) -> InPlace:
    """The method `name` that lets its tensor hold what `function` gives."""
    new = called(function, name)

    def value(tensor: Any, *args: Any, **given: Any) -> Any:
        return held(name, tensor, new(tensor, *args, **given))

    value.__name__ = name
    value.__wrapped__ = function  # its signature  # type: ignore[attr-defined]
    return InPlace(name, value)


def _named(name: str) -> Callable[..., Any]:
    return next(table[name] for table in _TABLES if name in table)


def _copy(tensor: Any, src: Any, non_blocking: bool = False) -> Any:
    """What `src` holds, cast even if that loses something."""
    return as_dtype(require_tensor(src, "copy_"), tensor.dtype)


def _zero(tensor: Any) -> Any:
    return p.zeros_like(tensor)


def _fill(tensor: Any, value: Any) -> Any:
    return scattering.filling(value, tensor, "fill_")


def _normal(tensor: Any, mean: float = 0, std: float = 1, *, generator: Any = None) -> Any:
    """Normal numbers of `mean` and standard deviation `std`."""
    if std < 0:
        raise fail("E0404", f"std is not negative, got {std}")
    drawn = random.randn_like(require_floats(tensor, "normal_"), generator=generator)
    return p.add(p.mul(drawn, std), mean)


def _uniform(tensor: Any, from_: float = 0, to: float = 1, *, generator: Any = None) -> Any:
    """Uniform numbers from `from_` up to `to`."""
    if from_ > to:
        raise fail("E0404", f"uniform_ goes from the lesser to the greater, got {from_} and {to}")
    drawn = random.rand_like(require_floats(tensor, "uniform_"), generator=generator)
    return p.add(p.mul(drawn, to - from_), from_)


def _random(tensor: Any, from_: int = 0, to: int | None = None, *, generator: Any = None) -> Any:
    """Integers from `from_` up to `to`, which is left out; the greatest there are without it."""
    dtype = tensor.dtype
    to = (_exact(dtype) if dtype.is_float else np.iinfo(dtype.storage).max) if to is None else to
    return random_integers.randint(from_, to, tuple(tensor.shape), generator=generator)


def _exact(dtype: DType) -> int:
    """The integers below, and no others beyond it, are all numbers of the float `dtype`."""
    return {dtypes.bfloat16: 2**8, dtypes.float16: 2**11, dtypes.float32: 2**24}.get(dtype, 2**53)


def _exponential(tensor: Any, lambd: float = 1, *, generator: Any = None) -> Any:
    """Numbers of density ``lambd * exp(-lambd * x)``."""
    if lambd <= 0:
        raise fail("E0404", f"lambd is positive, got {lambd}")
    drawn = random.rand_like(require_floats(tensor, "exponential_"), generator=generator)
    return div(neg(log1p(neg(drawn))), lambd)


def _bernoulli(tensor: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    """Ones with the probability `p`, else zeros."""
    return sampling.bernoulli(tensor, p, generator=generator)


def _scatter(tensor: Any, dim: int, index: Any, src: Any, *, reduce: str | None = None) -> Any:
    """`src`, a tensor or a number, in the elements that `gather_elements` would read."""
    if reduce not in (None, "add"):
        raise fail("E0404", f"scatter_ reduces by 'add' or not at all, got {reduce!r}")
    if reduce is None:
        return scattering.scatter(tensor, dim, index, src)
    if not is_tensor(src):
        number = constant(scattering.filling(src, tensor, "scatter_"), tensor.dtype)
        src = p.broadcast_to(number, shape=tuple(index.shape))
    return scattering.tensor_scatter_elements(tensor, index, src, dim, "add")


def _index_copy(tensor: Any, dim: int, index: Any, source: Any) -> Any:
    """The slices of `source` at `index` along `dim`."""
    require_integers(require_tensor(index, "index_copy_"), "the indices of index_copy_")
    source = as_dtype(require_tensor(source, "index_copy_"), tensor.dtype)
    return p.index_update(tensor, index, source, axis=axis_of(dim, tensor.ndim))


_OWN = {
    "bernoulli_": _bernoulli, "copy_": _copy, "exponential_": _exponential, "fill_": _fill,
    "fill_diagonal_": diagonals.fill_diagonal, "index_copy_": _index_copy,
    "index_put_": assignment.index_put, "normal_": _normal, "random_": _random,
    "scatter_": _scatter, "uniform_": _uniform, "zero_": _zero,
}  # fmt: skip
METHODS = {
    **{f"{name}_": _writing(f"{name}_", _named(name)) for name in _NAMES},
    **{name: _writing(name, function) for name, function in _OWN.items()},
}
