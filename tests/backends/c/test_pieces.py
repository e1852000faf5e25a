"""Are long bodies of loops cut, and do their pieces compute what the whole does?"""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c.executable import compile_many
from s2sad.backends.c.group import Group
from s2sad.backends.c.pieces import FUNCTION, LIMIT, PASSES, pieces
from s2sad.core import dtypes
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f32, f64
from s2sad.passes.base import run_passes
from s2sad.passes.fuse import Fuse
from support.c_programs import distance

pytestmark = pytest.mark.usefixtures("programs_apart")

FUNCTIONS = (p.tanh, p.sin, p.sigmoid, p.atan, p.erf, p.cos)


def chain(x):
    """Six functions, each of the one before; the first is read at the end again."""
    first = p.tanh(x)
    return p.add(p.mul(reduce(lambda y, f: f(y), FUNCTIONS, first), x), first)


def group_of(run, *types) -> Group:
    function = build_function(run, types)
    operations = function.body.operations
    scalars = {op.prim: None for op in operations}
    return Group(operations, list(function.results), scalars)


def test_a_piece_holds_what_a_processor_looks_ahead():
    group = group_of(chain, f32[1000])
    cut = pieces(group.operations, group.outputs, group, 1000)
    assert [len(piece.operations) for piece in cut] == [2, 2, 2, 3]
    assert [op for piece in cut for op in piece.operations] == group.operations
    assert LIMIT == 2 * FUNCTION  # which is why two functions are a piece
    first = group.operations[0].result
    assert first in cut[0].left and first in cut[-1].taken and first not in cut[1].taken
    assert [piece.stores for piece in cut] == [[], [], [], group.outputs]


def test_a_short_loop_and_a_short_body_stay_whole():
    group = group_of(chain, f32[100])
    assert len(pieces(group.operations, group.outputs, group, 100)) == 1
    group = group_of(lambda x: p.mul(p.tanh(x), x), f32[1000])
    (piece,) = pieces(group.operations, group.outputs, group, 1000)
    assert not piece.left and not piece.taken and piece.stores == group.outputs


def test_what_may_lie_over_an_input_is_stored_after_the_last_read():
    def run(x):
        early = p.mul(x, 2.0)
        return early, p.mul(chain(early), x)

    group = group_of(run, f32[1000])
    cut = pieces(group.operations, group.outputs, group, 1000)
    assert cut[-1].stores == group.outputs and group.outputs[0] in cut[-1].taken
    group = group_of(lambda x: (p.mul(x, 2.0), chain(p.mul(x, 3.0))), f32[1000])
    cut = pieces(group.operations, group.outputs, group, 1000)
    assert cut[0].stores == [group.outputs[0]]  # x is read no more


BODIES = {
    "map": lambda x: chain(x),
    "rows": lambda x: (p.reduce_sum(chain(x), axis=(-1,)), p.reduce_max(p.tanh(x), axis=(-1,))),
    "columns": lambda x: (p.reduce_sum(chain(x), axis=(0,)), chain(x)),
    "all": lambda x: p.reduce_sum(chain(x)),
    "f16": lambda x: p.cast(chain(p.cast(x, dtype=dtypes.float16)), dtype=x.dtype),
    "bf16": lambda x: p.cast(chain(p.cast(x, dtype=dtypes.bfloat16)), dtype=x.dtype),
    "chosen": lambda x: p.where(p.less(p.tanh(x), 0.3), chain(x), p.neg(x)),
}
#: Sizes about those of vectors, blocks of pieces, and blocks of rows.
SHAPES = [(3, PASSES - 1), (3, PASSES), (300, 129), (1, 9000)]


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("dtype", [f64, f32], ids=str)
def test_pieces_compute_what_the_whole_does(name, dtype):
    rng = np.random.default_rng(8)
    functions, inputs, expected = [], [], []
    for shape in SHAPES:
        x = rng.normal(size=shape).astype(dtype.dtype.storage)
        x.flat[:4] = np.array([np.nan, np.inf, -np.inf, -0.0], x.dtype) if name == "map" else 0.5
        function = build_function(BODIES[name], [dtype[shape]])
        expected.append(evaluate(function, [x]))
        run_passes(function, [Fuse()])
        functions.append(function)
        inputs.append(x)
    for program, x, values in zip(compile_many(functions), inputs, expected, strict=True):
        assert "strip" in program.source
        for found, wanted in zip(program.run([x]), values, strict=True):
            off = distance(found, wanted, dtypes.BY_SHORT.get(name) or dtype.dtype)
            assert off <= 16 + np.sqrt(x.size), x.shape  # both err, and sums cancel


def test_an_array_is_written_over_by_a_loop_in_pieces():
    def run(x):
        early = p.mul(x, 2.0)
        return early, p.mul(chain(early), x)

    function = build_function(run, [f64[1000]])
    function.donates[0] = 0
    x = np.random.default_rng(9).normal(size=1000)
    expected = evaluate(function, [x])
    run_passes(function, [Fuse()])
    (program,) = compile_many([function])
    assert program.overwrites == {0} and "strip" in program.source
    mine = x.copy()
    found = program.run([mine], given={0})
    assert found[0] is mine
    np.testing.assert_array_equal(found[0], x * 2)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-15)
