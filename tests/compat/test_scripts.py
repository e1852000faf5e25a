"""Do scripts written for MindSpore learn by s2sad as they do by MindSpore, in both modes?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "scripts"
#: What MindSpore itself prints for them: made by `record.py`.
LOG = Path(__file__).parent / "mindspore-2.10.log"

#: Of each script, by how much its loss falls at least, and what else it prints.
SCRIPTS = {
    "custom_loop": (1e-3, ["weight: [1.0, -2.0, 0.5]", "bias: 0.5"]),
    "gan": (1.1, ["parts: 4 discriminator.0.bias"]),
    "lenet": (0.3, ["accuracy: 100.00"]),
    "mixed_precision": (0.3, ["scale: 8192, result: Float32", "manager: 16777216.0 Float32"]),
    "model_train": (0.1, ["missing: []", "accuracy: 100.00", "same: True"]),
    "quick_start": (0.7, ["accuracy: 100.00"]),
    "resnet": (0.5, ["accuracy: 100.00"]),
    "schedules": (0.5, ["steps: 20", "piecewise: [0.1, 0.1, 0.01, 0.01]"]),
    "sentiment": (0.5, ["accuracy: 100.00"]),
    "transformer": (0.1, []),
    "vae": (0.98, []),
}


#: How far losses may be from MindSpore's, where that is not 1e-4.
TOLERANCES = {
    "mixed_precision": 2e-4,  # what test_mixed_precision.py accounts for, cast by cast
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


def losses(text: str) -> np.ndarray:
    """The numbers of the lines that begin with ``loss:``."""
    lines = re.findall(r"^loss: (.+)$", text, re.MULTILINE)
    return np.array([line.split() for line in lines], float)


def theirs() -> dict[str, dict[str, np.ndarray]]:
    """The first losses of MindSpore, by the name of the script and the mode."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for part in LOG.read_text("utf-8").split("\n\n")[1:]:
        name, mode = part.partition("\n")[0].split()
        found.setdefault(name, {})[mode] = losses(part)
    return found


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_learns_in_both_modes(name):
    part, lines = SCRIPTS[name]
    compiled, plain = run(name, "GRAPH"), run(name, "PYNATIVE")
    first, *_, last = losses(compiled)
    assert last[0] < part * first[0]
    for mode, printed in (("GRAPH", compiled), ("PYNATIVE", plain)):
        their = theirs()[name][mode]
        ours = losses(printed)[: len(their)]
        np.testing.assert_allclose(ours, their, rtol=0, atol=TOLERANCES.get(name, 1e-4))
    for line in lines:
        assert line in compiled.splitlines()
    # Operations are fused in the one and not in the other: the last digit may differ.
    np.testing.assert_allclose(losses(plain), losses(compiled), rtol=1e-3, atol=1e-3)
    assert plain.count("\n") == compiled.count("\n")


def test_every_script_is_named():
    assert sorted(SCRIPTS) == sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(theirs())
    assert all(len(found) >= 6 for modes in theirs().values() for found in modes.values())
    assert {tuple(modes) for modes in theirs().values()} == {("GRAPH", "PYNATIVE")}
