"""How may a primitive be called, going by what it says of itself?

Attributes are guessed by their names, operands by trying the type rule. A guess may be refused;
then another is made. `support.calls` holds what chance would not find; apart from that, new
families join by themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes, location
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.ir.types import TensorType, Type, f32
from support.calls import BY_PRIM, CALLS, NEVER, Attributes, any_axes, any_axis

Shape = tuple[int, ...]
Maker = Callable[[Random, Primitive, Sequence[Type]], Any]

MAX_ELEMENTS, MAX_AXES = 4096, 6


def guess_attributes(prim: Primitive, types: Sequence[Type], random: Random) -> Attributes:
    """Values for the attributes of `prim`; those with a default are left out now and then."""
    attrs = {}
    for name, default in prim.attributes.items():
        is_needed = default is inspect.Parameter.empty
        if name in MAKERS and (is_needed or random.random() < 0.6):
            attrs[name] = MAKERS[name](random, prim, types)
    if prim.name in BY_PRIM:
        attrs.update(BY_PRIM[prim.name](random, _first(types)))
    return attrs


def fitting(
    prim: Primitive, types: Sequence[Type], attrs: Attributes
) -> tuple[Attributes, tuple[Type, ...]] | None:
    """Attributes in canonical spelling and result types, where the type rule agrees.

    None where it does not, or a result is too large.
    """
    try:
        with location.at(None):  # an error with a location costs a look for its file
            full = prim.complete(types, attrs)
            results = prim.infer(types, full)
    except S2sadError:
        return None
    tensors = [t for t in results if isinstance(t, TensorType)]
    small = all(t.size <= MAX_ELEMENTS and t.ndim <= MAX_AXES for t in tensors)
    return (full, results) if small else None


# Attributes by name


def _first(types: Sequence[Type]) -> TensorType:
    return next((t for t in types if isinstance(t, TensorType)), f32)


def _of_first(make: Callable[[Random, TensorType], Any]) -> Maker:
    return lambda random, prim, types: make(random, _first(types))


def _any_of(*choices: Any) -> Maker:
    return lambda random, prim, types: random.choice(choices)


def _axis_or_axes(random: Random, prim: Primitive, types: Sequence[Type]) -> Any:
    return random.choice((any_axis, any_axes))(random, _first(types))


def _permutation(random: Random, first: TensorType) -> Shape:
    return tuple(random.sample(range(first.ndim), first.ndim))


def _shape(random: Random, first: TensorType) -> Shape:
    """A shape to reshape, broadcast or sum the operand to."""
    shape = first.shape
    ones = tuple(1 if random.random() < 0.5 else n for n in shape)
    longer = (2, *(3 if n == 1 else n for n in shape))
    return random.choice((shape[::-1], (first.size,), ones, longer, shape[1:]))


def _per_axis(low: int, high: int) -> Maker:
    return _of_first(lambda random, x: tuple(random.randint(low, high) for _ in x.shape))


def _text(random: Random, prim: Primitive, types: Sequence[Type]) -> str:
    """A text with a field for each operand that the primitive takes beyond the least."""
    return random.choice(("x", "{{", "é\n")) + " {}" * (len(types) - prim.least)


#: What an attribute of each name may be.
MAKERS: dict[str, Maker] = {
    "axis": _axis_or_axes,
    "axes": _of_first(any_axes),
    "concat_axis": _of_first(any_axis),
    "descending": _any_of(True, False),
    "depth": _any_of(0, 1, 3),
    "dtype": _any_of(*dtypes.ALL),
    "eps": _any_of(1e-3),
    "exclusive": _any_of(True, False),
    "format": _text,
    "high": _per_axis(0, 2),
    "k": _any_of(0, 1, 2),
    "keepdims": _any_of(True, False),
    "low": _per_axis(0, 2),
    "message": _text,
    "n": _any_of(0, 1, 2, 3),
    "name": _any_of("x", "a/b"),
    "of": _of_first(lambda random, x: x),
    "perm": _of_first(_permutation),
    "plugin": _any_of("tensor", "histogram"),
    "rate": _any_of(0.0, 0.25, 0.5),
    "repeats": _per_axis(0, 2),
    "reverse": _any_of(True, False),
    "root": _any_of(0),
    "seed": _any_of(0, 7, -1, 2**64 - 1),
    "shape": _of_first(_shape),
    "size": _any_of(1),
    "slope": _any_of(0.0, 0.01),
    "split_axis": _of_first(any_axis),
    "start": _per_axis(0, 1),
    "step": _per_axis(1, 2),
    "stop": _of_first(lambda random, x: tuple(random.randint(0, n) for n in x.shape)),
    "value": _any_of(0, 1, 0.5, -0.0),
}


# Primitives by how they are called; asked once, when all families are loaded.


def _is_plain(prim: Primitive) -> bool:
    """Whether it takes tensors to tensors and never fails here."""
    safe = not prim.has(Trait.FALLIBLE) or prim.name in CALLS
    is_call = prim.form is Form.CALL and not prim.has(Trait.EFFECT)
    return is_call and safe and not prim.name.startswith("stack_") and _can_guess(prim)


def _can_guess(prim: Primitive) -> bool:
    """Whether each attribute has a default or a maker."""
    if prim.name in BY_PRIM or prim.name in CALLS:
        return True
    defaults = prim.attributes.items()
    return all(name in MAKERS or value is not inspect.Parameter.empty for name, value in defaults)


@cache
def elementwise_prims() -> tuple[Primitive, ...]:
    found = [prim for prim in p.ALL.values() if prim.has(Trait.ELEMENTWISE) and _is_plain(prim)]
    return tuple(prim for prim in found if prim.most in (1, 2, 3) and signatures(prim))


@cache
def other_prims() -> tuple[Primitive, ...]:
    return tuple(
        prim for prim in p.ALL.values() if not prim.has(Trait.ELEMENTWISE) and _is_plain(prim)
    )


@cache
def nested_prims() -> tuple[Primitive, ...]:
    known = ("custom", "hook", "transform")
    return tuple(
        prim for prim in p.ALL.values()
        if prim.form is Form.NESTED
        and (prim.name in known or (len(prim.regions) == 1 and _can_guess(prim)))
    )  # fmt: skip


@cache
def effect_prims() -> tuple[Primitive, ...]:
    return tuple(
        prim for prim in p.ALL.values()
        if prim.has(Trait.EFFECT) and prim.form is Form.CALL and prim.name not in NEVER
        and _can_guess(prim)
    )  # fmt: skip


@cache
def signatures(prim: Primitive) -> dict[DType, list[tuple[DType, ...]]]:
    """Dtypes of operands that the type rule takes, by the first of them."""
    tried = list(product(dtypes.ALL, repeat=min(prim.least, 2)))
    if prim.least > 2:  # alike, or all but the first
        tried = [(first, *(rest,) * (prim.least - 1)) for first, rest in tried]
    found: dict[DType, list[tuple[DType, ...]]] = {}
    for signature in tried:
        types = [TensorType(dtype) for dtype in signature]
        if fitting(prim, types, guess_attributes(prim, types, Random(0))):
            found.setdefault(signature[0], []).append(signature)
    return found
