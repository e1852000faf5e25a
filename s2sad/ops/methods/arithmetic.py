"""Which methods of Tensor compute element by element?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import arithmetic, division, extreme


def _add(tensor: Any, other: Any, *, alpha: Any = 1) -> Any:
    return arithmetic.add(tensor, arithmetic.scaled(other, alpha))


METHODS = {
    "__add__": arithmetic.add, "__sub__": arithmetic.sub, "__mul__": arithmetic.mul,
    "__truediv__": division.div, "__floordiv__": division.floor_divide,
    "__mod__": division.remainder, "__divmod__": division.divide_with_remainder,
    "__pow__": arithmetic.pow, "__neg__": arithmetic.neg, "__pos__": arithmetic.positive,
    "__abs__": arithmetic.abs, "abs": arithmetic.abs, "absolute": arithmetic.abs, "add": _add,
    "addcdiv": arithmetic.addcdiv, "addcmul": arithmetic.addcmul, "clamp": extreme.clamp,
    "clip": extreme.clamp, "div": division.div, "divide": division.div,
    "floor_divide": division.floor_divide, "fmod": division.fmod, "fmax": extreme.fmax,
    "fmin": extreme.fmin, "hypot": arithmetic.hypot, "lerp": arithmetic.lerp,
    "maximum": extreme.maximum, "minimum": extreme.minimum, "mul": arithmetic.mul,
    "multiply": arithmetic.mul, "neg": arithmetic.neg, "negative": arithmetic.neg,
    "positive": arithmetic.positive, "pow": arithmetic.pow, "reciprocal": division.reciprocal,
    "remainder": division.remainder, "rsqrt": arithmetic.rsqrt, "sgn": arithmetic.sign,
    "sign": arithmetic.sign, "sqrt": arithmetic.sqrt, "square": arithmetic.square,
    "sub": arithmetic.subtract, "subtract": arithmetic.subtract, "true_divide": division.div,
}  # fmt: skip
