"""Pooling against loops in float64, in both forms, with gradients to order 2."""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.core.diagnostics import S2sadError
from support import windows
from support.forms import both_forms, check_gradients, check_second_gradients, refused


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def axes_of(shape, kernel, stride, padding, dilation=1, ceil=False):
    """Windows along each spatial axis; facts are one for all axes, or a list with one each."""
    rank = len(shape) - 2
    facts = [x if isinstance(x, list) else [x] * rank for x in (kernel, stride, padding, dilation)]
    return [
        windows.windows_along(size, k, s, p if isinstance(p, tuple) else (p, p), d, ceil)
        for size, k, s, p, d in zip(shape[2:], *facts, strict=True)
    ]


def largest(members, count):
    return np.max(members, axis=0)


def mean_of_places(members, count):
    return np.sum(members, axis=0) / count


def mean_of_members(members, count):
    return np.mean(members, axis=0)


def spelled(fact):
    """A fact as users say it."""
    if not isinstance(fact, list):
        return fact
    return tuple(end for x in fact for end in (x if isinstance(x, tuple) else (x,)))


WINDOWS = [
    # shape, kernel, stride, padding, dilation, ceil
    ((2, 3, 6, 5), 2, 1, 0, 1, False), ((2, 3, 6, 5), [3, 2], [2, 1], 0, 1, False),
    ((1, 2, 6, 5), 3, 2, 1, 1, False), ((1, 2, 6, 5), 3, 2, [1, 0], 1, True),
    ((1, 2, 7, 8), 2, 3, 0, 2, False), ((1, 2, 7, 8), 2, 3, 0, 2, True),
    ((1, 1, 5, 5), 2, 2, 1, 1, True), ((1, 1, 5, 6), 3, 3, [(0, 1), (1, 1)], 1, True),
    ((1, 1, 4, 4), 3, 4, 0, 1, True), ((0, 2, 4, 4), 2, 2, 0, 1, False),
    ((1, 1, 3, 4, 5), 2, 2, 1, 1, False), ((1, 1, 3, 4, 5), 2, 2, 0, 1, True),
]  # fmt: skip


@pytest.mark.parametrize("setting", WINDOWS, ids=str)
def test_max_pool(setting):
    shape, kernel, stride, padding, dilation, ceil = setting
    function = {4: ops.max_pool2d, 5: ops.max_pool3d}[len(shape)]
    x = normal(*shape)

    def run(x):
        return function(
            x, spelled(kernel), spelled(stride), spelled(padding), dilation,
            ceil_mode=ceil, return_indices=True,
        )  # fmt: skip

    values, places = both_forms(run, ms.Tensor(x))
    expected = windows.pool(x, axes_of(shape, kernel, stride, padding, dilation, ceil), largest)
    assert values.shape == places.shape == expected.shape and places.dtype is ms.int64
    np.testing.assert_array_equal(values.asnumpy(), expected)
    lines = x.reshape(*shape[:2], math.prod(shape[2:]))
    at = places.asnumpy().reshape(*shape[:2], math.prod(expected.shape[2:]))
    taken = np.take_along_axis(lines, at, axis=2)
    np.testing.assert_array_equal(taken.reshape(expected.shape), expected)


@pytest.mark.parametrize("count_include_pad", [True, False])
@pytest.mark.parametrize("setting", [s for s in WINDOWS if s[4] == 1], ids=str)
def test_avg_pool(setting, count_include_pad):
    shape, kernel, stride, padding, _, ceil = setting
    function = {4: ops.avg_pool2d, 5: ops.avg_pool3d}[len(shape)]
    x = normal(*shape)

    def run(x):
        given = spelled(kernel), spelled(stride), spelled(padding), ceil, count_include_pad
        return function(x, *given), function(x, *given, 3)

    found, thirds = both_forms(run, ms.Tensor(x))
    axes = axes_of(shape, kernel, stride, padding, 1, ceil)
    if count_include_pad:
        # Padding counts, what ceil_mode reaches beyond it does not.
        pads = padding if isinstance(padding, list) else [padding] * (len(shape) - 2)
        ends = [pad if isinstance(pad, tuple) else (pad, pad) for pad in pads]
        padded = np.pad(x, [(0, 0), (0, 0), *ends])
        moved = [
            [[place + before for place in read] for read in axis]
            for axis, (before, _) in zip(axes, ends, strict=True)
        ]
        expected = windows.pool(padded, moved, mean_of_members)
    else:
        expected = windows.pool(x, axes, mean_of_members)
    assert found.shape == thirds.shape == expected.shape
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12, atol=1e-12)
    sums = windows.pool(x, axes, lambda members, count: np.sum(members, axis=0))
    np.testing.assert_allclose(thirds.asnumpy(), sums / 3, rtol=1e-12, atol=1e-12)


def test_avg_pool1d():
    x = normal(2, 3, 7)

    def run(x):
        return ops.avg_pool1d(x, 3, 2, 1), ops.avg_pool1d(x, (3,), (2,), (1,), True, False)

    found, others = both_forms(run, ms.Tensor(x))
    axes = axes_of(x.shape, 3, 2, 1)
    np.testing.assert_allclose(found.asnumpy(), windows.pool(x, axes, mean_of_places), rtol=1e-12)
    np.testing.assert_allclose(others.asnumpy(), windows.pool(x, axes, mean_of_members), rtol=1e-12)


def test_defaults():
    x = ms.Tensor(normal(1, 1, 4, 4))

    def run(x):
        return (
            ops.max_pool2d(x, 2),
            ops.max_pool2d(x, 2, 2),
            ops.avg_pool2d(x),
            ops.avg_pool2d(x, 2),
        )

    largest_, other, same, means = both_forms(run, x)
    assert largest_.tolist() == other.tolist() and largest_.shape == (1, 1, 2, 2)
    assert same.tolist() == x.tolist() and means.shape == (1, 1, 3, 3)


def test_without_a_batch():
    x = ms.Tensor(normal(2, 5, 4))

    def run(x):
        return [
            (ops.max_pool2d(x, 2), ops.max_pool2d(x.reshape(1, 2, 5, 4), 2)),
            (ops.avg_pool2d(x, 2), ops.avg_pool2d(x.reshape(1, 2, 5, 4), 2)),
            (ops.adaptive_avg_pool2d(x, 2), ops.adaptive_avg_pool2d(x.reshape(1, 2, 5, 4), 2)),
            ops.max_pool2d(x, 2, return_indices=True),
        ]

    *pairs, indices = both_forms(run, x)
    for plain, batched in pairs:
        assert plain.shape == batched.shape[1:] and [plain.tolist()] == batched.tolist()
    assert indices[0].shape == indices[1].shape == (2, 2, 2)


# ---- gradients ------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", WINDOWS[:5] + WINDOWS[7:8], ids=str)
def test_gradients(setting):
    shape, kernel, stride, padding, dilation, ceil = setting
    x = normal(1, 1, *shape[2:])
    facts = spelled(kernel), spelled(stride), spelled(padding)

    def largest_of(x):
        return ops.max_pool2d(x, *facts, dilation, ceil_mode=ceil)

    def means(x):
        return ops.avg_pool2d(x, *facts, ceil)

    def squared(x):
        first, second = ops.max_pool2d(x, *facts, ceil_mode=ceil), ops.avg_pool2d(x, *facts, ceil)
        return ops.sum(first * first * second)

    check_gradients(largest_of, x)
    check_gradients(means, x)
    check_second_gradients(squared, x)


def test_overlapping_windows_share_what_they_have_in_common():
    x = ms.Tensor([[[[5.0, 3.0, 1.0, 2.0, 5.0]]]])
    w = ms.Tensor([[[[1.0, 10.0, 100.0, 1000.0]]]])

    def run(x):
        return ops.sum(ops.max_pool2d(x, (1, 2), 1) * w)

    assert ms.grad(run)(x).tolist() == [[[[1.0, 10.0, 0.0, 100.0, 1000.0]]]]


def test_the_first_of_equal_elements_gets_the_gradient():
    x = ms.Tensor(np.ones((1, 1, 3, 3)))

    def run(x):
        return ops.sum(ops.max_pool2d(x, 2, 1))

    def adapted(x):
        return ops.sum(ops.adaptive_max_pool2d(x, 2))

    first = [[[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]]]
    assert ms.grad(run)(x).tolist() == first
    assert ms.grad(adapted)(x).tolist() == first


def test_what_is_not_finite():
    x = np.full((1, 1, 2, 4), -np.inf)
    x[0, 0, 0, 0] = np.nan

    def run(x):
        return ops.max_pool2d(x, 2, 2), ops.avg_pool2d(x, 2, 2), ops.adaptive_avg_pool2d(x, (1, 2))

    for found in both_forms(run, ms.Tensor(x)):
        np.testing.assert_array_equal(found.asnumpy(), [[[[np.nan, -np.inf]]]])


@pytest.mark.parametrize("dtype", [ms.int8, ms.int64, ms.float16, ms.bfloat16])
def test_dtypes_of_the_largest(dtype):
    def run(x):
        return ops.max_pool2d(x, (1, 2), 1), ops.adaptive_max_pool2d(x, 1)

    found, one = both_forms(run, ms.Tensor([[[[-3, -1, -2]]]], dtype))
    assert found.dtype is one.dtype is dtype
    assert found.tolist() == [[[[-1, -1]]]] and one.tolist() == [[[[-1]]]]


# ---- as many windows as wanted --------------------------------------------------------------


def adaptive_axes(spatial, counts):
    return [
        [list(range(i * n // m, math.ceil((i + 1) * n / m))) for i in range(m)]
        for n, m in zip(spatial, counts, strict=True)
    ]


def adapted(x, counts, reduce):
    """By loops; windows differ in length, so each is one of its own."""
    axes = adaptive_axes(x.shape[2:], counts)
    out = np.zeros((*x.shape[:2], *counts))
    for place in np.ndindex(*counts):
        lines = [axis[i] for axis, i in zip(axes, place, strict=True)]
        part = x[np.ix_(range(x.shape[0]), range(x.shape[1]), *lines)]
        out[(..., *place)] = reduce(part, axis=tuple(range(2, x.ndim)))
    return out


ADAPTIVE = [
    ((2, 3, 6, 4), (3, 2)), ((2, 3, 6, 4), (1, 1)), ((2, 3, 7, 5), (3, 2)), ((1, 2, 7, 5), (7, 5)),
    ((1, 2, 3, 2), (5, 4)), ((1, 1, 5, 8), (2, 1)), ((0, 2, 5, 4), (2, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "counts"), ADAPTIVE)
def test_adaptive(shape, counts):
    x = normal(*shape)

    def run(x):
        means = ops.adaptive_avg_pool2d(x, counts)
        values, places = ops.adaptive_max_pool2d(x, counts, True)
        return means, values, places, ops.adaptive_max_pool2d(x, counts)

    means, values, places, alone = both_forms(run, ms.Tensor(x))
    np.testing.assert_allclose(means.asnumpy(), adapted(x, counts, np.mean), rtol=1e-12, atol=1e-13)
    expected = adapted(x, counts, np.max) if x.size else np.zeros((0, 2, *counts))
    np.testing.assert_array_equal(values.asnumpy(), expected)
    assert alone.tolist() == values.tolist() and places.dtype is ms.int64
    lines = x.reshape(*shape[:2], math.prod(shape[2:]))
    at = places.asnumpy().reshape(*shape[:2], math.prod(counts))
    np.testing.assert_array_equal(
        np.take_along_axis(lines, at, 2).reshape(expected.shape), expected
    )


def test_sizes_that_are_kept():
    x = normal(2, 3, 5, 4)

    def run(x):
        return ops.adaptive_avg_pool2d(x, (None, 3)), ops.adaptive_avg_pool2d(x, (5, 3))

    one, other = both_forms(run, ms.Tensor(x))
    assert one.shape == (2, 3, 5, 3) and one.tolist() == other.tolist()


def test_adaptive_over_one_and_three_axes():
    line, box = normal(2, 3, 7), normal(1, 2, 3, 4, 5)

    def run(line, box):
        return (
            ops.adaptive_avg_pool1d(line, 3), ops.adaptive_max_pool1d(line, 3),
            ops.adaptive_avg_pool3d(box, (2, 2, 3)),
        )  # fmt: skip

    means, values, boxes = both_forms(run, ms.Tensor(line), ms.Tensor(box))
    np.testing.assert_allclose(means.asnumpy(), adapted(line, (3,), np.mean), rtol=1e-12)
    np.testing.assert_array_equal(values.asnumpy(), adapted(line, (3,), np.max))
    np.testing.assert_allclose(boxes.asnumpy(), adapted(box, (2, 2, 3), np.mean), rtol=1e-12)


@pytest.mark.parametrize("counts", [(2, 2), (3, 2), (1, 1)])
def test_gradients_of_adaptive(counts):
    x = normal(1, 1, 5, 4)

    def means(x):
        return ops.adaptive_avg_pool2d(x, counts)

    def values(x):
        return ops.adaptive_max_pool2d(x, counts)

    def squared(x):
        return ops.sum(ops.adaptive_avg_pool2d(x, counts) ** 2 * ops.adaptive_max_pool2d(x, counts))

    check_gradients(means, x)
    check_gradients(values, x)
    check_second_gradients(squared, x)


def test_narrow_means_are_rounded_once():
    x = ms.Tensor(normal(1, 1, 5, 5), ms.float16)

    def run(x):
        return ops.adaptive_avg_pool2d(x, 2), ops.adaptive_avg_pool2d(x.astype(ms.float32), 2)

    narrow, wide = both_forms(run, x)
    assert narrow.dtype is ms.float16 and narrow.tolist() == ms.Tensor(wide, ms.float16).tolist()


# ---- what is refused ------------------------------------------------------------------------

X = ms.Tensor(normal(1, 2, 4, 5))
REFUSED = [
    ("E0401", lambda x: ops.max_pool2d(x[0, 0], 2)), ("E0401", lambda x: ops.max_pool2d(x, 5)),
    ("E0401", lambda x: ops.max_pool2d(x, 3, dilation=2)),
    ("E0401", lambda x: ops.avg_pool2d(x, 5)),
    ("E0404", lambda x: ops.max_pool2d(x, 2, padding=3)), ("E0404", lambda x: ops.max_pool2d(x, 0)),
    ("E0404", lambda x: ops.max_pool2d(x, 2, padding=-1)),
    ("E0303", lambda x: ops.max_pool2d(x, (2, 2, 2))), ("E0303", lambda x: ops.max_pool2d(x, 2.0)),
    ("E0303", lambda x: ops.max_pool2d(x, 2, padding="same")),
    ("E0303", lambda x: ops.max_pool2d(x, 2, ceil_mode=1)),
    ("E0303", lambda x: ops.max_pool2d(x, 2, return_indices=1)),
    ("E0303", lambda x: ops.avg_pool2d(x, 2, divisor_override=1.5)),
    ("E0303", lambda x: ops.avg_pool2d(x, 2, count_include_pad=1)),
    ("E0301", lambda x: ops.avg_pool2d(x.astype(ms.int32), 2)),
    ("E0301", lambda x: ops.max_pool2d(x > 0, 2)),
    ("E0301", lambda x: ops.adaptive_avg_pool2d(x.astype(ms.int32), 2)),
    ("E0303", lambda x: ops.adaptive_avg_pool2d(x, (1, 1, 1))),
    ("E0303", lambda x: ops.adaptive_avg_pool2d(x, 1.0)),
    ("E0404", lambda x: ops.adaptive_avg_pool2d(x, 0)),
    ("E0401", lambda x: ops.adaptive_avg_pool2d(x[0, 0], 1)),
    ("E0401", lambda x: ops.adaptive_avg_pool2d(x[:, :, :0], 1)),
    ("E0304", lambda x: ops.max_pool2d(1.0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "function"), REFUSED)
def test_what_does_not_go_together(code, function):
    refused(code, function, X)


def test_messages_name_shapes_and_axes():
    for function in (lambda x: ops.max_pool2d(x, (2, 6)), lambda x: ops.avg_pool2d(x, (2, 6))):
        for run in (function, ms.compile(function)):
            with pytest.raises(S2sadError) as caught:
                run(X)
            for word in ("(1, 2, 4, 5)", "(2, 6)", "axis 3"):
                assert word in str(caught.value)
