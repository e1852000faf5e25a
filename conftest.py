"""Which files does pytest collect?

Doctests are collected from every module of the package. Under `tests/` only `test_*.py` are
tests: the rest are helpers, snapshots and programs with errors in them, which tests read or run.
"""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent / "tests"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what lies under `tests/` and is no test."""
    if collection_path.suffix != ".py" or TESTS not in collection_path.parents:
        return None
    return True if not collection_path.name.startswith("test_") else None
