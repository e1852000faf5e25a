"""The cost model: what it is made of, and what it says of forms of running."""

from __future__ import annotations

import json

import pytest
from backends.ascend.device.test_programs import LeNet, Prepared

from s2sad.backends.ascend.device.costs import (
    Step,
    Timeline,
    chrome_trace,
    cube_peak,
    figure,
    figures,
    plot,
    seconds,
    table,
    timelines,
)
from s2sad.backends.ascend.device.graphs import Launch
from s2sad.backends.ascend.graph import Attribute, Desc, Node
from s2sad.backends.ascend.sink import single


@pytest.fixture(scope="module")
def step():
    prepared = Prepared(LeNet)
    session = prepared.session(single(prepared.lowered))
    session.run(prepared.given(session, prepared.data[0]))
    return Step(tuple(session.launched()), 4 * 28 * 28 * 4 + 16, 4)


def test_every_figure_says_where_it_comes_from():
    assert all(each.source and each.unit and each.value > 0 for each in figures().values())
    assert figures()["hbm"].source.startswith("assumed")


def matmul(m, k, n):
    descs = [Desc("DT_FLOAT16", (m, k)), Desc("DT_FLOAT16", (k, n))]
    return Node("mm", "MatMulV2", input_descs=descs, output_descs=[Desc("DT_FLOAT16", (m, n))])


def test_large_products_are_bound_by_the_cube_and_small_ones_by_memory():
    rate = cube_peak("Ascend910B1") * figure("cube_efficiency")
    assert seconds(matmul(8192, 8192, 8192), "Ascend910B1") == pytest.approx(2 * 8192**3 / rate)
    small = (8192 * 8192 + 8192 * 2) * 2 / figure("hbm")
    assert seconds(matmul(1, 8192, 8192), "Ascend910B1") == pytest.approx(small)


def test_the_three_convolutions_multiply_as_often():
    x, w, y = (Desc("DT_FLOAT16", s) for s in ((32, 64, 56, 56), (64, 64, 3, 3), (32, 64, 56, 56)))

    def conv(type, given, result):
        names = [Desc(d.type, d.shape, name=name) for name, d in given.items()]
        node = Node("conv", type, input_descs=names, output_descs=[result])
        node.attributes["data_format"] = Attribute("String", "NCHW")
        return seconds(node, "Ascend910B1")

    rate = cube_peak("Ascend910B1") * figure("cube_efficiency")
    wanted = 2 * 32 * 64 * 56 * 56 * 64 * 9 / rate
    assert conv("Conv2D", {"x": x, "filter": w}, y) == pytest.approx(wanted)
    assert conv("Conv2DBackpropInput", {"filter": w, "out_backprop": y}, x) == pytest.approx(wanted)
    found = conv("Conv2DBackpropFilter", {"x": x, "out_backprop": y}, w)
    assert found == pytest.approx(wanted)


def test_forms_side_by_side(step):
    pynative, graph, sink = lines = timelines(step, steps=100, sink_size=50)
    kernels = len(step.launches)
    assert (pynative.interactions, graph.interactions, sink.interactions) == (100 * kernels, 100, 2)
    work = sum(seconds(launch.node, step.soc_version) for launch in step.launches)
    for line in lines:
        assert line.busy("device") * line.seconds == pytest.approx(100 * work)
    assert pynative.seconds >= 100 * kernels * figure("launch")
    saved = 98 * figure("interaction")
    assert graph.seconds - sink.seconds >= saved
    assert pynative.seconds > graph.seconds > sink.seconds


def test_large_kernels_hide_the_launches_of_those_behind_them():
    launches = (Launch("root", matmul(8192, 8192, 8192)),) * 5
    (line, *_) = timelines(Step(launches, 4, 4), steps=1)
    copies = 2 * (figure("pcie_latency") + 4 / figure("pcie"))
    work = 5 * seconds(launches[0].node, "Ascend910B1")
    assert line.seconds == pytest.approx(copies + figure("launch") + work)


def test_no_lane_does_two_things_at_once(step):
    for line in timelines(step, steps=3, sink_size=2):
        for lane in ("host", "copies", "device"):
            events = sorted((e for e in line.events if e.lane == lane), key=lambda e: e.start)
            for before, after in zip(events, events[1:], strict=False):
                assert before.start + before.duration <= after.start + 1e-12


def test_what_people_see(step):
    lines = timelines(step, steps=2, sink_size=2)
    rows = table(lines).splitlines()
    assert rows[0].split() == ["form", "us/step", "interactions", "device", "busy", "faster"]
    assert [row.split()[0] for row in rows[1:]] == ["pynative", "graph", "sink"]
    assert rows[1].endswith("1.00x")
    drawn = plot(lines, width=40).splitlines()
    assert len(drawn) == 10 and drawn[9].endswith(f"0 to {lines[0].seconds * 1e6:.0f} us")
    assert drawn[0].startswith("pynative host   #")
    trace = json.loads(chrome_trace(lines))["traceEvents"]
    spans = [event for event in trace if event["ph"] == "X"]
    assert len(spans) == sum(len(line.events) for line in lines)
    assert {event["pid"] for event in spans} == {0, 1, 2}


def test_a_plot_shows_how_much_of_each_part_is_work():
    line = Timeline("graph", 1)
    line.add("host", "run", 0.0, 1.0)
    line.add("device", "large", 1.0, 1.0)
    line.add("device", "half", 2.0, 0.3)
    line.add("device", "small", 3.0, 0.1)
    line.add("copies", "results", 3.1, 0.9)
    assert [row.split()[-1] for row in plot([line], width=4).splitlines()[:3]] == [
        "#...", "...#", ".#+-",
    ]  # fmt: skip
