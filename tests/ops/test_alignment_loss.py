"""The loss over all alignments, against a sum over all paths, in both forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.special

import s2sad as ms
from s2sad import Tensor, ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused

RNG = np.random.default_rng(8)
SCORES = scipy.special.log_softmax(RNG.normal(size=(4, 3, 3)), axis=-1)
LABELS = np.array([[1, 2], [1, 1], [2, 0]])
STEPS, COUNTS = np.array([4, 4, 3]), np.array([2, 2, 1])


def spelled(path, blank):
    kept = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
    return [c for c in kept if c != blank]


def loss_of(scores, labels, blank=0):
    """Over all paths that spell `labels`; inf where there is none."""
    classes = range(scores.shape[1])
    total = [
        sum(scores[t, c] for t, c in enumerate(path))
        for path in itertools.product(classes, repeat=len(scores))
        if spelled(path, blank) == list(labels)
    ]
    return -scipy.special.logsumexp(total) if total else math.inf


def losses(scores=SCORES, labels=LABELS, steps=STEPS, counts=COUNTS, blank=0):
    return np.array([
        loss_of(scores[: steps[n], n], labels[n, : counts[n]], blank) for n in range(len(labels))
    ])  # fmt: skip


def run(scores, labels, steps, counts, **settings):
    return ops.ctc_loss(scores, labels, steps, counts, **settings)[0]


GIVEN = tuple(map(Tensor, (SCORES, LABELS, STEPS, COUNTS)))


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [("none", losses()), ("sum", losses().sum()), ("mean", (losses() / COUNTS).mean())],
)
def test_losses(reduction, expected):
    found = both_forms(lambda *x: run(*x, reduction=reduction), *GIVEN)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12)


def test_another_blank_lengths_that_are_known_and_one_sequence():
    labels = np.array([[0, 1], [1, 1], [0, 2]])
    found = both_forms(
        lambda s, y: run(s, y, (4, 4, 3), (2, 2, 1), blank=2, reduction="none"),
        Tensor(SCORES), Tensor(labels),
    )  # fmt: skip
    np.testing.assert_allclose(found.asnumpy(), losses(labels=labels, blank=2), rtol=1e-12)
    one, paths = both_forms(
        lambda s, y: ops.ctc_loss(s, y, (4,), (2,), reduction="none"),
        Tensor(SCORES[:, 0]), Tensor(LABELS[0]),
    )  # fmt: skip
    np.testing.assert_allclose(one.item(), losses()[0], rtol=1e-12)
    assert (one.shape, paths.shape) == ((), (4, 5))


def test_the_beginnings_of_paths_end_in_the_loss():
    loss, paths = both_forms(lambda *x: ops.ctc_loss(*x, reduction="none"), *GIVEN)
    assert paths.shape == (3, 4, 5)
    for n in range(3):
        last = paths.asnumpy()[n, STEPS[n] - 1, 2 * COUNTS[n] - 1 : 2 * COUNTS[n] + 1]
        np.testing.assert_allclose(-scipy.special.logsumexp(last), loss.asnumpy()[n], rtol=1e-12)


def test_gradients():
    def of_scores(scores):
        return run(ops.log_softmax(scores), *GIVEN[1:], reduction="none")

    check_gradients(of_scores, RNG.normal(size=(4, 3, 3)))
    check_second_gradients(lambda x: ops.sum(of_scores(x)), RNG.normal(size=(4, 3, 3)), rtol=1e-5)


def test_labels_that_do_not_fit_into_the_steps():
    counts, steps = (2, 2, 0), (1, 2, 0)

    def none(scores, zero):
        return run(scores, GIVEN[1], steps, counts, reduction="none", zero_infinity=zero)

    np.testing.assert_array_equal(
        both_forms(lambda x: none(x, False), GIVEN[0]).asnumpy(), [math.inf, math.inf, 0.0]
    )
    np.testing.assert_array_equal(
        both_forms(lambda x: none(x, True), GIVEN[0]).asnumpy(), [0.0, 0.0, 0.0]
    )
    for zero in (False, True):
        found = ms.grad(lambda x, zero=zero: ops.sum(none(x, zero)))(GIVEN[0])
        np.testing.assert_array_equal(found.asnumpy(), np.zeros_like(SCORES))


def test_no_labels_and_narrow_floats():
    empty = both_forms(lambda s: run(s, Tensor(LABELS), (4, 4, 4), (0, 0, 0), reduction="none"),
                       GIVEN[0])  # fmt: skip
    np.testing.assert_allclose(empty.asnumpy(), -SCORES[:, :, 0].sum(0), rtol=1e-12)
    found = run(GIVEN[0].astype(ms.float16), *GIVEN[1:], reduction="none")
    assert found.dtype is ms.float16
    np.testing.assert_allclose(found.asnumpy(), losses(), rtol=5e-3)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda s: run(s, *GIVEN[1:], reduction="max"), "E0404"),
        (lambda s: run(s, *GIVEN[1:], blank=3), "E0404"),
        (lambda s: run(s, GIVEN[1][:2], *GIVEN[2:]), "E0401"),
        (lambda s: run(s, GIVEN[1], (4, 4), (2, 2, 1)), "E0401"),
        (lambda s: run(s, GIVEN[1], (4, 4, -1), (2, 2, 1)), "E0404"),
        (lambda s: run(s, s[0], *GIVEN[2:]), "E0301"),
        (lambda s: run(s.astype(ms.int32), *GIVEN[1:]), "E0301"),
    ],
)
def test_what_has_no_loss(change, code):
    refused(code, change, GIVEN[0])


def test_lengths_and_classes_that_do_not_exist():
    for labels, steps in ((LABELS, (5, 4, 3)), (LABELS * 3, (4, 4, 3))):
        with pytest.raises(ms.S2sadError, match="E0501"):
            run(GIVEN[0], Tensor(labels), steps, (2, 2, 1))
