"""What do tests do with the text of a function: run it by plain Python, compare what it gives?"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.ir.compare import same_bits
from s2sad.ir.types import StackValue


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
    """Whether arrays agree bit for bit, stacks element by element, and tokens are the token."""
    return len(found) == len(wanted) and all(map(_same_value, found, wanted))


def _same_value(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, StackValue):
        return found.element == wanted.element and same_values(found, wanted)
    if isinstance(wanted, np.ndarray):
        return isinstance(found, np.ndarray) and same_bits(found, wanted)
    return found is wanted
