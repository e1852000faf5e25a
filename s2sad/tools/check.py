"""Are the gradients of a function right?

The function is computed in float64, its gradients once by differentiation and once by differences
along random directions. Where a one-sided difference is not the other, there is a kink, and any
value between them is a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.autodiff.reverse import differentiate
from s2sad.binding.target import backend, backend_name
from s2sad.compiled import compile
from s2sad.compiler import JOINT, PRIMAL, TARGET
from s2sad.core.cell import Cell
from s2sad.frontend.trees import leaves
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.outcome import parsed
from s2sad.ir.types import TensorType
from s2sad.ir.widen import wide_value, widened
from s2sad.passes import registry
from s2sad.passes.base import run_passes
from s2sad.tools.tables import show, show_table
from s2sad.tools.targets import find_target, random_arguments

#: Steps of the differences, as parts of the size of what is moved.
STEPS = (1e-4, 1e-5, 1e-6, 1e-7)
#: Directions that are tried for each input: one through all elements, the others along one.
DIRECTIONS = 5


@dataclass(frozen=True)
class Checked:
    """What was found for one input.

    Attributes
    ----------
    name, type : str
    gradient, difference : float
        Derivative along the direction where they differ most.
    error : float
        Their distance, in parts of the larger one.
    verdict : {"ok", "kink", "WRONG"}
    """

    name: str
    type: str
    gradient: float
    difference: float
    error: float
    verdict: str


def check(target: str, inputs: Sequence[str], *, seed: int, train: bool, tolerance: float) -> int:
    """Print the check of what `target` names, for random arguments.

    Parameters
    ----------
    target : str
        ``FILE:OBJECT``.
    inputs : sequence of str
        Types of tensors, or literals: the arguments in order.
    seed : int
        Of the arguments and the directions.
    train : bool
        Whether a Cell is let train.
    tolerance : float
        Largest error.

    Returns
    -------
    int
        0, or 1 when a gradient is wrong.
    """
    function = find_target(target, train=train)
    arguments = random_arguments(inputs, seed)
    compiled = compile(function)
    program = compiled.lower(*arguments).readable
    named = function.trainable_params() if isinstance(function, Cell) else ()
    weights = {f"param:{parameter.name}" for parameter in named}
    wrt = [
        i for i, (binding, value) in enumerate(zip(program.inputs, program.args, strict=True))
        if is_float(value.type) and (":" not in binding or binding in weights)
    ]  # fmt: skip
    rows = check_gradients(program, compiled.inputs(*arguments), wrt, seed, tolerance)
    show(f"{compiled.__name__}: gradients in float64 against differences", "bold")
    _show_rows(rows)
    wrong = [row.name for row in rows if row.verdict == "WRONG"]
    if wrong:
        show(f"wrong: {', '.join(wrong)}", "red")
    return int(bool(wrong))


def is_float(type: Any) -> bool:  # noqa: A002
    """Whether `type` is that of a tensor of floats."""
    return isinstance(type, TensorType) and type.dtype.is_float


def check_gradients(
    function: Function, arrays: Sequence[Any], wrt: Sequence[int], seed: int, tolerance: float
) -> list[Checked]:
    """Compare gradients of `function` at `arrays`, for its inputs `wrt`.

    Parameters
    ----------
    function : Function
        Before the passes; it is left as it is.
    arrays : sequence of arrays, stacks and tokens
        Of the types of its inputs; they become float64.
    wrt : sequence of int
        Inputs of floats.
    seed : int
        Of the cotangents and the directions.
    tolerance : float
        Errors above it are wrong, but at a kink.

    Returns
    -------
    list of Checked
        One for each of `wrt`.
    """
    rng = np.random.default_rng(seed)
    point = _Point(widened(function), [wide_value(array) for array in arrays], list(wrt), rng)
    found = [point.check(place, tolerance) for place in range(len(wrt))]
    types = [str(function.args[i].type) for i in wrt]
    return [replace(row, type=type) for row, type in zip(found, types, strict=True)]


class _Point:
    """A function in float64 and its gradients at one point."""

    def __init__(
        self, function: Function, arrays: list[Any], wrt: list[int], rng: np.random.Generator
    ) -> None:
        primal, joint, target = registry.arranged(PRIMAL, JOINT, TARGET[backend_name()])
        self.function, self.arrays, self.wrt, self.rng = function, arrays, wrt, rng
        self.results = [
            i for i in leaves(parsed(function.tree))
            if type(i) is int and is_float(function.results[i].type)
        ]  # fmt: skip
        prepared = clone(function)
        run_passes(prepared, primal)
        differentiated = differentiate(prepared, wrt, self.results, seeded=True)
        run_passes(differentiated, (*joint, *target))
        run_passes(prepared, target)
        self.run = backend().build(prepared).run
        outputs = self.run(arrays)
        self.seeds = [rng.standard_normal(np.shape(outputs[i])) for i in self.results]
        found = backend().build(differentiated).run([*arrays, *self.seeds])
        self.gradients = found[len(outputs) :]
        self.value = self._weighed(outputs)

    def check(self, place: int, tolerance: float) -> Checked:
        index = self.wrt[place]
        gradient = np.asarray(self.gradients[place])
        rows = [self._along(index, gradient, v, tolerance) for v in self._directions(gradient)]
        if not rows:  # no element
            return self._row(index, 0.0, 0.0, 0.0, "ok")
        return max(rows, key=lambda row: (_SEVERITY[row.verdict], row.error))

    def _directions(self, gradient: np.ndarray) -> list[np.ndarray]:
        if not gradient.size:
            return []
        found = [self.rng.standard_normal(gradient.shape)]
        count = min(DIRECTIONS - 1, gradient.size)
        for element in self.rng.choice(gradient.size, count, replace=False):
            single = np.zeros(gradient.size)
            single[element] = 1.0
            found.append(single.reshape(gradient.shape))
        return found

    def _along(self, index: int, gradient: np.ndarray, v: np.ndarray, tolerance: float) -> Checked:
        exact = float((gradient * v).sum())
        size = max(1.0, float(np.abs(self.arrays[index]).max()))
        shift = self._shifted(index, v)
        tried = [self._difference(shift, size * step, exact) for step in STEPS]
        error, difference, step = min(tried, key=lambda x: (not np.isfinite(x[0]), x[0]))
        verdict = "ok" if error <= tolerance else "WRONG"
        if verdict == "WRONG" and self._is_kink(shift, step, exact, tolerance):
            verdict = "kink"
        return self._row(index, exact, difference, error, verdict)

    def _difference(
        self, shift: Callable[[float], float], step: float, exact: float
    ) -> tuple[float, float, float]:
        """Error, central difference and step, the error without what rounding explains."""
        difference = (shift(step) - shift(-step)) / (2 * step)
        noise = 32 * np.finfo(np.float64).eps * max(1.0, abs(self.value)) / step
        distance = abs(difference - exact)
        if not np.isfinite(distance):
            same = difference == exact or (np.isnan(difference) and np.isnan(exact))
            return (0.0 if same else np.inf), difference, step
        scale = max(abs(difference), abs(exact), 1e-8)
        return max(distance - noise, 0.0) / scale, difference, step

    def _is_kink(
        self, shift: Callable[[float], float], step: float, exact: float, tolerance: float
    ) -> bool:
        after = (shift(step) - self.value) / step
        before = (self.value - shift(-step)) / step
        low, high = sorted((after, before))
        slack = tolerance * max(abs(low), abs(high))
        return high - low > slack and low - slack <= exact <= high + slack

    def _shifted(self, index: int, v: np.ndarray) -> Callable[[float], float]:
        def value(step: float) -> float:
            arrays = [*self.arrays]
            arrays[index] = np.asarray(self.arrays[index] + step * v)
            return self._weighed(self.run(arrays))

        return value

    def _weighed(self, outputs: Sequence[Any]) -> float:
        found = [outputs[i] for i in self.results]
        return sum(float((x * y).sum()) for x, y in zip(found, self.seeds, strict=True))

    def _row(self, index: int, *numbers_and_verdict: Any) -> Checked:
        value = self.function.args[index]
        return Checked(self.function.inputs[index], str(value.type), *numbers_and_verdict)


_SEVERITY = {"ok": 0, "kink": 1, "WRONG": 2}


def _show_rows(rows: Sequence[Checked]) -> None:
    if not rows:
        show("  no input of floats")
        return
    heads = ("input", "type", "verdict", "gradient", "difference", "beyond rounding")
    texts = [
        (
            row.name, row.type, row.verdict, f"{row.gradient:.9g}", f"{row.difference:.9g}",
            f"{row.error:.1e}",
        )
        for row in rows
    ]  # fmt: skip
    show_table(heads, texts, left=3)
