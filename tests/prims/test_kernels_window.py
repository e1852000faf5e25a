"""Do convolution and pooling do what the loops over all windows and positions do?"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2sad.prims.kernels import window

each_float = pytest.mark.parametrize("dtype", [np.float32, np.float64])


class Case(NamedTuple):
    """One geometry, with batch, channels of a group and filters of a group."""

    spatial: tuple
    kernel: tuple
    stride: tuple
    padding: tuple
    dilation: tuple
    batch: int
    groups: int
    channels: int
    filters: int

    @property
    def facts(self):
        return {"stride": self.stride, "padding": self.padding, "dilation": self.dilation}

    @property
    def count(self):
        axes = zip(self.spatial, self.kernel, self.stride, self.padding, self.dilation, strict=True)
        return tuple(
            len(range(0, size + before + after - d * (k - 1), s))
            for size, k, s, (before, after), d in axes
        )

    def seen(self):
        """Each window with each position in it and the place there; None in the padding."""
        for spot in itertools.product(*map(range, self.count)):
            for position in itertools.product(*map(range, self.kernel)):
                place = tuple(
                    o * s + p * d - before
                    for o, s, p, d, (before, _) in zip(
                        spot, self.stride, position, self.dilation, self.padding, strict=True
                    )
                )
                inside = all(0 <= i < n for i, n in zip(place, self.spatial, strict=True))
                yield spot, position, place if inside else None


@st.composite
def cases(draw, dilated=True):
    rank = draw(st.integers(1, 3))
    widest = {1: 9, 2: 6, 3: 4}[rank]

    def axes(values):
        return draw(st.tuples(*[values] * rank))

    return Case(
        spatial=axes(st.integers(1, widest)),
        kernel=axes(st.integers(1, 3)),
        stride=axes(st.integers(1, 3)),
        padding=axes(st.tuples(st.integers(0, 2), st.integers(0, 2))),
        dilation=axes(st.integers(1, 2 if dilated else 1)),
        batch=draw(st.integers(0, 2)),
        groups=draw(st.integers(1, 3)),
        channels=draw(st.integers(1, 2)),
        filters=draw(st.integers(1, 2)),
    )


def whole(shape, dtype, seed):
    """Small whole numbers: every sum of products of them is exact, in any order."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def arrays(case, dtype):
    x = whole((case.batch, case.groups * case.channels, *case.spatial), dtype, 1)
    w = whole((case.groups * case.filters, case.channels, *case.kernel), dtype, 2)
    dout = whole((case.batch, case.groups * case.filters, *case.count), dtype, 3)
    return x, w, dout


def conv_by_loops(x, w, case):
    out = np.zeros((case.batch, w.shape[0], *case.count))
    for n, m in itertools.product(range(case.batch), range(w.shape[0])):
        first = m // case.filters * case.channels
        for c in range(case.channels):
            for spot, position, place in case.seen():
                if place is not None:
                    out[(n, m, *spot)] += float(x[(n, first + c, *place)]) * w[(m, c, *position)]
    return out


@each_float
@settings(max_examples=40, deadline=None)
@given(case=cases())
def test_convolution_is_the_loops(dtype, case):
    x, w, dout = arrays(case, dtype)
    got = window.conv(x, w, groups=case.groups, **case.facts)
    assert got.dtype == dtype and got.flags.c_contiguous and got.shape == dout.shape
    np.testing.assert_array_equal(got, conv_by_loops(x, w, case))


@each_float
@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_the_gradients_of_convolution_are_its_transposes(dtype, case):
    x, w, dout = arrays(case, dtype)
    facts = {"groups": case.groups, **case.facts}
    dx = window.conv_input_grad(dout, w, input_shape=case.spatial, **facts)
    dw = window.conv_filter_grad(x, dout, kernel_shape=case.kernel, **facts)
    assert (dx.shape, dx.dtype, dw.shape, dw.dtype) == (x.shape, dtype, w.shape, dtype)
    expected = np.sum(window.conv(x, w, **facts) * dout)
    assert np.sum(dx * x) == expected and np.sum(dw * w) == expected


def test_the_gradient_of_each_input_is_the_filter_value_that_meets_it():
    # An inner product with one basis array each, so that no errors cancel in the sums.
    case = Case((4, 3), (2, 2), (2, 1), ((1, 0), (0, 2)), (1, 2), 1, 1, 1, 1)
    x, w, dout = arrays(case, np.float64)
    facts = {"groups": 1, **case.facts}
    dx = window.conv_input_grad(dout, w, input_shape=case.spatial, **facts)
    for place in np.ndindex(x.shape):
        basis = np.zeros_like(x)
        basis[place] = 1
        assert dx[place] == np.sum(window.conv(basis, w, **facts) * dout)


PLAIN = {"stride": (1,), "padding": ((0, 0),), "dilation": (1,), "groups": 1}


def test_convolution_is_cross_correlation():
    x, w = np.array([[[1.0, 2.0, 4.0]]]), np.array([[[1.0, 10.0]]])
    assert window.conv(x, w, **PLAIN).tolist() == [[[21.0, 42.0]]]


def test_float32_stays_close_to_float64_on_a_real_layer():
    generator = np.random.default_rng(0)
    x, w = generator.normal(size=(2, 6, 14, 14)), generator.normal(size=(16, 6, 5, 5))
    facts = {"stride": (1, 1), "padding": ((2, 2),) * 2, "dilation": (1, 1), "groups": 1}
    wide = window.conv(x, w, **facts)
    narrow = window.conv(x.astype(np.float32), w.astype(np.float32), **facts)
    assert np.abs(narrow - wide).max() < 1e-5 * np.abs(wide).max()


def test_infinities_meet_only_the_windows_that_see_them():
    x, w = np.array([[[np.inf, 1.0, 2.0, np.nan]]]), np.array([[[0.0, 1.0]]])
    out = window.conv(x, w, **PLAIN)
    np.testing.assert_array_equal(out, [[[np.nan, 2.0, np.nan]]])


@pytest.mark.parametrize("batch, size", [(0, 5), (2, 1), (2, 0), (0, 0)])
def test_empty_batches_and_outputs(batch, size):
    x, w = np.ones((batch, 4, size)), np.ones((6, 2, 3))
    facts = {**PLAIN, "groups": 2}
    out = window.conv(x, w, **facts)
    assert out.shape == (batch, 6, max(0, size - 2))
    dx = window.conv_input_grad(out, w, input_shape=(size,), **facts)
    dw = window.conv_filter_grad(x, out, kernel_shape=(3,), **facts)
    np.testing.assert_array_equal(dx, np.zeros(x.shape))
    np.testing.assert_array_equal(dw, np.zeros(w.shape))


def test_inputs_past_the_last_window_get_no_gradient():
    facts = {**PLAIN, "stride": (3,)}
    dx = window.conv_input_grad(np.ones((1, 1, 2)), np.ones((1, 1, 1)), input_shape=(6,), **facts)
    assert dx.tolist() == [[[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]]]


def test_strided_inputs_give_the_same():
    x, w = np.arange(36.0).reshape(6, 2, 3).transpose(2, 1, 0), np.arange(12.0).reshape(3, 2, 2)
    got = window.conv(x, w, **PLAIN)
    assert got.shape == (3, 3, 5)
    np.testing.assert_array_equal(got, window.conv(x.copy(), w, **PLAIN))
    back = window.conv_input_grad(got.transpose(1, 0, 2), w, input_shape=(6,), **PLAIN)
    same = window.conv_input_grad(got.transpose(1, 0, 2).copy(), w, input_shape=(6,), **PLAIN)
    np.testing.assert_array_equal(back, same)


def max_by_loops(x, case):
    """The maximum of each window, and where it stands first."""
    shape = (*x.shape[:2], *case.count)
    values, index = np.full(shape, -np.inf, x.dtype), np.full(shape, -1)
    for n, c in np.ndindex(*x.shape[:2]):
        for spot, _, place in case.seen():
            at = (n, c, *spot)
            if place is None:
                continue
            value, best = x[(n, c, *place)], values[at]
            first_nan = math.isnan(value) and not math.isnan(best)
            if index[at] < 0 or value > best or first_nan:
                values[at], index[at] = value, np.ravel_multi_index(place, case.spatial)
    return values, index


def rough(shape, dtype, seed):
    """Numbers with many ties and a share of NaN, infinities and zeros of both signs."""
    values = [-np.inf, -1, -0.0, 0.0, 1, 2, 3, np.inf, np.nan]
    return np.random.default_rng(seed).choice(values, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@settings(max_examples=40, deadline=None)
@given(case=cases(), seed=st.integers(0, 1000))
def test_maxima_are_those_of_the_loops(dtype, case, seed):
    x = rough((case.batch, 2, *case.spatial), dtype, seed)
    values, index = max_by_loops(x, case)
    got = window.max_pool(x, kernel=case.kernel, **case.facts)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, values)
    assert (np.signbit(got) == np.signbit(values))[~np.isnan(got)].all()
    if case.batch and (index < 0).any():
        with pytest.raises(ValueError, match="nothing but padding"):
            window.max_pool_argmax(x, kernel=case.kernel, **case.facts)
    elif case.batch:
        places = window.max_pool_argmax(x, kernel=case.kernel, **case.facts)
        assert places.dtype == np.int64
        np.testing.assert_array_equal(places, index)


POOL = {"kernel": (2,), "stride": (1,), "padding": ((1, 1),), "dilation": (1,)}


def test_padding_is_never_the_maximum():
    x = np.full((1, 1, 3), -np.inf)
    assert window.max_pool(x, **POOL).tolist() == [[[-np.inf] * 4]]
    assert window.max_pool_argmax(x, **POOL).tolist() == [[[0, 0, 1, 2]]]


def test_the_first_nan_is_the_maximum():
    x = np.array([[[5.0, np.nan, np.nan, 9.0]]])
    np.testing.assert_array_equal(window.max_pool(x, **POOL), [[[5.0, *[np.nan] * 3, 9.0]]])
    assert window.max_pool_argmax(x, **POOL).tolist() == [[[0, 1, 1, 2, 3]]]


def test_of_zeros_the_first_is_the_maximum():
    x = np.array([[[0.0, -0.0, 0.0]]])
    facts = {**POOL, "padding": ((0, 0),)}
    assert np.signbit(window.max_pool(x, **facts)).tolist() == [[[False, True]]]
    assert window.max_pool_argmax(x, **facts).tolist() == [[[0, 1]]]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_whole_numbers_have_maxima_too(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    x = np.array([[[low, low, high]]], dtype)
    got = window.max_pool(x, **POOL)
    assert got.dtype == dtype and got.tolist() == [[[low, low, high, high]]]
    assert window.max_pool_argmax(x, **POOL).tolist() == [[[0, 0, 2, 2]]]


def mean_by_loops(x, case, include, divisor):
    total = np.zeros((*x.shape[:2], *case.count))
    for spot, _, place in case.seen():
        if place is not None:
            total[(..., *spot)] += x[(..., *place)]
    if divisor is not None:
        return total / divisor
    return total / (math.prod(case.kernel) if include else members_of(case))


def members_of(case):
    """How many elements each window sees."""
    members = np.zeros(case.count)
    for spot, _, place in case.seen():
        members[spot] += place is not None
    return members


def has_a_mean(mean):
    case, include, divisor = mean
    return include or divisor is not None or bool((members_of(case) > 0).all())


def means():
    divisors = st.sampled_from([None, 1, 3, -2])
    return st.tuples(cases(dilated=False), st.booleans(), divisors).filter(has_a_mean)


@each_float
@settings(max_examples=60, deadline=None)
@given(mean=means())
def test_means_are_those_of_the_loops(dtype, mean):
    case, include, divisor = mean
    x = whole((case.batch, 2, *case.spatial), dtype, 4)
    facts = {
        "kernel": case.kernel,
        "stride": case.stride,
        "padding": case.padding,
        "count_include_pad": include,
        "divisor": divisor,
    }
    expected = mean_by_loops(x, case, include, divisor)
    got = window.avg_pool(x, **facts)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, expected.astype(dtype))
    dout = whole(got.shape, dtype, 5)
    dx = window.avg_pool_input_grad(dout, input_shape=case.spatial, **facts)
    assert dx.dtype == dtype and dx.shape == x.shape and dx.flags.c_contiguous
    tolerance = 64 * np.finfo(dtype).eps * (np.sum(np.abs(got * dout)) + np.sum(np.abs(dx * x)))
    assert abs(np.sum(got * dout) - np.sum(dx * x)) <= tolerance


MEAN = {
    "kernel": (2,),
    "stride": (1,),
    "padding": ((1, 0),),
    "count_include_pad": False,
    "divisor": None,
}


def test_overlapping_windows_add_up():
    dx = window.avg_pool_input_grad(np.array([[[1.0, 2.0, 4.0]]]), input_shape=(3,), **MEAN)
    assert dx.tolist() == [[[2.0, 3.0, 2.0]]]


def test_means_keep_negative_zeros_and_spread_nan():
    out = window.avg_pool(np.array([[[-0.0, -0.0, np.inf, -np.inf]]]), **MEAN)
    np.testing.assert_array_equal(out, [[[-0.0, -0.0, np.inf, np.nan]]])
    assert np.signbit(out[0, 0, :2]).all()


def test_empty_pools():
    for shape in [(0, 2, 5), (2, 0, 5), (2, 2, 0)]:
        x = np.ones(shape)
        facts = {**POOL, "padding": ((0, 0),)}
        expected = (*shape[:2], max(0, shape[2] - 1))
        assert window.max_pool(x, **facts).shape == expected
        assert window.max_pool_argmax(x, **facts).shape == expected
        mean = {**MEAN, "padding": ((0, 0),)}
        assert window.avg_pool(x, **mean).shape == expected
        grad = window.avg_pool_input_grad(np.ones(expected), input_shape=shape[2:], **mean)
        assert grad.shape == shape


def refused(error, match, function, *arrays, **facts):
    with pytest.raises(error, match=match):
        function(*arrays, **facts)


def test_convolutions_that_do_not_fit_are_refused():
    x, w, dout = np.ones((1, 4, 5)), np.ones((6, 4, 3)), np.ones((1, 6, 3))
    refused(TypeError, "the same for all", window.conv, x, w.astype(np.float32), **PLAIN)
    refused(TypeError, "float32 or float64", window.conv, x.astype(int), w.astype(int), **PLAIN)
    for groups in (0, 2, 5):
        refused(ValueError, "do not go with", window.conv, x, w, **{**PLAIN, "groups": groups})
    for name, bad in [("stride", (1, 1)), ("padding", ()), ("dilation", ())]:
        refused(ValueError, f"one {name} a spatial axis", window.conv, x, w, **{**PLAIN, name: bad})
    for name, bad in [("stride", (0,)), ("dilation", (-1,)), ("padding", ((0, -1),))]:
        refused(ValueError, f"a {name} of at least", window.conv, x, w, **{**PLAIN, name: bad})
    refused(ValueError, "one kernel a spatial axis", window.conv, x, w[..., None], **PLAIN)
    grad, filter_grad = window.conv_input_grad, window.conv_filter_grad
    refused(ValueError, r"has \(4,\) windows", grad, dout, w, input_shape=(6,), **PLAIN)
    refused(ValueError, "expected 1 spatial sizes", grad, dout, w, input_shape=(5, 5), **PLAIN)
    refused(ValueError, "a channel a filter", grad, dout[:, :5], w, input_shape=(5,), **PLAIN)
    refused(ValueError, r"has \(4,\) windows", filter_grad, x, dout, kernel_shape=(2,), **PLAIN)
    two = np.ones((2, 6, 3))
    refused(ValueError, "one batch size", filter_grad, x, two, kernel_shape=(3,), **PLAIN)
    facts = {**PLAIN, "groups": 3}
    refused(ValueError, "do not go with", filter_grad, x, dout, kernel_shape=(3,), **facts)


def test_pools_that_do_not_fit_are_refused():
    x = np.ones((1, 1, 4))
    refused(TypeError, "a float or integer dtype", window.max_pool, x.astype(bool), **POOL)
    refused(TypeError, "float32 or float64", window.avg_pool, x.astype(int), **MEAN)
    refused(ValueError, "a kernel of at least 1", window.max_pool, x, **{**POOL, "kernel": (0,)})
    refused(ValueError, "must not be 0", window.avg_pool, x, **{**MEAN, "divisor": 0})
    apart = {**MEAN, "kernel": (1,)}
    refused(ValueError, "nothing but padding", window.avg_pool, x, **apart)
    grad, dout = window.avg_pool_input_grad, np.ones((1, 1, 3))
    refused(ValueError, r"has \(4,\) windows", grad, dout, input_shape=(4,), **MEAN)
    wide = {**POOL, "padding": ((2, 0),)}
    refused(ValueError, "nothing but padding", window.max_pool_argmax, x, **wide)
