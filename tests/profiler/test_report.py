"""Are the trace and the tables right: of all that ran, by kernel, line and sweep?"""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.profiler import Profiler
from s2sad.profiler.record import Record
from s2sad.profiler.report import by_kernel, by_line, text
from s2sad.profiler.trace import trace

X = ms.Tensor(np.ones((4, 8), np.float32))
W = ms.Tensor(np.ones((8, 16), np.float32))


def product(x, w):
    h = ops.matmul(x, w)
    return ops.sum(ops.tanh(h))


@pytest.fixture(params=["numpy", "c"])
def backend(request, monkeypatch, programs_apart):
    monkeypatch.setenv("S2SAD_BACKEND", request.param)
    ms.set_context(mode=ms.GRAPH_MODE)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def recorded(call) -> Record:
    made = Profiler(start_profile=False)
    made.start()
    try:
        call()
    finally:
        made.stop()
    return made._record


def gradients():
    return ms.compile(ms.value_and_grad(product, (0, 1)))


def test_lines_and_sweeps(backend):
    step = gradients()
    record = recorded(lambda: [step(X, W) for _ in range(3)])
    first = product.__code__.co_firstlineno
    rows = {row.place.line - first: row for row in by_line(record) if row.place is not None}
    assert set(rows) == {1, 2}
    for row in rows.values():
        assert row.forward > 0 and row.backward > 0
    assert rows[1].flops == pytest.approx(3 * 2 * 3 * 4 * 8 * 16)  # a product, and two behind it
    kernels = by_kernel(record)
    assert sum(row.spent for row in kernels) == pytest.approx(
        sum(row.spent for row in by_line(record))
    )
    assert all(row.calls == 3 for row in kernels if "matmul" not in row.name)
    assert record.spent <= record.watched


def test_the_trace_has_what_its_format_requires(backend):
    step = gradients()
    record = recorded(lambda: [step(X, W) for _ in range(2)])
    found = json.loads(json.dumps(trace(record, {"net": "small"})))
    assert set(found) == {"traceEvents", "displayTimeUnit", "otherData"}
    complete = [event for event in found["traceEvents"] if event["ph"] == "X"]
    assert {event["ph"] for event in found["traceEvents"]} == {"X", "M"}
    for event in found["traceEvents"]:
        assert isinstance(event["name"], str) and isinstance(event["args"], dict)
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
    for event in complete:
        assert event["ts"] >= 0 and event["dur"] >= 0 and isinstance(event["cat"], str)
    programs = [event for event in complete if event["cat"] == "program"]
    assert len(programs) == 2
    for event in (e for e in complete if e["cat"] == "kernel"):  # each lies within its program
        assert any(
            outer["ts"] - 0.01 <= event["ts"]
            and event["ts"] + event["dur"] <= outer["ts"] + outer["dur"] + 0.01
            for outer in programs
        )
        assert {"bytes", "program"} <= set(event["args"])
        assert set(event["args"]) & {"forward", "backward"}
    threads = [e for e in found["traceEvents"] if e["name"] == "thread_name"]
    assert threads[0]["args"] == {"name": threading.current_thread().name}


def test_loops_are_counted_by_their_trips(backend):
    @ms.compile
    def power(x, n):
        i = 0
        while i < n:
            x = ops.tanh(x)
            i = i + 1
        return x

    count = ms.Tensor(7, ms.int32)
    power(X, count)
    record = recorded(lambda: power(X, count))
    (row,) = [row for row in by_kernel(record) if "tanh" in row.name]
    assert row.calls == 7


def test_a_sink_is_one_run_of_many_steps(backend):
    step = ms.compile(product)
    step.sink([(X, W)] * 2)
    record = recorded(lambda: step.sink([(X, W)] * 5))
    (ran,) = record.programs.values()
    assert ran.runs == 1
    rows = [row for row in by_kernel(record) if "tanh" in row.name]
    assert [row.calls for row in rows] == [5]
    assert "s2sad sink" in record.names.values()


def test_results_are_the_same_bits(backend):
    step = gradients()
    x = ms.Tensor(np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32))
    plain = step(x, W)
    found = []
    recorded(lambda: found.append(step(x, W)))
    for one, other in zip(_arrays(plain), _arrays(found[0]), strict=True):
        assert one.tobytes() == other.tobytes()


def _arrays(result):
    value, (dx, dw) = result
    return [each.asnumpy() for each in (value, dx, dw)]


def test_programs_of_one_name_are_told_apart(backend):
    step = ms.compile(product)
    other = ms.Tensor(np.ones((2, 8), np.float32))
    step(X, W), step(other, W)
    record = recorded(lambda: (step(X, W), step(other, W)))
    titles = [ran.title for ran in record.programs.values()]
    assert len(set(titles)) == 2 and titles[1] == f"{titles[0]} (2)"


def test_the_report_as_text(backend):
    step = gradients()
    said = text(recorded(lambda: step(X, W)))
    assert said.startswith("1 program ran 1 time, 0 operations by themselves\n")
    assert "test_report.py:" in said and "forward ms" in said and "GFLOP/s" in said


def test_bars_are_of_what_the_stream_can_show():
    class Plain:
        encoding = "ascii"

    record = recorded(lambda: ops.tanh(X))
    assert "█" not in text(record, Plain()) and "#" in text(record, Plain())
    assert "█" in text(record, type("Wide", (), {"encoding": "utf-8"})())


def test_nothing_ran():
    assert text(recorded(lambda: None)).startswith("0 programs ran 0 times, 0 operations")
    assert trace(Record())["traceEvents"][0]["name"] == "process_name"


def test_several_threads_are_recorded_at_once(backend):
    step = ms.compile(product)
    step(X, W)

    def work():
        for _ in range(20):
            step(X, W)

    def together():
        threads = [threading.Thread(target=work) for _ in range(3)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

    record = recorded(together)
    (ran,) = record.programs.values()
    assert ran.runs == 60
    tids = {event["tid"] for event in trace(record)["traceEvents"] if event["ph"] == "X"}
    assert len(tids) == 3
