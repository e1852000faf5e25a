"""Do running sums, products and extremes keep their laws, also with zeros, ties and NaN?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import bool_, f32, f64, i64, type_of
from support.laws import Spec, check_laws, distinct, integers, normal
from support.reverse import gradient

B = symbol("B")
NAN, INF = np.nan, np.inf
ZEROS = np.array([[0.5, 0.0, -2.0, 1.5], [0.0, 3.0, 0.0, -1.0], [2.0, -1.0, 0.5, 3.0]])
WAYS = [{"reverse": r, "exclusive": e} for r in (False, True) for e in (False, True)]

SPECS = [
    *[Spec(p.cumsum, (normal(2, 3),), {"axis": 1, **way}) for way in WAYS],
    Spec(p.cumsum, (normal(2, 0),), {"axis": 1, "exclusive": True}),
    Spec(p.cumsum, (normal(0, 2),), {"axis": 1, "exclusive": True}),
    Spec(p.cumsum, (integers(2, 3),), {"axis": 0}),
    *[Spec(p.cumprod, (ZEROS,), {"axis": 1, **way}) for way in WAYS],
    Spec(p.cumprod, (normal(4, 2),), {"axis": 0}),
    Spec(p.cumprod, (normal(1),), {"axis": 0}),
    Spec(p.cumprod, (normal(2, 0),), {"axis": 1}),
    Spec(p.linear_recurrence, (normal(2, 4), normal(2, 4)), {"axis": 1}),
    Spec(p.linear_recurrence, (ZEROS, normal(3, 4)), {"axis": 0, "reverse": True}),
    Spec(p.linear_recurrence, (normal(0), normal(0)), {"axis": 0}),
    Spec(p.shifted, (normal(2, 3),), {"axis": 1}),
    Spec(p.shifted, (normal(2, 3),), {"axis": 0, "reverse": True}),
    Spec(p.shifted, (normal(0, 3),), {"axis": 0}),
    Spec(p.product_of_others, (ZEROS,), {"axis": (1,)}),
    Spec(p.product_of_others, (normal(2, 3, 2),), {"axis": (0, 2)}),
    Spec(p.reduce_prod, (ZEROS,), {"axis": 1}),
    Spec(p.reduce_prod, (normal(2, 3, 2),), {"axis": (0, 2), "keepdims": True}),
    Spec(p.reduce_prod, (normal(3),)),
    Spec(p.reduce_prod, (normal(2),), {"axis": ()}),
    Spec(p.reduce_prod, (normal(2, 0),), {"axis": 1}),
    Spec(p.reduce_prod, (normal(),)),
    Spec(p.cummax, (distinct(2, 5),), {"axis": 1}),
    Spec(p.cummax, (distinct(4, 2),), {"axis": 0, "reverse": True}),
    Spec(p.cummin, (distinct(2, 5),), {"axis": -1}),
    Spec(p.cummin, (integers(5),), {"axis": 0, "reverse": True}),
    Spec(p.cummax, (normal(2, 0),), {"axis": 1}),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def grad(run, x, *douts):
    """Gradient with respect to `x` of the results of `run`, weighted by `douts`."""
    program = build_function(run, [type_of(x)])
    return evaluate(gradient(program), [x, *map(np.asarray, douts)])[0]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_sums_and_products_by_hand(way):
    x = np.array([2, 3, 5, 7])[:: -1 if way["reverse"] else 1]
    sums, products = ([0, 2, 5, 10], [1, 2, 6, 30]) if way["exclusive"] else (
        [2, 5, 10, 17], [2, 6, 30, 210])  # fmt: skip
    turn = slice(None, None, -1 if way["reverse"] else 1)
    np.testing.assert_array_equal(p.cumsum(x, axis=0, **way)[turn], sums)
    np.testing.assert_array_equal(p.cumprod(x, axis=0, **way)[turn], products)


def test_integers_wrap_and_narrow_floats_accumulate_in_float32():
    x = np.full(3, 100, np.int8)
    np.testing.assert_array_equal(p.cumsum(x, axis=0), np.array([100, -56, 44], np.int8))
    ones = np.ones(3000, np.float16)  # one by one in float16 the sum stops at 2048
    assert p.cumsum(ones, axis=0)[-1] == 3000


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([2.0, 3.0, 4.0], [12, 8, 6]),
        ([0.0, 3.0, 4.0], [12, 0, 0]),
        ([0.0, 0.0, 4.0], [0, 0, 0]),
        ([0.0, INF, 2.0], [INF, 0, NAN]),
        ([-0.0, 2.0, 1.0], [2, -0.0, -0.0]),
    ],
)
def test_products_with_zeros(x, expected):
    found = grad(lambda v: p.reduce_prod(v), np.array(x), 1.0)
    np.testing.assert_array_equal(found, expected)


def test_the_second_derivative_of_a_product_with_two_zeros():
    x = np.array([0.0, 5.0, 0.0])
    first = gradient(build_function(lambda v: p.reduce_prod(v), [f64[3]]))
    rows = [evaluate(gradient(first, [0]), [x, np.array(1.0), e])[0] for e in np.eye(3)]
    np.testing.assert_array_equal(rows, [[0, 0, 5], [0, 0, 0], [5, 0, 0]])


def test_running_products_with_zeros():
    x = np.array([2.0, 0.0, 3.0, 4.0])
    # out = [a, ab, abc, abcd]: by b it is a + ac + acd, all others have the factor b = 0.
    found = grad(lambda v: p.cumprod(v, axis=0), x, np.ones(4))
    np.testing.assert_array_equal(found, [1, 2 + 6 + 24, 0, 0])


def test_infinite_and_missing_numbers_stay_behind():
    x = np.array([1.0, INF, 0.0, 1.0])
    np.testing.assert_array_equal(p.cumprod(x, axis=0), [1, INF, NAN, NAN])
    np.testing.assert_array_equal(p.cumsum(-x, axis=0, reverse=True), [-INF, -INF, -1, -1])
    factor, addend = np.array([NAN, 2.0, 0.0]), np.array([1.0, 1.0, 1.0])
    np.testing.assert_array_equal(p.linear_recurrence(factor, addend, axis=0), [1, 3, 1])


@pytest.mark.parametrize(
    ("prim", "x", "values", "indices"),
    [
        (p.cummax, [1.0, 3, 3, 2], [1, 3, 3, 3], [0, 1, 2, 2]),
        (p.cummin, [2.0, 1, 1, 2], [2, 1, 1, 1], [0, 1, 2, 2]),
        (p.cummax, [1.0, NAN, 3, NAN], [1, NAN, NAN, NAN], [0, 1, 1, 3]),
        (p.cummin, [1.0, NAN, 0], [1, NAN, NAN], [0, 1, 1]),
        (p.cummax, [-INF, -INF], [-INF, -INF], [0, 1]),
    ],
)
def test_extremes_so_far(prim, x, values, indices):
    found = prim(np.array(x), axis=0)
    np.testing.assert_array_equal(found[0], values)
    np.testing.assert_array_equal(found[1], indices)


def test_extremes_from_the_end():
    values, indices = p.cummax(np.array([5, 1, 3, 3, 0]), axis=0, reverse=True)
    np.testing.assert_array_equal(values, [5, 3, 3, 3, 0])
    np.testing.assert_array_equal(indices, [0, 2, 2, 3, 4])


def test_the_latest_of_equal_extremes_gets_the_gradient():
    x = np.array([1.0, 3.0, 3.0, 2.0])
    found = grad(lambda v: p.cummax(v, axis=0)[0], x, [1.0, 10.0, 100.0, 1000.0])
    np.testing.assert_array_equal(found, [1, 10, 1100, 0])


def test_the_value_is_the_element_named_also_for_zeros():
    x = np.array([0.0, -0.0, 0.0])
    values, indices = p.cummax(x, axis=0)
    np.testing.assert_array_equal(np.signbit(values), np.signbit(x[indices]))


def test_symbolic_sizes():
    for prim in (p.cumsum, p.cumprod):
        program = build_function(lambda x, prim=prim: prim(x, axis=0), [f32[B, 2]])
        assert gradient(program).result_types == (f32[B, 2],)
    program = build_function(lambda x: p.reduce_prod(x, axis=0), [f32[B, 2]])
    assert gradient(program).result_types == (f32[B, 2],)
    assert p.cummax.infer([f32[B]], {"axis": 0, "reverse": False}) == (f32[B], i64[B])


@pytest.mark.parametrize(
    ("prim", "operands", "attrs", "expected"),
    [
        (p.cumsum, [bool_[2]], {"axis": 0}, "E0301"),
        (p.cumprod, [f32], {"axis": 0}, "E0403"),
        (p.cummax, [bool_[2]], {"axis": 0}, "E0301"),
        (p.linear_recurrence, [f32[2], f64[2]], {"axis": 0}, "E0301"),
        (p.linear_recurrence, [i64[2], i64[2]], {"axis": 0}, "E0301"),
        (p.linear_recurrence, [f32[2], f32[3]], {"axis": 0}, "E0401"),
    ],
)
def test_errors(prim, operands, attrs, expected):
    with pytest.raises(S2sadError) as caught:
        prim.infer(operands, prim.complete(operands, attrs))
    assert caught.value.code == expected
