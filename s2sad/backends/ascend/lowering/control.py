"""Branches and loops: nodes that call graphs, with all that these read as inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of, is_held
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.core import dtypes
from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Form
from s2sad.ir.types import StackType

COUNTER = Desc("DT_INT64", ())


def captured(regions: Sequence[Region]) -> list[Value]:
    """Values from outside that `regions` read, constants left out: those are made again inside."""
    found: dict[Value, None] = {}
    for region in regions:
        inside = set(_made_in(region))
        for value in _read_in(region):
            if value not in inside and is_held(value.type) and not _is_constant(value):
                found[value] = None
    return list(found)


def _made_in(region: Region) -> Iterator[Value]:
    yield from region.args
    for operation in region.operations:
        yield from operation.results
        for inner in operation.regions.values():
            yield from _made_in(inner)


def _read_in(region: Region) -> Iterator[Value]:
    for operation in region.operations:
        yield from operation.operands
        for inner in operation.regions.values():
            yield from _read_in(inner)
    yield from region.yields


def _is_constant(value: Value) -> bool:
    return isinstance(value.owner, Operation) and value.owner.prim.form is Form.CONST


def _inside(
    lowering: Lowering, name: str, values: Sequence[Value], given: Sequence[Desc]
) -> Lowering:
    """The graph of a region, whose inputs are `values`; the first of `given` may have none."""
    graph = Lowering(lowering.unique_graph(name), lowering.graphs)
    edges = [graph.builder.data(desc) for desc in given]
    graph.edges.update(zip(values, edges[len(edges) - len(values) :], strict=True))
    return graph


@lowers("if_")
def _if(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    regions = [operation.regions[name] for name in ("then", "orelse")]
    values = captured(regions)
    descs = [_desc(lowering, value) for value in values]
    names = []
    for name, region in zip(("then", "else"), regions, strict=True):
        graph = _inside(lowering, name, values, descs)
        graph.end(graph.lower_region(region))
        names.append(graph.finish())
    given = {
        "cond": lowering.edge(operation.operands[0]),
        "input": list(map(lowering.edge, values)),
    }
    return _called(lowering, operation, "If", given, names)


def _desc(lowering: Lowering, value: Value) -> Desc:
    desc = lowering.desc(lowering.edge(value))
    return Desc(desc.type, desc.shape)


def _called(
    lowering: Lowering, operation: Operation, type: str, given: dict, names: Sequence[str]
) -> Sequence[Edge]:
    """The node that calls the graphs `names`: a While gives what it is given, as it is then."""
    results = [value for value in operation.results if is_held(value.type)]
    descs = [desc_of(value.type) for value in results]
    if type == "While":
        descs = [lowering.desc(edge) for edge in given["input"]]
    node = lowering.node(
        operation, type, given, outputs=[Desc(desc.type, desc.shape) for desc in descs],
        subgraphs=names, after=lowering.users_of_stacks(given["input"]),
    )  # fmt: skip
    if _has_effects(operation):
        lowering.order(node)
    return lowering.builder.outputs(node)


def _has_effects(operation: Operation) -> bool:
    return any(not is_held(value.type) for value in operation.results)


@lowers("while_")
def _while(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    condition, body = operation.regions["condition"], operation.regions["body"]
    carried = [value for value in operation.operands if is_held(value.type)]
    outside = captured([condition, body])
    descs = [desc_of(value.type) for value in carried] + [_desc(lowering, v) for v in outside]
    test = _inside(lowering, "cond", [*_held(condition.args), *outside], descs)
    test.end(test.lower_region(condition))
    step = _inside(lowering, "body", [*_held(body.args), *outside], descs)
    step.end([*step.lower_region(body), *map(step.edge, outside)])
    given = {"input": [lowering.edge(value) for value in (*carried, *outside)]}
    edges = _called(lowering, operation, "While", given, [test.finish(), step.finish()])
    return edges[: len(carried)]


def _held(values: Sequence[Value]) -> list[Value]:
    return [value for value in values if is_held(value.type)]


@lowers("for_")
def _for(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """A While that counts: its first inputs are the counter, where it stops, and the step."""
    body = operation.regions["body"]
    bounds, carried = operation.operands[:3], _held(operation.operands[3:])
    outside = captured([body])
    descs = [COUNTER] * 3 + [desc_of(v.type) for v in carried]
    descs += [_desc(lowering, value) for value in outside]
    test = _inside(lowering, "cond", [], descs)
    test.end([_goes_on(test, operation)])
    step = _inside(lowering, "body", [*_held(body.args[1:]), *outside], descs)
    data = list(step.builder.graph.of_type("Data"))
    counter, stop, by = (Edge(node.name) for node in data[:3])
    step.edges[body.args[0]] = counter
    results = step.lower_region(body)
    after = step.node(operation, "Add", {"x1": counter, "x2": by}, outputs=[COUNTER])
    step.end([after, stop, by, *results, *map(step.edge, outside)])
    starts = [lowering.cast(operation, lowering.edge(v), dtypes.int64) for v in bounds]
    given = {"input": [*starts, *(lowering.edge(value) for value in (*carried, *outside))]}
    edges = _called(lowering, operation, "While", given, [test.finish(), step.finish()])
    return edges[3 : 3 + len(carried)]


def _goes_on(test: Lowering, operation: Operation) -> Edge:
    """Whether the counter is not yet at the end: ``(stop - counter) * sign(step) > 0``."""
    counter, stop, step = (Edge(node.name) for node in list(test.builder.graph.of_type("Data"))[:3])
    left = test.node(operation, "Sub", {"x1": stop, "x2": counter}, outputs=[COUNTER])
    sign = test.node(operation, "Sign", {"x": step}, outputs=[COUNTER])
    forward = test.node(operation, "Mul", {"x1": left, "x2": sign}, outputs=[COUNTER])
    given = {"x1": forward, "x2": test.constant(0)}
    return test.node(operation, "Greater", given, outputs=[Desc("DT_BOOL", ())])


# Tapes are stacks, which their handle names: who pushes and pops comes in order


@lowers("stack_empty")
def _empty(lowering: Lowering, operation: Operation) -> Edge:
    """Without a greatest size, which GE writes as -1."""
    given = {"max_size": lowering.constant(-1, dtypes.int32)}
    options = {"elem_type": operation.attrs["of"].dtype, "stack_name": lowering.stack_name()}
    return lowering.node(operation, "Stack", given, options)


@lowers("stack_push")
def _push(lowering: Lowering, operation: Operation) -> Edge:
    handle, x = map(lowering.edge, operation.operands)
    made = [desc_of(operation.operands[1].type)]
    node = lowering.node(operation, "StackPush", {"handle": handle, "element": x}, outputs=made)
    lowering.touch(handle, node)
    return handle


@lowers("stack_pop")
def _pop(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    (stack,) = operation.operands
    assert isinstance(stack.type, StackType)
    handle, element = lowering.edge(stack), desc_of(stack.type.element)
    node = lowering.node(
        operation, "StackPop", {"handle": handle}, {"elem_type": element.type}, outputs=[element]
    )
    lowering.touch(handle, node)
    return [handle if isinstance(v.type, StackType) else node for v in operation.results]


@lowers("stack_drop")
def _drop(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    handle = lowering.edge(operation.operands[0])
    lowering.touch(handle, lowering.node(operation, "StackClose", {"handle": handle}, outputs=[]))
    return ()
