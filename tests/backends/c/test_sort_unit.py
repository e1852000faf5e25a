"""Do the units that put elements in order give what the primitives mean?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from s2sad.backends.c.sort import TEMPLATES
from s2sad.core import dtypes
from s2sad.prims.sort import searchsorted, sort, top_k
from support.c_units import Case, Kernels, assert_same, numbers

NUMBERS = [dtype for dtype in dtypes.ALL if dtype is not dtypes.bool_]

#: Shape and axis; lines below and above the sizes at which the unit changes course.
FORMS = [
    ((1,), 0), ((2,), 0), ((16,), 0), ((17,), 0), ((100,), 0), ((400,), 0), ((401,), 0),
    ((3000,), 0), ((3, 40), 1), ((40, 3), 0), ((2, 50, 3), 1), ((0,), 0), ((3, 0), 1), ((0, 3), 1),
    ((3, 1), 1),
]  # fmt: skip


def _cases() -> Iterator[Case]:
    for (shape, axis), dtype, turned in itertools.product(FORMS, NUMBERS, (False, True)):
        x, n = numbers(dtype, shape), shape[axis]
        yield Case(sort, (x,), {"axis": axis, "descending": turned})
        for k in sorted({0, min(n, 1), min(n, 2), n // 2, max(n - 1, 0), n}):
            yield Case(top_k, (x,), {"axis": axis, "k": k, "largest": turned})
    for dtype in NUMBERS:
        alike = np.ones(700, dtype.storage)
        yield Case(sort, (alike,), {"axis": 0, "descending": True})
        yield Case(top_k, (alike,), {"axis": 0, "k": 5})
        falling = dtypes.narrow(np.arange(120)[::-1].repeat(50), dtype)
        for k, largest in itertools.product((1, 600, 1100, 3000), (False, True)):
            yield Case(top_k, (falling,), {"axis": 0, "k": k, "largest": largest})
    for dtype in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64):
        lines = itertools.product([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1e-45], repeat=3)
        x = dtypes.narrow(np.array(list(lines)), dtype)
        for turned in (False, True):
            yield Case(sort, (x,), {"axis": 1, "descending": turned})
            yield Case(top_k, (x,), {"axis": 1, "k": 2, "largest": turned})
    yield from _searches()


def _searches() -> Iterator[Case]:
    for dtype, right in itertools.product(NUMBERS, (False, True)):
        sizes = [((0,), (3,)), ((1,), (4,)), ((7,), ()), ((100,), (50, 3)), ((5,), (0,)),
                 ((2, 3, 20), (2, 3, 9)), ((2, 0), (2, 4)), ((2, 6), (2, 0)),
                 ((0, 3), (0, 2))]  # fmt: skip
        for ordered, values in sizes:
            line = numbers(dtype, ordered)
            order = np.argsort(dtypes.widen(line), axis=-1)
            line = np.take_along_axis(line, order, axis=-1)
            yield Case(searchsorted, (line, numbers(dtype, values, seed=1)), {"right": right})


CASES = list(_cases())
KERNELS = Kernels("sort", ["sort", "threads"], TEMPLATES, CASES)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_order_is_that_of_the_primitive(case):
    found = KERNELS.run(case)
    for array, expected in zip(found, case.meaning(), strict=True):
        assert_same(array, expected)


@pytest.mark.parametrize("threads", [1, 3])
def test_lines_are_sorted_on_several_threads(threads):
    x = np.random.default_rng(0).integers(0, 1000, (64, 700)).astype(np.int32)
    case = Case(sort, (x,), {"axis": 1})
    kernels = Kernels("lines", ["sort", "threads"], TEMPLATES, [case])
    kernels.loaded.s2_set_threads(threads)
    for array, expected in zip(kernels.run(case), case.meaning(), strict=True):
        assert_same(array, expected)
