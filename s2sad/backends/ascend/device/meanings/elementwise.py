"""Elementwise operators; their inputs broadcast as NumPy's do."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from s2sad.backends.ascend.datatypes import BY_ATTRIBUTE, dtype_of
from s2sad.backends.ascend.device.meanings.base import Arrays, means, option, table
from s2sad.backends.ascend.device.tensors import UNSIGNED, storage_of
from s2sad.backends.ascend.graph import Node

Function = Callable[[np.ndarray], np.ndarray]


def by_element(function: Callable[[float], float]) -> Function:
    """A function of Python's on each element, in float64; NaN stays NaN."""
    apply = np.vectorize(lambda x: x if math.isnan(x) else function(x), otypes=[np.float64])
    return lambda x: apply(np.asarray(x, np.float64)) if np.size(x) else x


erf, erfc = by_element(math.erf), by_element(math.erfc)


@by_element
def lgamma(x: float) -> float:
    """Infinite at the poles, 0 and the negative whole numbers, and at both infinities."""
    is_pole = math.isinf(x) or (x <= 0 and x == math.floor(x))
    return math.inf if is_pole else math.lgamma(x)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """``1 / (1 + exp(-x))``."""
    return 1 / (1 + np.exp(-x))


def softplus(x: np.ndarray) -> np.ndarray:
    """``log(1 + exp(x))``."""
    return np.logaddexp(x, np.zeros_like(x))


def _erfinv(y: np.ndarray) -> np.ndarray:
    """Newton's steps on erf from Winitzki's approximation."""
    y = np.asarray(y, np.float64)
    if not y.size:
        return y
    inside = np.where(np.abs(y) < 1, y, 0.0)
    log = np.log1p(-inside * inside)
    half = 2 / (math.pi * 0.147) + log / 2
    x = np.sign(inside) * np.sqrt(np.sqrt(half * half - log / 0.147) - half)
    for _ in range(4):
        x = x - (erf(x) - inside) * math.sqrt(math.pi) / 2 * np.exp(x * x)
    ends = np.where(np.abs(y) == 1, np.copysign(np.inf, y), np.nan)
    return np.where(np.abs(y) < 1, x, ends)


def _power(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whole numbers to a negative power are rounded towards 0, as their reciprocals are."""
    if x.dtype.kind not in "iu":
        return np.power(x, y)
    ones = np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0))
    return np.where(y < 0, ones, np.power(x, np.maximum(y, 0)))


table({
    "Abs": np.abs, "Acos": np.arccos, "Acosh": np.arccosh, "Add": np.add, "Asin": np.arcsin,
    "Asinh": np.arcsinh, "Atan": np.arctan, "Atan2": np.arctan2, "Atanh": np.arctanh,
    "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor,
    "Ceil": np.ceil, "ClipByValue": lambda x, low, high: np.minimum(np.maximum(x, low), high),
    "Cos": np.cos, "Cosh": np.cosh, "Equal": np.equal, "Erf": erf, "Erfc": erfc,
    "Erfinv": _erfinv, "Expm1": np.expm1, "Floor": np.floor, "FloorDiv": np.floor_divide,
    "FloorMod": np.mod, "Greater": np.greater, "GreaterEqual": np.greater_equal,
    "Identity": np.array, "Invert": np.invert, "IsFinite": np.isfinite, "IsInf": np.isinf,
    "IsNan": np.isnan, "LeftShift": np.left_shift, "Less": np.less, "LessEqual": np.less_equal,
    "Lgamma": lgamma, "Log1p": np.log1p, "LogicalAnd": np.logical_and,
    "LogicalNot": np.logical_not, "LogicalOr": np.logical_or, "Maximum": np.maximum,
    "Minimum": np.minimum, "Mul": np.multiply, "Neg": np.negative, "NotEqual": np.not_equal,
    "Pow": _power, "RealDiv": np.true_divide, "Reciprocal": lambda x: 1 / x,
    "RightShift": np.right_shift, "Rint": np.rint, "Rsqrt": lambda x: 1 / np.sqrt(x),
    "SelectV2": np.where, "Sigmoid": sigmoid, "Sign": np.sign, "Sin": np.sin, "Sinh": np.sinh,
    "Sqrt": np.sqrt, "Square": np.square, "Sub": np.subtract, "Tan": np.tan, "Tanh": np.tanh,
    "Trunc": np.trunc,
})  # fmt: skip


@means("Exp")
def _exp(node: Node, given: Arrays) -> np.ndarray:
    """``base ** (scale * x + shift)``; a base of -1 is e."""
    power = _scaled(node, given)
    base = option(node, "base")
    return np.exp(power) if base == -1 else np.power(power.dtype.type(base), power)


@means("Log")
def _log(node: Node, given: Arrays) -> np.ndarray:
    """``log(scale * x + shift)`` to the base; -1 is e."""
    found = np.log(_scaled(node, given))
    base = option(node, "base")
    return found if base == -1 else found / found.dtype.type(math.log(base))


def _scaled(node: Node, given: Arrays) -> np.ndarray:
    x = given["x"]
    if (option(node, "scale"), option(node, "shift")) == (1, 0):
        return x
    return x * x.dtype.type(option(node, "scale")) + x.dtype.type(option(node, "shift"))


@means("Cast")
def _cast(node: Node, given: Arrays) -> np.ndarray:
    """To bool: whether it is not 0; the rest is what every result goes through."""
    x, wanted = given["x"], BY_ATTRIBUTE[node.value("dst_type")].name
    if wanted == "DT_BOOL":
        return x != 0
    is_whole = wanted in UNSIGNED or dtype_of(wanted).is_integer
    return _cut_off(x, storage_of(wanted)) if is_whole and x.dtype.kind == "f" else x


def _cut_off(x: np.ndarray, storage: np.dtype) -> np.ndarray:
    """Without the fraction; beyond the range the nearest bound, and 0 for NaN."""
    bounds, make = np.iinfo(storage), storage.type
    whole = np.trunc(np.where(np.isnan(x), 0, x).astype(np.float64))
    is_above, is_below = whole >= float(bounds.max) + 1, whole < bounds.min
    inside = np.where(is_above | is_below, 0, whole).astype(storage)
    return np.where(is_above, make(bounds.max), np.where(is_below, make(bounds.min), inside))
