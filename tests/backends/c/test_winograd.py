"""Do Winograd's tiles give what convolutions of 3 by 3 filters mean, within what is promised?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import prims as p
from s2sad.backends.c.conv import TEMPLATES
from s2sad.backends.c.emit import emit
from s2sad.ir.builder import build_function
from s2sad.ir.types import TensorType
from support.c_units import Case, Kernels, assert_same
from support.conv_cases import UNITS, cases_of, wide

EPSILON = 2.0**-23
SIDE, SEEN = 4, 6

#: Shape of the input, number of filters, padding.
FORMS: list[tuple[tuple[int, ...], int, Any]] = [
    ((1, 16, 18, 18), 16, 0),
    ((33, 16, 6, 8), 16, 1),  # several images are a block
    ((1, 24, 70, 45), 18, ((1, 1), (0, 2))),  # an image is several blocks
    ((5, 17, 9, 14), 33, ((2, 0), (1, 2))),  # channels that are no whole vectors
    ((3, 40, 19, 23), 24, 2),
    ((7, 8, 16, 8), 16, 1),
    ((2, 9, 64, 33), 48, 1),
]

#: What numbers are multiplied by, along channels: all alike, and of different sizes.
SPREADS = (0, 12)


def _spread(case: Case, octaves: int) -> Case:
    """The same with channels, and rows of them, of different sizes."""
    operands = []
    for seed, x in enumerate(case.operands):
        rng = np.random.default_rng(seed)
        powers = rng.integers(-octaves, octaves + 1, (*x.shape[:3], 1)) if octaves else 0
        operands.append(np.ldexp(x, powers).astype(np.float32))
    return Case(case.prim, tuple(operands), case.attrs)


def _all(octaves: int) -> Iterator[Case]:
    for shape, filters, padding in FORMS:
        for case in cases_of(shape, filters, (3, 3), {"padding": padding}, ms.float32):
            yield _spread(case, octaves)


def _special() -> Iterator[Case]:
    rng = np.random.default_rng(5)
    for case in _all(0):
        x, w = (operand.copy() for operand in case.operands)
        x.reshape(-1)[rng.integers(0, x.size, 3)] = [np.nan, np.inf, -np.inf]
        yield Case(case.prim, (x, w), case.attrs)
        w.reshape(-1)[rng.integers(0, w.size, 2)] = [np.inf, 0]
        yield Case(case.prim, (x, w), case.attrs)


def _huge() -> Iterator[Case]:
    """Values at points are too large for a float, sums of windows are not."""
    for case in _all(0):
        x, w = case.operands
        x = (np.sign(x) * 3e38).astype(np.float32)
        y = np.sign(w) * 2.0**-10 if case.prim is p.conv_filter_grad else np.zeros_like(w)
        if case.prim is not p.conv_filter_grad:
            y[..., 1, 1] = np.eye(*w.shape[:2]) / 2
        yield Case(case.prim, (x, y.astype(np.float32)), case.attrs)


CASES = {octaves: list(_all(octaves)) for octaves in SPREADS}
SPECIAL, HUGE = list(_special()), list(_huge())
EVERY = [*CASES[0], *CASES[12], *SPECIAL, *HUGE]
KERNELS = Kernels("winograd", UNITS, TEMPLATES, EVERY)


def run(case: Case) -> np.ndarray:
    found = KERNELS.run(case)
    assert found is not None
    return found[0]


def _patches(x: np.ndarray, padding: Any, size: Any) -> np.ndarray:
    """The largest size of what the tiles of an output of `size` see, a tile and channel each."""
    down, across = (-(-n // SIDE) for n in size)
    (top, _), (left, _) = padding
    high, wide = SIDE * down + 2, SIDE * across + 2
    padded = np.zeros((*x.shape[:2], high, wide))
    seen = np.abs(x[..., : high - top, : wide - left])
    padded[:, :, top : top + seen.shape[2], left : left + seen.shape[3]] = seen
    windows = np.lib.stride_tricks.sliding_window_view(padded, (SEEN, SEEN), (2, 3))
    return windows[:, :, ::SIDE, ::SIDE].max((-1, -2))


def _tiled(x: np.ndarray) -> np.ndarray:
    """Sums of sizes over tiles."""
    down, across = (-(-n // SIDE) for n in x.shape[2:])
    padded = np.zeros((*x.shape[:2], SIDE * down, SIDE * across))
    padded[:, :, : x.shape[2], : x.shape[3]] = np.abs(x)
    return padded.reshape(*x.shape[:2], down, SIDE, across, SIDE).sum((3, 5))


def _sizes(case: Case) -> np.ndarray:
    """What errors are measured by: the largest input of a tile times the sizes of filters."""
    x, w = (np.asarray(operand, np.float64) for operand in case.operands)
    padding = case.site.attrs["padding"]
    if case.prim is p.conv_filter_grad:
        seen = _patches(x, padding, w.shape[2:])
        return np.einsum("nchw,nkhw->kc", seen, _tiled(w))[..., None, None]
    if case.prim is p.conv_input_grad:
        padding = [(2 - top, 0) for top, _ in padding]
        w = w.swapaxes(0, 1)
    (result,) = case.site.results
    size = result.shape[2:]
    seen = np.einsum("nchw,kc->nkhw", _patches(x, padding, size), np.abs(w).sum((2, 3)))
    return seen.repeat(SIDE, 2).repeat(SIDE, 3)[:, :, : size[0], : size[1]]


@pytest.mark.parametrize("case", [*CASES[0], *CASES[12]], ids=str)
def test_errors_are_those_of_the_documentation(case):
    wanted = wide(case)[0].meaning()[0]
    assert (np.abs(run(case) - wanted) <= 24 * EPSILON * _sizes(case)).all()


@pytest.mark.parametrize("case", CASES[0], ids=str)
def test_errors_are_usually_no_larger_than_of_sums(case):
    wanted = wide(case)[0].meaning()[0]
    error = np.sqrt(np.mean((run(case) - wanted) ** 2))
    assert 0 < error < 2.0**-19 * np.sqrt(np.mean(wanted**2))


@pytest.mark.parametrize("case", SPECIAL, ids=str)
def test_special_values_stay_in_their_windows(case):
    found, (wanted,) = run(case), case.meaning()
    for is_special in (np.isnan, np.isposinf, np.isneginf):
        np.testing.assert_array_equal(is_special(found), is_special(wanted))


@pytest.mark.parametrize("case", HUGE, ids=str)
def test_what_overflows_at_points_is_computed_without_them(case):
    wanted = wide(case)[0].meaning()[0]
    with np.errstate(over="ignore"):
        is_finite = np.isfinite(wanted.astype(np.float32))
    assert np.count_nonzero(is_finite) > is_finite.size / 2
    np.testing.assert_allclose(run(case)[is_finite], wanted[is_finite], rtol=1e-3, atol=1e34)


def test_results_do_not_depend_on_the_number_of_threads():
    wanted: dict[Case, np.ndarray] = {}
    for count in (1, 2, 3, 7):
        KERNELS.loaded.s2_set_threads(count)
        for case in [*CASES[0], *SPECIAL]:
            found = run(case)
            assert_same(found, wanted.setdefault(case, found))
    KERNELS.loaded.s2_set_threads(1)


def text_of(shape: tuple[int, ...], dtype: Any = ms.float32, **facts: Any) -> str:
    """A program that convolves with 16 filters."""
    filters = (16, shape[1] // facts.get("groups", 1), 3, 3)
    kinds = [TensorType(dtype, shape), TensorType(dtype, filters)]
    return emit([build_function(lambda x, w: p.conv(x, w, **facts), kinds)]).text


def test_the_text_of_a_program_says_which_way_is_taken():
    assert all("_winograd_f32" in TEMPLATES[case.prim](case.site).text for case in EVERY)
    assert "s2_conv_winograd_f32(" in text_of((2, 16, 16, 16))


@pytest.mark.parametrize(
    ("shape", "facts"),
    [
        ((2, 16, 16, 16), {"stride": 2}), ((2, 16, 16, 16), {"dilation": 2}),
        ((2, 32, 16, 16), {"groups": 2}), ((2, 16, 16, 16), {"padding": 3}),
        ((2, 16, 16, 16), {"dtype": ms.float64}), ((2, 16, 16, 16), {"dtype": ms.float16}),
        ((1, 64, 4, 4), {"padding": 1}),  # too few tiles to pay
        ((0, 16, 16, 16), {}),
    ],
)  # fmt: skip
def test_all_else_is_computed_without_tiles(shape, facts):
    assert "winograd" not in text_of(shape, **facts)


def test_a_setting_turns_tiles_off():
    ms.set_context(winograd=False)
    try:
        assert "winograd" not in text_of((2, 16, 16, 16))
    finally:
        ms.set_context(winograd=True)
    assert "winograd" in text_of((2, 16, 16, 16))
