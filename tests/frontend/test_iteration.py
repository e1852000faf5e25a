"""Going through a tensor's first axis: `for`, unpacking, comprehensions, Python's own iterators."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, refused

X = np.arange(24.0).reshape(2, 3, 4)
W = ms.Tensor(np.arange(6.0).reshape(3, 2))


def by_loop(x):
    total = x[0] * 0
    for row in x:
        total = total * 2 + row
    return total


def by_unpacking(x):
    first, second = x
    (a, *rest), [*_, last] = first, second
    return a * rest[-1] + last


def by_comprehension(x):
    elements = [element for row in x for element in row]
    return ops.stack([row * i for i, row in enumerate(x)]) + ops.stack(elements).sum()


def by_iterators(x):
    pairs = [row.sum() * w.sum() for row, w in zip(x, W, strict=False)]
    backwards = [row * i for i, row in enumerate(reversed(x), 1)]
    return pairs[0] + pairs[1] * sum_of(backwards) + list(x)[1] + tuple(x)[0]


def by_star(x):
    return sum_of([*x, x[1]]) + ops.stack((*x,)).sum() + ops.concat([*W]).sum() * x[0]


def sum_of(items):
    total = 0
    for item in items:
        total = total + item
    return total


FORMS = {
    by_loop: 2 * X[0] + X[1],
    by_unpacking: X[0, 0] * X[0, 2] + X[1, 2],
    by_comprehension: np.stack([0 * X[0], X[1]]) + X.sum(),
    by_iterators: X[0].sum() * 1 + X[1].sum() * 5 * (X[1] + 2 * X[0]) + X[1] + X[0],
    by_star: X[0] + 2 * X[1] + X.sum() + 15 * X[0],
}


@pytest.mark.parametrize("form", FORMS)
def test_against_numpy(form):
    result = both_forms(form, ms.Tensor(X))
    np.testing.assert_array_equal(result.asnumpy(), FORMS[form])


@pytest.mark.parametrize("form", FORMS)
def test_gradients(form):
    check_gradients(lambda x: form(x * x), X / 10)


def test_the_program_takes_the_tensor_apart_once():
    compiled = ms.compile(ms.grad(by_loop))
    compiled(ms.Tensor(X))
    names = [op.prim.name for op in compiled.stages["joint"].walk()]
    assert names.count("split") == 1 and names.count("concat") == 1 and "pad" not in names


def test_an_empty_axis_has_no_slices():
    def run(x):
        count = 0
        for _ in x:
            count = count + 1
        return x.sum() + count + len([*x]) + len(x)

    assert both_forms(run, ops.zeros((0, 2))).item() == 0


def test_a_tuple_at_an_index_that_is_data():
    def run(x, i):
        pair = x, x * x
        return pair[i] * [x, x + 1, x + 2][i + 1] + (x, x)[i - 1]

    for i in (0, 1):
        x, place = ms.Tensor([2.0, 3.0]), ms.Tensor(i)
        both_forms(run, x, place)
        check_gradients(lambda x, place=place: run(x, place), [2.0, 3.0])
    with pytest.raises(IndexError, match="E0501"):
        ms.compile(run)(x, ms.Tensor(2))


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0305", lambda x, i: [1, 2][i] * x), ("E0305", lambda x, i: [x, 1][i]),
     ("E0305", lambda x, i: {0: x}[i]), ("E0401", lambda x, i: (x, x[0])[i]),
     ("E0301", lambda x, i: (x, x.int())[i]), ("E0305", lambda x, i: ()[i])],
)  # fmt: skip
def test_containers_that_data_cannot_index(code, run):
    with pytest.raises((TypeError, ValueError), match=code):
        ms.compile(run)(ms.Tensor([1.0]), ms.Tensor(0))


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0304", lambda x: [row for row in x]), ("E0304", lambda x: list(x)),
     ("E0304", lambda x: x * len(x)), ("E0304", lambda x: [*x]), ("E0304", by_unpacking)],
)  # fmt: skip
def test_a_number_has_no_slices(code, run):
    refused(code, run, ms.Tensor(1.0))


def test_too_few_slices():
    with pytest.raises(ValueError, match="E0404"):
        ms.compile(by_unpacking)(ms.Tensor(X[:1]))
