"""Is a copy the same program, with nothing of the original in it?"""

from __future__ import annotations

import numpy as np

from s2sad import prims as p
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone, copy_operation, copy_operations, copy_region
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Value
from s2sad.ir.types import f32
from s2sad.ir.verify import verify
from support.corruptions import regions_of, values_of
from support.random_functions import random_function
from support.same import assert_same


def described(function: Function) -> list[object]:
    """All that a copy must keep, values by their places in the program."""
    places = {value: i for i, value in enumerate(values_of(function))}

    def shown(value: Value) -> tuple[object, ...]:
        return places[value], value.type, value.name, value.index

    lines: list[object] = [
        function.name, function.inputs, function.donates, function.tree, function.title,
    ]  # fmt: skip
    for operation in function.walk():
        lines.append((operation.prim, operation.loc, operation.scope, list(operation.attrs)))
        lines.append([id(v) if isinstance(v, np.ndarray) else v for v in operation.attrs.values()])
        lines.append([shown(v) for v in (*operation.operands, *operation.results)])
        lines.append(list(operation.regions))
    for region in regions_of(function):
        lines.append([shown(v) for v in (*region.args, *region.yields)])
    return lines


def test_a_clone_is_the_same_program():
    for seed in range(60):
        function, _ = random_function(seed)
        copy = clone(function)
        verify(copy)
        assert described(copy) == described(function)


def test_a_clone_shares_nothing_that_changes():
    for seed in range(30):
        function, _ = random_function(seed)
        copy = clone(function)
        assert not set(values_of(function)) & set(values_of(copy))
        assert not set(function.walk()) & set(copy.walk())
        assert copy.donates is not function.donates
        verify(function)  # its uses are what they were


def test_a_clone_computes_the_same():
    for seed in range(60):
        function, inputs = random_function(seed)
        copy = clone(function)
        expected = evaluate(function, random_function(seed)[1])  # stacks change in place
        assert_same(evaluate(copy, inputs), expected)


def test_values_from_outside_are_mapped_or_kept():
    function = build_function(
        lambda x, y: p.for_(0, 3, 1, x, body=lambda i, h: p.add(h, y)), [f32[4], f32[4]]
    )
    x, y = function.args
    body = function.body.operations[-1].regions["body"]
    kept = copy_region(body, {})
    assert kept.operations[0].operands == (kept.args[1], y)
    mapping = {y: x}
    mapped = copy_region(body, mapping)
    assert mapped.operations[0].operands == (mapped.args[1], x)
    assert mapping[body.args[1]] is mapped.args[1]
    assert mapping[body.operations[0].result] is mapped.operations[0].result
    assert len(y.uses) == 2 and len(x.uses) == 2


def test_locations_may_be_given():
    function = build_function(lambda x: p.neg(p.neg(x)), [f32])
    place = Location("net.py", 1, 2)
    copies = copy_operations(function.body.operations, {}, lambda operation: (place, "net:Net"))
    assert [(copy.loc, copy.scope) for copy in copies] == [(place, "net:Net")] * 2
    assert copies[1].operands == copies[0].results


def test_an_operation_is_copied_with_its_regions():
    function = build_function(lambda x: p.fused(x, body=p.neg), [f32])
    operation = function.body.operations[0]
    copy = copy_operation(operation, {})
    region = copy.regions["body"]
    assert copy.parent is None and region.parent is copy
    assert region.operations[0].operands == tuple(region.args)
