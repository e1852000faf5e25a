"""Do random programs with loops give the same bits, kept as loops, written out, and as Python?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import s2sad as ms
from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.frontend import kept
from support.forms import require_same
from support.random_loops import random_program

ROWS = np.cos(np.arange(24.0)).reshape(6, 4)


def arguments(dtype) -> list[ms.Tensor]:
    numbers = np.array([-3, 0, 2, 100], np.int16)
    return [ms.Tensor(a, dtype) for a in (ROWS, ROWS[3] / 2, ROWS[1, 2])] + [ms.Tensor(numbers)]


def outcome(run, *args) -> Any:
    """What ``run(*args)`` gives, or the error that it raises."""
    try:
        return run(*args)
    except (S2sadError, TypeError, ValueError, ZeroDivisionError, IndexError) as error:
        return error


def in_both_ways(program, *args) -> tuple[Any, Any]:
    """Outcomes of `program` as the compiler chooses, and with its loops written out."""
    found = outcome(ms.compile(program), *args)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "MIN_PASSES", 10**9)
        return found, outcome(ms.compile(program), *args)


def is_error(outcome: Any, code: str = "") -> bool:
    return isinstance(outcome, Exception) and code in str(outcome)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**9), dtype=st.sampled_from(dtypes.ALL[:4]))
def test_kept_loops_are_their_passes(seed, dtype) -> None:
    program = random_program(seed)
    args = arguments(dtype)
    found, expected = in_both_ways(program, *args)
    if is_error(expected, "E0306"):  # written out, what nobody reads again may stand in the way
        expected = found if is_error(found) else outcome(program, *args)
    if is_error(expected):
        assert str(found) == str(expected)
    else:
        require_same(found, expected)


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_so_are_their_gradients(seed) -> None:
    program = random_program(seed)

    def loss(x, h, s, m):
        return sum_of_floats(program(x, h, s, m))

    args = arguments(ms.float64)
    for function in (loss, lambda *args: sum_of_floats(ms.grad(loss, (0, 1, 2))(*args))):
        found, expected = in_both_ways(ms.grad(function, (0, 1, 2)), *args)
        if not is_error(found) and not is_error(expected):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-9, atol=1e-12)


def sum_of_floats(tensors) -> Any:
    total = 0.0
    for tensor in tensors:
        if tensor.dtype.is_float:
            total = total + ops.tanh(tensor).sum()
    return total
