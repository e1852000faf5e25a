"""Dumps that the tests of the command line run."""

RNN = """\
# s2sad ir 1 · rnn.Net.construct · after 01-decompose
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("x", "n", "param:w"), donates={}, tree="0", consts=None)
def construct(x: f32[2, 3], n: i32, w: f32[3, 3]) -> f32[2, 3]:
    c0: i32 = p.const(0, i32)
    c1: i32 = p.const(1, i32)
    i: i32; h: f32[2, 3]
    i, h = c0, x
    while True:
        t0: bool_ = p.less(i, n)            #@ rnn.py:7:14
        if not t0: break
        t1: f32[2, 3] = p.matmul(h, w)     #@ rnn.py:8:26 < net.py:12:15
        t2: i32 = p.add(i, c1)              #@ rnn.py:9:16
        i, h = t2, t1
    return h
"""

EFFECTS = """\
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("token:host", "tape", "rng", "x"), donates={}, tree="(0, 1, 2)", consts=None)
def main(token: Token, tape: Stack[bf16[2]], rng: i64[3], x: bf16[2]):
    said = p.print_(token, x, format="x is {}\\n")
    pushed = p.stack_push(tape, x)
    words, state = p.random_bits(rng, shape=(2,))
    return said, pushed, state
"""

FAILS = """\
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("token:host", "x"), donates={}, tree="0", consts=None)
def main(token: Token, x: f32):
    nothing = p.less(x, x)
    checked = p.assert_(token, nothing, x, message="x is {}")        #@ net.py:3:8
    return checked
"""

RAISES = """\
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("token:host",), donates={}, tree="0", consts=None)
def main(token: Token):
    never = p.raise_(token, kind="KeyError", message="w")        #@ net.py:3:8
    return never
"""
