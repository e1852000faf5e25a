"""Is a program printed as it was when somebody last read it, and does the text compute the same?

A snapshot is a Python file, so the text is run before it is compared or written: one that computes
something else than its function is never accepted. Nothing in the text is left out or replaced.
"""

from __future__ import annotations

import copy
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from s2sad import prims as p
from s2sad.ir.compare import difference
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.printer import print_text
from s2sad.ir.reader import read_text
from support.dumps import run_plainly, same_values

FOLDER = Path(__file__).parents[1] / "snapshots"


@dataclass(frozen=True)
class Snapshot:
    """What the fixture `snapshot` is: the file of one test.

    Attributes
    ----------
    path : Path
        ``tests/snapshots/FOLDER/CASE.py`` of ``tests/FOLDER/test_*.py::test_CASE``.
    update : bool
        Whether to write what is found rather than to compare.
    """

    path: Path
    update: bool

    def __call__(self, function: Function, inputs: Sequence[Any], *, style: str = "flat") -> None:
        """Hold the text of `function` to the file; `inputs` are what both are run on."""
        text = print_text(function, style=style)
        check_text(text, function, inputs)
        if self.update:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(text, encoding="utf-8")
        assert self.path.is_file(), f"no {self.path}: pytest --update-snapshots, then read it"
        known = self.path.read_text(encoding="utf-8")
        assert text == known, f"{changes(known, text)}\npytest --update-snapshots, then read it"


def check_text(text: str, function: Function, inputs: Sequence[Any]) -> None:
    """`text` is `function`: read back, and run by plain Python on `inputs`."""
    assert difference(function, read_text(text, p.ALL)) is None
    wanted = evaluate(function, copy.deepcopy(list(inputs)))
    found = run_plainly(text, inputs)
    assert same_values(found, wanted), f"the text computes {found}, not {wanted}:\n{text}"


def changes(known: str, text: str) -> str:
    lines = [part.splitlines() for part in (known, text)]
    return "\n".join(difflib.unified_diff(*lines, "snapshot", "now", lineterm=""))
