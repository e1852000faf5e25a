"""Are tables aligned, and is the text the same with and without colour?"""

from __future__ import annotations

import importlib.util
import io
import re

import pytest

from s2sad.tools.tables import show, show_table, table

HEADS = ["name", "type", "min", "max"]
ROWS = [["x", "f32[2]", "-1.5", "2"], ["labels", "i64", "", "10"]]


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_columns_are_aligned():
    assert table(HEADS, ROWS, left=2) == [
        "name    type     min  max",
        "x       f32[2]  -1.5    2",
        "labels  i64            10",
    ]


def test_a_column_that_says_nothing_is_left_out():
    assert table(HEADS, [["x", "f32", "", ""]], left=2) == ["name  type", "x     f32"]


def test_a_table_without_rows_is_empty():
    assert table(HEADS, []) == []


@pytest.mark.parametrize("text", ["plain", "[red]no markup[/red] :smile:", "", "x" * 300, "· ▶"])
def test_colour_changes_no_character(text, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal, pipe = Terminal(), io.StringIO()
    show(text, "bold", terminal)
    show(text, "bold", pipe)
    assert pipe.getvalue() == f"{text}\n"
    assert re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()) == f"{text}\n"


@pytest.mark.parametrize("there", [True, False])
def test_a_terminal_gets_colour_where_rich_is_there(there, monkeypatch):
    rich = importlib.util.find_spec("rich") is not None
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if not there:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    terminal = Terminal()
    show("text", "bold", terminal)
    assert ("\x1b[1m" in terminal.getvalue()) == (rich and there)


def test_show_table_indents(capsys):
    show_table(HEADS, ROWS, left=2)
    assert capsys.readouterr().out.splitlines()[1] == "  x       f32[2]  -1.5    2"
