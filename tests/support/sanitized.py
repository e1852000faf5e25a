"""Programs of C under sanitizers, in a process of its own: a report ends it.

    S2SAD_SANITIZE=address,undefined LD_PRELOAD=... python -m support.sanitized specs 0 12
    python -m support.sanitized --programs undefined functions 0 50

What is run are specs (of twelve, the first), or random programs of seeds 0 to 49. Results are not
looked at here, only how they come about.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.backends.c import programs, tables
from s2sad.backends.c.scalar import plain
from s2sad.compiler import TARGET
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Function
from s2sad.ir.types import type_of
from s2sad.passes.base import run_passes
from support.c_programs import built, outcome
from support.fuzz import READY, REFUSED, Program, Trial, Written, arguments
from support.laws import promise, recast
from support.specs import all_specs

#: For programs alone, beside which sanitizers.
CHECKS = ("-fno-sanitize-recover=all", "-g")

Call = tuple[Function, Sequence[Any]]


def specs(part: int, parts: int) -> Iterator[Call]:
    """Calls of the law tests, one of `parts`."""
    calls = []
    for spec in all_specs():
        for operands in recast(spec.operands):
            types = [type_of(x) for x in operands]
            if not spec.prim.regions and promise(spec.prim, types, spec.attrs) is not None:
                calls.append((spec, operands, types))
    for spec, operands, types in calls[part::parts]:
        yield build_function(lambda *v, s=spec: s.prim(*v, **s.attrs), types), operands


def functions(first: int, end: int) -> Iterator[Call]:
    """Random functions of the IR."""
    for seed in range(first, end):
        written = Written.of_seed(seed)
        run_passes(written.function, READY)
        yield written.function, written.inputs


def users(first: int, end: int) -> Iterator[Call]:
    """Random programs of users with their gradients."""
    for seed in range(first, end):
        program = Program.of_seed(seed)
        try:
            variant = Trial.of(program, program.dtype).variants["stepwise"]
        except REFUSED:
            continue
        yield variant.program.function, variant.inputs(arguments(program.dtype))


def fault(first: int, end: int) -> Iterator[Call]:
    """What shifts by more bits than there are, with an expression that is undefined then."""
    tables.SCALARS[p.shift_left] = plain("({0} << {1})")
    for _ in range(first, end):
        operands = [np.array([1, 2]), np.array([3, 64])]
        yield build_function(p.shift_left, [type_of(x) for x in operands]), operands


#: What may be run, by the word that asks for it.
SUITES = {"specs": specs, "functions": functions, "users": users, "fault": fault}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", help="sanitizers for programs; the runtime is as always")
    parser.add_argument("what", choices=SUITES)
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    chosen = parser.parse_args()
    if chosen.programs:
        asked = f"-fsanitize={chosen.programs}"
        programs.PROGRAM_FLAGS = (*programs.PROGRAM_FLAGS, asked, *CHECKS)
    calls = list(SUITES[chosen.what](chosen.first, chosen.end))
    for function, _ in calls:
        run_passes(function, TARGET["s2sad.backends.c"])
    failed = 0
    for run, (_, inputs) in zip(built([f for f, _ in calls]), calls, strict=True):
        found, _ = outcome(lambda given, r=run: r.run(given, given=r.overwrites), inputs)
        failed += isinstance(found, Exception)
    print(f"{len(calls)} ran, {failed} of them raised")
    return 0


if __name__ == "__main__":
    sys.exit(main())
