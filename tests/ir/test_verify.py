"""Does the verifier accept what is valid, and refuse what is not, with the right words?

`test_corruptions_are_refused` breaks random functions in each way of `support.corruptions`. Those
that may survive, and why, are in docs/decisions/0003-verifier-survivors.md.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.core.diagnostics import S2sadError, S2sadInternalError
from s2sad.core.location import Location
from s2sad.ir.builder import Builder, build_function
from s2sad.ir.clone import clone
from s2sad.ir.dims import symbol
from s2sad.ir.graph import Function, Operation, Region, Use
from s2sad.ir.reader import read_text
from s2sad.ir.types import Stack, Token, bool_, f32, f64, i64
from s2sad.ir.verify import verify
from support.corruptions import CORRUPTIONS
from support.random_functions import random_function

# docs/decisions/0003-verifier-survivors.md
MAY_SURVIVE = {"attribute_is_spelled_otherwise"}


@cache
def valid_functions() -> tuple[Function, ...]:
    functions = [random_function(seed)[0] for seed in range(40)]
    return tuple(function for function in functions if function.body.operations)


def refusal(function: Function) -> S2sadError | None:
    try:
        verify(function)
    except S2sadError as error:
        return error
    return None


# Random functions, random sites


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruptions_are_refused(name):
    outcomes: Counter[str] = Counter()
    for number, valid in enumerate(valid_functions()):
        function = clone(valid)
        if not CORRUPTIONS[name](function, Random(f"{name} {number}")):
            continue
        error = refusal(function)
        outcomes[error.code if error else "accepted"] += 1
        assert error is None or len(error.diagnostic.notes) >= 1
    assert outcomes.keys() <= {"E0902", "accepted"}
    assert outcomes["E0902"] >= 3, "no sites were found"
    least = 0.8 if name in MAY_SURVIVE else 1.0
    assert outcomes["E0902"] >= least * outcomes.total(), outcomes


def test_there_are_many_corruptions():
    assert len(CORRUPTIONS) >= 25


def test_what_is_not_corrupted_is_accepted():
    for function in valid_functions():
        verify(function)
        verify(clone(function))


# Small functions, and what is said of them


B, H = symbol("B"), symbol("H")


def test_sizes_in_attributes_may_be_symbolic():
    def run(x: Any) -> Any:
        flat = p.reshape(x, shape=(16 * B,))
        rows = p.slice(x, start=(1, 0), stop=(B - 1, 16))
        return flat, rows, p.broadcast_to(x, shape=(3, B, 16))

    function = build_function(run, [f32[B, 16]])
    verify(function)
    assert function.result_types == (f32[16 * B], f32[B - 2, 16], f32[3, B, 16])
    text = str(function)
    again = read_text(text, p.ALL)
    verify(again)
    assert str(again) == text


def test_equal_sizes_in_attributes_may_be_spelled_otherwise():
    function = build_function(lambda x: p.broadcast_to(x, shape=((H + 2) // 2,)), [f32[H // 2 + 1]])
    verify(function)
    operation = function.body.operations[0]
    operation.attrs = MappingProxyType({"shape": (H // 2 + 1,)})
    verify(function)
    operation.attrs = MappingProxyType({"shape": (H // 2 + 2,)})
    with pytest.raises(S2sadInternalError, match="does not fit its rule: E0401"):
        verify(function)


def test_the_gradient_of_a_sum_over_a_symbolic_axis_is_well_formed():
    primal = build_function(lambda x: p.reduce_sum(x, axis=(0, 1), keepdims=False), [f32[B, 4]])
    joint = differentiate(primal, [0])
    verify(joint)
    assert joint.result_types == (f32, f32[B, 4])
    rows = build_function(lambda x: p.reduce_sum(x, axis=(1,), keepdims=False), [f32[B, 4]])
    joint = differentiate(rows, [0])
    verify(joint)
    assert joint.result_types == (f32[B], f32[B, 4])
    assert str(read_text(str(joint), p.ALL)) == str(joint)


BROKEN: dict[str, tuple[Callable[[], Function], str]] = {}


def says(message: str) -> Callable[[Callable[[], Function]], Callable[[], Function]]:
    """The function that the decorated one makes is refused with `message`."""

    def keep(make: Callable[[], Function]) -> Callable[[], Function]:
        BROKEN[make.__name__] = make, message
        return make

    return keep


def straight() -> Function:
    def run(x: Any) -> Any:
        a = p.neg(x)
        a.name = "a"
        return p.mul(a, x)

    return build_function(run, [f32[4]], names=["x"])


def branching() -> Function:
    """`if` on the first input; both branches use the second, a token."""

    def run(c: Any, token: Any) -> Any:
        return p.if_(c, then=lambda: token, orelse=lambda: token)

    return build_function(run, [bool_, Token], names=["c", "token"], inputs=["c", "token:host"])


def looping() -> Function:
    def run(x: Any) -> Any:
        return p.for_(0, 3, 1, x, body=lambda i, h: p.neg(h))

    return build_function(run, [f32[4]], names=["x"])


def pushing() -> Function:
    return build_function(p.stack_push, [Stack[f32], f32], names=["tape", "x"])


@says("neg reads `t2`, which is computed later")
def reads_later() -> Function:
    function = straight()
    first, second = function.body.operations
    first.set_read(0, second.result)
    return function


@says("mul reads `a value of nowhere`, which is not part of the function")
def reads_another_function() -> Function:
    function = straight()
    function.body.operations[1].set_read(0, straight().body.operations[0].results[0])
    function.body.operations[1].operands[0].name = None
    return function


@says("the function reads `t6`, which is local to another region")
def reads_out_of_a_loop() -> Function:
    function = looping()
    body = function.body.operations[-1].regions["body"]
    function.body.set_read(0, body.args[1])
    return function


@says("mul reads `x` at place 0, which does not know it")
def has_an_unknown_use() -> Function:
    function = straight()
    function.body.operations[1]._reads[0] = function.args[0]
    return function


@says("`x` knows of the function at place 7, which does not read it")
def has_an_invented_use() -> Function:
    function = straight()
    function.args[0].uses[Use(function.body, 7)] = None
    return function


@says("neg stands in two places")
def stands_twice() -> Function:
    function = straight()
    function.body.operations.append(function.body.operations[0])
    return function


@says("mul gives (f32[5]), not (f32[4])")
def has_another_type() -> Function:
    function = straight()
    function.body.operations[1].result.type = f32[5]
    return function


@says("add does not fit its rule: E0301, operands need one dtype, got f32 and f64")
def mixes_dtypes() -> Function:
    region = Region([f32, f64], ["x", "y"])
    region.append(Operation(p.add, region.args, {}, [f32]))
    return Function("main", region)


@says("neg does not fit its rule: E0302, neg takes 1 operands, got 2")
def takes_too_much() -> Function:
    region = Region([f32], ["x"])
    region.append(Operation(p.neg, region.args * 2, {}, [f32]))
    return Function("main", region, tree="()")


@says("the attribute 'perm' of transpose is [1, 0], which is no literal")
def has_a_list_for_an_attribute() -> Function:
    region = Region([f32[2, 3]], ["x"])
    region.append(Operation(p.transpose, region.args, {"perm": [1, 0]}, [f32[3, 2]]))
    return Function("main", region, tree="()")


@says("the attribute 'axis' of reduce_sum is (-1,); its canonical spelling is (1,)")
def has_another_spelling() -> Function:
    attrs = {"axis": (-1,), "keepdims": False}
    region = Region([f32[2, 3]], ["x"])
    region.append(Operation(p.reduce_sum, region.args, attrs, [f32[2]]))
    return Function("main", region, tree="()")


@says("if_ has the regions ('then',), not ('then', 'orelse')")
def lacks_a_branch() -> Function:
    function = branching()
    operation = function.body.operations[0]
    operation.regions["orelse"].set_reads(())
    operation.regions = MappingProxyType({"then": operation.regions["then"]})
    return function


@says("the region 'body' of for_ takes (i64), not (i64, f32[4])")
def lacks_an_argument() -> Function:
    function = looping()
    body = function.body.operations[-1].regions["body"]
    body.operations[0].set_read(0, function.args[0])
    body.args.pop()
    return function


@says("for_ does not fit its rule: E0306, the loop carries (f32[4],), and its body gives ()")
def yields_nothing() -> Function:
    function = looping()
    function.body.operations[-1].regions["body"].set_reads(())
    return function


@says("while_ does not fit its rule: E0304, `while` needs a scalar bool, got f32[4]")
def loops_on_a_vector() -> Function:
    condition, body = Region([f32[4]]), Region([f32[4]])
    condition.set_reads(condition.args)
    body.set_reads(body.args)
    region = Region([f32[4]], ["x"])
    regions = {"condition": condition, "body": body}
    region.append(Operation(p.while_, region.args, {}, [f32[4]], regions=regions))
    return Function("main", region, tree="()")


@says(
    "the region body of fused reads `x`, which is computed later or outside of an isolated region"
)
def captures_in_an_isolated_region() -> Function:
    function = build_function(lambda x: p.fused(x, body=p.neg), [f32[4]], names=["x"])
    body = function.body.operations[0].regions["body"]
    body.set_read(0, function.args[0])
    return function


@says("`token`, a Token, is used 0 times; it must be used once on every path")
def drops_a_token() -> Function:
    return build_function(lambda token: (), [Token], names=["token"], inputs=["token:host"])


@says("`token`, a Token, is used 2 times; it must be used once on every path")
def forks_a_token() -> Function:
    function = branching()
    function.body.set_reads([*function.results, function.args[1]])
    return function


@says("`token`, a Token, is used in one branch of if_ and not in the other")
def uses_a_token_in_one_branch() -> Function:
    def run(c: Any, token: Any, other: Any) -> Any:
        return p.if_(c, then=lambda: token, orelse=lambda: other)

    names = ["c", "token", "other"]
    inputs = ["c", "token:host", "token:world"]
    return build_function(run, [bool_, Token, Token], names=names, inputs=inputs)


@says("`tape`, a Stack[f32], is captured by for_; a loop must carry it")
def captures_a_stack_in_a_loop() -> Function:
    def run(tape: Any, x: Any) -> Any:
        empty = p.stack_empty(of=f32)
        return p.for_(0, 3, 1, empty, body=lambda i, s: p.stack_push(tape, x))

    return build_function(run, [Stack[f32], f32], names=["tape", "x"])


@says("`t0`, a Stack[f32], is used 0 times; it must be used once on every path")
def drops_a_stack() -> Function:
    def run() -> Any:
        p.stack_empty(of=f32)
        return p.const(1.0, f32)

    return build_function(run, [])


@says("`tape`, a Stack[f32], is used 2 times; it must be used once on every path")
def pushes_twice_on_one_stack() -> Function:
    function = pushing()
    with Builder(function.body).active():
        function.body.set_reads([*function.results, p.stack_push(*function.args)])
    return function


@says("two inputs are bound to param:w")
def binds_a_parameter_twice() -> Function:
    return build_function(p.add, [f32, f32], inputs=["param:w", "param:w"])


@says("an input of type Token is bound to host")
def binds_a_token_as_an_argument() -> Function:
    return build_function(lambda token: token, [Token], inputs=["host"])


@says("an input of type f32 is bound to token:host")
def binds_a_tensor_as_a_token() -> Function:
    return build_function(lambda x: x, [f32], inputs=["token:host"])


@says("the 1 inputs are bound to ('x', 'y')")
def binds_too_much() -> Function:
    return build_function(lambda x: x, [f32], inputs=["x", "y"])


@says("the tree (0, 0) names result 0 twice")
def shows_a_result_twice() -> Function:
    function = straight()
    function.tree = "(0, 0)"
    return function


@says("the tree [1] names 1, which is no result")
def shows_what_is_not_there() -> Function:
    function = straight()
    function.tree = "[1]"
    return function


@says("the tree is no literal: 'open(0)'")
def has_code_for_a_tree() -> Function:
    function = straight()
    function.tree = "open(0)"
    return function


@says("input 0 is donated to result 1: there is no such input or result")
def donates_to_nothing() -> Function:
    function = straight()
    function.donates = {0: 1}
    return function


@says("input 0 is donated to result 0: it is a f32[4], and the result a f32[2, 4]")
def donates_to_another_type() -> Function:
    function = build_function(lambda x: p.broadcast_to(x, shape=(2, 4)), [f32[4]])
    function.donates = {0: 0}
    return function


@says("two inputs are donated to one result: {0: 0, 1: 0}")
def donates_twice() -> Function:
    function = build_function(p.add, [f32, f32])
    function.donates = {0: 0, 1: 0}
    return function


@says("an input has the type f32[-1], which cannot be")
def has_a_negative_size() -> Function:
    return Function("main", Region([f32[-1]], ["x"]), tree="()")


@says("the function is called 'net.f', which is no name in Python")
def has_no_name() -> Function:
    function = straight()
    function.name = "net.f"
    return function


@says("neg has the location 'net.py:1:2'")
def has_a_text_for_a_location() -> Function:
    function = straight()
    function.body.operations[0].loc = "net.py:1:2"  # type: ignore[assignment]
    return function


@pytest.mark.parametrize(("make", "message"), BROKEN.values(), ids=BROKEN)
def test_message(make, message):
    error = refusal(make())
    assert error is not None and error.code == "E0902"
    assert error.diagnostic.message == message


def test_the_condition_of_a_loop_only_looks():
    function = build_function(
        lambda tape, n: p.while_(
            tape, n, condition=lambda s, i: p.less(i, 3), body=lambda s, i: (s, p.add(i, 1))
        ),
        [Stack[f32], i64],
    )
    verify(function)
    condition = function.body.operations[-1].regions["condition"]
    condition.args[0].name = "s"
    with Builder(condition, at=0).active():
        p.stack_push(condition.args[0], p.const(1.0, f32))
    error = refusal(function)
    assert error is not None
    expected = "`s`, a Stack[f32], is used 1 times; it must be used by the body of the loop alone"
    assert error.diagnostic.message == expected


def test_branches_may_both_use_a_linear_value():
    verify(branching())


def test_a_symbolic_size_may_be_written_in_two_ways():
    h = symbol("H")
    function = build_function(p.neg, [f32[(h + 2) // 2]])
    function.body.operations[0].result.type = f32[h // 2 + 1]
    verify(function)
    function.body.operations[0].result.type = f32[h // 2 + 2]
    assert refusal(function) is not None


def test_the_bad_operation_is_shown_among_its_neighbours():
    function = reads_later()
    function.body.operations[0].loc = Location("no_such_net.py", 3, 4)
    with pytest.raises(S2sadInternalError) as caught:
        verify(function, after="cse")
    assert str(caught.value).splitlines() == [
        "[E0902] after cse: neg reads `t2`, which is computed later",
        "  --> no_such_net.py:3:4",
        "   = note: in main, body (x: f32[4]):",
        "   = note: --> a: f32[4] = p.neg(t2)",
        "   = note:     t2: f32[4] = p.mul(a, x)",
        "   = note:     yield t2",
    ]


def test_only_a_few_neighbours_are_shown():
    def run(x: Any) -> Any:
        for _ in range(100):
            x = p.neg(x)
        return x

    function = build_function(run, [f32])
    function.body.operations[50].result.type = f64
    error = refusal(function)
    assert error is not None and len(error.diagnostic.notes) == 8
    assert error.diagnostic.notes[4] == "--> t51: f64 = p.neg(t50)"


def test_it_takes_linear_time():
    def seconds(count: int) -> float:
        def run(x: Any, y: Any) -> Any:
            for _ in range(count // 2):
                x = p.mul(p.add(x, y), y)
            return x

        function = build_function(run, [f32[2, 3], f32[3]])
        start = time.process_time()
        verify(function)
        return time.process_time() - start

    seconds(100)
    assert seconds(20_000) < 1.5


def test_deep_nesting_is_verified():
    def nest(x: Any, depth: int) -> Any:
        c = p.const(True, bool_)
        inner = (lambda: nest(x, depth - 1)) if depth else (lambda: p.neg(x))
        return p.if_(c, then=inner, orelse=lambda: x)

    verify(build_function(lambda x: nest(x, 40), [f32]))
