"""Which variables are read where nothing can have assigned them yet?

One walk over the statements of a function, in their order. What may have been assigned, on whatever
path or in an earlier pass of a loop, counts as assigned: what is named here fails on every path.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import gast

from s2sad.frontend.carried import stored_names

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef)


@lru_cache(maxsize=64)
def unassigned(function: Any) -> frozenset[Any]:
    """The first such read of each variable of `function`, as nodes."""
    if not isinstance(function.body, list):
        return frozenset()
    walk = _Walk(_own_names(function))
    walk.block(function.body)
    return frozenset(walk.found)


def _own_names(function: Any) -> set[str]:
    """Variables that the function assigns, parameters apart."""
    parameters = {x.id for x in gast.walk(function.args) if isinstance(x, gast.Name)}
    return set(stored_names(function.body)) - parameters - _declared(function)


def _declared(node: Any) -> set[str]:
    kinds = (gast.Global, gast.Nonlocal)
    return {name for x in gast.walk(node) if isinstance(x, kinds) for name in x.names}


class _Walk:
    """Goes through a function.

    Attributes
    ----------
    waiting : set of str
        Variables that nothing can have assigned so far.
    found : list of node
    """

    def __init__(self, names: set[str]) -> None:
        self.waiting = names
        self.found: list[Any] = []

    def block(self, statements: Iterable[Any]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: Any) -> None:
        if isinstance(node, gast.Assign):
            self._assign(node.value, node.targets)
        elif isinstance(node, gast.AugAssign):
            self._expressions([node.target, node.value], is_read=True)
        elif isinstance(node, gast.AnnAssign):
            if node.value is not None:
                self._assign(node.value, [node.target])
        elif isinstance(node, (gast.For, gast.AsyncFor, gast.While)):
            self._loop(node)
        elif isinstance(node, gast.If):
            self._expressions([node.test])
            self._sides(node.body, node.orelse)
        elif isinstance(node, FUNCTIONS):
            self._expressions([*node.decorator_list, *node.args.defaults])
            self.waiting -= {node.name, *_declared(node)}
        elif isinstance(node, (gast.Return, gast.Expr, gast.Raise, gast.Assert)):
            self._expressions(gast.iter_child_nodes(node))
        elif isinstance(node, (gast.With, gast.AsyncWith)):
            for item in node.items:
                self._assign(item.context_expr, filter(None, [item.optional_vars]))
            self.block(node.body)
        else:  # of what is rare, the parts are not told apart
            self.waiting -= set(stored_names([node]))
            if not isinstance(node, gast.ClassDef):  # whose names are its own
                self._inside(node)

    def _inside(self, node: Any) -> None:
        for each in gast.iter_child_nodes(node):
            if isinstance(each, gast.stmt):
                self._statement(each)
            elif isinstance(each, gast.expr):
                self._expression(each)
            else:  # a handler, or a case
                self._inside(each)

    def _assign(self, value: Any, targets: Iterable[Any]) -> None:
        targets = list(targets)
        self._expressions([value, *targets])
        self.waiting -= set(stored_names(targets))

    def _loop(self, node: Any) -> None:
        """What a pass assigns, the next one may read."""
        if not isinstance(node, gast.While):
            self._expressions([node.iter])
        self.waiting -= set(stored_names([node]))
        self._expressions([node.test] if isinstance(node, gast.While) else [node.target])
        self.block(node.body)
        self.block(node.orelse)

    def _sides(self, *sides: list[Any]) -> None:
        before, left = self.waiting, []
        for side in sides:
            self.waiting = set(before)
            self.block(side)
            left.append(self.waiting)
        self.waiting = set.intersection(*left)

    def _expressions(self, nodes: Iterable[Any], *, is_read: bool = False) -> None:
        for node in nodes:
            self._expression(node, is_read=is_read)

    def _expression(self, node: Any, *, is_read: bool = False) -> None:
        if isinstance(node, gast.Name):
            if node.id in self.waiting and (is_read or isinstance(node.ctx, gast.Load)):
                self.found.append(node)
                self.waiting.discard(node.id)  # it is named once
        elif isinstance(node, gast.NamedExpr):
            self._assign(node.value, [node.target])
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node)
        elif isinstance(node, gast.Lambda):
            self._expressions(node.args.defaults)
        else:
            self._expressions(gast.iter_child_nodes(node))

    def _comprehension(self, node: Any) -> None:
        """Its variables are its own, and hide those of the function."""
        self._expression(node.generators[0].iter)
        self.waiting -= set(stored_names([node]))  # by `:=`
        own = set(stored_names([each.target for each in node.generators]))
        hidden, self.waiting = self.waiting & own, self.waiting - own
        self._expressions(gast.iter_child_nodes(node))
        self.waiting |= hidden
