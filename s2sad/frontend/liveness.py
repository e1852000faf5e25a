"""Which variables are read after a loop, or in a pass before the pass assigns them?

One walk backwards over the statements of a function. It may count too many: what is not sure counts
as read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gast

from s2sad.frontend.carried import stored_names

Names = frozenset[str]
DEFINITIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)


@dataclass(frozen=True)
class Live:
    """What a loop needs of its variables.

    Attributes
    ----------
    entry : frozenset of str
        Variables that a pass, or what comes after it, may read before they are assigned again.
    after : frozenset of str
        Variables that may be read after the last pass.
    """

    entry: Names
    after: Names


@lru_cache(maxsize=256)
def liveness(function: Any) -> Mapping[Any, Live]:
    """`Live` of each loop in the tree of a function, nested functions apart."""
    walk = _Walk(_read_later(function))
    walk.block(function.body, Names(), Names())
    return walk.found


def _read_later(function: Any) -> Names:
    """Names in functions that are defined inside: when those are called is not followed."""
    inner = [node for node in gast.walk(function) if isinstance(node, DEFINITIONS)]
    return Names().union(*(_loads(node) for node in inner if node is not function))


def _loads(node: Any) -> Names:
    """Names that are read somewhere in `node`."""
    found = [] if node is None else list(gast.walk(node))
    names = {n.id for n in found if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Store)}
    targets = [n.target for n in found if isinstance(n, gast.AugAssign)]
    return Names(names | {t.id for t in targets if isinstance(t, gast.Name)})


class _Walk:
    """Follows which names are read later, from the end of a function to its beginning.

    Each method gives what is read from its statement on, given what is read `after` it and what a
    `break` or `continue` in it may lead to.
    """

    def __init__(self, always: Names) -> None:
        self.always = always
        self.found: dict[Any, Live] = {}

    def block(self, statements: Iterable[Any], after: Names, jump: Names) -> Names:
        for statement in reversed(list(statements)):
            after = self._statement(statement, after, jump)
        return after

    def _statement(self, node: Any, after: Names, jump: Names) -> Names:
        if isinstance(node, gast.Assign):
            return (after - Names(stored_names(node.targets))) | _loads(node)
        if isinstance(node, gast.If):
            sides = [self.block(side, after, jump) for side in (node.body, node.orelse)]
            return _loads(node.test).union(*sides)
        if isinstance(node, gast.For):
            return self._for(node, self.block(node.orelse, after, jump), after)
        if isinstance(node, gast.While):
            return self._while(node, self.block(node.orelse, after, jump), after)
        if isinstance(node, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
            return _loads(node) | jump
        return self._any(node, after, jump)

    def _for(self, node: Any, end: Names, after: Names) -> Names:
        targets = Names(stored_names([node.target]))
        head, entry = end, Names()
        while True:
            entry = self.block(node.body, head, head | after)
            new = head | (entry - targets)
            if new == head:
                break
            head = new
        self.found[node] = Live((entry - targets) | self.always, end | after | self.always)
        return head | _loads(node.iter) | _loads(node.target)

    def _while(self, node: Any, end: Names, after: Names) -> Names:
        """What a pass needs is told as if the condition always held; else the end comes at once."""
        entry = self._passes(node, Names(), after)
        self.found[node] = Live(entry | self.always, end | after | self.always)
        return self._passes(node, end, after)

    def _passes(self, node: Any, end: Names, after: Names) -> Names:
        head = end | _loads(node.test)
        while True:
            new = head | self.block(node.body, head, head | after)
            if new == head:
                return head
            head = new

    def _any(self, node: Any, after: Names, jump: Names) -> Names:
        """Another statement: all that it reads may be read at any place in it."""
        after = after | _loads(node)
        if not isinstance(node, DEFINITIONS):
            outer = self.always
            self.always = outer | after | jump
            for statements in _blocks(node):
                self.block(statements, after | jump, after | jump)
            self.always = outer
        return after


def _blocks(node: Any) -> Iterator[list[Any]]:
    """Lists of statements in `node`, also those of its handlers and cases."""
    for _, field in gast.iter_fields(node):
        for item in field if isinstance(field, list) else ():
            if isinstance(item, gast.stmt):
                yield field
                break
            if isinstance(item, gast.AST):
                yield from _blocks(item)
