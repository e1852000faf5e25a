"""Orders against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, refused

X = np.array([[[3.0, -1.0, 2.0, 3.0], [0.0, 5.0, -2.0, 1.0], [7.0, 7.0, 7.0, -7.0]]])


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("descending", [False, True])
def test_sort(axis, descending):
    def run(x):
        return (
            ops.sort(x, axis, descending), x.sort(axis, descending),
            x.sort(dim=axis, descending=descending),
            x.sort(axis=axis, descending=descending, stable=True),
            (ops.sort(x, axis, descending)[0], ops.argsort(x, axis, descending)),
            (ops.sort(x, axis, descending)[0], x.argsort(axis, descending)),
            (ops.sort(x, axis, descending)[0],
             x.argsort(dim=axis, descending=descending, stable=True)),
        )  # fmt: skip

    sign = -1 if descending else 1
    order = np.argsort(sign * X, axis, kind="stable")
    for values, indices in both_forms(run, ms.Tensor(X)):
        assert indices.dtype is ms.int32
        np.testing.assert_array_equal(indices.asnumpy(), order)
        np.testing.assert_array_equal(values.asnumpy(), np.take_along_axis(X, order, axis))


@pytest.mark.parametrize("dim", [None, -1, 1])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_topk(k, dim, largest):
    def run(x):
        return ops.topk(x, k, dim, largest), x.topk(k, dim=dim, largest=largest, sorted=False)

    axis = -1 if dim is None else dim
    order = np.argsort(-X if largest else X, axis, kind="stable").take(np.arange(k), axis)
    for values, indices in both_forms(run, ms.Tensor(X)):
        assert indices.dtype is ms.int32
        np.testing.assert_array_equal(indices.asnumpy(), order)
        np.testing.assert_array_equal(values.asnumpy(), np.take_along_axis(X, order, axis))


def test_top_k_of_the_last_axis():
    def run(x):
        return ops.top_k(x, 2), ops.topk(x, 2)

    one, other = both_forms(run, ms.Tensor(X))
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine.asnumpy(), theirs.asnumpy())


def test_a_number_is_in_order():
    def run(x):
        return ops.sort(x), ops.topk(x, 1), x.topk(0), ops.argsort(x)

    (value, place), (top, at), (none, _), index = both_forms(run, ms.Tensor(2.5))
    assert [value.item(), place.item(), top.item(), at.item(), index.item()] == [2.5, 0, 2.5, 0, 0]
    assert value.shape == top.shape == index.shape == () and none.shape == (0,)


def test_nan_and_infinities():
    x = [3.0, np.nan, -np.inf, np.inf, -0.0, 0.0]

    def run(x):
        return ops.sort(x), ops.sort(x, descending=True), ops.topk(x, 2), x.topk(2, largest=False)

    up, down, top, least = both_forms(run, ms.Tensor(x))
    assert up[1].tolist() == [2, 4, 5, 0, 3, 1] and down[1].tolist() == [1, 3, 0, 4, 5, 2]
    assert top[1].tolist() == [1, 3] and least[1].tolist() == [2, 4]


@pytest.mark.parametrize("dtype", [ms.int8, ms.uint8, ms.int64, ms.float16, ms.bfloat16], ids=str)
def test_other_dtypes(dtype):
    def run(x):
        return ops.sort(x), ops.topk(x, 2)

    (up, _), (top, _) = both_forms(
        run, ms.Tensor([3, 200, 0] if dtype is ms.uint8 else [3, 100, -5], dtype)
    )
    assert up.dtype is top.dtype is dtype
    assert up.tolist() == ([0, 3, 200] if dtype is ms.uint8 else [-5, 3, 100])


@pytest.mark.parametrize("run", [lambda x: ops.sort(x, 1)[0], lambda x: ops.topk(x, 2, 1, False)[0],
                                 lambda x: ops.sort(x * x, descending=True)[0] * x])  # fmt: skip
def test_gradients(run):
    check_gradients(run, np.random.default_rng(0).permutation(12).reshape(1, 3, 4) - 5.3)


@pytest.mark.parametrize("right", [False, True])
def test_searchsorted(right):
    line, values = np.array([1.0, 3.0, 3.0, 5.0]), np.array([[3.0, 6.0], [0.0, np.nan]])

    def run(line, values):
        return (
            ops.searchsorted(line, values, right=right),
            ops.searchsorted(line, values, side="right" if right else "left"),
            ops.searchsorted(line[::-1], values, right=right, sorter=ops.arange(3, -1, -1)),
            ops.searchsorted(line, values, right=right, out_int32=True),
        )  # fmt: skip

    expected = np.searchsorted(line, values, "right" if right else "left")
    *found, short = both_forms(run, ms.Tensor(line), ms.Tensor(values))
    for result in (*found, short):
        np.testing.assert_array_equal(result.asnumpy(), expected)
    assert short.dtype is ms.int32 and {x.dtype for x in found} == {ms.int64}


def test_searchsorted_of_rows_and_numbers():
    lines, values = np.array([[1, 3, 5], [2, 4, 6]]), np.array([[3, 6], [3, 6]])

    def run(lines, values):
        return ops.searchsorted(lines, values), ops.searchsorted(lines[0], 4.5)

    rows, one = both_forms(run, ms.Tensor(lines), ms.Tensor(values, ms.float32))
    assert rows.tolist() == [[1, 3], [1, 2]] and one.item() == 2 and one.shape == ()


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0301", lambda x: ops.sort(x > 0)), ("E0403", lambda x: ops.sort(x, 3)),
     ("E0303", lambda x: ops.sort(x, 1.0)), ("E0404", lambda x: ops.topk(x, 5)),
     ("E0303", lambda x: ops.topk(x, 1.5)), ("E0303", lambda x: ops.topk(x, x[0, 0, 0])),
     ("E0404", lambda x: ops.topk(x, -1)), ("E0404", lambda x: ops.searchsorted(x, x, side="up")),
     ("E0302", lambda x: ops.searchsorted(x, x, side="left", right=True)),
     ("E0401", lambda x: ops.searchsorted(x, x[0])), ("E0304", lambda x: ops.sort([1.0])),
     ("E0302", lambda x: x.sort(0, dim=1)), ("E0302", lambda x: x.argsort(order="x"))],
)  # fmt: skip
def test_refused(code, run):
    refused(code, run, ms.Tensor(X))
