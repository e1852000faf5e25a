"""What attributes could a primitive take, going by their names?

A table of makers by attribute name. A guess may be refused by the type rule; then another is
made. A primitive with an attribute that has neither a maker nor a default is refused with E0302.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import TensorType, Type

Shape = tuple[int, ...]
Maker = Callable[[Random, TensorType], Any]


def guess_attributes(prim: Primitive, types: Sequence[Type], random: Random) -> dict[str, Any]:
    """Values for the attributes of `prim`; those with a default are left out now and then."""
    tensors = [t for t in types if isinstance(t, TensorType)]
    first = tensors[0] if tensors else TensorType(dtypes.float32)
    attrs = {}
    for name, default in prim.attributes.items():
        maker, is_needed = MAKERS.get(name), default is inspect.Parameter.empty
        if maker is None and is_needed:
            raise fail("E0302", f"no guess for the attribute {name!r} of {prim.name}")
        if maker is not None and (is_needed or random.random() < 0.6):
            attrs[name] = maker(random, first)
    return attrs


def can_guess(prim: Primitive) -> bool:
    """Whether each attribute of `prim` has a default or a maker."""
    defaults = prim.attributes.items()
    return all(name in MAKERS or value is not inspect.Parameter.empty for name, value in defaults)


def _axis(random: Random, first: TensorType) -> int:
    return random.randint(-first.ndim, max(first.ndim - 1, 0))


def _axes(random: Random, first: TensorType) -> Any:
    """One axis or several, as reductions take them; now and then all of them."""
    if random.random() < 0.3:
        return random.choice((None, _axis(random, first)))
    return tuple(random.sample(range(first.ndim), random.randint(0, first.ndim)))


def _permutation(random: Random, first: TensorType) -> Shape:
    return tuple(random.sample(range(first.ndim), first.ndim))


def _shape(random: Random, first: TensorType) -> Shape:
    """A shape to reshape, broadcast or sum the operand to."""
    shape = first.shape
    ones = tuple(1 if random.random() < 0.5 else n for n in shape)
    longer = (2, *(3 if n == 1 else n for n in shape))
    return random.choice((shape[::-1], (first.size,), ones, longer, shape[1:]))


def _per_axis(low: int, high: int) -> Maker:
    def make(random: Random, first: TensorType) -> Shape:
        return tuple(random.randint(low, high) for _ in first.shape)

    return make


def _stop(random: Random, first: TensorType) -> Shape:
    return tuple(random.randint(0, n) for n in first.shape)


def _any_of(*choices: Any) -> Maker:
    return lambda random, first: random.choice(choices)


#: What an attribute of each name may be, given the type of the first operand.
MAKERS: dict[str, Maker] = {
    "axis": _axes,
    "axes": _axes,
    "keepdims": _any_of(True, False),
    "perm": _permutation,
    "shape": _shape,
    "dtype": _any_of(*dtypes.ALL),
    "value": _any_of(0, 1, 0.5, -0.0),
    "low": _per_axis(0, 2),
    "high": _per_axis(0, 2),
    "start": _per_axis(0, 1),
    "stop": _stop,
    "step": _per_axis(1, 2),
    "repeats": _per_axis(0, 2),
    "exclusive": _any_of(True, False),
    "reverse": _any_of(True, False),
    "descending": _any_of(True, False),
    "of": lambda random, first: first,
}
