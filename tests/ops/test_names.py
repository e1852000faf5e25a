"""Is every name of `ops` what it says, and there once?"""

from __future__ import annotations

from types import ModuleType

from s2sad import ops


def test_no_module_hides_a_function():
    # ``from s2sad.ops.norm import ...`` would make `ops.norm` that module.
    assert [n for n in ops.__all__ if isinstance(getattr(ops, n), ModuleType)] == []


def test_no_name_stands_twice():
    assert len(ops.__all__) == len(set(ops.__all__))
