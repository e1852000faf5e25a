"""How many rows has each part of a data set, and which ones?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.plans.source import Sampled
from s2sad.dataset.run import Place, Run
from s2sad.dataset.samplers import RandomSampler


def counts_of(sizes: Sequence[int | float], total: int) -> list[int]:
    """How many rows each part has: what shares leave over is the first parts', one each."""
    if not isinstance(sizes, (list, tuple)) or not sizes:
        raise fail("E0303", f"split takes a list of sizes, got {sizes!r}")
    if all(isinstance(size, int) and not isinstance(size, bool) for size in sizes):
        counts = [int(size) for size in sizes]
    elif all(isinstance(size, float) and 0 < size <= 1 for size in sizes):
        if abs(sum(sizes) - 1) > 1e-9:
            raise fail("E0404", f"shares of split sum up to 1, got {sum(sizes)}")
        counts = [round(size * total) for size in sizes]
        counts[0] += total - sum(counts)
    else:
        raise fail("E0303", f"split takes only ints, or only shares from 0 to 1, got {sizes!r}")
    if min(counts) < 1 or sum(counts) != total:
        raise fail("E0404", f"split of {total} rows cannot have parts of {counts}")
    return counts


def fixed_order(plan: Sampled, seed: int | None) -> list[int]:
    """The rows of `plan` in an order for all epochs: a random one for a seed, else its own."""
    order = plan.indices(Place(Run(0 if seed is None else seed)))
    chosen = np.sort(order) if seed is None and isinstance(plan.order, RandomSampler) else order
    return (chosen if seed is None else np.random.default_rng(seed).permutation(chosen)).tolist()
