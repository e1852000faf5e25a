"""Does looking up rows keep the laws, and add up what comes back to each?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f32, i32, i64
from support.laws import Spec, check_laws, normal
from support.reverse import gradient

IDS = np.array([[1, 3], [1, 0], [1, 1]])
SPECS = [
    Spec(p.embedding, (normal(4, 2), IDS)),
    Spec(p.embedding, (normal(4), np.array([0, -1, 0]))),
    Spec(p.embedding, (normal(4, 2, 3), np.array(2))),
    Spec(p.embedding, (normal(4, 2), np.zeros((0, 3), np.int64))),
    Spec(p.embedding_grad, (normal(3, 2, 2), IDS), {"size": 4}),
    Spec(p.embedding_grad, (normal(3, 2, 2), IDS), {"size": 4, "padding_index": 1}),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_contributions_to_a_row_add_up(dtype):
    dy = np.arange(1.0, 13).reshape(3, 2, 2)
    expected = [[7.0, 8.0], [26.0, 30.0], [0.0, 0.0], [3.0, 4.0]]
    np.testing.assert_array_equal(p.embedding_grad(dy, IDS.astype(dtype), size=4), expected)


@pytest.mark.parametrize("padding", [3, -1])
def test_the_padding_row_gets_no_gradient(padding):
    program = build_function(
        lambda t, i: p.embedding(t, i, padding_index=padding), [f32[4, 2], i64[3]]
    )
    indices = np.array([3, -1, 1])  # both name the last row
    table, dy = np.ones((4, 2), np.float32), np.ones((3, 2), np.float32)
    assert evaluate(program, [table, indices])[0].tolist() == [[1, 1]] * 3
    (dtable,) = evaluate(gradient(program), [table, indices, dy])
    assert dtable.tolist() == [[0, 0], [1, 1], [0, 0], [0, 0]]


def test_narrow_contributions_are_added_up_in_float32():
    dy = np.ones(4097, np.float16)
    total = p.embedding_grad(dy, np.zeros(4097, np.int64), size=2)
    assert total.tolist() == [4096, 0]  # 4097 rounded once; one by one it would end at 2048


@pytest.mark.parametrize(
    ("types", "attrs", "code"),
    [
        ((f32[4, 2], f32[3]), {}, "E0301"),
        ((i32[4, 2], i32[3]), {}, "E0301"),
        ((f32, i32[3]), {}, "E0401"),
        ((f32[4, 2], i32[3]), {"padding_index": 4}, "E0404"),
        ((f32[4, 2], i32[3]), {"padding_index": -5}, "E0404"),
        ((f32[4, 2], i32[3]), {"padding_index": 1.0}, "E0303"),
        ((f32[symbol("V"), 2], i32[3]), {"padding_index": -1}, "E0402"),
    ],
)
def test_what_does_not_fit_is_refused(types, attrs, code):
    with pytest.raises(S2sadError) as caught:
        build_function(lambda *v: p.embedding(*v, **attrs), types)
    assert caught.value.code == code


def test_indices_must_be_rows():
    with pytest.raises(IndexError, match="E0501.*4"):
        p.embedding(np.ones((4, 2)), np.array([0, 4]))
    with pytest.raises(S2sadError, match="E0401"):
        p.embedding_grad(np.ones((2, 3)), np.array([0, 1, 2]), size=4)


def test_sizes_may_be_symbolic():
    rows, batch = symbol("V"), symbol("B")
    program = build_function(
        lambda t, i: p.embedding(t, i, padding_index=0), [f32[rows, 8], i32[batch, 4]]
    )
    assert program.result_types == (f32[batch, 4, 8],)
    assert gradient(program).result_types == (f32[rows, 8],)
