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
