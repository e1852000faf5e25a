"""What does Python's collector of garbage do while a program is compiled?"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Let the collector look for no cycles until the block ends.

    A compilation makes objects by the million, nearly all of which live as long as its stages do.
    The collector would go over all of them again each time that a quarter has been added, which
    takes as long as compiling does. Where it was off before, it stays off.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
