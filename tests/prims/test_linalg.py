"""Do products of matrices keep their laws each way of transposing, and einsum each equation?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.types import bool_, f32, f64
from support.laws import Spec, check_laws, integers, normal
from support.reverse import gradient

B, H = symbol("B"), symbol("H")


def flipped(x, swap):
    return np.swapaxes(x, -1, -2) if swap else x


WAYS = [(a, b) for a in (False, True) for b in (False, True)]
EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,kj", (2, 3), (4, 3)),
    ("ji,jk->ki", (3, 2), (3, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 2)),
    ("bhqd,bkhd->bhqk", (2, 2, 3, 4), (2, 5, 2, 4)),
    ("i,j->ij", (2,), (3,)),
    ("i,i->", (3,), (3,)),
    ("i,i->i", (3,), (3,)),
    (",ij->ij", (), (2, 3)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("ji", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("iij->j", (3, 3, 2)),
    ("iii->i", (2, 2, 2)),
    ("ii,ij->j", (3, 3), (3, 2)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("...i->...", (2, 3)),
    ("i...,i...->...", (3, 2), (3, 2)),
    ("...", (2, 3)),
    ("ij,jk,kl->il", (2, 3), (3, 2), (2, 4)),
    ("i,j,ij->", (2,), (3,), (2, 3)),
    ("ij,jk,ik->ijk", (2, 3), (3, 2), (2, 2)),
    ("ab,ac,ad->bcd", (2, 2), (2, 3), (2, 2)),
    ("ijk,jil->kl", (2, 3, 4), (3, 2, 2)),
    ("i,j->", (2,), (3,)),
    ("ij,jk->ik", (2, 0), (0, 3)),
    (" i j , j k -> k i ", (2, 3), (3, 4)),
]

SPECS = [
    *[
        Spec(p.matmul, (flipped(normal(2, 3), a), flipped(normal(3, 4), b)),
             {"transpose_a": a, "transpose_b": b})
        for a, b in WAYS
    ],
    *[
        Spec(p.matmul, (flipped(normal(2, 1, 3, 2), a), flipped(normal(4, 2, 2), b)),
             {"transpose_a": a, "transpose_b": b})
        for a, b in WAYS
    ],
    Spec(p.matmul, (normal(2, 0), normal(0, 3))),
    Spec(p.matmul, (normal(0, 2), normal(2, 3))),
    Spec(p.matmul, (integers(2, 3), integers(3, 2))),
    *[
        Spec(p.einsum, tuple(normal(*shape) for shape in shapes), {"equation": equation})
        for equation, *shapes in EQUATIONS
    ],
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


@pytest.mark.parametrize(("equation", "shapes"), [(e, shapes) for e, *shapes in EQUATIONS])
def test_einsum_is_that_of_numpy(equation, shapes):
    rng = np.random.default_rng(0)
    operands = [rng.standard_normal(shape) for shape in shapes]
    expected = np.einsum(equation, *operands)
    np.testing.assert_allclose(p.einsum(*operands, equation=equation), expected, atol=1e-12)


def test_an_axis_of_size_one_stretches():
    x, y = np.array([2.0]), np.array([1.0, 2.0, 3.0])
    assert p.einsum(x, y, equation="i,i->") == 12
    np.testing.assert_array_equal(p.einsum(x, y, equation="i,i->i"), [2, 4, 6])


def test_a_product_of_matrices_is_one_matmul_without_transposes():
    for equation in ("ij,jk->ik", "ij,kj->ik", "ji,jk->ik", "bij,bkj->bik"):
        ndim = equation.index(",")
        types = [f64[(3,) * ndim]] * 2
        program = build_function(lambda *v, e=equation: p.einsum.body(*v, equation=e), types)
        used = [operation.prim for operation in program.body.operations]
        assert p.matmul in used and p.transpose not in used and p.reduce_sum not in used


def test_the_smallest_product_comes_first():
    types = [f64[100, 2], f64[2, 100], f64[100, 1]]
    program = build_function(lambda *v: p.einsum.body(*v, equation="ij,jk,kl->il"), types)
    shapes = [op.result.shape for op in program.body.operations if op.prim is p.matmul]
    assert shapes == [(2, 1), (100, 1)] or shapes == [(1, 2), (1, 100)]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8])
def test_integers_wrap(dtype):
    top = int(np.iinfo(dtype).max)
    x = np.full((1, 3), top, dtype)
    found = p.matmul(x, x, transpose_b=True)
    assert found.dtype == dtype
    assert (int(found[0, 0]) - 3 * top**2) % 2 ** (8 * x.itemsize) == 0


def test_narrow_floats_accumulate_in_float32():
    ones = np.ones((1, 5000), np.float16)
    assert p.matmul(ones, ones, transpose_b=True) == 5000
    large = np.array([[60000.0, 60000.0]], np.float16)
    assert p.matmul(large, np.array([[1.0], [-1.0]], np.float16)) == 0


def test_infinite_and_missing_numbers_stay_in_their_row():
    x = np.array([[np.inf, 0.0], [np.nan, 1.0], [1.0, 1.0]])
    found = p.matmul(x, np.ones((2, 1)))
    np.testing.assert_array_equal(found, [[np.inf], [np.nan], [2.0]])


def test_views_with_negative_strides():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(p.matmul(x[::-1, ::-1], x.T), x[::-1, ::-1].copy() @ x.T)


def test_symbolic_sizes():
    assert p.matmul.infer([f32[B, 3], f32[3, H]], p.matmul.complete([], {})) == (f32[B, H],)
    program = build_function(
        lambda x, y: p.matmul(x, y, transpose_b=True), [f32[H, B, 4], f32[8, 4]]
    )
    assert gradient(program).result_types == (f32[H, B, 4], f32[8, 4])
    types = [f32[B, H, 4], f32[B, 5, 4]]
    program = build_function(lambda *v: p.einsum(*v, equation="bqd,bkd->bqk"), types)
    assert program.result_types == (f32[B, H, 5],)


@pytest.mark.parametrize(
    ("prim", "operands", "attrs", "expected"),
    [
        (p.matmul, [f32[2, 3], f64[3, 2]], {}, "E0301"),
        (p.matmul, [bool_[2, 2], bool_[2, 2]], {}, "E0301"),
        (p.matmul, [f32[2, 3], f32[2, 3]], {}, "E0401"),
        (p.matmul, [f32[3], f32[3, 2]], {}, "E0401"),
        (p.matmul, [f32[2, 2, 2], f32[3, 2, 2]], {}, "E0401"),
        (p.matmul, [f32[2, B], f32[4, 2]], {}, "E0402"),
        (p.einsum, [f32[2, 3]], {"equation": "ijk->i"}, "E0401"),
        (p.einsum, [f32[2, 3]], {"equation": "i->i"}, "E0401"),
        (p.einsum, [f32[2, 3]], {"equation": "ii->i"}, "E0401"),
        (p.einsum, [f32[2], f32[3]], {"equation": "i,i->"}, "E0401"),
        (p.einsum, [f32[2]], {"equation": "i,i->"}, "E0404"),
        (p.einsum, [f32[2]], {"equation": "i->k"}, "E0404"),
        (p.einsum, [f32[2]], {"equation": "i->ii"}, "E0404"),
        (p.einsum, [f32[2]], {"equation": "i->->i"}, "E0404"),
        (p.einsum, [f32[2]], {"equation": "i1"}, "E0404"),
        (p.einsum, [f32[2]], {"equation": 3}, "E0303"),
        (p.einsum, [f32[2], f64[2]], {"equation": "i,i->"}, "E0301"),
    ],
)
def test_errors(prim, operands, attrs, expected):
    with pytest.raises(S2sadError) as caught:
        prim.infer(operands, prim.complete(operands, attrs))
    assert caught.value.code == expected
