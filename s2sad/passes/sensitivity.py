"""May two outcomes differ as they do because they were rounded otherwise?

A program may make much of little: the first step of Adam divides a gradient by its own size, so of
one that is all but zero it makes -1 or 1, by how a sum was rounded. No bound in units of the result
holds there. So the program is run a few times more, with small random errors wherever a sum or a
function of mathematics may be rounded otherwise, and how far its results go then says how far they
may be apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.ir.evaluate import run_operation
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Trait
from s2sad.ir.types import StackValue
from s2sad.prims.marker import fused

#: Runs with random errors.
RUNS = 6
#: How many times as far as those went another rounding may go: it is one more draw, and an error of
#: a whole sum may be that of all its terms.
FACTOR = 8
#: One of so many elements may be where all those runs stayed near by chance, but no further off
#: than others went.
ONE_OF = 1000
#: Families of functions that are within so many units of the last place of the true value.
FUNCTIONS = ("exponential", "trigonometric", "special", "solving", "factoring", "statistics")
UNITS = 2

#: Elements that are near, of two arrays.
Near = Callable[[np.ndarray, np.ndarray], np.ndarray]


def is_float(array: np.ndarray) -> bool:
    """Whether a run-time array holds floats."""
    return dtypes.BY_STORAGE[array.dtype].is_float


def epsilon(array: np.ndarray) -> float:
    """Unit in the last place of 1, in the dtype of a float array."""
    dtype = dtypes.BY_STORAGE[array.dtype]
    return 2.0**-7 if dtype is dtypes.bfloat16 else float(np.finfo(array.dtype).eps)


def copied(value: Any) -> Any:
    """A run-time value that may be used up, and written."""
    if isinstance(value, StackValue):
        return StackValue(value.element, [copied(x) for x in value])
    return value.copy() if isinstance(value, np.ndarray) else value


def is_rounding(
    function: Function, inputs: Sequence[Any], found: Sequence[Any], wanted: Sequence[Any],
    near: Near,
) -> bool:  # fmt: skip
    """Whether arrays `found` are as far from `wanted` as other roundings go, where not `near`.

    Parameters
    ----------
    function : Function
        Gives `wanted` for `inputs`.
    inputs, found, wanted : sequence of arrays, stacks and tokens
        Of results, stacks are not looked at.
    near : callable
        From two arrays of one dtype and shape to where they agree well enough.
    """
    runs = [_shaken(function, inputs, seed) for seed in range(RUNS)]
    for one, other, *moved in zip(found, wanted, *runs, strict=True):
        if isinstance(other, np.ndarray) and not _may_be(one, other, moved, near):
            return False
    return True


def _may_be(
    found: np.ndarray, wanted: np.ndarray, moved: Sequence[np.ndarray], near: Near
) -> bool:  # fmt: skip
    is_far = ~near(found, wanted)
    if not is_far.any():
        return True
    few = wanted.size // ONE_OF
    if not is_float(wanted):  # decisions
        is_turned = np.any([x != wanted for x in moved], axis=0)
        return bool(
            np.count_nonzero(is_far & ~is_turned) <= min(few, np.count_nonzero(is_turned))
        )  # fmt: skip
    wide = dtypes.widen(wanted).astype(np.float64)
    with np.errstate(all="ignore"):
        ways = [np.abs(dtypes.widen(x).astype(np.float64) - wide) for x in moved]
        spread = FACTOR * np.nan_to_num(np.max(ways, axis=0), nan=np.inf)
        way = np.abs(dtypes.widen(found).astype(np.float64) - wide)
    further = is_far & ~(way <= spread)
    is_rare = np.count_nonzero(further) <= few
    return bool(is_rare and (way[further] <= spread.max(initial=0.0)).all())


def _shaken(function: Function, inputs: Sequence[Any], seed: int) -> tuple[Any, ...]:
    """Results of `function` with random errors."""
    random = np.random.default_rng(seed)
    return _run(function.body, [copied(value) for value in inputs], random)


def _run(region: Region, args: Sequence[Any], random: np.random.Generator) -> tuple[Any, ...]:
    known: dict[Value, Any] = dict(zip(region.args, args, strict=True))
    for operation in region.operations:
        results = _results(operation, known, random)
        known.update(zip(operation.results, results, strict=True))
    return tuple(known[value] for value in region.yields)


def _results(
    operation: Operation, known: dict[Value, Any], random: np.random.Generator
) -> Sequence[Any]:  # fmt: skip
    if operation.prim is fused:
        return _run(operation.regions["body"], [known[v] for v in operation.operands], random)
    if operation.prim.has(Trait.REASSOCIATES):  # what cancels out in a sum leaves an error of terms
        terms = {value: _moved(known[value], 1, random) for value in operation.operands}
        results = run_operation(operation, {**known, **terms})
        return [_moved(result, 1, random) for result in results]
    results = run_operation(operation, known)
    if operation.prim.family in FUNCTIONS or operation.prim.name == "pow":
        return [_moved(result, UNITS, random) for result in results]
    return results


def _moved(value: Any, units: int, random: np.random.Generator) -> Any:
    """`value`, each float of it moved by up to so many units of its last place."""
    if not isinstance(value, np.ndarray) or not is_float(value):
        return value
    with np.errstate(all="ignore"):
        by = 1 + units * epsilon(value) * random.uniform(-1.0, 1.0, value.shape)
        wide = dtypes.widen(value).astype(np.float64) * by
    return np.asarray(dtypes.narrow(wide, dtypes.BY_STORAGE[value.dtype]))
