"""Does a snapshot notice what it is there for, and is none left over?"""

from __future__ import annotations

import re

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.printer import print_text
from s2sad.ir.types import f64
from support.snapshots import FOLDER, Snapshot, check_text

FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file() and path.suffix != ".pyc")
INPUTS = [np.array([0.5, -1.0])]


def program(prim):
    return build_function(lambda x: prim(x), [f64[2]], names=["x"])


def test_a_snapshot_is_written_on_request_only(tmp_path):
    path = tmp_path / "area" / "case.py"
    with pytest.raises(AssertionError, match="no .*case.py: pytest --update-snapshots"):
        Snapshot(path, False)(program(p.exp), INPUTS)
    Snapshot(path, True)(program(p.exp), INPUTS)
    Snapshot(path, False)(program(p.exp), INPUTS)
    with pytest.raises(AssertionError, match=r"\+    t0: f64\[2\] = p.sin\(x\)"):
        Snapshot(path, False)(program(p.sin), INPUTS)
    assert "p.exp" in path.read_text(encoding="utf-8")


def test_a_text_that_is_another_program_is_never_accepted():
    function, text = program(p.exp), print_text(program(p.exp))
    check_text(text, function, INPUTS)
    with pytest.raises(AssertionError):
        check_text(text.replace("p.exp", "p.exp2"), function, INPUTS)


def test_a_text_that_computes_something_else_is_never_accepted(monkeypatch, tmp_path):
    monkeypatch.setattr("support.snapshots.run_plainly", lambda text, inputs: (np.zeros(2),))
    with pytest.raises(AssertionError, match="the text computes"):
        Snapshot(tmp_path / "case.py", True)(program(p.exp), INPUTS)
    assert not (tmp_path / "case.py").exists()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_snapshot_belongs_to_a_test_and_is_none(path):
    assert path.suffix == ".py" and not path.name.startswith("test_")
    folder = FOLDER.parent / path.parent.name
    texts = [file.read_text(encoding="utf-8") for file in folder.glob("test_*.py")]
    owners = [text for text in texts if re.search(rf"def test_{path.stem}\(snapshot", text)]
    assert len(owners) == 1, f"no one test writes {path}"


def test_there_are_snapshots():
    assert len(FILES) >= 3
