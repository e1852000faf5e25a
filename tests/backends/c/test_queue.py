"""Do a program of C and its host hand over everything once and in order, and end as they should?"""

from __future__ import annotations

import ctypes
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c import queue
from s2sad.backends.c.channel import QueueChannel
from s2sad.backends.c.executable import build as build_c
from s2sad.backends.c.template import Site, stored
from s2sad.backends.numpy import build
from s2sad.core.diagnostics import S2sadError
from s2sad.core.location import Location, at
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Function
from s2sad.ir.types import Token, f32, f64, i64
from s2sad.passes.base import run_passes
from s2sad.passes.sink import SinkLoop
from s2sad.prims.channel import Channel, serving
from support.c_units import RUNTIME, load

SANITIZERS = ("address,undefined", "thread")

PROGRAM = r"""
#include "queue.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 20000, WIDTH = 3 };

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        exit(1);
    }
}

static double left;

static void *train(void *data)
{
    s2_queue *queue = data;
    double x[WIDTH], total = 0;
    uint8_t more;
    s2_queue_next(queue, (void *const[]){x}, &more);
    while (more) {
        total += x[0] + x[1] + x[2];
        left = total;
        require(!s2_queue_keep(queue, 1, (const void *const[]){&left}), "it is kept");
        s2_queue_report(queue, (const void *const[]){&total, NULL});
        s2_queue_next(queue, (void *const[]){x}, &more);
    }
    require(x[0] == 0 && x[2] == 0, "zeros at the end");
    s2_queue_finish(queue);
    return NULL;
}

static void host(int stop_at)
{
    static double given[STEPS][WIDTH];
    int64_t sizes[] = {sizeof given[0]}, results[] = {sizeof(double), 0};
    s2_queue *queue = s2_queue_new(4, 1, sizes, 8, 2, results);
    pthread_t program;
    pthread_create(&program, NULL, train, queue);
    int64_t put = 0, seen = 0;
    double total[3], expected = 0, last = 0;
    for (;;) {
        int finished = s2_queue_is_finished(queue), reports = 0;
        int64_t count;
        while ((count = s2_queue_take_reports(queue, 3, (void *const[]){total, NULL}))) {
            for (int64_t number = 0; number < count; number++) {
                for (int i = 0; i < WIDTH; i++)
                    expected += (double)seen + i;
                require(total[number] == expected, "reports come in order, with their numbers");
                last = total[number], seen++, reports++;
            }
        }
        if (finished)
            break;
        if (seen >= stop_at)
            s2_queue_stop(queue);
        if (put == STEPS) {
            s2_queue_close(queue);
        } else if (s2_queue_has_room(queue)) {
            for (int i = 0; i < WIDTH; i++)
                given[put][i] = (double)put + i;
            require(!s2_queue_put(queue, (const void *const[]){given[put]}), "there is room");
            put++;
            continue;
        }
        if (!reports)
            s2_queue_wait(queue, 0.05);
    }
    pthread_join(program, NULL);
    require(s2_queue_steps(queue) == seen && s2_queue_taken(queue) == seen, "all are counted");
    require(seen >= stop_at && seen <= put, "it ends in time");
    const double *kept = s2_queue_kept(queue, 0);
    require(kept == &left && *kept == last && !s2_queue_kept(queue, 1), "the last step is kept");
    require(s2_queue_put(queue, (const void *const[]){given[0]}), "nothing is taken any more");
    s2_queue_free(queue);
}

int main(void)
{
    host(STEPS);
    host(100);
    int64_t none[] = {0};
    s2_queue_free(s2_queue_new(1, 0, none, 1, 0, none));
    s2_queue_free(NULL);
    return 0;
}
"""


@pytest.mark.parametrize("is_alone", [False, True], ids=["cores", "core"])
@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_nothing_is_wrong_that_sanitizers_see(tmp_path: Path, sanitizer, is_alone):
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    flags = ["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{RUNTIME}"]
    checks = [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
    command = ["gcc", *flags, *checks, source, RUNTIME / "queue.c", "-o", program, "-pthread"]
    subprocess.run(command, check=True)
    core = min(os.sched_getaffinity(0))
    on_one = ["taskset", "-c", str(core)] if is_alone else []
    done = subprocess.run(
        [*on_one, "setarch", "-R", program], capture_output=True, text=True, timeout=200,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


# The channel over it


def stepping() -> Function:
    """A step that fails where its index is out of range."""

    def step(i, x, w):
        with at(Location("net.py", 7, 8)):
            row = p.gather(x, i, axis=0)
        w = p.add(w, p.mul(row, 2.0))
        return p.reduce_sum(w), x, w

    types = [i64, f32[3, 2], f32[2]]
    function = build_function(step, types, inputs=["i", "x", "param:w"], names=["i", "x", "w"])
    function.donates = {2: 2}
    run_passes(function, [SinkLoop()])
    return function


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    return load("queue", ("queue",), '#include "queue.h"\n')


def channels(library: ctypes.CDLL, function: Function) -> list[Channel]:
    return [Channel(2, 3), QueueChannel(library, function, 2, 3)]


X = np.arange(6, dtype=np.float32).reshape(3, 2)


def sunk(function: Function, channel: Channel, indices: list[int], make: Any = build) -> tuple:
    """Reports, and results or the error, once the program has ended."""
    found: list = []

    def work():
        try:
            with serving("batches", channel):
                found.append(make(function).run([np.zeros(2, np.float32), Token]))
        except Exception as error:
            found.append(error)
        channel.finish()

    thread = threading.Thread(target=work)
    thread.start()
    left, reports = list(indices), []
    while True:
        is_finished = channel.is_finished
        new = channel.reports()
        reports += new
        if is_finished:
            break
        if left and channel.put([np.array(left[0]), X]):
            del left[0]
        elif not left:
            channel.close()
        if not new:
            channel.wait(0.05)
    thread.join()
    return reports, found[0]


def test_it_is_the_channel_of_python(library):
    function, indices = stepping(), [0, 1, 2, 1, 0, 2] * 5
    ends = []
    for channel in channels(library, function):
        reports, (w, token) = sunk(function, channel, indices)
        assert token is Token and channel.steps == 30 and len(reports) == 30
        ends.append([w.tobytes(), *(x.tobytes() for report in reports for x in report)])
        assert [x.tobytes() for x in channel.state] == [w.tobytes()]
    assert ends[0] == ends[1]


def test_the_last_good_step_is_kept(library):
    function = stepping()
    for channel in channels(library, function):
        reports, error = sunk(function, channel, [0, 1, 7, 2])
        assert isinstance(error, S2sadError) and error.code == "E0501"
        assert channel.steps == 2 and len(reports) == 2
        assert channel.state[0].tolist() == [4.0, 8.0]


def test_a_program_of_c():
    function, indices = stepping(), [0, 1, 2, 1, 0, 2] * 5
    executable = build_c(function)
    expected, (w, _) = sunk(function, Channel(2, 3), indices)
    channel = executable.channel()
    reports, (found, token) = sunk(function, channel, indices, build_c)
    assert isinstance(channel, QueueChannel) and token is Token and channel.steps == 30
    assert found.tobytes() == w.tobytes()
    for one, other in zip(reports, expected, strict=True):
        assert [x.tobytes() for x in one] == [x.tobytes() for x in other]
    channel = executable.channel()
    _, error = sunk(function, channel, [0, 1, 7, 2], build_c)
    assert error.code == "E0501" and str(error.diagnostic.location) == "net.py:7:8"
    assert channel.steps == 2 and channel.state[0].tolist() == [4.0, 8.0]


def test_nothing_is_kept_before_the_first_step(library):
    function = stepping()
    for channel in channels(library, function):
        assert sunk(function, channel, [7])[0] == [] and channel.state is None
        with pytest.raises(S2sadError, match="E0303"):
            made = Channel() if type(channel) is Channel else QueueChannel(library, function)
            made.put([np.zeros(3)])
            made.next((f64[2],))


def test_batches_stay_alive_until_they_are_taken(library):
    function = stepping()
    channel = QueueChannel(library, function, 2, 3)
    for i in range(2):
        assert channel.put([np.array(i), X + i])  # held by nobody else
    assert not channel.put([np.array(0), X]) and not channel.has_room
    for i in range(2):
        index, x = channel.next(())
        assert index == i and (x == X + i).all()
    assert channel.put([np.array(2), X])
    channel.stop()
    assert channel.next(()) is None


def test_waiting_ends_in_time(library):
    channel = QueueChannel(library, stepping(), 1, 1)
    channel.put([np.array(0), X])
    start = time.perf_counter()
    channel.wait(0.2)
    assert 0.15 < time.perf_counter() - start < 5
    threading.Timer(0.05, channel.finish).start()
    channel.wait(60.0)
    assert time.perf_counter() - start < 30


# The kernels


def kernel(name: str, site: Site) -> str:
    body = queue.TEMPLATES[site.operation.prim](site)
    assert body.headers == ("queue.h",)
    types = [*(("const ", t, "x", i) for i, t in enumerate(site.types)),
             *(("", t, "y", i) for i, t in enumerate(site.results))]  # fmt: skip
    pointers = "".join(
        f"    {const}{stored(t.dtype)} *{kind}{i} = p[{place}]; (void){kind}{i};\n"
        for place, (const, t, kind, i) in enumerate(types)
    )
    return (
        f"S2_API int {name}(run *run, void *const *p)\n{{\n    (void)run;\n"
        f"{pointers}{body.text}\n}}\n"
    )


def test_kernels(library):
    function = stepping()
    last = {op.prim: op for op in function.walk()}  # those in the loop
    sites = [Site(last[prim]) for prim in (p.queue_next, p.queue_report, p.queue_keep)]
    text = '#include "queue.h"\ntypedef struct { void **queues; } run;\n'
    text += "".join(kernel(f"kernel_{i}", site) for i, site in enumerate(sites))
    assert queue.queues(function.walk()) == ("batches",)
    kernels = load("queue_kernels", ("queue",), text)
    channel = QueueChannel(kernels, function)
    queues = (ctypes.c_void_p * 1)(channel.pointer)
    run = (ctypes.c_void_p * 1)(ctypes.addressof(queues))

    def call(number, *arrays):
        return getattr(kernels, f"kernel_{number}")(
            run, (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        )

    channel.put([np.array(2), X])
    more, i, x = np.array(False), np.array(9), np.ones_like(X)
    assert call(0, more, i, x) == 0 and more and i == 2 and (x == X).all()
    assert call(1, np.array(4.0, np.float32), X) == 0
    (report,) = channel.reports()
    assert report[0] == 4.0 and (report[1] == X).all()
    state, result = np.float32([1.0, 2.0]), np.zeros(2, np.float32)
    assert call(2, state, result) == 0 and result.tolist() == [1.0, 2.0]
    channel.save()
    assert channel.steps == 1 and channel.state[0].tolist() == [1.0, 2.0]
    channel.close()
    assert call(0, more, i, x) == 0 and not more and i == 0 and not x.any()


def updating() -> Function:
    """A step that overwrites its state behind all that may fail."""

    def step(i, x, w):
        w1 = p.add(w, p.gather(x, i, axis=0))
        return p.reduce_sum(w1), w1

    types = [i64, f32[3, 70], f32[70]]
    function = build_function(step, types, inputs=["i", "x", "param:w"], names=["i", "x", "w"])
    function.donates = {2: 1}
    run_passes(function, [SinkLoop()])
    return function


def test_only_want_of_memory_may_spoil_what_a_step_has_left():
    layout = build_c(updating())._program.layout
    names = [step.operation.prim.name if step.operation else "" for step in layout.steps]
    update, keep = names.index("add"), names.index("queue_keep")
    torn = [i for i in range(len(names)) if layout.is_torn(i)]
    assert torn == list(range(update, keep + 1))
    assert names.index("gather") < update


@pytest.mark.parametrize("is_torn", [False, True])
def test_a_state_that_is_spoilt_is_not_adopted(monkeypatch, is_torn):
    executable = build_c(updating())
    monkeypatch.setattr(type(executable._program.layout), "is_torn", lambda self, step: is_torn)
    channel = executable.channel()
    found: list = []
    x = np.arange(210, dtype=np.float32).reshape(3, 70)
    for i in (1, 2, 5):
        channel.put([np.array(i), x])
    with serving("batches", channel):
        try:
            executable.run([np.zeros(70, np.float32), Token])
        except S2sadError as error:
            found.append(error.code)
    assert found == ["E0501"] and channel.steps == 2
    if is_torn:
        assert channel.state is None
    else:
        np.testing.assert_array_equal(channel.state[0], x[1] + x[2])


def test_what_is_computed_where_it_is_kept_is_not_copied():
    function = stepping()
    executable = build_c(function)
    assert sum("memcpy" in line for line in executable.source.splitlines()) == 1  # if y0 != x0
    keep = next(s for s in executable._program.layout.steps if "queue_keep" in str(s.operation))
    state, kept = keep.slots
    assert state is kept
