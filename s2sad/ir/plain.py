"""What does a dump need when plain Python runs it?

``@function`` and ``@region`` mark the functions of a dump, ``inf``, ``nan`` and ``bits`` spell
the floats that have no literal. Constants too big for the text come from the ``.npz`` beside
the dump while its function runs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail

inf = float("inf")
nan = float("nan")

_constants: ContextVar[Mapping[str, np.ndarray] | None] = ContextVar("constants", default=None)


class bits(int):  # noqa: N801 - spelled as a literal in dumps
    """A float given by its bit pattern: a NaN with a payload or a sign.

    Examples
    --------
    >>> bits(0x7FC00001)
    bits(0x7fc00001)
    """

    def __repr__(self) -> str:
        return f"bits({int(self):#x})"


def constant(key: str) -> np.ndarray:
    """The array stored as `key` beside the dump that is running.

    Raises
    ------
    S2sadError
        E0602 when no store is open or it lacks the key.
    """
    store = _constants.get()
    if store is None or key not in store:
        raise fail("E0602", f"no constants beside the dump hold {key!r}")
    return store[key]


def load_constants(path: Path) -> dict[str, np.ndarray]:
    """All arrays of the ``.npz`` at `path`; pickled objects are refused."""
    if not path.is_file():
        raise fail("E0602", f"the constants of the dump are missing: {path}")
    with np.load(path, allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}


def function(
    *,
    inputs: tuple[str, ...],
    donates: Mapping[str, int] | None = None,
    tree: str = "0",
    consts: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark the function of a dump; see `s2sad.ir.graph.Function` for the parameters.

    Under plain Python the function runs as it stands, with the constants of the file `consts`
    beside it.
    """

    def decorate(run: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(run)
        def call(*args: Any) -> Any:
            if consts is None:
                return run(*args)
            store = load_constants(Path(inspect.getfile(run)).parent / consts)
            token = _constants.set(store)
            try:
                return run(*args)
            finally:
                _constants.reset(token)

        call.ir = {"inputs": inputs, "donates": dict(donates or {}), "tree": tree}  # type: ignore[attr-defined]
        return call

    return decorate


def region(run: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a nested function as a region of the call below it."""
    return run
