"""Elements chosen by a mask, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused

X = np.arange(6.0).reshape(2, 3)
MASK = np.array([[True, False, True], [False, False, True]])


def test_masked_fill():
    def run(x, mask, value):
        return (
            ops.masked_fill(x, mask, -1), x.masked_fill(mask, -1.0),
            ops.masked_fill(x, mask, value), x.masked_fill(mask=mask, value=value),
        )  # fmt: skip

    for result in both_forms(run, ms.Tensor(X), ms.Tensor(MASK), ms.Tensor(-1, ms.int32)):
        assert result.dtype is ms.float64
        np.testing.assert_array_equal(result.asnumpy(), np.where(MASK, -1, X))


def test_the_mask_broadcasts():
    def run(x, mask):
        return ops.masked_fill(x, mask[:, :1], 9), ops.masked_fill(x[0], mask, 9)

    row, wide = both_forms(run, ms.Tensor(X), ms.Tensor(MASK))
    np.testing.assert_array_equal(row.asnumpy(), np.where(MASK[:, :1], 9, X))
    np.testing.assert_array_equal(wide.asnumpy(), np.where(MASK, 9, X[0]))


@pytest.mark.parametrize("dtype", [ms.bool_, ms.int8, ms.float16, ms.bfloat16], ids=str)
def test_other_dtypes(dtype):
    def run(x, mask):
        return ops.masked_fill(x, mask, True), ops.masked_fill(x, mask, 1)

    for result in both_forms(run, ms.Tensor([0, 0], dtype), ms.Tensor([True, False])):
        assert result.dtype is dtype and result.tolist() == [1, 0]


def test_gradients_of_filling():
    mask = ms.Tensor(MASK)
    check_gradients(lambda x, v: ops.masked_fill(x * x, mask, v * v), X, 3.0)


def test_no_gradient_flows_where_the_mask_holds():
    def run(x):
        return (
            ops.masked_fill(ops.log(x), x <= 0, float("-inf"))[1]
            + ops.masked_fill(x, x < 9, 0).sum()
        )

    x = ms.Tensor([0.0, 4.0, -1.0])
    assert ms.grad(run)(x).tolist() == [0.0, 0.25, 0.0]


def test_select():
    def run(mask, x):
        return [
            ops.select(mask, x, -x), ops.select(mask, x, 0.0), ops.select(mask, 1, 2),
            x.select(mask, -x), x.where(mask, 0.0), x.where(condition=mask, y=-x),
        ]  # fmt: skip

    found = both_forms(run, ms.Tensor(MASK), ms.Tensor(X))
    choices = (X, -X), (X, 0), (1, 2), (X, -X), (X, 0), (X, -X)
    for result, (yes, no) in zip(found, choices, strict=True):
        np.testing.assert_array_equal(result.asnumpy(), np.where(MASK, yes, no))
    assert found[2].dtype is ms.int64


def test_masked_scatter():
    def run(x, mask, source):
        return (
            ops.masked_scatter(x, mask, source), x.masked_scatter(mask, source),
            ops.masked_scatter(x, mask[1], source),
        )  # fmt: skip

    source = -np.arange(1.0, 9.0).reshape(2, 4)
    found = both_forms(run, ms.Tensor(X), ms.Tensor(MASK), ms.Tensor(source))
    for result, mask in zip(found, (MASK, MASK, np.broadcast_to(MASK[1], X.shape)), strict=True):
        expected = X.copy()
        expected[mask] = source.ravel()[: mask.sum()]
        np.testing.assert_array_equal(result.asnumpy(), expected)
    mask = ms.Tensor(MASK)
    check_gradients(lambda x, s: ops.masked_scatter(x * x, mask, s * s), X, source)


@pytest.mark.parametrize("dtype", [ms.int32, ms.int64, ms.uint8], ids=str)
def test_sequence_mask(dtype):
    lengths = np.array([[0, 2], [3, 5]])

    def run(x):
        return ops.sequence_mask(x, 4), ops.sequence_mask(x[0, 1], 3)

    whole, one = both_forms(run, ms.Tensor(lengths, dtype))
    np.testing.assert_array_equal(whole.asnumpy(), np.arange(4) < lengths[..., None])
    assert one.tolist() == [True, True, False]
    assert ops.sequence_mask(ms.Tensor([1, 3])).shape == (2, 3)
    with pytest.raises(TypeError, match="E0305(.*\n)*.*give maxlen"):
        ms.compile(lambda x: ops.sequence_mask(x))(ms.Tensor([1, 3]))


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0301", lambda x, m: ops.masked_fill(x, x, 0)),
     ("E0304", lambda x, m: ops.masked_fill(x, True, 0)),
     ("E0301", lambda x, m: ops.masked_fill(x.int(), m, 0.5)),
     ("E0301", lambda x, m: ops.masked_fill(x.int(), m, x[0, 0])),
     ("E0401", lambda x, m: ops.masked_fill(x, m, x)),
     ("E0401", lambda x, m: ops.masked_fill(x, m[:, :2], 0)),
     ("E0304", lambda x, m: x.masked_fill(m, "a")),
     ("E0301", lambda x, m: ops.masked_scatter(x, x, x)),
     ("E0301", lambda x, m: ops.masked_scatter(x, m, x.int())),
     ("E0401", lambda x, m: ops.masked_scatter(x[0], m, x)),
     ("E0501", lambda x, m: ops.masked_scatter(x, m, x[0, :2])),
     ("E0301", lambda x, m: ops.sequence_mask(x, 2)),
     ("E0303", lambda x, m: ops.sequence_mask(x.int(), 2.0)),
     ("E0301", lambda x, m: ops.select(x, x, x)), ("E0401", lambda x, m: x.where(m, x[:, :2]))],
)  # fmt: skip
def test_refused(code, run):
    refused(code, run, ms.Tensor(X), ms.Tensor(MASK))


# ---- choose ---------------------------------------------------------------------------------

ROWS = [[0.5, 1.5, 2.5], [10.5, 11.5, 12.5], [20.5, 21.5, 22.5]]


@pytest.mark.parametrize("mode", ["clip", "wrap"])
@pytest.mark.parametrize("index", [[0, 1, 2], [-1, 5, -7], [[2], [0]], 1])
def test_choose(mode, index):
    expected = np.choose(index, np.array(ROWS), mode=mode)

    def run(i, x):
        return i.choose(ROWS, mode), i.choose([x[0], x[1], ROWS[2]], mode=mode), i.choose(x, mode)

    found = both_forms(run, ms.Tensor(index), ms.Tensor(ROWS, ms.float32))
    for each in found:
        np.testing.assert_array_equal(each.asnumpy(), expected.astype(np.float32), strict=True)


def test_what_is_chosen_meets_in_one_dtype():
    index = ms.Tensor([1, 0], ms.uint8)
    assert both_forms(lambda i: i.choose([[1, 2], [3, 4]]), index).tolist() == [3, 2]
    mixed = both_forms(lambda i: i.choose(([1, 2], 0.5)), index)
    assert (mixed.dtype, mixed.tolist()) == (ms.float32, [0.5, 2.0])
    flags = both_forms(lambda i: i.choose([[True, False], [False, True]]), index)
    assert (flags.dtype, flags.tolist()) == (ms.bool_, [False, False])
    assert both_forms(lambda i, x: i.choose(x), index, ms.Tensor([7, 8])).tolist() == [8, 7]


def test_gradients_of_what_is_chosen():
    index = ms.Tensor([[2, 0, 1]])

    def run(a, b):
        return index.choose([a, b, 3.0]) * a

    a, b = np.array([[1.0, 2.0, 3.0]]), np.array([[0.5], [4.0]])
    check_gradients(run, a, b)
    check_second_gradients(lambda a, b: ops.sum(run(a, b) ** 2), a, b)


def test_what_cannot_be_chosen():
    index = ms.Tensor([0, 2])
    refused("E0301", lambda i: i.choose([1, 2]), ms.Tensor([0.5]))
    refused("E0304", lambda i: i.choose(3), index)
    refused("E0401", lambda i: i.choose([[1, 2, 3], [4, 5, 6]]), index)
    refused("E0404", lambda i: i.choose([]), index)
    refused("E0404", lambda i: i.choose([1, 2], "nearest"), index)
    refused("E0501", lambda i: i.choose([1, 2], "raise"), index)
    refused("E0501", lambda i: i.choose([1, 2], mode="raise"), ms.Tensor([0, -1]))
    assert both_forms(lambda i: i.choose([1, 2, 3], "raise"), index).tolist() == [1, 3]
