"""Are moves of the C backend bit for bit those of NumPy?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c.shape import TEMPLATES
from s2sad.core import dtypes
from support.c_loops import random_bits
from support.c_templates import Call, Kernels, calls_of

BY_SIZE = (dtypes.uint8, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def draw(dtype, *shape):
    return random_bits(dtype, int(np.prod(shape)), 7).reshape(shape)


def moves():
    """Shapes that take each way through the unit, for elements of each size."""
    for dtype in BY_SIZE:
        yield from transposes(dtype)
        yield from parts(dtype)
        yield from paddings(dtype)


def transposes(dtype):
    for shape, perm in [
        ((37, 70), (1, 0)), ((3, 150, 20), (0, 2, 1)), ((2, 3, 5, 7), (3, 1, 0, 2)),
        ((4, 5, 6, 16), (0, 2, 1, 3)), ((130, 3, 2), (1, 0, 2)), ((9, 1, 1, 4), (3, 2, 1, 0)),
    ]:  # fmt: skip
        yield Call(p.transpose, [draw(dtype, *shape)], {"perm": perm})
    for shape, target in [((1, 5), (40, 5)), ((70, 1), (70, 33)), ((3, 1, 2), (2, 3, 20000, 2))]:
        yield Call(p.broadcast_to, [draw(dtype, *shape)], {"shape": target})


def parts(dtype):
    x = draw(dtype, 7, 6, 40)
    yield Call(p.flip, [x], {"axis": (0, 2)})
    yield Call(p.flip, [draw(dtype, 40000)], {"axis": 0})
    bounds = {"start": (6, 1, 2), "stop": (None, 6, 37), "step": (-2, 2, 5)}
    yield Call(p.slice, [x], bounds)
    yield Call(p.concat, [x, draw(dtype, 7, 0, 40), draw(dtype, 7, 2, 40)], {"axis": 1})
    yield Call(p.concat, [draw(dtype, 30000), draw(dtype, 5), draw(dtype, 50000)], {"axis": 0})
    yield Call(p.split, [x], {"sizes": (1, 0, 3, 2), "axis": 1})


def paddings(dtype):
    value = draw(dtype)
    for shape, low, high, interior in [
        ((4, 5, 6), (1, 0, 2), (0, 3, 1), (0, 0, 0)), ((4, 5, 6), (0, 2, 0), (1, 0, 0), (2, 1, 0)),
        ((4, 5), (0, 1), (1, 2), (1, 3)), ((0, 2), (3, 0), (1, 0), (1, 0)), ((2, 0), (1,) * 2,
        (0, 2), (0, 0)), ((3,), (0,), (0,), (0,)), ((300, 200), (50, 0), (5, 90), (0, 0)),
    ]:  # fmt: skip
        attrs = {"low": low, "high": high, "interior": interior}
        yield Call(p.pad, [draw(dtype, *shape), value], attrs)


def counts():
    for dtype in dtypes.ALL[:-1]:
        for shape, axis in [((300,), 0), ((2, 300, 3), 1), ((3, 0), 1), ((70, 2), 0)]:
            yield Call(p.iota, [], {"dtype": dtype, "shape": shape, "axis": axis})
        yield Call(p.axis_size, [np.zeros((3, 171))], {"axis": None, "dtype": dtype})


CALLS = [*calls_of(TEMPLATES), *moves(), *counts()]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    return Kernels(CALLS, TEMPLATES, tmp_path_factory.mktemp("shape"), "shape")


def test_every_primitive_that_copies_has_a_template():
    expected = {q for q in p.ALL.values() if q.family == "shape" and not q.is_composite}
    assert set(TEMPLATES) == expected - {p.reshape}  # whose result is its operand


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda i: str(CALLS[i]))
def test_meaning(number, kernels):
    kernels.check(number)
