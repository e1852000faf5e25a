"""What is an operation of the IR, apart from its place in a program?

A `Primitive` carries one name's meaning: type rule, NumPy meaning, adjoint, tangent. Operations
hold their primitive, so the rest of `ir` knows none by name. Calling a primitive on arrays
computes; on Tensors computes and wraps; on values of the IR appends an operation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any

import numpy as np

from s2sad.core import dtypes, precision, recording, simulation
from s2sad.core.diagnostics import fail
from s2sad.core.dispatch import slots
from s2sad.core.tensor import Tensor
from s2sad.ir import builder
from s2sad.ir.graph import Function, Region, Value
from s2sad.ir.known_sizes import as_known
from s2sad.ir.types import StackValue, TensorType, TokenType, Type, as_dtype, type_of


class Form(Enum):
    """How an operation is written."""

    CALL = "call"  # t0: f32 = p.add(x, y)
    CONST = "const"  # c0: f32 = p.const(1.0, f32)
    IF = "if"  # Python's if, a branch a region
    WHILE = "while"  # while True, its condition region before `if not c: break`
    FOR = "for"  # for i in range(a, b, s)
    NESTED = "nested"  # regions as decorated functions above the call
    PUSH = "push"  # a call; in source style tape.append(x)
    POP = "pop"  # a call; in source style x = tape.pop()


class Trait(Enum):
    """Facts about a primitive that passes and the evaluator may rely on."""

    ELEMENTWISE = "elementwise"  # out[i] depends on operands at i, after broadcasting
    COMMUTATIVE = "commutative"  # f(x, y) is f(y, x), bit for bit
    MOVES = "moves"  # moves elements without computing: works on the storage of any dtype
    EFFECT = "effect"  # takes and returns a token
    FALLIBLE = "fallible"  # may fail at run time
    OPAQUE = "opaque"  # a marker for autodiff: no pass looks inside before strip-markers
    REASSOCIATES = "reassociates"  # a backend may sum in another order


#: Marks, in ``linear=``, that the operation is linear in all operands jointly.
ALL = "all"


@dataclass(eq=False, repr=False)
class Primitive:
    """One name of the IR's vocabulary.

    Attributes
    ----------
    name : str
        As written after ``p.``.
    family : str
        Name of the module that defines it; backends use the same.
    meaning : callable
        Arrays and attributes to an array, or a tuple of arrays. Narrow floats come in and go
        out as float32, unless the primitive has `Trait.MOVES`. A meaning that may return or view
        an operand needs `Trait.MOVES`: others are taken to give memory of their own.
    type_rule : callable
        Operand types and attributes (and ``regions``, a dict, where it has any) to the result
        type, or a tuple of types.
    attributes : dict
        Keyword-only parameters of `meaning`: name to default (`inspect.Parameter.empty` where
        there is none).
    regions : tuple of str
        Keyword names under which regions are given.
    canonical : callable or None
        ``canonical(types, attrs) -> attrs``: one spelling for equal attributes.
    linear : tuple or "all"
        Groups of positions in which the operation is linear; each group is a position or a
        tuple of positions that are linear jointly.
    nondiff : str or None
        Why there is no gradient.
    body : callable or None
        A composite's definition over primitives.
    expand : callable or None
        ``expand(types, attrs)``: a composite's body as a function of the IR.
    same : tuple of int or None
        Positions of operands that share one dtype, from which a Python number takes its own;
        None means all.
    region_rule : callable or None
        ``region_rule(name, types, built, attrs)``: argument types of the region `name`, given
        the operands' types and the regions before it. None: those of the operands.
    in_place : callable or None
        ``in_place(x, ..., attrs)``: writes the result, bit for bit that of `run`, into the
        array of the first operand, in storage form. The array is writeable and C-contiguous, and
        nobody else reads it. Operands that fail are refused before the first write.
    least : int
        Operands that it takes at least, by the signature of `meaning` or `body`.
    most : int or None
        Operands that it takes at most; None where there may be any number.
    """

    name: str
    family: str
    meaning: Callable[..., Any]
    type_rule: Callable[..., Any]
    attributes: dict[str, Any]
    regions: tuple[str, ...] = ()
    form: Form = Form.CALL
    traits: frozenset[Trait] = frozenset()
    canonical: Callable[..., dict[str, Any]] | None = None
    linear: tuple[Any, ...] | str = ()
    nondiff: str | None = None
    body: Callable[..., Any] | None = None
    same: tuple[int, ...] | None = None
    expand: Callable[..., Function] | None = None
    region_rule: Callable[..., Sequence[Type]] | None = None
    adjoint_rule: Callable[..., Any] | None = field(default=None)
    tangent_rule: Callable[..., Any] | None = field(default=None)
    batch_rule: Callable[..., Any] | None = field(default=None)
    in_place: Callable[..., None] | None = field(default=None)
    least: int = field(init=False)
    most: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.__name__ = self.name
        self.__doc__ = self.meaning.__doc__ if self.body is None else self.body.__doc__
        self.__module__ = self.meaning.__module__ if self.body is None else self.body.__module__
        self.__wrapped__ = self.meaning if self.body is None else self.body
        self.least, self.most = _arity(self.__wrapped__)

    def adjoint(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Register `rule`: primals, ``out``, ``dout``, attributes to a cotangent a primal."""
        self.adjoint_rule = rule
        return rule

    def tangent(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Register `rule`: primals, ``out``, a tangent (or None) a primal, attributes."""
        self.tangent_rule = rule
        return rule

    def batch(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Register how the operation maps over a leading axis of its operands."""
        self.batch_rule = rule
        return rule

    def overwrite(self, rule: Callable[..., None]) -> Callable[..., None]:
        """Register `rule` as `in_place`: it writes the result into the first operand's array."""
        self.in_place = rule
        return rule

    @property
    def is_composite(self) -> bool:
        return self.body is not None

    @property
    def is_isolated(self) -> bool:
        """Whether its regions read nothing but their own arguments; control flow captures."""
        return self.form is Form.NESTED

    def has(self, trait: Trait) -> bool:
        return trait in self.traits

    def infer(
        self, types: Sequence[Type], attrs: dict[str, Any], regions: dict[str, Region] | None = None
    ) -> tuple[Type, ...]:
        """Types of the results, by the type rule.

        Raises
        ------
        S2sadError
            E0302 for too few or too many operands; E03 or E04, from the rule: the operands or
            attributes do not fit.
        """
        if len(types) < self.least or self.most is not None and len(types) > self.most:
            takes = f"{self.least} or more" if self.most is None else f"{self.most}"
            raise fail("E0302", f"{self.name} takes {takes} operands, got {len(types)}")
        extra: dict[str, Any] = {"regions": regions or {}} if self.regions else {}
        result = self.type_rule(*types, **attrs, **extra)
        return result if isinstance(result, tuple) else (result,)

    def region_types(
        self, name: str, types: Sequence[Type], built: dict[str, Region], attrs: dict[str, Any]
    ) -> Sequence[Type]:
        """Types of the arguments of the region `name`."""
        return self.region_rule(name, types, built, attrs) if self.region_rule else types

    def complete(self, types: Sequence[Type], attrs: dict[str, Any]) -> dict[str, Any]:
        """`attrs` with defaults filled in, in the order of definition, in canonical spelling."""
        unknown = [name for name in attrs if name not in self.attributes]
        if unknown:
            raise fail("E0302", f"{self.name} has no attribute {unknown[0]!r}")
        full = {}
        for name, default in self.attributes.items():
            if name not in attrs and default is inspect.Parameter.empty:
                raise fail("E0302", f"{self.name} needs the attribute {name!r}")
            full[name] = value = attr_value(attrs.get(name, default))
            if isinstance(default, bool) and not isinstance(value, bool):
                raise fail("E0303", f"{name} of {self.name} is True or False, got {value!r}")
        return self.canonical(types, full) if self.canonical else full

    def lift(self, operands: Sequence[Any]) -> list[Any]:
        """`operands` with Python numbers given the dtype of the operands that they meet.

        Only where such an operand exists; a number alone keeps its own dtype.
        """
        places = range(len(operands)) if self.same is None else self.same
        met = [operands[i] for i in places if i < len(operands) and not is_number(operands[i])]
        types = [x.type if isinstance(x, Value) else type_of(x) for x in met]
        dtype = next((t.dtype for t in types if isinstance(t, TensorType)), None)
        if dtype is None:
            return list(operands)
        return [
            number_as(x, dtype) if i in places and is_number(x) else x
            for i, x in enumerate(operands)
        ]

    def __call__(self, *operands: Any, **attrs: Any) -> Any:
        rule = precision.deciding.get()
        if rule is not None and not self.regions:
            with precision.rules(None):  # what it is made of has its dtypes by that
                return self(*rule(self, operands), **attrs)
        regions = {name: attrs.pop(name) for name in self.regions if name in attrs}
        if builder.is_building(operands):
            return builder.current().emit(self, operands, attrs, regions)
        if any(isinstance(operand, Tensor) for operand in operands):
            arrays = [x.array if isinstance(x, Tensor) else x for x in operands]
            return _as_tensors(self.compute(arrays, attrs, regions, of_tensors=True))
        return self.compute(operands, attrs, regions)

    def compute(
        self, operands: Sequence[Any], attrs: dict[str, Any], regions: dict[str, Any],
        *, of_tensors: bool = False,
    ) -> Any:  # fmt: skip
        """Check the operands by the type rule, then compute: one array, or a tuple of them."""
        arrays = [as_run_time(x) for x in self.lift(operands)]
        types = [type_of(x) for x in arrays]
        attrs = self.complete(types, attrs)
        if self.regions:  # control flow: its body checks itself, operation by operation
            with simulation.launching() if simulation.is_launched(of_tensors) else nullcontext():
                results = self.run(arrays, {**attrs, **regions}, None)
        else:
            inferred = self.infer(types, attrs)
            run = partial(slots().launch, self) if simulation.is_launched(of_tensors) else self.run
            if recording.active is None:
                results = run(arrays, attrs, inferred)
            else:
                results = recording.told(
                    recording.active, self.name, arrays, lambda: run(arrays, attrs, inferred)
                )
        return results[0] if len(results) == 1 else results

    def run(
        self, arrays: Sequence[Any], attrs: dict[str, Any], types: Sequence[Type] | None
    ) -> tuple[Any, ...]:
        """Results of the NumPy meaning, as 0-d or larger arrays of the dtypes in `types`.

        Operands are trusted. Narrow floats are widened before and rounded once after.
        """
        raw = self.has(Trait.MOVES) or self.is_composite or bool(self.regions)
        if not raw:
            arrays = [dtypes.widen(x) if isinstance(x, np.ndarray) else x for x in arrays]
        with np.errstate(all="ignore"):
            results = self.meaning(*arrays, **attrs)
        results = results if isinstance(results, tuple) else (results,)
        if types is None:
            return tuple(as_run_time(x) for x in results)
        return tuple(_as_result(x, type) for x, type in zip(results, types, strict=True))

    def __repr__(self) -> str:
        return f"p.{self.name}"

    def __deepcopy__(self, memo: object) -> Primitive:
        return self


def _arity(definition: Callable[..., Any]) -> tuple[int, int | None]:
    """Least and most operands that `definition` takes; None where there may be any number."""
    parameters = inspect.signature(definition).parameters.values()
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in places)
    return needed, None if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(places)


def attr_value(value: Any) -> Any:
    """`value` as attributes hold it: tuples for lists, dtypes for bare types, Python numbers."""
    if isinstance(value, TensorType) and not value.shape:
        return as_dtype(value)
    if isinstance(value, (list, tuple)):
        return tuple(attr_value(item) for item in value)
    if isinstance(value, np.generic):
        return value.item()
    return value


def is_number(operand: Any) -> bool:
    """Whether `operand` is a number of Python's, which has no dtype; NumPy's have one."""
    return isinstance(operand, (bool, int, float)) and not isinstance(operand, np.generic)


def number_as(number: Any, dtype: dtypes.DType) -> np.ndarray:
    """The Python `number` as a 0-d array of `dtype`; integers wrap, floats must be floats."""
    if isinstance(number, float) and not dtype.is_float:
        raise fail("E0301", f"the number {number!r} cannot become {dtype.short}")
    if dtype.is_integer:
        wrapped = int(number) & ((1 << dtype.bits) - 1)
        signed = (
            wrapped - (1 << dtype.bits)
            if dtype.kind == "int" and wrapped >> (dtype.bits - 1)
            else wrapped
        )
        return as_known(np.asarray(signed, dtype.storage), number)
    try:
        wide = np.asarray(number, np.float64)
    except OverflowError:
        size = f"an integer of {int(number).bit_length()} bits"
        raise fail("E0404", f"{size} is no {dtype.short}") from None
    with np.errstate(over="ignore"):
        return as_known(np.asarray(dtypes.narrow(wide, dtype)), number)


def as_run_time(value: Any) -> Any:
    """`value` as operations pass it on: arrays, also 0-d ones, stacks and the token."""
    if isinstance(value, (np.ndarray, StackValue, TokenType)):
        return value
    return np.asarray(value)


def _as_result(value: Any, type: Type) -> Any:
    if not isinstance(type, TensorType):
        return value
    array = np.asarray(value)
    if array.dtype == type.dtype.storage:
        return array
    return np.asarray(dtypes.narrow(array, type.dtype))


def _as_tensors(results: Any) -> Any:
    if isinstance(results, tuple):
        return tuple(_as_tensors(x) for x in results)
    return Tensor.wrap(results) if isinstance(results, np.ndarray) else results
