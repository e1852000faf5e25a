"""Are scans of the C backend those of NumPy, bit for bit?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c.scan import TEMPLATES
from s2sad.core import dtypes
from support.c_loops import edge_values
from support.c_templates import Call, Kernels, calls_of


def draw(dtype, shape, seed=0):
    """Ordinary numbers, with ties, and edge values among them."""
    random = np.random.default_rng(seed)
    values = random.integers(-3, 4, shape) * (0.37 if dtype.is_float else 1)
    found = dtypes.narrow(values, dtype) if dtype.is_float else values.astype(dtype.storage)
    return np.where(random.random(shape) < 0.1, random.choice(edge_values(dtype), shape), found)


def scans():
    for dtype in dtypes.ALL[:-1]:
        for shape, axis in [((40, 1), 0), ((3, 30, 5), 1), ((17, 300), 0), ((4, 0, 3), 1)]:
            x = draw(dtype, shape)
            for reverse in (False, True):
                attrs = {"axis": axis, "reverse": reverse}
                for prim in (p.cummax, p.cummin):
                    yield Call(prim, [x], attrs)
                for prim in (p.cumsum, p.cumprod):
                    yield Call(prim, [x], attrs)
                    yield Call(prim, [x], {**attrs, "exclusive": True})
                if dtype.is_float:
                    yield Call(p.linear_recurrence, [draw(dtype, shape, 1), x], attrs)
    for dtype in (dtypes.bfloat16, dtypes.float64):
        yield Call(p.cumsum, [draw(dtype, (50, 40, 40))], {"axis": 1})
        yield Call(p.cumsum, [draw(dtype, (40, 2500))], {"axis": 0})


CALLS = [*calls_of(TEMPLATES), *scans()]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    return Kernels(CALLS, TEMPLATES, tmp_path_factory.mktemp("scan"), "scan")


def test_every_scan_has_a_template():
    expected = {q for q in p.ALL.values() if q.family == "scan" and not q.is_composite}
    assert set(TEMPLATES) == expected


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda i: f"{i}-{CALLS[i].prim.name}")
def test_meaning(number, kernels):
    kernels.check(number)
