"""Do the examples run, and learn, at small settings?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

#: Arguments of each, and what it has to print; a number that falls stands first and last.
SMALL = {
    "gpt_licence": (["--steps=60", "--length=24", "--size=32", "--letters=12"], r"([\d.]+) nats"),
    "lstm_zen": (["--steps=60", "--letters=12"], r"([\d.]+) nats|the last : ([\d.]+)"),
    "pinn_wave": (["--steps=150"], r"loss ([\d.e-]+) at first, ([\d.e-]+) at last"),
    "resnet_digits": (
        ["--width=8", "--depth=1", "--scale=1", "--epochs=6", "--rows=512"], r"loss is ([\d.]+)",
    ),
    "vae_digits": (["--epochs=6"], r"first epoch ([\d.]+), of the last ([\d.]+) nats"),
}  # fmt: skip
#: Those that are tested elsewhere: by `make demo`, and below `tests/amp`.
ELSEWHERE = {"lenet_digits", "precision_digits"}


def run(name: str, arguments: list[str]) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", SMALL)
def test_an_example_learns(name):
    arguments, pattern = SMALL[name]
    found = re.findall(pattern, run(name, arguments))
    numbers = [
        float(each)
        for match in found
        for each in (match if isinstance(match, tuple) else [match])
        if each
    ]
    assert len(numbers) >= 2 and numbers[-1] < 0.9 * numbers[0]


def test_every_example_is_in_the_table_and_tested():
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == set(SMALL) | ELSEWHERE
    listed = re.findall(r"^\| `(\w+)\.py` \|", (EXAMPLES / "README.md").read_text("utf-8"), re.M)
    assert set(listed) == names and len(listed) == len(names)
