"""What does a user read, word for word, whose program is wrong?

The pages beside this file hold the programs by what is wrong, each under a heading with what it
says. Each is run as a file of its own, so that its lines count from 1. What is new gets its text
by ``pytest --update-snapshots tests/wrong_programs``; read it then: is the place the very
expression, does the help say what to write instead?
"""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import S2sadError, nn, ops
from s2sad.core.location import PACKAGE
from s2sad.core.tracebacks import VARIABLE

FILE = "program.py"
PAGES = sorted(Path(__file__).parent.glob("*.md"))
ENTRY = re.compile(
    r"^## (.+)\n\n```python\n((?:.*\n)*?)```\n(?:\n```text\n((?:.*\n)*?)```\n)?", re.M
)

#: Page, program and text by the heading.
PROGRAMS = {
    heading: (page, program, text)
    for page in PAGES
    for heading, program, text in ENTRY.findall(page.read_text("utf-8"))
}
#: Errors whose message says all: what may stand there; or nothing that is known comes near.
WITHOUT_HELP = {
    "a depth of one_hot", "a hook with no result", "a layer given a tensor when made",
    "a name that is not defined", "a negative rate", "a probability above 1",
    "a rate that is a text", "a reduction of no such name",
}  # fmt: skip


def x(*shape: int) -> ms.Tensor:
    return ms.Tensor(np.ones(shape, np.float32))


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    yield
    linecache.checkcache(FILE)


def error_of(program: str) -> Exception:
    """What the program raises, which is run as the file `FILE` of the present folder."""
    Path(FILE).write_text(program, "utf-8")
    linecache.checkcache(FILE)
    names: dict[str, Any] = {"__name__": "program", "ms": ms, "nn": nn, "ops": ops, "x": x}
    with pytest.raises(Exception) as caught:
        exec(compile(program, FILE, "exec"), names)
    return caught.value


def text_of(error: Exception) -> str:
    """Its class, its text, and its notes, which Python shows below from 3.11 on.

    Lines of s2sad's own are left out: they move.
    """
    text = "\n".join([type(error).__name__, str(error), *getattr(error, "__notes__", [])])
    return re.sub(r"(s2sad(?:/\w+)+\.py):\d+(:\d+)?", r"\1", text) + "\n"


def test_each_program_has_a_heading_of_its_own():
    pages = "".join(page.read_text("utf-8") for page in PAGES)
    assert pages.count("\n## ") == len(PROGRAMS)
    assert set(PROGRAMS) > WITHOUT_HELP


@pytest.mark.parametrize("heading", PROGRAMS)
def test_a_wrong_program(heading, request):
    page, program, expected = PROGRAMS[heading]
    error = error_of(program)
    found = text_of(error)
    if request.config.getoption("--update-snapshots") and found != expected:
        _write(page, heading, program, expected, found)
        expected = found
    assert _comparable(found) == _comparable(expected)
    _check_place_and_help(error, heading not in WITHOUT_HELP)
    _check_traceback(error, most=2 if "ms.compile(" in program else 8)


def _write(page: Path, heading: str, program: str, old: str, new: str) -> None:
    entry = f"## {heading}\n\n```python\n{program}```\n"
    known = f"{entry}\n```text\n{old}```\n" if old else entry
    text = page.read_text("utf-8")
    assert known in text
    page.write_text(text.replace(known, f"{entry}\n```text\n{new}```\n"), "utf-8")


def _comparable(text: str) -> str:
    """`text`, before Python 3.11 without columns: of what is not compiled only lines are known."""
    if sys.version_info >= (3, 11):
        return text
    text = re.sub(r"^( +\| +)\^+", r"\1", text, flags=re.M)
    return re.sub(r"(program\.py:\d+):\d+", r"\1", text)


def _check_place_and_help(error: Exception, has_help: bool) -> None:
    found: Any = getattr(error, "diagnostic", None)
    assert found is not None and not found.code.startswith("E09")
    assert found.place is not None and found.place.file == FILE
    if isinstance(error, S2sadError):
        assert bool(found.help) == has_help


def _check_traceback(error: Exception, most: int) -> None:
    """It shows frames of the user, and at `most` so many of s2sad."""
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    assert files[0] == __file__ and files[1] == FILE
    assert sum(file.startswith(PACKAGE) for file in files) <= most
    shown = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    assert "During handling" not in shown and "direct cause" not in shown
