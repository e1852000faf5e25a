"""Is the object of fused attention what its function is, and its softmax of what it says?"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused

RNG = np.random.default_rng(7)
Q, K, V = (RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 5, 4)), RNG.normal(size=(2, 5, 4)))
MASK = RNG.random((3, 5)) < 0.4
MASK[1] = True  # this query reads nothing


def heads(x):
    return x.reshape(2, -1, 2, 2).transpose(0, 2, 1, 3)


def reference(scale, hidden):
    """Largest scores, sums, result: in float64, the numbers of rows once."""
    scores = heads(Q) @ heads(K).swapaxes(-1, -2) * scale
    scores = np.where(hidden, -np.inf, scores)
    largest = scores.max(-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isinf(largest), 0.0, largest))
    total = powers.sum(-1, keepdims=True)
    weights = powers / np.where(total == 0, 1.0, total)
    return largest, total, (weights @ heads(V)).transpose(0, 2, 1, 3).reshape(Q.shape)


def test_settings():
    assert str(inspect.signature(ops.FlashAttentionScore)) == (
        "(head_num, keep_prob=1.0, scale_value=1.0, pre_tokens=2147483647, "
        "next_tokens=2147483647, inner_precise=0, input_layout='BSH', sparse_mode=0)"
    )


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize("is_masked", [False, True])
def test_values(is_masked, backend, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", backend)
    made = ops.FlashAttentionScore(2, scale_value=0.7)

    def run(q, k, v, mask):
        return made(q, k, v, None, None, None, mask if is_masked else None)

    args = [ms.Tensor(x) for x in (Q, K, V, MASK)]
    found = (run if backend == "numpy" else ms.compile(run))(*args)
    largest, total, result = reference(0.7, MASK if is_masked else False)
    assert [x.shape for x in found] == [(2, 2, 3, 8), (2, 2, 3, 8), (), (2, 3, 4)]
    assert [x.dtype for x in found] == [ms.float32, ms.float32, ms.float64, ms.float64]
    np.testing.assert_allclose(found[0].asnumpy(), np.broadcast_to(largest, (2, 2, 3, 8)), 2e-6)
    np.testing.assert_allclose(found[1].asnumpy(), np.broadcast_to(total, (2, 2, 3, 8)), 2e-6)
    assert found[2].tolist() == 0.0
    np.testing.assert_allclose(found[3].asnumpy(), result, rtol=1e-12, atol=1e-14)


def test_both_forms_agree_bit_by_bit():
    made = ops.FlashAttentionScore(head_num=2, sparse_mode=3)
    q, k, v = map(ms.Tensor, (Q, K, V))
    found = both_forms(lambda q, k, v: made(q, k, v), q, k, v)
    same = ops.flash_attention_score(q, k, v, 2, sparse_mode=3)
    assert found[3].tolist() == same.tolist()


def test_gradients_go_through_the_result_only():
    made = ops.FlashAttentionScore(2, scale_value=0.7)

    def result(q, k, v):
        return made(q, k, v, attn_mask=ms.Tensor(MASK))[3]

    check_gradients(result, Q, K, V)
    check_second_gradients(lambda q: ops.sum(ops.square(made(q, q, q)[3])), Q, rtol=1e-5)
    slope = ms.grad(lambda q, k, v: ops.sum(made(q, k, v)[0]))(*map(ms.Tensor, (Q, K, V)))
    assert slope.tolist() == np.zeros_like(Q).tolist()


def test_layouts_and_what_is_refused():
    x = ms.Tensor(heads(Q))
    found = ops.FlashAttentionScore(2, input_layout="BNSD")(x, x, x)
    assert found[3].shape == x.shape and found[0].shape == (2, 2, 3, 8)
    args = [ms.Tensor(x) for x in (Q, K, V)]
    refused("E0404", lambda *x: ops.FlashAttentionScore(2, input_layout="TND")(*x), *args)
    refused("E0404", lambda *x: ops.FlashAttentionScore(2)(*x, prefix=(1, 2)), *args)
    refused("E0401", lambda *x: ops.FlashAttentionScore(3)(*x), *args)
    refused("E0404", lambda *x: ops.FlashAttentionScore(2, keep_prob=0.0)(*x), *args)
    refused("E0302", lambda *x: ops.FlashAttentionScore()(*x), *args)
