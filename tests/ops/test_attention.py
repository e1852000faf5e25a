"""Attention, its masks, turned vectors and caches against float64 references, in both forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import s2sad as ms
from s2sad import Tensor, ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused

RNG = np.random.default_rng(5)
Q = RNG.normal(size=(2, 4, 3, 2))
K = RNG.normal(size=(2, 4, 5, 2))
V = RNG.normal(size=(2, 4, 5, 6))


def reference(q, k, v, allowed=True, added=0.0, scale=None):
    scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale) + added
    scores = np.where(allowed, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = scipy.special.softmax(scores, axis=-1)
    return np.where(np.isnan(weights), 0.0, weights) @ v


def close(found, expected, rtol=1e-12):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=rtol, atol=1e-14)


def test_attention():
    found = both_forms(ops.scaled_dot_product_attention, Tensor(Q), Tensor(K), Tensor(V))
    close(found, reference(Q, K, V))


def test_attention_of_one_head_and_another_scale():
    def run(q, k, v):
        return ops.scaled_dot_product_attention(q, k, v, scale=0.3)

    close(both_forms(run, *map(Tensor, (Q[0, 0], K[0, 0], V[0, 0]))), reference(
        Q[0, 0], K[0, 0], V[0, 0], scale=0.3
    ))  # fmt: skip


@pytest.mark.parametrize("shape", [(3, 5), (5,), (1, 5), (4, 1, 5), (2, 1, 3, 5), (2, 4, 3, 5)])
def test_masks_of_truth_values(shape):
    mask = RNG.random(shape) < 0.6
    mask[..., 0] = True
    found = both_forms(ops.scaled_dot_product_attention, *map(Tensor, (Q, K, V, mask)))
    close(found, reference(Q, K, V, mask))


def test_masks_of_numbers():
    added = RNG.normal(size=(3, 5))
    added[0, 2] = -np.inf
    found = both_forms(ops.scaled_dot_product_attention, *map(Tensor, (Q, K, V, added)))
    close(found, reference(Q, K, V, added=added))


def test_causal_attention_besides_a_mask():
    mask = RNG.random((3, 5)) < 0.7
    mask[:, 0] = True

    def run(q, k, v, mask):
        return ops.scaled_dot_product_attention(q, k, v, mask, is_causal=True)

    expected = reference(Q, K, V, mask & (np.arange(5) <= np.arange(3)[:, None]))
    close(both_forms(run, *map(Tensor, (Q, K, V, mask))), expected)


@pytest.mark.parametrize("blocked", [False, -np.inf])
def test_a_query_that_may_read_nothing_gets_zeros_and_gives_no_gradient(blocked):
    mask = np.full((3, 5), blocked) if blocked else np.zeros((3, 5), np.bool_)
    mask[1:] = True if blocked is False else 0.0

    def run(q, k, v):
        return ops.scaled_dot_product_attention(q, k, v, Tensor(mask))

    found = both_forms(run, *map(Tensor, (Q, K, V)))
    assert not found.asnumpy()[..., 0, :].any()
    gradients = ms.grad(lambda *x: ops.sum(run(*x) ** 2), (0, 1, 2))(*map(Tensor, (Q, K, V)))
    assert all(np.isfinite(each.asnumpy()).all() for each in gradients)
    assert not gradients[0].asnumpy()[..., 0, :].any()


def test_gradients():
    mask = np.array([[True, False, True], [True, True, False]])
    arrays = Q[0, 0, :2], K[0, 0, :3], V[0, 0, :3, :2]

    def run(q, k, v):
        return ops.scaled_dot_product_attention(q, k, v, Tensor(mask), is_causal=True)

    check_gradients(run, *arrays)
    check_second_gradients(lambda *x: ops.sum(run(*x) ** 2), *arrays)


def test_heads_that_several_queries_share():
    def run(q, k, v):
        return ops.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    found = both_forms(run, Tensor(Q), Tensor(K[:, :2]), Tensor(V[:, :2]))
    close(found, reference(Q, np.repeat(K[:, :2], 2, 1), np.repeat(V[:, :2], 2, 1)))


def test_dropout_keeps_the_mean_and_is_the_same_in_both_forms():
    def run(q, k, v):
        return ops.scaled_dot_product_attention(q, k, v, dropout_p=0.5)

    given = [Tensor(x) for x in (np.zeros((400, 1)), np.zeros((50, 1)), np.ones((50, 1)))]
    ms.set_seed(1)
    plain = run(*given).asnumpy()
    ms.set_seed(1)
    np.testing.assert_array_equal(plain, ms.compile(run)(*given).asnumpy())
    assert abs(plain.mean() - 1) < 4 * 1 / (400 * 50) ** 0.5
    assert plain.std() > 0


def test_narrow_floats():
    given = [Tensor(x, ms.float16) for x in (Q, K, V)]
    found = both_forms(ops.scaled_dot_product_attention, *given)
    assert found.dtype is ms.float16
    expected = reference(*(x.asnumpy().astype(np.float64) for x in given))
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=0.02, atol=0.01)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((3, 4), "axis -1 (keys) of attn_mask, bool_[3, 4], is 4"),
        ((2, 5), "axis -2 (queries) of attn_mask, bool_[2, 5], is 2"),
        ((2, 3, 5), "axis -3 (heads) of attn_mask"),
        ((3, 1, 1, 5), "axis -4 (batch) of attn_mask"),
        ((1, 1, 1, 1, 5), "attn_mask has 5 axes"),
    ],
)
def test_a_mask_that_does_not_fit_is_told_by_its_axis(shape, words):
    mask = Tensor(np.ones(shape, np.bool_))

    def run(q, k, v):
        return ops.scaled_dot_product_attention(q, k, v, mask)

    for form in (run, ms.compile(run)):
        with pytest.raises(ms.S2sadError) as caught:
            form(Tensor(Q), Tensor(K), Tensor(V))
        assert caught.value.code == "E0401"
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda q, k, v: ops.scaled_dot_product_attention(q, v, k), "E0401"),
        (lambda q, k, v: ops.scaled_dot_product_attention(q, k, v[:, :, 1:]), "E0401"),
        (lambda q, k, v: ops.scaled_dot_product_attention(q, k, 1.0), "E0304"),
        (lambda q, k, v: ops.scaled_dot_product_attention(q.astype(ms.int32), k, v), "E0301"),
        (lambda q, k, v: ops.scaled_dot_product_attention(q, k, v, ops.ones(5, ms.int32)), "E0301"),
        (lambda q, k, v: ops.scaled_dot_product_attention(q, k, v, dropout_p=1.5), "E0404"),
        (
            lambda q, k, v: ops.scaled_dot_product_attention(q, k[:, :3], v, enable_gqa=True),
            "E0401",
        ),
        (lambda q, k, v: ops.scaled_dot_product_attention(q[0, 0, 0], k, v), "E0401"),
    ],
)
def test_what_is_no_attention(run, code):
    refused(code, run, Tensor(Q), Tensor(K), Tensor(V))


# Masks


@pytest.mark.parametrize(("queries", "keys", "offset"), [(3, 3, 0), (2, 5, 3), (4, 2, -1)])
@pytest.mark.parametrize("is_data", [False, True])
def test_masks_by_place(queries, keys, offset, is_data):
    def run(offset):
        causal = ops.causal_mask(queries, keys, offset)
        return causal, ops.sliding_window_mask(queries, keys, 2, offset)

    given = Tensor(offset) if is_data else offset
    key, query = np.arange(keys), np.arange(queries)[:, None] + offset
    causal, window = run(given) if not is_data else both_forms(run, given)
    np.testing.assert_array_equal(causal.asnumpy(), key <= query)
    np.testing.assert_array_equal(window.asnumpy(), (key <= query) & (key > query - 2))


def test_masks_by_place_that_cannot_be():
    refused("E0404", lambda x: ops.causal_mask(-1), Tensor(1))
    refused("E0303", lambda x: ops.causal_mask(1.5), Tensor(1))
    refused("E0301", lambda x: ops.causal_mask(2, 2, x * 1.5), Tensor(1))
    refused("E0401", lambda x: ops.causal_mask(2, 2, x), Tensor([1, 2]))
    refused("E0404", lambda x: ops.sliding_window_mask(2, 2, 0), Tensor(1))


# The fused kernel's arguments


def test_layouts():
    q, k, v = (RNG.normal(size=shape) for shape in ((2, 4, 3, 2), (2, 2, 5, 2), (2, 2, 5, 2)))
    expected = reference(q, np.repeat(k, 2, 1), np.repeat(v, 2, 1), scale=0.5)
    for layout in ("BNSD", "BSND", "BSH", "SBH"):

        def laid_out(x, layout=layout):
            y = np.transpose(x, ["BNSD".index(axis) for axis in layout.replace("H", "ND")])
            return y.reshape(*y.shape[:2], -1) if "H" in layout else y

        def run(q, k, v, layout=layout):
            return ops.flash_attention_score(
                q, k, v, 4, scalar_value=0.5, input_layout=layout
            )  # fmt: skip

        found = both_forms(run, *(Tensor(laid_out(x)) for x in (q, k, v)))
        close(found, laid_out(expected))


KEY, QUERY = np.arange(5), np.arange(3)[:, None]


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        ({"sparse_mode": 2}, QUERY >= KEY),
        ({"sparse_mode": 3}, QUERY + 2 >= KEY),
        (
            {"sparse_mode": 4, "pre_tokens": 1, "next_tokens": 0},
            (KEY <= QUERY + 2) & (KEY >= QUERY + 1),
        ),
    ],
)
def test_modes(settings, allowed):
    def run(q, k, v):
        return ops.flash_attention_score(q, k, v, 4, input_layout="BNSD", **settings)

    expected = reference(Q, K, V, allowed, scale=1.0)
    close(both_forms(run, *map(Tensor, (Q, K, V))), expected)


def test_a_mask_of_what_is_not_read_a_band_and_a_shift():
    mask = (RNG.random((2, 1, 3, 5)) < 0.3) & (KEY != QUERY)
    shift = RNG.normal(size=(1, 4, 3, 5))

    def run(q, k, v, shift, mask):
        return ops.flash_attention_score(
            q, k, v, 4, shift, attn_mask=mask, pre_tokens=1, next_tokens=1, scalar_value=0.7,
            input_layout="BNSD",
        )  # fmt: skip

    given = (*map(Tensor, (Q, K, V, shift)), Tensor(mask.astype(np.uint8)))
    allowed = ~mask & (np.abs(KEY - QUERY) <= 1)
    close(both_forms(run, *given), reference(Q, K, V, allowed, 0.7 * shift, 0.7))


def test_a_given_choice_of_weights():
    kept = RNG.random((2, 4, 3, 5)) < 0.5

    def run(q, k, v, kept):
        return ops.flash_attention_score(
            q, k, v, 4, drop_mask=kept, keep_prob=0.8, input_layout="BNSD"
        )

    weights = scipy.special.softmax(Q @ np.swapaxes(K, -1, -2), axis=-1)
    expected = np.where(kept, weights / 0.8, 0) @ V
    close(both_forms(run, *map(Tensor, (Q, K, V, kept))), expected)


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"input_layout": "TND"}, "E0404"),
        ({"input_layout": "BSH"}, "E0401"),
        ({"sparse_mode": 5}, "E0404"),
        ({"keep_prob": 0.0}, "E0404"),
        ({"padding_mask": 1}, "E0404"),
        ({"head_num": 3}, "E0401"),
    ],
)
def test_what_the_fused_kernel_does_not_take(settings, code):
    def run(q, k, v):
        given = {"head_num": 4, "input_layout": "BNSD", **settings}
        return ops.flash_attention_score(q, k, v, **given)

    refused(code, run, Tensor(Q), Tensor(K), Tensor(V))


# Places


@pytest.mark.parametrize("mode", [0, 1])
def test_rotation(mode):
    x = RNG.normal(size=(2, 3, 5, 4))
    angles = np.arange(5)[:, None] * 10000.0 ** (-np.arange(2) / 2)
    turns = np.exp(1j * angles)
    pairs = x[..., :2] + 1j * x[..., 2:] if mode == 0 else x[..., ::2] + 1j * x[..., 1::2]
    turned = pairs * turns
    parts = turned.real, turned.imag
    expected = np.concatenate(parts, -1) if mode == 0 else np.stack(parts, -1).reshape(x.shape)

    def run(x):
        cosines, sines = ops.rotary_tables(5, 4, dtype=ms.float64)
        if mode == 1:
            cosines = ops.repeat_interleave(cosines[:, :2], 2, 1)
            sines = ops.repeat_interleave(sines[:, :2], 2, 1)
        return ops.rotary_position_embedding(x, cosines, sines, mode)

    close(both_forms(run, Tensor(x)), expected)
    check_gradients(run, x[0, :1])


def test_rotation_that_cannot_be():
    x, table = ops.ones((2, 4)), ops.ones((2, 4))
    refused("E0404", lambda x: ops.rotary_position_embedding(x, x, x, 2), x)
    refused("E0401", lambda x: ops.rotary_position_embedding(x[:, :3], x, x), x)
    refused("E0401", lambda x: ops.rotary_position_embedding(x[:1], table, table), x)
    refused("E0401", lambda x: ops.rotary_position_embedding(x[0], table, table), x)
    refused("E0301", lambda x: ops.rotary_position_embedding(x.astype(ms.int32), x, x), x)
    refused("E0404", lambda x: ops.rotary_tables(3, 5), x)
    refused("E0301", lambda x: ops.rotary_tables(3, 4, dtype=ms.int32), x)


def test_cache():
    cache, new = RNG.normal(size=(2, 6, 3)), RNG.normal(size=(2, 2, 3))
    for position in (0, 3, 4):
        expected = cache.copy()
        expected[:, position : position + 2] = new
        found = both_forms(ops.kv_cache_update, Tensor(cache), Tensor(new), Tensor(position))
        np.testing.assert_array_equal(found.asnumpy(), expected)
    check_gradients(lambda c, n: ops.kv_cache_update(c, n, 1), cache[:1, :4], new[:1])


def test_a_cache_in_a_parameter_decodes_as_the_whole_sequence_does():
    x = RNG.normal(size=(4, 3))
    cache = ms.Parameter(Tensor(np.zeros((4, 3))), name="cache")

    @ms.compile
    def step(row, place):
        held = ops.assign(cache, ops.kv_cache_update(cache, row, place))
        mask = ops.causal_mask(1, 4, place)
        return ops.scaled_dot_product_attention(row, held, held, mask)

    rows = [step(Tensor(x[i : i + 1]), Tensor(i)).asnumpy() for i in range(4)]
    whole = reference(x, x, x, np.arange(4) <= np.arange(4)[:, None])
    np.testing.assert_allclose(np.concatenate(rows), whole, rtol=1e-12)


def test_caches_that_do_not_fit():
    cache = ops.ones((2, 6, 3))
    refused("E0401", lambda c: ops.kv_cache_update(c, c[:, :2, :2], 0), cache)
    refused("E0401", lambda c: ops.kv_cache_update(c, c[0], 0), cache)
    refused("E0301", lambda c: ops.kv_cache_update(c, c[:, :1], c.sum()), cache)
    refused("E0403", lambda c: ops.kv_cache_update(c, c[:, :1], 0, 3), cache)
    for run in (ops.kv_cache_update, ms.compile(ops.kv_cache_update)):
        with pytest.raises(ms.S2sadError, match="E0501"):
            run(cache, ops.ones((2, 2, 3)), Tensor(5))
