"""Does pooling keep the laws, share gradients rightly, and refuse what does not fit?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.ir.dims import symbol
from s2sad.ir.types import f32, i64
from support.applied import attrs_of, inferred, refused
from support.laws import Spec, check_laws, distinct, integers, normal

SPECS = [
    Spec(p.max_pool, (distinct(2, 2, 6),), {"kernel": 3, "stride": 2, "padding": 1}),
    Spec(p.max_pool, (distinct(1, 2, 5, 4),),
         {"kernel": (2, 3), "padding": ((1, 0), (0, 1)), "dilation": (2, 1)}),
    Spec(p.max_pool, (integers(1, 1, 3, 2, 3),), {"kernel": 2}),
    Spec(p.max_pool_argmax, (distinct(1, 2, 5),), {"kernel": 3, "padding": 1}),
    Spec(p.max_pool_grad, (distinct(1, 2, 5), normal(1, 2, 4)), {"kernel": 2}),
    Spec(p.max_pool_grad, (distinct(2, 1, 4, 4), normal(2, 1, 2, 2)),
         {"kernel": 3, "stride": 2, "padding": 1}),
    Spec(p.avg_pool, (normal(2, 2, 5),), {"kernel": 2, "stride": 2, "padding": ((0, 1),)}),
    Spec(p.avg_pool, (normal(2, 1, 4, 5),),
         {"kernel": 3, "padding": 1, "count_include_pad": False}),
    Spec(p.avg_pool, (normal(1, 1, 3, 3, 2),), {"kernel": 2, "divisor": -3}),
    Spec(p.avg_pool_grad, (normal(2, 2, 3),), {"input_shape": 6, "kernel": 2, "stride": 2}),
    Spec(p.avg_pool_grad, (normal(1, 1, 4, 5),),
         {"input_shape": (4, 5), "kernel": 3, "padding": 1, "count_include_pad": False}),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


# Ties, NaN, infinities


def pulled(x, dy, **attrs):
    return p.max_pool_grad(np.asarray([[x]], float), np.asarray([[dy]], float), **attrs)[
        0, 0
    ].tolist()


def test_the_first_maximum_gets_the_gradient():
    assert pulled([2, 2, 1, 2], [1, 10, 100], kernel=2) == [1, 10, 0, 100]
    assert pulled([0.0, -0.0, 0.0], [1, 10], kernel=2) == [1, 10, 0]
    assert pulled([1, np.nan, np.nan], [1, 10], kernel=2) == [0, 11, 0]
    assert pulled([-np.inf, -np.inf], [1], kernel=2) == [1, 0]
    assert pulled([-np.inf, 3], [1, 10, 100], kernel=2, padding=1) == [1, 110]


def test_maximum_sees_nan_and_not_the_padding():
    x = np.array([[[-5.0, np.nan, -np.inf, -np.inf]]])
    y = p.max_pool(x, kernel=2, padding=1)
    np.testing.assert_array_equal(y, [[[-5, np.nan, np.nan, -np.inf, -np.inf]]])
    assert p.max_pool(np.array([[[-7, -3]]], np.int8), kernel=2, padding=1).tolist() == [
        [[-7, -3, -3]]
    ]
    found = p.max_pool_argmax(x, kernel=2, padding=1)
    assert found.tolist() == [[[0, 1, 1, 2, 3]]]


def test_argmax_counts_through_all_spatial_axes():
    x = np.zeros((1, 1, 3, 4))
    x[0, 0, 2, 1] = 1
    assert p.max_pool_argmax(x, kernel=2).max() == 9


# Means


def test_mean_of_a_window_with_padding():
    x = np.array([[[2.0, 4.0]]])
    assert p.avg_pool(x, kernel=2, padding=1).tolist() == [[[1, 3, 2]]]
    assert p.avg_pool(x, kernel=2, padding=1, count_include_pad=False).tolist() == [[[2, 3, 4]]]
    assert p.avg_pool(x, kernel=2, padding=1, divisor=4).tolist() == [[[0.5, 1.5, 1]]]


def test_narrow_floats_are_summed_in_float32():
    x = np.full((1, 1, 2049), 1.001, np.float16)
    exact = x.astype(np.float64).sum()
    assert p.avg_pool(x, kernel=2049)[0, 0, 0] == np.float16(exact / 2049)


# What does not fit


def test_attributes_have_one_spelling():
    x = f32[1, 4, 8, 8]
    assert attrs_of(p.avg_pool, x, kernel=2)["kernel"] == (2, 2)
    expected = {"kernel": (2, 2), "stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1)}
    assert attrs_of(p.max_pool, x, kernel=[2, 2], padding=1) == expected


def test_gradients_of_a_pooling_must_fit():
    assert refused(p.avg_pool_grad, f32[1, 2, 4], input_shape=8, kernel=3).code == "E0401"
    assert refused(p.max_pool_grad, f32[1, 2, 8], f32[1, 2, 5], kernel=3).code == "E0401"


def test_windows_of_a_pooling_must_see_something():
    assert refused(p.max_pool, f32[1, 1, 4], kernel=2, padding=2).code == "E0404"
    assert refused(p.max_pool, f32[1, 1, 1], kernel=2, dilation=2, padding=1).code == "E0404"
    assert (
        refused(p.avg_pool, f32[1, 1, 4], kernel=2, padding=2, count_include_pad=False).code
        == "E0404"
    )
    assert inferred(p.avg_pool, f32[1, 1, 4], kernel=2, padding=2) == f32[1, 1, 7]
    # Wide padding that no window falls into: the stride leaps over it.
    assert inferred(p.max_pool, f32[1, 1, 4], kernel=2, stride=5, padding=((0, 2),)) == f32[1, 1, 1]
    assert refused(p.avg_pool, f32[1, 1, 4], kernel=2, divisor=0).code == "E0404"
    for divisor in (1.5, "2", True):
        assert refused(p.avg_pool, f32[1, 1, 4], kernel=2, divisor=divisor).code == "E0303"
    assert refused(p.avg_pool, f32[1, 1, 4], kernel=2, count_include_pad=1).code == "E0303"
    assert refused(p.max_pool, f32[1, 4], kernel=2).code == "E0401"
    assert refused(p.avg_pool, i64[1, 1, 4], kernel=2).code == "E0301"


def test_sizes_may_be_symbolic():
    batch, size = symbol("B"), symbol("H")
    x = f32[batch, 3, size + 2, 8]
    assert inferred(p.max_pool, x, kernel=2, stride=2) == f32[batch, 3, (size + 2) // 2, 4]
    assert inferred(p.avg_pool, x, kernel=(1, 8)) == f32[batch, 3, size + 2, 1]
