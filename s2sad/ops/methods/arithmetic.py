"""Which methods of Tensor compute element by element?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.ops import arithmetic, division, extreme, powers, signs, whole_numbers
from s2sad.ops.autocast import decided
from s2sad.ops.promotion import is_tensor, is_weak


def _add(tensor: Any, other: Any, *, alpha: Any = 1) -> Any:
    return arithmetic.add(tensor, arithmetic.scaled(other, alpha))


def _quotient(x: Any, y: Any) -> Any:
    """`div`; a number over a tensor is decided as the reciprocal that it is in MindSpore."""
    is_number = is_weak(x) or not (is_tensor(x) or isinstance(x, np.ndarray))
    return division.div(x, *(decided("reciprocal", y) if is_number else (y,)))


METHODS = {
    "__abs__": arithmetic.abs, "__add__": arithmetic.add,
    "__divmod__": division.divide_with_remainder, "__floordiv__": division.floor_divide,
    "__mod__": division.remainder, "__mul__": arithmetic.mul, "__neg__": arithmetic.neg,
    "__pos__": arithmetic.positive, "__pow__": arithmetic.pow, "__sub__": arithmetic.sub,
    "__truediv__": _quotient, "abs": arithmetic.abs, "absolute": arithmetic.abs, "add": _add,
    "addcdiv": arithmetic.addcdiv, "addcmul": arithmetic.addcmul, "clamp": extreme.clamp,
    "clip": extreme.clamp, "copysign": signs.copysign, "div": division.div, "divide": division.div,
    "float_power": powers.float_power, "floor_divide": division.floor_divide, "fmax": extreme.fmax,
    "fmin": extreme.fmin, "fmod": division.fmod, "gcd": whole_numbers.gcd,
    "heaviside": signs.heaviside, "hypot": arithmetic.hypot, "lcm": whole_numbers.lcm,
    "ldexp": powers.ldexp, "lerp": arithmetic.lerp, "logit": powers.logit,
    "maximum": extreme.maximum, "minimum": extreme.minimum, "mul": arithmetic.mul,
    "multiply": arithmetic.mul, "neg": arithmetic.neg, "negative": arithmetic.neg,
    "positive": arithmetic.positive, "pow": arithmetic.pow, "reciprocal": division.reciprocal,
    "remainder": division.remainder, "rsqrt": arithmetic.rsqrt, "sgn": arithmetic.sign,
    "sign": arithmetic.sign, "signbit": signs.signbit, "sqrt": arithmetic.sqrt,
    "square": arithmetic.square, "sub": arithmetic.subtract, "subtract": arithmetic.subtract,
    "true_divide": division.div, "xdivy": powers.xdivy,
}  # fmt: skip
