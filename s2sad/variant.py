"""What ties one compiled program to the tensors of the world?

A call is looked up by its key: how its arguments nest, the types of the tensors among them, the
values of everything else. A variant is a program for one key, right as long as its guards hold. It
gathers arrays from arguments and hidden tensors, and gives out results that nobody else holds.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.core.tensor import Tensor
from s2sad.frontend.guards import Guards, fingerprint, members
from s2sad.frontend.read import named_leaves
from s2sad.ir.graph import Function
from s2sad.ir.types import type_of

if TYPE_CHECKING:
    from s2sad.backends.base import Executable

#: Programs that write Parameters run one at a time: two updates of one Parameter are both made.
WRITING = threading.RLock()

#: Longest text of a value in messages.
SHOWN = 40


def key_of(value: Any, tensors: list[Tensor]) -> Any:
    """What a variant depends on in an argument; the tensors in it are appended to `tensors`."""
    if isinstance(value, Tensor):
        tensors.append(value)
        array = value.array
        return array.dtype.char, array.shape
    if isinstance(value, (tuple, list)):
        return type(value), *[key_of(item, tensors) for item in value]
    if isinstance(value, dict):
        names = tuple(map(fingerprint, value))
        return type(value), names, *[key_of(item, tensors) for item in value.values()]
    return fingerprint(value)


@dataclass(frozen=True)
class Label:
    """A static part of a result: the position or name that comes with a gradient."""

    value: Any


@dataclass
class Program:
    """A function of the IR, and what it is bound to.

    Attributes
    ----------
    function : Function
    guards : Guards
    sources : tuple of int or Tensor
        Where each input comes from: the place among the tensors of the call's arguments, or a
        hidden tensor, which is read at each call.
    written : tuple of Tensor
        Parameters that take the last results.
    form : object
        How results are given to the caller: ints name them, in containers, with `Label`s.
    """

    function: Function
    guards: Guards
    sources: tuple[int | Tensor, ...]
    written: tuple[Any, ...]
    form: Any

    @property
    def count(self) -> int:
        """Number of the results that the caller may see."""
        return len(self.function.results) - len(self.written)


@dataclass(frozen=True)
class Cause:
    """Why a variant was compiled.

    Attributes
    ----------
    path : str
        The argument or the guard that none of the others was made for; empty for the first one.
    text : str
        What it is now, and what it was.
    """

    path: str
    text: str


class Variant:
    """One compiled program, for one key.

    Attributes
    ----------
    program : Program
    executable : Executable
    stages : Stages
    arguments : dict of str to str
        What it was compiled for, by path.
    cause : Cause
        Set by who compiles it.
    """

    def __init__(
        self, program: Program, executable: Executable, stages: Any, arguments: Mapping[str, Any]
    ) -> None:
        self.program = program
        self.executable = executable
        self.stages = stages
        leaves = named_leaves(arguments)
        self.arguments = {path: describe(leaf) for path, leaf in leaves}
        self.cause = Cause("", "the first call")
        # The key names these by identity.
        self._alive = [members(leaf) for _, leaf in leaves if not isinstance(leaf, Tensor)]
        self._taken = [_own_input(program, place) for place in range(len(program.written))]
        self.holds = program.guards.holds  # asked at each call

    def inputs(self, tensors: Sequence[Tensor]) -> list[np.ndarray]:
        """Arrays in the order of the program's inputs."""
        sources = self.program.sources
        # Asked first, for a list of the arrays would count as a holder.
        shared = [i for i in self.executable.overwrites if not _is_sole_holder(sources[i])]
        arrays = [tensors[s].array if type(s) is int else s.array for s in sources]  # type: ignore
        for place in shared:
            arrays[place] = arrays[place].copy()
        return arrays

    def run(self, tensors: Sequence[Tensor]) -> Any:
        """What the user's function returns; Parameters that it writes are written.

        They are all written or, when the program fails, none of them.
        """
        if not self.program.written:
            return self._run(tensors)
        with WRITING:
            return self._run(tensors)

    def _run(self, tensors: Sequence[Tensor]) -> Any:
        arrays = self.inputs(tensors)
        results = self.executable.run(arrays)
        held = {id(owner) for array in arrays for owner in (array, array.base)}
        count = len(results) - len(self.program.written)
        written = []
        for array, place in zip(results[count:], self._taken, strict=True):
            in_place = place is not None and array is arrays[place]
            written.append(array if in_place else released(array, held))
        given = [Tensor.wrap(released(array, held)) for array in results[:count]]
        for parameter, array in zip(self.program.written, written, strict=True):
            parameter.adopt(array)
        return assembled(self.program.form, given)


def _is_sole_holder(source: int | Tensor) -> bool:
    return isinstance(source, Tensor) and source.is_sole_holder()


def _own_input(program: Program, place: int) -> int | None:
    """The input whose memory the written result number `place` may lie in; see `overwrites`."""
    result = program.count + place
    return next((i for i, to in program.function.donates.items() if to == result), None)


def released(array: np.ndarray, held: set[int]) -> np.ndarray:
    """`array`, copied where somebody else may see its memory, or in another order than C.

    It is held as well then. One order for all is what makes a run and its repetition from saved
    numbers the same, since sums of another layout may be rounded in another order.

    Parameters
    ----------
    array : numpy.ndarray
        A result of a program: read-only where it is a constant.
    held : set of int
        Identities of arrays with memory of their own that somebody holds already.
    """
    base = array.base
    owner = array if base is None else base
    if base is not None and (
        type(base) is not np.ndarray or base.base is not None or base.nbytes != array.nbytes
    ):
        return array.copy()  # a part of something larger, or of what NumPy does not own
    if id(owner) in held or not (array.flags.writeable and array.flags.c_contiguous):
        return array.copy()
    held.add(id(owner))
    return array


def assembled(form: Any, tensors: Sequence[Tensor]) -> Any:
    """`form` with tensors in place of their numbers."""
    if type(form) is int:
        return tensors[form]
    if isinstance(form, (tuple, list)):
        return type(form)([assembled(item, tensors) for item in form])
    if isinstance(form, dict):
        return {key: assembled(item, tensors) for key, item in form.items()}
    return form.value if isinstance(form, Label) else form


def describe(leaf: Any) -> str:
    """An argument in messages: the type of a tensor, the value of something else."""
    if isinstance(leaf, Tensor):
        return str(type_of(leaf.array))
    text = repr(leaf)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def cause_of(
    arguments: Mapping[str, str], variants: Sequence[Variant], known: Sequence[Variant]
) -> Cause:
    """Why none of `variants` served, among them those of the same key, `known`."""
    if not variants:
        return Cause("", "the first call")
    for variant in known:
        guard = variant.program.guards.broken()
        if guard is not None:
            return Cause(guard.path, f"{describe(guard.read())}, before {describe(guard.value)}")
    before = variants[-1].arguments
    for path in {**arguments, **before}:
        now, then = arguments.get(path, "missing"), before.get(path, "missing")
        if now != then:
            return Cause(path, f"{now}, before {then}")
    return Cause("the form of the arguments", "containers of other types or lengths")


def most_common(causes: Iterable[Cause]) -> Cause:
    """The last of those causes whose path occurs most often."""
    found = list(causes)
    paths = Counter(cause.path for cause in found)
    path = max(paths, key=paths.__getitem__)
    return next(cause for cause in reversed(found) if cause.path == path)
