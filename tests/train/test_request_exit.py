"""Does training end at the step after which somebody asks for it, with its state saved?"""

from __future__ import annotations

import json
import os
import signal
import threading

import pytest

from s2sad.core.diagnostics import S2sadError
from s2sad.train import Callback, LambdaCallback, OnRequestExit
from support.training import Trace, batches, bits, model

DATA = batches(5)


class Asking(Callback):
    """Sends the signal, or does something else, at the hook of a step."""

    needs_parameters = True

    def __init__(self, step, ask):
        self.step, self.ask = step, ask

    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == self.step:
            self.ask()


def by_signal(number=signal.SIGTERM):
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_training_and_its_state_is_found_again(mode, tmp_path, number):
    before = signal.getsignal(number)
    trace, made = Trace(), model()
    end = OnRequestExit(directory=tmp_path, sig=number)
    made.train(3, DATA, [Asking(7, lambda: by_signal(number)), end, trace])
    steps = [call[2] for call in trace.calls if call[0] == "on_train_step_end"]
    assert steps == list(range(1, 8))
    assert trace.names[-2:] == ["on_train_epoch_end", "on_train_end"]
    assert signal.getsignal(number) is before
    assert end.file.exists()

    other, begun = model(), []
    look = LambdaCallback(on_train_epoch_begin=lambda _: begun.append(bits(other)))
    other.train(1, DATA[:1], [OnRequestExit(directory=tmp_path), look])
    assert begun == [bits(made)]


def test_a_file_asks_as_well(mode, tmp_path):
    file = tmp_path / "exit.json"
    file.write_text('{"GracefulExit": 0}')
    trace = Trace()
    ask = Asking(2, lambda: file.write_text(json.dumps({"GracefulExit": 1})))
    end = OnRequestExit(save_ckpt=False, directory=tmp_path, config_file=file)
    model().train(2, DATA, [ask, end, trace])
    assert [call[2] for call in trace.calls if call[0] == "on_train_step_end"] == [1, 2]
    assert not end.file.exists()


def test_nobody_asks(tmp_path):
    end, trace = OnRequestExit(directory=tmp_path, config_file=tmp_path / "none.json"), Trace()
    model().train(2, DATA, [end, trace])
    assert trace.names.count("on_train_step_end") == 10 and not end.file.exists()


def test_an_evaluation_ends(mode, tmp_path):
    made, seen = model(metrics={"mse"}), []

    class Ask(Callback):
        needs_parameters = True

        def on_eval_step_end(self, run_context):
            seen.append(run_context.original_args().cur_step_num)
            if len(seen) == 2:
                by_signal()

    made.eval(DATA, [Ask(), OnRequestExit(directory=tmp_path)])
    assert seen == [1, 2]


@pytest.mark.parametrize(
    ("code", "settings"),
    [
        ("E0404", {"sig": 0}), ("E0303", {"sig": "TERM"}), ("E0303", {"save_ckpt": 1}),
        ("E0303", {"file_name": 3}), ("E0404", {"sig": signal.SIGKILL}),
        ("E0712", {"save_mindir": True}), ("E0303", {"save_mindir": 1}),
    ],
)  # fmt: skip
def test_refused(code, settings):
    with pytest.raises(S2sadError) as caught:
        OnRequestExit(**settings)
    assert caught.value.code == code


def test_a_file_that_is_no_json(tmp_path):
    file = tmp_path / "exit.json"
    file.write_text("{")
    with pytest.raises(S2sadError, match="no JSON"):
        model().train(1, DATA, OnRequestExit(directory=tmp_path, config_file=file))


def test_another_thread(tmp_path):
    found = []

    def work():
        try:
            model().train(1, DATA, OnRequestExit(directory=tmp_path))
        except S2sadError as error:
            found.append(error.code)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["E0712"]
