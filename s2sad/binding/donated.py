"""Where do results lie that take the memory of arguments?"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.binding.program import Program
from s2sad.core.memory_info import info_of
from s2sad.core.tensor import Tensor


def donate(program: Program, tensors: Sequence[Tensor]) -> None:
    """Let results of `program` take the memory of those of its arguments that are donated.

    Each takes the first result of its type that no other input becomes, if there is one.
    """
    function = program.function
    for place, source in enumerate(program.sources):
        if not isinstance(source, int) or not is_donated(tensors[source]):
            continue
        program.spent.append(place)
        kind = function.args[place].type
        taken = set(function.donates.values())
        free = (
            number for number, value in enumerate(function.results[: program.count])
            if number not in taken and value.type == kind
        )  # fmt: skip
        result = next(free, None)
        if result is not None:
            function.donates[place] = result


def is_donated(tensor: Tensor) -> bool:
    """Whether a program may use up `tensor`."""
    info = info_of(tensor)
    return info is not None and info.policy == "donate"
