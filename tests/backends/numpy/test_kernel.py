"""Is what ownership relies on true of every primitive, and do kernels give what meanings give?

Ownership believes that a primitive without `Trait.MOVES` makes new arrays, each of its own, that
those in `COPYING` do, and that in-place forms write what `run` gives, in the layout that it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.numpy.kernel import indices, kernel, overwrite, read_only
from s2sad.backends.numpy.ownership import COPYING
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import as_tuple, build_function
from s2sad.ir.primitive import Primitive, Trait
from s2sad.ir.types import TokenType, bf16, f32, f64, type_of
from support.laws import Spec, identical, promise, recast
from support.specs import all_specs

SPECS = all_specs()


def calls(spec: Spec) -> Iterator[tuple[list[Any], dict[str, Any], tuple[Any, ...]]]:
    """Read-only operands as the meaning takes them, attributes, result types."""
    for recasted in recast(spec.operands):
        operands = [read_only(x) for x in recasted]
        types = [type_of(x) for x in operands]
        promised = promise(spec.prim, types, spec.attrs)
        if promised is not None:
            yield operands, spec.prim.complete(types, spec.attrs), promised


def results_of(prim: Primitive, operands: list[Any], attrs: dict[str, Any]) -> list[np.ndarray]:
    raw = prim.has(Trait.MOVES) or prim.is_composite
    wide = operands if raw else [dtypes.widen(x) for x in operands]
    with np.errstate(all="ignore"):
        found = as_tuple(prim.meaning(*wide, **attrs))
    return [np.asarray(x) for x in found if not isinstance(x, TokenType)]


def overlaps_itself(array: np.ndarray) -> bool:
    axes = zip(array.shape, array.strides, strict=True)
    return array.size > 0 and any(n > 1 and step == 0 for n, step in axes)


def makes_new_arrays(prim: Primitive) -> bool:
    moves = prim.has(Trait.MOVES) and prim not in COPYING and prim.in_place is None
    return not (moves or prim.is_composite or prim.regions or prim.has(Trait.EFFECT))


@pytest.mark.parametrize("spec", [s for s in SPECS if makes_new_arrays(s.prim)], ids=str)
def test_new_arrays_share_no_memory(spec):
    for operands, attrs, _ in calls(spec):
        first, again = (results_of(spec.prim, operands, attrs) for _ in range(2))
        for result in first:
            assert not any(np.shares_memory(result, x) for x in operands), "with an operand"
            assert not any(np.shares_memory(result, x) for x in again), "with another call"
            assert not (result.flags.writeable and overlaps_itself(result)), "within itself"
        for one, other in combinations(first, 2):
            assert not np.shares_memory(one, other), "two results"


@pytest.mark.parametrize("spec", [s for s in SPECS if s.prim.has(Trait.MOVES)], ids=str)
def test_a_view_of_a_read_only_array_is_read_only(spec):
    for operands, attrs, _ in calls(spec):
        for result in results_of(spec.prim, operands, attrs):
            if any(np.shares_memory(result, x) for x in operands):
                assert not result.flags.writeable
            assert not (result.flags.writeable and overlaps_itself(result))


def test_copying_primitives_are_among_those_that_are_tested():
    assert {s.prim for s in SPECS} >= COPYING
    assert all(prim.has(Trait.MOVES) for prim in COPYING)


@pytest.mark.parametrize("spec", [s for s in SPECS if s.prim.in_place is not None], ids=str)
def test_an_in_place_form_writes_what_run_gives(spec):
    for operands, attrs, types in calls(spec):
        (expected,) = spec.prim.run(operands, attrs, types)
        assert expected.flags.c_contiguous, "its layout differs from what was overwritten"
        target = np.array(operands[0], order="C")
        with np.errstate(all="ignore"):
            assert spec.prim.in_place(target, *operands[1:], **attrs) is None
        assert identical(target, expected)


IN_PLACE = [prim for prim in p.ALL.values() if prim.in_place is not None]


@pytest.mark.parametrize("prim", IN_PLACE, ids=str)
def test_an_in_place_form_refuses_before_it_writes(prim):
    indexed = [s for s in SPECS if s.prim is prim and "i64" in str(s)]
    spec = next(s for s in indexed if any(x.dtype == np.int64 for x in s.operands[1:]))
    for place, operand in enumerate(spec.operands[1:], start=1):
        if operand.dtype != np.int64 or not operand.size:
            continue
        operands = list(spec.operands)
        operands[place] = operand.copy()
        operands[place][(-1,) * operand.ndim] = 1000
        target = np.array(operands[0])
        attrs = prim.complete([type_of(x) for x in operands], spec.attrs)
        with pytest.raises(S2sadError, match="E0501"):
            prim.in_place(target, *operands[1:], **attrs)
        assert identical(target, operands[0])


def test_there_are_in_place_forms():
    assert {p.index_add, p.index_update, p.update, p.update_add} <= set(IN_PLACE)


def one_call(prim: Primitive, *types: Any, **attrs: Any) -> Any:
    """The operation that `prim` is on values of `types`."""
    function = build_function(lambda *values: prim(*values, **attrs), types)
    return function.body.operations[-1]


def test_narrow_floats_are_rounded_once():
    operation = one_call(p.sigmoid, bf16[3])
    x = dtypes.f32_to_bf16(np.array([0.1, -3.0, np.nan], np.float32))
    assert identical(kernel(operation, in_place=False)(x), p.sigmoid(x))


def test_scalars_become_arrays():
    operation = one_call(p.update, f64, f64)
    found = kernel(operation, in_place=False)(np.float64(1.0), np.float64(2.0))
    assert identical(np.asarray(found), np.array(2.0))
    found = kernel(operation, in_place=True)(np.float64(1.0), np.float64(2.0))
    assert identical(found, np.array(2.0))


def test_one_result_is_no_tuple():
    operation = one_call(p.squeeze, f32[1, 2], axis=0)
    found = kernel(operation, in_place=False)(np.ones((1, 2), np.float32), axis=(0,))
    assert found.shape == (2,)


def _fill(x: np.ndarray) -> None:
    x[...] = 1


@pytest.mark.parametrize(
    "target",
    [read_only(np.zeros((2, 3))), np.zeros((3, 2)).T, np.zeros((2, 6))[:, ::2],
     np.broadcast_to(np.zeros(3), (2, 3))],
    ids=["read-only", "transposed", "with gaps", "broadcast"],
)  # fmt: skip
def test_what_cannot_be_overwritten_is_computed(target):
    found = overwrite(_fill, lambda x: np.ones(x.shape), target)
    assert found.all()
    assert not target.any()


def test_what_can_is_overwritten():
    target = np.zeros((2, 3))
    assert overwrite(_fill, np.copy, target) is target
    assert target.all()


def test_read_only_takes_scalars():
    array = read_only(np.float32(1.0))
    assert isinstance(array, np.ndarray)
    assert not array.flags.writeable


def test_indices_are_i64_and_a_step_of_0_is_refused():
    found = list(indices(np.array(5), np.array(-1), np.array(-2)))
    assert found == [5, 3, 1]
    assert {x.dtype for x in found} == {np.dtype(np.int64)}
    with pytest.raises(S2sadError, match="E0404"):
        indices(0, 1, np.array(0))
