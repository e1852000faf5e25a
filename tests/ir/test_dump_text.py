"""What does a dump look like in which every form of an operation occurs?"""

from __future__ import annotations

import numpy as np

from s2sad import prims as p
from s2sad.core import location
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.primitive import Form
from s2sad.ir.types import Token, f32, f64, i64


def every_form(token, x, n):
    with location.at(Location("net.py", 3, 8)):
        token = p.print_(token, n, format="n is {}\n")
        ordered, places = p.sort(x, axis=0, descending=True)
    with location.at(Location("net.py", 5, 11, Location("train.py", 9, 4))):
        branch = p.if_(p.less(n, 3), then=lambda: (p.neg(x),), orelse=lambda: (p.mul(x, 0.5),))
    stack = p.stack_empty(of=f32[3])
    y, stack = p.for_(
        0, n, 1, branch, stack, body=lambda i, y, s: (p.tanh(y), p.stack_push(s, y))
    )  # fmt: skip
    stack, last = p.stack_pop(stack)
    p.stack_drop(stack)
    count, z = p.while_(
        p.const(0, i64), y,
        condition=lambda i, z: p.less(i, n),
        body=lambda i, z: (p.add(i, 1), p.sin(z)),
    )  # fmt: skip
    half = p.checkpoint(z, last, body=lambda z, last: (p.add(p.exp(z), last),))
    table = p.const(np.arange(3, dtype=np.float32), f32[3])
    wide = p.cast(p.add(half, table), dtype=f64)
    return token, ordered, places, count, wide


def test_every_form(snapshot):
    function = build_function(every_form, [Token, f32[3], i64], names=["token", "x", "n"])
    assert {operation.prim.form for operation in function.walk()} == set(Form)
    snapshot(function, [Token, np.array([0.5, -1.0, 2.0], np.float32), np.array(2)])
