"""Does each callback do what it says, at the step at which it says so?"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.core.diagnostics import S2sadError
from s2sad.train import (
    BackupAndRestore,
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    ProgressBar,
    ReduceLROnPlateau,
    RunContext,
    SummaryCollector,
    TimeMonitor,
)
from s2sad.train.callback import CallbackParams
from s2sad.train.callback.checkpoint import Kept, free_prefix
from support.training import Trace, batches, bits, model

DATA = batches(5)


# ---- monitors -----------------------------------------------------------------------------------


def test_loss_monitor(mode, capsys):
    trace = Trace()
    made = model(metrics={"mse"})
    made.fit(2, DATA, DATA, 2, [LossMonitor(3), trace])
    losses = [call[3] for call in trace.calls if call[0] == "on_train_step_end"]
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        f"epoch: 1 step: 3, loss is {losses[2]}",
        f"epoch: 2 step: 1, loss is {losses[5]}",
        f"epoch: 2 step: 4, loss is {losses[8]}",
    ]
    assert re.fullmatch(r"Eval result: epoch 2, metrics: {'mse': [\d.e-]+}", lines[3])
    assert len(lines) == 4
    made.train(1, DATA, LossMonitor(0))
    made.eval(DATA, LossMonitor())
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("worst", [np.nan, np.inf])
def test_a_loss_that_is_not_finite_ends_training(mode, worst):
    data = [*DATA, (DATA[0][0], np.full((4, 1), worst, np.float32))]
    trace = Trace()
    for each in [LossMonitor(), LossMonitor(0)]:
        with pytest.raises(ValueError, match=r"epoch 1, step 6: training ends") as caught:
            model().train(2, data, [each, trace])
        assert isinstance(caught.value, S2sadError) and caught.value.code == "E0404"
    assert "on_train_end" not in trace.names


def test_time_monitor(mode, capsys):
    made = model(metrics={"mse"})
    made.train(2, DATA, [TimeMonitor(), TimeMonitor(data_time=True)])
    lines = capsys.readouterr().out.splitlines()
    line = r"Train epoch time: +([\d.]+) ms, per step time: +([\d.]+) ms"
    found = [re.fullmatch(line + r"(?:, data time: +([\d.]+) ms)?", each) for each in lines]
    assert len(found) == 4 and all(found)
    for match in found:
        assert float(match[1]) / 5 == pytest.approx(float(match[2]), abs=2e-3)
    assert [match[3] is None for match in found] == [True, False] * 2
    made.eval(DATA, TimeMonitor())
    assert capsys.readouterr().out.startswith("Eval epoch time: ")


def test_history(mode):
    history, trace = History(), Trace()
    made = model(metrics={"mse"})
    made.fit(3, DATA, DATA, callbacks=[history, trace])
    losses = [call[3] for call in trace.calls if call[0] == "on_train_step_end"]
    assert history.epoch == {"epoch": [1, 2, 3]}
    assert history.history["net_output"] == losses[4::5]
    assert history.history["mse"][-1] == pytest.approx(made.eval(DATA)["mse"])
    made.train(1, DATA, history)
    assert history.epoch == {"epoch": [1]} and set(history.history) == {"net_output"}


def test_lambda_callback_has_every_hook(mode):
    names = [f"on_{x}_{y}" for x in ("train", "eval") for y in
             ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")]  # fmt: skip
    calls: list[str] = []
    several = {name: (lambda context, name=name: calls.append(name)) for name in names}
    trace = Trace()
    model(metrics={"mse"}).fit(1, DATA, DATA, callbacks=[LambdaCallback(**several), trace])
    assert calls == trace.names and set(calls) == set(names)


class Screen:
    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_a_bar_is_drawn_on_a_terminal_where_nobody_else_says_anything(mode, monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    made = model()
    made.train(2, DATA)
    assert "epoch 1 [" in screen.text and "epoch 2 [########################] 5/5" in screen.text
    assert screen.text.endswith("\r\x1b[K")
    screen.text = ""
    made.train(1, DATA, [])
    assert screen.text == ""
    failing = LambdaCallback(on_train_step_end=lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        made.train(1, DATA, [ProgressBar(), failing])
    assert screen.text.endswith("\r\x1b[K")


# ---- rates --------------------------------------------------------------------------------------


def test_learning_rate_scheduler(mode):
    def rule(rate, step):
        return rate * 0.5 if step % 3 == 0 else rate

    seen: list[tuple[int, float]] = []

    def note(context):
        params = context.original_args()
        seen.append((params.cur_step_num, params.optimizer.learning_rate.item()))

    made = model(rate=0.25)
    made.train(2, DATA, [LearningRateScheduler(rule), LambdaCallback(on_train_step_end=note)])
    assert seen == [(step, 0.25 * 0.5 ** (step // 3)) for step in range(1, 11)]
    plain = model(rate=0.25)
    for step, (x, y) in enumerate(DATA * 2, 1):
        plain.train_network(ms.Tensor(x), ms.Tensor(y))
        if step % 3 == 0:
            rate = plain.train_network.optimizer.learning_rate
            rate.set_data(rate.value() * 0.5)
    assert bits(made) == bits(plain)


def monitored(callback: Any, values: list[float], optimizer: Any = None) -> list[int]:
    """Epochs that ran of those with these `values` of eval_loss; `callback` sees them."""
    params = CallbackParams(net_outputs=ms.Tensor(0.0), optimizer=optimizer, mode="train",
                            train_network=nn.Dense(1, 1))  # fmt: skip
    context = RunContext(params)
    context.evaluates = True
    callback.on_train_begin(context)
    ran = []
    for epoch, value in enumerate(values, 1):
        params.update(cur_epoch_num=epoch, eval_results={"eval_loss": value})
        callback.on_train_epoch_end(context)
        ran.append(epoch)
        if context.get_stop_requested():
            break
    callback.on_train_end(context)
    return ran


STOPS = {
    "no patience": ({}, [3, 2, 2, 1], 3),
    "patience": ({"patience": 2}, [3, 2, 2, 1, 1, 1, 0], 6),
    "min_delta": ({"min_delta": 0.5, "patience": 1}, [3, 2, 1.75, 0], 3),
    "a negative min_delta": ({"min_delta": -0.5, "patience": 1}, [3, 2, 1.75, 0], 3),
    "more is better": ({"mode": "max", "patience": 1}, [1, 2, 3, 2, 9], 4),
    "baseline": ({"baseline": 1.0, "patience": 2}, [3, 2, 0.5], 2),
    "baseline reached": ({"baseline": 1.0, "patience": 2}, [3, 0.5, 0.4, 0.4, 0.4, 0], 5),
    "NaN is not better": ({"patience": 1}, [3, float("nan"), 1], 2),
    "always better": ({}, [3, 2, 1], 3),
}


@pytest.mark.parametrize("case", STOPS)
def test_early_stopping(case):
    settings, values, last = STOPS[case]
    assert monitored(EarlyStopping(**settings), values)[-1] == last


def test_early_stopping_says_so(capsys):
    monitored(EarlyStopping(verbose=True), [1, 2, 3])
    assert capsys.readouterr().out == "Epoch 00002: early stopping\n"
    assert EarlyStopping("acc").is_better(2.0, 1.0) and not EarlyStopping().is_better(2.0, 1.0)


def test_early_stopping_gives_the_best_weights_back(mode):
    """The rate jumps, so the loss becomes worse after the second epoch."""
    found: list[dict[str, bytes]] = []
    made = model(rate=0.05, metrics={"mse"})

    def note(context):
        found.append(bits(made))
        if context.original_args().cur_epoch_num == 2:
            made.train_network.optimizer.learning_rate.set_data(ms.Tensor(10.0))

    history = History()
    stop = EarlyStopping(patience=2, restore_best_weights=True)
    made.fit(9, DATA, DATA, callbacks=[history, stop, LambdaCallback(on_train_epoch_end=note)])
    losses = history.history["mse"]
    assert len(losses) == int(np.nanargmin(losses)) + 3 < 9
    assert bits(made) == found[int(np.nanargmin(losses))]


def reduced(settings: dict[str, Any], values: list[float]) -> list[float]:
    """The rate after each epoch; it begins at 1."""
    optimizer = nn.SGD(nn.Dense(1, 1).trainable_params(), 1.0)
    callback = ReduceLROnPlateau(**settings)
    rates: list[float] = []
    plain = callback.on_train_epoch_end

    def noting(context):
        plain(context)
        rates.append(optimizer.learning_rate.item())

    callback.on_train_epoch_end = noting
    monitored(callback, values, optimizer)
    return rates


REDUCED = {
    "patience": ({"factor": 0.5, "patience": 2}, [3, 3, 3, 3, 3], [1, 1, 0.5, 0.5, 0.25]),
    "better": ({"factor": 0.5, "patience": 1}, [3, 2, 1], [1, 1, 1]),
    "too little better": ({"factor": 0.5, "patience": 1}, [3, 2.99995], [1, 0.5]),
    "cooldown": (
        {"factor": 0.5, "patience": 1, "cooldown": 2}, [3, 3, 3, 3, 3, 3],
        [1, 0.5, 0.5, 0.25, 0.25, 0.125],
    ),
    "min_lr": ({"factor": 0.5, "patience": 1, "min_lr": 0.4}, [3, 3, 3, 3], [1, 0.5, 0.4, 0.4]),
    "more is better": ({"factor": 0.5, "patience": 1, "mode": "max"}, [1, 2, 1], [1, 1, 0.5]),
}  # fmt: skip


@pytest.mark.parametrize("case", REDUCED)
def test_reduce_lr_on_plateau(case):
    settings, values, expected = REDUCED[case]
    np.testing.assert_allclose(reduced(settings, values), expected, rtol=1e-6)


def test_a_plateau_changes_what_the_next_steps_do(mode, capsys):
    made = model(rate=0.5, metrics={"mse"})
    plateau = ReduceLROnPlateau(mode="max", patience=1, verbose=True, factor=0.25)
    rates: list[float] = []
    rate = made.train_network.optimizer.learning_rate
    note = LambdaCallback(on_train_epoch_begin=lambda _: rates.append(rate.item()))
    made.fit(3, DATA, DATA, callbacks=[plateau, note])
    assert rates[0] == 0.5 and rates[-1] in (0.5, 0.125, 0.03125)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == int(np.log(0.5 / rate.item()) / np.log(4) + 0.5)


def test_what_is_monitored_must_exist(mode):
    made = model(metrics={"mse"})
    for make in (EarlyStopping, ReduceLROnPlateau):
        with pytest.raises(S2sadError, match=r"Model\.fit") as caught:
            made.train(1, DATA, make())
        assert caught.value.code == "E0404"
        with pytest.raises(S2sadError, match="'eval_loss'") as caught:
            made.fit(1, DATA, DATA, callbacks=make("accuracy"))
        assert caught.value.code == "E0404"
        made.train(2, DATA, make("loss"))
        made.fit(3, DATA, DATA, 2, make("mse"))  # epochs without an evaluation do not count


def test_one_number_is_monitored():
    with pytest.raises(S2sadError) as caught:
        monitored(EarlyStopping(), [np.zeros(2)])  # type: ignore[list-item]
    assert caught.value.code == "E0405"


def test_a_schedule_is_not_changed(mode):
    made = model(rate=nn.exponential_decay_lr(0.1, 0.9, 40, 2, 1), metrics={"mse"})
    for each in (ReduceLROnPlateau("loss"), LearningRateScheduler(lambda rate, step: rate)):
        with pytest.raises(S2sadError, match="one learning rate") as caught:
            made.train(1, DATA, each)
        assert caught.value.code == "E0404"


# ---- checkpoints --------------------------------------------------------------------------------


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("is_sunk", [True, False])
def test_checkpoints_hold_the_parameters_of_their_steps(mode, is_sunk, tmp_path):
    config = CheckpointConfig(3, append_info=["epoch_num", "step_num", {"mine": 2.5}])
    saving = ModelCheckpoint("net", str(tmp_path), config)
    made = model()
    made.train(2, DATA, saving, dataset_sink_mode=is_sunk)
    assert names(tmp_path) == ["net-1_3.ckpt", "net-2_1.ckpt", "net-2_4.ckpt", "net-2_5.ckpt"]
    plain, steps = model(), {3: "1_3", 6: "2_1", 9: "2_4", 10: "2_5"}
    for step, (x, y) in enumerate(DATA * 2, 1):
        plain.train_network(ms.Tensor(x), ms.Tensor(y))
        if step in steps:
            found = ms.load_checkpoint(str(tmp_path / f"net-{steps[step]}.ckpt"))
            assert found["step_num"].item() == step and found["mine"].item() == 2.5
            assert found["epoch_num"].item() == 1 + (step > 5)
            state = {name: x.asnumpy().tobytes() for name, x in found.items()}
            for name in ("epoch_num", "step_num", "mine"):
                state.pop(name)
            assert state == bits(plain)
    assert saving.latest_ckpt_file_name == str(tmp_path / "net-2_5.ckpt")


def test_training_goes_on_from_a_checkpoint(mode, tmp_path):
    whole = model()
    ms.manual_seed(7)
    whole.train(1, DATA, ModelCheckpoint("a", tmp_path, CheckpointConfig(5)))
    state = ms.get_rng_state()
    whole.train(2, DATA, initial_epoch=1)
    again = model()
    found = ms.load_checkpoint(str(tmp_path / "a-1_5.ckpt"))
    ms.load_param_into_net(again.train_network, found)
    ms.set_rng_state(state)
    again.train(2, DATA, initial_epoch=1)
    assert bits(again) == bits(whole)


def test_the_latest_checkpoints_stay(mode, tmp_path):
    saving = ModelCheckpoint(directory=tmp_path, config=CheckpointConfig(1, keep_checkpoint_max=2))
    model().train(2, DATA, saving)
    assert names(tmp_path) == ["CKP-2_4.ckpt", "CKP-2_5.ckpt"]
    model().train(1, DATA, ModelCheckpoint(directory=tmp_path, config=CheckpointConfig(5)))
    model().train(1, DATA, ModelCheckpoint(directory=tmp_path, config=CheckpointConfig(5)))
    assert names(tmp_path)[2:] == ["CKP_1-1_5.ckpt", "CKP_2-1_5.ckpt"]


def test_prefixes_are_free(tmp_path):
    for name in ("a-1_1.ckpt", "a_7-1_1.ckpt", "ab-1_1.ckpt", "a_9-1_1.txt", "b_1-2_2.ckpt"):
        (tmp_path / name).touch()
    found = [free_prefix(tmp_path, prefix) for prefix in ("a", "ab", "b", "c", "a.")]
    assert found == ["a_8", "ab_1", "b_2", "c", "a."]


def test_one_checkpoint_of_some_minutes_stays(tmp_path):
    now = [0.0]
    config = CheckpointConfig(1, keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1)
    kept = Kept(config, lambda: now[0])
    for second in range(0, 140, 10):
        now[0] = float(second)
        path = tmp_path / f"{second:03d}"
        path.touch()
        kept.add(path)
    assert names(tmp_path) == ["050", "110", "130"]


def test_checkpoints_by_time(mode, tmp_path, monkeypatch):
    saving = ModelCheckpoint("t", tmp_path, CheckpointConfig(0, 100, keep_checkpoint_max=9))
    now = [0.0]
    monkeypatch.setattr("s2sad.train.callback.checkpoint.time.monotonic", lambda: now[0])
    made = model()

    def batches_in_time():
        for batch in DATA:
            now[0] += 60.0
            yield batch

    class InTime(list):
        def __iter__(self):
            return batches_in_time()

    made.train(1, InTime(DATA), saving)
    assert names(tmp_path) == ["t-1_2.ckpt", "t-1_4.ckpt", "t-1_5.ckpt"]
    other, found = model(), []
    for x, y in DATA:
        other.train_network(ms.Tensor(x), ms.Tensor(y))
        found.append(bits(other))
    for step in (2, 4, 5):
        loaded = ms.load_checkpoint(str(tmp_path / f"t-1_{step}.ckpt"))
        assert {name: x.asnumpy().tobytes() for name, x in loaded.items()} == found[step - 1]


def test_what_is_saved_can_be_chosen(mode, tmp_path):
    made = model()
    net = made.predict_network
    config = CheckpointConfig(5, saved_network=net, format="safetensors", crc_check=False)
    made.train(1, DATA, ModelCheckpoint("n", tmp_path / "new" / "folder", config))
    path = tmp_path / "new" / "folder" / "n-1_5.safetensors"
    found = ms.load_checkpoint(str(path), format="safetensors")
    assert set(found) == set(net.parameters_dict())


def test_an_exception_may_leave_a_checkpoint(mode, tmp_path):
    def stop(context):
        if context.original_args().cur_step_num == 3:
            raise RuntimeError("enough")

    for prefix, is_saved in (("a", False), ("b", True)):
        config = CheckpointConfig(500, exception_save=is_saved, append_info=["step_num"])
        saving = ModelCheckpoint(prefix, tmp_path, config)
        with pytest.raises(RuntimeError, match="enough"):
            model().train(1, DATA * 20, [saving, LambdaCallback(on_train_step_end=stop)])
    assert names(tmp_path) == ["b-1_3_breakpoint.ckpt"]
    plain = model()
    plain.train(1, DATA[:3])
    found = ms.load_checkpoint(str(tmp_path / "b-1_3_breakpoint.ckpt"))
    assert found.pop("step_num").item() == 3
    assert {name: x.asnumpy().tobytes() for name, x in found.items()} == bits(plain)


def test_an_interrupted_run_begins_with_its_backup(mode, tmp_path):
    folder = tmp_path / "backup"
    made = model()
    ends: list[dict[str, bytes]] = []
    stop = LambdaCallback(
        on_train_epoch_begin=lambda c: c.original_args().cur_epoch_num == 4 and 1 // 0
    )
    note = LambdaCallback(on_train_epoch_end=lambda _: ends.append(bits(made)))
    with pytest.raises(ZeroDivisionError):
        made.train(9, DATA, [BackupAndRestore(folder, 2), note, stop])
    assert names(folder) == ["backup.ckpt"] and len(ends) == 3
    other, begins = model(), []
    look = LambdaCallback(on_train_begin=lambda _: begins.append(bits(other)))
    other.train(1, DATA, [BackupAndRestore(str(folder), delete_checkpoint=False), look])
    assert begins == [ends[1]] and names(folder) == ["backup.ckpt"]
    net = nn.SequentialCell(nn.Dense(3, 8), nn.Dense(8, 1))
    different = ms.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    state = bits(different)
    with pytest.raises(S2sadError, match=r"another network.* no 1\.bias, 1\.weight") as caught:
        different.train(1, DATA, BackupAndRestore(folder))
    assert caught.value.code == "E0711" and bits(different) == state
    model().train(1, DATA, BackupAndRestore(folder))
    assert names(folder) == []


# ---- what is refused ----------------------------------------------------------------------------

REFUSED = {
    "lines of less than no steps": ("E0404", lambda: LossMonitor(-1)),
    "lines of half a step": ("E0303", lambda: LossMonitor(0.5)),
    "no steps": ("E0404", lambda: TimeMonitor(0)),
    "a hook that is none": ("E0304", lambda: LambdaCallback(on_train_end=3)),
    "a rate that is no function": ("E0304", lambda: LearningRateScheduler(0.1)),
    "a monitor that is no name": ("E0303", lambda: EarlyStopping(3)),
    "a mode that is none": ("E0404", lambda: EarlyStopping(mode="less")),
    "patience below 0": ("E0404", lambda: EarlyStopping(patience=-1)),
    "a factor of 1": ("E0404", lambda: ReduceLROnPlateau(factor=1.0)),
    "no time to save": ("E0404", lambda: CheckpointConfig(0)),
    "info of another name": ("E0404", lambda: CheckpointConfig(append_info=["loss"])),
    "two dicts of info": ("E0404", lambda: CheckpointConfig(append_info=[{}, {}])),
    "info that is a name": ("E0404", lambda: CheckpointConfig(append_info="epoch_num")),
    "a saved network that is none": ("E0304", lambda: CheckpointConfig(saved_network=3)),
    "redundancy": ("E0404", lambda: CheckpointConfig(remove_redundancy=True)),
    "a prefix with a folder": ("E0404", lambda: ModelCheckpoint("a/b")),
    "a prefix that is no text": ("E0303", lambda: ModelCheckpoint(3)),
    "a config that is none": ("E0304", lambda: ModelCheckpoint(config={})),
    "a backup in no folder": ("E0303", lambda: BackupAndRestore(3)),
    "a backup never": ("E0404", lambda: BackupAndRestore("b", 0)),
    "a context that is none": ("E0304", lambda: RunContext(3)),
    "a tensor every 0 steps": ("E0404", lambda: SummaryCollector("s", 0)),
    "a graph": ("E0404", lambda: SummaryCollector("s", 1, 1, {"collect_graph": True})),
    "a name misspelt": ("E0404", lambda: SummaryCollector("s", 1, 1, {"collect_metrics": True})),
    "lineage": ("E0404", lambda: SummaryCollector("s", custom_lineage_data={})),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_place(case):
    code, call = REFUSED[case]
    with pytest.raises(S2sadError) as caught:
        call()
    assert caught.value.code == code, caught.value
    place = caught.value.diagnostic.place
    assert place is not None and place.file == __file__


def test_hooks_do_nothing_by_default():
    Callback().begin(RunContext({}))
    with Callback() as callback:
        callback.on_train_step_end(RunContext({}))
        assert not callback.needs_parameters_at(1)
