"""Does one report name all that is wrong in the text of a function, and nothing that is right?"""

from __future__ import annotations

import builtins
import linecache
import time
from dataclasses import replace

import gast
import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import Diagnostic, S2sadError
from s2sad.frontend import refusals
from s2sad.frontend.expressions import EXPRESSIONS
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.source import source_of
from s2sad.frontend.statements import STATEMENTS
from s2sad.frontend.survey import OTHERS_SHOWN, Survey
from s2sad.frontend.trail import Trail
from s2sad.ir.graph import Region

X = ms.Tensor(np.ones((2, 3), np.float32))
FACTOR = 2.0


def diagnostic(function, *args) -> Diagnostic:
    with pytest.raises(S2sadError) as caught:
        ms.compile(function)(*args)
    return caught.value.diagnostic


def found(function, *args) -> list[tuple[str, str]]:
    """Code and text of the line, of the first error and of the others."""
    first = diagnostic(function, *args)
    places = [(each.code, each.location) for each in (first, *first.others)]
    return [(code, linecache.getline(p.file, p.line).strip()) for code, p in places]


def test_unsupported_statements_and_unknown_names_are_all_named():
    def f(x):
        y = x + unknown  # noqa: F821

        class Other:
            by = 2

        with open("file"):
            y = y * eval("2")
        return y + other  # noqa: F821

    assert found(f, X) == [
        ("E0201", "y = x + unknown  # noqa: F821"),
        ("E0101", "class Other:"),
        ("E0104", 'with open("file"):'),
        ("E0104", 'y = y * eval("2")'),
        ("E0201", "return y + other  # noqa: F821"),
    ]


def test_any_first_error_brings_the_others():
    def f(x):
        y = x + x.T
        open("x")
        return y

    assert found(f, X) == [("E0401", "y = x + x.T"), ("E0104", 'open("x")')]


def test_each_is_shown_with_its_line_and_what_to_do():
    def f(x):
        open("x")
        return ops.relu(facter)  # noqa: F821

    first, second = diagnostic(f, X).render().split("\n\n")
    assert first.startswith("[E0104] calling open cannot be compiled yet\n  --> ")
    assert second.startswith("[E0201] the name 'facter' is not defined\n  --> ")
    assert "|         return ops.relu(facter)" in second and " ^^^^^^\n" in f"{second}\n"


def test_sides_that_are_known_not_to_be_taken_are_left_out():
    def f(x, debug):
        if debug:
            print(x, nothing)  # noqa: F821
        y = x if not debug else nowhere  # noqa: F821
        if x.ndim == 2:
            y = y + 1
        else:
            del y
        return y + missing  # noqa: F821

    assert found(f, X, False) == [("E0201", "return y + missing  # noqa: F821")]


def test_nothing_is_said_about_code_that_compiles():
    def f(x, debug=False):
        if debug:
            with open("file") as file:
                print(x, file, nowhere)  # noqa: F821
        return x * FACTOR

    assert ms.compile(f)(X).shape == (2, 3)


def test_names_that_are_defined_are_left_out():
    free = 3.0

    def f(x, *rest, scale=1.0, **more):
        total = x * FACTOR * free * scale
        for place, (one, *others) in enumerate([(1, 2, 3)]):
            total = total + place + one + len(others) + len(rest) + len(more)

        def inner(y, k=free, *args, key=None, **kwargs):
            z: NoSuchType = y + k  # noqa: F821
            return z, args, key, kwargs, total

        pairs = [inner(a)[0] + b for a in (x,) for b in (a, total) if len(b.shape)]
        add = lambda a, *b, c=total, **d: a + c + len(b) + len(d)  # noqa: E731
        open("add")
        return pairs, __name__, NotImplemented, add

    assert found(f, X) == [("E0104", 'open("add")')]


def test_names_of_refused_statements_are_left_out():
    def f(x):
        global shared
        import os.path as path
        from math import pi as tau

        try:
            shared = x * tau
        except (ValueError, TypeError) as error:
            shared = path, error
        with x as opened:
            shared = opened
        if (n := 3) > 2:
            shared = n
        match x:
            case [first, *last]:
                shared = first, last
        return {k: v for k, v in shared}, {each for each in shared}

    codes = [code for code, _ in found(f, X)]
    assert set(codes) == {"E0101"}


def test_a_builtin_that_the_user_defined_is_not_refused():
    def f(x):
        eval = x.sum  # noqa: A001
        open("x")
        return eval()

    assert found(f, X) == [("E0104", 'open("x")')]


def test_calls_that_can_only_fail_are_named():
    def f(x):
        y = x + x.T
        y = ops.sofmax(y)
        y = ops.relu(y, 1, 2)
        y = time.time() * y + np.random.rand(3)
        ms.set_context(mode=0)
        return y

    assert found(f, X) == [
        ("E0401", "y = x + x.T"),
        ("E0220", "y = ops.sofmax(y)"),
        ("E0302", "y = ops.relu(y, 1, 2)"),
        ("E0104", "y = time.time() * y + np.random.rand(3)"),
        ("E0104", "y = time.time() * y + np.random.rand(3)"),
        ("E0104", "ms.set_context(mode=0)"),
    ]


def test_they_are_named_as_the_compiler_does():
    def missing(x):
        return ops.sofmax(x)

    def misfit(x):
        return ops.relu(x, 1, 2)

    def clock(x):
        return x + time.time()

    def setting(x):
        ms.set_context(mode=0)
        return x

    for inner in (missing, misfit, clock, setting):
        node = source_of(inner)
        frame = Frame(Session(Region()), node.file, inner.__globals__, node.closure)
        (told,) = Survey(replace(frame, assigned=frozenset({"x"})), Trail()).function(node.node)
        first = diagnostic(inner, X)
        parts = "code", "message", "help"
        assert [getattr(told, x) for x in parts] == [getattr(first, x) for x in parts]
        assert told.location == first.location


def test_variables_that_are_read_too_early_are_named_once():
    def f(x):
        open("x")
        y = late + x  # noqa: F821
        y = late * y  # noqa: F821
        late = y
        return late

    assert found(f, X) == [("E0104", 'open("x")'), ("E0210", "y = late + x  # noqa: F821")]


def test_what_never_runs_or_is_caught_is_left_out():
    def f(x):
        open("x")
        try:
            y = nothing  # noqa: F821
        except NameError:
            y = 1
        if hasattr(ops, "sofmax"):
            y = ops.sofmax(x)
        if x.ndim == 2:
            return y
            y = nowhere  # noqa: F821
        return x

    assert found(f, X) == [("E0104", 'open("x")')]


def test_inside_of_an_async_function_nothing_is_said():
    def f(x):
        async def inner(y):
            return await y + nothing  # noqa: F821

        return x + other  # noqa: F821

    assert found(f, X) == [
        ("E0101", "async def inner(y):"), ("E0201", "return x + other  # noqa: F821"),
    ]  # fmt: skip


class Net(nn.Cell):
    """Wrong in two methods, and calls a layer of s2sad."""

    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def construct(self, x):
        y = self.helper(x)
        open("y")
        return y

    def helper(self, x):
        y = self.relu(x)
        open("x")
        return y + nowhere  # noqa: F821


def test_functions_that_led_to_the_error_are_gone_through():
    assert found(Net(), X) == [
        ("E0104", 'open("x")'),
        ("E0201", "return y + nowhere  # noqa: F821"),
        ("E0104", 'open("y")'),
    ]
    text = diagnostic(Net(), X).render()
    assert text.count("called at") == 1  # of the first; the others were reached in the same way


def test_an_error_inside_of_a_layer_brings_those_of_the_function_that_calls_it():
    dense = nn.Dense(4, 3)

    def layered(x):
        y = dense(x)
        open("x")
        return y

    def f(x):
        return layered(x)

    assert found(f, X)[1:] == [("E0104", 'open("x")')]
    assert diagnostic(f, X).render().count("called at") == 1


def test_many_errors_are_counted():
    lines = [f"    name{i}" for i in range(12)]
    file = "<many errors>"
    text = "\n".join(["def f(x):", *lines, ""])
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    try:
        names: dict = {}
        exec(compile(text, file, "exec"), names)
        first = diagnostic(names["f"], X)
    finally:
        del linecache.cache[file]
    assert len(first.others) == OTHERS_SHOWN
    assert first.others[-1].notes == (f"and {11 - OTHERS_SHOWN} more errors",)


# What stands in the tables of `refusals`


def test_only_what_is_refused_has_an_instead():
    read = {kind.__name__ for kind in (*STATEMENTS, *EXPRESSIONS)}
    assert not read & set(refusals.CONSTRUCTS)
    assert all(hasattr(gast, name) for name in refusals.CONSTRUCTS)


@pytest.mark.parametrize("name", refusals.NEVER)
def test_builtins_that_are_never_called(name):
    function = getattr(builtins, name)
    first = diagnostic(lambda x: function(x), X)
    assert first.code == "E0104" and first.help == refusals.NEVER[name]


def test_what_the_tables_advise_works():
    def f(x):
        both = ops.stack([x, x])
        checks = both.astype(ms.bool_).all(0), both.astype(ms.bool_).any(0), both.sum(0)
        ends = ops.maximum(x, x), ops.minimum(x, x), x.max(), x.min(), ops.sort(x)[0]
        kinds = x.astype(ms.bool_), x.astype(ms.int32), x.astype(ms.float32)
        return checks, ends, kinds, (x == x).any()

    assert ms.compile(f)(X)[3].item() is True
