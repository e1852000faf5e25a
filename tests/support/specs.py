"""Which calls of primitives do the law tests make? All `SPECS` of ``tests/prims/test_*.py``."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path

from support.laws import Spec

FOLDER = Path(__file__).parents[1] / "prims"


@lru_cache(maxsize=None)
def all_specs() -> tuple[Spec, ...]:
    """Specs of every family, in the order of their files."""
    found: list[Spec] = []
    for path in sorted(FOLDER.glob("test_*.py")):
        source = importlib.util.spec_from_file_location(f"specs_of_{path.stem}", path)
        assert source is not None and source.loader is not None
        module = importlib.util.module_from_spec(source)
        source.loader.exec_module(module)
        found += getattr(module, "SPECS", [])
    return tuple(found)
