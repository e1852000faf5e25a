"""Choices with given probabilities, in both forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import s2sad as ms
from s2sad import ops
from support.draws import twice
from support.forms import refused

COUNT = 20_000


def fits(counts, chances):
    """The chi-square test does not object, and what cannot be does not occur."""
    counts, chances = np.asarray(counts), np.asarray(chances, float)
    assert (counts[chances == 0] == 0).all()
    possible = chances > 0
    expected = chances[possible] / chances.sum() * counts.sum()
    return possible.sum() == 1 or stats.chisquare(counts[possible], expected).pvalue > 1e-3


def test_bernoulli():
    x = ms.Tensor(np.zeros((2, COUNT)), ms.float32)
    for chance in (0.3, ms.Tensor([[0.3], [0.3]]), ms.Tensor(0.3, ms.float64)):
        one, other = twice(lambda x, chance=chance: ops.bernoulli(x, chance), x)
        assert one.dtype is ms.float32 and set(np.ravel(one.tolist())) == {0.0, 1.0}
        assert fits([(one.asnumpy() == k).sum() for k in (0, 1)], [0.7, 0.3])
        assert one.tolist() != other.tolist()
    ends = ms.Tensor([-1.0, 0.0, 1.0, 2.0, np.nan])
    assert ops.bernoulli(ends, ends).tolist() == [0.0, 0.0, 1.0, 1.0, 0.0]
    assert ops.bernoulli(ms.Tensor([1, 2], ms.int8), 1.0).dtype is ms.int8
    assert ops.bernoulli(ms.Tensor([True, False]), 1).tolist() == [True, True]


WEIGHTS = np.array([0.0, 1.0, 0.0, 5.0, 2.0, 0.0])


@pytest.mark.parametrize("dtype", [ms.float32, ms.float64, ms.int32])
def test_choices_with_replacement(dtype):
    one, other = twice(lambda w: ops.multinomial(w, COUNT), ms.Tensor(WEIGHTS, dtype))
    assert one.dtype is ms.int32 and one.shape == (COUNT,)
    assert fits(np.bincount(one.asnumpy(), minlength=6), WEIGHTS)
    assert one.tolist() != other.tolist()


def test_choices_in_rows():
    rows = np.stack([WEIGHTS, WEIGHTS[::-1], np.eye(6)[2]])
    x, _ = twice(lambda w: ops.multinomial(w, COUNT), ms.Tensor(rows))
    assert x.shape == (3, COUNT)
    for drawn, weights in zip(x.asnumpy(), rows, strict=True):
        assert fits(np.bincount(drawn, minlength=6), weights)


def test_choices_without_replacement():
    rows = np.tile(WEIGHTS, (6_000, 1))
    x, _ = twice(lambda w: ops.multinomial(w, 3, False), ms.Tensor(rows))
    assert x.shape == (6_000, 3) and (np.sort(x.asnumpy()) == [1, 3, 4]).all()
    assert fits(np.bincount(x.asnumpy()[:, 0], minlength=6), WEIGHTS)
    after_3 = x.asnumpy()[x.asnumpy()[:, 0] == 3, 1]
    assert fits(np.bincount(after_3, minlength=6), np.where(np.arange(6) == 3, 0, WEIGHTS))
    alone, _ = twice(lambda w: ops.multinomial(w, 1, False), ms.Tensor([0.0, 2.0]))
    assert alone.tolist() == [1]


@pytest.mark.parametrize(
    ("weights", "replacement"),
    [
        ([0.0, 0.0], True), ([1.0, -1.0], True), ([1.0, np.nan], True), ([1.0, np.inf], True),
        ([0.0, 0.0], False), ([1.0, -1.0], False), ([np.nan, 1.0], False), ([1.0, 0.0], False),
    ],
)  # fmt: skip
def test_weights_that_cannot_be(weights, replacement):
    def run(w):
        return ops.multinomial(w, 2, replacement)

    refused("E0501", run, ms.Tensor(weights))
    refused("E0501", run, ms.Tensor([[1.0, 1.0], weights]))


def test_classes():
    logits = np.array([[0.0, 1.0, -np.inf], [800.0, 0.0, 799.0]])
    x, _ = twice(lambda z: ops.random_categorical(z, COUNT), ms.Tensor(logits))
    assert x.dtype is ms.int64
    for drawn, row in zip(x.asnumpy(), special.softmax(logits, axis=1), strict=True):
        assert fits(np.bincount(drawn, minlength=3), np.where(row < 1e-9, 0, row))
    assert ops.random_categorical(ms.Tensor(logits), 2, 5, ms.int32).dtype is ms.int32


def test_gumbel_softmax():
    logits = np.log([0.1, 0.6, 0.3])
    wide = ms.Tensor(np.tile(logits, (COUNT, 1)))
    hard, _ = twice(lambda z: ops.gumbel_softmax(z, hard=True), wide)
    assert fits(hard.asnumpy().sum(0), [0.1, 0.6, 0.3]) and (hard.asnumpy().max(1) == 1).all()
    soft, _ = twice(lambda z: ops.gumbel_softmax(z, 0.5, dim=0), ms.Tensor(logits[:, None]))
    np.testing.assert_allclose(soft.asnumpy().sum(0), 1)
    narrow, _ = twice(ops.gumbel_softmax, ms.Tensor([[1.0, -np.inf]], ms.float16))
    assert narrow.dtype is ms.float16 and narrow.tolist() == [[1.0, 0.0]]


def test_the_gradient_of_a_hard_choice_is_that_of_the_soft_one():
    logits, weights = ms.Tensor([0.5, -0.5, 0.0], ms.float64), ms.Tensor([1.0, 2.0, 4.0])

    def run(z, hard):
        return ops.gumbel_softmax(z, 0.7, hard) * weights

    found = []
    for hard in (False, True):
        ms.set_seed(2)
        value, gradient = ms.value_and_grad(run)(logits, hard)
        found.append(gradient.asnumpy())
        assert set(value.tolist()) <= {0.0, 1.0, 2.0, 4.0} or not hard
    np.testing.assert_allclose(*found, rtol=1e-12)
    ms.set_seed(2)
    soft = run(logits, False).asnumpy() / weights.asnumpy()
    expected = soft * (weights.asnumpy() - (soft * weights.asnumpy()).sum()) / 0.7
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)


CASES = [
    (lambda x: ops.bernoulli(x, 1.5), "E0404"), (lambda x: ops.bernoulli(x, "a"), "E0303"),
    (lambda x: ops.bernoulli(3.0), "E0304"), (lambda x: ops.bernoulli(ops.sum(x), x), "E0401"),
    (lambda x: ops.multinomial(x, 0), "E0404"), (lambda x: ops.multinomial(x, 3, False), "E0404"),
    (lambda x: ops.multinomial(x, 1.0), "E0303"), (lambda x: ops.multinomial(x, 1, 1), "E0303"),
    (lambda x: ops.multinomial(ops.sum(x), 1), "E0401"), (lambda x: ops.multinomial(3, 1), "E0304"),
    (lambda x: ops.random_categorical(x, 1), "E0401"),
    (lambda x: ops.random_categorical(ops.reshape(x, (1, 2)), 1, dtype=ms.float32), "E0301"),
    (lambda x: ops.gumbel_softmax(x, 0.0), "E0404"),
    (lambda x: ops.gumbel_softmax(x, "a"), "E0303"),
    (lambda x: ops.gumbel_softmax(x, hard=1), "E0303"),
    (lambda x: ops.gumbel_softmax(x, dim=1), "E0403"),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(CASES)))
def test_arguments_that_cannot_be(place):
    refused(CASES[place][1], CASES[place][0], ms.Tensor([1.0, 2.0]))


def test_rows_without_weights():
    refused("E0401", lambda x: ops.multinomial(x, 1), ms.Tensor(np.zeros((2, 0))))
    assert ops.multinomial(ms.Tensor(np.zeros((0, 3))), 2).shape == (0, 2)
