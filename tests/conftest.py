"""What do all tests share?"""

from __future__ import annotations

import gc
import re

import pytest

from support.snapshots import FOLDER, Snapshot


def pytest_addoption(parser):
    parser.addoption(
        "--update-snapshots", action="store_true",
        help="write tests/snapshots/ anew; read the diff afterwards",
    )  # fmt: skip


def pytest_collection_finish() -> None:
    """Thousands of tests and their arguments stay to the end: no collection looks at them again."""
    gc.collect()
    gc.freeze()


#: A package of its own, which tests install; imported here it would plug itself in.
collect_ignore = ["plugin_sample"]


@pytest.fixture
def snapshot(request):
    """The snapshot of the test that asks: ``snapshot(function, inputs)``."""
    case = re.sub(r"\W+", "-", request.node.name.removeprefix("test_")).strip("-")
    path = FOLDER / request.path.parent.name / f"{case}.py"
    return Snapshot(path, request.config.getoption("--update-snapshots"))
