"""Do the units that draw give the numbers of the primitives?"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c.random import TEMPLATES
from s2sad.core import dtypes
from support.c_units import Case, Kernels, assert_same, load

FLOATS = [dtype for dtype in dtypes.ALL if dtype.is_float]
SEEDS = [0, 7, -1, 2**63 + 5]
#: States whose counter goes over its halves within a draw, and over the end.
STATES = [
    *(p.seed_state(seed=seed) for seed in SEEDS),
    np.array([3, -2, 5]), np.array([-(2**60), -1, -1]), np.array([1, -40, -1]),
    p.random_fold(p.seed_state(seed=1), 9),
]  # fmt: skip
SHAPES = [(), (0,), (1,), (2,), (3,), (4,), (5,), (127,), (1024,), (1025,), (3, 700), (20001,)]
BOUNDS = [(0, 10), (-5, -4), (-(2**63), 2**63 - 1), (5, 2**62), (-(2**63), -(2**63) + 1)]


def _exact() -> Iterator[Case]:
    for state, shape in itertools.product(STATES, SHAPES):
        yield Case(p.random_bits, (state,), {"shape": shape})
        for dtype in FLOATS:
            yield Case(p.random_uniform, (state,), {"shape": shape, "dtype": dtype})
    for state, shape, bounds in itertools.product(STATES[-3:], SHAPES, BOUNDS):
        operands = (state, *(np.asarray(bound) for bound in bounds))
        yield Case(p.random_int, operands, {"shape": shape})
    for state, n in itertools.product(STATES[-2:], (0, 1, 2, 5, 399, 401, 5000)):
        yield Case(p.random_permutation, (state,), {"n": n})
    for state, data in itertools.product(STATES, (0, 1, -1, 2**40, -(2**63))):
        yield Case(p.random_fold, (state, np.asarray(data)))
    for seed in SEEDS:
        yield Case(p.seed_state, (), {"seed": seed})


def _normals() -> Iterator[Case]:
    for state, shape, dtype in itertools.product(STATES, SHAPES, FLOATS):
        yield Case(p.random_normal, (state,), {"shape": shape, "dtype": dtype})


EXACT, NORMALS = list(_exact()), list(_normals())
BAD = [Case(p.random_int, (STATES[0], np.asarray(a), np.asarray(b)), {"shape": (3,)})
       for a, b in ((0, 0), (1, 0), (2**62, -(2**62)))]  # fmt: skip
UNITS = ["random", "sort", "threads"]
KERNELS = Kernels("random", UNITS, TEMPLATES, [*EXACT, *NORMALS, *BAD])


@pytest.mark.parametrize("case", EXACT, ids=str)
def test_bits_uniforms_integers_and_orders_are_the_same(case):
    found = KERNELS.run(case)
    for array, expected in zip(found, case.meaning(), strict=True):
        assert_same(array, expected)


@pytest.mark.parametrize("case", NORMALS, ids=str)
def test_normals_are_within_two_units(case):
    found = KERNELS.run(case)
    values, expected = (dtypes.widen(arrays[0]) for arrays in (found, case.meaning()))
    assert_same(found[1], case.meaning()[1])
    if case.attrs["dtype"].is_narrow:
        # They are the float32 numbers rounded, and these may be one unit apart.
        steps = np.abs(_in_order(found[0]) - _in_order(case.meaning()[0]))
        assert (steps <= 1).all()
    else:
        assert (np.abs(values - expected) <= 2 * np.spacing(np.abs(expected))).all()


def _in_order(bits: np.ndarray) -> np.ndarray:
    signed = bits.view(np.int16).astype(np.int32)
    return np.where(signed < 0, -(signed & 0x7FFF), signed)


@pytest.mark.parametrize("case", BAD, ids=str)
def test_no_integer_lies_between(case):
    assert KERNELS.fails(case)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_numbers_do_not_depend_on_the_number_of_threads(threads):
    attrs = {"shape": (70001,), "dtype": dtypes.float32}
    cases = [Case(prim, (STATES[-2],), attrs) for prim in (p.random_uniform, p.random_normal)]
    kernels = Kernels("random_threads", UNITS, TEMPLATES, cases)
    kernels.loaded.s2_set_threads(threads)
    uniform, normal = (kernels.run(case) for case in cases)
    assert_same(uniform[0], cases[0].meaning()[0])
    np.testing.assert_allclose(normal[0], cases[1].meaning()[0], rtol=3e-7)


@pytest.mark.parametrize("quarter", range(5))
def test_angles_near_quarter_turns_lose_nothing(quarter):
    """The unit's own reduction of angles, where nearly all digits cancel."""
    near = quarter / 4 + np.array([0, 1, 2, 5, 100, 2.0**10, 2.0**20]) * 2.0**-32
    v = np.concatenate([near, quarter / 4 - near + quarter / 4])
    v = v[(v >= 0) & (v < 1)]
    angle = (2 * np.pi) * v
    waves = _waves(angle)
    for found, expected in zip(waves, (np.cos(angle), np.sin(angle)), strict=True):
        assert (np.abs(found - expected) <= 2 * np.spacing(np.abs(expected))).all()


WAVES = """
#include "random.c"
S2_API void waves(const double *angles, double *cosines, double *sines, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        s2_angle angle = in_quarters(angles[i]);
        cosines[i] = s2_wave_f64(angle, angle.quarters + 1u);
        sines[i] = s2_wave_f64(angle, angle.quarters);
    }
}
"""


def _waves(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    cosines, sines = np.empty_like(angle), np.empty_like(angle)
    library = load("waves", ("sort", "threads"), WAVES)
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (angle, cosines, sines)]
    library.waves(*pointers, ctypes.c_int64(angle.size))
    return cosines, sines
