"""What do tests of the command line share?"""

from __future__ import annotations

import linecache
from typing import NamedTuple

import pytest

from s2sad.tools.cli import main


class Said(NamedTuple):
    """What one call of the command line did."""

    code: int
    out: str
    err: str


@pytest.fixture
def s2sad(capsys, tmp_path, monkeypatch):
    """Run the command line in a folder of its own: ``s2sad("explain", "E0304")``."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Said:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Said(code, *capsys.readouterr())

    return run


@pytest.fixture
def dump(tmp_path):
    """Write the text of a dump to ``dump.py`` in that folder."""

    def write(text: str) -> str:
        (tmp_path / "dump.py").write_text(text, encoding="utf-8")
        linecache.clearcache()  # every test has another file of this name
        return "dump.py"

    return write
