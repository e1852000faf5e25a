"""What is a value called in messages, and what stands beside the caret?

Data goes by its type, everything else by how it is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from reprlib import Repr
from types import ModuleType
from typing import Any

import gast

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import S2sadError, amend
from s2sad.core.location import Location
from s2sad.core.tensor import Tensor
from s2sad.ir.graph import Value
from s2sad.ir.types import type_of

#: Writes static values: not too long, and whatever their own `repr` does.
SHOWN = Repr()
SHOWN.maxother = SHOWN.maxstring = SHOWN.maxlong = 60
#: Of a container, as many items are shown.
ITEMS_SHOWN = 4
#: Operands whose text is longer go without a name beside the caret.
NAME_WIDTH = 24
#: A label that would be longer is left out.
LABEL_WIDTH = 100


def shown(value: Any) -> str:
    """`value` in messages.

    >>> import s2sad as ms
    >>> shown(ms.Tensor([1.0])), shown((ms.Tensor([1, 2]), 3)), shown(len)
    ('f32[1]', '(i64[2], 3)', 'the function len')
    """
    if isinstance(value, Value):
        return str(value.type)
    if isinstance(value, Tensor):
        return str(type_of(value.array))
    if isinstance(value, (tuple, list)):
        inner = _few([shown(item) for item in value[: ITEMS_SHOWN + 1]])
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        entries = list(value.items())[: ITEMS_SHOWN + 1]
        return f"{{{_few([f'{key!r}: {shown(item)}' for key, item in entries])}}}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, ModuleType):
        return f"the module {value.__name__}"
    if isinstance(value, Cell):
        return f"a {type(value).__name__}"
    name = getattr(value, "__name__", None) if callable(value) else None
    return SHOWN.repr(value) if name is None else f"the function {name}"


def _few(items: list[str]) -> str:
    return ", ".join(items if len(items) <= ITEMS_SHOWN else [*items[:ITEMS_SHOWN], "..."])


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
    text = gast.unparse(node).strip()
    return f"{text}: {shown(value)}" if len(text) <= NAME_WIDTH else shown(value)


def _holds_data(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_holds_data, value))
    return isinstance(value, (Value, Tensor))
