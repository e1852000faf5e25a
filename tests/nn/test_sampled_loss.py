"""Are candidates drawn as often as is expected of them, and is the loss that of these?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, check_gradients, refused

CLASSES = ms.Tensor([[1, 3], [3, 7]])


def drawn_often(run, count):
    """How often each of ten classes was drawn, and the mean of what was expected of the first."""
    ms.set_seed(0)
    one = ms.compile(lambda: run()[0])
    numbers = np.array([one().asnumpy() for _ in range(count)])
    return numbers, np.bincount(numbers.ravel(), minlength=10) / count


@pytest.mark.parametrize("is_uniform", [True, False])
def test_candidates_may_come_twice(is_uniform):
    sampler = ops.uniform_candidate_sampler if is_uniform else ops.log_uniform_candidate_sampler
    chances = np.diff(np.log(np.arange(1, 12))) / np.log(11)
    chances = np.full(10, 0.1) if is_uniform else chances
    numbers, _ = drawn_often(lambda: sampler(CLASSES, 2, 2000, False, 10), 1)
    counts = np.bincount(numbers[0], minlength=10)
    assert stats.chisquare(counts, 2000 * chances).pvalue > 1e-3
    drawn, true, sampled = sampler(CLASSES, 2, 5, False, 10)
    assert (drawn.dtype, true.dtype, sampled.dtype) == (ms.int64, ms.float32, ms.float32)
    np.testing.assert_allclose(true.asnumpy(), 5 * chances[CLASSES.asnumpy()], rtol=1e-6)
    np.testing.assert_allclose(sampled.asnumpy(), 5 * chances[drawn.asnumpy()], rtol=1e-6)


@pytest.mark.parametrize("is_uniform", [True, False])
def test_candidates_that_differ(is_uniform):
    sampler = ops.uniform_candidate_sampler if is_uniform else ops.log_uniform_candidate_sampler
    chances = np.diff(np.log(np.arange(1, 12))) / np.log(11)
    chances = np.full(10, 0.1) if is_uniform else chances
    ms.set_seed(1)
    run = ms.compile(lambda: sampler(CLASSES, 2, 4, True, 10))
    found = [run() for _ in range(600)]
    assert all(len(set(x[0].tolist())) == 4 for x in found)
    # The expected counts come from a number of tries, and their mean is how often a class is drawn.
    expected = np.mean([x[1].asnumpy() for x in found], 0)
    often = np.bincount(np.array([x[0].asnumpy() for x in found]).ravel(), minlength=10) / 600
    np.testing.assert_allclose(expected, often[CLASSES.asnumpy()], atol=0.07)
    tries = np.log1p(-found[0][1].asnumpy().astype(float)) / np.log1p(-chances[CLASSES.asnumpy()])
    np.testing.assert_allclose(tries, np.round(tries.mean()), rtol=1e-5)
    others = np.log1p(-found[0][2].asnumpy().astype(float)) / np.log1p(
        -chances[found[0][0].asnumpy()]
    )
    np.testing.assert_allclose(others, np.round(tries.mean()), rtol=1e-5)


def test_accidental_hits_are_left_out():
    ms.set_seed(2)
    for unique in (True, False):
        for _ in range(20):
            drawn = ops.uniform_candidate_sampler(CLASSES, 2, 7, unique, 10, 1, True)[0]
            assert not set(drawn.tolist()) & {1, 3, 7}
    assert sorted(ops.log_uniform_candidate_sampler(CLASSES[:, :1])[0].tolist()) == [0, 1, 2, 3, 4]


def test_candidates_repeat_by_seed():
    def run(classes):
        return ops.uniform_candidate_sampler(classes, 2, 4, True, 10, 5)

    ms.set_seed(3)
    plain = run(CLASSES)
    ms.set_seed(3)
    again = ms.compile(run)(CLASSES)
    assert [x.tolist() for x in plain] == [x.tolist() for x in again]


def test_what_samplers_refuse():
    sampler = ops.uniform_candidate_sampler
    refused("E0404", lambda x: sampler(x, 2, 11, True, 10), CLASSES)
    refused("E0401", lambda x: sampler(x, 1, 2, True, 10), CLASSES)
    refused("E0401", lambda x: sampler(x[0], 2, 2, True, 10), CLASSES)
    refused("E0301", lambda x: sampler(x, 2, 2, True, 10), ops.zeros((2, 2)))
    refused("E0303", lambda x: sampler(x, 2, 2, 1, 10), CLASSES)
    with pytest.raises(S2sadError, match="E0501"):
        sampler(CLASSES, 2, 8, True, 10, 0, True)


RNG = np.random.default_rng(0)
WEIGHTS, BIASES, LOGITS = RNG.normal(size=(7, 5)), RNG.normal(size=7), RNG.normal(size=(3, 5))
LABELS = np.array([[0, 1], [2, 3], [4, 0]])


def test_the_loss_by_its_formula():
    values = (ms.Tensor([6, 5, 6]), ms.Tensor([[0.5, 0.2]] * 3), ms.Tensor([0.5, 0.25, 0.1]))
    given = [ms.Tensor(x) for x in (WEIGHTS, BIASES, LABELS, LOGITS)]
    loss = nn.SampledSoftmaxLoss(3, 7, 2, sampled_values=values)
    found = both_forms(lambda *x: loss(*x), *given)
    scores = LOGITS @ WEIGHTS.T + BIASES
    true = np.take_along_axis(scores, LABELS, 1) - np.log(np.float32([0.5, 0.2]))
    others = scores[:, [6, 5, 6]] - np.log(np.float32([0.5, 0.25, 0.1]))
    logs = special.log_softmax(np.concatenate((true, others), 1), 1)[:, :2]
    np.testing.assert_allclose(found.asnumpy(), -logs.mean(1), rtol=1e-6)
    for reduction, total in (("mean", np.mean), ("sum", np.sum)):
        loss = nn.SampledSoftmaxLoss(3, 7, 2, list(values), reduction=reduction)
        np.testing.assert_allclose(loss(*given).item(), total(-logs.mean(1)), rtol=1e-6)
    check_gradients(lambda w, b, x: loss(w, b, given[2], x), WEIGHTS, BIASES, LOGITS, rtol=1e-5)


def test_all_classes_are_the_whole_softmax():
    loss = nn.SampledSoftmaxLoss(6, 7)
    label = ms.Tensor([2])
    given = ms.Tensor(WEIGHTS), ms.Tensor(BIASES), label, ms.Tensor(LOGITS[:1])
    # All others are drawn: what is taken off is alike for all, and takes no part.
    expected = special.log_softmax(LOGITS[:1] @ WEIGHTS.T + BIASES, 1)[0, 2]
    np.testing.assert_allclose(loss(*given).asnumpy(), [-expected], rtol=1e-6)


def test_what_the_loss_refuses():
    for code, make in (
        ("E0404", lambda: nn.SampledSoftmaxLoss(8, 7)),
        ("E0404", lambda: nn.SampledSoftmaxLoss(2, 7, 8)),
        ("E0404", lambda: nn.SampledSoftmaxLoss(2, 7, seed=-1)),
        ("E0303", lambda: nn.SampledSoftmaxLoss(2, 7, sampled_values=3)),
        ("E0404", lambda: nn.SampledSoftmaxLoss(2, 7, sampled_values=(1, 2))),
        ("E0404", lambda: nn.SampledSoftmaxLoss(2, 7, reduction="max")),
    ):  # fmt: skip
        with pytest.raises(S2sadError, match=code):
            make()
    loss = nn.SampledSoftmaxLoss(2, 7)
    given = [ms.Tensor(x) for x in (WEIGHTS, BIASES, LABELS[:, 0], LOGITS)]
    refused("E0301", lambda w, b, t, x: loss(w, b, b, x), *given)
    with pytest.raises(S2sadError, match="E0501"):
        loss(given[0], given[1], given[2] + 7, given[3])
