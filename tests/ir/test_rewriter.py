"""Does the rewriter keep a function whole, and refuse what would break it?"""

from __future__ import annotations

import time
from random import Random
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadInternalError
from s2sad.core.location import Location, at, origin
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Operation, Region
from s2sad.ir.rewriter import Rewriter, called_from, is_visible, outer_reads
from s2sad.ir.types import Stack, Token, bool_, f32, f64, i64
from s2sad.ir.verify import verify
from support.random_functions import random_function
from support.same import assert_same

HERE = Location("net.py", 7, 4)


def chain(*names: str) -> Function:
    """``neg`` of ``neg`` of ... of x, one for each name."""

    def run(x: Any) -> Any:
        for place, name in enumerate(names):
            with origin(Location("net.py", place + 1, 0), f"net:Net/{name}:Cell"):
                x = p.neg(x)
            x.name = name
        return x

    return build_function(run, [f32[4]], names=["x"])


def prims_of(region: Region) -> list[str]:
    return [operation.prim.name for operation in region.operations]


def refused(message: str) -> Any:
    return pytest.raises(S2sadInternalError, match=message)


# Replacing


def test_replace_operation():
    function = chain("a", "b")
    a, b = function.body.operations
    rewriter = Rewriter(function)
    with rewriter.insert_before(b).active():
        new = p.add(a.result, 1.0)
    rewriter.replace_operation(b, new)
    verify(function)
    assert prims_of(function.body) == ["neg", "const", "add"]
    assert function.results == (new,)
    assert new.name == "b", "the new value takes the name of the old"
    assert {o.loc for o in function.body.operations[1:]} == {Location("net.py", 2, 0)}
    assert {o.scope for o in function.body.operations[1:]} == {"net:Net/b:Cell"}
    assert rewriter.changes == 3  # a constant, add, and neg replaced


def test_a_name_stays():
    function = chain("a", "b")
    a, b = function.body.operations
    Rewriter(function).replace_operation(b, a.result)
    assert a.result.name == "a"


def test_replace_several_results():
    function = build_function(lambda x: p.split(x, sizes=(1, 3), axis=0)[1], [f32[4]], names=["x"])
    split = function.body.operations[0]
    rewriter = Rewriter(function)
    with rewriter.insert_before(split).active():
        new = p.slice(split.operands[0], start=(1,), stop=(4,))
    with refused("2 results, and 1 values"):
        rewriter.replace_operation(split, new)
    with refused("still read"):
        rewriter.replace_operation(split, [None, None])
    rewriter.replace_operation(split, [None, new])
    verify(function)
    assert prims_of(function.body) == ["slice"]


def test_types_stay():
    function = build_function(lambda x, y: (p.neg(x), y), [f32, f64])
    (operation,) = function.body.operations
    rewriter = Rewriter(function)
    x, y = function.args
    for change in (
        lambda: rewriter.replace_operation(operation, y),
        lambda: rewriter.replace_uses(x, y),
        lambda: rewriter.set_operand(operation, 0, y),
        lambda: rewriter.set_operand(function.body, 1, x),
    ):
        with refused("the type changes"):
            change()
    verify(function)
    assert rewriter.changes == 0


def test_an_operation_does_not_replace_itself():
    function = chain("a")
    (a,) = function.body.operations
    with refused("would go with the operation"):
        Rewriter(function).replace_operation(a, a.result)
    verify(function)


def test_a_value_must_be_visible():
    def run(x: Any) -> Any:
        return p.add(p.for_(0, 2, 1, x, body=lambda i, h: p.neg(h)), p.neg(x))

    function = build_function(run, [f32])
    *_, loop, late, total = function.body.operations
    inner = loop.regions["body"].operations[0]
    rewriter = Rewriter(function)
    for change in (
        lambda: rewriter.replace_operation(late, inner.result),
        lambda: rewriter.replace_uses(late.result, inner.result),
        lambda: rewriter.set_operand(total, 0, inner.result),
        lambda: rewriter.set_operand(inner, 0, late.result),
        lambda: rewriter.replace_uses(loop.result, total.result),
    ):
        with refused("cannot see"):
            change()
    verify(function)
    rewriter.replace_uses(late.result, loop.result)
    assert total.operands == (loop.result, loop.result)
    verify(function)


def test_an_isolated_region_sees_only_its_arguments():
    function = build_function(lambda x, y: (p.fused(x, body=p.neg), y), [f32, f32])
    inner = function.body.operations[0].regions["body"].operations[0]
    with refused("cannot see"):
        Rewriter(function).set_operand(inner, 0, function.args[1])
    verify(function)


def test_set_operand_and_replace_uses_count_what_changes():
    function = chain("a", "b")
    a, b = function.body.operations
    rewriter = Rewriter(function)
    rewriter.set_operand(b, 0, a.result)
    rewriter.replace_uses(b.result, b.result)
    assert rewriter.changes == 0
    rewriter.set_operand(b, 0, function.args[0])
    rewriter.set_operand(function.body, 0, a.result)
    assert rewriter.changes == 2 and not b.result.uses
    verify(function)


# Inserting, erasing, moving


def test_insert_after_keeps_the_order():
    function = chain("a", "b")
    a, _ = function.body.operations
    place = Rewriter(function).insert_after(a)
    with place.active():
        p.exp(a.result)
        p.sin(a.result)
    assert prims_of(function.body) == ["neg", "exp", "sin", "neg"]
    verify(function)


def test_a_place_moves_with_its_operation():
    function = chain("a", "b", "c")
    a, b, c = function.body.operations
    rewriter = Rewriter(function)
    place = rewriter.insert_before(c)
    place.emit(p.exp, [b.result], {})
    rewriter.replace_operation(a, function.args[0])
    place.emit(p.sin, [b.result], {})
    assert prims_of(function.body) == ["neg", "exp", "sin", "neg"]
    assert {o.loc for o in function.body.operations[1:]} == {c.loc}


def test_insert_last():
    function = chain("a")
    (a,) = function.body.operations
    rewriter = Rewriter(function)
    new = rewriter.insert_last(function.body, like=a).emit(p.exp, [a.result], {})
    assert function.body.operations[-1].result is new and new.owner.loc == a.loc
    other = rewriter.insert_last(function.body).value(1.0)
    assert other.owner.loc is None and other.owner.scope == ""
    verify(function)


def test_regions_made_in_place_get_its_location():
    function = chain("a")
    (a,) = function.body.operations
    place = Rewriter(function).insert_after(a)
    place.emit(p.for_, [0, 3, 1, a.result], {}, {"body": lambda i, h: p.neg(h)})
    loop = function.body.operations[-1]
    assert {o.loc for o in loop.walk()} == {a.loc}
    verify(function)


def test_erase():
    function = chain("a", "b")
    a, b = function.body.operations
    rewriter = Rewriter(function)
    with refused("still read, by"):
        rewriter.erase(a)
    rewriter.replace_uses(b.result, function.args[0])
    rewriter.erase(b)
    rewriter.erase(a)
    assert not function.body.operations and len(function.args[0].uses) == 1
    with refused("stands in no region"):
        rewriter.erase(a)
    verify(function)


def test_erase_with_regions_gives_captured_values_back():
    def run(x: Any, y: Any) -> Any:
        p.for_(0, 3, 1, x, body=lambda i, h: p.add(h, y))
        return x

    function = build_function(run, [f32, f32])
    Rewriter(function).erase(function.body.operations[-1])
    assert not function.args[1].uses
    verify(function)


def test_move():
    def run(x: Any) -> Any:
        a, b = p.neg(x), p.exp(x)
        return p.add(a, b)

    function = build_function(run, [f32], names=["x"])
    neg, exp, add = function.body.operations
    rewriter = Rewriter(function)
    rewriter.move(neg, rewriter.insert_after(exp))
    assert prims_of(function.body) == ["exp", "neg", "add"]
    with refused("would not see"):
        rewriter.move(add, rewriter.insert_before(exp))
    with refused("cannot move: .* would not see it"):
        rewriter.move(exp, rewriter.insert_after(add))
    assert prims_of(function.body) == ["exp", "neg", "add"]
    rewriter.move(exp, rewriter.insert_after(exp))
    assert rewriter.changes == 1
    verify(function)


def test_move_into_and_out_of_a_branch():
    def run(c: Any, x: Any) -> Any:
        a = p.neg(x)
        return p.if_(c, then=lambda: p.exp(a), orelse=lambda: x)

    function = build_function(run, [bool_, f32])
    neg, branch = function.body.operations
    then = branch.regions["then"]
    rewriter = Rewriter(function)
    rewriter.move(neg, rewriter.insert_before(then.operations[0]))
    assert prims_of(then) == ["neg", "exp"] and neg.parent is then
    verify(function)
    with refused("would not see it"):
        rewriter.move(neg, rewriter.insert_last(branch.regions["orelse"]))
    with refused("into itself"):
        rewriter.move(branch, rewriter.insert_last(then))
    rewriter.move(neg, rewriter.insert_before(branch))
    assert prims_of(function.body) == ["neg", "if_"]
    verify(function)


# Inlining


def test_inline_function_extends_locations_and_scopes():
    with at(Location("norm.py", 3, 4)):
        inner = build_function(lambda x, y: p.add(p.exp(x), y), [f32[4], f32[4]])
    inner.body.operations[0].scope = "norm:LayerNorm"
    inner.body.operations[1].loc = None
    function = chain("a", "b")
    a, b = function.body.operations
    rewriter = Rewriter(function)
    place = rewriter.insert_before(b)
    (result,) = rewriter.inline_function(inner, [a.result, function.args[0]], place)
    rewriter.set_operand(b, 0, result)
    verify(function)
    verify(inner)
    assert prims_of(function.body) == ["neg", "exp", "add", "neg"]
    _, exp, add, _ = function.body.operations
    assert str(exp.loc) == "norm.py:3:4 < net.py:2:0" and add.loc == b.loc
    assert exp.scope == "net:Net/b:Cell/norm:LayerNorm" and add.scope == "net:Net/b:Cell"


def test_inline_checks_what_it_is_given():
    inner = build_function(p.neg, [f32[4]])
    function = build_function(lambda x: p.if_(x, then=lambda: 1.0, orelse=lambda: 2.0), [bool_])
    (branch,) = function.body.operations
    rewriter = Rewriter(function)
    with refused(r"the body takes \(f32\[4\]\), got \(bool_\)"):
        rewriter.inline_function(inner, function.args, rewriter.insert_before(branch))
    inner = build_function(p.neg, [f64])
    late = branch.regions["then"].operations[0].result
    with refused("is not visible"):
        rewriter.inline_function(inner, [late], rewriter.insert_before(branch))
    assert rewriter.changes == 0


def test_inline_region_takes_the_branch_that_is_known():
    def run(x: Any) -> Any:
        with at(HERE):
            return p.if_(p.const(True, bool_), then=lambda: p.exp(x), orelse=lambda: p.neg(x))

    function = build_function(run, [f32])
    branch = function.body.operations[-1]
    rewriter = Rewriter(function)
    place = rewriter.insert_before(branch)
    results = rewriter.inline_region(branch.regions["then"], [], place)
    rewriter.replace_operation(branch, results)
    verify(function)
    assert prims_of(function.body) == ["const", "exp"]
    assert function.body.operations[-1].loc == HERE


def test_inline_region_unrolls_a_loop():
    function = build_function(
        lambda x: p.for_(0, 3, 1, x, body=lambda i, h: p.add(h, p.cast(i, dtype=f32))), [f32]
    )
    loop = function.body.operations[-1]
    rewriter = Rewriter(function)
    place, carried = rewriter.insert_before(loop), loop.operands[3:]
    for i in range(3):
        index = place.value(i)
        carried = rewriter.inline_region(loop.regions["body"], [index, *carried], place)
    rewriter.replace_operation(loop, carried)
    verify(function)
    assert prims_of(function.body)[-6:] == ["const", "cast", "add"] * 2
    assert_same(evaluate(function, [np.float32(0.5)]), [np.float32(3.5)])


def test_inlining_itself_is_finite():
    function = chain("a")
    rewriter = Rewriter(function)
    place = rewriter.insert_last(function.body)
    rewriter.inline_function(function, function.results, place)
    assert prims_of(function.body) == ["neg", "neg"]
    verify(function)


def test_called_from():
    place = Location("a.py", 1, 0, Location("b.py", 2, 0), 9)
    assert str(called_from(place, HERE)) == "a.py:1:0 < b.py:2:0 < net.py:7:4"
    assert called_from(place, HERE).end_column == 9  # type: ignore[union-attr]
    assert called_from(None, HERE) == HERE and called_from(place, None) == place


# Outlining


def test_outline():
    function = chain("a", "b", "c")
    a, b, _ = function.body.operations
    rewriter = Rewriter(function)
    fused = rewriter.outline([b, a], into=p.fused)
    verify(function)
    assert prims_of(function.body) == ["fused", "neg"]
    region = fused.regions["body"]
    assert prims_of(region) == ["neg", "neg"] and region.args[0].name == "x"
    assert fused.operands == (function.args[0],) and fused.result.name == "b"
    assert fused.loc == Location("net.py", 2, 0) and fused.scope == "net:Net"
    assert a.parent is None and not a.operands
    assert rewriter.changes == 1


def test_outline_several_inputs_and_results():
    def run(x: Any, y: Any, z: Any) -> Any:
        a = p.add(x, y)
        b = p.mul(a, z)
        return p.neg(b), a, b

    function = build_function(run, [f32, f32, f32])
    add, mul, _ = function.body.operations
    fused = Rewriter(function).outline([add, mul], into=p.fused)
    verify(function)
    assert fused.operands == tuple(function.args)
    assert function.results[1:] == fused.results


def test_outline_moves_dependents_behind():
    def run(x: Any, y: Any) -> Any:
        a = p.neg(x)
        b = p.exp(a)  # depends on the group, is not in it
        c = p.sin(y)  # the group depends on it
        d = p.add(a, c)
        return p.mul(b, d)

    function = build_function(run, [f32, f32])
    neg, _, _, add, _ = function.body.operations
    Rewriter(function).outline([neg, add], into=p.fused)
    verify(function)
    assert prims_of(function.body) == ["sin", "fused", "exp", "mul"]


def test_outline_takes_regions_along():
    def run(x: Any, y: Any) -> Any:
        a = p.neg(x)
        b = p.for_(0, 3, 1, a, body=lambda i, h: p.add(h, y))
        return p.neg(b)

    function = build_function(run, [f32, f32])
    group = function.body.operations[:-1]
    fused = Rewriter(function).outline(group, into=p.fused)
    verify(function)
    assert set(fused.operands) == set(function.args)
    assert_same(evaluate(function, [np.float32(1), np.float32(2)]), [np.float32(-5)])


def test_outline_takes_linear_values_along():
    def run(tape: Any, x: Any) -> Any:
        y = p.neg(x)
        return p.stack_push(tape, y), y

    function = build_function(run, [Stack[f32], f32])
    Rewriter(function).outline(function.body.operations, into=p.checkpoint, attrs={"budget": 64})
    verify(function)
    assert function.body.operations[0].attrs == {"budget": 64}


def test_outline_refuses():
    def run(x: Any, c: Any) -> Any:
        a = p.neg(x)
        b = p.exp(a)
        return p.add(a, b), p.if_(c, then=lambda: p.neg(x), orelse=lambda: x)

    function = build_function(run, [f32[4], bool_])
    neg, exp, add, branch = function.body.operations
    inner = branch.regions["then"].operations[0]
    rewriter = Rewriter(function)
    with refused("which depends on the group and is not in it"):
        rewriter.outline([neg, add], into=p.fused)
    with refused("in one region, got 2"):
        rewriter.outline([neg, inner], into=p.fused)
    with refused("in one region, got 0"):
        rewriter.outline([], into=p.fused)
    with refused("twice in the group"):
        rewriter.outline([neg, neg], into=p.fused)
    with refused("does not hold a group"):
        rewriter.outline([neg, exp], into=p.if_)
    with refused("does not hold a group"):
        rewriter.outline([neg, exp], into=p.custom)
    with refused("checkpoint does not take the group: .* bytes"):
        rewriter.outline([neg, exp], into=p.checkpoint, attrs={"budget": -1})
    verify(function)
    assert prims_of(function.body) == ["neg", "exp", "add", "if_"] and rewriter.changes == 0


def is_convex(group: list[Operation]) -> bool:
    region, members, tainted = group[0].parent, set(group), set()
    assert region is not None
    for operation in region.operations:
        owners = {value.owner for value in outer_reads(operation)}
        if operation in members and owners & tainted:
            return False
        if operation not in members and owners & (members | tainted):
            tainted.add(operation)
    return True


def test_outline_random_groups():
    counts = {True: 0, False: 0}
    for seed in range(150):
        function, inputs = random_function(seed)
        expected = evaluate(clone(function), random_function(seed)[1])
        random = Random(seed)
        operations = [o for o in function.walk() if o.parent is not None]
        if not operations:
            continue
        region = random.choice(operations).parent
        assert region is not None
        size = random.randint(1, min(len(region.operations), 5))
        group = random.sample(region.operations, size)
        legal = is_convex(group)
        counts[legal] += 1
        if legal:
            Rewriter(function).outline(group, into=p.checkpoint)
        else:
            with refused("depends on the group"):
                Rewriter(function).outline(group, into=p.checkpoint)
        verify(function, after="outline")
        assert_same(evaluate(function, inputs), expected)
    assert min(counts.values()) > 15, counts


def test_random_moves_and_copies_keep_functions_whole():
    done = 0
    for seed in range(60):
        function, inputs = random_function(seed)
        expected = evaluate(clone(function), random_function(seed)[1])
        random, rewriter = Random(seed), Rewriter(function)
        for _ in range(10):
            operations = list(function.walk())
            if not operations:
                break
            one, other = random.choice(operations), random.choice(operations)
            try:
                if random.random() < 0.5 and one.parent is other.parent:
                    rewriter.move(one, rewriter.insert_after(other))
                elif not one.regions and not any(v.type.is_linear for v in one.operands):
                    place = rewriter.insert_after(one)
                    copy = place.emit(one.prim, one.operands, dict(one.attrs))
                    values = copy if isinstance(copy, tuple) else (copy,)
                    if not any(v.type.is_linear for v in values):
                        rewriter.replace_operation(one, values)
                    else:
                        rewriter.erase(values[0].owner)  # type: ignore[arg-type]
                done += 1
            except S2sadInternalError as error:
                assert error.code == "E0901"
            verify(function, after="a random change")
        assert_same(evaluate(function, inputs), expected)
    assert done > 200


# Sight


def test_is_visible():
    function = build_function(
        lambda token, x: (token, p.for_(0, 2, 1, x, body=lambda i, h: p.neg(h))),
        [Token, f32], inputs=["token:host", "x"],
    )  # fmt: skip
    *bounds, loop = function.body.operations
    body = loop.regions["body"]
    assert is_visible(function.args[1], function.body, 0)
    assert is_visible(bounds[-1].result, body, 0)
    assert is_visible(body.args[0], body, 0) and not is_visible(body.args[0], function.body, 9)
    assert not is_visible(body.operations[0].result, body, 0)
    assert is_visible(body.operations[0].result, body, 1)
    assert not is_visible(loop.result, body, 1)
    assert not is_visible(function.args[1], chain("a").body, 1)


def test_outer_reads():
    function = build_function(
        lambda x, n: p.while_(x, condition=lambda h: p.less(h, n), body=lambda h: p.add(h, n)),
        [i64, i64],
    )
    assert outer_reads(function.body.operations[-1]) == function.args


# Time


def test_many_uses_take_linear_time():
    def run(x: Any) -> Any:
        return tuple(p.neg(x) for _ in range(20_000))

    function = build_function(run, [f32])
    rewriter = Rewriter(function)
    with rewriter.insert_before(function.body.operations[0]).active():
        other = p.exp(function.args[0])
    start = time.process_time()
    rewriter.replace_uses(function.body.operations[1].result, other)
    for operation in reversed(function.body.operations[1:]):
        rewriter.replace_operation(operation, other)
    assert time.process_time() - start < 2
    assert function.results == (other,) * 20_000
    verify(function)


def test_rewriting_in_the_middle_takes_linear_time():
    function = chain(*["h"] * 20_000)
    rewriter = Rewriter(function)
    start = time.process_time()
    for operation in list(function.body.operations)[::2]:
        with rewriter.insert_before(operation).active():
            rewriter.replace_operation(operation, p.exp(operation.operands[0]))
    assert time.process_time() - start < 3
    verify(function)
