"""Do sorts keep their laws, with one order for NaN, ties and zeros?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import bool_, f32, f64, i64
from support.laws import Spec, check_laws, distinct, integers, normal
from support.reverse import gradient

B, H = symbol("B"), symbol("H")
NAN, INF = np.nan, np.inf

SPECS = [
    Spec(p.sort, (distinct(2, 4),)),
    Spec(p.sort, (distinct(3, 2),), {"axis": 0, "descending": True}),
    Spec(p.sort, (normal(2, 0),)),
    Spec(p.sort, (integers(6),), {"descending": True}),
    Spec(p.argsort, (distinct(2, 3),), {"axis": 0}),
    Spec(p.top_k, (distinct(2, 5),), {"k": 2}),
    Spec(p.top_k, (distinct(4, 2),), {"k": 3, "axis": 0, "largest": False}),
    Spec(p.top_k, (distinct(3),), {"k": 0}),
    Spec(p.top_k, (integers(6),), {"k": 6}),
    Spec(p.searchsorted, (np.sort(distinct(5)), normal(2, 3))),
    Spec(p.searchsorted, (np.sort(distinct(2, 5)), normal(2, 3)), {"right": True}),
    Spec(p.searchsorted, (np.array([0, 1, 1, 2]), integers(4))),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


@pytest.mark.parametrize(
    ("x", "descending", "indices"),
    [
        ([2.0, 1, 2, 1], False, [1, 3, 0, 2]),
        ([2.0, 1, 2, 1], True, [0, 2, 1, 3]),
        ([NAN, 1, INF, NAN, -INF], False, [4, 1, 2, 0, 3]),
        ([NAN, 1, INF, NAN, -INF], True, [0, 3, 2, 1, 4]),
        ([0.0, -0.0, 0.0], False, [0, 1, 2]),
        ([0.0, -0.0, 0.0], True, [0, 1, 2]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_order(x, descending, indices, dtype):
    x = np.array(x, dtype)
    values, found = p.sort(x, descending=descending)
    np.testing.assert_array_equal(found, indices)
    np.testing.assert_array_equal(values, x[indices])
    np.testing.assert_array_equal(np.signbit(values), np.signbit(x[indices]))
    np.testing.assert_array_equal(p.argsort(x, descending=descending), indices)
    for k in range(len(x) + 1):
        top, places = p.top_k(x, k=k, largest=descending)
        np.testing.assert_array_equal(places, indices[:k])
        np.testing.assert_array_equal(top, values[:k])


def test_the_first_of_the_largest_is_what_argmax_names():
    for x in ([1.0, 3.0, 3.0], [NAN, 1.0, NAN], [-INF, -INF]):
        assert p.top_k(np.array(x), k=1)[1][0] == p.argmax(np.array(x), axis=0)


def test_unsigned_and_long_integers():
    x = np.array([0, 255, 1, 255], np.uint8)
    np.testing.assert_array_equal(p.sort(x, descending=True)[1], [1, 3, 2, 0])
    limits = np.array([np.iinfo(np.int64).max, np.iinfo(np.int64).min, 0])
    np.testing.assert_array_equal(p.sort(limits, descending=True)[1], [0, 2, 1])


def test_only_what_is_taken_gets_a_gradient_and_of_ties_the_foremost():
    program = build_function(lambda x: p.top_k(x, k=2)[0], [f64[4]])
    x = np.array([3.0, 5.0, 3.0, 1.0])
    (dx,) = evaluate(gradient(program), [x, np.array([10.0, 20.0])])
    np.testing.assert_array_equal(dx, [20, 10, 0, 0])


def test_views_with_negative_strides():
    x = np.arange(6).reshape(2, 3)[::-1, ::-1]
    np.testing.assert_array_equal(p.sort(x, axis=1)[0], np.sort(x, 1))
    np.testing.assert_array_equal(p.top_k(x.T, k=1, axis=1)[1], [[0], [0], [0]])


@pytest.mark.parametrize("right", [False, True])
def test_searchsorted(right):
    side = "right" if right else "left"
    ordered, values = np.array([-INF, 1.0, 1.0, 2.0, NAN]), np.array([[1.0, NAN], [-INF, 3.0]])
    found = p.searchsorted(ordered, values, right=right)
    np.testing.assert_array_equal(found, np.searchsorted(ordered, values, side))
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = p.searchsorted(rows, np.array([[2.0, 5.0, 0.0], [3.0, 3.5, 9.0]]), right=right)
    np.testing.assert_array_equal(found, [[1 + right, 2, 0], [int(right), 1, 2]])
    assert p.searchsorted(np.zeros(0), np.array(1.0)) == 0


def test_symbolic_sizes():
    assert p.sort.infer([f32[B]], {"axis": 0, "descending": False}) == (f32[B], i64[B])
    program = build_function(lambda x: p.top_k(x, k=2, axis=0)[0], [f32[B, 3]])
    assert gradient(program).result_types == (f32[B, 3],)
    assert p.searchsorted.infer([f32[B], f32[H]], {"right": False}) == (i64[H],)


@pytest.mark.parametrize(
    ("prim", "operands", "attrs", "expected"),
    [
        (p.sort, [f32], {}, "E0403"),
        (p.sort, [bool_[2]], {}, "E0301"),
        (p.top_k, [f32[3]], {"k": 4}, "E0404"),
        (p.top_k, [f32[3]], {"k": -1}, "E0404"),
        (p.top_k, [f32[B]], {"k": 3}, "E0402"),
        (p.searchsorted, [f32[3], f64[3]], {}, "E0301"),
        (p.searchsorted, [f32, f32[3]], {}, "E0401"),
        (p.searchsorted, [f32[2, 3], f32[3, 3]], {}, "E0401"),
        (p.searchsorted, [f32[2, 3], f32], {}, "E0401"),
    ],
)
def test_errors(prim, operands, attrs, expected):
    with pytest.raises(S2sadError) as caught:
        prim.infer(operands, prim.complete(operands, attrs))
    assert caught.value.code == expected
