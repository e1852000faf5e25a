"""Patches taken from pictures and added up again, against loops, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import Tensor, ops
from support.forms import both_forms, check_gradients, refused

SETTINGS = [
    {"kernel_size": 2},
    {"kernel_size": (3, 2), "stride": (2, 1)},
    {"kernel_size": 2, "padding": 1, "stride": 2},
    {"kernel_size": (2, 3), "dilation": (2, 1), "padding": (1, 0)},
    {"kernel_size": 2, "padding": (0, 1, 2, 0)},
    {"kernel_size": (5, 4)},
]
X = np.random.default_rng(3).normal(size=(2, 3, 5, 4))


def twice(value):
    return (value, value) if isinstance(value, int) else value


def windows(size, kernel_size, stride=1, padding=0, dilation=1):
    """Places in the padded picture, patch element by patch element, window by window."""
    kernel, step, gap, ends = (twice(v) for v in (kernel_size, stride, dilation, padding))
    pairs = [(e, e) for e in ends] if len(ends) == 2 else [ends[:2], ends[2:]]
    counts = [
        (size[a] + sum(pairs[a]) - gap[a] * (kernel[a] - 1) - 1) // step[a] + 1 for a in (0, 1)
    ]
    return pairs, [
        [(i * gap[0] + y * step[0], j * gap[1] + x * step[1])
         for y in range(counts[0]) for x in range(counts[1])]
        for i in range(kernel[0]) for j in range(kernel[1])
    ]  # fmt: skip


def unfolded(x, settings):
    pairs, places = windows(x.shape[2:], **settings)
    x = np.pad(x, [(0, 0), (0, 0), *pairs])
    columns = [[x[:, :, i, j] for i, j in row] for row in places]
    return np.moveaxis(np.array(columns), (2, 3), (0, 1)).reshape(x.shape[0], -1, len(places[0]))


@pytest.mark.parametrize("settings", SETTINGS)
def test_unfold(settings):
    found = both_forms(lambda x: ops.unfold(x, **settings), Tensor(X))
    np.testing.assert_array_equal(found.asnumpy(), unfolded(X, settings))
    check_gradients(lambda x: ops.unfold(x, **settings), X[:1, :1])


@pytest.mark.parametrize("settings", SETTINGS)
def test_fold_is_the_transposed_map(settings):
    columns = np.random.default_rng(4).normal(size=unfolded(X, settings).shape)
    found = both_forms(lambda y: ops.fold(y, (5, 4), **settings), Tensor(columns))
    assert found.shape == X.shape
    inner = (found.asnumpy() * X).sum()
    np.testing.assert_allclose(inner, (columns * unfolded(X, settings)).sum(), rtol=1e-12)
    check_gradients(lambda y: ops.fold(y, (5, 4), **settings), columns[:1, : len(columns[0]) // 3])


def test_a_size_as_a_tensor_and_integers():
    y = np.arange(8).reshape(1, 4, 2)
    found = ops.fold(Tensor(y), Tensor([2, 3]), 2)
    np.testing.assert_array_equal(found.asnumpy(), [[[[0, 3, 3], [4, 11, 7]]]])
    assert found.dtype is ms.int64


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda x: ops.unfold(x, 6), "E0401"),
        (lambda x: ops.unfold(x[0], 2), "E0401"),
        (lambda x: ops.unfold(x, 0), "E0404"),
        (lambda x: ops.unfold(x, 2.0), "E0303"),
        (lambda x: ops.unfold(x, 2, padding=-1), "E0404"),
        (lambda x: ops.fold(x, (5, 4), 2), "E0401"),
        (lambda x: ops.fold(x[0], (5, 4), 2), "E0401"),
    ],
)
def test_what_does_not_fit(run, code):
    refused(code, run, Tensor(X))
