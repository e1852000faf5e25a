"""Does the comparison see every difference, and nothing but differences?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import location
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.compare import difference, isomorphic, same_attribute, same_bits
from s2sad.ir.dims import symbol
from s2sad.ir.graph import Function
from s2sad.ir.types import Type, bits, bool_, f32, f64, i64
from support.random_functions import random_function


def build(run: Callable, *types: Type) -> Function:
    return build_function(run, types or [f32[4], f32[4]])


def test_random_functions_are_like_their_clones_only():
    functions = [random_function(seed)[0] for seed in range(60)]
    for number, function in enumerate(functions):
        assert isomorphic(
            function, clone(function), locations=True, scopes=True, placed_constants=True
        )
        assert not isomorphic(function, functions[number - 1])


def test_names_do_not_matter():
    one = build_function(lambda x: p.exp(x), [f32], names=["x"], inputs=["x"], name="f")
    other = build_function(lambda y: p.exp(y), [f32], names=["y"], inputs=["x"], name="g")
    other.title = "elsewhere"
    other.body.operations[0].result.name = "z"
    assert difference(one, other) is None


#: Two functions, and what is said of them.
DIFFERENT = [
    (lambda x, y: p.exp(x), lambda x, y: p.sin(x), "operation 0 of body: exp in one and sin"),
    (lambda x, y: p.sub(x, y), lambda x, y: p.sub(y, x), "operand 0 is argument 0"),
    (
        lambda x, y: p.mul(p.exp(x), p.sin(x)), lambda x, y: p.mul(p.sin(x), p.exp(x)),
        "operation 0 of body",
    ),
    (lambda x, y: (x, y), lambda x, y: (y, x), "yields of body: yield 0 is argument 0"),
    (
        lambda x, y: p.exp(x), lambda x, y: (p.exp(x), p.sin(x))[0],
        "operations of body: 1 in one and 2 in the other; the first without a partner is sin",
    ),
    (
        lambda x, y: p.reduce_sum(x, axis=0), lambda x, y: p.reduce_sum(x, axis=0, keepdims=True),
        "result_types",
    ),
    (
        lambda x, y: p.leaky_relu(x, slope=0.1), lambda x, y: p.leaky_relu(x, slope=0.2),
        "slope is 0.1 in one and 0.2 in the other",
    ),
    (lambda x, y: p.add(x, 1.0), lambda x, y: p.add(x, y), "operand 1 is the constant 1.0"),
    (lambda x, y: p.mul(x, 0.0), lambda x, y: p.mul(x, -0.0), "the constant -0.0 in the other"),
    (
        lambda x, y: p.add(x, p.const(bits(0x7FC00001), f32)),
        lambda x, y: p.add(x, p.const(float("nan"), f32)),
        "operand 1 is the constant nan",
    ),
    (
        lambda x, y: p.add(x, p.const(1.0, f32)), lambda x, y: p.add(x, p.const(1.0, f32[4])),
        "operand 1 is the constant 1.0",
    ),
    (
        lambda x, y: p.fused(x, body=lambda a: p.exp(a)),
        lambda x, y: p.fused(x, body=lambda a: p.sin(a)),
        "operation 0 of body of operation 0 of body, fused: exp in one and sin in the other",
    ),
    (
        lambda x, y: p.for_(p.const(0, i64), 2, 1, x, body=lambda i, h: p.exp(h)),
        lambda x, y: p.for_(p.const(0, i64), 3, 1, x, body=lambda i, h: p.exp(h)),
        "operand 1 is the constant 2",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "words"), DIFFERENT, ids=range(len(DIFFERENT)))
def test_differences_are_named(one, other, words):
    a, b = build(one), build(other)
    assert words in difference(a, b), difference(a, b)
    assert difference(b, a) is not None
    assert difference(a, build(one)) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"inputs": ("x", "param:w")}, "inputs: ('input0', 'input1') in one"),
        ({"donates": {0: 0}}, "donates: {} in one and {0: 0} in the other"),
        ({"tree": "(0,)"}, "tree: 0 in one and (0,) in the other"),
    ],
)
def test_signatures_are_compared(change, words):
    function = build(p.add)
    assert words in difference(function, replace(clone(function), **change))


def test_types_of_inputs_are_compared():
    assert "input_types: (f32[2],)" in difference(build(p.exp, f32[2]), build(p.exp, f64[2]))
    b, h = symbol("B"), symbol("H")
    assert isomorphic(build(p.exp, f32[(h + 2) // 2]), build(p.exp, f32[h // 2 + 1]))
    assert not isomorphic(build(p.exp, f32[b]), build(p.exp, f32[h]))


def test_constants_count_by_their_value():
    shared = build(lambda x, y: (lambda c: (p.add(x, c), p.mul(y, c)))(p.const(2.0, f32)))
    apart = build(lambda x, y: (p.add(x, 2.0), p.mul(y, 2.0)))
    unread = build(lambda x, y: (p.const(7.0, f32), p.add(x, 2.0), p.mul(y, 2.0))[1:])
    assert isomorphic(shared, apart) and isomorphic(apart, unread)
    for a, b in ((shared, apart), (apart, unread), (unread, shared)):
        assert not isomorphic(a, b, placed_constants=True)
    assert isomorphic(shared, clone(shared), placed_constants=True)


def test_locations_and_scopes_on_request():
    def at(line: int, column: int, scope: str) -> Function:
        with location.origin(Location("a.py", line, column, end_column=line), scope):
            return build(p.add)

    assert isomorphic(at(1, 2, "net"), at(3, 4, "loss"))
    assert isomorphic(at(1, 2, "net"), at(1, 2, "net"), locations=True, scopes=True)
    found = difference(at(1, 2, "net"), at(1, 3, "net"), locations=True)
    assert found.endswith(" add: its location is a.py:1:2 in one and a.py:1:3 in the other")
    found = difference(at(1, 2, "net"), at(1, 2, "loss"), scopes=True)
    assert found == "operation 0 of body, add: its scope is 'net' in one and 'loss' in the other"


def test_branches_are_told_apart():
    def run(then, orelse):
        branches = {"then": then, "orelse": orelse}
        return build(
            lambda x, c: p.if_(c, **{k: lambda f=f: f(x) for k, f in branches.items()}), f32, bool_
        )

    found = difference(run(p.exp, p.sin), run(p.sin, p.exp))
    assert found.startswith("operation 0 of then of operation 0 of body, if_: exp in one and sin")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1, 1, True), (1, 1.0, False), (1, True, False), (0.0, -0.0, False), ("a", "a", True),
        (float("nan"), -float("nan"), True), ((1, (2,)), (1, (2,)), True), ((1,), (1, 1), False),
        (None, None, True), (f32.dtype, f32.dtype, True), (f32.dtype, f64.dtype, False),
        (f32[2], f32[2], True), (f32[2], f32[3], False), (f32, f32.dtype, False),
    ],
)  # fmt: skip
def test_attributes(a, b, same):
    assert same_attribute(a, b) is same


def test_arrays_are_compared_bit_for_bit():
    nan = np.array([0x7FC00000, 0x7FC00001], np.uint32).view(np.float32)
    assert same_bits(nan, nan.copy()) and not same_bits(nan, nan[::-1])
    assert not same_bits(np.zeros(2, "f4"), np.zeros(2, "f8"))
    assert not same_bits(np.zeros(2, "f4"), np.zeros((2, 1), "f4"))
    assert same_bits(np.zeros((0, 3), "f4"), np.zeros((0, 3), "f4"))


def test_repeated_elements_are_compared_once():
    ones = np.broadcast_to(np.float32(1), (10**5, 10**6))
    assert same_bits(ones, np.broadcast_to(np.float32(1), (10**5, 10**6)))
    assert not same_bits(ones, np.broadcast_to(np.float32(2), (10**5, 10**6)))
    rows = np.broadcast_to(np.arange(3.0), (2, 3))
    assert same_bits(rows, np.array(rows)) and not same_bits(rows, np.array(rows)[::-1, ::-1])
