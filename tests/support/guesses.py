"""How may a primitive be called, going by what it says of itself?

Attributes are guessed by their names, operands by trying the type rule. A guess may be refused;
then another is made. `CALLS` and `BY_PRIM` hold what chance would not find; nothing else here
knows a primitive by name, so that new families join by themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes, location
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.ir.types import TensorType, Type, f32, f64, i64

Shape = tuple[int, ...]
Attributes = dict[str, Any]
Maker = Callable[[Random, Primitive, Sequence[Type]], Any]
Call = Callable[[Random], tuple[list[Any], Attributes]]

MAX_ELEMENTS, MAX_AXES = 4096, 6

#: They always fail, or need somebody outside: a feeder, another process.
NEVER = {"raise_", "queue_read", "send", "receive"}


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


def _axis(random: Random, first: TensorType) -> int:
    return random.randint(-first.ndim, max(first.ndim - 1, 0))


def _axes(random: Random, first: TensorType) -> Any:
    """One axis or several, as reductions take them; now and then all of them."""
    if random.random() < 0.3:
        return random.choice((None, _axis(random, first)))
    return tuple(random.sample(range(first.ndim), random.randint(0, first.ndim)))


def _axis_or_axes(random: Random, prim: Primitive, types: Sequence[Type]) -> Any:
    return random.choice((_axis, _axes))(random, _first(types))


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
    "axes": _of_first(_axes),
    "concat_axis": _of_first(_axis),
    "descending": _any_of(True, False),
    "depth": _any_of(0, 1, 3),
    "dtype": _any_of(*dtypes.ALL),
    "exclusive": _any_of(True, False),
    "format": _text,
    "high": _per_axis(0, 2),
    "keepdims": _any_of(True, False),
    "low": _per_axis(0, 2),
    "message": _text,
    "n": _any_of(0, 1, 2, 3),
    "of": _of_first(lambda random, x: x),
    "perm": _of_first(_permutation),
    "rate": _any_of(0.0, 0.25, 0.5),
    "repeats": _per_axis(0, 2),
    "reverse": _any_of(True, False),
    "root": _any_of(0),
    "seed": _any_of(0, 7, -1, 2**64 - 1),
    "shape": _of_first(_shape),
    "size": _any_of(1),
    "split_axis": _of_first(_axis),
    "start": _per_axis(0, 1),
    "step": _per_axis(1, 2),
    "stop": _of_first(lambda random, x: tuple(random.randint(0, n) for n in x.shape)),
    "value": _any_of(0, 1, 0.5, -0.0),
}


def _split(random: Random, x: TensorType) -> Attributes:
    axis = random.randrange(max(x.ndim, 1))
    size = x.shape[axis] if x.ndim else 0
    cut = random.randint(0, size)
    return {"axis": axis, "sizes": random.choice(((size,), (cut, size - cut)))}


def _roll(random: Random, x: TensorType) -> Attributes:
    axes = _axes(random, x)
    many = tuple(range(x.ndim)) if axes is None else axes
    shift = tuple(random.randint(-2, 4) for _ in many) if isinstance(many, tuple) else 1
    return {"axis": many, "shift": shift}


def _equation(random: Random, x: TensorType) -> Attributes:
    """For one or two operands, each with the axes of the first."""
    letters = "abcdef"[: x.ndim]
    left = random.choice((letters, f"{letters},{letters}"))
    return {"equation": f"{left}->{''.join(random.sample(letters, random.randint(0, x.ndim)))}"}


#: Attributes that depend on one another, by primitive, given the type of the first operand.
BY_PRIM: dict[str, Callable[[Random, TensorType], Attributes]] = {
    "einsum": _equation,
    "repeat": lambda random, x: {"repeats": random.randint(0, 3), "axis": _axis(random, x)},
    "roll": _roll,
    "split": _split,
}

_IMAGE, _FILTER, _SMALL = (1, 2, 4, 5), (2, 2, 3, 2), (1, 2, 2, 4)


def _windows(*shapes: Shape, **attrs: Any) -> Call:
    def make(random: Random) -> tuple[list[Any], Attributes]:
        dtype = random.choice((dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16))
        return [TensorType(dtype, shape) for shape in shapes], dict(attrs)

    return make


_ROWS, _COLUMN, _PLACES = np.array([1, -1]), np.array([[0], [3]]), np.array([[0, 1], [3, 2]])
_START = np.array(0)


def _indexed(*others: Any, **attrs: Any) -> Call:
    """A tensor of shape (4, 3), then tensors of other shapes and indices, all in range."""

    def make(random: Random) -> tuple[list[Any], Attributes]:
        dtype = random.choice(dtypes.ALL[:-1])
        values = [TensorType(dtype, x) if isinstance(x, tuple) else x for x in ((4, 3), *others)]
        return values, dict(attrs)

    return make


#: Whole calls that chance would not find: operand types, or arrays for constants; attributes.
CALLS: dict[str, Call] = {
    "avg_pool": _windows(_IMAGE, kernel=(2, 2)),
    "avg_pool_grad": _windows(_SMALL, kernel=(3, 2), input_shape=(4, 5)),
    "bernoulli": lambda random: ([i64[3], f64[2]], {}),
    "conv": _windows(_IMAGE, _FILTER),
    "conv_filter_grad": _windows(_IMAGE, _SMALL, kernel_shape=(3, 2)),
    "conv_input_grad": _windows(_SMALL, _FILTER, input_shape=(4, 5)),
    "conv_transpose": _windows(_SMALL, _FILTER),
    "dropout": lambda random: ([f32[2, 3], i64[3]], {"rate": 0.5}),
    "dynamic_slice": _indexed(_START, _START, sizes=(2, 3)),
    "gather": _indexed(_ROWS),
    "gather_elements": _indexed(_COLUMN, axis=0),
    "gather_nd": _indexed(_PLACES),
    "index_add": _indexed(_ROWS, (2, 3)),
    "index_update": _indexed(_ROWS, (2, 3)),
    "is_last_element": _indexed(_COLUMN, axis=0),
    "is_last_index": lambda random: ([_ROWS], {"size": 3}),
    "is_last_nd": lambda random: ([_PLACES], {"shape": (4, 3)}),
    "linear_recurrence": _windows((3, 2), (3, 2), axis=0),
    "matmul": _windows((2, 3), (3, 4)),
    "max_pool": _windows(_IMAGE, kernel=(2, 2)),
    "max_pool_argmax": _windows(_IMAGE, kernel=(2, 2)),
    "max_pool_grad": _windows(_IMAGE, (1, 2, 3, 4), kernel=(2, 2)),
    "random_bits": lambda random: ([i64[3]], {"shape": (2,)}),
    "random_fold": lambda random: ([i64[3], i64], {}),
    "random_int": lambda random: ([i64[3], np.array(-1), np.array(5)], {"shape": (2,)}),
    "random_normal": lambda random: ([i64[3]], {"shape": (2,)}),
    "random_permutation": lambda random: ([i64[3]], {"n": 4}),
    "random_uniform": lambda random: ([i64[3]], {"shape": (2,)}),
    "scatter_elements": _indexed(_COLUMN, (2, 1), axis=0),
    "scatter_nd": _indexed(_PLACES, (2,)),
    "update": _indexed((2, 2), _START, _START),
    "update_add": _indexed((2, 2), _START, _START),
}

#: What goes with the token, for effects that would fail on anything.
EFFECTS: dict[str, list[Any]] = {
    "assert_": [np.array(True)],
    "check_finite": [np.array([0.5, -0.0], np.float32)],
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
