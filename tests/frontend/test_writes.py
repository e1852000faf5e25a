"""Writes to items: all names of one tensor see them, views and maybe-aliases are refused.

What a program computes is compared with Python itself, run on NumPy arrays.
"""

from __future__ import annotations

from types import FunctionType, SimpleNamespace

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError

NUMPY = {"ops": SimpleNamespace(reshape=np.reshape, zeros_like=np.zeros_like)}
X = np.array([1.0, 2.0, 3.0])


def in_numpy(function, *args):
    """The same code, with NumPy's functions for those of `ops`."""
    return FunctionType(function.__code__, {**function.__globals__, **NUMPY})(*args)


def two_names(x, n):
    y = x * 1.0
    z = [y, x]
    y[0] = 5.0
    return y + z[0] * 10.0


def aliased_in_a_while(x, n):
    y = x * 1.0
    a = y
    i = 0
    while i < n:
        a[i] = y[i] + 7.0
        i = i + 1
    return y + a * 10.0


def exchanged_in_a_while(x, n):
    a, b = x * 1.0, x * 2.0
    i = 0
    while i < n:
        a[0] = a[0] + 1.0
        a, b = b, a
        i = i + 1
    return a + b * 100.0


def parted_by_a_while(x, n):
    h = x * 1.0
    c = h
    i = 0
    while i < n:
        c = h
        h = h * 2.0
        i = i + 1
    return h + c * 100.0


def both_sides_of_a_branch(x, n):
    y = x * 1.0
    a = y
    if n > 1:
        a[0] = 1.0
    else:
        y[1] = 3.0
    a[2] = 9.0
    return y + a * 10.0


def perhaps_the_same_and_not_read(x, n):
    y = x * 1.0
    z = x * 2.0
    if n > 1:
        z = y
    z[0] = 5.0
    return z * 10.0


def nested_loops(x, n):
    y = x * 1.0
    a = y
    i = 0
    while i < n:
        j = 0
        while j < 2:
            a[j] = a[j] + 1.0
            j = j + 1
        i = i + 1
    return y + a * 10.0


def static_loop(x, n):
    y = x * 1.0
    a = y
    for i in range(3):
        a[i] = y[i] * 2.0 + n
    return y + a * 10.0


def static_loop_that_exchanges(x, n):
    a, b = x * 1.0, x * 2.0
    for i in range(5):
        a[i % 3] = a[0] + 1.0
        a, b = b, a
    return a + b * 100.0


def buffer_in_a_kept_loop(x, n):
    y = ops.zeros_like(x)
    for i in range(3):
        y[i] = x[i] * x[i]
        y[i] += x[2 - i]
    return y


def named_in_the_body(x, n):
    y = x * 1.0
    i = 0
    while i < n:
        b = y
        b[i] = 4.0
        i = i + 1
    return y


def in_a_list(x, n):
    y = x * 1.0
    held = [y, x]
    i = 0
    while i < n:
        held[0][i] = 4.0 + i
        i = i + 1
    return y + held[0] * 10.0


def by_a_function(x, n):
    def write(array, i):
        array[i] = array[i] * 3.0

    y = x * 1.0
    write(y, 0)
    write(y, 2)
    return y


def by_a_closure(x, n):
    y = x * 1.0

    def write(i):
        y[i] = y[i] * 3.0

    write(0)
    write(2)
    return y


def into_a_view(x, n):
    row = ops.reshape(x * 1.0, (1, 3))[0]
    row[1] = 5.0
    return row


def copied_before(x, n):
    y = x * 1.0
    first = y[0:2].copy()
    y[0] = 9.0
    return y[0:2] + first * 10.0


def slices_and_masks(x, n):
    y = x * 1.0
    y[1:] = y[:2]
    y[[0, 0]] = x[1:]
    y[...] = y * 2.0
    y[y > 5.0] = -1.0
    return y


def where_a_mask_holds(x, n):
    y = x * 1.0
    z = y
    y[y > 1.7] *= 2.0
    y[x < 2.2] -= n
    y[x > 0.7] **= 2
    return y + z


def at_an_index_that_is_counted(x, n):
    calls = []

    def following():
        calls.append(len(calls))
        return calls[-1]

    y = x * 1.0
    y[following()] += 5.0
    y[following()] *= 3.0
    return y * len(calls)


AGREE = [
    where_a_mask_holds, at_an_index_that_is_counted,
    two_names, aliased_in_a_while, exchanged_in_a_while, parted_by_a_while, both_sides_of_a_branch,
    perhaps_the_same_and_not_read, nested_loops, static_loop, static_loop_that_exchanges,
    buffer_in_a_kept_loop, named_in_the_body, in_a_list, by_a_function, by_a_closure, into_a_view,
    copied_before, slices_and_masks,
]  # fmt: skip


@pytest.mark.parametrize("function", AGREE, ids=lambda f: f.__name__)
def test_code_means_what_it_means_to_python(function):
    compiled = ms.compile(function)
    for n in (0, 1, 2):
        x = ms.Tensor(X)
        found = compiled(x, ms.Tensor(n))
        np.testing.assert_array_equal(found.asnumpy(), in_numpy(function, X.copy(), n))
        np.testing.assert_array_equal(x.asnumpy(), X)  # what is passed in does not change


@pytest.mark.parametrize("function", AGREE, ids=lambda f: f.__name__)
def test_gradients_go_through_writes(function):
    for n in (1, 2):
        found = ms.grad(ms.compile(function))(ms.Tensor(X), ms.Tensor(n)).asnumpy()
        for i, step in enumerate(np.eye(3) * 1e-5):
            ends = [in_numpy(function, X + s * step, n).sum() for s in (1, -1)]
            assert found[i] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-6, abs=1e-6)


def view_of_what_is_written(x, n):
    y = x * 1.0
    row = y[1:]
    y[1] = 0.0
    return row


def base_of_a_view_that_is_written(x, n):
    y = ops.reshape(x * 1.0, (1, 3))
    row = y[0]
    row[1] = 5.0
    return y


def view_of_what_a_loop_writes(x, n):
    y = x * 1.0
    row = y[1:]
    i = 0
    while i < n:
        y[i] = 0.0
        i = i + 1
    return row


def view_of_what_a_kept_loop_writes(x, n):
    y = x * 1.0
    row = y[1:]
    for i in range(3):
        y[i] = 0.0
    return row


def perhaps_the_same(x, n):
    y = x * 1.0
    z = x * 2.0
    if n > 1:
        z = y
    z[0] = 5.0
    return y


def shared_from_the_second_pass_on(x, n):
    a, b = x * 1.0, x * 2.0
    i = 0
    while i < n:
        a[0] = 5.0
        a = b
        i = i + 1
    return b


def out_of_a_branch(x, n):
    y = x * 1.0

    def write():
        if n > 1:
            y[0] = 5.0

    write()
    return y


def in_a_gradient(x, n):
    y = x * 1.0

    def loss(z):
        y[0] = 5.0
        return (z * y).sum()

    return ms.grad(loss)(x) + y


def what_no_variable_holds(x, n):
    (x * 2.0)[0] = 1.0
    return x


def a_tensor_from_outside(x, n):
    OUTSIDE[0] = 1.0
    return x


OUTSIDE = ms.Tensor(X)


@pytest.mark.parametrize(
    ("function", "code", "text"),
    [
        (view_of_what_is_written, "E0107", "`row` may share"),
        (base_of_a_view_that_is_written, "E0107", "`y` may share"),
        (view_of_what_a_loop_writes, "E0107", "`row` may share"),
        (view_of_what_a_kept_loop_writes, "E0107", "`row` may share"),
        (perhaps_the_same, "E0107", "`y` may share"),
        (shared_from_the_second_pass_on, "E0104", "from the second pass on"),
        (out_of_a_branch, "E0104", "changes `y`"),
        (in_a_gradient, "E0104", "writes into `y`"),
        (what_no_variable_holds, "E0104", "no variable holds"),
        (a_tensor_from_outside, "E0104", "from outside"),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_what_would_differ_from_python_is_refused(function, code, text):
    with pytest.raises(S2sadError) as caught:
        ms.compile(function)(ms.Tensor(X), ms.Tensor(2))
    assert caught.value.code == code and text in str(caught.value)
    assert caught.value.diagnostic.location.file.endswith("test_writes.py")


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = ms.Parameter(ms.Tensor(1.0), name="n", requires_grad=False)
        self.v = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]), name="v")
        self.plain = 3

    def construct(self, x):
        self.n = self.n + x
        self.n += 1.0
        self.v[1] = 10.0
        if x > 0:
            self.v[0] = x
        for i in range(3):
            self.v[i] += 1.0
        return self.n * 1.0, self.v[0:2] * 1.0


def test_parameters_are_written_by_attribute_and_item():
    for compiled in (True, False):
        net = Counter()
        call = ms.compile(net) if compiled else net
        count, row = call(ms.Tensor(2.0))
        assert count.item() == 4.0 and net.n.item() == 4.0 and isinstance(net.n, ms.Parameter)
        assert row.asnumpy().tolist() == [3.0, 11.0]
        assert net.v.asnumpy().tolist() == [3.0, 11.0, 4.0]


class Plain:
    by = 2


PLAIN = Plain()


def test_attributes_of_other_objects_are_not_written():
    class Bad(Counter):
        def construct(self, x):
            PLAIN.by = 4
            return x

    with pytest.raises(S2sadError, match=r"E0101.*PLAIN\.by"):
        ms.compile(Bad())(ms.Tensor(2.0))
    assert PLAIN.by == 2


def test_attributes_of_a_cell_are_written_when_the_program_runs():
    class Marks(Counter):
        def construct(self, x):
            self.mark = 4
            return x * self.mark

    net = Marks()
    compiled = ms.compile(net)
    compiled.lower("f32[]")
    assert not hasattr(net, "mark")
    assert compiled(ms.Tensor(2.0)).item() == 8.0 and net.mark == 4
    with pytest.raises(S2sadError, match="E0104"):
        compiled.sink([ms.Tensor(2.0), ms.Tensor(3.0)])
