"""Which lists and dicts may compiled code change?

Those that it has made itself, where it made them: in the same branch, loop and function that is
differentiated. What comes from outside belongs to the user, and what a branch on data changes would
be changed whether or not it is taken.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.trees import map_leaves
from s2sad.ir import builder as builders

#: Methods that change a list or a dict.
CHANGING = frozenset({
    "append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault",
    "update",
})  # fmt: skip


def own(session: Session, made: Any) -> Any:
    """`made`, a list or dict that compiled code has made here and now."""
    session.made[id(made)] = made, builders.current().region
    return made


def own_new(session: Session, made: Any) -> Any:
    """`made`, which is nothing that was there before; noted where it is a list or a dict."""
    return own(session, made) if type(made) in (list, dict) else made


def own_all(session: Session, tree: Any) -> Any:
    """`tree`, which was built anew, with all lists and dicts in it noted."""
    if isinstance(tree, (tuple, list)):
        for item in tree:
            own_all(session, item)
    elif isinstance(tree, dict):
        for item in tree.values():
            own_all(session, item)
    return own_new(session, tree)


def renewed(frame: Frame) -> None:
    """Let the variables of `frame`, a fork, hold copies of the lists and dicts it may change."""
    made = frame.session.made
    for name, tree in list(frame.local_names.items()):
        if id(tree) in made:
            frame.local_names[name] = own_all(frame.session, map_leaves(tree, lambda leaf: leaf))


def require_own(frame: Frame, container: Any) -> None:
    """Refuse to change a container of somebody else, or of a region around this one (E0104)."""
    kind = type(container).__name__
    _, region = frame.session.made.get(id(container), (None, None))
    if region is None:
        raise fail(
            "E0104", f"this {kind} comes from outside of compiled code, which cannot change it",
            help="build a new one: [*items, item], {**entries, key: value}",
        )  # fmt: skip
    if region is not builders.current().region:
        raise fail(
            "E0104", f"this {kind} cannot be changed in a branch or a loop on data",
            help="fill a tensor of known length with `x[i] = v` instead",
        )  # fmt: skip
