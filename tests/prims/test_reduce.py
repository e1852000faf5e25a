"""Do the reductions keep their laws, also for zeros, ties, NaN, infinities and empty axes?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import TensorType, bool_, f32, f64, i64, type_of
from support.laws import Spec, booleans, check_laws, distinct, integers, normal
from support.reverse import gradient

B, H = symbol("B"), symbol("H")

SPECS = [
    Spec(p.reduce_sum, (normal(2, 3, 4),), {"axis": (0, 2)}),
    Spec(p.reduce_sum, (normal(2, 3),), {"axis": -1, "keepdims": True}),
    Spec(p.reduce_sum, (normal(2, 3),)),
    Spec(p.reduce_sum, (normal(),)),
    Spec(p.reduce_sum, (normal(2, 0),), {"axis": 1}),
    Spec(p.reduce_sum, (normal(2, 3),), {"axis": ()}),
    Spec(p.reduce_sum, (normal(300, 3),), {"axis": 0}),
    Spec(p.reduce_sum, (integers(2, 3),), {"axis": 0}),
    Spec(p.reduce_max, (distinct(2, 3, 4),), {"axis": (0, 2)}),
    Spec(p.reduce_max, (distinct(2, 3),), {"keepdims": True}),
    Spec(p.reduce_max, (normal(),)),
    Spec(p.reduce_max, (normal(0, 2),), {"axis": 1}),
    Spec(p.reduce_max, (integers(2, 3),), {"axis": 0}),
    Spec(p.reduce_min, (distinct(2, 3, 4),), {"axis": (0, 2)}),
    Spec(p.reduce_min, (distinct(2, 3),), {"axis": 1, "keepdims": True}),
    Spec(p.reduce_min, (normal(2, 2),), {"axis": ()}),
    Spec(p.reduce_any, (booleans(2, 3),), {"axis": 0}),
    Spec(p.reduce_all, (booleans(2, 3),), {"keepdims": True}),
    Spec(p.argmax, (distinct(2, 3),), {"axis": -1}),
    Spec(p.argmin, (distinct(2, 3),), {"axis": 0, "keepdims": True}),
    Spec(p.argmax, (integers(2, 3),), {"axis": 1}),
    Spec(p.sum_to, (normal(2, 3, 4),), {"shape": (3, 1)}),
    Spec(p.sum_to, (normal(2, 3),), {"shape": (2, 3)}),
    Spec(p.sum_to, (normal(2, 3),), {"shape": ()}),
    Spec(p.sum_to, (normal(0, 3),), {"shape": (1, 3)}),
    Spec(p.tie_share, (booleans(2, 3), normal(2, 1)), {"axis": (1,)}),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def grad(prim, x, dout=1.0, **attrs):
    """Gradient of ``sum(dout * prim(x))`` with respect to the array `x`."""
    program = build_function(lambda v: prim(v, **attrs), [type_of(x)])
    shape = program.result_types[0].shape
    return evaluate(gradient(program), [x, np.broadcast_to(np.asarray(dout, x.dtype), shape)])[0]


NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    ("prim", "x", "expected"),
    [
        (p.reduce_max, [1.0, 3.0, 3.0, 0.0], [0, 0.5, 0.5, 0]),
        (p.reduce_max, [INF, INF, 1.0], [0.5, 0.5, 0]),
        (p.reduce_max, [-INF, -INF], [0.5, 0.5]),
        (p.reduce_max, [0.0, -0.0], [0.5, 0.5]),
        (p.reduce_max, [1.0, NAN], [0, 0]),
        (p.reduce_min, [1.0, 1.0, 1.0, 2.0], [1 / 3, 1 / 3, 1 / 3, 0]),
        (p.reduce_sum, [1.0, NAN], [1, 1]),
    ],
)
def test_gradients_at_ties_and_infinities(prim, x, expected):
    np.testing.assert_array_equal(grad(prim, np.array(x)), expected)


def test_ties_of_many_narrow_floats_do_not_overflow_the_count():
    x = np.zeros((300, 300), np.float16)
    share = grad(p.reduce_max, x, dout=8192.0)
    np.testing.assert_array_equal(share, np.full_like(x, 8192 / 90000))


@pytest.mark.parametrize(
    ("prim", "x", "expected"),
    [
        (p.reduce_max, [0.0, -0.0], 0.0), (p.reduce_max, [-0.0, 0.0], 0.0),
        (p.reduce_max, [-0.0, -1.0], -0.0), (p.reduce_max, [-INF, -INF], -INF),
        (p.reduce_max, [NAN, INF], NAN), (p.reduce_min, [0.0, -0.0], -0.0),
        (p.reduce_min, [-0.0, 0.0], -0.0), (p.reduce_min, [0.0, 1.0], 0.0),
        (p.reduce_min, [1.0, NAN], NAN), (p.reduce_sum, [-0.0, -0.0], 0.0),
        (p.reduce_sum, [], 0.0), (p.reduce_sum, [INF, -INF], NAN), (p.reduce_sum, [INF, 1.0], INF),
        (p.reduce_prod, [], 1.0), (p.reduce_prod, [0.0, INF], NAN),
        (p.reduce_prod, [-0.0, 2.0], -0.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values(prim, x, expected, dtype):
    found = prim(np.array(x, dtype))
    np.testing.assert_array_equal(found, dtype(expected))
    assert np.signbit(found) == np.signbit(expected) or np.isnan(expected)
    column = prim(np.array([x, x], dtype).T, axis=0)
    np.testing.assert_array_equal(column, np.array([expected, expected], dtype))


def test_extremes_settle_zeros_each_on_its_own():
    x = np.array([[0.0, -0.0], [-0.0, -0.0], [1.0, 0.0], [-0.0, -1.0]])
    np.testing.assert_array_equal(np.signbit(p.reduce_max(x, axis=1)), [False, True, False, True])


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8])
def test_integers_wrap(dtype):
    top = np.iinfo(dtype).max
    x = np.array([top, top, 3], dtype)
    for prim, expected in ((p.reduce_sum, 2 * int(top) + 3), (p.reduce_prod, 3 * int(top) ** 2)):
        found = prim(x)
        assert found.dtype == dtype
        assert (int(found) - expected) % 2 ** (8 * x.itemsize) == 0


def test_places():
    x = np.array([[1.0, 3, 3], [NAN, 5, NAN], [-INF, -INF, -INF]])
    np.testing.assert_array_equal(p.argmax(x, axis=1), [1, 0, 0])
    np.testing.assert_array_equal(p.argmin(x, axis=-1), [0, 0, 0])
    assert p.argmin(np.array([0.0, -0.0]), axis=0) == 0
    assert p.argmax(np.zeros((0, 2)), axis=1).shape == (0,)


def test_truth_of_nothing():
    empty = np.zeros((2, 0), bool)
    np.testing.assert_array_equal(p.reduce_any(empty, axis=1), [False, False])
    np.testing.assert_array_equal(p.reduce_all(empty, axis=1), [True, True])
    np.testing.assert_array_equal(p.reduce_all(np.array(True), axis=()), True)


def layouts(x):
    """`x` as laid out in memory in several ways."""
    wide = np.empty((*x.shape, 2), x.dtype)
    wide[..., 0] = x
    return [x, np.asfortranarray(x), wide[..., 0], x[::-1][::-1], np.flip(np.flip(x).copy())]


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (0, 2), (1, 2), None])
def test_sums_are_accurate_in_every_layout(axis):
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (300, 5, 200)).astype(np.float32)
    exact = x.astype(np.float64).sum(axis)
    for y in layouts(x):
        found = p.reduce_sum(y, axis=axis)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact, rtol=4e-7)


def test_a_long_strided_sum_does_not_drift():
    x = np.full((1_000_000, 2), 0.1, np.float32)
    np.testing.assert_allclose(
        p.reduce_sum(x, axis=0), np.float64(np.float32(0.1)) * 1e6, rtol=1e-6
    )


def test_narrow_floats_are_summed_in_float32():
    x = np.full(5000, 1.0, np.float16)  # one by one in float16 the sum stops at 2048
    assert p.reduce_sum(x) == 5000
    assert p.sum_to(x, shape=(1,)) == 5000


def test_a_reduction_over_no_axis_is_a_copy():
    x = np.ones((2, 2))
    for prim in (p.reduce_sum, p.reduce_prod, p.reduce_max, p.reduce_min):
        assert not np.shares_memory(prim(x, axis=()), x)


def types(prim, *operands, **attrs):
    return prim.infer(operands, prim.complete(operands, attrs))


def test_symbolic_sizes():
    assert types(p.reduce_sum, f32[B, 4], axis=1) == (f32[B],)
    assert types(p.reduce_max, f32[B, 4], axis=0, keepdims=True) == (f32[1, 4],)
    assert types(p.sum_to, f32[B, H], shape=(1, H)) == (f32[1, H],)
    assert types(p.argmax, f32[B, 4], axis=0) == (i64[4],)
    program = build_function(lambda x: p.reduce_max(x, axis=0), [f32[B, H]])
    assert gradient(program).result_types == (f32[B, H],)
    program = build_function(
        lambda x: p.pad(p.slice(x, start=(1,), stop=(B,)), 0, low=(1,), high=(0,)), [f32[B]]
    )
    assert gradient(program).result_types == (f32[B],)


@pytest.mark.parametrize(
    ("prim", "operand", "attrs", "expected"),
    [
        (p.reduce_sum, bool_[2], {}, "E0301"),
        (p.reduce_sum, f32[2], {"axis": 1}, "E0403"),
        (p.reduce_sum, f32[2, 2], {"axis": (0, -2)}, "E0403"),
        (p.reduce_sum, f32[2], {"axis": 0.0}, "E0303"),
        (p.reduce_max, f32[0], {}, "E0401"),
        (p.reduce_min, f32[2, 0], {"axis": 1}, "E0401"),
        (p.reduce_any, f32[2], {}, "E0301"),
        (p.argmax, f32[2, 0], {"axis": 1}, "E0401"),
        (p.argmin, f32, {"axis": 0}, "E0403"),
        (p.sum_to, f32[2], {"shape": (3,)}, "E0401"),
        (p.sum_to, f32[2], {"shape": (1, 2)}, "E0401"),
        (p.sum_to, f32[B], {"shape": (4,)}, "E0402"),
    ],
)
def test_errors(prim, operand, attrs, expected):
    with pytest.raises(S2sadError) as caught:
        types(prim, operand, **attrs)
    assert caught.value.code == expected


def test_sum_to_the_same_shape_is_the_operand():
    program = build_function(lambda x: p.sum_to(x, shape=(2, 3)), [TensorType(f64.dtype, (2, 3))])
    body = p.sum_to.body
    traced = build_function(lambda x: body(x, shape=(2, 3)), program.input_types)
    assert not traced.body.operations
