"""Does an error point at the very expression, and is it of the class that its code says?"""

from __future__ import annotations

import linecache
import sys
import traceback
from contextlib import ExitStack
from typing import Any

import pytest

from s2sad.core import location
from s2sad.core.diagnostics import (
    CLASSES,
    Diagnostic,
    S2sadError,
    S2sadTypeError,
    class_of,
    fail,
)
from s2sad.core.excerpt import CALLS_SHOWN
from s2sad.core.location import Location
from s2sad.core.tensor import Tensor


@pytest.fixture
def source():
    """A function that gives a file name to lines of source."""
    names: list[str] = []

    def add(text: str) -> str:
        name = f"<source {len(names)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        names.append(name)
        return name

    yield add
    for name in names:
        del linecache.cache[name]


def place(file: str, line: str, number: int, expression: str) -> Location:
    """Where `expression` stands in `line`, in bytes, as `ast` counts."""
    start = len(line[: line.index(expression)].encode())
    return Location(file, number, start, None, start + len(expression.encode()))


def marked(text: str) -> tuple[str, str]:
    """The lines of source and of carets, without the margin."""
    lines = text.splitlines()
    row = next(i for i, line in enumerate(lines) if "^" in line)
    return lines[row - 1].partition("| ")[2], lines[row].partition("| ")[2]


def test_caret_stands_under_the_expression(source):
    line = "    return matmul(x, w) + b"
    file = source(f"def f(x):\n{line}\n")
    error = fail(
        "E0401", "sizes differ", location=place(file, line, 2, "matmul(x, w)"), label="f32[2, 3]",
        notes=("x is f32[2, 3]",), help="transpose w",
    )  # fmt: skip
    assert str(error) == (
        "[E0401] sizes differ\n"
        f"  --> {file}:2:11\n"
        "  |\n"
        "2 |     return matmul(x, w) + b\n"
        "  |            ^^^^^^^^^^^^ f32[2, 3]\n"
        "   = note: x is f32[2, 3]\n"
        "   = help: transpose w"
    )


@pytest.mark.parametrize(
    ("line", "expression", "blank"),
    [
        ("y = g(x)", "g(x)", "    "),
        ("\ty = g(x)", "g(x)", "\t    "),
        ("if a:\tg(x)", "g(x)", "     \t"),
        ("é = g(x)", "g(x)", "    "),  # two bytes, one column
        ("数 = g(x)", "g(x)", "     "),  # three bytes, two columns
        ("e\u0301 = g(x)", "g(x)", "    "),  # a combining accent takes no column
        ("s = '😀' + g(x)", "g(x)", " " * 11),
    ],
)
def test_caret_after_wide_characters_and_tabs(source, line, expression, blank):
    file = source(line + "\n")
    error = fail("E0301", "no", location=place(file, line, 1, expression))
    assert marked(str(error)) == (line, blank + "^" * len(expression))


def test_caret_is_as_wide_as_a_wide_expression(source):
    line = "y = f(数据)"
    file = source(line)
    error = fail("E0301", "no", location=place(file, line, 1, "数据"))
    assert marked(str(error))[1] == "      ^^^^"


def test_an_expression_over_several_lines_gets_one_caret(source):
    file = source("y = f(\n    x)\n")
    error = fail("E0301", "no", location=Location(file, 1, 4))
    assert marked(str(error)) == ("y = f(", "    ^")


def test_a_column_beyond_the_line_still_shows_a_caret(source):
    file = source("y\n")
    error = fail("E0301", "no", location=Location(file, 1, 40, None, 44))
    assert marked(str(error))[1].endswith("^")


def test_line_numbers_of_any_width_share_one_margin(source):
    file = source("pass\n" * 99 + "y = x\n")
    lines = str(fail("E0301", "no", location=Location(file, 100, 4, None, 5))).splitlines()
    assert lines[2:] == ["    |", "100 | y = x", "    |     ^"]


@pytest.mark.parametrize("place", [Location("<nowhere>", 3, 4), Location("/no/such/file.py", 1, 0)])
def test_a_line_that_is_not_to_be_had_leaves_its_place(place):
    text = str(fail("E0301", "no", location=place, help="do this"))
    assert text == f"[E0301] no\n  --> {place}\n   = help: do this"


def test_a_blank_line_is_not_shown(source):
    file = source("\n   \n")
    assert "|" not in str(fail("E0301", "no", location=Location(file, 2, 0)))


def chain(length: int) -> Location:
    inner = None
    for number in range(length, 0, -1):
        inner = Location("f.py", number, 0, inner)
    assert inner is not None
    return inner


@pytest.mark.parametrize("callers", [0, 1, 3, 2 * CALLS_SHOWN, 2 * CALLS_SHOWN + 1])
def test_a_short_chain_of_calls_is_shown_whole(callers):
    text = str(fail("E0103", "deep", location=chain(callers + 1)))
    shown = [line for line in text.splitlines() if "called at" in line]
    assert shown == [f"   = called at f.py:{n}:0" for n in range(2, callers + 2)]
    assert "more calls" not in text


def test_a_long_chain_of_calls_loses_its_middle():
    text = str(fail("E0103", "deep", location=chain(1001)))
    lines = text.splitlines()
    assert len(lines) == 2 + 2 * CALLS_SHOWN + 1
    assert f"   = ... {1000 - 2 * CALLS_SHOWN} more calls" in lines
    assert lines[2] == "   = called at f.py:2:0"
    assert lines[-1] == "   = called at f.py:1001:0"


def test_the_current_location_is_used_unless_another_is_given():
    here, there = Location("here.py", 1, 0), Location("there.py", 2, 0)
    with location.at(here):
        assert fail("E0301", "no").diagnostic.location == here
        assert fail("E0301", "no", location=there).diagnostic.location == there
    assert fail("E0301", "no").diagnostic.location.file == __file__


def test_without_a_place_there_is_only_the_message():
    assert str(at_a_prompt("E0301")) == "[E0301] no"


def at_a_prompt(code: str) -> S2sadError:
    """The error that a line typed at a prompt makes: nobody has its source."""
    names: dict[str, Any] = {"fail": fail}
    exec(compile(f"error = fail({code!r}, 'no')", "<stdin>", "single"), names)
    return names["error"]


@pytest.mark.parametrize(
    ("code", "base"),
    [
        ("E0101", SyntaxError), ("E0201", NameError), ("E0210", UnboundLocalError),
        ("E0220", AttributeError), ("E0221", AttributeError), ("E0304", TypeError),
        ("E0310", TypeError), ("E0401", ValueError), ("E0501", IndexError), ("E0511", KeyError),
        ("E0601", OSError), ("E0701", AssertionError), ("E0702", FloatingPointError),
        ("E0710", RuntimeError), ("E0901", RuntimeError),
    ],
)  # fmt: skip
def test_the_code_decides_the_class(code, base):
    error = fail(code, "no")
    assert isinstance(error, base) and isinstance(error, S2sadError)
    assert error.code == code == error.diagnostic.code
    with pytest.raises(base):
        raise error


def test_the_longest_prefix_decides():
    assert class_of("E0210") is CLASSES["E021"]
    assert class_of("E0201") is CLASSES["E02"]
    for prefix, kind in CLASSES.items():
        assert class_of(prefix.ljust(5, "9")) is kind


@pytest.mark.parametrize("code", ["E0801", "E1001", "X0301", ""])
def test_a_code_of_no_family_is_refused(code):
    with pytest.raises(KeyError):
        class_of(code)


def test_every_class_shows_the_whole_text(source):
    line = "y = x"
    file = source(line)
    for prefix in CLASSES:
        code = prefix.ljust(5, "1")
        diagnostic = Diagnostic(code, "it's so", Location(file, 1, 4, None, 5), help="mend it")
        error = fail(code, "it's so", location=diagnostic.location, help="mend it")
        assert str(error) == diagnostic.render()


def test_python_draws_the_caret_of_a_syntax_error(source):
    line = "数 = [x async for x in y]"
    file = source(line + "\n")
    error = fail("E0101", "no", location=place(file, line, 1, "[x async for x in y]"))
    assert isinstance(error, SyntaxError)
    assert (error.filename, error.lineno, error.text) == (file, 1, line + "\n")
    assert error.offset is not None and error.end_offset is not None
    assert line[error.offset - 1 : error.end_offset - 1] == "[x async for x in y]"
    drawn = "".join(traceback.format_exception_only(error))
    assert f'File "{file}", line 1' in drawn and "^" in drawn


def test_a_syntax_error_without_a_place_has_no_line():
    error = at_a_prompt("E0101")
    assert isinstance(error, SyntaxError)
    assert error.filename is None and error.lineno is None


def test_location_in_text_and_its_chain():
    place = Location("a.py", 1, 2, Location("b.py", 3, 4))
    assert str(place) == "a.py:1:2 < b.py:3:4"
    assert [x.file for x in place.chain()] == ["a.py", "b.py"]


def test_scopes_nest():
    with location.within("net:Net"):
        with location.within("fc:Dense"):
            assert location.scope.get() == "net:Net/fc:Dense"
        assert location.scope.get() == "net:Net"
    assert location.scope.get() == ""


def test_the_caller_is_the_code_outside_of_s2sad(tmp_path):
    program = "\n\nif True:\n    place =  caller()\n"
    file = tmp_path / "program.py"
    file.write_text(program, encoding="utf-8")
    names = {"caller": location.caller}
    exec(compile(program, str(file), "exec"), names)
    place = names["place"]
    assert isinstance(place, Location)
    assert (place.file, place.line) == (str(file), 4)
    shown = program.splitlines()[3][place.column : place.end_column]
    # Before 3.11 Python knows the line only.
    assert shown == ("caller()" if sys.version_info >= (3, 11) else "place =  caller()")


def test_frames_of_python_itself_are_passed_over():
    """`contextlib` stands between s2sad and itself, or between the user and s2sad."""
    with pytest.raises(S2sadTypeError) as caught, ExitStack() as stack:
        stack.callback(len, Tensor(1.0))
    place = caught.value.diagnostic.location
    assert place is not None and place.file == __file__


def test_frames_of_s2sad_are_passed_over():
    with pytest.raises(S2sadTypeError) as caught:
        len(Tensor(1.0))
    place = caught.value.diagnostic.location
    assert place is not None and place.file == __file__
    assert "len(Tensor(1.0))" in linecache.getline(place.file, place.line)
