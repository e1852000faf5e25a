"""Does the pool of threads run every part once, whoever calls it, and from wherever?"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from support.c_units import RUNTIME, load

THREADS = RUNTIME / "threads.c"
SANITIZERS = ("address,undefined", "thread")

TASKS = r"""
#include "s2sad.h"
#include <stdatomic.h>

typedef struct {
    int64_t extent, grain, *values;
    _Atomic int64_t parts, smallest;
    int64_t fail_from; /* parts that begin here or later fail, with where they begin and one more */
} job;

static int add_one(void *data, int64_t begin, int64_t end)
{
    job *j = data;
    for (int64_t i = begin; i < end; i++)
        j->values[i]++;
    atomic_fetch_add(&j->parts, 1);
    int64_t size = end - begin, least = atomic_load(&j->smallest);
    while (size < least && !atomic_compare_exchange_weak(&j->smallest, &least, size))
        ;
    return begin >= j->fail_from ? (int)begin + 1 : 0;
}

/* `parts` are how many there were, and the smallest of them. */
S2_API int add_ones(
    int64_t *values, int64_t extent, int64_t grain, int64_t fail_from, int64_t *parts)
{
    job j = {extent, grain, values, 0, INT64_MAX, fail_from};
    int failed = s2_parallel_for(extent, grain, add_one, &j);
    parts[0] = j.parts, parts[1] = j.smallest;
    return failed;
}

static int nested(void *data, int64_t begin, int64_t end)
{
    job *j = data;
    for (int64_t i = begin; i < end; i++) {
        job inner = {j->grain, 1, j->values + i * j->grain, 0, INT64_MAX, INT64_MAX};
        int64_t *scratch = s2_workspace(S2_SORT, 4096);
        scratch[0] = i;
        if (s2_parallel_for(inner.extent, 1, add_one, &inner) || scratch[0] != i)
            return 1;
    }
    return 0;
}

S2_API int add_ones_nested(int64_t *values, int64_t outer, int64_t inner)
{
    job j = {outer, inner, values, 0, INT64_MAX, INT64_MAX};
    return s2_parallel_for(outer, 1, nested, &j);
}
"""

PROGRAM = (
    TASKS
    + r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXTENT = 1000, CALLERS = 4 };

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        exit(1);
    }
}

static void rest(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

static void *call(void *argument)
{
    int64_t values[EXTENT] = {0}, parts[2];
    int rounds = *(int *)argument;
    for (int round = 1; round <= rounds; round++) {
        require(add_ones(values, EXTENT, 10, INT64_MAX, parts) == 0, "no part fails");
        require(add_ones_nested(values, 50, 20) == 0, "no nested part fails");
        int failed = add_ones(values, EXTENT, 10, 500, parts);
        require(failed > 500 || s2_threads() == 1, "a part fails where there are several");
        for (int i = 0; i < 500; i++)
            require(values[i] == 3 * round, "every part ran once");
        if (round % 64 == 0)
            rest(200000); /* so that workers fall asleep */
        int64_t *space = s2_workspace(S2_LINE, (size_t)round * 100);
        require((uintptr_t)space % 64 == 0, "memory is aligned");
        space[round * 100 / 8] = round;
    }
    return NULL;
}

static void compute(int rounds)
{
    pthread_t callers[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        pthread_create(&callers[i], NULL, call, &rounds);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
}

int main(int count, char **arguments)
{
    for (int threads = 1; threads <= 5; threads += 2) {
        s2_set_threads(threads);
        compute(200);
    }
    s2_set_threads(2);
    compute(100);
    bool forks = count > 1 && arguments[1][0] == 'f';
    for (int i = 0; forks && i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            compute(20);
            _exit(0);
        }
        compute(20);
        int status = 1;
        waitpid(child, &status, 0);
        require(status == 0, "a child computes too");
    }
    return 0;
}
"""
)


@pytest.fixture(scope="module")
def library():
    found = load("threads", ("threads",), TASKS)
    found.s2_set_threads(3)
    return found


class Values:
    """Numbers that tasks of C add to."""

    def __init__(self, library, extent: int) -> None:
        self.library, self.extent = library, extent
        self.array = (ctypes.c_int64 * max(extent, 1))()
        self.parts = (ctypes.c_int64 * 2)()

    def add_ones(self, grain: int = 1, fail_from: int = 2**62) -> int:
        c = ctypes.c_int64
        return self.library.add_ones(self.array, c(self.extent), c(grain), c(fail_from), self.parts)

    def list(self) -> list[int]:
        return list(self.array)[: self.extent]


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("extent", [1, 2, 3, 7, 100, 4099])
@pytest.mark.parametrize("grain", [0, 1, 3, 64, 10**6])
def test_every_element_is_in_one_part(library, threads, extent, grain):
    library.s2_set_threads(threads)
    values = Values(library, extent)
    for count in range(1, 6):
        assert values.add_ones(grain) == 0
        assert values.list() == [count] * extent
        assert values.parts[1] >= min(extent, grain)
    most = 1 if threads == 1 else max(1, extent // max(grain, 1))
    assert values.parts[0] <= most


def test_how_it_is_cut_depends_on_sizes_only(library):
    library.s2_set_threads(3)
    values, alone = Values(library, 500), []
    for _ in range(20):
        values.add_ones(10)
        alone.append(tuple(values.parts))
    crowd = [threading.Thread(target=_repeat, args=(library, 200)) for _ in range(3)]
    for thread in crowd:
        thread.start()
    for _ in range(200):
        values.add_ones(10)
        alone.append(tuple(values.parts))
    for thread in crowd:
        thread.join()
    assert len(set(alone)) == 1


def _repeat(library, rounds: int) -> None:
    values = Values(library, 500)
    for round_ in range(1, rounds + 1):
        assert values.add_ones(10) == 0
        assert values.list() == [round_] * 500


def test_many_threads_of_python_call_at_once(library):
    library.s2_set_threads(4)
    failures = []
    hook, threading.excepthook = threading.excepthook, lambda args: failures.append(args)
    try:
        threads = [threading.Thread(target=_repeat, args=(library, 300)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        threading.excepthook = hook
    assert failures == []


@pytest.mark.parametrize("extent", [0, -1])
def test_an_empty_extent_calls_nobody(library, extent):
    parts = (ctypes.c_int64 * 2)()
    c = ctypes.c_int64
    assert library.add_ones(None, c(extent), c(1), c(0), parts) == 0
    assert parts[0] == 0


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("fail_from", [0, 1, 500, 999])
def test_the_first_failure_is_given(library, threads, fail_from):
    library.s2_set_threads(threads)
    values = Values(library, 1000)
    starts = {values.add_ones(10, fail_from) for _ in range(50)}
    assert len(starts) == 1
    (start,) = starts
    assert start == 0 or start > fail_from
    assert (start == 0) == (fail_from > 0 and threads == 1 or fail_from == 999)
    assert values.list()[: max(start - 1, 0)] == [50] * max(start - 1, 0)


def test_from_inside_of_a_task_it_runs_there(library):
    library.s2_set_threads(4)
    values = (ctypes.c_int64 * 2000)()
    for _ in range(20):
        assert library.add_ones_nested(values, ctypes.c_int64(40), ctypes.c_int64(50)) == 0
    assert list(values) == [20] * 2000


@pytest.mark.parametrize(("count", "found"), [(1, 1), (7, 7), (0, 1), (-3, 1), (10**6, 512)])
def test_the_number_of_threads_is_held_in_bounds(library, count, found):
    library.s2_set_threads(count)
    assert library.s2_threads() == found
    library.s2_set_threads(3)


SCRIPT = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
print(library.s2_threads())
"""


@pytest.mark.parametrize(
    ("named", "found"), [("5", 5), ("0", None), ("many", None), ("", None), (None, None)]
)
def test_the_environment_names_the_number(library, named, found):
    environment = {k: v for k, v in os.environ.items() if k != "S2SAD_NUM_THREADS"}
    if named is not None:
        environment["S2SAD_NUM_THREADS"] = named
    command = [sys.executable, "-c", SCRIPT, library._name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) == (found or len(os.sched_getaffinity(0)))


FORK = """
import ctypes, os, sys, warnings
warnings.simplefilter("ignore")  # of forks while there are threads: that is what is tried
library = ctypes.CDLL(sys.argv[1])
library.s2_set_threads(4)
values, parts = (ctypes.c_int64 * 1000)(), (ctypes.c_int64 * 2)()
c = ctypes.c_int64

def add(expected):
    assert library.add_ones(values, c(1000), c(1), c(2**62), parts) == 0
    assert list(values) == [expected] * 1000
    assert parts[0] > 1

def threads():
    return len(os.listdir("/proc/self/task"))

add(1)
for i in range(5):
    child = os.fork()
    if child == 0:
        alone = threads()
        add(2 + i)
        grown = threads()
        os._exit(0 if (alone, grown) == (1, 4) else 1)
    add(2 + i)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert threads() == 4
library.s2_set_threads(2)
add(7)
assert threads() == 2
"""


def test_a_child_has_workers_of_its_own(library):
    command = [sys.executable, "-c", FORK, library._name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


UNLOAD = """
import _ctypes, ctypes, os, sys
for _ in range(3):
    library = ctypes.CDLL(sys.argv[1])
    library.s2_set_threads(4)
    values, parts = (ctypes.c_int64 * 1000)(), (ctypes.c_int64 * 2)()
    c = ctypes.c_int64
    assert library.add_ones(values, c(1000), c(1), c(2**62), parts) == 0
    assert len(os.listdir("/proc/self/task")) == 4
    _ctypes.dlclose(library._handle)
    assert len(os.listdir("/proc/self/task")) == 1
"""


def test_workers_end_with_the_library(library):
    command = [sys.executable, "-c", UNLOAD, library._name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_workers_sleep_when_there_is_nothing_to_do(library):
    library.s2_set_threads(3)
    Values(library, 1000).add_ones()
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.1


def test_memory_of_a_thread(library):
    space = library.s2_workspace
    space.restype, space.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_size_t]
    first = space(0, 1000)
    assert first % 64 == 0 and space(0, 10) == first
    assert space(1, 1000) != first
    assert space(0, 2**62) is None  # and what there was is gone
    assert space(0, 0) % 64 == 0
    others = []
    thread = threading.Thread(target=lambda: others.append(space(1, 1000)))
    thread.start()
    thread.join()
    assert others != [space(1, 1000)]


@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_nothing_is_wrong_that_sanitizers_see(tmp_path: Path, sanitizer):
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    flags = ["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{RUNTIME}"]
    checks = [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
    command = ["gcc", *flags, *checks, source, THREADS, "-o", program, "-pthread"]
    subprocess.run(command, check=True)
    # The sanitizer of threads does not take forks from several threads.
    argument = "n" if sanitizer == "thread" else "f"
    # Code at fixed addresses is what it needs where the system moves it far.
    done = subprocess.run(
        ["setarch", "-R", program, argument], capture_output=True, text=True, timeout=200,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
