"""Does Philox give the published bits, and do the draws use them as they say?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from s2sad.prims.kernels import philox

MASK32, MASK64 = 2**32 - 1, 2**64 - 1
words64 = st.integers(0, MASK64)
words128 = st.integers(0, 2**128 - 1)


def block(key, counter):
    """Philox4x32-10 in whole numbers, as in the paper: one block, four words."""
    k0, k1 = key & MASK32, key >> 32
    c = [counter >> 32 * i & MASK32 for i in range(4)]
    for _ in range(10):
        left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [right >> 32 ^ c[1] ^ k0, right & MASK32, left >> 32 ^ c[3] ^ k1, left & MASK32]
        k0, k1 = (k0 + 0x9E3779B9) & MASK32, (k1 + 0xBB67AE85) & MASK32
    return c


def state_of(key, counter):
    words = [key, counter & MASK64, counter >> 64]
    return np.array(words, np.uint64).view(np.int64)


def counter_of(state):
    _, low, high = state.view(np.uint64).tolist()
    return high << 64 | low


def words_of(key, counter, count):
    """The first words of the stream, from a counter on."""
    blocks = [block(key, (counter + i) % 2**128) for i in range(-(-count // 4))]
    return [word for b in blocks for word in b][:count]


def pairs_of(key, counter, count):
    words = words_of(key, counter, 2 * count)
    return [low | high << 32 for low, high in zip(words[::2], words[1::2], strict=True)]


KNOWN = [
    ([0] * 4, [0] * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ([MASK32] * 4, [MASK32] * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


@pytest.mark.parametrize("counter, key, expected", KNOWN)
def test_known_answers_of_random123(counter, key, expected):
    joined_key = key[0] | key[1] << 32
    joined_counter = sum(word << 32 * i for i, word in enumerate(counter))
    bits, _ = philox.random_bits(state_of(joined_key, joined_counter), (4,))
    assert [f"{word:08x}" for word in bits.view(np.uint32).tolist()] == expected.split()


@given(words64, words128, st.integers(0, 5))
def test_blocks_are_those_of_the_paper(key, counter, count):
    got = philox.philox4x32(key, counter, count)
    assert got.dtype == np.uint32 and got.shape == (count, 4)
    assert got.tolist() == [block(key, (counter + i) % 2**128) for i in range(count)]


@pytest.mark.parametrize("start", [2**32 - 2, 2**64 - 2, 2**96 - 2, 2**128 - 2])
def test_the_counter_carries_through_all_its_words(start):
    state = state_of(5, start)
    bits, after = philox.random_bits(state, (16,))
    assert bits.view(np.uint32).tolist() == words_of(5, start, 16)
    assert counter_of(after) == (start + 4) % 2**128


def test_the_high_word_of_the_counter_is_used():
    low, _ = philox.random_bits(state_of(5, 0), (4,))
    high, _ = philox.random_bits(state_of(5, 2**64), (4,))
    assert (low != high).all()


@pytest.mark.parametrize("count, blocks", [(0, 0), (1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_a_draw_of_bits_advances_by_the_blocks_it_began(count, blocks):
    state = state_of(9, 100)
    bits, after = philox.random_bits(state, (count,))
    assert bits.dtype == np.int32 and bits.view(np.uint32).tolist() == words_of(9, 100, count)
    assert after.dtype == np.int64 and after.tolist() == [9, 100 + blocks, 0]
    assert state.tolist() == [9, 100, 0]


DRAWS = {
    "bits": (philox.random_bits, np.int32, 1, 1),
    "uniform32": (lambda s, n: philox.uniform(s, n, np.float32), np.float32, 1, 1),
    "uniform64": (lambda s, n: philox.uniform(s, n, np.float64), np.float64, 2, 1),
    "normal32": (lambda s, n: philox.normal(s, n, np.float32), np.float32, 1, 2),
    "normal64": (lambda s, n: philox.normal(s, n, np.float64), np.float64, 2, 2),
    "randint": (lambda s, n: philox.randint(s, n, -3, 4), np.int64, 2, 1),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (7,), (2, 3, 5)])
def test_shapes_dtypes_and_counters_of_draws(name, shape):
    draw, dtype, words, multiple = DRAWS[name]
    values, after = draw(state_of(3, 10), shape)
    assert isinstance(values, np.ndarray) and values.dtype == dtype and values.shape == shape
    elements = -(-math.prod(shape) // multiple) * multiple
    assert after.tolist() == [3, 10 + -(-elements * words // 4), 0]


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_of_another_shape_has_the_same_elements(name):
    draw = DRAWS[name][0]
    flat, _ = draw(state_of(3, 10), (24,))
    cube, _ = draw(state_of(3, 10), (2, 3, 4))
    longer, _ = draw(state_of(3, 10), (31,))
    np.testing.assert_array_equal(cube.ravel(), flat)
    np.testing.assert_array_equal(longer[:24], flat)


@pytest.mark.parametrize("name", DRAWS)
def test_the_state_after_a_draw_continues_the_stream(name):
    draw = DRAWS[name][0]
    first, middle = draw(state_of(3, 2**64 - 2), (8,))
    second, end = draw(middle, (8,))
    whole, whole_end = draw(state_of(3, 2**64 - 2), (16,))
    np.testing.assert_array_equal(np.concatenate([first, second]), whole)
    np.testing.assert_array_equal(end, whole_end)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniforms_are_the_high_bits(dtype):
    values, _ = philox.uniform(state_of(4, 0), (10,), dtype)
    if dtype == np.float32:
        expected = [(word >> 8) / 2**24 for word in words_of(4, 0, 10)]
    else:
        expected = [(word >> 11) / 2**53 for word in pairs_of(4, 0, 10)]
    assert values.tolist() == expected


def test_the_largest_uniform_is_below_one():
    assert philox._unit(np.array([MASK64], np.uint64))[0] == 1 - 2.0**-53
    values, _ = philox.uniform(philox.seed_state(0), (2**18,), np.float32)
    assert 0 <= values.min() and values.max() < 1
    assert stats.kstest(values, "uniform").pvalue > 0.01


def box_muller(u, v):
    radius = math.sqrt(-2 * math.log1p(-u))
    return [radius * math.cos(2 * math.pi * v), radius * math.sin(2 * math.pi * v)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normals_are_box_muller_pairs(dtype):
    values, _ = philox.normal(state_of(8, 5), (11,), dtype)
    if dtype == np.float32:
        uniforms = [word / 2**32 for word in words_of(8, 5, 12)]
    else:
        uniforms = [(word >> 11) / 2**53 for word in pairs_of(8, 5, 12)]
    pairs = zip(uniforms[::2], uniforms[1::2], strict=True)
    expected = np.array([value for u, v in pairs for value in box_muller(u, v)])[:11]
    np.testing.assert_allclose(values, expected, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normals_are_normal(dtype):
    values, _ = philox.normal(philox.seed_state(11), (2**18,), dtype)
    assert stats.kstest(values, "norm").pvalue > 0.01
    assert abs(np.corrcoef(values[0::2], values[1::2])[0, 1]) < 0.01


def test_extreme_uniforms_give_finite_normals():
    zero, one = np.zeros(1), np.array([1 - 2.0**-53])
    assert philox._box_muller(zero, zero).tolist() == [0.0, 0.0]
    assert 8.5 < philox._box_muller(one, zero)[0] < 8.58
    assert 6.6 < philox._box_muller(np.array([1 - 2.0**-32]), zero)[0] < 6.67


@pytest.mark.parametrize(
    "low, high",
    [(0, 1), (0, 10), (-3, 4), (0, 2**32 + 5), (-(2**63), 2**63), (-(2**63), 0), (7, 2**63)],
)
def test_integers_are_multiply_shift(low, high):
    values, _ = philox.randint(state_of(6, 1), (20,), low, high)
    expected = [low + (word * (high - low) >> 64) for word in pairs_of(6, 1, 20)]
    assert values.tolist() == expected


@given(st.lists(words64, min_size=1, max_size=4), st.integers(1, 2**64))
def test_the_high_half_of_a_product_is_exact(words, factor):
    got = philox._multiply_high(np.array(words, np.uint64), factor)
    assert got.tolist() == [word * factor >> 64 for word in words]


def test_integers_are_equally_likely():
    values, _ = philox.randint(philox.seed_state(3), (70_000,), -3, 4)
    assert stats.chisquare(np.bincount(values + 3, minlength=7)).pvalue > 0.01


@pytest.mark.parametrize("low, high", [(0, 0), (3, 2), (-(2**63) - 1, 0), (0, 2**63 + 1)])
def test_bad_bounds_are_refused(low, high):
    with pytest.raises(ValueError, match="low < high"):
        philox.randint(philox.seed_state(0), (0,), low, high)


@settings(max_examples=30)
@given(words64, st.integers(0, 40))
def test_permutations_sort_unsigned_keys(key, n):
    order, after = philox.permutation(state_of(key, 0), n)
    keys = pairs_of(key, 0, n)
    assert order.dtype == np.int64 and order.tolist() == sorted(range(n), key=keys.__getitem__)
    assert counter_of(after) == -(-n // 2)


def test_equal_keys_keep_their_order(monkeypatch):
    monkeypatch.setattr(philox, "_draw64", lambda state, n: (np.arange(n) % 2, state))
    order, _ = philox.permutation(philox.seed_state(0), 100)
    assert order.tolist() == [*range(0, 100, 2), *range(1, 100, 2)]


def test_permutations_are_equally_likely():
    state, counts = philox.seed_state(1), {}
    for _ in range(3000):
        order, state = philox.permutation(state, 3)
        counts[tuple(order)] = counts.get(tuple(order), 0) + 1
    assert len(counts) == 6 and stats.chisquare(list(counts.values())).pvalue > 0.01


@pytest.mark.parametrize(
    "seed, word", [(0, 0), (7, 7), (-1, -1), (2**63, -(2**63)), (MASK64, -1), (-(2**63), -(2**63))]
)
def test_a_seed_is_the_key(seed, word):
    state = philox.seed_state(seed)
    assert state.dtype == np.int64 and state.tolist() == [word, 0, 0]


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_seeds_and_data_out_of_range_are_refused(value):
    with pytest.raises(ValueError, match="expected a seed from"):
        philox.seed_state(value)
    with pytest.raises(ValueError, match="expected a data from"):
        philox.fold_in(philox.seed_state(0), value)
    with pytest.raises(TypeError):
        philox.seed_state(1.5)


@given(words64, words128, words64)
def test_folding_encrypts_counter_and_data(key, counter, data):
    tag = int.from_bytes(b"fold_in\0", "big")
    first = block(key ^ tag, counter)
    second = block(first[0] | first[1] << 32, data | first[2] << 64 | first[3] << 96)
    got = philox.fold_in(state_of(key, counter), data).view(np.uint64).tolist()
    assert got == [second[0] | second[1] << 32, 0, second[2] | second[3] << 32]


def test_folding_depends_on_all_it_is_given():
    states = [state_of(1, 0), state_of(2, 0), state_of(1, 1), state_of(1, 2**64)]
    folded = [tuple(philox.fold_in(s, data).tolist()) for s in states for data in (0, 1, 2**63)]
    assert len(set(folded)) == len(folded)
    before = states[0].copy()
    philox.fold_in(states[0], 5)
    np.testing.assert_array_equal(states[0], before)


def test_a_stream_is_not_that_of_the_state_it_was_folded_from():
    state = philox.seed_state(12)
    parent, _ = philox.uniform(state, (20_000,), np.float64)
    child, _ = philox.uniform(philox.fold_in(state, 0), (20_000,), np.float64)
    assert abs(np.corrcoef(parent, child)[0, 1]) < 0.03


@pytest.mark.parametrize(
    "state", [np.zeros(3, np.uint64), np.zeros(2, np.int64), np.zeros((1, 3), np.int64)]
)
def test_bad_states_are_refused(state):
    with pytest.raises(ValueError, match="expected an int64 state"):
        philox.random_bits(state, (1,))


@pytest.mark.parametrize("draw", [philox.uniform, philox.normal])
@pytest.mark.parametrize("dtype", [np.float16, np.int32])
def test_other_dtypes_are_refused(draw, dtype):
    with pytest.raises(TypeError, match="expected float32 or float64"):
        draw(philox.seed_state(0), (1,), dtype)


def test_negative_sizes_are_refused():
    with pytest.raises(ValueError, match="at least 0"):
        philox.random_bits(philox.seed_state(0), (2, -1))
    with pytest.raises(ValueError, match="at least 0"):
        philox.permutation(philox.seed_state(0), -1)
