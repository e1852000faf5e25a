"""Is the right compiler found, and does it make libraries whole or not at all?"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import warnings
from dataclasses import replace

import pytest

from s2sad.backends.c import processor, toolchain
from s2sad.backends.c.libraries import CONTRACTING, EXACT, SUFFIX, load_library
from s2sad.backends.c.toolchain import compile_library, find_toolchain, require_toolchain
from s2sad.core.cache import Cache
from s2sad.core.diagnostics import S2sadError

REAL = next(path for name in ("cc", "gcc", "clang") if (path := shutil.which(name)))


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    """No variable names a compiler, nothing is remembered."""
    for name in ("S2SAD_CC", "CC", "S2SAD_SANITIZE", "S2SAD_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    toolchain._find.cache_clear()
    yield
    toolchain._find.cache_clear()


@pytest.fixture
def compiler(tmp_path):
    """Writes a program that is a compiler, with lines of shell before; notes its arguments."""

    def write(name, lines="", real=REAL):
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        log = tmp_path / f"{name}.log"
        text = f'#!/bin/sh\necho "$@" >> {log}\n{lines}\nexec {real} "$@"\n'
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    return write


def calls(tmp_path, name):
    log = tmp_path / f"{name}.log"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def refused(code, function, *arguments, **keywords):
    with pytest.raises(S2sadError) as caught:
        function(*arguments, **keywords)
    assert caught.value.code == code
    return str(caught.value)


def source(folder, text, name="source.c"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


API = '__attribute__((visibility("default"))) '
ADD = f"{API} int add(int x, int y) {{ return x + y; }}\n"


# ---- which one is found


def test_one_of_the_machine_is_found_and_works(tmp_path):
    found = find_toolchain()
    assert found is not None and found is find_toolchain()
    assert found.origin == "PATH" and found.command == (REAL,)
    said = subprocess.run([REAL, "--version"], capture_output=True, text=True, check=True).stdout
    assert found.version == said.partition("\n")[0]
    assert toolchain.try_library(found) == ""
    assert found.cpu == processor.describe()


def test_the_variables_come_first_and_hold_arguments(compiler, tmp_path, monkeypatch):
    first, second = compiler("first"), compiler("second")
    monkeypatch.setenv("CC", str(second))
    found = find_toolchain()
    assert found is not None and (found.origin, found.command) == ("CC", (str(second),))
    monkeypatch.setenv("S2SAD_CC", f"{first} -D 'NAME=a b'")
    found = find_toolchain()
    assert found is not None and found.origin == "S2SAD_CC"
    assert found.command == (str(first), "-D", "NAME=a b")
    assert all(line.startswith("-D NAME=a b") for line in calls(tmp_path, "first"))
    monkeypatch.setenv("S2SAD_CC", " ")
    assert getattr(find_toolchain(), "origin", None) == "CC"


@pytest.mark.parametrize("variable", ["S2SAD_CC", "CC"])
def test_one_that_is_named_and_does_not_work_is_refused(variable, compiler, monkeypatch, tmp_path):
    for value, said in (
        ("no-such-compiler", "there is no program no-such-compiler"),
        ("'open", "is no command"),
        (str(compiler("mute", "exit 4")), "ended with 4"),
        (str(compiler("loud", "case $* in *-shared*) echo no disk; exit 1;; esac")), "no disk"),
    ):
        monkeypatch.setenv(variable, value)
        assert said in refused("E0606", find_toolchain)


def test_one_that_makes_libraries_of_another_machine_is_refused(compiler, monkeypatch, tmp_path):
    lines = 'for word; do [ "$last" = -o ] && echo text > "$word" && exit 0; last=$word; done'
    strange = compiler("strange", lines)
    monkeypatch.setenv("S2SAD_CC", str(strange))
    refused("E0606", find_toolchain)


def test_of_those_on_the_path_the_first_that_works_is_taken(compiler, tmp_path, monkeypatch):
    compiler("cc", "exit 1")
    good = compiler("gcc")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    found = find_toolchain()
    assert found is not None and found.command == (str(good),)


def test_where_there_is_none_a_warning_says_so_once(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *x: None if name == "ziglang" else real(name, *x)
    )
    assert find_toolchain() is None
    assert "pip install 's2sad[cc]'" in refused("E0606", require_toolchain)
    toolchain.warn_of_none.cache_clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        toolchain.warn_of_none()
        toolchain.warn_of_none()
    (warning,) = caught
    assert warning.category is UserWarning and warning.filename == __file__
    assert str(warning.message) == (
        "no C compiler found: programs run on NumPy; install one, or pip install 's2sad[cc]'"
    )


def test_the_wheel_comes_last(compiler, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    commands = [command for command, _ in toolchain.candidates()]
    assert commands[0] == (REAL,) and commands[-1][1:] == ("-m", "ziglang", "cc")


def test_zig_gets_flags_of_its_own(compiler, tmp_path, monkeypatch):
    # It takes what zig takes: `cc` first, no -march=native.
    zig = compiler("zig", 'shift\ncase "$*" in *-march=native*) exit 1;; esac')
    monkeypatch.setenv("S2SAD_CC", f"{zig} cc")
    found = find_toolchain()
    assert found is not None and (found.kind, found.target) == ("zig", "native")
    assert {"-mcpu=native", "-fno-sanitize=all"} <= set(found.flags)
    assert "-march=native" not in found.flags


def test_flags_for_this_processor_are_left_out_where_they_are_not_known(compiler, monkeypatch):
    lines = 'case "$*" in *-march=native*) exit 1;; *-mcpu=native*) exit 1;; esac'
    monkeypatch.setenv("S2SAD_CC", str(compiler("old", lines)))
    found = find_toolchain()
    assert found is not None and not any("native" in flag for flag in found.flags)


# ---- what is remembered


def test_what_was_found_is_remembered_as_long_as_it_is_the_same(compiler, tmp_path, monkeypatch):
    path = compiler("mine")
    monkeypatch.setenv("S2SAD_CC", str(path))
    first = find_toolchain()
    count = len(calls(tmp_path, "mine"))
    assert count >= 3
    toolchain._find.cache_clear()  # as in another process
    assert find_toolchain() == first
    assert len(calls(tmp_path, "mine")) == count
    os.utime(path, (1e9, 1e9))  # as after an update
    toolchain._find.cache_clear()
    assert find_toolchain() == first
    assert len(calls(tmp_path, "mine")) == 2 * count
    Cache(tmp_path / "cache").clear()
    toolchain._find.cache_clear()
    assert find_toolchain() == first


def test_a_digest_depends_on_all_that_matters():
    found = require_toolchain()
    others = [
        replace(found, command=("other",)), replace(found, version="other"),
        replace(found, target="other"), replace(found, cpu="other"),
        replace(found, flags=(*found.flags, "-g")),
    ]  # fmt: skip
    assert len({found.digest(), *(other.digest() for other in others)}) == 6


def test_sanitizers_are_flags_of_their_own(monkeypatch):
    plain = require_toolchain()
    monkeypatch.setenv("S2SAD_SANITIZE", "address, undefined")
    checked = require_toolchain()
    assert "-fsanitize=address,undefined" in checked.flags
    assert checked.digest() != plain.digest()
    monkeypatch.setenv("S2SAD_SANITIZE", "adress")
    assert "did you mean address?" in refused("E0404", find_toolchain)


# ---- what it makes


def test_a_library_computes(tmp_path):
    header = tmp_path / "include"
    header.mkdir()
    source(header, "#define OFFSET 5\n", "offset.h")
    first = source(tmp_path, f'#include "offset.h"\n{API} int f(int x) {{ return x + OFFSET; }}\n')
    second = source(tmp_path, ADD, "second.c")
    output = tmp_path / f"out{SUFFIX}"
    compile_library([first, second], output, includes=[header])
    library = load_library(output)
    assert (library.f(3), library.add(3, 4)) == (8, 7)


def test_products_are_rounded_in_kernels_and_not_in_units_that_sum(tmp_path):
    text = f"{API} float f(float a, float b, float c) {{ return a * b + c; }}\n"
    path = source(tmp_path, text)
    found = {}
    for flag in (EXACT, CONTRACTING):
        output = tmp_path / f"out{flag}{SUFFIX}"
        compile_library([path], output, flags=[flag])
        function = load_library(output).f
        function.argtypes, function.restype = [ctypes.c_float] * 3, ctypes.c_float
        found[flag] = function(1 + 2**-12, 1 + 2**-12, -(1 + 2**-11))
    assert found[EXACT] == 0.0  # 2**-24 is lost when the product is rounded
    assert found[CONTRACTING] in (0.0, 2**-24)  # the latter where the processor has FMA


def test_signed_integers_wrap(tmp_path):
    text = f"{API} int f(int x) {{ return x + 1 > x; }}\n"
    compile_library([source(tmp_path, text)], tmp_path / f"out{SUFFIX}")
    assert load_library(tmp_path / f"out{SUFFIX}").f(2**31 - 1) == 0


def test_a_source_with_a_fault_is_refused_and_kept(tmp_path):
    output = tmp_path / "made" / f"out{SUFFIX}"
    output.parent.mkdir()
    good = source(tmp_path, ADD)
    compile_library([good], output)
    before = output.read_bytes()
    bad = source(tmp_path, "int f(void) { return nothing; }\n", "bad.c")
    said = refused("E0904", compile_library, [bad], output)
    assert "nothing" in said.splitlines()[0]
    assert output.read_bytes() == before and list(output.parent.iterdir()) == [output]
    (kept,) = tmp_path.glob("s2sad-compile-*")
    assert str(kept) in said
    assert (kept / "bad.c").read_text() == bad.read_text()
    assert str(bad) in (kept / "command.txt").read_text()
    assert "nothing" in (kept / "output.txt").read_text()


def test_a_function_that_was_not_declared_is_a_fault(tmp_path):
    bad = source(tmp_path, "int f(void) { return nowhere(); }\n")
    assert "nowhere" in refused("E0904", compile_library, [bad], tmp_path / "out.so")


def test_a_compiler_that_takes_too_long_is_stopped(compiler, tmp_path, monkeypatch):
    found = require_toolchain()
    slow = replace(found, command=(str(compiler("slow", "sleep 60")),))
    path = source(tmp_path, ADD)
    said = refused(
        "E0904", compile_library, [path], tmp_path / "out.so", toolchain=slow, timeout=0.3
    )
    assert "took too long: it said nothing" in said
    assert not (tmp_path / "out.so").exists()


def test_a_compiler_that_is_gone_is_named(tmp_path):
    gone = replace(require_toolchain(), command=(str(tmp_path / "gone"),))
    path = source(tmp_path, ADD)
    said = refused("E0606", compile_library, [path], tmp_path / "out.so", toolchain=gone)
    assert "gone" in said


def test_a_library_may_use_what_a_later_one_has(tmp_path):
    text = f"int later(int);\n{API} int f(int x) {{ return later(x) + 1; }}\n"
    compile_library([source(tmp_path, text)], tmp_path / f"out{SUFFIX}")
    assert "later" in refused("E0904", load_library, tmp_path / f"out{SUFFIX}")
    text = f"{API} int later(int x) {{ return 2 * x; }}\n"
    compile_library([source(tmp_path, text)], tmp_path / f"later{SUFFIX}")
    load_library(tmp_path / f"later{SUFFIX}", mode=ctypes.RTLD_GLOBAL)
    assert load_library(tmp_path / f"out{SUFFIX}").f(4) == 9


def test_a_library_that_is_not_there_is_another_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_library(tmp_path / "none.so")
