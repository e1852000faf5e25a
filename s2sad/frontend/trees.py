"""How are arguments, variables and results walked that hold tensors inside of containers?

A tree is a tuple (named or not), a list, a dict or a record of trees; everything else is a leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.trees import is_record, parts_of, same_tuple, with_parts


def leaves(tree: Any) -> list[Any]:
    """What is in no tuple, list, dict or record of `tree`, in order."""
    if isinstance(tree, (tuple, list)):
        return [leaf for item in tree for leaf in leaves(item)]
    if isinstance(tree, dict):
        return [leaf for item in tree.values() for leaf in leaves(item)]
    if is_record(tree):
        return [leaf for item in parts_of(tree).values() for leaf in leaves(item)]
    return [tree]


def map_leaves(tree: Any, change: Callable[[Any], Any]) -> Any:
    """`tree` with `change` applied to each leaf, in order."""
    if isinstance(tree, tuple):
        return same_tuple(tree, [map_leaves(item, change) for item in tree])
    if isinstance(tree, list):
        return [map_leaves(item, change) for item in tree]
    if isinstance(tree, dict):
        return {key: map_leaves(item, change) for key, item in tree.items()}
    if is_record(tree):
        return with_parts(tree, {k: map_leaves(x, change) for k, x in parts_of(tree).items()})
    return change(tree)
