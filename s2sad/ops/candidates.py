"""Which classes are drawn to stand for all that are not the right one, and how likely was each?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import as_dtype, require_integers, require_tensor
from s2sad.ops.random import uniform
from s2sad.ops.sampling import multinomial
from s2sad.ops.sequence import arange
from s2sad.ops.settings import flag, integer


def uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int = 0, remove_accidental_hits: bool = False,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Classes drawn alike, and how often each class is expected among them.

    Parameters
    ----------
    true_classes : Tensor of integers, shape (batch, num_true)
    num_true : int
    num_sampled : int
        How many are drawn.
    unique : bool
        Whether each class is drawn at most once.
    range_max : int
        The number of classes.
    seed : int
    remove_accidental_hits : bool
        Whether `true_classes` are left out.

    Returns
    -------
    sampled_candidates : Tensor, shape (num_sampled,)
        Of the dtype of `true_classes`.
    true_expected_count : Tensor, float32, shape of `true_classes`
    sampled_expected_count : Tensor, float32, shape (num_sampled,)

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0301 for one of other numbers, E0401 for another shape, E0303
        or E0404 for settings that cannot be; at run time E0501 where too few classes are left.

    Notes
    -----
    With `unique` classes are drawn until there are enough of them, and an expected count is the
    chance of a class to be among so many draws. As in MindSpore that takes no account of classes
    that are left out.

    Examples
    --------
    >>> import s2sad as ms
    >>> drawn, true, sampled = uniform_candidate_sampler(
    ...     ms.Tensor([[1], [3]]), 1, 2, True, 4, remove_accidental_hits=True)
    >>> sorted(drawn.tolist()), true.shape, sampled.shape
    ([0, 2], (2, 1), (2,))
    """

    def chances(classes: Any) -> Any:
        return p.full_like(classes, value=1 / range_max)

    _check(num_true, num_sampled, range_max, flag("unique", unique))
    left_out = flag("remove_accidental_hits", remove_accidental_hits)
    return _candidates(
        true_classes, chances, (num_true, num_sampled, range_max), unique, seed, left_out
    )


def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int = 1, num_sampled: int = 5, unique: bool = True,
    range_max: int = 5, seed: int = 0,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Classes drawn with chances that fall with their number, as those of words do.

    Class k has the chance ``log((k + 2) / (k + 1)) / log(range_max + 1)``. Parameters, results and
    errors are those of `uniform_candidate_sampler`.

    Examples
    --------
    >>> import s2sad as ms
    >>> drawn, true, sampled = log_uniform_candidate_sampler(ms.Tensor([[1], [3]]), 1, 5, True, 5)
    >>> sorted(drawn.tolist()), true.shape
    ([0, 1, 2, 3, 4], (2, 1))
    """

    def chances(classes: Any) -> Any:
        return p.div(p.log1p(p.div(1.0, p.add(classes, 1.0))), math.log(range_max + 1))

    _check(num_true, num_sampled, range_max, flag("unique", unique))
    return _candidates(
        true_classes, chances, (num_true, num_sampled, range_max), unique, seed, False
    )


def _check(num_true: Any, num_sampled: Any, range_max: Any, unique: bool) -> None:
    for name, value in (
        ("num_true", num_true),
        ("num_sampled", num_sampled),
        ("range_max", range_max),
    ):
        integer(name, value, 1)
    if unique and num_sampled > range_max:
        raise fail("E0404", f"of {range_max} classes no {num_sampled} can differ")


def _candidates(
    true_classes: Any, chances: Callable[[Any], Any], sizes: tuple[int, int, int], unique: bool,
    seed: int, left_out: bool,
) -> tuple[Any, Any, Any]:  # fmt: skip
    num_true, num_sampled, range_max = sizes
    given = require_integers(require_tensor(true_classes, "a sampler"), "classes")
    if given.ndim != 2 or given.shape[1] != num_true:
        raise fail("E0401", f"classes are of shape (batch, {num_true}), got {given.shape}")
    weights = chances(arange(range_max, dtype=dtypes.float64))
    if left_out:
        hits = p.reshape(given, shape=(given.shape[0] * num_true,))
        nothing = p.zeros_like(as_dtype(hits, dtypes.float64))
        weights = p.scatter_elements(weights, hits, nothing, axis=0)
    drawn = multinomial(weights, num_sampled, not unique, seed)
    tries = _tries(weights, drawn, seed) if unique else None
    expected = [
        _expected(chances(as_dtype(x, dtypes.float64)), tries, num_sampled) for x in (given, drawn)
    ]
    return as_dtype(drawn, given.dtype), *expected


def _tries(weights: Any, drawn: Any, seed: int) -> Any:
    """How many draws it took until all of `drawn` were there, each of which was new."""
    taken = p.gather(weights, drawn, axis=0)
    before = p.sub(p.cumsum(taken, axis=0), taken)
    new = p.minimum(p.sub(p.reduce_sum(weights, axis=0), before), 1.0)
    numbers = uniform(drawn.shape, 0.0, 1.0, seed, dtypes.float64)
    failures = p.floor(p.div(p.log1p(p.neg(numbers)), p.log1p(p.neg(new))))
    return p.reduce_sum(p.add(failures, 1.0), axis=0)


def _expected(chance: Any, tries: Any | None, num_sampled: int) -> Any:
    if tries is None:
        return as_dtype(p.mul(chance, float(num_sampled)), dtypes.float32)
    return as_dtype(p.neg(p.expm1(p.mul(tries, p.log1p(p.neg(chance))))), dtypes.float32)
