"""When may Python's cyclic garbage collector rest?

While a big tree or graph is made: all of it stays, and looking through it again and again, which
the collector does as the number of objects grows, takes half of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Make objects inside without looking for garbage among them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
