"""Does `s2sad doctor` see what is there, and what is broken?"""

from __future__ import annotations

import importlib.util
import platform

import numpy as np
import pytest

from s2sad.backends.c import toolchain
from s2sad.tools import doctor as doctors


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    for name in ("S2SAD_CC", "CC", "S2SAD_SANITIZE", "S2SAD_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "cache"))
    toolchain._find.cache_clear()
    yield
    toolchain._find.cache_clear()


def found(out):
    """What stands in the second column, by the first."""
    return dict(line.split(None, 1) for line in out.splitlines() if line.startswith("  "))


def notes(out):
    return [line for line in out.splitlines() if not line.startswith("  ")]


def test_all_is_well(s2sad, tmp_path):
    code, out, err = s2sad("doctor")
    assert (code, err) == (0, "")
    rows = found(out)
    assert rows["Python"].startswith(f"{platform.python_version()}, ")
    assert rows["NumPy"] == np.__version__
    assert rows["processor"].startswith(platform.machine())
    assert rows["threads"].endswith("processors may be used")
    assert rows["cache"].startswith(f"{tmp_path / 'cache'}, ")
    assert "(by PATH): " in rows["compiler"] and "-O3" in rows["flags"]
    assert rows["library"].startswith("a small one compiles and runs in ")
    assert rows["runtime"].startswith("not built yet")
    assert notes(out) == ["nothing is broken"]


def test_a_runtime_that_was_built_is_seen(s2sad, monkeypatch):
    monkeypatch.setattr(doctors.runtime, "is_built", lambda toolchain: True)
    assert found(s2sad("doctor").out)["runtime"] == "built"


def test_a_compiler_that_is_named_and_not_there(s2sad, monkeypatch):
    monkeypatch.setenv("S2SAD_CC", "no-such-compiler")
    code, out, _ = s2sad("doctor")
    assert code == 1
    text = "S2SAD_CC=no-such-compiler is no C compiler that works; there is no program"
    assert found(out)["compiler"] == f"{text} no-such-compiler"
    (note,) = notes(out)
    assert note.startswith("broken: compiler: name another one, or unset S2SAD_CC")


def test_a_compiler_that_no_longer_works(s2sad, monkeypatch):
    toolchain.require_toolchain()  # when it was found it worked
    monkeypatch.setattr(toolchain, "try_library", lambda found: "a.c:1: warning\nno space left\n")
    code, out, _ = s2sad("doctor")
    assert code == 1 and found(out)["library"] == "no space left"
    assert notes(out)[0].startswith("broken: library: mend the compiler")


def without_zig(monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *x: None if name == "ziglang" else real(name, *x)
    )


def test_no_compiler_is_no_fault(s2sad, monkeypatch, tmp_path):
    without_zig(monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, _ = s2sad("doctor")
    assert code == 0 and found(out)["compiler"] == "none: programs run on NumPy, slower"
    assert notes(out)[0] == "note: compiler: install one, or pip install 's2sad[cc]'"


def test_compilers_that_do_not_work_are_a_fault(s2sad, monkeypatch, tmp_path):
    without_zig(monkeypatch)
    path = tmp_path / "cc"
    path.write_text("#!/bin/sh\necho no licence\nexit 1\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    code, out, _ = s2sad("doctor")
    assert code == 1 and found(out)["compiler"] == f"{path}: no licence"


def test_a_cache_that_cannot_be_used(s2sad, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    code, out, _ = s2sad("doctor")
    assert code == 1 and "others may write in it" in found(out)["cache"]
    assert "compiler" not in found(out)
    assert notes(out)[0].startswith("broken: cache: let S2SAD_CACHE_DIR name")


def test_a_cache_that_is_off(s2sad, monkeypatch):
    monkeypatch.setenv("S2SAD_CACHE", "0")
    code, out, _ = s2sad("doctor")
    assert code == 0 and found(out)["cache"] == "off (S2SAD_CACHE=0)"


def test_packages_that_are_missing(s2sad, monkeypatch):
    real = doctors.installed
    monkeypatch.setattr(doctors, "installed", lambda name: "" if name[0] in "rg" else real(name))
    code, out, _ = s2sad("doctor")
    assert code == 1
    assert found(out)["rich"] == "not installed: pip install 's2sad[cli]'"
    assert found(out)["gast"] == "not installed"
    assert notes(out) == ["broken: gast: pip install gast"]
