"""Are draws pure functions of the state, rightly distributed, and refused where they must be?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import bf16, bool_, f16, f32, f64, i32, i64
from support.laws import Spec, check_laws, normal, uniform

STATE = np.array([12345, 7, -1])

SPECS = [
    Spec(p.seed_state, (), {"seed": 7}),
    Spec(p.random_bits, (STATE,), {"shape": (2, 3)}),
    Spec(p.random_uniform, (STATE,), {"shape": (2, 3), "dtype": bf16}),
    Spec(p.random_normal, (STATE,), {"shape": (5,), "dtype": f16}),
    Spec(p.random_int, (STATE, np.array(-3), np.array(4)), {"shape": (7,)}),
    Spec(p.random_permutation, (STATE,), {"n": 4}),
    Spec(p.random_fold, (STATE, np.array(3))),
    Spec(p.dropout, (normal(4, 5), STATE), {"rate": 0.4}),
    Spec(p.dropout, (normal(7), STATE), {"rate": 0}),
    Spec(p.dropout, (normal(7), STATE), {"rate": 1}),
    Spec(p.dropout, (normal(0, 3), STATE), {"rate": 0.5}),
    Spec(p.dropout, (normal(), STATE), {"rate": 0.25}),
    Spec(p.bernoulli, (STATE, uniform(4, 5, low=0.0, high=1.0))),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def state_of(seed):
    return p.seed_state(seed=seed)


def error_of(call):
    with pytest.raises(S2sadError) as caught:
        call()
    return caught.value


DRAWS = [
    (p.random_bits, (), {"shape": (5, 2)}, i32[5, 2], 3),
    (p.random_uniform, (), {"shape": (5,)}, f32[5], 2),
    (p.random_uniform, (), {"shape": (5,), "dtype": f64}, f64[5], 3),
    (p.random_uniform, (), {"shape": (), "dtype": f16}, f16, 1),
    (p.random_normal, (), {"shape": (5,), "dtype": bf16}, bf16[5], 2),
    (p.random_normal, (), {"shape": (5,), "dtype": f64}, f64[5], 3),
    (p.random_int, (3, 9), {"shape": (2, 3)}, i64[2, 3], 3),
    (p.random_permutation, (), {"n": 6}, i64[6], 3),
    (p.random_bits, (), {"shape": (0, 3)}, i32[0, 3], 0),
    (p.random_permutation, (), {"n": 0}, i64[0], 0),
]


@pytest.mark.parametrize(("prim", "operands", "attrs", "type", "blocks"), DRAWS, ids=str)
def test_draws_have_their_type_and_take_their_blocks(prim, operands, attrs, type, blocks):
    program = build_function(lambda s: prim(s, *operands, **attrs), [i64[3]])
    assert program.result_types == (type, i64[3])
    values, state = evaluate(program, [STATE])
    assert values.dtype == type.dtype.storage and values.shape == type.shape
    assert state.tolist() == [12345, 7 + blocks, -1]
    again = prim(STATE, *operands, **attrs)
    assert np.array_equal(values, again[0]) and np.array_equal(state, again[1])


def test_dropping_a_draw_shifts_nothing():
    _, after = p.random_normal(STATE, shape=(3,))
    first, _ = p.random_bits(after, shape=(4,))
    _, skipped = p.random_uniform(STATE, shape=(4,))
    assert np.array_equal(first, p.random_bits(skipped, shape=(4,))[0])


def test_counter_carries():
    state = np.array([0, -1, 5])
    assert p.random_bits(state, shape=(4,))[1].tolist() == [0, 0, 6]


@pytest.mark.parametrize("prim", [p.random_uniform, p.random_normal])
@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16])
def test_narrow_draws_are_float32_rounded(prim, dtype):
    wide, after = prim(STATE, shape=(1000,), dtype=f32)
    narrow, same = prim(STATE, shape=(1000,), dtype=dtype)
    assert np.array_equal(narrow, dtypes.narrow(wide, dtype)) and np.array_equal(after, same)


def test_uniform_is_uniform():
    values, _ = p.random_uniform(state_of(1), shape=(20000,), dtype=f64)
    assert values.min() >= 0 and values.max() < 1
    counts, _ = np.histogram(values, 10, (0, 1))
    assert ((counts - 2000) ** 2 / 2000).sum() < 27.9  # chi-square, 9 degrees, 0.1 %


def test_normal_is_normal():
    values, _ = p.random_normal(state_of(2), shape=(20000,), dtype=f64)
    assert abs(values.mean()) < 0.03 and abs(values.std() - 1) < 0.02
    assert abs((values**4).mean() - 3) < 0.2


def test_integers_fill_their_range():
    values, _ = p.random_int(state_of(3), -2, 3, shape=(1000,))
    assert sorted(set(values.tolist())) == [-2, -1, 0, 1, 2]
    one, _ = p.random_int(state_of(3), 4, 5, shape=(3,))
    assert one.tolist() == [4, 4, 4]
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    assert len(set(p.random_int(STATE, least, most, shape=(50,))[0].tolist())) == 50


def test_permutations_permute():
    order, state = p.random_permutation(state_of(4), n=50)
    assert sorted(order.tolist()) == list(range(50)) and order.tolist() != list(range(50))
    assert p.random_permutation(state, n=50)[0].tolist() != order.tolist()


def test_folding_separates_streams():
    states = [p.random_fold(state_of(5), i) for i in range(-3, 4)]
    assert len({tuple(s.tolist()) for s in states}) == 7
    assert all(s.dtype == np.int64 and s.shape == (3,) for s in states)
    program = build_function(lambda s, i: p.random_fold(s, i), [i64[3], i64])
    assert np.array_equal(evaluate(program, [state_of(5), np.array(3)])[0], states[6])


def test_seeds():
    assert state_of(2**64 - 1).tolist() == state_of(-1).tolist() == [-1, 0, 0]
    assert build_function(lambda: p.seed_state(seed=3), []).result_types == (i64[3],)
    assert error_of(lambda: p.seed_state(seed=2**64)).code == "E0404"
    assert error_of(lambda: p.seed_state(seed=1.5)).code == "E0303"
    assert error_of(lambda: p.seed_state(seed=True)).code == "E0303"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: p.random_bits(np.zeros(3), shape=(2,)), "E0301"),
        (lambda: p.random_bits(np.zeros(2, np.int64), shape=(2,)), "E0401"),
        (lambda: p.random_bits(STATE, shape=2), "E0303"),
        (lambda: p.random_bits(STATE, shape=(-2,)), "E0404"),
        (lambda: p.random_uniform(STATE, shape=(2,), dtype=i32), "E0301"),
        (lambda: p.random_int(STATE, 3, 3, shape=(2,)), "E0404"),
        (lambda: p.random_int(STATE, 0, np.array(3, np.int32), shape=(2,)), "E0301"),
        (lambda: p.random_int(STATE, 0, np.array([3]), shape=(2,)), "E0304"),
        (lambda: p.random_permutation(STATE, n=-1), "E0404"),
        (lambda: p.random_fold(STATE, np.array([1])), "E0304"),
        (lambda: p.dropout(np.ones(3), STATE, rate=1.5), "E0404"),
        (lambda: p.dropout(np.ones(3), STATE, rate=float("nan")), "E0404"),
        (lambda: p.dropout(np.ones(3), STATE, rate="0.5"), "E0303"),
        (lambda: p.dropout(np.ones(3, np.int64), STATE, rate=0.5), "E0301"),
        (lambda: p.bernoulli(STATE, np.ones(3, bool)), "E0301"),
    ],
)
def test_what_does_not_fit_is_refused(call, code):
    assert error_of(call).code == code


def test_dropout_keeps_the_mean_and_never_makes_nan():
    x = np.full(20000, 3.0)
    y, mask, after = p.dropout(x, STATE, rate=0.25)
    assert after.tolist() == [12345, 7 + 10000, -1]
    assert abs(mask.mean() - 0.75) < 0.015
    assert np.array_equal(y, np.where(mask, 4.0, 0.0))
    wild = np.array([np.inf, np.nan] * 10)
    y, mask, _ = p.dropout(wild, STATE, rate=0.5)
    assert not y[~mask].any() and not mask.all()
    y, mask, _ = p.dropout(wild, STATE, rate=1)
    assert not y.any() and not mask.any()
    y, mask, _ = p.dropout(wild, STATE, rate=0)
    assert np.array_equal(y, wild, equal_nan=True) and mask.all()


def test_bernoulli_at_the_bounds():
    probability = np.array([0.0, -1.0, np.nan, 1.0, 2.0] * 100)
    values, _ = p.bernoulli(STATE, probability)
    assert values.tolist() == [False, False, False, True, True] * 100


def test_shapes_may_be_symbolic():
    size = symbol("B")
    program = build_function(lambda x, s: p.dropout(x, s, rate=0.5), [f32[size, 2], i64[3]])
    assert program.result_types == (f32[size, 2], bool_[size, 2], i64[3])
