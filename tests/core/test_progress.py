"""Is a bar drawn on a terminal, and nothing anywhere else?"""

from __future__ import annotations

import importlib.util
import io

import pytest

from s2sad.core.progress import progress


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def drawn(stream, steps=2):
    with progress("building", 2, stream) as step:
        for _ in range(steps):
            step()
    return stream.getvalue()


def test_nothing_is_written_to_a_file():
    assert drawn(io.StringIO()) == ""


def test_a_plain_bar_fills_and_goes(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert drawn(Terminal()).split("\r") == [
        "",
        f"building [{' ' * 24}] 0/2",
        f"building [{'#' * 12}{' ' * 12}] 1/2",
        f"building [{'#' * 24}] 2/2",
        "\x1b[K",
    ]


def test_a_plain_bar_goes_when_the_work_fails(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    stream = Terminal()
    with pytest.raises(ValueError), progress("building", 2, stream):
        raise ValueError
    assert stream.getvalue().endswith("\r\x1b[K")


def test_rich_draws_where_it_is_installed(monkeypatch):
    asked = []
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: asked.append(name) or real(name))
    text = drawn(Terminal())
    assert asked == ["rich"]
    assert "building" in text
