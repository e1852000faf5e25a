"""Are the elementwise tables of the C backend NumPy's meaning, bit for bit?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ir.types import TensorType
from support.c_loops import TABLES, compile_shared, grid, loops, run_kernel, write_loops
from support.same import assert_same_array

FAMILIES = {"arithmetic", "comparison", "logic", "rounding", "select", "cast"}

#: Powers of floats have an error of their own; they are held to it where they are computed.
LOOPS = [loop for loop in loops() if loop.prim is not p.pow or not loop.dtypes[0].is_float]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scalars")
    return compile_shared([write_loops(folder / "loops.c")], folder / "loops.so")


def test_every_primitive_of_the_families_has_an_expression():
    expected = {q for q in p.ALL.values() if q.family in FAMILIES and not q.is_composite}
    assert set(TABLES) == expected


@pytest.mark.parametrize("loop", LOOPS, ids=str)
def test_meaning(loop, kernels):
    operands = grid(loop.dtypes)
    shape = operands[0].shape
    out = np.empty(shape, loop.result.storage)
    run_kernel(getattr(kernels, loop.name), out.size, operands, out)
    (expected,) = loop.prim.run(operands, loop.attrs, [TensorType(loop.result, shape)])
    assert_same_array(dtypes.widen(out), dtypes.widen(expected))
