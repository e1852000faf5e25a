"""What are the operations of `s2sad.prims.arithmetic` in C?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.backends.c.literal import literal
from s2sad.backends.c.scalar import Scalar, function
from s2sad.backends.c.template import stored
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive
from s2sad.prims import arithmetic as a


def wrapping(text: str) -> Scalar:
    """The expression `text` in the stored type of the dtype: C computes small integers as int.

    Examples
    --------
    >>> from s2sad.core import dtypes
    >>> wrapping("{0} + {1}")(["x", "y"], dtypes.int8, {})
    '(int8_t)(x + y)'
    >>> wrapping("{0} + {1}")(["x", "y"], dtypes.float32, {})
    '(x + y)'
    """

    def write(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
        is_small = dtype.bits < 32
        return f"({stored(dtype)})({text.format(*args)})" if is_small else f"({text.format(*args)})"

    return write


def _absolute(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
    if dtype.is_float:
        return f"__builtin_fabs{'f' if dtype.bits == 32 else ''}({args[0]})"
    return args[0] if dtype.kind == "uint" else _turned_up(args, dtype, attrs)


def _relu(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
    return args[0] if dtype.kind == "uint" else _cut_off(args, dtype, attrs)


def _clip(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
    x, low, high = args
    return _minimum([_maximum([x, low], dtype, attrs), high], dtype, attrs)


def _power(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
    """A square is one product, which is rounded once as well.

    Examples
    --------
    >>> from s2sad.core import dtypes
    >>> _power(["x", "0x1.0000000000000p+1f"], dtypes.float32, {})
    '(x * x)'
    >>> _power(["x", "y"], dtypes.float32, {})
    's2_pow_f32(x, y)'
    """
    base, exponent = args
    if dtype.is_float and exponent == literal(np.asarray(2, dtype.storage), dtype):
        return f"({base} * {base})"
    if dtype.is_float and exponent == literal(np.asarray(1, dtype.storage), dtype):
        return base
    return _any_power(args, dtype, attrs)


_any_power = function("s2_pow")
_turned_up, _cut_off = wrapping("{0} < 0 ? -{0} : {0}"), wrapping("{0} <= 0 ? 0 : {0}")
_maximum, _minimum = function("s2_maximum"), function("s2_minimum")

SCALARS: dict[Primitive, Scalar] = {
    a.add: wrapping("{0} + {1}"),
    a.sub: wrapping("{0} - {1}"),
    a.mul: wrapping("{0} * {1}"),
    a.div: wrapping("{0} / {1}"),
    a.neg: wrapping("-{0}"),
    a.floor_div: function("s2_floor_div"),
    a.mod: function("s2_mod"),
    a.abs: _absolute,
    a.sign: function("s2_sign"),
    a.square: wrapping("{0} * {0}"),
    a.maximum: _maximum,
    a.minimum: _minimum,
    a.clip: _clip,
    a.relu: _relu,
    a.sqrt: function("s2_sqrt"),
    a.rsqrt: function("s2_rsqrt"),
    a.pow: _power,
}
