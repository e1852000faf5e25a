"""Does every printed tree read back as itself, and look as a person would write it?"""

from __future__ import annotations

import argparse
import ast
import configparser
import difflib
import fractions
import sys
import textwrap
import time
import tokenize
from pathlib import Path
from typing import Any

import gast
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2sad.ir.unparse import unparse

pytestmark = pytest.mark.filterwarnings("error")

SINCE_311 = sys.version_info >= (3, 11)
SINCE_312 = sys.version_info >= (3, 12)


def same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(pruned(one)) == ast.dump(pruned(other))


def pruned(tree: ast.AST) -> ast.AST:
    """`tree` without the empty constants that some 3.12 put behind fields (gh-110309)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            node.values = [part for part in node.values if getattr(part, "value", None) != ""]
    return tree


def expression(text: str) -> Any:
    return ast.parse(text, mode="eval").body


# ---- what is printed exactly as it was written ---------------------------------------------

EXPRESSIONS = r"""
x[1:2, :, None]
x[..., 0]
x[1:2]
x[1:]
x[:]
x[::2]
x[a:b:c, (1, 2)]
x[1:2,]
x[(a,)]
x[()]
x[(*a, b)]
x[lambda: 1:2]
x[lambda: 1]
x[(yield)]
f32[8, 16]
(1).real
(-1).real
1.0.real
1e309.real
2j.imag
True.real
"a".join(b)
-1 ** 2
(-1) ** 2
2 ** -1
2 ** -x ** y
a ** b ** c
(a ** b) ** c
(not a) ** b
-(a + b)
-a + b
--a
-(-a) ** b
+~-a
~a ** b
a - b - c
a - (b - c)
(a + b) * c
a + b * c
a @ b @ (c @ d)
a // b % c
a << 1 | b & c ^ d
(a | b) & c
not a == b
(not a) == b
not (a and b)
not a and b
a and b or c and d
(a or b) and c
(a or b) or c
a or (b or c)
a < b < c
(a < b) < c
a < (b < c)
(a in b) in c
a is not b
not a in b
a not in b
a if b else c
(a if b else c) if d else e
a if b else c if d else e
a if (b if c else d) else e
(lambda: a) if b else c
a if b else lambda: c
lambda: (yield)
lambda x, /, y=1, *z, k, m=2, **n: x
lambda *, k: k
lambda *a: (a, b)
lambda x: lambda y: x
(lambda x: x)(1)
f(lambda: 1, a if b else c, x=lambda: 2)
f(*a, b, *(c or d), k=1, **e, **f or g)
f(x for x in y)
f((x for x in y), 1)
f((x for x in y), k=1)
f(k=(x for x in y))
f((yield), (a := 1))
f(x)(y)[z].w
(a, b)[0]
(a, (b, c), ())
((),)
(a,)
()
[]
[a]
[*a, *b | c]
{a}
{*a, b}
{}
{a: b, **c, **d | e}
{**{"y": 2}}
{**(a or b)}
[*(a or b)]
[x for x in y]
[x for x, (a, b) in y if x if not a for z in (w if v else u)]
[x for x in (lambda: y) if (lambda: z)]
{x for x in y}
{x: y for x, y in z}
(x for x in y)
((x, y) for x.a, y[0] in z)
[(y := f(x)) for x in z if (w := x)]
(a := b)
[(a := b), (yield), (yield a)]
(yield)
(yield a, b)
(yield from (a, b))
None
True
...
1e309
1e-07
0.1
1e309j
0j
1e+16j
12345678901234567890123
"it's"
'say "hi"'
'it\'s "x"'
"\\ \n \t \x00 \r \x7f \u2028 é"
"\ud800"
b"ab\x00\xff"
b"it's"
b'"'
u"a"
f""
f"a"
f"{x}"
f"{{{x}}}"
f"{x!r:>{w}.{p}}"
f"{x:}"
f"{x:=5}"
f"{x:\x7b\x5c{y}\x7d}"
f"{x['a']}"
f"{a if b else c}"
f"{(a if b else lambda: c)}"
f"{(lambda: a)}"
f"{(a, b)}"
f"{(yield)}"
f"{(a := b)}"
f"{a != b}"
f"{x[1:2]}"
f"{ {1: 2}[1]}{ {1}}{ {x for x in y}!r}"
f"{f(k='#')}"
f"\\{x}\\{{\n'{y}"
f'"{x}"'
f"'{x[b'a']}'"
f'{x}"'
f"{f'{x}'}"
f'{x}"'.join(y)
"""

STATEMENTS = r"""
import a.b as c, d
from a.b import c as d, e
from . import a
from ..a import *
a = b = c
a, b = f(x)
a, b = c, d = e
(a,) = f(x)
() = x
a, *b = x
[a, b] = x
a, (b, c) = x
*(a, b), c = x
x[0], y.z = a
x = yield a, b
x = yield
x = (y := z)
x: f32[8, 16]
x: f32[8, 16] = p.matmul(h, w)
x: int = a, b
x: int = yield
x: (a, b)
(x): int
x.y: int
x[0]: int = 1
x += 1
x.y **= a, b
x @= yield
return
return h, w
return (h,)
return *a, b
return (yield)
return -1
del a, b.c, d[0]
del (a, b)
assert a, b
assert (a, b), c
raise
raise A(b) from c
global a, b
nonlocal a
pass
break
continue
yield
yield a, b
yield from a
a, b
(a := b)
a < b
lambda: 0
print(x)
match(x)
match[x]: int
"""

BLOCKS = (
    """\
if (n := f(x)) > 1:
    pass
elif b:
    break
elif c:
    pass
else:
    if d:
        pass
    e
""",
    """\
while True:
    pass
else:
    continue
for i, x[0] in enumerate(y), z:
    for j in range(2):
        pass
else:
    pass
for x in *a, b:
    pass
for (x,) in y:
    pass
""",
    """\
with a as b, c as (d, e), f:
    pass
with ((a, b)):
    pass
with ((a,)):
    pass
with (a, b) as c:
    pass
with ((a, b)), c:
    pass
with (yield):
    pass
with (a := b):
    pass
with (a + b) * (c + d):
    pass
with (x for x in y):
    pass
with (a, b).c as d.e:
    pass
""",
    """\
try:
    pass
except (A, B) as e:
    raise
except C:
    pass
except:
    pass
else:
    pass
finally:
    pass
try:
    pass
finally:
    pass
""",
    '''\
"""A module.

With lines, a \\\\ backslash, a tab\\t, \\"\\"\\" and a "quote"
"""
from __future__ import annotations
import a


@function(inputs=("x", "n"), tree="(0,)", consts=None)
@(yield)
def f(x: f32[8, 16], /, n: i32 = 1, *a: int, k, m=2, **r: (b, c)) -> (f32[8, 16], i32):
    """One line, ending in \\\\"""
    "not a docstring"
    return x


class A:
    """A class."""
    x: int = 1

    def f(self):
        pass

    @property
    def g(self, *, k: int = 1):
        def inner():
            pass
        return inner

    y = 2


class B(A, *C, metaclass=D, **E):
    pass


x = 1
if x:
    def h():
        u"""Kind."""
''',
)


RESPELLED = {
    "((a))": "a",
    "x[(1):(2), (a, b)]": "x[1:2, (a, b)]",
    "x[(a, b)]": "x[a, b]",
    "(a), (b)": "(a, b)",
    "(a + b) + (c * d)": "a + b + c * d",
    "f(a=1, *b)": "f(*b, a=1)",
    "f((x for x in y))": "f(x for x in y)",
    "'a' \"b\"": '"ab"',
    "f(a := 1)": "f((a := 1))",
    "f'a' 'b'": 'f"ab"',
    "f'{x}' '{y}'": 'f"{x}{{y}}"',
    "f'{x=}'": 'f"x={x!r}"',
    "1_000 + 0x1f": "1000 + 31",
}


@pytest.mark.parametrize("text", EXPRESSIONS.strip("\n").split("\n"))
def test_expression_is_printed_as_it_was_written(text):
    assert unparse(expression(text)) == text
    assert unparse(ast.parse(text, mode="eval")) == text


@pytest.mark.parametrize("text", STATEMENTS.strip("\n").split("\n"))
def test_statement_is_printed_as_it_was_written(text):
    assert unparse(ast.parse(text)) == unparse(ast.parse(text).body[0]) == text + "\n"


@pytest.mark.parametrize("text", BLOCKS, ids=["if", "loops", "with", "try", "definitions"])
def test_block_is_printed_as_it_was_written(text):
    assert unparse(ast.parse(text)) == text


@pytest.mark.parametrize(("text", "printed"), RESPELLED.items())
def test_other_spellings_become_the_usual_one(text, printed):
    assert unparse(expression(text)) == printed
    assert same(expression(printed), expression(text))


def test_module_without_statements_is_an_empty_line():
    assert unparse(ast.parse("")) == "\n"


# ---- numbers and strings -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (-1, "-1"),
        (-0.0, "-0.0"),
        (float("-inf"), "-1e309"),
        (5e-324, "5e-324"),
        (complex(0, float("inf")), "1e309j"),
        (complex(0, 1.5), "1.5j"),
    ],
)
def test_number_made_by_a_program(value, printed):
    text = unparse(ast.Constant(value))
    assert text == printed
    assert repr(eval(text)) == repr(value)


def test_negative_constant_binds_as_a_sign():
    power = ast.BinOp(ast.Constant(-1), ast.Pow(), ast.Constant(-2))
    assert unparse(power) == "(-1) ** -2"
    assert unparse(ast.Attribute(ast.Constant(-1), "real", ast.Load())) == "(-1).real"


def test_constant_of_base_16():
    tree: Any = ast.Constant(0x7FC00001)
    tree.base = 16
    assert unparse(ast.Call(name("bits"), [tree], [])) == "bits(0x7fc00001)"
    assert unparse(ast.Attribute(tree, "real", ast.Load())) == "(0x7fc00001).real"


def test_integers_beyond_the_limit_of_decimal_digits():
    value = 10**5000 + 1
    assert ast.literal_eval(unparse(ast.Constant(value))) == value


@pytest.mark.parametrize(
    "text", ['"', '""', '"""', "\\", '\\"', 'a"\n""""', "'''", "\r\n\0\ud800é", " x \n\t"]
)
def test_docstring_of_any_characters(text):
    tree: Any = ast.parse("def f():\n    'x'")
    tree.body[0].body[0].value.value = text
    printed = unparse(tree)
    assert same(ast.parse(printed), tree)
    assert printed.startswith('def f():\n    """')


def in_braces(value: Any) -> ast.JoinedStr:
    return ast.JoinedStr([ast.FormattedValue(value, -1, None)])


@pytest.mark.parametrize(
    "value", ["\t", "\n", "it's", 'it\'s "x"', "a\n'b", "#{}", b"'\"", "", "é", "\u2028"]
)
def test_string_within_the_braces_of_an_fstring(value):
    tree = in_braces(ast.Constant(value))
    assert same(expression(unparse(tree)), tree)


@pytest.mark.parametrize("value", ["\\", "\r", "\0", "\ud800", b"\xff", "'''\"\"\"'"])
def test_backslash_within_the_braces_of_an_fstring(value):
    tree = in_braces(ast.Constant(value))
    if SINCE_312:
        assert same(expression(unparse(tree)), tree)
    else:
        with pytest.raises(ValueError, match=r"before Python 3\.12"):
            unparse(tree)


def test_fstrings_nest_as_deep_as_there_are_quotes():
    tree = in_braces(in_braces(in_braces(ast.Constant("a"))))
    assert unparse(tree) == "f\"\"\"{f'''{f\"{'a'}\"}'''}\"\"\""
    assert same(expression(unparse(tree)), tree)
    deeper = in_braces(in_braces(tree))
    if SINCE_312:
        assert same(expression(unparse(deeper)), deeper)
    else:
        with pytest.raises(ValueError, match=r"before Python 3\.12"):
            unparse(deeper)


# ---- comments and lines --------------------------------------------------------------------


def noted(text: str, **notes: dict[str, Any]) -> ast.Module:
    """The tree of `text`, with `notes` on the statements whose first line is ``line_N``."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            vars(node).update(notes.get(f"line_{node.lineno}", {}))
    return tree


def test_ir_prints_as_the_text_form():
    text = """\
# s2sad ir 1 · rnn.Net.construct · after 03-canonicalize
from s2sad import prims as p


@function(inputs=("x", "n", "param:w"), donates={"w": 1}, tree="(0,)", consts=None)
def construct(x: f32[8, 16], n: i32, w: f32[16, 16]) -> (f32[8, 16], f32[16, 16]):
    c0: i32 = p.const(0, i32)
    i: i32; h: f32[8, 16]
    i, h = c0, x
    while True:
        t0: bool_ = p.less(i, n)  #@ rnn.py:7:11
        if not t0: break
        t1: f32[8, 16] = p.matmul(h, w)  #@ rnn.py:8:26 < net.py:12:15
        i, h = t2, t1
    return h, w
"""
    tree = noted(
        text,
        line_2={"lead": ["s2sad ir 1 · rnn.Net.construct · after 03-canonicalize"]},
        line_11={"comment": "@ rnn.py:7:11"},
        line_12={"inline": True},
        line_13={"comment": "@ rnn.py:8:26 < net.py:12:15"},
    )
    tree.body[1].body[2].joined = True  # type: ignore[attr-defined]
    assert unparse(tree) == text


def test_comment_stands_at_the_end_of_the_first_line():
    text = '''\
# The module.
#
"""Doc.

string"""  # doc
import a  # import


# The function.
@d
def f():  # def
    # Above the docstring.
    """Doc."""  # doc of f
    if a:  # if
        pass
    # Above elif.
    elif b: pass; x = 1  # elif  # pass  # x
    else:
        try:  # try
            pass
        # Not reached.
        except A:
            for x in y:  # for
                continue  # continue
    # Above with.
    with a:  # with
        return  # last
'''
    numbers = {
        3: {"lead": ["The module.", ""], "comment": " doc"},
        6: {"comment": " import"},
        11: {"lead": ["The function."], "comment": " def"},
        13: {"lead": ["Above the docstring."], "comment": " doc of f"},
        14: {"comment": " if"},
        17: {"lead": ["Above elif."], "comment": " elif", "inline": True},
        19: {"comment": " try"},
        23: {"comment": " for"},
        24: {"comment": " continue"},
        26: {"lead": ["Above with."], "comment": " with"},
        27: {"comment": " last"},
    }
    tree: Any = noted(text, **{f"line_{number}": notes for number, notes in numbers.items()})
    shared = tree.body[2].body[1].orelse[0].body
    for statement, comment in zip(shared, (" pass", " x"), strict=True):
        vars(statement).update(comment=comment, lead=(), inline=False)
    assert unparse(tree) == text.replace("        # Not reached.\n", "")


def test_a_comment_that_a_line_shares_is_said_once():
    tree = ast.parse("a: i32\nb: f32\nc: f32")
    for statement, comment in zip(tree.body, ("@ x.py:1:0", "@ x.py:1:0", ""), strict=True):
        vars(statement).update(comment=comment, joined=True)
    vars(tree.body[0]).update(joined=False)
    assert unparse(tree) == "a: i32; b: f32; c: f32  #@ x.py:1:0  #\n"


def test_comments_begin_in_the_column_asked_for_unless_the_line_is_longer():
    text = """\
def f():          # a
    é = '\\n'      # b
    x = y + z + w  # c
"""
    tree: Any = noted(text.replace("'", '"'), line_1={"comment": " a"})
    for statement, comment in zip(tree.body[0].body, (" b", " c"), strict=True):
        statement.comment = comment
    assert unparse(tree, comment_column=18) == text.replace("'", '"')
    assert "def f():  # a\n" in unparse(tree)


def test_an_empty_comment_is_not_no_comment():
    tree = noted("pass\npass", line_1={"comment": ""}, line_2={"comment": None})
    assert unparse(tree) == "pass  #\npass\n"


# ---- refusals ------------------------------------------------------------------------------


UNKNOWN = {
    "async def f(): pass": "ast.AsyncFunctionDef of line 1",
    "await x": "ast.Await of line 1",
    "def f():\n  async for x in y: pass": "ast.AsyncFor of line 2",
    "async with x: pass": "ast.AsyncWith of line 1",
    "match x:\n  case 1: pass": "ast.Match of line 1",
    "[x async for x in y]": "async comprehension",
    "u'a' f'{x}'": "ast.Constant of line 1",
}
if SINCE_311:
    UNKNOWN["try: pass\nexcept* A: pass"] = "ast.TryStar of line 1"
if SINCE_312:
    UNKNOWN["type X = int"] = "ast.TypeAlias of line 1"
    UNKNOWN["\ndef f[T](): pass"] = "ast.FunctionDef of line 2"
    UNKNOWN["class A[T]: pass"] = "ast.ClassDef of line 1"


@pytest.mark.parametrize(("text", "name"), UNKNOWN.items())
def test_what_is_outside_the_subset_is_named(text, name):
    with pytest.raises(TypeError, match=name):
        unparse(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "x = 1 # type: int",
        "for x in y: # type: int\n  pass",
        "with x: # type: int\n  pass",
        "def f(x):\n  # type: (int) -> int\n  pass",
        "def f(\n  x, # type: int\n): pass",
        "x = f(\n  1\n) # type: ignore",
    ],
)
def test_type_comments_are_refused(text):
    with pytest.raises(TypeError, match=r"no text stands for ast\.\w+"):
        unparse(ast.parse(text, type_comments=True))


def test_trees_of_gast_are_refused():
    with pytest.raises(TypeError, match=r"gast\.Module"):
        unparse(gast.parse("x"))
    with pytest.raises(TypeError, match=r"gast\.Name"):
        unparse(ast.Expr(gast.parse("x", mode="eval").body))


def name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


@pytest.mark.parametrize(
    "tree",
    [
        ast.Slice(name("a"), None, None),
        ast.Tuple([ast.Slice()], ast.Load()),
        ast.FormattedValue(name("a"), -1, None),
        ast.Expr(ast.Pass()),
        ast.Module([name("a")], []),
        ast.Return([name("a")]),
        ast.arg("x"),
    ],
    ids=ast.dump,
)
def test_nodes_out_of_place_are_refused(tree):
    with pytest.raises((TypeError, ValueError), match="no text"):
        unparse(tree)


@pytest.mark.parametrize(
    "value", [np.float64(1), np.int64(1), (1, 2), frozenset({1}), np.True_, bytearray(b"a")]
)
def test_constants_without_a_literal_are_refused(value):
    with pytest.raises(TypeError, match=f"a Constant of {type(value).__name__} has no literal"):
        unparse(ast.Constant(value))


@pytest.mark.parametrize(
    "value",
    [float("nan"), -float("nan"), complex(1, 2), complex(-0.0, 1), complex(0, -1), complex(0, -0.0)]
    + [complex(0, float("nan")), complex(float("nan"), 0)],
    ids=repr,
)
def test_numbers_without_a_literal_are_refused(value):
    with pytest.raises(ValueError, match="has no literal"):
        unparse(ast.Constant(value))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (ast.Set([]), "empty Set"),
        (ast.BoolOp(ast.And(), [name("a")]), "two operands"),
        (ast.If(name("a"), [], []), "a block without statements"),
        (ast.Compare(name("a"), [ast.Lt()], []), "zip"),
        (ast.Dict([None], []), "zip"),
    ],
)
def test_trees_that_no_parser_makes_are_refused(tree, message):
    with pytest.raises(ValueError, match=message):
        unparse(tree)


@pytest.mark.parametrize(
    ("text", "notes", "message"),
    [
        ("a", {"joined": True}, "no line that ast.Expr of line 1 could join"),
        ("if a:\n  b\nc", {"joined": True}, "no line that ast.Expr of line 3 could join"),
        ("a\nif a:\n  b", {"joined": True}, "ast.If of line 2 needs a line of its own"),
        ("a\nb", {"joined": True, "lead": ["x"]}, "ast.Expr of line 2 needs a line of its own"),
        ("if a:\n  for b in c: pass", {"inline": True}, "ast.For of line 2 needs a line"),
        ("if a:\n  b\nc", {"comment": "x\x0c"}, "one line of printable characters"),
        ("a", {"comment": "x\nimport os"}, "one line of printable characters"),
        ("a", {"lead": ["x", "y\rimport os"]}, "one line of printable characters"),
        ("a", {"comment": "\ud800"}, "one line of printable characters"),
    ],
)
def test_notes_that_cannot_be_printed_are_refused(text, notes, message):
    tree = ast.parse(text)
    vars(tree.body[-1]).update(notes)
    with pytest.raises(ValueError, match=message):
        unparse(tree)


def test_an_inline_branch_needs_a_statement():
    tree: Any = ast.parse("if a: b")
    tree.body[0].inline, tree.body[0].body = True, []
    with pytest.raises(ValueError, match="a block without statements"):
        unparse(tree)


@pytest.mark.parametrize("text", ["x[1:2, *a]", "def f(*a: *b): pass"])
def test_stars_that_python_310_cannot_read(text):
    if SINCE_311:
        assert same(ast.parse(unparse(ast.parse(text))), ast.parse(text))
        return
    tree: Any = ast.parse(text.replace("*a]", "a]").replace(": *b", ": b"))
    star = ast.Starred(name("b"), ast.Load())
    if "def" in text:
        tree.body[0].args.vararg.annotation = star
    else:
        tree.body[0].value.slice.elts[1] = star
    with pytest.raises(ValueError, match=r"before Python 3\.11"):
        unparse(tree)


# ---- whole files ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "module", [argparse, ast, configparser, difflib, fractions, gast, textwrap, tokenize]
)
def test_files_read_back(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    assert same(ast.parse(unparse(tree)), tree)


def test_twenty_thousand_statements_print_within_a_second():
    line = "    t1: f32[8, 16] = p.matmul(h, w, transpose_b=True)"
    tree: Any = ast.parse("\n".join(["def f(h: f32[8, 16]):", *([line] * 20_000)]))
    for statement in tree.body[0].body:
        statement.comment = "@ rnn.py:8:26 < net.py:12:15"
    assert min(_seconds(tree) for _ in range(3)) < 1.0


def _seconds(tree: ast.AST) -> float:
    start = time.perf_counter()
    unparse(tree)
    return time.perf_counter() - start


# ---- random trees --------------------------------------------------------------------------

LOAD, STORE, DEL = ast.Load(), ast.Store(), ast.Del()
COMPOUND = (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With, ast.Try)
SHARED = {"type_params": st.builds(list)} if SINCE_312 else {}

identifiers = st.sampled_from(["x", "h", "t0", "dw", "match", "é"])
nasty = st.text("'\"\\{}\n\r\t\0\ud800 a#é:!", max_size=5) | st.text(max_size=5)
# What a string within the braces of an f-string may hold before Python 3.12.
tame = nasty if SINCE_312 else st.text(" a#é:!\t", max_size=5)


def names(context: ast.expr_context) -> st.SearchStrategy[ast.Name]:
    return st.builds(ast.Name, identifiers, st.just(context))


def constants(texts: st.SearchStrategy[str]) -> st.SearchStrategy[ast.Constant]:
    floats = st.floats(min_value=0, allow_nan=False)
    values = st.sampled_from([None, True, False, ...]) | st.integers(0) | floats | texts
    values |= floats.map(lambda number: complex(0, number))
    values |= texts.map(lambda text: text.encode("ascii", "ignore"))
    return st.builds(ast.Constant, values) | st.builds(ast.Constant, texts, st.just("u"))


def items(inner, minimum: int = 0, maximum: int = 3):
    starred = st.builds(ast.Starred, inner, st.just(LOAD))
    return st.lists(inner | starred, min_size=minimum, max_size=maximum)


def indices(inner):
    slices = st.builds(ast.Slice, *([st.none() | inner] * 3))
    several = st.lists(inner | slices, min_size=1, max_size=3)
    if SINCE_311:
        several |= st.lists(slices | st.builds(ast.Starred, inner, st.just(LOAD)), min_size=1)
    return inner | slices | st.builds(ast.Tuple, several, st.just(LOAD))


def targets(inner, context: ast.expr_context = STORE):
    """What can be assigned to, or deleted."""
    ctx = st.just(context)
    single = names(context) | st.builds(ast.Attribute, inner, identifiers, ctx)
    single |= st.builds(ast.Subscript, inner, indices(inner), ctx)
    several = st.lists(single, max_size=3)
    if context is STORE:
        several |= st.lists(single | st.builds(ast.Starred, single, ctx), max_size=3)
    lists = st.builds(ast.Tuple, several, ctx) | st.builds(ast.List, several, ctx)
    return single | lists, single


@st.composite
def arguments(draw, inner, annotation):
    parameter = st.builds(ast.arg, identifiers, annotation)
    parameters = draw(st.lists(parameter, max_size=3))
    split = draw(st.integers(0, len(parameters)))
    keywords = draw(st.lists(parameter, max_size=2))
    return ast.arguments(
        posonlyargs=parameters[:split],
        args=parameters[split:],
        vararg=draw(st.none() | parameter),
        kwonlyargs=keywords,
        kw_defaults=[draw(st.none() | inner) for _ in keywords],
        kwarg=draw(st.none() | parameter),
        defaults=draw(st.lists(inner, max_size=len(parameters))),
    )


def compare(left: ast.expr, pairs: list[tuple[ast.cmpop, ast.expr]]) -> ast.Compare:
    return ast.Compare(left, [pair[0] for pair in pairs], [pair[1] for pair in pairs])


def one_of(base: type) -> st.SearchStrategy[Any]:
    kinds = [kind for kind in base.__subclasses__() if kind.__module__ == "ast"]
    return st.sampled_from(kinds).map(lambda kind: kind())


def keywords(inner):
    return st.lists(st.builds(ast.keyword, st.none() | identifiers, inner), max_size=2)


def dictionary(pairs: list[tuple[ast.expr | None, ast.expr]]) -> ast.Dict:
    return ast.Dict([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def larger(inner):
    """Expressions made of `inner` ones."""
    load, some = st.just(LOAD), st.lists(inner, min_size=2, max_size=3)
    target, _ = targets(inner)
    loops = st.lists(
        st.builds(ast.comprehension, target, inner, st.lists(inner, max_size=2), st.just(0)),
        min_size=1,
        max_size=2,
    )
    return st.one_of(
        st.builds(ast.BinOp, inner, one_of(ast.operator), inner),
        st.builds(ast.UnaryOp, one_of(ast.unaryop), inner),
        st.builds(ast.BoolOp, one_of(ast.boolop), some),
        st.builds(compare, inner, st.lists(st.tuples(one_of(ast.cmpop), inner), min_size=1)),
        st.builds(ast.IfExp, inner, inner, inner),
        st.builds(ast.NamedExpr, names(STORE), inner),
        st.builds(ast.Lambda, arguments(inner, st.none()), inner),
        st.builds(ast.Attribute, inner, identifiers, load),
        st.builds(ast.Subscript, inner, indices(inner), load),
        st.builds(ast.Call, inner, items(inner), keywords(inner)),
        st.builds(ast.Tuple, items(inner), load) | st.builds(ast.List, items(inner), load),
        st.builds(ast.Set, items(inner, 1)),
        st.builds(dictionary, st.lists(st.tuples(st.none() | inner, inner), max_size=3)),
        st.builds(ast.ListComp, inner, loops) | st.builds(ast.SetComp, inner, loops),
        st.builds(ast.GeneratorExp, inner, loops) | st.builds(ast.DictComp, inner, inner, loops),
        st.builds(ast.Yield, st.none() | inner) | st.builds(ast.YieldFrom, inner),
    )


def fstrings(inner, texts, depth: int = 0):
    deepest = 2 if SINCE_312 else 1
    formats = st.none() if depth == deepest else st.none() | fstrings(inner, texts, depth + 1)
    conversions = st.sampled_from([-1, ord("s"), ord("r"), ord("a")])
    field = st.builds(ast.FormattedValue, inner, conversions, formats)
    pieces = st.lists(field | st.builds(ast.Constant, texts), max_size=3)
    return st.builds(ast.JoinedStr, pieces.map(as_parsed))


def as_parsed(pieces: list[Any]) -> list[Any]:
    """Without empty constants, and with a field between any two."""
    kept = []
    for piece in pieces:
        constant = isinstance(piece, ast.Constant)
        if not constant or piece.value and not (kept and isinstance(kept[-1], ast.Constant)):
            kept.append(piece)
    return kept


def grown(leaves, depth: int):
    return leaves | larger(grown(leaves, depth - 1)) if depth else leaves


within = grown(names(LOAD) | constants(tame), 1)
leaves = names(LOAD) | constants(nasty) | fstrings(within | fstrings(within, tame), nasty)


def simple_statements(inner):
    maybe, (target, single) = st.none() | inner, targets(inner)
    aliases = st.lists(
        st.builds(ast.alias, st.sampled_from(["a", "b.c"]), st.none() | identifiers), min_size=1
    )
    members = st.lists(st.builds(ast.alias, identifiers, st.none() | identifiers), min_size=1)
    annotated = single.map(lambda node: (node, int(isinstance(node, ast.Name))))
    annotated |= names(STORE).map(lambda node: (node, 0))
    several = st.lists(identifiers, min_size=1, max_size=2)
    star = st.builds(lambda: [ast.alias("*")])
    return st.one_of(
        st.sampled_from([ast.Pass, ast.Break, ast.Continue]).flatmap(st.builds),
        st.builds(ast.Expr, inner),
        st.builds(ast.Assign, st.lists(target, min_size=1, max_size=2), inner),
        st.builds(ast.AugAssign, single, one_of(ast.operator), inner),
        st.builds(
            lambda pair, annotation, value: ast.AnnAssign(pair[0], annotation, value, pair[1]),
            *(annotated, inner, maybe),
        ),
        st.builds(ast.Return, maybe),
        st.builds(ast.Raise, inner, maybe) | st.builds(ast.Raise),
        st.builds(ast.Assert, inner, maybe),
        st.builds(ast.Delete, st.lists(targets(inner, DEL)[0], min_size=1, max_size=2)),
        st.builds(ast.Global, several) | st.builds(ast.Nonlocal, several),
        st.builds(ast.Import, aliases),
        st.builds(ast.ImportFrom, st.sampled_from(["a", "b.c"]), members | star, st.integers(0, 2)),
        st.builds(ast.ImportFrom, st.none(), members, st.integers(1, 4)),
    )


line = st.text("@#:<>=;\"'\\ aé", max_size=6)


def blocks(statement, maximum: int = 3, minimum: int = 1):
    """Statements with comments before and behind them, some of which share a line."""
    rows = st.tuples(statement, st.none() | line, st.lists(line, max_size=2), st.booleans())
    return st.lists(rows, min_size=minimum, max_size=maximum).map(with_notes)


def with_notes(rows: list[tuple]) -> list[ast.stmt]:
    body = []
    for statement, comment, lead, joined in rows:
        joined = joined and body and not isinstance(body[-1], COMPOUND)
        joined = bool(joined and not isinstance(statement, COMPOUND))
        vars(statement).update(comment=comment, lead=[] if joined else lead, joined=joined)
        body.append(statement)
    return body


def branch(test: ast.expr, body: list, orelse: list, inline: bool) -> ast.If:
    node = ast.If(test, body, orelse)
    if inline and not any(isinstance(statement, COMPOUND) for statement in body):
        for statement in body:
            vars(statement).update(lead=[], joined=False)
        vars(node).update(inline=True)
    return node


def compound_statements(statement):
    inner = grown(leaves, 1)
    body, orelse, (target, _) = blocks(statement), blocks(statement, 2, 0), targets(inner)
    handler = st.builds(ast.ExceptHandler, st.none(), st.none(), body)
    handler |= st.builds(ast.ExceptHandler, inner, st.none() | identifiers, body)
    handlers = st.lists(handler, min_size=1, max_size=2)
    entered = st.lists(st.builds(ast.withitem, inner, st.none() | target), min_size=1, max_size=2)
    signature = arguments(inner, st.none() | inner)
    decorators = st.lists(inner, max_size=2)
    return st.one_of(
        st.builds(branch, inner, body, orelse, st.booleans()),
        st.builds(ast.For, target, inner, body, orelse),
        st.builds(ast.While, inner, body, orelse),
        st.builds(ast.With, entered, body),
        st.builds(ast.Try, body, handlers, orelse, orelse),
        st.builds(ast.Try, body, st.builds(list), st.builds(list), body),
        st.builds(
            *(ast.FunctionDef, identifiers, signature, body, decorators, st.none() | inner),
            **SHARED,
        ),
        st.builds(
            *(ast.ClassDef, identifiers, items(inner), keywords(inner), body, decorators), **SHARED
        ),
    )


simple = simple_statements(grown(leaves, 1))
statements = simple | compound_statements(simple | compound_statements(simple))


@settings(max_examples=100, deadline=None)
@given(grown(leaves, 2))
def test_any_expression_reads_back(tree):
    assert same(expression(unparse(tree)), tree)


@settings(max_examples=60, deadline=None)
@given(blocks(statements, minimum=0).map(lambda body: ast.Module(body, [])))
def test_any_module_reads_back_with_its_comments(tree):
    text = unparse(tree)
    again = ast.parse(text)
    assert same(again, tree)
    lines = text.split("\n")
    for node, twin in zip(ast.walk(tree), ast.walk(again), strict=True):
        if isinstance(node, ast.stmt):
            check_notes(node, twin, lines)


def check_notes(node: Any, twin: Any, lines: list[str]) -> None:
    """`node` was printed as `lines`, where `twin` is what was read."""
    if node.comment is not None:
        end = twin.lineno if isinstance(node, COMPOUND) else twin.end_lineno
        assert f"  #{node.comment}" in lines[end - 1]
    start = min([twin.lineno, *(part.lineno for part in getattr(twin, "decorator_list", ()))])
    above = [text.lstrip(" ") for text in lines[start - 1 - len(node.lead) : start - 1]]
    assert above == [f"# {text}".rstrip() for text in node.lead]
    before = lines[twin.lineno - 1].encode()[: twin.col_offset].decode()
    assert before.endswith("; ") or not node.joined
    if getattr(node, "inline", False):
        assert twin.body[0].lineno == twin.test.end_lineno
