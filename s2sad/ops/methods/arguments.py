"""How does a method take its arguments under two spellings, and by position?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail


def one_of(method: str, given: dict[str, Any], *names: str, default: Any) -> Any:
    """The argument that goes by one of `names`, taken out of `given` (E0302 for two of them)."""
    found = [name for name in names if name in given]
    if len(found) > 1:
        raise fail("E0302", f"{method} takes {found[0]} or {found[1]}, not both")
    return given.pop(found[0]) if found else default


def refuse_rest(method: str, given: dict[str, Any]) -> None:
    """E0302 for an argument that nobody took out of `given`."""
    for name in given:
        raise fail("E0302", f"{method} takes no argument {name!r}")


def merged(
    method: str, args: tuple[Any, ...], given: dict[str, Any], *names: str
) -> dict[str, Any]:
    """Arguments by name: those given by position have `names` (E0302 for too many, or twice)."""
    if len(args) > len(names):
        raise fail("E0302", f"{method} takes {len(names)} arguments at most, got {len(args)}")
    by_place = dict(zip(names, args, strict=False))
    for name in by_place.keys() & given.keys():
        raise fail("E0302", f"{method} got {name!r} by position and by name")
    return {**by_place, **given}


def axis_and_keep(
    method: str, args: tuple[Any, ...], given: dict[str, Any], keep: str = "keepdims"
) -> tuple[Any, bool, dict[str, Any]]:
    """Axis and whether it stays, under any of their spellings, and the arguments that are left.

    By position they are ``axis`` and `keep`.
    """
    given = merged(method, args, given, "axis", keep)
    axis = one_of(method, given, "axis", "dim", default=None)
    return axis, one_of(method, given, *KEEP, default=False), given


#: How MindSpore spells whether a reduced axis stays.
KEEP = ("keepdims", "keep_dims", "keepdim")
