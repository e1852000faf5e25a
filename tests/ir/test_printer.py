"""Does a function print as DESIGN §3a says, in flat style?"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes, location
from s2sad.core.diagnostics import S2sadError
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.literals import constant_node, is_splat, shortest
from s2sad.ir.printer import Constants, print_text, print_tree
from s2sad.ir.reader import read_text
from s2sad.ir.types import Stack, Token, bf16, bits, bool_, f16, f32, f64, i8, i32, i64, u8
from s2sad.ir.unparse import unparse
from support.dumps import run_plainly, same_values

#: DESIGN §3a, to the letter.
EXAMPLE = """\
# s2sad ir 1 · rnn.Net.construct · after 03-canonicalize
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("x", "n", "param:w"), donates={"w": 1}, tree="(0,)", consts=None)
def construct(x: f32[8, 16], n: i32, w: f32[16, 16]) -> (f32[8, 16], f32[16, 16]):
    c0: i32 = p.const(0, i32)
    c1: i32 = p.const(1, i32)
    i: i32; h: f32[8, 16]
    i, h = c0, x
    while True:
        t0: bool_ = p.less(i, n)            #@ rnn.py:7:11
        if not t0: break
        t1: f32[8, 16] = p.matmul(h, w)     #@ rnn.py:8:26 < net.py:12:15
        t2: i32 = p.add(i, c1)              #@ rnn.py:9:16
        i, h = t2, t1
    return h, w
"""


def body(function: Function, **options) -> str:
    """The lines within the printed function, without their indentation."""
    lines = print_text(function, **options).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("def "))
    return "\n".join(line[4:] for line in lines[start + 1 :])


def test_the_example_of_the_design():
    function = read_text(EXAMPLE, p.ALL)
    assert function.title == "rnn.Net.construct" and function.donates == {2: 1}
    assert print_text(function, stage="after 03-canonicalize") == EXAMPLE
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(8, 16)).astype("f4"), rng.normal(size=(16, 16)).astype("f4")
    inputs = [x, np.asarray(2, np.int32), w]
    results = run_plainly(EXAMPLE, inputs)
    assert same_values(results, evaluate(function, inputs))
    np.testing.assert_array_equal(results[0], x @ w @ w)


def test_str_is_the_flat_text():
    function = build_function(lambda x: p.neg(x), [f32[2]])
    assert str(function) == print_text(function)


def test_branches_and_counted_loops():
    def run(x, c):
        y = p.if_(c, then=lambda: (p.exp(x), x), orelse=lambda: (x, x))
        return p.for_(0, 3, 1, y[0], body=lambda i, h: p.add(h, y[1]))

    function = build_function(run, [f32[2], bool_], names=["x", "c"])
    assert (
        body(function)
        == """\
t0: f32[2]; t1: f32[2]
if c:
    t2: f32[2] = p.exp(x)
    t0, t1 = t2, x
else:
    t0, t1 = x, x
c0: i64 = p.const(0, i64)
c1: i64 = p.const(3, i64)
c2: i64 = p.const(1, i64)
t3: f32[2]
t3 = t0
for t4 in range(c0, c1, c2):
    t5: f32[2] = p.add(t3, t1)
    t3 = t5
return t3"""
    )


def test_what_gives_nothing_passes():
    def run(x, c):
        p.if_(c, then=lambda: (), orelse=lambda: ())
        p.for_(p.const(0, i64), 3, 1, body=lambda i: ())
        return ()

    function = build_function(run, [f32[2], bool_], names=["x", "c"])
    text = print_text(function)
    assert "    if c:\n        pass\n    else:\n        pass\n" in text
    assert "    for t0 in range(c0, c1, c2):\n        pass\n    return ()\n" in text
    assert "def main(x: f32[2], c: bool_) -> ():" in text


def test_a_loop_that_carries_nothing():
    text = """\
# s2sad ir 1 · main
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("x",), donates={}, tree="0", consts=None)
def main(x: f32) -> f32:
    while True:
        t0: bool_ = p.less(x, x)
        if not t0: break
    return x
"""
    assert print_text(read_text(text, p.ALL)) == text


def test_regions_of_a_call_stand_above_it():
    def run(x, y):
        return p.fused(x, y, body=lambda a, b: p.mul(a, b)), p.neg(x)

    function = build_function(run, [f32[8], f32[8]], names=["x", "y"])
    assert (
        body(function)
        == """\
@region
def body_0(t0: f32[8], t1: f32[8]) -> f32[8]:
    t2: f32[8] = p.mul(t0, t1)
    return t2
t3: f32[8] = p.fused(x, y, body=body_0)
t4: f32[8] = p.neg(x)
return t3, t4"""
    )


def test_several_results_are_declared_above():
    function = build_function(lambda s: p.stack_pop(s), [Stack[f32[16]]], names=["s"])
    assert (
        body(function)
        == """\
t0: Stack[f32[16]]; t1: f32[16]
t0, t1 = p.stack_pop(s)
return t0, t1"""
    )


def test_symbols_are_defined_below_the_imports():
    batch = symbol("B")
    function = build_function(lambda x: p.exp(x), [f32[batch, 2 * batch + 1]], names=["B"])
    text = print_text(function)
    assert 'import *\nB = symbol("B")\n\n@function' in text
    assert "def main(B_1: f32[B, 2 * B + 1]) -> f32[B, 2 * B + 1]:" in text
    assert same_values(run_plainly(text, [np.zeros((2, 5), "f4")]), [np.ones((2, 5), "f4")])


def test_locations_and_scopes():
    with location.origin(Location("rnn.py", 8, 26, Location("my net.py", 1, 0)), "net:Net"):
        function = build_function(lambda x: p.neg(x), [f32[2]], names=["x"])
    text = print_text(function)
    assert "x)                   #@ rnn.py:8:26 < 'my net.py':1:0 in net:Net\n" in text
    assert "#" not in body(build_function(lambda x: p.neg(x), [f32[2]]))


def test_a_token_is_its_type():
    function = build_function(lambda t: p.print_(t, format="hi"), [Token], names=["token"])
    assert "def main(token: Token) -> Token:" in print_text(function)


def test_only_attributes_that_are_no_default():
    def run(x):
        return p.matmul(x, x, transpose_a=True), p.reduce_sum(x), p.reduce_sum(x, axis=(1,))

    function = build_function(run, [f32[2, 2]], names=["x"])
    assert body(function).splitlines()[:3] == [
        "t0: f32[2, 2] = p.matmul(x, x, transpose_a=True)",
        "t1: f32 = p.reduce_sum(x, axis=(0, 1))",
        "t2: f32[2] = p.reduce_sum(x, axis=(1,))",
    ]


def test_a_header_is_one_line():
    function = build_function(lambda x: x, [f32[2]])
    function.title = "a · b\nc"
    assert print_text(function, stage="after\n1").startswith("# s2sad ir 1 · a - b c · after 1\n")


def test_an_unknown_style_is_an_error():
    function = build_function(lambda x: x, [f32[2]])
    with pytest.raises(S2sadError, match="no style of print is called 'flag'") as caught:
        print_tree(function, "flag")
    assert caught.value.code == "E0303"


def test_an_attribute_without_a_literal_is_an_error():
    function = build_function(lambda x: p.reduce_sum(x), [f32[2]])
    (operation,) = function.body.operations
    operation.attrs = {"axis": {0}, "keepdims": False}
    with pytest.raises(S2sadError, match="an attribute cannot be set") as caught:
        print_text(function)
    assert caught.value.code == "E0303"


@pytest.mark.parametrize("style", ["flat", "source"])
def test_the_tree_is_what_parsing_the_text_gives(style):
    function = read_text(EXAMPLE, p.ALL)
    tree = print_tree(function, style)
    assert ast.dump(tree) == ast.dump(ast.parse(print_text(function, style=style)))
    compile(ast.fix_missing_locations(tree), "<tree>", "exec")


# ---- names ---------------------------------------------------------------------------------


def renamed(*names: str | None, function: str = "main") -> list[str]:
    """Names in print of as many values in a row; the first is a parameter."""

    def run(x):
        values = [x]
        for name in names[1:]:
            values.append(p.neg(values[-1]))
            values[-1].name = name
        return values[-1]

    built = build_function(run, [f32], names=names[:1], name=function)
    text = print_text(built)
    assert print_text(read_text(text, p.ALL)) == text
    return [line.split(":")[0] for line in body(built).splitlines()[:-1]]


def test_names_are_made_unique():
    assert renamed("x", "x", "x", "y", "x_1") == ["x_1", "x_2", "y", "x_3"]
    assert renamed("x", "x_1", "x", "x_1_1", "x_1") == ["x_1", "x_2", "x_1_1", "x_3"]


def test_automatic_names_skip_what_is_taken():
    assert renamed("t0", None, "t7", "c1") == ["t1", "t2", "t3"]
    assert renamed("x", None, None, function="t0") == ["t0", "t1"]


def test_names_do_not_hide_those_that_a_dump_uses():
    used = ["p", "f32", "range", "inf", "nan", "bits", "Token", "Stack", "region", "main"]
    assert renamed("x", *used) == [f"{name}_1" for name in used]
    assert renamed("x", "lambda", "True", "__debug__") == ["lambda_1", "True_1", "__debug___1"]


def test_hints_become_identifiers():
    assert renamed("x", "net.layers[0].w", "2nd", "", "β", "ﬁ", "match") == [
        "net_layers_0_w", "_2nd", "t0", "β", "fi", "match",
    ]  # fmt: skip


def test_a_function_may_have_any_name():
    function = build_function(lambda x: x, [f32], names=["f32"], name="p")
    text = print_text(function)
    assert "def p_1(f32_1: f32) -> f32:" in text
    assert read_text(text, p.ALL).name == "p_1"


def test_what_a_loop_carries_has_one_name():
    def named_body(i, h):
        i.name, h.name = "i", "h"
        return p.add(h, h)

    def carried(x):
        return p.for_(0, 2, 1, x, body=named_body)

    text = body(build_function(carried, [f32], names=["x"]))
    assert "h: f32\nh = x\nfor i in range(c0, c1, c2):\n" in text
    assert "    t0: f32 = p.add(h, h)\n    h = t0\n" in text


# ---- constants -----------------------------------------------------------------------------

FLOATS = [
    0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 65504.0, 6e-8, 3.4028234663852886e38, 1e-45, 5e-324,
    1.7976931348623157e308, np.inf, -np.inf, np.nan,
]  # fmt: skip


@pytest.mark.parametrize("type", [f16, bf16, f32, f64], ids=str)
def test_floats_keep_their_bits(type):
    array = dtypes.narrow(np.array(FLOATS, np.float64), type.dtype)
    for element in array:
        check_constant(np.asarray(element), type)


@pytest.mark.parametrize("type", [f16, bf16, f32, f64], ids=str)
def test_every_nan_keeps_its_payload(type):
    unsigned = np.dtype(f"u{type.dtype.itemsize}")
    ones = dtypes.narrow(np.array(np.inf), type.dtype).view(unsigned)
    sign = unsigned.type(1) << unsigned.type(8 * unsigned.itemsize - 1)
    for payload in (ones + 1, ones | sign | 1, ones | (sign >> 2)):
        check_constant(np.asarray(payload, unsigned).view(type.dtype.storage), type)


def check_constant(element: np.ndarray, type) -> None:
    function = build_function(lambda: p.const(element, type), [])
    text = print_text(function)
    again = read_text(text, p.ALL)
    (found,) = evaluate(again, [])
    assert found.tobytes() == element.tobytes(), text
    assert same_values(run_plainly(text, []), [element])


@pytest.mark.parametrize(
    ("type", "value", "text"),
    [
        (f32, np.float32(0.1), "0.1"),
        (f32, np.float32(1e-45), "1e-45"),
        (f64, np.float64(0.1), "0.1"),
        (f64, np.float64(-1e300), "-1e+300"),
        (f16, np.float16(0.1), "0.1"),
        (f16, np.float16(6e-8), "6e-08"),
        (bf16, np.uint16(0x3DCD), "0.1"),
        (bf16, np.uint16(0x7F7F), "3.39e+38"),
        (f32, np.float32(-np.inf), "-inf"),
        (f32, np.uint32(0x7FC00001).view(np.float32), "bits(0x7fc00001)"),
        (f32, np.uint32(0xFFC00000).view(np.float32), "bits(0xffc00000)"),
        (f32, np.float32(np.nan), "nan"),
        (f32, np.float32(-0.0), "-0.0"),
        (bool_, np.bool_(True), "True"),
        (i8, np.int8(-128), "-128"),
        (u8, np.uint8(255), "255"),
        (i64, np.int64(-(2**63)), "-9223372036854775808"),
    ],
)
def test_one_element(type, value, text):
    assert unparse(constant_node(np.asarray(value), type.dtype)) == text


def test_all_of_bfloat16_and_half_come_back():
    for dtype, storage in ((dtypes.bfloat16, np.uint16), (dtypes.float16, np.float16)):
        patterns = np.arange(0, 2**16, 7, dtype=np.uint16)
        for element in patterns.view(storage):
            number = shortest(np.asarray(element), dtype)
            if number is None:
                assert np.isnan(dtypes.widen(np.asarray(element)))
            else:
                back = dtypes.narrow(np.asarray(number, np.float64), dtype)
                assert back.tobytes() == element.tobytes()


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.zeros((2, 3), "f4"), "0.0"),
        (np.zeros((0, 3), "f4"), "0.0"),
        (np.ones((1, 1), "f4"), "1.0"),
        (np.full((2, 2), np.nan, "f4"), "nan"),
        (np.array([0.0, -0.0], "f4"), "(0.0, -0.0)"),
        (np.array([[1], [2]], "i4"), "((1,), (2,))"),
        (np.array([True, False]), "(True, False)"),
    ],
)
def test_arrays(array, text):
    type = f32 if array.dtype == "f4" else i32 if array.dtype == "i4" else bool_
    assert unparse(constant_node(array, type.dtype)) == text
    check_constant(array, type[array.shape] if array.ndim else type)


def test_nan_with_different_payloads_is_no_splat():
    assert not is_splat(np.array([0x7FC00000, 0x7FC00001], np.uint32).view(np.float32))


def test_a_splat_is_found_without_looking_at_all_of_it():
    assert is_splat(np.broadcast_to(np.float32(1), (10**6, 10**6)))


def test_big_constants_stand_in_the_text_unless_there_is_a_place():
    array = np.arange(17, dtype=np.float32)
    function = build_function(lambda x: p.add(x, p.const(array, f32[17])), [f32[17]])
    assert "p.const((0.0, 1.0, 2.0, " in str(function)
    constants = Constants("rnn.npz")
    text = print_text(function, constants=constants)
    assert 'c0: f32[17] = p.const("k0", f32[17])' in text and 'consts="rnn.npz"' in text
    np.testing.assert_array_equal(constants.arrays["k0"], array)


def test_small_constants_and_splats_stay_in_the_text():
    def run():
        return p.const(np.arange(16, dtype=np.float32), f32[16]), p.const(bits(0), f32[10**6])

    constants = Constants("rnn.npz")
    text = print_text(build_function(run, []), constants=constants)
    assert constants.arrays == {} and "consts=None" in text
    assert "p.const(0.0, f32[1000000])" in text


def test_the_printer_is_imported_by_the_first_who_asks():
    program = """
import sys
from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.types import f32
function = build_function(lambda x: p.neg(x), [f32])
heavy = {"astunparse", "networkx", "s2sad.ir.network", "s2sad.ir.printer", "s2sad.ir.unparse"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
assert "p.neg(" in str(function)
assert "networkx" not in sys.modules
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
