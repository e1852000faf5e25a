"""Do the rearrangements made of moves agree with NumPy's, and with their gradients?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.dims import symbol
from s2sad.ir.types import f32
from support.laws import Spec, booleans, check_laws, integers, normal

B = symbol("B")

SPECS = [
    Spec(p.expand_dims, (normal(2, 3),), {"axis": (0, -1)}),
    Spec(p.squeeze, (normal(1, 2, 1),)),
    Spec(p.stack, (normal(2, 3), normal(2, 3)), {"axis": -1}),
    Spec(p.tile, (normal(2, 1, 3),), {"repeats": (1, 2, 3)}),
    Spec(p.repeat, (normal(2, 3),), {"repeats": 2, "axis": 1}),
    Spec(p.roll, (normal(3, 4),), {"shift": (1, -2), "axis": (0, 1)}),
    Spec(p.diagonal, (normal(3, 2, 4),), {"offset": 1, "axis1": 0, "axis2": -1}),
    Spec(p.tril, (normal(2, 3, 3),), {"diagonal": -1}),
    Spec(p.triu, (normal(3, 2),)),
    Spec(p.tril, (booleans(3, 3),)),
    Spec(p.triu, (integers(3, 3),)),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (p.expand_dims(X, axis=(1, 3)), np.expand_dims(X, (1, 3))),
        (p.squeeze(X[:1], axis=0), X[0]),
        (p.squeeze(np.zeros((1, 1))), np.zeros(())),
        (p.stack(X, -X, axis=1), np.stack([X, -X], 1)),
        (p.stack(np.array(1), np.array(2)), np.array([1, 2])),
        (p.tile(X, repeats=(2, 3)), np.tile(X, (2, 3))),
        (p.tile(X, repeats=(0, 1)), np.tile(X, (0, 1))),
        (p.repeat(X, repeats=3, axis=0), np.repeat(X, 3, 0)),
        (p.repeat(X, repeats=0, axis=1), np.repeat(X, 0, 1)),
        (p.roll(X, shift=-5, axis=1), np.roll(X, -5, 1)),
        (p.roll(X, shift=(1, 2, 3), axis=(0, 1, 0)), np.roll(X, (1, 2, 3), (0, 1, 0))),
        (p.roll(np.zeros((0, 2)), shift=1, axis=0), np.zeros((0, 2))),
    ],
)
def test_values(found, expected):
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("offset", range(-4, 6))
def test_diagonals_and_triangles(offset):
    for x in (X, X.T, X[:, :1], X[:0], np.arange(24).reshape(2, 3, 4)):
        last = {"axis1": -2, "axis2": -1}
        found = p.diagonal(x, offset=offset, **last)
        np.testing.assert_array_equal(found, np.diagonal(x, offset, -2, -1))
        np.testing.assert_array_equal(p.tril(x, diagonal=offset), np.tril(x, offset))
        np.testing.assert_array_equal(p.triu(x, diagonal=offset), np.triu(x, offset))


def test_what_is_left_out_is_not_read():
    x = np.array([[1.0, np.nan], [-0.0, np.inf]])
    np.testing.assert_array_equal(p.tril(x), [[1.0, 0.0], [-0.0, np.inf]])
    assert np.signbit(p.diagonal(-np.zeros((2, 2)))).all()


def types(prim, *operands, **attrs):
    return prim.infer(operands, prim.complete(operands, attrs))


def test_symbolic_sizes():
    assert types(p.expand_dims, f32[B], axis=0) == (f32[1, B],)
    assert types(p.squeeze, f32[1, B]) == (f32[B],)
    assert types(p.tile, f32[B, 2], repeats=(3, 2)) == (f32[3 * B, 4],)
    assert types(p.repeat, f32[B], repeats=2, axis=0) == (f32[2 * B],)
    assert types(p.roll, f32[B, 4], shift=1, axis=0) == (f32[B, 4],)
    assert types(p.tril, f32[B, B]) == (f32[B, B],)
    assert types(p.diagonal, f32[B, 3, 3], axis1=1, axis2=2) == (f32[B, 3],)


@pytest.mark.parametrize(
    ("prim", "operands", "attrs", "expected"),
    [
        (p.expand_dims, [f32[2]], {"axis": 2}, "E0403"),
        (p.squeeze, [f32[2]], {"axis": 0}, "E0401"),
        (p.squeeze, [f32[B]], {"axis": 0}, "E0401"),
        (p.stack, [f32[2], f32[3]], {"axis": 0}, "E0401"),
        (p.tile, [f32[2]], {"repeats": (1, 1)}, "E0303"),
        (p.repeat, [f32[2]], {"repeats": -1, "axis": 0}, "E0404"),
        (p.roll, [f32[2]], {"shift": (1, 1), "axis": 0}, "E0303"),
        (p.diagonal, [f32[2, 2]], {"axis2": -2}, "E0403"),
        (p.diagonal, [f32[B, B]], {}, "E0402"),
        (p.tril, [f32[2]], {}, "E0401"),
    ],
)
def test_errors(prim, operands, attrs, expected):
    with pytest.raises(S2sadError) as caught:
        types(prim, *operands, **attrs)
    assert caught.value.code == expected
