"""Pooling by norms, and what was pooled put back, against loops, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import Tensor, ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused

RNG = np.random.default_rng(9)
X = RNG.uniform(0.25, 2.0, size=(2, 3, 5, 6))


def lp(x, order, kernel, stride):
    shape = [(size - k) // s + 1 for size, k, s in zip(x.shape[-2:], kernel, stride, strict=True)]
    out = np.zeros((*x.shape[:-2], *shape))
    for i, j in np.ndindex(*shape):
        a, b = i * stride[0], j * stride[1]
        window = x[..., a : a + kernel[0], b : b + kernel[1]]
        out[..., i, j] = (window**order).sum((-2, -1)) ** (1 / order)
    return out


@pytest.mark.parametrize("order", [1, 2, 3.5])
@pytest.mark.parametrize(("kernel", "stride"), [(2, None), ((2, 3), (1, 2))])
def test_norms_under_windows(order, kernel, stride):
    sizes = (kernel, kernel) if isinstance(kernel, int) else kernel
    found = both_forms(lambda x: ops.lp_pool2d(x, order, kernel, stride), Tensor(X))
    np.testing.assert_allclose(found.asnumpy(), lp(X, order, sizes, stride or sizes), rtol=1e-12)
    check_gradients(lambda x: ops.lp_pool2d(x, order, kernel, stride), X[0, :1])


def test_norms_along_one_axis_and_at_zero():
    expected = lp(X[0, :, :1], 2, (1, 2), (1, 3))[:, 0]
    found = both_forms(lambda x: ops.lp_pool1d(x, 2, 2, 3), Tensor(X[0, :, 0]))
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12)
    gradient = ms.grad(lambda x: ops.sum(ops.lp_pool1d(x, 2, 2)))(Tensor(np.zeros((1, 4))))
    np.testing.assert_array_equal(gradient.asnumpy(), np.zeros((1, 4)))
    check_second_gradients(lambda x: ops.sum(ops.lp_pool1d(x, 3, 2) ** 2), X[0, :1, 0])


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("batch", [(2, 3), (3,)])
def test_elements_come_back_to_their_places(rank, batch):
    x = RNG.permutation(np.prod(batch) * 4**rank).reshape(*batch, *(4,) * rank).astype(float)
    small, places = np.zeros((*batch, *(2,) * rank)), np.zeros((*batch, *(2,) * rank), np.int64)
    expected = np.zeros_like(x)
    for out in np.ndindex(*small.shape):
        corner = out[: len(batch)]
        window = tuple(slice(2 * i, 2 * i + 2) for i in out[len(batch) :])
        best = np.unravel_index(x[corner][window].argmax(), (2,) * rank)
        place = tuple(2 * i + b for i, b in zip(out[len(batch) :], best, strict=True))
        small[out], places[out] = x[corner + place], np.ravel_multi_index(place, (4,) * rank)
        expected[corner + place] = x[corner + place]
    unpool = getattr(ops, f"max_unpool{rank}d")
    found = both_forms(lambda x, i: unpool(x, i, 2), Tensor(small), Tensor(places))
    np.testing.assert_array_equal(found.asnumpy(), expected)
    check_gradients(lambda x: unpool(x, Tensor(places), 2, 2, 0, (4,) * rank), small)


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda x: ops.lp_pool2d(x, 0, 2), "E0404"),
        (lambda x: ops.lp_pool2d(x[0, 0], 2, 2), "E0401"),
        (lambda x: ops.lp_pool1d(x.astype(ms.int32), 2, 2), "E0301"),
        (lambda x: ops.max_unpool2d(x, x, 2), "E0301"),
        (lambda x: ops.max_unpool2d(x, ops.zeros((2, 3, 5, 5), ms.int64), 2), "E0401"),
        (lambda x: ops.max_unpool1d(x, ops.zeros((2, 3, 5, 6), ms.int64), 2), "E0401"),
    ],
)
def test_what_does_not_fit(run, code):
    refused(code, run, Tensor(X))
