"""MindSpore's operations: overloads, defaults and promotion, as Python functions over prims."""

from s2sad.ops.activation import log_softmax, relu, sigmoid, softmax, tanh
from s2sad.ops.arithmetic import abs, add, div, mul, neg, pow, sub  # noqa: A004
from s2sad.ops.comparison import equal, greater, greater_equal, less, less_equal, not_equal, where
from s2sad.ops.linalg import matmul
from s2sad.ops.loss import cross_entropy
from s2sad.ops.methods import METHODS
from s2sad.ops.reduce import argmax, mean, sum  # noqa: A004
from s2sad.ops.shape import cast, flatten, reshape, swapaxes, transpose
from s2sad.ops.state import assign, stop_gradient

__all__ = [
    "METHODS", "abs", "add", "argmax", "assign", "cast", "cross_entropy", "div", "equal",
    "flatten", "greater", "greater_equal", "less", "less_equal", "log_softmax", "matmul", "mean",
    "mul", "neg", "not_equal", "pow", "relu", "reshape", "sigmoid", "softmax", "stop_gradient",
    "sub", "sum", "swapaxes", "tanh", "transpose", "where",
]  # fmt: skip
