"""Does C compute every primitive, in every dtype that it takes, as its meaning says?

What is one operation of IEEE 754, or moves elements, must give the bits of NumPy's meaning; the
rest a few units in the last place of the largest result. And both must be near float64.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from random import Random
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.builder import as_tuple, build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Value
from s2sad.ir.primitive import Primitive, Trait
from s2sad.ir.types import TensorType, type_of
from s2sad.passes.base import run_passes
from s2sad.passes.decompose import Decompose, every
from s2sad.passes.fuse import Fuse
from support.c_programs import built, far, is_exact, outcome, wide
from support.differential import same
from support.guesses import elementwise_prims, guess_attributes, signatures
from support.laws import Spec, promise, recast
from support.random_values import edge_values
from support.specs import all_specs

#: Files of C of which all cases are compiled.
PARTS = 12
#: Of how many cases the usual run takes one.
SAMPLE = 12
#: Units in the last place by which C may differ from NumPy's meaning, and both from float64.
NEAR = 4.0
#: What they draw depends on the dtype.
BY_DTYPE = (p.bernoulli, p.dropout)


@dataclass(eq=False)
class Case:
    """A call of a primitive on operands of some dtypes."""

    spec: Spec
    operands: list[np.ndarray]
    function: Function

    def __str__(self) -> str:
        return f"{self.spec} with {', '.join(str(type_of(x)) for x in self.operands)}"

    def meaning(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        return evaluate(self.function, inputs)

    def wrong(self, run: Any) -> list[str]:
        """How what `run` gives differs from the meaning, and from float64."""
        (found, _), (expected, _) = (
            outcome(run, self.operands),
            outcome(self.meaning, self.operands),
        )
        if isinstance(found, Exception) or isinstance(expected, Exception):
            is_same = type(found) is type(expected) and str(found) == str(expected)
            return [] if is_same else [f"{self}: {found!r}, not {expected!r}"]
        said = [self._compared(*pair) for pair in zip(found, expected, strict=True)]
        said += [far(*pair, NEAR) for pair in zip(found, self._in_float64(), strict=False)]
        return [f"{self}: {each}" for each in said if each]

    def _compared(self, found: Any, expected: Any) -> str:
        if all(map(is_exact, self.function.walk())):
            return "" if same(found, expected) else f"{found}, not {expected}"
        is_element = self.spec.prim.has(Trait.ELEMENTWISE) and not self.spec.prim.is_composite
        return far(found, expected, NEAR, by_element=is_element)

    def _in_float64(self) -> list[Any]:
        """What the meaning gives for operands in float64, rounded to the dtypes of the results."""
        prim = self.spec.prim
        if not self._is_single or "dtype" in prim.attributes or prim in BY_DTYPE:
            return []
        operands = [wide(x) if dtypes.BY_STORAGE[x.dtype].is_float else x for x in self.operands]
        found = prim(*operands, **self.spec.attrs)
        pairs = zip(as_tuple(found), self.function.result_types, strict=True)
        with np.errstate(all="ignore"):
            return [_narrowed(array, type_) for array, type_ in pairs]

    @property
    def _is_single(self) -> bool:
        """Whether it computes floats, and none in float64."""
        types = [*map(type_of, self.operands), *self.function.result_types]
        floats = [t.dtype for t in types if isinstance(t, TensorType) and t.dtype.is_float]
        return bool(floats) and dtypes.float64 not in floats


def _narrowed(array: Any, type_: Any) -> Any:
    is_float = isinstance(type_, TensorType) and type_.dtype.is_float
    return np.asarray(dtypes.narrow(np.asarray(array), type_.dtype)) if is_float else array


@cache
def cases() -> list[Case]:
    """All calls of the law tests, in all dtypes that the type rules take."""
    return list(_cases())


def _cases() -> Iterator[Case]:
    for spec in all_specs():
        if spec.prim.regions:
            continue
        for operands in recast(spec.operands):
            types = [type_of(x) for x in operands]
            if promise(spec.prim, types, spec.attrs) is None:
                continue
            function = build_function(lambda *v, s=spec: s.prim(*v, **s.attrs), types)
            run_passes(function, [Decompose(every, keep=("max_pool_grad",))])
            yield Case(spec, operands, function)


def sample() -> list[Case]:
    """Always the same ones, and one at least of each primitive."""
    each = {case.spec.prim.name: case for case in cases()}
    more = (case for case in cases() if zlib.crc32(str(case).encode()) % SAMPLE == 0)
    return list(dict.fromkeys([*each.values(), *more]))


def check(some: Sequence[Case], *, quickly: bool) -> None:
    runs = built([case.function for case in some], quickly=quickly)
    wrong = [case.wrong(run.run) for case, run in zip(some, runs, strict=True)]
    assert list(chain.from_iterable(wrong)) == []


def test_a_sample():
    check(sample(), quickly=True)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all(part):
    check(cases()[part::PARTS], quickly=False)


# ---- elements at the edges -------------------------------------------------------------------


@cache
def edge_cases() -> list[Case]:
    """Elementwise primitives at all pairs of edge values, as inputs and as constants."""
    return list(_all_edge_cases())


def _all_edge_cases() -> Iterator[Case]:
    for prim in elementwise_prims():
        for choices in signatures(prim).values():
            for given in choices:
                if len(given) <= 2 and not prim.is_composite:
                    yield from _edge_cases(prim, given)


def _edge_cases(prim: Primitive, given: Sequence[DType]) -> Iterator[Case]:
    arrays = [np.array([False, True]) if d is dtypes.bool_ else edge_values(d) for d in given]
    arrays[0] = arrays[0].reshape(-1, 1)
    types = [type_of(x) for x in arrays]
    spec = Spec(prim, tuple(arrays), guess_attributes(prim, types, Random(0)))
    yield Case(spec, arrays, build_function(lambda *v: prim(*v, **spec.attrs), types))
    if len(given) == 2:
        for number in arrays[1]:
            constant = np.asarray(number)
            function = build_function(
                lambda x, c=constant: prim(x, p.const(c, type_of(c)), **spec.attrs), types[:1]
            )
            yield Case(spec, arrays[:1], function)


def test_a_sample_of_edges():
    check_edges(edge_cases()[::SAMPLE])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_edges(part):
    check_edges(edge_cases()[part::PARTS])


def check_edges(some: Sequence[Case]) -> None:
    wrong = []
    for case, run in zip(some, built([case.function for case in some]), strict=True):
        found, expected = (
            outcome(run.run, case.operands)[0],
            outcome(case.meaning, case.operands)[0],
        )
        wrong += [f"{case}: {said}" for said in [case._compared(found[0], expected[0])] if said]
    assert wrong == []


# ---- fused, and rounded at every operation -----------------------------------------------------

_UNARY = (p.neg, p.abs, p.sqrt, p.floor, p.square, p.sign)
_BINARY = (p.add, p.sub, p.mul, p.div, p.maximum, p.minimum)


def chain_of(random: Random, x: Value, y: Value, row: Value) -> list[Value]:
    """Operations of which each rounds, some on moved, broadcast and converted elements."""
    pool = [x, y, row]
    for _ in range(random.randint(4, 12)):
        one, other = random.choice(pool[-4:]), random.choice(pool)
        kind = random.random()
        if kind < 0.25:
            made = random.choice(_UNARY)(one)
        elif kind < 0.75:
            made = random.choice(_BINARY)(one, other)
        elif kind < 0.85:
            made = p.where(p.less(one, other), one, other)
        elif kind < 0.9:
            made = p.cast(p.cast(one, dtype=dtypes.float32), dtype=x.dtype)
        elif kind < 0.95:
            made = p.flip(one, axis=(0,))
        else:
            made = p.sub(one, p.reduce_max(one, axis=(one.type.ndim - 1,), keepdims=True))
        pool.append(made)
    return pool[-2:]


def chains(dtype: DType, count: int) -> Iterator[tuple[Function, list[np.ndarray]]]:
    for seed in range(count):
        random, rng = Random(seed), np.random.default_rng(seed)
        shapes = ((5, 7), (5, 7), (7,))
        arrays = [np.asarray(dtypes.narrow(rng.normal(size=n) * 3, dtype)) for n in shapes]
        write: Callable[..., Any] = lambda *v, r=random: chain_of(r, *v)  # noqa: E731
        yield build_function(write, [type_of(x) for x in arrays]), arrays


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16, dtypes.float32], ids=str)
def test_fused_chains_round_at_every_operation(dtype):
    made = list(chains(dtype, 25))
    expected = [evaluate(function, arrays) for function, arrays in made]
    for function, _ in made:
        run_passes(function, [Decompose(), Fuse()])
    sizes = [
        len(op.regions["body"].operations)
        for function, _ in made for op in function.walk() if op.prim.name == "fused"
    ]  # fmt: skip
    assert len(sizes) >= 25 and max(sizes) >= 8, "these are no chains"
    for (function, arrays), wanted, run in zip(
        made, expected, built([function for function, _ in made], quickly=False), strict=True
    ):
        found = run.run(arrays)
        assert all(map(same, found, wanted)), function
