"""Who holds the memory of what compiled code reads, writes and gives out?

Nothing that a call gives out may change by a later call, or change what a later call sees; and a
Parameter takes what was written as a whole, or keeps what it had.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad import prims as p
from s2sad.binding.cause import Cause, most_common
from s2sad.binding.variant import released
from s2sad.core.diagnostics import S2sadError
from s2sad.core.tensor import Tensor


def x_and_w(*shape):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=shape), rng.normal(size=shape)
    return ms.Tensor(x), ms.Parameter(ms.Tensor(w), name="w")


def spoil(result):
    """Overwrite every array in `result`."""
    if isinstance(result, Tensor):
        array = result.asnumpy()
        assert array.flags.writeable
        array[...] = 77
    elif isinstance(result, dict):
        spoil(list(result.values()))
    elif isinstance(result, (tuple, list)):
        for item in result:
            spoil(item)


def copied(result):
    if isinstance(result, Tensor):
        return result.asnumpy().copy()
    if isinstance(result, (tuple, list)):
        return [copied(item) for item in result]
    return result


def same(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other)


# ---- what is given out ----------------------------------------------------------------------

CONSTANT = ms.Tensor(np.arange(6.0).reshape(2, 3))


def an_argument(x, w):
    return x


def a_parameter(x, w):
    return w


def a_captured_tensor(x, w):
    return CONSTANT


def views(x, w):
    return x.T, ops.reshape(x, (-1,)), w.T, ops.flatten(w), ops.reshape(CONSTANT, (6,))


def a_constant(x, w):
    return ops.where(x > 1e9, x, 0.0), ops.where(True, 1.0, 2.0)


def one_value_twice(x, w):
    y = x * 2
    return y, [y, y.T], ops.reshape(y, (-1,))


def broadcast(x, w):
    return x * 0 + ops.sum(w), p.broadcast_to(ops.sum(x), shape=(4, 3))


def written_and_returned(x, w):
    y = w * x
    ops.assign(w, y)
    return y, w, y.T


def written_to_two(x, w):
    y = x * 3
    ops.assign(w, y)
    ops.assign(OTHER, y)
    return y


def written_argument(x, w):
    ops.assign(w, x)
    return w


def exchanged(x, w):
    old = w + 0
    ops.assign(w, OTHER)
    ops.assign(OTHER, old)
    return x


def not_changed(x, w):
    ops.assign(w, w)
    return w


OTHER = ms.Parameter(ms.Tensor(np.ones((2, 3))), name="other")
FUNCTIONS = [
    an_argument, a_parameter, a_captured_tensor, views, a_constant, one_value_twice, broadcast,
    written_and_returned, written_to_two, written_argument, exchanged, not_changed,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_nobody_elses_memory(function):
    x, w = x_and_w(2, 3)
    OTHER.set_data(np.ones((2, 3)))
    compiled = ms.compile(lambda x: function(x, w))
    start = copied([x, w, OTHER, CONSTANT])

    def again():
        for tensor, value in zip((x, w, OTHER), start, strict=False):
            tensor.asnumpy()[...] = value
        return compiled(x)

    expected = copied(again())
    state = copied([w, OTHER])
    result = again()
    spoil(result)
    assert same(copied([x, w, OTHER, CONSTANT]), [start[0], *state, start[3]])
    assert same(copied(again()), expected)
    arrays = [t.array for t in tensors_in(result)] + [x.array, w.array, OTHER.array, CONSTANT.array]
    for i, one in enumerate(arrays):
        for other in arrays[:i]:
            assert not np.shares_memory(one, other)
        assert one.flags.c_contiguous


def tensors_in(result):
    if isinstance(result, Tensor):
        return [result]
    return [t for item in result for t in tensors_in(item)]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_compiled_and_plain_python_do_the_same(function):
    x, w = x_and_w(2, 3)
    OTHER.set_data(np.ones((2, 3)))
    start = w.asnumpy().copy()
    plain = copied(function(x, w))
    state = copied([w, OTHER])
    w.set_data(start), OTHER.set_data(np.ones((2, 3)))
    assert same(copied(ms.compile(lambda x: function(x, w))(x)), plain)
    assert same(copied([w, OTHER]), state)


def test_gradients_are_nobody_elses_memory():
    w = ms.Parameter(ms.Tensor([2.0, 3.0]), name="w")
    unused = ms.Parameter(ms.Tensor([2.0, 3.0]), name="unused")
    step = ms.value_and_grad(lambda x, y: x + w, (0, 1), (w, unused, w))
    x = ms.Tensor([1.0, 1.0])
    first = step(x, x)
    expected = copied(first)
    spoil(first)
    assert same(copied(step(x, x)), expected)
    assert w.tolist() == [2.0, 3.0] and x.tolist() == [1.0, 1.0]


# ---- what is written ------------------------------------------------------------------------


def test_a_view_taken_before_keeps_its_numbers():
    w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    increase = ms.compile(lambda x: ops.assign(w, w + x))
    view, value = w.asnumpy(), w.value()
    increase(ms.Tensor([10.0, 10.0]))
    assert view.tolist() == value.tolist() == [1.0, 2.0]
    assert w.tolist() == [11.0, 12.0] and w.version == 1


def test_an_update_in_place_leaves_views_and_tensors_alone():
    w = ms.Parameter(ms.Tensor(np.zeros((4, 2))), name="w")
    rows = ms.Tensor([1, 3])

    def add_rows(x):
        ops.assign(w, p.index_add(w, rows, x, axis=0))

    compiled = ms.compile(add_rows)
    x = ms.Tensor(np.ones((2, 2)))
    compiled(x)
    assert compiled.last.executable.overwrites == {2} or compiled.last.executable.overwrites
    memory = w.array.ctypes.data
    compiled(x)
    assert w.array.ctypes.data == memory  # nobody else looks: written where it lies
    assert w.asnumpy()[:, 0].tolist() == [0, 2, 0, 2]
    view, value = w.asnumpy(), w.value()
    compiled(x)
    assert view[:, 0].tolist() == value.asnumpy()[:, 0].tolist() == [0, 2, 0, 2]
    assert w.asnumpy()[:, 0].tolist() == [0, 3, 0, 3]
    del view, value
    memory = w.array.ctypes.data
    compiled(x)
    assert w.array.ctypes.data == memory and w.version == 4


def test_a_parameter_may_be_given_and_reached_by_name():
    w, v = (ms.Parameter(ms.Tensor(np.zeros(3)), name=n) for n in "wv")

    def step(a, b):
        old = a * 1
        ops.assign(w, p.index_add(w, ROWS, ops.reshape(ops.sum(b) + 1, (1,)), axis=0))
        ops.assign(a, a * 10)
        return old, a + b, w * 1

    compiled = ms.compile(step)
    for one, other in ((w, w), (v, w), (w, v), (v, v)):
        w.set_data(np.arange(3.0)), v.set_data(np.ones(3))
        plain = copied([*step(one, other), w, v])
        w.set_data(np.arange(3.0)), v.set_data(np.ones(3))
        assert same(copied([*compiled(one, other), w, v]), plain)
    assert len(compiled.variants) == 4


ROWS = ms.Tensor([0])


def test_what_fails_leaves_every_parameter_as_it_was():
    w, v = (ms.Parameter(ms.Tensor(np.ones((3, 2))), name=n) for n in "wv")

    def step(x, rows):
        ops.assign(w, w + x)
        ops.assign(v, p.index_add(v, rows, x, axis=0))
        return p.gather(w, rows, axis=0)

    compiled = ms.compile(step)
    x = ms.Tensor(np.ones((3, 2)))
    compiled(x, ms.Tensor([0, 1, 2]))
    before = copied([w, v]), w.version, v.version
    with pytest.raises(S2sadError, match="E0501") as caught:
        compiled(x, ms.Tensor([0, 1, 7]))
    assert caught.value.diagnostic.location.line == step.__code__.co_firstlineno + 2
    after = copied([w, v]), w.version, v.version
    assert same(before[0], after[0]) and before[1:] == after[1:]
    compiled(x, ms.Tensor([0, 0, 0]))
    assert v.asnumpy()[:, 0].tolist() == [5.0, 2.0, 2.0]


def test_a_parameter_takes_its_dtype():
    w = ms.Parameter(ms.Tensor([1.0, 2.0], ms.float16), name="w")
    n = ms.Parameter(ms.Tensor([1, 2], ms.int8), name="n")
    written = ms.compile(lambda x: ops.assign(w, x))(ms.Tensor([0.1, 3.0], ms.float64))
    assert w.dtype is written.dtype is ms.float16 and w.tolist() == written.tolist()
    with pytest.raises(S2sadError, match="E0301"):
        ms.compile(lambda x: ops.assign(n, x))(ms.Tensor([0.1, 3.0]))
    with pytest.raises(S2sadError, match="E0401"):
        ms.compile(lambda x: ops.assign(w, x))(ms.Tensor([0.1]))
    assert n.tolist() == [1, 2]


def test_assigning_what_is_no_result_happens_at_each_call():
    w, v = (ms.Parameter(ms.Tensor(float(i)), name=n) for i, n in enumerate("wv"))
    buffer = ms.Tensor(5.0)

    def from_parameter(x):
        ops.assign(w, v)

    def from_tensor(x):
        ops.assign(w, buffer)

    def from_number(x):
        ops.assign(w, 7)

    x = ms.Tensor(0.0)
    for function, expected in ((from_parameter, 1.0), (from_tensor, 5.0), (from_number, 7.0)):
        compiled = ms.compile(function)
        for _ in range(2):
            w.set_data(-1.0)
            compiled(x)
            assert w.item() == expected


# ---- what is read ---------------------------------------------------------------------------


class Holder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.tensor = ms.Tensor([1.0])
        self.parameter = ms.Parameter(ms.Tensor([1.0]), name="parameter")
        self.register_buffer("buffer", ms.Tensor([1.0]))
        self.listed = [ms.Tensor([1.0])]

    def construct(self, x):
        return x * self.tensor * self.parameter * self.buffer * self.listed[0]


def test_tensors_reached_by_name_are_read_at_each_call():
    net = Holder()
    compiled = ms.compile(net)
    x = ms.Tensor([1.0])
    assert compiled(x).item() == 1.0
    for tensor in (net.tensor, net.buffer, net.listed[0]):
        tensor.asnumpy()[...] = 2.0
    net.parameter.set_data([2.0])
    assert compiled(x).item() == 16.0 and len(compiled.variants) == 1


def test_tensors_that_took_the_place_of_others_are_seen():
    net = Holder()
    compiled = ms.compile(net)
    x = ms.Tensor([1.0])
    compiled(x)
    net.tensor = ms.Tensor([3.0])
    assert compiled(x).item() == 3.0
    net.buffer = ms.Tensor([5.0])
    assert compiled(x).item() == 15.0
    net.listed[0] = ms.Tensor([7.0])
    assert compiled(x).item() == 105.0
    del net.parameter
    net.parameter = ms.Parameter(ms.Tensor([0.5]), name="another")
    assert compiled(x).item() == 52.5


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1, 0, 2)])
def test_empty_and_0d_inputs(shape):
    x = ms.Tensor(np.ones(shape, np.float32))

    def f(x):
        return ops.sum(x * 2), x + 1, x.T

    total, more, turned = ms.compile(f)(x)
    assert (total.shape, more.shape, turned.shape) == ((), shape, shape[::-1])
    assert total.item() == 2.0 * np.prod(shape)
    value, gradient = ms.value_and_grad(f)(x)
    np.testing.assert_array_equal(gradient.asnumpy(), np.full(shape, 4.0, np.float32))


@pytest.mark.parametrize("dtype", ms.core.dtypes.ALL, ids=str)
def test_inputs_of_every_dtype(dtype):
    x = ms.Tensor([1, 0, 1], dtype)
    compiled = ms.compile(lambda x: (x, ops.where(x == x, x, x)))
    for result in compiled(x):
        assert result.dtype is dtype and result.tolist() == x.tolist()


# ---- several threads ------------------------------------------------------------------------


def test_one_compiled_function_called_from_several_threads():
    w = ms.Parameter(ms.Tensor(np.arange(3.0)), name="w")
    step = ms.value_and_grad(lambda x: ops.sum(ops.tanh(x * w)), 0, w)
    start = threading.Barrier(4)

    def work(seed):
        rng = np.random.default_rng(seed)
        start.wait()
        for turn in range(30):
            x = rng.normal(size=(1 + (seed + turn) % 5, 3))
            value, (by_x, by_w) = step(ms.Tensor(x))
            t = np.tanh(x * np.arange(3.0))
            np.testing.assert_allclose(value.asnumpy(), t.sum(), rtol=1e-12)
            np.testing.assert_allclose(by_x.asnumpy(), (1 - t**2) * np.arange(3.0), atol=1e-12)
            np.testing.assert_allclose(by_w.asnumpy(), ((1 - t**2) * x).sum(0), atol=1e-12)
        return True

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [True] * 4
    assert len(ms.compile(step).variants) == 5


def test_no_update_is_lost_between_threads():
    w = ms.Parameter(ms.Tensor(np.zeros(2000)), name="w")
    increase = ms.compile(lambda x: ops.assign(w, w + x))
    one = ms.Tensor(np.ones(2000))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: increase(one), range(200)))
    assert w.asnumpy().min() == w.asnumpy().max() == 200.0 and w.version == 200


# ---- the pieces -----------------------------------------------------------------------------


def test_released():
    fresh = np.ones((2, 3))
    held: set[int] = set()
    assert released(fresh, held) is fresh
    assert released(fresh, held) is not fresh  # held by who got it first
    whole = np.ones((2, 3)).reshape(6)
    assert released(whole, held) is whole  # a view of all of an array that nobody holds
    for shared in (fresh[:1], np.ones((2, 3)).T, np.ones(6)[::2], np.broadcast_to(1.0, (2, 2))):
        given = released(shared, held)
        assert given.base is None and given.flags.c_contiguous and given.flags.writeable
        np.testing.assert_array_equal(given, shared)
    foreign = np.frombuffer(bytearray(8), np.uint8)
    assert released(foreign[:], held).base is None
    windows = np.lib.stride_tricks.as_strided(fresh, (2, 3), fresh.strides)
    assert not np.shares_memory(released(windows, held), fresh)
    constant = np.ones(3)
    constant.flags.writeable = False
    assert released(constant, held).flags.writeable


def test_the_most_common_cause():
    causes = [Cause("a", "1"), Cause("b", "2"), Cause("a", "3"), Cause("b", "4"), Cause("b", "5")]
    assert most_common(causes) == Cause("b", "5")
