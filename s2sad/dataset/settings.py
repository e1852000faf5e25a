"""What do arguments say about workers, and which ones ask for what there is not?"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.dataset import config, processes
from s2sad.dataset.arguments import optional
from s2sad.dataset.run import Workers

#: Arguments of MindSpore's that ask for nothing here: memory is shared without limits.
IGNORED = ("max_rowsize", "offload")
#: Arguments that ask for what there is not, unless they are None.
REFUSED = ("cache", "callbacks")


def workers_of(
    count: int | None, are_processes: bool | None, default: int | None = None
) -> Workers:
    """How many workers of which kind arguments ask for, with a warning for too many.

    Raises
    ------
    S2sadError
        E0303 or E0404 for no count; E0712 for processes where the system cannot fork.
    """
    are_processes = bool(are_processes)
    if are_processes:
        processes.require_fork()
    wanted = optional("num_parallel_workers", count)
    if wanted is None:
        return Workers(default or config.get_num_parallel_workers(), are_processes)
    most = config.processors()
    if wanted > most:
        warnings.warn(
            f"num_parallel_workers={wanted} is more than the {most} processors: {most} work",
            stacklevel=3,  # who calls the method of the data set
        )
    return Workers(min(wanted, most), are_processes)


def check_settings(name: str, given: Mapping[str, Any], known: Iterable[str]) -> None:
    """Say what is wrong with the arguments `given` to `name` beside those of its signature.

    Raises
    ------
    S2sadError
        E0302 for one that is not `known`, E0712 for one that is not supported.
    """
    for key, value in given.items():
        if key in REFUSED and value is not None:
            raise fail("E0712", f"{name} has no {key} in this version", help="leave it out")
        if key not in (*IGNORED, *REFUSED, *known):
            raise fail("E0302", f"{name} takes no {key}", help=f"it takes {', '.join(known)} too")


def refuse_cache(cache: Any) -> None:
    """E0712 for anything but None."""
    if cache is not None:
        raise fail("E0712", "there is no cache of data sets in this version", help="leave it out")
