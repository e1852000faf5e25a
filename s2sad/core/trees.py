"""How are the leaves of a tree changed, with parts that nothing changes left themselves?

A tree is a tuple (named or not), a list or a dict of trees; everything else is a leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def changed(tree: Any, change: Callable[[Any], Any]) -> Any:
    """`tree` with `change` applied to each leaf; parts of which no leaf changes stay themselves."""
    if isinstance(tree, tuple):
        return same_tuple(tree, [changed(item, change) for item in tree])
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
