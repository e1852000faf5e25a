"""How does a method take its arguments under two spellings, and by position?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from s2sad.core.diagnostics import fail


class Argument(NamedTuple):
    """An argument of a method: its spellings, what it is when missing, and its place or none."""

    names: tuple[str, ...]
    default: Any = None
    by_name: bool = False


AXIS = Argument(("axis", "dim"))
#: An axis that is the last one when missing.
LAST = AXIS._replace(default=-1)
#: Whether a reduced axis stays.
KEEP = Argument(("keepdims", "keep_dims", "keepdim"), False)
DTYPE = Argument(("dtype",))


def taken(
    method: str, args: tuple[Any, ...], given: dict[str, Any], *arguments: Argument
) -> tuple[Any, ...]:
    """The values of `arguments`, of which those with a place may come in their order.

    Raises
    ------
    S2sadError
        E0302 for too many, for one that is there twice, and for one that is none of them.
    """
    first = [argument.names[0] for argument in arguments if not argument.by_name]
    if len(args) > len(first):
        raise fail("E0302", f"{method} takes {len(first)} arguments at most, got {len(args)}")
    by_place = dict(zip(first, args, strict=False))
    for name in by_place.keys() & given.keys():
        raise fail("E0302", f"{method} got {name!r} by position and by name")
    rest = {**by_place, **given}
    values = tuple(_one_of(method, rest, argument) for argument in arguments)
    refuse_rest(method, rest)
    return values


def _one_of(method: str, given: dict[str, Any], argument: Argument) -> Any:
    """The value of `argument`, taken out of `given` (E0302 for two spellings)."""
    found = [name for name in argument.names if name in given]
    if len(found) > 1:
        raise fail("E0302", f"{method} takes {found[0]} or {found[1]}, not both")
    return given.pop(found[0]) if found else argument.default


def refuse_rest(method: str, given: dict[str, Any]) -> None:
    """E0302 for an argument that nobody took out of `given`."""
    for name in given:
        raise fail("E0302", f"{method} takes no argument {name!r}")


def named(*names: str) -> tuple[Argument, ...]:
    """Arguments with one spelling each, None when missing."""
    return tuple(Argument((name,)) for name in names)


def one_by_one(function: Callable[[Any, Any], Any], name: str) -> Callable[..., Any]:
    """The method that takes the entries of the argument `name` one by one, or as one tuple."""

    def method(tensor: Any, *entries: Any, **given: Any) -> Any:
        entries = (*entries, *([given.pop(name)] if name in given else []))
        refuse_rest(function.__name__, given)
        is_tuple = len(entries) == 1 and isinstance(entries[0], (tuple, list))
        return function(tensor, entries[0] if is_tuple else entries)

    return method
