"""Does each gradient go to the place that its number came from, and to no other?

Right gradients are differences in float64, those of gradients too.
"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import Tensor, nn, ops
from support.cases import check_case, in_both_modes
from support.forms import check_gradients, check_second_gradients


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def holds(function, *shapes, second=False):
    arrays = [normal(*shape, seed=place) for place, shape in enumerate(shapes)]
    for _ in in_both_modes():
        check_gradients(function, *arrays)
    if second:
        check_second_gradients(lambda *x: function(*x).sum(), *arrays, rtol=1e-5, atol=1e-6)


BROADCAST = {
    "less its mean": (lambda x, w: (x - x.mean(0, keep_dims=True)) * w, (3, 4), (3, 4)),
    "less the mean of all": (lambda x: (x - x.mean((0, 1))) ** 2, (3, 4)),
    "of spread 1": (lambda x: (x - x.mean(1, keep_dims=True)) / x.std(1, keepdims=True), (3, 4)),
    "unbiased": (lambda x: (x - ops.mean(x)) / ops.std(x, ddof=1), (5,)),
    "less its log sum": (lambda x: x - ops.logsumexp(x, 1, True), (2, 3)),
    "all pairs": (lambda x: (x[:, None] - x[None, :]) ** 2, (4,)),
    "to more axes": (lambda x: ops.broadcast_to(x, (2, 3, 4)), (3, 1)),
    "an axis kept": (lambda x: ops.broadcast_to(x, (2, -1, 3)), (4, 1)),
    "of no axes": (lambda x: ops.broadcast_to(x, (2, 2)) * x, ()),
    "as another": (lambda x, y: x.expand_as(y) * y, (1, 3), (2, 3)),
    "tiled": (lambda x: ops.tile(x, (2, 1, 3)) ** 2, (2, 2)),
    "repeated": (lambda x: ops.repeat_interleave(x, 2, 0) ** 2, (2, 2)),
    "a grid": (lambda x, y: ops.meshgrid(x, y)[0] * ops.meshgrid(x, y)[1], (2,), (3,)),
    "both sides": (lambda x, y: x * y + y / (x * x + 1), (2, 1, 3), (4, 1)),
}  # fmt: skip


@pytest.mark.parametrize("case", BROADCAST)
def test_broadcast(case):
    function, *shapes = BROADCAST[case]
    holds(function, *shapes, second=True)


PARTS = {
    "middle": lambda x: x[1:, 1:3], "reversed": lambda x: x[::-1, ::-2],
    "backwards": lambda x: x[:, 3:0:-1], "ellipsis": lambda x: x[..., -1, None],
    "beyond": lambda x: x[:, 2:100], "nothing": lambda x: x[:, 3:1], "one": lambda x: x[1, 2],
    "a list": lambda x: x[:, [0, 0, 2]], "pairs": lambda x: x[[0, 1, 1], [2, 0, 0]],
    "list and slice": lambda x: x[[0, 1], 1:],
    "two tensors": lambda x: x[Tensor([0, 1]), Tensor([3, 3])],
    "one tensor": lambda x: x[Tensor(1)], "transposed": lambda x: x.T[1],
    "row and new": lambda x: x[1][None], "narrow": lambda x: x.narrow(1, 1, 2),
    "split": lambda x: ops.split(x, 3, 1)[0], "chunk": lambda x: ops.chunk(x, 2, 1)[1],
    "unbind": lambda x: ops.unbind(x)[1], "flip": lambda x: ops.flip(x, (1,)),
    "roll": lambda x: ops.roll(x, 3), "rot90": lambda x: ops.rot90(x, 1, (0, 1)),
    "strided": lambda x: ops.strided_slice(x, (0, 0), (2, 4), (1, 2)),
    "triangle": lambda x: ops.triu(x, 1), "diagonal": lambda x: ops.diagonal(x),
    "take": lambda x: x.take(Tensor([0, 5, 5])),
    "gather": lambda x: ops.gather(x, Tensor([[1], [-1]]), 0),
    "elements": lambda x: ops.gather_elements(x, 1, Tensor([[0, 0], [3, 1]])),
    "nd": lambda x: ops.gather_nd(x, Tensor([[1, 2], [1, 2]])),
    "concat": lambda x: ops.concat([x, x[:1]], 0),
    "mirrored": lambda x: ops.pad(x, (1, 2), mode="reflect"),
    "edges": lambda x: ops.pad(x, (1, 2), mode="replicate"),
    "a column of rows": lambda x: ops.stack([x[0], x[0], x[1]], 1),
}  # fmt: skip


@pytest.mark.parametrize("case", PARTS)
def test_parts(case):
    part = PARTS[case]
    holds(lambda x: part(x) * part(x), (2, 4))


def one_row(x, u):
    y = x * 2.0
    y[1] = u[0]
    return y * x


def in_place_sums(x, u):
    y = x * 1.0
    y[0:2] += u[:2]
    y[-1] *= u[0]
    return y


def in_a_loop(x, u):
    y = ops.zeros_like(x)
    for i in range(3):
        y[i] = x[i] * u[i]
        y[i] = y[i] * x[i] + u[0]
    return y


def shifted(x, u):
    y = x * u
    y[1:] = y[:-1]
    return y * x


def cleared(x, u):
    y = x * u
    y[::2] = 0.0
    y[1] = y[1] * y[1]
    return y


def by_lists(x, u):
    y = x * 1.0
    y[Tensor([0, 2])] = u[:2]
    y[[1]] = u[2:] * x[0]
    return y


def by_mask(x, u):
    y = x * u
    y[x > 0] = u.sum()
    return y


def of_rows(x, u):
    y = ops.stack([x, x * u])
    y[:, 1] = u[:2]
    y[0] = 3.0
    return y


@pytest.mark.parametrize("function", [one_row, in_place_sums, in_a_loop, shifted, cleared, by_lists, by_mask, of_rows])  # noqa: E501 # fmt: skip
def test_writes(function):
    holds(function, (3,), (3,), second=True)


SCATTERED = {
    "added": (lambda x, u: ops.tensor_scatter_add(x, Tensor([[2], [2]]), u), (4,), (2,)),
    "taken away": (lambda x, u: ops.tensor_scatter_sub(x, Tensor([[2], [0]]), u), (4,), (2,)),
    "times": (lambda x, u: ops.tensor_scatter_mul(x, Tensor([[2], [2]]), u), (4,), (2,)),
    "over": (lambda x, u: ops.tensor_scatter_div(x, Tensor([[2], [0]]), u * u + 1), (4,), (2,)),
    "largest": (lambda x, u: ops.tensor_scatter_max(x, Tensor([[2], [0]]), u), (4,), (2,)),
    "replaced": (lambda x, u: ops.tensor_scatter_update(x, Tensor([[2], [0]]), u), (4,), (2,)),
    "elements": (lambda x,
        u: ops.tensor_scatter_elements(x, Tensor([[0, 1], [2, 0]]), u, 1), (2, 3), (2, 2)),
    "elements added": (lambda x,
        u: ops.tensor_scatter_elements(x, Tensor([[0, 0], [2, 2]]), u, 1, "add"), (2, 3), (2, 2)),
    "nd": (lambda u: ops.scatter_nd(Tensor([[0], [0], [2]]), u, (4,)), (3,)),
    "rows": (lambda x, u: ops.index_add(x, Tensor([0, 0], ms.int32), u, 0), (3, 2), (2, 2)),
    "filled": (lambda x, v: ops.masked_fill(x, x > 0, v), (3, 2), ()),
    "segments": (lambda x: ops.unsorted_segment_sum(x, Tensor([0, 0, 2], ms.int32), 4), (3, 2)),
    "embedded": (lambda w, u: ops.embedding(Tensor([[1, 3], [1, 1]]), w) * u, (4, 2), (2, 2, 2)),
    "one-hot": (lambda w: ops.matmul(ops.one_hot(Tensor([1, 1, 0]), 3).astype(ms.float64), w),
        (3, 2)),
}  # fmt: skip


@pytest.mark.parametrize("case", SCATTERED)
def test_scattered(case):
    function, *shapes = SCATTERED[case]
    holds(lambda *x: function(*x) ** 2, *shapes)


ORDERED = {
    "sort": lambda x: ops.sort(x, 0, True)[0], "topk": lambda x: ops.topk(x, 2, 0, False)[0],
    "cummax": lambda x: ops.cummax(x, 1)[0], "cumsum": lambda x: x.cumsum(1),
    "median": lambda x: x.median(1)[0],
    "by argsort": lambda x: ops.gather_elements(x, 1, ops.argsort(x, 1)),
    "max": lambda x: ops.max(x, 1)[0], "at argmax": lambda x: x[ops.arange(3), ops.argmax(x, 1)],
    "cumprod": lambda x: ops.cumprod(x, 1),
}  # fmt: skip


@pytest.mark.parametrize("case", ORDERED)
def test_ordered(case):
    function = ORDERED[case]
    holds(lambda x: function(x) * function(x), (3, 4), second=case != "median")


WINDOWS = {
    "max": nn.MaxPool2d(2, 1), "max, padded": nn.MaxPool2d(3, 2, "pad", 1),
    "max, same": nn.MaxPool2d(3, 2, "same"),
    "max, rounded up": nn.MaxPool2d(2, 2, "pad", 0, ceil_mode=True),
    "max, spread": nn.MaxPool2d(2, 1, "pad", 0, 2), "mean": nn.AvgPool2d(3, 2),
    "mean, same": nn.AvgPool2d(3, 2, "same"), "largest of each": nn.AdaptiveMaxPool2d(2),
    "mean without padding": nn.AvgPool2d(3, 2, "pad", 1, count_include_pad=False),
    "means": nn.AdaptiveAvgPool2d((2, 3)),
}  # fmt: skip


@pytest.mark.parametrize("case", WINDOWS)
def test_windows(case):
    pool = WINDOWS[case]
    holds(lambda x: pool(x) * pool(x), (1, 2, 5, 5))


def test_a_padding_row_gets_nothing():
    def run(w):
        return ops.embedding(Tensor([2, 1, 2]), w, padding_idx=2).sum()

    check_case(run, [Tensor(np.ones((4, 2), np.float32))], 6, [[[0, 0], [1, 1], [0, 0], [0, 0]]])


def test_infinities_keep_their_places():
    x = Tensor([3.0, -np.inf, 0.5, np.inf, -2.0])
    for _ in in_both_modes():
        values, places = ms.compile(ops.sort)(x)
        assert values.tolist() == [-np.inf, -2.0, 0.5, 3.0, np.inf]
        assert places.tolist() == [1, 4, 2, 0, 3]
        assert ops.topk(x, 2)[1].tolist() == [3, 0]
        assert ops.argsort(x, descending=True).tolist() == [3, 0, 2, 4, 1]
