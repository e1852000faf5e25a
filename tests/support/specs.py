"""Which calls of primitives do the law tests make? All `SPECS` of ``tests/prims/test_*.py``."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import numpy as np

from s2sad.ir.types import type_of
from support.laws import Spec, promise
from support.reverse import float_places

FOLDER = Path(__file__).parents[1] / "prims"


@cache
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


def differentiable_specs() -> list[Spec]:
    """Those whose derivatives may be compared: from floats to floats, away from poles and kinks."""
    return [s for s in all_specs() if s.gradient and s.prim.nondiff is None and _maps_floats(s)]


def _maps_floats(spec: Spec) -> bool:
    types = [type_of(np.asarray(x)) for x in spec.operands]
    if spec.prim.regions or not float_places(types):
        return False
    return bool(float_places(promise(spec.prim, types, spec.attrs) or ()))
