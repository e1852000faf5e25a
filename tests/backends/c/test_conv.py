"""Do the units that convolve give what the primitives mean?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from s2sad.backends.c import conv
from s2sad.core import dtypes
from support.c_units import Case, Kernels, assert_same
from support.conv_cases import UNITS, Facts, cases_of, wide

FLOATS = (dtypes.float64, dtypes.float32, dtypes.float16, dtypes.bfloat16)
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}

#: Shape of the input, number of filters, kernel, facts.
FORMS: list[tuple[tuple[int, ...], int, tuple[int, ...], Facts]] = [
    # One axis.
    ((2, 3, 40), 5, (3,), {}), ((1, 1, 7), 1, (7,), {"padding": ((6, 6),)}),
    ((3, 4, 33), 6, (4,), {"stride": 3, "padding": ((2, 0),), "groups": 2}),
    ((2, 2, 70), 60, (5,), {"dilation": 4, "padding": ((3, 9),)}),
    # Two axes: few filters, which slide, and many.
    ((3, 1, 32, 32), 6, (5, 5), {}), ((3, 6, 14, 14), 16, (5, 5), {}),
    ((1, 3, 9, 11), 70, (3, 3), {"padding": ((1, 1), (1, 1))}),
    ((2, 8, 13, 9), 65, (3, 2), {"padding": ((0, 1), (2, 0)), "dilation": (2, 3)}),
    ((2, 3, 23, 21), 7, (7, 7), {"stride": 2, "padding": 3}),
    ((2, 40, 6, 7), 50, (3, 3), {"stride": (2, 1), "padding": 1}),
    ((2, 40, 60, 7), 9, (3, 3), {"stride": (1, 2), "padding": 1}),
    ((1, 2, 5, 5), 3, (2, 2), {"stride": 3}),  # some of the input is not seen
    ((1, 2, 4, 4), 3, (3, 3), {"padding": 5}),  # windows in the padding only
    ((1, 1, 3, 70), 2, (2, 40), {"padding": ((0, 0), (60, 60))}),  # as many columns for nothing
    ((2, 6, 8, 8), 4, (1, 1), {}), ((2, 6, 8, 8), 4, (1, 1), {"stride": 2, "groups": 2}),
    ((1, 3, 70, 70), 2, (3, 3), {"padding": 1}), ((1, 1, 2, 1500), 2, (1, 3), {}),
    ((17, 3, 5, 5), 50, (2, 2), {}), ((37, 2, 4, 4), 3, (2, 2), {}),
    # Several images, windows that move by one, lanes that are channels at the taps of a column.
    ((5, 6, 14, 14), 16, (5, 5), {}), ((4, 5, 9, 21), 7, (3, 3), {"padding": ((0, 2), (1, 3))}),
    ((3, 10, 6, 9), 6, (3, 5), {"padding": ((3, 0), (0, 4)), "groups": 2}),
    ((4, 35, 3, 18), 5, (1, 3), {"padding": ((2, 0), (1, 0))}),
    ((4, 5, 3, 6, 17), 3, (2, 3, 3), {"padding": 1}), ((7, 16, 40), 5, (5,), {"padding": 9}),
    # Lanes are windows: whole vectors of them and nearly so, several of a row, strides, groups.
    ((2, 3, 9, 64), 13, (3, 3), {"padding": 1}), ((1, 4, 5, 80), 7, (3, 5), {"padding": (1, 2)}),
    ((2, 6, 11, 63), 26, (3, 3), {"stride": (2, 1), "padding": 1, "groups": 2}),
    ((1, 3, 13, 95), 64, (5, 5), {"stride": 2, "dilation": (1, 2), "padding": 4}),
    ((2, 2, 3, 5, 46), 18, (2, 3, 3), {"padding": (1, 0, 1)}), ((3, 5, 31), 9, (2,), {}),
    ((1, 2, 150, 512), 3, (1, 1), {}),
    # Groups, and a filter or two a channel.
    ((2, 6, 10, 10), 6, (3, 3), {"padding": 1, "groups": 6}),
    ((2, 5, 11, 9), 10, (3, 3), {"stride": 2, "dilation": 2, "padding": 2, "groups": 5}),
    ((2, 6, 30), 6, (3,), {"groups": 6, "stride": 2}), ((2, 12, 9, 9), 8, (3, 3), {"groups": 4}),
    # Three axes.
    ((2, 3, 5, 6, 7), 4, (2, 3, 2), {}),
    ((1, 4, 7, 8, 9), 6, (3, 3, 3), {"stride": (2, 1, 1), "padding": 1, "groups": 2}),
    ((1, 2, 6, 6, 6), 60, (2, 2, 2), {"stride": 2, "padding": ((0, 1), (1, 0), (2, 2)),
                                      "dilation": (1, 2, 3)}),
    # Nothing.
    ((0, 2, 5, 5), 3, (3, 3), {}), ((2, 0, 5, 5), 3, (3, 3), {}), ((2, 2, 5, 5), 0, (3, 3), {}),
    ((2, 2, 0, 5), 3, (2, 3), {"padding": 1}),
]  # fmt: skip


def _special() -> Iterator[Case]:
    rng = np.random.default_rng(5)
    forms = [form for form in FORMS if 0 not in form[0] and form[1]]
    for form, dtype in itertools.product(forms[::2], FLOATS[:2]):
        for case in cases_of(*form, dtype):
            x, w = (operand.copy() for operand in case.operands)
            x.reshape(-1)[rng.integers(0, x.size, 3)] = [np.nan, np.inf, -np.inf]
            w.reshape(-1)[rng.integers(0, w.size, 2)] = [np.inf, 0]
            yield Case(case.prim, (x, w), case.attrs)


CASES = [case for form in FORMS for dtype in FLOATS for case in cases_of(*form, dtype)]
SPECIAL = list(_special())
KERNELS = Kernels("conv", UNITS, conv.TEMPLATES, [*CASES, *SPECIAL])


def run(case: Case) -> np.ndarray:
    found = KERNELS.run(case)
    assert found is not None
    return found[0]


def assert_accurate(case: Case, found: np.ndarray) -> None:
    """Sums are off by some of their steps at most, and by one rounding."""
    dtype = case.site.types[0].dtype
    (wanted,), (size,) = (each.meaning() for each in wide(case))
    bound = 24 * EPSILON[dtype.compute.short] * size + EPSILON[dtype.short] / 2 * np.abs(wanted)
    difference = np.abs(dtypes.widen(found).astype(np.float64) - wanted)
    assert (difference <= bound * (1 + 2.0**-10) + 2.0**-24 * (dtype.short == "f16")).all()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_sums_are_accurate(case):
    found = run(case)
    assert_accurate(case, found)


@pytest.mark.parametrize("case", SPECIAL, ids=str)
def test_special_values_stay_in_their_windows(case):
    found, (wanted,) = run(case), case.meaning()
    for is_special in (np.isnan, np.isposinf, np.isneginf):
        np.testing.assert_array_equal(is_special(found), is_special(wanted))


def test_results_do_not_depend_on_the_number_of_threads():
    cases = [case for case in CASES if case.operands[0].dtype == np.float32]
    wanted: dict[Case, np.ndarray] = {}
    for count in (1, 2, 3, 7):
        KERNELS.loaded.s2_set_threads(count)
        for case in cases:
            found = run(case)
            assert_same(found, wanted.setdefault(case, found))
    KERNELS.loaded.s2_set_threads(1)
