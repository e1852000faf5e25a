"""From where does a program read items while it runs?

A queue is a Python iterator, registered under a name. `queue_read` takes the next item: a tuple of
arrays, or one array. Queues belong to the process; they live while they are registered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ir.primitive import as_run_time
from s2sad.ir.types import Type, type_of

_queues: dict[str, Iterator[Any]] = {}


@contextmanager
def feeding(name: str, items: Iterable[Any]) -> Iterator[None]:
    """Let programs that run inside read `items` from the queue `name`.

    Raises
    ------
    S2sadError
        E0512 if a queue of that name is registered already.
    """
    if name in _queues:
        raise fail("E0512", f"a queue called {name!r} is registered already")
    _queues[name] = iter(items)
    try:
        yield
    finally:
        del _queues[name]


def take(name: str, types: Sequence[Type]) -> tuple[Any, ...]:
    """Next item of the queue `name`, as arrays of `types`.

    Raises
    ------
    S2sadError
        E0512 if there is no such queue, E0706 if it is at its end, E0303 if the item has other
        types.
    """
    if name not in _queues:
        raise fail("E0512", f"no queue is called {name!r}", help="register it with `feeding`")
    try:
        item = next(_queues[name])
    except StopIteration:
        raise fail("E0706", f"the queue {name!r} is at its end") from None
    parts = item if isinstance(item, (tuple, list)) else (item,)
    arrays = tuple(as_run_time(x.array if isinstance(x, Tensor) else x) for x in parts)
    found = tuple(type_of(x) for x in arrays)
    if found != tuple(types):
        raise fail("E0303", f"the queue {name!r} gave {found}, expected {tuple(types)}")
    return arrays
