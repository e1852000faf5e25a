"""Does a sink give what its steps give one by one, and leave all in order however it ends?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.core.transform import Transform
from s2sad.prims.channel import Channel

RNG = np.random.default_rng(0)


def batches(count: int, rows: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
    return [
        (RNG.normal(size=(rows, 3)).astype("f4"), RNG.normal(size=(rows, 1)).astype("f4"))
        for _ in range(count)
    ]


DATA = batches(20)


def trained(optimizer: str) -> tuple[Any, nn.Cell]:
    """A compiled step of training that draws, and has state besides weights; its Cell."""
    ms.manual_seed(5)
    ms.set_seed(3)
    net = nn.SequentialCell(
        nn.Dense(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(p=0.5), nn.Dense(8, 1)
    )
    makers = {
        "sgd": lambda w: nn.SGD(w, 0.05, momentum=0.5),
        "momentum": lambda w: nn.Momentum(w, nn.exponential_decay_lr(0.1, 0.9, 40, 2, 1), 0.9),
        "adam": lambda w: nn.Adam(w, 0.01),
    }
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), makers[optimizer](net.trainable_params())
    )
    step.set_train()
    return ms.compile(step), step


def bits(cell: nn.Cell) -> dict[str, bytes]:
    return {p.name: p.asnumpy().tobytes() for p in cell.get_parameters()}


def one_by_one(step: Any, data: Any) -> list[bytes]:
    return [step(*map(ms.Tensor, batch)).asnumpy().tobytes() for batch in data]


@pytest.mark.parametrize("size", [None, 1, 7])
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
def test_losses_and_parameters_are_those_of_single_steps(optimizer, size):
    single, cell = trained(optimizer)
    expected, state = one_by_one(single, DATA), ms.get_rng_state()
    sunk, other = trained(optimizer)
    losses = sunk.sink(DATA, size=size)
    assert [loss.tobytes() for loss in losses.asnumpy()] == expected
    assert bits(other) == bits(cell) and ms.get_rng_state().tolist() == state.tolist()
    assert sunk.last_sink.steps == 20
    assert sunk.last_sink.interactions == sunk.last_sink.sinks == {None: 1, 1: 20, 7: 3}[size]
    more = one_by_one(sunk, DATA[:2])
    ms.set_rng_state(state)
    assert more == one_by_one(single, DATA[:2])


def test_a_sink_is_one_run_of_one_program(monkeypatch):
    sunk, _ = trained("adam")
    sunk.sink(DATA)
    executable = sunk.last.sunk
    runs = []
    run = type(executable).run
    monkeypatch.setattr(type(executable), "run", lambda *a, **k: runs.append(a[0]) or run(*a, **k))
    sunk.sink(DATA)
    assert runs == [executable] and executable.interactions() == 1


def test_a_smaller_batch_at_the_end():
    data = [*DATA, (DATA[0][0][:2], DATA[0][1][:2])]
    single, cell = trained("adam")
    expected = one_by_one(single, data)
    sunk, other = trained("adam")
    losses = sunk.sink(data)
    assert [x.tobytes() for x in losses.asnumpy()] == expected and bits(other) == bits(cell)
    assert (sunk.last_sink.steps, sunk.last_sink.sinks) == (21, 2)


def test_on_step_sees_every_step_in_order():
    sunk, _ = trained("sgd")
    seen = []
    losses = sunk.sink(DATA, on_step=lambda number, loss: seen.append((number, loss.item())))
    assert seen == list(enumerate(losses.tolist()))
    assert sunk.sink(DATA, results="none") is None
    last = sunk.sink(DATA, results="last", on_step=lambda number, loss: seen.append(loss.item()))
    assert last.shape == () and last.item() == seen[-1]


def test_on_step_sees_parameters_where_a_sink_ends():
    single, cell = trained("adam")
    expected = []
    for x, y in DATA:
        single(ms.Tensor(x), ms.Tensor(y))
        expected.append(bits(cell))
    sunk, other = trained("adam")
    found = {}

    def note(number, loss):
        found[number] = bits(other)

    sunk.sink(DATA, on_step=note, size=5)
    assert [i for i in range(20) if found[i] == expected[i]] == [4, 9, 14, 19]


def test_what_a_result_may_be():
    @ms.compile
    def step(x):
        return {"a": (x + 1.0, None), "b": [ops.sum(x)]}, x

    xs = [ms.Tensor(np.float32([i, 2 * i])) for i in range(3)]
    seen = []
    (tree, last), size = step.sink(xs, on_step=lambda i, t, x: seen.append((i, t["b"][0]))), 3
    assert list(tree) == ["a", "b"] and tree["a"][1] is None and len(seen) == size
    assert tree["a"][0].tolist() == [[1, 1], [2, 3], [3, 5]] and tree["b"][0].tolist() == [0, 3, 6]
    assert last.tolist() == [[0, 0], [1, 2], [2, 4]]
    other = step.sink([*xs, ms.Tensor([1.0])])  # results of two shapes
    assert [x.shape for x in other[1]] == [(2,), (2,), (2,), (1,)]
    assert other[0]["b"][0].tolist() == [0, 3, 6, 1]


def test_results_are_nobody_elses_memory():
    w = ms.Parameter([1.0], name="w")

    @ms.compile
    def step(x):
        ops.assign(w, w + x)
        return w, x

    xs = [ms.Tensor([1.0]), ms.Tensor([2.0])]

    def scribble(number, value, x):
        value.asnumpy()[...] = 9.0
        x.asnumpy()[...] = 9.0

    values, given = step.sink(xs, on_step=scribble)
    assert values.tolist() == [[2.0], [4.0]] and given.tolist() == [[1.0], [2.0]]
    assert w.tolist() == [4.0] and [x.tolist() for x in xs] == [[1.0], [2.0]]
    values.asnumpy()[...] = 5.0
    assert w.tolist() == [4.0]


def test_a_parameter_that_takes_a_batch_has_memory_of_its_own():
    w = ms.Parameter([1.0], name="w")

    @ms.compile
    def step(x):
        ops.assign(w, x)
        return x

    x = ms.Tensor([2.0])
    step.sink([x])
    w.asnumpy()[...] = 7.0
    assert x.tolist() == [2.0] and w.tolist() == [7.0]


def test_a_feeder_may_use_its_buffer_again():
    def feed():
        buffer = np.zeros(2, np.float32)
        for i in range(10):
            buffer[...] = i
            yield ms.Tensor.from_numpy(buffer) if i % 2 else buffer

    assert ms.compile(lambda x: x * 1.0).sink(feed()).tolist() == [[i, i] for i in range(10)]


def test_no_batches():
    sunk, cell = trained("sgd")
    before = bits(cell)
    assert sunk.sink([]) is None and bits(cell) == before and sunk.last_sink.sinks == 0
    calls = ms.compile(lambda: ops.ones(2, ms.float32)).sink([()] * 3)
    assert calls.tolist() == [[1.0, 1.0]] * 3


def test_an_event_ends_it():
    sunk, cell = trained("sgd")
    stop, seen = threading.Event(), []

    def note(number, loss):
        seen.append(number)
        if number == 3:
            stop.set()

    losses = sunk.sink(DATA * 50, on_step=note, stop=stop)
    count = len(losses.tolist())
    assert 4 <= count < 1000 and seen == list(range(count)) and sunk.last_sink.steps == count
    single, other = trained("sgd")
    one_by_one(single, (DATA * 50)[:count])
    assert bits(other) == bits(cell)
    assert sunk.sink(DATA, stop=stop) is None  # it is set still


def test_an_event_ends_sinks_of_one_step_at_once():
    sunk, _ = trained("sgd")
    stop = threading.Event()
    losses = sunk.sink(DATA, on_step=lambda i, _: i == 3 and stop.set(), stop=stop, size=1)
    assert losses.shape == (4,)


# Errors


def indexing() -> tuple[Any, ms.Parameter, list[Any]]:
    """A step that fails where its index is out of range, once it has computed new state."""
    w = ms.Parameter(np.arange(4, dtype=np.float32), name="w")

    @ms.compile
    def step(i):
        ops.assign(w, w * 2.0 + ops.gather(w, i, 0))
        return ops.sum(w)

    return step, w, [ms.Tensor(np.int32(i)) for i in (0, 3, 1, 7, 2)]


@pytest.mark.parametrize("size", [None, 1, 2])
def test_a_step_that_fails(size):
    step, w, indices = indexing()
    expected = []
    for i in indices[:3]:
        step(i)
        expected.append(w.tolist())
    step, w, indices = indexing()
    seen = []
    with pytest.raises(IndexError, match="E0501") as caught:
        step.sink(indices, on_step=lambda number, total: seen.append(number), size=size)
    assert w.tolist() == expected[-1] and seen == [0, 1, 2] and step.last_sink.steps == 3
    assert "it was step 3 of" in str(caught.value)
    assert "test_sink.py" in str(caught.value)  # at the user's line
    assert_no_threads()


def test_the_first_step_fails():
    step, w, indices = indexing()
    with pytest.raises(IndexError, match="step 0 of the sink, from 0; Parameters are as they were"):
        step.sink(indices[3:])
    assert w.tolist() == [0, 1, 2, 3]


class FeederError(Exception):
    pass


def test_a_feeder_that_fails():
    single, cell = trained("adam")
    one_by_one(single, DATA[:6])
    sunk, other = trained("adam")
    seen = []

    def feed():
        yield from DATA[:6]
        raise FeederError

    with pytest.raises(FeederError):
        sunk.sink(feed(), on_step=lambda number, loss: seen.append(number))
    assert bits(other) == bits(cell) and seen == list(range(6))
    with pytest.raises(FeederError):
        sunk.sink(iter_failing())
    assert bits(other) == bits(cell)
    assert_no_threads()


def iter_failing():
    raise FeederError
    yield


def test_on_step_that_fails():
    sunk, cell = trained("adam")

    def fail_at(number, loss):
        if number == 2:
            raise FeederError

    with pytest.raises(FeederError):
        sunk.sink(DATA * 20, on_step=fail_at)
    count = sunk.last_sink.steps
    single, other = trained("adam")
    one_by_one(single, (DATA * 20)[:count])
    assert 3 <= count < 400 and bits(other) == bits(cell)
    assert_no_threads()


def assert_no_threads():
    assert [t for t in threading.enumerate() if t.name == "s2sad sink"] == []


# What the user changes meanwhile


def scaled() -> tuple[Any, ms.Parameter, ms.Parameter]:
    rate, w = ms.Parameter(1.0, name="rate"), ms.Parameter(0.0, name="w")

    @ms.compile
    def step(x):
        ops.assign(w, w + rate * x)
        return w * 1.0

    return step, rate, w


ONES = [ms.Tensor(1.0)] * 12


def test_what_is_read_or_written_must_not_change_in_on_step():
    step, rate, w = scaled()
    with pytest.raises(RuntimeError, match="E0707"):
        step.sink(ONES, on_step=lambda i, _: i == 2 and rate.set_data(0.5))
    with pytest.raises(RuntimeError, match="E0707.*w was set"):
        step.sink(ONES, on_step=lambda i, _: i == 2 and w.set_data(0.5))
    step, rate, w = scaled()
    found = step.sink(ONES, on_step=lambda i, _: rate.set_data(2.0 ** -(i + 1)), size=1)
    assert found.tolist() == np.cumsum(0.5 ** np.arange(12)).tolist() and w.item() == found[-1]


def test_a_feeder_may_change_what_the_next_step_reads():
    step, rate, w = scaled()

    def feed():
        for i in range(12):
            if i % 4 == 0:
                rate.set_data(float(i))
            yield ms.Tensor(1.0)

    expected = np.cumsum([0.0] * 4 + [4.0] * 4 + [8.0] * 4).tolist()
    assert step.sink(feed()).tolist() == expected and step.last_sink.sinks == 3

    def resets():
        for i in range(12):
            if i == 5:
                w.set_data(0.0)
            yield ms.Tensor(1.0)

    with pytest.raises(S2sadError, match="E0707"):
        step.sink(resets())


def test_a_mode_that_a_feeder_changes_is_another_program():
    net = nn.SequentialCell(nn.Dropout(p=0.5)).set_train(False)

    def feed():
        for i in range(6):
            net.set_train(i >= 3)
            yield ms.Tensor(np.ones(64, np.float32))

    found = ms.compile(net).sink(feed()).asnumpy()
    assert (found[:3] == 1).all() and not (found[3:] == 1).any(1).any()


# Threads and signals


def test_two_sinks_in_two_threads():
    single, cell = trained("adam")
    expected = one_by_one(single, DATA)
    makers = [trained("sgd") for _ in range(2)]
    evaluate = ms.compile(lambda x, y: ops.sum(x) + ops.sum(y))
    plain = [evaluate(*map(ms.Tensor, batch)).tolist() for batch in DATA]
    with ThreadPoolExecutor(4) as pool:
        sinks = [pool.submit(evaluate.sink, DATA) for _ in range(2)]
        trainings = [pool.submit(step.sink, DATA) for step, _ in makers]
        assert [each.result(60).tolist() for each in sinks] == [plain, plain]
        assert all(np.isfinite(each.result(60).asnumpy()).all() for each in trainings)
    sunk, other = trained("adam")
    found = ThreadPoolExecutor(1).submit(sunk.sink, DATA).result(60)
    assert [x.tobytes() for x in found.asnumpy()] == expected and bits(other) == bits(cell)
    assert_no_threads()


def test_other_threads_use_parameters_meanwhile():
    net = nn.Dense(3, 1)
    step = ms.compile(
        nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    )
    read = ms.compile(net)
    x = ms.Tensor(DATA[0][0])
    before = read(x).tolist()
    with ThreadPoolExecutor(1) as pool:

        def feed():  # it waits for another thread, which reads and draws
            for batch in DATA:
                assert pool.submit(read, x).result(30).tolist() == before
                pool.submit(ops.randn, 2).result(30)
                yield batch

        step.sink(feed())
        assert read(x).tolist() != before

        def sets():
            yield DATA[0]
            pool.submit(net.weight.set_data, net.weight.asnumpy() + 1).result(30)
            yield DATA[1]

        with pytest.raises(S2sadError, match="E0707.*weight was set"):
            step.sink(sets())
    assert_no_threads()


def test_a_sink_inside_of_on_step():
    outer, inner = ms.compile(lambda x: x + 1.0), ms.compile(lambda x: x * 2.0)
    found = []
    outer.sink(ONES[:3], on_step=lambda i, y: found.append(inner.sink(ONES[:2]).tolist()))
    assert found == [[2.0, 2.0]] * 3


INTERRUPTED = """
    import os, signal, sys
    sys.path[:0] = {paths!r}
    from tests.test_sink import *
    sunk, cell = trained("adam")
    seen = []

    def note(number, loss):
        seen.append(number)
        if number == 30 and {where!r} == "outside":
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        if number == 30 and {where!r} == "on_step":
            os.kill(os.getpid(), signal.SIGINT)
            while True: pass

    def feed():
        for i in range(10 ** 9):
            if i == 30 and {where!r} == "feeder":
                os.kill(os.getpid(), signal.SIGINT)
                while True: pass
            yield DATA[i % 20]

    handler = signal.getsignal(signal.SIGINT)
    try:
        sunk.sink(feed(), on_step=note, results="none")
    except KeyboardInterrupt:
        count = sunk.last_sink.steps
    assert signal.getsignal(signal.SIGINT) is handler
    single, other = trained("adam")
    one_by_one(single, [DATA[i % 20] for i in range(count)])
    assert bits(other) == bits(cell)
    assert_no_threads()
    if {where!r} != "on_step":
        assert seen == list(range(count)), (seen[-1], count)
    print("steps", count)
"""


@pytest.mark.parametrize("where", ["outside", "on_step", "feeder"])
def test_interrupt(where, tmp_path):
    script = tmp_path / "interrupted.py"
    root = os.path.dirname(os.path.dirname(__file__))
    paths = [root, os.path.join(root, "tests")]
    script.write_text(textwrap.dedent(INTERRUPTED).format(paths=paths, where=where))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[1]) >= 20  # the feeder is some steps ahead


def test_a_handler_of_the_users_stays():
    caught = []
    before = signal.signal(signal.SIGINT, lambda *_: caught.append(1))
    try:
        ms.compile(lambda x: x + 1.0).sink(
            ONES, on_step=lambda i, _: i == 3 and signal.raise_signal(signal.SIGINT)
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught == [1]


# Arguments, and modes


def test_arguments():
    step = ms.compile(lambda x: x + 1.0)
    for size, code in ((0, "E0404"), (-1, "E0404"), (1.0, "E0303"), (True, "E0303")):
        with pytest.raises(S2sadError, match=code):
            step.sink(ONES, size=size)
    with pytest.raises(S2sadError, match="E0404.*'last'"):
        step.sink(ONES, results="first")
    with pytest.raises(S2sadError, match="E0304.*length"):
        step.sink(iter(ONES), title="steps")
    with pytest.raises(S2sadError, match="E0304.*vjp"):
        ms.compile(Transform("vjp", lambda x: x, None)).sink(ONES)
    assert step.sink(ONES, title="steps").tolist() == [2.0] * 12


def test_gradients_are_sunk():
    step = ms.compile(ms.value_and_grad(lambda x: ops.sum(x * x)))
    values, gradients = step.sink([ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])])
    assert values.tolist() == [5.0, 25.0] and gradients.tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_without_compiling(monkeypatch):
    monkeypatch.setenv("MS_JIT", "0")
    step, w, indices = indexing()
    seen = []
    with pytest.raises(IndexError, match="it was step 3 of the sink, from 0"):
        step.sink(indices, on_step=lambda number, total: seen.append(number))
    assert seen == [0, 1, 2] and step.last_sink.sinks == 0 and step.last_sink.steps == 3
    stop = threading.Event()
    found = step.sink(indices[:3], stop=stop, on_step=lambda i, _: i == 1 and stop.set())
    assert found.shape == (2,)


def test_channel_is_bounded():
    channel = Channel(batches=2, reports=1)
    x = np.zeros(2)
    assert channel.put([x]) and channel.put([x]) and not channel.put([x]) and not channel.has_room
    channel.report([x])
    waiting = threading.Thread(target=channel.report, args=([x],))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive() and len(channel.reports()) == 1
    waiting.join(10)
    assert not waiting.is_alive() and len(channel.reports()) == 1
    channel.stop()
    assert channel.next(()) is None and not channel.put([x])


# MindSpore's form of it


def test_data_sink():
    single, cell = trained("momentum")
    expected = one_by_one(single, [DATA[i % 20] for i in range(28)])
    _, other = trained("momentum")
    process = ms.data_sink(other, DATA, sink_size=7)
    assert [process().asnumpy().tobytes() for _ in range(4)] == expected[6::7]  # it begins again
    assert bits(other) == bits(cell)
    assert process.compiled.last_sink.interactions == 1


def test_data_sink_of_a_function():
    add = ms.data_sink(lambda x: (x + 1.0, x), (ms.Tensor(float(i)) for i in range(3)), 2)
    assert [x.item() for x in add()] == [2.0, 1.0]
    with pytest.raises(S2sadError, match="E0706"):
        add()
    for size, code in ((0, "E0404"), (-1, "E0404"), ("1", "E0303")):
        with pytest.raises(S2sadError, match=code):
            ms.data_sink(lambda x: x, DATA, size)
    with pytest.raises(S2sadError, match="E0404.*input_signature"):
        ms.data_sink(lambda x: x, DATA, input_signature=ms.Tensor(1.0))
    with pytest.raises(S2sadError, match="E0404.*jit_config"):
        ms.data_sink(lambda x: x, DATA, jit_config=object())
    with pytest.raises(S2sadError, match="E0706"):
        ms.data_sink(lambda x: x, [])()
