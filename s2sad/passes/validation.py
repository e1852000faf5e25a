"""Does a program still give the same after a pass?

It is run by the plain evaluator on given inputs, and once more with the floats among them changed
a little, so that a result does not agree by chance.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import StackValue
from s2sad.passes.bisect import first_wrong
from s2sad.passes.sensitivity import copied, epsilon, is_float, is_rounding

if TYPE_CHECKING:
    from s2sad.passes.base import Pass

#: How far `is_close` lets two floats be apart, in units of the last place of the largest one.
ULPS = 256


def is_same(found: Any, wanted: Any) -> bool:
    """Whether two run-time values agree bit for bit; a NaN is any NaN.

    Examples
    --------
    >>> is_same(np.array([np.nan, 0.0]), np.array([-np.nan, 0.0]))
    True
    >>> is_same(np.array(0.0), np.array(-0.0))
    False
    """
    return _alike(found, wanted, lambda a, b: _same_elements(a, b).all())


def is_close(found: Any, wanted: Any) -> bool:
    """Whether two run-time values agree up to rounding.

    Floats may differ by 256 units in the last place of the largest finite element of `wanted` (or
    of 1, if that is larger): what another order of sums may do. NaN and infinities stand at the
    same places. All else is bit for bit.

    Examples
    --------
    >>> is_close(np.array([1.0, 1e-9]), np.array([1.0, 2e-9])), is_close(np.array(1), np.array(2))
    (False, False)
    >>> is_close(np.array([1.0, 1e-17]), np.array([1.0, 0.0]))
    True
    """
    return _alike(found, wanted, lambda a, b: _close_elements(a, b).all())


def _alike(found: Any, wanted: Any, compare: Callable[[Any, Any], Any]) -> bool:
    if isinstance(wanted, StackValue):
        same_type = isinstance(found, StackValue) and found.element == wanted.element
        pairs = zip(found, wanted, strict=False) if same_type else ()
        return same_type and len(found) == len(wanted) and all(_alike(*x, compare) for x in pairs)
    if isinstance(wanted, np.ndarray):
        same_type = isinstance(found, np.ndarray) and found.dtype == wanted.dtype
        return same_type and found.shape == wanted.shape and bool(compare(found, wanted))
    return found is wanted


def _same_elements(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where two arrays of one dtype and shape agree bit for bit, or are both NaN."""
    bits = f"u{a.dtype.itemsize}"
    same = np.ascontiguousarray(a).view(bits) == np.ascontiguousarray(b).view(bits)
    if is_float(a):
        same = same | (np.isnan(dtypes.widen(a)) & np.isnan(dtypes.widen(b)))
    return same.reshape(a.shape)


def _close_elements(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if not is_float(a):
        return _same_elements(a, b)
    wide_a, wide_b = (dtypes.widen(x).astype(np.float64) for x in (a, b))
    finite = np.isfinite(wide_a) & np.isfinite(wide_b)
    largest = np.abs(wide_b, where=np.isfinite(wide_b), out=np.zeros_like(wide_b)).max(initial=1.0)
    with np.errstate(all="ignore"):
        near = np.abs(wide_a - wide_b) <= ULPS * epsilon(a) * largest
    return np.where(finite, near, _same_elements(a, b))


@dataclass(frozen=True)
class Failure:
    """How a program ended that gave no results."""

    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


Outcome = tuple[Any, ...] | Failure
#: What runs a function on inputs.
Runner = Callable[[Function, Sequence[Any]], tuple[Any, ...]]


def outcome(function: Function, inputs: Sequence[Any], run: Runner = evaluate) -> Outcome:
    """Results of `function`, or how it failed; the inputs stay, and nothing is printed."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return run(function, [copied(value) for value in inputs])
    except S2sadError as error:
        return Failure(error.code, error.diagnostic.message)
    except Exception as error:
        if not hasattr(error, "diagnostic"):  # those that the user's program raises have one
            raise
        return Failure(type(error).__name__, str(error))


def perturbed(value: Any) -> Any:
    """`value` with its finite floats moved, by up to a thousandth of themselves and of 1."""
    if isinstance(value, StackValue):
        return StackValue(value.element, [perturbed(x) for x in value])
    if not isinstance(value, np.ndarray) or not is_float(value):
        return value
    random = np.random.default_rng(value.size)
    wide = dtypes.widen(value).astype(np.float64)
    move = 1e-3 * random.uniform(-1.0, 1.0, (2, *value.shape))
    with np.errstate(all="ignore"):
        moved = np.where(np.isfinite(wide), wide * (1 + move[0]) + move[1], wide)
    dtype = dtypes.BY_STORAGE[value.dtype]
    return np.asarray(dtypes.narrow(moved, dtype))


class Checker:
    """Remembers what a program gave, and compares what it gives after each pass.

    Parameters
    ----------
    function : Function
    inputs : sequence of arrays, stacks and tokens
    """

    def __init__(self, function: Function, inputs: Sequence[Any]) -> None:
        self.inputs = [list(inputs), [perturbed(value) for value in inputs]]
        self.wanted = [outcome(function, each) for each in self.inputs]

    def check(self, function: Function, step: Pass, before: Callable[[], Function]) -> None:
        """Compare what `function` gives after `step`; later ones are compared with that.

        Raises
        ------
        S2sadError
            E0903, which names the rewrite that changed a result.
        """
        if not step.keeps_inputs:
            self.check_exchange(function, step, before())
            return
        difference = self.difference(function, step, before)
        if difference is not None:
            raise self.fault(difference, step, before())
        if not step.exact:  # what may differ a little must not add up
            self.wanted = [outcome(function, each) for each in self.inputs]

    def check_exchange(self, function: Function, step: Pass, before: Function) -> None:
        """Ask a pass that changes the inputs whether it was right; nothing is compared any more."""
        for inputs, wanted in zip(self.inputs, self.wanted, strict=True):
            copies = [copied(value) for value in inputs]
            is_known = not isinstance(wanted, Failure)
            difference = step.difference(before, function, copies) if is_known else None
            if difference is not None:
                raise fail("E0903", f"the pass {step} changes what is computed: {difference}")
        self.inputs, self.wanted = [], []

    def difference(
        self, function: Function, step: Pass, before: Callable[[], Function]
    ) -> str | None:
        """The first result that is not what it was, in words.

        Of a pass that may round otherwise, what that does to the program as it was `before` is
        none.
        """
        for inputs, wanted in zip(self.inputs, self.wanted, strict=True):
            found = outcome(function, inputs)
            difference = compare(found, wanted, step.agrees)
            if difference is None:
                continue
            if step.exact or not _is_rounding(before(), inputs, found, wanted):
                return difference
        return None

    def fault(self, difference: str, step: Pass, before: Function) -> S2sadError:
        found = first_wrong(
            before, step, lambda f: self.difference(f, step, lambda: before) is not None
        )
        return fail(
            "E0903", f"the pass {step} changes what the program computes: {difference}",
            location=None if found.step is None else found.step.loc,
            notes=(f"the first wrong one is {found}", *found.shown),
        )  # fmt: skip


def compare(found: Outcome, wanted: Outcome, agrees: Callable[[Any, Any], bool]) -> str | None:
    """Where two outcomes differ, in words; None where they agree."""
    if isinstance(found, Failure) or isinstance(wanted, Failure):
        return None if found == wanted else f"it was {_ended(wanted)}, and is {_ended(found)}"
    if len(found) != len(wanted):
        return f"it gave {len(wanted)} results, and gives {len(found)}"
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        if not agrees(one, other):
            return f"result {number} {_difference(one, other)}"
    return None


def _is_rounding(
    function: Function, inputs: Sequence[Any], found: Outcome, wanted: Outcome
) -> bool:
    """Whether what differs are floats, and decisions by them, that `function` may round so."""
    if isinstance(found, Failure) or isinstance(wanted, Failure) or len(found) != len(wanted):
        return False
    for one, other in zip(found, wanted, strict=True):
        is_array = isinstance(other, np.ndarray)
        if not (_alike(one, other, lambda a, b: True) if is_array else is_close(one, other)):
            return False
    return is_rounding(function, inputs, found, wanted, _close_elements)


def _ended(outcome: Outcome) -> str:
    return str(outcome) if isinstance(outcome, Failure) else "all right"


def _difference(found: Any, wanted: Any) -> str:
    arrays = isinstance(found, np.ndarray) and isinstance(wanted, np.ndarray)
    if not arrays or found.dtype != wanted.dtype or found.shape != wanted.shape:
        return "is of another kind"
    place = tuple(map(int, np.argwhere(~_same_elements(found, wanted))[0]))
    was, now = (dtypes.widen(x)[place].item() for x in (wanted, found))
    where = f" at {list(place)}" if place else ""
    return f"was {was!r}{where}, and is {now!r}"


def check_executable(executable: Any, inputs: Sequence[Any]) -> None:
    """Hold what a backend made to what its program gives.

    Parameters
    ----------
    executable : Executable
    inputs : sequence of arrays, stacks and tokens

    Raises
    ------
    S2sadError
        E0903 where a result is not the same up to rounding.
    """
    for each in (list(inputs), [perturbed(value) for value in inputs]):
        wanted = outcome(executable.function, each)
        found = outcome(executable.function, each, lambda _, given: executable.run(given))
        difference = compare(found, wanted, is_close)
        if difference is not None and not _is_rounding(executable.function, each, found, wanted):
            kind = type(executable).__module__.rpartition(".")[0]
            raise fail("E0903", f"{kind} computes something else: {difference}")
