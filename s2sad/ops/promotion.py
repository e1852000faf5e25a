"""Which dtype do operands of different dtypes meet in?

MindSpore's table: bool < integers < float16, bfloat16 < float32 < float64, whatever the widths;
two different integers meet in the narrowest that holds both, uint8 and int8 in int16. Python
numbers, and NumPy's scalars, are weak: an integer takes any dtype but bool, a float turns
integers into float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.dtypes import DType
from s2sad.core.elsewhere import DEVICE
from s2sad.core.tensor import Tensor
from s2sad.ir import builder, dims
from s2sad.ir.graph import Value
from s2sad.ir.types import TensorType
from s2sad.prims.cast import cast as to_dtype
from s2sad.prims.shape import counted

_INTEGERS = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
_BY_NAME = {dtype.name: dtype for dtype in dtypes.ALL} | {"bool_": dtypes.bool_}


def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a tensor, or stands for one while compiling.

    Examples
    --------
    >>> import s2sad as ms
    >>> is_tensor(ms.Tensor([1.0])), is_tensor(1.0)
    (True, False)
    """
    return isinstance(obj, (Tensor, Value))


def is_weak(obj: Any) -> bool:
    """Whether `obj` stands for a Python number while compiling."""
    return isinstance(obj, Value) and obj.is_weak


def as_operand(operand: Any, others: tuple[Any, ...] = ()) -> Any:
    """`operand` as a tensor or a Python number.

    Parameters
    ----------
    operand : Tensor, number, NumPy scalar or array
    others : tuple
        What it meets: while that is compiled no array is taken, for the program would not see
        what changes in it.

    Raises
    ------
    S2sadError
        E0304 for anything else.
    """
    if is_tensor(operand) or isinstance(operand, (bool, int, float, dims.Symbolic)):
        return operand.item() if isinstance(operand, np.generic) else operand
    if isinstance(operand, np.generic) and operand.dtype.kind in "biuf":
        return operand.item()
    if not isinstance(operand, np.ndarray):
        kind = type(operand).__name__
        raise fail("E0304", f"expected a Tensor or a number, got {kind}", help=_instead_of(operand))
    if builder.is_building(tuple(filter(is_tensor, others))):
        raise fail(
            "E0304",
            "compiled code takes no NumPy arrays",
            help="make it a Tensor outside",
        )
    return Tensor(operand)


def kind_of(given: Any) -> str:
    """What `given` is called where something else was wanted.

    Examples
    --------
    >>> kind_of(3)
    'int'
    """
    return type(given).__name__ if isinstance(given, Tensor) or not is_tensor(given) else "Tensor"


def constant(data: Any, dtype: DType) -> Any:
    """A tensor of known numbers, one or an array; a constant of the program that is being built."""
    tensor = Tensor(data, dtype)
    return builder.current().value(tensor.array) if builder.is_building(()) else tensor


def require_tensor(operand: Any, what: str) -> Any:
    """`operand`, which must be a tensor (E0304)."""
    if not is_tensor(operand):
        kind = type(operand).__name__
        raise fail("E0304", f"{what} needs a Tensor, got {kind}", help=_instead_of(operand))
    return operand


def _instead_of(operand: Any) -> str | None:
    """What to write where `operand`, which is no tensor, stands for one."""
    if operand is None:
        return "it is None here: give a Tensor, or ask `is None` before"
    if isinstance(operand, (list, tuple)):
        several = any(is_tensor(item) for item in operand)
        return "take one of its items: [0]" if several else "make it a Tensor: Tensor(data)"
    if isinstance(operand, (bool, int, float, np.generic, np.ndarray)):
        return "make it a Tensor: Tensor(data)"
    if isinstance(operand, str):
        return "a text is no data: leave the quotes out, or map it to a number"
    return "call it: what it gives may be a Tensor" if callable(operand) else None


def require_tensors(what: str, *operands: Any) -> tuple[Any, ...]:
    """`operands`, all of which must be tensors (E0304)."""
    return tuple(require_tensor(operand, what) for operand in operands)


def require_floats(operand: Any, what: str) -> Any:
    """`operand`, which must be a tensor (E0304) of floats (E0301)."""
    if not require_tensor(operand, what).dtype.is_float:
        raise fail(
            "E0301", f"{what} needs floats, got {operand.dtype.name}",
            help="cast: x.astype(float32)",
        )  # fmt: skip
    return operand


def require_integers(tensor: Any, what: str) -> Any:
    """`tensor`, whose elements must be integers (E0301)."""
    if not tensor.dtype.is_integer:
        raise fail(
            "E0301", f"{what} are integers, got {tensor.dtype.name}",
            help="cast them: `.astype(int32)`",
        )  # fmt: skip
    return tensor


def promote(*operands: Any) -> tuple[Any, ...]:
    """`operands`, tensors cast to the dtype in which they meet.

    Raises
    ------
    S2sadError
        E0304 when an operand is neither a tensor nor a number, or none is a tensor; E0404 for an
        integer beyond 64 bits that meets integers.
    """
    given = [as_operand(x, operands) for x in operands]
    tensors = [x for x in given if is_tensor(x)]
    if not tensors:
        raise fail("E0304", "expected at least one Tensor")
    met = [x for x in tensors if not is_weak(x)] or tensors
    dtype = met[0].dtype
    for tensor in met[1:]:
        dtype = common(dtype, tensor.dtype)
    for number in filter(is_weak, tensors):
        dtype = with_number(dtype, 0.0 if number.dtype.is_float else 0)
    for number in (x for x in given if not is_tensor(x)):
        dtype = with_number(dtype, number)
        is_size = isinstance(number, dims.Symbolic)
        if dtype.is_integer and not is_size and not holds(dtypes.int64, number):
            raise fail(
                "E0404", f"the integer {number} does not fit int64",
                help="write it as a float: 1e30",
            )  # fmt: skip
    numbers = (bool, int, float)
    return tuple(x if isinstance(x, numbers) else as_tensor(x, dtype) for x in given)


def dtype_met(*operands: Any) -> DType:
    """The one dtype of the tensors among `operands`, as `promote` gives them."""
    return next(filter(is_tensor, operands)).dtype


def type_of(tensor: Any) -> TensorType:
    """The type of `tensor`, which messages show: ``f32[2, 3]``."""
    return TensorType(tensor.dtype, tuple(tensor.shape))


def require_broadcast(*tensors: Any) -> None:
    """E0401 naming `tensors` unless they broadcast: for what first meets other tensors."""
    types = [type_of(x) for x in tensors]
    dims.broadcast(*(type.shape for type in types), operands=types)


def holds(dtype: DType, number: int) -> bool:
    """Whether `number` lies in the range of the integer `dtype`.

    Examples
    --------
    >>> holds(dtypes.uint8, 255), holds(dtypes.uint8, -1)
    (True, False)
    """
    bounds = np.iinfo(dtype.storage)
    return bounds.min <= number <= bounds.max


def promote_floats(*operands: Any) -> tuple[Any, ...]:
    """`operands` as tensors of the float dtype in which they meet: float32 for integers and bools.

    Errors are those of `promote`.
    """
    given = promote(*operands)
    dtype = dtype_met(*given)
    dtype = dtype if dtype.is_float else dtypes.float32
    return tuple(as_tensor(x, dtype) for x in given)


def as_float(tensor: Any) -> Any:
    """`tensor`, in float32 where it holds integers or bools."""
    return tensor if tensor.dtype.is_float else as_dtype(tensor, dtypes.float32)


def floats_of(operand: Any, what: str) -> Any:
    """`operand`, which must be a tensor (E0304), in float32 where it holds integers or bools."""
    return as_float(require_tensor(operand, what))


def as_tensor(operand: Any, dtype: DType) -> Any:
    """A tensor, cast to `dtype`, or a number as a tensor of that dtype."""
    if isinstance(operand, dims.Symbolic):
        return counted(operand, dtype)
    return as_dtype(operand, dtype) if is_tensor(operand) else constant(operand, dtype)


def as_dtype(tensor: Any, dtype: DType) -> Any:
    """`tensor`, cast where it has another dtype."""
    return tensor if tensor.dtype is dtype else to_dtype(tensor, dtype=dtype)


def dtype_of(dtype: Any) -> DType:
    """The dtype that a user names: one of ours, its name, or NumPy's.

    Raises
    ------
    S2sadError
        E0303 for anything else.

    Examples
    --------
    >>> dtype_of("float16"), dtype_of(np.int8)
    (s2sad.float16, s2sad.int8)
    """
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, str) and dtype in _BY_NAME:
        return _BY_NAME[dtype]
    if isinstance(dtype, np.dtype) or (isinstance(dtype, type) and issubclass(dtype, np.generic)):
        found = dtypes.BY_STORAGE.get(np.dtype(dtype))
        if found is not None and found is not dtypes.bfloat16:  # which is stored as uint16
            return found
    raise fail(
        "E0303", f"a dtype such as s2sad.float32 is needed, got {dtype!r}",
        help=_dtype_meant(dtype) if isinstance(dtype, str) else None,
    )  # fmt: skip


def _dtype_meant(name: str) -> str | None:
    if name.partition(":")[0].lower() in ("cpu", "cuda", "gpu", "npu", "ascend"):
        return DEVICE
    return did_you_mean(name, _BY_NAME)


def default_dtype(*numbers: bool | float) -> DType:
    """The dtype of a tensor made of Python numbers alone."""
    if any(isinstance(x, float) for x in numbers):
        return dtypes.float32
    return dtypes.bool_ if all(isinstance(x, bool) for x in numbers) else dtypes.int64


def common(one: DType, other: DType) -> DType:
    """The dtype in which two dtypes meet.

    Examples
    --------
    >>> common(dtypes.int64, dtypes.float16), common(dtypes.uint8, dtypes.int8)
    (s2sad.float16, s2sad.int16)
    """
    if one is other or other is dtypes.bool_:
        return one
    if one is dtypes.bool_:
        return other
    if one.is_float != other.is_float:
        return one if one.is_float else other
    if one.is_float:
        if one.bits == other.bits:  # float16 with bfloat16
            return dtypes.float32
        return max(one, other, key=lambda d: d.bits)
    if dtypes.uint8 in (one, other):
        signed = other if one is dtypes.uint8 else one
        return next(d for d in _INTEGERS if d.bits >= max(16, signed.bits))
    return max(one, other, key=lambda d: d.bits)


def with_number(dtype: DType, number: bool | float) -> DType:
    """The dtype in which a tensor of `dtype` and a Python number meet."""
    if isinstance(number, bool) or dtype.is_float:
        return dtype
    if isinstance(number, float):
        return dtypes.float32
    return dtypes.int64 if dtype is dtypes.bool_ else dtype
