"""Does an executable give what the plain evaluator gives, and leave its inputs as they are?"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.backends.base import Executable
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import StackValue
from support.laws import identical


def copies(values: Sequence[Any]) -> list[Any]:
    """Run-time values that nobody else holds."""
    return [_copy(value) for value in values]


def _copy(value: Any) -> Any:
    if isinstance(value, StackValue):
        return StackValue(value.element, copies(value))
    return value.copy() if isinstance(value, np.ndarray) else value


def same(found: Any, expected: Any) -> bool:
    """Whether two run-time values are the same, bit for bit; any NaN equals any other."""
    if isinstance(expected, StackValue):
        alike = isinstance(found, StackValue) and found.element == expected.element
        return alike and len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, np.ndarray):
        return isinstance(found, np.ndarray) and identical(found, expected)
    return found is expected


def differences(executable: Executable, inputs: Sequence[Any]) -> list[str]:
    """What differs from the plain evaluator: results, and inputs that were changed."""
    mine = copies(inputs)
    with contextlib.redirect_stdout(io.StringIO()) as expected_text:
        expected = evaluate(executable.function, copies(inputs))
    with contextlib.redirect_stdout(io.StringIO()) as text:
        found = executable.run(mine, given=executable.overwrites)
    pairs = enumerate(zip(found, expected, strict=True))
    wrong = [f"result {i}" for i, pair in pairs if not same(*pair)]
    wrong += ["what is printed"] * (text.getvalue() != expected_text.getvalue())
    for i, (one, other) in enumerate(zip(mine, inputs, strict=True)):
        kept = isinstance(one, np.ndarray) and i not in executable.overwrites
        wrong += [f"input {i}"] * (kept and not same(one, other))
    return wrong
