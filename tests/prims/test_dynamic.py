"""Do windows at places known at run time keep their laws, and refuse to leave the tensor?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import bool_, f32, f64, i64
from support.laws import Spec, booleans, check_laws, identical, integers, normal
from support.reverse import gradient

B = symbol("B")


def at(*starts):
    return tuple(np.array(start) for start in starts)


SPECS = [
    Spec(p.dynamic_slice, (normal(4, 3), *at(1, -2)), {"sizes": (2, 2)}),
    Spec(p.dynamic_slice, (normal(4, 3), *at(0, 3)), {"sizes": (4, 0)}),
    Spec(p.dynamic_slice, (normal(),), {"sizes": ()}),
    Spec(p.dynamic_slice, (booleans(3), *at(1)), {"sizes": (1,)}),
    Spec(p.update, (normal(4, 3), normal(2, 2), *at(1, -2))),
    Spec(p.update, (normal(4), normal(4), *at(0))),
    Spec(p.update, (normal(4), normal(0), *at(4))),
    Spec(p.update, (normal(), normal())),
    Spec(p.update, (integers(4), integers(2), *at(2))),
    Spec(p.update_add, (normal(4, 3), normal(2, 2), *at(1, -2))),
    Spec(p.update_add, (normal(4), normal(0), *at(2))),
    Spec(p.update_add, (normal(), normal())),
    Spec(p.update_add, (integers(4), integers(2), *at(2))),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def test_values_and_what_stays():
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(p.dynamic_slice(x, -1, 1, sizes=(1, 2)), [[9, 10]])
    found = p.update(x, np.full((1, 2), np.nan), 2, 0)
    np.testing.assert_array_equal(found[2], [np.nan, np.nan, 10, 11])
    np.testing.assert_array_equal(x, np.arange(12.0).reshape(3, 4))
    window = p.dynamic_slice(x, 0, 0, sizes=(3, 4))
    assert not np.shares_memory(window, x)


def test_what_is_overwritten_gets_no_gradient():
    program = build_function(lambda x, v: p.update(x, v, 1), [f64[3], f64[1]])
    dx, dvalue = evaluate(gradient(program), [np.zeros(3), np.zeros(1), np.array([1, np.inf, 3])])
    np.testing.assert_array_equal(dx, [1, 0, 3])
    np.testing.assert_array_equal(dvalue, [np.inf])


#: There are no sums of bools.
IN_PLACE = [(p.update, dtype) for dtype in dtypes.ALL]
IN_PLACE += [(p.update_add, dtype) for dtype in dtypes.ALL if dtype is not dtypes.bool_]


@pytest.mark.parametrize(("prim", "dtype"), IN_PLACE)
def test_in_place_gives_the_same_bits(prim, dtype):
    rng = np.random.default_rng(0)
    x = dtypes.narrow(rng.integers(0, 100, (3, 4)) / 3, dtype)
    value = dtypes.narrow(rng.integers(0, 100, (2, 2)) / 3, dtype)
    expected = prim(x, value, 1, -3)
    for target in (x.copy(), x.copy(order="F"), x[::-1].copy()[::-1]):
        prim.in_place(target, value, *at(1, -3))
        assert identical(target, expected)
    flat = x.copy()
    with pytest.raises(S2sadError):
        prim.in_place(flat, value, *at(2, 0))
    assert identical(flat, x)
    single = dtypes.narrow(np.array(1.0), dtype)
    expected = prim(single, single.copy())
    prim.in_place(single, single.copy())
    assert identical(single, expected)


@pytest.mark.parametrize("start", [2, 3, -4])
def test_a_window_that_leaves_the_tensor_is_named(start):
    for run in (
        lambda: p.dynamic_slice(np.zeros((2, 3)), 0, start, sizes=(1, 2)),
        lambda: p.update(np.zeros((2, 3)), np.zeros((1, 2)), 0, start),
        lambda: p.update_add(np.zeros((2, 3)), np.zeros((1, 2)), 0, start),
    ):
        found = rf"window of size 2 from index {start} .* axis 1 of size 3"
        with pytest.raises(S2sadError, match=found) as caught:
            run()
        assert caught.value.code == "E0501"


def types(prim, *operands, **attrs):
    return prim.infer(operands, prim.complete(operands, attrs))


def test_symbolic_sizes():
    assert types(p.dynamic_slice, f32[B, 4], i64, i64, sizes=(1, 4)) == (f32[1, 4],)
    assert types(p.update, f32[B, 4], f32[B, 2], i64, i64) == (f32[B, 4],)
    program = build_function(lambda x, i: p.dynamic_slice(x, i, sizes=(2,)), [f32[B], i64])
    assert gradient(program).result_types == (f32[B],)


@pytest.mark.parametrize(
    ("prim", "operands", "attrs", "expected"),
    [
        (p.dynamic_slice, [f32[3], f32], {"sizes": (1,)}, "E0301"),
        (p.dynamic_slice, [f32[3], i64[1]], {"sizes": (1,)}, "E0304"),
        (p.dynamic_slice, [f32[3]], {"sizes": (1,)}, "E0302"),
        (p.dynamic_slice, [f32[3], i64], {"sizes": (4,)}, "E0401"),
        (p.dynamic_slice, [f32[3], i64], {"sizes": (1, 1)}, "E0303"),
        (p.dynamic_slice, [f32[B], i64], {"sizes": (3,)}, "E0402"),
        (p.update, [f32[3], f64[1], i64], {}, "E0301"),
        (p.update, [f32[3], f32, i64], {}, "E0401"),
        (p.update, [f32[3], f32[4], i64], {}, "E0401"),
        (p.update_add, [bool_[3], bool_[1], i64], {}, "E0301"),
    ],
)
def test_errors(prim, operands, attrs, expected):
    with pytest.raises(S2sadError) as caught:
        types(prim, *operands, **attrs)
    assert caught.value.code == expected
