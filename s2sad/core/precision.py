"""In which precision does a Cell compute?

`Cell.to_float` and `amp` leave a mark on each Cell that they concern, its `Precision`. A call of
the Cell does what the mark says, in both modes alike: floats among the arguments come in cast, a
Parameter that `construct` reads as an attribute comes as a `Recast` of it, floats among the results
go out cast. So casts stand in the program before it is differentiated, gradients get theirs by
differentiation, and what is stored stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from s2sad.core.dtypes import DType
from s2sad.core.operators import method
from s2sad.core.parameter import Parameter, ParameterTuple, reading
from s2sad.core.tensor import Tensor
from s2sad.core.trees import changed

#: ``rule(primitive, operands)`` gives the operands that a primitive gets in place of those.
Rule = Callable[[Any, tuple[Any, ...]], tuple[Any, ...]]

#: What decides by the primitive, where one is called on tensors or on values of a program.
deciding: ContextVar[Rule | None] = ContextVar("deciding", default=None)


@dataclass(frozen=True)
class Precision:
    """The mark of a Cell; what is None leaves dtypes as they are.

    Attributes
    ----------
    compute : DType or None
        Of floats among the arguments, and of Parameters that `construct` reads.
    result : DType or None
        Of floats among the results.
    rule : callable or None
        Decides by the primitive; see `Rule`.
    """

    compute: DType | None = None
    result: DType | None = None
    rule: Rule | None = None

    def taken(self, args: Any, kwargs: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The arguments as `construct` gets them."""
        given = {name: cast_floats(value, self.compute) for name, value in kwargs.items()}
        return cast_floats(args, self.compute), given

    def given(self, results: Any) -> Any:
        """The results of `construct` as the caller gets them."""
        return cast_floats(results, self.result)


#: The mark of a Cell that has none.
UNMARKED = Precision()


class Recast(Tensor):
    """A Parameter as it is read in another dtype; what is written goes to the Parameter.

    Attributes
    ----------
    stored : Parameter
    """

    __slots__ = ("_dtype", "stored")

    def __init__(self, stored: Parameter, dtype: DType) -> None:
        self.stored, self._dtype = stored, dtype

    @property
    def array(self) -> np.ndarray:  # type: ignore[override]
        """What the Parameter holds now, cast."""
        return method("astype")(Tensor.wrap(self.stored.array), self._dtype).array

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.stored.shape

    @property
    def ndim(self) -> int:
        return self.stored.ndim

    @property
    def size(self) -> int:
        return self.stored.size

    def value(self) -> Tensor:
        """Tensor of the present numbers, cast."""
        return Tensor.wrap(self.array)

    def __getattr__(self, name: str) -> Any:
        if hasattr(Parameter, name):  # what a Tensor does not have
            return getattr(self.stored, name)
        return super().__getattr__(name)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.stored[index] = value

    def _copied(self, memo: dict[int, Any]) -> Any:
        return self.value()


def stored(tensor: Any) -> Any:
    """The Parameter that a `Recast` is of; all else itself."""
    return tensor.stored if isinstance(tensor, Recast) else tensor


def read_in(value: Any, dtype: DType | None) -> Any:
    """A Parameter, or a tuple of them, as a Cell that computes in `dtype` reads it."""
    if dtype is None:
        return value
    if isinstance(value, ParameterTuple):
        return tuple(read_in(member, dtype) for member in tuple.__iter__(value))
    if isinstance(value, Parameter) and value.dtype.is_float and value.dtype is not dtype:
        return Recast(value, dtype)
    return value


def cast_floats(tree: Any, dtype: DType | None) -> Any:
    """`tree` with its tensors of floats cast to `dtype`; parts without any stay themselves."""
    if dtype is None:
        return tree

    def cast(leaf: Any) -> Any:
        if isinstance(leaf, Parameter):
            return read_in(leaf, dtype)
        held = getattr(leaf, "dtype", None)
        is_float = isinstance(held, DType) and held.is_float
        return method("astype")(leaf, dtype) if is_float and held is not dtype else leaf

    return changed(tree, cast)


@contextmanager
def rules(rule: Rule | None) -> Iterator[None]:
    """Let `rule`, or nothing, decide by the primitive inside."""
    token = deciding.set(rule)
    try:
        yield
    finally:
        deciding.reset(token)


def begin(mark: Precision) -> tuple[Any, Any]:
    """Let user code that runs as it stands compute as `mark` says, until `end` of what this gives.

    No context manager: a debugger would step into those.
    """
    read = partial(read_in, dtype=mark.compute) if mark.compute else None
    return reading.set(read), deciding.set(mark.rule)


def end(begun: tuple[Any, Any]) -> None:
    """Let all be as it was before `begin`."""
    reading.reset(begun[0])
    deciding.reset(begun[1])


def run_cell(cell: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """What a Cell makes of its arguments, where its `construct` runs as it stands.

    A Cell in another computes as its own mark says: one that has none, in what it is given. So does
    what is compiled by itself.
    """
    mark = cell.__dict__.get("_precision")
    if mark is None:
        if reading.get() is None and deciding.get() is None:
            return cell.construct(*args, **kwargs)
        mark = UNMARKED
    args, kwargs = mark.taken(args, kwargs)
    begun = begin(mark)
    try:
        results = cell.construct(*args, **kwargs)
    finally:
        end(begun)
    return mark.given(results)
