"""How does the lowest layer reach what is defined far above it?

Tensors have operators and methods that `ops` defines; calling a Cell may compile it; what `grad`
returns is data until somebody calls it; a derivative in a program that runs is made by a pass; an
operation by itself may be launched on a simulated device. Five slots, filled once by
``s2sad/__init__.py``, are the only way upwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from s2sad.core.diagnostics import fail


@dataclass(frozen=True)
class Slots:
    """What the upper layers provide.

    Attributes
    ----------
    tensor_methods : mapping of str to callable
        Operators (``"__add__"``) and methods (``"sum"``) of a Tensor.
    call_cell : callable
        ``call_cell(cell, args, kwargs)``: what ``cell(*args)`` does.
    call_transform : callable
        ``call_transform(transform, args, kwargs)``: what calling ``grad(f)`` does.
    derive : callable
        ``derive(values, body, attrs)``: results of the operation `transform` for arrays.
    launch : callable
        ``launch(primitive, arrays, attrs, types)``: results of an operation, as tuple of arrays,
        that the host launches on the simulated device.
    """

    tensor_methods: Mapping[str, Callable[..., Any]]
    call_cell: Callable[..., Any]
    call_transform: Callable[..., Any]
    derive: Callable[..., Any]
    launch: Callable[..., tuple[Any, ...]]


_filled: list[Slots] = []


def fill(slots: Slots) -> None:
    """Provide the slots, once a process.

    Raises
    ------
    S2sadError
        E0901 when they are filled already.
    """
    if _filled:
        raise fail("E0901", "the dispatch slots are filled already")
    _filled.append(slots)


def slots() -> Slots:
    """The slots; E0901 before ``import s2sad`` has filled them."""
    if not _filled:
        raise fail("E0901", "the dispatch slots are empty: import s2sad itself first")
    return _filled[0]
