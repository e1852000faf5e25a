"""Which values are parts of one another, and which of them may no longer be read?

In Python a slice of an array sees what is written to the array, and the reverse. Values do not: a
slice keeps what it was. So after a write to one of them the other is not read; that is an error,
which shows both places.
"""

from __future__ import annotations

from s2sad.core import location as locations
from s2sad.core.diagnostics import fail
from s2sad.frontend.frame import Frame
from s2sad.ir.graph import Operation, Value

#: Operations whose result NumPy gives as a view of their first operand.
VIEWS = frozenset({
    "broadcast_to", "dynamic_slice", "expand_dims", "reshape", "slice", "squeeze", "transpose",
})  # fmt: skip


def root_of(value: Value) -> Value:
    """The value of which `value` is a view, or `value` itself."""
    while isinstance(value.owner, Operation) and _is_view(value.owner):
        value = value.owner.operands[0]
    return value


def _is_view(operation: Operation) -> bool:
    name = operation.prim.name
    is_row = name == "gather" and not operation.operands[1].ndim
    return is_row or name in VIEWS


def note_write(frame: Frame, value: Value) -> None:
    """From now on nothing that shares its elements with `value` is read; nor is `value` itself."""
    frame.session.overwritten[root_of(value)] = locations.current.get()


def require_fresh(frame: Frame, name: str, value: object) -> None:
    """Refuse to read a variable that would have changed (E0107)."""
    overwritten = frame.session.overwritten
    if not overwritten or not isinstance(value, Value):
        return
    root = root_of(value)
    if root in overwritten:
        place = overwritten[root]
        where = f"{place.file}:{place.line}:{place.column}" if place is not None else "before"
        raise fail(
            "E0107", f"`{name}` shares its elements with a tensor that was written at {where}",
            help="copy it before the write, or read it again from the tensor after the write",
        )  # fmt: skip
