"""How is a program made, operation by operation?

A `Builder` appends to a region. While one is active, calling a primitive on values of the IR
emits an operation there, with the current location and scope. Regions of control flow are
given as Python functions over values; the builder runs them once on the region's arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from s2sad.core import location
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.known_sizes import as_known
from s2sad.ir.types import Type, type_of

if TYPE_CHECKING:
    from s2sad.ir.primitive import Primitive

_current: ContextVar[Builder | None] = ContextVar("builder", default=None)


class Outside(Protocol):
    """What a program under construction knows of tensors that exist outside of it."""

    def capture(self, tensor: Tensor) -> Value:
        """The value that reading `tensor` gives at this point of the program."""
        ...

    def write(self, parameter: Tensor, value: Value) -> None:
        """Let `parameter` hold `value` from this point of the program on."""
        ...


_outside: ContextVar[Outside | None] = ContextVar("outside", default=None)

_begun: ContextVar[list[Region] | None] = ContextVar("begun", default=None)


def outside() -> Outside:
    """What stands for tensors met while building.

    Raises
    ------
    S2sadError
        E0901 when the function being built may not read any.
    """
    found = _outside.get()
    if found is None:
        raise fail("E0901", "a tensor was met while building a function that takes none")
    return found


@contextmanager
def reaching(other: Outside) -> Iterator[None]:
    """Let tensors met while building become values by way of `other`."""
    token = _outside.set(other)
    try:
        yield
    finally:
        _outside.reset(token)


def current() -> Builder:
    """The active builder.

    Raises
    ------
    S2sadError
        E0901 when there is none: values of the IR were used outside of their function.
    """
    builder = _current.get()
    if builder is None:
        raise fail("E0901", "values of the IR were used while no function is being built")
    return builder


def is_building(operands: Sequence[Any]) -> bool:
    """Whether a call with `operands` appends an operation rather than computes."""
    if any(isinstance(operand, Value) for operand in operands):
        return True
    if _current.get() is None:
        return False
    return not operands or any(isinstance(operand, Tensor) for operand in operands)


@contextmanager
def aside() -> Iterator[None]:
    """Compute meanwhile, rather than append."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


class Builder:
    """Appends operations to `region`, at place `at` (the end when None)."""

    def __init__(self, region: Region, *, at: int | None = None) -> None:
        self.region = region
        self.at = at

    @contextmanager
    def active(self) -> Iterator[Builder]:
        """Let calls of primitives on values emit here."""
        begun = _begun.get()
        if begun is not None and not self.region.operations:
            begun.append(self.region)
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)

    def add(self, operation: Operation) -> Operation:
        """Place a finished operation."""
        if self.at is None:
            self.region.append(operation)
        else:
            self.region.insert(self.at, operation)
            self.at += 1
        return operation

    def value(self, operand: Any) -> Value:
        """`operand` as a value: itself, a hidden input for a Tensor, else a constant."""
        if isinstance(operand, Value):
            return operand
        if isinstance(operand, Tensor):
            return outside().capture(operand)
        array = as_known(
            np.array(operand, subok=True), operand
        )  # a copy: what the caller does to its own changes no program
        array.flags.writeable = False
        type = type_of(array)
        return self.add(
            Operation(
                constant_prim(), (), {"value": array, "type": type}, (type,),
                loc=location.current.get(), scope=location.scope.get(),
            )
        ).result  # fmt: skip

    def emit(
        self,
        prim: Primitive,
        operands: Sequence[Any],
        attrs: dict[str, Any],
        regions: dict[str, Any] | None = None,
        *,
        names: Sequence[str | None] = (),
    ) -> Any:
        """Append `prim` applied to `operands`; the result, or a tuple of several.

        Parameters
        ----------
        operands : sequence of Value, array or number
            Arrays and numbers become constants; a number takes the dtype of its partners.
        attrs : dict
        regions : dict of str to Region or callable
            A callable takes the region's arguments and returns what it yields.

        Raises
        ------
        S2sadError
            E03 or E04 from the type rule.
        """
        read = [outside().capture(x) if isinstance(x, Tensor) else x for x in operands]
        values = [self.value(x) for x in prim.lift(read)]
        types = [value.type for value in values]
        full = prim.complete(types, attrs)
        built: dict[str, Region] = {}
        for name in prim.regions:
            given = (regions or {}).get(name)
            if given is None:
                raise fail("E0302", f"{prim.name} needs the region {name!r}")
            if not isinstance(given, Region):
                given = build_region(given, prim.region_types(name, types, built, full))
            built[name] = given
        results = prim.infer(types, full, built)
        operation = Operation(
            prim, values, full, results,
            regions=built, names=names, loc=location.current.get(), scope=location.scope.get(),
        )  # fmt: skip
        self.add(operation)
        return operation.results[0] if len(results) == 1 else operation.results


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Where what happens inside ends in an error, let nothing that it emitted read anything.

    What is emitted inside goes to regions that are begun inside; those that an error leaves behind
    unfinished belong to no operation, but what they read would count them among its readers.
    """
    outer, begun = _begun.get(), []
    token = _begun.set(begun)
    try:
        yield
    except BaseException:
        for region in begun:
            if region.function is None:  # bodies of composites, made on first need, are kept
                discard(region)
        raise
    finally:
        _begun.reset(token)
        if outer is not None:
            outer += begun


def discard(region: Region) -> None:
    """Let the operations of a region that is thrown away read nothing."""
    for operation in region.walk():
        operation.set_reads(())
        for nested in operation.regions.values():
            nested.set_reads(())
    region.set_reads(())


def build_region(
    run: Callable[..., Any], types: Sequence[Type], names: Sequence[str | None] = ()
) -> Region:
    """Region with arguments of `types` whose operations `run` emits; it yields its results."""
    region = Region(types, names)
    builder = Builder(region)
    with builder.active():
        results = run(*region.args)
        region.set_reads([builder.value(x) for x in as_tuple(results)])
    return region


def build_function(
    run: Callable[..., Any],
    types: Sequence[Type],
    *,
    name: str = "main",
    names: Sequence[str | None] = (),
    inputs: Sequence[str] = (),
) -> Function:
    """Function of `run` over inputs of `types`; its tree is flat.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import f32
    >>> build_function(lambda x: p.add(x, x), [f32[4]])
    <function main(f32[4]) -> (f32[4])>
    """
    region = build_region(run, types, names)
    count = len(region.yields)
    tree = "0" if count == 1 else str(tuple(range(count)))
    return Function(name, region, tuple(inputs), tree=tree)


def as_tuple(results: Any) -> tuple[Any, ...]:
    """`results` of a region's function as a flat tuple."""
    if results is None:
        return ()
    return tuple(results) if isinstance(results, (tuple, list)) else (results,)


_constant_prim: list[Primitive] = []


def register_constant(prim: Primitive) -> Primitive:
    """Name the primitive that holds constants; `prims` does, once."""
    _constant_prim[:] = [prim]
    return prim


def constant_prim() -> Primitive:
    return _constant_prim[0]
