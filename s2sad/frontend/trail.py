"""What was read on the way to an error? Messages ask; nothing that is compiled depends on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from s2sad.core.location import Location


@dataclass
class Trail:
    """What one compilation has read so far.

    Attributes
    ----------
    bodies : dict of node to Frame
        Functions of the user, in the order in which they were entered, with their first call.
    taken : dict of node to set of bool
        The sides of each `if` with a static condition that were taken.
    returned : dict of node to node
        The expression that a function returned last.
    """

    bodies: dict[Any, Any] = field(default_factory=dict)
    taken: dict[Any, set[bool]] = field(default_factory=dict)
    returned: dict[Any, Any] = field(default_factory=dict)

    def enter(self, node: Any, frame: Any) -> None:
        """Note that the function `node` is being read, in `frame`."""
        if frame.file:
            self.bodies.setdefault(node, frame)

    def take(self, node: Any, side: bool) -> bool:
        """Note that of the `if` called `node` this side is taken; `side` itself."""
        self.taken.setdefault(node, set()).add(side)
        return side

    def result(self, path: tuple[Any, ...]) -> tuple[Any, Any] | None:
        """Frame and expression of what the outermost function returned at `path`.

        The path leads through tuples, lists and dicts, as far as they are written out.
        """
        if not self.bodies:
            return None
        node, frame = next(iter(self.bodies.items()))
        found = self.returned.get(node)
        return None if found is None else (frame, _part(found, path))


#: The innermost place that an exception passed, among its attributes.
PASSED = "_s2sad_place"


def note_place(error: Exception, place: Location | None) -> None:
    """Note that `error` passes `place`, on its way out."""
    if not hasattr(error, PASSED):
        setattr(error, PASSED, place)


def place_of(error: Exception) -> Location | None:
    """The innermost place that `error` passed."""
    return getattr(error, PASSED, None)


def _part(node: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        parts = _parts(node)
        if key not in parts:
            break
        node = parts[key]
    return node


def _parts(node: Any) -> dict[Any, Any]:
    """Items of a container that is written out, by index or key."""
    if isinstance(node, (gast.Tuple, gast.List)):
        is_plain = not any(isinstance(item, gast.Starred) for item in node.elts)
        return dict(enumerate(node.elts)) if is_plain else {}
    if isinstance(node, gast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {k.value: v for k, v in pairs if isinstance(k, gast.Constant)}
    return {}
