"""Which part of a frame's variables does a branch or a loop on data change?

Variables hold trees: tuples, lists and dicts of tensors, numbers and other Python objects. A
branch or a loop turns the tensors and numbers among the leaves into results; everything else has
to be the same on every path.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from s2sad import prims as p
from s2sad.core import location as locations
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.core.tensor import Tensor
from s2sad.core.trees import is_record, parts_of
from s2sad.frontend.frame import Frame
from s2sad.frontend.guards import fingerprint
from s2sad.ir.builder import Builder
from s2sad.ir.graph import Value
from s2sad.ir.types import TensorType, Type


def stored_names(statements: Iterable[Any]) -> list[str]:
    """Variables that `statements` assign, in the order of their first assignment."""
    found: dict[str, None] = {}
    for statement in statements:
        _collect_stores(statement, found)
    return list(found)


def changed_names(statements: Iterable[Any]) -> list[str]:
    """Variables that `statements` assign, or write into an item of."""
    written = [
        root for statement in statements for node in gast.walk(statement)
        if isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Store)
        for root in _root(node)
    ]  # fmt: skip
    return list(dict.fromkeys([*stored_names(statements), *written]))


def _root(node: Any) -> list[str]:
    """The variable in whose value the item lies."""
    while isinstance(node, (gast.Subscript, gast.Attribute)):
        node = node.value
    return [node.id] if isinstance(node, gast.Name) else []


def _collect_stores(node: Any, found: dict[str, None]) -> None:
    if isinstance(node, (gast.FunctionDef, gast.ClassDef)):
        found[node.name] = None
        return
    if isinstance(node, gast.Lambda):
        return
    if isinstance(node, (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)):
        inner = (each for each in gast.walk(node) if isinstance(each, gast.NamedExpr))
        found.update((each.target.id, None) for each in inner)  # of the function around it
        return
    if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
        found[node.id] = None
    found.update((name, None) for name in _bound_by_text(node))
    for child in gast.iter_child_nodes(node):
        _collect_stores(child, found)


def _bound_by_text(node: Any) -> list[str]:
    """Variables that imports and patterns assign, whose names are no nodes."""
    if isinstance(node, gast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, (gast.MatchAs, gast.MatchStar)):
        return [node.name] if node.name is not None else []
    if isinstance(node, gast.MatchMapping):
        return [node.rest] if node.rest is not None else []
    return []


@dataclass(frozen=True)
class Blank:
    """A leaf that holds zeros of a type, which nobody reads: a loop will put something there."""

    type: Type


def is_number(leaf: Any) -> bool:
    return isinstance(leaf, (bool, int, float))


def is_data(leaf: Any) -> bool:
    """Whether a leaf can differ between paths: tensors, and numbers, which become tensors."""
    return isinstance(leaf, (Value, Tensor, Blank)) or is_number(leaf)


def shape_of(tree: Any) -> Any:
    """A key that is equal for trees whose leaves stand in the same places."""
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple(shape_of(item) for item in tree)
    if isinstance(tree, dict):
        return dict, tuple((key, shape_of(item)) for key, item in tree.items())
    if is_record(tree):
        return type(tree), tuple((key, shape_of(item)) for key, item in parts_of(tree).items())
    return None


def as_value(builder: Builder, leaf: Any, dtype: Any = None) -> Value:
    """A leaf as a value: a Python float is f32, an int i64, unless `dtype` says otherwise."""
    if isinstance(leaf, Blank):
        return zeros_of(builder, leaf.type)
    if not is_number(leaf):
        return builder.value(leaf)
    if dtype is None:
        kind = (
            np.bool_
            if isinstance(leaf, bool)
            else np.int64
            if isinstance(leaf, int)
            else np.float32
        )
        return builder.value(np.asarray(leaf, kind))
    return builder.value(np.asarray(leaf, dtype.storage))


def zeros_of(builder: Builder, type: Type) -> Value:  # noqa: A002
    """Zeros of the type of a tensor."""
    with builder.active():
        return p.const(0, type)


def describe_leaf(leaf: Any) -> str:
    """What a leaf is called in messages."""
    return str(leaf.type) if isinstance(leaf, Value) else f"the {type(leaf).__name__} {leaf!r}"


def written_now(frame: Frame) -> dict[int, Value | None]:
    """New value of each parameter that the program has written so far."""
    return {key: capture.written for key, capture in frame.session.captures.items()}


def write_back(frame: Frame, state: dict[int, Value | None]) -> None:
    """Let parameters be as in `state`; those met later are as at entry."""
    for key, capture in frame.session.captures.items():
        capture.written = state.get(key)


def fork(frame: Frame) -> Frame:
    """A frame in which variables can change without changing `frame`."""
    inner = frame.copy(dict(frame.local_names))
    inner.is_fork = True
    return inner


def rebound(inner: Frame, outer: Frame, known: Iterable[str]) -> list[str]:
    """Variables of `outer` besides `known` that hold another tensor in its fork `inner`.

    No assignment names them: they hold a tensor that was written by another name.
    """
    skipped = set(known)
    return [
        name for name, tree in outer.local_names.items()
        if name not in skipped and inner.local_names.get(name) is not tree
    ]  # fmt: skip


def differ(name: str, one: Any, other: Any, first: str, second: str) -> Exception:
    """E0306: a variable is not the same kind of thing on two paths."""
    help = "let it be a Tensor of one type on both paths"  # noqa: A001
    if isinstance(one, Value) and isinstance(other, Value):
        a, b = one.type, other.type
        if isinstance(a, TensorType) and isinstance(b, TensorType) and a.dtype is not b.dtype:
            help = "cast one of them with `.astype(...)`"  # noqa: A001
    return fail(
        "E0306", f"`{name}` is {describe_leaf(one)} {first} and {describe_leaf(other)} {second}",
        help=help,
    )  # fmt: skip


def same_static(one: Any, other: Any) -> bool:
    """Whether two leaves are the same without looking at tensor data."""
    return one is other or (
        not isinstance(one, (Value, Tensor))
        and not isinstance(other, (Value, Tensor))
        and fingerprint(one) == fingerprint(other)
    )


def types_of(values: Iterable[Value]) -> list[Type]:
    return [value.type for value in values]


def here() -> Location | None:
    return locations.current.get()


class Again(BaseException):  # noqa: N818 - a signal, as `Unfit` is
    """The loop that carries `state` must be compiled again: more is known of what it carries."""

    def __init__(self, state: Any) -> None:
        super().__init__()
        self.state = state


def decide_dtype(frame: Frame, leaf: Any, dtype: DType) -> None:
    """Where `leaf` stands for a number that a loop around carries, let it have `dtype` there.

    Raises
    ------
    Again
        For that loop, unless its body has decided already.
    """
    for state in reversed(frame.session.loops):
        if isinstance(leaf, Value) and leaf in state.before:
            place, leaf = state.before[leaf]
            if is_number(leaf) and place not in state.dtypes:
                state.dtypes[place] = dtype
                raise Again(state)
