"""What does ``self.table = value`` do? The Cell has the value after each run of the program.

What the program reads of the attribute from then on is the value; what it read before is guarded,
so the next call finds another program, or makes one.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.stores import AS_PARAMETER, Store
from s2sad.core.tensor import Tensor
from s2sad.frontend.expressions import STORED, holds_tensor, is_tensor
from s2sad.frontend.frame import Frame, Session
from s2sad.ir import builder as builders
from s2sad.ir.graph import Value


def store(frame: Frame, owner: Cell, name: str, path: str, value: Any) -> None:
    """``owner.name = value``.

    Raises
    ------
    S2sadError
        E0104 in a branch or a loop on data, and for a container of tensors.
    """
    session = frame.session
    if builders.current().region is not session.region:
        raise fail(
            "E0104", f"{path} cannot be assigned in a branch or a loop on data, or where a "
            "derivative is taken", help=AS_PARAMETER,
        )  # fmt: skip
    if is_tensor(value):
        value = builders.current().value(value)
    elif holds_tensor(value):
        raise fail(
            "E0104", f"{path} cannot become a container of tensors in compiled code",
            help="assign them one by one, or make each a Parameter",
        )  # fmt: skip
    is_data = isinstance(value, Value)
    session.stores[id(owner), name] = Store(owner, name, value, is_data=is_data)


def stored(session: Session, owner: Any, name: str, default: Any) -> Any:
    """What the program has assigned to ``owner.name``; `default` where it has not."""
    found = session.stores.get((id(owner), name))
    return default if found is None else found.value


STORED.append(stored)


def results_of(session: Session) -> list[tuple[Store, Value]]:
    """All stores, each with a result that the program gives for it."""
    builder = builders.current()
    return [
        (each, each.value if each.is_data else builder.value(Tensor(0).array))
        for each in session.stores.values()
    ]
