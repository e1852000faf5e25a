"""A function that draws, in its two forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import s2sad as ms
from support.forms import require_same


def twice(function: Callable[..., Any], *args: Any, seed: int = 0) -> Any:
    """Two calls after `seed`, the same compiled and not; so is the state that they leave."""
    runs = []
    for run in (function, ms.compile(function)):
        ms.set_seed(seed)
        runs.append((run(*args), run(*args), ms.get_rng_state()))
    require_same(*runs)
    return runs[0][:2]
