"""How often host and device meet in PyNative mode, in graph mode and in a sink."""

from __future__ import annotations

import json

import numpy as np
import pytest
from backends.ascend.target.programs import batches, fitted, trained

import s2sad as ms
from s2sad import nn

STEPS = 1000


@pytest.fixture(scope="module")
def data():
    return batches(STEPS)


def counted(mode, name, data, **settings):
    """What training gave, the counters and the timeline of it."""
    ms.set_context(mode=mode)
    ms.runtime.reset_device_counters()
    found = fitted(data, **settings)
    return found, ms.runtime.device_counters(), ms.runtime.timeline(name, len(data))


def test_a_thousand_steps_in_three_forms(data, tmp_path):
    """PyNative mode meets the device for each operator, graph mode 1,000 times, a sink 10 times."""
    eager, pynative, first = counted(ms.PYNATIVE_MODE, "pynative", data, dataset_sink_mode=False)
    whole, graph, second = counted(ms.GRAPH_MODE, "graph", data, dataset_sink_mode=False)
    sunk, sink, third = counted(ms.GRAPH_MODE, "sink", data, epochs=10, sink_size=100)

    assert pynative.interactions > 10_000
    assert graph.interactions == 1000
    assert sink.interactions == 10

    assert pynative.interactions == pynative.launches and pynative.launches % STEPS == 0
    assert (graph.steps, graph.queue_items, graph.streams) == (1000, 0, 1)
    assert (sink.steps, sink.queue_items, sink.streams, sink.setups) == (1000, 1000, 3, 1)

    assert whole[0] == eager[0] and len(whole[0]) == STEPS
    assert sunk[0] == whole[0][99::100]
    for one, other, last in zip(eager[1], whole[1], sunk[1], strict=True):
        assert np.array_equal(one, other) and np.array_equal(other, last)

    lines = [first, second, third]
    assert [line.interactions for line in lines] == [pynative.interactions, 1000, 10]
    assert first.seconds > second.seconds > third.seconds
    rows = [row.split() for row in ms.runtime.table(lines).splitlines()[1:]]
    assert [row[0] for row in rows] == ["pynative", "graph", "sink"]
    assert [int(row[2]) for row in rows] == [pynative.interactions, 1000, 10]
    drawn = ms.runtime.plot(lines, width=30).splitlines()
    assert [row.split()[0] for row in drawn[:9]] == ["pynative"] * 3 + ["graph"] * 3 + ["sink"] * 3
    ms.runtime.write_trace(lines, tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {event["pid"] for event in trace} == {0, 1, 2}


def test_a_sink_of_a_whole_epoch_is_one_interaction(data):
    _, counters, _ = counted(ms.GRAPH_MODE, "sink", data[:50], epochs=3)
    assert (counters.interactions, counters.steps, counters.setups) == (3, 150, 1)


def test_a_call_runs_a_thousand_steps_at_most():
    square = ms.compile(lambda x: x * x)
    given = [np.float32(i) for i in range(2100)]
    found = square.sink([ms.Tensor(x) for x in given])
    assert np.array_equal(found.asnumpy(), np.square(given))
    counters = ms.runtime.device_counters()
    assert (counters.interactions, counters.steps, counters.setups) == (3, 2100, 2)
    assert square.last_sink.interactions == 3


@pytest.mark.parametrize("form", ["engine", "while"])
def test_numbers_of_the_cpu_are_counted_as_those_of_the_device(form, data):
    found = []
    for simulate in ("counts", "values"):
        ms.set_context(simulate=simulate, sink_form=form)
        ms.runtime.reset_device_counters()
        trained(data[:20], dataset_sink_mode=False)
        trained(data[:20], epochs=4, sink_size=5)
        found.append(ms.runtime.device_counters())
    assert found[0] == found[1] and found[0].interactions == 24


def test_pynative_counts_the_same_where_the_device_computes(data):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    found = []
    for simulate in ("counts", "values"):
        ms.set_context(simulate=simulate)
        ms.runtime.reset_device_counters()
        trained(data[:5])
        found.append(ms.runtime.device_counters())
    assert found[0] == found[1] and found[0].interactions > 50


def test_a_gradient_and_an_update_are_two_calls_and_one_where_they_are_compiled_together(data):
    net = nn.Dense(8, 3)
    update, loss = nn.SGD(net.trainable_params(), 0.1), nn.CrossEntropyLoss()
    gradient = ms.value_and_grad(lambda x, y: loss(net(x), y), None, update.parameters)

    def step(x, y):
        value, gradients = gradient(x, y)
        update(gradients)
        return value

    for run, wanted in ((step, 20), (ms.jit(step), 10)):
        ms.runtime.reset_device_counters()
        for x, y in data[:10]:
            run(ms.Tensor(x), ms.Tensor(y))
        assert ms.runtime.device_counters().interactions == wanted
