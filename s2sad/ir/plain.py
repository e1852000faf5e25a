"""What does a dump need when plain Python runs it?

``@function`` and ``@region`` mark the functions of a dump, ``inf``, ``nan`` and ``bits`` spell
the floats that have no literal. Constants too big for the text come from the ``.npz`` beside
the dump while its function runs. The last lines of a dump let ``python dump.py`` run it.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir.archive import load_arrays, save_results

inf = float("inf")
nan = float("nan")

#: Those beside the dump that is running.
constants: ContextVar[Mapping[str, np.ndarray] | None] = ContextVar("constants", default=None)


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
    store = constants.get()
    if store is None or key not in store:
        raise fail("E0602", f"no constants beside the dump hold {key!r}")
    return store[key]


def function(
    *,
    inputs: tuple[str, ...],
    donates: Mapping[str, int] | None = None,
    tree: str = "0",
    consts: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark the function of a dump; see `s2sad.ir.graph.Function` for the parameters.

    Under plain Python the function runs as it stands, with the constants of the file `consts`
    beside it, and as quiet about zero division and overflow as primitives are. Its results are
    arrays, also where Python computed a number.

    Raises
    ------
    S2sadError
        At the call: E0303 when an argument is not of the type declared, or nothing is returned.
    """

    def decorate(run: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(run)
        def call(*args: Any) -> Any:
            _require_declared(run, args)
            store = None if consts is None else load_arrays(_place(run).parent / consts)
            token = constants.set(store)
            try:
                with np.errstate(all="ignore"):
                    results = run(*args)
            finally:
                constants.reset(token)
            if results is None:
                raise fail("E0303", f"{run.__name__} returns nothing", help="return its results")
            return tuple(map(_array, results)) if isinstance(results, tuple) else _array(results)

        call.ir = {"inputs": inputs, "donates": dict(donates or {}), "tree": tree}  # type: ignore[attr-defined]
        return call

    return decorate


def _require_declared(run: Callable[..., Any], args: Sequence[Any]) -> None:
    """E0303 unless each array has the dtype and the shape with which its parameter is annotated."""
    annotations = getattr(run, "__annotations__", {})
    for name, value in zip(inspect.signature(run).parameters, args, strict=False):
        declared: Any = annotations.get(name)
        if not hasattr(declared, "dtype") or isinstance(value, list):
            continue
        array = np.asarray(value)
        fits = array.dtype == declared.dtype.storage and array.ndim == len(declared.shape)
        sizes = zip(array.shape, declared.shape, strict=False)
        if not fits or any(isinstance(n, int) and n != size for size, n in sizes):
            raise fail("E0303", f"{name} is {declared}, got {array.dtype}{list(array.shape)}")


def _array(result: Any) -> Any:
    """`result` with arrays where Python or NumPy computed scalars."""
    if isinstance(result, list):  # a stack
        result[:] = map(_array, result)
    return np.asarray(result) if isinstance(result, (np.generic, bool, int, float)) else result


def _place(run: Callable[..., Any]) -> Path:
    return Path(inspect.getfile(inspect.unwrap(run)))


def region(run: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a nested function as a region of the call below it.

    It runs as it stands; where a derivative of it is taken, its text is read.
    """
    run.is_region = True  # type: ignore[attr-defined]
    return run


def run_as_script(run: Callable[..., Any], argv: Sequence[str] | None = None) -> None:
    """Run the function of a dump on arrays from a file, and print what it gives.

    Parameters
    ----------
    run : callable
        Decorated by `function`.
    argv : sequence of str, optional
        The command line: a path to the inputs, ``input0``, ``input1``, ..., by default
        ``NAME.in.npz`` beside the dump ``NAME.py``; ``--out FILE`` to write the results, as
        ``result0``, ``result1``, ..., to that ``.npz``; see `save_results`.

    Raises
    ------
    S2sadError
        E0602 when the inputs are missing or damaged, E0604 when the results cannot be written.
    """
    path, out = _options(run, list(sys.argv[1:] if argv is None else argv))
    results = run(*_inputs(run, path))
    results = results if isinstance(results, tuple) else (results,)
    for number, result in enumerate(results):
        print(f"result{number}: {_summary(result)}")
    if out is not None:
        save_results(out, results)


def _options(run: Callable[..., Any], argv: list[str]) -> tuple[Path, Path | None]:
    """Files of the inputs and of the results; for anything else the usage."""
    out = None
    if argv[-2:-1] == ["--out"]:
        out = Path(argv.pop())
        del argv[-1]
    if len(argv) > 1 or argv and argv[0].startswith("-"):
        raise SystemExit(f"usage: python {_place(run)} [INPUTS.npz] [--out RESULTS.npz]")
    return Path(argv[0]) if argv else _place(run).with_suffix(".in.npz"), out


def _inputs(run: Callable[..., Any], path: Path) -> Iterator[Any]:
    """Arguments for `run`: arrays and stacks from the file, or a type that stands for itself."""
    annotations = inspect.unwrap(run).__annotations__
    parameters = [annotations[name] for name in inspect.signature(run).parameters]
    arrays = load_arrays(path) if any(map(_lies_in_file, parameters)) else {}
    for number, type in enumerate(parameters):  # noqa: A001
        key = f"input{number}"
        if not _lies_in_file(type):
            yield type
        elif key not in arrays:
            raise fail("E0602", f"{path} has no {key}", help=f"it is needed for {type}")
        else:
            yield type.unstacked(arrays[key]) if hasattr(type, "unstacked") else arrays[key]


def _lies_in_file(type: Any) -> bool:  # noqa: A002
    """Whether values of `type` are numbers: those of tensors and stacks."""
    return hasattr(type, "dtype") or hasattr(type, "unstacked")


def _summary(result: Any) -> str:
    """Type of a result, its values where they are few, and a digest of its bits."""
    if not isinstance(result, np.ndarray):
        return repr(result)
    dtype = dtypes.BY_STORAGE[result.dtype].short
    shape = f"[{', '.join(map(str, result.shape))}]" if result.shape else ""
    digest = hashlib.sha256(np.ascontiguousarray(result).tobytes()).hexdigest()[:16]
    values = dtypes.widen(result)
    shown = values.tolist() if values.size <= 8 else f"{values.min()} to {values.max()}"
    return f"{dtype}{shape} sha256 {digest}  {shown}"
