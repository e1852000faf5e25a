"""Does text become the function that it says, and is everything else refused at its place?"""

from __future__ import annotations

import ast
import re
import traceback
from random import Random

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.compare import difference
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Form
from s2sad.ir.printer import print_text, print_tree
from s2sad.ir.reader import read_text, read_tree
from s2sad.ir.types import bool_, f16, f32, i32, i64
from s2sad.ir.verify import verify
from support.random_functions import random_function


def read(text: str) -> Function:
    function = read_text(text, p.ALL)
    verify(function)
    return function


def same(text: str, function: Function) -> None:
    """The function that `text` stands for is `function`."""
    assert difference(read(text), function) is None
    assert difference(read(str(function)), function, placed_constants=True) is None


# ---- lines edited by hand ------------------------------------------------------------------


def test_annotations_may_be_missing():
    same(
        "def f(x: f32[4], y: f32[4]):\n    t0 = p.mul(x, y)\n    return t0\n",
        build_function(p.mul, [f32[4], f32[4]], inputs=["x", "y"]),
    )


def test_calls_may_be_nested_and_numbers_bare():
    same(
        "def f(x: f16[4]):\n    return p.add(p.mul(x, 0.1), p.exp(x))\n",
        build_function(lambda x: p.add(p.mul(x, 0.1), p.exp(x)), [f16[4]], inputs=["x"]),
    )


def test_operators():
    def run(x, y, n, c):
        return (
            p.add(x, y), p.sub(1.0, x), p.mul(x, y), p.div(x, 2.0), p.matmul(x, y), p.neg(x),
            p.floor_div(n, 2), p.mod(n, n), p.pow(x, y), p.less(x, y), p.less_equal(0.0, y),
            p.greater(x, y), p.greater_equal(x, y), p.bit_and(n, n), p.bit_or(c, c),
            p.bit_xor(n, 1), p.bit_not(c), p.shift_left(n, 1), p.shift_right(n, n),
        )  # fmt: skip

    same(
        "def f(x: f32[4, 4], y: f32[4, 4], n: i32, c: bool_):\n"
        "    return (x + y, 1.0 - x, x * y, x / 2.0, x @ y, -x, n // 2, n % n, x ** y, x < y,\n"
        "            0.0 <= y, x > y, x >= y, n & n, c | c, n ^ 1, ~c, n << 1, n >> n)\n",
        build_function(run, [f32[4, 4], f32[4, 4], i32, bool_], inputs=["x", "y", "n", "c"]),
    )


def test_ranges_may_be_short():
    def run(x, n):
        (h,) = [p.for_(p.const(0, i64), n, 1, x, body=lambda i, h: p.exp(h))]
        return p.for_(p.const(1, i64), n, 1, h, body=lambda i, h: p.exp(h))

    same(
        "def f(x: f32, n: i64):\n"
        "    for i in range(n):\n        x = p.exp(x)\n"
        "    for j in range(1, n):\n        x = p.exp(x)\n"
        "    return x\n",
        build_function(run, [f32, i64], inputs=["x", "n"]),
    )


def test_a_while_may_test_in_its_header():
    def run(i, n):
        return p.while_(i, condition=lambda i: p.less(i, n), body=lambda i: p.add(i, i))

    same(
        "def f(i: i32, n: i32):\n    while i < n:\n        i = i + i\n    return i\n",
        build_function(run, [i32, i32], inputs=["i", "n"]),
    )


def test_a_branch_may_be_undeclared():
    function = build_function(
        lambda x, c: p.if_(c, then=lambda: p.exp(x), orelse=lambda: x), [f32, bool_],
        inputs=["x", "c"],
    )  # fmt: skip
    same(
        "def f(x: f32, c: bool_):\n"
        "    if c:\n        y = p.exp(x)\n    else:\n        y = x\n    return y\n",
        function,
    )


def test_a_name_may_stand_for_another():
    same(
        "def f(x: f32):\n    y = x\n    a, b = y, x\n    return p.add(a, b)\n",
        build_function(lambda x: p.add(x, x), [f32], inputs=["x"]),
    )


def test_a_region_may_be_untyped():
    same(
        "def f(x: f32[4]):\n"
        "    @region\n    def square(a):\n        return a * a\n"
        "    return p.fused(x, body=square)\n",
        build_function(lambda x: p.fused(x, body=lambda a: p.mul(a, a)), [f32[4]], inputs=["x"]),
    )


def test_results_may_be_left_alone():
    function = read("def f(s: Stack[f32], x: f32):\n    s.append(x)\n    s.pop()\n    return s\n")
    assert [op.prim.form for op in function.walk()] == [Form.PUSH, Form.POP]


def test_docstrings_and_comments_are_nothing():
    function = read(
        '"""A file."""\n# a comment\n'
        'def f(x: f32):  # another\n    """A function."""\n    return x\n'
    )
    assert function.results == tuple(function.args) and function.body.operations == []


def test_a_dump_of_one_line_endings_or_another():
    text = str(build_function(lambda x: p.exp(x), [f32]))
    for ending in ("\r\n", "\r"):
        assert str(read(text.replace("\n", ending))) == text


def test_what_is_missing_in_the_decorator_is_usual():
    function = read("def f(x: f32, y: f32):\n    return x, y\n")
    assert function.inputs == ("x", "y") and function.tree == "(0, 1)"
    assert function.donates == {} and function.title == ""
    assert read("@function(tree='()')\ndef f(x: f32):\n    return x\n").tree == "()"


def test_names_become_hints():
    function = read(
        "def f(x: f32):\n    h: f32 = p.exp(x)\n    t0: f32 = p.exp(h)\n    return t0\n"
    )
    h, t0 = (op.result for op in function.walk())
    assert h.name == "h" and t0.name is None and function.args[0].name == "x"


def test_a_function_edited_by_hand_prints_flat():
    function = read(
        "def f(h: f32[2]):\n    for i in range(3):\n        h = h * 2.0\n    return h\n"
    )
    assert "h_1 = h\n    for i in range(c0, c1, c2):" in str(function)


# ---- locations -----------------------------------------------------------------------------


def test_locations_and_scopes():
    text = (
        "def f(x: f32):\n"
        "    a = p.exp(x)  #@ my.py:1:2 < <stdin>:3:4 in net:Net/fc.0:Dense\n"
        "    b = p.exp(a)    #@ 'a b.py':5:6\n"
        "    c = p.exp(  #@ no.py:1:1\n        b)  #@ in 'a scope'\n"
        "    d = p.exp(c)  # no location\n"
        "    while p.less(d, x):  #@ w.py:1:1\n        d = p.exp(d)\n"
        "    return d\n"
    )
    operations = list(read(text).walk())
    assert [op.loc for op in operations] == [
        Location("my.py", 1, 2, Location("<stdin>", 3, 4)), Location("a b.py", 5, 6), None, None,
        Location("w.py", 1, 1), Location("w.py", 1, 1), None,
    ]  # fmt: skip
    assert [op.scope for op in operations][:3] == ["net:Net/fc.0:Dense", "", "a scope"]


def test_a_number_sign_in_a_string_is_no_comment():
    function = read(
        "@function(inputs=('token:host',))\n"
        "def f(t: Token):\n    return p.print_(t, format='  #@ a.py:1:2')\n"
    )
    (operation,) = function.walk()
    assert operation.loc is None and operation.attrs["format"] == "  #@ a.py:1:2"


def test_a_tree_keeps_locations_and_the_title():
    text = (
        "# s2sad ir 1 · net.Net · after 01-cse\n"
        "def f(x: f32):\n    t0 = p.exp(x)  #@ a.py:1:2 in net\n    return t0\n"
    )
    function = read(text)
    again = read_tree(print_tree(function, stage="after 01-cse"), p.ALL)
    assert again.title == "net.Net"
    assert difference(function, again, locations=True, scopes=True) is None


# ---- around the function -------------------------------------------------------------------


def test_the_footer_and_symbols_are_read():
    text = (
        "# s2sad ir 1 · f\nfrom s2sad import prims as p\nfrom s2sad.ir.types import *\n"
        'B = symbol("B")\n\n'
        "def f(x: f32[B, 2 * B - 1]):\n    return p.exp(x)\n\n"
        'if __name__ == "__main__":\n    run_as_script(f)\n'
    )
    assert str(read(text)).replace("t0", "").count("f32[B, 2 * B - 1]") == 3


def test_an_attribute_may_be_a_symbol():
    text = "def f(x: f32[B, 4]):\n    return p.broadcast_to(x, shape=(3, B, 4))\n"
    assert "shape=(3, B, 4)" in str(read_text(text, p.ALL))


# ---- errors --------------------------------------------------------------------------------

HEAD = "def f(x: f32[4], n: i32, c: bool_, s: Stack[f32]):\n"

#: The lines of a function, the error's code, the line that it points at, words in it.
REFUSED = [
    ("y = p.exp(x\nreturn x", "E0601", 2, "this is no Python"),
    ("  return x\n\treturn x", "E0601", 3, "this is no Python"),
    ("return y", "E0601", 2, "no value is called y here"),
    ("hidden = p.exp(x)\nreturn hiden", "E0601", 3, "did you mean hidden?"),
    ("return p.addd(x, x)", "E0601", 2, "did you mean add?"),
    ("return p.reduce_sum(x, axs=(0,))", "E0302", 2, "did you mean axis?"),
    ("return p.exp(x, x)", "E0302", 2, "exp takes 1 operands, got 2"),
    ("return p.exp(x, **n)", "E0601", 2, "each attribute is given by its name"),
    ("return p.exp(*x)", "E0601", 2, "this is no value"),
    ("return p.reduce_sum(x, axis=0, axis=0)", "E0601", 2, "once"),
    ("return p.reduce_sum(x, axis=x)", "E0601", 2, "no type is called x"),
    ("return p.reduce_sum(x, axis='a')", "E03", 2, "axis"),
    ("return p.reduce_sum(x, axis=9)", "E0403", 2, "out of range"),
    ("return p.reduce_sum(x, axis=b'')", "E0601", 2, "no static fact"),
    ("return p.add(x, n)", "E0301", 2, "one dtype"),
    ("return p.const(0.5, i32)", "E0301", 2, "0.5"),
    ("return p.const((1, 2), i32[3])", "E0601", 2, "a tuple of length 3"),
    ("return p.const((1, (2,)), i32[2])", "E0601", 2, "no element of a constant"),
    ("return p.const(x, f32[4])", "E0601", 2, "no element of a constant"),
    ("return p.const(bits(1 << 40), f32)", "E0601", 2, "no element of a constant"),
    ("return p.const(bits(4294967296), f32)", "E0601", 2, "p.const cannot take this"),
    ("return p.const(1.0)", "E0601", 2, "p.const(value, type)"),
    ("return p.const(1.0, Token)", "E0601", 2, "a tensor's type is needed"),
    ("return p.const(1.0, f32[-1])", "E0601", 2, "0 or more"),
    ("return p.const(1.0, f32[8 // 0])", "E0601", 2, "divided by 0"),
    ("return p.const(1.0, f32[y])", "E0601", 2, "no symbol is called y"),
    ("return p.const('k0', f32[4])", "E0602", 2, "'k0'"),
    ("return p.if_(c, then=x, orelse=x)", "E0601", 2, "write `if c:`"),
    ("return p.fused(x, body=nothing)", "E0601", 2, "no region is called so"),
    ("return p.fused(x)", "E0302", 2, "needs the region 'body'"),
    ("return x.sum()", "E0601", 2, "only stacks have methods"),
    ("return s.append(x)", "E0304", 2, "cannot push"),
    ("return abs(x)", "E0601", 2, "write p.name(...)"),
    ("return x[0]", "E0601", 2, "this is no value"),
    ("return not c", "E0601", 2, "stands for no primitive"),
    ("return c and c", "E0601", 2, "this is no value"),
    ("return 0.0 < x < x", "E0601", 2, "not chained"),
    ("return 1 + 2", "E0601", 2, "an operator needs a value"),
    ("return 'text'", "E0601", 2, "this is no value"),
    ("return f32", "E0601", 2, "this is no value"),
    ("y: f32[5] = p.exp(x)\nreturn y", "E0601", 2, "says f32[5], and the operation gives f32[4]"),
    ("y: float32 = p.exp(x)\nreturn y", "E0601", 2, "no type is called float32"),
    ("y: f32 = 1.0\nreturn y", "E0601", 2, "write p.const(1.0, f32)"),
    ("x = p.exp(x)\nreturn x", "E0601", 2, "x is assigned twice"),
    ("f32 = p.exp(x)\nreturn x", "E0601", 2, "means something else"),
    ("y, z = p.exp(x)\nreturn y", "E0601", 2, "2 names, and 1 values"),
    ("y, y = x, x\nreturn y", "E0601", 2, "only names are assigned"),
    ("y = z = x\nreturn y", "E0601", 2, "only names are assigned"),
    ("y[0] = x\nreturn x", "E0601", 2, "only names are assigned"),
    ("y += x\nreturn x", "E0601", 2, "no statement AugAssign"),
    ("x\nreturn x", "E0601", 2, "this does nothing"),
    ("y: f32[4]\nreturn x", "E0601", 2, "y is declared, and nothing assigns it"),
    ("y: f32[4]\ny: f32[4]\nreturn x", "E0601", 3, "declared twice"),
    ("x.y: f32\nreturn x", "E0601", 2, "only a name has a type"),
    ("with x:\n    pass\nreturn x", "E0601", 2, "no statement With"),
    ("import os\nreturn x", "E0601", 2, "no statement Import"),
    ("y = p.exp(x)", "E0601", 2, "f ends without a return"),
    ("return x\nreturn x", "E0601", 2, "no statement Return"),
    ("if c:\n    y = x\nelse:\n    z = x\nreturn y", "E0601", 6, "last statement may hand it out"),
    ("y: f32[4]\nif c:\n    y = x\nelse:\n    z = x\nreturn y", "E0601", 3, "is declared: y"),
    ("if x:\n    y = x\nelse:\n    y = x\nreturn y", "E0304", 2, "scalar bool"),
    ("if c:\n    y = x\nelse:\n    y = n\nreturn y", "E0306", 2, "the branches give"),
    ("while True:\n    y = p.exp(x)\nreturn x", "E0601", 2, "stops at 0 places"),
    ("while n:\n    pass\nreturn x", "E0304", 2, "scalar bool"),
    ("while c:\n    pass\nelse:\n    pass\nreturn x", "E0601", 5, "a loop has no else"),
    ("h = x\nwhile c:\n    h = n\nreturn h", "E0306", 3, "the loop carries"),
    ("h = x\nwhile c:\n    h = h * h\n    y = h\nreturn h", "E0601", 4, "h is assigned twice"),
    ("for i in x:\n    pass\nreturn x", "E0601", 2, "counts over range"),
    ("for i in range(n):\n    pass\nreturn x", "E0304", 2, "i64"),
    ("for i, j in range(3):\n    pass\nreturn x", "E0601", 2, "counts with one name"),
    ("for x in range(3):\n    pass\nreturn x", "E0601", 2, "assigned twice"),
    ("for i in range(3):\n    pass\nreturn i", "E0601", 4, "no value is called i"),
    ("@region\ndef g(a):\n    return a\nreturn x", "E0601", 3, "no call takes the region g"),
    ("def g(a):\n    return a\nreturn p.fused(x, body=g)", "E0601", 2, "is a `@region`"),
    (
        "@region\ndef g(a):\n    return x\nreturn p.fused(x, body=g)",
        "E0601", 4, "no value is called x here",
    ),
    (
        "@region\ndef g(a):\n    return a\ny = p.fused(x, body=g)\nreturn p.fused(x, body=g)",
        "E0601", 6, "for one call",
    ),
    (
        "@region\ndef g(a, b):\n    return a\nreturn p.fused(x, body=g)",
        "E0601", 3, "g has 2 parameters, and takes 1 values",
    ),
    (
        "@region\ndef g(a: f32[5]):\n    return a\nreturn p.fused(x, body=g)",
        "E0601", 3, "says f32[5]",
    ),
    (
        "@region\ndef g(a) -> f32:\n    return a\nreturn p.fused(x, body=g)",
        "E0601", 3, "says (f32), and the values are (f32[4])",
    ),
    ("y = p.exp(x)  #@ nowhere\nreturn y", "E0601", 2, "not a location: nowhere"),
]  # fmt: skip


def error_of(text: str, **options) -> S2sadError:
    with pytest.raises(S2sadError) as caught:
        read_text(text, p.ALL, **options)
    return caught.value


@pytest.mark.parametrize(("lines", "code", "line", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_wrong_is_shown_at_its_place(lines, code, line, words):
    text = HEAD + "".join(f"    {each}\n" for each in lines.split("\n"))
    error = error_of(text)
    assert error.code.startswith(code), str(error)
    assert error.diagnostic.location is not None
    assert (error.diagnostic.location.file, error.diagnostic.location.line) == ("<dump>", line)
    assert words in str(error), str(error)


#: Whole texts.
REFUSED_FILES = [
    ("", "E0601", 1, "there is no function"),
    ("import os\ndef f(x: f32):\n    return x\n", "E0601", 1, "two imports, symbols"),
    ("def f(x: f32):\n    return x\ndef g(x: f32):\n    return x\n", "E0601", 3, "one function"),
    ("# s2sad ir 2 · f\ndef f(x: f32):\n    return x\n", "E0603", 1, "has version 2"),
    ("def f(x):\n    return x\n", "E0601", 1, "x needs a type"),
    ("def f(x: f32 = 1):\n    return x\n", "E0601", 1, "plain parameters only"),
    ("def f(x: f32, x: f32):\n    return x\n", "E0601", 1, "x is assigned twice"),
    ("def f(x: f32) -> f64:\n    return x\n", "E0601", 1, "says (f64), and the values are (f32)"),
    ("def f(x: f32[Bat]):\n    return p.const(0.0, f32[Bad])\n", "E0601", 2, "did you mean Bat?"),
    ("@f\ndef f(x: f32):\n    return x\n", "E0601", 1, "decorated by @function"),
    ("@function(input=('x',))\ndef f(x: f32):\n    return x\n", "E0601", 1, "did you mean inputs?"),
    ("@function(inputs=())\ndef f(x: f32):\n    return x\n", "E0601", 1, "a tuple of 1 strings"),
    ("@function(donates={'y': 0})\ndef f(x: f32):\n    return x\n", "E0601", 1, "donates does"),
    ("@function(donates={'x': 1})\ndef f(x: f32):\n    return x\n", "E0601", 2, "none of 1"),
    ("@function(tree='(0, 1)')\ndef f(x: f32):\n    return x\n", "E0601", 2, "none of 1"),
    ("@function(tree='(0')\ndef f(x: f32):\n    return x\n", "E0601", 2, "the tree is no literal"),
    ("@function(consts='../k.npz')\ndef f(x: f32):\n    return x\n", "E0601", 1, "beside this one"),
    ("@function(consts='k.npz')\ndef f(x: f32):\n    return x\n", "E0602", 2, "k.npz are needed"),
    ("\0", "E0601", 1, "this is no Python"),
    ("x = '\ud800'", "E0601", 1, "this is no Python"),
    ("def f(x: f32):\n    return " + "(" * 300 + "x" + ")" * 300, "E0601", None, "no Python"),
    ("def f(x: f32):\n    return " + "-" * 5000 + "x", "E0601", None, ""),
]


@pytest.mark.parametrize(
    ("text", "code", "line", "words"), REFUSED_FILES, ids=range(len(REFUSED_FILES))
)
def test_files_that_are_no_dump(text, code, line, words):
    error = error_of(text, filename="<other>")
    assert error.code == code, str(error)
    assert error.diagnostic.location is not None and error.diagnostic.location.file == "<other>"
    assert line in (None, error.diagnostic.location.line)
    assert words in str(error), str(error)


def test_a_condition_is_closed_to_the_body():
    error = error_of(
        "def f(i: i32, n: i32):\n"
        "    while True:\n"
        "        t0 = p.add(i, n)\n"
        "        t1 = p.less(t0, n)\n"
        "        if not t1: break\n"
        "        i = p.add(t0, i)\n"
        "    return i\n"
    )
    assert str(error) == (
        "[E0601] no value is called t0 here\n"
        "  --> <dump>:6:18\n"
        "  |\n"
        "6 |         i = p.add(t0, i)\n"
        "  |                   ^^\n"
        "   = help: it belongs to the loop's condition: compute it again in the body, or carry it"
    )


def test_an_error_of_a_rule_tells_where_the_operation_comes_from():
    error = error_of(
        "def f(x: f32[4], y: f32[5]):\n    t0 = p.add(x, y)  #@ net.py:7:3\n    return t0\n"
    )
    assert error.code == "E0401"
    assert "  --> <dump>:2:9\n" in str(error)
    assert "   = note: the operation comes from net.py:7:3" in str(error)


def test_warnings_are_no_matter():
    error = error_of("def f(x: f32):\n    return 1(x) + '\\d' is x\n")
    assert error.code == "E0601"


# ---- texts that nobody wrote ---------------------------------------------------------------

WORDS = re.compile(r"\w+")
PIECES = (
    "( ) [ ] { } : = , ; \\ ' \" #@ #@a:1:2 -1 1e999 9999999999999999999999 nan None True ** // % "
    "lambda yield await import def class with try while if else break return pass for in range "
    "p.const p.if_ p.add @region @function .append( .pop() bits( f32[ Stack Token symbol x t0 c0"
).split() + ["\n", "\n    ", "\0", "é", "\ud800", "    "]  # fmt: skip


def mutated(text: str, random: Random) -> str:
    """`text` with a few words, lines or characters exchanged, lost, doubled or new."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        lines = text.split("\n")
        one, other = random.randrange(len(lines)), random.randrange(len(lines))
        place = random.randrange(len(text) + 1)
        kind = random.choice(("word", "word", "word", "piece", "lose", "swap", "drop", "double"))
        if kind == "word":
            words = list(WORDS.finditer(text)) or [re.search("", text)]
            to, source = random.choice(words), random.choice(words)
            text = text[: to.start()] + source.group() + text[to.end() :]
        elif kind == "piece":
            text = text[:place] + random.choice(PIECES) + text[place:]
        elif kind == "lose":
            text = text[:place] + text[place + random.choice((1, 2, 9)) :]
        else:
            if kind == "swap":
                lines[one], lines[other] = lines[other], lines[one]
            elif kind == "drop":
                del lines[one]
            else:
                lines.insert(other, lines[one])
            text = "\n".join(lines)
    return text


def check_malformed(seeds: range, each: int) -> None:
    """Only errors of ours come out, with a place; what is read prints and reads again."""
    read_again = 0
    for seed in seeds:
        function, _ = random_function(seed, size=8)
        texts = [print_text(function), print_text(function, style="source")]
        random = Random(seed)
        for number in range(each):
            text = mutated(texts[number % 2], random)
            try:
                found = read_text(text, p.ALL)
            except S2sadError as error:
                assert error.diagnostic.location is not None, text
                assert error.diagnostic.location.file == "<dump>", text
                assert not faults(error), text
                continue
            read_again += 1
            for style in ("flat", "source"):
                printed = print_text(found, style=style)
                again = read_text(printed, p.ALL)
                assert difference(found, again) is None, text
                assert print_text(again, style=style) == printed, text
    assert read_again > len(seeds)


def faults(error: BaseException) -> list[str]:
    """Causes of `error` that were raised by the reader's own code, by mistake."""
    meant = (S2sadError, SyntaxError, ValueError, RecursionError, ZeroDivisionError)
    found = []
    cause = error.__cause__
    while cause is not None:
        place = traceback.extract_tb(cause.__traceback__)[-1]
        if not isinstance(cause, meant) and "/ir/read" in place.filename.replace("\\", "/"):
            found.append(f"{cause!r} at {place}")
        cause = cause.__cause__
    return found


def test_malformed_texts():
    check_malformed(range(25), 40)


@pytest.mark.slow
def test_many_malformed_texts():
    check_malformed(range(100, 400), 100)


def test_malformed_trees():
    function = read("def f(x: f32[4]):\n    y = p.exp(x)\n    return y\n")
    tree = print_tree(function)
    tree.body[-1].body[0].value.keywords = [ast.keyword(None, ast.Name("x", ast.Load()))]
    with pytest.raises(S2sadError, match="each attribute is given by its name") as caught:
        read_tree(tree, p.ALL)
    assert caught.value.code == "E0601"


def test_reading_keeps_what_numpy_would():
    array = np.array([0.0, -0.0, np.nan, np.inf], np.float32)
    function = build_function(lambda: p.const(array, f32[4]), [])
    (operation,) = read(str(function)).walk()
    assert operation.attrs["value"].tobytes() == array.tobytes()
