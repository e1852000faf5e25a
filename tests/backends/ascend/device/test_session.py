"""What a session refuses; memory, and run.json."""

from __future__ import annotations

import json

import numpy as np
import pytest
from backends.ascend.device.running import session_of
from backends.ascend.device.test_programs import LeNet, Prepared, Tiny

from s2sad.backends.ascend.building import GraphBuilder
from s2sad.backends.ascend.device.memory import Memory
from s2sad.backends.ascend.device.session import Session
from s2sad.backends.ascend.graph import Desc
from s2sad.backends.ascend.run_file import LOOP_CONDITION, as_json, from_json, read
from s2sad.backends.ascend.sink import single, sunk
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError

BIG = Desc("DT_FLOAT", (1024,))


def chain(length):
    builder = GraphBuilder("root")
    x = builder.data(BIG)
    for _ in range(length):
        x = builder.node("Neg", {"x": x}, [BIG])
    builder.net_output([x])
    return builder


@pytest.fixture(scope="module")
def tiny():
    return Prepared(Tiny)


# Memory


def test_blocks_are_used_again_when_the_last_reader_is_done():
    session = session_of(chain(10), ["x"])
    session.run([np.zeros(1024, np.float32)])
    memory = session.device.memory
    assert memory.peak == memory.reach == 3 * 4096  # the input of the call, and two of the chain
    assert memory.used == 0


def test_the_report_says_what_is_alive_at_the_peak():
    builder = chain(1)
    extra = builder.constant(np.zeros(4096, np.float32), dtypes.float32)
    whole = Desc("DT_FLOAT", (4096,))
    builder.node("Neg", {"x": extra}, [whole], name="large")
    session = session_of(builder, ["x"])
    session.run([np.zeros(1024, np.float32)])
    report = session.device.memory.report().splitlines()
    assert report[0].startswith("peak ")
    assert [line.split()[2:] for line in report[1:3]] == [["constant", "const:0"],
                                                          ["result", "large:0"]]  # fmt: skip
    total = sum(each.nbytes for each in session.device.memory.at_peak)
    assert total == session.device.memory.peak


def test_a_program_that_is_too_large_is_an_error_at_its_line():
    prepared = Prepared(LeNet)
    made = single(prepared.lowered)
    session = Session(made.run, made.models, capacity=200_000)
    for name, value in prepared.state.items():
        session.put(name, value)
    with pytest.raises(
        S2sadError, match=r"(?s)E0718.*are in use.*-->.*at the node root/"
    ) as caught:
        session.run(prepared.given(session, prepared.data[0]))
    assert "state" in caught.value.args[0]
    memory = session.device.memory
    assert {block.kind for block in memory._blocks} <= {"state", "constant"}
    assert memory.used == sum(block.nbytes for block in memory._blocks)


def test_what_is_too_large_is_not_computed():
    builder = GraphBuilder("root")
    x = builder.data(Desc("DT_FLOAT", (1,)))
    huge = Desc("DT_FLOAT", (1 << 40,))
    shape = builder.constant(np.int64([1 << 40]), dtypes.int64)
    builder.net_output([builder.node("BroadcastTo", {"x": x, "shape": shape}, [huge])])
    with pytest.raises(S2sadError, match=r"E0718.*4.4 TB are free for BroadcastTo"):
        session_of(builder, ["x"]).run([np.zeros(1, np.float32)])


def test_gaps_are_filled_where_they_fit_best():
    memory = Memory(1 << 20)
    blocks = [memory.take(f"{i}", size, "result") for i, size in enumerate((2048, 512, 1024, 512))]
    for block in (blocks[0], blocks[2]):
        memory.release(block)
    assert memory.take("small", 1000, "result").address == blocks[2].address
    assert memory.take("large", 1500, "result").address == 0
    assert memory.reach == memory.peak == 4096


# Sessions


def test_what_a_session_does_not_take(tiny):
    made = sunk(tiny.lowered, [0, 1], 2)
    session = Session(made.run, made.models)
    image, labels = tiny.data[0]
    given = tiny.given(session)
    refused = [
        (lambda: session.run(given), "net_init has to run before"),
        (lambda: session.put("dense_wait", image), "no state 'dense_wait'.*dense_weight"),
        (lambda: session.put("dense_weight", image), r"dense_weight takes float\[5, 28\]"),
        (lambda: session.get("dense_weight"), "nothing was put"),
        (lambda: session.send("other", [image, labels]), "no queue 'other'"),
        (lambda: session.send("s2sad_batches", [image]), "has 2 columns, got 1"),
        (
            lambda: session.send("s2sad_batches", [image, labels.astype(np.int64)]),
            "stored as int32",
        ),
    ]
    for call, message in refused:
        with pytest.raises(S2sadError, match=f"(?s)E0717.*{message}"):
            call()
    session.init()
    with pytest.raises(S2sadError, match="E0717.*was not put on the device"):
        session.run(given)
    for name, value in tiny.state.items():
        session.put(name, value)
    with pytest.raises(S2sadError, match="E0717.*fewer values"):
        session.run([*given, *given, image])
    with pytest.raises(S2sadError, match="E0706.*nothing is in the queue"):
        session.run(given)
    session.send("s2sad_batches", [image, labels])
    session.close("s2sad_batches")
    with pytest.raises(S2sadError, match="E0706.*at its end"):
        session.run(given)


def test_a_queue_holds_so_many_batches(tiny):
    made = sunk(tiny.lowered, [0, 1], 2)
    session = Session(made.run, made.models)
    for _ in range(128):
        session.send("s2sad_batches", tiny.data[0])
    with pytest.raises(S2sadError, match="E0717.*is full: 128 batches wait"):
        session.send("s2sad_batches", tiny.data[0])


def test_the_engine_loops_only_when_it_is_told_to(tiny):
    made = sunk(tiny.lowered, [0, 1], 5)
    session = tiny.session(made)
    session.feed("s2sad_batches", tiny.data)
    session.run(tiny.given(session))
    assert session.device.items == 5 and session.get(LOOP_CONDITION) == 0
    session.feed("s2sad_batches", tiny.data[:3])
    with pytest.raises(S2sadError, match="E0706"):
        session.run(tiny.given(session))
    assert session.get(LOOP_CONDITION) == 3  # it stands at the step that got no batch
    once = sunk(tiny.lowered, [0, 1], 1)
    assert not once.run.graphs[1].need_iteration
    session = tiny.session(once)
    session.feed("s2sad_batches", tiny.data)
    session.run(tiny.given(session))
    assert session.device.items == 1 and session.counters.streams == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], 0), "1 or more steps, got 0"),
        (([0, 99], 2), "no input 99"),
        (([], 2), "a batch has inputs"),
        (([0, 0], 2), "each once"),
    ],
)
def test_what_cannot_be_sunk(tiny, arguments, message):
    with pytest.raises(S2sadError, match=f"E0404.*{message}"):
        sunk(tiny.lowered, *arguments)


def test_state_is_not_fed_and_results_have_to_be_there(tiny):
    number = next(iter(tiny.lowered.state))
    with pytest.raises(S2sadError, match="E0404.*is state, which is not fed"):
        sunk(tiny.lowered, [0, number], 2)
    with pytest.raises(S2sadError, match="E0404.*no result 7"):
        sunk(tiny.lowered, [0, 1], 2, each_step=[7])
    with pytest.raises(S2sadError, match="E0404.*'engine' or 'while', got 'for'"):
        sunk(tiny.lowered, [0, 1], 2, form="for")


def test_without_results_of_every_step_the_last_comes_back(tiny):
    made = sunk(tiny.lowered, [0, 1], 3, each_step=())
    session = tiny.session(made)
    session.feed("s2sad_batches", tiny.data)
    (last,) = session.run(tiny.given(session))
    assert last == pytest.approx(tiny.losses[2], abs=1e-5)


# run.json


def test_run_files_say_it_all_again(tiny, tmp_path):
    for form in ("engine", "while"):
        made = sunk(tiny.lowered, [0, 1], 3, form=form)
        assert read(made.write(tmp_path / form)) == read(tmp_path / form) == made.run
    files = sorted(path.name for path in (tmp_path / "engine").iterdir())
    assert files == ["net.air", "net_init.air", "run.json"]


def changed(run, *path, to):
    found = json.loads(as_json(run))
    place = found
    for key in path[:-1]:
        place = place[key]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return json.dumps(found)


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (("format",), 9, "run.json is of format 9, this version reads 1"),
        (("graphs", 1, "steps"), "3", r"graphs\[1\].steps in run.json is '3', not a whole number"),
        (("graphs", 0, "file"), None, r"graphs\[0\].file is missing"),
        (("graphs", 1, "need_iteration"), 1, "not true or false"),
        (("graphs", 1, "role"), "train", "not one of init, step"),
        (("graphs", 1, "inputs", 0, "type"), "float", r"inputs\[0\].type in run.json is 'float'"),
        (("graphs", 1, "inputs", 0, "shape"), 3, "not a list"),
        (("channels", 0), 3, r"channels\[0\] in run.json is 3, not an object"),
        (("more",), 3, "more in run.json is not known"),
    ],
)
def test_run_files_that_say_something_else(tiny, path, to, message):
    made = sunk(tiny.lowered, [0, 1], 3)
    with pytest.raises(S2sadError, match=f"E0609.*{message}"):
        from_json(changed(made.run, *path, to=to))


def test_files_that_are_not_there_or_do_not_fit(tiny, tmp_path):
    with pytest.raises(S2sadError, match="E0604.*cannot be read"):
        Session.load(tmp_path)
    with pytest.raises(S2sadError, match="E0609.*is no JSON"):
        from_json("{")
    path = single(tiny.lowered).write(tmp_path)
    text = path.read_text().replace('"shape": [', '"shape": [7,', 1)
    text = text.replace('"shape": [7,', '"shape": [\n7,', 1)
    path.write_text(text)
    with pytest.raises(S2sadError, match="E0717.*has other inputs than its run.json says"):
        Session.load(tmp_path)
    (tmp_path / "net.air").unlink()
    with pytest.raises(S2sadError, match="E0604.*net.air cannot be read"):
        Session.load(tmp_path)


def test_graphs_that_the_engine_would_not_take(tiny):
    made = single(tiny.lowered)
    model = made.models["net.air"]
    node = next(n for n in model.root.nodes.values() if n.type == "MatMulV2")
    names = node.attributes.pop("_input_name_key")
    try:
        with pytest.raises(S2sadError, match=r"(?s)E0717.*does not take net.air.*port-names"):
            Session(made.run, made.models)
    finally:
        node.attributes["_input_name_key"] = names
