"""Are rows looked up by index, and does what repeats add up in the gradient?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused

TABLE = np.random.default_rng(0).normal(size=(4, 3))


@pytest.mark.parametrize("dtype", [ms.int8, ms.int32, ms.int64, ms.uint8])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,), (2, 1, 3)])
def test_embedding(shape, dtype):
    indices = np.random.default_rng(1).integers(0, 4, shape)

    def run(indices, table):
        return ops.embedding(indices, table), ops.embedding(indices, table, padding_idx=1)

    for found in both_forms(run, ms.Tensor(indices, dtype), ms.Tensor(TABLE)):
        np.testing.assert_array_equal(found.asnumpy(), TABLE[indices])


def test_gradients():
    indices = ms.Tensor([[1, 3], [1, 0], [1, -1]])

    def run(table):
        return ops.embedding(indices, table)

    def cubed(table):
        return ops.sum(ops.embedding(indices, table) ** 3)

    check_gradients(run, TABLE)
    check_second_gradients(cubed, TABLE)


@pytest.mark.parametrize("padding", [1, -3])
def test_a_row_without_gradient(padding):
    indices = ms.Tensor([[1, 3], [1, 0], [1, 1]])
    w = ms.Tensor(np.arange(1.0, 13.0).reshape(3, 2, 2))

    def run(table):
        return ops.sum(ops.embedding(indices, table, padding) * w)

    found = ms.grad(run)(ms.Tensor(np.zeros((4, 2))))
    assert found.tolist() == [[7.0, 8.0], [0.0, 0.0], [0.0, 0.0], [3.0, 4.0]]


INDICES = ms.Tensor([1, 0])
REFUSED = [
    ("E0301", lambda i, t: ops.embedding(t, t)), ("E0401", lambda i, t: ops.embedding(i, t[0])),
    ("E0404", lambda i, t: ops.embedding(i, t, 4)), ("E0404", lambda i, t: ops.embedding(i, t, -5)),
    ("E0303", lambda i, t: ops.embedding(i, t, 1.0)),
    ("E0310", lambda i, t: ops.embedding(i, t, max_norm=1.0)),
    ("E0310", lambda i, t: ops.embedding(i, t, scale_grad_by_freq=True)),
    ("E0501", lambda i, t: ops.embedding(i + 3, t)), ("E0304", lambda i, t: ops.embedding(1, t)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "function"), REFUSED)
def test_what_does_not_go_together(code, function):
    refused(code, function, INDICES, ms.Tensor(TABLE))
