"""Is the C that we make warned of nothing, the same each time, and tied to the user's lines?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c import programs
from s2sad.backends.c.emit import Unit, emit
from s2sad.backends.c.executable import compile_many
from s2sad.backends.c.programs import library_of
from s2sad.compiler import TARGET
from s2sad.core import cache, location
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.printer import print_text
from s2sad.ir.reader import read_text
from s2sad.ir.types import f32, f64
from s2sad.passes.base import run_passes
from s2sad.passes.decompose import Decompose
from support.fuzz import READY, Written

pytestmark = pytest.mark.usefixtures("programs_apart")

WARNINGS = ("-Wall", "-Wextra", "-Werror")


def lowered(seed: int) -> Function:
    """A random function as the backend takes it."""
    function = Written.of_seed(seed).function
    run_passes(function, (*READY, *TARGET["s2sad.backends.c"]))
    return function


@pytest.mark.parametrize("first", [0, 100])
def test_nothing_is_warned_of(monkeypatch, first):
    monkeypatch.setattr(programs, "PROGRAM_FLAGS", (*programs.PROGRAM_FLAGS, *WARNINGS, "-O1"))
    compile_many([lowered(seed) for seed in range(first, first + 40)])


def test_a_warning_is_an_error_there(monkeypatch):
    monkeypatch.setattr(programs, "PROGRAM_FLAGS", (*programs.PROGRAM_FLAGS, *WARNINGS))
    with pytest.raises(Exception, match=r"E0904.*unused"):
        library_of(Unit("static int unused;"))


def test_a_dump_that_is_read_again_gives_the_same_file():
    for seed in range(40):
        function = lowered(seed)
        again = read_text(print_text(function), p.ALL)
        assert emit([again]).text == emit([function]).text, seed


def test_so_does_a_copy_and_a_second_time():
    for seed in range(10):
        function = lowered(seed)
        assert emit([function]).text == emit([function]).text == emit([clone(function)]).text


def test_kernels_of_one_text_are_one():
    def run(x, y):
        for _ in range(5):
            x = p.matmul(p.tanh(x), y)
        return x

    unit = emit([build_function(run, [f32[4, 4]] * 2)])
    assert unit.text.count("S2_KERNEL(") == 2
    (program,) = unit.programs
    assert len(program.kernels) == 10 and len(set(program.kernels)) == 2
    assert set(program.kernels) == {name for name in program.kernels if f"({name})" in unit.text}


def test_several_functions_share_kernels_in_a_file():
    one, other = (build_function(lambda x: p.add(x, x), [f64[3]]) for _ in range(2))
    unit = emit([one, other])
    assert unit.text.count("S2_KERNEL(") == 1
    assert "s2_program_0" in unit.text and "s2_program_1" in unit.text
    runs = compile_many([one, other])
    assert [run.run([np.ones(3)])[0].tolist() for run in runs] == [[2.0] * 3] * 2


def test_lines_of_the_user_are_named():
    def run(x):
        with location.at(Location('my "net".py', 12, 4)):
            y = p.exp(x)
        with location.at(Location("other.py", 34, 0)):
            return p.cumsum(y, axis=0)

    text = emit([build_function(run, [f32[3]])]).text
    assert '#line 12 "my \\"net\\".py"' in text and '#line 34 "other.py"' in text


def test_a_title_cannot_end_the_comment():
    function = build_function(lambda x: p.neg(x), [f32[3]])
    function.title = "*/ int broken;"
    assert emit([function]).text.startswith("/* s2sad C 1: * / int broken; */\n")


def test_numbers_of_constants_are_exact():
    numbers = [0.1, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1.7976931348623157e308]

    def run(x):
        return tuple(p.mul(x, p.const(np.float64(n), f64)) for n in numbers)

    function = build_function(run, [f64[2]])
    run_passes(function, [Decompose()])
    (executable,) = compile_many([function])
    with np.errstate(all="ignore"):
        for found, number in zip(executable.run([np.ones(2)]), numbers, strict=True):
            np.testing.assert_array_equal(found, np.full(2, number))
            assert np.signbit(found[0]) == np.signbit(number) or np.isnan(number)


def many_kernels(x, y):
    for _ in range(3):
        x = p.cumsum(p.tanh(p.matmul(x, y)), axis=0)
        x = p.sort(p.exp(p.neg(p.mul(x, x))), axis=1)[0]
    return x, p.reduce_sum(x, axis=(0, 1))


def test_parts_that_are_compiled_at_once_make_the_same_library(monkeypatch):
    inputs = [np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)] * 2
    results = []
    for least in (10**9, 1):
        monkeypatch.setattr(programs, "LEAST_WORK", least)
        monkeypatch.setattr(programs, "_loaded", {})
        cache.cache().clear()
        function = build_function(many_kernels, [f32[8, 8]] * 2)
        run_passes(function, TARGET["s2sad.backends.c"])
        assert (len(programs.shared_out(emit([function]), jobs=3)) == 3) is (least == 1)
        monkeypatch.setattr(programs.processes, "cores", lambda: 3)
        (executable,) = compile_many([function])
        results.append(executable.run(inputs))
    for whole, parted in zip(*results, strict=True):
        np.testing.assert_array_equal(whole, parted)


def test_work_is_shared_out_evenly_and_all_of_it():
    texts = {f"k{i}": "\n" * (50 * i) for i in range(10)}
    groups = programs.shared_out(Unit("", texts), jobs=2)
    assert sorted(name for group in groups for name in group) == sorted(texts)
    one, other = (sum(programs.work_of(texts[name]) for name in group) for group in groups)
    assert abs(one - other) <= 50
    assert len(programs.shared_out(Unit("", dict.fromkeys("ab", "\n")), jobs=2)) < 2
    assert programs.shared_out(Unit(""), jobs=2) == []
