"""Does what happens around a pass happen: counting, stopping, checking, writing down?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir import store
from s2sad.ir.clone import clone
from s2sad.ir.compare import difference
from s2sad.ir.types import StackValue, Token, f32
from s2sad.passes.base import Manager, Repeat, run_passes
from s2sad.passes.bisect import culprit
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.cse import Cse
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose
from s2sad.passes.pipeline import parse_pipeline
from s2sad.passes.rewrite import Rewrite
from s2sad.passes.rules.arithmetic import NegNeg
from s2sad.tools.cli import main as command_line
from tests.passes.breaking import (
    Corrupt,
    Crash,
    DropExp,
    LoseSign,
    MulZeroWrong,
    Reassociate,
    Torn,
)
from tests.passes.rewriting import Apply, read

NEGATIVES = """
def main(x: f32[4]):                    #@ net.py:1:0
    a: f32[4] = p.neg(p.neg(x))         #@ net.py:2:8
    b: f32[4] = p.abs(p.abs(a))         #@ net.py:3:8 in Net
    c: f32[4] = p.mul(b, 1.0)           #@ net.py:4:8
    return c
"""
X = np.array([-1.0, 0.5, -0.0, np.nan], np.float32)


# Reports


def test_reports_say_what_was_done():
    function = read(NEGATIVES)
    seen = []
    reports = run_passes(
        function,
        [Canonicalize(), Dce()],
        lambda f, name: seen.append((name, len(f.body.operations))),
    )
    first, second = reports
    assert seen == [("canonicalize", 1), ("dce", 1)]
    assert (first.name, first.before, first.after) == ("canonicalize", 6, 1)
    assert first.titles["NegNeg"] == first.titles["AbsAbs"] == first.titles["MulOne"] == 1
    assert first.changes == sum(first.titles.values()) and first.seconds > 0
    assert re.fullmatch(r"canonicalize  \d+ changes +\d+\.\d ms +6 -> 1", str(first))
    assert second.changes == 0 and re.match(r"dce +unchanged ", str(second))


def test_a_function_that_is_broken_before_is_no_fault_of_the_pass():
    function = read(NEGATIVES)
    function.body.operations.reverse()
    with pytest.raises(S2sadError) as caught:
        run_passes(function, [Dce()])
    assert caught.value.code == "E0902" and "after" not in caught.value.diagnostic.message


def test_repeat_goes_on_until_nothing_changes():
    text = """
def main(c: bool_[4], x: f32[4], y: f32[4]):
    return p.where(c, x + y, y + x)
"""
    once, often = read(text), read(text)
    run_passes(once, [Canonicalize(), Cse(), Dce()])
    assert [op.prim.name for op in once.walk()] == ["add", "where"]
    reports = run_passes(often, [Repeat((Canonicalize(), Cse(), Dce()))])
    assert [op.prim.name for op in often.walk()] == ["add"]
    changed = [(report.name, report.changes) for report in reports]
    assert changed == [("canonicalize", 0), ("cse", 1), ("dce", 0), ("canonicalize", 1)]


def test_repeat_ends_with_an_error_when_it_does_not_settle():
    with pytest.raises(S2sadError, match="still changes something after 3 rounds"):
        run_passes(read("def main(x: f32[2]):\n    return x + x\n"), [Repeat((Reassociate(),), 3)])


# Stopping


def test_stops_after_the_nth_rewrite():
    made = []
    for n in range(8):
        function = read(NEGATIVES)
        manager = Manager(stop_after=n)
        manager.run(function, [Canonicalize()])
        made.append(None if manager.last is None else str(manager.last))
        assert manager.steps == min(n, 6)
    assert made[0] is None
    assert made[1:4] == [
        "NegNeg at net.py:2:8", "AbsAbs at net.py:3:8 in Net", "MulOne at net.py:4:8"
    ]  # fmt: skip
    assert made[6] == made[7] and "erase" in made[6]


def test_counts_over_several_lists():
    function = read(NEGATIVES)
    manager = Manager(stop_after=2)
    first = manager.run(function, [Apply((NegNeg,))])
    assert manager.steps == 2 and first[0].titles["NegNeg"] == 1
    (report,) = manager.run(function, [Canonicalize()])
    assert report.changes == 0


def test_needed_passes_run_to_their_end():
    function = read("def main(x: f32[4]):\n    return p.mean(-(-x))\n")
    manager = Manager(stop_after=0)
    reports = manager.run(function, [Decompose(), Canonicalize()])
    assert manager.steps == 0 and [bool(report.changes) for report in reports] == [True, False]
    assert not any(op.prim.is_composite for op in function.walk())
    assert p.neg in {op.prim for op in function.walk()}


PRINTS = """
@function(inputs=("token:host", "x"))
def main(token: Token, x: f32[4]):
    a = p.print_(token, x, format="{}")
    b = p.print_(a, x, format="{}")
    return b
"""


def test_what_belongs_together_is_not_torn():
    run_passes(read(PRINTS), [Torn(grouped=True)], stop_after=1)
    with pytest.raises(S2sadError, match="torn cannot stop after 1 rewrites") as caught:
        run_passes(read(PRINTS), [Torn()], stop_after=1)
    assert caught.value.code == "E0901" and "rewriter.step" in str(caught.value)


# What goes wrong


def reproducer_of(error: BaseException) -> tuple[Path, str]:
    """The file that the notes of `error` name, and the pipeline to run on it."""
    notes = getattr(error, "__notes__", None) or error.diagnostic.notes
    text = "\n".join(notes)
    found = re.search(r"store\.load\('(.*)', prims\.ALL\), parse_pipeline\('(.*)'\)", text)
    return Path(found[1]), found[2]


def test_a_pass_that_corrupts_is_named_with_a_file_that_shows_it(tmp_path):
    function = read(NEGATIVES)
    before = clone(function)
    with pytest.raises(S2sadError, match="after corrupt: ") as caught:
        run_passes(function, [Corrupt()], folder=tmp_path / "new")
    assert caught.value.code == "E0902"
    path, pipeline = reproducer_of(caught.value)
    assert path == tmp_path / "new" / "before-corrupt.py" and pipeline == "corrupt"
    assert difference(store.load(path, p.ALL), before, locations=True, scopes=True) is None


def test_the_function_is_the_one_that_the_failing_pass_was_given(tmp_path):
    function = read(NEGATIVES)
    expected = clone(function)
    run_passes(expected, [Canonicalize()])
    with pytest.raises(S2sadError) as caught:
        run_passes(function, [Canonicalize(), Corrupt()], folder=tmp_path)
    path, _ = reproducer_of(caught.value)
    assert difference(store.load(path, p.ALL), expected) is None


def test_an_exception_of_a_pass_passes_through_with_notes(tmp_path):
    with pytest.raises(KeyError, match="lost") as caught:
        run_passes(read(NEGATIVES), [Crash()], folder=tmp_path)
    path, pipeline = reproducer_of(caught.value)
    assert path.exists() and pipeline == "crash"


def test_without_a_folder_a_temporary_one_is_made(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(KeyError) as caught:
        run_passes(read(NEGATIVES), [Crash()])
    path, _ = reproducer_of(caught.value)
    assert path.exists() and path.parent.parent == tmp_path


def test_an_error_stays_what_it_is_when_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(KeyError, match="lost") as caught:
        run_passes(read(NEGATIVES), [Crash()], folder=tmp_path / "file" / "below")
    assert "could not be written" in caught.value.__notes__[0]


def test_the_reproducer_runs(tmp_path, capsys):
    function = read("def main(x: f32[4]):\n    return p.exp(x)\n")
    with pytest.raises(S2sadError) as caught:
        run_passes(function, [DropExp()], folder=tmp_path, validate=[X])
    path, pipeline = reproducer_of(caught.value)
    assert command_line(["run-ir", str(path)]) == 0
    assert "result0" in capsys.readouterr().out
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert "result0" in done.stdout  # on the very inputs, which lie beside it
    with pytest.raises(S2sadError, match="no pass is called 'drop-exp'"):
        parse_pipeline(pipeline)


# Validation


def test_a_right_pass_passes():
    function = read(NEGATIVES)
    passes = [Repeat((Canonicalize(), Cse(), Dce()))]
    assert run_passes(function, passes, validate=[X])


def test_a_wrong_pass_is_named_with_result_and_operation(tmp_path):
    function = read(
        "def main(x: f32[4]):                    #@ net.py:1:0\n"
        "    a: f32[4] = p.stop_gradient(x)      #@ net.py:2:8\n"
        "    b: f32[4] = p.stop_gradient(a)      #@ net.py:3:8\n"
        "    c: f32[4] = p.exp(b)                #@ net.py:4:8\n"
        "    d: f32[4] = p.exp(c)                #@ net.py:5:8\n"
        "    return x, d\n"
    )
    with pytest.raises(S2sadError) as caught:
        run_passes(function, [Cse(), DropExp(), Dce()], validate=[X], folder=tmp_path)
    error = caught.value
    assert error.code == "E0903"
    message = r"the pass drop-exp changes what the program computes: result 1 was 1\.44\d* at \[0\]"
    assert re.match(message, error.diagnostic.message)
    notes = error.diagnostic.notes
    assert (
        notes[0] == "the first wrong one is rewrite 3 of 4, replace exp at net.py:4:8 of drop-exp"
    )
    assert "--> c: f32[4] = p.exp(x)" in notes
    assert str(error.diagnostic.location) == "net.py:4:8"


def test_a_wrong_rule_is_named(tmp_path):
    function = read(NEGATIVES.replace("1.0", "3.0"))
    with pytest.raises(S2sadError) as caught:
        run_passes(function, [Apply((MulZeroWrong,))], validate=[X], folder=tmp_path)
    notes = caught.value.diagnostic.notes
    assert " rewrite 1 of 5, MulZeroWrong at net.py:4:8 of apply" in notes[0]


def test_what_differs_in_the_sign_of_zero_only_is_found(tmp_path):
    function = read("def main(x: f32[1]):\n    return p.abs(x)\n")
    zero = np.array([-0.0], np.float32)
    with pytest.raises(S2sadError, match=r"was 0\.0 at \[0\], and is -0\.0"):
        run_passes(function, [Apply((LoseSign,))], validate=[zero], folder=tmp_path)


def test_perturbed_inputs_find_what_agrees_by_chance(tmp_path):
    function = read("def main(x: f32[2]):\n    return x * p.const(2.0, f32)\n")
    ones = np.array([1.0, 1.0], np.float32)
    assert (ones * 2 == 2).all()
    with pytest.raises(S2sadError, match="and is 2.0"):
        run_passes(function, [Apply((MulZeroWrong,))], validate=[ones], folder=tmp_path)


def test_a_pass_that_rounds_is_held_to_its_bound(tmp_path):
    text = "def main(x: f32[4], y: f32[4]):\n    return x + y\n"
    run_passes(read(text), [Reassociate()], validate=[X, X], folder=tmp_path)
    with pytest.raises(S2sadError, match="the pass reassociate"):
        run_passes(read(text), [Reassociate(1e-3)], validate=[X, X], folder=tmp_path)
    many = [Reassociate()] * 3
    run_passes(read(text), many, validate=[X, X], folder=tmp_path)


def test_a_program_that_fails_must_fail_alike(tmp_path):
    text = "def main(x: f32[4], i: i64):\n    return p.exp(p.gather(x, i))\n"
    far = np.array(7)
    run_passes(read(text), [Canonicalize(), Cse(), Dce()], validate=[X, far], folder=tmp_path)

    with pytest.raises(S2sadError, match="it was E0501: .*, and is all right"):
        run_passes(read(text), [Apply((GatherNothing,))], validate=[X, far], folder=tmp_path)


class GatherNothing(Rewrite):
    """gather(x, i, axis)  =>  the sum of x, which is wrong."""

    def before(x, i, *, axis):
        return p.gather(x, i, axis=axis)

    def after(x):
        return p.reduce_sum(x)


def test_stacks_tokens_and_prints_are_no_obstacle(tmp_path, capsys):
    text = """
@function(inputs=("token:host", "tape", "x"), tree="(1, 2)")
def main(token: Token, tape: Stack[f32[4]], x: f32[4]):
    said = p.print_(token, x, format="{}")
    more = p.stack_push(tape, -(-x))
    rest, top = p.stack_pop(more)
    return said, rest, top
"""
    inputs = [Token, StackValue(f32[4], [X]), X]
    run_passes(read(text), [Canonicalize(), Dce()], validate=inputs, folder=tmp_path)
    assert len(inputs[1]) == 1 and capsys.readouterr().out == ""


# Bisection


def test_bisection_finds_the_nth_rewrite():
    lines = [f"    x{i}: f32[4] = p.exp(x{i - 1})   #@ n.py:{i}:0\n" for i in range(1, 21)]
    body = "".join(lines)
    text = f"def main(x: f32[4]):\n    x0: f32[4] = p.exp(x)\n{body}    return x20\n"

    def is_wrong(function):
        return all(str(op.loc) != "n.py:13:0" for op in function.walk())

    found = culprit(read(text), [Cse(), DropExp(), Dce()], is_wrong)
    assert (found.number, found.total, str(found.step)) == (14, 21, "replace exp at n.py:13:0")
    assert any("--> x13" in line for line in found.shown)
    assert culprit(read(text), [Cse(), Dce()], is_wrong) is None


def test_bisection_of_a_pass_that_corrupts():
    found = culprit(read(NEGATIVES), [Dce(), Corrupt()], lambda function: False)
    assert (found.name, found.number, found.step) == ("corrupt", 0, None)
    assert str(found) == "the whole of corrupt"
