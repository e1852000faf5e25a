"""Does dce erase what nobody reads, and nothing else?"""

from __future__ import annotations

import pytest

from s2sad import prims as p
from s2sad.ir.clone import clone
from s2sad.ir.compare import difference
from s2sad.ir.reader import read_text
from s2sad.passes.base import run_passes
from s2sad.passes.dce import Dce

BEFORE_AND_AFTER = {
    "a chain that ends nowhere": (
        """
def main(x: f32[4]):
    unused = p.tanh(p.exp(x))
    return p.neg(x)
""",
        """
def main(x: f32[4]):
    return p.neg(x)
""",
    ),
    "one result of two is read": (
        """
def main(x: f32[4]):
    values, places = p.sort(x, axis=0)
    unused = places + places
    return values
""",
        """
def main(x: f32[4]):
    values, places = p.sort(x, axis=0)
    return values
""",
    ),
    "within a loop": (
        """
def main(x: f32[4], n: i64):
    y = x
    for i in range(0, n, 1):
        unused = p.exp(y)
        y = y + x
    return y
""",
        """
def main(x: f32[4], n: i64):
    y = x
    for i in range(0, n, 1):
        y = y + x
    return y
""",
    ),
    "a branch": (
        """
def main(x: f32[4], c: bool_):
    if c:
        y = p.exp(x)
    else:
        y = x
    return x
""",
        """
def main(x: f32[4], c: bool_):
    return x
""",
    ),
    "a loop": (
        """
def main(x: f32[4], n: i64):
    y = x
    for i in range(0, n, 1):
        y = p.exp(y)
    return x
""",
        """
def main(x: f32[4], n: i64):
    return x
""",
    ),
    "a loop of which nobody knows how long it runs": (
        """
def main(x: f32):
    y = x
    while True:
        if not y < 9.0: break
        y = p.exp(y)
    return x
""",
        """
def main(x: f32):
    return x
""",
    ),
    "what a loop carries for nobody": (
        """
def main(x: f32[4], n: i64):
    y: f32[4]; z: f32[4]
    y, z = p.exp(x), p.tan(x)
    for i in range(0, n, 1):
        y, z = p.exp(y), z + y
    return y
""",
        """
def main(x: f32[4], n: i64):
    y = p.exp(x)
    for i in range(0, n, 1):
        y = p.exp(y)
    return y
""",
    ),
    "what a branch in a loop gives for nobody": (
        """
def main(x: f32[4], c: bool_, n: i64):
    y: f32[4]; a: f32[4]; b: f32[4]
    y, a, b = x, x, x
    for i in range(0, n, 1):
        u: f32[4]; v: f32[4]
        if c:
            u, v = p.exp(y), a * y
        else:
            u, v = y, a + y
        y, a, b = u, a - y, v
    return y
""",
        """
def main(x: f32[4], c: bool_, n: i64):
    y = x
    for i in range(0, n, 1):
        if c:
            u = p.exp(y)
        else:
            u = y
        y = u
    return y
""",
    ),
    "all but what may fail in a loop": (
        """
def main(x: f32[4], n: i64):
    y: f32; z: f32[4]
    y, z = p.const(0.0, f32), x
    for i in range(0, n, 1):
        y, z = p.gather(x, i), p.exp(z)
    return x
""",
        """
def main(x: f32[4], n: i64):
    for i in range(0, n, 1):
        first = p.gather(x, i)
    return x
""",
    ),
    "an index of a loop that is in range, and one of a constant": (
        """
def main(x: f32[4]):
    y = x
    for i in range(-4, 4, 1):
        y = p.index_add(y, i, p.gather(x, p.const(3, i64)))
    return x
""",
        """
def main(x: f32[4]):
    return x
""",
    ),
    "a tape of which nobody reads an element, in loops within loops": (
        """
def main(x: f32[4]):
    tape: Stack[f32[4]]; other: Stack[f32[4]]; y: f32[4]
    tape, other, y = p.stack_empty(of=f32[4]), p.stack_empty(of=f32[4]), x
    for i in range(0, 3, 1):
        a: Stack[f32[4]]; b: Stack[f32[4]]; z: f32[4]
        a, b, z = tape, other, y
        for j in range(0, 2, 1):
            one = p.stack_push(a, p.tan(z))
            two = p.stack_push(b, z)
            a, b, z = one, two, p.exp(z)
        tape, other, y = a, b, z
    for i in range(5, -1, -1):
        one, top = p.stack_pop(tape)
        two, before = p.stack_pop(other)
        tape, other, y = one, two, y * before
    p.stack_drop(tape)
    p.stack_drop(other)
    return y
""",
        """
def main(x: f32[4]):
    other: Stack[f32[4]]; y: f32[4]
    other, y = p.stack_empty(of=f32[4]), x
    for i in range(0, 3, 1):
        b: Stack[f32[4]]; z: f32[4]
        b, z = other, y
        for j in range(0, 2, 1):
            two = p.stack_push(b, z)
            b, z = two, p.exp(z)
        other, y = b, z
    for i in range(5, -1, -1):
        two, before = p.stack_pop(other)
        other, y = two, y * before
    p.stack_drop(other)
    return y
""",
    ),
    "a tape in a loop": (
        """
def main(x: f32[4], n: i64):
    y = x
    for i in range(0, n, 1):
        tape = p.stack_push(p.stack_empty(of=f32[4]), p.tan(y))
        rest, top = p.stack_pop(tape)
        p.stack_drop(rest)
        y = p.exp(y)
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
    "all of a loop but its step, which may be 0": (
        """
def main(x: f32[4], step: i64):
    y = x
    for i in range(0, 4, step):
        y = p.exp(y)
    return x
""",
        """
def main(x: f32[4], step: i64):
    for i in range(0, 4, step):
        pass
    return x
""",
    ),
}

UNCHANGED = {
    "what is read": """
def main(x: f32[4]):
    return p.tanh(x) * x
""",
    "an effect": """
@function(inputs=("token:host", "x"))
def main(token: Token, x: f32[4]):
    said = p.print_(token, p.exp(x), format="{}")
    return said
""",
    "a tape that is popped once too often": """
def main(x: f32[4]):
    tape = p.stack_empty(of=f32[4])
    for i in range(0, 3, 1):
        tape = p.stack_push(tape, x)
    for i in range(0, 4, 1):
        rest, top = p.stack_pop(tape)
        tape = rest
    p.stack_drop(tape)
    return x
""",
    "a tape that is popped before it is pushed": """
def main(x: f32[4]):
    tape = p.stack_push(p.stack_empty(of=f32[4]), x)
    for i in range(0, 3, 1):
        rest, top = p.stack_pop(tape)
        again, below = p.stack_pop(rest)
        tape = p.stack_push(p.stack_push(again, x), x)
    p.stack_drop(tape)
    return x
""",
    "a tape of nobody knows how many elements": """
def main(x: f32[4], n: i64):
    tape = p.stack_empty(of=f32[4])
    for i in range(0, n, 1):
        tape = p.stack_push(tape, x)
    for i in range(0, n, 1):
        rest, top = p.stack_pop(tape)
        tape = rest
    p.stack_drop(tape)
    return x
""",
    "an index of a loop that goes out of range": """
def main(x: f32[4]):
    for i in range(4, -1, -1):
        y = p.gather(x, i)
    return x
""",
    "a stack": """
def main(tape: Stack[f32[4]], x: f32[4]):
    rest, top = p.stack_pop(tape)
    return rest
""",
    "a loop whose step may be 0": """
def main(x: f32[4], step: i64):
    for i in range(0, 4, step):
        pass
    return x
""",
    "a loop in which something may fail": """
def main(x: f32[4], n: i64):
    for i in range(0, n, 1):
        first = p.gather(x, i)
    return x
""",
    "what is in a marker": """
def main(x: f32[4]):
    @region
    def body(y: f32[4]):
        unused = p.exp(y)
        return -y
    z = p.checkpoint(x, body=body)
    return z
""",
    "what may fail": """
def main(state: i64[3], low: i64):
    numbers, unused = p.random_int(state, low, 10, shape=(4,))
    return low
""",
}


@pytest.mark.parametrize(("before", "after"), BEFORE_AND_AFTER.values(), ids=BEFORE_AND_AFTER)
def test_erases(before, after):
    function = read_text(before, p.ALL)
    (report,) = run_passes(function, [Dce()])
    assert difference(function, read_text(after, p.ALL)) is None
    assert report.changes > 0 and report.after < report.before
    (again,) = run_passes(function, [Dce()])
    assert again.changes == 0


@pytest.mark.parametrize("text", UNCHANGED.values(), ids=UNCHANGED)
def test_leaves(text):
    function = read_text(text, p.ALL)
    before = clone(function)
    (report,) = run_passes(function, [Dce()])
    assert difference(function, before) is None
    assert report.changes == 0 and "unchanged" in str(report)
