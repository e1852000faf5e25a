"""What does a call become before it is compiled: a function of the IR, and where its inputs are?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from s2sad.core import location
from s2sad.core.diagnostics import fail
from s2sad.core.memory_info import HELD, info_of
from s2sad.core.mutable import Mutable
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Placeholder, Tensor
from s2sad.core.transform import Transform
from s2sad.core.trees import is_record, parts_of
from s2sad.frontend.callee import bind_through
from s2sad.frontend.guards import Guards, fingerprint
from s2sad.frontend.inputs import named_leaves
from s2sad.ir.graph import Function

#: Positional and keyword arguments.
Call = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Label:
    """What comes with a gradient: the position of an argument, or the name of a Parameter."""

    of: int | Parameter

    @property
    def value(self) -> int | str:
        return self.of.name if isinstance(self.of, Parameter) else self.of


@dataclass
class Program:
    """A function of the IR, and what it is bound to.

    Attributes
    ----------
    function : Function
    guards : Guards
    sources : tuple of int or Tensor
        Where each input comes from: the place among the tensors of the call's arguments, or a
        hidden tensor, which is read at each call.
    written : tuple of Tensor
        Parameters that take the last results.
    form : object
        How results are given to the caller: ints name them, in containers, with `Label`s.
    spent : list of int
        Inputs that a call uses up.
    """

    function: Function
    guards: Guards
    sources: tuple[int | Tensor, ...]
    written: tuple[Any, ...]
    form: Any
    spent: list[int] = field(default_factory=list)

    @cached_property
    def places(self) -> dict[int, int]:
        """Which input a hidden tensor is, by the tensor's identity."""
        return {
            id(source): i for i, source in enumerate(self.sources) if isinstance(source, Tensor)
        }

    @property
    def count(self) -> int:
        """Number of the results that the caller may see."""
        return len(self.function.results) - len(self.written)


def normal_call(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    """The arguments of a call, by position where that is possible (E0302 when they do not fit)."""
    bound, seeds = bind_through(function, args, kwargs)
    return (*bound.args, *seeds), bound.kwargs


def named_call(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the parameters' names (E0302 when they do not fit)."""
    bound, seeds = bind_through(function, args, kwargs)
    what = "tangent" if isinstance(function, Transform) and function.kind == "jvp" else "cotangent"
    return {**bound.arguments, **({what: seeds} if seeds else {})}


def key_of(value: Any, tensors: list[Tensor]) -> Any:
    """What a variant depends on in an argument; the inputs in it are appended to `tensors`."""
    if isinstance(value, Tensor):
        if isinstance(value, Parameter):
            return id(value)
        tensors.append(value)
        if type(value) is Placeholder:
            return value.dtype.name, value.sizes
        array = value.array
        key = array.dtype.char, array.shape, *value._hooks
        info = info_of(value) if HELD else None
        return key if info is None else (*key, info)
    if isinstance(value, (tuple, list)):
        return type(value), *[key_of(item, tensors) for item in value]
    if isinstance(value, dict):
        names = tuple(map(fingerprint, value))
        return type(value), names, *[key_of(item, tensors) for item in value.values()]
    if is_record(value):
        parts = parts_of(value)
        return type(value), *parts, *[key_of(item, tensors) for item in parts.values()]
    if isinstance(value, Mutable):
        tensors.append(value)  # type: ignore[arg-type]
        return type(value)
    return fingerprint(value)


def tensors_of(*arguments: Any) -> list[Tensor]:
    """Tensors in arguments, in the order in which they become inputs; Parameters are none."""
    tensors: list[Tensor] = []
    key_of(arguments, tensors)
    return tensors


def refuse_arrays(arguments: Mapping[str, Any]) -> None:
    """E0304 for NumPy arrays: compiled code would not see what changes in them."""
    for path, leaf in named_leaves(arguments):
        if isinstance(leaf, np.ndarray):
            raise fail(
                "E0304", f"the argument {path} is a NumPy array, compiled code takes Tensors",
                location=location.caller(), help=f"give s2sad.Tensor({path})",
            )  # fmt: skip
