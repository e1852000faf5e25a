"""What stands beside the caret of an error?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from s2sad.core.diagnostics import S2sadError, amend
from s2sad.core.location import Location
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.ir.graph import Value

#: Operands whose text is longer go without a name beside the caret.
NAME_WIDTH = 24
#: A label that would be longer is left out.
LABEL_WIDTH = 100


def point_out(
    error: S2sadError, place: Location | None, operands: Iterable[tuple[Any, Any]]
) -> None:
    """Put the types of `operands` beside the caret of `error`, if it stands at `place`.

    Parameters
    ----------
    operands : iterable of (node, value)
        Those that are written as literals, and those without data in them, say what they are.
    """
    found = error.diagnostic
    if place is None or found.label or found.place != place:
        return
    parts = [_operand(node, value) for node, value in operands if _holds_data(value)]
    label = ", ".join(dict.fromkeys(parts))
    if parts and len(label) <= LABEL_WIDTH:
        amend(error, label=label)


def _operand(node: Any, value: Any) -> str:
    """``"x: f32[2, 3]"``, as far as the text of the operand is short."""
    text = text_of(node)
    return f"{text}: {shown(value)}" if len(text) <= NAME_WIDTH else shown(value)


def _holds_data(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_holds_data, value))
    return isinstance(value, (Value, Tensor))


def text_of(node: Any) -> str:
    """The expression `node` as Python writes it."""
    names, at = [], node
    while isinstance(at, gast.Attribute):
        names.append(at.attr)
        at = at.value
    if isinstance(at, gast.Name):  # most are
        return ".".join((at.id, *reversed(names)))
    return gast.unparse(node).strip()
