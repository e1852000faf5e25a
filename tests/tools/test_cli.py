"""Do the commands of `s2sad` do what they say, and end with the right exit code?"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from s2sad import prims as p
from s2sad.ir.compare import difference
from s2sad.ir.reader import read_text
from tools.dumps import EFFECTS, RNN

ROOT = Path(__file__).parents[2]


def python(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "s2sad", *arguments]
    environment = {"cwd": ROOT, "text": True, "timeout": 60, "encoding": "utf-8"}
    return subprocess.run(command, capture_output=True, **environment, **options)  # type: ignore[call-overload]


def test_the_module_runs(tmp_path):
    path = tmp_path / "rnn.py"
    path.write_text(RNN, encoding="utf-8")
    done = python("run-ir", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("rnn.Net.construct: 6 operations, run by numpy\n")


def test_an_error_of_the_module_has_no_traceback(tmp_path):
    done = python("run-ir", str(tmp_path / "none.py"))
    assert done.returncode == 2
    assert done.stdout == "" and done.stderr.startswith("[E0604] ")


def test_output_may_be_cut_off(tmp_path):
    path = tmp_path / "rnn.py"
    path.write_text(RNN, encoding="utf-8")
    command = [sys.executable, "-W", "error", "-m", "s2sad", "print", str(path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 1


def test_version_is_that_of_the_project(capsys, s2sad):
    with pytest.raises(SystemExit) as leaving:
        s2sad("--version")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.*)"$', project, re.MULTILINE)
    assert version is not None and leaving.value.code == 0
    assert capsys.readouterr().out == f"s2sad {version[1]}\n"


@pytest.mark.parametrize(
    "arguments", [(), ("walk",), ("run-ir",), ("print", "x.py", "--style", "x")]
)
def test_a_command_that_does_not_exist_shows_the_usage(arguments, capsys, s2sad):
    with pytest.raises(SystemExit) as leaving:
        s2sad(*arguments)
    assert leaving.value.code == 2
    assert capsys.readouterr().err.startswith("usage: s2sad")


@pytest.mark.parametrize("style", ["flat", "source"])
@pytest.mark.parametrize("text", [RNN, EFFECTS], ids=["rnn", "effects"])
def test_print_gives_the_same_function(style, text, s2sad, dump):
    said = s2sad("print", dump(text), "--style", style)
    assert said.code == 0 and said.out.endswith("\n") and not said.out.endswith("\n\n")
    assert difference(read_text(said.out, p.ALL), read_text(text, p.ALL)) is None


def test_print_is_flat_unless_told_otherwise(s2sad, dump):
    flat = s2sad("print", dump(RNN), "--style", "flat").out
    assert s2sad("print", dump(RNN)).out == flat
    assert "while i < n:" in s2sad("print", dump(RNN), "--style", "source").out
    assert "while True:" in flat


def test_graph_counts_operations(s2sad, dump):
    said = s2sad("graph", dump(RNN))
    assert said.code == 0
    assert said.out == (
        "rnn.Net.construct\n"
        "  inputs         3\n"
        "  results        1\n"
        "  operations     6\n"
        "  regions        3\n"
        "  longest chain  2\n"
        "\n"
        "  operation  family      count\n"
        "  const      constant        2\n"
        "  add        arithmetic      1\n"
        "  less       comparison      1\n"
        "  matmul     linalg          1\n"
        "  while_     control         1\n"
    )


def test_graph_draws(s2sad, dump):
    said = s2sad("graph", dump(RNN), "--dot")
    assert said.code == 0
    assert said.out.startswith('digraph "construct" {\n') and said.out.endswith("}\n")
    assert said.out.count("{") == said.out.count("}") == 3


@pytest.mark.parametrize("command", ["print", "graph", "run-ir"])
def test_a_dump_is_verified(command, s2sad, dump):
    said = s2sad(command, dump(EFFECTS.replace("return said, pushed", "return token, pushed")))
    assert said.code == 2
    assert said.err.startswith("[E0902] ")
