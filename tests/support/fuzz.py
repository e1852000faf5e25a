"""Do PyNative, NumPy and C agree on programs that nobody wrote?

`check_programs` holds programs of users, with their gradients, to float64; `check_functions` holds
functions of the IR to the plain evaluator. Both compile many programs as one file of C.

To try more, and to keep what fails::

    python -m support.fuzz --count 1000 --seed 7
"""

from __future__ import annotations

import argparse
import linecache
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import s2sad as ms
from s2sad import nn, ops
from s2sad import prims as p
from s2sad.backends.c.executable import CExecutable
from s2sad.backends.numpy import build as build_in_numpy
from s2sad.binding.program import tensors_of
from s2sad.binding.variant import Variant
from s2sad.compiler import TARGET, compile_variant
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir import store
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Primitive, Trait
from s2sad.passes.base import run_passes
from s2sad.passes.decompose import Decompose
from s2sad.passes.hoist import HoistConstants
from s2sad.passes.layout import Layout
from s2sad.passes.strip import StripMarkers
from s2sad.prims import marker
from s2sad.prims.sort import searchsorted
from support.c_programs import always_exact, built, is_exact, outcome, unit, wide
from support.differential import same
from support.random_functions import random_function
from support.random_programs import random_source
from support.random_values import random_inputs
from support.shrink import shorter_texts, smaller_functions, smallest

#: What a program may raise: a sound refusal, or what Python raises for it.
REFUSED = (S2sadError, TypeError, ValueError, ZeroDivisionError, IndexError)
#: Roundings that a result may show, each as large as its scale and what inputs do to it.
ROUNDINGS = 16.0
#: How far inputs are moved to see what rounding does, relative to their size.
MOVED = 2.0**-32
#: Leaves of what a program gives, by path.
Leaves = dict[str, np.ndarray]


@dataclass(frozen=True)
class Program:
    """A program of a user.

    Attributes
    ----------
    name : str
    source : str
        Of a module with a ``construct``; see `support.random_programs`.
    """

    name: str
    source: str

    @classmethod
    def of_seed(cls, seed: int) -> Program:
        return cls(f"program-{seed}", random_source(seed))

    @classmethod
    def of_file(cls, path: Path) -> Program:
        return cls(path.stem, path.read_text(encoding="utf-8"))

    @cached_property
    def names(self) -> dict[str, Any]:
        """What the module defines."""
        file = f"<{self.name}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        names: dict[str, Any] = {}
        exec(compile(self.source, file, "exec"), names)
        return names

    @property
    def dtype(self) -> str:
        return self.names["DTYPE"]

    def net(self, dtype: str) -> nn.Cell:
        """A new Cell whose ``construct`` it is."""
        made = type("Net", (_Base,), {"construct": self.names["construct"]})
        return made(getattr(ms, dtype))


class _Base(nn.Cell):
    def __init__(self, dtype: Any) -> None:
        super().__init__()
        rng = np.random.default_rng(5)
        self.w = ms.Parameter(ms.Tensor(rng.normal(size=(4, 4)) * 0.4, dtype), name="w")
        self.v = ms.Parameter(ms.Tensor(rng.normal(size=4), dtype), name="v")
        self.f = ms.Parameter(ms.Tensor(rng.normal(size=(1, 1, 3, 3)) * 0.3, dtype), name="f")
        self.r = ms.Parameter(ms.Tensor(rng.normal(size=4), dtype), name="r", requires_grad=False)
        self.c = ms.Parameter(ms.Tensor(3, ms.int32), name="c", requires_grad=False)


def arguments(dtype: str, move: float = 0.0, seed: int = 0) -> tuple[ms.Tensor, ...]:
    """What programs are called with; floats moved by about `move` of their size.

    They are numbers of bfloat16 and so the same in every dtype.
    """
    rng, other = np.random.default_rng(11), np.random.default_rng(seed)
    floats = [rng.normal(size=shape) for shape in ((6, 4), (4,), ())]
    floats = [wide(np.asarray(dtypes.narrow(x, ms.bfloat16))) for x in floats]
    moved = [x * (1 + move * other.normal(size=x.shape)) for x in floats]
    made = [ms.Tensor(x, getattr(ms, dtype)) for x in moved]
    return (*made, ms.Tensor([3, -2, 0, 7], ms.int32), ms.Tensor(2, ms.int32))


@dataclass
class Trial:
    """A program, compiled once for each way to run it.

    Attributes
    ----------
    program : Program
    net : Cell
    variants : dict of str to Variant
        ``"stepwise"``, ``"numpy"`` and ``"c"``, of the same joint program.
    """

    program: Program
    net: nn.Cell
    variants: dict[str, Variant] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Program, dtype: str) -> Trial:
        """All but the C variant, of which many are compiled at once: see `lowered`."""
        net = program.net(dtype)
        weights = net.trainable_params()
        step = ms.value_and_grad(net, (0, 1, 2), weights, has_aux=True)
        stepwise = compile_variant(step, arguments(dtype), {}, stepwise=True)
        trial = cls(program, net, {"stepwise": stepwise})
        trial._add("numpy", build_in_numpy(trial.lowered("numpy")))
        return trial

    def lowered(self, backend: str) -> Function:
        """The joint program as a backend takes it."""
        function = clone(self.variants["stepwise"].program.function)
        run_passes(function, TARGET[f"s2sad.backends.{backend}"])
        return function

    def _add(self, name: str, executable: Any) -> None:
        stepwise = self.variants["stepwise"]
        self.variants[name] = Variant(stepwise.program, lambda: executable, stepwise.stages)

    def run(
        self, name: str, args: Sequence[Any], move: float = 0.0, seed: int = 0
    ) -> Leaves | Exception:
        """All that a call gives, gradients too, and Parameters after it; or what it raises.

        Those of floats are moved by about `move` of their size before.
        """
        before = [(each, each.asnumpy().copy()) for each in self.net.get_parameters()]
        rng = np.random.default_rng(seed)
        for each, array in before if move else ():
            if each.dtype.is_float:
                moved = array * (1 + move * rng.normal(size=array.shape))
                ops.assign(each, ms.Tensor(moved, each.dtype))
        tensors = tensors_of(args, {})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                given = self.net(*args) if name == "python" else self.variants[name].run(tensors)
                found = dict(leaves_of("result" if name != "python" else "result[0]", given))
                found |= {f"after {each.name}": each.asnumpy().copy() for each, _ in before}
                return found
            except REFUSED as error:
                return error
            finally:
                for each, array in before:
                    ops.assign(each, ms.Tensor(array, each.dtype))


def leaves_of(path: str, value: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Tensors in containers, with the path of each."""
    if isinstance(value, ms.Tensor):
        yield path, value.array.copy()
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves_of(f"{path}[{key!r}]", item)
    elif isinstance(value, (tuple, list)):
        for number, item in enumerate(value):
            yield from leaves_of(f"{path}[{number}]", item)


# ---- how far results may be apart --------------------------------------------------------------


@dataclass
class Truth:
    """What a program gives in float64, and what moving its inputs a little does to that.

    Attributes
    ----------
    leaves : dict of str to array
    moved : dict of str to float
        How far each moved, in units of how far the inputs did.
    jumps : set of str
        Those that are integers or truth values and changed, so that rounding may change them.
    """

    leaves: Leaves
    moved: dict[str, float]
    jumps: set[str]

    @classmethod
    def of(cls, trial: Trial, epsilon: float) -> Truth | Exception:
        """Of programs that compute to a relative `epsilon`."""
        leaves = trial.run("numpy", arguments("float64"))
        if isinstance(leaves, Exception):
            return leaves
        truth = cls(leaves, dict.fromkeys(leaves, 0.0), set())
        for seed in range(3):
            # The larger one finds branches that are near.
            for move in (MOVED, max(MOVED * 2**12, 4 * epsilon)):
                other = trial.run("numpy", arguments("float64", move, seed), move, seed)
                truth._note(other, move)
        return truth

    def _note(self, other: Leaves | Exception, move: float) -> None:
        for path, array in self.leaves.items():
            if isinstance(other, Exception) or other[path].shape != array.shape:
                self.jumps.add(path)
            elif array.dtype.kind != "f":
                if not np.array_equal(other[path], array):
                    self.jumps.add(path)
            else:
                off = _apart(other[path], array).max(initial=0.0) / move
                self.moved[path] = max(self.moved[path], float(off))

    def wrong(self, found: Leaves, epsilon: float) -> list[str]:
        """What of `found`, computed to a relative `epsilon`, is too far away."""
        if found.keys() != self.leaves.keys():
            return [f"other leaves: {sorted(found.keys() ^ self.leaves.keys())}"]
        said = [self._compared(path, array, epsilon) for path, array in found.items()]
        return [each for each in said if each]

    def _compared(self, path: str, found: np.ndarray, epsilon: float) -> str:
        expected = self.leaves[path]
        if found.shape != expected.shape:
            return f"{path} has the shape {found.shape}, not {expected.shape}"
        if path in self.jumps:
            return ""
        if expected.dtype.kind != "f":
            same = np.array_equal(found, expected)
            return "" if same else f"{path} is {found}, not {expected}"
        number, finite = wide(found), np.isfinite(expected)
        size = np.abs(expected).max(initial=1.0, where=finite)
        allowed = ROUNDINGS * epsilon * (self.moved[path] + size)
        worst = _apart(number, expected).max(initial=0.0)
        if worst <= allowed:
            return ""
        return f"{path} is off by {worst:.3g}, allowed are {allowed:.3g}: {number}, not {expected}"


def _apart(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far elements are from each other: not at all where both are NaN, and inf where one is."""
    with np.errstate(all="ignore"):
        off = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(x - y))
    return np.where(np.isnan(off), np.inf, off)


def epsilon_of(program: Program) -> float:
    """How exactly a program can compute: its own casts to float16 round as well."""
    own = unit(getattr(ms, program.dtype))
    has_half = program.dtype != "float64" and "float16" in program.source
    return max(own, unit(ms.float16)) if has_half else own


# ---- programs of users -------------------------------------------------------------------------


@dataclass
class Failure:
    """What went wrong with one program."""

    program: Program | Written
    said: list[str]

    def __str__(self) -> str:
        return "\n".join([self.program.name, *self.said])


@dataclass
class Report:
    """What came of many programs.

    Attributes
    ----------
    failures : list of Failure
    ran, refused : int
        Programs that gave results, and that raised the same error everywhere.
    """

    failures: list[Failure] = field(default_factory=list)
    ran: int = 0
    refused: int = 0


def check_programs(programs: Sequence[Program], *, quickly: bool = True) -> Report:
    """Hold `programs` to float64 as Python runs them, stepwise, in NumPy and in C."""
    report, trials = Report(), []
    for program in programs:
        try:
            trials.append(Trial.of(program, program.dtype))
        except REFUSED as error:  # at compile time
            if isinstance(error, S2sadError) and not error.code.startswith("E09"):
                report.refused += 1
            else:
                report.failures.append(Failure(program, [f"does not compile: {error!r}"]))
    _compile_in_c(trials, report, quickly)
    for trial in trials:
        if "c" in trial.variants:
            _compare(trial, report)
    return report


def _compile_in_c(trials: Sequence[Trial], report: Report, quickly: bool) -> None:
    """The C variants; where the file of all fails, one by one to see whose fault that is."""
    try:
        runs = built([trial.lowered("c") for trial in trials], quickly=quickly) if trials else []
    except Exception as error:
        if len(trials) == 1:
            report.failures.append(Failure(trials[0].program, [f"no C: {error}"]))
            return
        for trial in trials:
            _compile_in_c([trial], report, quickly)
        return
    for trial, run in zip(trials, runs, strict=True):
        trial._add("c", run)


def _compare(trial: Trial, report: Report) -> None:
    program = trial.program
    is_exact = program.dtype == "float64"
    truth = Truth.of(trial if is_exact else Trial.of(program, "float64"), epsilon_of(program))
    # Python lets a program write into what it is given: each run has its own.
    ways = ("python", "stepwise", "numpy", "c")
    found = {name: trial.run(name, arguments(program.dtype)) for name in ways}
    errors = [each for each in found.values() if isinstance(each, Exception)]
    if errors or isinstance(truth, Exception):
        _compare_errors(program, {**found, "float64": truth}, report)
        return
    said = []
    for name, leaves in found.items():
        assert isinstance(leaves, dict)
        of = truth if name != "python" else _of_values(truth, leaves)
        said += [f"{name}: {each}" for each in of.wrong(leaves, epsilon_of(program))]
    report.ran += 1
    if said:
        report.failures.append(Failure(program, said))


def _of_values(truth: Truth, leaves: Leaves) -> Truth:
    """`truth` but for gradients, of which a plain call has none."""
    kept = {p: a for p, a in truth.leaves.items() if not p.startswith("result[1]")}
    return Truth(kept, truth.moved, truth.jumps)


def _compare_errors(program: Program, found: dict[str, Any], report: Report) -> None:
    kinds = {getattr(x, "code", type(x).__name__) for x in found.values()}
    if len(kinds) == 1:
        report.refused += 1
        return
    said = [f"{name}: {x!r}"[:300] for name, x in found.items()]
    report.failures.append(Failure(program, said))


# ---- functions of the IR -----------------------------------------------------------------------

#: What makes a function ready for backends, as the compiler does.
READY = (Decompose(), HoistConstants(), StripMarkers())


#: What no frontend writes: a group of any operations, and a map. And what gives any result where
#: its operand is not sorted.
NOT_WRITTEN = (marker.fused, marker.transform, searchsorted)


def is_steady(prim: Primitive) -> bool:
    """Whether C always gives the same bits for it, alone or with others in one loop."""
    is_element = prim.has(Trait.ELEMENTWISE) and not prim.is_composite
    return prim not in NOT_WRITTEN and (is_element or always_exact(prim))


def is_known(prim: Primitive) -> bool:
    """Whether C gives the bits that NumPy gives."""
    return prim not in NOT_WRITTEN and always_exact(prim)


@dataclass(frozen=True)
class Written:
    """A function of the IR, what it is run on, and what it must give.

    Attributes
    ----------
    name : str
    function : Function
    inputs : list
    """

    name: str
    function: Function
    inputs: list[Any]

    @classmethod
    def of_seed(cls, seed: int, size: int | None = None) -> Written:
        """One whose bits NumPy gives as well, or every other time only C itself."""
        only = is_known if seed % 2 else is_steady
        return cls(f"function-{seed}", *random_function(seed, size=size, only=only))

    @classmethod
    def of_file(cls, path: Path) -> Written:
        """One that was saved, on inputs that belong to its types."""
        function = store.load(path, p.ALL)
        return cls(path.stem, function, random_inputs(function, 0))


def check_functions(functions: Sequence[Written], *, quickly: bool = True) -> Report:
    """Hold what all passes make of `functions` to the functions as they are, bit for bit."""
    report, plain, lowered = Report(), [], []
    for written in functions:
        function = clone(written.function)
        run_passes(function, READY)
        passes = list(TARGET["s2sad.backends.c"])
        if not all(map(is_exact, function.walk())):  # NumPy computes what constants give
            first = next(i for i, each in enumerate(passes) if isinstance(each, Layout))
            run_passes(function, passes[:first])
        plain.append(function)
        lowered.append(clone(function))
        run_passes(lowered[-1], passes)
    runs = built([*plain, *lowered], quickly=quickly) if functions else []
    for written, one, other in zip(functions, runs, runs[len(functions) :], strict=False):
        report.ran += 1
        said = _differing(written, one, other)
        if said:
            report.failures.append(Failure(written, said))
    return report


def _differing(written: Written, plain: CExecutable, run: CExecutable) -> list[str]:
    """How what passes have made of a function differs, from what it means and from it in C."""
    inputs = written.inputs
    found = outcome(lambda given: run.run(given, given=run.overwrites), inputs)
    wanted = {"C before passes": outcome(plain.run, inputs)}
    if all(map(is_exact, plain.function.walk())):
        wanted["the evaluator"] = outcome(lambda given: evaluate(written.function, given), inputs)
    return [f"not as {what}: {text}" for what, of in wanted.items() if (text := _unlike(found, of))]


def _unlike(found: Any, expected: Any) -> str:
    (one, said), (other, wanted) = found, expected
    if isinstance(one, Exception) or isinstance(other, Exception):
        is_same = type(one) is type(other) and str(one) == str(other)
        return "" if is_same else f"{one!r}, not {other!r}"
    if said != wanted:
        return f"printed {said!r}, not {wanted!r}"
    bad = [i for i, pair in enumerate(zip(one, other, strict=True)) if not same(*pair)]
    return "; ".join(f"result {i} is {one[i]!r}, not {other[i]!r}" for i in bad[:2])


# ---- what is kept of a failure -----------------------------------------------------------------


def check(items: Sequence[Program | Written], *, quickly: bool = True) -> Report:
    """Reports of `check_programs` and `check_functions` in one."""
    report = check_programs([x for x in items if isinstance(x, Program)], quickly=quickly)
    other = check_functions([x for x in items if isinstance(x, Written)], quickly=quickly)
    report.failures += other.failures
    report.ran += other.ran
    return report


def shrunk(failure: Failure, tries: int = 300) -> Failure:
    """The smallest failure that leaving things out finds, in so many tries at most."""
    program = failure.program
    if isinstance(program, Program):
        texts = smallest(
            program.source, shorter_texts, lambda x: _fails(replace(program, source=x))
        )
        small: Program | Written = replace(program, source=texts)
    else:
        small = smallest(
            program,
            lambda x: (replace(x, function=part) for part in smaller_functions(x.function)),
            _fails,
            tries,
        )
    return next(iter(check([small]).failures), failure)


def _fails(program: Program | Written) -> bool:
    """Whether a part of what failed does; one that is no program any more does not."""
    try:
        return bool(check([program]).failures)
    except Exception:  # a name that nothing defines, a block without a statement
        return False


def keep(failure: Failure, folder: Path) -> Path:
    """Write a failure as a file for the corpus, and what it said beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    program = failure.program
    path = folder / f"{program.name}.py"
    if isinstance(program, Program):
        path.write_text(program.source, encoding="utf-8")
    else:
        store.save(program.function, path)
    path.with_suffix(".txt").write_text("\n".join(failure.said) + "\n", encoding="utf-8")
    return path


# ---- many --------------------------------------------------------------------------------------


def items_of(seeds: Sequence[int]) -> list[Program | Written]:
    """What is tried for `seeds`: of six, one is a program of a user, and one a large function."""
    return [
        Program.of_seed(seed)
        if seed % 6 == 0
        else Written.of_seed(seed, 100 if seed % 6 == 1 else None)
        for seed in seeds
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try many programs, print how it goes, and keep what fails."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--count", type=int, default=200, help="programs to try")
    parser.add_argument("--seed", type=int, default=None, help="the first; by the clock otherwise")
    parser.add_argument("--folder", type=Path, default=Path("fuzz-output"), help="for what fails")
    chosen = parser.parse_args(arguments)
    first = int(time.time()) % 10**9 if chosen.seed is None else chosen.seed
    failed = 0
    for start in range(first, first + chosen.count, AT_ONCE):
        seeds = range(start, min(start + AT_ONCE, first + chosen.count))
        report = check(items_of(seeds), quickly=False)
        failed += len(report.failures)
        print(f"{seeds[0]} to {seeds[-1]}: {report.ran} ran, {report.refused} refused, "
              f"{len(report.failures)} failed", flush=True)  # fmt: skip
        for failure in report.failures:
            path = keep(shrunk(failure), chosen.folder)
            print(f"  {failure.program.name} fails; the least part of it is in {path}", flush=True)
    return 1 if failed else 0


#: Programs of one file of C.
AT_ONCE = 50

if __name__ == "__main__":
    sys.exit(main())
