"""A package that pip installs adds its pass and its rule to every compilation."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).parent / "plugin_sample"

PROGRAM = """
import s2sad as ms
from s2sad import nn, ops

class Net(nn.Cell):
    def construct(self, x):
        return ops.relu(ops.abs(x)) * 2.0

stages = ms.compile(Net()).lower("f32[3]")
print([name for name, _ in stages.functions])
print([op.prim.name for op in stages["dce"].walk()])
print({op.scope for op in stages["primal"].walk()}, {op.scope for op in stages["dce"].walk()})
"""


def run_program(script: Path, *folders: Path) -> list[str]:
    script.write_text(PROGRAM, encoding="utf-8")
    paths = os.pathsep.join([*map(str, folders), *sys.path])
    command = [sys.executable, str(script)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_what_is_installed_takes_part_in_every_compilation(tmp_path):
    texts = [file.read_text("utf-8") for file in SAMPLE.glob("*.*")]
    assert sum(bool(line.strip()) for text in texts for line in text.splitlines()) <= 30
    before = run_program(tmp_path / "net.py")
    assert "forget-scopes" not in before[0] and "relu" in before[1]
    source = shutil.copytree(SAMPLE, tmp_path / "source")  # building leaves files beside it
    command = [
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--no-build-isolation", "--no-index", "--target", tmp_path / "site", source,
    ]  # fmt: skip
    subprocess.run(command, check=True, timeout=120, cwd=tmp_path)
    stages, operations, scopes = run_program(tmp_path / "net.py", tmp_path / "site")
    names = [name[3:] for name in ast.literal_eval(stages)]
    assert names[names.index("cse") + 1] == "forget-scopes"
    assert "abs" in operations and "relu" not in operations
    assert scopes == "{'Net'} {''}"
