"""What does a function of the IR compute, operation by operation?

The plain evaluator: it calls each primitive's NumPy meaning on trusted operands. Composites,
folding and tests use it; the NumPy backend emits Python instead and is held to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.core import location, simulation
from s2sad.core.diagnostics import fail
from s2sad.core.dispatch import slots
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import as_run_time
from s2sad.ir.types import Type, type_of

#: Is told of an operation, its operands and its results.
See = Callable[[Operation, Sequence[Any], Sequence[Any]], None]


def evaluate(function: Function, inputs: Sequence[Any], see: See | None = None) -> tuple[Any, ...]:
    """Results of `function` for arrays, stacks and tokens of its input types.

    Where somebody wants to `see` that, each operation is told when it has run, also those in
    regions, each time that they run; one with regions comes after what is in them.

    Raises
    ------
    S2sadError
        E0303 when an input has another type than declared.
    """
    inputs = [as_run_time(x) for x in inputs]
    found = tuple(type_of(x) for x in inputs)
    if found != function.input_types:
        raise fail("E0303", f"{function.name} takes {function.input_types}, got {found}")
    return run_region(function.body, inputs, {}, see)


def run_region(
    region: Region, args: Sequence[Any], outer: dict[Value, Any], see: See | None = None
) -> tuple[Any, ...]:
    """What `region` yields for `args`, with `outer` giving the values it captures."""
    known = {**outer, **dict(zip(region.args, args, strict=True))}
    for operation in region.operations:
        results = run_operation(operation, known, see)
        known.update(zip(operation.results, results, strict=True))
    return tuple(known[value] for value in region.yields)


def run_operation(
    operation: Operation, known: dict[Value, Any], see: See | None = None
) -> tuple[Any, ...]:
    """Results of one operation whose operands are in `known`."""
    arrays = [known[value] for value in operation.operands]
    regions = {
        name: RunningRegion(region, known, see) for name, region in operation.regions.items()
    }
    types = tuple(value.type for value in operation.results)
    if not regions and simulation.is_launched(False):
        results = _launched(operation, arrays, types)
    else:
        results = operation.prim.run(arrays, {**operation.attrs, **regions}, types)
    if see is not None:
        see(operation, arrays, results)
    return results


def _launched(
    operation: Operation, arrays: Sequence[Any], types: Sequence[Type]
) -> tuple[Any, ...]:
    """The same of a device, which the host launches it on."""
    with location.at(operation.loc):
        return slots().launch(operation.prim, arrays, operation.attrs, types)


@dataclass(frozen=True, eq=False)
class RunningRegion:
    """A region as the meaning of its operation calls it: on arrays.

    Attributes
    ----------
    region : Region
    known : dict of Value to array
        The values that it may capture.
    see : callable, optional
        As of `evaluate`.
    """

    region: Region
    known: dict[Value, Any]
    see: See | None = None

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        return run_region(self.region, [as_run_time(x) for x in args], self.known, self.see)
