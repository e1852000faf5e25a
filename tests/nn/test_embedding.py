"""Is an Embedding a table with MindSpore's first values, looked up with its gradient?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, refused


@pytest.fixture(autouse=True)
def seeded():
    ms.set_seed(7)


@pytest.mark.parametrize("use_one_hot", [False, True])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 1, 3), (0, 2)])
@pytest.mark.parametrize("dtype", [ms.int32, ms.int64])
def test_lookup(shape, dtype, use_one_hot):
    net = nn.Embedding(5, 4, use_one_hot)
    indices = np.random.default_rng(0).integers(0, 5, shape)

    def run(ids):
        return net(ids)

    found = both_forms(run, ms.Tensor(indices, dtype))
    np.testing.assert_array_equal(found.asnumpy(), net.embedding_table.asnumpy()[indices])


@pytest.mark.parametrize("use_one_hot", [False, True])
def test_gradients_of_repeated_rows_add_up(use_one_hot):
    net = nn.Embedding(4, 2, use_one_hot, padding_idx=3)
    w = ms.Tensor(np.arange(1, 13, dtype=np.float32).reshape(3, 2, 2))

    def loss(ids):
        return ops.sum(net(ids) * w)

    (found,) = ms.grad(loss, None, net.trainable_params())(ms.Tensor([[1, 3], [1, 0], [1, 1]]))
    # The padding row is zero at first, and trained as the others are.
    assert found.tolist() == [[7.0, 8.0], [26.0, 30.0], [0.0, 0.0], [3.0, 4.0]]


def test_first_values_are_mindspores():
    net = nn.Embedding(200, 50, padding_idx=7)
    table = net.embedding_table.asnumpy()
    assert table.dtype == np.float32 and (table[7] == 0).all() and (table[6] != 0).any()
    np.testing.assert_allclose(table.std(), 0.01, rtol=0.05)
    assert net.embedding_table.name == "embedding_table"


def test_first_values_of_ones_own():
    table = ms.Tensor([[1.0, 2.0], [3.0, 4.0]], ms.float64)
    net = nn.Embedding(2, 2, embedding_table=table, padding_idx=0)
    assert net.embedding_table.tolist() == [[0.0, 0.0], [3.0, 4.0]]
    assert table.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    narrow = nn.Embedding(2, 2, embedding_table="ones", dtype=ms.bfloat16, padding_idx=1)
    assert narrow.embedding_table.dtype is ms.bfloat16
    assert narrow.embedding_table.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_one_hot_rows_out_of_range_are_zero():
    net = nn.Embedding(2, 2, True, "ones")
    assert net(ms.Tensor([2, 1])).tolist() == [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((0, 2), "E0404"), ((2, 0), "E0404"), ((2.0, 2), "E0303"), ((2, 2, 1), "E0303"),
        ((2, 2, False, "normal", ms.float32, 2), "E0404"),
        ((2, 2, False, "normal", ms.float32, -1), "E0404"),
        ((2, 2, False, "normal", ms.float32, 1.0), "E0303"),
        ((2, 2, False, ms.Tensor([1.0])), "E0401"), ((2, 2, False, "unknown"), "E0404"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(arguments, code):
    with pytest.raises(S2sadError) as caught:
        nn.Embedding(*arguments)
    assert caught.value.code == code


def looked_up(ids):
    return NET(ids)


NET = nn.Embedding(4, 2)


@pytest.mark.parametrize(("ids", "code"), [([4], "E0501"), ([-5], "E0501"), ([1.0], "E0301")])
def test_indices_that_do_not_fit(ids, code):
    refused(code, looked_up, ms.Tensor(ids))
