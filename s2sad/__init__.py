"""s2sad: source-to-source automatic differentiation for Python, with MindSpore's API.

Decorate a Cell with `compile`; its `construct` is parsed, differentiated as Python, and run by
NumPy. Every stage in between is a Python program that you can read and run.
"""

from s2sad import nn, ops
from s2sad.compiler import call_cell, call_transform, compile  # noqa: A004
from s2sad.core import dispatch
from s2sad.core.context import (
    GRAPH_MODE,
    PYNATIVE_MODE,
    get_context,
    get_seed,
    set_context,
    set_seed,
)
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import (
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from s2sad.core.tensor import Parameter, ParameterTuple, Tensor
from s2sad.core.transform import grad, value_and_grad

dispatch.fill(dispatch.Slots(ops.METHODS, call_cell, call_transform))

#: MindSpore's name for `compile`.
jit = compile

__version__ = "0.1.0"

__all__ = [
    "GRAPH_MODE", "PYNATIVE_MODE", "Parameter", "ParameterTuple", "S2sadError", "Tensor",
    "bfloat16", "bool_", "compile", "float16", "float32", "float64", "get_context", "get_seed",
    "grad", "int16", "int32", "int64", "int8", "jit", "nn", "ops", "set_context", "set_seed",
    "uint8", "value_and_grad",
]  # fmt: skip
