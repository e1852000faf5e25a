"""What does the user see of the steps of a sink, and what is left of them in the end?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sad.core.interrupts import Interrupts
from s2sad.core.tensor import Tensor
from s2sad.core.trees import same_tuple
from s2sad.frontend.trees import map_leaves

#: What results of steps are there for the caller in the end.
RESULTS = ("all", "last", "none")


class Steps:
    """What the user sees of steps.

    Parameters
    ----------
    on_step : callable or None
        ``on_step(number, *results)`` after each step.
    interrupts : Interrupts
    kept : str
        One of `RESULTS`.
    tick : callable
        Draws the progress.
    """

    def __init__(
        self, on_step: Callable[..., Any] | None, interrupts: Interrupts, kept: str,
        tick: Callable[[], object],
    ) -> None:  # fmt: skip
        self.count = 0
        self._on_step = on_step
        self._interrupts = interrupts
        self._wanted = kept
        self._kept: list[Any] = []
        self._tick = tick

    def show(self, result: Any) -> None:
        """Let the user see what the next step gave."""
        number, self.count = self.count, self.count + 1
        if self._wanted == "last":
            self._kept.clear()
        if self._wanted != "none":
            self._kept.append(map_leaves(result, _copied) if self._on_step else result)
        self._tick()
        if self._on_step is not None:
            with self._interrupts.at_once():
                self._on_step(number, *(result if isinstance(result, tuple) else (result,)))

    @property
    def is_watched(self) -> bool:
        """Whether code of the user's runs for each step."""
        return self._on_step is not None

    @property
    def results(self) -> Any:
        """Results of all steps in the form of one, or of the last; None where there is none."""
        if not self._kept:
            return None
        return self._kept[0] if self._wanted == "last" else stacked(self._kept)


def _copied(leaf: Any) -> Any:
    return Tensor.wrap(leaf.array.copy()) if isinstance(leaf, Tensor) else leaf


def stacked(results: Sequence[Any]) -> Any:
    """`results` of one form in one result of that form: its tensors have an axis for the steps.

    Where they are not of one form, dtype or shape, a tuple of them stands instead.

    Examples
    --------
    >>> stacked([(Tensor(1.0), None), (Tensor(2.0), None)])
    (Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00]), None)
    """
    first = results[0]
    if any(type(result) is not type(first) for result in results):
        return tuple(results)
    if isinstance(first, Tensor):
        arrays = [result.array for result in results]
        if any(a.shape != first.shape or a.dtype != arrays[0].dtype for a in arrays):
            return tuple(results)
        return Tensor.wrap(np.stack(arrays))
    if isinstance(first, dict):
        if any(list(result) != list(first) for result in results):
            return tuple(results)
        return {key: stacked([result[key] for result in results]) for key in first}
    if isinstance(first, (tuple, list)):
        if any(len(result) != len(first) for result in results):
            return tuple(results)
        items = [stacked(column) for column in zip(*results, strict=True)]
        return items if isinstance(first, list) else same_tuple(first, items)
    return first if all(result == first for result in results) else tuple(results)
