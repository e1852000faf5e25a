"""Is a file the old one or the new one, whenever a process is killed, and whoever else writes?

The programs below fork, so each runs in an interpreter of its own that has no other threads.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: A child saves again and again, numbers that rise, until it is killed at any moment.
KILLED = """
import os, random, signal, sys, time
import numpy as np
import s2sad as ms

path, count, format = sys.argv[1], int(sys.argv[2]), sys.argv[3]
chance = random.Random(count)
folder = os.path.dirname(path)

def state(number):
    one = ms.Tensor(np.full(200_000, number, np.int32))
    return {"a": one, "b": ms.Tensor(np.full((100, 70), float(number)))}

def number_of(found):
    (number,) = {*np.unique(found["a"].asnumpy()), *np.unique(found["b"].asnumpy())}
    return int(number)

def save(number):
    ms.save_checkpoint(state(number), path, format=format, crc_check=True)

save(0)
last, left_behind = 0, 0
for kill in range(count):
    begun, told = os.pipe()
    child = os.fork()
    if not child:
        os.close(begun)
        for number in range(last + 1, last + 1000):
            os.write(told, number.to_bytes(4, "big"))
            save(number)
        os._exit(1)
    os.close(told)
    os.read(begun, 4)
    time.sleep(chance.random() * 0.02)
    os.kill(child, signal.SIGKILL)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    rest = b""
    while more := os.read(begun, 4096):
        rest += more
    os.close(begun)
    announced = last + 1 + len(rest) // 4
    found = number_of(ms.load_checkpoint(path, format=format))
    # All saves before the one that was begun last had come to their end.
    assert announced - 1 <= found <= announced, (announced, found)
    left_behind += len(os.listdir(folder)) - 1
    last = found
save(last)
assert os.listdir(folder) == [os.path.basename(path)], os.listdir(folder)
print(last, left_behind)
"""

#: Several processes save to one name while another reads it.
TOGETHER = """
import os, sys
import numpy as np
import s2sad as ms

path, count = sys.argv[1], int(sys.argv[2])

def save(number):
    array = np.full(100_000, number, np.int32)
    ms.save_checkpoint({"a": ms.Tensor(array), "b": ms.Tensor(array)}, path)

save(0)
children = []
for number in (1, 2):
    child = os.fork()
    if not child:
        for _ in range(count):
            save(number)
        os._exit(0)
    children.append(child)
seen = set()
while children:
    done, status = os.waitpid(-1, os.WNOHANG)
    if done:
        assert status == 0, status
        children.remove(done)
    found = ms.load_checkpoint(path)
    (number,) = {int(x) for name in "ab" for x in np.unique(found[name].asnumpy())}
    seen.add(number)
assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
print(sorted(seen - {0}))
"""


def run(program, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split(maxsplit=1)


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_killed_save_leaves_the_old_file_or_the_new_one(tmp_path, format):
    saves, left_behind = run(KILLED, tmp_path / f"a.{format}", 20, format)
    assert int(saves) > 0 and int(left_behind) > 0  # some were killed while they wrote


@pytest.mark.slow
@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_many_killed_saves(tmp_path, format):
    saves, left_behind = run(KILLED, tmp_path / f"a.{format}", 1000, format)
    assert int(saves) > 100 and int(left_behind) > 100


@pytest.mark.parametrize("count", [40, pytest.param(2000, marks=pytest.mark.slow)])
def test_two_processes_save_to_one_name(tmp_path, count):
    assert run(TOGETHER, tmp_path / "a.ckpt", count)
