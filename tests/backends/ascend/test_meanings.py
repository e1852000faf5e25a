"""Do graphs compute what programs do, where a rule puts several operators together?

The operators are computed here as their documentation has them, by NumPy and SciPy: nothing of this
ran on a device.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special as sp

from s2sad import prims as p
from s2sad.backends.ascend.checking import check
from s2sad.backends.ascend.datatypes import TO_DTYPE
from s2sad.backends.ascend.graph import Edge
from s2sad.backends.ascend.lowering.program import lower
from s2sad.core import dtypes
from s2sad.ir.builder import build_function
from s2sad.ir.types import Token, type_of
from s2sad.prims.kernels.philox import philox4x32, seed_state

STORED = {name: dtype.storage for name, dtype in TO_DTYPE.items()} | {"DT_UINT64": np.uint64}
PLAIN = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "BitwiseAnd": np.bitwise_and,
            "BitwiseXor": np.bitwise_xor, "Neg": np.negative, "Log1p": np.log1p, "Sqrt": np.sqrt,
            "Cos": np.cos, "Sin": np.sin, "Less": np.less,
            "RightShift": np.right_shift, "Greater": np.greater,
         "Maximum": np.maximum, "Reciprocal": np.reciprocal}  # fmt: skip


def drawn(shape, key, counter, alg, node):
    """Words of 32 bits one after the other; those of 64 are two, the low half first."""
    assert alg == 1 and key.shape == (1,) and counter.shape == (2,)
    dtype = STORED[node.output_descs[0].type]
    count = int(shape[0]) * np.dtype(dtype).itemsize // 4
    first = int(counter[0]) | int(counter[1]) << 64
    words = philox4x32(int(key[0]), first, -(-count // 4)).ravel()[:count]
    return words.astype("<u4").view(np.dtype(dtype).newbyteorder("<")).astype(dtype)


def svd(node, x):
    u, sizes, vh = np.linalg.svd(x, full_matrices=node.value("full_matrices", False))
    return [sizes, u, vh.swapaxes(-1, -2)]


def product(node, x, y):
    x = x.swapaxes(-1, -2) if node.value("adj_x1", False) else x
    return x @ (y.swapaxes(-1, -2) if node.value("adj_x2", False) else y)


def checked(node, condition, *data):
    assert condition
    return []


def sort(node, x):
    places = np.argsort(x, kind="stable")
    return [x[places], places.astype(np.int32)]


def reshaped(node, x, *rest):
    desc = node.output_descs[0]
    return x.astype(STORED[desc.type]).reshape(desc.shape)


OPERATORS = {
    "Cast": reshaped, "Reshape": reshaped, "Svd": svd, "BatchMatMulV2": product, "Sort": sort,
    "Assert": checked, "StatelessRandomUniformFullIntV2": lambda node, *xs: drawn(*xs, node),
    "Bitcast": lambda node, x: x.view(STORED[node.output_descs[0].type]),
    "Slice": lambda node, x, start, size: x[int(start[0]) : int(start[0]) + int(size[0])],
    "ConcatV2": lambda node, *xs: np.concatenate(xs[:-1], int(xs[-1])),
    "Split": lambda node, axis, x: np.split(x, node.value("num_split"), int(axis)),
    "Transpose": lambda node, x, perm: x.transpose(perm),
    "ReduceMax": lambda node, x, axes: x.max(tuple(axes), keepdims=True),
    "SelectV2": lambda node, *xs: np.where(*xs),
    "Fill": lambda node, dims, value: np.full(dims, value),
    "Digamma": lambda node, x: sp.digamma(x),
    "Zeta": lambda node, x, q: sp.zeta(x, q),
    "LogMatrixDeterminant": lambda node, x: list(np.linalg.slogdet(x)),
}  # fmt: skip


def computed(node, xs):
    if node.type in OPERATORS:
        found = OPERATORS[node.type](node, *xs)
        return found if isinstance(found, list) else [found]
    with np.errstate(over="ignore", divide="ignore"):
        return [PLAIN[node.type](*xs)]


def run(graph, inputs):
    """Results of a graph whose nodes stand in the order in which they may run."""
    made: dict = {}
    given = iter(inputs)
    for node in graph.nodes.values():
        xs = [made[edge] for edge in node.inputs]
        if node.type == "NetOutput":
            return xs
        if node.type == "Data":
            found = [next(given)]
        elif node.type == "Const":
            value = node.value("value")
            found = [np.frombuffer(value.data, STORED[value.desc.type]).reshape(value.desc.shape)]
        else:
            found = computed(node, xs)
        for i, (array, desc) in enumerate(zip(found, node.output_descs, strict=True)):
            assert array.shape == desc.shape and array.dtype == STORED[desc.type], node
            made[Edge(node.name, i)] = array
    raise AssertionError("no results")


STATES = [seed_state(7), np.array([-5, 2**63 - 1, 3], np.int64), np.array([9, -1, -1], np.int64)]
DRAWS = {
    "bits": lambda s: p.random_bits(s, shape=(3, 3)),
    "none": lambda s: p.random_bits(s, shape=(0,)),
    "float32": lambda s: p.random_uniform(s, shape=(7,)),
    "float64": lambda s: p.random_uniform(s, shape=(2, 3), dtype=dtypes.float64),
    "float16": lambda s: p.random_uniform(s, shape=(9,), dtype=dtypes.float16),
    "order": lambda s: p.random_permutation(s, n=11),
}


@pytest.mark.parametrize("state", STATES, ids=str)
@pytest.mark.parametrize("name", DRAWS)
def test_the_numbers_and_the_state_after_them(name, state):
    found = by_graph(DRAWS[name], [state])
    for one, other in zip(found, DRAWS[name](state), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64], ids=str)
def test_normal_numbers(dtype):
    def draw(s):
        return p.random_normal(s, shape=(5,), dtype=dtype)

    (values, after), (wanted, state) = by_graph(draw, STATES[:1]), draw(STATES[0])
    np.testing.assert_allclose(values, wanted, rtol=4 * np.finfo(dtype.storage).eps)
    np.testing.assert_array_equal(after, state)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 10), (-5, 2**62), (-(2**63), 2**63 - 1), (3, 4)], ids=str
)
def test_integers_between_bounds(low, high):
    def draw(s, low, high):
        return p.random_int(s, low, high, shape=(50,))

    inputs = [STATES[1], np.asarray(low), np.asarray(high)]
    for one, other in zip(by_graph(draw, inputs), draw(*inputs), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("data", [0, 1, -1, 2**40])
def test_streams_of_their_own(data):
    inputs = [STATES[1], np.asarray(data)]
    (found,) = by_graph(p.random_fold, inputs)
    np.testing.assert_array_equal(found, p.random_fold(*inputs))


def by_graph(write, inputs):
    """What the graph of a function computes."""
    types = [type_of(x) for x in inputs]
    model = lower(build_function(write, types), "net").model
    assert check(model) == []
    return run(model.root, inputs)


# ---- matrices, and functions of numbers ---------------------------------------------------------

RNG = np.random.default_rng(0)
DEFICIENT = RNG.normal(size=(4, 2)) @ RNG.normal(size=(2, 5))


@pytest.mark.parametrize("x", [RNG.normal(size=(2, 3, 4)), DEFICIENT, np.zeros((2, 2))], ids=str)
def test_pseudo_inverses(x):
    x = x.astype(np.float32)
    (found,) = by_graph(lambda v: p.pinv(v, atol=0.0, rtol=1e-5), [x])
    expected = np.linalg.pinv(x.astype(np.float64), rcond=1e-5)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_singular_values():
    x = RNG.normal(size=(2, 4, 3))
    u, sizes, vh = by_graph(p.svd, [x])
    np.testing.assert_allclose(u * sizes[:, None, :] @ vh, x, rtol=1e-12)
    assert u.shape == (2, 4, 3) and vh.shape == (2, 3, 3)


def test_signs_and_sizes_of_determinants():
    x = RNG.normal(size=(5, 3, 3)).astype(np.float16)
    found = by_graph(p.slogdet, [x])
    for one, other in zip(found, np.linalg.slogdet(x.astype(np.float64)), strict=True):
        assert one.dtype == np.float16
        np.testing.assert_allclose(one, other, rtol=2e-3)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_derivatives_of_digamma(n):
    x = np.array([0.3, 1.0, 2.5, 40.0])
    (found,) = by_graph(lambda v: p.polygamma(v, n=n), [x])
    np.testing.assert_allclose(found, sp.polygamma(n, x), rtol=1e-12)


def so_far(node, x):
    """The greatest up to each place, and the latest that it stands at."""
    values = np.maximum.accumulate(x, node.value("dim"))
    index = np.indices(x.shape)[node.value("dim")]
    places = np.maximum.accumulate(np.where(x == values, index, 0), node.value("dim"))
    return [values, places.astype(STORED[node.output_descs[1].type])]


OPERATORS["Cummax"] = so_far
OPERATORS["ReverseV2"] = lambda node, x, axes: np.flip(x, tuple(axes))


@pytest.mark.parametrize("reverse", [False, True])
def test_the_greatest_so_far(reverse):
    x = np.array([[1, 3, 3, 2], [5, 5, 0, 5], [2, 1, 2, 1]], np.int32)
    for axis in range(2):
        found = by_graph(lambda v, a=axis: p.cummax(v, axis=a, reverse=reverse), [x])
        for one, other in zip(found, p.cummax(x, axis=axis, reverse=reverse), strict=True):
            np.testing.assert_array_equal(one, other)


def scattered(node, indices, x, shape):
    out = np.zeros(shape, x.dtype)
    np.add.at(out, tuple(np.moveaxis(indices, -1, 0)), x)
    return out


OPERATORS["ScatterNd"] = scattered
PLAIN["FloorMod"] = np.mod


def test_adding_to_rows_in_a_dtype_that_only_sums_take():
    x, updates = RNG.normal(size=(3, 2)), RNG.normal(size=(4, 2))
    rows = np.array([0, -1, 0, 2])
    (found,) = by_graph(lambda *v: p.index_add(*v, axis=0), [x, rows, updates])
    expected = x.copy()
    np.add.at(expected, rows, updates)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


# ---- members of a group -------------------------------------------------------------------------

COUNT = 2


def exchanged(write, parts):
    """What each member gets, where all run the graph of a function."""
    types = [Token, type_of(parts[0])]
    model = lower(build_function(write, types), "net").model
    assert check(model) == []
    made: dict = {}
    for node in model.root.nodes.values():
        xs = [[made[edge][rank] for edge in node.inputs] for rank in range(COUNT)]
        if node.type == "NetOutput":
            return [each[-1] for each in xs]
        desc = node.output_descs[0]
        if node.type == "Data":
            found = parts
        elif node.type == "Const":
            value = node.value("value")
            array = np.frombuffer(value.data, STORED[value.desc.type]).reshape(value.desc.shape)
            found = [array] * COUNT
        elif node.type.startswith("Hcom"):
            found = EXCHANGES[node.type]([each[0] for each in xs])
        else:
            found = [computed(node, each)[0] for each in xs]
        assert all(x.shape == desc.shape for x in found), node
        made[Edge(node.name)] = found
    raise AssertionError("no results")


def to_all(parts):
    pieces = [np.split(x, COUNT) for x in parts]
    return [np.concatenate([pieces[j][i] for j in range(COUNT)]) for i in range(COUNT)]


#: What HCCL does, on the first axis.
EXCHANGES = {
    "HcomAllGather": lambda parts: [np.concatenate(parts)] * COUNT,
    "HcomReduceScatter": lambda parts: np.split(sum(parts), COUNT),
    "HcomAllToAll": to_all,
}
PARTS = [RNG.normal(size=(4, 6, 2)).astype(np.float32) for _ in range(COUNT)]


@pytest.mark.parametrize("axis", range(3))
def test_gathering_and_scattering_on_any_axis(axis):
    found = exchanged(lambda t, x: p.all_gather(t, x, axis=axis, size=COUNT), PARTS)
    assert all(np.array_equal(x, np.concatenate(PARTS, axis)) for x in found)
    found = exchanged(lambda t, x: p.reduce_scatter(t, x, axis=axis, size=COUNT), PARTS)
    for one, other in zip(found, np.split(PARTS[0] + PARTS[1], COUNT, axis), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("split", range(3))
@pytest.mark.parametrize("join", range(3))
def test_exchanging_parts_on_any_two_axes(split, join):
    found = exchanged(
        lambda t, x: p.all_to_all(t, x, split_axis=split, concat_axis=join, size=COUNT), PARTS
    )
    pieces = [np.split(x, COUNT, split) for x in PARTS]
    for rank, one in enumerate(found):
        expected = np.concatenate([pieces[j][rank] for j in range(COUNT)], join)
        np.testing.assert_array_equal(one, expected)
