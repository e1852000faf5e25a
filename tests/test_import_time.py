"""Does `import s2sad` stay light: quick, and without what only some programs need?"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

#: Seconds, NumPy's own import included.
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
    "s2sad.compiler",
    "s2sad.frontend",
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
start = time.perf_counter()
import s2sad
print(time.perf_counter() - start)
"""

MODULES = """
import sys
before = set(sys.modules)
import s2sad
print("\\n".join(set(sys.modules) - before))
"""


def fresh_python(program: str) -> str:
    """What `program` prints in an interpreter of its own, started at the root of the checkout."""
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_quick():
    fresh_python(IMPORT)  # compiles to bytecode and fills the file system's cache
    seconds = statistics.median(float(fresh_python(IMPORT)) for _ in range(5))
    assert seconds <= BUDGET, f"import s2sad takes {seconds:.3f} s; `python -X importtime` says why"


def test_import_leaves_out_what_few_need():
    imported = fresh_python(MODULES).split()
    assert "s2sad" in imported and "numpy" in imported
    assert [name for name in imported if belongs(name) in LAZY] == []


def belongs(module: str) -> str:
    """The part of the dotted name that LAZY speaks of."""
    return ".".join(module.split(".")[: 2 if module.startswith("s2sad.") else 1])
