"""What does an assignment to an item or an attribute do to the variables?

Tensors are values, so ``x[i] = v`` and ``x.add_(v)`` make another one, and every variable that held
the old one holds it from then on: as in Python all names of one object see the write, also where a
function that was called writes into its argument. What was passed in from outside does not change.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.precision import stored
from s2sad.frontend import objects, views
from s2sad.frontend.containers import is_made, require_own, with_leaf
from s2sad.frontend.elements import known_index
from s2sad.frontend.expressions import (
    CALL,
    evaluate,
    holds_tensor,
    is_tensor,
    method_of_tensor,
    require_static,
)
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.static import as_python
from s2sad.frontend.stores import store
from s2sad.frontend.trees import leaves
from s2sad.ir.graph import Operation, Value


def assign_item(frame: Frame, target: Any, value: Any) -> None:
    """``owner[index] = value``.

    Raises
    ------
    S2sadError
        E0104 where a variable outside of a branch or a loop would have to change, and for a
        container that is not the program's own; E0101 for what has no items to be written, and
        those of the write itself.
    """
    owner, index = evaluate(frame, target.value), evaluate(frame, target.slice)
    write_item(frame, owner, index, value)


def write_item(frame: Frame, owner: Any, index: Any, value: Any) -> None:
    """``owner[index] = value`` of what they are; errors as of `assign_item`."""
    owner = stored(owner)
    if is_tensor(owner):
        place = known_index(owner, index) if isinstance(owner, Value) else index
        write = method_of_tensor("__setitem__")
        rewrite(frame, owner, lambda held: write(held, place, value), True)
    elif isinstance(owner, (list, dict, np.ndarray)):
        require_own(frame, owner)
        if isinstance(owner, dict):
            require_static(index, "dict")
        if isinstance(owner, np.ndarray) and holds_tensor(value):
            raise fail(
                "E0104", "a tensor cannot be put into a NumPy array in compiled code",
                help="make the array a Tensor first",
            )  # fmt: skip
        as_python(operator.setitem, owner, index, value)
    elif objects.users_method(owner, "__setitem__") is not None:
        CALL[0](frame, objects.users_method(owner, "__setitem__"), [owner, index, value], {})
    else:
        raise fail("E0101", f"assigning to an item of a {type(owner).__name__} cannot be compiled")


def rewrite(frame: Frame, owner: Any, new: Callable[[Any], Any], is_for_names: bool = False) -> Any:
    """Let `owner`, a tensor, hold ``new(owner)``; what it is then.

    Parameters
    ----------
    is_for_names : bool
        Whether nothing would come of it where no variable holds the tensor.

    Raises
    ------
    S2sadError
        E0104 for a tensor from outside, and where a variable outside of a branch or a loop would
        have to change.
    """
    owner = stored(owner)
    if isinstance(owner, Parameter):
        method_of_tensor("assign_value")(owner, new(owner))
        return owner
    if not isinstance(owner, Value):
        raise fail(
            "E0104", "this Tensor comes from outside of compiled code, which cannot change it",
            help="write into a copy, or make it a Parameter",
        )  # fmt: skip
    value = new(owner)
    link_loops(frame.session, owner)
    is_seen = is_for_names or not _is_unseen(frame.session, owner)
    views.note_write(frame.session, owner)
    if not replace(frame, owner, value) and is_seen:
        raise fail(
            "E0104", "no variable holds the tensor that is written here",
            help="give it a name first, or write into the tensor that it is a part of",
        )  # fmt: skip
    return value


def _is_unseen(session: Session, value: Value) -> bool:
    """Whether `value` was just made: no part of another tensor, and no attribute holds it."""
    is_made_here = isinstance(value.owner, Operation) and len(views.origins(session, value)) == 1
    return is_made_here and all(each.value is not value for each in session.stores.values())


def assign_attribute(frame: Frame, target: Any, value: Any) -> None:
    """``owner.name = value``, which writes a Parameter.

    Raises
    ------
    S2sadError
        E0101 where nothing is there that can be written, E0104 where it would become another
        Parameter, and those of the write itself.
    """
    path = gast.unparse(target).strip()
    write_attribute(frame, evaluate(frame, target.value), target.attr, path, value)


def write_attribute(frame: Frame, owner: Any, name: str, path: str, value: Any) -> None:
    """``owner.name = value``, which the user wrote as `path`; errors as of `assign_attribute`."""
    held = None if is_tensor(owner) else getattr(owner, name, None)
    if not isinstance(held, Parameter):
        objects.refuse_parameter(type(value))
        _assign_other(frame, owner, name, path, value)
        return
    if isinstance(value, Parameter) and value is not held:
        raise fail(
            "E0104", f"{path} would become another Parameter, which compiled code cannot do",
            help=f"ops.assign({path}, ...) lets it hold the same numbers",
        )  # fmt: skip
    method_of_tensor("assign_value")(frame.attribute(owner, name, path), value)


def _assign_other(frame: Frame, owner: Any, name: str, path: str, value: Any) -> None:
    """``owner.name = value`` where there is no Parameter of that name."""
    if is_made(frame.session, owner):
        require_own(frame, owner)
        setter = objects.defined(owner, name)
        if isinstance(setter, property) and setter.fset is not None:
            CALL[0](frame, setter.fset, [owner, value], {})
        else:
            as_python(setattr, owner, name, value)
    elif isinstance(owner, Cell) and not isinstance(value, Cell):
        store(frame, owner, name, path, value)
    else:
        raise fail(
            "E0101", f"assigning to {path} cannot be compiled",
            help="set attributes on self, or return the value",
        )  # fmt: skip


def link_loops(session: Session, value: Value) -> None:
    """Let loops around carry all variables that hold `value`, as the one tensor that it is."""
    for state in reversed(session.loops):
        if value not in state.before:
            continue
        _, leaf = state.before[value]
        if not isinstance(leaf, Value):
            return
        names = [name for name, tree in state.frame.local_names.items() if _holds(tree, leaf)]
        count = sum(leaf is x for name in names for x in leaves(state.frame.local_names[name]))
        if count > 1 and leaf not in state.linked:
            state.link(leaf, names)
        value = leaf


def replace(frame: Frame, old: Value, new: Value) -> bool:
    """Let all variables that hold `old` hold `new`, here and in calls around; whether any does."""
    call: Frame | None = frame
    found, is_outside = False, False
    known: dict[int, Any] = {}
    while call is not None:
        names = [name for name, tree in call.local_names.items() if _holds(tree, old)]
        if names and is_outside:
            raise fail(
                "E0104", f"this also changes `{names[0]}` of a function that called this one, "
                "from inside of a branch or a loop on data",
                help="return the new tensor, and assign it there",
            )  # fmt: skip
        for name in names:
            tree = call.local_names[name]
            call.local_names[name] = with_leaf(frame.session, tree, old, new, known)
            call.name(new, name)
        found, is_outside = found or bool(names), is_outside or call.is_fork
        call = call.called_by
    return found


def _holds(tree: Any, value: Value) -> bool:
    return any(leaf is value for leaf in leaves(tree))
