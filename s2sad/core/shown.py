"""What is a value called in messages?

Data go by their type, everything else by how it is written.
"""

from __future__ import annotations

from reprlib import Repr
from types import MethodType, ModuleType
from typing import Any

#: Writes static values: not too long, and whatever their own `repr` does.
SHOWN = Repr()
SHOWN.maxother = SHOWN.maxstring = SHOWN.maxlong = 60
#: Of a container, as many items are shown.
ITEMS_SHOWN = 4


def shown(value: Any) -> str:
    """`value` in messages.

    >>> import s2sad as ms
    >>> shown(ms.Tensor([1.0])), shown((ms.Tensor([1, 2]), 3)), shown(len)
    ('f32[1]', '(i64[2], 3)', 'the function len')
    """
    if hasattr(type(value), "__shown__"):  # tensors, values of the IR, Cells
        return value.__shown__()
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
    name = getattr(value, "__name__", None) if callable(value) else None
    if name is None:
        return SHOWN.repr(value)
    return f"the {'method' if isinstance(value, MethodType) else 'function'} {name}"


def _few(items: list[str]) -> str:
    return ", ".join(items if len(items) <= ITEMS_SHOWN else [*items[:ITEMS_SHOWN], "..."])
