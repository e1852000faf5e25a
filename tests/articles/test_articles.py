"""Do programs of the kinds that introductions to MindSpore show run as those say they do?

Where such texts and MindSpore 2.10 differ, the texts are right here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.train import LossMonitor, Model

ROOT = Path(__file__).parents[2]


def printed(name: str) -> str:
    """What the program of this name prints; a warning that it does not take is an error."""
    program = Path(__file__).parent / "programs" / f"{name}.py"
    command = [sys.executable, "-W", "error", "-m", "s2sad", "run", str(program)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_simple_net():
    text = printed("simple_net")
    error, _, training = text.partition("loss: ")
    assert "[E0401]" in error and "(8, 20736)" in error and "(10, 16384)" in error
    assert "self.fc(self.flatten(x))" in error and "pad_mode='valid'" in error
    steps = [line.split() for line in re.findall(r"^(?:loss: )?([\d.]+ \w+ \d+)$", training, re.M)]
    losses = [float(step[0]) for step in steps]
    assert len(losses) == 30 and losses[-1] < 0.1 * losses[0]
    assert steps[-1][1] == "False" and all(float(step[2]) <= 2.0**24 for step in steps)
    assert text.endswith("stored in Float32 trained in Float16\n")


def test_data_pipeline():
    lines = dict(line.split(": ", 1) for line in printed("data_pipeline").splitlines())
    is_enough = lines.pop("as many processors") == "True"
    warned = lines.pop("warned")
    assert (warned == "None") == is_enough
    if not is_enough:
        assert "4" in warned and "processors" in warned
    assert lines == {
        "batches": "3 columns: ['image', 'label']",
        "shapes": "(16, 3, 4, 4) (16, 10) Float32",
        "all are different": "[48, 48]",
        "in order": "[False, False] again: False",
    }


def test_modes():
    assert printed("modes").splitlines() == [
        "by default: True", "equal: True", "with kernels fused: True",
    ]  # fmt: skip


def test_precision_at_each_level():
    lines = [line.split() for line in printed("precision").splitlines()]
    assert [line[0] for line in lines] == ["O0:", "O1:", "O2:", "O3:", "auto:"]
    first = float(lines[0][1])
    for _, begun, ended, dtype in lines:
        assert float(begun) == pytest.approx(first, rel=5e-3)
        assert float(ended) < 0.1 * first
        assert dtype == "Float32"


def test_a_monitor_with_hooks_by_their_old_names():
    text = printed("monitor")
    assert re.findall(r"^epoch: (\d) step: 4, loss is [\d.]+$", text, re.M) == ["1", "2", "3"]
    assert re.findall(r"^epoch (\d) of 4 steps has ended$", text, re.M) == list("12312")
    assert text.splitlines()[-2:] == [f"events: {['begin', 'end'] * 5}", "learnt: True"]


def test_train_sinks_by_default_on_a_cpu():
    net = nn.Dense(2, 1)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    data = [(np.ones((4, 2), np.float32), np.ones((4, 1), np.float32))] * 5
    model.train(1, data, callbacks=LossMonitor(0))
    assert ms.get_context("mode") == ms.GRAPH_MODE and ms.get_context("device_target") == "CPU"
    assert str(ms.compile(model.train_network).last_sink) == (
        "Tally(steps=5, sinks=1, interactions=1)"
    )
