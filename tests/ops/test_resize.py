"""Is what lies on a grid resized as the formulas say?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, refused

MODES = {1: "linear", 2: "bilinear", 3: "trilinear"}


def places(count, size, scale, align):
    """Where the new elements of an axis lie among the old ones."""
    if align:
        return [i * (count - 1) / (size - 1) if size > 1 else 0.0 for i in range(size)]
    return [(i + 0.5) * (count / size if scale is None else 1 / scale) - 0.5 for i in range(size)]


def hat(distance):
    return max(0.0, 1.0 - abs(distance))


def keys(distance, a=-0.75):
    t = abs(distance)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * (t**3 - 5 * t**2 + 8 * t - 4) if t < 2 else 0.0


def matrix(count, size, scale, align, kernel):
    """What each new element takes of each old one: those beyond an end count for it."""
    weights = np.zeros((size, count))
    for row, at in enumerate(places(count, size, scale, align)):
        at = max(at, 0.0) if kernel is hat else at
        for node in range(-4, count + 4):
            weights[row, min(max(node, 0), count - 1)] += kernel(at - node)
    return weights


def by_hand(x, sizes, scale=None, align=False, kernel=hat):
    for axis, size in enumerate(sizes, 2):
        weights = matrix(x.shape[axis], size, scale, align, kernel)
        x = np.moveaxis(np.tensordot(weights, x, (1, axis)), 0, axis)
    return x


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("sizes", [(7,), (2,), (1,), (3, 9), (4, 1), (5, 2, 3)], ids=str)
def test_linear(sizes, align):
    x = normal(2, 2, *(4, 5, 3)[: len(sizes)])

    def run(x):
        return ops.interpolate(x, sizes, mode=MODES[len(sizes)], align_corners=align)

    found = both_forms(run, ms.Tensor(x))
    np.testing.assert_allclose(found.asnumpy(), by_hand(x, sizes, align=align), atol=1e-14)
    check_gradients(run, x[:1, :1])


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("sizes", [(7, 9), (2, 3), (1, 1), (4, 5)], ids=str)
def test_cubic(sizes, align):
    x = normal(2, 1, 4, 5)

    def run(x):
        return ops.interpolate(x, sizes, mode="bicubic", align_corners=align)

    expected = by_hand(x, sizes, align=align, kernel=keys)
    np.testing.assert_allclose(both_forms(run, ms.Tensor(x)).asnumpy(), expected, atol=1e-13)
    check_gradients(run, x[:1])


@pytest.mark.parametrize("recompute", [None, False, True])
@pytest.mark.parametrize("scale", [2.0, 1.3, 0.5, 0.7])
def test_factors(scale, recompute):
    x = normal(1, 1, 5, 4)
    sizes = [math.floor(5 * scale), math.floor(4 * scale)]
    found = ops.upsample(ms.Tensor(x), None, scale, "bilinear", None, recompute)
    expected = by_hand(x, sizes, None if recompute else scale)
    np.testing.assert_allclose(found.asnumpy(), expected, atol=1e-14)
    found = ops.interpolate(ms.Tensor(x), None, (scale, scale), recompute_scale_factor=recompute)
    ratios = [5 / sizes[0], 4 / sizes[1]] if recompute else [1 / scale] * 2
    rows, columns = ([int(i * r) for i in range(n)] for n, r in zip(sizes, ratios, strict=True))
    np.testing.assert_array_equal(found.asnumpy(), x[:, :, rows][..., columns])


@pytest.mark.parametrize("dtype", [ms.uint8, ms.bool_, ms.int64, ms.float16, ms.bfloat16])
def test_nearest_of_any_dtype(dtype):
    x = ms.Tensor([[[0, 1, 1, 0, 1]]]).astype(dtype)
    for size, expected in ((3, [0, 1, 0]), (10, [0, 0, 1, 1, 1, 1, 0, 0, 1, 1]), (1, [0])):
        found = both_forms(lambda x, size=size: ops.interpolate(x, size), x)
        assert found.dtype is dtype and found.astype(ms.int32).tolist() == [[expected]]
    exact = ops.interpolate(x, 2, mode="nearest-exact")
    assert exact.astype(ms.int32).tolist() == [[[1, 0]]]


@pytest.mark.parametrize("count", [3, 49, 117])
def test_nearest_counts_exactly(count):
    x = ms.Tensor(np.arange(count * 7).reshape(1, 1, -1))
    assert ops.interpolate(x, count).tolist() == [[[i * 7 for i in range(count)]]]


def test_area_is_the_mean():
    x = normal(1, 1, 4, 6)
    found = ops.interpolate(ms.Tensor(x), (2, 3), mode="area").asnumpy()
    np.testing.assert_allclose(found, x.reshape(1, 1, 2, 2, 3, 2).mean((3, 5)), rtol=1e-14)


def test_what_counts_nothing_makes_no_nan():
    x = ms.Tensor([[[1.0, float("inf"), 2.0]]])
    found = ops.interpolate(x, 5, mode="linear", align_corners=True)
    assert found.tolist() == [[[1.0, float("inf"), float("inf"), float("inf"), 2.0]]]


def test_narrow_floats_are_rounded_once():
    x = normal(1, 1, 4, 4).astype(np.float16)
    found = ops.interpolate(ms.Tensor(x), 7, mode="bicubic")
    expected = by_hand(x.astype(np.float64), (7, 7), kernel=keys).astype(np.float16)
    assert found.dtype is ms.float16
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-3, atol=1e-6)


def test_refused():
    x = ms.Tensor(normal(1, 1, 4, 4))

    def both(x):
        return ops.interpolate(x, 2, 2.0)

    def none(x):
        return ops.interpolate(x)

    def unknown(x):
        return ops.interpolate(x, 2, mode="cubic")

    def axes(x):
        return ops.interpolate(x, 2, mode="linear")

    def corners(x):
        return ops.interpolate(x, 2, align_corners=True)

    def nothing(x):
        return ops.interpolate(x, scale_factor=0.2)

    def negative(x):
        return ops.interpolate(x, scale_factor=-1.0)

    def recomputed(x):
        return ops.interpolate(x, 2, recompute_scale_factor=True)

    def integers(x):
        return ops.interpolate(x.astype(ms.int32), 2, mode="bilinear")

    def three(x):
        return ops.interpolate(x, scale_factor=(1.0, 2.0, 3.0))

    def empty(x):
        return ops.interpolate(x[:, :, :0], 2)

    codes = {both: "E0302", none: "E0302", unknown: "E0404", axes: "E0401", corners: "E0404",
             nothing: "E0404", negative: "E0404", recomputed: "E0302", integers: "E0301",
             three: "E0303", empty: "E0401"}  # fmt: skip
    for function, code in codes.items():
        refused(code, function, x)
