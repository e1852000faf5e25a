"""Statements."""

# ruff: noqa: E731, F811, F821
from __future__ import annotations

import contextlib

import numpy as np

from language.case import Section, f32, i32
from s2sad import ops

SECTION = Section("Statements")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario

COUNT = 2


@works("`a = v`, `a = b = v`, `a, b = b, a`, nested targets, `a, *b = t`")
def assigns(x):
    a = b = x * 2
    a, b = b + 1, a
    (c, (d, e)), f = (a, (b, x)), 3
    first, *rest = (c, d, e)
    *most, last = [f, *rest]
    return first * f, rest, most, last


@works("unpack a Tensor `a, b, c = x`", note="its length must be known, and fit")
def unpacks_a_tensor(x):
    a, b, c = x
    first, *others = x
    return a * b + c, first, others


@refused("unpack a Tensor `a, b, c = x`", "E0404", "as many")
def unpacks_too_few(x):
    a, b = x  # here
    return a + b


@works("`a: int = 3`, `a: int`")
def annotates(x):
    scale: int = 3
    later: float
    later = 0.5
    return x * scale + later


@works("`(n := e)` walrus")
def names_in_expressions(x):
    if (n := x.shape[0]) > 2 and (y := x * n).ndim == 1:
        return y + (z := y * 2) * z
    return x


@works("`(n := e)` walrus", note="also in comprehensions, and in the condition of a `while`")
def names_in_comprehensions(x):
    total = x * 0
    parts = [total := total + x * i for i in range(4)]
    return parts, total


@works("`(n := e)` walrus", arguments=lambda: (f32(1.0, 2.0), i32(5)))
def names_in_a_condition_on_data(x, n):
    while (n := n - 1) > 0:
        x = x * 1.5 + n
    return x, n


@works("`y += e` and the other augmented operators on Tensors", note="means `y = y + e`")
def augments(x):
    y = x * 1
    y += 2
    y -= x * 0.5
    y *= x
    y /= 3.0
    y **= 2
    return y


@works("`n <<= 2`, `\\|=`, `&=`, `^=` on const ints; `@=`")
def augments_ints(x):
    n = 3
    n <<= 2
    n |= 1
    n &= 29
    n ^= 4
    n //= 2
    m = ops.stack([x, x * 2, x - 1])
    m @= m
    return x * n, m


@works("`del name`, `del l[0]`", note="a variable that was deleted cannot be read")
def deletes(x):
    y = x * 2
    items = [x, y, x + y]
    named = {"a": x, "b": y}
    del y, items[0], named["a"]
    return items, named


@refused("`del name`, `del l[0]`", "E0211", "assign it before")
def reads_what_was_deleted(x):
    y = x * 2
    del y  # here
    return x + y


@works("`pass`, docstring, loose constant")
def does_nothing(x):
    """Text."""
    pass  # noqa: PIE790
    3  # noqa: B018
    return x * 2


@works("expression statement, `print(...)`", note="prints when the program runs, as Python does")
def prints(x):
    print("x is", x, x.shape, sep=": ", end=";\n")
    print(f"{x[0]:.2f} and {x.sum()}")
    y = x * 2
    print()
    print(y, 3, None, [1, "a"])
    return y


@works("expression statement, `print(...)`", arguments=lambda: (f32(1.0, 2.0), i32(3)))
def prints_in_a_loop(x, n):
    i = 0
    while i < n:
        print("pass", i)
        x = x * 2
        i += 1
    if x.sum() > 0:
        print("positive {}", x)
    return x


@works("`return` early, in a const branch or loop")
def returns_early(x):
    if x.ndim == 1:
        for i in range(5):
            if i == 2:
                return x * i
    return x


@works("`return` early, in a Tensor branch or loop", arguments=lambda: (f32(1.0, 2.0, 3.0), i32(4)))
def returns_early_on_data(x, n):
    if x.sum() < 0:
        return x * 2
    for i in range(n):
        if i * x[0] > 1.5:
            return x * x
        x = x + 1
    return x


@works("no `return` / fall through the end", note="gives None", gradient=False)
def returns_nothing(x):
    y = x * 2
    y = y + 1


@refused("`return` missing in one Tensor branch", "E0306", "every path")
def returns_on_one_path(x):
    if x.sum() > 0:
        return x * 2  # here


@works("`assert const, msg`")
def asserts_what_is_known(x):
    assert x.shape == (3,), "three elements"
    return x * 2


@works("`assert const, msg`", raises=AssertionError)
def fails_an_assertion(x):
    assert x.shape == (4,), f"four elements, got {x.shape}"
    return x * 2


@works("`assert tensor, msg`", note="fails when the program runs")
def asserts_data(x):
    assert x.sum() > 0, "positive"
    return x * 2


@scenario("`assert tensor, msg`")
def fails_an_assertion_on_data(wrap):
    def positive(x):
        assert (x > 0).all(), "positive"
        return x * 2

    run = wrap(positive)
    try:
        run(f32(-1.0))
    except AssertionError as error:
        return "positive" in str(error), run(f32(1.0))
    return None


@works("`raise E(msg)` on a const path", note="the very exception", raises=KeyError)
def raises_an_exception(x):
    if x.ndim == 1:
        raise KeyError("a 'key'")
    return x


@scenario('`raise E(f"{x}")` under a Tensor condition', note="when the program runs")
def raises_on_data(wrap):
    def positive(x):
        if x.sum() < 0:
            raise ValueError(f"got {x}")
        return x * 2

    run = wrap(positive)
    try:
        run(f32(-1.5, 0.5))
    except ValueError as error:
        return error.args, type(error).__name__, run(f32(2.0, 3.0))
    return None


@works("`try/except/else/finally`", note="the body may compute with no Tensor")
def tries(x):
    table = {"a": 2}
    try:
        scale = table["b"]
    except (KeyError, IndexError) as error:
        scale = len(error.args)
    else:
        scale = 100
    finally:
        x = x + 1
    try:
        kind = int("7")
    except ValueError:
        kind = 0
    return x * scale + kind


@works("`try/except/else/finally`", raises=ValueError)
def raises_again(x):
    try:
        int("seven")
    except ValueError:
        x = x + 1
        raise
    return x


@refused("`try/except/else/finally`", "E0101", "move the `try`")
def tries_to_compute(x):
    try:  # here
        y = ops.log(x)
    except ValueError:
        y = x
    return y


class Level:
    """Counts how often it is entered."""

    def __init__(self, step):
        self.step = step

    def __enter__(self):
        return self.step

    def __exit__(self, *error):
        return False


@contextlib.contextmanager
def named(name):
    yield f"<{name}>"


@works("`with ctx() as v`", note="entered and left while compiling; it may give no Tensor")
def opens(x):
    with Level(3) as step, contextlib.nullcontext(2) as more, np.errstate(all="ignore"):
        y = x * step + more
    with contextlib.suppress(KeyError):
        {}["missing"]
    with named("a") as text:
        return y if text == "<a>" else x


@refused("`with ctx() as v`", "E0104", "before the `with`")
def opens_a_tensor(x):
    with contextlib.nullcontext(x) as y:  # here
        return y * 2


@works("`import m` inside", note="imported while compiling")
def imports(x):
    import math as m
    import os.path
    from math import pi

    from s2sad.ops import sin

    return sin(x) * m.sqrt(4.0) + pi + len(os.path.sep)


@refused("`global G; G = G + 1`", "E0101", "return the new value", note="reading is fine")
def assigns_a_global(x):
    global COUNT
    y = x * COUNT
    COUNT = COUNT + 1  # here
    return y


@works("`nonlocal n; n = n + 1` in an inner function")
def counts(x):
    n, y = 0, x

    def step(by):
        nonlocal n, y
        n = n + by
        y = y * 2 + n
        return n

    seen = [step(i) for i in range(3)]
    for _ in range(2):
        step(1)
    return y * n, seen


@works("`nonlocal n; n = n + 1` in an inner function", arguments=lambda: (f32(1.0, 2.0), i32(3)))
def counts_under_data(x, n):
    total = x * 0

    def add(y):
        nonlocal total
        total = total + y

    while n > 0:
        if n > 1:
            add(x * n)
        n = n - 1
    return total


@refused("`nonlocal n; n = n + 1` in an inner function", "E0104", "return the new value")
def counts_in_a_branch(x):
    n = 0

    def step():
        nonlocal n
        if x.sum() > 0:
            n = n + 1  # here

    step()
    return x * n


def _taken(x, what):
    match what:
        case None:
            return x
        case 0 | 1 as number:
            return x * number
        case "twice" | "double":
            return x * 2
        case (first, *rest) if rest:
            return first + len(rest)
        case {"scale": scale, **others}:
            return x * scale + len(others)
        case int():
            return x - what
        case complex(real=real, imag=imag):
            return x * real + imag
        case _:
            return x * 0


@works("`match` on const", note="patterns that ask what a Tensor holds are refused")
def matches(x):
    given = (None, 1, "double", (x, 2, 3), {"scale": 3.0, "more": x}, 7, 2 + 3j, "none")
    return [_taken(x, what) for what in given]


@refused("`match` on const", "E0305", "`if` and `elif`")
def matches_data(x):
    match x[0]:
        case 1.0:  # here
            return x
        case _:
            return -x


@refused("`class A: ...` inside", "E0101", "outside of the function")
def defines_a_class(x):
    class Scale:  # here
        by = 2

    return x * Scale.by


@works("`def f` inside, default arguments, keyword calls")
def defines_functions(x):
    def scaled(y, by=2.0, *, plus=1):
        return y * by + plus

    return scaled(x), scaled(by=3.0, y=x), scaled(x, 4.0, plus=x)


def _generator(x):
    for i in range(3):
        yield x * i  # here


@refused(
    "`yield`, generator functions",
    "E0101",
    "build a list",
    at=_generator,
    note="generator expressions work",
)
def goes_through_a_generator(x):
    return sum(_generator(x))


async def _later(x):
    return x * 2


@refused("`async def`, `await`", "E0101", "leave out `async`")
async def waits(x):  # here
    return await _later(x)
