"""How does the command line print?

Plain text, aligned with spaces. Where the extra ``[cli]`` is installed and the output goes to a
terminal, rich adds colour; the characters are the same with and without it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from typing import TextIO

from s2sad.core.columns import table


def show(text: str = "", style: str = "", stream: TextIO | None = None) -> None:
    """Print `text`, in colour where that is to be had.

    Parameters
    ----------
    text : str
    style : str
        A style of rich, such as ``"bold"`` or ``"red"``.
    stream : text file, optional
        Standard output by default.
    """
    file: TextIO = sys.stdout if stream is None else stream
    if file.isatty() and importlib.util.find_spec("rich"):
        console = importlib.import_module("rich.console").Console(
            file=file, highlight=False, markup=False, emoji=False, soft_wrap=True
        )
        console.print(text, style=style)
    else:
        print(text, file=file)


def show_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
    """Print a table, its heads in bold, indented by two spaces."""
    for number, line in enumerate(table(heads, rows, left=left)):
        show(f"  {line}", "" if number else "bold")
