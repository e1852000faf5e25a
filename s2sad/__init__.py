"""s2sad: source-to-source automatic differentiation for Python, with MindSpore's API.

Decorate a Cell with `compile`; its `construct` is parsed, differentiated as Python, and run by
NumPy. Every stage in between is a Python program that you can read and run.

The compiler is imported when it is first needed, so that a program which only looks at tensors,
or a command line which only prints its help, does not wait for it.
"""

from functools import cache as _cache
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from s2sad import nn, ops
from s2sad.core import dispatch as _dispatch
from s2sad.core.cell import Cell as _Cell
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
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.tensor import Tensor
from s2sad.core.transform import get_grad, grad, value_and_grad

if _TYPE_CHECKING:
    from s2sad.compiled import compile  # noqa: A004
    from s2sad.compiled import compile as jit
    from s2sad.loaded import load_ir

__version__ = "0.1.0"

__all__ = [
    "GRAPH_MODE", "PYNATIVE_MODE", "Parameter", "ParameterTuple", "S2sadError", "Tensor",
    "bfloat16", "bool_", "compile", "float16", "float32", "float64", "get_context", "get_grad",
    "get_seed", "grad", "int16", "int32", "int64", "int8", "jit", "load_ir", "nn", "ops",
    "set_context", "set_seed", "uint8", "value_and_grad",
]  # fmt: skip


@_cache
def _compiler() -> _Any:
    return _import_module("s2sad.compiled")


#: Where the names are that load the compiler; `jit` is MindSpore's for `compile`.
_ON_FIRST_NEED = {
    "compile": ("s2sad.compiled", "compile"),
    "jit": ("s2sad.compiled", "compile"),
    "load_ir": ("s2sad.loaded", "load_ir"),
}


def __getattr__(name: str) -> _Any:
    if name in _ON_FIRST_NEED:
        module, attribute = _ON_FIRST_NEED[name]
        return getattr(_import_module(module), attribute)
    raise AttributeError(f"module 's2sad' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _call_cell(cell: _Cell, args: tuple[_Any, ...], kwargs: dict[str, _Any]) -> _Any:
    if get_context("mode") == PYNATIVE_MODE and not hasattr(type(cell), "compiled"):
        return cell.construct(*args, **kwargs)  # type: ignore[attr-defined]
    return _compiler().compiled_of(cell)(*args, **kwargs)


def _call_transform(transform: _Any, args: tuple[_Any, ...], kwargs: dict[str, _Any]) -> _Any:
    return _compiler().compiled_gradient(transform)(*args, **kwargs)


_dispatch.fill(_dispatch.Slots(ops.METHODS, _call_cell, _call_transform))
