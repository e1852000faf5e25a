"""Do programs for any number of rows compute what programs for one number do?

Those of `support.random_programs` with ``any_rows``: each is compiled once for all sizes, with its
gradient, and for each size alone.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import s2sad as ms
from s2sad.binding.open_sizes import Signature
from s2sad.binding.target import VARIABLE
from s2sad.compiled import Compiled
from support.fuzz import REFUSED, Failure, Leaves, Program, arguments, leaves_of
from support.random_programs import random_source

#: Numbers of rows, which one program is to serve; 1 has a program of its own.
ROWS = (6, 2, 5, 1)


@dataclass
class OpenReport:
    """What came of many programs.

    Attributes
    ----------
    failures : list of Failure
    ran : int
        Programs that served all sizes.
    closed : list of str
        Why others were compiled for each size by itself.
    """

    failures: list[Failure] = field(default_factory=list)
    ran: int = 0
    closed: list[str] = field(default_factory=list)


def check_open(seeds: Sequence[int], backend: str = "numpy") -> OpenReport:
    """Hold programs for any sizes on `backend` to those for one size."""
    report = OpenReport()
    for seed in seeds:
        program = Program(f"open-{seed}", random_source(seed, any_rows=True))
        said, why = differing(program, backend)
        report.failures += [Failure(program, said)] if said else []
        report.closed += [why] if why else []
        report.ran += not why
    return report


def differing(program: Program, backend: str) -> tuple[list[str], str]:
    """How the program for any sizes is wrong, and why there is none, where that is so."""
    rows = ms.Tensor(shape=[None, 4], dtype=ms.float64)
    opening = Signature((rows, *arguments("float64")[1:]))
    anything, alone = (_step(program, kind) for kind in (opening, None))
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in ROWS:
            args = _given(number)
            found, wanted = _run(*anything, args, backend), _run(*alone, args, "numpy")
            said += [f"{number} rows: {text}" for text in _unlike(found, wanted)]
    why = [str(x.message) for x in caught if "for each size by itself" in str(x.message)]
    return said, "".join(why)


def _step(program: Program, opening: Any) -> tuple[Any, Compiled]:
    net = program.net("float64")
    step = ms.value_and_grad(net, (0, 1, 2), net.trainable_params(), has_aux=True)
    return net, Compiled(step, opening)


def _given(rows: int) -> tuple[ms.Tensor, ...]:
    x, *rest = arguments("float64")
    array = np.resize(x.asnumpy(), (rows, 4)) * np.linspace(1, 0.5, rows)[:, None]
    return (ms.Tensor(array), *rest)


def _run(net: Any, compiled: Compiled, args: Sequence[ms.Tensor], backend: str) -> Any:
    """What a call gives, and Parameters after it; or what it raises."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = backend
    try:
        found = dict(leaves_of("result", compiled(*args)))
        return found | {each.name: each.asnumpy().copy() for each in net.get_parameters()}
    except REFUSED as error:
        return error
    finally:
        os.environ.pop(VARIABLE) if before is None else os.environ.update({VARIABLE: before})


def _unlike(found: Leaves | Exception, wanted: Leaves | Exception) -> list[str]:
    if isinstance(found, Exception) or isinstance(wanted, Exception):
        kinds = [getattr(x, "code", type(x).__name__) for x in (found, wanted)]
        is_same = kinds[0] == kinds[1] and not kinds[0].startswith("E09")
        return [] if is_same else [f"{found!r}, not {wanted!r}"[:600]]
    if found.keys() != wanted.keys():
        return [f"other leaves: {sorted(found.keys() ^ wanted.keys())}"]
    return [
        f"{path} is {found[path]}, not {array}" for path, array in wanted.items()
        if not _is_close(found[path], array)
    ]  # fmt: skip


def _is_close(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    with np.errstate(all="ignore"):
        return np.allclose(one, other, rtol=1e-8, atol=1e-9, equal_nan=True)
