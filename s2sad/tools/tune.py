"""Which settings of the compiler are best for a function on this machine?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from statistics import median
from typing import Any

from s2sad import compiler
from s2sad.backends.base import Executable
from s2sad.binding import tuned
from s2sad.binding.program import tensors_of
from s2sad.binding.target import backend, backend_name
from s2sad.core.cachefolder import is_on
from s2sad.core.diagnostics import fail
from s2sad.core.progress import progress
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.passes.base import run_passes
from s2sad.tools.dump import with_gradient
from s2sad.tools.tables import show, show_table
from s2sad.tools.targets import find_target, random_arguments

#: Seconds of one measurement: as many runs as that takes.
A_WHILE = 0.02
#: Part of the time that must be gained, so that it is no chance.
WORTH = 0.03


@dataclass
class Candidate:
    """Settings, and what they make of the program.

    Attributes
    ----------
    settings : dict of str to int
    executable : Executable
    times : list of float
        Seconds of a run, of each round.
    """

    settings: dict[str, int]
    executable: Executable
    times: list[float] = field(default_factory=list)

    @property
    def time(self) -> float:
        return median(self.times)


def tune(
    target: str | None, inputs: Sequence[str], *, grad: bool, rounds: int, dry_run: bool,
    clear: bool, seed: int, train: bool,
) -> int:  # fmt: skip
    """Measure settings for what `target` names, and keep the best for later compiles.

    Parameters
    ----------
    target : str or None
        ``FILE:OBJECT``; None only with `clear`.
    inputs : sequence of str
        Types of tensors, or literals: the arguments in order.
    grad : bool
        Whether its value and gradients are computed.
    rounds : int
        How often each candidate is measured, in turns with the others.
    dry_run : bool
        Whether nothing is kept.
    clear : bool
        Whether all that was kept is forgotten, first.
    seed : int
        Of the random arguments.
    train : bool
        Whether a Cell is let train.

    Returns
    -------
    int
        0

    Raises
    ------
    S2sadError
        E0302 without a target, E0404 for a number of rounds below 1, E0712 where the backend has
        nothing to set, or the cache is off.
    """
    if clear:
        show(f"forgot the settings of {_programs(tuned.clear())}")
    if target is None:
        if not clear:
            raise fail("E0302", "tune takes FILE:OBJECT, or --clear", help="such as net.py:Net")
        return 0
    if rounds < 1:
        raise fail("E0404", f"1 round or more, got {rounds}")
    _require_knobs(dry_run)
    function, arrays = _program(target, inputs, grad=grad, seed=seed, train=train)
    candidates = _candidates(function)
    _measure(candidates, arrays, rounds)
    _report(candidates, function, dry_run=dry_run)
    return 0


def _require_knobs(dry_run: bool) -> None:
    """E0712 where nothing can be set, or kept."""
    if backend_name() != "s2sad.backends.c":
        raise fail(
            "E0712", "programs of NumPy have no settings", help="tune where there is a C compiler"
        )
    if not dry_run and not is_on():
        raise fail("E0712", "the cache is off, so nothing is kept", help="--dry-run only measures")


def _program(
    target: str, inputs: Sequence[str], *, grad: bool, seed: int, train: bool
) -> tuple[Function, list[Any]]:
    """The program before TARGET, and arrays to run it on."""
    named = find_target(target, train=train)
    arguments = random_arguments(inputs, seed)
    wanted = with_gradient(named, arguments) if grad else named
    stages = compiler.stages_for(wanted)
    program = compiler.whole_program(wanted, tuple(arguments), {}, stages)
    tensors = tensors_of(tuple(arguments), {})
    sources = program.sources
    return program.function, [tensors[s].array if isinstance(s, int) else s.array for s in sources]


def _candidates(function: Function) -> list[Candidate]:
    """A program for each way to set all knobs; of those that come to the same, the first."""
    ways = [
        dict(zip((knob.name for knob in tuned.KNOBS), values, strict=True))
        for values in product(*(knob.values for knob in tuned.KNOBS))
    ]
    found: dict[str, Candidate] = {}
    with progress("compiling", len(ways)) as step:
        for settings in ways:
            lowered = clone(function)
            run_passes(lowered, tuned.with_settings(compiler.TARGET[backend_name()], settings))
            executable = backend().build(lowered)
            found.setdefault(executable.source, Candidate(settings, executable))
            step()
    return list(found.values())


def _measure(candidates: Sequence[Candidate], arrays: Sequence[Any], rounds: int) -> None:
    """Run each in turns with the others."""
    begun = time.perf_counter()
    for candidate in candidates:
        candidate.executable.run(arrays)  # the first run is no measure
    once = (time.perf_counter() - begun) / len(candidates)
    runs = max(1, int(A_WHILE / once))
    with progress("measuring", rounds * len(candidates)) as step:
        for _ in range(rounds):
            for candidate in candidates:
                begun = time.perf_counter()
                for _ in range(runs):
                    candidate.executable.run(arrays)
                candidate.times.append((time.perf_counter() - begun) / runs)
                step()


def _report(candidates: Sequence[Candidate], function: Function, *, dry_run: bool) -> None:
    """Say what was measured, and keep the best where it is worth it."""
    first, best = candidates[0], min(candidates, key=lambda each: each.time)
    rows = [
        [_written(each.settings), f"{each.time * 1e3:.4g}", f"{first.time / each.time:.3f}"]
        for each in sorted(candidates, key=lambda each: each.time)
    ]
    show_table(("settings", "ms", "times as fast"), rows)
    if first.time < best.time * (1 + WORTH):
        best = first
        show("nothing is worth it: the settings stay as they are")
    else:
        gain = 100 * (1 - best.time / first.time)
        show(f"{_written(best.settings)}: {gain:.0f} % less time", "bold")
    if not dry_run:
        tuned.keep(function, best.settings)
        show("kept: later compiles of this program take these settings")


def _written(settings: dict[str, int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _programs(count: int) -> str:
    return "1 program" if count == 1 else f"{count} programs"
