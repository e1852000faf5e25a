"""Are two functions the same program, up to the names of their values?

Operations are compared in order, attributes and constants bit for bit: NaN with its payload,
-0.0 and 0.0 are different. A constant counts by its value: where it is made, how often, and
whether anything reads it, is left out of the comparison unless one asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.ir import dims
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.literals import INLINE, same_literal
from s2sad.ir.marks import mark
from s2sad.ir.primitive import Form
from s2sad.ir.types import Type, same_type, same_types


def isomorphic(
    a: Function,
    b: Function,
    *,
    locations: bool = False,
    scopes: bool = False,
    placed_constants: bool = False,
) -> bool:
    """Whether `difference` finds none.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> square = build_function(lambda x: p.mul(x, x), [f32[4]], names=["x"])
    >>> other = build_function(lambda y: p.mul(y, y), [f32[4]], names=["y"], inputs=["x"])
    >>> isomorphic(square, other)
    True
    """
    options = {"locations": locations, "scopes": scopes, "placed_constants": placed_constants}
    return difference(a, b, **options) is None


def difference(
    a: Function,
    b: Function,
    *,
    locations: bool = False,
    scopes: bool = False,
    placed_constants: bool = False,
) -> str | None:
    """The first place where two functions differ, in words; None where they do not.

    Names of values, of the functions, and their titles are not compared.

    Parameters
    ----------
    a, b : Function
    locations, scopes : bool
        Compare those of operations as well, as far as the text form keeps them.
    placed_constants : bool
        Constants must be as many and stand at the same places.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> a = build_function(lambda x: p.mul(x, 2.0), [f32[4]])
    >>> b = build_function(lambda x: p.mul(x, 3.0), [f32[4]])
    >>> difference(a, b)
    'operation 0 of body, mul: operand 1 is the constant 2.0 in one and the constant 3.0 in the ...'
    """
    for what in ("inputs", "input_types", "result_types", "donates", "tree"):
        one, other = getattr(a, what), getattr(b, what)
        same = same_types(one, other) if what.endswith("types") else one == other
        if not same:
            return f"{what}: {_either(one, other)}"
    comparison = _Comparison(locations, scopes, placed_constants)
    return next(comparison.regions("body", a.body, b.body), None)


@dataclass
class _Comparison:
    """One walk over two functions; its generators give differences and stop at nothing."""

    locations: bool
    scopes: bool
    placed_constants: bool
    partner: dict[Value, Value] = field(default_factory=dict)

    def regions(self, path: str, a: Region, b: Region) -> Iterator[str]:
        types = [v.type for v in a.args], [v.type for v in b.args]
        if not same_types(*types):
            yield f"arguments of {path}: {_either(*types)}"
        self.partner.update(zip(a.args, b.args, strict=False))
        ones, others = self._compared(a), self._compared(b)
        for number, (one, other) in enumerate(zip(ones, others, strict=False)):
            yield from self.operations(f"operation {number} of {path}", one, other)
        if len(ones) != len(others):
            rest = (ones if len(ones) > len(others) else others)[min(len(ones), len(others))]
            yield (
                f"operations of {path}: {_either(len(ones), len(others))}; "
                f"the first without a partner is {rest.prim.name}"
            )
        yield from self.reads(f"yields of {path}", "yield", a.yields, b.yields)

    def _compared(self, region: Region) -> list[Operation]:
        return [
            operation
            for operation in region.operations
            if self.placed_constants or operation.prim.form is not Form.CONST
        ]

    def operations(self, path: str, a: Operation, b: Operation) -> Iterator[str]:
        if a.prim is not b.prim:
            yield f"{path}: {_either(a.prim.name, b.prim.name)}"
            return
        path = f"{path}, {a.prim.name}"
        yield from self.reads(path, "operand", a.operands, b.operands)
        yield from _attributes(path, a.attrs, b.attrs)
        yield from self.origins(path, a, b)
        for name in a.regions:
            yield from self.regions(f"{name} of {path}", a.regions[name], b.regions[name])
        types = [v.type for v in a.results], [v.type for v in b.results]
        if not same_types(*types):
            yield f"{path}: results are {_either(*types)}"
        self.partner.update(zip(a.results, b.results, strict=False))

    def origins(self, path: str, a: Operation, b: Operation) -> Iterator[str]:
        if self.locations and mark(a.loc) != mark(b.loc):
            yield f"{path}: its location is {_either(a.loc, b.loc)}"
        if self.scopes and a.scope != b.scope:
            yield f"{path}: its scope is {_either(repr(a.scope), repr(b.scope))}"

    def reads(self, path: str, what: str, a: Sequence[Value], b: Sequence[Value]) -> Iterator[str]:
        if len(a) != len(b):
            yield f"{path}: {what}s are {_either(len(a), len(b))} in number"
        for number, (one, other) in enumerate(zip(a, b, strict=False)):
            if not self.same(one, other):
                found = _either(_described(one), _described(other))
                yield f"{path}: {what} {number} is {found}"

    def same(self, a: Value, b: Value) -> bool:
        """Whether `a` in one function is what `b` is in the other."""
        if self.placed_constants or not (_is_constant(a) and _is_constant(b)):
            return a in self.partner and self.partner[a] is b
        one, other = a.owner.attrs, b.owner.attrs  # type: ignore[union-attr]
        return next(_attributes("", one, other), None) is None


def _is_constant(value: Value) -> bool:
    return isinstance(value.owner, Operation) and value.owner.prim.form is Form.CONST


def _attributes(path: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    for name in {**a, **b}:
        if name not in a or name not in b:
            yield f"{path}: only one has the attribute {name}"
        elif not same_attribute(a[name], b[name]):
            yield f"{path}: {name} is {_either(_short(a[name]), _short(b[name]))}"


def same_attribute(a: Any, b: Any) -> bool:
    """Whether two attributes are equal, type and bits included; all NaN that are floats are one.

    Examples
    --------
    >>> same_attribute((1, 2), (1, 2)), same_attribute(0.0, -0.0), same_attribute(1, True)
    (True, False, False)
    """
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return same_bits(a, b)
    if isinstance(a, Type) and isinstance(b, Type):
        return same_type(a, b)
    if isinstance(a, dims.Symbolic) and isinstance(b, dims.Symbolic):
        return dims.same(a, b) is True
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same_attribute, a, b))
    return same_literal(a, b)


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays agree in dtype, shape and every bit.

    Examples
    --------
    >>> same_bits(np.array([np.nan, 0.0]), np.array([np.nan, 0.0]))
    True
    >>> same_bits(np.array(0.0), np.array(-0.0))
    False
    """
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    unsigned = f"u{a.dtype.itemsize}"
    # Where both repeat one element along an axis, that one stands for all.
    steps = zip(a.strides, b.strides, strict=True)
    once = tuple(slice(1 if one == other == 0 else None) for one, other in steps)
    return bool((a.view(unsigned)[once] == b.view(unsigned)[once]).all())


def _either(a: object, b: object) -> str:
    return f"{a} in one and {b} in the other"


def _described(value: Value) -> str:
    if _is_constant(value):
        return f"the constant {_short(value.owner.attrs['value'])}"  # type: ignore[union-attr]
    if isinstance(value.owner, Region):
        return f"argument {value.index}{f' {value.name}' if value.name else ''}"
    name = f" {value.name}" if value.name else ""
    return f"result {value.index}{name} of {value.owner.prim.name}"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.size <= INLINE else value.dtype.name + str([*value.shape])
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
