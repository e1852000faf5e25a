"""Does a run that was killed go on to the very losses of one that was not?"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import s2sad as ms

ROOT = Path(__file__).parents[2]

#: Trains with dropout, moving statistics, a rate that falls, and rows in an order of chance. Each
#: loss is a line of a file; the state is saved after each step.
RUN = """
import os, sys, time
import numpy as np
import s2sad as ms
from s2sad import nn

path, losses, steps, pause, rng, mode = sys.argv[1:]
ms.set_context(mode=int(mode))
data = np.random.default_rng(0).normal(size=(24, 4)).astype(np.float32)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.dropout = nn.Dropout(p=0.4)
        self.last = nn.Dense(8, 1)
        self.scale = ms.Parameter(ms.Tensor(1.0, ms.float16), name="scale")

    def construct(self, x):
        hidden = self.dropout(ms.ops.relu(self.norm(self.first(x))))
        return self.last(hidden) * self.scale.astype(ms.float32)

ms.set_seed(11)
net = Net()
rate = nn.ExponentialDecayLR(0.05, 0.9, 4)
step = nn.TrainOneStepCell(
    nn.WithLossCell(net, nn.MSELoss()), nn.AdamWeightDecay(net.trainable_params(), rate)
)
step.set_train()
start, epoch = 0, 0
if os.path.exists(path):
    found = ms.load_checkpoint(path, crc_check=True)
    missing, extra = ms.load_param_into_net(step, found, strict_load=True)
    assert not missing and extra == ["step_num", "epoch_num", "rng", "who"], (missing, extra)
    assert found["who"] == "a run"
    start, epoch = int(found["step_num"]), int(found["epoch_num"])
    if rng == "rng":
        ms.set_rng_state(found["rng"])
with open(losses, "a") as out:
    for number in range(start, int(steps)):
        epoch, place = divmod(number, 4)
        order = np.random.default_rng(epoch).permutation(24)
        x = ms.Tensor(data[order[6 * place : 6 * place + 6]])
        loss = step(x, x.sum(1, keepdims=True))
        time.sleep(float(pause))
        print(number, loss.item().hex(), file=out, flush=True)
        more = {
            "step_num": number + 1, "epoch_num": epoch, "rng": ms.get_rng_state(), "who": "a run"
        }
        ms.save_checkpoint(step, path, append_dict=more, crc_check=True)
"""


def start(folder, name, steps, *, pause=0.0, rng="rng", mode=ms.GRAPH_MODE):
    arguments = [folder / f"{name}.ckpt", folder / f"{name}.txt", steps, pause, rng, mode]
    program = folder / "run.py"  # in a file: it is read where it is compiled
    program.write_text(RUN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, program, *map(str, arguments)], env=environment,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def finish(*arguments, **settings):
    process = start(*arguments, **settings)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said


def losses(folder, name):
    """Loss of each step; a step that ran twice, its state not saved, gave the same one twice."""
    found = {}
    for line in (folder / f"{name}.txt").read_text().split("\n")[:-1]:  # the last may be cut
        number, loss = line.split()
        assert found.setdefault(int(number), loss) == loss, line
    return list(found.items())


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_killed_run_goes_on_bit_for_bit(tmp_path, mode):
    finish(tmp_path, "whole", 12, mode=mode)
    process = start(tmp_path, "killed", 12, pause=0.2, mode=mode)
    while not (tmp_path / "killed.txt").exists() or len(losses(tmp_path, "killed")) < 5:
        assert process.poll() is None, process.stderr.read()
    process.kill()
    process.communicate(timeout=60)
    seen = len(losses(tmp_path, "killed"))
    assert 5 <= seen < 12
    finish(tmp_path, "killed", 12, mode=mode)
    assert losses(tmp_path, "killed") == losses(tmp_path, "whole")
    assert [number for number, _ in losses(tmp_path, "whole")] == list(range(12))


@pytest.mark.parametrize("kills", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_a_run_that_is_killed_again_and_again_has_the_losses_of_one_that_is_not(tmp_path, kills):
    """At any moment: in a step, in a save, and between the two."""
    chance, steps = random.Random(kills), 12 * kills
    finish(tmp_path, "whole", steps)
    for _ in range(kills):
        process = start(tmp_path, "killed", steps)
        before = size_of(tmp_path / "killed.txt")
        while process.poll() is None and size_of(tmp_path / "killed.txt") == before:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.1)
        process.kill()
        _, said = process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGKILL), said
    finish(tmp_path, "killed", steps)
    assert losses(tmp_path, "killed") == losses(tmp_path, "whole")


def size_of(path):
    return path.stat().st_size if path.exists() else 0


def test_without_the_random_state_it_would_not(tmp_path):
    finish(tmp_path, "whole", 4)
    finish(tmp_path, "parts", 2)
    finish(tmp_path, "parts", 4, rng="none")
    whole, parts = losses(tmp_path, "whole"), losses(tmp_path, "parts")
    assert whole[:2] == parts[:2] and whole[2:] != parts[2:]
