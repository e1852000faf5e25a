"""Which frames does a traceback show, and who gets to see all of them?"""

from __future__ import annotations

import traceback
from contextlib import contextmanager

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.core.diagnostics import fail
from s2sad.core.tracebacks import VARIABLE, shorten
from s2sad.frontend.trees import map_leaves


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


def functions(error: BaseException) -> list[str]:
    """Names of the functions in a traceback, outermost first."""
    return [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]


def caught(function, *args) -> Exception:
    with pytest.raises(Exception) as found:
        function(*args)
    return found.value


X = ms.Tensor(np.ones((2, 3), np.float32))


def wrong(x):
    return x + x.T


def outside(x):
    return ms.compile(wrong)(x)


def test_an_error_while_compiling_shows_the_users_frames_and_the_entry():
    names = functions(caught(outside, X))
    assert names == ["caught", "outside", "__call__", "run"]


@pytest.mark.parametrize(
    ("enter", "entry"),
    [
        (lambda x: ms.grad(wrong)(x), ["__call__"]),
        (lambda x: ms.vjp(wrong, x), ["vjp", "__call__"]),
        (lambda x: ms.compile(wrong).vjp(x), ["vjp", "run"]),
        (lambda x: ms.compile(wrong).lower(x), ["lower", "variant", "_find"]),
        (lambda x: ms.compile(wrong).generated(x), ["generated", "_find"]),
        (lambda x: ms.vjp(lambda y: y * 2, x)[1](x.T), ["__call__"]),
    ],
)
def test_every_entry_is_short(enter, entry):
    assert functions(caught(enter, X)) == ["caught", "<lambda>", *entry]


def test_a_cell_shows_one_frame_of_its_call_in_either_mode():
    class Net(nn.Cell):
        def construct(self, x):
            return wrong(x)

    compiled = ms.compile(type("Compiled", (Net,), {}))
    assert functions(caught(compiled(), X)) == ["caught", "__call__"]
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert functions(caught(Net(), X)) == ["caught", "__call__", "construct", "wrong"]


def test_generated_code_stays():
    compiled = ms.compile(lambda x, i: x[i])
    names = functions(caught(compiled, X, ms.Tensor(5)))
    assert names == ["caught", "__call__", "run", "lambda_"]


@contextmanager
def failing():
    """Is run by Python's own library while compiling, not read."""
    raise KeyError("scale")
    yield


class Asking(nn.Cell):
    """Runs code of the user's while compiling: a context manager that fails."""

    def construct(self, x):
        with failing():
            return x * 2.0


def test_frames_of_the_users_code_that_runs_while_compiling_stay():
    error = caught(ms.compile(Asking()), X)
    assert type(error) is KeyError
    names = functions(error)
    assert names[:3] == ["caught", "__call__", "run"] and names[-1] == "failing"
    assert "with failing():" in error.__notes__[0]


def test_all_frames_on_request(monkeypatch):
    monkeypatch.setenv(VARIABLE, "full")
    names = functions(caught(outside, X))
    assert len(names) > 15 and names[-1] == "broadcast_dim"


def from_inside(error: Exception) -> None:
    """Raise `error` in code that s2sad calls."""

    def raises(leaf):
        raise error

    try:
        map_leaves(1, raises)
    except Exception as found:
        shorten(found)
        raise


@pytest.mark.parametrize(
    ("error", "between"),
    [
        (fail("E0401", "the user's"), []),
        (fail("E0901", "a fault of s2sad"), ["map_leaves"]),
        (RuntimeError("nobody knows"), ["map_leaves"]),
    ],
)
def test_faults_of_s2sad_keep_their_frames(error, between):
    assert functions(caught(from_inside, error)) == ["caught", "from_inside", *between, "raises"]
