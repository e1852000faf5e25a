"""Do scripts written for MindSpore, as they stand, learn by s2sad, the same in both modes?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "scripts"

#: Of each script, by how much its loss falls at least, and what else it prints.
SCRIPTS = {
    "custom_loop": (1e-3, ["weight: [1.0, -2.0, 0.5]", "bias: 0.5"]),
    "gan": (1.1, ["parts: 4 discriminator.0.bias"]),
    "lenet": (0.3, ["accuracy: 100.00"]),
    "mixed_precision": (0.3, ["scale: 8192, result: Float32", "manager: 16777216.0 Float32"]),
    "model_train": (0.1, ["missing: []", "accuracy: 100.00", "same: True"]),
    "quick_start": (0.7, ["accuracy: 98.44"]),
    "resnet": (0.5, ["accuracy: 100.00"]),
    "schedules": (0.5, ["steps: 20", "piecewise: [0.1, 0.1, 0.01, 0.01]"]),
    "sentiment": (0.5, ["accuracy: 100.00"]),
    "transformer": (0.1, []),
    "vae": (0.95, []),
}


def run(name: str, mode: str) -> str:
    command = [sys.executable, "-W", "error", "-m", "s2sad", "run", str(FOLDER / f"{name}.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [*command, "--mode", mode], capture_output=True, text=True, encoding="utf-8",
        env=environment, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def losses(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"^loss: (\S+)", text, re.MULTILINE)]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_learns_in_both_modes(name):
    part, lines = SCRIPTS[name]
    compiled, plain = run(name, "GRAPH"), run(name, "PYNATIVE")
    first, *_, last = losses(compiled)
    assert last < part * first
    for line in lines:
        assert line in compiled.splitlines()
    # Operations are fused in the one and not in the other: the last digit may differ.
    assert losses(plain) == pytest.approx(losses(compiled), rel=1e-3, abs=1e-3)
    assert plain.count("\n") == compiled.count("\n")


def test_every_script_is_named():
    assert sorted(SCRIPTS) == sorted(path.stem for path in FOLDER.glob("*.py"))
