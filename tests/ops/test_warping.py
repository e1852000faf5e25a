"""Pictures read at places, against SciPy and loops in float64, in both forms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.ndimage

import s2sad as ms
from s2sad import Tensor, ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused

RNG = np.random.default_rng(7)
X = RNG.normal(size=(2, 3, 4, 5))
GRID = RNG.uniform(-1.6, 1.6, size=(2, 3, 2, 2))
CUBE = RNG.normal(size=(1, 2, 3, 4, 2))
PLACES = RNG.uniform(-1.5, 1.5, size=(1, 2, 2, 3, 3))
MODES = {
    ("zeros", False): "grid-constant", ("zeros", True): "grid-constant",
    ("border", False): "nearest", ("border", True): "nearest",
    ("reflection", False): "reflect", ("reflection", True): "mirror",
}  # fmt: skip


def on_axes(grid, sizes, is_aligned):
    """Places among elements, the first axis first."""
    found = []
    for axis, size in enumerate(sizes):
        place = grid[..., len(sizes) - 1 - axis]
        place = (place + 1) / 2 * (size - 1) if is_aligned else ((place + 1) * size - 1) / 2
        found.append(place)
    return np.stack(found)


def read(x, grid, order, padding_mode, is_aligned):
    rows = []
    for picture, places in zip(x, grid, strict=True):
        where = on_axes(places, x.shape[2:], is_aligned)
        mode = MODES[padding_mode, is_aligned]
        rows.append([
            scipy.ndimage.map_coordinates(channel, where, order=order, mode=mode, cval=0.0)
            for channel in picture
        ])  # fmt: skip
    return np.array(rows)


@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("is_aligned", [False, True])
@pytest.mark.parametrize(("mode", "order"), [("bilinear", 1), ("nearest", 0)])
@pytest.mark.parametrize(("x", "grid"), [(X, GRID), (CUBE, PLACES)])
def test_linear_and_nearest(x, grid, mode, order, padding_mode, is_aligned):
    def run(x, grid):
        return ops.grid_sample(x, grid, mode, padding_mode, is_aligned)

    found = both_forms(run, Tensor(x), Tensor(grid))
    expected = read(x, grid, order, padding_mode, is_aligned)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-10, atol=1e-12)


def keys(t):
    t, a = abs(t), -0.75
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def outside(index, size, padding_mode, is_aligned):
    """The element that stands for number `index`, or None."""
    if padding_mode == "zeros":
        return index if 0 <= index < size else None
    if padding_mode == "reflection":
        period = 2 * (size - 1) if is_aligned else 2 * size
        index = index % period
        index = min(index, period - index if is_aligned else period - 1 - index)
    return min(max(index, 0), size - 1)


@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("is_aligned", [False, True])
def test_cubic(padding_mode, is_aligned):
    expected = np.zeros((2, 3, 3, 2))
    for n in range(2):
        where = on_axes(GRID[n], X.shape[2:], is_aligned)
        for out in np.ndindex(3, 2):
            place = where[(slice(None), *out)]
            base = np.floor(place).astype(int)
            for shift in itertools.product(range(-1, 3), repeat=2):
                index = [
                    outside(b + s, size, padding_mode, is_aligned)
                    for b, s, size in zip(base, shift, X.shape[2:], strict=True)
                ]
                if None not in index:
                    weight = np.prod(
                        [keys(p - b - s) for p, b, s in zip(place, base, shift, strict=True)]
                    )
                    expected[(n, slice(None), *out)] += weight * X[n, :, index[0], index[1]]

    def run(x, grid):
        return ops.grid_sample(x, grid, "bicubic", padding_mode, is_aligned)

    found = both_forms(run, Tensor(X), Tensor(GRID))
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("mode", "padding_mode"),
    [
        ("bilinear", "zeros"),
        ("bilinear", "border"),
        ("bilinear", "reflection"),
        ("bicubic", "zeros"),
    ],
)
def test_gradients(mode, padding_mode):
    def run(x, grid):
        return ops.grid_sample(x, grid, mode, padding_mode)

    check_gradients(run, X[:1, :1, :3, :3], GRID[:1, :2, :1], atol=1e-7)


def test_second_gradients():
    def run(x, grid):
        return ops.sum(ops.grid_sample(x, grid) ** 2)

    check_second_gradients(run, X[:1, :1, :2, :2], GRID[:1, :1, :1], atol=1e-6)


def test_places_that_are_none_give_zeros_and_no_gradient():
    grid = Tensor([[[[np.nan, 0.0], [0.0, 0.0], [np.inf, 0.0]]]])
    x = Tensor(np.ones((1, 1, 2, 2), np.float32))
    for padding_mode in ("zeros", "reflection"):

        def run(x, mode=padding_mode):
            return ops.grid_sample(x, grid, padding_mode=mode)

        np.testing.assert_array_equal(both_forms(run, x).asnumpy(), [[[[0.0, 1.0, 0.0]]]])
        found = ms.grad(lambda x: ops.sum(run(x)))(x)
        np.testing.assert_array_equal(found.asnumpy(), np.full((1, 1, 2, 2), 0.25))


def test_narrow_floats_are_read_in_float32():
    x, grid = X.astype(np.float16), GRID.astype(np.float16)
    found = both_forms(ops.grid_sample, Tensor(x), Tensor(grid))
    assert found.dtype is ms.float16
    expected = read(x.astype(np.float64), grid.astype(np.float64), 1, "zeros", False)
    np.testing.assert_allclose(found.asnumpy(), expected, atol=4e-3)


@pytest.mark.parametrize("size", [(2, 1, 3, 4), (2, 1, 1, 2), (2, 3, 2, 3, 4)])
@pytest.mark.parametrize("is_aligned", [False, True])
def test_affine_grid(size, is_aligned):
    rank = len(size) - 2
    theta = RNG.normal(size=(2, rank, rank + 1))
    axes = [
        (np.linspace(-1, 1, n) if n > 1 else np.zeros(1)) if is_aligned
        else (2 * np.arange(n) + 1) / n - 1
        for n in size[2:]
    ]  # fmt: skip
    expected = np.zeros((2, *size[2:], rank))
    for place in np.ndindex(*size[2:]):
        vector = [*(axis[i] for axis, i in zip(axes, place, strict=True))][::-1]
        expected[(slice(None), *place)] = theta @ np.array([*vector, 1.0])

    def run(theta):
        return ops.affine_grid(theta, size, is_aligned)

    np.testing.assert_allclose(both_forms(run, Tensor(theta)).asnumpy(), expected, atol=1e-14)
    check_gradients(run, theta)


def test_the_grid_of_the_identity_reads_the_picture_itself():
    def run(x):
        theta = Tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], ms.float64)
        return ops.grid_sample(x, ops.affine_grid(theta, (1, 3, 4, 5)))

    np.testing.assert_allclose(both_forms(run, Tensor(X[:1])).asnumpy(), X[:1], atol=1e-14)


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda x, g: ops.grid_sample(x, g, "cubic"), "E0404"),
        (lambda x, g: ops.grid_sample(x, g, padding_mode="wrap"), "E0404"),
        (lambda x, g: ops.grid_sample(x, g[:1]), "E0401"),
        (lambda x, g: ops.grid_sample(x, g[0]), "E0401"),
        (lambda x, g: ops.grid_sample(x[0], g), "E0401"),
        (lambda x, g: ops.grid_sample(x[:, :, :0], g), "E0401"),
        (lambda x, g: ops.grid_sample(x.astype(ms.int32), g), "E0301"),
        (lambda x, g: ops.affine_grid(g, (2, 3, 4, 5)), "E0401"),
        (lambda x, g: ops.affine_grid(g[0, :2, :, :2], (2, 3)), "E0404"),
    ],
)
def test_what_cannot_be_read(run, code):
    refused(code, run, Tensor(X), Tensor(GRID))
