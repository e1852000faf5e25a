"""Are equal operations computed once, and different ones kept apart?"""

from __future__ import annotations

import pytest

from s2sad.passes.base import run_passes
from s2sad.passes.cse import Cse
from tests.passes.rewriting import becomes, read, stays

BECOMES = {
    "the same twice": (
        """
def main(x: f32[4]):
    return p.exp(x) + p.exp(x)
""",
        """
def main(x: f32[4]):
    y = p.exp(x)
    return y + y
""",
    ),
    "in a chain": (
        """
def main(x: f32[4]):
    return p.tanh(p.exp(x)) * p.tanh(p.exp(x))
""",
        """
def main(x: f32[4]):
    y = p.tanh(p.exp(x))
    return y * y
""",
    ),
    "operands exchanged": (
        """
def main(x: f32[4], y: f32[4]):
    return (x * y) - (y * x)
""",
        """
def main(x: f32[4], y: f32[4]):
    z = x * y
    return z - z
""",
    ),
    "constants by their bits": (
        """
def main(x: f32[4]):
    return p.exp(p.const((1.0, 2.0), f32[2])), p.exp(p.const((1.0, 2.0), f32[2]))
""",
        """
def main(x: f32[4]):
    y = p.exp(p.const((1.0, 2.0), f32[2]))
    return y, y
""",
    ),
    "operations with several results": (
        """
def main(x: f32[4]):
    a, b = p.sort(x, axis=0)
    c, d = p.sort(x, axis=-1)
    return a, d
""",
        """
def main(x: f32[4]):
    a, b = p.sort(x, axis=0)
    return a, b
""",
    ),
    "a region reads what was computed around it": (
        """
def main(x: f32[4], n: i64):
    y = p.exp(x)
    for i in range(0, n, 1):
        y = y * p.exp(x)
    return y
""",
        """
def main(x: f32[4], n: i64):
    y = p.exp(x)
    z = y
    for i in range(0, n, 1):
        z = z * y
    return z
""",
    ),
    "within a branch": (
        """
def main(x: f32[4], c: bool_):
    if c:
        y = p.exp(x) + p.exp(x)
    else:
        y = x
    return y
""",
        """
def main(x: f32[4], c: bool_):
    if c:
        z = p.exp(x)
        y = z + z
    else:
        y = x
    return y
""",
    ),
    "within an isolated region": (
        """
def main(x: f32[4]):
    @region
    def body(y: f32[4]):
        return p.exp(y) + p.exp(y)
    z = p.fused(x, body=body)
    return z
""",
        """
def main(x: f32[4]):
    @region
    def body(y: f32[4]):
        z = p.exp(y)
        return z + z
    w = p.fused(x, body=body)
    return w
""",
    ),
    "what may fail": (
        """
def main(x: f32[4], i: i64):
    return p.gather(x, i) + p.gather(x, i)
""",
        """
def main(x: f32[4], i: i64):
    y = p.gather(x, i)
    return y + y
""",
    ),
    "a draw of one state": (
        """
def main(state: i64[3]):
    x, a = p.random_uniform(state, shape=(2,))
    y, b = p.random_uniform(state, shape=(2,))
    return x, y, b
""",
        """
def main(state: i64[3]):
    x, a = p.random_uniform(state, shape=(2,))
    return x, x, a
""",
    ),
}

STAYS = {
    "operands exchanged that may not be": """
def main(x: f32[4], y: f32[4]):
    return (x - y) * (y - x)
""",
    "zeros of another sign": """
def main(x: f32[4]):
    return x * p.const(0.0, f32[2, 4]), x * p.const(-0.0, f32[2, 4])
""",
    "attributes that Python takes for equal": """
def main(x: f32[4]):
    return p.full_like(x, value=1), p.full_like(x, value=1.0)
""",
    "constants of another type": """
def main(x: f32[4]):
    return p.const(1, i32), p.const(1, i64), p.const(1, i32[1])
""",
    "what the other branch computes": """
def main(x: f32[4], c: bool_):
    if c:
        y = p.exp(x)
    else:
        y = -p.exp(x)
    return y
""",
    "what a branch computes, read after it": """
def main(x: f32[4], c: bool_):
    if c:
        y = p.exp(x)
    else:
        y = x
    return y, p.exp(x)
""",
    "what a condition computes": """
def main(x: f32):
    y = x
    while True:
        if not p.exp(y) < p.const(9.0, f32): break
        y = p.exp(y)
    return y
""",
    "what is around an isolated region": """
def main(x: f32[4]):
    a = p.const(2.0, f32)
    @region
    def body(y: f32[4]):
        b = p.const(2.0, f32)
        return y * b
    z = p.fused(x, body=body)
    return z * a
""",
    "effects": """
@function(inputs=("token:host", "x"))
def main(token: Token, x: f32[4]):
    a = p.print_(token, x, format="{}")
    b = p.print_(a, x, format="{}")
    return b
""",
    "stacks": """
@function(inputs=(), tree="(0, 1)")
def main():
    a = p.stack_empty(of=f32)
    b = p.stack_empty(of=f32)
    return a, b
""",
    "markers": """
def main(x: f32[4]):
    return p.stop_gradient(x) + p.stop_gradient(x)
""",
    "inside of a marker": """
def main(x: f32[4]):
    @region
    def body(y: f32[4]):
        return p.exp(y) + p.exp(y)
    z = p.checkpoint(x, body=body)
    return z
""",
}


@pytest.mark.parametrize(("before", "after"), BECOMES.values(), ids=BECOMES)
def test_merges(before, after):
    becomes([Cse()], before, after)


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS)
def test_keeps_apart(text):
    stays([Cse()], text)


def test_large_constants_are_merged_by_their_digest():
    values = tuple(float(i) for i in range(100))
    other = (*values[:-1], 1.0)
    function = read(
        "def main(x: f32[100]):\n"
        f"    return x + p.const({values}, f32[100]), x - p.const({values}, f32[100]), "
        f"x - p.const({other}, f32[100])\n"
    )
    (report,) = run_passes(function, [Cse()])
    assert report.titles == {"merge const": 1}


def test_the_first_keeps_its_place_and_takes_a_name():
    function = read(
        "def main(x: f32[4]):                    #@ net.py:1:0\n"
        "    t0: f32[4] = p.exp(x)               #@ net.py:2:8\n"
        "    y: f32[4] = p.exp(x)                #@ net.py:3:8\n"
        "    return t0 + y\n"
    )
    run_passes(function, [Cse()])
    operation = function.body.operations[0]
    assert str(operation.loc) == "net.py:2:8" and operation.result.name == "y"


def test_a_constant_that_stands_for_two_has_the_name_of_neither():
    function = read(
        "def main(x: f32):\n"
        "    dx: f32 = p.const(0.0, f32)\n"
        "    dy: f32 = p.const(0.0, f32)\n"
        "    return p.maximum(x, dx), p.minimum(x, dy), p.const(0.0, f32)\n"
    )
    run_passes(function, [Cse()])
    assert [op.result.name for op in function.walk() if op.prim.name == "const"] == [None]
