"""Which tensors may share elements, and which of them may no longer be read?

In Python a slice of an array sees what is written to the array, and the reverse; and after a branch
that lets ``y = x`` on one side the two may be one object, or not. Values do not change, so a slice
keeps what it was. After a write to a tensor nothing is read that may share elements with it, but
for the variables that surely hold it, which hold the new one. Reading anything else is an error
that shows both places.
"""

from __future__ import annotations

from s2sad.core import location as locations
from s2sad.core.diagnostics import fail
from s2sad.frontend.frame import Frame, Session
from s2sad.ir.graph import Operation, Value

#: Operations whose result NumPy gives as a view of their first operand.
VIEWS = frozenset({
    "broadcast_to", "dynamic_slice", "expand_dims", "reshape", "slice", "squeeze", "transpose",
})  # fmt: skip


def note_result(session: Session, result: Value, *candidates: object) -> None:
    """Note that `result`, of a branch or a loop, may be any of `candidates` that are values."""
    values = tuple(x for x in candidates if isinstance(x, Value))
    session.maybe[result] = len(session.writes), values


def origins(session: Session, value: Value) -> dict[Value, int]:
    """The values of which `value` may be a part, and itself; with the first write that counts.

    What was written before a branch ended has come into its results.
    """
    found: dict[Value, int] = {}
    rest = [(value, 0)]
    while rest:
        each, since = rest.pop()
        if found.get(each, since + 1) <= since:
            continue
        found[each] = since
        ended, candidates = session.maybe.get(each, (0, ()))
        rest += [(candidate, max(since, ended)) for candidate in candidates]
        if isinstance(each.owner, Operation) and _is_view(each.owner):
            rest.append((each.owner.operands[0], since))
    return found


def _is_view(operation: Operation) -> bool:
    name = operation.prim.name
    is_row = name == "gather" and not operation.operands[1].ndim
    return is_row or name in VIEWS


def note_write(session: Session, value: Value) -> None:
    """From now on nothing is read that may share elements with `value`, nor `value` itself."""
    number = len(session.writes)
    session.writes.append(locations.current.get())
    session.overwritten.update(dict.fromkeys(origins(session, value), number))


def require_fresh(frame: Frame, name: str, value: object) -> None:
    """Refuse to read a variable that may have changed by a write to another one (E0107)."""
    session = frame.session
    if not session.overwritten or not isinstance(value, Value):
        return
    for origin, since in origins(session, value).items():
        number = session.overwritten.get(origin, -1)
        if number >= since:
            place = session.writes[number]
            where = f"{place.file}:{place.line}:{place.column}" if place is not None else "before"
            raise fail(
                "E0107", f"`{name}` may share elements with a tensor that was written at {where}",
                help="copy it before the write, or read it again from the tensor after the write",
            )  # fmt: skip
