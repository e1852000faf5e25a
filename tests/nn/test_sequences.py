"""Do attention, transformers and recurrent networks give what PyTorch gives with equal weights?

Outputs and gradients were computed once by PyTorch in float64, see ``data/torch_sequences.json``.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, check_gradients, check_second_gradients, refused

TORCH = json.loads((Path(__file__).parent / "data" / "torch_sequences.json").read_text())["layers"]


def fill(net):
    """`net` with Parameters that are drawn by their names."""
    for name, parameter in net.parameters_and_names():
        rng = np.random.default_rng(sum(map(ord, name)))
        parameter.set_data(ms.Tensor(rng.normal(size=parameter.shape) * 0.5, parameter.dtype))
    return net


def x(seed, *shape):
    return ms.Tensor(np.random.default_rng(seed).normal(size=shape))


def flat(result):
    if isinstance(result, (tuple, list)):
        return [tensor for part in result for tensor in flat(part)]
    return [result]


def attention(*args, **settings):
    return nn.MultiheadAttention(*args, **settings, **F64)


F64 = {"dtype": ms.float64}
PAD = ms.Tensor([[False, False, True, False], [True, False, False, False]])
CAUSAL = ms.Tensor(np.triu(np.ones((3, 4), bool), 2))
SQUARE = ms.Tensor(np.triu(np.ones((3, 3), bool), 1))
NONE = ms.Tensor(np.zeros((2, 3), bool))
#: The layer, what it is called with, and by which names.
CASES = {
    "attention": (
        lambda: attention(4, 2), (x(0, 3, 2, 4), x(1, 4, 2, 4), x(2, 4, 2, 4)),
        {"key_padding_mask": PAD},
    ),
    "attention, other sizes": (
        lambda: attention(4, 2, kdim=3, vdim=5, has_bias=False, batch_first=True),
        (x(0, 2, 3, 4), x(1, 2, 4, 3), x(2, 2, 4, 5)),
        {"attn_mask": CAUSAL, "average_attn_weights": False},
    ),
    "attention, more keys": (
        lambda: attention(4, 2, add_bias_kv=True, add_zero_attn=True),
        (x(0, 3, 2, 4), x(1, 4, 2, 4), x(2, 4, 2, 4)),
        {"key_padding_mask": PAD, "attn_mask": CAUSAL},
    ),
    "attention, a mask a head": (
        lambda: attention(4, 2), (x(0, 3, 2, 4), x(1, 4, 2, 4), x(2, 4, 2, 4)),
        {"attn_mask": x(9, 4, 3, 4)},
    ),
    "attention, no batch": (
        lambda: attention(4, 2), (x(0, 3, 4), x(1, 4, 4), x(2, 4, 4)), {"attn_mask": CAUSAL}
    ),
    "transformer": (
        lambda: nn.Transformer(4, 2, 2, 2, 6, **F64), (x(0, 4, 2, 4), x(1, 3, 2, 4)),
        {"tgt_mask": SQUARE, "src_key_padding_mask": PAD},
    ),
    "RNN, relu": (lambda: nn.RNN(3, 2, nonlinearity="relu", **F64), (x(0, 4, 2, 3),), {}),
}  # fmt: skip
for _first in (False, True):
    CASES[f"encoder layer, {_first}"] = (
        lambda first=_first: nn.TransformerEncoderLayer(4, 2, 6, norm_first=first, **F64),
        (x(0, 3, 2, 4),), {"src_mask": SQUARE, "src_key_padding_mask": NONE},
    )  # fmt: skip
    CASES[f"decoder layer, {_first}"] = (
        lambda first=_first: nn.TransformerDecoderLayer(
            4, 2, 6, activation="gelu", batch_first=True, norm_first=first, **F64
        ),
        (x(0, 2, 3, 4), x(1, 2, 4, 4)), {"tgt_mask": SQUARE, "memory_key_padding_mask": PAD},
    )  # fmt: skip
for _kind in ("LSTM", "GRU", "RNN"):
    _net, _cell = getattr(nn, _kind), getattr(nn, f"{_kind}Cell")
    _state, _old = (x(1, 4, 2, 2), x(2, 4, 2, 2)), (x(1, 4, 2), x(2, 4, 2))
    CASES[_kind] = (lambda net=_net: net(3, 2, **F64), (x(0, 4, 2, 3),), {})
    CASES[f"{_kind}, all"] = (
        lambda net=_net: net(3, 2, 2, batch_first=True, bidirectional=True, **F64),
        (x(0, 2, 4, 3), _state if _kind == "LSTM" else _state[0]), {},
    )  # fmt: skip
    CASES[f"{_kind}, no bias"] = (
        lambda net=_net: net(3, 2, has_bias=False, **F64), (x(0, 4, 2, 3),), {}
    )  # fmt: skip
    CASES[f"{_kind}Cell"] = (
        lambda cell=_cell: cell(3, 2, **F64), (x(0, 4, 3), _old if _kind == "LSTM" else _old[0]), {}
    )  # fmt: skip


def weighted(run):
    """The sum of all that `run` gives, times cos(0, 1, ...)."""

    def total(first):
        parts = [ops.reshape(part, (-1,)) for part in flat(run(first))]
        return sum(ops.sum(part * ops.cos(ops.arange(part.shape[0]).astype(ms.float64)))
                   for part in parts)  # fmt: skip

    return total


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_layers_are_those_of_pytorch(case, is_compiled):
    make, args, named = CASES[case]
    net = fill(make())
    run = ms.compile(net) if is_compiled else net
    found = flat(run(*args, **named))
    assert len(found) == len(TORCH[case]["outputs"])
    for mine, right in zip(found, TORCH[case]["outputs"], strict=True):
        np.testing.assert_allclose(mine.asnumpy().ravel(), right, rtol=1e-11, atol=1e-13)


def narrow(value):
    """Floats in float32."""
    is_float = isinstance(value, ms.Tensor) and value.dtype is ms.float64
    if isinstance(value, tuple):
        return tuple(map(narrow, value))
    return value.astype(ms.float32) if is_float else value


@pytest.mark.parametrize("case", CASES)
def test_gradients_are_those_of_pytorch(case):
    make, (first, *others), named = CASES[case]
    net = fill(make())
    run = ms.compile(ms.grad(weighted(lambda first: net(first, *others, **named)), 0,
                             net.trainable_params()))  # fmt: skip
    gradient, weights = run(first)
    close = {"rtol": 1e-9, "atol": 1e-11}
    np.testing.assert_allclose(gradient.asnumpy().ravel(), TORCH[case]["gradient"], **close)
    right = TORCH[case]["weights"]
    assert right.keys() == net.parameters_dict().keys()
    for weight, found in zip(net.trainable_params(), weights, strict=True):
        np.testing.assert_allclose(found.asnumpy().ravel(), right[weight.name], **close)


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize("case", CASES)
def test_in_float32_they_are_near_pytorch(case, backend, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", backend)
    monkeypatch.setitem(F64, "dtype", ms.float32)
    make, args, named = CASES[case]
    first, *others = narrow(args)
    named = {name: narrow(value) for name, value in named.items()}
    net = fill(make())
    for mine, right in zip(
        flat(ms.compile(net)(first, *others, **named)), TORCH[case]["outputs"], strict=True
    ):
        assert mine.dtype is ms.float32
        np.testing.assert_allclose(mine.asnumpy().ravel(), right, rtol=1e-5, atol=1e-5)
    total = weighted(lambda first: net(first, *others, **named))
    gradient, weights = ms.compile(ms.grad(total, 0, net.trainable_params()))(first)
    rights = [TORCH[case]["gradient"]]
    rights += [TORCH[case]["weights"][weight.name] for weight in net.trainable_params()]
    for found, right in zip([gradient, *weights], rights, strict=True):
        scale = max(1.0, np.abs(right).max())
        np.testing.assert_allclose(found.asnumpy().ravel(), right, rtol=1e-5, atol=1e-5 * scale)


def test_attention_by_hand():
    net = fill(attention(4, 2))
    q, k = x(0, 3, 1, 4), x(1, 5, 1, 4)
    out, weights = both_forms(lambda q, k: net(q, k, k), q, k)
    w, b = net.in_proj_weight.asnumpy(), net.in_proj_bias.asnumpy()
    mapped = [a.asnumpy()[:, 0] @ w[i : i + 4].T + b[i : i + 4]
              for a, i in ((q, 0), (k, 4), (k, 8))]  # fmt: skip
    heads, seen = [], []
    for h in (slice(0, 2), slice(2, 4)):
        fit = np.exp(mapped[0][:, h] @ mapped[1][:, h].T / np.sqrt(2))
        seen.append(fit / fit.sum(1, keepdims=True))
        heads.append(seen[-1] @ mapped[2][:, h])
    right = np.concatenate(heads, 1) @ net.out_proj.weight.asnumpy().T + net.out_proj.bias.asnumpy()
    np.testing.assert_allclose(out.asnumpy()[:, 0], right, rtol=1e-12)
    np.testing.assert_allclose(weights.asnumpy()[0], np.mean(seen, 0), rtol=1e-12)


def test_gradients_to_order_two():
    net = fill(nn.TransformerEncoderLayer(2, 1, 3, 0.0, "gelu", dtype=ms.float64))
    array = np.random.default_rng(0).normal(size=(2, 1, 2))
    check_gradients(net, array)
    check_second_gradients(lambda a: ops.sum(net(a) * ops.cos(net(a))), array, rtol=1e-5, atol=1e-5)
    heads = fill(attention(2, 2, add_bias_kv=True))
    check_gradients(lambda q, k: heads(q, k, k)[0], array, array + 1)
    check_second_gradients(
        lambda q, k: ops.sum(ops.square(heads(q, k, k)[0])), array, array + 1, rtol=1e-5, atol=1e-5
    )


def test_parameters_and_first_values():
    found = {n: p.shape for n, p in nn.MultiheadAttention(4, 2).parameters_and_names()}
    assert found == {
        "in_proj_weight": (12, 4), "in_proj_bias": (12,), "out_proj.weight": (4, 4),
        "out_proj.bias": (4,),
    }  # fmt: skip
    net = nn.MultiheadAttention(4, 2, has_bias=False, add_bias_kv=True, kdim=3)
    found = {n: p.shape for n, p in net.parameters_and_names()}
    assert found == {
        "q_proj_weight": (4, 4), "k_proj_weight": (4, 3), "v_proj_weight": (4, 4),
        "bias_k": (1, 1, 4), "bias_v": (1, 1, 4), "out_proj.weight": (4, 4),
    }  # fmt: skip
    layer = nn.TransformerDecoderLayer(4, 2, 6)
    assert [name for name in layer._cells] == [
        "self_attn", "multihead_attn", "dense1", "dropout", "dense2", "norm1", "norm2", "norm3",
        "dropout1", "dropout2", "dropout3",
    ]  # fmt: skip
    net = nn.Transformer(4, 2, 2, 1, 6)
    names = [p.name for p in net.get_parameters()]
    assert len(names) == len(set(names)) and "encoder.layers.1.dense1.weight" in names
    assert "decoder.norm.gamma" in names
    one, other = (layer.dense1.weight.asnumpy() for layer in net.encoder.layers)
    assert not np.array_equal(one, other)
    bound = np.sqrt(6 / (4 + 6))
    assert 0.5 * bound < np.abs(one).max() <= bound
    assert not nn.MultiheadAttention(4, 2).in_proj_bias.asnumpy().any()


def test_layers_of_ones_own():
    class Doubling(nn.Cell):
        def construct(self, src, src_mask=None, src_key_padding_mask=None):
            return src * 2

    net = nn.TransformerEncoder(Doubling(), 3, nn.ReLU())
    assert both_forms(net, ms.Tensor([1.0, -1.0])).tolist() == [8.0, 0.0]
    whole = nn.Transformer(2, 1, custom_encoder=net, num_decoder_layers=1, dim_feedforward=3)
    assert whole.encoder is net and both_forms(whole, x32(3, 1, 2), x32(4, 1, 2)).shape == (4, 1, 2)


def x32(*shape):
    return ms.Tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32))


def test_dropout_while_training():
    ms.set_seed(3)
    net = nn.MultiheadAttention(4, 2, dropout=0.5).set_train()
    q = x32(6, 2, 4)
    _, weights = net(q, q, q, average_attn_weights=False)
    assert 0.2 < (weights.asnumpy() == 0).mean() < 0.8
    assert len(net(q, q, q, need_weights=False)) == 1
    layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.5).set_train()
    assert not np.array_equal(layer(q).asnumpy(), layer(q).asnumpy())
    layer.set_train(False)
    assert np.array_equal(layer(q).asnumpy(), layer(q).asnumpy())


def test_a_row_with_all_masked_looks_at_all_alike():
    net = nn.MultiheadAttention(2, 1)
    mask = ms.Tensor([[True, True], [False, True]])
    _, weights = both_forms(lambda q: net(q, q, q, attn_mask=mask), x32(2, 2))
    assert weights.tolist() == [[0.5, 0.5], [1.0, 0.0]]


def test_calls_that_cannot_be():
    net = nn.MultiheadAttention(4, 2)
    q = x32(3, 2, 4)
    refused("E0401", lambda q: net(q, q, q, attn_mask=ms.Tensor(np.zeros((2, 2)))), q)
    refused("E0401", lambda q: net(q, q, q, key_padding_mask=ms.Tensor(np.zeros((3, 2)))), q)
    refused("E0301", lambda q: net(q, q, q, attn_mask=ms.Tensor(np.zeros((3, 3), np.int32))), q)
    whole = nn.Transformer(4, 2, 1, 1, 6)
    refused("E0401", lambda q: whole(q, q[:, :1]), q)
    refused("E0401", lambda q: whole(q, q[:, :, :2]), q)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: nn.MultiheadAttention(5, 2), "E0404"),
        (lambda: nn.MultiheadAttention(4.0, 2), "E0303"),
        (lambda: nn.MultiheadAttention(4, 2, dropout=2.0), "E0404"),
        (lambda: nn.MultiheadAttention(4, 2, add_bias_kv=1), "E0303"),
        (lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"), "E0404"),
        (lambda: nn.TransformerEncoderLayer(4, 2, activation=3), "E0304"),
        (lambda: nn.TransformerEncoder(nn.ReLU(), 0), "E0404"),
        (lambda: nn.TransformerDecoder(nn.ReLU(), 1.0), "E0303"),
    ],
)
def test_settings_that_cannot_be(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code
