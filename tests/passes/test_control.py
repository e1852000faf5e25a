"""Are branches and loops decided where they can be, with the same effects and the same numbers?"""

from __future__ import annotations

import pytest

from s2sad.passes.canonicalize import Canonicalize
from tests.passes.rewriting import becomes, stays

BECOMES = {
    "a branch that is always taken": (
        """
def main(x: f32[4]):
    if p.const(True, bool_):
        y = p.exp(x)
    else:
        y = -x
    return y
""",
        """
def main(x: f32[4]):
    return p.exp(x)
""",
    ),
    "a branch that is never taken, with an effect in the other": (
        """
@function(inputs=("token:host", "x"))
def main(token: Token, x: f32[4]):
    if p.const(False, bool_):
        said = p.print_(token, x, format="yes {}")
    else:
        said = p.print_(token, x, format="no {}")
    return said
""",
        """
@function(inputs=("token:host", "x"))
def main(token: Token, x: f32[4]):
    return p.print_(token, x, format="no {}")
""",
    ),
    "branches that give one value": (
        """
@function(inputs=("c", "x", "token:host"))
def main(c: bool_, x: f32[4], token: Token):
    y: f32[4]; z: f32[4]; said: Token
    if c:
        y, z, said = x, p.exp(x), token
    else:
        y, z, said = x, -x, token
    return y, z, said
""",
        """
@function(inputs=("c", "x", "token:host"))
def main(c: bool_, x: f32[4], token: Token):
    if c:
        z = p.exp(x)
    else:
        z = -x
    return x, z, token
""",
    ),
    "branches that give one constant": (
        """
def main(c: bool_):
    if c:
        y = p.const(2.0, f32)
    else:
        y = p.const(2.0, f32)
    return y
""",
        """
def main(c: bool_):
    return p.const(2.0, f32)
""",
    ),
    "a result of a branch that nobody reads": (
        """
def main(c: bool_, x: f32[4]):
    y: f32[4]; z: f32[4]
    if c:
        y, z = p.exp(x), p.tan(x)
    else:
        y, z = x, p.tanh(x)
    return y
""",
        """
def main(c: bool_, x: f32[4]):
    if c:
        y = p.exp(x)
    else:
        y = x
    return y
""",
    ),
    "a loop without trips": (
        """
def main(x: f32[4]):
    y = x
    for i in range(3, 3, 1):
        y = p.exp(y)
    return y
""",
        """
def main(x: f32[4]):
    return x
""",
    ),
    "a loop with one trip": (
        """
def main(x: i64[4]):
    y = x
    for i in range(7, 5, -2):
        y = y + i
    return y
""",
        """
def main(x: i64[4]):
    return x + 7
""",
    ),
    "loops in loops, each with one trip": (
        """
def main(x: i64[4]):
    y = x
    for i in range(0, 1, 1):
        z = y
        for j in range(i, 1, 5):
            z = z * y
        y = z
    return y
""",
        """
def main(x: i64[4]):
    return x * x
""",
    ),
    "while False": (
        """
def main(x: f32[4]):
    y = x
    while True:
        if not p.const(False, bool_): break
        y = p.exp(y)
    return y
""",
        """
def main(x: f32[4]):
    return x
""",
    ),
    "what a loop passes on": (
        """
def main(x: f32[4], w: f32[4], n: i64):
    y: f32[4]; v: f32[4]
    y, v = x, w
    for i in range(0, n, 1):
        y, v = y * v, v
    return y, v
""",
        """
def main(x: f32[4], w: f32[4], n: i64):
    y = x
    for i in range(0, n, 1):
        y = y * w
    return y, w
""",
    ),
    "what a condition reads and the body passes on": (
        """
def main(x: f32, limit: f32):
    y: f32; most: f32
    y, most = x, limit
    while True:
        if not y < most: break
        y, most = y * y, most
    return y
""",
        """
def main(x: f32, limit: f32):
    y = x
    while True:
        if not y < limit: break
        y = y * y
    return y
""",
    ),
    "a token that a loop passes on": (
        """
@function(inputs=("token:host", "x", "n"))
def main(token: Token, x: f32[4], n: i64):
    said: Token; y: f32[4]
    said, y = token, x
    for i in range(0, n, 1):
        said, y = said, p.exp(y)
    return said, y
""",
        """
@function(inputs=("token:host", "x", "n"))
def main(token: Token, x: f32[4], n: i64):
    y = x
    for i in range(0, n, 1):
        y = p.exp(y)
    return token, y
""",
    ),
    "what a loop carries for nobody": (
        """
def main(x: f32[4], n: i64):
    y: f32[4]; a: f32[4]; b: f32[4]
    y, a, b = x, x, x
    for i in range(0, n, 1):
        y, a, b = p.exp(y), b + y, a * y
    return y
""",
        """
def main(x: f32[4], n: i64):
    y = x
    for i in range(0, n, 1):
        y = p.exp(y)
    return y
""",
    ),
    "a chain of loops for nobody": (
        """
def main(x: f32[4], n: i64):
    y: f32[4]; a: f32[4]
    y, a = x, x
    for i in range(0, n, 1):
        y, a = p.exp(y), a + y
    z: f32[4]; b: f32[4]
    z, b = y, a
    for i in range(0, n, 1):
        z, b = p.exp(z), b + z
    return z
""",
        """
def main(x: f32[4], n: i64):
    y = x
    for i in range(0, n, 1):
        y = p.exp(y)
    z = y
    for i in range(0, n, 1):
        z = p.exp(z)
    return z
""",
    ),
    "a pop of what was pushed": (
        """
def main(tape: Stack[f32[4]], x: f32[4]):
    more = p.stack_push(tape, x)
    rest, top = p.stack_pop(more)
    return rest, top
""",
        """
def main(tape: Stack[f32[4]], x: f32[4]):
    return tape, x
""",
    ),
}

STAYS = {
    "a branch on data": """
def main(c: bool_, x: f32[4]):
    if c:
        y = p.exp(x)
    else:
        y = x
    return y
""",
    "zeros of another sign": """
def main(c: bool_):
    if c:
        y = p.const(0.0, f32)
    else:
        y = p.const(-0.0, f32)
    return y
""",
    "a step of 0, which is an error": """
def main(x: f32[4]):
    y = x
    for i in range(0, 1, 0):
        y = p.exp(y)
    return y
""",
    "a condition that may fail": """
def main(x: f32[4], place: i64):
    y = x
    while True:
        first = p.gather(y, place)
        if not p.const(False, bool_): break
        y = p.exp(y)
    return y
""",
    "what a loop carries for its condition": """
def main(x: f32, n: i64):
    y: f32; count: i64
    y, count = x, n
    while True:
        if not count > 0: break
        y, count = p.exp(y), count - 1
    return y
""",
    "what a loop carries for what may fail": """
def main(x: f32[4], place: i64, n: i64):
    where: i64; y: f32[4]
    where, y = place, x
    for i in range(0, n, 1):
        first = p.gather(x, where)
        where, y = where + 1, p.exp(y)
    return y
""",
    "values exchanged by a loop": """
def main(x: f32, y: f32, n: i64):
    a: f32; b: f32
    a, b = x, y
    for i in range(0, n, 1):
        a, b = b, a
    return a
""",
    "a pop of what one branch pushed": """
def main(tape: Stack[f32[4]], x: f32[4], c: bool_):
    if c:
        more = p.stack_push(tape, x)
    else:
        more = tape
    rest, top = p.stack_pop(more)
    return rest, top
""",
    "inside of a marker": """
def main(x: f32[4]):
    @region
    def body(y: f32[4]):
        unused = p.exp(y)
        return -(-y)
    z = p.checkpoint(x, body=body)
    return z
""",
}


@pytest.mark.parametrize(("before", "after"), BECOMES.values(), ids=BECOMES)
def test_simplifies(before, after):
    becomes([Canonicalize()], before, after)


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS)
def test_leaves(text):
    stays([Canonicalize()], text)
