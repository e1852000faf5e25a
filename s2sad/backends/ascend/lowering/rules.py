"""How does a family say what its operations become?

A rule takes the region that is being lowered and an operation, adds nodes to the graph, and gives
an edge for each result. `direct` makes the rule of what GE has as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from s2sad.backends.ascend.graph import Edge
from s2sad.backends.ascend.prototypes import prototype

if TYPE_CHECKING:
    from s2sad.backends.ascend.lowering.region import Lowering
    from s2sad.ir.graph import Operation

Rule = Callable[["Lowering", "Operation"], "Edge | Sequence[Edge]"]

#: Rules by the name of the primitive.
RULES: dict[str, Rule] = {}
#: What a rule needs to hold before it is taken; other operations of that name are decomposed.
CONDITIONS: dict[str, Callable[[Operation], bool]] = {}


def lowers(*names: str, where: Callable[[Operation], bool] | None = None) -> Callable[[Rule], Rule]:
    """Register a rule for the primitives `names`.

    Parameters
    ----------
    where : callable, optional
        Whether GE's operator computes this one; a composite that it does not is decomposed.
    """

    def register(rule: Rule) -> Rule:
        for name in names:
            RULES[name] = rule
            if where is not None:
                CONDITIONS[name] = where
        return rule

    return register


def direct(type: str, attributes: Mapping[str, Any] | None = None) -> Rule:
    """The rule of an operation that GE has: operands are its required inputs, in order."""
    ports = [port.name for port in prototype(type).inputs if port.kind == "required"]

    def rule(lowering: Lowering, operation: Operation) -> Edge:
        inputs = dict(zip(ports, map(lowering.edge, operation.operands), strict=True))
        return lowering.node(operation, type, inputs, attributes)

    rule.__doc__ = f"GE's {type}."
    return rule


def table(names: Mapping[str, str]) -> None:
    """Register operations that GE has as they are, by the primitive's name."""
    for name, type in names.items():
        RULES[name] = direct(type)


def takes(operation: Operation) -> bool:
    """Whether GE has an operator, or a few, for `operation` as it stands."""
    name = operation.prim.name
    return name in RULES and CONDITIONS.get(name, lambda _: True)(operation)
