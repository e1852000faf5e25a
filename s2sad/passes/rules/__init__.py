"""Laws that hold bit for bit, by the families of the primitives that they are about."""

from __future__ import annotations

from s2sad.passes.rewrite import Rewrite, Rule
from s2sad.passes.rules import arithmetic, cast, logic, select, shape

FAMILIES = (arithmetic, logic, select, cast, shape)


def _rules_of(module: object) -> list[Rule]:
    """The rules that a family's module defines, in the order in which they stand there."""
    return [
        each for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Rewrite) and each is not Rewrite
    ]  # fmt: skip


#: In the order in which they are tried at an operation.
ALL: tuple[Rule, ...] = tuple(rule for module in FAMILIES for rule in _rules_of(module))
