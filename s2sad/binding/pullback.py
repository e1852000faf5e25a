"""What does a pullback keep from the call that made it, and how does it give gradients later?

It keeps the residuals, in memory that nobody writes into any more: what happens to arguments,
Parameters and outputs afterwards does not reach it. Calling it uses nothing up, so it can be called
again; the memory goes when it goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.backends.base import Executable
from s2sad.binding.gradients import numbers
from s2sad.binding.variant import Variant, assembled, released
from s2sad.binding.vjp import Split, is_of_everything
from s2sad.core import storage
from s2sad.core.cell import Cell
from s2sad.core.parameter import WRITING, Parameter, check_unique
from s2sad.core.tensor import Tensor
from s2sad.core.tracebacks import shorten
from s2sad.core.transform import innermost
from s2sad.frontend import forms, seeds
from s2sad.ir.graph import Function
from s2sad.ir.printer import print_text
from s2sad.ir.types import StackValue, TensorType


@dataclass(frozen=True)
class Half:
    """One half of what a function and its gradient were compiled to.

    Attributes
    ----------
    function : Function
        As people read it: before the passes for the target.
    executable : Executable
        What runs.
    stages : tuple of (str, Function)
        Name of each stage from the split on, with the function after it.
    """

    function: Function
    executable: Executable
    stages: tuple[tuple[str, Function], ...]

    @property
    def source(self) -> str:
        """The program as Python that a colleague might have written."""
        return print_text(self.function, style="source")


class PullbackVariant(Variant):
    """One compiled program of a `vjp`: running it gives the outputs and a `Pullback`.

    Attributes
    ----------
    split : Split
    forward, backward : Half
    """

    def __init__(self, split: Split, forward: Half, backward: Half, stages: Any) -> None:
        program = replace(split.forward, function=forward.executable.function)
        super().__init__(program, lambda: forward.executable, stages)
        self._count = len(numbers(program.form))
        self.split = split
        self.forward = forward
        self.backward = backward

    def _run(self, tensors: Sequence[Tensor]) -> Any:
        with WRITING:  # what is pinned is what the program reads
            pinned = self._pinned(tensors)
            own = self.own_inputs()
            arrays = self.inputs(tensors)
        for index, array in pinned.items():
            arrays[index] = array
        results = self.execute(arrays, own)
        given = self.hand_out(results, arrays, self._count)
        written = [w.array for w in self.program.written if isinstance(w, Tensor)]
        shared = [*(tensor.array for tensor in given), *written]
        apart = _Apart(shared, pinned.values(), arrays)
        residuals = [
            pinned[r.index] if r.is_input else apart.memory(results[r.index])
            for r in self.split.residuals
        ]
        pullback = Pullback(self, residuals, apart.nbytes)
        transform = self.split.vjp.transform
        return forms.beside_aux(transform, assembled(self.program.form, given), pullback)

    def _pinned(self, tensors: Sequence[Tensor]) -> dict[int, np.ndarray]:
        """Inputs that are kept, in memory that stays as it is; with those that stacks may hold."""
        kept = {r.index for r in self.split.residuals if r.is_input}
        has_stacks = any(value.type.is_linear for value in self.backward.function.args)
        pinned = {}
        for index in range(len(self.program.sources)):
            tensor = self._source(index, tensors)
            if index in kept or (has_stacks and tensor.is_sole_holder()):
                pinned[index] = storage.pinned(tensor)
        return pinned

    def _source(self, index: int, tensors: Sequence[Tensor]) -> Tensor:
        source = self.program.sources[index]
        return tensors[source] if isinstance(source, int) else source

    def others(self) -> list[Parameter]:
        """Parameters to be trained that the program does not read: their gradients are zeros."""
        function = innermost(self.split.vjp.transform)
        trained = function.trainable_params() if isinstance(function, Cell) else []
        read = set(map(id, self.split.vjp.weights))
        return [parameter for parameter in trained if id(parameter) not in read]


class _Apart:
    """Keeps residuals apart from memory that others may write into.

    Parameters
    ----------
    shared : sequence of arrays
        Given out by the call. Those that lie in the memory of residuals become read-only: who
        writes into them takes a copy.
    pinned, arrays : arrays
        The inputs; of those that are not pinned residuals take a copy.
    """

    def __init__(
        self, shared: Sequence[np.ndarray], pinned: Iterable[np.ndarray],
        arrays: Sequence[Any],
    ) -> None:  # fmt: skip
        self.shared = {id(storage.owner(array)): array for array in shared}
        self.safe = {id(storage.owner(array)) for array in pinned}
        self.foreign = {
            id(storage.owner(x)) for x in arrays if isinstance(x, np.ndarray)
        } - self.safe
        self.counted: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        return sum(self.counted.values())

    def memory(self, value: Any) -> Any:
        """`value`, an array or a stack or a token, in memory that stays as it is."""
        if isinstance(value, StackValue):
            return StackValue(value.element, [self._array(array) for array in value])
        return self._array(value) if isinstance(value, np.ndarray) else value

    def _array(self, array: np.ndarray) -> np.ndarray:
        owner = storage.owner(array)
        if id(owner) in self.foreign:
            return self._counted(array.copy(order="K"))
        if id(owner) in self.shared:
            storage.pin(self.shared[id(owner)])
        elif id(owner) not in self.safe:
            is_part = owner.nbytes > array.nbytes
            return self._counted(array.copy(order="K") if is_part else array)
        return array

    def _counted(self, array: np.ndarray) -> np.ndarray:
        self.counted[id(storage.owner(array))] = array.nbytes
        return array


class Pullback:
    """Gradients for a cotangent of the output, at the point where `vjp` was called.

    Called with the cotangent in the form of the output; where that has several tensors at its top
    level, they may come one by one. None stands for a cotangent of zeros. It may be called several
    times, and from several threads.

    Attributes
    ----------
    backward : Half
        What it runs.
    residuals : tuple of arrays, stacks and tokens
        What it keeps: the first inputs of ``backward.function``.
    nbytes : int
        Memory that it keeps besides that of inputs and outputs.

    Examples
    --------
    >>> import s2sad as ms
    >>> output, pullback = ms.vjp(lambda x: x * x, ms.Tensor([3.0]))
    >>> (gradient,) = pullback(ms.Tensor([1.0]))
    >>> gradient.asnumpy()
    array([6.], dtype=float32)
    """

    def __init__(self, variant: PullbackVariant, residuals: list[Any], nbytes: int) -> None:
        self.backward = variant.backward
        self.residuals = tuple(residuals)
        self.nbytes = nbytes
        self._split = variant.split
        self._weights: tuple[Parameter, ...] | None = None
        self._others: list[Parameter] = []
        if is_of_everything(variant.split.vjp.transform):
            self._weights, self._others = variant.split.vjp.weights, variant.others()
            check_unique([*self._weights, *self._others])

    def __call__(self, *cotangents: Any) -> Any:
        """The gradients.

        Raises
        ------
        S2sadError
            E0302 without a cotangent, E0304 for one of another form than the output, E0301 and
            E0401 for one of another dtype or shape.
        """
        try:
            given = self._seeds(cotangents)
            kept = [_unused(value) for value in self.residuals]
            results = self.backward.executable.run([*kept, *given])
        except Exception as error:
            shorten(error)
            raise
        held = {id(x) for array in _arrays([*kept, *given]) for x in (array, array.base)}
        count = len(numbers(self._split.form))  # a token may come after them
        gradients = [Tensor.wrap(released(array, held)) for array in results[:count]]
        found = assembled(self._split.form, gradients)
        if self._weights is None:
            return found
        inputs, weights = found
        named = {w.name: gradient for w, gradient in zip(self._weights, weights, strict=True)}
        return inputs, named | {w.name: _zeros(w.array) for w in self._others}

    def _seeds(self, cotangents: tuple[Any, ...]) -> list[np.ndarray]:
        """An array for each cotangent that the program takes."""
        types = self._split.forward.function.result_types
        found = seeds.cotangents_of_each(self._split.vjp.outputs, types, cotangents)
        return [_seed(found[place], types[place]) for place in self._split.vjp.cotangents]

    def __repr__(self) -> str:
        function = self.backward.function
        return f"<{function.title or function.name}, which keeps {self.nbytes} bytes>"


def _arrays(values: Iterable[Any]) -> Iterator[np.ndarray]:
    for value in values:
        if isinstance(value, StackValue):
            yield from value
        elif isinstance(value, np.ndarray):
            yield value


def _unused(value: Any) -> Any:
    """`value`, of which a stack may be used up."""
    return StackValue(value.element, list(value)) if isinstance(value, StackValue) else value


def _zeros(like: np.ndarray) -> Tensor:
    return Tensor.wrap(np.zeros(like.shape, like.dtype))


def _seed(given: Tensor | None, type: Any) -> np.ndarray:  # noqa: A002
    assert isinstance(type, TensorType)
    return np.zeros(type.shape, type.dtype.storage) if given is None else given.array  # type: ignore
