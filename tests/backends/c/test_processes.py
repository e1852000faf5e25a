"""Do programs that are run end with what runs them, whatever happens?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from s2sad.backends.c.processes import cores, run, run_all

ROOT = Path(__file__).parents[3]

#: Notes its own id and that of a child, and waits for the child.
PARENT = "echo $$ > {0}.new; sleep 60 & echo $! >> {0}.new; mv {0}.new {0}; wait"


def shell(text):
    return ["/bin/sh", "-c", text]


def noted(path):
    """Ids that `PARENT` wrote, as soon as they are there."""
    for _ in range(1000):
        if path.exists():
            return [int(word) for word in path.read_text().split()]
        time.sleep(0.01)
    raise AssertionError("it never began")


def lives(process):
    """Whether there is such a process; a zombie is none."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def require_gone(processes):
    for _ in range(1000):
        if not any(map(lives, processes)):
            return
        time.sleep(0.01)
    raise AssertionError(f"some of {processes} live on")


def test_what_it_writes_and_how_it_ends():
    finished = run(shell("echo one; echo two >&2; exit 3"), timeout=60)
    assert (finished.code, finished.text) == (3, "one\ntwo\n")
    assert finished.command == ("/bin/sh", "-c", "echo one; echo two >&2; exit 3")
    assert run(shell("cat; printf '\\377'"), timeout=60).text == "\ufffd"


def test_no_shell_sees_the_arguments():
    program = "import sys; print(sys.argv[1])"
    assert run([sys.executable, "-c", program, "$HOME; `x`"], timeout=60).text == "$HOME; `x`\n"


def test_what_is_not_there_cannot_be_run(tmp_path):
    with pytest.raises(FileNotFoundError):
        run([str(tmp_path / "none")], timeout=60)


def test_what_takes_too_long_goes_with_all_that_it_started(tmp_path):
    start = time.monotonic()
    finished = run(shell(PARENT.format(tmp_path / "ids")), timeout=0.5)
    assert finished.code is None and time.monotonic() - start < 30
    require_gone(noted(tmp_path / "ids"))


def test_results_stand_in_order_and_are_told_as_they_come():
    told = []
    commands = [shell("sleep 0.3; echo a"), shell("echo b"), shell("echo c; exit 1")]
    found = run_all(commands, timeout=60, jobs=3, done=lambda each: told.append(each.text))
    assert [(each.text, each.code) for each in found] == [("a\n", 0), ("b\n", 0), ("c\n", 1)]
    assert told[-1] == "a\n" and len(told) == 3
    assert run_all([], timeout=60) == []


def test_no_more_run_at_once_than_are_allowed(tmp_path):
    """Each counts itself in and out; at no time are there more than two."""
    text = f"cd {tmp_path}; touch in.$$; ls | wc -l; sleep 0.1; rm in.$$"
    found = run_all([shell(text)] * 6, timeout=60, jobs=2)
    assert all(each.code == 0 for each in found)
    assert max(int(each.text) for each in found) == 2


def test_when_one_fails_the_others_are_stopped(tmp_path):
    def fail(finished):
        raise ValueError(finished.text)

    slow = shell(PARENT.format(tmp_path / "ids"))
    quick = shell(f"while [ ! -e {tmp_path}/ids ]; do sleep 0.05; done; echo quick")
    with pytest.raises(ValueError, match="quick"):
        run_all([slow, quick], timeout=60, jobs=2, done=fail)
    require_gone(noted(tmp_path / "ids"))


INTERRUPTED = """
import sys
from s2sad.backends.c.processes import run
run(["/bin/sh", "-c", sys.argv[1]], timeout=60)
"""


def test_nothing_is_left_after_an_interrupt(tmp_path):
    command = [sys.executable, "-c", INTERRUPTED, PARENT.format(tmp_path / "ids")]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        ids = noted(tmp_path / "ids")
        assert all(map(lives, ids))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    require_gone(ids)


def test_cores_are_those_that_may_be_used():
    assert 1 <= cores() <= (os.cpu_count() or 1)
