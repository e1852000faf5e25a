"""Parameters written and gradients cut, in both forms."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.dtypes import ALL
from support.forms import both_forms, refused, require_same


@pytest.fixture
def w():
    return ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(
    "value", [ms.Tensor([3.0, 4.0]), ms.Tensor([3, 4]), ms.Tensor([3.0, 4.0], ms.float64)]
)
def test_assign(w, value, is_compiled):
    def run(x):
        given = ops.assign(w, x)
        return given + 1, w * 2

    run = ms.compile(run) if is_compiled else run
    one, two = run(value)
    assert one.dtype is two.dtype is w.dtype is ms.float32
    assert (one.tolist(), two.tolist(), w.tolist()) == ([4.0, 5.0], [6.0, 8.0], [3.0, 4.0])


def test_reads_before_and_after_a_write():
    w = ms.Parameter(ms.Tensor([1.0]), name="w")

    def run(x):
        before = w * 1
        ops.assign(w, w + x)
        between = w * 1
        ops.assign(w, w * 10)
        return before, between, w * 1

    x = ms.Tensor([2.0])
    plain = run(x)
    assert [t.item() for t in plain] == [1.0, 3.0, 30.0] and w.item() == 30.0
    w.set_data([1.0])
    require_same(ms.compile(run)(x), plain)
    assert w.item() == 30.0


@pytest.mark.parametrize("target", ALL, ids=str)
@pytest.mark.parametrize("source", ALL, ids=str)
def test_data_go_up_and_not_down(target, source):
    w = ms.Parameter(ms.Tensor([0], target), name="w")
    value = ms.Tensor([1], source)

    def run(value):
        ops.assign(w, value)

    rank = [dtype.is_integer + 2 * dtype.is_float for dtype in (target, source)]
    if rank[0] < rank[1]:
        refused("E0301", run, value)
        assert w.tolist() == [0]
    else:
        for function in (run, ms.compile(run)):
            w.set_data(ms.Tensor([0], target))
            function(value)
            assert w.tolist() == [1] and w.dtype is target


def test_what_cannot_be_assigned(w):
    def shape(x):
        ops.assign(w, ops.sum(x))

    def number(x):
        ops.assign(w, 3.0)

    def text(x):
        ops.assign(w, "text")

    def nothing(x):
        ops.assign(w, None)

    def no_parameter(x):
        ops.assign(x, x)

    for function, code in (
        (shape, "E0401"), (number, "E0401"), (text, "E0304"), (nothing, "E0304"),
        (no_parameter, "E0304"),
    ):  # fmt: skip
        refused(code, function, ms.Tensor([1.0, 2.0]))
    assert w.tolist() == [1.0, 2.0] and w.version == 0


def test_numbers_and_arrays():
    w = ms.Parameter(ms.Tensor(1.0), name="w")
    ops.assign(w, 3)
    assert w.item() == 3.0
    ops.assign(w, np.float64(4.5))
    assert w.item() == 4.5
    ops.assign(w, np.array(5.5))
    assert w.item() == 5.5

    def run(x):
        ops.assign(w, 7)
        return w + x

    assert ms.compile(run)(ms.Tensor(1.0)).item() == 8.0 and w.item() == 7.0


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = ms.Parameter(ms.Tensor(0, ms.int32), requires_grad=False)

    def construct(self, x):
        ops.assign(self.count, self.count + 1)
        return x * self.count


def test_state_of_a_cell_inside_of_a_gradient():
    net = Counter()
    step = ms.grad(lambda x: net(x) + net(x))
    x = ms.Tensor([1.0])
    assert [step(x).item() for _ in range(3)] == [3.0, 7.0, 11.0]
    assert net.count.item() == 6 and net.count.dtype is ms.int32


# ---- stop_gradient --------------------------------------------------------------------------


def test_stop_gradient():
    def run(x, n):
        held = ops.stop_gradient({"a": [x * 2, 3], "b": (x, None), "c": n})
        return held, ops.stop_gradient(x), ops.stop_gradient(2.5) * x

    x, n = ms.Tensor([1.0, 2.0]), ms.Tensor([1, 2])

    def flat(x, n):
        held, alone, scaled = run(x, n)
        return held["a"][0], held["b"][0], held["c"], alone, scaled

    assert [t.tolist() for t in both_forms(flat, x, n)] == [
        [2.0, 4.0], [1.0, 2.0], [1, 2], [1.0, 2.0], [2.5, 5.0]
    ]  # fmt: skip
    assert run(x, n)[0]["a"][1] == 3 and run(x, n)[0]["b"][1] is None
    assert ms.grad(flat)(x, n).tolist() == [2.5, 2.5]


def test_stop_gradient_of_a_part():
    def run(x, y):
        return ops.stop_gradient(x) * x * ops.stop_gradient(y * x)

    by_x, by_y = ms.grad(run, (0, 1))(ms.Tensor([3.0]), ms.Tensor([2.0]))
    assert by_x.item() == 18.0 and by_y.item() == 0.0


# ---- changes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(
    ("change", "expected"), [(ops.assign_add, [4.0, 6.0]), (ops.assign_sub, [-2.0, -2.0])]
)
def test_changes(w, change, expected, is_compiled):
    def run(x):
        given = change(w, x)
        return given + 1, w * 2, change(w, 0)

    run = ms.compile(run) if is_compiled else run
    for value in (ms.Tensor([3.0, 4.0]), ms.Tensor([3, 4], ms.int8), ms.Tensor([3, 4], ms.float64)):
        w.set_data([1.0, 2.0])
        one, two, same = run(value)
        assert one.dtype is two.dtype is same.dtype is ms.float32
        assert one.tolist() == [x + 1 for x in expected]
        assert two.tolist() == [x * 2 for x in expected]
        assert same.tolist() == w.tolist() == expected


def test_changes_in_program_order():
    n = ms.Parameter(ms.Tensor(1.0), name="n", requires_grad=False)
    one = ms.Tensor(1.0)

    def run(x):
        before = n * 1.0
        ops.assign(n, n * 2.0)
        middle = n * 1.0
        for _ in range(2):
            ops.assign_add(n, one)
        if x > 0:
            ops.assign_add(n, 10)
        else:
            ops.assign_sub(n, ops.depend(n, ops.assign_add(n, 1.0)))
        return x * before, x * middle, x * n

    found = []
    for function in (run, ms.compile(run)):
        n.set_data(1.0)
        found.append([x.item() for v in (2.0, -1.0) for x in function(ms.Tensor(v))])
        assert n.item() == 0.0
    assert found[0] == found[1] == [2.0, 4.0, 28.0, -14.0, -28.0, 0.0]


def test_numbers_broadcast_and_keep_the_dtype():
    n = ms.Parameter(ms.Tensor([1, 2], ms.int8), name="n")
    assert ops.assign_add(n, 3).tolist() == [4, 5] and n.dtype is ms.int8
    assert ops.assign_add(n, ms.Tensor(100)).tolist() == [104, 105]
    assert ops.assign_add(n, ms.Tensor([100])).tolist() == [-52, -51]  # integers wrap
    flags = ms.Parameter(ms.Tensor([True]), name="b")
    for change in (ops.assign_add, ops.assign_sub):
        with pytest.raises(ms.S2sadError):
            change(flags, ms.Tensor([True]))


@pytest.mark.parametrize("change", [ops.assign_add, ops.assign_sub])
def test_what_cannot_be_added(w, change):
    n = ms.Parameter(ms.Tensor(1), name="n")

    def shape(x):
        change(n, x)

    def floats(x):
        change(n, 1.5)

    def text(x):
        change(w, "text")

    def no_parameter(x):
        change(x, x)

    for function, code in (
        (shape, "E0401"), (floats, "E0301"), (text, "E0304"), (no_parameter, "E0304")
    ):  # fmt: skip
        refused(code, function, ms.Tensor([1, 2]))
    assert (w.tolist(), n.item(), w.version, n.version) == ([1.0, 2.0], 1, 0, 0)


@pytest.mark.parametrize("is_compiled", [False, True])
def test_changes_from_threads_are_all_made(is_compiled):
    n = ms.Parameter(ms.Tensor(0), name="n")

    def count(x):
        ops.assign_add(n, x)

    run = ms.compile(count) if is_compiled else count
    run(ms.Tensor(0))

    def work():
        for _ in range(100):
            run(ms.Tensor(1))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert n.item() == 400


def test_depend():
    def run(x):
        return ops.depend(x * 2, (x, None, "anything"))

    assert both_forms(run, ms.Tensor([1.0])).tolist() == [2.0]
