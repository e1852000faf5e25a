"""Are hooks called as MindSpore calls them, in its order, with all that it lets them know?

`traces/mindspore-2.10.json` is what MindSpore printed for the program `traces/record.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "traces"
THEIRS: dict[str, list[Any]] = json.loads((FOLDER / "mindspore-2.10.json").read_text("utf-8"))


@cache
def traces(*arguments: str) -> dict[str, list[Any]]:
    """What s2sad prints for it."""
    command = [sys.executable, "-m", "s2sad", "run", str(FOLDER / "record.py"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def is_like(ours: Any, theirs: Any) -> bool:
    """Whether they are equal, numbers up to rounding."""
    if isinstance(theirs, float) and isinstance(ours, float):
        return abs(ours - theirs) < 1e-4
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return set(ours) == set(theirs) and all(is_like(ours[key], theirs[key]) for key in ours)
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(is_like, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


def without(calls: list[Any], name: str) -> list[Any]:
    """`calls` without what `original_args` has of this name."""
    kept = []
    for call in calls:
        if len(call) == 4:
            hook, changed, *rest = call
            call = [hook, {key: changed[key] for key in changed if key != name}, *rest]
        kept.append(call)
    return kept


@pytest.mark.parametrize("scenario", THEIRS)
def test_a_trace_is_mindspores(scenario):
    """But for eval_results, where eval_loss is that of the last batch there, and the mean here."""
    ours, theirs = (without(calls[scenario], "eval_results") for calls in (traces(), THEIRS))
    for our, their in zip(ours, theirs, strict=True):
        assert is_like(our, their), (our, their)


@pytest.mark.parametrize("scenario", THEIRS)
def test_a_sunk_trace_is_that_of_single_steps(scenario):
    sunk, single = traces("sunk")[scenario], traces()[scenario]
    name = "dataset_sink_mode"
    assert without(sunk, name) == without(single, name)


def test_eval_loss_is_the_mean_of_all_batches():
    results = [call[1]["eval_results"] for call in traces()["fit"] if "eval_results" in call[1]]
    assert len(results) == 2
    theirs = [call[1]["eval_results"] for call in THEIRS["fit"] if "eval_results" in call[1]]
    for result, their in zip(results, theirs, strict=True):
        assert is_like({**result, "eval_loss": 0}, {**their, "eval_loss": 0})
        assert result["eval_loss"] == pytest.approx(result["loss"], abs=2e-5)


def test_what_differs_is_noticed():
    call = THEIRS["fit"][3]
    assert is_like(call, json.loads(json.dumps(call)))
    assert not is_like(call, [call[0], {**call[1], "cur_step_num": 5}, *call[2:]])
    assert not is_like([True, 1.0], [1, 1.0])
    assert not is_like([0.5001], [0.5003])
