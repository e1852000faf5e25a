"""What must still hold for a compiled variant to be right?

Every Python value that partial evaluation reads from outside its arguments (a global, a closure
variable, an attribute) leaves a guard. Each guard's owner is itself guarded by identity, so a
chain of attribute reads is covered link by link.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MethodType
from typing import Any

MISSING = object()


def fingerprint(value: Any) -> Any:
    """A key of what compiled code may depend on in `value`.

    Numbers and texts count by type and spelling (1, 1.0 and True differ, and so do 0.0 and
    -0.0), containers by their contents, methods by function and owner, all else by identity.
    """
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return type(value), repr(value)
    if isinstance(value, (tuple, list)):
        return type(value), tuple(fingerprint(item) for item in value)
    if isinstance(value, dict):
        return dict, tuple((fingerprint(k), fingerprint(v)) for k, v in value.items())
    if isinstance(value, MethodType):
        return MethodType, id(value.__func__), id(value.__self__)
    return id(value)


@dataclass(frozen=True)
class Guard:
    """One fact about the outside that was read while compiling.

    Attributes
    ----------
    path : str
        How the source reads it, ``"self.fc1.activation"``.
    read : callable
        Gives the present value, `MISSING` when there is none.
    expected : object
        Its `fingerprint` while compiling.
    """

    path: str
    read: Callable[[], Any]
    expected: Any

    def holds(self) -> bool:
        """Whether the value is still what the variant was compiled for."""
        return fingerprint(self.read()) == self.expected


class Guards:
    """The guards of one variant, each read once."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[int, str], Guard] = {}
        self._alive: list[Any] = []

    def attribute(self, owner: Any, name: str, path: str) -> Any:
        """``owner.name``, guarded; AttributeError where there is none."""
        value = getattr(owner, name)
        self._note(owner, name, path, lambda: getattr(owner, name, MISSING), value)
        return value

    def item(self, owner: Any, key: str, path: str) -> Any:
        """``owner[key]`` of a namespace, guarded; KeyError where there is none."""
        value = owner[key]
        self._note(owner, key, path, lambda: owner.get(key, MISSING), value)
        return value

    def cell(self, cell: Any, name: str) -> Any:
        """Content of a closure's cell, guarded; ValueError when it is empty."""
        value = cell.cell_contents
        self._note(cell, name, name, lambda: cell.cell_contents, value)
        return value

    def _note(
        self, owner: Any, name: str, path: str, read: Callable[[], Any], value: Any
    ) -> None:
        key = (id(owner), name)
        if key not in self._by_key:
            self._by_key[key] = Guard(path, read, fingerprint(value))
            self._alive += [owner, value]  # so that no id is used again

    def all(self) -> list[Guard]:
        return list(self._by_key.values())

    def broken(self) -> Guard | None:
        """The first guard that does not hold, or None."""
        return next((g for g in self._by_key.values() if not g.holds()), None)
