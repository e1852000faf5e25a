"""How does a compiled program run on the tensors of one call after the other?

It gathers arrays from arguments and hidden tensors, and gives out results that nobody else holds.
A variant is right for the calls of one key, as long as its guards hold.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.binding.cause import Facts, cause_of, facts_of
from s2sad.binding.program import Label, Program
from s2sad.core.memory_info import is_kept, spend
from s2sad.core.parameter import WRITING, withheld
from s2sad.core.tensor import Tensor
from s2sad.core.trees import Known, is_record, parts_of, same_tuple, with_parts
from s2sad.frontend.guards import members
from s2sad.frontend.inputs import is_input, named_leaves
from s2sad.ir.types import Token

if TYPE_CHECKING:
    from s2sad.backends.base import Executable


#: Held by whoever builds.
_BUILDING = threading.RLock()


class Variant:
    """One compiled program.

    Parameters
    ----------
    program, stages
    build : callable
        Makes what runs the program, where somebody asks: who sinks steps runs another one.

    Attributes
    ----------
    program : Program
    stages : Stages
    key : object
        What calls that it serves have in common.
    facts : dict of str to (key, str)
        What it depends on in the arguments of the call for which it was compiled, by path.
    cause : Cause
    sunk, checked : Executable or None
        What runs many steps at a call, once that was asked for; the second looks whether what a
        step gives and writes is finite.
    limit : int or None
        Bytes that a run may need beside what it is given.
    placement : Any
        The program as the simulated device runs it, if that is its target.
    """

    placement: Any = None
    sunk: Executable | None = None
    checked: Executable | None = None
    limit: int | None = None

    def __init__(self, program: Program, build: Callable[[], Executable], stages: Any) -> None:
        self.program = program
        self._build = build
        self._executable: Executable | None = None
        self._stages = stages
        self.holds = program.guards.holds  # asked at each call
        self._in_place = [_own_input(program, i) for i in range(len(program.written))]

    @property
    def executable(self) -> Executable:
        """What runs the program, built once; errors are those of the backend."""
        if self._executable is None:
            with _BUILDING:  # another thread may have been quicker
                self._executable = self._executable or self._build()
        return self._executable

    @property
    def stages(self) -> Any:
        """Every stage of its compilation."""
        return self._stages

    def note_call(
        self,
        key: Any,
        arguments: Mapping[str, Any],
        variants: Sequence[Variant],
        known: Sequence[Variant],
    ) -> None:
        """Keep for which call it was compiled, though there were `variants`, some of this key."""
        leaves = named_leaves(arguments)
        self.key = key
        self.facts: Facts = facts_of(arguments)
        self.cause = cause_of(self.facts, variants, known)
        # The key names these by identity.
        self._alive = [members(leaf) for _, leaf in leaves if not is_input(leaf)]

    def inputs(self, tensors: Sequence[Tensor]) -> list[np.ndarray]:
        """Arrays in the order of the program's inputs."""
        sources = self.program.sources
        with WRITING:  # no Parameter is as the next update leaves it, and another still as before
            return [tensors[s].array if type(s) is int else s.array for s in sources]  # type: ignore

    def run(self, tensors: Sequence[Tensor]) -> Any:
        """What the user's function returns; Parameters that it writes are written.

        They are all written or, when the program fails, none of them.
        """
        if not self.program.written and not self.program.spent:
            return self._run(tensors)
        with WRITING:
            return self._run(tensors)

    def _run(self, tensors: Sequence[Tensor]) -> Any:
        own = self.own_inputs()
        arrays = self.inputs(tensors)
        if self.program.spent:
            return self._run_spending(tensors, arrays, own)
        results = self.execute(arrays, own)
        return assembled(self.program.form, self.hand_out(results, arrays, self.program.count))

    def _run_spending(
        self, tensors: Sequence[Tensor], arrays: list[Any], own: Sequence[int]
    ) -> Any:
        """A run that uses up some of `tensors`, whose memory results may take."""
        sources = self.program.sources
        spent = {place: tensors[sources[place]] for place in self.program.spent}  # type: ignore
        overwritten = {i: spent[i] for i in self.executable.overwrites if i in spent}
        parameters: dict[int, Any] = {place: sources[place] for place in own}
        with withheld({**parameters, **overwritten}, arrays) as alone:
            results = self.executable.run(arrays, given=alone)
        for tensor in {id(tensor): tensor for tensor in spent.values()}.values():
            spend(tensor)
        kept = [Token if i in spent and i in alone else x for i, x in enumerate(arrays)]
        return assembled(self.program.form, self.hand_out(results, kept, self.program.count))

    def own_inputs(self) -> list[int]:
        """Inputs into whose memory the program may write; asked before anything else holds them."""
        sources = self.program.sources
        return [i for i in self.executable.overwrites if _is_sole_holder(sources[i])]

    def execute(self, arrays: list[Any], own: Sequence[int]) -> tuple[Any, ...]:
        """Run the program on `arrays`; it may write into the inputs `own`, as far as they are."""
        if not own:
            return self.executable.run(arrays)
        parameters: dict[int, Any] = {place: self.program.sources[place] for place in own}
        with withheld(parameters, arrays) as alone:
            return self.executable.run(arrays, given=alone)

    def hand_out(
        self, results: Sequence[Any], arrays: Sequence[Any], count: int
    ) -> list[Tensor]:  # fmt: skip
        """The first `count` results as Tensors that hold them alone; Parameters take the last."""
        tensors = [array for array in arrays if array is not Token]
        held = {id(owner) for array in tensors for owner in (array, array.base)}
        written = []
        for array, place in zip(results[self.program.count :], self._in_place, strict=True):
            in_place = array is Token or (place is not None and array is arrays[place])
            written.append(array if in_place else released(array, held))
        given = [Tensor.wrap(released(array, held)) for array in results[:count]]
        for parameter, array in zip(self.program.written, written, strict=True):
            parameter.adopt(array)
        self.executable.settled([tensor.array for tensor in given], written)
        return given


def _is_sole_holder(source: int | Tensor) -> bool:
    return isinstance(source, Tensor) and source.is_sole_holder() and not is_kept(source)


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
    if isinstance(form, tuple):
        return same_tuple(form, [assembled(item, tensors) for item in form])
    if isinstance(form, list):
        return [assembled(item, tensors) for item in form]
    if isinstance(form, dict):
        return {key: assembled(item, tensors) for key, item in form.items()}
    if is_record(form):
        parts = parts_of(form).items()
        return with_parts(form, {key: assembled(item, tensors) for key, item in parts})
    return form.value if isinstance(form, (Known, Label)) else form
