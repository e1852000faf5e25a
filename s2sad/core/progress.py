"""How far has work come that a user waits for?

A bar on the standard error, where that is a terminal: rich's where it is installed, else a plain
one. Elsewhere nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

#: Characters of the plain bar.
WIDTH = 24


@contextmanager
def progress(
    title: str, total: int, stream: TextIO | None = None
) -> Iterator[Callable[[], object]]:
    """Show a bar while the block runs; what it gives is called after each of `total` steps.

    Parameters
    ----------
    title : str
    total : int
    stream : text file, optional
        The standard error by default.

    Examples
    --------
    >>> with progress("building", 2) as step:
    ...     step()
    """
    file = sys.stderr if stream is None else stream
    if not file.isatty():
        yield lambda: None
    elif importlib.util.find_spec("rich"):
        with _rich_bar(title, total, file) as step:
            yield step
    else:
        with _plain_bar(title, total, file) as step:
            yield step


@contextmanager
def _rich_bar(title: str, total: int, file: TextIO) -> Iterator[Callable[[], object]]:
    console = importlib.import_module("rich.console").Console(file=file)
    bar = importlib.import_module("rich.progress").Progress(console=console, transient=True)
    with bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


@contextmanager
def _plain_bar(title: str, total: int, file: TextIO) -> Iterator[Callable[[], object]]:
    count = 0

    def draw() -> None:
        filled = WIDTH * count // max(total, 1)
        file.write(f"\r{title} [{'#' * filled}{' ' * (WIDTH - filled)}] {count}/{total}")
        file.flush()

    def step() -> None:
        nonlocal count
        count += 1
        draw()

    draw()
    try:
        yield step
    finally:
        file.write("\r\x1b[K")  # the line is free again
        file.flush()
