"""Do nests of loops compute what their operations mean, at sizes where blocks and threads begin?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c import tables
from s2sad.backends.c.executable import compile_many
from s2sad.backends.c.group import Group
from s2sad.backends.c.runtime import load_runtime
from s2sad.core import dtypes
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import bool_, f32, f64, i32, type_of
from s2sad.passes.base import run_passes
from s2sad.passes.decompose import Decompose
from s2sad.passes.fuse import Fuse
from s2sad.passes.layout import Layout
from support.c_programs import distance

pytestmark = pytest.mark.usefixtures("programs_apart")

#: Sizes about those of vectors, lanes, and blocks of rows and columns.
SHAPES = [
    (1, 1), (1, 9000), (9000, 1), (3, 4097), (300, 129), (513, 5), (7, 128), (2, 3, 700), (0, 4),
]  # fmt: skip


def softmax(x):
    shifted = p.exp(p.sub(x, p.reduce_max(x, axis=(-1,), keepdims=True)))
    return p.div(shifted, p.reduce_sum(shifted, axis=(-1,), keepdims=True))


def centred(x):
    mean = p.div(p.reduce_sum(x, axis=(-1,), keepdims=True), float(max(x.shape[-1], 1)))
    off = p.sub(x, mean)
    return p.mul(off, p.rsqrt(p.add(p.reduce_sum(p.square(off), axis=(-1,), keepdims=True), 1.0)))


GROUPS: dict[str, Callable[..., Any]] = {
    "map": lambda x: p.tanh(p.add(p.mul(x, x), 1.0)),
    "rows": lambda x: p.reduce_sum(p.mul(x, x), axis=(-1,)),
    "columns": lambda x: p.reduce_sum(p.mul(x, x), axis=(0,)),
    "columns, kept": lambda x: p.reduce_sum(p.abs(x), axis=(0,), keepdims=True),
    "all": lambda x: p.reduce_sum(p.add(x, 1.0)),
    "several": lambda x: (p.reduce_sum(x, axis=(0,)), p.reduce_sum(p.square(x), axis=(0,))),
    "full and reduced": lambda x: [y := p.mul(x, 2.0), p.reduce_sum(y, axis=(-1,))],
    "after": lambda x: p.sqrt(p.add(p.reduce_sum(p.square(x), axis=(0,)), 1.0)),
    "softmax": softmax,
    "centred": centred,
    "transposed": lambda x: p.mul(p.transpose(x), 2.0),
    "flipped": lambda x: p.sub(p.flip(x, axis=(0,)), x),
    "any": lambda x: p.reduce_any(p.greater(x, p.const(3.0, f64)), axis=(0,)),
    "product": lambda x: p.reduce_prod(p.add(p.mul(x, 1e-4), 1.0), axis=(-1,)),
    "largest": lambda x: (p.reduce_max(x, axis=(0,)), p.reduce_min(x, axis=(-1,))),
}


@pytest.mark.parametrize("name", GROUPS)
def test_groups_of_any_size(name):
    rng = np.random.default_rng(0)
    cases = []
    for shape in SHAPES:
        if not np.prod(shape) and name in ("softmax", "largest"):
            continue  # of no elements there is no largest
        x = rng.normal(size=shape)
        cases.append((build_function(GROUPS[name], [type_of(x)]), x))
    plain = [clone(function) for function, _ in cases]
    for function, _ in cases:
        run_passes(function, [Decompose(), Fuse()])
    for function, run, (_, x) in zip(
        plain, compile_many([function for function, _ in cases]), cases, strict=True
    ):
        for found, expected in zip(run.run([x]), evaluate(function, [x]), strict=True):
            assert found.shape == expected.shape and found.dtype == expected.dtype
            off = distance(found, expected, dtypes.BY_STORAGE[expected.dtype])
            assert off <= 8 + np.sqrt(max(x.shape)), x.shape  # both err, and terms cancel


@pytest.mark.parametrize("axis", [0, 1])
def test_errors_of_sums_do_not_grow_with_the_length(axis):
    function = build_function(lambda x: p.reduce_sum(x, axis=(axis,)), [f32[1000, 1000]])
    flat = build_function(lambda x: p.reduce_sum(x), [f32[1000, 1000]])
    x = np.random.default_rng(1).uniform(1, 2, (1000, 1000)).astype(np.float32)
    run, whole = compile_many([function, flat])
    (found,), (total,) = run.run([x]), whole.run([x])
    exact = x.astype(np.float64)
    assert np.abs(found / exact.sum(axis) - 1).max() < 1e-6
    assert abs(float(total) / exact.sum() - 1) < 1e-6


def in_parts(x, k):
    y = p.mul(p.tanh(x), k)
    low = p.neg(k)
    total = p.reduce_sum(y)
    return y, p.add(total, low), p.reduce_max(y), p.reduce_all(p.less(y, k))


@pytest.mark.parametrize("shape", [(300_001,), (3, 50_000), (65, 30, 40)], ids=str)
@pytest.mark.parametrize("dtype", [f32, f64], ids=str)
def test_all_of_a_large_array_is_reduced_in_parts(shape, dtype):
    function = build_function(in_parts, [dtype[shape], dtype])
    rng = np.random.default_rng(4)
    x = rng.normal(size=shape).astype(dtype.dtype.storage)
    k = np.asarray(9.0, x.dtype)
    expected = evaluate(function, [x, k])
    run_passes(function, [Fuse()])
    (program,) = compile_many([function])
    assert "parts" in program.kernels[1] and len(program.kernels) == 2
    for found, wanted in zip(program.run([x, k]), expected, strict=True):
        assert distance(found, wanted, dtypes.BY_STORAGE[wanted.dtype]) <= 8


def test_results_of_parts_do_not_depend_on_threads():
    function = build_function(lambda x: p.reduce_sum(p.exp(x)), [f32[1_000_000]])
    run_passes(function, [Fuse()])
    (program,) = compile_many([function])
    x = np.random.default_rng(5).normal(size=1_000_000).astype(np.float32)
    runtime, found = load_runtime(), []
    for count in (1, 2, 3):
        runtime.s2_set_threads(count)
        found.append(float(program.run([x])[0]))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("shape", [(300_000,), (40, 3000)], ids=str)
def test_an_array_is_written_over_where_it_is_reduced_as_well(shape):
    axis = (len(shape) - 1,)

    def run(x, g):
        y = p.sub(x, g)
        return y, p.reduce_sum(p.mul(p.add(x, y), g), axis=axis)

    function = build_function(run, [f64[shape], f64[shape]])
    function.donates[0] = 0
    run_passes(function, [Fuse()])
    (program,) = compile_many([function])
    assert program.overwrites == {0}
    rng = np.random.default_rng(6)
    x, g = rng.normal(size=shape), rng.normal(size=shape)
    expected = x - g, ((x + x - g) * g).sum(axis)
    found = program.run([x, g], given={0})
    assert found[0] is x
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-11, atol=1e-11)


def test_an_array_stays_that_is_read_after_it_is_reduced():
    def run(x):
        y = p.mul(x, 2.0)
        off = p.sub(x, p.reduce_max(y, axis=(1,), keepdims=True))
        return y, p.reduce_sum(off, axis=(1,))

    function = build_function(run, [f64[40, 300]])
    function.donates[0] = 0
    run_passes(function, [Fuse()])
    (program,) = compile_many([function])
    x = np.random.default_rng(7).normal(size=(40, 300))
    expected = x * 2, (x - (x * 2).max(1, keepdims=True)).sum(1)
    found = program.run([x.copy()], given={0})
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def test_integers_wrap_and_truth_values_are_counted():
    def run(x, b):
        return p.reduce_sum(x), p.reduce_prod(x, axis=(1,)), p.reduce_all(b, axis=(0,)), p.neg(x)

    function = build_function(run, [i32[50, 60], bool_[50, 60]])
    rng = np.random.default_rng(2)
    x = rng.integers(-(2**31), 2**31, (50, 60)).astype(np.int32)
    b = rng.random((50, 60)) < 0.99
    run_passes(function, [Decompose(), Fuse()])
    (program,) = compile_many([function])
    for found, expected in zip(program.run([x, b]), evaluate(function, [x, b]), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_moves_within_a_group_cost_no_memory():
    def run(x, row):
        y = p.slice(p.transpose(x), start=(1, 0), stop=(31, 40), step=(2, 1))
        return p.mul(p.flip(y, axis=(1,)), p.broadcast_to(row, shape=(15, 40)))

    function = build_function(run, [f64[40, 32], f64[40]])
    run_passes(function, [Fuse()])
    (program,) = compile_many([function])
    x, row = np.random.default_rng(3).normal(size=(40, 32)), np.arange(40.0)
    np.testing.assert_array_equal(program.run([x, row])[0], x.T[1:31:2, ::-1] * row)
    assert len(program.kernels) == 1 and program._program.layout.arena == 0


def test_indices_as_values():
    def run(x):
        places = p.cast(p.iota(shape=(30, 20), axis=1, dtype=dtypes.int64), dtype=dtypes.float64)
        return p.add(p.mul(x, 0.0), places)

    function = build_function(run, [f64[30, 20]])
    run_passes(function, [Fuse()])
    (program,) = compile_many([function])
    expected = np.tile(np.arange(20.0), (30, 1))
    np.testing.assert_array_equal(program.run([np.ones((30, 20))])[0], expected)


@pytest.mark.parametrize("run", [
    lambda x: p.relu(p.matmul(x, x)),
    lambda x: p.add(p.matmul(x, p.transpose(x)), 1.0),
    lambda x: p.mul(p.add(p.matmul(x, x), x), x),
])  # fmt: skip
def test_a_product_of_an_array_with_itself_goes_on_block_by_block(run):
    function = build_function(run, [f64[70, 70]])
    plain = clone(function)
    run_passes(function, [Decompose(), Layout(), Fuse()])
    assert [operation.prim.name for operation in function.body.operations] == ["fused"]
    x = np.random.default_rng(5).normal(size=(70, 70))
    (program,) = compile_many([function])
    np.testing.assert_allclose(program.run([x])[0], evaluate(plain, [x])[0], rtol=1e-12)


def test_a_number_that_is_read_after_a_row_is_not_written_over_by_what_the_row_gives():
    def run(x, c):
        most = p.reduce_max(x)
        return most, p.sub(most, c)

    function = build_function(run, [f64[7], f64])
    group = Group(function.body.operations, function.results, tables.SCALARS)
    assert group.inputs == function.args and group.pairs() == {(1, 1)}


ANGLES: dict[str, Callable[..., Any]] = {
    "map": lambda x: (p.sin(x), p.mul(p.cos(x), 2.0)),
    "of what is computed": lambda x: p.tan(p.add(p.mul(x, 3.0), 1.0)),
    "of a sine": lambda x: p.sin(p.mul(p.sin(x), 1e3)),
    "of a number": lambda x: p.mul(p.sin(p.const(1e7, f32[3, 9001])), x),
    "rows": lambda x: p.reduce_sum(p.mul(p.sin(x), p.cos(x)), axis=(-1,)),
    "after a row": lambda x: p.cos(p.sub(x, p.reduce_max(x, axis=(-1,), keepdims=True))),
    "columns": lambda x: p.reduce_sum(p.cos(x), axis=(0,)),
}


@pytest.mark.parametrize("name", ANGLES)
def test_a_block_with_far_angles_gives_the_same_for_the_near_ones(name):
    rng = np.random.default_rng(0)
    near = rng.uniform(-9, 9, size=(3, 9001)).astype(np.float32)
    far = near.copy()
    far[0, 4500], far[2, 7], far[2, 8], far[2, 9] = 1e30, -131073.0, np.inf, np.nan
    plain = build_function(ANGLES[name], [type_of(near)])
    function = clone(plain)
    run_passes(function, [Decompose(), Fuse()])
    (program,) = compile_many([function])
    text = program.source
    assert ("s2_near_" in text) is (name not in ("of a number", "columns"))
    by_input = []
    for x in (near, far):
        with np.errstate(invalid="ignore"):
            wide = [np.asarray(y, np.float64) for y in evaluate(plain, [x])]
        found = program.run([x])
        for one, other in zip(found, wide, strict=True):
            np.testing.assert_allclose(one, other, rtol=3e-5, atol=3e-3 if "row" in name else 3e-4)
        by_input.append(found)
    if near.shape == by_input[0][0].shape and name != "after a row":
        same = near == far
        for one, other in zip(*by_input, strict=True):
            assert one[same].tobytes() == other[same].tobytes()
