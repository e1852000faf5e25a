"""What is an operation that a unit of the runtime computes, as the body of a kernel in C?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.core.dtypes import DType
from s2sad.ir.dims import Dim
from s2sad.ir.graph import Operation
from s2sad.ir.types import TensorType

#: Type of C in which elements are stored.
STORED = {
    "f16": "uint16_t", "bf16": "uint16_t", "f32": "float", "f64": "double", "i8": "int8_t",
    "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t", "bool_": "uint8_t",
}  # fmt: skip


def stored(dtype: DType) -> str:
    """The type of C in which elements of `dtype` are stored.

    Examples
    --------
    >>> from s2sad.core import dtypes
    >>> stored(dtypes.bfloat16), stored(dtypes.bool_)
    ('uint16_t', 'uint8_t')
    """
    return STORED[dtype.short]


def static(shape: Sequence[Dim]) -> tuple[int, ...]:
    """`shape`, all of whose sizes are known: programs of C have no others."""
    assert all(isinstance(size, int) for size in shape)
    return tuple(shape)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Site:
    """An operation that becomes a kernel.

    Attributes
    ----------
    operation : Operation
    """

    operation: Operation

    @property
    def types(self) -> tuple[TensorType, ...]:
        """Types of the operands that are tensors; tokens and stacks have no pointer."""
        return tuple(v.type for v in self.operation.operands if isinstance(v.type, TensorType))

    @property
    def results(self) -> tuple[TensorType, ...]:
        """Types of the results that are tensors."""
        return tuple(v.type for v in self.operation.results if isinstance(v.type, TensorType))

    @property
    def attrs(self) -> Mapping[str, Any]:
        return self.operation.attrs


@dataclass(frozen=True)
class Body:
    """A kernel's body.

    Attributes
    ----------
    text : str
        Statements of C over ``x0``, ``x1`` (operands), ``y0``, ``y1`` (results), ``begin`` and
        ``end``, of which the last is ``return 0;`` or the like.
    headers : tuple of str
        Of the runtime, that it needs.
    extent : int
        What `begin` and `end` are a part of: the work may be cut there.
    grain : int
        The smallest part worth a thread of its own.
    in_place : tuple of int
        Operands whose memory the first result may take.
    """

    text: str
    headers: tuple[str, ...] = ()
    extent: int = 1
    grain: int = 1
    in_place: tuple[int, ...] = ()


#: From an operation to its kernel.
Template = Callable[[Site], Body]
