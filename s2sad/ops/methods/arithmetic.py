"""Methods that compute element by element."""

from __future__ import annotations

from s2sad.ops import arithmetic

METHODS = {
    "__add__": arithmetic.add, "__sub__": arithmetic.sub, "__mul__": arithmetic.mul,
    "__truediv__": arithmetic.div, "__pow__": arithmetic.pow, "__neg__": arithmetic.neg,
    "__abs__": arithmetic.abs, "abs": arithmetic.abs, "add": arithmetic.add,
    "div": arithmetic.div, "mul": arithmetic.mul, "neg": arithmetic.neg, "pow": arithmetic.pow,
    "sub": arithmetic.sub,
}  # fmt: skip
