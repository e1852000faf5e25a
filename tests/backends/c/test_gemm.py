"""Do the units that multiply matrices give what `matmul` means?"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c import linalg
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from support.c_units import Case, Kernels, _kernel, assert_same, load

UNITS = ("gemm", "gemm_f32", "gemm_f64", "gemm_u32", "gemm_u64", "threads")
NUMBERS = [dtype for dtype in dtypes.ALL if dtype is not dtypes.bool_]
FLOATS = [dtype for dtype in NUMBERS if dtype.is_float]
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
TURNS = [(False, False), (False, True), (True, False), (True, True)]

#: Rows, columns and inner sizes: below and above those at which the units change course.
SIZES = [
    (1, 1, 1), (1, 5, 70), (3, 70, 33), (4, 4, 65), (5, 17, 3), (6, 64, 16), (13, 31, 1),
    (14, 32, 40), (15, 33, 5), (32, 10, 84), (49, 47, 330), (70, 1, 65), (70, 3, 70),
    (70, 70, 70), (1, 300, 9), (2, 130, 650), (175, 300, 20), (40, 270, 8), (32, 190, 340),
    (16, 70, 90), (15, 13, 2100), (16, 16, 1024), (200, 24, 1024), (90, 250, 40),
    (0, 3, 2), (3, 0, 2), (3, 4, 0), (60, 20, 0), (0, 0, 0), (50, 270, 53),
]  # fmt: skip
#: Axes before the last two, which are broadcast.
BATCHES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((3,), (3,)), ((3,), ()), ((), (3,)), ((2, 1), (3,)), ((2, 3), (1, 3)), ((2, 1, 3), (4, 1)),
    ((1, 1), (1,)), ((0,), (1,)), ((2, 3, 2), (2, 1, 1)), ((5, 2), ()),
]  # fmt: skip


def _numbers(dtype: DType, shape: tuple[int, ...], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype.is_integer:
        bounds = np.iinfo(dtype.storage)
        return rng.integers(bounds.min, bounds.max, shape, dtype.storage, endpoint=True)
    return np.asarray(dtypes.narrow(rng.normal(size=shape), dtype))


def _case(
    dtype: DType, sizes: tuple[int, int, int], turned: tuple[bool, bool],
    batch: tuple[tuple[int, ...], tuple[int, ...]] = ((), ()),
) -> Case:  # fmt: skip
    m, n, k = sizes
    a = (*batch[0], *((k, m) if turned[0] else (m, k)))
    b = (*batch[1], *((n, k) if turned[1] else (k, n)))
    attrs = {"transpose_a": turned[0], "transpose_b": turned[1]}
    return Case(p.matmul, (_numbers(dtype, a, 1), _numbers(dtype, b, 2)), attrs)


def _cases() -> Iterator[Case]:
    for dtype, sizes, turned in itertools.product(NUMBERS, SIZES, TURNS):
        yield _case(dtype, sizes, turned)
    for dtype, turned, batch in itertools.product(NUMBERS, TURNS, BATCHES):
        yield _case(dtype, (3, 18, 5), turned, batch)
    for dtype in FLOATS[:2]:
        yield _case(dtype, (300, 1100, 20), (False, False))
        yield _case(dtype, (1100, 300, 20), (True, True))


def _special() -> Iterator[Case]:
    rng = np.random.default_rng(3)
    for dtype, sizes, turned in itertools.product(FLOATS, SIZES[::2], TURNS):
        if 0 not in sizes:
            case = _case(dtype, sizes, turned)
            a, b = (dtypes.widen(x).copy() for x in case.operands)
            a.reshape(-1)[rng.integers(0, a.size, 2)] = [np.nan, np.inf]
            b.reshape(-1)[rng.integers(0, b.size, 2)] = [-np.inf, 0.0]
            operands = (dtypes.narrow(a, dtype), dtypes.narrow(b, dtype))
            yield Case(p.matmul, operands, case.attrs)


def _large() -> Iterator[Case]:
    sizes = [
        (300, 400, 700),
        (70, 1300, 33),
        (1, 3000, 50),
        (2000, 3, 40),
        (64, 64, 2000),
        (16, 15, 4100),
        (32, 1500, 400),
    ]
    for dtype, *facts in itertools.product((dtypes.float32, dtypes.bfloat16), sizes, TURNS):
        yield _case(dtype, *facts)
    yield _case(dtypes.float32, (30, 40, 50), (False, False), ((7, 3), (3,)))


CASES, SPECIAL, LARGE = list(_cases()), list(_special()), list(_large())
KERNELS = Kernels("gemm", UNITS, linalg.TEMPLATES, [*CASES, *SPECIAL, *LARGE])


def run(case: Case) -> np.ndarray:
    found = KERNELS.run(case)
    assert found is not None
    return found[0]


def assert_accurate(case: Case, found: np.ndarray) -> None:
    """Sums are off by some of their steps at most, and by one rounding; integers wrap."""
    dtype = case.site.types[0].dtype
    if dtype.is_integer:
        return assert_same(found, case.meaning()[0])
    operands = [dtypes.widen(x).astype(np.float64) for x in case.operands]
    (wanted,) = Case(p.matmul, (*operands,), case.attrs).meaning()
    (size,) = Case(p.matmul, (*map(np.abs, operands),), case.attrs).meaning()
    bound = 24 * EPSILON[dtype.compute.short] * size + EPSILON[dtype.short] / 2 * np.abs(wanted)
    difference = np.abs(dtypes.widen(found).astype(np.float64) - wanted)
    assert (difference <= bound * (1 + 2.0**-10) + 2.0**-24 * (dtype.short == "f16")).all()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_sums_are_accurate(case):
    found = run(case)
    assert found.shape == case.site.results[0].shape
    assert_accurate(case, found)


@pytest.mark.parametrize("case", SPECIAL, ids=str)
def test_special_values_stay_in_their_rows_and_columns(case):
    found = dtypes.widen(run(case))
    wide = [dtypes.widen(x).astype(np.float64) for x in case.operands]
    (wanted,) = Case(p.matmul, (*wide,), case.attrs).meaning()
    for is_special in (np.isnan, np.isposinf, np.isneginf):
        np.testing.assert_array_equal(is_special(found), is_special(wanted))


def test_results_do_not_depend_on_the_number_of_threads():
    wanted: dict[Case, np.ndarray] = {}
    for count in (1, 2, 3, 7):
        KERNELS.loaded.s2_set_threads(count)
        for case in LARGE:
            found = run(case)
            assert_same(found, wanted.setdefault(case, found))
    KERNELS.loaded.s2_set_threads(1)


#: Adds 1000 to each element of y0, and counts how often, in `seen`.
EPILOGUE = """
#include "gemm.h"
static struct { float *y; int64_t m, n; } whole;
S2_API unsigned char seen[1000000];
static void act(void *data, int64_t batch, int64_t row, int64_t col, int64_t rows, int64_t cols)
{
    for (int64_t i = row; i < row + rows; i++)
        for (int64_t j = col; j < col + cols; j++) {
            int64_t at = (batch * whole.m + i) * whole.n + j;
            whole.y[at] += *(float *)data;
            seen[at]++;
        }
}
"""


FINISHED = [
    _case(dtypes.float32, sizes, turned)
    for sizes in [(3, 18, 5), (300, 700, 400), (70, 1, 30), (2, 90, 70), (5, 6, 0), (32, 210, 340)]
    for turned in TURNS
]


@functools.cache
def _with_epilogues() -> ctypes.CDLL:
    text = EPILOGUE
    for i, case in enumerate(FINISHED):
        m, n = case.site.results[0].shape
        body = linalg.matmul(case.site, epilogue="act", data="&(float){1000}")
        started = f"whole.y = y0, whole.m = {m}, whole.n = {n};\n{body.text}"
        text += _kernel(f"kernel_{i}", case.site, dataclasses.replace(body, text=started))
    return load("gemm_epilogues", UNITS, text)


@pytest.mark.parametrize("case", FINISHED, ids=str)
def test_an_epilogue_sees_each_element_once(case):
    library, found = _with_epilogues(), np.empty(case.site.results[0].shape, np.float32)
    pointers = (ctypes.c_void_p * 3)(*(x.ctypes.data for x in (*case.operands, found)))
    seen = np.ctypeslib.as_array((ctypes.c_ubyte * 1000000).in_dll(library, "seen"))
    seen[:] = 0
    kernel = getattr(library, f"kernel_{FINISHED.index(case)}")
    assert kernel(None, pointers, ctypes.c_int64(0), ctypes.c_int64(1)) == 0
    assert (seen[: found.size] == 1).all()
    assert (seen[found.size :] == 0).all()
    np.testing.assert_allclose(found, case.meaning()[0] + 1000, rtol=1e-6)


#: Takes over the blocks of a product that lies nowhere else.
LOOSE = """
#include "gemm.h"
static float *whole;
static int64_t high, wide;
static void take(void *data, int64_t batch, int64_t row, int64_t col, int64_t rows, int64_t cols)
{
    const s2_tile *tile = data;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            whole[(batch * high + row + i) * wide + col + j] +=
                ((const float *)tile->block)[i * tile->stride + j] + *(const int32_t *)tile->a;
}
"""
HANDED_OVER = [
    *FINISHED,
    *(_case(dtypes.float32, (170, 530, 700), turned) for turned in TURNS),
    *(_case(dtypes.float32, (30, 40, 350), turned, ((2, 1), (3,))) for turned in TURNS),
    *(c for c in SPECIAL if c.site.types[0].dtype is dtypes.float32),
]


@functools.cache
def _with_loose_products() -> ctypes.CDLL:
    text = LOOSE
    for i, case in enumerate(HANDED_OVER):
        rows = linalg.product_rows(case.site)[0]
        body = linalg.matmul(
            case.site, "take", "&(s2_tile){.p = p, .a = (int32_t[]){1000}}", is_loose=True
        )
        n = case.site.results[0].shape[-1]
        started = f"whole = y0, high = {rows}, wide = {n};\n{body.text}"
        text += _kernel(f"kernel_{i}", case.site, dataclasses.replace(body, text=started))
    return load("gemm_loose", UNITS, text)


@pytest.mark.parametrize("case", HANDED_OVER, ids=str)
def test_a_loose_product_is_handed_over_block_by_block(case):
    library, found = _with_loose_products(), np.zeros(case.site.results[0].shape, np.float32)
    pointers = (ctypes.c_void_p * 3)(*(x.ctypes.data for x in (*case.operands, found)))
    kernel = getattr(library, f"kernel_{HANDED_OVER.index(case)}")
    assert kernel(None, pointers, ctypes.c_int64(0), ctypes.c_int64(1)) == 0
    wide = [x.astype(np.float64) for x in case.operands]
    (wanted,) = Case(p.matmul, (*wide,), case.attrs).meaning()
    np.testing.assert_allclose(found, wanted + 1000, rtol=1e-6)


def test_a_batch_of_rows_is_one_product():
    case = _case(dtypes.float32, (3, 18, 5), (False, False), ((4, 2), ()))
    assert ".m = 24" in linalg.matmul(case.site).text
    assert "batch" not in linalg.matmul(case.site).text
