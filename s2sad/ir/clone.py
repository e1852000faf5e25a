"""How is a function, or a part of one, copied?

Copies keep types, names, attributes, locations and scopes. Operations and values are new; constant
arrays are shared, for nobody writes them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from s2sad.core.location import Location
from s2sad.ir.graph import Function, Operation, Region, Value

#: New values by the old ones that they stand for.
Mapping = dict[Value, Value]
#: Location and scope of the copy of an operation.
Origin = Callable[[Operation], tuple[Location | None, str]]
#: A type or an attribute of the copy, by that of the original.
Static = Callable[[Any], Any]


def own_origin(operation: Operation) -> tuple[Location | None, str]:
    """The location and scope that `operation` has."""
    return operation.loc, operation.scope


def as_it_is(part: Any) -> Any:
    """A type or an attribute, the same in the copy."""
    return part


def clone(function: Function, static: Static = as_it_is) -> Function:
    """Copy of `function` that shares no operation and no value with it.

    `static` gives types and attributes of the copy.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> clone(build_function(lambda x: p.neg(x), [f32[4]]))
    <function main(f32[4]) -> (f32[4])>
    """
    body = copy_region(function.body, {}, static=static)
    return dataclasses.replace(function, body=body, donates=dict(function.donates))


def copy_region(
    region: Region, mapping: Mapping, origin: Origin = own_origin, static: Static = as_it_is
) -> Region:
    """Copy of `region`, in no operation yet.

    Parameters
    ----------
    region : Region
    mapping : dict of Value to Value
        What to read in place of values from outside; one that is missing is read itself. The
        arguments and results of the region are added to it.
    origin : callable
        Location and scope for the copy of each operation.
    static : callable
        Type or attribute of the copy for that of the original.
    """
    copy = Region([static(v.type) for v in region.args], [v.name for v in region.args])
    mapping.update(zip(region.args, copy.args, strict=True))
    for operation in copy_operations(region.operations, mapping, origin, static):
        copy.append(operation)
    copy.set_reads([mapping.get(value, value) for value in region.yields])
    return copy


def copy_operations(
    operations: Iterable[Operation], mapping: Mapping, origin: Origin = own_origin,
    static: Static = as_it_is,
) -> list[Operation]:  # fmt: skip
    """Copies of `operations`, in no region yet; each reads the copies before it."""
    return [copy_operation(operation, mapping, origin, static) for operation in operations]


def copy_operation(
    operation: Operation, mapping: Mapping, origin: Origin = own_origin, static: Static = as_it_is
) -> Operation:
    """Copy of one operation, in no region yet; its results are added to `mapping`."""
    loc, scope = origin(operation)
    regions = operation.regions.items()
    copy = Operation(
        operation.prim,
        [mapping.get(value, value) for value in operation.operands],
        operation.attrs
        if static is as_it_is
        else {name: static(value) for name, value in operation.attrs.items()},
        [static(value.type) for value in operation.results],
        regions={name: copy_region(region, mapping, origin, static) for name, region in regions},
        names=[value.name for value in operation.results],
        loc=loc,
        scope=scope,
    )
    mapping.update(zip(operation.results, copy.results, strict=True))
    return copy
