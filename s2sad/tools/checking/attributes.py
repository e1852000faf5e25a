"""Is an attribute of `self` one that a Cell cannot have?

Whoever makes a Cell may give it anything, so a name that nothing in the file sets is no error by
itself. It counts as one where it is close to one that is set, by more than a number, or is what
another library calls something that a Cell has under another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import gast

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import did_you_mean
from s2sad.core.elsewhere import OF_CELLS
from s2sad.tools.checking.scopes import FUNCTIONS, Scope, bases, own

#: A file that mentions one of these may set attributes that its text does not show.
SETTING = frozenset({
    "__class__", "__dict__", "__getattr__", "__getattribute__", "insert_child_to_cell",
    "insert_param_to_cell", "register_buffer", "setattr", "vars", "__setattr__",
})  # fmt: skip


def set_in(tree: Any) -> frozenset[str] | None:
    """Attributes that a file sets, of whatever; None where its text does not show all of them."""
    found: set[str] = set()
    for node in gast.walk(tree):
        name = getattr(node, "attr", None) or getattr(node, "id", None)
        name = node.name if isinstance(node, FUNCTIONS) else name
        if name in SETTING:
            return None
        if isinstance(node, gast.Attribute) and not isinstance(node.ctx, gast.Load):
            found.add(node.attr)
    return frozenset(found)


def meant(
    name: str, classes: Sequence[Any], scopes: Mapping[Any, Scope], given: frozenset[str]
) -> str | None:
    """Help for an attribute that a Cell does not have; None where it may have it.

    Parameters
    ----------
    name : str
    classes : sequence of gast.ClassDef
        That of the Cell, and those of the file which it inherits from.
    scopes : mapping
        Where each is defined.
    given : frozenset of str
        Attributes that the file sets.
    """
    kinds = [kind for each in classes for kind in bases(each, scopes[each])]
    if Cell not in kinds or not all(_is_plain(kind) for kind in kinds):
        return None
    known = {*given, *_of_every_cell(), *(x for each in classes for x in _of_class(each))}
    if name in known or name.startswith("__"):
        return None
    if name in OF_CELLS:
        return OF_CELLS[name]
    return did_you_mean(name, [each for each in known if _letters(each) != _letters(name)])


def _is_plain(kind: Any) -> bool:
    """Whether it is known what a class inherits from this one: Cell, or one of the file."""
    return kind is Cell or kind is object or isinstance(kind, gast.ClassDef)


def _of_class(node: Any) -> Iterator[str]:
    for each in own(node.body):
        if isinstance(each, (*FUNCTIONS, gast.ClassDef)):
            yield each.name
        elif isinstance(each, gast.Name):
            yield each.id


@cache
def _of_every_cell() -> frozenset[str]:
    return frozenset(dir(Cell()))


def _letters(name: str) -> str:
    """A name without its digits: one that differs in those only is not misspelt."""
    return "".join(each for each in name if not each.isdigit())
