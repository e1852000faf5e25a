"""Do branches and loops on data mean what they mean under plain Python?

Eager code runs on the same tensors, where a condition is a tensor of one element.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.prims import ALL


def f32(*values: float) -> ms.Tensor:
    return ms.Tensor(np.array(values, np.float32))


def i64(value: int) -> ms.Tensor:
    return ms.Tensor(value)


def assigns_in_both(x, n):
    if x.sum() > 0:
        y, k = x * 2, 2
    elif n > 1:
        y, k = -x, 3
    else:
        y, k = x, 4
    return y * k


def assigns_in_one(x, n):
    y = x
    if n > 1:
        y = y * 3
        x = (x, y)[1]
    return x + y


def nested(x, n):
    if n > 0:
        if x.sum() > 0:
            x = x * 2
        else:
            x = x * 3
            for _ in range(2):
                x = x + 1
    return x


def conditional_expressions(x, n):
    scale = 2.0 if n > 1 else 3.0
    return (x if x.sum() > 0 else -x) * scale


def booleans(x, n):
    if n > 0 and x.sum() > 0 or not n > -1:
        x = x + 1
    if -1 < n < 2:
        x = x * 10
    return x


def while_counts(x, n):
    i = 0
    while i < n:
        x = x * 1.5 + i
        i += 1
    return x, i


def while_never(x, n):
    while n < -100:
        n = n - 1
        x = x * 0
    return x, n


def while_nested(x, n):
    total = x.sum() * 0.0
    i = 0
    while i < n:
        j = 0
        while j <= i:
            total = total + x.sum()
            j = j + 1
        i = i + 1
    else:
        total = total * 2
    return total


def for_range(x, n):
    total = x * 0
    for i in range(n):
        total = total + x * i
    for i in range(n, 0, -2):
        total = total - i
    return total


def carries_containers(x, n):
    state = {"h": x, "pair": (x, 1.0), "name": "static"}
    i = 0
    while i < n:
        h = state["h"] * 0.5
        state = {"h": h, "pair": (h + 1, state["pair"][1] * 2), "name": "static"}
        i = i + 1
    return state["h"], state["pair"]


def number_takes_the_dtype_of_the_body(x, n):
    total = 0
    i = 0
    while i < n:
        total = total + x.sum()
        i = i + 1
    return total


def number_carried_through_loops(x, n):
    total = 0.0
    i = 0
    while i < n:
        for j in range(n):
            if x.sum() > 0:
                total = total + x.sum() * j
        for k in range(4):
            total = total + x[k % 2] * k
        i = i + 1
    return total


def body_local(x, n):
    i = 0
    while i < n:
        step = x * i
        x = x + step
        i = i + 1
    return x


def left_in_the_middle(x, n):
    i = 0
    while True:
        i = i + 1
        y = x * i
        if i > n:
            break
        x = x + y
    return x, y, i


PROGRAMS = [
    left_in_the_middle, assigns_in_both, assigns_in_one, nested, conditional_expressions,
    booleans, while_counts,
    while_never, while_nested, for_range, carries_containers, number_takes_the_dtype_of_the_body,
    number_carried_through_loops, body_local,
]  # fmt: skip


def same(found, expected) -> None:
    if isinstance(expected, (tuple, list)):
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    other = expected.asnumpy() if isinstance(expected, ms.Tensor) else np.asarray(expected)
    np.testing.assert_array_equal(found.asnumpy(), other)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("x", [(1.0, 2.0), (-1.0, 0.5)])
def test_compiled_is_python(program, n, x) -> None:
    same(ms.compile(program)(f32(*x), i64(n)), program(f32(*x), i64(n)))


def test_one_variant_serves_every_trip_count() -> None:
    compiled = ms.compile(while_counts)
    for n in range(4):
        compiled(f32(1.0), i64(n))
    assert len(compiled.variants) == 1


def test_the_side_not_taken_is_not_evaluated() -> None:
    table = f32(1.0, 2.0)
    compiled = ms.compile(lambda i: gather_or_sum(table, i))
    assert compiled(i64(1)).item() == 2.0
    assert compiled(i64(7)).item() == 3.0  # index 7 is out of range


def gather_or_sum(table, i):
    if i < 2:
        y = ALL["gather"](table, i, axis=0)
    else:
        y = table.sum()
    return y


class Pair(NamedTuple):
    first: ms.Tensor
    second: ms.Tensor


def test_named_tuples_pass_through_branches_and_loops() -> None:
    def program(one, other, n):
        pair = one if n > 1 else other
        i = 0
        while i < n:
            pair = one if i > 0 else pair
            i = i + 1
        return pair.first * 10 + pair.second

    one, other = Pair(f32(2.0), f32(3.0)), Pair(f32(5.0), f32(7.0))
    compiled = ms.compile(program)
    for n, expected in ((0, other), (1, other), (3, one)):
        found = compiled(one, other, i64(n))
        same(found, expected.first * 10 + expected.second)


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = ms.Parameter(ms.Tensor(1.0), name="n", requires_grad=False)

    def construct(self, x):
        before = self.n * 1.0
        ops.assign(self.n, self.n * 2.0)
        i = 0
        while i < x:
            ops.assign(self.n, self.n + 1.0)
            i = i + 1
        if x > 0:
            ops.assign(self.n, self.n + 10.0)
        return before, self.n * 1.0


def test_parameters_are_written_in_program_order() -> None:
    net = Counter()
    compiled = ms.compile(net)
    assert [t.item() for t in compiled(ms.Tensor(2.0))] == [1.0, 14.0]
    assert net.n.item() == 14.0
    assert [t.item() for t in compiled(ms.Tensor(-1.0))] == [14.0, 28.0]
    assert net.n.item() == 28.0 and len(compiled.variants) == 1


def differences(program, x, n) -> np.ndarray:
    """Gradient of the sum of all float results, by central differences of plain Python."""
    step, found = 1e-6, np.zeros_like(x)

    def total(values) -> float:
        results = program(ms.Tensor(values), i64(n))
        flat = results if isinstance(results, tuple) else (results,)
        leaves = [leaf for part in flat for leaf in (part if isinstance(part, tuple) else (part,))]
        return sum(
            float(leaf.asnumpy().sum())
            for leaf in leaves
            if isinstance(leaf, ms.Tensor) and leaf.dtype.is_float
        )

    for index in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[index] += step
        behind[index] -= step
        found[index] = (total(ahead) - total(behind)) / (2 * step)
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("x", [(1.0, 2.0), (-1.0, 0.5)])
def test_the_gradient_is_that_of_python(program, n, x) -> None:
    x = np.array(x)
    found = ms.grad(program)(ms.Tensor(x), i64(n)).asnumpy()
    np.testing.assert_allclose(found, differences(program, x, n), rtol=1e-6, atol=1e-7)
