"""How is a function of the IR called like the user's own?

Its inputs that stand for arguments take the tensors of a call, by path; the others are bound once,
to Parameters and other tensors.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from s2sad.binding.program import Program
from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.frontend.callee import bind
from s2sad.frontend.effects import HOST
from s2sad.frontend.guards import Guards
from s2sad.frontend.inputs import is_input, named_leaves
from s2sad.ir.bindings import is_argument
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.outcome import parsed
from s2sad.ir.types import TensorType, Token, Type, same_type, type_of

if TYPE_CHECKING:
    from s2sad.passes.base import Pass

_COTANGENT, _TANGENT = "cotangent:", "tangent:"


def argument_paths(inputs: tuple[str, ...]) -> list[str | None]:
    """Where each input lies in the arguments of a call: ``"states[0]"``; None for hidden ones.

    Examples
    --------
    >>> argument_paths(("x", "param:w", "cotangent:0"))
    ['x', None, 'cotangent']
    """
    seeds = [binding for binding in inputs if binding.startswith(_COTANGENT)]
    places = {
        binding: "cotangent" if len(seeds) == 1 else f"cotangent[{place}]"
        for place, binding in enumerate(seeds)
    }
    moving = [binding for binding in inputs if binding.startswith(_TANGENT)]
    places |= {binding: f"tangent[{place}]" for place, binding in enumerate(moving)}
    return [places.get(x, x) if is_argument(x) else None for x in inputs]


@dataclass(eq=False)
class Bound:
    """A function of the IR with its hidden inputs bound.

    Attributes
    ----------
    function : Function
    hidden : dict of int to Tensor
        What stands for each input that is no argument.
    places : sequence of Location
        Where each input is declared.
    left : tuple of Pass, or None
        The passes that are still to run; all of a program without gradient where it is None.
    """

    function: Function
    hidden: Mapping[int, Tensor]
    places: tuple[Location, ...]
    left: tuple[Pass, ...] | None

    def __post_init__(self) -> None:
        module, _, name = self.function.title.partition(".")
        self.__module__, self.__qualname__ = module, name or self.function.name
        self.__doc__ = None
        paths = [path for path in argument_paths(self.function.inputs) if path is not None]
        roots = dict.fromkeys(_root(path) for path in paths)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(x, kind) for x in roots])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise fail("E0304", "a bound function runs when it is compiled")

    def program(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program:
        """The program of a call.

        Raises
        ------
        S2sadError
            E0302 for a tensor too many or too few, E0301 and E0401 for one of another type.
        """
        leaves = named_leaves(bind(self, args, kwargs).arguments)
        tensors = [(path, leaf) for path, leaf in leaves if is_input(leaf)]
        numbers = {path: number for number, (path, _) in enumerate(tensors)}
        given = dict(tensors)
        sources: list[int | Tensor] = []
        for index, path in enumerate(argument_paths(self.function.inputs)):
            if path is None:
                sources.append(self.hidden[index])
                continue
            if path not in given:
                raise fail("E0302", f"no tensor is given for {path}", location=self.places[index])
            require_type(given.pop(path), self.function.args[index].type, path, self.places[index])
            sources.append(numbers[path])
        for path in given:
            raise fail("E0302", f"{self.function.name} takes no tensor {path}")
        function = clone(self.function)
        written = tuple(
            sources[i] for i in sorted(function.donates, key=function.donates.__getitem__)
        )
        written += (HOST,) if has_effects(function) else ()
        return Program(function, Guards(), tuple(sources), written, parsed(function.tree))


def has_effects(function: Function) -> bool:
    """Whether `function` gives the token of its effects back, as its last result."""
    return bool(function.result_types) and function.result_types[-1] == Token


def _root(path: str) -> str:
    return path.partition("[")[0]


def require_type(tensor: Tensor, wanted: Type, name: str, place: Location) -> None:
    """Refuse a tensor of another type than the one declared at `place` (E0301, E0401)."""
    found = type_of(tensor.array)
    if same_type(found, wanted):
        return
    other_dtype = isinstance(wanted, TensorType) and wanted.dtype is not tensor.dtype
    raise fail(
        "E0301" if other_dtype else "E0401", f"{name} is {wanted} here, got {found}",
        location=place, help="a dump is for one type of each input: dump a call with these",
    )  # fmt: skip


def require_no_hooks(program: Program, given: Sequence[Tensor]) -> None:
    """E0104 for hooks of the inputs of a program that was read and is to be differentiated."""
    hidden = [source for source in program.sources if isinstance(source, Parameter)]
    of_hidden = [program.guards.attribute(x, "_hooks", f"{x.name}.register_hook") for x in hidden]
    if any(of_hidden) or any(tensor._hooks for tensor in given):
        raise fail(
            "E0104", "a program that was read from a dump takes no hooks of its inputs",
            help="remove them, or hook what a function around it computes",
        )  # fmt: skip
