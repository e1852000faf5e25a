"""How does a family say what its operations become?

A rule takes the region that is being lowered and an operation, adds nodes to the graph, and gives
an edge for each result. `direct` makes the rule of what GE has as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from s2sad.backends.ascend.datatypes import data_type_of
from s2sad.backends.ascend.graph import Edge
from s2sad.backends.ascend.prototypes import prototype
from s2sad.core import dtypes
from s2sad.core.dtypes import DType

if TYPE_CHECKING:
    from s2sad.backends.ascend.lowering.region import Lowering
    from s2sad.ir.graph import Operation

Rule = Callable[["Lowering", "Operation"], "Edge | Sequence[Edge]"]

#: Rules by the name of the primitive.
RULES: dict[str, Rule] = {}
#: What a rule needs to hold before it is taken; other operations of that name are decomposed.
CONDITIONS: dict[str, Callable[[Operation], bool]] = {}
#: Operators that are all of what a primitive becomes.
OPERATORS: dict[str, str] = {}

#: What is computed in a wider dtype, and rounded.
WIDER = {dtypes.float16: dtypes.float32, dtypes.bfloat16: dtypes.float32}
#: Operators whose results are no larger than their operands, so that narrow integers can be wide.
IN_RANGE = frozenset(("Maximum", "Minimum", "FloorMod"))
SMALL = (dtypes.int8, dtypes.uint8, dtypes.int16)


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
    """The rule of an operation that GE has: operands are its required inputs, in order.

    What the operator does not take in a narrow dtype goes through a wider one.
    """
    ports = [port.name for port in prototype(type).inputs if port.kind == "required"]

    def rule(lowering: Lowering, operation: Operation) -> Edge:
        edges = list(map(lowering.edge, operation.operands))
        dtype, wide = operation.operands[0].dtype, wider(type, operation.operands[0].dtype)
        if wide is dtype:
            inputs = dict(zip(ports, edges, strict=True))
            return lowering.node(operation, type, inputs, attributes)
        inputs = {
            port: lowering.cast(operation, edge, wide) if value.dtype is dtype else edge
            for port, edge, value in zip(ports, edges, operation.operands, strict=True)
        }
        (result,) = operation.results
        made = wide if result.dtype is dtype else result.dtype
        found = lowering.node(
            operation, type, inputs, attributes, outputs=[lowering.made(result, made)]
        )
        return lowering.cast(operation, found, result.dtype)

    rule.__doc__ = f"GE's {type}."
    return rule


def wider(type: str, dtype: DType) -> DType:
    """The dtype in which an operator computes what is asked for in `dtype`: the same if it can."""
    port = next(port for port in prototype(type).inputs if port.kind == "required")
    wide = WIDER.get(dtype, dtypes.int32 if type in IN_RANGE and dtype in SMALL else dtype)
    is_needed = not port.takes(data_type_of(dtype).name)
    return wide if is_needed and port.takes(data_type_of(wide).name) else dtype


def table(names: Mapping[str, str]) -> None:
    """Register operations that GE has as they are, by the primitive's name."""
    for name, type in names.items():
        RULES[name] = direct(type)
    one_for_one(names)


def one_for_one(names: Mapping[str, str]) -> None:
    """Note operators that compute all of a composite: it is decomposed for other dtypes."""
    OPERATORS.update(names)


def takes(operation: Operation) -> bool:
    """Whether GE has an operator, or a few, for `operation` as it stands."""
    name = operation.prim.name
    if operation.prim.is_composite and name in OPERATORS:
        dtype = operation.operands[0].dtype
        port = next(p for p in prototype(OPERATORS[name]).inputs if p.kind == "required")
        if not port.takes(data_type_of(wider(OPERATORS[name], dtype)).name):
            return False
    return name in RULES and CONDITIONS.get(name, lambda _: True)(operation)
