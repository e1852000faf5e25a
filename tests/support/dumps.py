"""What do tests do with the text of a function: run it by plain Python, compare what it gives?"""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.ir.compare import same_bits
from s2sad.ir.types import StackValue

ROOT = Path(__file__).parent.parent.parent

#: Runs each dump as ``python DUMP --out DUMP.out.npz`` does, without starting Python each time.
DRIVER = """
import runpy, sys
for dump in sys.argv[1:]:
    sys.argv = [dump, "--out", dump.removesuffix(".py") + ".out.npz"]
    runpy.run_path(dump, run_name="__main__")
"""


def python(*arguments: str) -> None:
    """Run a Python of its own, which must end well."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def run_scripts(dumps: Sequence[Path]) -> None:
    """Run `dumps` by a Python of its own; each leaves its results in ``NAME.out.npz``."""
    python("-c", DRIVER, *map(str, dumps))


def namespace(text: str) -> dict[str, Any]:
    """What the module `text` defines."""
    space: dict[str, Any] = {"__name__": "dump"}
    exec(compile(text, "<dump>", "exec"), space)
    return space


def run_plainly(text: str, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """Results of the function in `text` under plain Python, for copies of `inputs`."""
    (function,) = (value for value in namespace(text).values() if hasattr(value, "ir"))
    results = function(*copy.deepcopy(list(inputs)))
    return results if isinstance(results, tuple) else (results,)


def same_values(found: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Whether arrays agree bit for bit, stacks element by element, and tokens are the token.

    All NaN are one: of two that meet in a sum, it depends on the loop which one comes out.
    """
    return len(found) == len(wanted) and all(map(_same_value, found, wanted))


def one_nan(array: np.ndarray) -> np.ndarray:
    """The bits of `array`, with one pattern for every NaN."""
    patterns = array.view(f"u{array.dtype.itemsize}")
    if array.dtype.kind != "f" and array.dtype != np.uint16:
        return patterns
    return np.where(np.isnan(dtypes.widen(array)), np.iinfo(patterns.dtype).max, patterns)


def _same_value(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, StackValue):
        return found.element == wanted.element and same_values(found, wanted)
    if isinstance(wanted, np.ndarray):
        return isinstance(found, np.ndarray) and same_bits(one_nan(found), one_nan(wanted))
    return found is wanted
