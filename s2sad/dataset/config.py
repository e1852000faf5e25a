"""Which settings hold for all data sets: the seed, how many workers, how far ahead they read?

They are those of ``mindspore.dataset.config``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from s2sad.core import context
from s2sad.core.diagnostics import fail
from s2sad.core.elsewhere import missing as _missing
from s2sad.dataset.arguments import flag, whole

#: What `get_seed` gives where nobody set one, as MindSpore does; the orders are fresh ones then.
DEFAULT_SEED = 5489
#: More workers than this are nobody's default.
DEFAULT_WORKERS = 8


def processors() -> int:
    """Processors of this machine."""
    return os.cpu_count() or 1


@dataclass
class _Settings:
    """The values, and how often `s2sad.set_seed` had been called when the seed was set here."""

    seed: int | None = None
    seen: int = 0
    workers: int = min(DEFAULT_WORKERS, processors())
    prefetch: int = 16
    is_debugging: bool = False
    is_memory_shared: bool = True


_settings = _Settings()


def _whole(name: str, value: Any, least: int) -> int:
    if whole(name, value, least) >= 2**32:
        raise fail("E0404", f"{name} is less than 2**32, got {value}")
    return int(value)


def set_seed(seed: int) -> None:
    """Let the orders and the random transforms of data sets come again; `s2sad.set_seed` does too.

    The later of the two holds. An iterator takes the seed when it is made, and the same seed gives
    the same rows whatever the number of workers.

    Raises
    ------
    S2sadError
        E0303 for no int, E0404 for one that is negative or has more than 32 bits.

    Examples
    --------
    >>> set_seed(1)
    >>> get_seed()
    1
    """
    _settings.seed, _settings.seen = _whole("seed", seed, 0), context.seed_changes()


def chosen_seed() -> int | None:
    """The seed that was set last, here or by `s2sad.set_seed`; None where nobody did."""
    if context.seed_changes() > _settings.seen:
        return context.get_seed()
    return _settings.seed


def get_seed() -> int:
    """The seed that was set last, here or by `s2sad.set_seed`; 5489 where nobody did."""
    seed = chosen_seed()
    return DEFAULT_SEED if seed is None else seed


def set_num_parallel_workers(num: int) -> None:
    """Workers of the operations that are not given `num_parallel_workers`.

    Examples
    --------
    >>> before = get_num_parallel_workers()
    >>> set_num_parallel_workers(1)
    >>> get_num_parallel_workers()
    1
    >>> set_num_parallel_workers(before)
    """
    _settings.workers = _whole("num", num, 1)


def get_num_parallel_workers() -> int:
    """What was set last; at the start the number of processors, 8 at most."""
    return _settings.workers


def set_prefetch_size(size: int) -> None:
    """How many items (batches, where they are batched) an iterator reads ahead: 1 or more."""
    _settings.prefetch = _whole("size", size, 1)


def get_prefetch_size() -> int:
    """What was set last; 16 at the start."""
    return _settings.prefetch


def set_enable_shared_mem(enable: bool) -> None:
    """For MindSpore's sake: processes and their parent share memory in any case."""
    _settings.is_memory_shared = flag("enable", enable)


def get_enable_shared_mem() -> bool:
    """What was set last; True at the start."""
    return _settings.is_memory_shared


def set_debug_mode(debug_mode_flag: bool) -> None:
    """Let all work be done in the thread that asks for a row, in order: a debugger can follow.

    Functions that draw from ``numpy.random`` are repeatable then as well.

    Raises
    ------
    S2sadError
        E0303 for no bool.
    """
    _settings.is_debugging = flag("debug_mode_flag", debug_mode_flag)


def get_debug_mode() -> bool:
    """What was set last; False at the start."""
    return _settings.is_debugging


def __getattr__(name: str) -> object:
    known = [each for each in globals() if each.startswith(("get_", "set_"))]
    raise _missing("s2sad.dataset.config", name, known)
