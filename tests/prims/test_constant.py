"""Is a constant the array that its value and its type say, and is anything else refused?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.plain import bits
from s2sad.ir.reader import read_text
from s2sad.ir.types import bf16, f32, i8, i64
from s2sad.prims.shape import filled
from support.laws import identical

B, H = symbol("B"), symbol("H")


def test_a_number_fills_the_shape():
    assert identical(p.const(1.5, f32[2, 3]), np.full((2, 3), 1.5, np.float32))
    assert identical(p.const(300, i8), np.array(44, np.int8))
    assert identical(p.const(1, bf16[2]), np.array([0x3F80] * 2, np.uint16))
    assert p.const(7, i64[0]).shape == (0,)


def test_tuples_nest_as_the_shape():
    found = p.const(((1, 2), (3, bits(0x7FC00001))), f32[2, 2])
    assert found.view(np.uint32).tolist() == [[0x3F800000, 0x40000000], [0x40400000, 0x7FC00001]]


def test_a_constant_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        p.const(0, f32[2])[0] = 1


@pytest.mark.parametrize("value", [(1, 2, 3), np.ones(3, np.float32), np.ones(2)])
def test_what_does_not_fit_its_type_is_refused(value):
    with pytest.raises(S2sadError, match="E0303"):
        p.const(value, f32[2])


@pytest.mark.parametrize(
    ("type", "missing"),
    [(f32[B, 16], "until B is known"), (f32[B, 2 * H + B], "until B, H is known")],
)
@pytest.mark.parametrize("value", [1, np.zeros((), np.float32)])
def test_a_constant_of_symbolic_shape_is_refused(type, missing, value):  # noqa: A002
    for make in (
        lambda: p.const(value, type),
        lambda: build_function(lambda: p.const(value, type), []),
    ):
        with pytest.raises(S2sadError, match=missing) as caught:
            make()
        assert caught.value.code == "E0402"


def test_a_dump_with_a_constant_of_symbolic_shape_is_refused_where_it_stands():
    text = str(build_function(lambda x: p.mul(x, p.const(2, f32)), [f32[B]], names=["x"]))
    with pytest.raises(S2sadError, match="until B is known") as caught:
        read_text(text.replace("p.const(2.0, f32)", "p.const(2.0, f32[B])"), p.ALL)
    assert caught.value.code == "E0402"
    assert caught.value.diagnostic.location.line == 8


def test_a_number_fills_a_symbolic_shape_by_broadcasting():
    program = build_function(lambda x: filled(1, f32[B, 16]), [f32[B, 16]])
    assert [operation.prim for operation in program.walk()] == [p.const, p.broadcast_to]
    assert program.result_types == (f32[B, 16],)
