"""Do the primitives that move elements keep their laws, and move each to its place?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.dims import symbol
from s2sad.ir.types import TensorType, bf16, bool_, f32, f64, i8, i64
from support.laws import Spec, booleans, check_laws, integers, normal

B, H = symbol("B"), symbol("H")

SPECS = [
    Spec(p.transpose, (normal(2, 3, 4),), {"perm": (2, 0, 1)}),
    Spec(p.transpose, (normal(2, 3),)),
    Spec(p.transpose, (normal(),), {"perm": ()}),
    Spec(p.transpose, (booleans(2, 3),), {"perm": (1, -2)}),
    Spec(p.flip, (normal(2, 3),), {"axis": 1}),
    Spec(p.flip, (normal(2, 3),)),
    Spec(p.flip, (normal(),)),
    Spec(p.reshape, (normal(2, 6),), {"shape": (3, -1)}),
    Spec(p.reshape, (normal(1, 1),), {"shape": ()}),
    Spec(p.reshape, (normal(0, 3),), {"shape": (2, 0)}),
    Spec(p.broadcast_to, (normal(3, 1),), {"shape": (2, 3, 4)}),
    Spec(p.broadcast_to, (normal(),), {"shape": (2,)}),
    Spec(p.broadcast_to, (normal(1, 3),), {"shape": (0, 3)}),
    Spec(p.slice, (normal(5, 4),), {"start": (1, None), "stop": (4, -1), "step": None}),
    Spec(p.slice, (normal(7, 6),), {"start": (1, 0), "stop": (None, 5), "step": (3, 2)}),
    Spec(p.slice, (normal(7, 6),), {"start": (None, 4), "stop": (None, 0), "step": (-2, -3)}),
    Spec(p.slice, (normal(4, 3),), {"start": (3, 0), "stop": (1, 9), "step": (1, 1)}),
    Spec(p.slice, (normal(),), {"start": (), "stop": ()}),
    Spec(p.pad, (normal(2, 3), normal()), {"low": (1, 0), "high": (0, 2)}),
    Spec(p.pad, (normal(3, 2), normal()), {"low": (0, 1), "high": (2, 0), "interior": (2, 1)}),
    Spec(p.pad, (normal(0, 2), normal()), {"low": (1, 0), "high": (1, 0), "interior": (3, 0)}),
    Spec(p.pad, (integers(2), integers()), {"low": (1,), "high": (0,)}),
    Spec(p.pad, (normal(), normal()), {"low": (), "high": ()}),
    Spec(p.concat, (normal(2, 3), normal(2, 1), normal(2, 0)), {"axis": 1}),
    Spec(p.concat, (normal(2, 3),), {"axis": -2}),
    Spec(p.split, (normal(2, 6),), {"sizes": (1, 3, 2), "axis": 1}),
    Spec(p.split, (normal(2, 3),), {"sizes": (2,), "axis": 0}),
    Spec(p.split, (normal(3),), {"sizes": (0, 3), "axis": 0}),
    Spec(p.iota, (), {"dtype": f64, "shape": (2, 3), "axis": 1}),
    Spec(p.iota, (), {"dtype": bf16, "shape": (300,), "axis": 0}),
    Spec(p.axis_size, (normal(2, 3),), {"axis": (1,), "dtype": bf16}),
    Spec(p.zeros_like, (normal(2, 3),)),
    Spec(p.zeros_like, (booleans(2),)),
    Spec(p.ones_like, (integers(2),)),
    Spec(p.full_like, (normal(2),), {"value": 0.1}),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def types(prim, *operands, **attrs):
    """Result types of `prim` on operand types."""
    return prim.infer(operands, prim.complete(operands, attrs))


def code(prim, *operands, **attrs):
    """Code of the error that `prim` raises on operand types."""
    with pytest.raises(S2sadError) as caught:
        types(prim, *operands, **attrs)
    return caught.value.code


BOUNDS = [None, *range(-6, 7)]


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_slices_are_those_of_python(size):
    x = np.arange(size)
    for start in BOUNDS:
        for stop in BOUNDS:
            for step in (None, 1, 2, 3, -1, -2, -7):
                attrs = {"start": (start,), "stop": (stop,), "step": (step,)}
                full = p.slice.complete([TensorType(i64.dtype, (size,))], attrs)
                assert p.slice.complete([TensorType(i64.dtype, (size,))], full) == full
                assert (full["stop"][0] or 0) >= 0 and full["start"][0] >= 0
                np.testing.assert_array_equal(p.slice(x, **attrs), x[start:stop:step])


def test_slices_with_the_same_elements_have_one_spelling():
    a = p.slice.complete([f32[5]], {"start": (0,), "stop": (6,), "step": (2,)})
    b = p.slice.complete([f32[5]], {"start": (-5,), "stop": (5,), "step": (2,)})
    assert a == b == {"start": (0,), "stop": (5,), "step": (2,)}


def test_narrow_floats_and_nan_payloads_move_untouched():
    bits = np.array([0x7F81, 0xFFFF, 0x8000, 0x0001], np.uint16)  # NaNs, -0.0, a subnormal
    np.testing.assert_array_equal(p.flip(bits), bits[::-1])
    padded = p.pad(bits, bits[0], low=(1,), high=(0,))
    np.testing.assert_array_equal(padded, [0x7F81, *bits])
    np.testing.assert_array_equal(p.concat(bits, bits, axis=0)[4:], bits)


def test_a_transposed_view_reshapes_in_row_major_order():
    x = np.arange(6).reshape(2, 3).T
    np.testing.assert_array_equal(p.reshape(x, shape=(6,)), [0, 3, 1, 4, 2, 5])


def test_iota_wraps_and_rounds_once():
    np.testing.assert_array_equal(p.iota(dtype=i8, shape=(130,))[-2:], [-128, -127])
    # 257 lies between the bf16 neighbours 256 and 258: the tie goes to the even one.
    np.testing.assert_array_equal(p.iota(dtype=bf16, shape=(260,))[257:], [0x4380, 0x4381, 0x4382])


def test_axis_size_rounds():
    assert p.axis_size(np.zeros((2, 3, 4)), axis=(0, -1), dtype=i64) == 8
    assert p.axis_size(np.zeros(()), dtype=f32).dtype == np.float32


@pytest.mark.parametrize(
    ("prim", "operand", "attrs", "expected"),
    [
        (p.transpose, f32[B, 3], {"perm": (1, 0)}, f32[3, B]),
        (p.reshape, f32[B, 4, 4], {"shape": (B, -1)}, f32[B, 16]),
        (p.reshape, f32[B, 6], {"shape": (-1, 2)}, f32[3 * B, 2]),
        (p.broadcast_to, f32[1, H], {"shape": (B, H)}, f32[B, H]),
        (p.slice, f32[B, 4], {"start": (1, 0), "stop": (-1, 2)}, f32[B - 2, 2]),
        (p.slice, f32[B], {"start": (1,), "stop": (B,)}, f32[B - 1]),
        (p.slice, f32[2 * B], {"start": (0,), "stop": (None,), "step": (2,)}, f32[B]),
        (p.slice, f32[B], {"start": (None,), "stop": (None,), "step": (-1,)}, f32[B]),
        (p.zeros_like, f32[B, 2], {}, f32[B, 2]),
        (p.iota, None, {"dtype": i64, "shape": (B, 2), "axis": 1}, i64[B, 2]),
    ],
)
def test_symbolic_sizes(prim, operand, attrs, expected):
    operands = [] if operand is None else [operand]
    assert types(prim, *operands, **attrs) == (expected,)
    full = prim.complete(operands, attrs)
    assert prim.complete(operands, full) == full


def test_symbolic_pad_undoes_a_symbolic_slice():
    (part,) = types(p.slice, f32[2 * B], start=(1,), stop=(None,), step=(2,))
    assert part == f32[B]
    assert types(p.pad, part, f32, low=(1,), high=(0,), interior=(1,)) == (f32[2 * B],)
    assert types(p.concat, f32[B, 2], f32[H, 2], axis=0) == (f32[B + H, 2],)
    assert types(p.split, f32[2 * B], sizes=(B, B), axis=0) == (f32[B], f32[B])


@pytest.mark.parametrize(
    ("prim", "operands", "attrs", "expected"),
    [
        (p.transpose, [f32[2, 3]], {"perm": (0, 0)}, "E0404"),
        (p.transpose, [f32[2, 3]], {"perm": (0, 2)}, "E0403"),
        (p.transpose, [f32[2, 3]], {"perm": (0,)}, "E0303"),
        (p.flip, [f32[2]], {"axis": (0, -1)}, "E0403"),
        (p.reshape, [f32[4]], {"shape": (3,)}, "E0401"),
        (p.reshape, [f32[4]], {"shape": (-2, -2)}, "E0404"),
        (p.reshape, [f32[4]], {"shape": (2.0, 2)}, "E0303"),
        (p.reshape, [f32[0]], {"shape": (0, -1)}, "E0404"),
        (p.reshape, [f32[B]], {"shape": (4,)}, "E0402"),
        (p.broadcast_to, [f32[2]], {"shape": (3,)}, "E0401"),
        (p.broadcast_to, [f32[2, 3]], {"shape": (3,)}, "E0401"),
        (p.slice, [f32[4]], {"start": (0,), "stop": (4,), "step": (0,)}, "E0404"),
        (p.slice, [f32[4]], {"start": (), "stop": (4,)}, "E0303"),
        (p.slice, [f32[B]], {"start": (0,), "stop": (3,)}, "E0402"),
        (p.pad, [f32[4], f64], {"low": (0,), "high": (0,)}, "E0301"),
        (p.pad, [f32[4], f32[1]], {"low": (0,), "high": (0,)}, "E0304"),
        (p.pad, [f32[4], f32], {"low": (-1,), "high": (0,)}, "E0404"),
        (p.concat, [f32[4], f64[2]], {"axis": 0}, "E0301"),
        (p.concat, [f32[4, 1], f32[3, 2]], {"axis": 1}, "E0401"),
        (p.concat, [f32[4, 1], f32[4]], {"axis": 1}, "E0401"),
        (p.concat, [f32], {"axis": 0}, "E0403"),
        (p.split, [f32[4]], {"sizes": (1, 2), "axis": 0}, "E0401"),
        (p.split, [f32[4]], {"sizes": (), "axis": 0}, "E0404"),
        (p.iota, [], {"dtype": bool_, "shape": (2,)}, "E0301"),
        (p.iota, [], {"dtype": f32, "shape": ()}, "E0403"),
        (p.full_like, [i64[2]], {"value": 0.5}, "E0301"),
    ],
)
def test_errors(prim, operands, attrs, expected):
    assert code(prim, *operands, **attrs) == expected
