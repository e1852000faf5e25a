"""What do all tests share?"""

from __future__ import annotations

import gc
import os
import re
import signal

import pytest

import s2sad as ms
from s2sad.backends.c.runtime import load_runtime
from support.snapshots import FOLDER, Snapshot

#: Tests change the compiler itself, of which no program on disk would know.
os.environ["MS_COMPILER_CACHE_ENABLE"] = "0"


def pytest_addoption(parser):
    parser.addoption(
        "--update-snapshots", action="store_true",
        help="write tests/snapshots/ anew; read the diff afterwards",
    )  # fmt: skip


def pytest_configure() -> None:
    """Run programs on NumPy where a test does not ask for another backend: C takes a compiler."""
    os.environ.setdefault("S2SAD_BACKEND", "numpy")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Of a shell's background job; the processes that tests interrupt would inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let the collector of garbage not look again at thousands of tests, nor so often at the rest.

    It takes a fifth of the time otherwise.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


#: A package of its own, which tests install; imported here it would plug itself in. And programs
#: that once failed: they are read, not imported.
collect_ignore = ["plugin_sample", "corpus"]


@pytest.fixture(autouse=True)
def default_mode():
    """Whatever mode or target a test chooses, the next one begins in those that are the default."""
    yield
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request):
    """Either mode, for the time of a test."""
    ms.set_context(mode=request.param)
    return request.param


@pytest.fixture
def snapshot(request):
    """The snapshot of the test that asks: ``snapshot(function, inputs)``."""
    case = re.sub(r"\W+", "-", request.node.name.removeprefix("test_")).strip("-")
    path = FOLDER / request.path.parent.name / f"{case}.py"
    return Snapshot(path, request.config.getoption("--update-snapshots"))


@pytest.fixture(scope="module")
def programs_apart(tmp_path_factory):
    """Programs of C go into a folder of the test, not into the user's cache; the runtime stays."""
    load_runtime()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2SAD_CACHE_DIR", str(tmp_path_factory.mktemp("programs")))
        yield
