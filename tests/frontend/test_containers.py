"""Lists and dicts that compiled code makes may be changed there; those of others may not."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.core.diagnostics import S2sadError

X = np.array([1.0, 2.0, 3.0])
OUTSIDE: list[object] = []


def grown_list(x):
    states, h = [], 0.0
    for i in range(3):
        h = h * 0.5 + x[i] * x[i]
        states.append(h)
    return states[0] + states[1] * 10 + states[-1] * 100


def two_names(x):
    one = [1]
    other = one
    one += [2, 3]
    other[0] = 5
    other.extend((7, 8))
    one.insert(0, 9)
    last = other.pop()
    return x * sum(one) + last


def dicts(x):
    found = {"a": x}
    found["b"] = x * 2
    found.setdefault("c", 3.0)
    found.update(a=found["a"] + 1)
    rest = found.pop("b")
    return found["a"] + rest * found["c"] + len(found)


def of_slices_and_sums(x):
    parts = [x * i for i in range(4)]
    some = parts[1:]
    some.append(x)
    more = some + [x]
    more.reverse()
    more[0] = x * 7
    return sum(more) + sum(some, x) - len(parts)


def in_a_static_while(x):
    found, n = [], 0
    while True:
        found.append(x * n)
        n += 1
        if n >= 3:
            break
    return sum(found)


def by_a_function(x):
    def add(items, item):
        items.append(item)

    items = []
    add(items, x)
    add(items, x * 2)
    return items[0] + items[1] * len(items)


AGREE = [grown_list, two_names, dicts, of_slices_and_sums, in_a_static_while, by_a_function]


@pytest.mark.parametrize("function", AGREE, ids=lambda f: f.__name__)
def test_they_are_pythons(function):
    compiled = ms.compile(function)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(ms.Tensor(X)).asnumpy(), function(X))
    found = ms.grad(compiled)(ms.Tensor(X)).asnumpy()
    for i, step in enumerate(np.eye(3) * 1e-6):
        slope = (np.sum(function(X + step)) - np.sum(function(X - step))) / 2e-6
        assert found[i] == pytest.approx(slope, rel=1e-6)


def one_from_outside(x):
    OUTSIDE.append(x)
    return x


def in_a_branch(x):
    found = []
    if x.sum() > 0:
        found.append(x)
    return x


def in_a_loop_on_data(x):
    found = [x]
    while x.sum() < 100.0:
        x = x * 2.0
        found[0] = x
    return x


def in_a_gradient(x):
    found = [x]

    def loss(y):
        found.append(y)
        return (y * y).sum()

    return ms.grad(loss)(x)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (one_from_outside, "from outside"), (in_a_branch, "a branch or a loop on data"),
        (in_a_loop_on_data, "a branch or a loop on data"), (in_a_gradient, "cannot be changed"),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)  # fmt: skip
def test_others_are_not_changed(function, text):
    with pytest.raises(S2sadError, match="E0104") as caught:
        ms.compile(function)(ms.Tensor(X))
    assert text in str(caught.value) and caught.value.diagnostic.help
    assert OUTSIDE == []


def test_a_stack_of_what_was_gathered():
    def rnn(xs, h, w):
        states = []
        for x in xs:
            h = ops.tanh(x + ops.matmul(h, w))
            states.append(h)
        return ops.stack(states)

    rng = np.random.default_rng(0)
    xs, h, w = rng.standard_normal((5, 3)), np.zeros(3), rng.standard_normal((3, 3))
    expected = []
    for x in xs:
        h = np.tanh(x + h @ w)
        expected.append(h)
    found = ms.compile(rnn)(ms.Tensor(xs), ms.Tensor(np.zeros(3)), ms.Tensor(w))
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12)
