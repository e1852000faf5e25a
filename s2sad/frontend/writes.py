"""What does an assignment to an item or an attribute do to the variables?

Tensors are values, so ``x[i] = v`` makes another one, and every variable that held the old one
holds it from then on: as in Python all names of one object see the write, also where a function
that was called writes into its argument. What was passed in from outside does not change.
"""

from __future__ import annotations

import operator
from typing import Any

import gast

from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.precision import stored
from s2sad.core.tensor import Tensor
from s2sad.frontend import views
from s2sad.frontend.containers import require_own, with_leaf
from s2sad.frontend.elements import known_index
from s2sad.frontend.expressions import evaluate, is_tensor, method_of_tensor
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.static import as_python
from s2sad.frontend.trees import leaves
from s2sad.ir.graph import Value


def assign_item(frame: Frame, target: Any, value: Any) -> None:
    """``owner[index] = value``.

    Raises
    ------
    S2sadError
        E0104 where a variable outside of a branch or a loop would have to change, and for a
        container that is not the program's own; E0101 for what has no items to be written, and
        those of the write itself.
    """
    owner, index = stored(evaluate(frame, target.value)), evaluate(frame, target.slice)
    if isinstance(owner, Parameter):
        written = method_of_tensor("__setitem__")(owner, index, value)
        method_of_tensor("assign_value")(owner, written)
    elif isinstance(owner, Value):
        index = known_index(owner, index)
        new = method_of_tensor("__setitem__")(owner, index, value)
        link_loops(frame.session, owner)
        views.note_write(frame.session, owner)
        replace(frame, owner, new)
    elif isinstance(owner, Tensor):
        raise fail(
            "E0104", "this Tensor comes from outside of compiled code, which cannot change it",
            help="write into a copy, or make it a Parameter",
        )  # fmt: skip
    elif isinstance(owner, (list, dict)):
        require_own(frame, owner)
        as_python(operator.setitem, owner, index, value)
    else:
        raise fail("E0101", f"assigning to an item of a {type(owner).__name__} cannot be compiled")


def assign_attribute(frame: Frame, target: Any, value: Any) -> None:
    """``owner.name = value``, which writes a Parameter.

    Raises
    ------
    S2sadError
        E0101 where nothing is there that can be written, E0104 where it would become another
        Parameter, and those of the write itself.
    """
    owner = evaluate(frame, target.value)
    path = gast.unparse(target).strip()
    held = None if is_tensor(owner) else getattr(owner, target.attr, None)
    if not isinstance(held, Parameter):
        raise fail(
            "E0101", f"assigning to {path} cannot be compiled yet",
            help="only a Parameter can be written: self.count = Parameter(...) in __init__",
        )  # fmt: skip
    if isinstance(value, Parameter) and value is not held:
        raise fail(
            "E0104", f"{path} would become another Parameter, which compiled code cannot do",
            help=f"ops.assign({path}, ...) lets it hold the same numbers",
        )  # fmt: skip
    method_of_tensor("assign_value")(frame.attribute(owner, target.attr, path), value)


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


def replace(frame: Frame, old: Value, new: Value) -> None:
    """Let every variable that holds `old` hold `new`, here and in the calls that led here."""
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
    if not found:
        raise fail(
            "E0104", "no variable holds the tensor that is written here",
            help="give it a name first, or write into the tensor that it is a part of",
        )  # fmt: skip


def _holds(tree: Any, value: Value) -> bool:
    return any(leaf is value for leaf in leaves(tree))
