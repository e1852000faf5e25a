"""Does C tell where its time goes, on all threads, and run as before when nobody asks?"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import s2sad as ms
from s2sad import prims as p
from s2sad.backends.c import runtime
from s2sad.backends.c.executable import build
from s2sad.backends.c.handed import STEPS
from s2sad.backends.c.profile import MOST_THREADS
from s2sad.backends.timings import ROOM
from s2sad.core import recording
from s2sad.ir.builder import build_function
from s2sad.ir.reader import read_text
from s2sad.ir.types import f32, i32
from support.c_units import RUNTIME


class Told:
    """Keeps what it is told."""

    def __init__(self):
        self.programs, self.single = [], []

    def program(self, timings):
        self.programs.append(timings)

    def primitive(self, name, operands, results, begun, ended):
        self.single.append(name)


@pytest.fixture
def told(programs_apart):
    made = Told()
    recording.begin(made)
    yield made
    recording.end(made)


@pytest.fixture
def threads():
    """Set how many threads compute, for the time of a test."""
    library = runtime.load_runtime()
    library.s2_threads.restype = ctypes.c_int
    before = library.s2_threads()
    yield library.s2_set_threads
    library.s2_set_threads(before)


LOOP = """# s2sad ir 1 · loop
@function(inputs=("x", "n"), donates={})
def loop(x: f32[4], n: i64):
    one = p.const(1, i64)
    zero = p.const(0, i64)
    y = x
    for i in range(zero, n, one):
        y = p.tanh(y)
    return y
"""


def test_the_structures_are_those_of_the_runtime():
    header = (RUNTIME / "s2sad.h").read_text()
    assert f"S2_MOST_THREADS = {MOST_THREADS} " in header
    assert STEPS[0] == "CALL"


def test_each_step_is_counted_and_lies_within_the_run(told):
    function = build_function(
        lambda x, w: p.reduce_sum(p.tanh(p.matmul(x, w)), axis=(1,)), [f32[8, 8], f32[8, 8]]
    )
    made = build(function)
    x = np.ones((8, 8), np.float32)
    made.run([x, x])
    (timings,) = told.programs
    steps = [step for step in timings.steps if step is not None]
    assert [step.operation.prim.name for step in steps] == ["matmul", "tanh", "reduce_sum"]
    assert timings.calls.tolist() == [1, 1, 1]
    assert (timings.spent > 0).all() and timings.spent.sum() <= timings.ended - timings.begun
    assert timings.lost == 0 and not told.single
    events = timings.events
    assert (events["begun"] >= timings.begun).all() and (events["ended"] <= timings.ended).all()
    assert all(step.is_whole for step in steps)


def test_loops_past_the_room_for_events_are_in_the_sums(told):
    function = read_text(LOOP, p.ALL)
    made = build(function)
    trips = ROOM + 100
    made.run([np.zeros(4, np.float32), np.int64(trips)])
    (timings,) = told.programs
    assert timings.calls.sum() == trips
    assert len(timings.events) == ROOM and timings.lost == 100


def test_what_the_host_computes_is_a_step_and_not_told_twice(told):
    function = build_function(lambda x: p.svd(x)[1], [f32[3, 3]])
    made = build(function)
    assert "HOST" in [step.op for step in made._program.layout.steps]
    made.run([np.eye(3, dtype=np.float32)])
    (timings,) = told.programs
    assert "svd (Python)" in [step.kernel for step in timings.steps if step is not None]
    assert not told.single


@pytest.mark.parametrize("count", [1, 3])
def test_threads_that_are_busy(told, threads, count):
    threads(count)
    function = build_function(lambda x: p.tanh(p.exp(x)), [f32[1 << 20]])
    made = build(function)
    x = np.zeros(1 << 20, np.float32)
    for _ in range(5):
        made.run([x])
    for timings in told.programs:
        assert 1 <= len(timings.threads) <= count
        assert timings.threads.sum() == timings.busy.sum()
        assert set(timings.events["thread"]) <= set(range(count))
        assert timings.threads.max() <= timings.ended - timings.begun
    if count == 1:
        assert all(len(timings.threads) == 1 for timings in told.programs)


def test_a_run_that_fails_is_not_told_and_the_next_one_is(told):
    function = build_function(lambda x, i: p.gather(x, i), [f32[4], i32[2]])
    made = build(function)
    x = np.arange(4, dtype=np.float32)
    with pytest.raises(IndexError):
        made.run([x, np.int32([0, 9])])
    assert not told.programs
    (found,) = made.run([x, np.int32([0, 3])])
    assert found.tolist() == [0.0, 3.0] and len(told.programs) == 1


def test_nobody_asks_afterwards(programs_apart):
    function = build_function(lambda x: p.add(x, x), [f32[4]])
    made = build(function)
    told = Told()
    recording.begin(told)
    made.run([np.ones(4, np.float32)])
    recording.end(told)
    made.run([np.ones(4, np.float32)])
    assert len(told.programs) == 1


def test_programs_for_several_sizes_tell_too(told, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", "c")
    rows = ms.Tensor(shape=[None, 2], dtype=ms.float32)
    mean = ms.compile(lambda x: ms.ops.tanh(x) * 2.0, input_signature=(rows,))
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for size in (3, 5):
            mean(ms.Tensor(np.ones((size, 2), np.float32)))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert [timings.calls.sum() for timings in told.programs] == [1, 1]
