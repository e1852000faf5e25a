"""How does one see again what went wrong in a pass?

The function that the pass was given is written to a file, with the inputs where there are any; the
notes of the error say where it is and which line runs the pass on it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.ir import store
from s2sad.ir.graph import Function


def reproducer(
    before: Callable[[], Function], step: Any, folder: Path | None, inputs: Sequence[Any] | None
) -> tuple[str, ...]:
    """Notes on the file that was written for a failure of the pass `step`.

    Parameters
    ----------
    before : callable
        Makes the function that the pass was given.
    step : Pass
    folder : path or None
        Made if it is missing; None for a new temporary one.
    inputs : sequence, or None
        Run-time inputs of the function.
    """
    try:
        path = _write(before(), step.name, folder, inputs)
    except (S2sadError, OSError) as error:
        return (f"the function before {step.name} could not be written: {error}",)
    return (
        f"the function before {step.name} is in {path}; to run it: s2sad run-ir {path}",
        f"to run the pass on it: run_passes(store.load({str(path)!r}, prims.ALL), "
        f"parse_pipeline({str(step)!r}))",
    )


def _write(
    function: Function, name: str, folder: Path | None, inputs: Sequence[Any] | None
) -> Path:
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="s2sad-"))
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"before-{name}.py"
    store.save(function, path, stage=f"before {name}")
    if inputs is not None:
        store.save_inputs(path, inputs)
    return path


def noted(error: Exception, notes: tuple[str, ...]) -> Exception:
    """`error` with more notes: a new one where it is our own, else the same."""
    if isinstance(error, S2sadError):
        old = error.diagnostic
        return fail(
            old.code, old.message, location=old.location, label=old.label,
            notes=(*old.notes, *notes), help=old.help,
        ).with_traceback(error.__traceback__)  # fmt: skip
    # What `add_note` of Python 3.11 does; 3.10 does not show it.
    error.__notes__ = [*getattr(error, "__notes__", ()), *notes]  # type: ignore[attr-defined]
    return error
