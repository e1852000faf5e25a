"""What does a dump compute?

Its inputs come from an ``.npz`` or are random; a table shows them and the results. The exit code
is 0, or 1 when the program itself fails; inputs that do not fit raise, located in the dump.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from s2sad.backends import c as c_backend
from s2sad.backends import numpy as numpy_backend
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.archive import load_arrays, save_results
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Value
from s2sad.ir.store import parameter_places
from s2sad.tools.inputs import given_inputs, random_inputs, require_numbers
from s2sad.tools.statistics import HEADS, row
from s2sad.tools.tables import show, show_table

#: What runs a function on inputs, by the name that ``--backend`` takes.
BACKENDS: dict[str, Callable[[Function, Sequence[Any]], tuple[Any, ...]]] = {
    "numpy": lambda function, inputs: numpy_backend.build(function).run(inputs),
    "c": lambda function, inputs: c_backend.build(function).run(inputs),
    "evaluate": evaluate,
}


def run_ir(
    function: Function,
    dump: Path,
    *,
    npz: Path | None = None,
    out: Path | None = None,
    backend: str = "numpy",
    seed: int | None = None,
) -> int:
    """Run `function`, which was read from `dump`, and print its inputs and results.

    Parameters
    ----------
    function : Function
    dump : Path
        Errors about inputs point into it.
    npz : Path, optional
        Inputs, by the names in ``inputs=``, those of the parameters, or ``input0``, ``input1``.
        Without it they are those that `dump` wrote beside the file, or random; see `random_input`.
    out : Path, optional
        Where the results go, as ``result0``, ``result1``, ...; tokens are left out.
    backend : str
        A key of `BACKENDS`.
    seed : int, optional
        Of random inputs, which it asks for.

    Returns
    -------
    int
        0, or 1 when the program failed, which is then reported.

    Raises
    ------
    S2sadError
        E0301, E0302 or E0401 for an input that is missing or does not fit, E0402 for a size that
        is no number, E0602 when `npz` cannot be read, E0604 when `out` cannot be written.
    """
    places = parameter_places(dump)
    require_numbers(function, places)
    beside = dump.with_suffix(".in.npz")
    if npz is None and seed is None and beside.exists():
        npz = beside
    if npz is None:
        inputs = random_inputs(function, seed or 0)
        origin = f"random, seed {seed or 0}"
    else:
        inputs = given_inputs(function, load_arrays(npz), npz, places)
        origin = str(npz)
    count = sum(1 for _ in function.walk())
    show(f"{function.title or function.name}: {count} operations, run by {backend}", "bold")
    _show_values(f"inputs ({origin})", map(_shown, function.inputs, function.args), inputs)
    try:
        results = BACKENDS[backend](function, inputs)
    except Exception as error:
        if not hasattr(error, "diagnostic"):
            raise
        show(_failure(error), "red", sys.stderr)
        return 1
    names = [f"result{i}" for i in range(len(results))]
    _show_values("results", map(_shown, names, function.results), results)
    if out is not None:
        save_results(out, results)
    return 0


def _show_values(heading: str, names: Iterable[str], values: Sequence[Any]) -> None:
    show(f"\n{heading}", "bold")
    rows = [row(name, value) for name, value in zip(names, values, strict=True)]
    if rows:
        show_table(HEADS, rows, left=2)
    else:
        show("  none")


def _shown(name: str, value: Value) -> str:
    """`name`, and what the dump calls it where that says more."""
    return name if value.name is None or value.name == name else f"{name} ({value.name})"


def _failure(error: Exception) -> str:
    """What a program that failed has to say."""
    if isinstance(error, S2sadError):
        return str(error)
    return "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
