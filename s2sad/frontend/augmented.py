"""What does ``target += value`` do?

What Python does: owner and index of the target are evaluated once, before the value, then what is
there is read, computed on, and written back.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import gast

from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.frontend.containers import require_own
from s2sad.frontend.expressions import (
    BINARY,
    attribute_of,
    bind,
    evaluate,
    is_tensor,
    item_of,
    method_of_tensor,
    operate,
)
from s2sad.frontend.frame import Frame
from s2sad.frontend.shown import point_out
from s2sad.frontend.static import as_python
from s2sad.frontend.writes import rewrite, write_attribute, write_item


class Place(NamedTuple):
    """Where a target lies, once its parts are evaluated."""

    read: Callable[[], Any]
    write: Callable[[Any], None]


def augment(frame: Frame, node: Any) -> None:
    """``target operator= value``.

    Raises
    ------
    S2sadError
        E0104 for a list or dict that is not the program's own, and those of reading, of the
        operator and of the write.
    """
    name, target = BINARY[type(node.op)], node.target
    if isinstance(target, gast.Subscript):
        owner, index = evaluate(frame, target.value), evaluate(frame, target.slice)
        if _has_mask(owner, index):
            value = evaluate(frame, node.value)
            _apply_where(frame, node, (owner, index, value), name)
            return
        place = _item(frame, target, owner, index)
    elif isinstance(target, gast.Attribute):
        place = _attribute(frame, target, evaluate(frame, target.value))
    else:
        place = Place(
            lambda: evaluate(frame, as_read(target)), lambda new: bind(frame, target, new)
        )
    old = place.read()
    value = evaluate(frame, node.value)
    if isinstance(old, (list, dict)):  # which changes, as other names of it see
        require_own(frame, old)
        as_python(getattr(operator, f"i{name}"), old, value)
        return
    place.write(_computed(frame, node, name, old, value))


def _computed(frame: Frame, node: Any, name: str, old: Any, value: Any) -> Any:
    try:
        return operate(frame, name, old, value)
    except S2sadError as error:
        point_out(error, frame.location(node), [(node.target, old), (node.value, value)])
        raise


def _item(frame: Frame, target: Any, owner: Any, index: Any) -> Place:
    def read() -> Any:
        try:
            return item_of(frame, owner, index, gast.unparse(target).strip())
        except S2sadError as error:
            if is_tensor(owner):
                given = [(target.value, owner), (target.slice, index)]
                point_out(error, frame.location(target), given)
            raise

    def write(new: Any) -> None:
        with frame.at(target):
            write_item(frame, owner, index, new)

    return Place(read, write)


def _attribute(frame: Frame, target: Any, owner: Any) -> Place:
    path = gast.unparse(target).strip()

    def write(new: Any) -> None:
        with frame.at(target):
            write_attribute(frame, owner, target.attr, path, new)

    return Place(lambda: attribute_of(frame, owner, target.attr, path), write)


def _has_mask(owner: Any, index: Any) -> bool:
    """Whether which elements of a tensor `index` names depends on data."""
    items = index if isinstance(index, tuple) else (index,)
    return is_tensor(owner) and any(is_tensor(x) and x.dtype is dtypes.bool_ for x in items)


def _apply_where(frame: Frame, node: Any, given: tuple[Any, Any, Any], name: str) -> None:
    """``owner[mask] operator= value``: computed everywhere, and kept where the mask holds."""
    owner, index, value = given
    update = method_of_tensor("__updateitem__")

    def operation(held: Any, operand: Any) -> Any:
        new = _computed(frame, node, name, held, operand)
        return method_of_tensor("astype")(new, held.dtype)

    with frame.at(node.target):
        rewrite(frame, owner, lambda held: update(held, index, operation, value), True)


def as_read(target: Any) -> Any:
    """The target of an assignment as an expression that reads it."""
    fields = {name: getattr(target, name) for name in (*target._fields, *target._attributes)}
    return type(target)(**{**fields, "ctx": gast.Load()})
