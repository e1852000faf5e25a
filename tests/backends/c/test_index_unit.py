"""Are indexed reads and writes of the C backend those of NumPy, checks included?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c import dynamic, index
from s2sad.core import dtypes
from support.c_loops import random_bits
from support.c_templates import Call, Kernels, calls_of

TEMPLATES = {**index.TEMPLATES, **dynamic.TEMPLATES}
INDICES = (np.int8, np.int16, np.int32, np.int64, np.uint8)


def numbers(dtype, *shape):
    """Some of which add up to what must be rounded, or wraps."""
    values = np.random.default_rng(len(shape)).normal(0, 40, shape)
    return dtypes.narrow(values, dtype) if dtype.is_float else values.astype(dtype.storage)


def moves(indices):
    """Every function, with these indices along an axis of 100."""
    for dtype in (dtypes.bool_, dtypes.float16, dtypes.float32, dtypes.float64):
        x = random_bits(dtype, 600, 3).reshape(2, 100, 3)
        count = indices.size
        yield Call(p.gather, [x, indices], {"axis": 1})
        yield Call(p.gather, [x[:, :, 0], indices], {"axis": 1})
        rows = random_bits(dtype, 6 * count, 4).reshape(2, *indices.shape, 3)
        yield Call(p.index_update, [x, indices, rows], {"axis": 1})
        yield Call(p.gather_nd, [x[0], indices[..., None]], {})
        pairs = np.stack([indices // 100 * 0, indices, indices * 0], -1)
        yield Call(p.gather_nd, [x, pairs], {})
        yield Call(p.scatter_nd, [x, pairs, rows[0, ..., 0]], {"reduce": "none"})
        each = np.broadcast_to(indices.reshape(1, -1, 1), (2, count, 2))
        yield Call(p.gather_elements, [x, each], {"axis": 1})
        yield Call(p.gather_elements, [x[0, :, 0], indices.reshape(-1)], {"axis": 0})
        values = random_bits(dtype, 4 * count, 5).reshape(each.shape)
        attrs = {"axis": 1, "reduce": "none"}
        yield Call(p.scatter_elements, [x, each, values], attrs)


def sums(indices):
    for dtype in dtypes.ALL[:-1]:
        x, count = numbers(dtype, 2, 100, 3), indices.size
        rows = numbers(dtype, 2, *indices.shape, 3)
        yield Call(p.index_add, [x, indices, rows], {"axis": 1})
        attrs = {"axis": 1, "reduce": "add"}
        each = np.broadcast_to(indices.reshape(1, -1, 1), (2, count, 3))
        yield Call(p.scatter_elements, [x, each, rows.reshape(each.shape)], attrs)
        nd = [x[0], indices[..., None], rows[0]]
        yield Call(p.scatter_nd, nd, {"reduce": "add"})


def large_sums():
    """Many rows, of several blocks of columns, to few places and to many."""
    random = np.random.default_rng(2)
    for dtype in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.int32):
        for size, count, width in [(7, 300, 700), (5000, 400, 200), (40000, 3000, 1)]:
            indices = random.integers(-size, size, count)
            x, rows = numbers(dtype, size, width), numbers(dtype, count, width)
            yield Call(p.index_add, [x, indices, rows], {"axis": 0})
            x, rows = numbers(dtype, 2, size, 20), numbers(dtype, 2, count, 20)
            yield Call(p.index_add, [x, indices, rows], {"axis": 1})


def failures():
    """Indices out of range, also where there is nothing to read or write."""
    x = np.arange(12.0).reshape(3, 4)
    for wrong in ([0, 3, 1], [-4], [0] * 600 + [3]):
        for dtype in (np.int8, np.int64):
            at = np.array(wrong, dtype)
            yield Call(p.gather, [x, at], {"axis": 0})
            for shape in ((3, 0), (0, 3)):
                axis = shape.index(3)
                empty = np.zeros(shape)
                yield Call(p.gather, [empty, at], {"axis": axis})
                rows = np.zeros((len(wrong), 0) if axis == 0 else (0, len(wrong)))
                yield Call(p.index_add, [empty, at, rows], {"axis": axis})
            rows = np.ones((len(wrong), 4))
            for prim in (p.index_add, p.index_update):
                yield Call(prim, [x, at, rows], {"axis": 0})
            for reduce in ("none", "add"):
                pairs = np.stack([at, at * 0], -1)
                yield Call(p.scatter_nd, [x, pairs, rows[:, 0]], {"reduce": reduce})
                if len(wrong) <= 3:
                    attrs = {"axis": 0, "reduce": reduce}
                    yield Call(p.scatter_elements, [x, at[:, None], rows[:, :1]], attrs)
    yield Call(p.gather, [np.zeros((0, 2)), np.array([0])], {"axis": 0})
    yield Call(p.gather, [np.zeros((0, 2)), np.zeros((0, 3), int)], {"axis": 0})


def windows():
    for dtype in (dtypes.bfloat16, dtypes.float64, dtypes.int8):
        whole = numbers(dtype, 6, 5, 4)
        for starts in ((1, 2, 0), (-2, -5, -4), (5, 0, 0), (-7, 0, 0), (0, 0, 1)):
            for kind in (np.int8, np.int64):
                at = [np.array(start, kind) for start in starts]
                for shape in ((2, 3, 4), (1, 5, 4), (6, 1, 1), (0, 2, 2)):
                    yield Call(p.dynamic_slice, [whole, *at], {"sizes": shape})
                    for prim in (p.update, p.update_add):
                        yield Call(prim, [whole, numbers(dtype, *shape), *at], {})
    scalar = np.array(1.5)
    yield Call(p.update_add, [scalar, scalar], {})
    yield Call(p.dynamic_slice, [scalar], {"sizes": ()})


def indices(dtype):
    low = 0 if dtype is np.uint8 else -100
    return np.random.default_rng(1).integers(low, 100, (5, 8)).astype(dtype)


CALLS = [
    *calls_of(TEMPLATES), *(c for d in INDICES for c in moves(indices(d))),
    *moves(np.resize(indices(np.int64), 700)), *moves(np.array(-3)), *sums(indices(np.int32)),
    *sums(np.resize(indices(np.int16), 700)), *large_sums(), *failures(), *windows(),
]  # fmt: skip


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    return Kernels(CALLS, TEMPLATES, tmp_path_factory.mktemp("index"), "index", "shape")


def test_every_primitive_of_the_families_has_a_template():
    families = ("index", "dynamic")
    expected = {q for q in p.ALL.values() if q.family in families and not q.is_composite}
    assert set(TEMPLATES) == expected


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda i: f"{i}-{CALLS[i].prim.name}")
def test_meaning(number, kernels):
    kernels.check(number)
