"""Do PyNative, NumPy and C agree on programs that nobody wrote?

`check_programs` holds programs of users, with their gradients, to float64; `check_functions` holds
functions of the IR to the plain evaluator. Both compile many programs as one file of C.

To try more, and to keep what fails::

    python -m support.fuzz --count 1000 --seed 7
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import s2sad as ms
from s2sad import nn, ops
from s2sad.backends.numpy import build as build_in_numpy
from s2sad.binding.program import tensors_of
from s2sad.binding.variant import Variant
from s2sad.compiler import TARGET, compile_variant
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.passes.base import run_passes
from support.c_programs import built, unit, wide
from support.random_programs import random_dtype, random_source

#: What a program may raise: a sound refusal, or what Python raises for it.
REFUSED = (S2sadError, TypeError, ValueError, ZeroDivisionError, IndexError)
#: Roundings that a result may show, each as large as its scale and what inputs do to it.
ROUNDINGS = 256.0
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
        Of a ``construct``; see `support.random_programs`.
    dtype : str
        Of its floats.
    """

    name: str
    source: str
    dtype: str

    @classmethod
    def of_seed(cls, seed: int) -> Program:
        return cls(f"random program {seed}", random_source(seed), random_dtype(seed))

    def net(self, dtype: str) -> nn.Cell:
        """A new Cell whose ``construct`` it is."""
        file = f"<{self.name}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        names: dict[str, Any] = {"ops": ops, "ms": ms}
        exec(compile(self.source, file, "exec"), names)
        made = type("Net", (_Base,), {"construct": names["construct"]})
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

    They are numbers of float16, and so the same in every dtype but for bfloat16.
    """
    rng, other = np.random.default_rng(11), np.random.default_rng(seed)
    floats = [rng.normal(size=shape).astype(np.float16) for shape in ((6, 4), (4,), ())]
    moved = [x.astype(np.float64) * (1 + move * other.normal(size=x.shape)) for x in floats]
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
        self.variants[name] = Variant(stepwise.program, executable, stepwise.stages)

    def run(self, name: str, args: Sequence[Any]) -> Leaves | Exception:
        """All that a call gives, gradients too, and Parameters after it; or what it raises."""
        before = [(each, each.asnumpy().copy()) for each in self.net.get_parameters()]
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
    def of(cls, trial: Trial) -> Truth | Exception:
        leaves = trial.run("numpy", arguments("float64"))
        if isinstance(leaves, Exception):
            return leaves
        truth = cls(leaves, dict.fromkeys(leaves, 0.0), set())
        for seed in range(3):
            for move in (MOVED, MOVED * 2**12):  # the larger one finds branches that are near
                other = trial.run("numpy", arguments("float64", move, seed))
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
                with np.errstate(all="ignore"):
                    off = np.abs(other[path] - array).max(initial=0.0) / move
                self.moved[path] = max(self.moved[path], float(np.nan_to_num(off, nan=np.inf)))

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
        number = wide(found)
        with np.errstate(all="ignore"):
            allowed = ROUNDINGS * epsilon * (self.moved[path] + np.abs(expected).max(initial=1.0))
            off = np.where(
                (number == expected) | (np.isnan(number) & np.isnan(expected)), 0.0,
                np.abs(number - expected),
            )  # fmt: skip
        worst = off.max(initial=0.0)
        if worst <= allowed or allowed == np.inf:
            return ""
        return f"{path} is off by {worst:.3g}, allowed are {allowed:.3g}: {number}, not {expected}"


def epsilon_of(program: Program) -> float:
    """How exactly a program can compute: its own casts to float16 round as well."""
    own = unit(getattr(ms, program.dtype))
    has_half = program.dtype != "float64" and "float16" in program.source
    return max(own, unit(ms.float16)) if has_half else own


# ---- programs of users -------------------------------------------------------------------------


@dataclass
class Failure:
    """What went wrong with one program."""

    program: Any
    said: list[str]

    def __str__(self) -> str:
        return "\n".join([str(getattr(self.program, "name", self.program)), *self.said])


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
    truth = Truth.of(trial if is_exact else Trial.of(program, "float64"))
    args = arguments(program.dtype)
    found = {name: trial.run(name, args) for name in ("python", "stepwise", "numpy", "c")}
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
