"""How does a function of the IR go wrong?

Each corruption changes a valid function at a random site, past the methods that keep it whole,
and says whether it found a site. Where a corruption is about one thing, the rest is kept right:
what reads a value from nowhere is among its uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from types import MappingProxyType
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ir.graph import Function, Operation, Reader, Region, Use, Value
from s2sad.ir.primitive import Form
from s2sad.ir.types import StackType, TensorType, Token, f32
from support.random_functions import random_function

Corruption = Callable[[Function, Random], bool]
CORRUPTIONS: dict[str, Corruption] = {}


def corruption(run: Corruption) -> Corruption:
    CORRUPTIONS[run.__name__] = run
    return run


# Sites


def regions_of(function: Function) -> list[Region]:
    inner = [r for operation in function.walk() for r in operation.regions.values()]
    return [function.body, *inner]


def readers_of(function: Function) -> list[Reader]:
    return [*function.walk(), *regions_of(function)]


def values_of(function: Function) -> list[Value]:
    results = [v for operation in function.walk() for v in operation.results]
    return [*(v for region in regions_of(function) for v in region.args), *results]


def reads_of(function: Function) -> list[tuple[Any, int, Value]]:
    return [(r, i, v) for r in readers_of(function) for i, v in enumerate(r._reads)]


def around(region: Region) -> Iterator[Region]:
    """`region`, and those that hold it."""
    place: Any = region
    while isinstance(place, Region):
        yield place
        place = place.parent.parent if isinstance(place.parent, Operation) else None


def home(reader: Any) -> Region:
    return reader if isinstance(reader, Region) else reader.parent


def pick(random: Random, sites: list[Any]) -> Any:
    return random.choice(sites) if sites else None


def reread(random: Random, sites: list[tuple[Any, int, Value]]) -> bool:
    """Let one reader read another value, which knows of it."""
    if not sites:
        return False
    reader, index, value = random.choice(sites)
    reader.set_read(index, value)
    return True


def set_attrs(operation: Operation, attrs: dict[str, Any]) -> bool:
    operation.attrs = MappingProxyType(attrs)
    return True


def other_type(type: Any, random: Random) -> TensorType:  # noqa: A002
    """Another type of a tensor: another dtype, size or rank."""
    if not isinstance(type, TensorType):
        return f32
    dtype = random.choice([d for d in dtypes.ALL if d is not type.dtype])
    longer = (*type.shape, 2)
    return random.choice((TensorType(dtype, type.shape), TensorType(type.dtype, longer)))


# What is read


@corruption
def reads_a_later_value(function: Function, random: Random) -> bool:
    sites = [
        (operation, index, later)
        for region in regions_of(function)
        for place, operation in enumerate(region.operations)
        for index, old in enumerate(operation.operands)
        for after in region.operations[place + 1 :]
        for later in after.results
        if later.type == old.type
    ]
    return reread(random, sites)


@corruption
def reads_its_own_result(function: Function, random: Random) -> bool:
    sites = [
        (o, i, v) for o in function.walk() for i, old in enumerate(o.operands)
        for v in o.results if v.type == old.type
    ]  # fmt: skip
    return reread(random, sites)


@corruption
def reads_out_of_another_region(function: Function, random: Random) -> bool:
    sites = [
        (r, i, v) for r, i, old in reads_of(function) for v in values_of(function)
        if v.type == old.type and not any(v.region is each for each in around(home(r)))
    ]  # fmt: skip
    return reread(random, sites)


@corruption
def body_reads_the_condition(function: Function, random: Random) -> bool:
    sites = []
    for loop in function.walk():
        if loop.prim.form is Form.WHILE:
            condition, body = loop.regions["condition"], loop.regions["body"]
            values = [*condition.args, *(v for o in condition.operations for v in o.results)]
            reads = [(o, i, old) for o in body.walk() for i, old in enumerate(o.operands)]
            sites += [(o, i, v) for o, i, old in reads for v in values if v.type == old.type]
    return reread(random, sites)


@corruption
def isolated_region_captures(function: Function, random: Random) -> bool:
    sites = []
    for owner in function.walk():
        if owner.prim.form is Form.NESTED:
            assert owner.parent is not None
            outer = [*owner.parent.args, *owner.operands]
            inner = [o for region in owner.regions.values() for o in region.walk()]
            reads = [(o, i, old) for o in inner for i, old in enumerate(o.operands)]
            sites += [(o, i, v) for o, i, old in reads for v in outer if v.type == old.type]
    return reread(random, sites)


@corruption
def reads_of_another_function(function: Function, random: Random) -> bool:
    foreign = values_of(random_function(random.randrange(50))[0])
    sites = [(r, i, v) for r, i, old in reads_of(function) for v in foreign if v.type == old.type]
    return reread(random, sites)


@corruption
def reads_what_stands_nowhere(function: Function, random: Random) -> bool:
    lost = Operation(p.const, (), {"value": np.float32(1), "type": f32}, (f32,)).result
    return reread(random, [(r, i, lost) for r, i, old in reads_of(function) if old.type == f32])


@corruption
def reads_no_value(function: Function, random: Random) -> bool:
    reader, index, old = pick(random, reads_of(function))
    del old.uses[Use(reader, index)]
    reader._reads[index] = random.choice((None, 1.0, np.zeros(2)))
    return True


@corruption
def loses_an_operand(function: Function, random: Random) -> bool:
    operation = pick(random, [o for o in function.walk() if o.operands])
    if operation is not None:
        operation.set_reads(operation.operands[:-1])
    return operation is not None


@corruption
def gains_an_operand(function: Function, random: Random) -> bool:
    operation = pick(random, [o for o in function.walk() if o.operands])
    if operation is not None:
        operation.set_reads((*operation.operands, operation.operands[-1]))
    return operation is not None


# Who knows of it


@corruption
def use_is_forgotten(function: Function, random: Random) -> bool:
    reader, index, value = pick(random, reads_of(function))
    del value.uses[Use(reader, index)]
    return True


@corruption
def use_is_invented(function: Function, random: Random) -> bool:
    value = pick(random, values_of(function))
    reader = pick(random, readers_of(function))
    value.uses[Use(reader, len(reader._reads) + random.randrange(3))] = None  # type: ignore[arg-type]
    return True


@corruption
def use_is_left_behind(function: Function, random: Random) -> bool:
    """A reader reads another value, and neither value is told."""
    sites = [
        (r, i, v) for r, i, old in reads_of(function) for v in home(r).args
        if v is not old and v.type == old.type
    ]  # fmt: skip
    if not sites:
        return False
    reader, index, value = random.choice(sites)
    reader._reads[index] = value
    return True


@corruption
def owner_is_another(function: Function, random: Random) -> bool:
    value, others = pick(random, values_of(function)), readers_of(function)
    others = [each for each in others if each is not value.owner]
    value.owner = pick(random, others) or Region()
    return True


@corruption
def index_is_another(function: Function, random: Random) -> bool:
    value = pick(random, values_of(function))
    value.index += random.choice((-1, 1))
    return True


@corruption
def parent_is_another(function: Function, random: Random) -> bool:
    operation = pick(random, list(function.walk()))
    others = [r for r in regions_of(function) if r is not operation.parent]
    operation.parent = random.choice([None, *others])
    return True


@corruption
def region_has_another_parent(function: Function, random: Random) -> bool:
    region = pick(random, regions_of(function))
    others = [o for o in function.walk() if o is not region.parent]
    region.parent = random.choice([None, *others])
    return True


# What stands where


@corruption
def stands_twice(function: Function, random: Random) -> bool:
    operation = pick(random, list(function.walk()))
    region = pick(random, regions_of(function))
    region.operations.insert(random.randint(0, len(region.operations)), operation)
    return True


@corruption
def is_lost(function: Function, random: Random) -> bool:
    operation = pick(random, [o for o in function.walk() if o.operands or o.results[0].uses])
    if operation is None:
        return False
    operation.parent.operations.remove(operation)
    return True


@corruption
def is_no_operation(function: Function, random: Random) -> bool:
    region = pick(random, regions_of(function))
    region.operations.append(random.choice((None, region, "p.add(x, y)")))
    return True


@corruption
def two_regions_are_one(function: Function, random: Random) -> bool:
    operation = pick(random, [o for o in function.walk() if o.prim.form is Form.IF])
    if operation is None:
        return False
    operation.regions = MappingProxyType(
        dict.fromkeys(("then", "orelse"), operation.regions["then"])
    )
    return True


@corruption
def region_is_called_otherwise(function: Function, random: Random) -> bool:
    operation = pick(random, [o for o in function.walk() if o.regions])
    if operation is None:
        return False
    regions = dict(operation.regions)
    regions["other"] = regions.pop(random.choice(list(regions)))
    operation.regions = MappingProxyType(regions)
    return True


@corruption
def regions_are_exchanged(function: Function, random: Random) -> bool:
    operation = pick(random, [o for o in function.walk() if len(o.regions) > 1])
    if operation is None:
        return False
    operation.regions = MappingProxyType(dict(reversed(operation.regions.items())))
    return True


# Types


@corruption
def result_has_another_type(function: Function, random: Random) -> bool:
    value = pick(random, [value for op in function.walk() for value in op.results])
    value.type = other_type(value.type, random)
    return True


@corruption
def argument_has_another_type(function: Function, random: Random) -> bool:
    """Of a region: an input may have another type where nobody reads it."""
    value = pick(random, [v for r in regions_of(function)[1:] for v in r.args])
    if value is None:
        return False
    value.type = other_type(value.type, random)
    return True


@corruption
def type_is_none(function: Function, random: Random) -> bool:
    pick(random, values_of(function)).type = random.choice((None, "f32", dtypes.float32))
    return True


@corruption
def input_has_a_type_that_cannot_be(function: Function, random: Random) -> bool:
    value = pick(random, [v for v in function.args if not v.uses])
    if value is None:
        return False
    bad: tuple[Any, ...] = ((-1,), (2, True), (2.0,), (np.int64(2),), [2])
    value.type = TensorType(dtypes.float32, random.choice(bad))
    return True


@corruption
def results_are_exchanged(function: Function, random: Random) -> bool:
    operation = pick(random, [o for o in function.walk() if len(o.results) > 1])
    if operation is None:
        return False
    operation.results = operation.results[::-1]
    return True


@corruption
def result_is_lost(function: Function, random: Random) -> bool:
    operation = pick(random, [each for each in function.walk() if each.results])
    operation.results = operation.results[:-1]
    return True


@corruption
def result_is_invented(function: Function, random: Random) -> bool:
    operation = pick(random, list(function.walk()))
    more = Value(f32, operation, len(operation.results), "more")
    operation.results = (*operation.results, more)
    return True


@corruption
def primitive_is_another(function: Function, random: Random) -> bool:
    """One that takes another number of operands."""
    operation = pick(random, list(function.walk()))
    count = len(operation.operands)
    operation.prim = random.choice([p.const if count else p.neg, p.where if count < 3 else p.neg])
    return True


@corruption
def region_takes_less(function: Function, random: Random) -> bool:
    region = pick(random, [r for r in regions_of(function) if r.args and not r.args[-1].uses])
    if region is None:
        return False
    region.args.pop()
    return True


@corruption
def region_takes_more(function: Function, random: Random) -> bool:
    pick(random, regions_of(function)).add_argument(f32, "more")
    return True


@corruption
def region_yields_less(function: Function, random: Random) -> bool:
    region = pick(random, [r for r in regions_of(function)[1:] if r.yields])
    if region is None:
        return False
    region.set_reads(region.yields[:-1])
    return True


@corruption
def region_yields_more(function: Function, random: Random) -> bool:
    region = pick(random, [r for r in regions_of(function)[1:] if r.yields])
    if region is None:
        return False
    region.set_reads((*region.yields, region.yields[0]))
    return True


@corruption
def region_yields_another_type(function: Function, random: Random) -> bool:
    sites = [
        (region, i, v)
        for region in regions_of(function)[1:]
        for i, old in enumerate(region.yields)
        for v in [*region.args, *(x for o in region.operations for x in o.results)]
        if v.type != old.type
        and isinstance(old.type, TensorType)
        and isinstance(v.type, TensorType)
    ]
    return reread(random, sites)


# Attributes


def _with_attrs(function: Function, random: Random) -> Any:
    return pick(random, [o for o in function.walk() if o.attrs])


@corruption
def attribute_is_missing(function: Function, random: Random) -> bool:
    operation = _with_attrs(function, random)
    if operation is None:
        return False
    attrs = dict(operation.attrs)
    del attrs[random.choice(list(attrs))]
    return set_attrs(operation, attrs)


@corruption
def attribute_is_unknown(function: Function, random: Random) -> bool:
    operation = pick(random, list(function.walk()))
    return set_attrs(operation, {**operation.attrs, "unknown": 1})


@corruption
def attribute_is_no_literal(function: Function, random: Random) -> bool:
    operation = _with_attrs(function, random)
    if operation is None:
        return False
    name = random.choice(list(operation.attrs))
    bad: tuple[Any, ...] = ([1], {"a": 1}, object(), np.float32(1), (1, [2]), np.zeros(3), 1j, len)
    value = random.choice(bad)
    if isinstance(value, np.ndarray) and operation.prim is p.const:
        value = value.astype(">f4")
    return set_attrs(operation, {**operation.attrs, name: value})


@corruption
def attribute_is_spelled_otherwise(function: Function, random: Random) -> bool:
    """An axis is counted from the end."""
    sites = [
        (o, o.operands[0].ndim) for o in function.walk()
        if o.attrs.get("axis") not in (None, ()) and o.operands
        and isinstance(o.operands[0].type, TensorType) and o.operands[0].ndim
    ]  # fmt: skip
    if not sites:
        return False
    operation, ndim = random.choice(sites)
    axis = operation.attrs["axis"]
    other = axis - ndim if isinstance(axis, int) else (*axis[:-1], axis[-1] - ndim)
    return set_attrs(operation, {**operation.attrs, "axis": other})


@corruption
def attributes_are_out_of_order(function: Function, random: Random) -> bool:
    operation = pick(random, [o for o in function.walk() if len(o.attrs) > 1])
    if operation is None:
        return False
    return set_attrs(operation, dict(reversed(operation.attrs.items())))


@corruption
def constant_does_not_fit(function: Function, random: Random) -> bool:
    operation = pick(random, [o for o in function.walk() if o.prim is p.const])
    if operation is None:
        return False
    array = operation.attrs["value"]
    bad = (array[None], np.zeros(array.shape, "c8"), None, 1.0, array.tolist())
    return set_attrs(operation, {**operation.attrs, "value": random.choice(bad)})


# Linear values


def _linear(function: Function) -> list[Value]:
    return [v for v in values_of(function) if v.type.is_linear]


@corruption
def linear_value_is_used_twice(function: Function, random: Random) -> bool:
    """What uses its successor uses it, and so the successor is dropped."""
    sites = [
        (use.user, use.index, before)
        for before in _linear(function)
        for step in before.uses
        if isinstance(step.user, Operation)
        for after in step.user.results
        if after.type == before.type
        for use in after.uses
    ]
    return reread(random, sites)


@corruption
def linear_value_is_copied(function: Function, random: Random) -> bool:
    sites = [v for v in _linear(function) if isinstance(v.type, StackType) and v.uses]
    value = pick(random, sites)
    if value is None:
        return False
    use = next(iter(value.uses))
    region = home(use.user)
    place = len(region.operations) if use.user is region else region.operations.index(use.user)  # type: ignore[arg-type]
    types = (value.type, value.type.element)
    region.insert(place, Operation(p.stack_pop, (value,), {}, types))
    return True


@corruption
def linear_value_is_dropped(function: Function, random: Random) -> bool:
    region = pick(random, regions_of(function))
    region.append(Operation(p.stack_empty, (), {"of": f32}, (StackType(f32),)))
    return True


@corruption
def linear_result_is_not_returned(function: Function, random: Random) -> bool:
    places = [i for i, v in enumerate(function.results) if v.type.is_linear]
    if not places:
        return False
    index = random.choice(places)
    function.tree, function.donates = "None", {}
    function.body.set_reads([v for i, v in enumerate(function.results) if i != index])
    return True


@corruption
def loop_captures_a_linear_value(function: Function, random: Random) -> bool:
    """A loop's body uses what the loop was to carry."""
    sites = [
        (use.user, use.index, loop.operands[place])
        for loop in function.walk()
        if loop.prim.form in (Form.FOR, Form.WHILE)
        for arg in loop.regions["body"].args
        if arg.type.is_linear
        for place in [len(loop.operands) - len(loop.regions["body"].args) + arg.index]
        for use in arg.uses
    ]
    return reread(random, sites)


@corruption
def one_branch_forgets_a_linear_value(function: Function, random: Random) -> bool:
    """A branch yields a stack of its own in place of the one that it captures."""
    sites = [
        (branch, i, v)
        for o in function.walk()
        if o.prim.form is Form.IF
        for branch in o.regions.values()
        for i, v in enumerate(branch.yields)
        if isinstance(v.type, StackType) and v.region is not branch
    ]
    if not sites:
        return False
    branch, index, value = random.choice(sites)
    made = Operation(p.stack_empty, (), {"of": value.type.element}, (value.type,))
    branch.append(made)
    branch.set_read(index, made.result)
    return True


# What a function says of itself


@corruption
def donation_is_wrong(function: Function, random: Random) -> bool:
    args, results = function.args, function.results
    bad: list[dict[Any, Any]] = [{len(args): 0}, {-1: 0}, {0: len(results)}, {"x": 0}, {0: None}]
    bad += [
        {i: j} for i, a in enumerate(args) for j, r in enumerate(results)
        if a.type != r.type or a.type.is_linear
    ]  # fmt: skip
    function.donates = random.choice(bad)
    return True


@corruption
def donation_is_given_twice(function: Function, random: Random) -> bool:
    sites = [
        {i: k, j: k} for i, a in enumerate(function.args) for j, b in enumerate(function.args[:i])
        for k, r in enumerate(function.results) if a.type == b.type == r.type
    ]  # fmt: skip
    donates = pick(random, sites)
    if donates is not None:
        function.donates = donates
    return donates is not None


@corruption
def tree_is_wrong(function: Function, random: Random) -> bool:
    count = len(function.results)
    bad = ("(0,", "x", "(0, 0)", f"({count},)", "-1", "{0, 1}", "0 if 1 else 0", "", "1_", "...")
    function.tree = random.choice(bad)
    return True


@corruption
def bindings_are_wrong(function: Function, random: Random) -> bool:
    inputs, count = function.inputs, len(function.inputs)
    bad: list[tuple[Any, ...]] = [(*inputs, "more"), (*inputs[:-1], 3)]
    bad += [inputs[1:], ("token:host",) * count] if count else []
    bad += [("param:w",) * count] if count > 1 and Token not in function.input_types else []
    bad += [tuple(f"x{i}" for i in range(count))] if Token in function.input_types else []
    if all(t is Token for t in function.input_types):
        bad = bad[:2]
    function.inputs = random.choice(bad)
    return True


@corruption
def name_is_wrong(function: Function, random: Random) -> bool:
    function.name = random.choice(("", "1st", "net.f", "<lambda>", "class"))
    return True


@corruption
def value_is_called_by_no_name(function: Function, random: Random) -> bool:
    pick(random, values_of(function))._name = random.choice((3, b"x", ("x",)))
    return True


@corruption
def location_is_wrong(function: Function, random: Random) -> bool:
    pick(random, list(function.walk())).loc = random.choice(("net.py:1:2", 7, ("net.py", 1)))
    return True


@corruption
def scope_is_wrong(function: Function, random: Random) -> bool:
    pick(random, list(function.walk())).scope = random.choice((None, 3, ("net", "Net")))
    return True


@corruption
def truth_is_a_number(function: Function, random: Random) -> bool:
    """1 stands for True: equal, and yet another spelling."""
    sites = [(o, n) for o in function.walk() for n, x in o.attrs.items() if type(x) is bool]
    if not sites:
        return False
    operation, name = random.choice(sites)
    return set_attrs(operation, {**operation.attrs, name: int(operation.attrs[name])})
