"""Results whose shape depends on data: computed at once, refused in compiled code."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.core import dtypes

X = np.array([[0.0, 3.0, -0.0], [np.nan, 0.0, 5.0]])


@pytest.mark.parametrize("array", [X, X[0], X[0, 1], X[0, 0], X[:0], X > 1], ids=str)
def test_nonzero(array):
    x = ms.Tensor(array)
    for found in (ops.nonzero(x), ops.argwhere(x), x.nonzero(), x.argwhere()):
        assert found.dtype is ms.int64
        np.testing.assert_array_equal(found.asnumpy(), np.argwhere(array))
    apart = ops.nonzero(x, as_tuple=True)
    for found, expected in zip(apart, np.nonzero(np.atleast_1d(array)), strict=True):
        np.testing.assert_array_equal(found.asnumpy(), expected)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_masked_select(dtype):
    x = ms.Tensor([[1, 0, 1], [0, 1, 0]], dtype)
    mask = ms.Tensor([True, False, True])
    for found in (ops.masked_select(x, mask), x.masked_select(mask)):
        assert found.dtype is dtype and found.tolist() == [1, 1, 0, 0]
    assert ops.masked_select(x[0, 0], mask).tolist() == [1, 1]


def test_unique():
    values, inverse = ops.unique(ms.Tensor([[5, 3], [5, 7]], ms.int32))
    assert values.tolist() == [5, 3, 7] and inverse.tolist() == [[0, 1], [0, 2]]
    assert (values.dtype, inverse.dtype) == (ms.int32, ms.int32)
    values, inverse = ops.unique(ms.Tensor([2, 1, 2]))
    assert values.tolist() == [2, 1] and inverse.dtype is ms.int64
    values, _ = ops.unique(ms.Tensor([np.nan, 1.0, np.nan]))
    np.testing.assert_array_equal(values.asnumpy(), [np.nan, 1.0, np.nan])


def test_unique_in_order():
    x = ms.Tensor([[5, 3], [5, 7]])
    assert x.unique().tolist() == [3, 5, 7]
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert (inverse.tolist(), counts.tolist()) == ([[1, 0], [1, 2]], [1, 2, 1])
    rows, counts = ms.Tensor([[1, 2], [0, 1], [1, 2]]).unique(dim=0, return_counts=True)
    assert rows.tolist() == [[0, 1], [1, 2]] and counts.tolist() == [1, 2]
    assert ops.ones(3, ms.bfloat16).unique().dtype is ms.bfloat16


def test_unique_consecutive():
    x = ms.Tensor([[1, 1], [2, 1]])
    values, inverse, counts = ops.unique_consecutive(x, True, True)
    assert (values.tolist(), counts.tolist()) == ([1, 2, 1], [2, 1, 1])
    assert inverse.tolist() == [[0, 0], [1, 2]]
    columns = ms.Tensor([[1, 1, 2], [3, 3, 3]]).unique_consecutive(dim=1)
    assert columns.tolist() == [[1, 2], [3, 3]]
    assert ops.unique_consecutive(ops.zeros(0)).tolist() == []


def test_bincount():
    x = ms.Tensor([3, 0, 3, 1], ms.int32)
    assert ops.bincount(x).tolist() == [1, 1, 0, 2] and ops.bincount(x).dtype is ms.int64
    assert ops.bincount(x, minlength=6).tolist() == [1, 1, 0, 2, 0, 0]
    weighted = ops.bincount(x, ms.Tensor([0.5, 1.0, 2.0, 4.0]))
    assert weighted.tolist() == [1.0, 4.0, 0.0, 2.5] and weighted.dtype is ms.float32
    none = x[:0]
    assert [ops.bincount(none, minlength=n).tolist() for n in (0, 2)] == [[], [0, 0]]


@pytest.mark.parametrize(
    ("run", "instead"),
    [(lambda x: ops.nonzero(x), "ops.where"), (lambda x: x.argwhere(), "ops.where"),
     (lambda x: ops.masked_select(x, x > 0), "ops.masked_fill"),
     (lambda x: ops.bincount(x.int()), "index_add"), (lambda x: ops.unique(x)[0], "outside"),
     (lambda x: x.unique(), "outside"),
     (lambda x: ops.unique_consecutive(x), "outside")],
)  # fmt: skip
def test_compiled_code_says_what_to_do_instead(run, instead):
    run(ms.Tensor([1.0, 0.0]))
    with pytest.raises(TypeError, match=rf"E0305(.*\n)*.*lambda x(.*\n)*.*help: .*{instead}"):
        ms.compile(run)(ms.Tensor([1.0, 0.0]))


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0301", lambda x: ops.masked_select(x, x)),
     ("E0401", lambda x: ops.masked_select(x, x[:1, :2] > 0)),
     ("E0301", lambda x: ops.bincount(x)), ("E0401", lambda x: ops.bincount(x.int())),
     ("E0404", lambda x: ops.bincount(x[0].int() - 9)), ("E0304", lambda x: ops.nonzero([1])),
     ("E0403", lambda x: ops.unique_consecutive(x, dim=2)),
     ("E0403", lambda x: x.unique(dim=2)), ("E0304", lambda x: ops.masked_select(x, True))],
)  # fmt: skip
def test_refused(code, run):
    with pytest.raises((TypeError, ValueError), match=code):
        run(ms.Tensor(X))
