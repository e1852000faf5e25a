"""Does any sanitizer have anything to say about the C that we make, and about the runtime?

In a process of its own each, for a report ends it. The usual run has UBSan look at a fixed sample
of programs; what takes longer is slow: AddressSanitizer, which must be loaded before Python, and
the runtime, which has to be compiled again for that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from s2sad.backends.c.toolchain import require_toolchain

ROOT = Path(__file__).parents[3]
#: Found by the dynamic linker alone, where nothing is preloaded.
LIBRARIES = {"address": "libasan.so", "undefined": "libubsan.so"}


def said_by(*arguments: str, **environment: str) -> tuple[int, str]:
    """How a run under sanitizers ends, and what it says."""
    paths = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    finished = subprocess.run(
        [sys.executable, "-m", "support.sanitized", *arguments],
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "2", **environment},
        cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip
    return finished.returncode, finished.stdout + finished.stderr


def preloaded() -> dict[str, str]:
    """What has the libraries of the sanitizers loaded first."""
    (compiler, *_) = require_toolchain().command
    names = [
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in LIBRARIES.values()
    ]  # fmt: skip
    return {"LD_PRELOAD": ":".join(names), "ASAN_OPTIONS": "detect_leaks=0"}


def require_silence(outcome: tuple[int, str]) -> None:
    code, said = outcome
    assert code == 0 and "ran" in said, said[-4000:]
    assert "runtime error" not in said and "Sanitizer" not in said, said[-4000:]


@pytest.mark.parametrize("what", [("functions", "0", "30"), ("specs", "0", "20")], ids=str)
def test_a_sample_of_programs(what):
    require_silence(said_by("--programs", "undefined", *what))


def test_a_fault_would_be_seen():
    code, said = said_by("--programs", "undefined", "fault", "0", "1")
    assert code != 0 and "runtime error: shift exponent" in said


@pytest.mark.slow
@pytest.mark.parametrize("what", ["functions", "users"])
def test_programs_of_chance(what):
    require_silence(said_by("--programs", "address,undefined", what, "0", "200", **preloaded()))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_specs_with_the_runtime(part):
    require_silence(
        said_by("specs", str(part), "4", S2SAD_SANITIZE="address,undefined", **preloaded())
    )


@pytest.mark.slow
@pytest.mark.parametrize("what", ["functions", "users"])
def test_programs_of_chance_with_the_runtime(what):
    require_silence(said_by(what, "0", "100", S2SAD_SANITIZE="address,undefined", **preloaded()))
