"""Do the units that reduce tensors give what the primitives mean?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest

from s2sad.backends.c import reduce
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive
from s2sad.prims import reduce as p
from support.c_units import Case, Kernels, assert_same, numbers

NUMBERS = [dtype for dtype in dtypes.ALL if dtype is not dtypes.bool_]
FLOATS = [dtype for dtype in NUMBERS if dtype.is_float]
EXTREMES, PLACES, TRUTHS = (
    (p.reduce_max, p.reduce_min),
    (p.argmax, p.argmin),
    (p.reduce_any, p.reduce_all),
)

#: Shape and axes: of each form, in sizes below and above those at which the units change course.
FORMS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((), ()), ((1,), (0,)), ((1, 1), (0, 1)), ((3,), ()), ((5, 3), (1,)), ((5, 3), (0,)),
    ((63,), (0,)), ((64,), (0,)), ((65,), (0,)), ((2, 4097), (1,)), ((9000,), (0,)),
    ((3, 200, 5), (1,)), ((2, 300, 31), (1,)), ((2, 300, 32), (1,)), ((2, 259, 515), (1,)),
    ((2, 3, 4, 5), (0, 2)), ((2, 3, 4, 5), (1, 3)), ((40, 7, 60), (0, 2)), ((6, 5, 70), (0, 1)),
    ((300, 3, 300, 2), (0, 2)), ((2, 1, 3, 1, 5), (1, 2)), ((7, 1), (1,)),
    ((0, 3), (1,)), ((3, 0), (0,)), ((2, 0, 0, 2), (1,)),
]  # fmt: skip
EMPTY: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((0, 3), (0,)), ((3, 0), (1,)), ((0,), (0,)), ((0, 0), (0,)), ((2, 0, 3), (0, 1)),
]  # fmt: skip


def _exact() -> Iterator[Case]:
    for (shape, axis), dtype in itertools.product(FORMS, NUMBERS):
        x = numbers(dtype, shape, seed=len(shape))
        prims: list[Primitive] = [*EXTREMES] * (0 not in (shape[i] for i in axis))
        if dtype.is_integer:
            prims += [p.reduce_sum, p.reduce_prod]
        yield from (Case(prim, (x,), {"axis": axis}) for prim in prims)
        if len(axis) == 1 and shape[axis[0]]:
            yield from (Case(prim, (x,), {"axis": axis[0]}) for prim in PLACES)
    for (shape, axis), prim in itertools.product([*FORMS, *EMPTY], TRUTHS):
        yield Case(prim, (numbers(dtypes.bool_, shape),), {"axis": axis, "keepdims": True})
    for (shape, axis), dtype in itertools.product(EMPTY, NUMBERS):
        x = numbers(dtype, shape)
        yield from (Case(prim, (x,), {"axis": axis}) for prim in (p.reduce_sum, p.reduce_prod))


def _special() -> Iterator[Case]:
    """Lines of few different elements, each of them in each place."""
    values = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, -1.0]
    lines = np.array(list(itertools.product(values, repeat=3)))
    long = np.zeros((len(values), 70001))
    long[:, 69999] = values
    for dtype, prim in itertools.product(FLOATS, (*EXTREMES, *PLACES)):
        for x, axis in ((lines, 1), (lines.T, 0), (long, 1), (np.full((3, 2), -np.inf), 0)):
            x = dtypes.narrow(np.ascontiguousarray(x), dtype)
            yield Case(prim, (x,), {"axis": axis if prim in PLACES else (axis,)})
    for truth, prim in itertools.product((False, True), TRUTHS):
        x = np.full(5000, not truth)
        x[4998] = truth
        yield Case(prim, (x,), {"axis": (0,)})
    for dtype, prim in itertools.product(NUMBERS, PLACES):
        x = np.zeros((2, 140000), dtype.storage)  # the last block is not the first to have it
        x[:, 65535:65538] = x[1, 139999] = dtypes.narrow(np.array(1), dtype)
        yield Case(prim, (x,), {"axis": 1})


def _sums() -> Iterator[Case]:
    for (shape, axis), dtype in itertools.product([*FORMS], FLOATS):
        x = np.random.default_rng(1).normal(size=shape)
        yield Case(p.reduce_sum, (np.asarray(dtypes.narrow(x, dtype)),), {"axis": axis})
        if math.prod(shape) < 5000:
            near = dtypes.narrow(1 + x / 64, dtype)
            yield Case(p.reduce_prod, (np.asarray(near),), {"axis": axis})


EXACT = [*_exact(), *_special()]
SUMS = list(_sums())
KERNELS = Kernels("reduce", ["reduce", "place", "threads"], reduce.TEMPLATES, [*EXACT, *SUMS])


@pytest.mark.parametrize("case", EXACT, ids=str)
def test_what_is_exact_is_the_same(case):
    found = KERNELS.run(case)
    assert_same(found[0], case.meaning()[0])


def _epsilon(dtype: DType) -> float:
    return {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}[dtype.short]


@pytest.mark.parametrize("case", SUMS, ids=str)
def test_sums_and_products_are_accurate(case):
    found = KERNELS.run(case)
    dtype, axis = case.site.types[0].dtype, case.attrs["axis"]
    x = dtypes.widen(case.operands[0]).astype(np.longdouble)
    fold = np.sum if case.prim is p.reduce_sum else np.prod
    count = math.prod(x.shape[i] for i in axis) if x.size else 0
    # Errors of a sum grow with the logarithm of its length, those of a product with its length.
    steps = 8 * (3 + math.log2(count + 1)) if fold is np.sum else 1 + count
    bound = steps * _epsilon(dtype.compute) * np.sum(np.abs(x), axis=axis) / (
        1 if fold is np.sum else max(count, 1) / 2
    )  # fmt: skip
    wanted = fold(x, axis=axis)
    bound = bound + _epsilon(dtype) * np.abs(wanted) * (1 + 2.0**-10)
    assert (np.abs(dtypes.widen(found[0]).astype(np.longdouble) - wanted) <= bound).all()


def test_sums_start_from_zero():
    cases = [
        Case(p.reduce_sum, (dtypes.narrow(np.full((3, 2), -0.0), dtype),), {"axis": axis})
        for dtype, axis in itertools.product(FLOATS, ((), (0,), (1,), (0, 1)))
    ]
    kernels = Kernels("zeros", ["reduce", "threads"], reduce.TEMPLATES, cases)
    for case in cases:
        (found,) = kernels.run(case)
        assert not np.signbit(dtypes.widen(found)).any()
        assert_same(found, case.meaning()[0])


def test_an_infinity_meets_the_other():
    x = np.ones((2, 300), np.float32)
    x[0, 5], x[0, 200], x[1, 7] = np.inf, -np.inf, -np.inf
    case = Case(p.reduce_sum, (x,), {"axis": (1,)})
    (found,) = Kernels("infinities", ["reduce", "threads"], reduce.TEMPLATES, [case]).run(case)
    np.testing.assert_array_equal(found, [np.nan, -np.inf])


@pytest.mark.parametrize("axis", [(0,), (1,), (0, 1), (0, 2)], ids=str)
def test_sums_do_not_depend_on_the_number_of_threads(axis):
    x = np.random.default_rng(0).normal(size=(130, 70, 90)).astype(np.float32)
    case = Case(p.reduce_sum, (x,), {"axis": axis})
    kernels = Kernels(f"threads{len(str(axis))}{axis[-1]}", ["reduce", "threads"],
                      reduce.TEMPLATES, [case])  # fmt: skip
    found = []
    for count in (1, 2, 3, 7):
        kernels.loaded.s2_set_threads(count)
        (result,) = kernels.run(case)
        found.append(result)
    for other in found[1:]:
        assert_same(other, found[0])
