"""Where does the time of a function go, by kernel and by line of its source?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from s2sad.compiled import compile
from s2sad.core.diagnostics import fail
from s2sad.profiler import Profiler
from s2sad.tools.dump import with_gradient
from s2sad.tools.tables import show
from s2sad.tools.targets import find_target, random_arguments


def profile(
    target: str, inputs: Sequence[str], *, grad: bool, runs: int, folder: Path | None, seed: int,
    train: bool,
) -> int:  # fmt: skip
    """Run what `target` names on random arguments, and print where the time went.

    Parameters
    ----------
    target : str
        ``FILE:OBJECT``.
    inputs : sequence of str
        Types of tensors, or literals: the arguments in order.
    grad : bool
        Whether its value and gradients are computed, with respect to all arguments and all
        trainable Parameters.
    runs : int
        How often it runs, after once that does not count.
    folder : Path, optional
        Where the trace and the tables go; without it they are printed only.
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
        E0404 for a number of runs below 1.
    """
    if runs < 1:
        raise fail("E0404", f"a profile is of 1 run or more, got {runs}")
    function = find_target(target, train=train)
    arguments = random_arguments(inputs, seed)
    compiled = compile(with_gradient(function, arguments) if grad else function)
    compiled.run(tuple(arguments), {})
    profiler = Profiler(output_path=folder or ".", start_profile=False, profile_memory=True)
    profiler.start()
    try:
        for _ in range(runs):
            compiled.run(tuple(arguments), {})
    finally:
        profiler.stop()
    show(profiler.report())
    if folder is not None:
        profiler.analyse()
        show(f"\nwritten to {profiler.folder}", "bold")
    return 0
