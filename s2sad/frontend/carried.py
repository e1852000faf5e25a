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
from s2sad.core import dtypes
from s2sad.core import location as locations
from s2sad.core.diagnostics import fail
from s2sad.core.dispatch import slots
from s2sad.core.dtypes import DType
from s2sad.core.in_place import InPlace
from s2sad.core.location import Location
from s2sad.core.tensor import Tensor
from s2sad.core.trees import is_record, parts_of
from s2sad.frontend.frame import Frame
from s2sad.frontend.guards import fingerprint
from s2sad.ir.builder import Builder
from s2sad.ir.dims import Symbolic
from s2sad.ir.graph import Value
from s2sad.ir.types import TensorType, Type, bool_
from s2sad.prims.cast import cast
from s2sad.prims.shape import counted


def stored_names(statements: Iterable[Any]) -> list[str]:
    """Variables that `statements` assign, in the order of their first assignment."""
    found: dict[str, None] = {}
    for statement in statements:
        _collect_stores(statement, found)
    return list(found)


def changed_names(statements: Iterable[Any]) -> list[str]:
    """Variables that `statements` assign, or write into."""
    written = [
        root for statement in statements for node in gast.walk(statement)
        if _is_write(node)
        for root in _root(node)
    ]  # fmt: skip
    return list(dict.fromkeys([*stored_names(statements), *written]))


def _is_write(node: Any) -> bool:
    """Whether `node` is ``owner[i]`` that is assigned, or ``owner.add_`` and the like."""
    if isinstance(node, gast.Attribute):
        return isinstance(slots().tensor_methods.get(node.attr), InPlace)
    return isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Store)


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
    is_weak: bool = False


@dataclass(frozen=True, eq=False)
class Length:
    """A leaf that holds the number that a size will be, where paths give different numbers."""

    size: Symbolic


def as_leaf(leaf: Any) -> Any:
    """`leaf`, in place of a size the number that it will be."""
    return Length(leaf) if isinstance(leaf, Symbolic) else leaf


def is_number(leaf: Any) -> bool:
    return isinstance(leaf, (bool, int, float))


def is_weak(leaf: Any) -> bool:
    """Whether a leaf is a number of Python's, known or not, and so takes the dtype it meets."""
    if isinstance(leaf, (Value, Blank)):
        return leaf.is_weak
    return is_number(leaf) or isinstance(leaf, Length)


def weak_number(builder: Builder, number: bool | float) -> Value:
    """A Python number as a value that computes as it does, and is as weak.

    Raises
    ------
    S2sadError
        E0404 for an int beyond 64 bits.
    """
    if isinstance(number, int) and not -(2**63) <= number < 2**63:
        raise fail(
            "E0404", f"the int {number} depends on data here, and does not fit int64",
            help="write it as a float: 1e30",
        )  # fmt: skip
    kind = {bool: np.bool_, int: np.int64, float: np.float64}[type(number)]
    value = builder.value(np.asarray(number, kind))
    value.is_weak = kind is not np.bool_
    return value


def length_of(builder: Builder, size: Symbolic) -> Value:
    """The number that a size will be, as weak as a number of Python's."""
    with builder.active():
        value = counted(size, dtypes.int64)
    value.is_weak = True
    return value


def fits(number: Type, dtype: DType) -> bool:
    """Whether a Python number of type `number` that meets `dtype` takes that."""
    if not isinstance(number, TensorType) or number.shape:
        return False
    if number.dtype.is_float:
        return dtype.is_float
    return number.dtype is dtype or (number.dtype.is_integer and dtype is not bool_.dtype)


def is_data(leaf: Any) -> bool:
    """Whether a leaf can differ between paths: tensors, and numbers, which become tensors."""
    return isinstance(leaf, (Value, Tensor, Blank, Length)) or is_number(leaf)


def shape_of(tree: Any) -> Any:
    """A key that is equal for trees whose leaves stand in the same places."""
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple(shape_of(item) for item in tree)
    if isinstance(tree, dict):
        return dict, tuple((key, shape_of(item)) for key, item in tree.items())
    if is_record(tree):
        return type(tree), tuple((key, shape_of(item)) for key, item in parts_of(tree).items())
    return None


def as_value(builder: Builder, leaf: Any, dtype: DType | None = None) -> Value:
    """A leaf as a value of `dtype`, where that is given; numbers are as weak as they were."""
    if isinstance(leaf, Blank):
        found = zeros_of(builder, leaf.type)
        found.is_weak = leaf.is_weak
        return found
    if is_number(leaf) and dtype is not None:
        with builder.active():
            return p.const(leaf, TensorType(dtype))
    if isinstance(leaf, Length):
        found = length_of(builder, leaf.size)
    else:
        found = weak_number(builder, leaf) if is_number(leaf) else builder.value(leaf)
    if dtype is None or found.type == TensorType(dtype):
        return found
    with builder.active():
        return cast(found, dtype=dtype)


def zeros_of(builder: Builder, type: Type) -> Value:  # noqa: A002
    """Zeros of the type of a tensor."""
    with builder.active():
        return p.const(0, type)


def describe_leaf(leaf: Any) -> str:
    """What a leaf is called in messages."""
    if leaf is None:
        return "None"
    if isinstance(leaf, (Symbolic, Length)):
        return f"the size {leaf.size if isinstance(leaf, Length) else leaf}"
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


#: Of a variable that a loop carries.
BEFORE, AFTER = "before the loop", "after one pass"


def differ(name: str, one: Any, other: Any, first: str, second: str) -> Exception:
    """E0306: a variable is not the same kind of thing on two paths."""
    where = "in each pass" if first == BEFORE else "on both paths"
    help = f"let it be a Tensor of one type {where}"  # noqa: A001
    if isinstance(one, Value) and isinstance(other, Value):
        a, b = one.type, other.type
        if isinstance(a, TensorType) and isinstance(b, TensorType) and a.dtype is not b.dtype:
            help = "cast one of them with `.astype(...)`"  # noqa: A001
    return fail(
        "E0306", f"{quoted(name)} is {describe_leaf(one)} {first} and {describe_leaf(other)} "
        f"{second}", help=help,
    )  # fmt: skip


def quoted(name: str) -> str:
    """A variable, or a part of it, in messages; what has no name goes by words."""
    return name if " " in name.partition("[")[0] else f"`{name}`"


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
