"""Do effects happen, in the order of their tokens, and say what went wrong and where?"""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import RAISABLE, S2sadError
from s2sad.core.location import Location, at
from s2sad.core.tensor import Tensor
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.primitive import Trait
from s2sad.ir.types import Token, bf16, bool_, f32, f64, i64
from s2sad.prims.host import feeding


def refused(run, *types):
    with pytest.raises(S2sadError) as caught:
        build_function(run, types)
    return caught.value.code


# print


def test_printing_follows_the_token(capsys):
    def run(token, x):
        token = p.print_(token, x, format="first {}\n")
        y = p.mul(x, 2)
        token = p.print_(token, y, x, format="then {} after {}\n")
        return token, y

    program = build_function(run, [Token, f64])
    token, y = evaluate(program, [Token, np.array(1.5)])
    assert token is Token and y == 3
    assert capsys.readouterr().out == "first 1.5\nthen 3.0 after 1.5\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array(0.1, np.float16), "0.1"),
        (np.array(0.1, np.float32), "0.1"),
        (np.array([0.1, 2], np.float16), "[0.1 2. ]"),
        (dtypes.f32_to_bf16(np.array([1.5, -2], np.float32)), "[ 1.5 -2. ]"),
        (np.array(-0.0), "-0.0"),
        (np.array(True), "True"),
        (np.array([[1, 2], [3, 4]]), "[[1 2]\n [3 4]]"),
        (np.zeros((0, 2), np.float32), "[]"),
        (7, "7"),
    ],
)
def test_values_print_as_numpy_prints_them(value, text, capsys):
    p.print_(Token, value, format="{}")
    assert capsys.readouterr().out == text


def test_fields_may_have_a_format_and_braces_stay(capsys):
    p.print_(Token, np.array(1.23456), np.array(7), format="{:.2f} {:04d} {{}}\n")
    assert capsys.readouterr().out == "1.23 0007 {}\n"
    p.print_(Token, format="nothing\n")
    assert capsys.readouterr().out == "nothing\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no field", "E0302"),
        ("{} {}", "E0302"),
        ("{0}", "E0303"),
        ("{name}", "E0303"),
        ("{!r}", "E0303"),
        ("{:{}}", "E0303"),
        ("{", "E0303"),
        (3, "E0303"),
    ],
)
def test_a_text_must_go_with_its_values(text, code):
    assert refused(lambda t, x: p.print_(t, x, format=text), Token, f32) == code
    assert refused(lambda t, x: p.assert_(t, True, x, message=text), Token, f32) == code
    if text != 3:
        assert (
            refused(lambda t, x: p.raise_(t, x, kind="ValueError", message=text), Token, f32)
            == code
        )


def test_effects_need_a_token_and_tensors():
    assert refused(lambda x: p.print_(x, format=""), f32) == "E0304"
    assert refused(lambda t, u: p.print_(t, u, format="{}"), Token, Token) == "E0304"
    assert refused(lambda x: p.queue_read(x, types=(f32,), queue="q"), f32) == "E0304"
    assert refused(lambda x: p.check_finite(x, x), f32) == "E0304"


# assert, raise, check


def test_assert():
    message = "got {} of {}"
    assert p.assert_(Token, np.array(True), 1, 2, message=message) is Token
    with pytest.raises(AssertionError, match=r"E0701\] got 1 of \[2 3\]") as caught:
        p.assert_(Token, np.array(False), 1, np.array([2, 3]), message=message)
    assert isinstance(caught.value, S2sadError)
    assert refused(lambda t, c: p.assert_(t, c, message=""), Token, bool_[2]) == "E0304"
    assert refused(lambda t, c: p.assert_(t, c, message=""), Token, i64) == "E0304"


@pytest.mark.parametrize("kind", sorted(RAISABLE))
def test_raise_keeps_the_type_and_text_of_the_user(kind):
    with at(Location("net.py", 7, 8)), pytest.raises(BaseException) as caught:
        p.raise_(Token, np.array([1, 2]), kind=kind, message="bad {}")
    error = caught.value
    assert type(error) is getattr(builtins, kind) and error.args == ("bad [1 2]",)
    assert "net.py:7:8" in error.__notes__[0] and error.diagnostic.code == "E0703"


def test_raise_without_a_text():
    with pytest.raises(KeyError) as caught:
        p.raise_(Token, kind="KeyError")
    assert caught.value.args == () and not hasattr(caught.value, "__notes__")
    assert refused(lambda t, x: p.raise_(t, x, kind="KeyError"), Token, f32) == "E0302"


@pytest.mark.parametrize(
    "kind", ["SystemExit", "KeyboardInterrupt", "UnicodeDecodeError", "print", "", 3]
)
def test_some_things_cannot_be_raised(kind):
    assert refused(lambda t: p.raise_(t, kind=kind, message=""), Token) == "E0404"


def test_raise_in_a_branch_is_raised_only_there():
    def run(token, x):
        then = lambda: p.raise_(token, x, kind="ValueError", message="negative: {}")  # noqa: E731
        return p.if_(p.less(x, 0), then=then, orelse=lambda: token)

    program = build_function(run, [Token, f64])
    assert evaluate(program, [Token, np.array(1.0)]) == (Token,)
    with pytest.raises(ValueError, match=r"^negative: -1.0$"):
        evaluate(program, [Token, np.array(-1.0)])


def test_check_finite():
    x = np.ones((2, 3), np.float32)
    assert p.check_finite(Token, x) is Token
    assert p.check_finite(Token, np.zeros((0, 3))) is Token
    x[1, 2] = np.nan
    x[1, 0] = -np.inf
    with pytest.raises(
        FloatingPointError, match=r"E0702\] 2 elements of the loss.*-inf at \[1, 0\]"
    ):
        p.check_finite(Token, x, what="loss")
    with pytest.raises(FloatingPointError, match=r"E0702\] 1 element.*nan"):
        p.check_finite(Token, np.array(np.nan, np.float16))
    with pytest.raises(FloatingPointError, match="E0702"):
        p.check_finite(Token, dtypes.f32_to_bf16(np.array([np.inf], np.float32)))
    assert refused(lambda t, x: p.check_finite(t, x), Token, i64[2]) == "E0301"


# Queues


def test_queue_gives_items_in_order():
    def run(token):
        token, x, n = p.queue_read(token, types=(f32[2], i64), queue="rows")
        token, y, _ = p.queue_read(token, types=(f32[2], i64), queue="rows")
        return token, p.sub(y, x), n

    program = build_function(run, [Token])
    items = ((np.full(2, i, np.float32), np.array(i)) for i in range(3))
    with feeding("rows", items):
        token, difference, n = evaluate(program, [Token])
        assert token is Token and difference.tolist() == [1, 1] and n == 0
        assert p.queue_read(Token, types=(f32[2], i64), queue="rows")[2] == 2
        with pytest.raises(S2sadError, match="E0706.*rows.*end"):
            evaluate(program, [Token])


def test_queue_takes_single_arrays_and_tensors():
    with feeding("rows", [np.array([1, 2]), Tensor.wrap(np.array([3, 4]))]):
        for expected in ([1, 2], [3, 4]):
            assert p.queue_read(Token, types=(i64[2],), queue="rows")[1].tolist() == expected


def test_queue_that_is_not_there_or_gives_something_else():
    with pytest.raises(S2sadError, match="E0512.*'rows'"):
        p.queue_read(Token, types=(i64,), queue="rows")
    with feeding("rows", [np.zeros(3), (np.zeros(2), np.zeros(2))]):
        for _ in range(2):
            with pytest.raises(S2sadError, match=r"E0303.*f64\[3\]|E0303.*f64\[2\], f64\[2\]"):
                p.queue_read(Token, types=(f64[2],), queue="rows")
        with pytest.raises(S2sadError, match="E0512.*already"), feeding("rows", []):
            pass
    with pytest.raises(S2sadError, match="E0512"):  # it is gone after the block
        p.queue_read(Token, types=(i64,), queue="rows")
    assert refused(lambda t: p.queue_read(t, types=f32, queue="q"), Token) == "E0303"
    assert refused(lambda t: p.queue_read(t, types=(f32,), queue=3), Token) == "E0303"


def test_effects_say_so():
    effects = [p.print_, p.assert_, p.raise_, p.check_finite, p.queue_read]
    assert all(prim.has(Trait.EFFECT) and prim.nondiff for prim in effects)
    fallible = [prim.name for prim in effects if prim.has(Trait.FALLIBLE)]
    assert fallible == ["assert_", "raise_", "check_finite", "queue_read"]
    types = build_function(lambda t: p.queue_read(t, types=(bf16[2], f32), queue="q"), [Token])
    assert types.result_types == (Token, bf16[2], f32)
