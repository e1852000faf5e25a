"""Does a dump of any function, run by a Python of its own, compute what the function does?"""

from __future__ import annotations

import copy
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad.ir import plain, store
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import StackType, StackValue, TensorType, Token, TokenType
from support.dumps import python, run_scripts, same_values
from support.random_functions import random_function


def dumpable(seed: int) -> bool:
    """Whether a file of arrays can hold the inputs; stacks, it cannot."""
    return not any(isinstance(type, StackType) for type in random_function(seed)[0].input_types)


SEEDS = list(islice(filter(dumpable, range(100)), 20))
GROUPS = [SEEDS[start : start + 5] for start in range(0, len(SEEDS), 5)]


def written(folder: Path, seed: int) -> tuple[Path, Function, list[Any]]:
    """A dump in `folder`, of each style in turn, with its inputs beside it."""
    function, inputs = random_function(seed)
    path = folder / f"random{seed}.py"
    store.save(function, path, style="source" if seed % 2 else "flat")
    store.save_inputs(path, inputs)
    return path, function, inputs


def check_results(path: Path, function: Function, inputs: list[Any]) -> None:
    """The results beside `path` are those of `function`, bit for bit; tokens are left out."""
    found = plain.load_arrays(path.with_suffix(".out.npz"))
    results = evaluate(function, copy.deepcopy(inputs))
    wanted = {f"result{i}": in_a_file(x) for i, x in enumerate(results) if x is not Token}
    assert set(found) == set(wanted), path.name
    arrays = [found[key] for key in wanted]
    assert same_values(arrays, list(wanted.values())), path.read_text(encoding="utf-8")


def in_a_file(value: Any) -> np.ndarray:
    """A stack is an array there, whose first axis counts what was pushed."""
    if not isinstance(value, StackValue):
        return value
    empty = np.empty((0, *value.element.shape), value.element.dtype.storage)
    return np.stack(value) if value else empty


@pytest.mark.parametrize("seeds", GROUPS, ids=str)
def test_random_dumps_run_by_themselves(tmp_path, seeds):
    dumps = [written(tmp_path, seed) for seed in seeds]
    run_scripts([path for path, _, _ in dumps])
    for path, function, inputs in dumps:
        check_results(path, function, inputs)


def test_one_runs_as_a_script(tmp_path):
    path, function, inputs = written(tmp_path, SEEDS[0])
    python(str(path), "--out", str(path.with_suffix(".out.npz")))
    check_results(path, function, inputs)


def test_constants_beside_tokens_and_stacks_occur(tmp_path):
    dumps = [written(tmp_path, seed) for seed in SEEDS]
    assert len(SEEDS) == 20 and any(path.with_suffix(".npz").exists() for path, _, _ in dumps)
    types = {type(t) for _, function, _ in dumps for t in function.result_types}
    assert types == {TensorType, StackType, TokenType}
