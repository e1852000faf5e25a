"""Is a variable named where nothing can have assigned it, and nowhere else?"""

from __future__ import annotations

import gast
import pytest

from s2sad.frontend.unassigned import unassigned


def found(body: str) -> list[str]:
    """Variables that are read too early in a function of `x` with this body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    function = gast.parse(f"def f(x, *rest, key=None, **more):\n{lines}").body[0]
    nodes = sorted(unassigned(function), key=lambda node: (node.lineno, node.col_offset))
    return [node.id for node in nodes]


EARLY = {
    "y = y + x": ["y"],
    "y += x": ["y"],
    "y: int = y": ["y"],
    "y: int\nreturn y": ["y"],
    "return y\ny = 1": ["y"],
    "z = y, y\ny = 1\nreturn y": ["y"],
    "if y:\n    y = 1": ["y"],
    "if x:\n    y = 1\nelse:\n    z = y": ["y"],
    "for i in i: pass": ["i"],
    "for i in x:\n    z = y\ny = 1": ["y"],
    "with y as y: pass": ["y"],
    "y = [y for y in y]": ["y"],
    "z = [y for a in x]\ny = 1": ["y"],
    "z = lambda a=y: a\ny = 1": ["y"],
    "def g(a=y): pass\ny = 1": ["y"],
    "@y\ndef g(): pass\ny = 1": ["y"],
    "y[0] = 1\ny = x": ["y"],
    "y.at = 1\ny = x": ["y"],
    "raise y\ny = x": ["y"],
    "assert y\ny = x": ["y"],
    "z = (y := y)": ["y"],
    "try:\n    z = y\nexcept E:\n    pass\ny = 1": ["y"],
    "match y:\n    case 1: pass\ny = 1": ["y"],
}
LATE = [
    "y = 1\nreturn y",
    "return x, rest, key, more",
    "x = x + 1",
    "if x:\n    y = 1\nreturn y",
    "for i in x:\n    if i: z = y\n    y = i",
    "for i in x: pass\nreturn i",
    "while x:\n    if x: z = y\n    y = 1",
    "while y:\n    y = 1",
    "with x as y: return y",
    "with x as (y, *z): return y, z",
    "return (y := x) + y",
    "return [(y := i) for i in x], y",
    "z = [y for y in x]\ny = 1",
    "z = lambda: y\ny = 1",
    "def g(): return y\ny = 1",
    "def g():\n    nonlocal y\n    y = 1\ng()\nz = y\ny = 2",
    "global y\ny = y + 1",
    "import y\nreturn y",
    "import a.b as y, c.d\nreturn y, c",
    "try:\n    y = 1\nexcept E as e:\n    z = y, e\nelse:\n    z = y\nfinally:\n    z = y",
    "match x:\n    case [y, *z] if y: return y, z\n    case {'k': k, **r}: return k, r",
    "class y: z = 1\nreturn y",
    "class A:\n    z = z\nz = 1",
    "del y\ny = 1",
    "y = z = x\nreturn y, z",
    "(a, [b, *c]), d.e = x\nreturn a, b, c",
    "return other",
]


@pytest.mark.parametrize("body", EARLY)
def test_reads_that_come_too_early(body):
    assert found(body) == EARLY[body]


@pytest.mark.parametrize("body", LATE)
def test_reads_that_may_come_in_time(body):
    assert found(body) == []


def test_python_agrees_about_the_early_ones():
    for body, names in EARLY.items():
        if body.startswith(("z = [y", "for i in x", "try", "if x")) or not names:
            continue  # these need an argument of a kind
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        scope: dict = {}
        exec(f"def f(x, *rest, key=None, **more):\n{lines}", scope)
        with pytest.raises(UnboundLocalError):
            scope["f"](None)


def test_a_lambda_assigns_nothing():
    assert unassigned(gast.parse("lambda x: y").body[0].value) == frozenset()
