"""Can several threads compile, run and train at once, and is every result as with one thread?"""

from __future__ import annotations

import inspect
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import compiled, nn, ops
from s2sad.core import changes, location
from s2sad.core.diagnostics import S2sadError

X = np.float32([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]])


@pytest.fixture(autouse=True)
def turns() -> Iterator[None]:
    """Threads take turns often."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work` gives for each of `count` numbers, begun by all threads at the same time."""
    start = threading.Barrier(count)

    def wait_and_work(number: int) -> Any:
        start.wait(10)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(wait_and_work, range(count)))


class Net(nn.Cell):
    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale
        self.w = ms.Parameter(np.float32([[0.5], [-1.0]]), name="w")

    def construct(self, x: Any) -> Any:
        return ops.sum(ops.tanh(ops.matmul(x, self.w)) * self.scale)


class CompiledNet(Net):
    @ms.jit
    def method(self, x):
        return ops.sum(x * self.scale)


ms.compile(CompiledNet)


def function(x):
    return ops.sum(ops.exp(x))


# ---- the first call --------------------------------------------------------------------------


@pytest.fixture
def compiles(monkeypatch) -> list[Any]:
    """What was compiled, slowly, so that other threads get there as well."""
    made: list[Any] = []
    compile_variant = compiled.compile_variant

    def slow(function, *args, **options):
        made.append(function)
        time.sleep(0.05)
        return compile_variant(function, *args, **options)

    monkeypatch.setattr(compiled, "compile_variant", slow)
    return made


FIRST_CALLS: dict[str, Callable[[], Callable[..., Any]]] = {
    "a Cell in graph mode": Net,
    "a compiled Cell": CompiledNet,
    "a compiled method": lambda: CompiledNet().method,
    "a method that is looked up by each": lambda: _by_name(CompiledNet(), "method"),
    "a Cell that each has compiled": lambda: _compiled_by_each(Net()),
    "a compiled function": lambda: ms.compile(function),
    "a gradient in graph mode": lambda: ms.grad(Net()),
    "a pullback": lambda: _pullback_of(ms.compile(function)),
    "a gradient that each has compiled": lambda: _compiled_by_each(ms.grad(Net())),
}


def _by_name(owner: Any, name: str) -> Callable[..., Any]:
    return lambda x: getattr(owner, name)(x)


def _pullback_of(compiled: Any) -> Callable[..., Any]:
    return lambda x: compiled.vjp(x)[1](ms.Tensor(np.float32(1.0)))[0][0]


def _compiled_by_each(thing: Any) -> Callable[..., Any]:
    return lambda x: ms.compile(thing)(x)


@pytest.mark.parametrize("make", FIRST_CALLS.values(), ids=FIRST_CALLS)
def test_many_threads_make_the_first_call(make, compiles):
    ms.set_context(mode=ms.GRAPH_MODE)
    call, x = make(), ms.Tensor(X)
    results = at_once(12, lambda _: call(x).asnumpy())
    assert len(compiles) == 1
    assert all(np.array_equal(result, results[0]) for result in results)


def test_many_threads_ask_for_the_first_gradient(compiles):
    step, x = ms.grad(Net()), ms.Tensor(X)
    results = at_once(12, lambda _: step(x).asnumpy())
    assert len(compiles) == 1
    assert all(np.array_equal(result, results[0]) for result in results)


def test_every_kind_of_call_is_compiled_once(compiles):
    step = ms.compile(ms.grad(function))
    at_once(12, lambda number: step(ms.Tensor(np.ones(1 + number % 3))))
    assert len(compiles) == len(step.variants) == 3


def test_one_thread_compiles_while_others_run():
    step = ms.compile(ms.value_and_grad(function))

    def work(number):
        for size in range(1, 6):
            x = np.full(size + 5 * number, 0.5)
            value, gradient = step(ms.Tensor(x))
            np.testing.assert_allclose(value.asnumpy(), np.exp(x).sum())
            np.testing.assert_allclose(gradient.asnumpy(), np.exp(x))

    with pytest.warns(UserWarning, match="compiled 9 times"):
        at_once(4, work)
    assert len(step.variants) == 20


# ---- different programs ----------------------------------------------------------------------

OPERATIONS = (ops.exp, ops.tanh, ops.sin, ops.cos, ops.sigmoid, ops.square, ops.abs, ops.relu)


class Deep(nn.Cell):
    """A loop over data, a branch, a child: all that is read recursively."""

    def __init__(self, operation: Callable[[Any], Any]) -> None:
        super().__init__()
        self.operation = operation
        self.inner = Net(0.5)

    def construct(self, x):
        turns = ops.sum(x) * 0
        while turns < 3:
            x = self.operation(x) * 0.5
            turns = turns + 1
        if ops.sum(x) > 0:
            x = x + 1
        return self.inner(x)


def sources_and_gradients(step: Any) -> tuple[str, np.ndarray]:
    gradient = step(ms.Tensor(X)).asnumpy()
    return ms.compile(step).source, gradient


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_different_cells_compile_at_once(mode):
    ms.set_context(mode=mode)
    alone = [sources_and_gradients(ms.grad(Deep(operation))) for operation in OPERATIONS]
    steps = [ms.grad(Deep(operation)) for operation in OPERATIONS]
    together = at_once(len(steps), lambda number: sources_and_gradients(steps[number]))
    for (source, gradient), (expected_source, expected) in zip(together, alone, strict=True):
        assert source == expected_source
        np.testing.assert_array_equal(gradient, expected)


def test_one_cell_and_many_gradients():
    net, x = Deep(ops.tanh), ms.Tensor(X)
    steps = [ms.grad(net) for _ in range(8)]
    results = at_once(8, lambda number: steps[number](x).asnumpy())
    assert all(np.array_equal(result, results[0]) for result in results)


# ---- settings --------------------------------------------------------------------------------


def test_the_mode_may_change_in_the_middle():
    net = Deep(ops.sin)
    step, x, done = ms.grad(net), ms.Tensor(X), threading.Event()
    expected, value = step(x).asnumpy(), net(x).asnumpy()

    def switch():
        while not done.is_set():
            for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
                ms.set_context(mode=mode)
                time.sleep(1e-4)

    switching = threading.Thread(target=switch)
    switching.start()

    def work(_):
        for _ in range(40):
            np.testing.assert_allclose(step(x).asnumpy(), expected, rtol=1e-5, atol=1e-7)
            np.testing.assert_allclose(net(x).asnumpy(), value, rtol=1e-5)

    try:
        at_once(4, work)
    finally:
        done.set()
        switching.join()
    assert len(ms.compile(step).variants) <= 2


# ---- Parameters ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_all_writes_of_gradients_are_made(mode):
    ms.set_context(mode=mode)
    count = ms.Parameter(ms.Tensor(np.zeros(300)), name="count")

    def loss(x):
        ops.assign(count, count + x)
        return ops.sum(count * x)

    step, one = ms.grad(loss), ms.Tensor(np.ones(300))
    at_once(4, lambda _: [step(one) for _ in range(25)])
    assert count.asnumpy().min() == count.asnumpy().max() == 100.0
    assert count.version == 100


def test_all_eager_updates_are_made():
    count = ms.Parameter(ms.Tensor(np.zeros(300)), name="count")
    one = ms.Tensor(np.ones(300))
    at_once(4, lambda _: [ops.assign_add(count, one) for _ in range(50)])
    assert count.asnumpy().min() == count.asnumpy().max() == 200.0
    assert count.version == 200


def test_all_training_steps_are_made():
    net = nn.Dense(3, 2)
    optimizer = nn.SGD(net.trainable_params(), 0.5)

    @ms.compile
    def step(gradients):
        optimizer(gradients)
        return net.weight + 0.0

    before = net.weight.asnumpy().copy()
    gradients = (ms.Tensor(np.full((2, 3), 0.25, np.float32)), ms.Tensor(np.ones(2, np.float32)))
    at_once(4, lambda _: [step(gradients) for _ in range(16)])
    np.testing.assert_allclose(net.weight.asnumpy(), before - 64 * 0.125, rtol=1e-5)


@pytest.mark.parametrize("write", ["compiled", "set_data", "assign_add"])
def test_nobody_sees_half_a_write(write):
    """Large Parameters, so that writing them takes longer than a thread's turn."""
    size, turns = 400_000, 60
    one = ms.Tensor(np.ones(size))
    w, v = (ms.Parameter(ms.Tensor(np.zeros(size)), name=name) for name in "wv")

    @ms.compile
    def both(x):
        ops.assign(w, w + x)
        ops.assign(v, v + x)
        return ops.amax(w)

    @ms.compile
    def look():
        return ops.amin(w), ops.amax(w), ops.amax(v)

    writers = {
        "compiled": lambda turn: both(one),
        "set_data": lambda turn: w.set_data(np.full(size, turn + 1.0)),
        "assign_add": lambda turn: ops.assign_add(w, one),
    }
    done = threading.Event()
    kept: list[tuple[Any, float]] = []

    def read(look_again: Callable[[], None]) -> None:
        while not done.is_set():
            look_again()

    def by_program():
        least, most, other = (x.item() for x in look())
        assert least == most and (write != "compiled" or most == other)

    def by_hand():
        seen = (w + 0.0).asnumpy()
        assert seen.min() == seen.max()

    def by_view():
        view = w.asnumpy()
        kept.append((view, view[0]))

    def work(number):
        if number:
            return read((by_program, by_hand, by_view)[number - 1])
        try:
            for turn in range(turns):
                writers[write](turn)
                if turn % 8 == 0:
                    time.sleep(1e-3)  # so that nobody else holds the memory at times
        finally:
            done.set()

    at_once(4, work)
    assert w.asnumpy().min() == w.asnumpy().max() == turns
    for view, first in kept[:50]:
        assert view.min() == view.max() == first


def test_a_reader_waits_for_a_program_that_overwrites(monkeypatch):
    w, all_rows = ms.Parameter(ms.Tensor(np.zeros(3)), name="w"), ms.Tensor([0, 1, 2])

    @ms.compile
    def step(x):
        ops.assign(w, ms.prims.index_add(w, all_rows, x, axis=0))
        return ops.sum(x)

    one = ms.Tensor(np.ones(3))
    step(one)
    seen: list[Any] = []
    reading = threading.Thread(target=lambda: seen.append((w.shape, w.tolist())))
    executable: Any = step.last.executable  # type: ignore[union-attr]
    run = executable.run

    def run_while_another_reads(arrays, *, given=()):
        assert len(given) == 1  # written where it lies
        reading.start()
        reading.join(0.05)
        assert reading.is_alive() and not seen
        return run(arrays, given=given)

    monkeypatch.setattr(executable, "run", run_while_another_reads)
    memory = w.array.ctypes.data
    step(one)
    reading.join(10)
    assert seen == [((3,), [2.0, 2.0, 2.0])] and w.array.ctypes.data == memory


def test_a_failing_program_gives_its_parameters_back():
    w = ms.Parameter(ms.Tensor(np.zeros(3)), name="w")

    @ms.compile
    def pick(x, i):
        ops.assign(w, w + 1.0)
        return ops.sum(ops.gather(x, i, 0))

    pick(ms.Tensor(X), ms.Tensor([0]))
    with pytest.raises(IndexError):
        pick(ms.Tensor(X), ms.Tensor([9]))
    assert w.tolist() == [1.0, 1.0, 1.0]
    pick(ms.Tensor(X), ms.Tensor([0]))
    assert w.tolist() == [2.0, 2.0, 2.0] and w.is_sole_holder()


# ---- what programs read ----------------------------------------------------------------------


def test_an_assignment_that_another_thread_makes_is_seen():
    """The guards are asked while the assignment is under way, and must ask again after it."""
    halfway, go_on = threading.Event(), threading.Event()

    class Slow(nn.Cell):
        def __init__(self):
            super().__init__()
            self.register_buffer("bias", ms.Tensor([1.0]))

        def _set_buffer(self, name, value):
            halfway.set()
            go_on.wait(10)
            super()._set_buffer(name, value)

        def construct(self, x):
            return x + self.bias

    net = ms.compile(Slow())
    assert net(ms.Tensor([0.0])).tolist() == [1.0]
    cell = net.function
    assigning = threading.Thread(target=lambda: setattr(cell, "bias", ms.Tensor([2.0])))
    assigning.start()
    halfway.wait(10)
    assert net(ms.Tensor([0.0])).tolist() == [1.0]
    go_on.set()
    assigning.join()
    assert net(ms.Tensor([0.0])).tolist() == [2.0]


def test_no_change_goes_uncounted():
    seen = at_once(8, lambda _: [(changes.note(), changes.count())[1] for _ in range(200)])
    assert len({count for counts in seen for count in counts}) > 200
    before = changes.count()
    at_once(8, lambda _: changes.note())
    assert changes.count() != before


# ---- locations -------------------------------------------------------------------------------


def fails(x):
    return ops.matmul(x, x)


def fails_too(x):
    y = x + 1
    return ops.reshape(y, (5,))


def test_locations_stay_with_their_thread():
    wrong = {0: (fails, 1), 1: (fails_too, 2)}

    def work(number):
        assert location.current.get() is None and location.scope.get() == ""
        failing, offset = wrong[number % 2]
        line = inspect.getsourcelines(failing)[1] + offset
        for turn in range(10):
            runs = (failing, ms.compile(failing), ms.grad(failing), ms.compile(ms.grad(failing)))
            with pytest.raises(S2sadError, match="E0401") as caught:
                runs[turn % 4](ms.Tensor(X))
            assert caught.value.diagnostic.location.line == line
            assert location.current.get() is None and location.scope.get() == ""

    with location.at(location.Location("main.py", 1, 0)):
        at_once(8, work)
        assert location.current.get().file == "main.py"


def test_errors_at_run_time_stay_with_their_thread():
    step = ms.grad(lambda x, i: ops.sum(ops.gather(x, i, 0) * 2.0))

    def work(number):
        for turn in range(20):
            row = turn % 5
            if row < 3:
                gradient = step(ms.Tensor(X), ms.Tensor([row])).asnumpy()
                expected = np.zeros_like(X)
                expected[row] = 2.0
                np.testing.assert_array_equal(gradient, expected)
            else:
                with pytest.raises(IndexError, match=f"index {row}"):
                    step(ms.Tensor(X), ms.Tensor([row]))
            assert location.current.get() is None

    at_once(6, work)
