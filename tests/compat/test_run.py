"""Does `s2sad run` leave a process as ``python script.py`` would?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Programs that use nothing of MindSpore, so that Python itself runs them as well.
PROGRAMS = {
    "what it is given": """
        import sys
        print(sys.argv[1:], __name__, __spec__, __package__, __doc__, sys.path[0])
        print(__file__, type(__loader__).__name__, __builtins__.__name__)
        import __main__
        print(__main__.__dict__ is globals(), sorted(vars()))
    """,
    "a docstring": '''
        """What it is for."""
        print(__doc__)
    ''',
    "a class of its own": """
        import inspect, pickle
        class Pair:
            def __init__(self, a): self.a = a
        print(pickle.loads(pickle.dumps(Pair(3))).a, Pair.__module__)
        print(inspect.getsource(Pair))
    """,
    "a code": "import sys; sys.exit(7)",
    "a text": "import sys; sys.exit('it is over')",
    "no code": "raise SystemExit",
    "an exception": """
        def inner():
            raise ValueError("as it was")
        try:
            inner()
        except ValueError as error:
            raise RuntimeError("after it") from error
    """,
    "an error of syntax": "x = (1,\\ny = 2",
    "a hook": """
        import sys
        sys.excepthook = lambda kind, error, trace: print("hook", kind, trace.tb_lineno)
        1 / 0
    """,
    "the end": """
        import atexit, threading, time
        atexit.register(lambda: print("at the end", name))
        name = "still there"
        threading.Thread(target=lambda: (time.sleep(0.1), print("thread", name))).start()
        raise KeyError("x")
    """,
    "closed output": "import sys; sys.stdout.close()",
    "neighbours": "import beside; print(beside.VALUE, beside.__file__)",
    "hidden words": "import sys; print(sys.argv)",
    "an interrupt": "raise KeyboardInterrupt",
    "no such module": """
        try:
            import mindsporeish
        except ModuleNotFoundError as error:
            print(error, error.name)
    """,
}


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, encoding="utf-8", cwd=folder,
        env=environment, timeout=60,
    )  # fmt: skip


def write(folder: Path, text: str) -> None:
    lines = text.replace("\\n", "\n").strip("\n").splitlines()
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    text = "\n".join(line[depth:] for line in lines) + "\n"
    (folder / "program.py").write_text(text, encoding="utf-8")
    (folder / "beside.py").write_text("VALUE = 5\n", encoding="utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_with_python(name, tmp_path):
    write(tmp_path, PROGRAMS[name])
    arguments = ("program.py", "-h", "--", "a b", "--version")
    expected = run(*arguments, folder=tmp_path)
    found = run("-m", "s2sad", "run", *arguments, folder=tmp_path)
    assert found.stdout == expected.stdout
    assert found.stderr == expected.stderr
    assert found.returncode == expected.returncode


def test_a_program_elsewhere(tmp_path):
    (tmp_path / "below").mkdir()
    write(tmp_path / "below", "import beside, sys; print(beside.VALUE, sys.argv[0], sys.path[0])")
    expected = run("below/program.py", folder=tmp_path)
    found = run("-m", "s2sad", "run", "below/program.py", folder=tmp_path)
    assert (found.returncode, found.stdout, found.stderr) == (0, expected.stdout, "")


def test_no_program(tmp_path):
    found = run("-m", "s2sad", "run", "program.py", folder=tmp_path)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("[E0604] there is no file program.py")


def test_an_interrupted_program_dies_by_the_signal(tmp_path):
    write(tmp_path, "raise KeyboardInterrupt")
    found = run("-m", "s2sad", "run", "program.py", folder=tmp_path)
    assert found.returncode == -signal.SIGINT


def test_the_error_of_a_program_keeps_its_traceback(tmp_path):
    write(
        tmp_path,
        """
        import mindspore as ms
        def reduced(x):
            return ms.ops.sum(x, 5)
        reduced(ms.Tensor([1.0]))
        """,
    )
    found = run("-m", "s2sad", "run", "program.py", folder=tmp_path)
    assert found.returncode == 1
    lines = found.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{tmp_path / "program.py"}", line 4, in <module>'
    assert "[E0" in found.stderr and "program.py:3:" in found.stderr


def test_s2sad_comes_before_mindspore(tmp_path):
    (tmp_path / "mindspore").mkdir()
    (tmp_path / "mindspore" / "__init__.py").write_text("VALUE = 1\n", encoding="utf-8")
    (tmp_path / "mindspore" / "lite.py").write_text("VALUE = 2\n", encoding="utf-8")
    write(
        tmp_path,
        """
        import mindspore, s2sad
        print(mindspore.Tensor is s2sad.Tensor, hasattr(mindspore, "VALUE"))
        try:
            import mindspore.lite
        except ImportError as error:
            print(error.code)
        """,
    )
    found = run("-m", "s2sad", "run", "program.py", folder=tmp_path)
    assert (found.stdout, found.stderr) == ("True False\nE0223\n", "")
