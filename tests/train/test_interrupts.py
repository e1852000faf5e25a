"""What is left after Ctrl-C, and after an exception: whole Parameters, no threads, no files?"""

from __future__ import annotations

import os
import signal
import threading

import pytest

import s2sad as ms
from s2sad import nn
from s2sad.train import LambdaCallback, Model
from support.training import Trace, batches, bits, model

DATA = batches(6)


@pytest.mark.parametrize("is_sunk", [True, False])
def test_ctrl_c_leaves_the_parameters_of_a_whole_step(mode, is_sunk):
    """A step that is under way when the signal comes ends first."""
    before = threading.active_count()
    trace, made = Trace(), model()
    interrupt = LambdaCallback(
        on_train_step_end=lambda c: (
            c.original_args().cur_step_num == 4 and os.kill(os.getpid(), signal.SIGINT)
        )
    )
    with pytest.raises(KeyboardInterrupt):
        made.train(50, DATA, [trace, interrupt], is_sunk)
    found = bits(made)
    states, plain = [], model()
    for step in range(50 * len(DATA)):
        plain.train_network(*map(ms.Tensor, DATA[step % len(DATA)]))
        states.append(bits(plain))
        if states[-1] == found:
            break
    assert found == states[-1] and len(states) >= 4
    assert threading.active_count() == before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    made.train(1, DATA)  # all goes on


class Interrupting(nn.Momentum):
    """Sends the signal in the fourth step, when one Parameter is updated and the next is not."""

    def update_parameter(self, index, *args):
        if index == 1 and self.global_step.item() == 4:
            os.kill(os.getpid(), signal.SIGINT)
        super().update_parameter(index, *args)


def test_ctrl_c_within_an_update_waits_for_its_end():
    ms.set_context(mode=ms.PYNATIVE_MODE)  # where the update is Python's own
    found = []
    for kind in (Interrupting, nn.Momentum):
        ms.set_seed(0)
        net = nn.Dense(3, 1)
        made = Model(net, nn.MSELoss(), kind(net.trainable_params(), 0.1, 0.9))
        if kind is Interrupting:
            with pytest.raises(KeyboardInterrupt):
                made.train(1, DATA)
        else:
            made.train(1, DATA[:4])
        found.append(bits(made))
    assert found[0] == found[1]


def test_nothing_is_left_behind(mode, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = threading.active_count()
    made = model(metrics={"mse"})
    made.fit(2, DATA, DATA)
    with pytest.raises(ZeroDivisionError):
        made.train(1, DATA, LambdaCallback(on_train_step_end=lambda _: 1 // 0))
    assert threading.active_count() == before and list(tmp_path.iterdir()) == []
