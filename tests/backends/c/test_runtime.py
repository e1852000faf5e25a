"""Is the runtime built once, of what it consists of now, and found by every process?"""

from __future__ import annotations

import ctypes
import logging
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from s2sad.backends.c import processes, runtime
from s2sad.backends.c.libraries import SUFFIX, load_library
from s2sad.backends.c.runtime import is_built, library, load, runtime_digest
from s2sad.backends.c.toolchain import compile_library, require_toolchain
from s2sad.core.cache import Cache, cache
from s2sad.core.diagnostics import S2sadError

ROOT = Path(__file__).parents[3]
API = '__attribute__((visibility("default")))'


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("S2SAD_CACHE", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


@pytest.fixture
def sources(tmp_path):
    """Three units, each with a function of its own name."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "api.h").write_text(f"#define API {API}\n")
    for number, name in enumerate(("first", "gemm", "third")):
        text = f'#include "api.h"\nAPI int t_{name}(int x);\nint t_{name}(int x)\n'
        (folder / f"{name}.c").write_text(text + f"{{ return x + {number}; }}\n")
    return folder


def test_it_is_built_once(sources, caplog):
    found = require_toolchain()
    assert not is_built(found, sources)
    with caplog.at_level(logging.INFO, "s2sad"):
        built = load(found, sources)
        assert (built.t_first(5), built.t_gemm(5), built.t_third(5)) == (5, 6, 7)
        assert is_built(found, sources)
        load(found, sources)
    (record,) = caplog.records
    assert record.getMessage().startswith("building the runtime, once: ")
    path = library(found, sources)
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, "sha256sums"]


def test_a_program_finds_its_functions(sources, tmp_path):
    load(require_toolchain(), sources)
    program = tmp_path / "program.c"
    program.write_text(f"int t_third(int);\n{API} int run(int x) {{ return t_third(x) * 10; }}\n")
    compile_library([program], tmp_path / f"program{SUFFIX}")
    assert load_library(tmp_path / f"program{SUFFIX}").run(1) == 30


def test_its_digest_depends_on_all_that_it_is_made_of(sources):
    found = require_toolchain()
    digests = {runtime_digest(found, sources)}
    assert runtime_digest(found, sources) in digests
    for file in sorted(sources.iterdir()):
        file.write_text(file.read_text() + "\n")
        digests.add(runtime_digest(found, sources))
    (sources / "first.c").rename(sources / "conv.c")  # with other flags
    digests.add(runtime_digest(found, sources))
    digests.add(runtime_digest(replace(found, flags=(*found.flags, "-g")), sources))
    assert len(digests) == 7


def test_units_get_their_flags(sources, monkeypatch):
    ran = []
    real = processes.run_all
    monkeypatch.setattr(
        processes,
        "run_all",
        lambda commands, **x: ran.extend(commands) or real(commands, **x),
    )
    library(require_toolchain(), sources)
    flags = {Path(command[-3]).stem: command[-6:-4] for command in ran[:3]}
    assert {name: found[0] for name, found in flags.items()} == {
        "first": "-ffp-contract=off", "gemm": "-ffp-contract=fast", "third": "-ffp-contract=off",
    }  # fmt: skip


def test_a_unit_with_a_fault_is_named_and_nothing_is_kept(sources, tmp_path):
    (sources / "gemm.c").write_text("int broken(void) { return nothing; }\n")
    with pytest.raises(S2sadError) as caught:
        library(require_toolchain(), sources)
    assert caught.value.code == "E0904" and "gemm.c:1" in str(caught.value)
    (kept,) = tmp_path.glob("s2sad-compile-*")
    assert (kept / "gemm.c").exists()
    assert "runtime" not in [entry.kind for entry in cache().entries()]
    assert sorted(cache().folder.rglob(".*")) == []


def test_a_damaged_one_is_built_again(sources):
    found = require_toolchain()
    path = library(found, sources)
    whole = path.stat().st_size
    path.write_bytes(b"\0" * 10)
    assert not is_built(found, sources)
    assert library(found, sources) == path and path.stat().st_size == whole


def test_one_that_goes_before_it_is_loaded_is_built_again(sources, monkeypatch):
    found = require_toolchain()
    real = runtime.library
    gone = []

    def library_that_goes(*arguments):
        path = real(*arguments)
        if not gone:
            cache().clear()
            gone.append(path)
        return path

    monkeypatch.setattr(runtime, "library", library_that_goes)
    assert load(found, sources).t_third(1) == 3
    assert gone == [real(found, sources)] and is_built(found, sources)


PROCESS = """
import sys
from pathlib import Path
from s2sad.backends.c.runtime import load
from s2sad.backends.c.toolchain import require_toolchain
print(load(require_toolchain(), Path(sys.argv[1])).t_third(40))
"""


def test_several_processes_may_build_it_at_once(sources, tmp_path):
    command = [sys.executable, "-c", PROCESS, str(sources)]
    running = [
        subprocess.Popen(
            command, cwd=ROOT, env=dict(os.environ), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]  # fmt: skip
    said = [(*process.communicate(timeout=120), process.returncode) for process in running]
    assert said == [("42\n", "", 0)] * 3
    kinds = [entry.kind for entry in Cache(tmp_path / "cache").entries()]
    assert sorted(kinds) == ["runtime", "toolchain"]


def test_there_is_one_a_process(monkeypatch):
    monkeypatch.setattr(runtime, "_loaded", [])
    made = []
    monkeypatch.setattr(runtime, "load", lambda *x: made.append(x) or ctypes.CDLL(None))
    assert runtime.load_runtime() is runtime.load_runtime()
    ((found, folder),) = made
    assert found == require_toolchain() and (folder / "s2sad.h").exists()
