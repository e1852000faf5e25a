"""What do the scripts of this folder print where MindSpore itself runs them?

    PYTHON tests/compat/record.py > tests/compat/mindspore-2.10.log

with the interpreter of an environment that has MindSpore. The log has the first losses of each
script in both modes, for `test_scripts.py`.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import mindspore  # pyright: ignore[reportMissingImports]
import numpy as np

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))
#: Losses of each script.
FIRST = 10


def main() -> None:
    print(f"MindSpore {mindspore.__version__}, NumPy {np.__version__}, "
          f"Python {platform.python_version()}, {platform.machine()}, CPU")  # fmt: skip
    for script in SCRIPTS:
        for mode in ("GRAPH", "PYNATIVE"):
            command = [sys.executable, str(script), "--mode", mode]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            lines = [line for line in done.stdout.splitlines() if line.startswith("loss: ")]
            print(f"\n{script.stem} {mode}", *lines[:FIRST], sep="\n", flush=True)


if __name__ == "__main__":
    main()
