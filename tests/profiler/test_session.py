"""Is recorded what a user asks for, from when to when, in MindSpore's forms?"""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, profiler
from s2sad.core import recording
from s2sad.core.diagnostics import S2sadError
from s2sad.profiler import (
    Profiler,
    ProfilerAction,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
    profile,
    schedule,
    tensorboard_trace_handler,
)
from support.training import batches, model

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.fixture(autouse=True)
def nobody_listens_afterwards():
    yield
    assert recording.active is None


@pytest.fixture
def double():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield ms.compile(lambda x: x + x)
    ms.set_context(mode=ms.PYNATIVE_MODE)


def calls(folder):
    """How often each kernel ran, by the table."""
    rows = list(csv.DictReader((folder / "kernel_details.csv").read_text().splitlines()))
    return {row["Name"]: int(row["Calls"]) for row in rows}


def test_from_start_to_stop_and_no_further(double, tmp_path):
    made = Profiler(output_path=tmp_path, start_profile=False)
    double(X)
    made.start()
    double(X)
    double(X)
    made.stop()
    double(X)
    made.analyse()
    assert calls(made.folder) == {"add": 2}


def test_it_starts_at_once_and_analysing_stops_it(double, tmp_path):
    made = ms.Profiler(output_path=str(tmp_path), profile_memory=True)
    double(X)
    made.analyse()
    double(X)
    assert calls(made.folder) == {"add": 1}
    assert made.folder.parent.parent == tmp_path and made.folder.parent.name.endswith("_ascend_ms")
    rows = list(csv.DictReader((made.folder / "memory_record.csv").read_text().splitlines()))
    assert [(r["Inputs"], r["Results"], r["Peak"]) for r in rows] == [("24", "24", "48")]


def test_as_a_context_manager_it_writes_unless_there_was_an_error(double, tmp_path):
    with Profiler(output_path=tmp_path / "good") as good:
        double(X)
    assert calls(good.folder) == {"add": 1}
    with pytest.raises(ZeroDivisionError), Profiler(output_path=tmp_path / "bad"):
        1 / 0  # noqa: B018
    assert not (tmp_path / "bad").exists()


def test_a_callback_that_starts_and_stops_it(tmp_path):
    class StopAtStep(ms.Callback):
        def __init__(self, start, stop):
            super().__init__()
            self.start, self.stop = start, stop
            self.profiler = ms.Profiler(start_profile=False, output_path=tmp_path)

        def on_train_step_begin(self, run_context):
            if run_context.original_args().cur_step_num == self.start:
                self.profiler.start()

        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == self.stop:
                self.profiler.stop()

        def on_train_end(self, run_context):
            self.profiler.analyse()

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        watching = StopAtStep(2, 3)
        model().train(1, batches(5), [watching])
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    found = json.loads((watching.profiler.folder / "trace_view.json").read_text())
    assert sum(event.get("cat") == "program" for event in found["traceEvents"]) == 2


@pytest.mark.parametrize(
    ("plan", "actions"),
    [
        (dict(wait=1, warmup=1, active=2, repeat=1), "NWRSNN"),
        (dict(wait=0, active=1), "SSS"),
        (dict(wait=1, active=2, skip_first=2), "NNNRSNRS"),
        (dict(wait=0, warmup=1, active=1, repeat=2), "WSWSNN"),
    ],
)
def test_schedules(plan, actions):
    names = {"NONE": "N", "WARM_UP": "W", "RECORD": "R", "RECORD_AND_SAVE": "S"}
    made = schedule(**plan)
    assert "".join(names[made(step).name] for step in range(len(actions))) == actions
    assert made.to_dict().items() >= plan.items()


def test_steps_are_recorded_by_the_schedule_and_each_turn_is_handed_out(double, tmp_path):
    seen = []
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
        on_trace_ready=lambda made: seen.append(made.report()),
        experimental_config=_ExperimentalConfig(profiler_level=ProfilerLevel.Level1),
    ) as prof:
        for step in range(10):
            for _ in range(step + 1):
                double(X)
            prof.step()
    assert [text.splitlines()[0] for text in seen] == [
        "1 program ran 7 times, 0 operations by themselves",  # of steps 2 and 3
        "1 program ran 15 times, 0 operations by themselves",  # of steps 6 and 7
    ]


def test_a_handler_writes_into_its_folder_and_steps_are_in_the_trace(double, tmp_path):
    handler = tensorboard_trace_handler(dir_name=tmp_path, worker_name="me")
    with profile(on_trace_ready=handler) as prof:
        for _ in range(3):
            double(X)
            prof.step()
    assert prof.folder.parent.name.startswith("me_")
    events = json.loads((prof.folder / "trace_view.json").read_text())["traceEvents"]
    assert [e["name"] for e in events if e.get("cat") == "step"] == ["step 0", "step 1", "step 2"]
    quiet = tensorboard_trace_handler(tmp_path / "none", analyse_flag=False)
    with profile(on_trace_ready=quiet):
        double(X)
    assert not (tmp_path / "none").exists()


def test_what_ran_by_itself_is_there_once_and_with_its_line(tmp_path):
    with Profiler(output_path=tmp_path) as made:
        ms.ops.softmax(X)  # in one piece, though it is made of others
    rows = list(csv.DictReader((made.folder / "kernel_details.csv").read_text().splitlines()))
    assert [(row["Name"], row["Calls"], row["Program"]) for row in rows] == [("softmax", "1", "")]
    assert "test_session.py:" in rows[0]["Line"]


def test_gradients_line_by_line_know_their_sweep(tmp_path):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(3, 2, activation="tanh")
    gradient = ms.value_and_grad(net, None, net.trainable_params())
    gradient(X)
    with Profiler(output_path=tmp_path) as made:
        gradient(X)
    rows = list(csv.DictReader((made.folder / "kernel_details.csv").read_text().splitlines()))
    times = {r["Name"]: (float(r["Forward Time(us)"]), float(r["Backward Time(us)"])) for r in rows}
    forward, backward = times["tanh"]
    assert forward > 0 and backward == 0
    forward, backward = times["sum_to"]  # of the bias: the adjoint of adding it
    assert forward == 0 and backward > 0


def test_metadata_stands_in_the_trace(tmp_path):
    with Profiler(output_path=tmp_path) as made:
        made.add_metadata("net", "small")
        made.add_metadata_json("sizes", "[1, 2]")
    found = json.loads((made.folder / "trace_view.json").read_text())["otherData"]
    assert found["net"] == "small" and found["sizes"] == [1, 2]


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("E0302", lambda: Profiler(levl=1)),
        ("E0303", lambda: Profiler(start_profile=1)),
        ("E0303", lambda: profile(schedule=3)),
        ("E0303", lambda: profile(on_trace_ready="here")),
        ("E0303", lambda: schedule(wait=1.0, active=1)),
        ("E0404", lambda: schedule(wait=0, active=0)),
        ("E0404", lambda: schedule(wait=-1, active=1)),
        ("E0303", lambda: Profiler(start_profile=False).add_metadata_json("a", "{")),
        ("E0712", lambda: Profiler(start_profile=False).analyse("folder")),
        ("E0303", lambda: tensorboard_trace_handler(analyse_flag=1)),
    ],
)
def test_refusals(code, call):
    with pytest.raises(S2sadError) as caught:
        call()
    assert caught.value.code == code


def test_one_at_a_time():
    first = Profiler()
    try:
        with pytest.raises(S2sadError, match="E0715"):
            Profiler()
        second = Profiler(start_profile=False)
        with pytest.raises(S2sadError, match="E0715"):
            second.start()
    finally:
        first.stop()
    second.start()  # what was refused may come later
    second.stop()


def test_what_changes_nothing_warns():
    made = Profiler(start_profile=False)
    with pytest.warns(UserWarning, match="has not started"):
        made.stop()
    with pytest.warns(UserWarning, match="has not started"):
        made.step()
    made.start()
    with pytest.warns(UserWarning, match="started already"):
        made.start()
    made.stop()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    made = Profiler(output_path=tmp_path / "file", start_profile=False)
    with pytest.raises(S2sadError, match="E0604"):
        made.analyse()


def test_mindspores_names():
    assert ms.profiler is profiler and ms.Profiler is Profiler
    assert schedule(wait=0, active=1)(0) is ProfilerAction.RECORD_AND_SAVE
    with pytest.raises(AttributeError, match="profile"):
        profiler.profil  # noqa: B018
