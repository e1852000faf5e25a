"""Products of matrices against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, refused

SHAPES = [
    ((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((1, 2, 3), (5, 3, 4)), ((6, 1, 2, 3), (5, 3, 4)),
    ((3,), (5, 3, 4)), ((5, 2, 3), (3,)), ((0, 3), (3, 4)), ((2, 0), (0, 4)), ((2, 3), (3, 0)),
    ((0, 2, 3), (3, 4)), ((0,), (0,)), ((1, 1), (1, 1)),
]  # fmt: skip


def integers(*shape):
    return np.random.default_rng(0).integers(-4, 5, shape)


@pytest.mark.parametrize(("one", "other"), SHAPES)
@pytest.mark.parametrize("dtype", [ms.float64, ms.float32, ms.float16, ms.int32, ms.int64], ids=str)
def test_shapes(one, other, dtype):
    x, y = integers(*one), integers(*other)

    def run(x, y):
        return ops.matmul(x, y), x @ y, x.matmul(y)

    expected = x @ y
    for result in both_forms(run, ms.Tensor(x, dtype), ms.Tensor(y, dtype)):
        assert (result.dtype, result.shape) == (dtype, expected.shape)
        np.testing.assert_array_equal(result.asnumpy(), expected)


def test_dtypes_meet():
    def run(x, n):
        return x @ n, n @ x

    for result in both_forms(run, ms.Tensor([[1.5]], ms.float16), ms.Tensor([[2]])):
        assert result.dtype is ms.float16 and result.tolist() == [[3.0]]


def test_a_narrow_product_is_rounded_once():
    def run(x, y):
        return x @ y

    one = ms.Tensor(np.full((1, 4096), 1.0), ms.float16)
    result = both_forms(run, one, ms.Tensor(np.ones((4096, 1)), ms.float16))
    assert result.tolist() == [[4096.0]]


@pytest.mark.parametrize(
    ("one", "other"),
    [((2, 3), (2, 3)), ((3,), (4,)), ((2, 2, 3), (3, 3, 4)), ((), (3,)), ((2, 3), ())],
)  # fmt: skip
def test_shapes_that_do_not_fit(one, other):
    def run(x, y):
        return x @ y

    refused("E0401", run, ms.Tensor(np.ones(one)), ms.Tensor(np.ones(other)))


def test_numbers_and_bools_are_refused():
    def number(x):
        return x @ 2.0

    def reflected(x):
        return 2.0 @ x

    def bools(x):
        return (x > 0) @ (x > 0)

    x = ms.Tensor([[1.0]])
    refused("E0304", number, x)
    refused("E0304", reflected, x)
    refused("E0301", bools, x)


@pytest.mark.parametrize(("one", "other"), [pair for pair in SHAPES if 0 not in pair[0] + pair[1]])
def test_gradients(one, other):
    rng = np.random.default_rng(0)

    def run(x, y):
        return ops.matmul(x, y)

    check_gradients(run, rng.normal(size=one), rng.normal(size=other))


def test_gradients_without_elements():
    def run(x, y):
        return ops.matmul(x, y)

    by_x, by_y = ms.grad(run, (0, 1))(ms.Tensor(np.ones((2, 0))), ms.Tensor(np.ones((0, 4))))
    assert (by_x.shape, by_y.shape) == ((2, 0), (0, 4))
    by_x, by_y = ms.grad(run, (0, 1))(ms.Tensor(np.ones((0, 3))), ms.Tensor(np.ones((3, 4))))
    assert by_x.shape == (0, 3) and by_y.tolist() == [[0.0] * 4] * 3
