"""Do the units that slide windows over planes give what the primitives mean?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c.pool import TEMPLATES
from s2sad.core import dtypes
from support.c_units import Case, Kernels, assert_same, numbers

NUMBERS = [dtype for dtype in dtypes.ALL if dtype is not dtypes.bool_]
FLOATS = [dtype for dtype in NUMBERS if dtype.is_float]

#: Shape and windows, of one to three spatial axes; all windows have members.
GRID: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((1, 1, 1), {"kernel": 1}),
    ((2, 3, 40), {"kernel": 3, "stride": 1, "padding": 1}),
    ((2, 3, 41), {"kernel": 2, "stride": 2}),
    ((1, 2, 17), {"kernel": 5, "stride": 3, "padding": ((2, 4),)}),
    ((1, 2, 9), {"kernel": 4, "stride": 6, "padding": ((3, 0),)}),
    ((2, 2, 8, 8), {"kernel": 2, "stride": 2}),
    # Pairs of rows and columns, some of which are in no window.
    ((2, 3, 28, 28), {"kernel": 2, "stride": 2}), ((1, 2, 10, 11), {"kernel": 2, "stride": 2}),
    ((1, 2, 5, 38), {"kernel": 2, "stride": 2}), ((2, 1, 3, 3), {"kernel": 2, "stride": 2}),
    ((1, 2, 3, 7, 6), {"kernel": (1, 2, 2), "stride": (1, 2, 2)}),
    ((1, 2, 8, 9), {"kernel": 2, "stride": 2, "padding": ((0, 0), (1, 0))}),
    ((1, 3, 33, 35), {"kernel": 3, "stride": 2, "padding": 1}),
    ((2, 1, 9, 7), {"kernel": (3, 2), "stride": (1, 4), "padding": ((1, 0), (0, 1))}),
    ((3, 2, 7, 7), {"kernel": 7, "stride": 1}),
    ((1, 1, 5, 6), {"kernel": (1, 6), "stride": (5, 1)}),
    ((1, 2, 5, 6, 7),
     {"kernel": (2, 3, 2), "stride": (2, 1, 3), "padding": ((1, 1), (1, 0), (0, 1))}),
    ((2, 1, 4, 4, 4), {"kernel": 3, "padding": 1}),
    ((0, 2, 4, 4), {"kernel": 2}),
    ((2, 0, 4), {"kernel": 2}),
    ((1, 30, 40, 40), {"kernel": 3, "stride": 1, "padding": 1}),
]  # fmt: skip
DILATED: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((2, 2, 20), {"kernel": 3, "dilation": 4, "padding": 4}),
    ((1, 2, 13, 14),
     {"kernel": (2, 3), "stride": (2, 3), "dilation": (3, 2), "padding": ((2, 1), (1, 3))}),
    ((1, 1, 6, 7, 8), {"kernel": 2, "stride": (1, 2, 1), "dilation": (5, 1, 3), "padding": 1}),
]  # fmt: skip
MEANS = [{}, {"count_include_pad": False}, {"divisor": 3}, {"divisor": -(2**40) - 1}]


def _gradient(x: np.ndarray, attrs: dict[str, Any], seed: int) -> np.ndarray:
    shape = p.max_pool(np.zeros(x.shape, np.float32), **attrs).shape
    return numbers(dtypes.float64, shape, seed)


def _cases() -> Iterator[Case]:
    for (shape, attrs), dtype in itertools.product([*GRID, *DILATED], NUMBERS):
        x = numbers(dtype, shape)
        yield Case(p.max_pool, (x,), attrs)
        yield Case(p.max_pool_argmax, (x,), attrs)
        if dtype.is_float:
            dy = dtypes.narrow(_gradient(x, attrs, 1), dtype)
            yield Case(p.max_pool_grad, (x, dy), attrs)
    for (shape, attrs), dtype, mean in itertools.product(GRID, FLOATS, MEANS):
        x = numbers(dtype, shape)
        yield Case(p.avg_pool, (x,), {**attrs, **mean})
        dy = dtypes.narrow(_gradient(x, attrs, 2), dtype)
        yield Case(p.avg_pool_grad, (dy,), {**attrs, **mean, "input_shape": shape[2:]})
    yield from _special()


def _special() -> Iterator[Case]:
    """Windows of few different elements, each of them in each place."""
    values = [0.0, -0.0, np.nan, -np.inf, np.inf, 1.0]
    lines = np.array(list(itertools.product(values, repeat=3))).reshape(-1, 1, 3)
    for dtype in FLOATS:
        x = dtypes.narrow(lines, dtype)
        for attrs in ({"kernel": 3}, {"kernel": 2, "padding": 1}):
            yield Case(p.max_pool, (x,), attrs)
            yield Case(p.max_pool_argmax, (x,), attrs)
            yield Case(p.avg_pool, (x,), attrs)
        dy = dtypes.narrow(np.full((*x.shape[:2], 4), -0.0), dtype)
        yield Case(p.max_pool_grad, (x, dy), {"kernel": 2, "padding": 1})
        yield Case(p.avg_pool, (x,), {"kernel": 2, "stride": 5, "padding": ((4, 4),)})
    corners = np.array(list(itertools.product(values, repeat=4))).reshape(-1, 1, 2, 2)
    rows = np.concatenate(np.split(corners.reshape(1, -1, 2, 2), 72, 1), 3).reshape(1, -1, 2, 144)
    for dtype, x in itertools.product(FLOATS, (corners, rows)):
        x = dtypes.narrow(x, dtype)
        dy = dtypes.narrow(np.full((*x.shape[:2], 1, x.shape[3] // 2), [-0.0]), dtype)
        yield Case(p.max_pool, (x,), {"kernel": 2, "stride": 2})
        yield Case(p.max_pool_grad, (x, dy), {"kernel": 2, "stride": 2})
        yield Case(p.max_pool_grad, (x, dy + dy.dtype.type(1)), {"kernel": 2, "stride": 2})
    for dtype in (dtypes.int8, dtypes.int64, dtypes.uint8):
        lowest = np.full((1, 1, 5), np.iinfo(dtype.storage).min)
        x = lowest.astype(dtype.storage)
        for prim in (p.max_pool, p.max_pool_argmax):
            yield Case(prim, (x,), {"kernel": 3, "padding": 1})


CASES = list(_cases())
KERNELS = Kernels("pool", ["pool", "threads"], TEMPLATES, CASES)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_windows_are_those_of_the_primitive(case):
    found = KERNELS.run(case)
    assert_same(found[0], case.meaning()[0])


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_do_not_depend_on_the_number_of_threads(threads):
    x = np.random.default_rng(0).normal(size=(4, 6, 40, 50)).astype(np.float32)
    attrs = {"kernel": 3, "stride": 2, "padding": 1}
    dy = _gradient(x, attrs, 3).astype(np.float32)
    cases = [
        Case(p.max_pool, (x,), attrs),
        Case(p.max_pool_grad, (x, dy), attrs),
        Case(p.avg_pool, (x,), attrs),
        Case(p.avg_pool_grad, (dy,), {**attrs, "input_shape": (40, 50)}),
    ]
    kernels = Kernels("pool_threads", ["pool", "threads"], TEMPLATES, cases)
    kernels.loaded.s2_set_threads(threads)
    for case in cases:
        (found,) = kernels.run(case)
        assert_same(found, case.meaning()[0])
