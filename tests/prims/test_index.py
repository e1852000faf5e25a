"""Do gathers and scatters keep their laws, also for duplicates, negative and wrong indices?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import bool_, f32, f64, i32, i64, type_of
from support.laws import Spec, booleans, check_laws, identical, integers, normal
from support.reverse import gradient

B, H = symbol("B"), symbol("H")
TWICE = np.array([2, 0, 2, -1])  # 2 twice, and once more as -1 on an axis of size 3
GRID = np.array([[0, 2], [2, -3]])  # 0 twice and 2 twice on an axis of size 3
PAIRS = np.array([[0, 1], [2, 0], [0, -2]])  # the first and last are one place in (3, 3)

SPECS = [
    Spec(p.gather, (normal(3, 2), TWICE)),
    Spec(p.gather, (normal(2, 3, 2), GRID), {"axis": 1}),
    Spec(p.gather, (normal(3, 2), np.array(-1))),
    Spec(p.gather, (normal(3), np.zeros((0, 2), np.int64))),
    Spec(p.gather, (booleans(3), TWICE)),
    Spec(p.index_add, (normal(3, 2), TWICE, normal(4, 2))),
    Spec(p.index_add, (normal(2, 3, 2), GRID, normal(2, 2, 2, 2)), {"axis": 1}),
    Spec(p.index_add, (normal(3, 2), np.array(1), normal(2))),
    Spec(p.index_add, (normal(3), np.zeros(0, np.int64), normal(0))),
    Spec(p.index_add, (normal(3, 0), TWICE, normal(4, 0))),
    Spec(p.index_add, (integers(3), TWICE, integers(4))),
    Spec(p.index_update, (normal(3, 2), TWICE, normal(4, 2))),
    Spec(p.index_update, (normal(2, 3, 2), GRID, normal(2, 2, 2, 2)), {"axis": 1}),
    Spec(p.index_update, (normal(3, 2), np.array(1), normal(2))),
    Spec(p.index_update, (normal(3, 2, 2), TWICE, normal(4, 2, 2))),
    Spec(p.index_update, (normal(3), np.zeros(0, np.int64), normal(0))),
    Spec(p.index_update, (booleans(3), TWICE, booleans(4))),
    Spec(p.gather_elements, (normal(3, 2), np.array([[2, 0], [2, -1]])), {"axis": 0}),
    Spec(p.gather_elements, (normal(2, 3), np.array([[2, 0, 2, 1]])), {"axis": 1}),
    Spec(p.gather_elements, (normal(2, 3), np.zeros((0, 1), np.int64)), {"axis": 1}),
    *[
        Spec(p.scatter_elements, operands, {"axis": axis, "reduce": reduce})
        for reduce in ("none", "add")
        for *operands, axis in [
            (normal(3, 2), np.array([[2, 0], [2, -1], [0, 0]]), normal(3, 2), 0),
            (normal(2, 3), np.array([[2, 0, 2, 1]]), normal(1, 4), 1),
            (normal(2, 3), np.zeros((0, 1), np.int64), normal(0, 1), 1),
        ]
    ],
    Spec(p.scatter_elements, (booleans(3), TWICE, booleans(4)), {"axis": 0}),
    Spec(p.gather_nd, (normal(3, 3), PAIRS)),
    Spec(p.gather_nd, (normal(3, 2), np.array([[[1], [1]]]))),
    Spec(p.gather_nd, (normal(3, 2), np.zeros((2, 0), np.int64))),
    *[
        Spec(p.scatter_nd, operands, {"reduce": reduce})
        for reduce in ("none", "add")
        for operands in [
            (normal(3, 3), PAIRS, normal(3)),
            (normal(3, 2), np.array([[[1], [1]]]), normal(1, 2, 2)),
            (normal(3, 2), np.array([2]), normal(2)),
        ]
    ],
    Spec(p.is_last_index, (GRID,), {"size": 3}),
    Spec(p.is_last_element, (normal(3), TWICE), {"axis": 0}, gradient=False),
    Spec(p.is_last_nd, (PAIRS,), {"shape": (3, 3)}),
    Spec(p.one_hot, (integers(2, 3),), {"depth": 4, "axis": 1}),
    Spec(p.one_hot, (integers(3),), {"depth": 300, "dtype": bool_}),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def gradients(run, *operands, dout):
    """Gradients of ``sum(dout * run(*operands))`` with respect to the float operands."""
    program = build_function(run, [type_of(x) for x in operands])
    return evaluate(gradient(program), [*operands, np.asarray(dout)])


def test_updates_of_one_slice_add_up():
    x, updates = np.ones((3, 2)), np.arange(8.0).reshape(4, 2)
    found = p.index_add(x, TWICE, updates)
    np.testing.assert_array_equal(found, [[3, 4], [1, 1], [11, 14]])
    np.testing.assert_array_equal(x, np.ones((3, 2)))


def test_the_last_update_of_a_slice_counts_and_gets_the_gradient():
    x, updates = np.zeros(3), np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(p.index_update(x, TWICE, updates), [2, 0, 4])
    dx, dupdates = gradients(
        lambda a, b: p.index_update(a, TWICE, b), x, updates, dout=[10.0, 20.0, 30.0]
    )
    np.testing.assert_array_equal(dx, [0, 20, 0])
    np.testing.assert_array_equal(dupdates, [0, 10, 0, 30])


def test_the_last_update_of_an_element_counts_and_gets_the_gradient():
    x, indices = np.zeros((3, 2)), np.array([[2, 0], [2, -1], [0, 0]])
    updates = np.arange(1.0, 7.0).reshape(3, 2)
    found = p.scatter_elements(x, indices, updates, axis=0)
    np.testing.assert_array_equal(found, [[5, 6], [0, 0], [3, 4]])
    dx, dupdates = gradients(
        lambda a, b: p.scatter_elements(a, indices, b, axis=0), x, updates, dout=np.ones((3, 2))
    )
    np.testing.assert_array_equal(dx, [[0, 0], [1, 1], [0, 0]])
    np.testing.assert_array_equal(dupdates, [[0, 0], [1, 1], [1, 1]])


def test_the_last_update_of_several_indices_counts_and_gets_the_gradient():
    x, updates = np.zeros((3, 3)), np.array([1.0, 2.0, 3.0])
    found = p.scatter_nd(x, PAIRS, updates)
    np.testing.assert_array_equal(found, [[0, 3, 0], [0, 0, 0], [2, 0, 0]])
    _, dupdates = gradients(
        lambda a, b: p.scatter_nd(a, PAIRS, b), x, updates, dout=np.ones((3, 3))
    )
    np.testing.assert_array_equal(dupdates, [0, 1, 1])


def test_an_overwritten_nan_is_gone_from_value_and_gradient():
    x = np.array([np.nan, 1.0])
    found = p.index_update(x, np.array([0]), np.array([2.0]))
    np.testing.assert_array_equal(found, [2, 1])
    dx, dupdates = gradients(
        lambda a, b: p.index_update(a, np.array([0, 0]), b), x, np.ones(2), dout=[np.inf, 1.0]
    )
    np.testing.assert_array_equal(dx, [0, 1])
    np.testing.assert_array_equal(dupdates, [0, np.inf])


def test_many_duplicates_keep_the_last_in_row_major_order():
    rng = np.random.default_rng(0)
    indices, updates = rng.integers(0, 50, 5000), rng.standard_normal((5000, 2))
    expected = np.zeros((50, 2))
    for i, row in zip(indices, updates, strict=True):
        expected[i] = row
    np.testing.assert_array_equal(p.index_update(np.zeros((50, 2)), indices, updates), expected)
    flat = p.scatter_nd(np.zeros((50, 2)), indices.reshape(100, 50, 1), updates.reshape(100, 50, 2))
    np.testing.assert_array_equal(flat, expected)


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16])
def test_narrow_floats_add_up_in_float32(dtype):
    ones = dtypes.narrow(np.ones(3000), dtype)
    start, zeros = dtypes.narrow(np.zeros(2), dtype), np.zeros(3000, np.int64)
    expected = dtypes.narrow(np.array([3000.0, 0.0]), dtype)
    np.testing.assert_array_equal(p.index_add(start, zeros, ones), expected)
    scattered = p.scatter_elements(start, zeros, ones, axis=0, reduce="add")
    np.testing.assert_array_equal(scattered, expected)
    p.index_add.in_place(start, zeros, ones, axis=0)
    np.testing.assert_array_equal(start, expected)


#: There are no sums of bools.
IN_PLACE = [(p.index_update, dtype) for dtype in dtypes.ALL]
IN_PLACE += [(p.index_add, dtype) for dtype in dtypes.ALL if dtype is not dtypes.bool_]


@pytest.mark.parametrize(("prim", "dtype"), IN_PLACE)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("indices", [TWICE, GRID, np.array(2), np.zeros(0, np.int64)])
def test_in_place_gives_the_same_bits(prim, dtype, axis, indices):
    rng = np.random.default_rng(0)
    x = dtypes.narrow(rng.integers(0, 100, (3, 3)) / 3, dtype)
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    updates = dtypes.narrow(rng.integers(0, 100, shape) / 3, dtype)
    expected = prim(x, indices, updates, axis=axis)
    for target in (x.copy(), x.copy(order="F"), np.repeat(x, 2, 1)[:, ::2], x[::-1].copy()[::-1]):
        prim.in_place(target, indices, updates, axis=axis)
        assert identical(target, expected)


@pytest.mark.parametrize("reduce", ["none", "add"])
@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d is not dtypes.bool_])
def test_scattering_in_place_gives_the_same_bits(reduce, dtype):
    rng = np.random.default_rng(0)
    x = dtypes.narrow(rng.integers(0, 100, (3, 3)) / 3, dtype)
    rows, elements = np.array([[0, 1], [2, -1], [0, 1]]), np.array([[1, 0, 1], [1, 0, -2]])
    cases = [
        (p.scatter_nd, rows, {}), (p.scatter_nd, rows[:, :1], {}), (p.scatter_nd, rows[0], {}),
        (p.scatter_elements, elements, {"axis": 0}), (p.scatter_elements, elements, {"axis": 1}),
    ]  # fmt: skip
    for prim, indices, attrs in cases:
        gathered = p.gather_nd if prim is p.scatter_nd else p.gather_elements
        shape = gathered(x, indices, **attrs).shape
        updates = dtypes.narrow(rng.integers(0, 100, shape) / 3, dtype)
        expected, target = prim(x, indices, updates, reduce=reduce, **attrs), x.copy()
        prim.in_place(target, indices, updates, reduce=reduce, **attrs)
        assert identical(target, expected)


def test_overflow_in_place_is_quiet_and_infinite():
    x = np.full(2, 3e38, np.float32)
    p.index_add.in_place(x, np.array([0, 0]), np.full(2, 3e38, np.float32), axis=0)
    np.testing.assert_array_equal(x, np.array([np.inf, 3e38], np.float32))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
def test_integers_wrap_and_may_be_indices(dtype):
    top = np.iinfo(dtype).max
    x = np.array([0, top, 0], dtype)
    found = p.index_add(x, np.array([1], dtype), np.array([1], dtype))
    assert found.dtype == dtype and found[1] == np.iinfo(dtype).min
    assert p.gather(x, np.array(1, dtype)) == top


OUTSIDE = [
    lambda i: p.gather(np.zeros((2, 3)), np.array([0, i]), axis=1),
    lambda i: p.index_add(np.zeros(3), np.array([0, i]), np.zeros(2)),
    lambda i: p.index_update(np.zeros(3), np.array([0, i]), np.zeros(2)),
    lambda i: p.gather_elements(np.zeros(3), np.array([0, i]), axis=0),
    lambda i: p.scatter_elements(np.zeros(3), np.array([0, i]), np.zeros(2), axis=0),
    lambda i: p.gather_nd(np.zeros((2, 3)), np.array([[0, i]])),
    lambda i: p.scatter_nd(np.zeros((2, 3)), np.array([[0, i]]), np.zeros(1)),
]


@pytest.mark.parametrize("run", OUTSIDE)
@pytest.mark.parametrize("index", [3, -4])
def test_an_index_out_of_range_is_named(run, index):
    with pytest.raises(S2sadError, match=rf"index {index} .* axis \d of size 3") as caught:
        run(index)
    assert caught.value.code == "E0501"
    assert isinstance(caught.value, IndexError)


def test_nothing_is_scattered_in_place_when_an_index_is_wrong():
    x = np.zeros(3)
    with pytest.raises(S2sadError, match="E0501"):
        p.scatter_nd.in_place(x, np.array([[0], [3]]), np.ones(2), reduce="none")
    with pytest.raises(S2sadError, match="E0501"):
        p.scatter_elements.in_place(x, np.array([0, 3]), np.ones(2), axis=0, reduce="add")
    assert not x.any()


@pytest.mark.parametrize("prim", [p.index_add, p.index_update])
def test_nothing_is_written_in_place_when_an_index_is_wrong(prim):
    x = np.zeros(3)
    with pytest.raises(S2sadError):
        prim.in_place(x, np.array([0, 3]), np.ones(2), axis=0)
    np.testing.assert_array_equal(x, np.zeros(3))


def test_nothing_can_be_read_from_an_empty_axis():
    assert p.gather(np.zeros((0, 2)), np.zeros(0, np.int64)).shape == (0, 2)
    with pytest.raises(S2sadError, match="E0501"):
        p.gather(np.zeros((0, 2)), np.array([0]))


def test_one_hot():
    found = p.one_hot(np.array([[0, 1], [2, -1]]), depth=2, dtype=f64, axis=1)
    np.testing.assert_array_equal(found, [[[1, 0], [0, 1]], [[0, 0], [0, 0]]])
    wide = p.one_hot(np.array([200], np.uint8), depth=256)
    assert wide.sum() == 1 and wide[0, 200] == 1 and wide.dtype == np.float32
    assert p.one_hot(np.array(1), depth=0).shape == (0,)


def test_views_with_negative_strides():
    x, reverse = np.arange(6.0).reshape(3, 2), slice(None, None, -1)
    np.testing.assert_array_equal(p.gather(x[reverse], np.array([0])), x[[2]])
    found = p.scatter_elements(x[reverse].T, np.array([[0], [0]]), np.ones((2, 1)), axis=1)
    np.testing.assert_array_equal(found, [[1, 2, 0], [1, 3, 1]])


def types(prim, *operands, **attrs):
    return prim.infer(operands, prim.complete(operands, attrs))


def test_symbolic_sizes():
    assert types(p.gather, f32[B, 4], i64[H]) == (f32[H, 4],)
    assert types(p.index_add, f32[B, 4], i64[H], f32[H, 4]) == (f32[B, 4],)
    assert types(p.gather_elements, f32[B, 4], i64[B, H], axis=1) == (f32[B, H],)
    assert types(p.gather_nd, f32[B, 4], i64[H, 1]) == (f32[H, 4],)
    assert types(p.one_hot, i64[B], depth=10) == (f32[B, 10],)
    for operands, prim in [
        ((f32[B, 4], i64[H], f32[H, 4]), p.index_update),
        ((f32[B, 4], i64[H, 1], f32[H, 4]), p.scatter_nd),
    ]:
        program = build_function(prim, operands)
        assert gradient(program).result_types == (operands[0], operands[2])


@pytest.mark.parametrize(
    ("prim", "operands", "attrs", "expected"),
    [
        (p.gather, [f32[3], f32[2]], {}, "E0301"),
        (p.gather, [f32, i64[2]], {}, "E0403"),
        (p.index_add, [f32[3], i64[2], f64[2]], {}, "E0301"),
        (p.index_add, [bool_[3], i64[2], bool_[2]], {}, "E0301"),
        (p.index_add, [f32[3], i64[2], f32[3]], {}, "E0401"),
        (p.index_update, [f32[3], i64[2], f32], {}, "E0401"),
        (p.gather_elements, [f32[3, 2], i64[3]], {"axis": 0}, "E0401"),
        (p.gather_elements, [f32[3, 2], i64[1, 3]], {"axis": 0}, "E0401"),
        (p.gather_elements, [f32[B, 2], i64[3, 2]], {"axis": 1}, "E0402"),
        (p.scatter_elements, [f32[3], i64[2], f32[3]], {"axis": 0}, "E0401"),
        (p.scatter_elements, [f32[3], i64[2], f32[2]], {"axis": 0, "reduce": "mul"}, "E0404"),
        (p.gather_nd, [f32[3], i32[2, 2]], {}, "E0401"),
        (p.gather_nd, [f32[3], i32], {}, "E0401"),
        (p.gather_nd, [f32[3], i32[2, B]], {}, "E0402"),
        (p.scatter_nd, [f32[3], i32[2, 1], f32[3]], {}, "E0401"),
        (p.one_hot, [f32[3]], {"depth": 2}, "E0301"),
        (p.one_hot, [i32[3]], {"depth": -2}, "E0404"),
        (p.one_hot, [i32[3]], {"depth": 2, "dtype": 1.0}, "E0303"),
    ],
)
def test_errors(prim, operands, attrs, expected):
    with pytest.raises(S2sadError) as caught:
        types(prim, *operands, **attrs)
    assert caught.value.code == expected
