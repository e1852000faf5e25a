"""Does `import s2sad` stay light: quick, and without what only some programs need?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: Seconds of the importing thread (others may use the machine), NumPy's own import included.
BUDGET = 0.3

#: Top-level packages and modules that are imported on first need, or never.
LAZY = {
    "IPython",
    "astunparse",
    "gast",
    "hypothesis",
    "importlinter",
    "matplotlib",
    "networkx",
    "pytest",
    "rich",
    "s2sad.autodiff",
    "s2sad.backends",
    "s2sad.compiled",
    "s2sad.compiler",
    "s2sad.frontend",
    "s2sad.loaded",
    "s2sad.passes",
    "s2sad.tools",
    "scipy",
    "sklearn",
    "tqdm",
    "unittest",
    "ziglang",
}

IMPORT = """
import time
start = time.thread_time()
import s2sad
print(time.thread_time() - start)
"""

MODULES = """
import sys
before = set(sys.modules)
import s2sad
print("\\n".join(set(sys.modules) - before))
"""


@pytest.fixture(scope="module")
def bytecode(tmp_path_factory):
    """Environment in which modules are compiled once, as they are for users."""
    kept = {key: x for key, x in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("bytecode"))}


def fresh_python(program: str, environment: dict[str, str]) -> str:
    """What `program` prints in an interpreter of its own, started at the root of the checkout."""
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_quick(bytecode):
    fresh_python(IMPORT, bytecode)  # compiles, and fills the file system's cache
    # The least of several: what else the machine does only adds, and is no property of the package.
    seconds = min(float(fresh_python(IMPORT, bytecode)) for _ in range(5))
    assert seconds <= BUDGET, f"import s2sad takes {seconds:.3f} s; `python -X importtime` says why"


def test_import_leaves_out_what_few_need(bytecode):
    imported = fresh_python(MODULES, bytecode).split()
    assert "s2sad" in imported and "numpy" in imported
    assert [name for name in imported if belongs(name) in LAZY] == []


def belongs(module: str) -> str:
    """The part of the dotted name that LAZY speaks of."""
    return ".".join(module.split(".")[: 2 if module.startswith("s2sad.") else 1])
