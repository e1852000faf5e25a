"""Which variables does a loop find that need what it leaves, and what it finds?"""

from __future__ import annotations

import textwrap

import gast
import pytest

from s2sad.frontend.liveness import liveness


def names(text: str) -> tuple[set[str], set[str]]:
    """Of the first `for` of a function with this body: what is live at entry, and after it."""
    module = gast.parse("def f(x, n):\n" + textwrap.indent(textwrap.dedent(text), "    "))
    loop = next(node for node in gast.walk(module) if isinstance(node, gast.For))
    live = liveness(module.body[0])[loop]
    builtin = {"range", "int"}
    return set(live.entry) - builtin, set(live.after) - builtin


CASES = {
    "carried": (
        """
        for i in range(3):
            h = h + x
        return h
        """,
        {"h", "x"}, {"h"},
    ),
    "local to a pass": (
        """
        for i in range(3):
            t = x * i
            u, (v, *w) = t
            h = u + v + w
        return n
        """,
        {"x", "n"}, {"n"},
    ),
    "kept to the end, and the index": (
        """
        for i in range(3):
            t = x * 2
        return t + i
        """,
        {"x"}, {"t", "i"},
    ),
    "assigned on one side": (
        """
        for i in range(3):
            if n:
                t = x
            else:
                u = x
        return t
        """,
        {"x", "n", "t"}, {"t"},
    ),
    "assigned on both sides": (
        """
        for i in range(3):
            if n:
                t = x
            else:
                t = n
        return t
        """,
        {"x", "n"}, {"t"},
    ),
    "augmented": (
        """
        for i in range(3):
            h += x
        """,
        {"h", "x"}, set(),
    ),
    "only declared": (
        """
        for i in range(3):
            h: int
        return h
        """,
        {"h"}, {"h"},
    ),
    "assigned again before it is read": (
        """
        for i in range(3):
            t = x
        for j in range(3):
            t = x * 2
            h = t
        return h
        """,
        {"x", "h"}, {"x", "h"},
    ),
    "read by an enclosing loop": (
        """
        while n:
            h = t
            for i in range(3):
                t = x
        """,
        {"x", "n"}, {"t", "x", "n"},
    ),
    "an inner loop may not run": (
        """
        for i in range(3):
            for j in range(n):
                t = x
            h = t
        """,
        {"x", "n", "t"}, set(),
    ),
    "left and gone on": (
        """
        for i in range(3):
            if n:
                break
            if x:
                continue
            t = x
            u = t
        else:
            t = n
        return t
        """,
        {"x", "n", "t"}, {"n", "t"},
    ),
    "functions inside read later": (
        """
        f = lambda: t
        for i in range(3):
            t = x
        return f()
        """,
        {"x", "t", "f"}, {"t", "f"},
    ),
    "a try": (
        """
        try:
            for i in range(3):
                t = x
        except ValueError:
            h = t
        finally:
            u = n
        """,
        {"x", "n", "t", "ValueError"}, {"x", "n", "t", "ValueError"},
    ),
    "a choice within an expression": (
        """
        for i in range(3):
            h = (t := x) if n else x
        return t
        """,
        {"x", "n", "t"}, {"t"},
    ),
    "a comprehension's own": (
        """
        for i in range(3):
            h = [t for t in x]
        """,
        {"x", "t"}, set(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_live_names(case) -> None:
    text, entry, after = CASES[case]
    assert names(text) == (entry, after)
