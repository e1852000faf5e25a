"""Which laws does every primitive keep, and how is one held to them?

A `Spec` is one call. `check_laws` holds it to its type rule in every dtype that the rule accepts,
its adjoint to central differences to order two, its tangent to both, and the evaluation of a
program to the evaluation of the call.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import DType
from s2sad.ir.builder import as_tuple, build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Primitive, Trait
from s2sad.ir.types import TensorType, Type, type_of
from support.reverse import call_rule, float_places, gradient, is_float, jvp, vjp

Array = np.ndarray

FLOATS = (dtypes.float64, dtypes.float32, dtypes.float16, dtypes.bfloat16)
INTEGERS = (dtypes.int64, dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint8)

# The four-point difference errs by STEP**4 times the fifth derivative, and by eps / STEP.
STEP = 1e-3


#: Their rules ask for the dtype of values, so arrays cannot stand for these.
VALUES_ONLY = {"cast"}


@dataclass(frozen=True, eq=False)
class Spec:
    """One call of a primitive that keeps the laws.

    Attributes
    ----------
    prim : Primitive
    operands : tuple of array
        float64, int64 or bool; the laws recast them.
    attrs : dict
    gradient : bool
        False where differences say nothing: at a pole or a kink, with NaN, or where the result
        does not depend smoothly on the operand by design.
    positions : tuple of int, optional
        Operands to differentiate; all floats by default.
    tolerance : float
        Of differences, relative to the sum of the sizes of the terms, or absolute below one.
    """

    prim: Primitive
    operands: tuple[Array, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    gradient: bool = True
    positions: tuple[int, ...] | None = None
    tolerance: float = 1e-7

    def __str__(self) -> str:
        operands = [str(type_of(np.asarray(x))) for x in self.operands]
        attrs = [f"{name}={value}" for name, value in self.attrs.items()]
        return f"{self.prim.name}({', '.join([*operands, *attrs])})"


def check_laws(spec: Spec) -> None:
    """Hold `spec` to all laws that can hold there; an AssertionError says which one it breaks."""
    checked = [check_types(spec, operands) for operands in recast(spec.operands)]
    assert any(checked), f"{spec}: the type rule accepts no dtype"
    places = _places(spec)
    results = _arrays(spec.prim(*spec.operands, **spec.attrs))
    if not places or not float_places([type_of(x) for x in results]):
        return
    check_rules(spec, places)
    if spec.gradient:
        finite = all(np.isfinite(x).all() for x in results if x.dtype == np.float64)
        assert finite, f"{spec}: the result is not finite, so say gradient=False"
        if spec.prim.nondiff is None or "piecewise constant" in spec.prim.nondiff:
            check_derivatives(spec, places)


def _places(spec: Spec) -> tuple[int, ...]:
    floats = float_places([type_of(np.asarray(x)) for x in spec.operands])
    return floats if spec.positions is None else spec.positions


def recast(operands: Sequence[Array]) -> Iterator[list[Array]]:
    """`operands` with all floats in each float dtype, then all integers in each other integer."""
    arrays = [np.asarray(x) for x in operands]
    kinds = {x.dtype.kind for x in arrays}
    for dtype in FLOATS if "f" in kinds else FLOATS[:1]:
        yield [_frozen(dtypes.narrow(x, dtype)) if x.dtype.kind == "f" else x for x in arrays]
    for dtype in INTEGERS[1:] if "i" in kinds else ():
        if all(_fits(x, dtype) for x in arrays if x.dtype.kind == "i"):
            yield [_frozen(x.astype(dtype.storage)) if x.dtype.kind == "i" else x for x in arrays]


def _fits(array: Array, dtype: DType) -> bool:
    return np.array_equal(array.astype(dtype.storage), array)


def _frozen(array: Array) -> Array:
    """A read-only array: a meaning that writes into an operand fails."""
    array = array.view()
    array.flags.writeable = False
    return array


def check_types(spec: Spec, operands: list[Array]) -> bool:
    """Whether the type rule accepts these operands; if so, its promises are checked."""
    prim, types = spec.prim, [type_of(x) for x in operands]
    promised = promise(prim, types, spec.attrs)
    if promised is None:
        return False
    attrs = prim.complete(types, spec.attrs)
    assert prim.complete(types, attrs) == attrs, f"{spec}: the canonical spelling changes again"
    _check_meaning(spec, operands, attrs, promised)
    results = _arrays(prim(*operands, **spec.attrs))
    assert tuple(type_of(x) for x in results) == promised, f"{spec}: not the promised types"
    program = build_function(lambda *v: prim(*v, **spec.attrs), types)
    for one, other in zip(results, evaluate(program, operands), strict=True):
        assert identical(one, other), f"{spec}: the program differs from the call, {types}"
    _check_rounding(spec, operands, results)
    if _places(spec) and dtypes.float64 not in [_dtype(t) for t in types]:
        vjp(program, _places(spec))  # that its types fit; numbers are checked in float64
        jvp(program, _places(spec))
    return True


def _dtype(type: Type) -> DType | None:
    return type.dtype if isinstance(type, TensorType) else None


def promise(
    prim: Primitive, types: Sequence[Type], attrs: dict[str, Any]
) -> tuple[Type, ...] | None:
    """Result types by the type rule, or None where it refuses the dtypes (E0301)."""
    try:
        return prim.infer(types, prim.complete(types, attrs))
    except S2sadError as error:
        if error.code != "E0301":
            raise
        return None


def _check_meaning(
    spec: Spec, operands: list[Array], attrs: dict[str, Any], promised: tuple[Type, ...]
) -> None:
    """The meaning itself gives the promised dtype and shape; `run` must have nothing to mend."""
    prim = spec.prim
    raw = prim.has(Trait.MOVES) or prim.is_composite
    with np.errstate(all="ignore"):
        results = prim.meaning(*(operands if raw else map(dtypes.widen, operands)), **attrs)
    for result, type in zip(_arrays(results), promised, strict=True):
        if not isinstance(type, TensorType):
            continue
        assert result.shape == type.shape, f"{spec}: the meaning gives {result.shape}, not {type}"
        allowed = {type.dtype.storage if raw else type.dtype.compute.storage}
        if type.dtype.is_narrow and not raw:
            allowed.add(np.dtype(np.float64))
        assert result.dtype in allowed, f"{spec}: the meaning gives {result.dtype}, not {type}"
        if not raw or prim.in_place is not None:  # a backend may overwrite such results
            shared = any(np.shares_memory(result, x) for x in operands)
            assert result.flags.writeable and not shared, f"{spec}: the result is no fresh array"


def _check_rounding(spec: Spec, operands: list[Array], results: Sequence[Array]) -> None:
    """Narrow results are those of float32, rounded once; composites round at each step."""
    narrow = any(is_float(t) and _dtype(t).is_narrow for t in map(type_of, operands))  # type: ignore[union-attr]
    if not narrow or spec.prim.is_composite:
        return
    wide = [dtypes.widen(x) for x in operands]
    if promise(spec.prim, [type_of(x) for x in wide], spec.attrs) is None:
        return
    for one, other in zip(results, _arrays(spec.prim(*wide, **spec.attrs)), strict=True):
        dtype = dtypes.BY_STORAGE[one.dtype]
        if dtype.is_float and one.dtype != other.dtype:
            other = np.asarray(dtypes.narrow(other, dtype))
        assert identical(one, other), f"{spec}: a narrow result is not the rounded wide one"


def check_rules(spec: Spec, places: Sequence[int]) -> None:
    """Adjoint and tangent, also at poles and NaN: their types, and that values give what arrays do.

    Of narrow floats `check_types` builds the programs, so there the types are checked as well.
    """
    rng = np.random.default_rng(zlib.crc32(str(spec).encode()))
    operands = [np.asarray(x) for x in spec.operands]
    program = build_function(lambda *v: spec.prim(*v, **spec.attrs), [type_of(x) for x in operands])
    results = evaluate(program, operands)
    outs = float_places(program.result_types)
    douts = {i: _like(_direction(rng, results[i]), results[i]) for i in outs}
    dots = {i: _like(_direction(rng, operands[i]), operands[i]) for i in places}
    pulled = evaluate(gradient(program, places), [*operands, *douts.values()])
    pushed = evaluate(jvp(program, places), [*operands, *dots.values()])[len(results) :]
    for found, like in zip(pulled, [operands[i] for i in places], strict=True):
        assert (found.dtype, found.shape) == (like.dtype, like.shape), f"{spec}: adjoint"
    for found, like in zip(pushed, [results[i] for i in outs], strict=True):
        assert (found.dtype, found.shape) == (like.dtype, like.shape), f"{spec}: tangent"
    prim = spec.prim
    # On 0-d arrays NumPy's operators give scalars, which prims take for Python numbers.
    if prim.nondiff or prim.name in VALUES_ONLY or not all(x.ndim for x in (*operands, *results)):
        return
    out = _single(results)
    if prim.adjoint_rule is not None:
        dout = _single([douts.get(i) for i in range(len(results))])
        _check_on_arrays(spec, prim.adjoint_rule, (*operands, out, dout), places, pulled)
    if prim.tangent_rule is not None:
        tangents = tuple(dots.get(i) for i in range(len(operands)))
        _check_on_arrays(spec, prim.tangent_rule, (*operands, out, tangents), outs, pushed)


def _like(array: Array, like: Array) -> Array:
    """`array` in the dtype of `like`; results may be narrow where operands are not."""
    return np.asarray(dtypes.narrow(array, dtypes.BY_STORAGE[like.dtype]))


def _check_on_arrays(
    spec: Spec, rule: Callable[..., Any], values: Sequence[Any],
    places: Sequence[int], expected: Sequence[Array],
) -> None:  # fmt: skip
    """`rule` called on arrays gives, at each of `places`, what its program gave."""
    attrs = spec.prim.complete([type_of(np.asarray(x)) for x in spec.operands], spec.attrs)
    with np.errstate(all="ignore"):
        found = as_tuple(call_rule(rule, values, attrs))
    for place, wanted in zip(places, expected, strict=True):
        one = np.zeros_like(wanted) if found[place] is None else np.asarray(found[place])
        if one.shape != wanted.shape:
            one = p.sum_to(one, shape=wanted.shape)
        assert identical(one, wanted), f"{spec}: {rule.__name__} on arrays gives {one} at {place}"


def _single(items: Sequence[Any]) -> Any:
    return items[0] if len(items) == 1 else tuple(items)


def check_derivatives(spec: Spec, places: Sequence[int]) -> None:
    """Adjoint to order two, and tangent, in float64 at the operands of `spec`."""
    rng = np.random.default_rng(zlib.crc32(str(spec).encode()))
    operands = [np.asarray(x) for x in spec.operands]
    program = build_function(lambda *v: spec.prim(*v, **spec.attrs), [type_of(x) for x in operands])
    outs = float_places(program.result_types)
    results = [evaluate(program, operands)[i] for i in outs]
    douts = [_direction(rng, x) for x in results]
    pulled = gradient(program, places)
    first = evaluate(pulled, [*operands, *douts])
    for place, cotangent in zip(places, first, strict=True):
        dots = {place: _direction(rng, operands[place])}
        _check_pairing(spec, f"adjoint {place}", _slope(program, outs, operands, dots), douts,
                       [cotangent], dots)  # fmt: skip
    _check_tangent(spec, rng, program, places, douts, first)
    _check_second(spec, rng, pulled, places, [*operands, *douts])


def _check_second(
    spec: Spec, rng: Any, pulled: Function, places: Sequence[int], inputs: list[Array]
) -> None:
    """The adjoint of the adjoint, with respect to the operands and to ``dout``."""
    count = len(spec.operands)
    wrt = (*places, *range(count, len(inputs)))
    weights = [_direction(rng, inputs[i]) for i in places]
    second = evaluate(gradient(pulled, wrt), [*inputs, *weights])
    outs = tuple(range(len(places)))
    for group in ([i] for i in places), [list(range(count, len(inputs)))]:
        for some in group:
            dots = {i: _direction(rng, inputs[i]) for i in some}
            cotangents = [second[wrt.index(i)] for i in some]
            slope = _slope(pulled, outs, inputs, dots)
            _check_pairing(spec, f"second adjoint {some}", slope, weights, cotangents, dots)


def _check_tangent(
    spec: Spec, rng: Any, program: Function, places: Sequence[int],
    douts: list[Array], first: Sequence[Array],
) -> None:  # fmt: skip
    """The tangent against differences, and against the adjoint: ``<dout, t> = <dx, dx_dot>``."""
    operands = [np.asarray(x) for x in spec.operands]
    outs = float_places(program.result_types)
    for some in {tuple(places), *((i,) for i in places)}:
        dots = {i: _direction(rng, operands[i]) for i in some}
        pushed = evaluate(jvp(program, some), [*operands, *dots.values()])[-len(outs) :]
        for found, slope in zip(pushed, _slope(program, outs, operands, dots), strict=True):
            scale = max(1.0, float(np.abs(slope).max(initial=0.0)))
            worst = float(np.abs(found - slope).max(initial=0.0))
            assert worst <= spec.tolerance * scale, f"{spec}: tangent {some} errs by {worst:g}"
        cotangents = [first[places.index(i)] for i in some]
        _check_pairing(spec, f"tangent {some}", pushed, douts, cotangents, dots, 1e-10)


def _check_pairing(
    spec: Spec, what: str, slope: Sequence[Array], weights: Sequence[Array],
    cotangents: Sequence[Array], dots: dict[int, Array], tolerance: float | None = None,
) -> None:  # fmt: skip
    """``<weights, slope> = <cotangents, dots>``."""
    left = [np.ravel(w * s) for w, s in zip(weights, slope, strict=True)]
    right = [np.ravel(c * d) for c, d in zip(cotangents, dots.values(), strict=True)]
    expected, found = float(np.concatenate(left).sum()), float(np.concatenate(right).sum())
    scale = max(1.0, float(np.abs(np.concatenate(left)).sum()))
    allowed = (spec.tolerance if tolerance is None else tolerance) * scale
    assert abs(found - expected) <= allowed, f"{spec}: {what} gives {found}, expected {expected}"


def _slope(
    program: Function, outs: Sequence[int], inputs: Sequence[Array], dots: dict[int, Array]
) -> list[Array]:
    """Directional derivative of the results `outs` along `dots`, by a four-point difference."""

    def at(step: float) -> list[Array]:
        moved = list(inputs)
        for i, dot in dots.items():
            moved[i] = inputs[i] + step * dot
        results = evaluate(program, moved)
        return [results[i] for i in outs]

    far = zip(at(2 * STEP), at(-2 * STEP), strict=True)
    near = zip(at(STEP), at(-STEP), strict=True)
    return [(8 * (a - b) - (c - d)) / (12 * STEP) for (a, b), (c, d) in zip(near, far, strict=True)]


def _direction(rng: Any, like: Array) -> Array:
    """Random sizes between a half and one, random signs: no element is left out."""
    return np.asarray(rng.uniform(0.5, 1.0, like.shape) * rng.choice([-1.0, 1.0], like.shape))


def _arrays(results: Any) -> list[Array]:
    return [x if isinstance(x, list) else np.asarray(x) for x in as_tuple(results)]


def identical(one: Array, other: Array) -> bool:
    """Same dtype, shape and bits; any NaN equals any other."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if not dtypes.BY_STORAGE[one.dtype].is_float:
        return np.array_equal(one, other)
    bits = f"u{one.dtype.itemsize}"
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    both_nan = np.isnan(dtypes.widen(one)) & np.isnan(dtypes.widen(other))
    return bool(((one.view(bits) == other.view(bits)) | both_nan).all())


def check_values(found: Any, expected: Any) -> None:
    """`found` has the dtype, shape and bits of `expected`; any NaN equals any other."""
    found, expected = np.asarray(found), np.asarray(expected)
    same = identical(found, expected)
    assert same, f"found {found!r} {found.dtype}, expected {expected!r} {expected.dtype}"


# Array makers. The numbers depend on the calling module and on how many it has made before, so a
# table of specs is the same in every run, whatever else is imported.

#: Floats at which things go wrong.
EDGES = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, 2.5, 1e-300, -1e300])


def _generator() -> np.random.Generator:
    frame = sys._getframe(2)
    while frame.f_globals["__name__"] == __name__ and frame.f_back is not None:
        frame = frame.f_back
    module = frame.f_globals  # counted there, so that a second import counts anew
    module["_arrays_made"] = module.get("_arrays_made", 0) + 1
    file = Path(module.get("__file__", "prompt")).stem
    return np.random.default_rng([zlib.crc32(file.encode()), module["_arrays_made"]])


def normal(*shape: int) -> Array:
    """Normal numbers, none nearer to 0 than 0.05: there are kinks."""
    rng = _generator()
    values = rng.standard_normal(shape)
    return np.asarray(values + np.copysign(0.05, values))


def positive(*shape: int) -> Array:
    """Numbers between 0.5 and 2."""
    return np.asarray(_generator().uniform(0.5, 2.0, shape))


def uniform(*shape: int, low: float = -1.0, high: float = 1.0) -> Array:
    """Numbers between `low` and `high`."""
    return np.asarray(_generator().uniform(low, high, shape))


def integers(*shape: int, low: int = -5, high: int = 6) -> Array:
    """int64 from `low` up to and without `high`."""
    return np.asarray(_generator().integers(low, high, shape))


def booleans(*shape: int) -> Array:
    """Random truth values, of both kinds where there is room."""
    values = _generator().integers(0, 2, shape).astype(bool)
    if values.size > 1:
        values.flat[:2] = [True, False]
    return np.asarray(values)


def unary(prim: Primitive, make: Callable[..., Array]) -> list[Spec]:
    """Specs of an elementwise operation on one operand: shaped, 0-d, empty."""
    return [Spec(prim, (make(*shape),)) for shape in ((2, 3), (), (0, 3))]


def binary(
    prim: Primitive, make_x: Callable[..., Array], make_y: Callable[..., Array]
) -> list[Spec]:
    """Specs of an elementwise operation on two operands: equal shapes, broadcast, 0-d, empty."""
    shapes = (((2, 3), (2, 3)), ((2, 1), (3,)), ((), (2,)), ((), ()), ((0, 3), (3,)))
    return [Spec(prim, (make_x(*x), make_y(*y))) for x, y in shapes]


def edges(*prims: Primitive, count: int = 1) -> list[Spec]:
    """Specs of elementwise operations on `count` operands, at all pairs of `EDGES`."""
    operands = [EDGES, EDGES[:, None], EDGES[:, None, None]][:count]
    return [Spec(prim, tuple(operands), gradient=False) for prim in prims]


def distinct(*shape: int) -> Array:
    """Shuffled numbers that differ by more than 0.1."""
    rng = _generator()
    count = int(np.prod(shape))
    values = (rng.permutation(count) - (count - 1) / 2) * 0.2 + rng.uniform(-0.04, 0.04, count)
    return np.asarray(values.reshape(shape))
