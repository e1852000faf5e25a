"""Do errors arrive with their row and their place, and is nothing left behind, however it ends?"""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

import numpy as np
import pytest

import s2sad.dataset as ds
from s2sad.core.diagnostics import S2sadError
from s2sad.dataset import block, processes, run

ROOT = Path(__file__).parents[2]
KINDS = [False, True]


def left() -> tuple[list[str], list[str], set[str], int]:
    """Threads of data sets, children, names in shared memory, and open files of this process."""
    threads = [x.name for x in threading.enumerate() if x.name.startswith("s2sad-dataset")]
    children = [x.name for x in multiprocessing.active_children()]
    return threads, children, set(os.listdir("/dev/shm")), len(os.listdir("/proc/self/fd"))


@pytest.fixture(autouse=True)
def nothing_is_left(monkeypatch):
    monkeypatch.setattr(ds.config, "processors", lambda: 8)
    gc.collect()
    before = left()
    yield
    gc.collect()
    after = left()
    assert after[0] == [] and after[1] == []
    assert after[2] <= before[2] and after[3] <= before[3]


def pipeline(are_processes: bool, function=lambda x: x, rows: int = 200, workers: int = 2):
    data = ds.NumpySlicesDataset(np.arange(rows), shuffle=False)
    return data.map(
        function, num_parallel_workers=workers, python_multiprocessing=are_processes
    ).batch(10)  # fmt: skip


def fails_at_57(x):
    if x == 57:
        raise ZeroDivisionError("the user's own")
    return x


@pytest.mark.parametrize("are_processes", KINDS)
def test_an_error_comes_after_the_batches_before_it_with_its_row_and_its_traceback(are_processes):
    iterator = pipeline(are_processes, fails_at_57).create_tuple_iterator(output_numpy=True)
    got = []
    with pytest.raises(ZeroDivisionError) as caught:
        for (x,) in iterator:
            got.append(x)
    assert [x[0] for x in got] == [0, 10, 20, 30, 40]
    said = "".join(traceback.format_exception(caught.value)) + str(caught.value.__notes__)
    assert "the user's own" in said and "for row 57" in said
    assert 'raise ZeroDivisionError("the user\'s own")' in said and "in fails_at_57" in said
    with pytest.raises(RuntimeError, match="E0706.*is closed"):
        next(iterator)


class UnsendableError(Exception):
    def __init__(self, one, two):
        super().__init__("only this")


def raises_unsendable(x):
    raise UnsendableError(1, 2)


def test_an_error_that_cannot_be_sent_is_told():
    with pytest.raises(RuntimeError, match="E0714.*UnsendableError: only this") as caught:
        list(pipeline(True, raises_unsendable))
    assert "raise UnsendableError(1, 2)" in str(caught.value)


def test_an_error_of_ours_keeps_its_place():
    rows = ds.NumpySlicesDataset(np.zeros((4, 3, 3), np.uint8))
    data = rows.map(ds.vision.Crop((0, 0), 9), python_multiprocessing=True)
    with pytest.raises(ValueError, match="E0401.*Crop") as caught:
        list(data)
    assert isinstance(caught.value, S2sadError) and caught.value.code == "E0401"
    assert "map called Crop for row 0" in str(caught.value)


def test_what_a_worker_prints_is_seen(capfd):
    list(pipeline(True, lambda x: print(f"row {x}") or x, rows=3))
    assert sorted(capfd.readouterr().out.split("\n")) == ["", "row 0", "row 1", "row 2"]


def test_a_worker_that_dies_is_told():
    with pytest.raises(RuntimeError, match="E0714.*exit code 3"):
        list(pipeline(True, lambda x: os._exit(3)))


@pytest.mark.parametrize("are_processes", KINDS)
def test_an_error_of_the_source_names_its_row(are_processes):
    class Source:
        def __len__(self):
            return 100

        def __getitem__(self, index):
            return fails_at_57(index)

    data = ds.GeneratorDataset(
        Source(), "x", shuffle=False, num_parallel_workers=2, python_multiprocessing=are_processes
    ).batch(10)  # fmt: skip
    got = []
    with pytest.raises(ZeroDivisionError) as caught:
        for (x,) in data:
            got.append(x.tolist())
    assert len(got) == 5 and "row 57 of the source" in caught.value.__notes__[0]


def test_an_error_of_a_generator_names_its_row():
    def source():
        yield from (fails_at_57(x) for x in range(100))

    with pytest.raises(ZeroDivisionError) as caught:
        list(ds.GeneratorDataset(source, "x"))
    assert "row 57 of the source" in caught.value.__notes__[0]


@pytest.mark.parametrize("are_processes", KINDS)
def test_nothing_is_left_after_exhaustion(are_processes):
    data = pipeline(are_processes)
    assert len(list(data)) == 20
    iterator = data.create_tuple_iterator(num_epochs=2)
    for _ in range(2):
        assert len(list(iterator)) == 20
    assert left()[:2] == ([], [])
    with pytest.raises(RuntimeError, match="E0706.*asked for 3 epochs"):
        next(iterator)


@pytest.mark.parametrize("are_processes", KINDS)
def test_nothing_is_left_after_an_iterator_is_dropped(are_processes):
    for taken in range(3):
        iterator = pipeline(are_processes).create_dict_iterator()
        for _ in range(taken):
            next(iterator)
        del iterator
        assert left()[:2] == ([], [])


def test_nothing_is_left_of_an_iterator_in_a_cycle():
    class Holder:
        pass

    holder = Holder()
    holder.self, holder.iterator = holder, pipeline(False).create_tuple_iterator()
    next(holder.iterator)
    del holder
    gc.collect()
    assert left()[:2] == ([], [])


@pytest.mark.parametrize("are_processes", KINDS)
def test_nothing_is_left_of_an_iterator_that_its_own_functions_reach(are_processes):
    names = {}
    exec("function = lambda x: (x, len(globals()))[0]", names)  # which has all names around it
    names["iterator"] = pipeline(are_processes, names["function"]).create_tuple_iterator()
    assert len(list(names["iterator"])) == 20  # another epoch may follow
    threads, children = left()[:2]
    assert children if are_processes else threads
    del names
    gc.collect()
    assert left()[:2] == ([], [])


def test_closing_wakes_whoever_waits():
    begun, go_on = threading.Event(), threading.Event()

    def source():
        begun.set()
        go_on.wait(30)
        yield 1

    iterator = iter(ds.GeneratorDataset(source, "x"))

    def close():
        begun.wait(30)
        while iterator._source._epoch is None:  # until the other thread waits
            time.sleep(0.001)
        iterator.close()

    closing = threading.Thread(target=close)
    closing.start()
    with pytest.raises(RuntimeError, match="E0706.*closed"):
        next(iterator)
    go_on.set()
    closing.join()


def test_a_generator_of_the_user_is_closed():
    closed = threading.Event()

    def source():
        try:
            yield from range(10**9)
        finally:
            closed.set()

    iterator = iter(ds.GeneratorDataset(source, "x").batch(4))
    next(iterator)
    iterator.close()
    assert closed.is_set()


@pytest.mark.parametrize("are_processes", KINDS)
def test_nothing_is_left_after_ctrl_c(are_processes):
    iterator = iter(pipeline(are_processes, lambda x: time.sleep(0.02) or x))
    timer = threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        list(iterator)
    timer.join()
    assert left()[:2] == ([], [])


def stop_somewhere(seed: int) -> None:
    """Run a random pipeline, and end it at a random moment in a random way."""
    rng = random.Random(seed)
    are_processes = rng.random() < 0.4
    pause = rng.choice([0, 0, 1e-4, 1e-3])
    wrong = rng.randrange(400)

    def function(x):
        time.sleep(pause)
        if x == wrong:
            raise ArithmeticError
        return x

    data = pipeline(are_processes, function, 300, rng.choice([1, 2, 3]))
    if rng.random() < 0.5:
        data = data.shuffle(4).repeat(2)
    iterator = data.create_tuple_iterator(output_numpy=True)
    count = rng.randrange(40)
    try:
        for _ in range(count):
            next(iterator)
    except (ArithmeticError, StopIteration):
        pass
    if rng.random() < 0.5:
        iterator.close()
    del iterator
    gc.collect()
    assert left()[:2] == ([], []), seed


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_left_at_a_random_moment(seed):
    stop_somewhere(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(20, 1020, 50))
def test_nothing_is_left_at_many_random_moments(first):
    for seed in range(first, first + 50):
        stop_somewhere(seed)


INTERRUPTED = """
import gc, multiprocessing, os, random, signal, sys, tempfile, threading, time
import numpy as np
import s2sad.dataset as ds
ds.config.processors = lambda: 8

def left():
    return (
        threading.active_count(), multiprocessing.active_children(), sorted(os.listdir("/dev/shm")),
        len(os.listdir("/proc/self/fd")), os.listdir(tempfile.gettempdir()),
    )

def loop(seed):
    rng = random.Random(seed)
    wrong, pause = rng.randrange(300), rng.choice([0, 1e-4])
    def function(x):
        time.sleep(pause)
        if x == wrong:
            raise ArithmeticError
        return x
    data = ds.NumpySlicesDataset(np.arange(300), shuffle=False).map(
        function, num_parallel_workers=rng.choice([1, 2, 3]),
        python_multiprocessing=rng.random() < 0.5,
    ).batch(8)
    list(data.create_tuple_iterator(output_numpy=True))

seen = []
begun = threading.Event()

def send(seconds):
    begun.wait()
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGINT)

def run(seed):
    # Nobody holds the iterator or its error when this has returned.
    try:
        begun.set()
        loop(seed)
    except ArithmeticError:
        return "error"
    return "end"

def interrupted(seed):
    begun.clear()
    sender = threading.Thread(target=send, args=(random.Random(-seed).random() * 0.05,))
    sender.start()
    kinds = []
    while sender.is_alive() or not kinds:  # the signal comes before its sender ends
        try:
            if not kinds:
                kinds.append(run(seed))
            sender.join()
            time.sleep(0.001)
        except KeyboardInterrupt:
            kinds.append("interrupt")
    return kinds[0]

interrupted(0)
gc.collect()
before = left()
for seed in range(1, int(sys.argv[1]) + 1):
    seen.append(interrupted(seed))
    gc.collect()
    after = left()
    assert after == before, (seed, before, after)
print(*(seen.count(kind) for kind in ("error", "interrupt", "end")))
"""


@pytest.mark.parametrize("count", [15, pytest.param(150, marks=pytest.mark.slow)])
def test_nothing_is_left_after_ctrl_c_at_any_moment(tmp_path, count):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", INTERRUPTED, str(count)], env=environment,
        timeout=300, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    error, interrupt, end = map(int, done.stdout.split())
    assert error + interrupt + end == count and interrupt > 0
    assert "Traceback" not in done.stderr, done.stderr
    assert not os.listdir(tmp_path)


PROGRAM = """
import os, sys, time, multiprocessing
import numpy as np
import s2sad.dataset as ds
data = ds.NumpySlicesDataset(np.arange(10**6)).map(
    lambda x: x, num_parallel_workers=2, python_multiprocessing={are_processes}).batch(4)
iterator = iter(data)
next(iterator)
print(*(child.pid for child in multiprocessing.active_children()), flush=True)
{end}
"""


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("are_processes", KINDS)
@pytest.mark.parametrize(
    ("end", "code"),
    [("", 0), ("sys.exit(3)", 3), ("os.kill(os.getpid(), 9)", -9), ("1 / 0", 1)],
    ids=["end", "exit", "kill", "error"],
)
def test_a_program_ends_and_takes_its_workers_with_it(are_processes, end, code):
    program = PROGRAM.format(are_processes=are_processes, end=end)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], env=environment, timeout=60,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr or code == 1
    children = [int(pid) for pid in done.stdout.split()]
    assert len(children) == 2 * are_processes
    deadline = time.monotonic() + 10
    while any(map(is_alive, children)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_too_many_workers_are_a_warning(monkeypatch):
    monkeypatch.setattr(ds.config, "processors", lambda: 2)
    with pytest.warns(UserWarning, match="num_parallel_workers=4 is more than the 2") as caught:
        data = ds.GeneratorDataset(list(range(8)), "x", num_parallel_workers=4)
    assert caught[0].filename == __file__
    assert data.get_dataset_size() == 8 and len(list(data)) == 8


def test_processes_where_the_system_does_not_fork(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(S2sadError, match="E0712.*forked"):
        pipeline(True)


def test_rows_that_do_not_fit_the_shared_memory_come_by_the_pipe(monkeypatch):
    monkeypatch.setattr(processes, "ARENA", 4096)
    arena = processes.Arena(4096)
    value = [np.arange(10), np.arange(5000), np.arange(7.0), "text", np.zeros((0, 3)), np.array(3)]
    taken = arena.take(arena.put(value))
    assert all(np.array_equal(x, y) for x, y in zip(value, taken, strict=True))
    taken[0][0] = 5  # it is its own
    arena.close()


def test_quick_tasks_of_processes_grow_and_slow_ones_shrink(monkeypatch):
    sizes = []

    def seen(self, usual):
        sizes.append(sized(self, usual))
        return sizes[-1]

    sized = processes.Processes.sized
    monkeypatch.setattr(processes.Processes, "sized", seen)
    monkeypatch.setattr(processes, "QUICK", 1e9)
    monkeypatch.setattr(processes, "SLOW", 1e10)
    rows = [int(x) for (b,) in pipeline(True, rows=5000).create_tuple_iterator() for x in b]
    assert rows == list(range(5000))
    assert sizes[0] == 16 and max(sizes) == 16 * processes.MOST
    sizes.clear()
    monkeypatch.setattr(processes, "SLOW", 0)
    monkeypatch.setattr(processes, "QUICK", 0)
    assert len(list(pipeline(True, rows=500))) == 50
    assert set(sizes) == {16}


def test_tasks_do_not_outgrow_the_shared_memory(monkeypatch):
    monkeypatch.setattr(processes, "ARENA", 1 << 16)  # 8,192 bytes are an eighth
    monkeypatch.setattr(processes, "QUICK", 1e9)
    monkeypatch.setattr(processes, "SLOW", 1e10)
    monkeypatch.setattr(block, "PATIENCE", 1e9)
    sent = []
    take = processes.Arena.take

    def taken(self, message):
        value = take(self, message)
        sent.append(self.size)
        return value

    monkeypatch.setattr(processes.Arena, "take", taken)
    monkeypatch.setattr(processes.Arena.__init__, "__defaults__", (1 << 16,))
    data = pipeline(True, lambda x: np.full(50, x), rows=3000)
    assert [float(x[0, 0]) for (x,) in data.create_tuple_iterator()] == list(range(0, 3000, 10))
    assert max(sent) <= 1 << 15


def test_many_rows_that_differ_in_shape_come_from_processes():
    data = ds.NumpySlicesDataset(np.arange(700), shuffle=False).map(
        lambda x: np.arange(x % 7), num_parallel_workers=2, python_multiprocessing=True
    )
    rows = [x.tolist() for (x,) in data.create_tuple_iterator(output_numpy=True)]
    assert rows == [list(range(x % 7)) for x in range(700)]


@pytest.mark.parametrize("seconds", [0, 1e9])
def test_threads_that_take_turns_and_those_that_do_not_give_the_same(monkeypatch, seconds):
    monkeypatch.setattr(run, "QUICK", seconds)
    together, most = set(), []

    def function(x):
        together.add(threading.get_ident())
        most.append(len(together))
        time.sleep(0.0005)
        together.discard(threading.get_ident())
        return x

    rows = [int(x) for (b,) in pipeline(False, function).create_tuple_iterator() for x in b]
    assert rows == list(range(200))
    assert max(most) == 1 if seconds else max(most) <= 2


def test_rows_from_processes_are_those_of_threads():
    rows = [
        [x.tolist() for (x,) in pipeline(kind, lambda x: np.full((2, 3), x), workers=3)]
        for kind in KINDS
    ]
    assert rows[0] == rows[1]


def test_lambdas_and_data_of_the_user_need_no_pickling():
    lock = threading.Lock()  # cannot be pickled

    def function(x):
        with lock:
            return x + 1

    got = [int(v) for (x,) in pipeline(True, function) for v in x.asnumpy()]
    assert got == list(range(1, 201))
