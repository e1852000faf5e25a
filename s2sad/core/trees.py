"""How are the leaves of a tree changed, with parts that nothing changes left themselves?

A tree is a tuple (named or not), a list, a dict or a record of trees; everything else is a leaf. A
record is an object of a dataclass of the user's.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Known:
    """An int among the leaves of a tree in which ints stand for something else."""

    value: int


def is_record(value: Any) -> bool:
    """Whether `value` is an object of a dataclass of the user's, which is no Cell.

    Examples
    --------
    >>> is_record(Known(3)), is_record([3])
    (False, False)
    """
    kind = type(value)
    if not hasattr(kind, "__dataclass_fields__") or hasattr(kind, "construct"):
        return False
    return not (kind.__module__ or "").startswith("s2sad.")


def parts_of(record: Any) -> dict[str, Any]:
    """What a record holds, by name: its fields, and whatever else was assigned to it."""
    fields = type(record).__dataclass_fields__
    found = {name: getattr(record, name) for name in fields if hasattr(record, name)}
    return {**found, **getattr(record, "__dict__", {})}


def with_parts(record: Any, parts: Mapping[str, Any]) -> Any:
    """`record` with other `parts`: itself where they are its own."""
    old = parts_of(record)
    if all(old[name] is part for name, part in parts.items()):
        return record
    new = copy.copy(record)
    for name, part in parts.items():
        if old[name] is not part:
            object.__setattr__(new, name, part)
    return new


def changed(tree: Any, change: Callable[[Any], Any]) -> Any:
    """`tree` with `change` applied to each leaf; parts of which no leaf changes stay themselves."""
    if isinstance(tree, tuple):
        return same_tuple(tree, [changed(item, change) for item in tree])
    if is_record(tree):
        return with_parts(tree, {k: changed(x, change) for k, x in parts_of(tree).items()})
    if not isinstance(tree, (list, dict)):
        return change(tree)
    old = list(tree.values()) if isinstance(tree, dict) else tree
    new = [changed(item, change) for item in old]
    if all(one is other for one, other in zip(old, new, strict=True)):
        return tree
    return dict(zip(tree, new, strict=True)) if isinstance(tree, dict) else new


def same_tuple(value: tuple[Any, ...], items: list[Any]) -> tuple[Any, ...]:
    """`items` in a tuple like `value`: itself where they are its own, a named one where it is."""
    if all(one is other for one, other in zip(value, items, strict=True)):
        return value
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
